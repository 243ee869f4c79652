#include "host/tools/program_input.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

#include "host/base/file.h"
#include "host/base/nearest_name.h"
#include "host/import/import.h"

namespace systolith::tools {

Result<ProgramInput> ReadProgram(const std::string& path) {
  ASSIGN_OR_RETURN(const std::vector<std::byte> bytes, ReadFile(path));
  ProgramInput program;
  if (isa::LooksLikeExecutable(bytes) || path.ends_with(".sysx")) {
    ASSIGN_OR_RETURN(program.executable, isa::Deserialize(bytes, path));
    return program;
  }
  ASSIGN_OR_RETURN(program.module, import::Import(bytes, path));
  return program;
}

Result<arch::ChipConfig> ChooseChip(const Options& options, const ProgramInput& program) {
  if (!options.chip.empty()) return arch::LoadChipConfig(options.chip);
  if (!program.executable) return arch::LoadChipConfig(kDefaultChip);
  const std::string& name = program.executable->chip_name;
  Result<arch::ChipConfig> config = arch::LoadChipConfig(name);
  if (config.ok()) return config;
  return InvalidArgument(fmt::format(
      "{} was compiled for configuration '{}', which is none of the named ones; pass its file with "
      "--chip",
      options.program, name));
}

graph::Precision PrecisionOf(const ProgramInput& program, const Options& options) {
  if (options.precision) return *options.precision;
  const bool checks_itself = program.module && graph::HasChecks(*program.module);
  return checks_itself ? graph::Precision::kHighest : graph::Precision::kDefault;
}

Result<isa::Executable> MakeExecutable(const ProgramInput& program, const arch::ChipConfig& chip,
                                       const Options& options) {
  if (program.executable) {
    const isa::Executable& executable = *program.executable;
    if (options.no_fallback) {
      for (const isa::OperationReport& operation : executable.operations) {
        if (operation.on_chip) continue;
        return Unsupported(fmt::format("--no-fallback: {} at line {} does not run on the chip: {}",
                                       operation.operation, operation.line, operation.reason));
      }
    }
    return executable;
  }
  compiler::CompileOptions compile_options;
  compile_options.f32_precision = PrecisionOf(program, options);
  compile_options.no_fallback = options.no_fallback;
  compile_options.no_fold = options.no_fold;
  compile_options.dump_after = options.dump_after;
  if (!options.dump_after.empty()) {
    const std::vector<std::string> passes = compiler::PassNames();
    if (options.dump_after != "all" &&
        std::find(passes.begin(), passes.end(), options.dump_after) == passes.end()) {
      return InvalidArgument(fmt::format(
          "unknown pass '{}'; did you mean '{}'? The passes: {}, all", options.dump_after,
          NearestName(options.dump_after, passes), fmt::join(passes, ", ")));
    }
    compile_options.dump = [](const std::string& pass, const std::string& text) {
      fmt::print("// ---- after {}\n{}\n", pass, text);
    };
  }
  return compiler::Compile(*program.module, chip, compile_options);
}

}  // namespace systolith::tools
