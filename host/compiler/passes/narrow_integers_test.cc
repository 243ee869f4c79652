// Ranges hold what the evaluator computes, and narrowing changes no result.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>

#include "host/compiler/passes/integer_ranges.h"
#include "host/compiler/passes/passes.h"
#include "host/evaluator/evaluator.h"
#include "host/graph/builder.h"
#include "host/graph/print.h"
#include "host/graph/rewrite.h"
#include "host/graph/verify.h"
#include "host/import/import.h"

namespace systolith::compiler {
namespace {

using graph::ElementType;
using graph::Literal;
using graph::Opcode;
using graph::Shape;
using graph::Value;

std::vector<Literal> Evaluated(const graph::Module& module) {
  Result<std::vector<Literal>> results = evaluator::Evaluate(module, {}, {}, nullptr);
  EXPECT_TRUE(results.ok()) << results.status().message() << graph::Print(module);
  return results.ok() ? *results : std::vector<Literal>();
}

graph::Module Narrowed(const graph::Module& module) {
  Compilation compilation;
  compilation.module = module;
  EXPECT_TRUE(NarrowIntegers(compilation).ok());
  const Status status = graph::Verify(compilation.module);
  EXPECT_TRUE(status.ok()) << status.message() << graph::Print(compilation.module);
  return compilation.module;
}

// Operations, nested ones included, that work on 64-bit integers; converts and constants apart.
int WideOperations(const graph::Module& module) {
  const graph::Function& function = *module.Entry();
  int count = 0;
  graph::ForEachOp(function.body, [&](const graph::Op& op) {
    if (op.opcode == Opcode::kReturn || op.opcode == Opcode::kConvert ||
        op.opcode == Opcode::kConstant) {
      return;
    }
    std::vector<Value> values = op.operands;
    values.insert(values.end(), op.results.begin(), op.results.end());
    count += std::any_of(values.begin(), values.end(), [&](Value value) {
      const ElementType type = function.shape(value).type;
      return type == ElementType::kS64 || type == ElementType::kU64;
    });
  });
  return count;
}

struct Case {
  std::string name, text;
  int wide_operations;
};

class NarrowIntegersTest : public ::testing::TestWithParam<Case> {};

TEST_P(NarrowIntegersTest, ResultsAreTheSame) {
  const Result<graph::Module> module = import::ImportText(GetParam().text, "test.mlir");
  ASSERT_TRUE(module.ok()) << module.status().message();
  const graph::Module narrow = Narrowed(*module);
  EXPECT_EQ(WideOperations(narrow), GetParam().wide_operations) << graph::Print(narrow);
  EXPECT_EQ(Evaluated(narrow), Evaluated(*module)) << graph::Print(narrow);
}

INSTANTIATE_TEST_SUITE_P(
    Cases, NarrowIntegersTest,
    ::testing::Values(
        Case{"MaximumFromTheLowest", R"(
func.func @main() -> (tensor<3xi32>, tensor<4xi32>, tensor<3xi64>) {
  %x = stablehlo.constant dense<[[-5, -1, -4], [-7, 0, -2]]> : tensor<2x3xi64>
  %lowest = stablehlo.constant dense<-9223372036854775808> : tensor<i64>
  %0 = stablehlo.reduce(%x init: %lowest) applies stablehlo.maximum across dimensions = [0] : (tensor<2x3xi64>, tensor<i64>) -> tensor<3xi64>
  %1 = stablehlo.convert %0 : (tensor<3xi64>) -> tensor<3xi32>
  %y = stablehlo.constant dense<[-5, -1, -4, -9]> : tensor<4xi64>
  %2 = "stablehlo.reduce_window"(%y, %lowest) ({
    ^bb0(%a: tensor<i64>, %b: tensor<i64>):
      %5 = stablehlo.maximum %a, %b : tensor<i64>
      stablehlo.return %5 : tensor<i64>
  }) {window_dimensions = array<i64: 4>, padding = dense<[[3, 0]]> : tensor<1x2xi64>} : (tensor<4xi64>, tensor<i64>) -> tensor<4xi64>
  %3 = stablehlo.convert %2 : (tensor<4xi64>) -> tensor<4xi32>
  %z = stablehlo.constant dense<> : tensor<0x3xi64>
  %4 = stablehlo.reduce(%z init: %lowest) applies stablehlo.maximum across dimensions = [0] : (tensor<0x3xi64>, tensor<i64>) -> tensor<3xi64>
  return %1, %3, %4 : tensor<3xi32>, tensor<4xi32>, tensor<3xi64>
}
)", 2},
        Case{"IndexOfASlice", R"(
func.func @main() -> tensor<2xf32> {
  %x = stablehlo.constant dense<[1.0, 2.0, 3.0, 4.0]> : tensor<4xf32>
  %i = stablehlo.constant dense<-3> : tensor<i64>
  %zero = stablehlo.constant dense<0> : tensor<i64>
  %four = stablehlo.constant dense<4> : tensor<i64>
  %less = stablehlo.compare LT, %i, %zero, SIGNED : (tensor<i64>, tensor<i64>) -> tensor<i1>
  %sum = stablehlo.add %i, %four : tensor<i64>
  %start = stablehlo.select %less, %sum, %i : tensor<i1>, tensor<i64>
  %0 = stablehlo.dynamic_slice %x, %start, sizes = [2] : (tensor<4xf32>, tensor<i64>) -> tensor<2xf32>
  return %0 : tensor<2xf32>
})", 0},
        Case{"LoopWithACounterAndASum", R"(
func.func @main() -> (tensor<i64>, tensor<ui64>, tensor<i64>) {
  %zero = stablehlo.constant dense<0> : tensor<i64>
  %uzero = stablehlo.constant dense<5> : tensor<ui64>
  %one = stablehlo.constant dense<1> : tensor<i64>
  %three = stablehlo.constant dense<3> : tensor<i64>
  %seven = stablehlo.constant dense<7> : tensor<ui64>
  %ten = stablehlo.constant dense<10> : tensor<i64>
  %r:3 = stablehlo.while(%i = %zero, %s = %uzero, %p = %one) : tensor<i64>, tensor<ui64>, tensor<i64>
  cond {
    %c = stablehlo.compare LT, %i, %ten : (tensor<i64>, tensor<i64>) -> tensor<i1>
    stablehlo.return %c : tensor<i1>
  } do {
    %s1 = stablehlo.add %s, %seven : tensor<ui64>
    %i1 = stablehlo.add %i, %one : tensor<i64>
    %p1 = stablehlo.multiply %p, %three : tensor<i64>
    stablehlo.return %i1, %s1, %p1 : tensor<i64>, tensor<ui64>, tensor<i64>
  }
  return %r#0, %r#1, %r#2 : tensor<i64>, tensor<ui64>, tensor<i64>
})", 2},  // the power of three: its product, and the loop that carries it
        Case{"CountingDown", R"(
func.func @main() -> tensor<i64> {
  %zero = stablehlo.constant dense<0> : tensor<i64>
  %two = stablehlo.constant dense<2> : tensor<i64>
  %ten = stablehlo.constant dense<10> : tensor<i64>
  %r = stablehlo.while(%i = %ten) : tensor<i64>
  cond {
    %c = stablehlo.compare GT, %i, %zero : (tensor<i64>, tensor<i64>) -> tensor<i1>
    stablehlo.return %c : tensor<i1>
  } do {
    %i1 = stablehlo.subtract %i, %two : tensor<i64>
    stablehlo.return %i1 : tensor<i64>
  }
  return %r : tensor<i64>
})", 0},
        Case{"SumOfAReduction", R"(
func.func @main() -> (tensor<i64>, tensor<i64>) {
  %x = stablehlo.constant dense<[100000, -7, 3]> : tensor<3xi64>
  %y = stablehlo.constant dense<[1000000000, 1000000000, 1000000000]> : tensor<3xi64>
  %zero = stablehlo.constant dense<0> : tensor<i64>
  %0 = stablehlo.reduce(%x init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<3xi64>, tensor<i64>) -> tensor<i64>
  %1 = stablehlo.reduce(%y init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<3xi64>, tensor<i64>) -> tensor<i64>
  return %0, %1 : tensor<i64>, tensor<i64>
})", 2},  // the second and its body
        Case{"PlaceOfTheLargest", R"(
func.func @main() -> (tensor<f32>, tensor<i64>) {
  %x = stablehlo.constant dense<[1.0, 5.0, 3.0]> : tensor<3xf32>
  %i = stablehlo.iota dim = 0 : tensor<3xi64>
  %low = stablehlo.constant dense<0xFF800000> : tensor<f32>
  %zero = stablehlo.constant dense<0> : tensor<i64>
  %r:2 = "stablehlo.reduce"(%x, %i, %low, %zero) <{dimensions = array<i64: 0>}> ({
  ^bb0(%a: tensor<f32>, %ai: tensor<i64>, %b: tensor<f32>, %bi: tensor<i64>):
    %c = stablehlo.compare GE, %a, %b : (tensor<f32>, tensor<f32>) -> tensor<i1>
    %v = stablehlo.select %c, %a, %b : tensor<i1>, tensor<f32>
    %vi = stablehlo.select %c, %ai, %bi : tensor<i1>, tensor<i64>
    stablehlo.return %v, %vi : tensor<f32>, tensor<i64>
  }) : (tensor<3xf32>, tensor<3xi64>, tensor<f32>, tensor<i64>) -> (tensor<f32>, tensor<i64>)
  return %r#0, %r#1 : tensor<f32>, tensor<i64>
})", 0},
        Case{"ScatterOfIndices", R"(
func.func @main() -> tensor<4xi64> {
  %x = stablehlo.constant dense<[1, 2, 3, 4]> : tensor<4xi64>
  %at = stablehlo.constant dense<[[3], [1], [9]]> : tensor<3x1xi64>
  %u = stablehlo.constant dense<[10, -20, 30]> : tensor<3xi64>
  %0 = "stablehlo.scatter"(%x, %at, %u) <{scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}> ({
  ^bb0(%a: tensor<i64>, %b: tensor<i64>):
    %s = stablehlo.add %a, %b : tensor<i64>
    stablehlo.return %s : tensor<i64>
  }) : (tensor<4xi64>, tensor<3x1xi64>, tensor<3xi64>) -> tensor<4xi64>
  return %0 : tensor<4xi64>
})", 0},
        Case{"ScatterOfFactors", R"(
func.func @main() -> (tensor<2x3xui64>, tensor<4xi64>) {
  %x = stablehlo.constant dense<[[1, 2, 3], [4, 5, 6]]> : tensor<2x3xui64>
  %at = stablehlo.constant dense<1> : tensor<1xi64>
  %u = stablehlo.constant dense<[7, 1000, 9]> : tensor<3xui64>
  %0 = "stablehlo.scatter"(%x, %at, %u) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [0], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0]>}> ({
  ^bb0(%a: tensor<ui64>, %b: tensor<ui64>):
    %s = stablehlo.multiply %a, %b : tensor<ui64>
    stablehlo.return %s : tensor<ui64>
  }) : (tensor<2x3xui64>, tensor<1xi64>, tensor<3xui64>) -> tensor<2x3xui64>
  %y = stablehlo.constant dense<[1, 2, 3, 4]> : tensor<4xi64>
  %twice = stablehlo.constant dense<[[3], [3]]> : tensor<2x1xi64>
  %v = stablehlo.constant dense<[-100000, 100000]> : tensor<2xi64>
  %1 = "stablehlo.scatter"(%y, %twice, %v) <{scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}> ({
  ^bb0(%a: tensor<i64>, %b: tensor<i64>):
    %s = stablehlo.multiply %a, %b : tensor<i64>
    stablehlo.return %s : tensor<i64>
  }) : (tensor<4xi64>, tensor<2x1xi64>, tensor<2xi64>) -> tensor<4xi64>
  return %0, %1 : tensor<2x3xui64>, tensor<4xi64>
})", 2},  // the second and its body
        Case{"BranchesOfDifferentSize", R"(
func.func @main() -> (tensor<i64>, tensor<i64>) {
  %c = stablehlo.constant dense<true> : tensor<i1>
  %small = stablehlo.constant dense<3> : tensor<i64>
  %large = stablehlo.constant dense<5000000000> : tensor<i64>
  %r:2 = "stablehlo.if"(%c) ({
    %s = stablehlo.add %small, %small : tensor<i64>
    stablehlo.return %s, %small : tensor<i64>, tensor<i64>
  }, {
    %t = stablehlo.multiply %small, %small : tensor<i64>
    stablehlo.return %large, %t : tensor<i64>, tensor<i64>
  }) : (tensor<i1>) -> (tensor<i64>, tensor<i64>)
  return %r#0, %r#1 : tensor<i64>, tensor<i64>
})", 1},  // the branch itself
        Case{"BitsOfTheSign", R"(
func.func @main() -> (tensor<2xi64>, tensor<2xi64>, tensor<2xi64>) {
  %x = stablehlo.constant dense<[-1, 6]> : tensor<2xi64>
  %one = stablehlo.constant dense<1> : tensor<2xi64>
  %0 = stablehlo.popcnt %x : tensor<2xi64>
  %1 = stablehlo.count_leading_zeros %x : tensor<2xi64>
  %2 = stablehlo.shift_right_logical %x, %one : tensor<2xi64>
  return %0, %1, %2 : tensor<2xi64>, tensor<2xi64>, tensor<2xi64>
})", 3}),
    [](const auto& test) { return test.param.name; });

// Random expressions over constants of every integer type.
class RandomExpression {
 public:
  explicit RandomExpression(uint32_t seed) : rng_(seed) {
    module_.functions.emplace_back();
    function().name = "main";
    std::vector<graph::Op> ops;
    graph::Builder builder(function(), ops);
    const ElementType types[] = {ElementType::kS64, ElementType::kU64, ElementType::kS32,
                                 ElementType::kS64};
    std::vector<Value> values;
    for (int i = 0; i < 6; ++i) {
      Literal literal({types[Below(4)], {3}});
      for (int64_t k = 0; k < 3; ++k) {
        literal.SetInt(k, static_cast<int64_t>((uint64_t{rng_()} << 32 | rng_()) >> Below(64)) *
                              (Below(2) == 0 ? 1 : -1));
      }
      values.push_back(builder.Constant(std::move(literal)));
    }
    values.push_back(builder.Iota({ElementType::kS64, {3}}, 0));
    for (int i = 0; i < 40; ++i) values.push_back(Random(builder, values));
    builder.Return(values);
    function().body.ops = std::move(ops);
  }

  const graph::Module& module() const { return module_; }

 private:
  graph::Function& function() { return module_.functions[0]; }
  uint32_t Below(uint32_t n) { return rng_() % n; }

  Value Random(graph::Builder& builder, const std::vector<Value>& values) {
    const Value x = values[Below(static_cast<uint32_t>(values.size()))];
    const ElementType type = function().shape(x).type;
    Value y = values[Below(static_cast<uint32_t>(values.size()))];
    if (function().shape(y).type != type) y = builder.Convert(y, type);
    const Opcode binary[] = {Opcode::kAdd, Opcode::kSubtract, Opcode::kMultiply, Opcode::kDivide,
                             Opcode::kRemainder, Opcode::kMaximum, Opcode::kMinimum, Opcode::kAnd,
                             Opcode::kOr, Opcode::kXor, Opcode::kShiftLeft,
                             Opcode::kShiftRightLogical, Opcode::kShiftRightArithmetic};
    const Opcode unary[] = {Opcode::kNegate, Opcode::kAbs, Opcode::kSign, Opcode::kNot,
                            Opcode::kPopcnt, Opcode::kCountLeadingZeros};
    const bool is_unsigned = graph::IsUnsigned(type);
    graph::Op op;
    op.operands = {x};
    switch (Below(8)) {
      case 0: {
        op.opcode = unary[Below(6)];
        if (is_unsigned && op.opcode != Opcode::kPopcnt) op.opcode = Opcode::kNot;
        break;
      }
      case 1:
        op.opcode = Opcode::kClamp;
        op.operands = {x, y, x};
        break;
      case 2: {
        const Value c = builder.Compare(graph::CompareDirection::kLt, x, y);
        op.opcode = Opcode::kSelect;
        op.operands = {c, x, y};
        break;
      }
      case 3: {
        const ElementType types[] = {ElementType::kS64, ElementType::kU64, ElementType::kS32,
                                     ElementType::kU8};
        return builder.Convert(x, types[Below(4)]);
      }
      default:
        op.opcode = binary[Below(std::size(binary))];
        if (is_unsigned && op.opcode == Opcode::kShiftRightArithmetic) op.opcode = Opcode::kAdd;
        op.operands = {x, y};
    }
    return builder.Append(std::move(op)).result();
  }

  graph::Module module_;
  std::mt19937 rng_;
};

TEST(IntegerRangesTest, RandomExpressionsStayWithin) {
  int known = 0;
  for (uint32_t seed = 0; seed < 400; ++seed) {
    const RandomExpression expression(seed);
    const graph::Module& module = expression.module();
    const std::vector<Literal> results = Evaluated(module);
    const std::vector<IntegerRange> ranges = IntegerRanges(*module.Entry());
    for (size_t r = 0; r < results.size(); ++r) {
      const IntegerRange& range = ranges[static_cast<size_t>(module.Entry()->results()[r].id)];
      known += range == RangeOfType(results[r].type()) ? 0 : 1;
      for (int64_t i = 0; i < results[r].size(); ++i) {
        const int64_t bits = results[r].GetInt(i);
        const __int128 number = results[r].type() == ElementType::kU64
                                    ? __int128{static_cast<uint64_t>(bits)}
                                    : __int128{bits};
        ASSERT_TRUE(range.Holds({number, number}))
            << "seed " << seed << " result " << r << ": " << results[r].ElementToString(i)
            << graph::Print(module);
      }
    }
    const graph::Module narrow = Narrowed(module);
    ASSERT_EQ(Evaluated(narrow), results) << "seed " << seed << graph::Print(module)
                                          << graph::Print(narrow);
  }
  EXPECT_GT(known, 4000);  // it does find ranges
}

}  // namespace
}  // namespace systolith::compiler
