#include <gtest/gtest.h>

#include <array>
#include <memory>
#include <vector>

#include "Float_lanes.h"
#include "tb/common/dut.h"
#include "tb/common/random.h"
#include "tb/float/contract_model.h"

namespace systolith::tb {
namespace {

constexpr int kLanes = 256;

// Bits of every kind: ordinary, near the ends of the exponent range, special, sparse.
uint32_t RandomFp32(Rng& rng) {
  const uint32_t bits = rng.U32(), sign = bits & 0x80000000;
  switch (rng.Below(10)) {
    case 0:
      return bits;
    case 1:
      return sign | (bits & 0x007fffff);  // subnormal
    case 2:
      return sign | 0x7f800000 | (rng.Chance(0.7) ? 0 : bits & 0x7fffff);
    case 3:
      return sign;
    case 4:
      return (bits & 0x807fffff) | static_cast<uint32_t>(rng.Range(1, 3)) << 23;
    case 5:
      return (bits & 0x807fffff) | static_cast<uint32_t>(rng.Range(252, 254)) << 23;
    case 6:
      return bits & (0xff800000 | 0xffu << rng.Below(16));  // sparse bytes
    default:
      return (bits & 0x807fffff) | static_cast<uint32_t>(rng.Range(110, 140)) << 23;
  }
}

class FloatTest : public RandomTest {
 protected:
  void Set(Format format, uint32_t partial) {
    dut_->act_format_i = dut_->weight_format_i = static_cast<int>(format);
    dut_->partial_i = partial;
  }

  // The decoded word that the README's table demands.
  static uint32_t Word(const Operand& operand) {
    const uint32_t sign = uint32_t{operand.negative} << 31;
    switch (operand.kind) {
      case Operand::kAbsent:
        return 0;
      case Operand::kZero:
        return sign | 384 << 16;
      case Operand::kFinite:
        return sign | (512 + 127 + operand.exponent) << 16 | operand.significand;
      case Operand::kInf:
        return sign | 1150 << 16 | 0x80;
      default:
        return sign | 1150 << 16;
    }
  }

  uint32_t Decode(uint32_t fp32, Format format) {
    Set(format, 0);
    dut_->act_i[0] = fp32;
    Cycle(*dut_);
    return dut_->act_decoded_o;
  }

  // What a single product must be, by the host's own multiplier.
  static uint32_t Product(uint16_t a, uint16_t w) {
    const auto flushed = [](uint16_t x) {
      return ToFloat(uint32_t{x} << 16 & ((x & 0x7f80) ? 0xffffffff : 0x80000000));
    };
    const float product = flushed(a) * flushed(w);
    const uint32_t bits = ToBits(product);
    if ((bits & 0x7fffffff) > 0x7f800000) return 0x7fc00000;
    return (bits & 0x7fffffff) < 0x00800000 ? 0 : bits;
  }

  void CheckProducts(uint16_t a) {
    Set(Format::kBf16, 0);
    for (int i = 0; i < 8; i++) dut_->act_i[i] = dut_->weight_i[i] = 0;
    dut_->act_i[0] = uint32_t{a} << 16;
    dut_->lane_step_i = 0x10000;
    for (uint32_t first = 0; first < 0x10000; first += kLanes) {
      dut_->weight_i[0] = first << 16;
      Cycle(*dut_);
      int wrong = 0;
      for (uint32_t l = 0; l < kLanes; l++) wrong += dut_->result_o[l] != Product(a, first + l);
      for (uint32_t l = 0; wrong != 0 && l < kLanes; l++) {
        ASSERT_EQ(dut_->result_o[l], Product(a, first + l)) << std::hex << a << " * " << first + l;
      }
    }
  }

  std::unique_ptr<Float_lanes> dut_ = std::make_unique<Float_lanes>();
};

TEST_F(FloatTest, EveryBf16ValueDecodesAsTheTableSays) {
  for (uint32_t x = 0; x < 0x10000; x++) {
    const uint32_t word = Decode(x << 16, Format::kBf16);
    const Operand expected = ReadOperand(x, Format::kBf16);
    if (expected.kind == Operand::kNan) {
      ASSERT_EQ(word & 0x7fffffff, Word(expected) & 0x7fffffff);  // a NaN has no sign
    } else {
      ASSERT_EQ(word, Word(expected)) << std::hex << x;
    }
  }
}

TEST_F(FloatTest, Fp32DecodesToItsBytesAndRounded) {
  for (int trial = 0; trial < 100000; trial++) {
    const auto format = static_cast<Format>(rng_.Range(2, 6));
    uint32_t x = RandomFp32(rng_);
    if (rng_.Chance(0.2)) x = (x & 0xffff0000) | static_cast<uint32_t>(rng_.Range(0x7fff, 0x8001));
    const uint32_t word = Decode(x, format);
    const Operand expected = ReadOperand(x, format);
    const uint32_t mask = expected.kind == Operand::kNan ? 0x7fffffff : 0xffffffff;
    ASSERT_EQ(word & mask, Word(expected) & mask) << std::hex << x << " " << int(format);
  }
}

TEST_F(FloatTest, ProductsOfBf16PairsAreExactWhereFp32HoldsThem) {
  for (int i = 0; i < 256; i++) CheckProducts(static_cast<uint16_t>(rng_.U32()));
  for (uint16_t a :
       {0x0000, 0x8000, 0x0001, 0x807f, 0x0080, 0x7f7f, 0x7f80, 0xff80, 0x7f81, 0xffc0}) {
    CheckProducts(a);
  }
}

// The largest of eight random terms hides, cancels or outweighs the others in every way.
TEST_F(FloatTest, SumsFollowTheContract) {
  for (int trial = 0; trial < 50000; trial++) {
    const auto format = static_cast<Format>(rng_.Range(1, 6));
    const bool mixed = rng_.Chance(0.3), specials = rng_.Chance(0.3);
    const int middle = static_cast<int>(rng_.Range(1, 254)), spread = rng_.Chance(0.5) ? 4 : 40;
    const auto random = [&]() -> uint32_t {
      if (specials && rng_.Chance(0.1)) return RandomFp32(rng_);
      int exponent = middle + static_cast<int>(rng_.Range(-spread, spread));
      exponent = exponent < 0 ? 0 : exponent > 254 ? 254 : exponent;
      return (rng_.U32() & 0x807fffff) | static_cast<uint32_t>(exponent) << 23;
    };
    std::array<Operand, 8> a, w;
    const auto other = mixed ? static_cast<Format>(rng_.Range(1, 6)) : format;
    Set(format, 0);
    dut_->weight_format_i = static_cast<int>(other);
    // Products have twice the exponent's distance from the middle; c follows them half of the time.
    uint32_t c = random();
    if (rng_.Chance(0.5)) {
      const int exponent = std::max(0, std::min(254, 2 * middle - 127));
      c = (c & 0x807fffff) | static_cast<uint32_t>(exponent) << 23;
    }
    dut_->partial_i = c;
    dut_->lane_step_i = rng_.Chance(0.5) ? 0x10000 : rng_.U32();
    for (int i = 0; i < 8; i++) {
      const uint32_t x = random(), y = random();
      dut_->act_i[i] = format == Format::kBf16 ? x & 0xffff0000 : x;
      dut_->weight_i[i] = other == Format::kBf16 ? y & 0xffff0000 : y;
      a[i] = ReadOperand(format == Format::kBf16 ? x >> 16 : x, format);
      w[i] = ReadOperand(other == Format::kBf16 ? y >> 16 : y, other);
    }
    if (other == Format::kBf16) dut_->lane_step_i &= 0xffff0000;
    Cycle(*dut_);
    for (uint32_t l = 0; l < kLanes; l += 5) {
      const uint32_t y = dut_->weight_i[0] + l * dut_->lane_step_i;
      w[0] = ReadOperand(other == Format::kBf16 ? y >> 16 : y, other);
      ASSERT_EQ(dut_->result_o[l], Fused8(c, a, w)) << "trial " << trial << " lane " << l;
    }
  }
}

TEST_F(FloatTest, WorkedExamplesOfTheContract) {
  struct Example {
    uint32_t c;
    std::vector<uint16_t> a, w;
    uint32_t expected;
  };
  const std::vector<Example> examples = {
      {0x3f800000, {0x0000}, {0x7c00}, 0x3f800000},         // 0 x 2.6e36 hides nothing
      {0x33800000, {0x0000}, {0x7c00}, 0x33800000},         // nor beside a small sum
      {0x80000000, {}, {}, 0x00000000},                     // -0 becomes +0
      {0x00400000, {}, {}, 0x00000000},                     // a subnormal becomes +0
      {0x7f800001, {}, {}, 0x7fc00000},                     // NaN becomes canonical
      {0x3f800000, {0x7f80}, {0x0001}, 0x7fc00000},         // Inf x subnormal
      {0xff800000, {0x7f80}, {0x3f80}, 0x7fc00000},         // -Inf + Inf
      {0x00000000, {0x7f00, 0x7f00}, {0x4000, 0xc000}, 0},  // 2^128 - 2^128
      {0x00000000, {0x7f7f}, {0x7f7f}, 0x7f800000},         // beyond 2^128
      {0xff7fffff, {0x7f00}, {0x4000}, 0x73800000},         // 2^128 - max: one grid step of 104
      {0x3f800000, {0x3f80}, {0x3300}, 0x3f800000},         // 2^-25 is half an ulp short: even
      {0x3f800001, {0x3f80}, {0x3380}, 0x3f800002},         // a tie goes to even
  };
  for (const Example& example : examples) {
    Set(Format::kBf16, example.c);
    dut_->lane_step_i = 0;
    for (size_t i = 0; i < 8; i++) {
      dut_->act_i[i] = i < example.a.size() ? uint32_t{example.a[i]} << 16 : 0;
      dut_->weight_i[i] = i < example.w.size() ? uint32_t{example.w[i]} << 16 : 0;
    }
    Cycle(*dut_);
    EXPECT_EQ(dut_->result_o[0], example.expected) << std::hex << example.c;
  }
}

// All 2^32 pairs take minutes: `--gtest_also_run_disabled_tests`, the nightly test.
TEST_F(FloatTest, DISABLED_EveryProductOfTwoBf16Values) {
  for (uint32_t a = 0; a < 0x10000 && !HasFatalFailure(); a++) CheckProducts(a);
}

}  // namespace
}  // namespace systolith::tb
