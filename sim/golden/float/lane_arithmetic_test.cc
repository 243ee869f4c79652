// The lanes' arithmetic against doubles (every f32 sum and product is exact or rounds innocuously
// there) and stated values.
#include "sim/golden/float/lane_arithmetic.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>

#include "tb/common/random.h"

namespace systolith::golden {
namespace {

constexpr uint32_t kNan = 0x7fc00000;
constexpr uint32_t kInf = 0x7f800000;
constexpr uint32_t kSign = 0x80000000;

uint32_t Bits(float value) { return std::bit_cast<uint32_t>(value); }
double Flushed(uint32_t bits) {
  const double value = std::bit_cast<float>(bits);
  return std::fabs(value) < 0x1p-126 ? std::copysign(0.0, value) : value;
}

// Rounds a double that carries the exact result (or all bits that matter) as the contract says.
uint32_t Rounded(double exact) {
  if (std::isnan(exact)) return kNan;
  if (std::fabs(exact) < 0x1p-126) return std::signbit(exact) ? kSign : 0;
  return Bits(static_cast<float>(exact));
}

uint32_t RandomF32(tb::Rng& rng) {
  static constexpr uint32_t kEdges[] = {
      0,    kSign,        1,    0x807fffff, 0x00800000, 0x80800000, 0x7f7fffff, 0xff7fffff,
      kInf, kInf | kSign, kNan, 0x7f800001, 0xffffffff, 0x3f800000, 0xbf000000};
  switch (rng.Below(5)) {
    case 0: return kEdges[rng.Below(std::size(kEdges))];
    case 1: return rng.U32();
    case 2: return (rng.U32() & 0x80ffffff) | 0x00000000;
    default: return (rng.U32() & 0x83ffffff) + 0x3e000000;
  }
}

class LaneArithmeticTest : public tb::RandomTest {};

TEST_F(LaneArithmeticTest, AddsSubtractsAndMultiplies) {
  for (int trial = 0; trial < 1000000; ++trial) {
    const uint32_t x = RandomF32(rng_), y = RandomF32(rng_);
    const double a = Flushed(x), b = Flushed(y);
    ASSERT_EQ(AddF32(x, y), Rounded(a + b)) << std::hex << x << ' ' << y;
    ASSERT_EQ(SubtractF32(x, y), Rounded(a - b)) << std::hex << x << ' ' << y;
    ASSERT_EQ(MultiplyF32(x, y), Rounded(a * b)) << std::hex << x << ' ' << y;
  }
}

TEST_F(LaneArithmeticTest, FlushesTinyResultsWithTheirSign) {
  EXPECT_EQ(MultiplyF32(Bits(-0x1p-100f), Bits(0x1p-100f)), kSign);
  EXPECT_EQ(AddF32(0x00800001, 0x80800000), 0u);
  EXPECT_EQ(SubtractF32(0x80800001, 0x80800000), kSign);
  // Rounds up to 2^-126, but is below it before.
  EXPECT_EQ(MultiplyF32(0x3f7fffff, 0x00800000), 0u);
}

TEST_F(LaneArithmeticTest, ChoosesTheLargerAndTheSmaller) {
  EXPECT_EQ(MaximumF32(0, kSign), 0u);
  EXPECT_EQ(MaximumF32(kSign, 0), 0u);
  EXPECT_EQ(MinimumF32(0, kSign), kSign);
  EXPECT_EQ(MinimumF32(kSign, 0), kSign);
  EXPECT_EQ(MaximumF32(1, 0), 1u);  // subnormals are kept
  EXPECT_EQ(MinimumF32(0x80000001, 0), 0x80000001u);
  EXPECT_EQ(MaximumF32(0x7f800001, kInf), kNan);
  EXPECT_EQ(MinimumF32(kInf, 0xffffffff), kNan);
  for (int trial = 0; trial < 100000; ++trial) {
    const uint32_t x = RandomF32(rng_), y = RandomF32(rng_);
    const float a = std::bit_cast<float>(x), b = std::bit_cast<float>(y);
    if (std::isnan(a) || std::isnan(b) || a == b) continue;
    ASSERT_EQ(MaximumF32(x, y), a > b ? x : y);
    ASSERT_EQ(MinimumF32(x, y), a < b ? x : y);
  }
}

TEST_F(LaneArithmeticTest, RoundsToTheNearestEvenInteger) {
  for (int trial = 0; trial < 500000; ++trial) {
    const uint32_t x = rng_.Chance(0.5) ? RandomF32(rng_)
                                        : Bits(static_cast<float>(rng_.Range(-4000, 4000)) / 4);
    const float value = std::bit_cast<float>(x);
    const uint32_t expected = std::isnan(value) ? kNan : Bits(std::nearbyintf(value));
    ASSERT_EQ(RoundEvenF32(x), expected) << std::hex << x;
  }
}

TEST_F(LaneArithmeticTest, Converts) {
  EXPECT_EQ(S32ToF32(0x7fffffff), Bits(0x1p31f));
  EXPECT_EQ(S32ToF32(16777217), Bits(16777216.0f));  // a tie, to even
  EXPECT_EQ(F32ToS32(Bits(3e9f)), 0x7fffffffu);
  EXPECT_EQ(F32ToS32(Bits(-3e9f)), kSign);
  EXPECT_EQ(F32ToS32(kInf), 0x7fffffffu);
  EXPECT_EQ(F32ToS32(kNan), 0u);
  EXPECT_EQ(F32ToS32(Bits(127.5f)), 127u);
  EXPECT_EQ(F32ToS32(Bits(-128.6f)), static_cast<uint32_t>(-128));
  EXPECT_EQ(F32ToBf16(0x7f800001), 0x7fc0);
  EXPECT_EQ(F32ToBf16(0xff800001), 0x7fc0);
  EXPECT_EQ(F32ToBf16(0x7fffffff), 0x7fc0);
  EXPECT_EQ(F32ToBf16(0x7f7fffff), 0x7f80);
  EXPECT_EQ(F32ToBf16(0x7f7f7fff), 0x7f7f);
  EXPECT_EQ(F32ToBf16(0x00018000), 0x0002);  // subnormals are kept; a tie, to even
}

TEST_F(LaneArithmeticTest, Requantizes) {
  EXPECT_EQ(Requantize(5, Bits(0.5f)), 2u);
  EXPECT_EQ(Requantize(7, Bits(0.5f)), 4u);
  EXPECT_EQ(Requantize(1000, Bits(1.0f)), 127u);
  EXPECT_EQ(Requantize(static_cast<uint32_t>(-1000), Bits(1.0f)), static_cast<uint32_t>(-128));
  EXPECT_EQ(Requantize(1, kInf), 127u);
  EXPECT_EQ(Requantize(0, kInf), 0u);  // NaN
  EXPECT_EQ(Requantize(1, 1), 0u);     // a subnormal scale is zero
}

}  // namespace
}  // namespace systolith::golden
