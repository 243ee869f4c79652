// Transpositions, and products of operands whose innermost dimension is not the contracted one.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "tests/end_to_end/compiled_program_test.h"

namespace systolith::testing {
namespace {

class LayoutOnGoldenTest : public CompiledProgramTest {
 protected:
  int64_t Range(int64_t low, int64_t high) {
    return std::uniform_int_distribution<int64_t>(low, high)(rng_);
  }
};

TEST_F(LayoutOnGoldenTest, TransposesOfEveryPermutation) {
  const std::vector<std::string> types = {"f32", "bf16", "i8", "ui32", "i1"};
  for (int trial = 0; trial < 40; ++trial) {
    const auto rank = static_cast<size_t>(Range(2, 5));
    std::vector<int64_t> dims(rank), order(rank), result(rank);
    for (int64_t& d : dims) d = Range(1, rank > 3 ? 9 : 40);
    std::iota(order.begin(), order.end(), 0);
    std::shuffle(order.begin(), order.end(), rng_);
    for (size_t i = 0; i < rank; ++i) result[i] = dims[static_cast<size_t>(order[i])];
    const std::string& type = types[static_cast<size_t>(Range(0, 4))];
    const std::string from = fmt::format("tensor<{}x{}>", fmt::join(dims, "x"), type);
    const std::string to = fmt::format("tensor<{}x{}>", fmt::join(result, "x"), type);
    const std::string text = fmt::format(
        "func.func @main(%x: {0}) -> {1} {{\n"
        "  %0 = stablehlo.transpose %x, dims = [{2}] : ({0}) -> {1}\n  return %0 : {1}\n}}\n",
        from, to, fmt::join(order, ", "));
    RunExactly(text);
    if (HasFailure()) break;
  }
}

// Larger than a tile, parts of tensors on both sides.
TEST_F(LayoutOnGoldenTest, TransposesInPieces) {
  RunExactly(
      "func.func @main(%x: tensor<3x150x210xf32>) -> tensor<3x210x150xf32> {\n"
      "  %0 = stablehlo.transpose %x, dims = [0, 2, 1] : (tensor<3x150x210xf32>) -> "
      "tensor<3x210x150xf32>\n  return %0 : tensor<3x210x150xf32>\n}\n");
  RunExactly(
      "func.func @main(%x: tensor<70x90xbf16>, %y: tensor<40x70xbf16>) -> tensor<100x70xbf16> {\n"
      "  %0 = stablehlo.slice %x [5:65, 3:73] : (tensor<70x90xbf16>) -> tensor<60x70xbf16>\n"
      "  %1 = stablehlo.transpose %y, dims = [1, 0] : (tensor<40x70xbf16>) -> tensor<70x40xbf16>\n"
      "  %2 = stablehlo.transpose %1, dims = [1, 0] : (tensor<70x40xbf16>) -> tensor<40x70xbf16>\n"
      "  %3 = stablehlo.concatenate %0, %2, dim = 0 : (tensor<60x70xbf16>, tensor<40x70xbf16>) -> "
      "tensor<100x70xbf16>\n  return %3 : tensor<100x70xbf16>\n}\n");
}

TEST_F(LayoutOnGoldenTest, TransposedLeftSides) {
  for (const std::string type : {"f32", "i8"}) {
    for (const auto& [m, k, n] : {std::array<int64_t, 3>{37, 150, 20}, {200, 9, 33}, {5, 5, 5}}) {
      RunExactly(fmt::format(
          "func.func @main(%a: tensor<2x{1}x{0}x{3}>, %b: tensor<2x{1}x{2}x{3}>) -> "
          "tensor<2x{0}x{2}x{4}> {{\n  %0 = stablehlo.dot_general %a, %b, "
          "batching_dims = [0] x [0], contracting_dims = [1] x [1] : "
          "(tensor<2x{1}x{0}x{3}>, tensor<2x{1}x{2}x{3}>) -> tensor<2x{0}x{2}x{4}>\n"
          "  return %0 : tensor<2x{0}x{2}x{4}>\n}}\n",
          m, k, n, type, type == "i8" ? "i32" : "f32"));
    }
  }
}

std::string Convolution(const std::string& lhs, const std::string& rhs, const std::string& out,
                        const std::string& numbers, const std::string& window) {
  return fmt::format(
      "func.func @main(%x: tensor<{0}>, %w: tensor<{1}>) -> tensor<{2}> {{\n"
      "  %0 = stablehlo.convolution(%x, %w) dim_numbers = {3}, window = {{{4}}} "
      "{{batch_group_count = 1 : i64, feature_group_count = 1 : i64}} : "
      "(tensor<{0}>, tensor<{1}>) -> tensor<{2}>\n  return %0 : tensor<{2}>\n}}\n",
      lhs, rhs, out, numbers, window);
}

TEST_F(LayoutOnGoldenTest, FeaturesBeforePixels) {
  const std::string numbers = "[b, f, 0, 1]x[o, i, 0, 1]->[b, f, 0, 1]";
  RunExactly(Convolution("2x19x13x11xbf16", "30x19x3x3xbf16", "2x30x13x11xf32", numbers,
                         "pad = [[1, 1], [1, 1]]"));
  RunExactly(Convolution("1x40x30x30xi8", "8x40x5x3xi8", "1x8x13x14xi32", numbers,
                         "stride = [2, 2]"));
  RunExactly(Convolution("3x10x21xf32", "12x10x4xf32", "3x12x18xf32",
                         "[b, f, 0]x[o, i, 0]->[b, f, 0]", ""));
  RunExactly(Convolution("2x9x6x7xbf16", "12x9x3x3xbf16", "2x12x11x13xf32", numbers,
                         "pad = [[1, 1], [1, 1]], lhs_dilate = [2, 2], reverse = [1, 1]"));
}

// As JAX differentiates convolutions of strides 1 and 2: images are the features, features the
// images.
TEST_F(LayoutOnGoldenTest, GradientsOfWeights) {
  const std::string numbers = "[f, 0, 1, b]x[i, 0, 1, o]->[0, 1, b, f]";
  RunExactly(Convolution("5x9x10x12xf32", "5x9x10x20xf32", "3x3x12x20xf32", numbers,
                         "pad = [[1, 1], [1, 1]]"));
  RunExactly(Convolution("8x11x12x33xbf16", "8x6x6x9xbf16", "3x3x33x9xf32", numbers,
                         "pad = [[1, 1], [1, 0]], rhs_dilate = [2, 2]"));
  RunExactly(Convolution("2x8x9x10xf32", "2x8x9x12xf32", "10x12x3x3xf32",
                         "[f, 0, 1, b]x[i, 0, 1, o]->[b, f, 0, 1]", "pad = [[1, 1], [1, 1]]"));
}

// Convolutions, activations and a skip connection with features first, of which one value is also a
// result: between the convolutions, features are innermost.
TEST_F(LayoutOnGoldenTest, NetworksWithFeaturesFirst) {
  const std::string tensor = "tensor<2x16x13x11xbf16>";
  const std::string convolution =
      "dim_numbers = [b, f, 0, 1]x[o, i, 0, 1]->[b, f, 0, 1], window = {pad = [[1, 1], [1, 1]]} "
      "{batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (T, "
      "tensor<16x16x3x3xbf16>) -> T\n";
  std::string text =
      "func.func @main(%x: T, %w: tensor<16x16x3x3xbf16>, %v: tensor<16x16x3x3xbf16>, "
      "%bias: tensor<16xbf16>) -> (T, T) {\n"
      "  %z = stablehlo.constant dense<0.0> : T\n"
      "  %h = stablehlo.constant dense<7.0> : tensor<bf16>\n"
      "  %l = stablehlo.constant dense<-5.0> : tensor<bf16>\n"
      "  %0 = stablehlo.convolution(%x, %w) " + convolution +
      "  %1 = stablehlo.broadcast_in_dim %bias, dims = [1] : (tensor<16xbf16>) -> T\n"
      "  %2 = stablehlo.add %0, %1 : T\n"
      "  %3 = stablehlo.maximum %2, %z : T\n"
      "  %4 = stablehlo.add %3, %x : T\n"
      "  %5 = stablehlo.clamp %l, %4, %h : (tensor<bf16>, T, tensor<bf16>) -> T\n"
      "  %6 = stablehlo.convolution(%5, %v) " + convolution +
      "  return %5, %6 : T, T\n}\n";
  for (size_t at = text.find('T'); at != std::string::npos; at = text.find('T', at + 1)) {
    text.replace(at, 1, tensor);
  }
  EXPECT_NE(Plan(text).find("tensor<2x13x11x16xbf16> strides [2288, 176, 16, 1] = convolution"),
            std::string::npos);
  RunExactly(text);
}

// Few features: on wide chips there is room for several pixels in a row. An input that is not
// finite reaches the windows that it is in, and no other one, on every chip.
TEST_F(LayoutOnGoldenTest, WhatIsNotFiniteStaysInItsWindows) {
  for (const std::string type : {"bf16", "f32"}) {
    const std::string text = Convolution("1x12x32x8x" + type, "3x3x8x8x" + type, "1x12x32x8xf32",
                                         "[b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f]",
                                         "pad = [[1, 1], [1, 1]]");
    std::vector<Literal> arguments = RandomArguments(text);
    const double infinity = std::numeric_limits<double>::infinity();
    const auto at = [](int64_t y, int64_t x, int64_t c) { return (y * 32 + x) * 8 + c; };
    arguments[0].SetDouble(at(2, 5, 1), infinity);
    arguments[0].SetDouble(at(6, 16, 7), -infinity);
    arguments[0].SetDouble(at(9, 27, 0), std::numeric_limits<double>::quiet_NaN());
    const std::vector<Literal> results = RunEverywhere(text, arguments);
    ASSERT_EQ(results.size(), 1U);
    const auto is_near = [](int64_t y, int64_t x, int64_t to_y, int64_t to_x) {
      return std::abs(y - to_y) <= 1 && std::abs(x - to_x) <= 1;
    };
    for (int64_t y = 0; y < 12; ++y) {
      for (int64_t x = 0; x < 32; ++x) {
        const bool is_infinite = is_near(y, x, 2, 5) || is_near(y, x, 6, 16);
        const bool is_nan = is_near(y, x, 9, 27);
        for (int64_t o = 0; o < 8; ++o) {
          const double result = results[0].GetDouble(at(y, x, o));
          EXPECT_EQ(std::isinf(result), is_infinite) << type << ": " << y << ", " << x << ", " << o;
          EXPECT_EQ(std::isnan(result), is_nan) << type << ": " << y << ", " << x << ", " << o;
        }
      }
    }
  }
}

// Integers have zeros that change nothing: there neighbouring pixels do share rows.
TEST_F(LayoutOnGoldenTest, FewFeaturesOfIntegers) {
  RunExactly(Convolution("1x12x32x8xi8", "3x3x8x8xi8", "1x12x32x8xi32",
                         "[b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f]", "pad = [[1, 1], [1, 1]]"));
}

}  // namespace
}  // namespace systolith::testing
