#include "host/evaluator/evaluator.h"

#include <bit>
#include <cmath>
#include <random>

#include "host/base/bfloat16.h"
#include "host/evaluator/test_util.h"
#include "host/graph/builder.h"

namespace systolith::evaluator {
namespace {

constexpr ElementType kF32 = ElementType::kF32, kBF16 = ElementType::kBF16;
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr double kInf = std::numeric_limits<double>::infinity();

std::string Dot(const std::string& precision) {
  return Program({"tensor<1x2xf32>", "tensor<2x1xf32>"}, "tensor<1x1xf32>",
                 "stablehlo.dot_general %arg0, %arg1, contracting_dims = [1] x [0], precision = [" +
                     precision + ", " + precision +
                     "] : (tensor<1x2xf32>, tensor<2x1xf32>) -> tensor<1x1xf32>");
}

TEST(EvaluatorTest, PrecisionDecidesHowF32OperandsAreRounded) {
  const double third = static_cast<float>(1.0 / 3);
  const Literal a = Tensor(kF32, {1, 2}, {third, 1}), b = Tensor(kF32, {2, 1}, {1, 0});
  const double rounded = FloatFromBfloat16(Bfloat16FromFloat(static_cast<float>(third)));
  EXPECT_EQ(Values(RunProgram(Dot("DEFAULT"), {a, b})[0])[0], rounded);
  EXPECT_EQ(Values(RunProgram(Dot("HIGHEST"), {a, b})[0])[0], third);
  EXPECT_EQ(Values(RunProgram(Dot("HIGH"), {a, b})[0])[0], third);
  EXPECT_EQ(Values(RunProgram(Dot("DEFAULT"), {a, b},
                       {.default_precision = graph::Precision::kHighest})[0])[0], third);
}

TEST(EvaluatorTest, SubnormalOperandsAndResultsOfProductsAreZero) {
  const Literal a = Tensor(kF32, {1, 2}, {1e-39, 1e-20}), b = Tensor(kF32, {2, 1}, {1e38, 1e-20});
  for (const char* precision : {"DEFAULT", "HIGHEST"}) {
    EXPECT_EQ(Values(RunProgram(Dot(precision), {a, b})[0])[0], 0) << precision;
  }
}

TEST(EvaluatorTest, SubnormalsAreZeroBeforeTheyAreRoundedToBf16) {
  const float highest_subnormal = 0x1.fffffcp-127F;  // would round to 2^-126
  EXPECT_EQ(Values(RunProgram(Dot("DEFAULT"), {Tensor(kF32, {1, 2}, {highest_subnormal, 0}),
                                               Tensor(kF32, {2, 1}, {0x1p100, 0})})[0])[0], 0);
}

TEST(EvaluatorTest, ProductsReportTheirMagnitudes) {
  const Literal a = Tensor(kF32, {1, 2}, {3, 2}), b = Tensor(kF32, {2, 1}, {1, -2});
  EvalReport report;
  const auto module = import::ImportText(Dot("HIGHEST"), "test.mlir");
  ASSERT_TRUE(module.ok());
  const std::vector<Literal> arguments = {a, b};
  const auto results = Evaluate(*module, arguments, {.keep_magnitudes = true}, &report);
  ASSERT_TRUE(results.ok());
  EXPECT_EQ(Values(results->front())[0], -1);
  const int32_t id = module->Entry()->body.ops[0].result().id;
  EXPECT_EQ(report.magnitudes.at(id), std::vector<double>{7});
}

TEST(EvaluatorTest, PaddingIsAZeroThatMeetsInfinity) {
  const auto run = [](double weight) {
    return Values(
        RunProgram(Program({"tensor<1x2x1xf32>", "tensor<2x1x1xf32>"}, "tensor<1x3x1xf32>",
                           "stablehlo.convolution(%arg0, %arg1) dim_numbers = [b, 0, f]x[0, i, "
                           "o]->[b, 0, f], window = {pad = [[1, 1]]} {batch_group_count = 1 : "
                           "i64, feature_group_count = 1 : i64} : (tensor<1x2x1xf32>, "
                           "tensor<2x1x1xf32>) -> tensor<1x3x1xf32>"),
                   {Tensor(kF32, {1, 2, 1}, {1, 1}), Tensor(kF32, {2, 1, 1}, {weight, 1})})[0]);
  };
  EXPECT_EQ(run(5), (std::vector<double>{1, 6, 5}));
  const std::vector<double> infinite = run(kInf);
  EXPECT_TRUE(std::isnan(infinite[0]));
  EXPECT_EQ(infinite[1], kInf);
}

std::string Reduce(const std::string& type, int64_t size, const std::string& operation,
                   const std::string& init) {
  const std::string vector = "tensor<" + std::to_string(size) + "x" + type + ">";
  const std::string scalar = "tensor<" + type + ">";
  return "func.func @main(%x: " + vector + ") -> " + scalar +
         " {\n  %i = stablehlo.constant dense<" + init + "> : " + scalar +
         "\n  %r = stablehlo.reduce(%x init: %i) applies stablehlo." + operation +
         " across dimensions = [0] : (" + vector + ", " + scalar + ") -> " + scalar +
         "\n  return %r : " + scalar + "\n}\n";
}

// The order that the contract fixes, written once more in its own words.
float SumInOrder(const std::vector<float>& x) {
  std::vector<std::vector<float>> partials(128);
  for (size_t i = 0; i < x.size(); ++i) {
    auto& partial = partials[i % 128];
    if (partial.empty()) {
      partial = {x[i]};
    } else {
      partial[0] = partial[0] + x[i];
    }
  }
  for (const size_t distance : {64, 32, 16, 8, 4, 2, 1}) {
    for (size_t i = 0; i < distance; ++i) {
      if (!partials[i + distance].empty()) {
        partials[i][0] = partials[i][0] + partials[i + distance][0];
      }
    }
  }
  return partials[0][0];
}

TEST(EvaluatorTest, SumsFollowTheOrderOfTheContract) {
  std::mt19937 rng(5);
  std::normal_distribution<float> normal;
  for (const int64_t size : {1, 2, 3, 63, 64, 65, 127, 128, 129, 200, 1000}) {
    std::vector<float> x(static_cast<size_t>(size));
    std::vector<uint16_t> halves(x.size());
    std::vector<float> widened(x.size());
    for (size_t i = 0; i < x.size(); ++i) {
      x[i] = normal(rng) * 1000;
      halves[i] = Bfloat16FromFloat(x[i]);
      widened[i] = FloatFromBfloat16(halves[i]);
    }
    const Literal f32 = Literal::Of<float>(Shape{kF32, {size}}, x);
    EXPECT_EQ(RunProgram(Reduce("f32", size, "add", "0.0"), {f32})[0].As<float>()[0],
              SumInOrder(x));
    EXPECT_EQ(RunProgram(Reduce("f32", size, "add", "3.0"), {f32})[0].As<float>()[0],
              3.0F + SumInOrder(x));
    // bf16 stays in f32 until the end.
    const Literal bf16 = Literal::Of<uint16_t>(Shape{kBF16, {size}}, halves);
    EXPECT_EQ(RunProgram(Reduce("bf16", size, "add", "0.0"), {bf16})[0].As<uint16_t>()[0],
              Bfloat16FromFloat(SumInOrder(widened)));
  }
}

TEST(EvaluatorTest, TheInitialValueIsLeftOutWhereItChangesNothing) {
  const auto sign = [](const std::string& init) {
    return std::signbit(Values(RunProgram(Reduce("f32", 2, "add", init),
                                   {Tensor(kF32, {2}, {-0.0, -0.0})})[0])[0]);
  };
  EXPECT_TRUE(sign("0.0"));
  EXPECT_EQ(Values(RunProgram(Reduce("f32", 0, "add", "7.0"), {Tensor(kF32, {0}, {})})[0])[0], 7);
  EXPECT_EQ(Values(RunProgram(Reduce("i32", 3, "maximum", "-2147483648"),
                       {Tensor(ElementType::kS32, {3}, {-5, -9, -7})})[0])[0], -5);
  EXPECT_TRUE(std::isnan(Values(RunProgram(Reduce("f32", 3, "maximum", "0xFF800000"),
                                    {Tensor(kF32, {3}, {1, kNan, 2})})[0])[0]));
}

TEST(EvaluatorTest, ConversionsFollowOneRule) {
  const Literal values = Tensor(kF32, {7}, {kNan, kInf, -kInf, 3e9, -3e9, 127.5, -128.6});
  const auto convert = [&](const std::string& type) {
    return Values(
        RunProgram(Program({"tensor<7xf32>"}, "tensor<7x" + type + ">",
                           "stablehlo.convert %arg0 : (tensor<7xf32>) -> tensor<7x" + type + ">"),
                   {values})[0]);
  };
  constexpr double kMax = 2147483647, kMin = -2147483648;
  EXPECT_EQ(convert("i32"), (std::vector<double>{0, kMax, kMin, kMax, kMin, 127, -128}));
  EXPECT_EQ(convert("i8"), (std::vector<double>{0, 127, -128, 127, -128, 127, -128}));
}

TEST(EvaluatorTest, UnsignedIntegersConvertWithOneRounding) {
  Literal value(Shape{ElementType::kU64, {1}});
  value.As<uint64_t>()[0] = 0x8000008000000001;  // just above the middle of two floats
  const auto result = RunProgram(Program({"tensor<1xui64>"}, "tensor<1xf32>",
                                  "stablehlo.convert %arg0 : (tensor<1xui64>) -> tensor<1xf32>"),
                          {value});
  EXPECT_EQ(std::bit_cast<uint32_t>(result[0].As<float>()[0]), 0x5f000001U);
}

TEST(EvaluatorTest, ChecksReportTheFirstDifference) {
  EvalReport report;
  RunProgram("func.func @main() {\n"
      "  %a = stablehlo.constant dense<[1.0, 2.0]> : tensor<2xf32>\n"
      "  %b = stablehlo.constant dense<[1.0, 2.5]> : tensor<2xf32>\n"
      "  stablehlo.custom_call @check.expect_eq(%a, %a) {has_side_effect = true} : "
      "(tensor<2xf32>, tensor<2xf32>) -> ()\n"
      "  check.expect_almost_eq %a, %b, tolerance = 0.5 : tensor<2xf32>\n"
      "  check.expect_close %a, %b : tensor<2xf32>, tensor<2xf32>\n"
      "  check.expect_eq_const %a, dense<[1.0, 2.0]> : tensor<2xf32>\n"
      "  return\n}\n", {}, {}, &report);
  ASSERT_EQ(report.checks.size(), 4U);
  EXPECT_TRUE(report.checks[0].passed);
  EXPECT_TRUE(report.checks[1].passed);
  EXPECT_FALSE(report.checks[2].passed);
  EXPECT_EQ(report.checks[2].message,
            "line 6: check.expect_close: element [1] is 2 instead of 2.5; 1 of 2 differ");
  EXPECT_TRUE(report.checks[3].passed);
  EXPECT_FALSE(report.AllChecksPassed());
}

TEST(EvaluatorTest, WrongArgumentsAndUnknownChecksAreErrors) {
  const auto module = import::ImportText(
      "func.func @main(%x: tensor<2xf32>) {\n"
      "  stablehlo.custom_call @check.magic(%x, %x) {has_side_effect = true} : (tensor<2xf32>, "
      "tensor<2xf32>) -> ()\n"
      "  return\n}\n", "x.mlir");
  ASSERT_TRUE(module.ok()) << module.status().message();
  const std::vector<Literal> wrong = {Tensor(kF32, {3}, {1, 2, 3})};
  EXPECT_EQ(Evaluate(*module, wrong, {}, nullptr).status().message(),
            "argument 0 of @main is tensor<2xf32>, not tensor<3xf32>");
  const std::vector<Literal> right = {Tensor(kF32, {2}, {1, 2})};
  const Status status = Evaluate(*module, right, {}, nullptr).status();
  EXPECT_EQ(status.code(), StatusCode::kUnsupported);
  EXPECT_EQ(status.message(),
            "stablehlo.custom_call @check.magic at line 2: there is no such check");
}

TEST(EvaluatorTest, EndlessLoopsEnd) {
  const auto module = import::ImportText(
      "func.func @main(%x: tensor<i1>) -> tensor<i1> {\n"
      "  %0 = stablehlo.while(%a = %x) : tensor<i1>\n"
      "  cond { stablehlo.return %a : tensor<i1> } do { stablehlo.return %a : tensor<i1> }\n"
      "  return %0 : tensor<i1>\n}\n", "x.mlir");
  ASSERT_TRUE(module.ok()) << module.status().message();
  const std::vector<Literal> arguments = {Tensor(ElementType::kI1, {}, {1})};
  const Status status =
      Evaluate(*module, arguments, {.max_loop_iterations = 1000}, nullptr).status();
  EXPECT_EQ(status.code(), StatusCode::kTimeout);
}

TEST(EvaluatorTest, OneOperationRunsOnItsOwn) {
  graph::Function function;
  std::vector<graph::Op> ops;
  graph::Builder builder(function, ops);
  const graph::Value x = function.NewValue(Shape{kF32, {4}});
  const graph::Value init = function.NewValue(Shape{kF32, {}});
  builder.Reduce(graph::Opcode::kAdd, x, init, {0});
  ops[0].regions[0].ops[0].operands[1] = init;  // the region now uses a value from outside
  ops[0].regions[0].ops[0].opcode = graph::Opcode::kMaximum;
  const Literal values = Tensor(kF32, {4}, {1, 2, 3, 4}), bound = Tensor(kF32, {}, {9});
  const std::vector<const Literal*> operands = {&values, &bound, &bound};
  const auto result = EvaluateOp(nullptr, function, ops[0], operands, {}, nullptr);
  ASSERT_TRUE(result.ok()) << result.status().message();
  EXPECT_EQ(Values(result->front())[0], 9);
  EXPECT_FALSE(
      EvaluateOp(nullptr, function, ops[0], std::span(operands).first(2), {}, nullptr).ok());
}

}  // namespace
}  // namespace systolith::evaluator
