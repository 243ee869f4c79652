// What each elementwise operation becomes on the lane.
#include <algorithm>
#include <bit>
#include <cassert>

#include "host/compiler/passes/vector_chain.h"

namespace systolith::compiler {
namespace {

using arch::AluOp;
using graph::CompareDirection;
using graph::ElementType;
using graph::Opcode;

constexpr int kLaneBits = 32;
constexpr uint32_t kSignBit = 0x80000000;
constexpr uint32_t kInfinity = 0x7f800000;
constexpr int kMantissaBits = 23;
constexpr int kExponentBits = 8;
constexpr int kBias = 127;

StepOperand Number(uint32_t bits) { return {StepOperand::Kind::kImmediate, bits}; }
StepOperand Number(float value) { return Number(std::bit_cast<uint32_t>(value)); }

bool IsNarrow(ElementType type) { return graph::BitWidth(type) < kLaneBits; }
uint32_t Above(ElementType type) {
  return static_cast<uint32_t>(kLaneBits - graph::BitWidth(type));
}
uint32_t Mask(ElementType type) { return ~0u >> Above(type); }

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
    default: assert(opcode == Opcode::kRoundNearestAfz); return AluOp::kRoundAwayF32;
  }
}

// i1 has or for maximum and add, and for minimum and multiply.
AluOp IntegerOp(Opcode opcode, ElementType type) {
  const bool is_bool = type == ElementType::kI1;
  switch (opcode) {
    case Opcode::kAdd: return is_bool ? AluOp::kOr : AluOp::kAddS32;
    case Opcode::kSubtract: return AluOp::kSubtractS32;
    case Opcode::kMultiply: return is_bool ? AluOp::kAnd : AluOp::kMultiplyS32;
    case Opcode::kAnd: return AluOp::kAnd;
    case Opcode::kOr: return AluOp::kOr;
    default: assert(opcode == Opcode::kXor); return AluOp::kXor;
  }
}

AluOp ChoiceOp(Opcode opcode, ElementType type) {
  const bool is_maximum = opcode == Opcode::kMaximum;
  if (graph::IsFloat(type)) return is_maximum ? AluOp::kMaximumF32 : AluOp::kMinimumF32;
  if (type == ElementType::kI1) return is_maximum ? AluOp::kOr : AluOp::kAnd;
  if (graph::IsUnsigned(type)) return is_maximum ? AluOp::kMaximumU32 : AluOp::kMinimumU32;
  return is_maximum ? AluOp::kMaximumS32 : AluOp::kMinimumS32;
}

// The float that an operand is, if it is a number.
std::optional<float> FloatOf(const StepOperand& operand) {
  if (operand.kind != StepOperand::Kind::kImmediate) return std::nullopt;
  return std::bit_cast<float>(operand.bits);
}

}  // namespace

VectorChain::Lane VectorChain::Append(const graph::Op& op, ElementType result,
                                      const std::vector<Lane>& x) {
  switch (op.opcode) {
    case Opcode::kConvert: return AddValue(Convert(x[0], result));
    case Opcode::kSelect: return AddValue(Select(x, result));
    case Opcode::kCompare: return AddValue(Compare(op.As<graph::CompareAttributes>(), x));
    case Opcode::kBitcastConvert: return AddValue(BitcastConvert(x[0], result));
    case Opcode::kReducePrecision:
      return AddValue(ReducePrecision(op.As<graph::ReducePrecisionAttributes>(), x[0]));
    case Opcode::kMaximum:
    case Opcode::kMinimum:
    case Opcode::kClamp: return AddValue(Choice(op.opcode, x));
    default: break;
  }
  return AddValue(graph::IsFloat(at(x[0]).type) ? Float(op, x) : Integer(op, x));
}

VectorChain::LaneValue VectorChain::Float(const graph::Op& op, const std::vector<Lane>& x) {
  LaneValue result = at(x[0]);
  result.low.reset();
  result.high.reset();
  const bool is_narrow = IsNarrow(result.type);
  // The sign commutes with rounding.
  if (op.opcode == Opcode::kNegate) {
    result.operand = Step(AluOp::kXor, result.operand, Number(kSignBit));
    return result;
  }
  if (op.opcode == Opcode::kAbs) {
    result.operand = Step(AluOp::kAnd, result.operand, Number(~kSignBit));
    return result;
  }
  const StepOperand a = Settled(x[0]);
  const StepOperand b = x.size() > 1 ? Settled(x[1]) : StepOperand{};
  if (op.opcode == Opcode::kIsFinite) {
    const StepOperand magnitude = Step(AluOp::kAnd, a, Number(~kSignBit));
    return {Step(AluOp::kLessU32, magnitude, Number(kInfinity)), ElementType::kI1, true, {}, {}};
  }
  const bool is_exact = op.opcode == Opcode::kFloor || op.opcode == Opcode::kCeil ||
                        op.opcode == Opcode::kRoundNearestEven ||
                        op.opcode == Opcode::kRoundNearestAfz || op.opcode == Opcode::kSign ||
                        op.opcode == Opcode::kRemainder;
  result.raw = is_narrow && !is_exact;
  const std::string_view function = LibraryFunction(op.opcode, result.type);
  if (function.empty()) {
    result.operand = Step(FloatOp(op.opcode), a, b);
  } else if (op.opcode == Opcode::kPower && FloatOf(b) == 2.0f) {
    result.operand = Step(AluOp::kMultiplyF32, a, a);
  } else {
    result.operand = Call(function, a, b);
  }
  return result;
}

// Choosing commutes with rounding, but not with wrapping.
VectorChain::LaneValue VectorChain::Choice(Opcode opcode, const std::vector<Lane>& x) {
  const bool is_clamp = opcode == Opcode::kClamp;
  // A number comes second, where it becomes a bound that is known.
  const bool swaps = !is_clamp && at(x[0]).operand.kind == StepOperand::Kind::kImmediate;
  const Lane first = is_clamp || swaps ? x[1] : x[0];
  LaneValue result = at(first);
  const bool settles = !graph::IsFloat(result.type) && result.type != ElementType::kI1;
  if (settles) result.operand = Settled(first);
  result.raw = result.raw && !settles;
  const auto choose = [&](Opcode choice, Lane other) {
    const StepOperand y = settles ? Settled(other) : at(other).operand;
    result.operand = Step(ChoiceOp(choice, result.type), result.operand, y);
    result.raw = result.raw || at(other).raw;
    if (!graph::IsFloat(result.type)) return;
    const std::optional<float> bound = FloatOf(y);
    if (!bound) {
      result.low.reset();
      result.high.reset();
    } else if (choice == Opcode::kMaximum) {
      result.low = std::max(result.low.value_or(*bound), *bound);
      if (result.high) result.high = std::max(*result.high, *bound);
    } else {
      result.high = std::min(result.high.value_or(*bound), *bound);
      if (result.low) result.low = std::min(*result.low, *bound);
    }
  };
  if (is_clamp) {
    choose(Opcode::kMaximum, x[0]);
    choose(Opcode::kMinimum, x[2]);
  } else {
    choose(opcode, swaps ? x[0] : x[1]);
  }
  return result;
}

VectorChain::LaneValue VectorChain::Shift(Opcode opcode, const std::vector<Lane>& x) {
  LaneValue result = at(x[0]);
  const StepOperand amount = Settled(x[1]);
  switch (opcode) {
    case Opcode::kShiftLeft:
      result.operand = Step(AluOp::kShiftLeft, result.operand, amount);
      result.raw = IsNarrow(result.type);
      return result;
    case Opcode::kShiftRightLogical:
      result.operand = Step(AluOp::kShiftRightLogical, WithoutSign(x[0]), amount);
      result.raw = IsNarrow(result.type) && graph::IsSigned(result.type);
      return result;
    default: break;
  }
  result.operand = Settled(x[0]);
  if (IsNarrow(result.type) && graph::IsUnsigned(result.type)) {
    // The sign is the type's top bit.
    const StepOperand above = Number(Above(result.type));
    result.operand = Step(AluOp::kShiftRightArithmetic,
                          Step(AluOp::kShiftLeft, result.operand, above), above);
  }
  result.operand = Step(AluOp::kShiftRightArithmetic, result.operand, amount);
  result.raw = IsNarrow(result.type) && graph::IsUnsigned(result.type);
  return result;
}

VectorChain::LaneValue VectorChain::Integer(const graph::Op& op, const std::vector<Lane>& x) {
  LaneValue result = at(x[0]);
  const ElementType type = result.type;
  const bool is_bool = type == ElementType::kI1;
  const bool is_narrow = IsNarrow(type);
  switch (op.opcode) {
    case Opcode::kShiftLeft:
    case Opcode::kShiftRightArithmetic:
    case Opcode::kShiftRightLogical: return Shift(op.opcode, x);
    case Opcode::kAbs: {
      const StepOperand a = Settled(x[0]);
      result.operand =
          graph::IsUnsigned(type)
              ? a
              : Step(AluOp::kMaximumS32, Step(AluOp::kSubtractS32, Number(0u), a), a);
      result.raw = is_narrow;
      return result;
    }
    case Opcode::kPopcnt:
      result.operand = Step(AluOp::kPopulationCount, WithoutSign(x[0]));
      result.raw = false;
      return result;
    case Opcode::kCountLeadingZeros:
      result.operand = Step(AluOp::kCountLeadingZeros, WithoutSign(x[0]));
      result.raw = false;
      if (is_narrow) {
        result.operand = Step(AluOp::kSubtractS32, result.operand, Number(Above(type)));
      }
      return result;
    case Opcode::kNot:
      if (is_bool) {
        result.operand = Step(AluOp::kEqualS32, Settled(x[0]), Number(0u));
        result.raw = true;
      } else {
        const uint32_t ones = graph::IsUnsigned(type) ? Mask(type) : ~0u;
        result.operand = Step(AluOp::kXor, result.operand, Number(ones));
      }
      return result;
    case Opcode::kNegate:
      result.operand = Step(AluOp::kSubtractS32, Number(0u), result.operand);
      result.raw = is_narrow;
      return result;
    case Opcode::kSign:
      if (graph::IsUnsigned(type)) {
        result.operand = Step(AluOp::kMinimumU32, Settled(x[0]), Number(1u));
      } else {
        result.operand = Call(LibraryFunction(op.opcode, type), Settled(x[0]));
      }
      result.raw = false;
      return result;
    case Opcode::kDivide:
    case Opcode::kRemainder:
    case Opcode::kPower:
      result.operand = Call(LibraryFunction(op.opcode, type), Settled(x[0]), Settled(x[1]));
      result.raw = is_narrow && op.opcode != Opcode::kRemainder;
      return result;
    default: break;
  }
  // What is left makes of integers that have not wrapped what it makes of wrapped ones, but for the
  // bits above the type. Only xor of an i1 can't have 1 and all ones for the same.
  if (is_bool && op.opcode == Opcode::kXor) {
    result.operand = Step(AluOp::kXor, Settled(x[0]), Settled(x[1]));
    result.raw = false;
    return result;
  }
  const bool grows = op.opcode == Opcode::kAdd || op.opcode == Opcode::kSubtract ||
                     op.opcode == Opcode::kMultiply;
  result.operand = Step(IntegerOp(op.opcode, type), result.operand, at(x[1]).operand);
  result.raw = result.raw || at(x[1]).raw || (grows && is_narrow && !is_bool);
  return result;
}

VectorChain::LaneValue VectorChain::Compare(const graph::CompareAttributes& compare,
                                            const std::vector<Lane>& x) {
  StepOperand a = Settled(x[0]), b = Settled(x[1]);
  const ElementType type = at(x[0]).type;
  bool is_float = graph::IsFloat(type);
  const bool is_signed = is_float || graph::IsSigned(type);
  if (is_float && compare.total_order) {
    // Bits that order like it, as integers.
    const auto key = [&](StepOperand bits) {
      const StepOperand sign = Step(AluOp::kShiftRightArithmetic, bits, Number(31u));
      return Step(AluOp::kXor, bits, Step(AluOp::kAnd, sign, Number(~kSignBit)));
    };
    a = key(a);
    b = key(b);
    is_float = false;
  }
  const AluOp equal = is_float ? AluOp::kEqualF32 : AluOp::kEqualS32;
  const AluOp less =
      is_float ? AluOp::kLessF32 : is_signed ? AluOp::kLessS32 : AluOp::kLessU32;
  const auto negated = [&](StepOperand truth) {
    return Step(AluOp::kEqualS32, truth, Number(0u));
  };
  const auto less_equal = [&](StepOperand low, StepOperand high) {
    return is_float ? Step(AluOp::kLessEqualF32, low, high) : negated(Step(less, high, low));
  };
  StepOperand truth;
  switch (compare.direction) {
    case CompareDirection::kEq: truth = Step(equal, a, b); break;
    case CompareDirection::kNe: truth = negated(Step(equal, a, b)); break;
    case CompareDirection::kLt: truth = Step(less, a, b); break;
    case CompareDirection::kGt: truth = Step(less, b, a); break;
    case CompareDirection::kLe: truth = less_equal(a, b); break;
    case CompareDirection::kGe: truth = less_equal(b, a); break;
  }
  return {truth, ElementType::kI1, true, {}, {}};
}

VectorChain::LaneValue VectorChain::Select(const std::vector<Lane>& x, ElementType type) {
  const StepOperand chosen =
      Step(AluOp::kSelect, at(x[0]).operand, at(x[1]).operand, at(x[2]).operand);
  return {chosen, type, at(x[1]).raw || at(x[2]).raw, {}, {}};
}

StepOperand VectorChain::FloatToInteger(Lane x, ElementType to) {
  StepOperand value = Settled(x);
  if (to == ElementType::kU32) return Step(AluOp::kF32ToU32, value);
  if (IsNarrow(to)) {
    const auto mask = static_cast<float>(Mask(to));
    const float low = graph::IsUnsigned(to) ? 0.0f : -(mask + 1) / 2;
    const float high = graph::IsUnsigned(to) ? mask : (mask - 1) / 2;
    const LaneValue& known = at(x);
    if (!known.low || *known.low < low) value = Step(AluOp::kMaximumF32, value, Number(low));
    if (!known.high || *known.high > high) value = Step(AluOp::kMinimumF32, value, Number(high));
  }
  return Step(AluOp::kF32ToS32, value);
}

VectorChain::LaneValue VectorChain::Convert(Lane x, ElementType to) {
  const ElementType from = at(x).type;
  LaneValue result = at(x);
  if (to == from) return result;
  result.type = to;
  if (to == ElementType::kI1) {
    const AluOp equal = graph::IsFloat(from) ? AluOp::kEqualF32 : AluOp::kEqualS32;
    const StepOperand is_zero = Step(equal, Settled(x), Number(0u));
    return {Step(AluOp::kEqualS32, is_zero, Number(0u)), to, true, {}, {}};
  }
  if (graph::IsFloat(from)) {
    if (!graph::IsFloat(to)) return {FloatToInteger(x, to), to, false, {}, {}};
    result.operand = Settled(x);
    result.raw = IsNarrow(to);  // rounds when it is stored or used
    return result;
  }
  if (graph::IsFloat(to)) {
    const AluOp convert = from == ElementType::kU32 ? AluOp::kU32ToF32 : AluOp::kS32ToF32;
    return {Step(convert, Settled(x)), to, IsNarrow(to), {}, {}};
  }
  // Bits above the narrower of both types do not matter, or come from the value.
  const bool widens = graph::BitWidth(to) > graph::BitWidth(from);
  if (widens) result.operand = Settled(x);
  const bool holds_all = widens && (!graph::IsSigned(from) || graph::IsSigned(to));
  result.raw = IsNarrow(to) && !holds_all;
  return result;
}

// bf16 are the upper halves of the lanes.
VectorChain::LaneValue VectorChain::BitcastConvert(Lane x, ElementType to) {
  const ElementType from = at(x).type;
  if (from == to) return at(x);
  LaneValue result{at(x).operand, to, false, {}, {}};
  if (!IsNarrow(to)) return result;
  if (from == ElementType::kBF16) {
    const AluOp shift =
        graph::IsSigned(to) ? AluOp::kShiftRightArithmetic : AluOp::kShiftRightLogical;
    result.operand = Step(shift, Settled(x), Number(Above(from)));
  } else if (to == ElementType::kBF16) {
    result.operand = Step(AluOp::kShiftLeft, at(x).operand, Number(Above(to)));
  } else {
    result.raw = true;
  }
  return result;
}

VectorChain::LaneValue VectorChain::ReducePrecision(
    const graph::ReducePrecisionAttributes& format, Lane x) {
  LaneValue result = at(x);
  result.low.reset();
  result.high.reset();
  const StepOperand value = Settled(x);
  const StepOperand sign = Step(AluOp::kAnd, value, Number(kSignBit));
  StepOperand magnitude = Step(AluOp::kAnd, value, Number(~kSignBit));
  const StepOperand is_nan = Step(AluOp::kLessU32, Number(kInfinity), magnitude);
  const int lost = kMantissaBits - format.mantissa_bits;
  if (lost > 0) {
    // To nearest even: half a unit less one, and one if the last bit that stays is odd. Without a
    // mantissa that is the hidden one.
    const uint32_t unit = 1u << lost;
    const StepOperand last =
        Step(AluOp::kShiftRightLogical, magnitude, Number(static_cast<uint32_t>(lost)));
    const StepOperand odd =
        format.mantissa_bits == 0 ? Number(1u) : Step(AluOp::kAnd, last, Number(1u));
    magnitude = Step(AluOp::kAddS32, magnitude, Number(unit / 2 - 1));
    magnitude = Step(AluOp::kAddS32, magnitude, odd);
    magnitude = Step(AluOp::kAnd, magnitude, Number(~(unit - 1)));
  }
  if (format.exponent_bits <= kExponentBits) {
    const int bias = (1 << (format.exponent_bits - 1)) - 1;
    const auto bits_of = [](int exponent) {
      return static_cast<uint32_t>(exponent + kBias) << kMantissaBits;
    };
    const StepOperand is_small = Step(AluOp::kLessU32, magnitude, Number(bits_of(1 - bias)));
    magnitude = Step(AluOp::kSelect, is_small, Number(0u), magnitude);
    if (bias < kBias) {
      const StepOperand fits = Step(AluOp::kLessU32, magnitude, Number(bits_of(bias + 1)));
      magnitude = Step(AluOp::kSelect, fits, magnitude, Number(kInfinity));
    }
  }
  // A format without mantissa has no room for a NaN.
  magnitude = Step(AluOp::kSelect, is_nan,
                   Number(format.mantissa_bits == 0 ? kInfinity : kInfinity | 0x400000), magnitude);
  result.operand = Step(AluOp::kOr, magnitude, sign);
  result.raw = IsNarrow(result.type);
  return result;
}

}  // namespace systolith::compiler
