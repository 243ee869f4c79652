#include "host/compiler/codegen/chain_kernel.h"

#include <array>

#include "host/kernel/builder.h"

namespace systolith::compiler {
namespace {

using kernel::Value;

}  // namespace

Result<kernel::Kernel> BuildChainKernel(const ChainKernel& chain) {
  kernel::Builder builder("chain");
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
    Value lane = chain.has_x ? builder.Load(input(0), group)
                             : Value::Scalar(static_cast<int>(chain.zero));
    Value saved;
    for (const VectorStep& step : chain.steps) {
      std::array<Value, 3> operands;
      for (size_t i = 0; i < operands.size(); ++i) {
        const StepOperand& operand = step.operands[i];
        switch (operand.kind) {
          case StepOperand::Kind::kNone: break;
          case StepOperand::Kind::kLane: operands[i] = lane; break;
          case StepOperand::Kind::kSaved: operands[i] = saved; break;
          case StepOperand::Kind::kStream: operands[i] = streams[operand.bits]; break;
          case StepOperand::Kind::kImmediate:
            operands[i] = Value::Scalar(static_cast<int>(operand.bits));
            break;
        }
      }
      const Value result = builder.Variable();
      builder.Assign(result, step.op,
                     std::span(operands).first(kernel::Info(step.op).sources));
      if (step.saves) saved = lane;
      lane = result;
    }
    builder.Store(static_cast<int>(chain.output), group, lane);
  }
  return builder.Finish();
}

}  // namespace systolith::compiler
