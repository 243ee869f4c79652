#include "sim/golden/float/fused8.h"

#include <algorithm>
#include <bit>
#include <cstdlib>

namespace systolith::golden {
namespace {

constexpr uint32_t kCanonicalNan = 0x7fc00000;
constexpr uint32_t kInfinity = 0x7f800000;
constexpr int kBias = 127;
constexpr int kGridBits = 25;  // the grid is 2^(top - 25)

bool IsSpecial(uint32_t f32_bits) { return (f32_bits >> 23 & 0xff) == 0xff; }

// Steps 3 to 5 on finite c and terms: all integers, but for one conversion that rounds a count of
// grid steps to 24 bits. Written without a branch, so that a loop over columns vectorises.
//
// A product is significand * 2^(E - 14), which in grid steps is (significand << 11) >> (top - E);
// a partial sum is significand * 2^(E - 23), or (significand << 2) >> (top - E).
inline uint32_t FiniteFused8(uint32_t c, const int32_t products[kFusedTerms],
                             const int32_t exponents[kFusedTerms]) {
  const int32_t c_biased = static_cast<int32_t>(c >> 23 & 0xff);
  const int32_t c_significand =
      c_biased == 0 ? 0 : static_cast<int32_t>((c & 0x7fffff) | 0x800000);
  int32_t top = c_biased - kBias;
  for (int k = 0; k < kFusedTerms; ++k) top = std::max(top, exponents[k]);

  const int32_t c_steps = (c_significand << 2) >> std::min(top - (c_biased - kBias), 31);
  int32_t sum = static_cast<int32_t>(c) < 0 ? -c_steps : c_steps;
  for (int k = 0; k < kFusedTerms; ++k) {
    const int32_t steps = (std::abs(products[k]) << 11) >> std::min(top - exponents[k], 31);
    sum += products[k] < 0 ? -steps : steps;
  }

  // Below 2^-126 means fewer than 2^(-126 + 25 - top) grid steps.
  const int32_t magnitude = std::abs(sum);
  const int32_t tiny_bits = std::max(-126 + kGridBits - top, 0);
  const bool tiny = magnitude < (1 << tiny_bits);
  const uint32_t rounded = std::bit_cast<uint32_t>(static_cast<float>(magnitude));
  const int32_t exponent = static_cast<int32_t>(rounded >> 23) + top - kGridBits;
  uint32_t bits = (rounded & 0x7fffff) | static_cast<uint32_t>(exponent) << 23;
  bits = exponent >= 255 ? kInfinity : bits;
  bits |= static_cast<uint32_t>(sum) & 0x80000000;
  return tiny ? 0 : bits;
}

// Step 2, for a group in which c or a term is special.
uint32_t SpecialFused8(uint32_t c, const Operand a[kFusedTerms], const Operand w[kFusedTerms]) {
  bool nan = (c & 0x7fffffff) > kInfinity;
  bool positive = c == kInfinity;
  bool negative = c == (kInfinity | 0x80000000);
  for (int k = 0; k < kFusedTerms; ++k) {
    if (a[k].kind == OperandKind::kAbsent || w[k].kind == OperandKind::kAbsent) continue;
    if (!a[k].IsSpecial() && !w[k].IsSpecial()) continue;
    if (a[k].kind == OperandKind::kNan || w[k].kind == OperandKind::kNan) nan = true;
    if (a[k].kind == OperandKind::kZero || w[k].kind == OperandKind::kZero) nan = true;
    const bool minus = (a[k].significand < 0) != (w[k].significand < 0);
    (minus ? negative : positive) = true;
  }
  if (nan || (positive && negative)) return kCanonicalNan;
  return kInfinity | (negative ? 0x80000000 : 0);
}

}  // namespace

uint32_t Fused8(uint32_t c, const Operand a[kFusedTerms], const Operand w[kFusedTerms]) {
  bool special = IsSpecial(c);
  int32_t products[kFusedTerms], exponents[kFusedTerms];
  for (int k = 0; k < kFusedTerms; ++k) {
    const bool present =
        a[k].kind != OperandKind::kAbsent && w[k].kind != OperandKind::kAbsent;
    special |= present && (a[k].IsSpecial() || w[k].IsSpecial());
    products[k] = int32_t{a[k].significand} * w[k].significand;
    exponents[k] = int32_t{a[k].exponent} + w[k].exponent;
  }
  return special ? SpecialFused8(c, a, w) : FiniteFused8(c, products, exponents);
}

void Fused8Columns(const uint32_t* __restrict c, const Operand a[kFusedTerms],
                   const FusedWeights& w, size_t columns, uint32_t* __restrict out) {
  const int16_t* __restrict significands = w.significands;
  const int16_t* __restrict weight_exponents = w.exponents;
  const size_t stride = w.stride;
  int32_t a_significands[kFusedTerms], a_exponents[kFusedTerms];
  bool a_special = false;
  for (int k = 0; k < kFusedTerms; ++k) {
    a_significands[k] = a[k].significand;
    a_exponents[k] = a[k].exponent;
    a_special |= a[k].IsSpecial();
  }
  uint32_t largest_c = 0;
  for (size_t n = 0; n < columns; ++n) {
    int32_t products[kFusedTerms], exponents[kFusedTerms];
    for (int k = 0; k < kFusedTerms; ++k) {
      products[k] = a_significands[k] * significands[k * stride + n];
      exponents[k] = a_exponents[k] + weight_exponents[k * stride + n];
    }
    out[n] = FiniteFused8(c[n], products, exponents);
    largest_c = std::max(largest_c, c[n] & 0x7fffffff);
  }
  // Columns with something special are rare: they are done again, one by one.
  if (!a_special && !w.any_special && largest_c < kInfinity) return;
  for (size_t n = 0; n < columns; ++n) {
    if (!a_special && !w.any_special && !IsSpecial(c[n])) continue;
    Operand column[kFusedTerms];
    for (int k = 0; k < kFusedTerms; ++k) column[k] = w.At(k, n);
    out[n] = Fused8(c[n], a, column);
  }
}

}  // namespace systolith::golden
