// The lanes' arithmetic against other ways to the same values: the host's f32 instructions, quad
// precision where a result may be tiny, and values stated by standards and by case collections.
#include "sim/golden/float/lane_arithmetic.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <limits>

#include "tb/common/random.h"

namespace systolith::golden {
namespace {

using arch::AluOp;

constexpr uint32_t kNan = 0x7fc00000;
constexpr uint32_t kInf = 0x7f800000;
constexpr uint32_t kSign = 0x80000000;
constexpr double kTiny = 0x1p-126;

uint32_t Bits(float value) { return std::bit_cast<uint32_t>(value); }
float Float(uint32_t bits) { return std::bit_cast<float>(bits); }
float Flushed(uint32_t bits) {
  const float value = Float(bits);
  return std::fabs(value) < 0x1p-126f ? std::copysign(0.0f, value) : value;
}
uint32_t U32(int64_t value) { return static_cast<uint32_t>(value); }

// The result of a host f32 instruction, which knows of no flushing; `tiny` if the exact one was.
uint32_t Expected(float result, bool tiny) {
  if (std::isnan(result)) return kNan;
  return tiny ? Bits(result) & kSign : Bits(result);
}

uint32_t RandomF32(tb::Rng& rng) {
  static constexpr uint32_t kEdges[] = {
      0,    kSign,        1,    0x807fffff, 0x00800000, 0x80800000, 0x7f7fffff, 0xff7fffff,
      kInf, kInf | kSign, kNan, 0x7f800001, 0xffffffff, 0x3f800000, 0xbf000000};
  switch (rng.Below(6)) {
    case 0: return kEdges[rng.Below(std::size(kEdges))];
    case 1: return rng.U32();
    case 2: return rng.U32() & 0x80ffffff;
    case 3: return (rng.U32() & 0x80000003) + 0x3f7ffffe;  // products near powers of two
    default: return (rng.U32() & 0x83ffffff) + 0x3e000000;
  }
}

class LaneArithmeticTest : public tb::RandomTest {};

TEST_F(LaneArithmeticTest, AddsSubtractsAndMultiplies) {
  for (int trial = 0; trial < 1000000; ++trial) {
    const uint32_t x = RandomF32(rng_), y = RandomF32(rng_);
    const float a = Flushed(x), b = Flushed(y);
    ASSERT_EQ(AddF32(x, y), Expected(a + b, std::fabs(a + b) < kTiny)) << std::hex << x << ' ' << y;
    ASSERT_EQ(SubtractF32(x, y), Expected(a - b, std::fabs(a - b) < kTiny))
        << std::hex << x << ' ' << y;
    ASSERT_EQ(MultiplyF32(x, y), Expected(a * b, std::fabs(double{a} * b) < kTiny))
        << std::hex << x << ' ' << y;
  }
}

// Whether x * y + z is below 2^-126 in magnitude, before any rounding.
bool TinySum(float x, float y, float z) {
  using Quad = __float128;
  const Quad product = static_cast<Quad>(x) * y;  // exact
  // z -+ 2^-126 is exact unless z is far larger than it; then the sum is not tiny, or exact.
  return (static_cast<Quad>(z) - kTiny) + product < 0 &&
         (static_cast<Quad>(z) + kTiny) + product > 0;
}

TEST_F(LaneArithmeticTest, MultipliesAndAddsWithOneRounding) {
  for (int trial = 0; trial < 1000000; ++trial) {
    const uint32_t x = RandomF32(rng_), y = RandomF32(rng_);
    // An addend that almost cancels the product, or a random one.
    const uint32_t product = MultiplyF32(x, y);
    const uint32_t z = rng_.Chance(0.5) ? RandomF32(rng_)
                                        : (product ^ kSign) + static_cast<uint32_t>(rng_.Below(3));
    const float a = Flushed(x), b = Flushed(y), c = Flushed(z);
    ASSERT_EQ(MultiplyAddF32(x, y, z), Expected(std::fma(a, b, c), TinySum(a, b, c)))
        << std::hex << x << ' ' << y << ' ' << z;
    ASSERT_EQ(MultiplySubtractF32(x, y, z), Expected(std::fma(-a, b, c), TinySum(-a, b, c)))
        << std::hex << x << ' ' << y << ' ' << z;
  }
}

TEST_F(LaneArithmeticTest, FlushesWhatIsTinyBeforeTheRounding) {
  EXPECT_EQ(MultiplyF32(Bits(-0x1p-100f), Bits(0x1p-100f)), kSign);
  EXPECT_EQ(AddF32(0x00800001, 0x80800000), 0u);
  EXPECT_EQ(SubtractF32(0x80800001, 0x80800000), kSign);
  // These round up to 2^-126, but are below it before.
  EXPECT_EQ(MultiplyF32(0x3f7fffff, 0x00800000), 0u);
  EXPECT_EQ(MultiplyAddF32(0x80800000, 0x00800000, 0x00800000), 0u);  // 2^-126 - 2^-252
  EXPECT_EQ(MultiplyAddF32(0x00800000, 0x00800000, 0x80800000), kSign);
  EXPECT_EQ(MultiplyAddF32(0x00800000, 0x00800000, 0x00800000), 0x00800000u);
  EXPECT_EQ(DivideF32(0x00800000, 0x3f800001), 0u);
  EXPECT_EQ(ScaleF32(0x40400000, U32(-128)), 0u);  // 1.5 * 2^-127
  EXPECT_EQ(MultiplyAddF32(kSign, 0x3f800000, kSign), kSign);  // both addends are -0
  EXPECT_EQ(MultiplyAddF32(kSign, 0x3f800000, 0), 0u);
  EXPECT_EQ(MultiplySubtractF32(0x3f800000, 0x3f800000, 0x3f800000), 0u);
}

TEST_F(LaneArithmeticTest, DividesAndTakesRoots) {
  for (int trial = 0; trial < 1000000; ++trial) {
    const uint32_t x = RandomF32(rng_), y = RandomF32(rng_);
    const float a = Flushed(x), b = Flushed(y);
    const bool tiny = std::fabs(b) < std::numeric_limits<float>::infinity() && b != 0 &&
                      static_cast<__float128>(std::fabs(a)) <
                          static_cast<__float128>(kTiny) * std::fabs(b);
    ASSERT_EQ(DivideF32(x, y), Expected(a / b, tiny)) << std::hex << x << ' ' << y;
    // The root of 24 bits is 24 bits, or no nearer than 2^-50 to a midpoint: never twice rounded.
    ASSERT_EQ(SquareRootF32(x), Expected(static_cast<float>(std::sqrt(double{a})), false))
        << std::hex << x;
  }
  EXPECT_EQ(DivideF32(Bits(-1), 0), kInf | kSign);
  EXPECT_EQ(DivideF32(1, 1), kNan);  // subnormals: 0 / 0
  EXPECT_EQ(DivideF32(kInf, kInf), kNan);
  EXPECT_EQ(SquareRootF32(kSign), kSign);
  EXPECT_EQ(SquareRootF32(0x80000001), kSign);
  EXPECT_EQ(SquareRootF32(Bits(-1)), kNan);
}

TEST_F(LaneArithmeticTest, ScalesByPowersOfTwo) {
  for (int trial = 0; trial < 500000; ++trial) {
    const uint32_t x = RandomF32(rng_);
    const uint32_t y = rng_.Chance(0.9) ? U32(rng_.Range(-300, 300)) : rng_.U32();
    const int exponent = std::clamp(static_cast<int>(y), -1000, 1000);
    const double exact = std::ldexp(double{Flushed(x)}, exponent);
    ASSERT_EQ(ScaleF32(x, y), Expected(static_cast<float>(exact), std::fabs(exact) < kTiny))
        << std::hex << x << ' ' << y;
  }
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
    const float a = Float(x), b = Float(y);
    ASSERT_EQ(EvaluateAlu(AluOp::kEqualF32, x, y, 0), a == b ? ~0u : 0u);
    ASSERT_EQ(EvaluateAlu(AluOp::kLessF32, x, y, 0), std::isless(a, b) ? ~0u : 0u);
    ASSERT_EQ(EvaluateAlu(AluOp::kLessEqualF32, x, y, 0), std::islessequal(a, b) ? ~0u : 0u);
    if (std::isnan(a) || std::isnan(b) || a == b) continue;
    ASSERT_EQ(MaximumF32(x, y), a > b ? x : y);
    ASSERT_EQ(MinimumF32(x, y), a < b ? x : y);
  }
  EXPECT_EQ(EvaluateAlu(AluOp::kEqualF32, 0, kSign, 0), ~0u);
  EXPECT_EQ(EvaluateAlu(AluOp::kEqualF32, 0, 1, 0), 0u);
  EXPECT_EQ(EvaluateAlu(AluOp::kLessF32, 0, 1, 0), ~0u);
}

TEST_F(LaneArithmeticTest, RoundsToIntegralValues) {
  for (int trial = 0; trial < 500000; ++trial) {
    const uint32_t x = rng_.Chance(0.5) ? RandomF32(rng_)
                                        : Bits(static_cast<float>(rng_.Range(-4000, 4000)) / 4);
    const double value = static_cast<double>(std::bit_cast<float>(x));  // subnormals count
    const bool integral = std::fabs(value) >= 0x1p23;
    const double down = integral ? value : static_cast<double>(std::lround(std::floor(value)));
    const auto expected = [&](double rounded) {
      return std::isnan(value) ? kNan : Bits(static_cast<float>(std::copysign(rounded, value)));
    };
    const double up = integral || down == value ? value : down + 1;
    const double above = value - down;  // exact
    const bool odd = !integral && std::fmod(down, 2) != 0;
    ASSERT_EQ(FloorF32(x), expected(down)) << std::hex << x;
    ASSERT_EQ(CeilingF32(x), expected(up)) << std::hex << x;
    ASSERT_EQ(RoundEvenF32(x), expected(above > 0.5 || (above == 0.5 && odd) ? up : down))
        << std::hex << x;
    ASSERT_EQ(RoundAwayF32(x), expected(above > 0.5 || (above == 0.5 && value > 0) ? up : down))
        << std::hex << x;
  }
  EXPECT_EQ(CeilingF32(1), Bits(1.0f));  // a subnormal is above zero
  EXPECT_EQ(FloorF32(0x80000001), Bits(-1.0f));
  EXPECT_EQ(CeilingF32(Bits(-0.5f)), kSign);
  EXPECT_EQ(RoundAwayF32(Bits(0.49999997f)), 0u);
}

TEST_F(LaneArithmeticTest, ConvertsBetweenFloatsAndIntegers) {
  const auto alu = [](AluOp op, uint32_t x) { return EvaluateAlu(op, x, 0, 0); };
  EXPECT_EQ(alu(AluOp::kS32ToF32, 0x7fffffff), Bits(0x1p31f));
  EXPECT_EQ(alu(AluOp::kS32ToF32, 16777217), Bits(16777216.0f));  // a tie, to even
  EXPECT_EQ(alu(AluOp::kS32ToF32, kSign), Bits(-0x1p31f));
  EXPECT_EQ(alu(AluOp::kU32ToF32, kSign), Bits(0x1p31f));
  EXPECT_EQ(alu(AluOp::kU32ToF32, 0xffffff80), Bits(0x1p32f));  // a tie
  // Case B10.
  EXPECT_EQ(F32ToS32(kNan), 0u);
  EXPECT_EQ(F32ToS32(kInf), 0x7fffffffu);
  EXPECT_EQ(F32ToS32(kInf | kSign), kSign);
  EXPECT_EQ(F32ToS32(Bits(3e9f)), 0x7fffffffu);
  EXPECT_EQ(F32ToS32(Bits(-3e9f)), kSign);
  EXPECT_EQ(F32ToS32(Bits(127.5f)), 127u);
  EXPECT_EQ(F32ToS32(Bits(-128.6f)), U32(-128));
  EXPECT_EQ(F32ToU32(Bits(-0.5f)), 0u);
  EXPECT_EQ(F32ToU32(Bits(-3e9f)), 0u);
  EXPECT_EQ(F32ToU32(Bits(3e9f)), 3000000000u);
  EXPECT_EQ(F32ToU32(Bits(0x1p32f)), ~0u);
  EXPECT_EQ(F32ToU32(kInf), ~0u);
  EXPECT_EQ(F32ToU32(kNan), 0u);
  EXPECT_EQ(alu(AluOp::kExponentF32, Bits(-1.5f)), 0u);
  EXPECT_EQ(alu(AluOp::kExponentF32, 1), U32(-127));
  EXPECT_EQ(alu(AluOp::kExponentF32, kInf), 128u);
}

TEST_F(LaneArithmeticTest, ConvertsToSixteenBits) {
  // Case B10.
  EXPECT_EQ(F32ToBf16(0x7f800001), 0x7fc0);
  EXPECT_EQ(F32ToBf16(0xff800001), 0x7fc0);
  EXPECT_EQ(F32ToBf16(0x7fffffff), 0x7fc0);
  EXPECT_EQ(F32ToBf16(0x7f7fffff), 0x7f80);
  EXPECT_EQ(F32ToBf16(0x7f7f7fff), 0x7f7f);
  EXPECT_EQ(F32ToBf16(0x00018000), 0x0002);  // subnormals are kept; a tie, to even
  EXPECT_EQ(F32ToF16(0x7f800001), 0x7e00);
  EXPECT_EQ(F32ToF16(Bits(-65520.0f)), 0xfc00);
  EXPECT_EQ(F32ToF16(Bits(65519.99f)), 0x7bff);
  EXPECT_EQ(F32ToF16(Bits(0x1p-24f)), 1);
  EXPECT_EQ(F32ToF16(Bits(0x1p-25f)), 0);  // a tie, to even
  EXPECT_EQ(F32ToF16(Bits(-0x1.8p-25f)), 0x8001);
  EXPECT_EQ(F32ToF16(1), 0);
  EXPECT_EQ(EvaluateAlu(AluOp::kRoundBf16, 0xffffffff, 0, 0), kNan);
  EXPECT_EQ(EvaluateAlu(AluOp::kRoundF16, 0xffffffff, 0, 0), kNan);
  for (uint32_t half = 0; half < 0x10000; ++half) {
    const uint32_t magnitude = half & 0x7fff;
    const uint32_t wide = F16ToF32(static_cast<uint16_t>(half));
    if (magnitude > 0x7c00) {
      ASSERT_EQ(wide, kNan);
      continue;
    }
    // Between two neighbours the midpoint goes to the even one, what is beside it to the nearer.
    const float value = magnitude == 0x7c00 ? 65536.0f
                        : magnitude < 0x400 ? std::ldexp(static_cast<float>(magnitude), -24)
                                            : std::ldexp(static_cast<float>(0x400 | (half & 0x3ff)),
                                                         static_cast<int>(magnitude >> 10) - 25);
    ASSERT_EQ(wide & ~kSign, magnitude == 0x7c00 ? kInf : Bits(value));
    ASSERT_EQ(wide >> 31, half >> 15);
    ASSERT_EQ(F32ToF16(wide), half);
    if (magnitude >= 0x7c00) continue;
    const uint32_t sign = wide & kSign;
    const float next = magnitude == 0x7bff ? 65536.0f : Float(F16ToF32(U32(magnitude + 1)));
    const uint32_t middle = Bits((value + next) / 2);
    ASSERT_EQ(F32ToF16(sign | (middle - 1)), half);
    ASSERT_EQ(F32ToF16(sign | middle), half + (half & 1)) << half;
    ASSERT_EQ(F32ToF16(sign | (middle + 1)), half + 1);
  }
}

TEST_F(LaneArithmeticTest, Requantizes) {
  // Case C13: accumulator, multiplier, shift; rounded twice, rounded once.
  const struct {
    int64_t x, multiplier, shift, twice, once;
  } cases[] = {{1154, 2143270065, -8, 5, 4},
               {-7190, 2083534306, -7, -55, -54},
               {3800, 1835530321, -5, 102, 101},
               {-11226, 1518065413, -9, -16, -15},
               {INT32_MIN, INT32_MIN, 0, INT32_MAX, INT32_MAX},  // the product is 2^31
               {100, 1 << 30, 1, 100, 100},
               {3, 1 << 30, 0, 2, 2},     // 1.5: half away from zero, half up
               {-3, 1 << 30, 0, -1, -1},  // -1.5: the nudge of the first rounding goes up, too
               {1 << 30, 1 << 30, 30, 0, INT32_MAX}};  // the left shift wraps; saturates
  for (const auto& c : cases) {
    EXPECT_EQ(RequantizeDouble(U32(c.x), U32(c.multiplier), U32(c.shift)), U32(c.twice)) << c.x;
    EXPECT_EQ(RequantizeSingle(U32(c.x), U32(c.multiplier), U32(c.shift)), U32(c.once)) << c.x;
  }
  for (const int shift : {-31, 30}) {  // clamped
    const uint32_t x = rng_.U32(), m = rng_.U32(), beyond = U32(shift * 1000);
    EXPECT_EQ(RequantizeDouble(x, m, beyond), RequantizeDouble(x, m, U32(shift)));
    EXPECT_EQ(RequantizeSingle(x, m, beyond), RequantizeSingle(x, m, U32(shift)));
  }
}

TEST_F(LaneArithmeticTest, ComputesOnIntegers) {
  for (int trial = 0; trial < 200000; ++trial) {
    const uint32_t x = rng_.Chance(0.2) ? U32(rng_.Range(-2, 2)) : rng_.U32();
    const uint32_t y = rng_.Chance(0.5) ? U32(rng_.Range(-2, 40)) : rng_.U32(), z = rng_.U32();
    const int64_t a = static_cast<int32_t>(x), b = static_cast<int32_t>(y);
    const uint64_t ua = x, ub = y;
    const auto expect = [&](AluOp op, int64_t value) {
      ASSERT_EQ(EvaluateAlu(op, x, y, z), U32(value)) << arch::Name(op) << ' ' << x << ' ' << y;
    };
    expect(AluOp::kAddS32, a + b);
    expect(AluOp::kSubtractS32, a - b);
    expect(AluOp::kMultiplyS32, a * b);
    expect(AluOp::kMultiplyHighS32, a * b >> 32);
    expect(AluOp::kMultiplyHighU32, static_cast<int64_t>(ua * ub >> 32));
    expect(AluOp::kMaximumS32, std::max(a, b));
    expect(AluOp::kMinimumS32, std::min(a, b));
    expect(AluOp::kMaximumU32, static_cast<int64_t>(std::max(ua, ub)));
    expect(AluOp::kMinimumU32, static_cast<int64_t>(std::min(ua, ub)));
    expect(AluOp::kAnd, a & b);
    expect(AluOp::kOr, a | b);
    expect(AluOp::kXor, a ^ b);
    expect(AluOp::kAndNot, a & ~b);
    expect(AluOp::kShiftLeft, ub < 32 ? a << ub : 0);
    expect(AluOp::kShiftRightLogical, ub < 32 ? static_cast<int64_t>(ua >> ub) : 0);
    expect(AluOp::kShiftRightArithmetic, a >> std::min<uint64_t>(ub, 63));
    expect(AluOp::kRotateLeft, static_cast<int64_t>((ua << 32 | ua) << ub % 32 >> 32));
    expect(AluOp::kEqualS32, a == b ? -1 : 0);
    expect(AluOp::kLessS32, a < b ? -1 : 0);
    expect(AluOp::kLessU32, ua < ub ? -1 : 0);
    expect(AluOp::kSelect, a != 0 ? b : z);
    int ones = 0, zeros = 0;
    for (int i = 0; i < 32; ++i) ones += static_cast<int>(x >> i & 1);
    while (zeros < 32 && (x << zeros & kSign) == 0) ++zeros;
    expect(AluOp::kPopulationCount, ones);
    expect(AluOp::kCountLeadingZeros, zeros);
    expect(AluOp::kCopy, a);
  }
}

}  // namespace
}  // namespace systolith::golden
