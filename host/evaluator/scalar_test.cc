#include "host/evaluator/scalar.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <limits>

namespace systolith::evaluator {
namespace {

using graph::ElementType;
using graph::Opcode;

constexpr float kTiny = 1e-40F;  // subnormal
constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
constexpr float kInf = std::numeric_limits<float>::infinity();

uint32_t Bits(float value) { return std::bit_cast<uint32_t>(value); }

TEST(ScalarTest, F32ArithmeticFlushesSubnormals) {
  EXPECT_EQ(BinaryF32(Opcode::kAdd, kTiny, kTiny), 0);
  EXPECT_EQ(Bits(BinaryF32(Opcode::kMultiply, -1e-20F, 1e-20F)), 0x80000000U);
  EXPECT_EQ(Bits(BinaryF32(Opcode::kAdd, -kTiny, -kTiny)), 0x80000000U);
  EXPECT_EQ(BinaryF32(Opcode::kSubtract, 1.5e-38F, 1.4e-38F), 0);
  EXPECT_EQ(BinaryF32(Opcode::kDivide, 1.0F, kTiny), kInf);
  // Below 2^-126 before rounding, though IEEE would round it up to 2^-126.
  EXPECT_EQ(BinaryF32(Opcode::kMultiply, 0x1.fffffep-64F, 0x1p-63F), 0);
  EXPECT_EQ(BinaryF32(Opcode::kMultiply, 0x1p-64F, 0x1p-62F), 0x1p-126F);
}

TEST(ScalarTest, SelectionAndSignsKeepSubnormals) {
  EXPECT_EQ(BinaryF32(Opcode::kMaximum, kTiny, -1.0F), kTiny);
  EXPECT_EQ(BinaryF32(Opcode::kMinimum, kTiny, 1.0F), kTiny);
  EXPECT_EQ(UnaryF32(Opcode::kNegate, kTiny), -kTiny);
  EXPECT_EQ(UnaryF32(Opcode::kFloor, -kTiny), -1);
}

TEST(ScalarTest, MaximumAndMinimumOrderZerosAndKeepNan) {
  for (const auto& [a, b] : {std::pair(0.0F, -0.0F), std::pair(-0.0F, 0.0F)}) {
    EXPECT_EQ(Bits(BinaryF32(Opcode::kMaximum, a, b)), 0U);
    EXPECT_EQ(Bits(BinaryF32(Opcode::kMinimum, a, b)), 0x80000000U);
  }
  EXPECT_TRUE(std::isnan(BinaryF32(Opcode::kMaximum, kNan, kInf)));
  EXPECT_TRUE(std::isnan(BinaryF32(Opcode::kMinimum, 1.0F, kNan)));
}

TEST(ScalarTest, ComputedNansAreCanonical) {
  EXPECT_EQ(Bits(BinaryF32(Opcode::kSubtract, kInf, kInf)), 0x7fc00000U);
  EXPECT_EQ(Bits(BinaryF32(Opcode::kAdd, std::bit_cast<float>(0xffc12345U), 1.0F)), 0x7fc00000U);
  EXPECT_EQ(Bits(UnaryF32(Opcode::kSqrt, -1.0F)), 0x7fc00000U);
}

TEST(ScalarTest, RoundingOperationsDiffer) {
  EXPECT_EQ(UnaryF32(Opcode::kRoundNearestEven, 2.5F), 2);
  EXPECT_EQ(UnaryF32(Opcode::kRoundNearestAfz, 2.5F), 3);
  EXPECT_EQ(UnaryF32(Opcode::kRoundNearestEven, -3.5F), -4);
  EXPECT_EQ(Bits(UnaryF32(Opcode::kRoundNearestEven, -0.25F)), 0x80000000U);
}

TEST(ScalarTest, IntegerCornersAreDefined) {
  constexpr ElementType kS32 = ElementType::kS32, kU32 = ElementType::kU32;
  EXPECT_EQ(BinaryInteger(Opcode::kDivide, 7, 0, kS32), -1);
  EXPECT_EQ(BinaryInteger(Opcode::kRemainder, 7, 0, kS32), 7);
  EXPECT_EQ(BinaryInteger(Opcode::kDivide, INT64_MIN, -1, ElementType::kS64), INT64_MIN);
  EXPECT_EQ(BinaryInteger(Opcode::kRemainder, INT64_MIN, -1, ElementType::kS64), 0);
  EXPECT_EQ(BinaryInteger(Opcode::kShiftLeft, 1, 32, kS32), 0);
  EXPECT_EQ(BinaryInteger(Opcode::kShiftRightArithmetic, -8, 40, kS32), -1);
  EXPECT_EQ(BinaryInteger(Opcode::kShiftRightLogical, -1, 28, kS32), 15);
  EXPECT_EQ(BinaryInteger(Opcode::kShiftRightLogical, 0xf0000000, 28, kU32), 15);
  EXPECT_EQ(BinaryInteger(Opcode::kPower, -1, -3, kS32), -1);
  EXPECT_EQ(UnaryInteger(Opcode::kCountLeadingZeros, 1, ElementType::kS8), 7);
  EXPECT_EQ(UnaryInteger(Opcode::kPopcnt, -1, ElementType::kS8), 8);
}

TEST(ScalarTest, ReducedPrecisionRoundsToEvenAndFlushes) {
  EXPECT_EQ(ReducePrecision(1.0 + 1.0 / 256, 8, 7), 1.0);
  EXPECT_EQ(ReducePrecision(1.0 + 3.0 / 256, 8, 7), 1.0 + 2.0 / 128);
  EXPECT_EQ(ReducePrecision(65520, 5, 10), kInf);
  EXPECT_EQ(ReducePrecision(-1e-9, 5, 10), 0);
  EXPECT_TRUE(std::signbit(ReducePrecision(-1e-9, 5, 10)));
}

TEST(ScalarTest, InverseErrorFunctionInvertsErf) {
  for (const double y : {1e-12, 0.1, -0.3, 0.5, -0.9, 0.999, -0.9999999, 1 - 1e-12}) {
    EXPECT_NEAR(std::erf(UnaryF64(Opcode::kErfInv, y)), y, 3e-16) << y;
  }
  EXPECT_EQ(UnaryF64(Opcode::kErfInv, 1), kInf);
  EXPECT_TRUE(std::isnan(UnaryF64(Opcode::kErfInv, 1.5)));
}

TEST(ScalarTest, NextAfterWalksTheBitsOfItsType) {
  EXPECT_EQ(NextAfter16(0x3f80, 0x4000, ElementType::kBF16), 0x3f81);
  EXPECT_EQ(NextAfter16(0x0000, 0xbf80, ElementType::kBF16), 0x8001);
  EXPECT_EQ(NextAfter16(0xbf80, 0x0000, ElementType::kBF16), 0xbf7f);
  EXPECT_EQ(NextAfter16(0x7e01, 0x3c00, ElementType::kF16), 0x7e00);
}

}  // namespace
}  // namespace systolith::evaluator
