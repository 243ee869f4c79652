// Products of types that the matrix unit lacks. f16 becomes f32. Integers become digits of 8 bits
// with a sign, which the matrix unit multiplies; digits that only reach beyond the result are left
// out. A unit without int8 takes them as bf16, as long as f32 holds the sums.
#include "host/compiler/expand/product.h"

#include <algorithm>

namespace systolith::compiler {
namespace {

constexpr ElementType kS8 = ElementType::kS8;
constexpr ElementType kS32 = ElementType::kS32;
constexpr ElementType kF32 = ElementType::kF32;

bool IsMatrixFloat(ElementType type) { return type == kF32 || type == ElementType::kBF16; }

// Sums of so many products of digits are below 2^24.
constexpr int64_t kMaxExactTerms = (int64_t{1} << 24) / (128 * 128);

class Digits {
 public:
  Digits(int64_t terms, const ProductOf& product, Expansion& to)
      : terms_(terms), product_(product), to_(to) {}

  bool IsPossible() const {
    return to_.chip().mxu_int8 || (to_.chip().mxu_bf16 && terms_ <= kMaxExactTerms);
  }

  // Modulo 2^(8 * bytes), as s32.
  Value Multiply(Value lhs, Value rhs, int bytes) {
    const Values a = Split(lhs, bytes), b = Split(rhs, bytes);
    Value sum;
    for (int shift = 0; shift < bytes; ++shift) {
      Value level;
      for (int i = 0; i <= shift; ++i) {
        const auto x = static_cast<size_t>(i), y = static_cast<size_t>(shift - i);
        if (x >= a.size() || y >= b.size()) continue;
        level = Add(level, Product(a[x], b[y]));
      }
      if (!level.valid()) break;
      if (shift > 0) {
        level = to_.Binary(Opcode::kShiftLeft, level, to_.Number(kS32, 8 * shift));
      }
      sum = Add(sum, level);
    }
    return sum;
  }

 private:
  Value Add(Value a, Value b) { return a.valid() ? to_.Binary(Opcode::kAdd, a, b) : b; }

  Value Product(Value a, Value b) {
    if (to_.chip().mxu_int8) return product_(a, b, kS32, false);
    const Value sum = product_(to_.Convert(a, ElementType::kBF16),
                               to_.Convert(b, ElementType::kBF16), kF32, false);
    return to_.Convert(sum, kS32);
  }

  // x = d0 + 256 * d1 ..., every d from -128 to 127.
  Values Split(Value x, int bytes) {
    const ElementType type = to_.type(x);
    if (type == kS8 || bytes == 1 || type == ElementType::kI1) return {to_.Convert(x, kS8)};
    const int width = graph::BitWidth(type);
    const int count = std::min({bytes, width / 8 + 1, 4});
    Values digits;
    Value rest = to_.Convert(x, kS32);
    for (int i = 0; i < count; ++i) {
      digits.push_back(to_.Convert(rest, kS8));
      if (i + 1 == count) break;
      rest = to_.Binary(Opcode::kSubtract, rest, to_.Convert(digits.back(), kS32));
      rest = to_.Binary(Opcode::kShiftRightArithmetic, rest, to_.Number(kS32, 8));
    }
    return digits;
  }

  const int64_t terms_;
  const ProductOf& product_;
  Expansion& to_;
};

}  // namespace

bool IsMatrixProduct(ElementType lhs, ElementType rhs, ElementType result,
                     const arch::ChipConfig& chip) {
  if (lhs == kS8 && rhs == kS8) return chip.mxu_int8 && (result == kS32 || result == kS8);
  return IsMatrixFloat(lhs) && IsMatrixFloat(rhs) && IsMatrixFloat(result) && chip.mxu_bf16;
}

std::optional<Value> ExpandProductTypes(Value lhs, Value rhs, ElementType result, int64_t terms,
                                        const ProductOf& product, Expansion& to) {
  const ElementType types[] = {to.type(lhs), to.type(rhs)};
  if (graph::IsFloat(types[0]) || graph::IsFloat(types[1])) {
    if (!to.chip().mxu_bf16) return std::nullopt;
    if (IsMatrixFloat(types[0]) && IsMatrixFloat(types[1])) {
      return to.Convert(product(lhs, rhs, kF32, false), result);
    }
    return to.Convert(product(to.Convert(lhs, kF32), to.Convert(rhs, kF32), kF32, true), result);
  }
  Digits digits(terms, product, to);
  if (!digits.IsPossible()) return std::nullopt;
  const bool is_or = result == ElementType::kI1;  // of ands
  const int bytes = is_or ? 4 : graph::BitWidth(result) / 8;
  const Value sum = digits.Multiply(lhs, rhs, bytes);
  if (is_or) return to.Compare(graph::CompareDirection::kNe, sum, to.Number(kS32, 0));
  return to.Convert(sum, result);
}

}  // namespace systolith::compiler
