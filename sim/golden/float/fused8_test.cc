// fused8 against arithmetic on doubles that follows the steps of rtl/float/README.md literally and
// shares nothing with the model's integers.
#include "sim/golden/float/fused8.h"

#include <gtest/gtest.h>

#include <array>
#include <bit>
#include <cmath>
#include <vector>

#include "sim/golden/mxu/mxu_array.h"
#include "tb/common/random.h"

namespace systolith::golden {
namespace {

constexpr uint32_t kNan = 0x7fc00000;
constexpr uint32_t kInf = 0x7f800000;

double Value(uint32_t f32_bits) { return std::bit_cast<float>(f32_bits); }
double Bf16Value(uint16_t bits) { return Value(uint32_t{bits} << 16); }

// An operand in the words of the contract: a value, and the exponent that E(product) uses.
struct Term {
  bool absent = false;
  double value = 0;
  int exponent = 0;
};

Term TermOfBf16(uint16_t bits) {
  double value = Bf16Value(bits);
  if (std::fabs(value) < 0x1p-126) value = std::copysign(0.0, value);
  return {false, value, value == 0 || !std::isfinite(value) ? 0 : std::ilogb(value)};
}

// The part of a fp32 number that byte `slice` of its significand stands for.
Term TermOfSlice(uint32_t bits, int slice, bool leading) {
  const double value = Value(bits);
  if (!std::isfinite(value)) return {!leading, value, 0};
  if (std::fabs(value) < 0x1p-126) return {};
  const int exponent = std::ilogb(value);
  const double scaled = std::ldexp(std::fabs(value), -exponent + 7);  // byte 0 before the point
  const double upto = std::floor(std::ldexp(scaled, 8 * slice));
  const double before = slice == 0 ? 0 : 256 * std::floor(std::ldexp(scaled, 8 * (slice - 1)));
  const double byte = upto - before;
  return {false, std::copysign(std::ldexp(byte, exponent - 7 - 8 * slice), value),
          exponent - 8 * slice};
}

uint32_t Reference(uint32_t c_bits, const std::vector<Term>& a, const std::vector<Term>& w) {
  double c = Value(c_bits);
  if (std::fabs(c) < 0x1p-126) c = 0;
  bool nan = std::isnan(c), plus = c == INFINITY, minus = c == -INFINITY;
  int top = c == 0 || !std::isfinite(c) ? -127 : std::ilogb(c);
  for (size_t k = 0; k < a.size(); ++k) {
    if (a[k].absent || w[k].absent) continue;
    const double product = a[k].value * w[k].value;  // exact, or special by IEEE's own rules
    if (std::isnan(product)) nan = true;
    if (product == INFINITY) plus = true;
    if (product == -INFINITY) minus = true;
    if (a[k].value != 0 && w[k].value != 0) top = std::max(top, a[k].exponent + w[k].exponent);
  }
  if (nan || (plus && minus)) return kNan;
  if (plus) return kInf;
  if (minus) return kInf | 0x80000000;
  double steps = std::trunc(std::ldexp(c, 25 - top));
  for (size_t k = 0; k < a.size(); ++k) {
    if (a[k].absent || w[k].absent) continue;
    steps += std::trunc(std::ldexp(a[k].value * w[k].value, 25 - top));
  }
  if (std::fabs(std::ldexp(steps, top - 25)) < 0x1p-126) return 0;
  const double rounded = std::ldexp(static_cast<double>(static_cast<float>(steps)), top - 25);
  if (std::fabs(rounded) >= 0x1p128) return kInf | (rounded < 0 ? 0x80000000 : 0);
  return std::bit_cast<uint32_t>(static_cast<float>(rounded));
}

// bf16 bits of a chosen flavour: any, near one, special, tiny, huge.
uint16_t RandomBf16(tb::Rng& rng) {
  static constexpr std::array<uint16_t, 14> kEdges = {0x0000, 0x8000, 0x0001, 0x807f, 0x0080,
                                                      0x8080, 0x7f7f, 0xff7f, 0x7f80, 0xff80,
                                                      0x7fc0, 0x3f80, 0xbf80, 0x7f81};
  switch (rng.Below(8)) {
    case 0: return static_cast<uint16_t>(rng.U32());
    case 1: return kEdges[rng.Below(kEdges.size())];
    case 2: return static_cast<uint16_t>(rng.Range(0, 0x0200) | (rng.U32() & 0x8000));
    case 3: return static_cast<uint16_t>(rng.Range(0x7e00, 0x7f7f) | (rng.U32() & 0x8000));
    default: return static_cast<uint16_t>(rng.Range(0x3e00, 0x4100) | (rng.U32() & 0x8000));
  }
}

uint32_t RandomF32(tb::Rng& rng) {
  return uint32_t{RandomBf16(rng)} << 16 | (rng.Chance(0.3) ? 0 : rng.U32() & 0xffff);
}

class Fused8Test : public tb::RandomTest {
 protected:
  static uint32_t OfBf16(uint32_t c, const std::vector<uint16_t>& a,
                         const std::vector<uint16_t>& w) {
    std::array<Operand, 8> ao{}, wo{};
    for (size_t k = 0; k < a.size(); ++k) {
      ao[k] = DecodeBf16(a[k]);
      wo[k] = DecodeBf16(w[k]);
    }
    return Fused8(c, ao.data(), wo.data());
  }
};

TEST_F(Fused8Test, FollowsTheContractOnBf16) {
  for (int trial = 0; trial < 400000; ++trial) {
    const uint32_t c = RandomF32(rng_);
    std::array<Operand, 8> a{}, w{};
    std::vector<Term> ta(8), tw(8);
    const double absent = rng_.Chance(0.5) ? 0 : 0.3;
    for (int k = 0; k < 8; ++k) {
      const uint16_t ab = RandomBf16(rng_), wb = RandomBf16(rng_);
      a[k] = DecodeBf16(ab);
      ta[k] = TermOfBf16(ab);
      if (rng_.Chance(absent)) {
        tw[k].absent = true;
      } else {
        w[k] = DecodeBf16(wb);
        tw[k] = TermOfBf16(wb);
      }
    }
    ASSERT_EQ(Fused8(c, a.data(), w.data()), Reference(c, ta, tw)) << "c " << std::hex << c;
  }
}

TEST_F(Fused8Test, FollowsTheContractOnSlices) {
  for (int trial = 0; trial < 200000; ++trial) {
    const uint32_t c = RandomF32(rng_);
    const int sa = static_cast<int>(rng_.Below(3)), sw = static_cast<int>(rng_.Below(3));
    const bool leading = sa == 0 && sw == 0;
    std::array<Operand, 8> a{}, w{};
    std::vector<Term> ta(8), tw(8);
    for (int k = 0; k < 8; ++k) {
      const uint32_t ab = RandomF32(rng_), wb = RandomF32(rng_);
      a[k] = DecodeF32Slice(ab, sa, leading);
      w[k] = DecodeF32Slice(wb, sw, leading);
      ta[k] = TermOfSlice(ab, sa, leading);
      tw[k] = TermOfSlice(wb, sw, leading);
    }
    ASSERT_EQ(Fused8(c, a.data(), w.data()), Reference(c, ta, tw)) << "c " << std::hex << c;
  }
}

TEST_F(Fused8Test, ColumnsSideBySideGiveTheSameBits) {
  for (int trial = 0; trial < 3000; ++trial) {
    const size_t columns = static_cast<size_t>(rng_.Range(1, 40));
    const bool tame = rng_.Chance(0.5);  // the fast path needs columns without Inf and NaN
    const auto draw = [&] {
      const uint16_t bits = RandomBf16(rng_);
      return tame && (bits & 0x7f80) == 0x7f80 ? uint16_t{0x3f80} : bits;
    };
    std::array<Operand, 8> a;
    for (Operand& operand : a) operand = DecodeBf16(draw());
    std::vector<int16_t> significands(8 * columns), exponents(8 * columns);
    std::vector<OperandKind> kinds(8 * columns);
    bool special = false;
    for (size_t i = 0; i < 8 * columns; ++i) {
      const Operand w = rng_.Chance(0.1) ? Operand{} : DecodeBf16(draw());
      significands[i] = w.significand;
      exponents[i] = w.exponent;
      kinds[i] = w.kind;
      special |= w.IsSpecial();
    }
    std::vector<uint32_t> c(columns), out(columns);
    for (uint32_t& value : c) value = tame ? uint32_t{draw()} << 16 : RandomF32(rng_);
    const FusedWeights weights = {significands.data(), exponents.data(), kinds.data(), columns,
                                  special};
    Fused8Columns(c.data(), a.data(), weights, columns, out.data());
    for (size_t n = 0; n < columns; ++n) {
      std::array<Operand, 8> w;
      for (size_t k = 0; k < 8; ++k) w[k] = weights.At(k, n);
      ASSERT_EQ(out[n], Fused8(c[n], a.data(), w.data()));
    }
  }
}

TEST_F(Fused8Test, F32RoundsToBf16OnTheWayIn) {
  EXPECT_EQ(DecodeF32Rounded(0x007fffff).kind, OperandKind::kZero);  // before it is rounded
  EXPECT_EQ(DecodeF32Rounded(0x7f7fffff).kind, OperandKind::kInf);
  EXPECT_EQ(DecodeF32Rounded(0x7f800001).kind, OperandKind::kNan);
  EXPECT_EQ(DecodeF32Rounded(0xffffffff).kind, OperandKind::kNan);
  EXPECT_EQ(DecodeF32Rounded(0x3f808000).significand, 0x80);  // a tie, to even
  EXPECT_EQ(DecodeF32Rounded(0x3f818000).significand, 0x82);
  EXPECT_EQ(DecodeF32Rounded(0x3fffffff).exponent, 1);  // 2.0
  for (int trial = 0; trial < 100000; ++trial) {
    const uint32_t bits = RandomF32(rng_);
    const double value = Value(bits);
    if (!std::isfinite(value) || std::fabs(value) < 0x1p-126 || std::fabs(value) > 0x1.fep127) {
      continue;
    }
    const Operand operand = DecodeF32Rounded(bits);
    const int ulp = std::ilogb(value) - 7;
    const double expected = std::ldexp(std::nearbyint(std::ldexp(value, -ulp)), ulp);
    ASSERT_EQ(std::ldexp(operand.significand, operand.exponent - 7), expected) << bits;
  }
}

TEST_F(Fused8Test, EightFairTermsOfCaseB07) {
  // A and B all 0x3fa1 with K = 4: 6.328... rounds to 0x40cb as bf16.
  const std::vector<uint16_t> terms(4, 0x3fa1);
  const uint32_t sum = OfBf16(0, terms, terms);
  EXPECT_EQ((sum + 0x7fff + (sum >> 16 & 1)) >> 16, 0x40cbu);
}

TEST_F(Fused8Test, CaseB08KeepsSmallTerms) {
  uint32_t c = 0;
  for (int k = 0; k < 301; k += 8) {
    std::array<Operand, 8> a{}, w{};
    for (int j = 0; j < 8 && k + j < 301; ++j) {
      a[j] = DecodeBf16(k + j == 0 ? 0x4380 : 0x3f80);
      w[j] = DecodeBf16(0x3f80);
    }
    c = Fused8(c, a.data(), w.data());
  }
  EXPECT_EQ(Value(c), 556.0);
}

TEST_F(Fused8Test, ZeroTimesHugeDoesNotRaiseTheGrid) {
  // 0 x 1e35 beside a small sum: a zero product takes no part in the maximum.
  const uint32_t small = std::bit_cast<uint32_t>(1.0f + 0x1p-23f);
  EXPECT_EQ(OfBf16(small, {0x0000}, {0x7a40}), small);
  EXPECT_EQ(OfBf16(small, {0x0001}, {0x7a40}), small);  // a subnormal is a zero
}

TEST_F(Fused8Test, AbsentTermsHideInfAndNan) {
  const Operand absent;
  for (uint16_t bits : {0x7f80, 0xff80, 0x7fc0, 0x7f81}) {
    std::array<Operand, 8> a{}, w{};
    a[0] = w[0] = DecodeBf16(0x3f80);
    a[1] = DecodeBf16(bits);
    w[1] = absent;
    EXPECT_EQ(Value(Fused8(0, a.data(), w.data())), 1.0);
    std::swap(a[1], w[1]);
    EXPECT_EQ(Value(Fused8(0, a.data(), w.data())), 1.0);
  }
}

TEST_F(Fused8Test, Specials) {
  EXPECT_EQ(OfBf16(0, {0x7f80}, {0x0000}), kNan);          // Inf x 0
  EXPECT_EQ(OfBf16(0, {0x7f80}, {0x0001}), kNan);          // Inf x subnormal
  EXPECT_EQ(OfBf16(kInf, {0xff80}, {0x3f80}), kNan);       // Inf - Inf
  EXPECT_EQ(OfBf16(kInf, {0x7f7f}, {0xff7f}), kInf);       // a finite product is no infinity
  EXPECT_EQ(OfBf16(0, {0xff80}, {0x3f80}), kInf | 0x80000000);
  EXPECT_EQ(OfBf16(0x7f800001, {}, {}), kNan);
  EXPECT_EQ(OfBf16(0xffc00000, {}, {}), kNan);
  // 2^128 - 2^128 is 0 and not NaN.
  EXPECT_EQ(OfBf16(0, {0x5f80, 0x5f80}, {0x5f80, 0xdf80}), 0u);
}

TEST_F(Fused8Test, EdgesOfTheRange) {
  // Tininess before rounding: 2^-126 - 2^-151 is +0.
  EXPECT_EQ(OfBf16(0x00800000, {0x1a00}, {0x9980}), 0u);
  // Max finite + half an ulp is a tie, and Inf.
  EXPECT_EQ(OfBf16(0x7f7fffff, {0x5f80}, {0x5300}), kInf);
  EXPECT_EQ(OfBf16(0x7f7fffff, {0x5f80}, {0x5280}), 0x7f7fffffu);
}

TEST_F(Fused8Test, AGroupWithoutTermsIsTheIdentity) {
  const std::vector<uint16_t> zeros(8, 0);
  for (int trial = 0; trial < 20000; ++trial) {
    uint32_t c = RandomF32(rng_);
    const double value = Value(c);
    uint32_t canonical = c;
    if (std::isnan(value)) canonical = kNan;
    if (std::fabs(value) < 0x1p-126) canonical = 0;
    EXPECT_EQ(OfBf16(c, {}, {}), canonical);
    EXPECT_EQ(OfBf16(c, zeros, zeros), canonical);
  }
}

TEST_F(Fused8Test, SymmetriesHold) {
  for (int trial = 0; trial < 20000; ++trial) {
    std::vector<uint16_t> a(8), w(8);
    for (int k = 0; k < 8; ++k) {
      a[k] = RandomBf16(rng_);
      w[k] = RandomBf16(rng_);
    }
    const uint32_t c = RandomF32(rng_);
    const uint32_t result = OfBf16(c, a, w);
    EXPECT_EQ(OfBf16(c, w, a), result);
    std::vector<uint16_t> ra(a.rbegin(), a.rend()), rw(w.rbegin(), w.rend());
    EXPECT_EQ(OfBf16(c, ra, rw), result);
    for (uint16_t& bits : a) bits ^= 0x8000;
    const uint32_t negated = result == 0 || result == kNan ? result : result ^ 0x80000000;
    EXPECT_EQ(OfBf16(c ^ 0x80000000, a, w), negated);
  }
}

TEST_F(Fused8Test, SumsOfIntegersAreExact) {
  for (int trial = 0; trial < 20000; ++trial) {
    std::vector<uint16_t> a(8), w(8);
    double sum = static_cast<double>(rng_.Range(-1000000, 1000000));
    const uint32_t c = std::bit_cast<uint32_t>(static_cast<float>(sum));
    for (int k = 0; k < 8; ++k) {
      const float x = static_cast<float>(rng_.Range(-255, 255));
      const float y = static_cast<float>(rng_.Range(-255, 255));
      a[k] = static_cast<uint16_t>(std::bit_cast<uint32_t>(x) >> 16);
      w[k] = static_cast<uint16_t>(std::bit_cast<uint32_t>(y) >> 16);
      sum += Bf16Value(a[k]) * Bf16Value(w[k]);
    }
    EXPECT_EQ(Value(OfBf16(c, a, w)), sum);
  }
}

TEST(MxuArrayTest, Int8WrapsAsCaseC16Says) {
  MxuArray array(16, 8);
  const auto dot = [&](int length, int8_t a, int8_t w) {
    uint32_t c[8] = {};
    for (int k = 0; k < length; k += 16) {
      array.Clear();
      std::vector<int8_t> row(16, a);
      for (int j = 0; j < 16 && k + j < length; ++j) array.SetInt8(j, 0, w);
      array.MultiplyInt8(row.data(), c);
    }
    return static_cast<int32_t>(c[0]);
  };
  EXPECT_EQ(dot(1, 100, 100), 10000);
  EXPECT_EQ(dot(16, 127, 127), 258064);
  EXPECT_EQ(dot(131071, -128, -128), 2147467264);
  EXPECT_EQ(dot(131072, -128, -128), INT32_MIN);
}

}  // namespace
}  // namespace systolith::golden
