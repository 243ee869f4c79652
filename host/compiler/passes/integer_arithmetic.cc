#include "host/compiler/passes/integer_arithmetic.h"

#include <algorithm>

namespace systolith::compiler {
namespace {

using graph::Op;
using graph::Opcode;
using graph::Shape;

using Wide = __int128;

// The smallest range that holds all of these numbers.
IntegerRange Around(std::initializer_list<Wide> numbers) {
  return {std::min(numbers), std::max(numbers)};
}

IntegerRange Join(const IntegerRange& a, const IntegerRange& b) {
  return {std::min(a.lo, b.lo), std::max(a.hi, b.hi)};
}

constexpr Wide kLarge = Wide{1} << 62;

bool IsLarge(const IntegerRange& range) { return range.lo < -kLarge || range.hi > kLarge; }

IntegerRange Product(const IntegerRange& a, const IntegerRange& b) {
  constexpr IntegerRange kZero = {0, 0};
  if (a == kZero || b == kZero) return kZero;
  // Two u64 may exceed a signed 128-bit number; what is as large wraps in any case.
  if (IsLarge(a) || IsLarge(b)) return {-(kLarge << 4), kLarge << 4};
  return Around({a.lo * b.lo, a.lo * b.hi, a.hi * b.lo, a.hi * b.hi});
}

std::optional<IntegerRange> Quotient(const IntegerRange& a, const IntegerRange& b) {
  if (b.lo <= 0 && b.hi >= 0) return std::nullopt;
  return Around({a.lo / b.lo, a.lo / b.hi, a.hi / b.lo, a.hi / b.hi});
}

std::optional<IntegerRange> Remainder(const IntegerRange& a, const IntegerRange& b) {
  if (b.lo <= 0 && b.hi >= 0) return std::nullopt;
  const Wide limit = std::max(b.lo < 0 ? -b.lo : b.lo, b.hi < 0 ? -b.hi : b.hi) - 1;
  return IntegerRange{a.lo >= 0 ? 0 : std::max(a.lo, -limit),
                      a.hi <= 0 ? 0 : std::min(a.hi, limit)};
}

// All numbers of as many bits as the largest.
Wide MaskAbove(Wide number) {
  Wide mask = 1;
  while (mask <= number) mask <<= 1;
  return mask - 1;
}

std::optional<IntegerRange> Logic(Opcode opcode, const IntegerRange& a, const IntegerRange& b) {
  if (opcode == Opcode::kAnd) {
    if (a.lo >= 0 && b.lo >= 0) return IntegerRange{0, std::min(a.hi, b.hi)};
    if (a.lo >= 0) return IntegerRange{0, a.hi};
    if (b.lo >= 0) return IntegerRange{0, b.hi};
  }
  // Numbers of so many bits and a sign.
  const Wide mask = MaskAbove(std::max({a.hi, b.hi, -a.lo - 1, -b.lo - 1}));
  return IntegerRange{a.lo >= 0 && b.lo >= 0 ? 0 : -mask - 1, mask};
}

std::optional<IntegerRange> Shift(Opcode opcode, const IntegerRange& a, const IntegerRange& by) {
  if (by.lo < 0 || by.hi > 63) return std::nullopt;
  const auto low = static_cast<int>(by.lo), high = static_cast<int>(by.hi);
  if (opcode == Opcode::kShiftLeft) {
    if (IsLarge(a)) return std::nullopt;
    const Wide first = Wide{1} << low, last = Wide{1} << high;
    return Around({a.lo * first, a.lo * last, a.hi * first, a.hi * last});
  }
  if (opcode == Opcode::kShiftRightLogical && a.lo < 0) return std::nullopt;
  return Around({a.lo >> low, a.lo >> high, a.hi >> low, a.hi >> high});
}

// A sum of `count` products.
IntegerRange SumOfProducts(int64_t count, const IntegerRange& a, const IntegerRange& b) {
  const IntegerRange product = Product(a, b);
  constexpr Wide kWraps = Wide{1} << 70;  // leaves room for any count
  const Wide lo = std::max(std::min<Wide>(0, product.lo), -kWraps);
  const Wide hi = std::min(std::max<Wide>(0, product.hi), kWraps);
  const Wide terms = std::min<int64_t>(count, int64_t{1} << 40);
  return {lo * terms, hi * terms};
}

int64_t TermsOf(const Op& op, const std::vector<IntegerOperand>& operands) {
  int64_t terms = 1;
  if (op.opcode == Opcode::kDotGeneral) {
    for (const int64_t d : op.As<graph::DotGeneralAttributes>().lhs_contracting) {
      terms *= operands[0].shape.dims[static_cast<size_t>(d)];
    }
    return terms;
  }
  return operands[1].shape.ElementCount();  // of the kernel, more than one output takes
}

IntegerRange OfConstant(const graph::Literal& literal) {
  const bool is_wide = literal.type() == graph::ElementType::kU64;
  IntegerRange range;
  for (int64_t i = 0; i < literal.size(); ++i) {
    const int64_t bits = literal.GetInt(i);
    const Wide number = is_wide ? Wide{static_cast<uint64_t>(bits)} : Wide{bits};
    range = i == 0 ? IntegerRange{number, number} : Join(range, {number, number});
  }
  return range;
}

IntegerRange OfAll(const std::vector<IntegerOperand>& operands) {
  IntegerRange range = operands[0].range;
  for (const IntegerOperand& operand : operands) range = Join(range, operand.range);
  return range;
}

}  // namespace

std::optional<IntegerRange> RangeOfResult(const Op& op, const std::vector<IntegerOperand>& operands,
                                          const Shape& result) {
  const bool is_bool = result.type == graph::ElementType::kI1;
  if (!is_bool && !graph::IsInteger(result.type)) return std::nullopt;
  for (const IntegerOperand& operand : operands) {
    const graph::ElementType type = operand.shape.type;
    if (type != graph::ElementType::kI1 && !graph::IsInteger(type)) return std::nullopt;
  }
  const auto range = [&](size_t i) { return operands[i].range; };
  switch (op.opcode) {
    case Opcode::kConstant: return OfConstant(*op.As<graph::ConstantAttributes>().value);
    case Opcode::kIota: {
      const int64_t d = op.As<graph::DimensionAttributes>().dimension;
      return IntegerRange{0, std::max<int64_t>(result.dims[static_cast<size_t>(d)], 1) - 1};
    }
    case Opcode::kConvert:
      if (is_bool) return std::nullopt;
      return range(0);
    case Opcode::kReshape:
    case Opcode::kTranspose:
    case Opcode::kBroadcastInDim:
    case Opcode::kSlice:
    case Opcode::kReverse:
    case Opcode::kDynamicSlice:
    case Opcode::kGather: return range(0);
    case Opcode::kConcatenate: return OfAll(operands);
    case Opcode::kPad:
    case Opcode::kDynamicUpdateSlice: return Join(range(0), range(1));
    case Opcode::kSelect: return Join(range(1), range(2));
    default: break;
  }
  if (is_bool) return std::nullopt;  // arithmetic of i1 is logic
  switch (op.opcode) {
    case Opcode::kAdd: return IntegerRange{range(0).lo + range(1).lo, range(0).hi + range(1).hi};
    case Opcode::kSubtract:
      return IntegerRange{range(0).lo - range(1).hi, range(0).hi - range(1).lo};
    case Opcode::kMultiply: return Product(range(0), range(1));
    case Opcode::kDivide: return Quotient(range(0), range(1));
    case Opcode::kRemainder: return Remainder(range(0), range(1));
    case Opcode::kNegate: return IntegerRange{-range(0).hi, -range(0).lo};
    case Opcode::kAbs: {
      const IntegerRange ends = Around({range(0).lo < 0 ? -range(0).lo : range(0).lo,
                                        range(0).hi < 0 ? -range(0).hi : range(0).hi});
      const bool has_zero = range(0).lo <= 0 && range(0).hi >= 0;
      return IntegerRange{has_zero ? 0 : ends.lo, ends.hi};
    }
    case Opcode::kSign:
      return IntegerRange{range(0).lo < 0 ? -1 : range(0).lo > 0 ? 1 : 0,
                          range(0).hi > 0 ? 1 : range(0).hi < 0 ? -1 : 0};
    case Opcode::kMaximum:
      return IntegerRange{std::max(range(0).lo, range(1).lo), std::max(range(0).hi, range(1).hi)};
    case Opcode::kMinimum:
      return IntegerRange{std::min(range(0).lo, range(1).lo), std::min(range(0).hi, range(1).hi)};
    case Opcode::kClamp: {  // min(max(x, low), high)
      const Wide lo = std::max(range(1).lo, range(0).lo), hi = std::max(range(1).hi, range(0).hi);
      return IntegerRange{std::min(lo, range(2).lo), std::min(hi, range(2).hi)};
    }
    case Opcode::kNot:
      if (graph::IsUnsigned(result.type)) return std::nullopt;
      return IntegerRange{-range(0).hi - 1, -range(0).lo - 1};
    case Opcode::kAnd:
    case Opcode::kOr:
    case Opcode::kXor: return Logic(op.opcode, range(0), range(1));
    case Opcode::kShiftLeft:
    case Opcode::kShiftRightArithmetic:
    case Opcode::kShiftRightLogical: return Shift(op.opcode, range(0), range(1));
    case Opcode::kPopcnt:
    case Opcode::kCountLeadingZeros: return IntegerRange{0, graph::BitWidth(result.type)};
    case Opcode::kDotGeneral:
    case Opcode::kConvolution:
      return SumOfProducts(TermsOf(op, operands), range(0), range(1));
    default: return std::nullopt;
  }
}

}  // namespace systolith::compiler
