// Elementwise chains, reductions and data movement through the compiler on the golden model.
#include <fmt/format.h>
#include <gmock/gmock.h>

#include <algorithm>
#include <cmath>
#include <regex>

#include "tests/end_to_end/compiled_program_test.h"

namespace systolith::testing {
namespace {

using ::testing::ContainsRegex;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

class VectorOnGoldenTest : public CompiledProgramTest {};

std::string Binary(const std::string& op, const std::string& shape) {
  return fmt::format(
      "func.func @main(%a: tensor<{1}>, %b: tensor<{1}>) -> tensor<{1}> {{\n"
      "  %0 = stablehlo.{0} %a, %b : tensor<{1}>\n  return %0 : tensor<{1}>\n}}\n",
      op, shape);
}

std::string Unary(const std::string& op, const std::string& shape, const std::string& result) {
  const std::string dims = shape.substr(0, shape.rfind('x') + 1);
  return fmt::format(
      "func.func @main(%a: tensor<{1}>) -> tensor<{2}> {{\n"
      "  %0 = stablehlo.{0} %a : (tensor<{1}>) -> tensor<{2}>\n  return %0 : tensor<{2}>\n}}\n",
      op, shape, dims + result);
}

const std::vector<std::string> kFloats = {"f32", "bf16", "f16"};
const std::vector<std::string> kIntegers = {"i32", "i16", "i8", "ui32", "ui16", "ui8"};

TEST_F(VectorOnGoldenTest, EveryOperationOnEveryType) {
  for (const std::string op : {"add", "subtract", "multiply", "maximum", "minimum"}) {
    for (const std::string shape : {"3x37xf32", "300xbf16", "5x2x9xi32", "1000xi8", "f32", "70xf16",
                                    "90xi16", "90xui8", "31xui16", "33xui32"}) {
      RunOnChip(Binary(op, shape));
    }
  }
  for (const std::string& type : kFloats) {
    RunOnChip(Binary("divide", "7x11x" + type));
    for (const std::string op : {"negate", "abs", "round_nearest_even", "round_nearest_afz",
                                 "floor", "ceil"}) {
      RunOnChip(Unary(op, "7x9x" + type, type));
    }
  }
  for (const std::string& type : kIntegers) {
    for (const std::string op : {"and", "or", "xor"}) RunOnChip(Binary(op, "77x" + type));
    for (const std::string op : {"not", "negate", "popcnt", "count_leading_zeros", "abs"}) {
      if (op == "abs" && type[0] == 'u') continue;
      RunOnChip(Unary(op, "7x9x" + type, type));
    }
  }
  for (const std::string op : {"and", "or", "xor", "add", "multiply", "maximum", "minimum"}) {
    RunOnChip(Binary(op, "45xi1"));
  }
  RunOnChip(Unary("not", "45xi1", "i1"));
}

// Amounts up to and beyond the width, and negative ones.
TEST_F(VectorOnGoldenTest, ShiftsOfEveryAmount) {
  for (const std::string& type : kIntegers) {
    for (const std::string op : {"shift_left", "shift_right_logical", "shift_right_arithmetic"}) {
      if (type[0] == 'u' && op == "shift_right_arithmetic") continue;
      const std::string text = Binary(op, "99x" + type);
      std::vector<Literal> arguments = RandomArguments(text);
      for (int64_t i = 0; i < 80; ++i) arguments[1].SetInt(i, i - 40);
      RunEverywhere(text, arguments);
    }
  }
}

TEST_F(VectorOnGoldenTest, SquareRootsAndWhatIsFinite) {
  for (const std::string& type : kFloats) {
    for (const std::string op : {"sqrt", "is_finite"}) {
      const std::string text = Unary(op, "64x" + type, op == "sqrt" ? type : "i1");
      std::vector<Literal> arguments = RandomArguments(text);
      const std::vector<double> special = {NAN, INFINITY, -INFINITY, 0.0, -0.0, 65504.0, 3e38};
      for (int64_t i = 0; i < arguments[0].size(); ++i) {
        const bool is_special = i < static_cast<int64_t>(special.size());
        arguments[0].SetDouble(i, is_special ? special[static_cast<size_t>(i)]
                                             : std::fabs(arguments[0].GetDouble(i)));
      }
      RunEverywhere(text, arguments);
    }
  }
}

TEST_F(VectorOnGoldenTest, ComparesAndSelects) {
  std::vector<std::string> types = kIntegers;
  types.insert(types.end(), kFloats.begin(), kFloats.end());
  types.push_back("i1");
  for (const std::string& type : types) {
    for (const std::string direction : {"EQ", "NE", "LT", "LE", "GT", "GE"}) {
      const std::string text = fmt::format(
          "func.func @main(%a: tensor<61x{0}>, %b: tensor<61x{0}>) -> (tensor<61xi1>, "
          "tensor<61x{0}>) {{\n"
          "  %0 = stablehlo.compare {1}, %a, %b : (tensor<61x{0}>, tensor<61x{0}>) -> "
          "tensor<61xi1>\n"
          "  %1 = stablehlo.compare {1}, %b, %a : (tensor<61x{0}>, tensor<61x{0}>) -> "
          "tensor<61xi1>\n"
          "  %2 = stablehlo.select %1, %a, %b : tensor<61xi1>, tensor<61x{0}>\n"
          "  return %0, %2 : tensor<61xi1>, tensor<61x{0}>\n}}\n", type, direction);
      std::vector<Literal> arguments = RandomArguments(text);
      for (int64_t i = 0; i < 20; ++i) {
        for (Literal& argument : arguments) argument.SetInt(i, static_cast<int64_t>(rng_() % 3));
      }
      if (type[0] == 'f' || type[0] == 'b') {
        arguments[0].SetDouble(20, NAN);
        arguments[1].SetDouble(21, NAN);
        arguments[0].SetDouble(22, -0.0);
        arguments[1].SetDouble(22, 0.0);
        arguments[0].SetDouble(23, 1e-40);  // comparisons keep subnormals
        arguments[1].SetDouble(23, 0.0);
      }
      RunEverywhere(text, arguments);
    }
  }
  // The lane is the condition, the first or the second value; conditions meet in between.
  for (const std::string order : {"%m, %x, %b", "%q, %x, %b", "%q, %b, %x"}) {
    RunExactly(fmt::format(
        "func.func @main(%a: tensor<5x13xf32>, %b: tensor<5x13xf32>, %q: tensor<5x13xi1>) -> "
        "tensor<5x13xf32> {{\n"
        "  %x = stablehlo.add %a, %b : tensor<5x13xf32>\n"
        "  %l = stablehlo.compare LT, %a, %b : (tensor<5x13xf32>, tensor<5x13xf32>) -> "
        "tensor<5x13xi1>\n"
        "  %n = stablehlo.not %l : tensor<5x13xi1>\n"
        "  %m = stablehlo.xor %n, %q : tensor<5x13xi1>\n"
        "  %0 = stablehlo.select {} : tensor<5x13xi1>, tensor<5x13xf32>\n"
        "  return %0 : tensor<5x13xf32>\n}}\n", order));
  }
}

TEST_F(VectorOnGoldenTest, ConvertsBetweenItsTypes) {
  std::vector<std::string> types = kIntegers;
  types.insert(types.end(), kFloats.begin(), kFloats.end());
  types.push_back("i1");
  for (const std::string& from : types) {
    for (const std::string& to : types) {
      if (from == to) continue;
      const std::string text = fmt::format(
          "func.func @main(%a: tensor<45x{0}>) -> tensor<45x{1}> {{\n"
          "  %0 = stablehlo.convert %a : (tensor<45x{0}>) -> tensor<45x{1}>\n"
          "  return %0 : tensor<45x{1}>\n}}\n", from, to);
      std::vector<Literal> arguments = RandomArguments(text);
      if (from[0] == 'f' || from[0] == 'b') {
        for (int64_t i = 0; i < 45; ++i) arguments[0].SetDouble(i, arguments[0].GetDouble(i) * 90);
        const std::vector<double> special = {NAN, INFINITY, -INFINITY, 3e9, -3e9, 127.5, -128.6,
                                             300.0, -0.5, 0.0, 65535.5, 5e9, -7.0};
        for (size_t i = 0; i < special.size(); ++i) {
          arguments[0].SetDouble(static_cast<int64_t>(i), special[i]);
        }
      }
      RunEverywhere(text, arguments);
    }
  }
}

// What a narrow integer has above its type is gone where it matters, in the middle of a chain, too.
TEST_F(VectorOnGoldenTest, NarrowIntegersWrapInsideChains) {
  for (const std::string type : {"i8", "ui8", "i16", "ui16"}) {
    for (const std::string op : {"maximum", "minimum", "shift_right_logical", "and", "xor"}) {
      RunOnChip(fmt::format(
          "func.func @main(%a: tensor<200x{0}>, %b: tensor<200x{0}>) -> (tensor<200x{0}>, "
          "tensor<200xi32>) {{\n"
          "  %0 = stablehlo.multiply %a, %b : tensor<200x{0}>\n"
          "  %1 = stablehlo.{1} %0, %b : tensor<200x{0}>\n"
          "  %2 = stablehlo.add %a, %a : tensor<200x{0}>\n"
          "  %3 = stablehlo.convert %2 : (tensor<200x{0}>) -> tensor<200xi32>\n"
          "  return %1, %3 : tensor<200x{0}>, tensor<200xi32>\n}}\n", type, op));
    }
  }
}

TEST_F(VectorOnGoldenTest, BroadcastsOfEveryKind) {
  RunExactly(
      "func.func @main(%a: tensor<6x5x19xf32>, %b: tensor<19xf32>, %c: tensor<6x5xf32>, "
      "%d: tensor<5x1xf32>, %e: tensor<f32>) -> tensor<6x5x19xf32> {\n"
      "  %0 = stablehlo.broadcast_in_dim %b, dims = [2] : (tensor<19xf32>) -> tensor<6x5x19xf32>\n"
      "  %1 = stablehlo.broadcast_in_dim %c, dims = [0, 1] : (tensor<6x5xf32>) -> "
      "tensor<6x5x19xf32>\n"
      "  %2 = stablehlo.broadcast_in_dim %d, dims = [1, 2] : (tensor<5x1xf32>) -> "
      "tensor<6x5x19xf32>\n"
      "  %3 = stablehlo.broadcast_in_dim %e, dims = [] : (tensor<f32>) -> tensor<6x5x19xf32>\n"
      "  %4 = stablehlo.add %a, %0 : tensor<6x5x19xf32>\n"
      "  %5 = stablehlo.multiply %1, %4 : tensor<6x5x19xf32>\n"
      "  %6 = stablehlo.subtract %2, %5 : tensor<6x5x19xf32>\n"
      "  %7 = stablehlo.maximum %6, %3 : tensor<6x5x19xf32>\n"
      "  return %7 : tensor<6x5x19xf32>\n}\n");
  RunExactly(
      "func.func @main(%a: tensor<4xbf16>, %b: tensor<3xbf16>) -> tensor<3x4xbf16> {\n"
      "  %0 = stablehlo.broadcast_in_dim %a, dims = [1] : (tensor<4xbf16>) -> tensor<3x4xbf16>\n"
      "  %1 = stablehlo.broadcast_in_dim %b, dims = [0] : (tensor<3xbf16>) -> tensor<3x4xbf16>\n"
      "  %2 = stablehlo.multiply %1, %0 : tensor<3x4xbf16>\n"
      "  return %2 : tensor<3x4xbf16>\n}\n");
}

TEST_F(VectorOnGoldenTest, MovesData) {
  RunExactly(
      "func.func @main(%a: tensor<4x6x5xi8>) -> (tensor<5x24xi8>, tensor<30x4xi8>, "
      "tensor<2x2x3xi8>, tensor<4x6x5xi8>, tensor<120xi8>) {\n"
      "  %0 = stablehlo.transpose %a, dims = [2, 0, 1] : (tensor<4x6x5xi8>) -> tensor<5x4x6xi8>\n"
      "  %1 = stablehlo.reshape %0 : (tensor<5x4x6xi8>) -> tensor<5x24xi8>\n"
      "  %2 = stablehlo.transpose %a, dims = [1, 2, 0] : (tensor<4x6x5xi8>) -> tensor<6x5x4xi8>\n"
      "  %3 = stablehlo.reshape %2 : (tensor<6x5x4xi8>) -> tensor<30x4xi8>\n"
      "  %4 = stablehlo.slice %a [1:4:2, 2:6:3, 0:5:2] : (tensor<4x6x5xi8>) -> tensor<2x2x3xi8>\n"
      "  %5 = stablehlo.reverse %a, dims = [0, 2] : tensor<4x6x5xi8>\n"
      "  %6 = stablehlo.reshape %a : (tensor<4x6x5xi8>) -> tensor<120xi8>\n"
      "  return %1, %3, %4, %5, %6 : tensor<5x24xi8>, tensor<30x4xi8>, tensor<2x2x3xi8>, "
      "tensor<4x6x5xi8>, tensor<120xi8>\n}\n");
  RunExactly(
      "func.func @main(%a: tensor<9x300xf32>) -> (tensor<300x9xf32>, tensor<300x9xf32>) {\n"
      "  %0 = stablehlo.transpose %a, dims = [1, 0] : (tensor<9x300xf32>) -> tensor<300x9xf32>\n"
      "  %1 = stablehlo.add %0, %0 : tensor<300x9xf32>\n"
      "  return %0, %1 : tensor<300x9xf32>, tensor<300x9xf32>\n}\n");
}

// The kernels of a plan, by what they do.
std::vector<std::string> KernelsOf(const std::string& plan) {
  static const std::regex kernel("\\): (contraction|elementwise|copy|reduction|gather|scatter) ");
  std::vector<std::string> kernels;
  for (std::sregex_iterator at(plan.begin(), plan.end(), kernel), end; at != end; ++at) {
    kernels.push_back((*at)[1]);
  }
  return kernels;
}

// Bias, residual, ReLU and conversion ride on the product: one pass, same bits.
TEST_F(VectorOnGoldenTest, AChainRidesOnItsProduct) {
  const std::string text =
      "func.func @main(%a: tensor<21x40xbf16>, %b: tensor<40x35xbf16>, %bias: tensor<35xbf16>, "
      "%r: tensor<21x35xbf16>) -> tensor<21x35xbf16> {\n"
      "  %0 = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0] : "
      "(tensor<21x40xbf16>, tensor<40x35xbf16>) -> tensor<21x35xbf16>\n"
      "  %1 = stablehlo.broadcast_in_dim %bias, dims = [1] : (tensor<35xbf16>) -> "
      "tensor<21x35xbf16>\n"
      "  %2 = stablehlo.add %0, %1 : tensor<21x35xbf16>\n"
      "  %3 = stablehlo.add %r, %2 : tensor<21x35xbf16>\n"
      "  %c = stablehlo.constant dense<0.0> : tensor<bf16>\n"
      "  %4 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<bf16>) -> tensor<21x35xbf16>\n"
      "  %5 = stablehlo.maximum %3, %4 : tensor<21x35xbf16>\n"
      "  return %5 : tensor<21x35xbf16>\n}\n";
  RunExactly(text);
  const std::string plan = Plan(text);
  EXPECT_THAT(plan, ContainsRegex("\\[0\\] round_bf16 lane\n *.1. add_f32 .0. .*\n *"
                                  ".2. round_bf16 .1.\n *.3. add_f32 .* .2.\n *"
                                  ".4. maximum_f32 .3. 0x00000000"));
  EXPECT_THAT(plan, Not(HasSubstr("elementwise")));
}

TEST_F(VectorOnGoldenTest, StreamsFollowConvolutionsAndBatches) {
  RunExactly(
      "func.func @main(%a: tensor<2x9x8x5xbf16>, %b: tensor<3x3x5x12xbf16>, %bias: tensor<12xf32>, "
      "%r: tensor<2x9x8x12xf32>) -> tensor<2x9x8x12xf32> {\n"
      "  %0 = stablehlo.convolution(%a, %b) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], "
      "window = {pad = [[1, 1], [1, 1]]} {batch_group_count = 1 : i64, feature_group_count = 1 : "
      "i64}"
      " : (tensor<2x9x8x5xbf16>, tensor<3x3x5x12xbf16>) -> tensor<2x9x8x12xf32>\n"
      "  %1 = stablehlo.broadcast_in_dim %bias, dims = [3] : (tensor<12xf32>) -> "
      "tensor<2x9x8x12xf32>\n"
      "  %2 = stablehlo.add %0, %1 : tensor<2x9x8x12xf32>\n"
      "  %3 = stablehlo.subtract %r, %2 : tensor<2x9x8x12xf32>\n"
      "  return %3 : tensor<2x9x8x12xf32>\n}\n");
  RunExactly(
      "func.func @main(%a: tensor<3x9x8xf32>, %b: tensor<3x8x10xf32>, %s: tensor<3x9xf32>, "
      "%t: tensor<3x10xf32>) -> tensor<3x9x10xf32> {\n"
      "  %0 = stablehlo.dot_general %a, %b, batching_dims = [0] x [0], contracting_dims = [2] x "
      "[1] : "
      "(tensor<3x9x8xf32>, tensor<3x8x10xf32>) -> tensor<3x9x10xf32>\n"
      "  %1 = stablehlo.broadcast_in_dim %s, dims = [0, 1] : (tensor<3x9xf32>) -> "
      "tensor<3x9x10xf32>\n"
      "  %2 = stablehlo.broadcast_in_dim %t, dims = [0, 2] : (tensor<3x10xf32>) -> "
      "tensor<3x9x10xf32>\n"
      "  %3 = stablehlo.multiply %0, %1 : tensor<3x9x10xf32>\n"
      "  %4 = stablehlo.add %3, %2 : tensor<3x9x10xf32>\n"
      "  return %4 : tensor<3x9x10xf32>\n}\n");
  // Rows of two dimensions, of which the stream varies along one only.
  RunExactly(
      "func.func @main(%a: tensor<4x5x8xf32>, %b: tensor<8x6xf32>, %s: tensor<5x6xf32>) -> "
      "tensor<4x5x6xf32> {\n"
      "  %0 = stablehlo.dot_general %a, %b, contracting_dims = [2] x [0] : "
      "(tensor<4x5x8xf32>, tensor<8x6xf32>) -> tensor<4x5x6xf32>\n"
      "  %1 = stablehlo.broadcast_in_dim %s, dims = [1, 2] : (tensor<5x6xf32>) -> "
      "tensor<4x5x6xf32>\n"
      "  %2 = stablehlo.add %0, %1 : tensor<4x5x6xf32>\n"
      "  return %2 : tensor<4x5x6xf32>\n}\n");
  // Feature groups: the bias follows the group.
  RunExactly(
      "func.func @main(%a: tensor<1x5x5x6xbf16>, %b: tensor<1x1x3x4xbf16>, %bias: tensor<4xf32>) "
      "-> "
      "tensor<1x5x5x4xf32> {\n"
      "  %0 = stablehlo.convolution(%a, %b) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], "
      "window = {} {batch_group_count = 1 : i64, feature_group_count = 2 : i64}"
      " : (tensor<1x5x5x6xbf16>, tensor<1x1x3x4xbf16>) -> tensor<1x5x5x4xf32>\n"
      "  %1 = stablehlo.broadcast_in_dim %bias, dims = [3] : (tensor<4xf32>) -> "
      "tensor<1x5x5x4xf32>\n"
      "  %2 = stablehlo.add %0, %1 : tensor<1x5x5x4xf32>\n"
      "  return %2 : tensor<1x5x5x4xf32>\n}\n");
}

std::string Quantized(const std::string& low, const std::string& high) {
  return fmt::format(
      "func.func @main(%a: tensor<33x70xi8>, %b: tensor<70x20xi8>) -> tensor<33x20xi8> {{\n"
      "  %0 = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0] : "
      "(tensor<33x70xi8>, tensor<70x20xi8>) -> tensor<33x20xi32>\n"
      "  %1 = stablehlo.convert %0 : (tensor<33x20xi32>) -> tensor<33x20xf32>\n"
      "  %s = stablehlo.constant dense<0.00173> : tensor<33x20xf32>\n"
      "  %2 = stablehlo.multiply %1, %s : tensor<33x20xf32>\n"
      "  %3 = stablehlo.round_nearest_even %2 : tensor<33x20xf32>\n"
      "  %lo = stablehlo.constant dense<{}> : tensor<f32>\n"
      "  %hi = stablehlo.constant dense<{}> : tensor<f32>\n"
      "  %4 = stablehlo.clamp %lo, %3, %hi : (tensor<f32>, tensor<33x20xf32>, tensor<f32>) -> "
      "tensor<33x20xf32>\n"
      "  %5 = stablehlo.convert %4 : (tensor<33x20xf32>) -> tensor<33x20xi8>\n"
      "  return %5 : tensor<33x20xi8>\n}}\n", low, high);
}

TEST_F(VectorOnGoldenTest, RequantisationRidesOnItsProduct) {
  // NaN becomes 0 in the end, whatever the bounds.
  for (const std::string low : {"-128.0", "0.0", "-5.5", "3.0"}) {
    const std::string text = Quantized(low, low == "0.0" ? "100.0" : "127.0");
    RunEverywhere(text, RandomArguments(text));
    EXPECT_THAT(KernelsOf(Plan(text)), ElementsAre("contraction"));
  }
}

TEST_F(VectorOnGoldenTest, AResidualBlockIsOneKernel) {
  for (const std::string type : {"f32", "bf16"}) {
    const std::string text = fmt::format(
        "func.func @main(%x: tensor<2x9x7x12x{0}>, %w: tensor<3x3x12x20x{0}>, "
        "%bias: tensor<20x{0}>, %r: tensor<2x9x7x20x{0}>) -> tensor<2x9x7x20x{0}> {{\n"
        "  %0 = stablehlo.convolution(%x, %w) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->"
        "[b, 0, 1, f], window = {{pad = [[1, 1], [1, 1]]}} {{batch_group_count = 1 : i64, "
        "feature_group_count = 1 : i64}} : (tensor<2x9x7x12x{0}>, tensor<3x3x12x20x{0}>) -> "
        "tensor<2x9x7x20x{0}>\n"
        "  %1 = stablehlo.broadcast_in_dim %bias, dims = [3] : (tensor<20x{0}>) -> "
        "tensor<2x9x7x20x{0}>\n"
        "  %2 = stablehlo.add %0, %1 : tensor<2x9x7x20x{0}>\n"
        "  %3 = stablehlo.add %2, %r : tensor<2x9x7x20x{0}>\n"
        "  %c = stablehlo.constant dense<0.0> : tensor<{0}>\n"
        "  %4 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<{0}>) -> "
        "tensor<2x9x7x20x{0}>\n"
        "  %5 = stablehlo.maximum %3, %4 : tensor<2x9x7x20x{0}>\n"
        "  return %5 : tensor<2x9x7x20x{0}>\n}}\n",
        type);
    EXPECT_THAT(KernelsOf(Plan(text)), ElementsAre("contraction")) << type;
    RunExactly(text);
  }
}

// As JAX writes gelu, by tanh and by erf.
TEST_F(VectorOnGoldenTest, GeluRidesOnItsProduct) {
  const std::string by_tanh =
      "  %3 = stablehlo.multiply %2, %2 : T\n"
      "  %4 = stablehlo.multiply %3, %2 : T\n"
      "  %k0 = stablehlo.constant dense<0.044715> : T\n"
      "  %5 = stablehlo.multiply %k0, %4 : T\n"
      "  %6 = stablehlo.add %2, %5 : T\n"
      "  %k1 = stablehlo.constant dense<0.797884583> : T\n"
      "  %7 = stablehlo.multiply %k1, %6 : T\n"
      "  %8 = stablehlo.tanh %7 : T\n"
      "  %k2 = stablehlo.constant dense<1.0> : T\n"
      "  %9 = stablehlo.add %k2, %8 : T\n";
  const std::string by_erf =
      "  %k1 = stablehlo.constant dense<0.707106769> : T\n"
      "  %7 = stablehlo.multiply %2, %k1 : T\n"
      "  %8 = chlo.erf %7 : T -> T\n"
      "  %k2 = stablehlo.constant dense<1.0> : T\n"
      "  %9 = stablehlo.add %8, %k2 : T\n";
  for (const std::string& activation : {by_tanh, by_erf}) {
    std::string text =
        "func.func @main(%a: tensor<37x50xf32>, %b: tensor<50x29xf32>, %bias: tensor<29xf32>) -> "
        "T {\n"
        "  %0 = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0] : "
        "(tensor<37x50xf32>, tensor<50x29xf32>) -> T\n"
        "  %1 = stablehlo.broadcast_in_dim %bias, dims = [1] : (tensor<29xf32>) -> T\n"
        "  %2 = stablehlo.add %0, %1 : T\n" + activation +
        "  %k3 = stablehlo.constant dense<0.5> : T\n"
        "  %10 = stablehlo.multiply %k3, %9 : T\n"
        "  %11 = stablehlo.multiply %2, %10 : T\n"
        "  return %11 : T\n}\n";
    text = std::regex_replace(text, std::regex("\\bT\\b"), "tensor<37x29xf32>");
    EXPECT_THAT(KernelsOf(Plan(text)), ElementsAre("contraction")) << text;
    const graph::Module module = Import(text);
    std::vector<Literal> arguments;
    for (const Shape& shape : ArgumentShapes(module)) {  // products and sums are exact
      arguments.push_back(SmallIntegers(shape, rng_));
      for (int64_t i = 0; i < arguments.back().size(); ++i) {
        arguments.back().SetDouble(i, arguments.back().GetDouble(i) / 16);
      }
    }
    compiler::CompileOptions options;
    options.no_fallback = true;
    const std::vector<Literal> results = Run(module, ArrayChip(16, 3), arguments, options);
    ASSERT_EQ(results.size(), 1U);
    EXPECT_TRUE(results == Run(module, ArrayChip(64), arguments, options));
    const auto expected = evaluator::Evaluate(module, arguments, {}, nullptr);
    ASSERT_TRUE(expected.ok()) << expected.status().message();
    for (int64_t i = 0; i < results[0].size(); ++i) {
      const double wanted = (*expected)[0].GetDouble(i);
      ASSERT_NEAR(results[0].GetDouble(i), wanted, 1e-6 * std::max(1.0, std::abs(wanted)));
    }
  }
}

// A scale per output feature and a zero point, as quantised models have them.
TEST_F(VectorOnGoldenTest, RequantisationPerFeatureIsOneKernel) {
  const std::string text =
      "func.func @main(%a: tensor<33x70xi8>, %b: tensor<70x20xi8>, %bias: tensor<20xi32>, "
      "%scale: tensor<20xf32>) -> tensor<33x20xi8> {\n"
      "  %0 = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0] : "
      "(tensor<33x70xi8>, tensor<70x20xi8>) -> tensor<33x20xi32>\n"
      "  %1 = stablehlo.broadcast_in_dim %bias, dims = [1] : (tensor<20xi32>) -> "
      "tensor<33x20xi32>\n"
      "  %2 = stablehlo.add %0, %1 : tensor<33x20xi32>\n"
      "  %3 = stablehlo.convert %2 : (tensor<33x20xi32>) -> tensor<33x20xf32>\n"
      "  %4 = stablehlo.broadcast_in_dim %scale, dims = [1] : (tensor<20xf32>) -> "
      "tensor<33x20xf32>\n"
      "  %5 = stablehlo.multiply %3, %4 : tensor<33x20xf32>\n"
      "  %6 = stablehlo.round_nearest_even %5 : tensor<33x20xf32>\n"
      "  %z = stablehlo.constant dense<-11.0> : tensor<33x20xf32>\n"
      "  %7 = stablehlo.add %6, %z : tensor<33x20xf32>\n"
      "  %lo = stablehlo.constant dense<-128.0> : tensor<f32>\n"
      "  %hi = stablehlo.constant dense<127.0> : tensor<f32>\n"
      "  %8 = stablehlo.clamp %lo, %7, %hi : (tensor<f32>, tensor<33x20xf32>, tensor<f32>) -> "
      "tensor<33x20xf32>\n"
      "  %9 = stablehlo.convert %8 : (tensor<33x20xf32>) -> tensor<33x20xi8>\n"
      "  return %9 : tensor<33x20xi8>\n}\n";
  EXPECT_THAT(KernelsOf(Plan(text)), ElementsAre("contraction"));
  std::vector<Literal> arguments = RandomArguments(text);
  for (int64_t i = 0; i < 20; ++i) {
    arguments[2].SetInt(i, 900 * i - 7000);
    arguments[3].SetDouble(i, 0.0011 + 0.0003 * static_cast<double>(i));
  }
  RunOnChip(text, arguments);
}

TEST_F(VectorOnGoldenTest, ALongChainIsCutInto) {
  std::string body;
  for (int i = 0; i < 23; ++i) {
    const std::string previous = i == 0 ? "%a" : fmt::format("%{}", i - 1);
    body += fmt::format("  %{} = stablehlo.{} {}, %{} : tensor<5x50xbf16>\n", i,
                        i % 3 == 0 ? "add" : i % 3 == 1 ? "subtract" : "maximum", previous,
                        i % 5 == 0 ? "b" : i % 2 == 0 ? "c" : "d");
  }
  RunExactly(
      "func.func @main(%a: tensor<5x50xbf16>, %b: tensor<5x50xbf16>, %c: tensor<5x50xbf16>, "
      "%d: tensor<5x50xbf16>) -> tensor<5x50xbf16> {\n" + body +
      "  return %22 : tensor<5x50xbf16>\n}\n");
}

std::string Reduce(const std::string& op, const std::string& from, const std::string& to,
                   const std::string& type, const std::string& dimensions) {
  return fmt::format(
      "func.func @main(%a: tensor<{0}{2}>, %i: tensor<{2}>) -> tensor<{1}{2}> {{\n"
      "  %0 = stablehlo.reduce(%a init: %i) applies stablehlo.{3} across dimensions = [{4}] : "
      "(tensor<{0}{2}>, tensor<{2}>) -> tensor<{1}{2}>\n  return %0 : tensor<{1}{2}>\n}}\n",
      from, to, type, op, dimensions);
}

TEST_F(VectorOnGoldenTest, Reductions) {
  for (const std::string type : {"f32", "bf16", "i32", "i8"}) {
    RunExactly(Reduce("maximum", "300x7x", "7x", type, "0"));
    RunExactly(Reduce("maximum", "3x9x5x", "3x5x", type, "1"));
    RunExactly(Reduce("minimum", "3x9x5x", "", type, "0, 1, 2"));
  }
  RunExactly(Reduce("add", "11x260x", "11x", "f32", "1"));
  RunExactly(Reduce("add", "2x3x130x", "3x", "i32", "0, 2"));
  RunExactly(Reduce("add", "2x30x3x4x", "30x", "f32", "0, 2, 3"));
  RunExactly(Reduce("add", "0x4x", "4x", "f32", "0"));
  RunExactly(Reduce("add", "5x9000x", "5x", "i8", "1"));
  RunExactly(Reduce("add", "129x1100x", "1100x", "f32", "0"));
  for (const std::string type : {"f16", "i16", "ui8", "ui16", "ui32"}) {
    RunExactly(Reduce("maximum", "200x7x", "7x", type, "0"));
    RunExactly(Reduce("minimum", "3x9x5x", "3x5x", type, "1"));
    RunExactly(Reduce("add", "70x7x", "7x", type, "0"));
  }
  for (const std::string op : {"and", "or", "add", "maximum"}) {
    RunExactly(Reduce(op, "200x7x", "7x", "i1", "0"));
    if (op == "and" || op == "or") RunExactly(Reduce(op, "200x7x", "7x", "i8", "0"));
  }
}

// Rows next to each other, longer and shorter than the partials, and longer than a tile.
TEST_F(VectorOnGoldenTest, ReductionsOfRows) {
  for (const std::string type : {"f32", "bf16", "f16", "i32", "i16", "i8", "ui32", "ui16", "ui8"}) {
    RunExactly(Reduce("add", "67x130x", "67x", type, "1"));
    RunExactly(Reduce("maximum", "9x300x", "9x", type, "1"));
    RunExactly(Reduce("minimum", "3x7x50x", "3x7x", type, "2"));
  }
  for (const std::string length : {"8", "13", "127", "128", "129", "257"}) {
    RunExactly(Reduce("add", "5x" + length + "x", "5x", "f32", "1"));
  }
  for (const std::string length : {"9", "130"}) {
    RunExactly(Reduce("xor", "5x" + length + "x", "5x", "i32", "1"));
    RunExactly(Reduce("and", length + "x", "", "ui8", "0"));
    RunExactly(Reduce("or", "3x" + length + "x", "3x", "i1", "1"));
    RunExactly(Reduce("multiply", "3x" + length + "x", "3x", "i16", "1"));
  }
  RunExactly(Reduce("multiply", "3x9x", "3x", "f32", "1"));
  RunExactly(Reduce("multiply", "9x3x", "3x", "bf16", "0"));
  RunExactly(Reduce("add", "40000x", "", "f32", "0"));
  RunExactly(Reduce("add", "1500x9x", "1500x", "bf16", "1"));
  RunExactly(Reduce("add", "2x3x5x40x", "3x", "f32", "0, 2, 3"));
  RunExactly(Reduce("add", "4x3x60x", "3x", "f16", "0, 2"));
}

TEST_F(VectorOnGoldenTest, SumsOfRowsHaveTheSameOrder) {
  const std::string rows = Reduce("add", "3x1000x", "3x", "f32", "1");
  const std::string columns = Reduce("add", "1000x3x", "3x", "f32", "0");
  std::vector<Literal> arguments = RandomArguments(rows);
  const std::vector<Literal> by_rows = RunEverywhere(rows, arguments);
  Literal transposed(Shape{graph::ElementType::kF32, {1000, 3}});
  for (size_t i = 0; i < 3000; ++i) {
    transposed.As<float>()[i % 1000 * 3 + i / 1000] = arguments[0].As<float>()[i];
  }
  arguments[0] = transposed;
  EXPECT_EQ(RunEverywhere(columns, arguments), by_rows);
}

// The order of a float sum is part of the contract.
TEST_F(VectorOnGoldenTest, SumsFoldOver128PartialsThenAsATree) {
  const std::string text = Reduce("add", "1000x3x", "3x", "f32", "0");
  const std::vector<Literal> arguments = RandomArguments(text);
  const std::vector<Literal> results = RunEverywhere(text, arguments);
  const auto x = arguments[0].As<float>();
  for (size_t column = 0; column < 3; ++column) {
    std::vector<float> partials;
    for (size_t row = 0; row < 1000; ++row) {
      const float value = x[row * 3 + column];
      if (row < 128) {
        partials.push_back(value);
      } else {
        partials[row % 128] += value;
      }
    }
    for (size_t distance = 64; distance > 0; distance /= 2) {
      for (size_t p = 0; p < distance; ++p) partials[p] += partials[p + distance];
    }
    EXPECT_EQ(results.at(0).As<float>()[column], partials[0] + arguments[1].As<float>()[0]);
  }
}

TEST_F(VectorOnGoldenTest, ABitcastToTheSameTypeKeepsWhatAPredicateIs) {
  RunExactly(
      "func.func @main(%a: tensor<19xi1>, %b: tensor<19xbf16>) -> (tensor<19xi1>, tensor<19xbf16>) {\n"
      "  %0 = stablehlo.not %a : tensor<19xi1>\n"
      "  %1 = stablehlo.bitcast_convert %0 : (tensor<19xi1>) -> tensor<19xi1>\n"
      "  %2 = stablehlo.multiply %b, %b : tensor<19xbf16>\n"
      "  %3 = stablehlo.bitcast_convert %2 : (tensor<19xbf16>) -> tensor<19xbf16>\n"
      "  return %1, %3 : tensor<19xi1>, tensor<19xbf16>\n}\n");
}

}  // namespace
}  // namespace systolith::testing
