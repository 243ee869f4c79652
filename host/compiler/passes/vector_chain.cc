#include "host/compiler/passes/vector_chain.h"

#include <bit>
#include <set>

namespace systolith::compiler {
namespace {

using arch::AluOp;
using graph::ElementType;
using graph::Opcode;

StepOperand Immediate(uint32_t bits) { return {StepOperand::Kind::kImmediate, bits}; }
StepOperand Immediate(float value) { return Immediate(std::bit_cast<uint32_t>(value)); }

bool IsFloatType(ElementType type) {
  return type == ElementType::kF32 || type == ElementType::kBF16;
}

// The step of a binary operation.
AluOp StepOf(Opcode opcode, bool is_float) {
  switch (opcode) {
    case Opcode::kAdd: return is_float ? AluOp::kAddF32 : AluOp::kAddS32;
    case Opcode::kSubtract: return is_float ? AluOp::kSubtractF32 : AluOp::kSubtractS32;
    case Opcode::kMultiply: return is_float ? AluOp::kMultiplyF32 : AluOp::kMultiplyS32;
    case Opcode::kMaximum: return is_float ? AluOp::kMaximumF32 : AluOp::kMaximumS32;
    default: return is_float ? AluOp::kMinimumF32 : AluOp::kMinimumS32;
  }
}

}  // namespace

bool VectorChain::IsFloat() const { return IsFloatType(type_); }

void VectorChain::Add(AluOp op, StepOperand operand, bool reversed) {
  VectorStep step{op};
  if (operand.kind != StepOperand::Kind::kNone) step.operands[1] = operand;
  if (reversed) std::swap(step.operands[0], step.operands[1]);
  steps_.push_back(step);
  const bool is_constant = operand.kind == StepOperand::Kind::kImmediate;
  const float value = std::bit_cast<float>(operand.bits);
  if (op == AluOp::kMaximumF32 && is_constant) {
    low_ = std::max(low_.value_or(value), value);
    if (high_) high_ = std::max(*high_, value);
  } else if (op == AluOp::kMinimumF32 && is_constant) {
    high_ = std::min(high_.value_or(value), value);
    if (low_) low_ = std::min(*low_, value);
  } else if (op != AluOp::kRoundBf16) {
    low_.reset();
    high_.reset();
  }
}

StepOperand VectorChain::Operand(const ChainOperand& operand) {
  if (operand.immediate) return Immediate(*operand.immediate);
  for (size_t i = 0; i < streams_.size(); ++i) {
    if (streams_[i] == operand.view) {
      return {StepOperand::Kind::kStream, static_cast<uint32_t>(i)};
    }
  }
  streams_.push_back(operand.view);
  return {StepOperand::Kind::kStream, static_cast<uint32_t>(streams_.size() - 1)};
}

bool VectorChain::Fits() const {
  std::set<uint32_t> immediates;
  for (const VectorStep& step : steps_) {
    for (const StepOperand& operand : step.operands) {
      if (operand.kind == StepOperand::Kind::kImmediate) immediates.insert(operand.bits);
    }
  }
  return steps_.size() <= kMaxSteps && streams_.size() <= kMaxStreams &&
         immediates.size() <= kMaxImmediates;
}

void VectorChain::Load(const ChainOperand& operand) {
  VectorStep step;
  step.operands[0] = Operand(operand);
  steps_.push_back(step);
}

bool VectorChain::Append(const graph::Op& op, ElementType result, size_t x,
                         const std::vector<ChainOperand>& operands) {
  VectorChain before = *this;
  const bool done = op.opcode == Opcode::kConvert ? AppendConvert(result)
                                                  : AppendArithmetic(op, x, operands);
  if (done && Fits()) return true;
  *this = std::move(before);
  return false;
}

bool VectorChain::AppendArithmetic(const graph::Op& op, size_t x,
                                   const std::vector<ChainOperand>& operands) {
  const bool is_choice = op.opcode == Opcode::kMaximum || op.opcode == Opcode::kMinimum ||
                         op.opcode == Opcode::kClamp;
  if (raw_ && IsFloat() && !is_choice) {
    // Choosing commutes with rounding when the other operand is rounded; nothing else does.
    Add(AluOp::kRoundBf16);
    raw_ = false;
  }
  if (raw_ && !IsFloat() && is_choice) return false;  // s8 wraps before it is compared

  if (op.opcode == Opcode::kClamp) {
    if (x != 1) return false;
    Add(StepOf(Opcode::kMaximum, IsFloat()), Operand(operands[0]));
    Add(StepOf(Opcode::kMinimum, IsFloat()), Operand(operands[2]));
    return true;
  }
  if (op.opcode == Opcode::kRoundNearestEven) {
    Add(AluOp::kRoundEvenF32);
    return true;
  }
  if (op.opcode == Opcode::kNegate) {
    if (IsFloat()) {
      Add(AluOp::kMultiplyF32, Immediate(-1.0f));
    } else {
      Add(AluOp::kSubtractS32, Immediate(0u), true);
      raw_ = type_ == ElementType::kS8;
    }
    return true;
  }
  const bool reversed = x == 1 && op.opcode == Opcode::kSubtract;  // the others commute
  Add(StepOf(op.opcode, IsFloat()), Operand(operands[1 - x]), reversed);
  if (!is_choice) raw_ = type_ == ElementType::kBF16 || type_ == ElementType::kS8;
  return true;
}

void VectorChain::Clip(float low, float high) {
  if (!low_ || *low_ < low) Add(AluOp::kMaximumF32, Immediate(low));
  if (!high_ || *high_ > high) Add(AluOp::kMinimumF32, Immediate(high));
}

bool VectorChain::AppendConvert(ElementType to) {
  if (to == type_) return true;
  if (IsFloat()) {
    if (raw_) Add(AluOp::kRoundBf16);
    raw_ = false;
    if (to == ElementType::kBF16) raw_ = true;  // f32 -> bf16: rounds when stored or used
    if (to == ElementType::kS8) Clip(-128.0f, 127.0f);
    if (!IsFloatType(to)) Add(AluOp::kF32ToS32);
  } else {
    if (raw_ && to != ElementType::kS8) return false;  // s8 -> wider: sign-extends what wrapped
    raw_ = to == ElementType::kS8 || to == ElementType::kBF16;
    if (IsFloatType(to)) Add(AluOp::kS32ToF32);
  }
  type_ = to;
  return true;
}

}  // namespace systolith::compiler
