// Situations in which comparable projects failed their users, with the right values: the cases
// A01, A02, A03, A05, B07, B08, C16 and D19.
#include <algorithm>
#include <random>

#include "host/evaluator/test_util.h"

namespace systolith::evaluator {
namespace {

constexpr ElementType kF32 = ElementType::kF32, kBF16 = ElementType::kBF16;
constexpr ElementType kS8 = ElementType::kS8;

std::vector<double> Ones(int64_t count) {
  return std::vector<double>(static_cast<size_t>(count), 1);
}

struct Conv {
  std::string input, kernel, output, dims, window;
  int feature_groups = 1;
};

std::string ConvProgram(const Conv& conv) {
  return Program({conv.input, conv.kernel}, conv.output,
                 "stablehlo.convolution(%arg0, %arg1) dim_numbers = " + conv.dims + ", window = {" +
                     conv.window + "} {batch_group_count = 1 : i64, feature_group_count = " +
                     std::to_string(conv.feature_groups) + " : i64} : (" + conv.input + ", " +
                     conv.kernel + ") -> " + conv.output);
}

const char* const kOneDimension = "[b, 0, f]x[0, i, o]->[b, 0, f]";
const char* const kTwoDimensions = "[b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f]";

TEST(FieldCaseTest, A01StrideAboveKernelTakesTheDocumentedSamples) {
  const auto a =
      RunProgram(ConvProgram({"tensor<1x5x1xf32>", "tensor<1x1x1xf32>", "tensor<1x2x1xf32>",
                              kOneDimension, "stride = [3]"}),
                 {Tensor(kF32, {1, 5, 1}, {10, 11, 12, 13, 14}), Tensor(kF32, {1, 1, 1}, {1})});
  EXPECT_EQ(Values(a[0]), (std::vector<double>{10, 13}));
  const auto b =
      RunProgram(ConvProgram({"tensor<1x4x1xf32>", "tensor<2x1x1xf32>", "tensor<1x2x1xf32>",
                              kOneDimension, "stride = [3], pad = [[0, 1]]"}),
                 {Tensor(kF32, {1, 4, 1}, {1, 2, 3, 4}), Tensor(kF32, {2, 1, 1}, {1, 1})});
  EXPECT_EQ(Values(b[0]), (std::vector<double>{3, 4}));
}

TEST(FieldCaseTest, A01OddPaddingGoesToTheHighSide) {
  for (const int64_t size : {8, 6}) {
    const std::string n = std::to_string(size), half = std::to_string(size / 2);
    const auto result = RunProgram(
        ConvProgram({"tensor<1x" + n + "x" + n + "x1xf32>", "tensor<3x3x1x1xf32>",
                     "tensor<1x" + half + "x" + half + "x1xf32>", kTwoDimensions,
                     "stride = [2, 2], pad = [[0, 1], [0, 1]]"}),
        {Tensor(kF32, {1, size, size, 1}, Ones(size * size)), Tensor(kF32, {3, 3, 1, 1}, Ones(9))});
    EXPECT_EQ(Values(result[0]).front(), 9);  // nothing is padded before the first row and column
    EXPECT_EQ(Values(result[0]).back(), 4);
  }
}

TEST(FieldCaseTest, A02DilatedStridedDepthwiseEqualsTheDirectLoops) {
  std::mt19937 rng(2);
  for (const int64_t size : {20, 21}) {
    const int64_t out = (size - 7) / 2 + 1;
    ASSERT_EQ(out, size == 20 ? 7 : 8);
    std::vector<double> x(static_cast<size_t>(size * size * 5)), w(3 * 3 * 5);
    for (double& value : x) value = static_cast<int>(rng() % 17) - 8;
    for (double& value : w) value = static_cast<int>(rng() % 17) - 8;
    const std::string n = std::to_string(size), m = std::to_string(out);
    const auto result = RunProgram(
        ConvProgram({"tensor<1x" + n + "x" + n + "x5xf32>", "tensor<3x3x1x5xf32>",
                     "tensor<1x" + m + "x" + m + "x5xf32>", kTwoDimensions,
                     "stride = [2, 2], rhs_dilate = [3, 3]", 5}),
        {Tensor(kF32, {1, size, size, 5}, x), Tensor(kF32, {3, 3, 1, 5}, w)});
    std::vector<double> expected;
    for (int64_t oy = 0; oy < out; ++oy) {
      for (int64_t ox = 0; ox < out; ++ox) {
        for (int64_t c = 0; c < 5; ++c) {
          double sum = 0;
          for (int64_t ky = 0; ky < 3; ++ky) {
            for (int64_t kx = 0; kx < 3; ++kx) {
              sum += x[static_cast<size_t>(((2 * oy + 3 * ky) * size + 2 * ox + 3 * kx) * 5 + c)] *
                     w[static_cast<size_t>((ky * 3 + kx) * 5 + c)];
            }
          }
          expected.push_back(sum);
        }
      }
    }
    EXPECT_EQ(Values(result[0]), expected);
  }
}

TEST(FieldCaseTest, A03GroupedInt8ConvolutionIsRightInEveryChannel) {
  std::vector<double> x, w;
  for (int c = 0; c < 6; ++c) x.push_back(c - 2);
  for (int in = 0; in < 3; ++in) {
    for (int o = 0; o < 6; ++o) w.push_back(o + 1);
  }
  const auto two = RunProgram(ConvProgram({"tensor<1x1x1x6xi8>", "tensor<1x1x3x6xi8>",
                                    "tensor<1x1x1x6xi32>", kTwoDimensions, "", 2}),
                       {Tensor(kS8, {1, 1, 1, 6}, x), Tensor(kS8, {1, 1, 3, 6}, w)});
  EXPECT_EQ(Values(two[0]), (std::vector<double>{-3, -6, -9, 24, 30, 36}));

  // Three groups, and a 3x3 kernel over a padded 1x1 image: only the middle tap counts.
  std::vector<double> spatial(3 * 3 * 2 * 6, 100);
  for (int in = 0; in < 2; ++in) {
    for (int o = 0; o < 6; ++o) spatial[static_cast<size_t>((4 * 2 + in) * 6 + o)] = o + 1;
  }
  const auto three = RunProgram(ConvProgram({"tensor<1x1x1x6xi8>", "tensor<3x3x2x6xi8>",
                                      "tensor<1x1x1x6xi32>", kTwoDimensions,
                                      "pad = [[1, 1], [1, 1]]", 3}),
                         {Tensor(kS8, {1, 1, 1, 6}, x), Tensor(kS8, {3, 3, 2, 6}, spatial)});
  EXPECT_EQ(Values(three[0]), (std::vector<double>{-3, -6, 3, 4, 25, 30}));
}

TEST(FieldCaseTest, A05TransposedConvolutionCoversEveryElement) {
  const auto result = RunProgram(
      ConvProgram({"tensor<1x5x5x3xf32>", "tensor<4x4x3x1xf32>", "tensor<1x10x10x1xf32>",
                   kTwoDimensions, "pad = [[2, 2], [2, 2]], lhs_dilate = [2, 2]"}),
      {Tensor(kF32, {1, 5, 5, 3}, Ones(75)), Tensor(kF32, {4, 4, 3, 1}, Ones(48))});
  const std::vector<double> values = Values(result[0]);
  double total = 0;
  for (int y = 0; y < 10; ++y) {
    for (int x = 0; x < 10; ++x) {
      const bool edge_y = y == 0 || y == 9, edge_x = x == 0 || x == 9;
      const double expected = edge_y && edge_x ? 3 : edge_y || edge_x ? 6 : 12;
      EXPECT_EQ(values[static_cast<size_t>(y * 10 + x)], expected) << y << ", " << x;
      total += values[static_cast<size_t>(y * 10 + x)];
    }
  }
  EXPECT_EQ(total, 972);
}

TEST(FieldCaseTest, A05OblongTransposedKernelKeepsItsAxes) {
  // Kernel 3x5, stride (2, 1), padding 1: each of 25 inputs adds its whole kernel, cut at the edge.
  const auto result = RunProgram(
      ConvProgram({"tensor<1x5x5x1xf32>", "tensor<3x5x1x1xf32>", "tensor<1x9x7x1xf32>",
                   kTwoDimensions, "pad = [[1, 1], [3, 3]], lhs_dilate = [2, 1]"}),
      {Tensor(kF32, {1, 5, 5, 1}, Ones(25)), Tensor(kF32, {3, 5, 1, 1}, Ones(15))});
  std::vector<double> expected(9 * 7, 0);
  for (int iy = 0; iy < 5; ++iy) {
    for (int ix = 0; ix < 5; ++ix) {
      for (int ky = 0; ky < 3; ++ky) {
        for (int kx = 0; kx < 5; ++kx) {
          const int y = 2 * iy + ky - 1, x = ix + kx - 1;
          if (y >= 0 && y < 9 && x >= 0 && x < 7) expected[static_cast<size_t>(y * 7 + x)] += 1;
        }
      }
    }
  }
  EXPECT_EQ(Values(result[0]), expected);
}

std::string DotProgram(const std::string& a, const std::string& b, const std::string& c) {
  return Program({a, b}, c, "stablehlo.dot_general %arg0, %arg1, contracting_dims = [1] x [0] : (" +
                                a + ", " + b + ") -> " + c);
}

TEST(FieldCaseTest, B07ResultsRoundAndAreNotCut) {
  Literal a(Shape{kBF16, {1, 4}}), b(Shape{kBF16, {4, 1}});
  std::fill(a.As<uint16_t>().begin(), a.As<uint16_t>().end(), 0x3FA1);
  std::fill(b.As<uint16_t>().begin(), b.As<uint16_t>().end(), 0x3FA1);
  const auto result =
      RunProgram(DotProgram("tensor<1x4xbf16>", "tensor<4x1xbf16>", "tensor<1x1xbf16>"), {a, b});
  EXPECT_EQ(result[0].As<uint16_t>()[0], 0x40CB);
}

TEST(FieldCaseTest, B08LongSumsOfSmallTermsGrow) {
  std::vector<double> a = Ones(301);
  a[0] = 256;
  const auto result =
      RunProgram(DotProgram("tensor<1x301xbf16>", "tensor<301x1xbf16>", "tensor<1x1xbf16>"),
          {Tensor(kBF16, {1, 301}, a), Tensor(kBF16, {301, 1}, Ones(301))});
  EXPECT_EQ(result[0].As<uint16_t>()[0], 0x440B);
}

TEST(FieldCaseTest, C16Int8ProductsSumIn32BitsAndWrap) {
  const auto dot = [](int64_t k, double x) {
    const std::vector<double> values(static_cast<size_t>(k), x);
    const std::string n = std::to_string(k);
    return RunProgram(
               DotProgram("tensor<1x" + n + "xi8>", "tensor<" + n + "x1xi8>", "tensor<1x1xi32>"),
               {Tensor(kS8, {1, k}, values), Tensor(kS8, {k, 1}, values)})[0]
        .GetInt(0);
  };
  EXPECT_EQ(dot(1, 100), 10000);
  EXPECT_EQ(dot(16, 127), 258064);
  EXPECT_EQ(dot(131071, -128), 2147467264);
  EXPECT_EQ(dot(131072, -128), -2147483648);
}

TEST(FieldCaseTest, D19EmptyTensorsAndEmptySums) {
  const auto empty =
      RunProgram(DotProgram("tensor<0x32xf32>", "tensor<32x4xf32>", "tensor<0x4xf32>"),
                 {Tensor(kF32, {0, 32}, {}), Literal(Shape{kF32, {32, 4}})});
  EXPECT_EQ(empty[0].size(), 0);
  const auto zeros = RunProgram(DotProgram("tensor<3x0xf32>", "tensor<0x4xf32>", "tensor<3x4xf32>"),
                         {Tensor(kF32, {3, 0}, {}), Tensor(kF32, {0, 4}, {})});
  EXPECT_EQ(Values(zeros[0]), std::vector<double>(12, 0));
  const auto batched = RunProgram(
      Program({"tensor<1x0x32xf32>", "tensor<32x8xf32>"}, "tensor<1x0x8xf32>",
              "stablehlo.dot_general %arg0, %arg1, contracting_dims = [2] x [0] : "
              "(tensor<1x0x32xf32>, tensor<32x8xf32>) -> tensor<1x0x8xf32>"),
      {Tensor(kF32, {1, 0, 32}, {}), Literal(Shape{kF32, {32, 8}})});
  EXPECT_EQ(batched[0].size(), 0);
  const auto scalar = RunProgram(Program({"tensor<f32>"}, "tensor<f32>",
                                  "stablehlo.add %arg0, %arg0 : tensor<f32>"),
                          {Tensor(kF32, {}, {2})});
  EXPECT_EQ(Values(scalar[0]), std::vector<double>{4});
  const auto slice = RunProgram(Program({"tensor<4xf32>"}, "tensor<0xf32>",
                                 "stablehlo.slice %arg0 [2:2] : (tensor<4xf32>) -> tensor<0xf32>"),
                         {Tensor(kF32, {4}, {1, 2, 3, 4})});
  EXPECT_EQ(slice[0].size(), 0);
  const auto images = RunProgram(ConvProgram({"tensor<0x5x5x1xf32>", "tensor<3x3x1x2xf32>",
                                       "tensor<0x3x3x2xf32>", kTwoDimensions, ""}),
                          {Tensor(kF32, {0, 5, 5, 1}, {}), Literal(Shape{kF32, {3, 3, 1, 2}})});
  EXPECT_EQ(images[0].size(), 0);
}

}  // namespace
}  // namespace systolith::evaluator
