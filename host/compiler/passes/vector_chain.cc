#include "host/compiler/passes/vector_chain.h"

#include <algorithm>
#include <bit>
#include <cassert>
#include <set>
#include <utility>

namespace systolith::compiler {
namespace {

using arch::AluOp;
using graph::CompareDirection;
using graph::ElementType;
using graph::Opcode;

constexpr int kLaneBits = 32;
constexpr uint32_t kSignBit = 0x80000000;
constexpr uint32_t kInfinity = 0x7f800000;

StepOperand Saved() { return {StepOperand::Kind::kSaved, 0}; }
StepOperand Lane() { return {StepOperand::Kind::kLane, 0}; }
StepOperand Immediate(uint32_t bits) { return {StepOperand::Kind::kImmediate, bits}; }
StepOperand Immediate(float value) { return Immediate(std::bit_cast<uint32_t>(value)); }

bool IsNarrow(ElementType type) { return graph::BitWidth(type) < kLaneBits; }

uint32_t Mask(ElementType type) { return ~0u >> (kLaneBits - graph::BitWidth(type)); }

bool IsChoice(Opcode opcode) {
  return opcode == Opcode::kMaximum || opcode == Opcode::kMinimum || opcode == Opcode::kClamp;
}

AluOp FloatOp(Opcode opcode) {
  switch (opcode) {
    case Opcode::kAdd: return AluOp::kAddF32;
    case Opcode::kSubtract: return AluOp::kSubtractF32;
    case Opcode::kMultiply: return AluOp::kMultiplyF32;
    case Opcode::kDivide: return AluOp::kDivideF32;
    case Opcode::kSqrt: return AluOp::kSquareRootF32;
    case Opcode::kFloor: return AluOp::kFloorF32;
    case Opcode::kCeil: return AluOp::kCeilingF32;
    case Opcode::kRoundNearestEven: return AluOp::kRoundEvenF32;
    case Opcode::kRoundNearestAfz: return AluOp::kRoundAwayF32;
    case Opcode::kMaximum: return AluOp::kMaximumF32;
    default: assert(opcode == Opcode::kMinimum); return AluOp::kMinimumF32;
  }
}

// i1 has or for maximum and add, and for minimum and multiply.
AluOp IntegerOp(Opcode opcode, ElementType type) {
  const bool is_bool = type == ElementType::kI1;
  const bool is_unsigned = graph::IsUnsigned(type);
  switch (opcode) {
    case Opcode::kAdd: return is_bool ? AluOp::kOr : AluOp::kAddS32;
    case Opcode::kSubtract: return AluOp::kSubtractS32;
    case Opcode::kMultiply: return is_bool ? AluOp::kAnd : AluOp::kMultiplyS32;
    case Opcode::kAnd: return AluOp::kAnd;
    case Opcode::kOr: return AluOp::kOr;
    case Opcode::kXor: return AluOp::kXor;
    case Opcode::kShiftLeft: return AluOp::kShiftLeft;
    case Opcode::kShiftRightLogical: return AluOp::kShiftRightLogical;
    case Opcode::kShiftRightArithmetic: return AluOp::kShiftRightArithmetic;
    case Opcode::kMaximum:
      return is_bool ? AluOp::kOr : is_unsigned ? AluOp::kMaximumU32 : AluOp::kMaximumS32;
    default:
      assert(opcode == Opcode::kMinimum);
      return is_bool ? AluOp::kAnd : is_unsigned ? AluOp::kMinimumU32 : AluOp::kMinimumS32;
  }
}

// What an operation makes of integers that have not wrapped is what it makes of wrapped ones, but
// for the bits above the type.
bool KeepsLowBits(Opcode opcode, ElementType type) {
  switch (opcode) {
    case Opcode::kAdd:
    case Opcode::kSubtract:
    case Opcode::kMultiply:
    case Opcode::kNegate:
    case Opcode::kAnd:
    case Opcode::kOr:
    case Opcode::kShiftLeft: return true;
    case Opcode::kXor:
    case Opcode::kNot: return type != ElementType::kI1;
    default: return false;
  }
}

}  // namespace

std::vector<size_t> VectorChain::LaneOperands(const graph::Op& op) {
  switch (op.opcode) {
    case Opcode::kClamp: return {1};
    case Opcode::kShiftLeft:
    case Opcode::kShiftRightLogical:
    case Opcode::kShiftRightArithmetic: return {0};
    default: break;
  }
  std::vector<size_t> all;
  for (size_t i = 0; i < op.operands.size(); ++i) all.push_back(i);
  return all;
}

bool VectorChain::IsFloat() const { return graph::IsFloat(type_); }

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
  } else if (op != AluOp::kRoundBf16 && op != AluOp::kRoundF16) {
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

std::vector<VectorStep> VectorChain::Steps() const {
  // Stores round floats and cut integers; only an i1 is stored as it is.
  VectorChain finished = *this;
  if (type_ == ElementType::kI1) finished.Settle();
  return finished.steps_;
}

bool VectorChain::Fits() const {
  const std::vector<VectorStep> steps = Steps();
  std::set<uint32_t> immediates;
  for (const VectorStep& step : steps) {
    for (const StepOperand& operand : step.operands) {
      if (operand.kind == StepOperand::Kind::kImmediate) immediates.insert(operand.bits);
    }
  }
  return steps.size() <= kMaxSteps && streams_.size() <= kMaxStreams &&
         immediates.size() <= kMaxImmediates;
}

void VectorChain::Load(const ChainOperand& operand) {
  VectorStep step;
  step.operands[0] = Operand(operand);
  steps_.push_back(step);
}

void VectorChain::Settle() {
  if (!std::exchange(raw_, false)) return;
  if (type_ == ElementType::kBF16) {
    Add(AluOp::kRoundBf16);
  } else if (type_ == ElementType::kF16) {
    Add(AluOp::kRoundF16);
  } else if (type_ == ElementType::kI1) {
    // Raw ones are all ones, or or and xor of such and ones.
    Add(AluOp::kAnd, Immediate(1u));
  } else if (graph::IsUnsigned(type_)) {
    Add(AluOp::kAnd, Immediate(Mask(type_)));
  } else {
    const auto above = static_cast<uint32_t>(kLaneBits - graph::BitWidth(type_));
    Add(AluOp::kShiftLeft, Immediate(above));
    Add(AluOp::kShiftRightArithmetic, Immediate(above));
  }
}

void VectorChain::DropSign() {
  if (IsNarrow(type_) && (raw_ || graph::IsSigned(type_))) {
    Add(AluOp::kAnd, Immediate(Mask(type_)));
  }
  raw_ = false;
}

bool VectorChain::Append(const graph::Op& op, ElementType result, size_t x,
                         const std::vector<ChainOperand>& operands) {
  const std::vector<size_t> lanes = LaneOperands(op);
  if (std::find(lanes.begin(), lanes.end(), x) == lanes.end()) return false;
  VectorChain before = *this;
  if (op.opcode == Opcode::kConvert) {
    AppendConvert(result);
  } else if (op.opcode == Opcode::kSelect) {
    AppendSelect(x, operands, result);
  } else if (op.opcode == Opcode::kCompare) {
    AppendCompare(op, x == 1, Operand(operands[1 - x]));
  } else if (IsFloat()) {
    AppendFloat(op, x, operands);
  } else {
    AppendInteger(op, x, operands);
  }
  if (Fits()) return true;
  *this = std::move(before);
  return false;
}

void VectorChain::AppendFloat(const graph::Op& op, size_t x,
                              const std::vector<ChainOperand>& operands) {
  if (op.opcode == Opcode::kNegate) return Add(AluOp::kXor, Immediate(kSignBit));
  if (op.opcode == Opcode::kAbs) return Add(AluOp::kAnd, Immediate(~kSignBit));
  // Choosing commutes with rounding when the other operand is rounded; the sign does; nothing else.
  if (!IsChoice(op.opcode)) Settle();
  if (op.opcode == Opcode::kClamp) {
    Add(AluOp::kMaximumF32, Operand(operands[0]));
    Add(AluOp::kMinimumF32, Operand(operands[2]));
    return;
  }
  if (op.opcode == Opcode::kIsFinite) {
    Add(AluOp::kAnd, Immediate(~kSignBit));
    Add(AluOp::kLessU32, Immediate(kInfinity));
    type_ = ElementType::kI1;
    raw_ = true;
    return;
  }
  if (operands.size() == 1) {
    Add(FloatOp(op.opcode));
    raw_ = op.opcode == Opcode::kSqrt && IsNarrow(type_);
    return;
  }
  const bool commutes = op.opcode != Opcode::kSubtract && op.opcode != Opcode::kDivide;
  Add(FloatOp(op.opcode), Operand(operands[1 - x]), x == 1 && !commutes);
  if (!IsChoice(op.opcode)) raw_ = IsNarrow(type_);
}

void VectorChain::AppendInteger(const graph::Op& op, size_t x,
                                const std::vector<ChainOperand>& operands) {
  const bool is_bool = type_ == ElementType::kI1;
  switch (op.opcode) {
    case Opcode::kAbs:
      Settle();
      Add(AluOp::kSubtractS32, Immediate(0u), true);
      steps_.back().saves = true;
      Add(AluOp::kMaximumS32, Saved());
      raw_ = IsNarrow(type_);
      return;
    case Opcode::kPopcnt:
      DropSign();
      return Add(AluOp::kPopulationCount);
    case Opcode::kCountLeadingZeros:
      DropSign();
      Add(AluOp::kCountLeadingZeros);
      if (IsNarrow(type_)) {
        Add(AluOp::kSubtractS32,
            Immediate(static_cast<uint32_t>(kLaneBits - graph::BitWidth(type_))));
      }
      return;
    case Opcode::kShiftRightLogical:
      DropSign();
      Add(AluOp::kShiftRightLogical, Operand(operands[1]));
      raw_ = IsNarrow(type_) && graph::IsSigned(type_);
      return;
    case Opcode::kNot:
      if (is_bool) {
        Add(AluOp::kEqualS32, Immediate(0u));
        raw_ = true;
      } else {
        Add(AluOp::kXor, Immediate(graph::IsUnsigned(type_) ? Mask(type_) : ~0u));
      }
      return;
    case Opcode::kNegate:
      Add(AluOp::kSubtractS32, Immediate(0u), true);
      raw_ = IsNarrow(type_);
      return;
    default: break;
  }
  if (!KeepsLowBits(op.opcode, type_)) Settle();
  if (op.opcode == Opcode::kClamp) {
    Add(IntegerOp(Opcode::kMaximum, type_), Operand(operands[0]));
    Add(IntegerOp(Opcode::kMinimum, type_), Operand(operands[2]));
    return;
  }
  Add(IntegerOp(op.opcode, type_), Operand(operands[1 - x]),
      x == 1 && op.opcode == Opcode::kSubtract);
  const bool grows = op.opcode == Opcode::kAdd || op.opcode == Opcode::kSubtract ||
                     op.opcode == Opcode::kMultiply || op.opcode == Opcode::kShiftLeft;
  if (grows && !is_bool) raw_ = IsNarrow(type_);
}

void VectorChain::AppendCompare(const graph::Op& op, bool reversed, StepOperand operand) {
  Settle();
  const bool is_float = IsFloat();
  const bool is_signed = graph::IsSigned(type_);
  const AluOp equal = is_float ? AluOp::kEqualF32 : AluOp::kEqualS32;
  const AluOp less =
      is_float ? AluOp::kLessF32 : is_signed ? AluOp::kLessS32 : AluOp::kLessU32;
  bool is_negated = false;
  switch (op.As<graph::CompareAttributes>().direction) {
    case CompareDirection::kEq: Add(equal, operand); break;
    case CompareDirection::kNe:
      Add(equal, operand);
      is_negated = true;
      break;
    case CompareDirection::kLt: Add(less, operand, reversed); break;
    case CompareDirection::kGt: Add(less, operand, !reversed); break;
    case CompareDirection::kLe:
      Add(is_float ? AluOp::kLessEqualF32 : less, operand, reversed != !is_float);
      is_negated = !is_float;
      break;
    case CompareDirection::kGe:
      Add(is_float ? AluOp::kLessEqualF32 : less, operand, reversed != is_float);
      is_negated = !is_float;
      break;
  }
  if (is_negated) Add(AluOp::kEqualS32, Immediate(0u));
  type_ = ElementType::kI1;
  raw_ = true;
}

void VectorChain::AppendSelect(size_t x, const std::vector<ChainOperand>& operands,
                               ElementType result) {
  VectorStep step{AluOp::kSelect};
  for (size_t i = 0; i < operands.size(); ++i) {
    step.operands[i] = i == x ? Lane() : Operand(operands[i]);
  }
  steps_.push_back(step);
  low_.reset();
  high_.reset();
  // A value keeps what it has above its type; a condition gives way to stored values.
  if (x == 0) raw_ = false;
  type_ = result;
}

void VectorChain::Clip(float low, float high) {
  if (!low_ || *low_ < low) Add(AluOp::kMaximumF32, Immediate(low));
  if (!high_ || *high_ > high) Add(AluOp::kMinimumF32, Immediate(high));
}

void VectorChain::AppendFloatToInteger(ElementType to) {
  if (to == ElementType::kU32) return Add(AluOp::kF32ToU32);
  if (IsNarrow(to)) {
    const auto mask = static_cast<float>(Mask(to));
    if (graph::IsUnsigned(to)) {
      Clip(0.0f, mask);
    } else {
      Clip(-(mask + 1) / 2, (mask - 1) / 2);
    }
  }
  Add(AluOp::kF32ToS32);
}

void VectorChain::AppendConvert(ElementType to) {
  const ElementType from = std::exchange(type_, to);
  if (to == from) return;
  const bool was_raw = raw_;
  const auto settle = [&] {
    type_ = from;
    raw_ = was_raw;
    Settle();
    type_ = to;
  };
  if (to == ElementType::kI1) {
    settle();
    Add(graph::IsFloat(from) ? AluOp::kEqualF32 : AluOp::kEqualS32, Immediate(0u));
    Add(AluOp::kEqualS32, Immediate(0u));
    raw_ = true;
  } else if (graph::IsFloat(from)) {
    settle();
    if (!graph::IsFloat(to)) {
      AppendFloatToInteger(to);
    } else {
      raw_ = IsNarrow(to);  // rounds when it is stored or used
    }
  } else if (graph::IsFloat(to)) {
    settle();
    Add(from == ElementType::kU32 ? AluOp::kU32ToF32 : AluOp::kS32ToF32);
    raw_ = IsNarrow(to);
  } else {
    // Bits above the narrower of both types do not matter, or come from the value.
    if (graph::BitWidth(to) > graph::BitWidth(from)) settle();
    const bool holds_all = graph::BitWidth(to) > graph::BitWidth(from) &&
                           (!graph::IsSigned(from) || graph::IsSigned(to));
    raw_ = IsNarrow(to) && !holds_all;
  }
}

}  // namespace systolith::compiler
