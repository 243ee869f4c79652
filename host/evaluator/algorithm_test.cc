// Operations that are whole algorithms, and the special functions, against values from elsewhere.
#include <cmath>
#include <random>

#include "host/evaluator/special_functions.h"
#include "host/evaluator/test_util.h"

namespace systolith::evaluator {
namespace {

constexpr ElementType kF32 = ElementType::kF32, kU64 = ElementType::kU64, kU32 = ElementType::kU32;
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

Literal Words(const std::vector<uint64_t>& words) {
  return Literal::Of<uint64_t>(Shape{kU64, {static_cast<int64_t>(words.size())}}, words);
}

std::vector<Literal> Bits(const std::string& algorithm, const Literal& state,
                          const std::string& type) {
  const std::string s = state.shape().ToString(), t = "tensor<" + type + ">";
  return RunProgram("func.func @main(%s: " + s + ") -> (" + s + ", " + t + ") {\n" +
                        "  %0:2 = stablehlo.rng_bit_generator %s, algorithm = " + algorithm +
                        " : (" + s + ") -> (" + s + ", " + t + ")\n  return %0#0, %0#1 : " + s +
                        ", " + t + "\n}\n",
                    {state});
}

uint64_t ThreeFry(uint64_t key, uint64_t counter) {
  return Bits("THREE_FRY", Words({key, counter}), "ui64")[1].As<uint64_t>()[0];
}

// The known answers that the authors of both ciphers publish; words of 32 bits, the lower first.
TEST(RandomBitsTest, ThreeFryGivesThePublishedAnswers) {
  EXPECT_EQ(ThreeFry(0, 0), 0x99ba4efe6b200159U);
  EXPECT_EQ(ThreeFry(~uint64_t{0}, ~uint64_t{0}), 0xbb002be71cb996fcU);
  EXPECT_EQ(ThreeFry(0x0370734413198a2eU, 0x85a308d3243f6a88U), 0x483df7a0c4923a9cU);
}

TEST(RandomBitsTest, PhiloxGivesThePublishedAnswers) {
  const auto philox = [](const std::vector<uint64_t>& state) {
    const std::vector<Literal> results = Bits("PHILOX", Words(state), "4xui32");
    const auto bits = results[1].As<uint32_t>();
    return std::vector<uint32_t>(bits.begin(), bits.end());
  };
  const uint64_t ones = ~uint64_t{0};
  EXPECT_EQ(philox({0, 0, 0}),
            (std::vector<uint32_t>{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}));
  EXPECT_EQ(philox({ones, ones, ones}),
            (std::vector<uint32_t>{0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd}));
  EXPECT_EQ(philox({0x299f31d0a4093822U, 0x85a308d3243f6a88U, 0x0370734413198a2eU}),
            (std::vector<uint32_t>{0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1}));
}

TEST(RandomBitsTest, ThreeFryHalvesTheFirstEvenDimensionOrTheLargest) {
  constexpr uint64_t kKey = 7, kCounter = 0xfffffffffffffffeU;  // wraps on the way
  const auto half = [](uint64_t run, int64_t which) {
    return static_cast<uint32_t>(ThreeFry(kKey, kCounter + run) >> (32 * which));
  };
  const std::vector<Literal> even = Bits("THREE_FRY", Words({kKey, kCounter}), "3x4xui32");
  for (int64_t i = 0; i < 12; ++i) {
    const int64_t row = i / 4, column = i % 4;
    EXPECT_EQ(even[1].As<uint32_t>()[static_cast<size_t>(i)],
              half(static_cast<uint64_t>(row * 2 + column / 2), column % 2));
  }
  EXPECT_EQ(even[0].As<uint64_t>()[0], kKey);
  EXPECT_EQ(even[0].As<uint64_t>()[1], kCounter + 6);
  const std::vector<Literal> odd = Bits("THREE_FRY", Words({kKey, kCounter}), "3x5xui8");
  for (int64_t i = 0; i < 15; ++i) {
    const int64_t row = i / 5, column = i % 5;
    EXPECT_EQ(odd[1].As<uint8_t>()[static_cast<size_t>(i)],
              half(static_cast<uint64_t>(row * 3 + column / 2), column % 2) & 0xff);
  }
  EXPECT_EQ(odd[0].As<uint64_t>()[1], kCounter + 9);
}

TEST(RandomBitsTest, PhiloxCountsIn128BitsAndDefaultsToIt) {
  const uint64_t ones = ~uint64_t{0};
  const std::vector<Literal> across = Bits("PHILOX", Words({5, ones, 3}), "2x3xui32");
  EXPECT_EQ(across[0], Words({5, 1, 4}));
  const std::vector<Literal> second = Bits("PHILOX", Words({5, 0, 4}), "2xui32");
  for (size_t i = 0; i < 2; ++i) {
    EXPECT_EQ(across[1].As<uint32_t>()[4 + i], second[1].As<uint32_t>()[i]);
  }
  // A state of two words has the key above the counter.
  const std::vector<Literal> two = Bits("DEFAULT", Words({5, 9}), "3xui64");
  EXPECT_EQ(two[1], Bits("PHILOX", Words({5, 9, 5}), "3xui64")[1]);
  EXPECT_EQ(two[0], Words({5, 11}));
  // The same in words of 32 bits.
  const Literal narrow = Literal::Of<uint32_t>(Shape{kU32, {4}}, std::vector<uint32_t>{5, 0, 9, 0});
  const std::vector<Literal> same = Bits("DEFAULT", narrow, "3xui64");
  EXPECT_EQ(same[1], two[1]);
  EXPECT_EQ(same[0].GetInt(2), 11);
}

class BatchNormTest : public testing::Test {
 protected:
  static constexpr int64_t kFeatures = 3, kRows = 4, kColumns = 5;
  static constexpr double kEpsilon = 0.25;
  static constexpr int64_t kCount = kRows * kColumns;

  // 4 x 3 x 5: the features in the middle.
  double& At(std::vector<double>& x, int64_t feature, int64_t i) {
    return x[static_cast<size_t>((i / kColumns * kFeatures + feature) * kColumns + i % kColumns)];
  }
  std::vector<double> Random(int64_t count) {
    std::vector<double> values;
    for (int64_t i = 0; i < count; ++i) values.push_back(normal_(rng_));
    return values;
  }
  static Literal Of(const std::vector<double>& values) {
    return values.size() == kFeatures ? Tensor(kF32, {kFeatures}, values)
                                      : Tensor(kF32, {kRows, kFeatures, kColumns}, values);
  }
  static std::vector<Literal> Run(const std::string& name,
                                  const std::vector<std::vector<double>>& arguments,
                                  const std::vector<bool>& results) {
    const std::string big = "tensor<4x3x5xf32>", small = "tensor<3xf32>";
    std::string declared, names, from, to, values;
    std::vector<Literal> literals;
    for (const auto& argument : arguments) {
      const std::string n = std::to_string(literals.size());
      const std::string type = argument.size() == kFeatures ? small : big;
      declared += (n == "0" ? "%a" : ", %a") + n + ": " + type;
      names += (n == "0" ? "%a" : ", %a") + n;
      from += (n == "0" ? "" : ", ") + type;
      literals.push_back(Of(argument));
    }
    for (size_t i = 0; i < results.size(); ++i) {
      to += (i == 0 ? "" : ", ") + (results[i] ? big : small);
      values += (i == 0 ? "%r#" : ", %r#") + std::to_string(i);
    }
    const std::string count = std::to_string(results.size());
    return RunProgram("func.func @main(" + declared + ") -> (" + to + ") {\n  %r:" + count +
                          " = \"stablehlo.batch_norm_" + name + "\"(" + names +
                          ") <{epsilon = 2.5e-01 : f32, feature_index = 1 : i64}> : (" + from +
                          ") -> (" + to + ")\n  return " + values + " : " + to + "\n}\n",
                      literals);
  }
  static void ExpectNear(const Literal& actual, const std::vector<double>& expected) {
    ASSERT_EQ(static_cast<size_t>(actual.size()), expected.size());
    for (size_t i = 0; i < expected.size(); ++i) {
      EXPECT_NEAR(actual.GetDouble(static_cast<int64_t>(i)), expected[i], 1e-5) << i;
    }
  }

  std::mt19937 rng_{11};
  std::normal_distribution<double> normal_;
};

TEST_F(BatchNormTest, TrainingNormalizesByTheBatch) {
  std::vector<double> x = Random(kFeatures * kCount), y(x.size());
  const std::vector<double> scale = Random(kFeatures), offset = Random(kFeatures);
  std::vector<double> mean(kFeatures), variance(kFeatures);
  for (size_t f = 0; f < kFeatures; ++f) {
    const auto feature = static_cast<int64_t>(f);
    double sum = 0, squares = 0;
    for (int64_t i = 0; i < kCount; ++i) sum += At(x, feature, i);
    mean[f] = sum / kCount;
    for (int64_t i = 0; i < kCount; ++i) squares += std::pow(At(x, feature, i) - mean[f], 2);
    variance[f] = squares / kCount;
    for (int64_t i = 0; i < kCount; ++i) {
      At(y, feature, i) =
          (At(x, feature, i) - mean[f]) / std::sqrt(variance[f] + kEpsilon) * scale[f] + offset[f];
    }
  }
  const auto training = Run("training", {x, scale, offset}, {true, false, false});
  ExpectNear(training.at(0), y);
  ExpectNear(training.at(1), mean);
  ExpectNear(training.at(2), variance);
  ExpectNear(Run("inference", {x, scale, offset, mean, variance}, {true}).at(0), y);
}

TEST_F(BatchNormTest, GradientsAreTheDerivatives) {
  std::vector<double> x = Random(kFeatures * kCount), dy = Random(kFeatures * kCount);
  std::vector<double> dx(x.size()), dscale(kFeatures), doffset(kFeatures);
  const std::vector<double> scale = Random(kFeatures), mean = Random(kFeatures);
  const std::vector<double> variance = {0.5, 1, 2};
  for (size_t f = 0; f < kFeatures; ++f) {
    const auto feature = static_cast<int64_t>(f);
    const double deviation = std::sqrt(variance[f] + kEpsilon);
    const auto normal = [&](int64_t i) { return (At(x, feature, i) - mean[f]) / deviation; };
    for (int64_t i = 0; i < kCount; ++i) {
      dscale[f] += At(dy, feature, i) * normal(i);
      doffset[f] += At(dy, feature, i);
    }
    for (int64_t i = 0; i < kCount; ++i) {
      At(dx, feature, i) = scale[f] / deviation *
                           (At(dy, feature, i) - (doffset[f] + normal(i) * dscale[f]) / kCount);
    }
  }
  const auto gradients = Run("grad", {x, scale, mean, variance, dy}, {true, false, false});
  ExpectNear(gradients.at(0), dx);
  ExpectNear(gradients.at(1), dscale);
  ExpectNear(gradients.at(2), doffset);
}

// NaN in the triangle that must not be read.
Literal Triangle(int64_t n, bool lower, bool unit, std::mt19937& rng) {
  std::uniform_real_distribution<double> uniform(-1, 1);
  Literal a(Shape{kF32, {2, n, n}});
  for (int64_t i = 0; i < a.size(); ++i) {
    const int64_t row = i / n % n, column = i % n;
    const bool inside = lower ? column < row : column > row;
    a.SetDouble(i, row == column ? (unit ? kNan : 2) : inside ? uniform(rng) : kNan);
  }
  return a;
}

TEST(LinearAlgebraTest, TriangularSystemsAreSolvedFromEitherSide) {
  std::mt19937 rng(12);
  constexpr int64_t kN = 5, kOther = 3;
  for (int mask = 0; mask < 16; ++mask) {
    const bool left = mask & 1, lower = mask & 2, unit = mask & 4, transposed = mask & 8;
    SCOPED_TRACE(mask);
    const Literal a = Triangle(kN, lower, unit, rng);
    const Dims dims = left ? Dims{2, kN, kOther} : Dims{2, kOther, kN};
    Literal b(Shape{kF32, dims});
    for (int64_t i = 0; i < b.size(); ++i) b.SetInt(i, static_cast<int64_t>(rng() % 9) - 4);
    const auto flag = [](bool value) { return value ? "true" : "false"; };
    const std::string at = a.shape().ToString(), bt = b.shape().ToString();
    const auto results = RunProgram(
        Program({at, bt}, bt,
                std::string("\"stablehlo.triangular_solve\"(%arg0, %arg1) <{left_side = ") +
                    flag(left) + ", lower = " + flag(lower) +
                    ", transpose_a = #stablehlo<transpose " +
                    (transposed ? "TRANSPOSE" : "NO_TRANSPOSE") + ">, unit_diagonal = " +
                    flag(unit) + "}> : (" + at + ", " + bt + ") -> " + bt),
        {a, b});
    ASSERT_EQ(results.size(), 1U);
    const auto coefficient = [&](int64_t m, int64_t i, int64_t j) {
      if (transposed) std::swap(i, j);
      if (i == j) return unit ? 1.0 : 2.0;
      return (j < i) == lower ? a.GetDouble((m * kN + i) * kN + j) : 0.0;
    };
    for (int64_t i = 0; i < b.size(); ++i) {
      const int64_t m = i / (kN * kOther), row = i / dims[2] % dims[1], column = i % dims[2];
      double sum = 0;
      for (int64_t k = 0; k < kN; ++k) {
        const int64_t other = left ? (m * kN + k) * kOther + column : (m * kOther + row) * kN + k;
        sum += results[0].GetDouble(other) *
               (left ? coefficient(m, row, k) : coefficient(m, k, column));
      }
      EXPECT_NEAR(sum, b.GetDouble(i), 1e-4) << i;
    }
  }
}

TEST(LinearAlgebraTest, CholeskyReadsOneTriangleAndRefusesTheRest) {
  const std::string type = "tensor<3x3xf32>";
  const auto run = [&](const std::vector<double>& a, const std::string& lower) {
    return Values(RunProgram(Program({type}, type, "stablehlo.cholesky %arg0, lower = " + lower +
                                                       " : " + type),
                             {Tensor(kF32, {3, 3}, a)})[0]);
  };
  EXPECT_EQ(run({4, kNan, kNan, 12, 37, kNan, -16, -43, 98}, "true"),
            (std::vector<double>{2, 0, 0, 6, 1, 0, -8, 5, 3}));
  EXPECT_EQ(run({4, 12, -16, kNan, 37, -43, kNan, kNan, 98}, "false"),
            (std::vector<double>{2, 6, -8, 0, 1, 5, 0, 0, 3}));
  EXPECT_TRUE(std::isnan(run({1, 0, 0, 0, -1, 0, 0, 0, 1}, "true")[0]));
}

// A decomposition that is wrong shows which way was taken.
TEST(CompositeTest, KnownNamesCountMoreThanTheirDecomposition) {
  const auto run = [](const std::string& name) {
    return Values(RunProgram(
        "func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {\n"
        "  %0 = stablehlo.composite \"" + name + "\" %x {decomposition = @wrong} : "
        "(tensor<2xf32>) -> tensor<2xf32>\n  return %0 : tensor<2xf32>\n}\n"
        "func.func private @wrong(%x: tensor<2xf32>) -> tensor<2xf32> {\n"
        "  return %x : tensor<2xf32>\n}\n",
        {Tensor(kF32, {2}, {0, 1})})[0]);
  };
  EXPECT_EQ(run("chlo.erf"), (std::vector<double>{0, static_cast<float>(std::erf(1.0))}));
  EXPECT_EQ(run("chlo.next_after"), (std::vector<double>{0, 1}));  // takes two operands
  EXPECT_EQ(run("other.erf"), (std::vector<double>{0, 1}));
}

TEST(SpecialFunctionsTest, KnownValues) {
  const auto near = [](double value, double expected) {
    EXPECT_NEAR(value, expected, 1e-14 * std::fabs(expected) + 1e-16) << expected;
  };
  near(Digamma(1), -0.57721566490153286);
  near(Digamma(0.5), -1.9635100260214235);
  near(Digamma(-0.5), 0.036489973978576521);
  near(Digamma(10), 2.2517525890667211);
  near(Zeta(2, 1), 1.6449340668482264);
  near(Zeta(3, 1), 1.2020569031595943);
  near(Zeta(2, 0.5), 4.9348022005446793);
  near(Zeta(4, -1.5), 0.19753086419753086 + 16 + 15 * 1.0823232337111382);
  near(Zeta(3, -1.5), -8.0 / 27 - 8 + 7 * 1.2020569031595943);
  near(Polygamma(1, 1), 1.6449340668482264);
  near(Polygamma(2, 1), -2.4041138063191886);
  near(Polygamma(0, 1), -0.57721566490153286);
  near(BesselI1e(1), 0.20791041534970845);
  near(BesselI1e(-1), -0.20791041534970845);
  near(BesselI1e(std::nextafter(40.0, 0.0)), BesselI1e(40));
  near(ErfInverse(0.5), 0.47693627620446987);
}

TEST(SpecialFunctionsTest, PolesAndEdges) {
  const double infinity = std::numeric_limits<double>::infinity();
  for (const double pole : {0.0, -1.0, -7.0}) EXPECT_TRUE(std::isnan(Digamma(pole))) << pole;
  EXPECT_EQ(Digamma(infinity), infinity);
  EXPECT_EQ(Zeta(1, 2), infinity);
  EXPECT_TRUE(std::isnan(Zeta(0.5, 2)));
  EXPECT_EQ(Zeta(2, -3), infinity);
  EXPECT_TRUE(std::isnan(Zeta(2.5, -0.5)));
  EXPECT_EQ(Zeta(3, infinity), 0);
  EXPECT_TRUE(std::isnan(Polygamma(1.5, 2)));
  EXPECT_TRUE(std::isnan(Polygamma(-1, 2)));
  EXPECT_EQ(BesselI1e(0), 0);
  EXPECT_EQ(BesselI1e(infinity), 0);
}

}  // namespace
}  // namespace systolith::evaluator
