#include "host/compiler/compile.h"

#include <fmt/format.h>

#include "host/compiler/expand/expand.h"
#include "host/compiler/passes/passes.h"
#include "host/graph/verify.h"

namespace systolith::compiler {
namespace {

// The whole compiler, in the order in which it runs.
const std::vector<Pass>& Passes() {
  static const std::vector<Pass> passes = {
      {"inline-calls", InlineCalls},               // one function
      {"fold-constants", FoldConstants},           // small constants move through data movement
      {"narrow-integers", NarrowIntegers},         // 64-bit integers that fit 32 bits
      {"expand-operations", ExpandOperations},     // what has no kernel becomes what has one
      {"match-operand-types", MatchOperandTypes},  // both operands of a product are one type
      {"erase-dead-operations", EraseDeadOperations},
      {"assign-units", AssignUnits},    // every operation: chip, evaluator or check, and why
      {"plan-kernels", PlanKernels},    // views instead of copies; chains ride on their producer
      {"forward-results", ForwardResults},  // results go where they are copied to
      {"order-steps", OrderSteps},      // few changes between chip and evaluator
      {"place-in-buffer", PlaceInBuffer},  // what lives shortly stays on the chip
      {"place-tensors", PlaceTensors},  // every stored value has an address
      {"emit-steps", EmitSteps},        // tiles, schedule, instructions
  };
  return passes;
}

}  // namespace

std::vector<std::string> PassNames() {
  std::vector<std::string> names;
  for (const Pass& pass : Passes()) names.push_back(pass.name);
  return names;
}

namespace {

// Tiling works within any buffer, but the arguments and results themselves must lie in HBM.
Status CheckFits(const graph::Module& module, const arch::ChipConfig& chip) {
  const graph::Function& entry = *module.Entry();
  double bytes = 0;
  for (const std::vector<graph::Value>& values : {entry.arguments(), entry.results()}) {
    for (const graph::Value value : values) {
      const graph::Shape& shape = entry.shape(value);
      double elements = 1;
      for (const int64_t dim : shape.dims) elements *= static_cast<double>(dim);
      bytes += elements * static_cast<double>(graph::ByteWidth(shape.type));
    }
  }
  if (bytes <= static_cast<double>(chip.memory_bytes)) return OkStatus();
  return Unsupported(fmt::format(
      "arguments and results take {:.0f} bytes; the chip '{}' has {} bytes of memory "
      "(memory.bytes)",
      bytes, chip.name, chip.memory_bytes));
}

}  // namespace

Result<isa::Executable> Compile(graph::Module module, const arch::ChipConfig& chip,
                                const CompileOptions& options) {
  RETURN_IF_ERROR(graph::Verify(module));
  RETURN_IF_ERROR(CheckFits(module, chip));
  Compilation compilation;
  compilation.chip = chip;
  compilation.options = options;
  compilation.f32_precision = options.f32_precision.value_or(
      HasChecks(module) ? graph::Precision::kHighest : graph::Precision::kDefault);
  compilation.module = std::move(module);
  for (const Pass& pass : Passes()) {
    RETURN_IF_ERROR(pass.run(compilation));
    if (Status status = VerifyCompilation(compilation); !status.ok()) {
      return Internal(fmt::format("after pass {}: {}", pass.name, status.message()));
    }
    if (options.dump && (options.dump_after == pass.name || options.dump_after == "all")) {
      options.dump(pass.name, ToString(compilation));
    }
  }
  return std::move(compilation.executable);
}

}  // namespace systolith::compiler
