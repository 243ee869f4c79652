#include <fmt/format.h>
#include <fmt/ranges.h>

#include <charconv>
#include <csignal>

#include "host/arch/chip_config.h"
#include "host/base/file.h"
#include "host/kernel/assemble.h"
#include "host/tools/commands.h"

// `systolith kernel`: assembles a kernel and lists it with its figures.
namespace systolith::tools {
namespace {

Result<kernel::Parameters> ReadParameters(const std::vector<std::string>& texts) {
  kernel::Parameters parameters;
  for (const std::string& text : texts) {
    const size_t equals = text.find('=');
    int64_t number = 0;
    const char* const end = text.data() + text.size();
    const auto [last, error] =
        std::from_chars(text.data() + std::min(equals, text.size() - 1) + 1, end, number);
    if (equals == 0 || equals == std::string::npos || error != std::errc() || last != end) {
      return InvalidArgument(
          fmt::format("--param {}: must be NAME=NUMBER, for example --param chunks=4", text));
    }
    parameters[text.substr(0, equals)] = number;
  }
  return parameters;
}

// The kernel that is meant where there is one only; empty if there are several.
Result<std::string> ChooseKernel(const Options& options, const std::vector<std::string>& names) {
  if (!options.kernel.empty()) return options.kernel;
  if (names.size() == 1) return names.front();
  if (names.empty()) return InvalidArgument(options.program + ": has no kernel");
  return InvalidArgument(
      fmt::format("choose one with --kernel NAME: {}", fmt::join(names, ", ")));
}

std::string Streams(std::string_view kind, uint32_t mask) {
  std::vector<std::string> names;
  for (uint32_t i = 0; i < 32; ++i) {
    if ((mask >> i & 1) != 0) names.push_back(fmt::format("{}{}", kind, i));
  }
  return fmt::format("{}", fmt::join(names, " "));
}

void PrintFigures(const kernel::Kernel& kernel) {
  uint32_t alu = 0, lane = 0;
  for (size_t n = kernel.body; n < kernel.bundles.size(); ++n) {
    const arch::Bundle bundle = arch::DecodeBundle(kernel.bundles[n]);
    alu += (bundle.a_op != 0 ? 1 : 0) + (bundle.b_op != 0 ? 1 : 0);
    lane += bundle.lane_op != 0 ? 1 : 0;
  }
  const size_t body = kernel.bundles.size() - kernel.body;
  const std::array<uint32_t, arch::kLoops> once = {1, 1, 1, 1, 1, 1};
  fmt::print("bundles           {} ({} of the prologue); {} exist\n", kernel.bundles.size(),
             kernel.body, arch::kKernelBundles);
  fmt::print("body              {} ALU operations, {:.0f} % of the slots; {} lane operations\n",
             alu, 50.0 * alu / static_cast<double>(body), lane);
  fmt::print("                  {} cycles for {} instances, each loop run once\n",
             kernel.BodyCycles(once), arch::kVectorThreads);
  fmt::print("registers         {} of {} v, {} of {} w\n", kernel.vector_registers,
             arch::kVectorRegisters, kernel.shared_registers, arch::kSharedRegisters);
  fmt::print("constants         {} of {}\n", kernel.constants.size(), arch::kKernelConstants);
  fmt::print("streams           {} {}\n", Streams("in", kernel.input_streams),
             Streams("out", kernel.output_streams));
  if (kernel.scalars != 0) fmt::print("scalar words      {}\n", Streams("s", kernel.scalars));
  if (kernel.first_loop < arch::kLoops) {
    fmt::print("kernel_level      at most {}\n", kernel.first_loop);
  }
}

}  // namespace

Status KernelCommand(const Options& options) {
  // Nothing here asks whether it was interrupted, and there is nothing to clean up.
  std::signal(SIGINT, SIG_DFL);
  std::signal(SIGTERM, SIG_DFL);
  ASSIGN_OR_RETURN(const arch::ChipConfig chip,
                   arch::LoadChipConfig(options.chip.empty() ? kDefaultChip : options.chip));
  ASSIGN_OR_RETURN(const kernel::Parameters parameters, ReadParameters(options.parameters));
  kernel::Kernel kernel;
  if (options.program.empty()) {
    ASSIGN_OR_RETURN(const std::vector<std::string> names, kernel::LibraryKernelNames());
    ASSIGN_OR_RETURN(const std::string name, ChooseKernel(options, names));
    ASSIGN_OR_RETURN(kernel, kernel::AssembleFromLibrary(name, parameters, chip));
  } else {
    ASSIGN_OR_RETURN(const std::vector<std::byte> bytes, ReadFile(options.program));
    const std::string_view source(reinterpret_cast<const char*>(bytes.data()), bytes.size());
    ASSIGN_OR_RETURN(const std::vector<std::string> names,
                     kernel::KernelNames(source, options.program));
    ASSIGN_OR_RETURN(const std::string name, ChooseKernel(options, names));
    ASSIGN_OR_RETURN(kernel,
                     kernel::Assemble(source, name, parameters, chip, options.program));
  }
  fmt::print("kernel {} on {}\n{}\n", kernel.name, chip.name, kernel::Listing(kernel));
  PrintFigures(kernel);
  return OkStatus();
}

}  // namespace systolith::tools
