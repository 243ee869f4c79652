#include "host/compiler/passes/vector_chain.h"

#include <bit>
#include <cmath>
#include <set>

namespace systolith::compiler {
namespace {

using arch::VectorOp;
using graph::ElementType;
using graph::Opcode;

StepOperand Immediate(uint32_t bits) { return {StepOperand::Kind::kImmediate, bits}; }
StepOperand Immediate(float value) { return Immediate(std::bit_cast<uint32_t>(value)); }

bool IsFloatType(ElementType type) {
  return type == ElementType::kF32 || type == ElementType::kBF16;
}

// The step of a binary operation whose first operand (or second, if `x_is_rhs`) is the lane.
VectorOp StepOf(Opcode opcode, bool is_float, bool x_is_rhs) {
  switch (opcode) {
    case Opcode::kAdd: return is_float ? VectorOp::kAddF32 : VectorOp::kAddS32;
    case Opcode::kSubtract:
      if (x_is_rhs) return is_float ? VectorOp::kReverseSubtractF32 : VectorOp::kReverseSubtractS32;
      return is_float ? VectorOp::kSubtractF32 : VectorOp::kSubtractS32;
    case Opcode::kMultiply: return is_float ? VectorOp::kMultiplyF32 : VectorOp::kMultiplyS32;
    case Opcode::kMaximum: return is_float ? VectorOp::kMaximumF32 : VectorOp::kMaximumS32;
    default: return is_float ? VectorOp::kMinimumF32 : VectorOp::kMinimumS32;
  }
}

bool IsInteger(float value) { return value == std::floor(value); }

}  // namespace

bool VectorChain::IsFloat() const { return IsFloatType(type_); }

void VectorChain::Add(VectorOp op, StepOperand operand) {
  steps_.push_back({op, operand});
  const bool is_constant = operand.kind == StepOperand::Kind::kImmediate;
  const float value = std::bit_cast<float>(operand.bits);
  if (op == VectorOp::kMaximumF32 && is_constant) {
    low_ = std::max(low_.value_or(value), value);
    if (high_) high_ = std::max(*high_, value);
  } else if (op == VectorOp::kMinimumF32 && is_constant) {
    high_ = std::min(high_.value_or(value), value);
    if (low_) low_ = std::min(*low_, value);
  } else if (op != VectorOp::kRoundBf16) {
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
    if (step.operand.kind == StepOperand::Kind::kImmediate) immediates.insert(step.operand.bits);
  }
  return steps_.size() <= arch::kVectorOps && streams_.size() <= 2 &&
         immediates.size() <= arch::kVectorImmediates;
}

void VectorChain::Load(const ChainOperand& operand) { Add(VectorOp::kCopy, Operand(operand)); }

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
    Add(VectorOp::kRoundBf16);
    raw_ = false;
  }
  if (raw_ && !IsFloat() && is_choice) return false;  // s8 wraps before it is compared

  if (op.opcode == Opcode::kClamp) {
    if (x != 1) return false;
    Add(StepOf(Opcode::kMaximum, IsFloat(), false), Operand(operands[0]));
    Add(StepOf(Opcode::kMinimum, IsFloat(), false), Operand(operands[2]));
    return true;
  }
  if (op.opcode == Opcode::kRoundNearestEven) {
    Add(VectorOp::kRoundEvenF32);
    return true;
  }
  if (op.opcode == Opcode::kNegate) {
    if (IsFloat()) {
      Add(VectorOp::kMultiplyF32, Immediate(-1.0f));
    } else {
      Add(VectorOp::kReverseSubtractS32, Immediate(0u));
      raw_ = type_ == ElementType::kS8;
    }
    return true;
  }
  Add(StepOf(op.opcode, IsFloat(), x == 1), Operand(operands[1 - x]));
  if (!is_choice) raw_ = type_ == ElementType::kBF16 || type_ == ElementType::kS8;
  return true;
}

void VectorChain::Clip(float low, float high) {
  if (!low_ || *low_ < low) Add(VectorOp::kMaximumF32, Immediate(low));
  if (!high_ || *high_ > high) Add(VectorOp::kMinimumF32, Immediate(high));
}

bool VectorChain::AppendConvert(ElementType to) {
  if (to == type_) return true;
  if (IsFloat()) {
    if (raw_) Add(VectorOp::kRoundBf16);
    raw_ = false;
    if (to == ElementType::kBF16) raw_ = true;  // f32 -> bf16: rounds when stored or used
    if (to == ElementType::kS8) Clip(-128.0f, 127.0f);
    if (!IsFloatType(to)) {
      Add(VectorOp::kF32ToS32);
      MergeRequantize();
    }
  } else {
    if (raw_ && to != ElementType::kS8) return false;  // s8 -> wider: sign-extends what wrapped
    raw_ = to == ElementType::kS8 || to == ElementType::kBF16;
    if (IsFloatType(to)) Add(VectorOp::kS32ToF32);
  }
  type_ = to;
  return true;
}

// s32_to_f32, multiply, round_even, clamp to integers around 0 within s8, f32_to_s32: the unit has
// one step for that, with the same bits.
void VectorChain::MergeRequantize() {
  const size_t count = steps_.size();
  if (count < 6) return;
  const VectorStep* step = &steps_[count - 6];
  if (step[0].op != VectorOp::kS32ToF32 || step[1].op != VectorOp::kMultiplyF32 ||
      step[2].op != VectorOp::kRoundEvenF32 || step[5].op != VectorOp::kF32ToS32) {
    return;
  }
  std::optional<float> low, high;
  for (const VectorStep* bound : {&step[3], &step[4]}) {
    if (bound->operand.kind != StepOperand::Kind::kImmediate) return;
    const float value = std::bit_cast<float>(bound->operand.bits);
    if (bound->op == VectorOp::kMaximumF32) low = value;
    if (bound->op == VectorOp::kMinimumF32) high = value;
  }
  // NaN becomes 0 in both forms only if 0 lies between the bounds.
  if (!low || !high || !(*low >= -128.0f && *low <= 0.0f && *high >= 0.0f && *high <= 127.0f) ||
      !IsInteger(*low) || !IsInteger(*high)) {
    return;
  }
  const StepOperand scale = step[1].operand;
  steps_.resize(count - 6);
  Add(VectorOp::kRequantize, scale);
  if (*low > -128.0f) {
    Add(VectorOp::kMaximumS32, Immediate(static_cast<uint32_t>(static_cast<int32_t>(*low))));
  }
  if (*high < 127.0f) {
    Add(VectorOp::kMinimumS32, Immediate(static_cast<uint32_t>(static_cast<int32_t>(*high))));
  }
}

}  // namespace systolith::compiler
