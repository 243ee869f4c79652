#ifndef SYSTOLITH_SIM_GOLDEN_FLOAT_LANE_ARITHMETIC_H_
#define SYSTOLITH_SIM_GOLDEN_FLOAT_LANE_ARITHMETIC_H_

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>

#include "host/arch/isa.h"

// The arithmetic of one vector lane (rtl/arch/README.md, "Arithmetic"): the host's IEEE arithmetic,
// with the contract's rules for subnormals and NaN written around it. Lanes are 32 bits; f32 values
// are passed as bits. Everything is inline: tests walk through billions of operands.
namespace systolith::golden {

inline constexpr uint32_t kNanF32 = 0x7fc00000;
inline constexpr uint32_t kInfinityF32 = 0x7f800000;
inline constexpr uint32_t kSignF32 = 0x80000000;

namespace lane {

inline constexpr double kSmallestNormal = 0x1p-126;

inline bool IsNan(uint32_t bits) { return (bits & ~kSignF32) > kInfinityF32; }
inline float Float(uint32_t bits) { return std::bit_cast<float>(bits); }
inline uint32_t Bits(float value) {
  return value != value ? kNanF32 : std::bit_cast<uint32_t>(value);
}
inline int32_t Signed(uint32_t bits) { return static_cast<int32_t>(bits); }
// A subnormal counts as zero of its sign.
inline uint32_t Flush(uint32_t bits) {
  return (bits & kInfinityF32) == 0 ? bits & kSignF32 : bits;
}
inline double Flushed(uint32_t bits) { return double{Float(Flush(bits))}; }

// Rounds a value that has more bits than an f32 to one; tiny ones are zero of their sign.
inline uint32_t Round(double value) {
  if (std::abs(value) < kSmallestNormal) return std::signbit(value) ? kSignF32 : 0;
  return Bits(static_cast<float>(value));
}

// f32 bits as an integer that rises with the value, -0 below +0.
inline int32_t Order(uint32_t bits) {
  return Signed((bits & kSignF32) != 0 ? ~(bits & ~kSignF32) : bits);
}

inline uint32_t Truth(bool condition) { return condition ? ~uint32_t{0} : 0; }

}  // namespace lane

inline uint32_t AddF32(uint32_t x, uint32_t y) {
  // Two f32 add exactly in double or differ by so many powers of two that rounding twice, to 53
  // and to 24 bits, is rounding once (53 >= 2 * 24 + 2); a tiny sum is exact.
  return lane::Round(lane::Flushed(x) + lane::Flushed(y));
}

inline uint32_t SubtractF32(uint32_t x, uint32_t y) {
  return lane::Round(lane::Flushed(x) - lane::Flushed(y));
}

inline uint32_t MultiplyF32(uint32_t x, uint32_t y) {
  return lane::Round(lane::Flushed(x) * lane::Flushed(y));  // 48 bits: exact
}

inline uint32_t MultiplyAddF32(uint32_t x, uint32_t y, uint32_t z) {
  const double product = lane::Flushed(x) * lane::Flushed(y);  // exact
  const double addend = lane::Flushed(z);
  const double sum = product + addend;
  if (!std::isfinite(sum)) return lane::Bits(static_cast<float>(sum));
  // What the sum was rounded by, exactly (Knuth). The sum is then rounded to odd instead: that
  // keeps on which side of every f32, and of every midpoint of two, the exact sum lies.
  const double back = sum - product;
  const double error = (product - (sum - back)) + (addend - back);
  uint64_t bits = std::bit_cast<uint64_t>(sum);
  if (error != 0 && (bits & 1) == 0) bits += (error > 0) == (sum > 0) ? 1 : ~uint64_t{0};
  return lane::Round(std::bit_cast<double>(bits));
}

inline uint32_t MultiplySubtractF32(uint32_t x, uint32_t y, uint32_t z) {
  return MultiplyAddF32(x ^ kSignF32, y, z);
}

// NaN if either is; else the bits of the chosen operand.
inline uint32_t MaximumF32(uint32_t x, uint32_t y) {
  if (lane::IsNan(x) || lane::IsNan(y)) return kNanF32;
  return lane::Order(x) >= lane::Order(y) ? x : y;
}

inline uint32_t MinimumF32(uint32_t x, uint32_t y) {
  if (lane::IsNan(x) || lane::IsNan(y)) return kNanF32;
  return lane::Order(x) <= lane::Order(y) ? x : y;
}

inline uint32_t DivideF32(uint32_t x, uint32_t y) {
  // A quotient of 24-bit numbers is no closer than 2^-48 to a midpoint or to 2^-126 without being
  // there, so rounding it to 53 bits first changes nothing.
  return lane::Round(lane::Flushed(x) / lane::Flushed(y));
}

inline uint32_t SquareRootF32(uint32_t x) {
  return lane::Bits(std::sqrt(lane::Float(lane::Flush(x))));
}

inline uint32_t ScaleF32(uint32_t x, uint32_t y) {
  // Any scaling of an f32 by more than 2^300 overflows, or is tiny.
  const int64_t exponent = std::clamp<int64_t>(lane::Signed(y), -300, 300);
  return lane::Round(lane::Flushed(x) *
                     std::bit_cast<double>(static_cast<uint64_t>(1023 + exponent) << 52));
}

inline uint32_t RoundEvenF32(uint32_t x) {
  return lane::Bits(std::rint(lane::Float(lane::Flush(x))));
}
inline uint32_t RoundAwayF32(uint32_t x) {
  return lane::Bits(std::round(lane::Float(lane::Flush(x))));
}
inline uint32_t FloorF32(uint32_t x) {
  return lane::Bits(std::floor(lane::Float(x)));
}
inline uint32_t CeilingF32(uint32_t x) {
  return lane::Bits(std::ceil(lane::Float(x)));
}

inline uint32_t F32ToS32(uint32_t x) {
  const float value = lane::Float(x);
  if (lane::IsNan(x)) return 0;
  if (value >= 0x1p31f) return 0x7fffffff;
  if (value < -0x1p31f) return kSignF32;
  return static_cast<uint32_t>(static_cast<int32_t>(value));
}

inline uint32_t F32ToU32(uint32_t x) {
  const float value = lane::Float(x);
  if (!(value > 0)) return 0;
  return value >= 0x1p32f ? ~uint32_t{0} : static_cast<uint32_t>(value);
}

// Nearest even; NaN gives 0x7fc0, subnormals are kept.
inline uint16_t F32ToBf16(uint32_t x) {
  if (lane::IsNan(x)) return kNanF32 >> 16;
  const uint32_t lower = x & 0xffff;
  uint32_t upper = x >> 16;
  if (lower > 0x8000 || (lower == 0x8000 && (upper & 1) != 0)) ++upper;
  return static_cast<uint16_t>(upper);
}
inline uint32_t Bf16ToF32(uint16_t x) { return static_cast<uint32_t>(x) << 16; }

// The f32 that f16 holds; NaN gives 0x7fc00000.
inline uint32_t F16ToF32(uint16_t x) {
  const uint32_t sign = static_cast<uint32_t>(x & 0x8000) << 16;
  const uint32_t exponent = x >> 10 & 0x1f;
  const uint32_t fraction = x & 0x3ff;
  if (exponent == 31) return fraction != 0 ? kNanF32 : sign | kInfinityF32;
  if (exponent != 0) return sign | (exponent + 112) << 23 | fraction << 13;
  return sign | lane::Bits(static_cast<float>(fraction) * 0x1p-24f);
}

// Nearest even; NaN gives 0x7e00, f16 subnormals are kept.
inline uint16_t F32ToF16(uint32_t x) {
  const uint32_t sign = x >> 16 & 0x8000;
  if (lane::IsNan(x)) return 0x7e00;
  const float magnitude = lane::Float(x & ~kSignF32);
  if (magnitude >= 65520.0f) return static_cast<uint16_t>(sign | 0x7c00);
  // An integer number of units in the last place; a carry out of it is a carry into the exponent.
  const uint32_t exponent = std::max<uint32_t>((x & ~kSignF32) >> 23, 113) - 113;  // of 2^-14
  const float units = std::rint(
      magnitude * std::bit_cast<float>((127 + 24 - exponent) << 23));
  return static_cast<uint16_t>(sign | ((exponent << 10) + static_cast<uint32_t>(units)));
}

// x times m * 2^(shift - 31), rounded twice: as TFLite's reference kernels.
inline uint32_t RequantizeDouble(uint32_t x, uint32_t m, uint32_t shift_bits) {
  const int shift = std::clamp(lane::Signed(shift_bits), -31, 30);
  const int64_t a = lane::Signed(x << std::max(shift, 0));
  const int64_t product = a * lane::Signed(m);
  const int64_t nudge = product >= 0 ? int64_t{1} << 30 : 1 - (int64_t{1} << 30);
  int64_t high = (product + nudge) / (int64_t{1} << 31);
  if (product == int64_t{1} << 62) high = INT32_MAX;
  const int right = std::max(-shift, 0);
  const int64_t mask = (int64_t{1} << right) - 1;
  const int64_t threshold = (mask >> 1) + (high < 0 ? 1 : 0);
  return static_cast<uint32_t>((high >> right) + ((high & mask) > threshold ? 1 : 0));
}

// The same rounded once, half up, and saturated.
inline uint32_t RequantizeSingle(uint32_t x, uint32_t m, uint32_t shift_bits) {
  const int shift = std::clamp(lane::Signed(shift_bits), -31, 30);
  const int64_t product = int64_t{lane::Signed(x)} * lane::Signed(m);
  const int64_t result = (product + (int64_t{1} << (30 - shift))) >> (31 - shift);
  return static_cast<uint32_t>(std::clamp<int64_t>(result, INT32_MIN, INT32_MAX));
}

// One operation of an ALU slot on one lane. `lookup` needs the constant memory and is not among
// them; an operation that does not exist gives 0.
inline uint32_t EvaluateAlu(arch::AluOp op, uint32_t x, uint32_t y, uint32_t z) {
  using arch::AluOp;
  using lane::Signed;
  using lane::Truth;
  switch (op) {
    case AluOp::kAddF32: return AddF32(x, y);
    case AluOp::kSubtractF32: return SubtractF32(x, y);
    case AluOp::kMultiplyF32: return MultiplyF32(x, y);
    case AluOp::kMultiplyAddF32: return MultiplyAddF32(x, y, z);
    case AluOp::kMultiplySubtractF32: return MultiplySubtractF32(x, y, z);
    case AluOp::kMaximumF32: return MaximumF32(x, y);
    case AluOp::kMinimumF32: return MinimumF32(x, y);
    case AluOp::kDivideF32: return DivideF32(x, y);
    case AluOp::kSquareRootF32: return SquareRootF32(x);
    case AluOp::kScaleF32: return ScaleF32(x, y);
    case AluOp::kRoundEvenF32: return RoundEvenF32(x);
    case AluOp::kRoundAwayF32: return RoundAwayF32(x);
    case AluOp::kFloorF32: return FloorF32(x);
    case AluOp::kCeilingF32: return CeilingF32(x);
    case AluOp::kEqualF32: return Truth(lane::Float(x) == lane::Float(y));
    case AluOp::kLessF32: return Truth(lane::Float(x) < lane::Float(y));
    case AluOp::kLessEqualF32: return Truth(lane::Float(x) <= lane::Float(y));
    case AluOp::kAddS32: return x + y;
    case AluOp::kSubtractS32: return x - y;
    case AluOp::kMultiplyS32: return x * y;
    case AluOp::kMultiplyHighS32:
      return static_cast<uint32_t>(int64_t{Signed(x)} * Signed(y) >> 32);
    case AluOp::kMultiplyHighU32: return static_cast<uint32_t>(uint64_t{x} * y >> 32);
    case AluOp::kMaximumS32: return Signed(x) > Signed(y) ? x : y;
    case AluOp::kMinimumS32: return Signed(x) < Signed(y) ? x : y;
    case AluOp::kMaximumU32: return std::max(x, y);
    case AluOp::kMinimumU32: return std::min(x, y);
    case AluOp::kAnd: return x & y;
    case AluOp::kOr: return x | y;
    case AluOp::kXor: return x ^ y;
    case AluOp::kAndNot: return x & ~y;
    case AluOp::kShiftLeft: return y > 31 ? 0 : x << y;
    case AluOp::kShiftRightLogical: return y > 31 ? 0 : x >> y;
    case AluOp::kShiftRightArithmetic:
      return static_cast<uint32_t>(Signed(x) >> std::min<uint32_t>(y, 31));
    case AluOp::kRotateLeft: return std::rotl(x, static_cast<int>(y & 31));
    case AluOp::kEqualS32: return Truth(x == y);
    case AluOp::kLessS32: return Truth(Signed(x) < Signed(y));
    case AluOp::kLessU32: return Truth(x < y);
    case AluOp::kSelect: return x != 0 ? y : z;
    case AluOp::kPopulationCount: return static_cast<uint32_t>(std::popcount(x));
    case AluOp::kCountLeadingZeros: return static_cast<uint32_t>(std::countl_zero(x));
    case AluOp::kS32ToF32: return lane::Bits(static_cast<float>(Signed(x)));
    case AluOp::kU32ToF32: return lane::Bits(static_cast<float>(x));
    case AluOp::kF32ToS32: return F32ToS32(x);
    case AluOp::kF32ToU32: return F32ToU32(x);
    case AluOp::kRoundBf16: return Bf16ToF32(F32ToBf16(x));
    case AluOp::kRoundF16: return F16ToF32(F32ToF16(x));
    case AluOp::kExponentF32: return (x >> 23 & 0xff) - 127;
    case AluOp::kRequantizeDouble: return RequantizeDouble(x, y, z);
    case AluOp::kRequantizeSingle: return RequantizeSingle(x, y, z);
    case AluOp::kCopy: return x;
    case AluOp::kLookup:
    case AluOp::kNone: break;
  }
  return 0;
}

}  // namespace systolith::golden

#endif  // SYSTOLITH_SIM_GOLDEN_FLOAT_LANE_ARITHMETIC_H_
