// Matrix products through the compiler on the golden model, on arrays of several sizes.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "tests/end_to_end/compiled_program_test.h"

namespace systolith::testing {
namespace {

class ProductOnGoldenTest : public CompiledProgramTest {};

std::string Dot(int64_t m, int64_t k, int64_t n, const std::string& type,
                const std::string& result) {
  return fmt::format(
      "func.func @main(%a: tensor<{0}x{1}x{3}>, %b: tensor<{1}x{2}x{3}>) -> "
      "tensor<{0}x{2}x{4}> {{\n"
      "  %0 = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0] : "
      "(tensor<{0}x{1}x{3}>, tensor<{1}x{2}x{3}>) -> tensor<{0}x{2}x{4}>\n"
      "  return %0 : tensor<{0}x{2}x{4}>\n}}\n",
      m, k, n, type, result);
}

TEST_F(ProductOnGoldenTest, ProductsOfEveryTypeAndPrecision) {
  for (const auto& [type, result] : std::vector<std::pair<std::string, std::string>>{
           {"bf16", "f32"}, {"bf16", "bf16"}, {"f32", "f32"}, {"f32", "bf16"}, {"i8", "i32"}}) {
    const std::string text = Dot(13, 37, 21, type, result);
    for (const graph::Precision precision :
         {graph::Precision::kDefault, graph::Precision::kHigh, graph::Precision::kHighest}) {
      RunEverywhere(text, RandomArguments(text), precision);
    }
  }
}

// Sizes that leave parts of tiles over, on the array that they were meant for.
TEST_F(ProductOnGoldenTest, ProductsOfAwkwardSizesAreExact) {
  for (const int64_t t : {8, 16}) {
    const arch::ChipConfig chip = ArrayChip(t, t == 16 ? 2 : 1, 1 << 16);
    std::vector<std::array<int64_t, 3>> sizes = {
        {3 * t / 2, t, t}, {t, 3 * t / 2, t}, {t, t, 3 * t / 2}, {16, 8, 32}, {63, 66, 67}};
    const std::vector<int64_t> edges = {1, 3, t - 1, t, t + 1};
    for (const int64_t m : edges) {
      for (const int64_t n : edges) {
        for (const int64_t k : edges) sizes.push_back({m, k, n});
      }
    }
    for (const auto& [m, k, n] : sizes) {
      for (const std::string type : {"bf16", "i8"}) {
        const graph::Module module = Import(Dot(m, k, n, type, type == "i8" ? "i32" : "f32"));
        const std::vector<Shape> shapes = ArgumentShapes(module);
        const Literal a = SmallIntegers(shapes[0], rng_);
        const Literal b = SmallIntegers(shapes[1], rng_);
        const std::vector<Literal> results = Run(module, chip, {a, b});
        ASSERT_EQ(results.size(), 1u);
        if (t == 8) ExpectOnRtl(module, *arch::LoadChipConfig("tiny"), {a, b}, results);
        if (t == 16 && m > t + 1) ExpectOnRtl(module, TestChip("two_16x16"), {a, b}, results);
        for (int64_t row = 0; row < m; ++row) {
          for (int64_t column = 0; column < n; ++column) {
            double sum = 0.0;
            for (int64_t i = 0; i < k; ++i) {
              sum += a.GetDouble(row * k + i) * b.GetDouble(i * n + column);
            }
            ASSERT_EQ(results[0].GetDouble(row * n + column), sum) << m << " " << k << " " << n;
          }
        }
      }
    }
  }
}

TEST_F(ProductOnGoldenTest, ProductsLargerThanTheBufferAreTiled) {
  const std::string text = Dot(150, 700, 90, "f32", "f32");
  RunEverywhere(text, RandomArguments(text), graph::Precision::kHigh);
  const graph::Module module = Import(text);
  const std::vector<Literal> arguments = RandomArguments(text);
  const auto on = [&](const arch::ChipConfig& chip) { return Run(module, chip, arguments); };
  const std::vector<Literal> usual = on(ArrayChip(16));
  EXPECT_TRUE(on(ArrayChip(8, 1, 1 << 13, 8)) == usual);
  EXPECT_TRUE(on(ArrayChip(16, 2, 1 << 14, 16)) == usual);
}

TEST_F(ProductOnGoldenTest, AnyContractingAndBatchDimensions) {
  for (const std::string text : {
           "func.func @main(%a: tensor<7x3x5xf32>, %b: tensor<4x7x9xf32>) -> "
           "tensor<3x5x4x9xf32> {\n"
           "  %0 = stablehlo.dot_general %a, %b, contracting_dims = [0] x [1] : "
           "(tensor<7x3x5xf32>, tensor<4x7x9xf32>) -> tensor<3x5x4x9xf32>\n"
           "  return %0 : tensor<3x5x4x9xf32>\n}\n",
           "func.func @main(%a: tensor<2x9x3x10xbf16>, %b: tensor<3x11x10x2xbf16>) -> "
           "tensor<2x3x9x11xf32> {\n"
           "  %0 = stablehlo.dot_general %a, %b, batching_dims = [0, 2] x [3, 0], "
           "contracting_dims = [3] x [2] : "
           "(tensor<2x9x3x10xbf16>, tensor<3x11x10x2xbf16>) -> tensor<2x3x9x11xf32>\n"
           "  return %0 : tensor<2x3x9x11xf32>\n}\n",
           "func.func @main(%a: tensor<5x2x6xi8>, %b: tensor<6x2x17xi8>) -> tensor<5x17xi32> {\n"
           "  %0 = stablehlo.dot_general %a, %b, contracting_dims = [2, 1] x [0, 1] : "
           "(tensor<5x2x6xi8>, tensor<6x2x17xi8>) -> tensor<5x17xi32>\n"
           "  return %0 : tensor<5x17xi32>\n}\n",
           "func.func @main(%a: tensor<3x20xbf16>, %b: tensor<33x20xbf16>) -> tensor<3x33xbf16> {\n"
           "  %0 = stablehlo.dot_general %a, %b, contracting_dims = [1] x [1] : "
           "(tensor<3x20xbf16>, tensor<33x20xbf16>) -> tensor<3x33xbf16>\n"
           "  return %0 : tensor<3x33xbf16>\n}\n",
           "func.func @main(%a: tensor<20xf32>, %b: tensor<20xf32>) -> tensor<f32> {\n"
           "  %0 = stablehlo.dot_general %a, %b, contracting_dims = [0] x [0] : "
           "(tensor<20xf32>, tensor<20xf32>) -> tensor<f32>\n"
           "  return %0 : tensor<f32>\n}\n",
           "func.func @main(%a: tensor<4x6xf32>, %b: tensor<3x2xbf16>) -> tensor<4x6x3x2xf32> {\n"
           "  %0 = stablehlo.dot_general %a, %b, contracting_dims = [] x [] : "
           "(tensor<4x6xf32>, tensor<3x2xbf16>) -> tensor<4x6x3x2xf32>\n"
           "  return %0 : tensor<4x6x3x2xf32>\n}\n",
       }) {
    RunEverywhere(text, RandomArguments(text));
    RunEverywhere(text, RandomArguments(text), graph::Precision::kHighest);
  }
}

// Dimensions of every kind in any order, of any size from 0 on.
TEST_F(ProductOnGoldenTest, EveryOrderOfDimensions) {
  const auto pick = [this](int64_t low, int64_t high) {
    return std::uniform_int_distribution<int64_t>(low, high)(rng_);
  };
  for (int i = 0; i < 60; ++i) {
    struct Dimension {
      int64_t size, number;  // which of its kind: both operands list them in this order
    };
    const auto sizes = [&](int64_t most) {
      std::vector<Dimension> dims;
      for (int64_t d = pick(0, most); d > 0; --d) {
        dims.push_back({pick(0, 20) == 0 ? 0 : pick(1, 7), static_cast<int64_t>(dims.size())});
      }
      return dims;
    };
    const std::vector<Dimension> batch = sizes(2), contracting = sizes(2);
    std::array<std::vector<Dimension>, 2> free = {sizes(2), sizes(2)};
    std::array<std::string, 2> shapes, batching, contracted;
    std::string result;
    for (const Dimension& d : batch) result += fmt::format("{}x", d.size);
    for (size_t side = 0; side < 2; ++side) {
      // 0: batch, 1: contracting, 2: free
      std::vector<std::pair<int, Dimension>> order;
      for (const Dimension& d : batch) order.emplace_back(0, d);
      for (const Dimension& d : contracting) order.emplace_back(1, d);
      for (const Dimension& d : free[side]) order.emplace_back(2, d);
      std::shuffle(order.begin(), order.end(), rng_);
      std::array<std::vector<size_t>, 2> places;
      places[0].resize(batch.size());
      places[1].resize(contracting.size());
      for (size_t d = 0; d < order.size(); ++d) {
        const auto& [kind, dimension] = order[d];
        shapes[side] += fmt::format("{}x", dimension.size);
        if (kind < 2) {
          places[static_cast<size_t>(kind)][static_cast<size_t>(dimension.number)] = d;
        } else {
          result += fmt::format("{}x", dimension.size);
        }
      }
      batching[side] = fmt::format("[{}]", fmt::join(places[0], ", "));
      contracted[side] = fmt::format("[{}]", fmt::join(places[1], ", "));
    }
    const bool is_int = pick(0, 2) == 0;
    const std::string a = fmt::format("tensor<{}{}>", shapes[0], is_int ? "i8" : "f32");
    const std::string b = fmt::format("tensor<{}{}>", shapes[1], is_int ? "i8" : "f32");
    const std::string out = fmt::format("tensor<{}{}>", result, is_int ? "i32" : "f32");
    RunExactly(fmt::format(
        "func.func @main(%a: {0}, %b: {1}) -> {2} {{\n"
        "  %0 = stablehlo.dot_general %a, %b, batching_dims = {3} x {4}, "
        "contracting_dims = {5} x {6} : ({0}, {1}) -> {2}\n  return %0 : {2}\n}}\n",
        a, b, out, batching[0], batching[1], contracted[0], contracted[1]));
    if (HasFailure()) break;
  }
}

// 1.2578125^2 * 4 keeps its last bits; 256 + 300 * 1 does not stop growing.
TEST_F(ProductOnGoldenTest, PartialSumsKeepTheirBits) {
  const std::string square = Dot(4, 4, 4, "bf16", "bf16");
  const Shape shape{graph::ElementType::kBF16, {4, 4}};
  Literal a = Literal::Full(shape, 1.2578125);
  const std::vector<Literal> squares = RunEverywhere(square, {a, a});
  for (const uint16_t bits : squares.at(0).As<uint16_t>()) EXPECT_EQ(bits, 0x40cb);
  const std::string longer = Dot(1, 301, 1, "bf16", "bf16");
  Literal row = Literal::Full({graph::ElementType::kBF16, {1, 301}}, 1.0);
  row.SetDouble(0, 256.0);
  const Literal column = Literal::Full({graph::ElementType::kBF16, {301, 1}}, 1.0);
  const std::vector<Literal> sum = RunEverywhere(longer, {row, column});
  EXPECT_EQ(sum.at(0).As<uint16_t>()[0], 0x440b);
}

TEST_F(ProductOnGoldenTest, IntegerSumsWrapModulo32Bits) {
  const auto sum = [&](int64_t k, int value) {
    const Literal row = Literal::Full({graph::ElementType::kS8, {1, k}}, value);
    const Literal column = Literal::Full({graph::ElementType::kS8, {k, 1}}, value);
    const graph::Module module = Import(Dot(1, k, 1, "i8", "i32"));
    const std::vector<Literal> results = Run(module, ArrayChip(16, 1, 1 << 16), {row, column});
    ExpectOnRtl(module, *arch::LoadChipConfig("tiny"), {row, column}, results);
    return results.at(0).GetInt(0);
  };
  EXPECT_EQ(sum(1, 100), 10000);
  EXPECT_EQ(sum(16, 127), 258064);
  EXPECT_EQ(sum(131071, -128), 2147467264);
  EXPECT_EQ(sum(131072, -128), -2147483648);
}

TEST_F(ProductOnGoldenTest, EmptyTensorsPass) {
  const std::string no_terms =
      "func.func @main(%a: tensor<3x0xf32>, %b: tensor<0x4xf32>, %c: tensor<4xf32>) -> "
      "(tensor<3x4xf32>, tensor<3x4xf32>) {\n"
      "  %0 = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0] : "
      "(tensor<3x0xf32>, tensor<0x4xf32>) -> tensor<3x4xf32>\n"
      "  %1 = stablehlo.broadcast_in_dim %c, dims = [1] : (tensor<4xf32>) -> tensor<3x4xf32>\n"
      "  %2 = stablehlo.add %0, %1 : tensor<3x4xf32>\n"
      "  return %0, %2 : tensor<3x4xf32>, tensor<3x4xf32>\n}\n";
  RunEverywhere(no_terms, RandomArguments(no_terms));
  const std::string bias_only =
      "func.func @main(%a: tensor<3x0xi8>, %b: tensor<0x4xi8>, %c: tensor<4xi32>) -> "
      "tensor<3x4xi32> {\n"
      "  %0 = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0] : "
      "(tensor<3x0xi8>, tensor<0x4xi8>) -> tensor<3x4xi32>\n"
      "  %1 = stablehlo.broadcast_in_dim %c, dims = [1] : (tensor<4xi32>) -> tensor<3x4xi32>\n"
      "  %2 = stablehlo.add %1, %0 : tensor<3x4xi32>\n"
      "  return %2 : tensor<3x4xi32>\n}\n";
  RunEverywhere(bias_only, RandomArguments(bias_only));
  const std::string no_rows =
      "func.func @main(%a: tensor<1x0x32xf32>, %b: tensor<32x8xf32>) -> tensor<1x0x8xf32> {\n"
      "  %0 = stablehlo.dot_general %a, %b, contracting_dims = [2] x [0] : "
      "(tensor<1x0x32xf32>, tensor<32x8xf32>) -> tensor<1x0x8xf32>\n"
      "  %1 = stablehlo.add %0, %0 : tensor<1x0x8xf32>\n"
      "  return %1 : tensor<1x0x8xf32>\n}\n";
  RunEverywhere(no_rows, RandomArguments(no_rows));
  const std::string scalar =
      "func.func @main(%a: tensor<f32>, %b: tensor<f32>) -> tensor<f32> {\n"
      "  %0 = stablehlo.add %a, %b : tensor<f32>\n  return %0 : tensor<f32>\n}\n";
  RunEverywhere(scalar, RandomArguments(scalar));
  const std::string no_batch =
      "func.func @main(%a: tensor<0x2x3xf32>, %b: tensor<0x3x2xf32>) -> tensor<0x2x2xf32> {\n"
      "  %0 = stablehlo.dot_general %a, %b, batching_dims = [0] x [0], contracting_dims = [2] x [1]"
      " : (tensor<0x2x3xf32>, tensor<0x3x2xf32>) -> tensor<0x2x2xf32>\n"
      "  return %0 : tensor<0x2x2xf32>\n}\n";
  RunEverywhere(no_batch, RandomArguments(no_batch));
  const std::string empty_slice =
      "func.func @main(%a: tensor<4x3xf32>) -> tensor<0x3xf32> {\n"
      "  %0 = stablehlo.slice %a [2:2, 0:3] : (tensor<4x3xf32>) -> tensor<0x3xf32>\n"
      "  return %0 : tensor<0x3xf32>\n}\n";
  RunEverywhere(empty_slice, RandomArguments(empty_slice));
}

}  // namespace
}  // namespace systolith::testing
