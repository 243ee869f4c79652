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
      {"split-integers", SplitWideIntegers},       // the others become pairs of words
      {"expand-operations", ExpandOperations},     // what has no kernel becomes what has one
      {"match-operand-types", MatchOperandTypes},  // both operands of a product are one type
      {"assign-layouts", AssignLayouts},           // between convolutions, features are innermost
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

Result<isa::Executable> Compile(graph::Module module, const arch::ChipConfig& chip,
                                const CompileOptions& options) {
  RETURN_IF_ERROR(graph::Verify(module));
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
