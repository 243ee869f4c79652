// Arithmetic of 64-bit integers in words of 32 bits.
#include "host/compiler/expand/wide_arithmetic.h"

namespace systolith::compiler {
namespace {

using graph::CompareDirection;

constexpr ElementType kWord = ElementType::kU32;

Dims Append(Dims dims, int64_t dim) {
  dims.push_back(dim);
  return dims;
}

class WordWriter {
 public:
  explicit WordWriter(Expansion& to) : to_(to) {}

  Value Word(uint32_t value) { return to_.Number(kWord, value); }
  Value Add(Value a, Value b) { return to_.Binary(Opcode::kAdd, a, b); }
  Value Subtract(Value a, Value b) { return to_.Binary(Opcode::kSubtract, a, b); }
  Value Multiply(Value a, Value b) { return to_.Binary(Opcode::kMultiply, a, b); }
  Value And(Value a, Value b) { return to_.Binary(Opcode::kAnd, a, b); }
  Value Or(Value a, Value b) { return to_.Binary(Opcode::kOr, a, b); }
  Value Left(Value a, Value n) { return to_.Binary(Opcode::kShiftLeft, a, n); }
  Value Right(Value a, Value n) { return to_.Binary(Opcode::kShiftRightLogical, a, n); }
  Value Less(Value a, Value b) { return to_.Compare(CompareDirection::kLt, a, b); }
  Value Equal(Value a, Value b) { return to_.Compare(CompareDirection::kEq, a, b); }
  Value Select(Value p, Value a, Value b) { return to_.Select(p, a, b); }
  // Converts between integers of one width keep the bits.
  Value Signed(Value a) { return to_.Convert(a, ElementType::kS32); }
  Value Unsigned(Value a) { return to_.Convert(a, kWord); }
  // All ones where the number is negative.
  Value Signs(Value high) {
    return Unsigned(to_.Binary(Opcode::kShiftRightArithmetic, Signed(high),
                               to_.Number(ElementType::kS32, 31)));
  }

  WordPair Add(const WordPair& a, const WordPair& b) {
    const Value low = Add(a.low, b.low);
    const Value carry = to_.Convert(Less(low, a.low), kWord);
    return {low, Add(Add(a.high, b.high), carry)};
  }
  WordPair Subtract(const WordPair& a, const WordPair& b) {
    const Value borrow = to_.Convert(Less(a.low, b.low), kWord);
    return {Subtract(a.low, b.low), Subtract(Subtract(a.high, b.high), borrow)};
  }
  WordPair Negate(const WordPair& a) {
    const Value zero = to_.Broadcast(Word(0), to_.dims(a.low));
    return Subtract({zero, zero}, a);
  }

  // The upper half of a product of words, by halves of 16 bits.
  Value MultiplyHigh(Value a, Value b) {
    const Value mask = Word(0xffff), half = Word(16);
    const Value a0 = And(a, mask), a1 = Right(a, half), b0 = And(b, mask), b1 = Right(b, half);
    const Value middle = Add(Multiply(a1, b0), Right(Multiply(a0, b0), half));
    const Value other = Add(Multiply(a0, b1), And(middle, mask));
    return Add(Multiply(a1, b1), Add(Right(middle, half), Right(other, half)));
  }
  WordPair Multiply(const WordPair& a, const WordPair& b) {
    const Value crossed = Add(Multiply(a.low, b.high), Multiply(a.high, b.low));
    return {Multiply(a.low, b.low), Add(MultiplyHigh(a.low, b.low), crossed)};
  }

  Value Less(const WordPair& a, const WordPair& b, bool is_signed) {
    const Value high = is_signed ? Less(Signed(a.high), Signed(b.high)) : Less(a.high, b.high);
    return Or(high, And(Equal(a.high, b.high), Less(a.low, b.low)));
  }
  Value Equal(const WordPair& a, const WordPair& b) {
    return And(Equal(a.high, b.high), Equal(a.low, b.low));
  }
  Value Not(Value p) { return to_.Unary(Opcode::kNot, p); }
  Value Compare(CompareDirection direction, const WordPair& a, const WordPair& b, bool is_signed) {
    switch (direction) {
      case CompareDirection::kEq: return Equal(a, b);
      case CompareDirection::kNe: return Not(Equal(a, b));
      case CompareDirection::kLt: return Less(a, b, is_signed);
      case CompareDirection::kGe: return Not(Less(a, b, is_signed));
      case CompareDirection::kGt: return Less(b, a, is_signed);
      default: return Not(Less(b, a, is_signed));
    }
  }
  WordPair Select(Value p, const WordPair& a, const WordPair& b) {
    return {Select(p, a.low, b.low), Select(p, a.high, b.high)};
  }

  // Shifts of words by 32 and more give 0, and so do amounts that wrapped around below 0: of the
  // terms for amounts below, at and above 32 only those that apply are left.
  WordPair Shift(Opcode opcode, const WordPair& a, const WordPair& amount) {
    const Value n = amount.low, width = Word(32);
    const Value below = Subtract(width, n), above = Subtract(n, width);
    WordPair shifted;
    Value all;  // what bits become that come from outside
    if (opcode == Opcode::kShiftLeft) {
      shifted.low = Left(a.low, n);
      shifted.high = Or(Or(Left(a.high, n), Right(a.low, below)), Left(a.low, above));
      all = Word(0);
    } else if (opcode == Opcode::kShiftRightLogical) {
      shifted.low = Or(Or(Right(a.low, n), Left(a.high, below)), Right(a.high, above));
      shifted.high = Right(a.high, n);
      all = Word(0);
    } else {
      all = Signs(a.high);
      const auto arithmetic = [&](Value x, Value by) {
        return Unsigned(to_.Binary(Opcode::kShiftRightArithmetic, Signed(x), Signed(by)));
      };
      const Value is_small = Less(n, width);
      shifted.low = Select(is_small, Or(Right(a.low, n), Left(a.high, below)),
                           arithmetic(a.high, And(above, Word(31))));
      shifted.high = Select(is_small, arithmetic(a.high, And(n, Word(31))), all);
    }
    const Value is_all = Or(Not(Less(n, Word(64))), Not(Equal(amount.high, Word(0))));
    return {Select(is_all, all, shifted.low), Select(is_all, all, shifted.high)};
  }

  Value CountLeadingZeros(const WordPair& a) {
    const Value low = to_.Unary(Opcode::kCountLeadingZeros, a.low);
    const Value high = to_.Unary(Opcode::kCountLeadingZeros, a.high);
    return Select(Equal(a.high, Word(0)), Add(low, Word(32)), high);
  }

 private:
  Expansion& to_;
};

bool IsNarrowInteger(ElementType type) {
  return type == ElementType::kI1 || (graph::IsInteger(type) && !IsWide(type));
}

}  // namespace

WordPair SplitWords(Value wide, Expansion& to) {
  const Dims dims = to.dims(wide);
  const Value words = to.builder().BitcastConvert(wide, {kWord, Append(dims, 2)});
  const auto word = [&](int64_t i) {
    return to.Reshape(to.Slice(words, dims.size(), i, i + 1), dims);
  };
  return {word(0), word(1)};
}

Value JoinWords(const WordPair& words, ElementType type, Expansion& to) {
  const Dims dims = to.dims(words.low);
  const Value both = to.Concatenate(
      {to.Reshape(words.low, Append(dims, 1)), to.Reshape(words.high, Append(dims, 1))},
      dims.size());
  return to.builder().BitcastConvert(both, {type, dims});
}

bool HasWideRule(const Op& op, ElementType operand, ElementType result) {
  switch (op.opcode) {
    case Opcode::kAbs:
    case Opcode::kAdd:
    case Opcode::kAnd:
    case Opcode::kClamp:
    case Opcode::kCompare:
    case Opcode::kCountLeadingZeros:
    case Opcode::kMaximum:
    case Opcode::kMinimum:
    case Opcode::kMultiply:
    case Opcode::kNegate:
    case Opcode::kNot:
    case Opcode::kOr:
    case Opcode::kPopcnt:
    case Opcode::kSelect:
    case Opcode::kShiftLeft:
    case Opcode::kShiftRightArithmetic:
    case Opcode::kShiftRightLogical:
    case Opcode::kSign:
    case Opcode::kSubtract:
    case Opcode::kXor: return true;
    case Opcode::kBitcastConvert: return IsWide(operand) && IsWide(result);
    case Opcode::kConvert:
      return (IsWide(operand) || IsNarrowInteger(operand)) &&
             (IsWide(result) || IsNarrowInteger(result));
    default: return false;
  }
}

WideResult ApplyWide(const Op& op, const std::vector<WideOperand>& operands, ElementType operand,
                     ElementType result, Expansion& to) {
  WordWriter w(to);
  const bool is_signed = operand == ElementType::kS64;
  const auto wide = [&](size_t i) { return *operands[i].words; };
  const auto pair = [](WordPair words) { return WideResult{words, {}}; };
  const auto narrow = [](Value value) { return WideResult{std::nullopt, value}; };
  const auto each = [&](Opcode opcode) {
    return pair({to.Binary(opcode, wide(0).low, wide(1).low),
                 to.Binary(opcode, wide(0).high, wide(1).high)});
  };
  const auto count = [&](Value low) {
    return pair({low, to.Broadcast(w.Word(0), to.dims(low))});
  };
  switch (op.opcode) {
    case Opcode::kAdd: return pair(w.Add(wide(0), wide(1)));
    case Opcode::kSubtract: return pair(w.Subtract(wide(0), wide(1)));
    case Opcode::kMultiply: return pair(w.Multiply(wide(0), wide(1)));
    case Opcode::kNegate: return pair(w.Negate(wide(0)));
    case Opcode::kAnd:
    case Opcode::kOr:
    case Opcode::kXor: return each(op.opcode);
    case Opcode::kNot:
      return pair({to.Unary(Opcode::kNot, wide(0).low), to.Unary(Opcode::kNot, wide(0).high)});
    case Opcode::kAbs: {
      const Value signs = w.Signs(wide(0).high);
      return pair(w.Select(w.Equal(signs, w.Word(0)), wide(0), w.Negate(wide(0))));
    }
    case Opcode::kSign: {
      const Value signs = w.Signs(wide(0).high);
      const Value is_zero = w.Equal(w.Or(wide(0).low, wide(0).high), w.Word(0));
      const Value one = w.Select(is_zero, w.Word(0), to.Broadcast(w.Word(1), to.dims(signs)));
      return pair({w.Or(signs, one), signs});
    }
    case Opcode::kPopcnt:
      return count(w.Add(to.Unary(Opcode::kPopcnt, wide(0).low),
                         to.Unary(Opcode::kPopcnt, wide(0).high)));
    case Opcode::kCountLeadingZeros: return count(w.CountLeadingZeros(wide(0)));
    case Opcode::kShiftLeft:
    case Opcode::kShiftRightArithmetic:
    case Opcode::kShiftRightLogical: return pair(w.Shift(op.opcode, wide(0), wide(1)));
    case Opcode::kMaximum:
      return pair(w.Select(w.Less(wide(0), wide(1), is_signed), wide(1), wide(0)));
    case Opcode::kMinimum:
      return pair(w.Select(w.Less(wide(1), wide(0), is_signed), wide(1), wide(0)));
    case Opcode::kClamp: {
      const WordPair low = w.Select(w.Less(wide(1), wide(0), is_signed), wide(0), wide(1));
      return pair(w.Select(w.Less(wide(2), low, is_signed), wide(2), low));
    }
    case Opcode::kCompare:
      return narrow(w.Compare(op.As<graph::CompareAttributes>().direction, wide(0), wide(1),
                              is_signed));
    case Opcode::kBitcastConvert: return pair(wide(0));
    case Opcode::kSelect: return pair(w.Select(operands[0].narrow, wide(1), wide(2)));
    default: break;  // convert
  }
  if (IsWide(result)) {
    if (operands[0].words) return pair(wide(0));
    const Value x = operands[0].narrow;
    if (!graph::IsSigned(operand)) return count(to.Convert(x, kWord));
    const Value low = w.Unsigned(to.Convert(x, ElementType::kS32));
    return pair({low, w.Signs(low)});
  }
  if (result == ElementType::kI1) {
    return narrow(w.Not(w.Equal(w.Or(wide(0).low, wide(0).high), w.Word(0))));
  }
  // The low bits, whatever the type.
  const Value low = graph::IsSigned(result) ? w.Signed(wide(0).low) : wide(0).low;
  return narrow(to.Convert(low, result));
}

}  // namespace systolith::compiler
