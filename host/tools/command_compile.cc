#include <fmt/format.h>

#include "host/isa/disassembler.h"
#include "host/runtime/memory_allocator.h"
#include "host/tools/commands.h"
#include "host/tools/program_input.h"

// The subcommands that translate and describe programs without running them.
namespace systolith::tools {
namespace {

struct Compiled {
  arch::ChipConfig chip;
  isa::Executable executable;
};

Result<Compiled> ReadAndCompile(const Options& options) {
  ASSIGN_OR_RETURN(const ProgramInput program, ReadProgram(options.program));
  ASSIGN_OR_RETURN(arch::ChipConfig chip, ChooseChip(options, program));
  ASSIGN_OR_RETURN(isa::Executable executable, MakeExecutable(program, chip, options));
  return Compiled{std::move(chip), std::move(executable)};
}

std::string TensorText(const isa::Tensor& tensor) {
  std::string text;
  for (const int64_t dim : tensor.dims) text += fmt::format("{}x", dim);
  return text + tensor.element;
}

}  // namespace

Status CompileCommand(const Options& options) {
  ASSIGN_OR_RETURN(const ProgramInput program, ReadProgram(options.program));
  if (program.executable) {
    return InvalidArgument(options.program +
                           ": is compiled already; `compile` takes StableHLO text");
  }
  ASSIGN_OR_RETURN(const Compiled compiled, ReadAndCompile(options));
  for (const std::string& note : compiled.executable.notes) fmt::print("note: {}\n", note);
  for (const isa::OperationReport& operation : compiled.executable.operations) {
    if (operation.on_chip) continue;
    fmt::print("note: {} at line {} runs on the host: {}\n", operation.operation, operation.line,
               operation.reason);
  }
  if (options.executable_path.empty()) return OkStatus();
  return isa::WriteExecutable(options.executable_path, compiled.executable);
}

Status DisasmCommand(const Options& options) {
  ASSIGN_OR_RETURN(const Compiled compiled, ReadAndCompile(options));
  for (size_t i = 0; i < compiled.executable.steps.size(); ++i) {
    const isa::Step& step = compiled.executable.steps[i];
    if (const auto* chip = std::get_if<isa::ChipStep>(&step)) {
      fmt::print("// step {}: on the chip, {} bytes, {} segments\n{}\n", i, chip->program.bytes(),
                 chip->segments.size(), isa::Disassemble(chip->program));
    } else {
      fmt::print("// step {}: on the host\n{}\n", i, std::get<isa::HostStep>(step).module_text);
    }
  }
  return OkStatus();
}

void DescribeProgram(const Options& options, const isa::Executable& executable) {
  fmt::print("program       {} ({})\n", executable.name, options.program);
  fmt::print("compiled for  {} (program hash {:016x})\n", executable.chip_name,
             executable.program_hash);
  for (size_t i = 0; i < executable.arguments.size(); ++i) {
    fmt::print("argument      arg{}: {}\n", i,
               TensorText(executable.tensors[executable.arguments[i]]));
  }
  for (size_t i = 0; i < executable.results.size(); ++i) {
    fmt::print("result        result{}: {}\n", i,
               TensorText(executable.tensors[executable.results[i]]));
  }
  fmt::print("memory        {} constants, {} intermediate values\n",
             runtime::FormatBytes(executable.constants.size()),
             runtime::FormatBytes(executable.scratch_bytes));
  for (size_t i = 0; i < executable.steps.size(); ++i) {
    if (const auto* chip = std::get_if<isa::ChipStep>(&executable.steps[i])) {
      fmt::print("step {:<9}on the chip, {} of instructions\n", i,
                 runtime::FormatBytes(chip->program.bytes()));
    } else {
      fmt::print("step {:<9}on the host{}\n", i,
                 std::get<isa::HostStep>(executable.steps[i]).is_check ? ", a check" : "");
    }
  }
  for (const isa::OperationReport& operation : executable.operations) {
    fmt::print("operation     line {:<5}{:<24}{}{}\n", operation.line, operation.operation,
               operation.on_chip ? "chip" : "host: " + operation.reason,
               operation.macs > 0 ? fmt::format(", {} MAC", operation.macs) : "");
  }
  fmt::print("fallback      {:.1f} % of the operations, {:.1f} % of their bytes\n",
             100 * executable.FallbackShare(), 100 * executable.FallbackByteShare());
  for (const std::string& note : executable.notes) fmt::print("note          {}\n", note);
}

void DescribeChip(const arch::ChipConfig& chip) {
  std::string operands = chip.mxu_bf16 ? "bf16, fp32" : "";
  if (chip.mxu_int8) operands += operands.empty() ? "int8" : ", int8";
  const double peak =
      static_cast<double>(chip.mxu_count * chip.mxu_rows * chip.mxu_cols * chip.clock_mhz) * 1e6;
  fmt::print("{}\n", chip.name);
  fmt::print("  matrix units    {} x {}x{}, {}\n", chip.mxu_count, chip.mxu_rows, chip.mxu_cols,
             operands);
  fmt::print("  peak            {:.4g} TMAC/s at {} MHz\n", peak / 1e12, chip.clock_mhz);
  fmt::print("  accumulators    2 x {} rows per unit\n", chip.mxu_accumulator_rows);
  fmt::print("  vector unit     {} lanes x {} sublanes; {} words read, {} written per cycle "
             "({} and {} bytes)\n",
             chip.Lanes(), chip.vpu_sublanes, chip.vpu_read_words, chip.vpu_write_words,
             chip.vpu_read_words * chip.WordBytes(), chip.vpu_write_words * chip.WordBytes());
  fmt::print("  unified buffer  {}, {} banks\n",
             runtime::FormatBytes(static_cast<uint64_t>(chip.buffer_bytes)), chip.buffer_banks);
  fmt::print("  memory          {}, {}\n",
             runtime::FormatBytes(static_cast<uint64_t>(chip.memory_bytes)),
             chip.IsHbm2() ? fmt::format("HBM2, {} pseudo-channels", chip.memory_channels)
                           : fmt::format("{} bytes per cycle, latency {} cycles",
                                         chip.memory_bytes_per_cycle, chip.memory_latency_cycles));
  fmt::print("  build hash      {:016x}\n", chip.BuildHash());
  fmt::print("  program hash    {:016x}\n", chip.ProgramHash());
}

Status InfoCommand(const Options& options) {
  if (!options.program.empty()) {
    ASSIGN_OR_RETURN(const Compiled compiled, ReadAndCompile(options));
    DescribeProgram(options, compiled.executable);
    return OkStatus();
  }
  std::vector<std::string> names = {options.chip};
  if (options.chip.empty()) names = arch::ChipConfigNames();
  for (const std::string& name : names) {
    ASSIGN_OR_RETURN(const arch::ChipConfig chip, arch::LoadChipConfig(name));
    DescribeChip(chip);
  }
  return OkStatus();
}

}  // namespace systolith::tools
