#include "sim/golden/float/lane_arithmetic.h"

#include <bit>

namespace systolith::golden {
namespace {

constexpr uint32_t kCanonicalNan = 0x7fc00000;
constexpr uint32_t kInfinity = 0x7f800000;
constexpr uint32_t kSign = 0x80000000;
constexpr double kSmallestNormal = 0x1p-126;

bool IsNan(uint32_t bits) { return (bits & ~kSign) > kInfinity; }
uint32_t Flush(uint32_t bits) { return (bits >> 23 & 0xff) == 0 ? bits & kSign : bits; }
float Float(uint32_t bits) { return std::bit_cast<float>(bits); }
uint32_t Bits(float value) { return std::bit_cast<uint32_t>(value); }

// f32 bits as an integer that rises with the value, -0 below +0.
int32_t Order(uint32_t bits) {
  return static_cast<int32_t>((bits & kSign) != 0 ? ~(bits & ~kSign) : bits);
}

}  // namespace

uint32_t AddF32(uint32_t x, uint32_t y) {
  if (IsNan(x) || IsNan(y)) return kCanonicalNan;
  // A sum of normal numbers below 2^-126 is exact, so flushing the rounded sum sees the same
  // magnitude as flushing before the rounding.
  const uint32_t sum = Bits(Float(Flush(x)) + Float(Flush(y)));
  return IsNan(sum) ? kCanonicalNan : Flush(sum);
}

uint32_t SubtractF32(uint32_t x, uint32_t y) {
  return IsNan(y) ? kCanonicalNan : AddF32(x, y ^ kSign);
}

uint32_t MultiplyF32(uint32_t x, uint32_t y) {
  if (IsNan(x) || IsNan(y)) return kCanonicalNan;
  // Exact: 48 bits fit a double, and so does the exponent.
  const double product = double{Float(Flush(x))} * double{Float(Flush(y))};
  if (product != product) return kCanonicalNan;
  if (product > -kSmallestNormal && product < kSmallestNormal) return (x ^ y) & kSign;
  return Bits(static_cast<float>(product));
}

uint32_t MaximumF32(uint32_t x, uint32_t y) {
  if (IsNan(x) || IsNan(y)) return kCanonicalNan;
  return Order(x) >= Order(y) ? x : y;
}

uint32_t MinimumF32(uint32_t x, uint32_t y) {
  if (IsNan(x) || IsNan(y)) return kCanonicalNan;
  return Order(x) <= Order(y) ? x : y;
}

uint32_t RoundEvenF32(uint32_t x) {
  if (IsNan(x)) return kCanonicalNan;
  const uint32_t sign = x & kSign;
  const uint32_t magnitude = x & ~kSign;
  const int exponent = static_cast<int>(magnitude >> 23) - 127;
  if (exponent >= 23) return x;
  if (exponent < -1) return sign;                             // below one half
  if (exponent == -1) return sign | (magnitude > 0x3f000000 ? 0x3f800000 : 0);  // 0.5 is a tie
  const int fraction_bits = 23 - exponent;
  const uint32_t unit = uint32_t{1} << fraction_bits;
  const uint32_t fraction = magnitude & (unit - 1);
  uint32_t integral = magnitude - fraction;
  const bool odd = exponent == 0 || (magnitude & unit) != 0;  // of 1.x the unit bit is hidden
  if (fraction > unit / 2 || (fraction == unit / 2 && odd)) integral += unit;
  return sign | integral;
}

uint32_t S32ToF32(uint32_t x) { return Bits(static_cast<float>(static_cast<int32_t>(x))); }

uint32_t F32ToS32(uint32_t x) {
  if (IsNan(x)) return 0;
  const float value = Float(x);
  if (value >= 0x1p31f) return 0x7fffffff;
  if (value < -0x1p31f) return kSign;
  return static_cast<uint32_t>(static_cast<int32_t>(value));
}

uint16_t F32ToBf16(uint32_t x) {
  if (IsNan(x)) return 0x7fc0;
  const uint32_t lower = x & 0xffff;
  uint32_t upper = x >> 16;
  if (lower > 0x8000 || (lower == 0x8000 && (upper & 1) != 0)) ++upper;
  return static_cast<uint16_t>(upper);
}

uint32_t Requantize(uint32_t x, uint32_t scale) {
  const uint32_t rounded = RoundEvenF32(MultiplyF32(S32ToF32(x), scale));
  if (IsNan(rounded)) return 0;
  const float value = Float(rounded);
  if (value >= 127.0f) return 127;
  if (value <= -128.0f) return static_cast<uint32_t>(-128);
  return static_cast<uint32_t>(static_cast<int32_t>(value));
}

}  // namespace systolith::golden
