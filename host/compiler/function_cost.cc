#include "host/compiler/function_cost.h"

#include <algorithm>
#include <cassert>
#include <map>
#include <mutex>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "host/kernel/assemble.h"

namespace systolith::compiler {
namespace {

constexpr int kCalls = 2;  // side by side, so that their slots fill

// Calls of the function in one kernel, on as many operands as it takes.
Result<kernel::Kernel> Assembled(std::string_view function, int calls,
                                 const arch::ChipConfig& chip) {
  Status status;
  for (size_t arguments = 1; arguments <= 3; ++arguments) {
    kernel::Builder builder("cost");
    for (int call = 0; call < calls; ++call) {
      std::vector<kernel::Value> values;
      for (size_t i = 0; i < arguments; ++i) {
        values.push_back(builder.Load(static_cast<int>(i), call));
      }
      Result<std::vector<kernel::Value>> results =
          kernel::CallFunction(builder, function, values, chip);
      status = results.status();
      if (!status.ok()) break;
      builder.Store(0, call, results->at(0));
    }
    if (status.ok()) return builder.Finish();
  }
  return status;
}

FunctionCost Measure(std::string_view function, const arch::ChipConfig& chip) {
  FunctionCost cost;
  const Result<kernel::Kernel> one = Assembled(function, 1, chip);
  const Result<kernel::Kernel> many = Assembled(function, kCalls, chip);
  assert(one.ok());
  if (!one.ok()) return cost;
  cost.depth = static_cast<int64_t>(one->bundles.size());
  cost.constants = static_cast<int64_t>(one->constants.size());
  cost.registers = one->vector_registers;
  // A bundle has two slots.
  cost.slots = many.ok() ? static_cast<int64_t>(many->bundles.size()) * 2 / kCalls : 2 * cost.depth;
  return cost;
}

}  // namespace

const FunctionCost& CostOfFunction(std::string_view function, const arch::ChipConfig& chip) {
  static std::mutex mutex;
  static std::map<std::string, FunctionCost, std::less<>> costs;
  const std::lock_guard lock(mutex);
  auto found = costs.find(function);
  if (found == costs.end()) {
    found = costs.emplace(std::string(function), Measure(function, chip)).first;
  }
  return found->second;
}

StepsCost CostOfSteps(std::span<const VectorStep> steps, const arch::ChipConfig& chip) {
  StepsCost cost;
  std::vector<size_t> last_use(steps.size());
  std::set<StepOperand> inputs;
  std::set<uint32_t> numbers;
  std::set<std::string_view> functions;
  for (size_t i = 0; i < steps.size(); ++i) {
    last_use[i] = i;
    for (const StepOperand& operand : steps[i].operands) {
      if (operand.kind == StepOperand::Kind::kStep) last_use[operand.bits] = i;
      if (operand.kind == StepOperand::Kind::kImmediate) numbers.insert(operand.bits);
      if (operand.kind == StepOperand::Kind::kStream || operand.kind == StepOperand::Kind::kLane) {
        inputs.insert(operand);
      }
    }
  }
  cost.constants = static_cast<int64_t>(numbers.size());
  std::vector<int64_t> depths;
  std::multiset<size_t> alive;  // last uses
  for (size_t i = 0; i < steps.size(); ++i) {
    const VectorStep& step = steps[i];
    int64_t depth = 0;
    for (const StepOperand& operand : step.operands) {
      if (operand.kind == StepOperand::Kind::kStep) depth = std::max(depth, depths[operand.bits]);
    }
    const FunctionCost own =
        step.function.empty() ? FunctionCost{} : CostOfFunction(step.function, chip);
    if (functions.insert(step.function).second) cost.constants += own.constants;
    cost.slots += own.slots;
    depths.push_back(depth + own.depth);
    cost.depth = std::max(cost.depth, depths.back());
    cost.registers =
        std::max(cost.registers, static_cast<int64_t>(alive.size() + inputs.size()) + own.registers);
    alive.erase(alive.begin(), alive.upper_bound(i));
    alive.insert(last_use[i]);
  }
  return cost;
}

}  // namespace systolith::compiler
