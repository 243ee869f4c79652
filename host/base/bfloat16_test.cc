#include "host/base/bfloat16.h"

#include <gtest/gtest.h>

#include <limits>

namespace systolith {
namespace {

float FromBits(uint32_t bits) { return std::bit_cast<float>(bits); }

// The values of case B10.
TEST(Bfloat16Test, SpecialValuesSurviveRounding) {
  EXPECT_EQ(Bfloat16FromFloat(FromBits(0x7F800001)), 0x7FC0);
  EXPECT_EQ(Bfloat16FromFloat(FromBits(0x7FFFFFFF)), 0x7FC0);
  EXPECT_EQ(Bfloat16FromFloat(FromBits(0xFF800001)), 0x7FC0);
  EXPECT_EQ(Bfloat16FromFloat(FromBits(0x7F7FFFFF)), 0x7F80);
  EXPECT_EQ(Bfloat16FromFloat(FromBits(0x7F7F7FFF)), 0x7F7F);
}

TEST(Bfloat16Test, TiesGoToEven) {
  EXPECT_EQ(Bfloat16FromFloat(FromBits(0x3F808000)), 0x3F80);
  EXPECT_EQ(Bfloat16FromFloat(FromBits(0x3F818000)), 0x3F82);
  EXPECT_EQ(Bfloat16FromFloat(FromBits(0x3F808001)), 0x3F81);
}

TEST(Bfloat16Test, EveryValueSurvivesTheWayToFloatAndBack) {
  for (uint32_t bits = 0; bits < 0x10000; ++bits) {
    const auto half = static_cast<uint16_t>(bits);
    const float wide = FloatFromBfloat16(half);
    EXPECT_EQ(Bfloat16FromFloat(wide), std::isnan(wide) ? 0x7FC0 : half);
    const float wide16 = FloatFromFloat16(half);
    EXPECT_EQ(Float16FromFloat(wide16), std::isnan(wide16) ? 0x7E00 : half);
  }
}

TEST(Bfloat16Test, DoubleIsRoundedOnlyOnce) {
  // Just above a bf16 tie: rounding to float first would lose that it is above.
  EXPECT_EQ(Bfloat16FromDouble(1.0 + std::ldexp(1.0, -8) + std::ldexp(1.0, -40)), 0x3F81);
  EXPECT_EQ(Bfloat16FromDouble(1.0 + std::ldexp(1.0, -8)), 0x3F80);
  EXPECT_EQ(Float16FromDouble(1.0 + std::ldexp(1.0, -11) + std::ldexp(1.0, -40)), 0x3C01);
  EXPECT_EQ(Bfloat16FromDouble(1e300), 0x7F80);
  EXPECT_EQ(Bfloat16FromDouble(-std::numeric_limits<double>::infinity()), 0xFF80);
}

TEST(Bfloat16Test, Float16RoundsAtItsEdges) {
  EXPECT_EQ(Float16FromFloat(65504.0F), 0x7BFF);
  EXPECT_EQ(Float16FromFloat(65519.0F), 0x7BFF);
  EXPECT_EQ(Float16FromFloat(65520.0F), 0x7C00);  // the tie goes to the even 2^16
  EXPECT_EQ(Float16FromFloat(std::ldexp(1.0F, -24)), 0x0001);
  EXPECT_EQ(Float16FromFloat(std::ldexp(1.0F, -25)), 0x0000);
  EXPECT_EQ(Float16FromFloat(std::ldexp(-1.5F, -24)), 0x8002);
  EXPECT_EQ(Float16FromFloat(std::ldexp(1023.9F, -24)), 0x0400);
}

}  // namespace
}  // namespace systolith
