// Convolutions through the compiler on the golden model.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <map>

#include "tests/end_to_end/compiled_program_test.h"

namespace systolith::testing {
namespace {

// A two-dimensional convolution, NHWC x HWIO -> NHWC unless `numbers` says otherwise.
struct Conv {
  int64_t n = 1, h = 1, w = 1, c = 1, kh = 1, kw = 1, o = 1;
  std::array<int64_t, 2> stride = {1, 1};
  std::array<std::array<int64_t, 2>, 2> pad = {{{0, 0}, {0, 0}}};
  std::array<int64_t, 2> base_dilation = {1, 1}, window_dilation = {1, 1};
  bool reverse = false;
  int64_t groups = 1;
  std::string type = "bf16", result = "f32";
  std::string numbers = "[b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f]";

  static int64_t Outputs(int64_t input, int64_t taps, int64_t stride, std::array<int64_t, 2> pad,
                         int64_t base, int64_t window) {
    const int64_t padded = (input - 1) * base + 1 + pad[0] + pad[1];
    const int64_t extent = (taps - 1) * window + 1;
    return padded < extent ? 0 : (padded - extent) / stride + 1;
  }
  int64_t OutH() const {
    return Outputs(h, kh, stride[0], pad[0], base_dilation[0], window_dilation[0]);
  }
  int64_t OutW() const {
    return Outputs(w, kw, stride[1], pad[1], base_dilation[1], window_dilation[1]);
  }

  // Dimensions in the order of one of the three parts of `numbers`.
  static std::string Tensor(const std::string& order, const std::map<char, int64_t>& sizes,
                            const std::string& type) {
    std::string text = "tensor<";
    for (const char c : order) {
      if (sizes.contains(c)) text += fmt::format("{}x", sizes.at(c));
    }
    return text + type + ">";
  }

  std::string Text() const {
    const size_t x = numbers.find('x');
    const size_t arrow = numbers.find("->");
    const std::string lhs =
        Tensor(numbers.substr(0, x), {{'b', n}, {'0', h}, {'1', w}, {'f', c}}, type);
    const std::string rhs = Tensor(numbers.substr(x + 1, arrow - x - 1),
                                   {{'0', kh}, {'1', kw}, {'i', c / groups}, {'o', o}}, type);
    const std::string out = Tensor(numbers.substr(arrow),
                                   {{'b', n}, {'0', OutH()}, {'1', OutW()}, {'f', o}}, result);
    return fmt::format(
        "func.func @main(%a: {0}, %b: {1}) -> {2} {{\n"
        "  %0 = stablehlo.convolution(%a, %b) dim_numbers = {3}, window = {{stride = [{4}], "
        "pad = [[{5}], [{6}]], lhs_dilate = [{7}], rhs_dilate = [{8}], reverse = [{9}, {9}]}} "
        "{{batch_group_count = 1 : i64, feature_group_count = {10} : i64}} : ({0}, {1}) -> {2}\n"
        "  return %0 : {2}\n}}\n",
        lhs, rhs, out, numbers, fmt::join(stride, ", "), fmt::join(pad[0], ", "),
        fmt::join(pad[1], ", "), fmt::join(base_dilation, ", "), fmt::join(window_dilation, ", "),
        reverse, groups);
  }
};

class ConvolutionOnGoldenTest : public CompiledProgramTest {
 protected:
  // The seven loops, for the default dimension numbers.
  std::vector<double> Direct(const Conv& v, const Literal& a, const Literal& b) {
    std::vector<double> out;
    const int64_t features = v.c / v.groups;
    for (int64_t n = 0; n < v.n; ++n) {
      for (int64_t y = 0; y < v.OutH(); ++y) {
        for (int64_t x = 0; x < v.OutW(); ++x) {
          for (int64_t o = 0; o < v.o; ++o) {
            double sum = 0.0;
            for (int64_t i = 0; i < v.kh; ++i) {
              for (int64_t j = 0; j < v.kw; ++j) {
                const int64_t dy = y * v.stride[0] + i * v.window_dilation[0] - v.pad[0][0];
                const int64_t dx = x * v.stride[1] + j * v.window_dilation[1] - v.pad[1][0];
                if (dy < 0 || dx < 0 || dy % v.base_dilation[0] != 0 ||
                    dx % v.base_dilation[1] != 0) {
                  continue;
                }
                const int64_t h = dy / v.base_dilation[0];
                const int64_t w = dx / v.base_dilation[1];
                if (h >= v.h || w >= v.w) continue;
                const int64_t ki = v.reverse ? v.kh - 1 - i : i;
                const int64_t kj = v.reverse ? v.kw - 1 - j : j;
                for (int64_t f = 0; f < features; ++f) {
                  const int64_t c = o / (v.o / v.groups) * features + f;
                  sum += a.GetDouble(((n * v.h + h) * v.w + w) * v.c + c) *
                         b.GetDouble(((ki * v.kw + kj) * features + f) * v.o + o);
                }
              }
            }
            out.push_back(sum);
          }
        }
      }
    }
    return out;
  }

  // Small integers, so that the seven loops give the very bits.
  void CheckDirect(const Conv& conv) {
    const std::vector<Shape> shapes = ArgumentShapes(Import(conv.Text()));
    ASSERT_EQ(shapes.size(), 2u) << conv.Text();
    const std::vector<Literal> arguments = {SmallIntegers(shapes[0], rng_),
                                            SmallIntegers(shapes[1], rng_)};
    const std::vector<Literal> results = RunEverywhere(conv.Text(), arguments);
    ASSERT_EQ(results.size(), 1u);
    const std::vector<double> expected = Direct(conv, arguments[0], arguments[1]);
    ASSERT_EQ(static_cast<size_t>(results[0].size()), expected.size());
    for (size_t i = 0; i < expected.size(); ++i) {
      ASSERT_EQ(results[0].GetDouble(static_cast<int64_t>(i)), expected[i]) << i << "\n"
                                                                            << conv.Text();
    }
  }

  void CheckRandom(const Conv& conv) { RunEverywhere(conv.Text(), RandomArguments(conv.Text())); }
};

TEST_F(ConvolutionOnGoldenTest, StridesAndPaddingOfEveryKind) {
  CheckDirect({.h = 9, .w = 11, .c = 8, .kh = 3, .kw = 3, .o = 16});
  CheckDirect({.n = 3, .h = 9, .w = 7, .c = 5, .kh = 3, .kw = 2, .o = 9, .stride = {2, 3},
               .pad = {{{1, 2}, {0, 1}}}});
  CheckDirect({.n = 2, .h = 10, .w = 10, .c = 3, .kh = 5, .kw = 3, .o = 4,
               .pad = {{{-1, 3}, {2, -2}}}, .type = "i8", .result = "i32"});
  CheckDirect({.h = 4, .w = 5, .c = 19, .kh = 4, .kw = 7, .o = 33, .stride = {1, 2},
               .pad = {{{5, 5}, {6, 6}}}, .type = "f32"});
  CheckRandom({.n = 2, .h = 8, .w = 9, .c = 24, .kh = 3, .kw = 3, .o = 20, .stride = {2, 2},
               .pad = {{{0, 1}, {1, 1}}}});
}

TEST_F(ConvolutionOnGoldenTest, SamePaddingOfStridesBeyondTheKernel) {
  CheckDirect({.h = 5, .w = 5, .kh = 1, .kw = 1, .stride = {3, 3}});
  const Conv two_taps{.h = 4, .w = 1, .kh = 2, .kw = 1, .stride = {3, 1},
                      .pad = {{{0, 1}, {0, 0}}}};
  Literal x({graph::ElementType::kBF16, {1, 4, 1, 1}});
  for (int64_t i = 0; i < 4; ++i) x.SetDouble(i, static_cast<double>(i + 1));
  const Literal w = Literal::Full({graph::ElementType::kBF16, {2, 1, 1, 1}}, 1.0);
  const std::vector<Literal> sums = RunEverywhere(two_taps.Text(), {x, w});
  ASSERT_EQ(sums.at(0).size(), 2);
  EXPECT_EQ(sums[0].GetDouble(0), 3.0);
  EXPECT_EQ(sums[0].GetDouble(1), 4.0);
  for (const int64_t size : {8, 6}) {
    CheckDirect({.h = size, .w = size, .c = 2, .kh = 3, .kw = 3, .o = 2, .stride = {2, 2},
                 .pad = {{{0, 1}, {0, 1}}}});
  }
  CheckDirect({.h = 7, .w = 7, .c = 2, .kh = 3, .kw = 3, .o = 2, .stride = {2, 2},
               .pad = {{{1, 1}, {1, 1}}}});
}

TEST_F(ConvolutionOnGoldenTest, DepthwiseWithStrideAndDilation) {
  for (const int64_t size : {20, 21}) {
    Conv conv{.h = size, .w = size, .c = 5, .kh = 3, .kw = 3, .o = 5, .stride = {2, 2},
              .window_dilation = {3, 3}, .groups = 5, .type = "f32"};
    EXPECT_EQ(conv.OutH(), size == 20 ? 7 : 8);
    CheckDirect(conv);
  }
}

// On the vector unit: layouts with several pixels and several segments per row, kernels too tall to
// be unrolled, channel multipliers, parts of images.
TEST_F(ConvolutionOnGoldenTest, DepthwiseOfEveryShape) {
  CheckDirect({.n = 2, .h = 9, .w = 11, .c = 24, .kh = 3, .kw = 5, .o = 24,
               .pad = {{{1, 1}, {2, 2}}}, .groups = 24});
  CheckDirect({.h = 7, .w = 10, .c = 3, .kh = 3, .kw = 3, .o = 3, .pad = {{{1, 1}, {1, 1}}},
               .groups = 3, .type = "i8", .result = "i32"});
  CheckDirect({.h = 30, .w = 5, .c = 10, .kh = 27, .kw = 2, .o = 10, .pad = {{{13, 13}, {0, 1}}},
               .groups = 10, .type = "f32"});
  CheckDirect({.n = 2, .h = 6, .w = 6, .c = 5, .kh = 2, .kw = 2, .o = 15, .stride = {1, 2},
               .pad = {{{1, 0}, {-1, 3}}}, .base_dilation = {2, 1}, .groups = 5});
  CheckDirect({.h = 40, .w = 33, .c = 140, .kh = 3, .kw = 3, .o = 140, .stride = {2, 2},
               .pad = {{{1, 1}, {1, 1}}}, .groups = 140, .type = "f32"});
  CheckRandom({.h = 12, .w = 12, .c = 40, .kh = 5, .kw = 5, .o = 40, .pad = {{{2, 2}, {2, 2}}},
               .groups = 40, .type = "f32"});
  RunExactly(
      "func.func @main(%x: tensor<2x9x5x12xf32>, %w: tensor<3x3x1x12xf32>, %b: tensor<12xf32>, "
      "%r: tensor<2x9x5x12xf32>) -> tensor<2x9x5x12xbf16> {\n"
      "  %0 = stablehlo.convolution(%x, %w) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], "
      "window = {pad = [[1, 1], [1, 1]]} "
      "{batch_group_count = 1 : i64, feature_group_count = 12 : i64} : "
      "(tensor<2x9x5x12xf32>, tensor<3x3x1x12xf32>) -> tensor<2x9x5x12xf32>\n"
      "  %1 = stablehlo.broadcast_in_dim %b, dims = [3] : (tensor<12xf32>) -> "
      "tensor<2x9x5x12xf32>\n"
      "  %2 = stablehlo.add %0, %1 : tensor<2x9x5x12xf32>\n"
      "  %3 = stablehlo.add %2, %r : tensor<2x9x5x12xf32>\n"
      "  %4 = stablehlo.convert %3 : (tensor<2x9x5x12xf32>) -> tensor<2x9x5x12xbf16>\n"
      "  return %4 : tensor<2x9x5x12xbf16>\n}\n");
}

TEST_F(ConvolutionOnGoldenTest, GroupsOfInt8) {
  const Conv conv{.c = 6, .o = 6, .groups = 2, .type = "i8", .result = "i32"};
  Literal x({graph::ElementType::kS8, {1, 1, 1, 6}});
  Literal w({graph::ElementType::kS8, {1, 1, 3, 6}});
  for (int64_t c = 0; c < 6; ++c) x.SetInt(c, c - 2);
  for (int64_t i = 0; i < 18; ++i) w.SetInt(i, i % 6 + 1);
  const std::vector<Literal> results = RunEverywhere(conv.Text(), {x, w});
  const std::vector<int64_t> expected = {-3, -6, -9, 24, 30, 36};
  for (int64_t i = 0; i < 6; ++i) {
    EXPECT_EQ(results.at(0).GetInt(i), expected[static_cast<size_t>(i)]);
  }
  for (const int64_t taps : {1, 3}) {
    for (const int64_t groups : {2, 3}) {
      CheckDirect({.h = 5, .w = 4, .c = 6, .kh = taps, .kw = taps, .o = 6, .groups = groups,
                   .type = "i8", .result = "i32"});
    }
  }
}

TEST_F(ConvolutionOnGoldenTest, TransposedConvolutions) {
  Conv conv{.h = 5, .w = 5, .c = 3, .kh = 4, .kw = 4, .pad = {{{2, 2}, {2, 2}}},
            .base_dilation = {2, 2}, .type = "i8", .result = "i32"};
  const Literal x = Literal::Full({graph::ElementType::kS8, {1, 5, 5, 3}}, 1);
  const Literal w = Literal::Full({graph::ElementType::kS8, {4, 4, 3, 1}}, 1);
  const std::vector<Literal> results = RunEverywhere(conv.Text(), {x, w});
  ASSERT_EQ(results.at(0).dims(), (graph::Dims{1, 10, 10, 1}));
  int64_t total = 0;
  for (int64_t y = 0; y < 10; ++y) {
    for (int64_t i = 0; i < 10; ++i) {
      const int64_t value = results[0].GetInt(y * 10 + i);
      const int64_t borders = (y == 0 || y == 9 ? 1 : 0) + (i == 0 || i == 9 ? 1 : 0);
      EXPECT_EQ(value, borders == 2 ? 3 : borders == 1 ? 6 : 12) << y << " " << i;
      total += value;
    }
  }
  EXPECT_EQ(total, 972);
  CheckDirect({.h = 5, .w = 6, .c = 3, .kh = 3, .kw = 5, .o = 2, .pad = {{{1, 1}, {3, 2}}},
               .base_dilation = {2, 1}, .reverse = true, .type = "i8", .result = "i32"});
  CheckDirect({.n = 2, .h = 4, .w = 5, .c = 9, .kh = 3, .kw = 3, .o = 10, .stride = {2, 1},
               .pad = {{{2, 2}, {1, 3}}}, .base_dilation = {3, 2}, .window_dilation = {2, 2}});
}

TEST_F(ConvolutionOnGoldenTest, EveryGeometry) {
  const auto pick = [this](int64_t low, int64_t high) {
    return std::uniform_int_distribution<int64_t>(low, high)(rng_);
  };
  for (int i = 0; i < 60; ++i) {
    Conv conv;
    conv.n = pick(1, 3);
    conv.h = pick(1, 8);
    conv.w = pick(1, 8);
    conv.groups = pick(1, 4) == 1 ? pick(2, 3) : 1;
    conv.c = conv.groups * pick(1, 10);
    conv.o = conv.groups * pick(1, 10);
    conv.kh = pick(1, 4);
    conv.kw = pick(1, 4);
    conv.reverse = pick(0, 1) == 1;
    for (size_t d = 0; d < 2; ++d) {
      conv.stride[d] = pick(1, 4);
      conv.base_dilation[d] = pick(1, 4);
      conv.window_dilation[d] = pick(1, 4);
      conv.pad[d] = {pick(-3, 5), pick(-3, 5)};
      const int64_t size = d == 0 ? conv.h : conv.w;
      const int64_t dilated = (size - 1) * conv.base_dilation[d] + 1;
      if (dilated + conv.pad[d][0] + conv.pad[d][1] < 0) conv.pad[d] = {0, 0};
    }
    if (pick(0, 3) == 0) {
      conv.type = "i8";
      conv.result = "i32";
    }
    CheckDirect(conv);
    if (HasFailure()) break;
  }
}

TEST_F(ConvolutionOnGoldenTest, PhasesOfTransposedConvolutionsAddBiasAndResidual) {
  RunExactly(
      "func.func @main(%x: tensor<2x4x5x9xbf16>, %w: tensor<3x2x9x10xbf16>, "
      "%b: tensor<10xf32>, %r: tensor<2x9x14x10xf32>) -> tensor<2x9x14x10xf32> {\n"
      "  %0 = stablehlo.convolution(%x, %w) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], "
      "window = {pad = [[2, 2], [1, 2]], lhs_dilate = [2, 3]} "
      "{batch_group_count = 1 : i64, feature_group_count = 1 : i64} : "
      "(tensor<2x4x5x9xbf16>, tensor<3x2x9x10xbf16>) -> tensor<2x9x15x10xf32>\n"
      "  %1 = stablehlo.slice %0 [0:2, 0:9, 0:14, 0:10] : (tensor<2x9x15x10xf32>) -> "
      "tensor<2x9x14x10xf32>\n"
      "  %2 = stablehlo.broadcast_in_dim %b, dims = [3] : (tensor<10xf32>) -> "
      "tensor<2x9x14x10xf32>\n"
      "  %3 = stablehlo.add %1, %2 : tensor<2x9x14x10xf32>\n"
      "  %4 = stablehlo.add %3, %r : tensor<2x9x14x10xf32>\n"
      "  return %4 : tensor<2x9x14x10xf32>\n}\n");
  RunExactly(
      "func.func @main(%x: tensor<2x4x5x9xbf16>, %w: tensor<3x2x9x10xbf16>, "
      "%b: tensor<10xf32>, %r: tensor<2x9x15x10xf32>) -> tensor<2x9x15x10xf32> {\n"
      "  %0 = stablehlo.convolution(%x, %w) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], "
      "window = {pad = [[2, 2], [1, 2]], lhs_dilate = [2, 3]} "
      "{batch_group_count = 1 : i64, feature_group_count = 1 : i64} : "
      "(tensor<2x4x5x9xbf16>, tensor<3x2x9x10xbf16>) -> tensor<2x9x15x10xf32>\n"
      "  %1 = stablehlo.broadcast_in_dim %b, dims = [3] : (tensor<10xf32>) -> "
      "tensor<2x9x15x10xf32>\n"
      "  %2 = stablehlo.add %0, %1 : tensor<2x9x15x10xf32>\n"
      "  %3 = stablehlo.add %2, %r : tensor<2x9x15x10xf32>\n"
      "  return %3 : tensor<2x9x15x10xf32>\n}\n");
}

// Few features: on wide arrays, neighbouring pixels share a row. Bits stay.
TEST_F(ConvolutionOnGoldenTest, FewResultFeatures) {
  CheckDirect({.n = 2, .h = 20, .w = 32, .c = 3, .kh = 3, .kw = 3, .o = 8,
               .pad = {{{1, 1}, {1, 1}}}});
  CheckDirect({.h = 33, .w = 32, .c = 3, .kh = 7, .kw = 7, .o = 16, .stride = {2, 2},
               .pad = {{{3, 3}, {3, 3}}}, .type = "i8", .result = "i32"});
  CheckRandom({.n = 2, .h = 16, .w = 16, .c = 24, .kh = 3, .kw = 3, .o = 32,
               .pad = {{{1, 1}, {1, 1}}}, .type = "f32"});
  CheckDirect({.h = 16, .w = 16, .c = 20, .kh = 3, .kw = 2, .o = 24, .pad = {{{1, 1}, {1, 0}}},
               .reverse = true});
  RunExactly(
      "func.func @main(%x: tensor<2x16x32x9xbf16>, %w: tensor<3x3x9x16xbf16>, "
      "%b: tensor<16xf32>, %r: tensor<2x16x32x16xf32>) -> tensor<2x16x32x16xf32> {\n"
      "  %0 = stablehlo.convolution(%x, %w) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], "
      "window = {pad = [[1, 1], [1, 1]]} "
      "{batch_group_count = 1 : i64, feature_group_count = 1 : i64} : "
      "(tensor<2x16x32x9xbf16>, tensor<3x3x9x16xbf16>) -> tensor<2x16x32x16xf32>\n"
      "  %1 = stablehlo.broadcast_in_dim %b, dims = [3] : (tensor<16xf32>) -> "
      "tensor<2x16x32x16xf32>\n"
      "  %2 = stablehlo.add %0, %1 : tensor<2x16x32x16xf32>\n"
      "  %3 = stablehlo.add %2, %r : tensor<2x16x32x16xf32>\n"
      "  return %3 : tensor<2x16x32x16xf32>\n}\n");
}

TEST_F(ConvolutionOnGoldenTest, NoSpatialDimension) {
  RunExactly(
      "func.func @main(%a: tensor<5x7xbf16>, %b: tensor<7x6xbf16>) -> tensor<5x6xf32> {\n"
      "  %0 = stablehlo.convolution(%a, %b) dim_numbers = [b, f]x[i, o]->[b, f], window = {} "
      "{batch_group_count = 1 : i64, feature_group_count = 1 : i64} : "
      "(tensor<5x7xbf16>, tensor<7x6xbf16>) -> tensor<5x6xf32>\n"
      "  return %0 : tensor<5x6xf32>\n}\n");
}

TEST_F(ConvolutionOnGoldenTest, AnyOrderOfDimensions) {
  for (const std::string numbers : {"[b, f, 0, 1]x[o, i, 0, 1]->[b, f, 0, 1]",
                                    "[b, 0, 1, f]x[o, 0, 1, i]->[b, 0, 1, f]",
                                    "[0, 1, b, f]x[i, 0, 1, o]->[f, b, 0, 1]"}) {
    RunExactly(Conv{.n = 2, .h = 6, .w = 7, .c = 5, .kh = 3, .kw = 2, .o = 11, .stride = {1, 2},
                    .pad = {{{1, 1}, {0, 1}}}, .numbers = numbers}
                   .Text());
    RunExactly(Conv{.n = 1, .h = 6, .w = 7, .c = 8, .kh = 3, .kw = 3, .o = 8, .type = "f32",
                    .numbers = numbers}
                   .Text());
  }
}

TEST_F(ConvolutionOnGoldenTest, ImagesLargerThanTheBufferAreTiled) {
  const Conv conv{.h = 40, .w = 37, .c = 70, .kh = 3, .kw = 3, .o = 30, .stride = {1, 1},
                  .pad = {{{1, 1}, {1, 1}}}, .type = "f32"};
  const graph::Module module = Import(conv.Text());
  const std::vector<Literal> arguments = RandomArguments(conv.Text());
  const std::vector<Literal> usual = Run(module, ArrayChip(64, 1, 1 << 20), arguments);
  ASSERT_FALSE(usual.empty());
  EXPECT_EQ(CompareWithEvaluator(module, arguments, usual, graph::Precision::kDefault), "");
  EXPECT_TRUE(Run(module, ArrayChip(8, 1, 1 << 15), arguments) == usual);
  EXPECT_TRUE(Run(module, ArrayChip(16, 2, 1 << 14, 8), arguments) == usual);
}

TEST_F(ConvolutionOnGoldenTest, OneDimension) {
  const std::string text =
      "func.func @main(%a: tensor<2x13x3xbf16>, %b: tensor<4x3x6xbf16>) -> tensor<2x6x6xf32> {\n"
      "  %0 = stablehlo.convolution(%a, %b) dim_numbers = [b, 0, f]x[0, i, o]->[b, 0, f], "
      "window = {stride = [2], pad = [[1, 0]], lhs_dilate = [1], rhs_dilate = [1], "
      "reverse = [false]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : "
      "(tensor<2x13x3xbf16>, tensor<4x3x6xbf16>) -> tensor<2x6x6xf32>\n"
      "  return %0 : tensor<2x6x6xf32>\n}\n";
  RunExactly(text);
}

}  // namespace
}  // namespace systolith::testing
