// Programs of 64-bit integers give the same with pairs of words: the evaluator says so, before and
// after.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "host/compiler/expand/expand.h"
#include "host/compiler/expand/test_programs.h"
#include "host/evaluator/evaluator.h"
#include "host/graph/print.h"
#include "host/graph/rewrite.h"
#include "host/graph/verify.h"
#include "host/import/import.h"

namespace systolith::compiler {
namespace {

using graph::ElementType;
using graph::Literal;
using graph::Op;
using graph::Shape;

bool IsWideType(ElementType type) {
  return type == ElementType::kS64 || type == ElementType::kU64;
}

class SplitWideIntegersTest : public ::testing::Test {
 protected:
  SplitWideIntegersTest() { chip_ = *arch::LoadChipConfig("tiny"); }

  // Numbers whose words carry, borrow, and have every sign; small ones for shifts and ties.
  Literal Random(const Shape& shape) {
    Literal literal(shape);
    if (!IsWideType(shape.type)) {
      for (int64_t i = 0; i < literal.size(); ++i) literal.SetInt(i, static_cast<int64_t>(rng_()));
      return literal;
    }
    const uint64_t remarkable[] = {0, 1, 31, 32, 33, 63, 64, 65, 0xffffffff, 0x100000000,
                                   0x7fffffffffffffff, 0x8000000000000000, ~uint64_t{0}};
    for (uint64_t& bits : literal.As<uint64_t>()) {
      bits = rng_() % 2 == 0 ? remarkable[rng_() % std::size(remarkable)]
                             : uint64_t{rng_()} << 32 | rng_();
    }
    return literal;
  }

  // `stays`: an operation that takes whole integers is expected.
  void ExpectSame(const std::string& text, bool stays = false) {
    auto module = import::ImportText(text, "test.mlir");
    ASSERT_TRUE(module.ok()) << module.status().message() << "\n" << text;
    graph::Module split = *module;
    SplitWideIntegersOf(*split.Entry(), chip_);
    const Status status = graph::Verify(split);
    ASSERT_TRUE(status.ok()) << status.message() << "\n" << graph::Print(split);
    bool computes = false;
    const graph::Function& function = *split.Entry();
    graph::ForEachOp(function.body, [&](const Op& op) {
      const bool is_border = op.opcode == graph::Opcode::kBitcastConvert ||
                             op.opcode == graph::Opcode::kReturn;
      for (const graph::Value value : op.operands) {
        computes |= !is_border && IsWideType(function.shape(value).type);
      }
    });
    EXPECT_EQ(computes, stays) << graph::Print(split);
    std::vector<Literal> arguments;
    for (const graph::Value argument : module->Entry()->arguments()) {
      arguments.push_back(Random(module->Entry()->shape(argument)));
    }
    const auto before = evaluator::Evaluate(*module, arguments, {}, nullptr);
    const auto after = evaluator::Evaluate(split, arguments, {}, nullptr);
    ASSERT_TRUE(before.ok()) << before.status().message();
    ASSERT_TRUE(after.ok()) << after.status().message();
    for (size_t r = 0; r < before->size(); ++r) {
      const Literal &x = (*before)[r], &y = (*after)[r];
      ASSERT_EQ(x.size(), y.size());
      for (int64_t i = 0; i < x.size(); ++i) {
        ASSERT_EQ(x.GetInt(i), y.GetInt(i)) << "element " << i << " of result " << r << "\n" << text;
      }
    }
  }

  std::mt19937 rng_{1};  // seed
  arch::ChipConfig chip_;
};

TEST_F(SplitWideIntegersTest, Arithmetic) {
  for (const std::string type : {"i64", "ui64"}) {
    for (const std::string name :
         {"add", "subtract", "multiply", "and", "or", "xor", "maximum", "minimum", "shift_left",
          "shift_right_logical", "shift_right_arithmetic"}) {
      ExpectSame(fmt::format(R"(
func.func @main(%a: tensor<7x31x{0}>, %b: tensor<7x31x{0}>) -> tensor<7x31x{0}> {{
  %0 = stablehlo.{1} %a, %b : tensor<7x31x{0}>
  return %0 : tensor<7x31x{0}>
}})", type, name));
    }
    for (const std::string name : {"abs", "negate", "not", "popcnt", "count_leading_zeros", "sign"}) {
      if (type == "ui64" && (name == "abs" || name == "sign")) continue;
      ExpectSame(fmt::format(R"(
func.func @main(%a: tensor<211x{0}>) -> tensor<211x{0}> {{
  %0 = stablehlo.{1} %a : tensor<211x{0}>
  return %0 : tensor<211x{0}>
}})", type, name));
    }
    for (const std::string direction : {"EQ", "NE", "LT", "LE", "GT", "GE"}) {
      ExpectSame(fmt::format(R"(
func.func @main(%a: tensor<301x{0}>, %b: tensor<301x{0}>) -> (tensor<301xi1>, tensor<301x{0}>) {{
  %0 = stablehlo.compare {1}, %a, %b : (tensor<301x{0}>, tensor<301x{0}>) -> tensor<301xi1>
  %1 = stablehlo.select %0, %a, %b : tensor<301xi1>, tensor<301x{0}>
  return %0, %1 : tensor<301xi1>, tensor<301x{0}>
}})", type, direction));
    }
    ExpectSame(fmt::format(R"(
func.func @main(%l: tensor<{0}>, %a: tensor<90x{0}>, %h: tensor<90x{0}>) -> tensor<90x{0}> {{
  %0 = stablehlo.clamp %l, %a, %h : (tensor<{0}>, tensor<90x{0}>, tensor<90x{0}>) -> tensor<90x{0}>
  return %0 : tensor<90x{0}>
}})", type));
  }
}

TEST_F(SplitWideIntegersTest, Converts) {
  for (const std::string wide : {"i64", "ui64"}) {
    for (const std::string other : {"i1", "i8", "ui8", "i16", "ui16", "i32", "ui32", "i64", "ui64"}) {
      ExpectSame(fmt::format(R"(
func.func @main(%a: tensor<77x{0}>, %b: tensor<77x{1}>) -> (tensor<77x{1}>, tensor<77x{0}>) {{
  %0 = stablehlo.convert %a : (tensor<77x{0}>) -> tensor<77x{1}>
  %1 = stablehlo.convert %b : (tensor<77x{1}>) -> tensor<77x{0}>
  return %0, %1 : tensor<77x{1}>, tensor<77x{0}>
}})", wide, other));
    }
  }
}

TEST_F(SplitWideIntegersTest, Movement) {
  ExpectSame(R"(
func.func @main(%a: tensor<3x5xi64>, %p: tensor<i64>, %i: tensor<i32>) -> (tensor<6x8xi64>, tensor<5x3xi64>, tensor<2x2xi64>) {
  %0 = stablehlo.iota dim = 1 : tensor<3x5xi64>
  %1 = stablehlo.concatenate %a, %0, dim = 0 : (tensor<3x5xi64>, tensor<3x5xi64>) -> tensor<6x5xi64>
  %2 = stablehlo.pad %1, %p, low = [0, 2], high = [0, 1], interior = [0, 0] : (tensor<6x5xi64>, tensor<i64>) -> tensor<6x8xi64>
  %3 = stablehlo.transpose %a, dims = [1, 0] : (tensor<3x5xi64>) -> tensor<5x3xi64>
  %4 = stablehlo.dynamic_slice %1, %i, %i, sizes = [2, 2] : (tensor<6x5xi64>, tensor<i32>, tensor<i32>) -> tensor<2x2xi64>
  %5 = stablehlo.constant dense<[[4294967296, -1], [-4294967297, 9223372036854775807]]> : tensor<2x2xi64>
  %6 = stablehlo.add %4, %5 : tensor<2x2xi64>
  return %2, %3, %6 : tensor<6x8xi64>, tensor<5x3xi64>, tensor<2x2xi64>
})");
}

TEST_F(SplitWideIntegersTest, Regions) {
  ExpectSame(R"(
func.func @main(%a: tensor<4x9xi64>, %n: tensor<i64>) -> (tensor<4xi64>, tensor<4x9xi64>) {
  %0 = stablehlo.reduce(%a init: %n) applies stablehlo.maximum across dimensions = [1] : (tensor<4x9xi64>, tensor<i64>) -> tensor<4xi64>
  %1 = "stablehlo.sort"(%a) <{dimension = 1 : i64, is_stable = true}> ({
  ^bb0(%x: tensor<i64>, %y: tensor<i64>):
    %2 = stablehlo.compare LT, %x, %y : (tensor<i64>, tensor<i64>) -> tensor<i1>
    stablehlo.return %2 : tensor<i1>
  }) : (tensor<4x9xi64>) -> tensor<4x9xi64>
  return %0, %1 : tensor<4xi64>, tensor<4x9xi64>
})");
  ExpectSame(R"(
func.func @main(%a: tensor<4xi64>, %b: tensor<4xi64>) -> (tensor<4xi64>, tensor<i64>) {
  %z = stablehlo.constant dense<0> : tensor<i64>
  %one = stablehlo.constant dense<1> : tensor<i64>
  %n = stablehlo.constant dense<5> : tensor<i64>
  %0:2 = stablehlo.while(%x = %a, %i = %z) : tensor<4xi64>, tensor<i64>
   cond {
    %2 = stablehlo.compare LT, %i, %n : (tensor<i64>, tensor<i64>) -> tensor<i1>
    stablehlo.return %2 : tensor<i1>
  } do {
    %2 = stablehlo.multiply %x, %b : tensor<4xi64>
    %3 = stablehlo.add %i, %one : tensor<i64>
    stablehlo.return %2, %3 : tensor<4xi64>, tensor<i64>
  }
  return %0#0, %0#1 : tensor<4xi64>, tensor<i64>
})");
}

TEST_F(SplitWideIntegersTest, ScattersKeepTheirIndices) {
  ExpectSame(R"(
func.func @main(%a: tensor<5xi64>, %u: tensor<3xi64>) -> tensor<5xi64> {
  %i = stablehlo.constant dense<[[4], [1], [4]]> : tensor<3x1xi32>
  %0 = "stablehlo.scatter"(%a, %i, %u) <{scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}> ({
  ^bb0(%x: tensor<i64>, %y: tensor<i64>):
    %1 = stablehlo.multiply %x, %y : tensor<i64>
    stablehlo.return %1 : tensor<i64>
  }) : (tensor<5xi64>, tensor<3x1xi32>, tensor<3xi64>) -> tensor<5xi64>
  return %0 : tensor<5xi64>
})");
}

TEST_F(SplitWideIntegersTest, OperationsThatAreExpandedBefore) {
  for (const std::string type : {"i64", "ui64"}) {
    ExpectSame(SelectAndScatter("5x6", "3x3", type,
                                "window_dimensions = array<i64: 2, 3>, window_strides = "
                                "array<i64: 2, 2>, padding = dense<[[0, 1], [1, 0]]> : "
                                "tensor<2x2xi64>",
                                "GE", "add"));
    for (const std::string& other : {type, std::string("i8"), std::string("ui32")}) {
      ExpectSame(Dot("2x4x3x" + type, "2x3x5x" + other, "2x4x5x" + type,
                     "batching_dims = [0] x [0], contracting_dims = [2] x [1]"));
    }
    ExpectSame(fmt::format(R"(
func.func @main(%a: tensor<5x3x{0}>, %b: tensor<{0}>) -> tensor<5x3x{0}> {{
  %0 = "stablehlo.map"(%a) ({{
  ^bb0(%x: tensor<{0}>):
    %1 = stablehlo.multiply %x, %b : tensor<{0}>
    %2 = stablehlo.bitcast_convert %1 : (tensor<{0}>) -> tensor<{1}>
    %3 = stablehlo.maximum %2, %2 : tensor<{1}>
    %4 = stablehlo.bitcast_convert %3 : (tensor<{1}>) -> tensor<{0}>
    stablehlo.return %4 : tensor<{0}>
  }}) {{dimensions = array<i64: 0, 1>}} : (tensor<5x3x{0}>) -> tensor<5x3x{0}>
  return %0 : tensor<5x3x{0}>
}})", type, type == "i64" ? "ui64" : "i64"));
  }
}

TEST_F(SplitWideIntegersTest, DivisionTakesWholeIntegers) {
  ExpectSame(R"(
func.func @main(%a: tensor<8xi64>, %b: tensor<8xi64>) -> tensor<8xi64> {
  %0 = stablehlo.add %a, %b : tensor<8xi64>
  %1 = stablehlo.divide %0, %b : tensor<8xi64>
  %2 = stablehlo.xor %1, %a : tensor<8xi64>
  return %2 : tensor<8xi64>
})", true);
}

}  // namespace
}  // namespace systolith::compiler
