#include "host/tools/error_bounds.h"

#include <gtest/gtest.h>

#include <cmath>

#include "host/import/import.h"
#include "host/tools/random_input.h"
#include "host/tools/result_checks.h"

namespace systolith::tools {
namespace {

using graph::ElementType;
using graph::Literal;
using graph::Shape;

std::vector<BoundedValue> Bounds(const std::string& body, const std::vector<Literal>& arguments,
                                 graph::Precision precision = graph::Precision::kHighest) {
  const auto module = import::ImportText("module {\n" + body + "\n}", "test.mlir");
  EXPECT_TRUE(module.ok()) << module.status().message();
  std::vector<std::string> notes;
  const auto values = EvaluateWithBounds(*module, arguments, precision, &notes);
  EXPECT_TRUE(values.ok()) << values.status().message();
  return *values;
}

Literal S32(graph::Dims dims, const std::vector<int32_t>& values) {
  return Literal::Of<int32_t>(Shape{ElementType::kS32, std::move(dims)}, values);
}

Literal F32(graph::Dims dims, const std::vector<float>& values) {
  return Literal::Of<float>(Shape{ElementType::kF32, std::move(dims)}, values);
}

TEST(ErrorBoundsTest, AProductIsBoundedByItsMagnitudesAndAnUlp) {
  const auto values = Bounds(R"(
func.func public @main(%a: tensor<1x3xf32>, %b: tensor<3x1xf32>) -> tensor<1x1xf32> {
  %0 = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0] : (tensor<1x3xf32>, tensor<3x1xf32>) -> tensor<1x1xf32>
  return %0 : tensor<1x1xf32>
})", {F32({1, 3}, {1024, 1, -1024}), F32({3, 1}, {1024, 1, 1024})});
  EXPECT_EQ(values[0].value.GetDouble(0), 1);
  const double magnitude = 2.0 * 1024 * 1024 + 1;
  EXPECT_GE(values[0].BoundAt(0), magnitude * 0x1p-20 + 0x1p-23);
  EXPECT_LE(values[0].BoundAt(0), magnitude * 0x1p-20 + 0x1p-21);
}

TEST(ErrorBoundsTest, IntegersAndMovementAreExact) {
  const auto values = Bounds(R"(
func.func public @main(%a: tensor<5x7xi8>, %b: tensor<7x3xi8>) -> tensor<3x5xi32> {
  %0 = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0] : (tensor<5x7xi8>, tensor<7x3xi8>) -> tensor<5x3xi32>
  %1 = stablehlo.transpose %0, dims = [1, 0] : (tensor<5x3xi32>) -> tensor<3x5xi32>
  return %1 : tensor<3x5xi32>
})", {RandomLiteral(Shape{ElementType::kS8, {5, 7}}, 1, 0),
      RandomLiteral(Shape{ElementType::kS8, {7, 3}}, 1, 1)});
  EXPECT_TRUE(values[0].IsExact());
}

TEST(ErrorBoundsTest, ANegatedSubnormalMayBecomeZero) {
  const auto values = Bounds(R"(
func.func public @main(%a: tensor<2xf32>) -> tensor<2xf32> {
  %0 = stablehlo.negate %a : tensor<2xf32>
  return %0 : tensor<2xf32>
})", {F32({2}, {1e-40f, 1})});
  EXPECT_EQ(values[0].BoundAt(0), double{1e-40f});
  EXPECT_EQ(values[0].BoundAt(1), 0);
}

// Perturbs the first layer by as much as its bound allows and runs on: the second layer's result
// must stay within the bound that was carried through.
TEST(ErrorBoundsTest, BoundsCoverWhatAnAllowedErrorBecomes) {
  const std::string layer = R"(
func.func public @main(%x: tensor<4x16xf32>, %w: tensor<16x16xf32>) -> tensor<4x16xf32> {
  %0 = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0] : (tensor<4x16xf32>, tensor<16x16xf32>) -> tensor<4x16xf32>
  %1 = stablehlo.tanh %0 : tensor<4x16xf32>
  %2 = stablehlo.multiply %1, %x : tensor<4x16xf32>
  return %2 : tensor<4x16xf32>
})";
  const std::string both = R"(
func.func public @main(%x: tensor<4x16xf32>, %w: tensor<16x16xf32>) -> tensor<4x16xf32> {
  %0 = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0] : (tensor<4x16xf32>, tensor<16x16xf32>) -> tensor<4x16xf32>
  %1 = stablehlo.tanh %0 : tensor<4x16xf32>
  %2 = stablehlo.multiply %1, %x : tensor<4x16xf32>
  %3 = stablehlo.dot_general %2, %w, contracting_dims = [1] x [0] : (tensor<4x16xf32>, tensor<16x16xf32>) -> tensor<4x16xf32>
  %4 = stablehlo.tanh %3 : tensor<4x16xf32>
  %5 = stablehlo.multiply %4, %2 : tensor<4x16xf32>
  return %5 : tensor<4x16xf32>
})";
  for (uint64_t seed = 0; seed < 20; ++seed) {
    for (const auto precision : {graph::Precision::kDefault, graph::Precision::kHighest}) {
      const Literal x = RandomLiteral(Shape{ElementType::kF32, {4, 16}}, seed, 0);
      const Literal w = RandomLiteral(Shape{ElementType::kF32, {16, 16}}, seed, 1);
      const BoundedValue first = Bounds(layer, {x, w}, precision)[0];
      const BoundedValue reference = Bounds(both, {x, w}, precision)[0];
      Literal off = first.value;
      for (int64_t i = 0; i < off.size(); ++i) {
        const double sign = (seed + static_cast<uint64_t>(i)) % 2 == 0 ? 0.99 : -0.99;
        off.SetDouble(i, first.value.GetDouble(i) + sign * first.BoundAt(i));
      }
      const BoundedValue second = Bounds(layer, {off, w}, precision)[0];
      const Check check = CompareWithin("second layer", second.value, reference);
      EXPECT_TRUE(check.passed) << check.message << ", seed " << seed;
      EXPECT_EQ(check.unchecked, 0);
    }
  }
}

TEST(ErrorBoundsTest, ABf16ResultMayOnlyBeANeighbourWhereItIsNearATie) {
  const auto values = Bounds(R"(
func.func public @main(%a: tensor<8x32xbf16>, %b: tensor<32x8xbf16>) -> tensor<8x8xbf16> {
  %0 = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0] : (tensor<8x32xbf16>, tensor<32x8xbf16>) -> tensor<8x8xbf16>
  return %0 : tensor<8x8xbf16>
})", {RandomLiteral(Shape{ElementType::kBF16, {8, 32}}, 1, 0),
      RandomLiteral(Shape{ElementType::kBF16, {32, 8}}, 1, 1)});
  int exact = 0;
  for (int64_t i = 0; i < 64; ++i) {
    EXPECT_LE(values[0].BoundAt(i), UlpOf(ElementType::kBF16, values[0].value.GetDouble(i)));
    exact += values[0].BoundAt(i) == 0;
  }
  EXPECT_GT(exact, 48);
}

TEST(ErrorBoundsTest, ComparisonNeedsNanForNanAndTheSameInfinity) {
  const float inf = INFINITY, nan = NAN;
  const BoundedValue reference{F32({4}, {1, inf, nan, -inf}), {0.5, 0.5, 0.5, 0.5}};
  EXPECT_TRUE(CompareWithin("c", F32({4}, {1.4f, inf, nan, -inf}), reference).passed);
  EXPECT_FALSE(CompareWithin("c", F32({4}, {1.6f, inf, nan, -inf}), reference).passed);
  EXPECT_FALSE(CompareWithin("c", F32({4}, {1, -inf, nan, -inf}), reference).passed);
  EXPECT_FALSE(CompareWithin("c", F32({4}, {1, inf, 3, -inf}), reference).passed);
  EXPECT_FALSE(CompareWithin("c", F32({4}, {1, inf, nan, nan}), reference).passed);
}

TEST(ErrorBoundsTest, BitsDifferWhereValuesAreEqual) {
  EXPECT_FALSE(CompareBits("b", F32({2}, {0.0f, 1}), F32({2}, {-0.0f, 1})).passed);
  const Check check = CompareBits("b", F32({1, 2}, {1, 2}), F32({1, 2}, {1, 3}));
  EXPECT_FALSE(check.passed);
  EXPECT_NE(check.message.find("[0, 1]: chip 2"), std::string::npos) << check.message;
}

TEST(ErrorBoundsTest, AFunctionIsOffThoughItsOperandIsNot) {
  const auto values = Bounds(R"(
func.func public @main(%a: tensor<3xf32>) -> tensor<3xf32> {
  %0 = stablehlo.exponential %a : tensor<3xf32>
  return %0 : tensor<3xf32>
})", {F32({3}, {0, 1, 100})});
  EXPECT_GE(values[0].BoundAt(0), 0x1p-23);
  EXPECT_LE(values[0].BoundAt(1), 8 * 0x1p-22);
  EXPECT_EQ(values[0].BoundAt(2), 0);  // infinity
}

TEST(ErrorBoundsTest, WhatALoopCarriesIsTracked) {
  const auto values = Bounds(R"(
func.func public @main(%a: tensor<2xf32>, %n: tensor<i32>) -> (tensor<2xf32>, tensor<i32>) {
  %c = stablehlo.constant dense<0> : tensor<i32>
  %one = stablehlo.constant dense<1> : tensor<i32>
  %0:2 = stablehlo.while(%x = %a, %i = %c) : tensor<2xf32>, tensor<i32>
   cond {
    %2 = stablehlo.compare LT, %i, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %2 : tensor<i1>
  } do {
    %2 = stablehlo.multiply %x, %x : tensor<2xf32>
    %3 = stablehlo.add %i, %one : tensor<i32>
    stablehlo.return %2, %3 : tensor<2xf32>, tensor<i32>
  }
  return %0#0, %0#1 : tensor<2xf32>, tensor<i32>
})", {F32({2}, {1.25f, 2}), S32({}, {3})});
  EXPECT_EQ(values[0].value.GetDouble(1), 256);
  // Each turn squares: the relative error doubles and gains an ulp.
  EXPECT_GE(values[0].BoundAt(1), 256 * 7 * 0x1p-24);
  EXPECT_LE(values[0].BoundAt(1), 256 * 16 * 0x1p-23);
  EXPECT_TRUE(values[1].IsExact());
}

TEST(ErrorBoundsTest, ScattersAddWhatTheirUpdatesMayBeOff) {
  const auto values = Bounds(R"(
func.func public @main(%a: tensor<3xf32>, %u: tensor<4xf32>, %i: tensor<4x1xi32>) -> tensor<3xf32> {
  %0 = "stablehlo.scatter"(%a, %i, %u) <{scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}> ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %1 = stablehlo.add %x, %y : tensor<f32>
    stablehlo.return %1 : tensor<f32>
  }) : (tensor<3xf32>, tensor<4x1xi32>, tensor<4xf32>) -> tensor<3xf32>
  return %0 : tensor<3xf32>
})", {F32({3}, {1, 2, 3}), F32({4}, {1, 1, 1, 8}),
      S32({4, 1}, {0, 0, 7, 2})});
  EXPECT_EQ(values[0].value.GetDouble(0), 3);
  EXPECT_GT(values[0].BoundAt(0), 0);
  EXPECT_LT(values[0].BoundAt(0), 16 * 0x1p-23);
  EXPECT_EQ(values[0].BoundAt(1), 0);  // no update
}

TEST(ErrorBoundsTest, AWindowsLargestElementIsExact) {
  const std::string text = R"(
func.func public @main(%a: tensor<5xf32>) -> (tensor<3xf32>, tensor<3xf32>) {
  %c = stablehlo.constant dense<0xFF800000> : tensor<f32>
  %z = stablehlo.constant dense<0.0> : tensor<f32>
  %0 = "stablehlo.reduce_window"(%a, %c) <{window_dimensions = array<i64: 3>}> ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %1 = stablehlo.maximum %x, %y : tensor<f32>
    stablehlo.return %1 : tensor<f32>
  }) : (tensor<5xf32>, tensor<f32>) -> tensor<3xf32>
  %2 = "stablehlo.reduce_window"(%a, %z) <{window_dimensions = array<i64: 3>}> ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %1 = stablehlo.add %x, %y : tensor<f32>
    stablehlo.return %1 : tensor<f32>
  }) : (tensor<5xf32>, tensor<f32>) -> tensor<3xf32>
  return %0, %2 : tensor<3xf32>, tensor<3xf32>
})";
  const auto values = Bounds(text, {F32({5}, {1, 2, 3, 4, 5})});
  EXPECT_TRUE(values[0].IsExact());
  EXPECT_GT(values[1].BoundAt(2), 0);
  EXPECT_LT(values[1].BoundAt(2), 12 * 0x1p-20);
}

}  // namespace
}  // namespace systolith::tools
