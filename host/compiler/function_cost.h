#ifndef SYSTOLITH_HOST_COMPILER_FUNCTION_COST_H_
#define SYSTOLITH_HOST_COMPILER_FUNCTION_COST_H_

#include <cstdint>
#include <span>
#include <string_view>

#include "host/arch/chip_config.h"
#include "host/compiler/kernel.h"

namespace systolith::compiler {

// What a call of a function of the kernel library takes, measured on the assembled kernel.
struct FunctionCost {
  int64_t depth = 1;      // bundles of one call that has the kernel to itself
  int64_t slots = 1;      // ALU slots
  int64_t constants = 0;  // words of constant memory
  int64_t registers = 1;
};

// `function` is of the library; measured once per process.
const FunctionCost& CostOfFunction(std::string_view function, const arch::ChipConfig& chip);

// Of steps: ALU slots, the longest chain of bundles of which each needs the last, and the registers
// that they need at most if they run in their order.
struct StepsCost {
  int64_t slots = 0, depth = 0;
  int64_t registers = 1;
  int64_t constants = 0;  // at most
};
StepsCost CostOfSteps(std::span<const VectorStep> steps, const arch::ChipConfig& chip);

}  // namespace systolith::compiler

#endif  // SYSTOLITH_HOST_COMPILER_FUNCTION_COST_H_
