#include "host/compiler/codegen/chain_kernel.h"

#include <array>
#include <map>
#include <utility>

#include "host/kernel/assemble.h"

namespace systolith::compiler {

using kernel::Value;

void ChainKernel::SetSteps(std::vector<VectorStep> with_numbers, std::vector<uint32_t>& scalars) {
  std::map<uint32_t, uint32_t> places;
  const auto place = [&](uint32_t number) {
    const auto [found, is_new] = places.emplace(number, static_cast<uint32_t>(places.size()));
    if (is_new && scalars.size() < arch::kVectorScalars) {
      scalars.push_back(number);
    } else if (is_new) {
      constants.push_back(number);
    }
    return found->second;
  };
  steps = std::move(with_numbers);
  for (VectorStep& step : steps) {
    for (StepOperand& operand : step.operands) {
      if (operand.kind == StepOperand::Kind::kImmediate) operand.bits = place(operand.bits);
    }
  }
  if (!has_x) zero = place(0);
}

Result<kernel::Kernel> BuildChainKernel(const ChainKernel& chain, const arch::ChipConfig& chip) {
  kernel::Builder builder("chain");
  const auto number = [&](uint32_t place) {
    constexpr uint32_t kScalars = arch::kVectorScalars;
    return place < kScalars ? Value::Scalar(static_cast<int>(place))
                            : Value::Bits(chain.constants[place - kScalars]);
  };
  const auto input = [&](size_t operand) { return static_cast<int>(chain.inputs[operand]); };
  std::array<Value, kMaxStreams> streams;
  if (chain.shared != 0) {
    builder.BeginPrologue();
    for (size_t s = 0; s < kMaxStreams; ++s) {
      if ((chain.shared >> s & 1) == 0) continue;
      streams[s] = builder.Shared();
      builder.Assign(streams[s], Value::Input(input(1 + s)));
    }
    builder.EndPrologue();
  }
  for (int group = 0; group < static_cast<int>(chain.groups); ++group) {
    for (size_t s = 0; s < kMaxStreams; ++s) {
      if ((chain.shared >> s & 1) != 0) continue;
      streams[s] = builder.Load(input(1 + s), group);
    }
    const Value x = chain.has_x ? builder.Load(input(0), group) : number(chain.zero);
    std::vector<Value> results;
    for (const VectorStep& step : chain.steps) {
      std::vector<Value> operands;
      for (const StepOperand& operand : step.operands) {
        switch (operand.kind) {
          case StepOperand::Kind::kNone: break;
          case StepOperand::Kind::kLane: operands.push_back(x); break;
          case StepOperand::Kind::kStep: operands.push_back(results[operand.bits]); break;
          case StepOperand::Kind::kStream: operands.push_back(streams[operand.bits]); break;
          case StepOperand::Kind::kImmediate: operands.push_back(number(operand.bits)); break;
        }
      }
      if (step.function.empty()) {
        operands.resize(kernel::Info(step.op).sources);
        results.push_back(builder.Variable());
        builder.Assign(results.back(), step.op, operands);
      } else {
        ASSIGN_OR_RETURN(const std::vector<Value> values,
                         kernel::CallFunction(builder, step.function, operands, chip));
        results.push_back(values[0]);
      }
    }
    const Value lane = results.empty() ? x : results.back();
    builder.Store(static_cast<int>(chain.output), group, lane);
  }
  return builder.Finish();
}

}  // namespace systolith::compiler
