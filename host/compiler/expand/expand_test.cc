// Expansions mean what the operation meant: the evaluator says so, before and after.
#include "host/compiler/expand/expand.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "host/compiler/expand/product.h"
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
using graph::Opcode;
using graph::Shape;

class ExpandTest : public ::testing::Test {
 protected:
  ExpandTest() { chip_ = *arch::LoadChipConfig("tiny"); }

  // Small integers: sums and products of a few are exact, and there are ties.
  Literal Random(const Shape& shape, int span) {
    Literal literal(shape);
    std::uniform_int_distribution<int> values(graph::IsUnsigned(shape.type) ? 0 : -span, span);
    for (int64_t i = 0; i < literal.size(); ++i) literal.SetDouble(i, values(rng_));
    if (shape.type == ElementType::kS64) {  // some far away, some only in their low word
      for (int64_t& word : literal.As<int64_t>()) word += int64_t{rng_() % 5 == 0} << 32;
    }
    if (shape.type == ElementType::kU64) {  // words that carry from half to half
      for (uint64_t& word : literal.As<uint64_t>()) word = uint64_t{rng_()} << 32 | (-(rng_() % 9));
    }
    return literal;
  }

  // A few of each kind of float that orders treat in their own way.
  void AddSpecials(Literal& literal) {
    if (!graph::IsFloat(literal.type())) return;
    const double specials[] = {NAN, -NAN, INFINITY, -INFINITY, 0.0, -0.0};
    for (int64_t i = 0; i < literal.size(); i += 3) {
      literal.SetDouble(i, specials[rng_() % std::size(specials)]);
    }
  }

  // Products may go on as others.
  bool IsProductOfTheUnit(const graph::Function& function, const graph::Op& op) const {
    if (op.opcode != Opcode::kDotGeneral && op.opcode != Opcode::kConvolution) return false;
    EXPECT_TRUE(IsMatrixProduct(function.shape(op.operands[0]).type,
                                function.shape(op.operands[1]).type,
                                function.shape(op.result()).type, chip_));
    if (op.opcode == Opcode::kConvolution) {
      const auto& conv = op.As<graph::ConvolutionAttributes>();
      EXPECT_EQ(conv.batch_group_count, 1);
      EXPECT_TRUE(conv.input_spatial.size() == 1 || conv.input_spatial.size() == 2);
      for (const int64_t padding : conv.padding_low) EXPECT_GE(padding, 0);
      for (const int64_t padding : conv.padding_high) EXPECT_GE(padding, 0);
    }
    return true;
  }

  // The module after expansion; a failure if `opcode` is still in it.
  graph::Module Expand(const std::string& text, Opcode opcode) {
    auto module = import::ImportText(text, "test.mlir");
    EXPECT_TRUE(module.ok()) << module.status().message() << "\n" << text;
    if (!module.ok()) return {};
    ExpandFunction(*module->Entry(), chip_);
    const Status status = graph::Verify(*module);
    EXPECT_TRUE(status.ok()) << status.message() << "\n" << text;
    graph::ForEachOp(module->Entry()->body, [&](const graph::Op& op) {
      EXPECT_TRUE(IsProductOfTheUnit(*module->Entry(), op) || op.opcode != opcode) << text;
      EXPECT_NE(op.location.line, 0) << graph::Describe(op);
    });
    return *module;
  }

  // Both programs on random arguments; `tolerance` is relative, for floats.
  void ExpectEqual(const std::string& text, Opcode opcode, double tolerance = 0, int span = 9,
                   bool has_specials = false) {
    const auto before = import::ImportText(text, "test.mlir");
    const graph::Module after = Expand(text, opcode);
    if (!before.ok() || after.functions.empty()) return;
    std::vector<Literal> arguments;
    for (const graph::Value argument : before->Entry()->arguments()) {
      arguments.push_back(Random(before->Entry()->shape(argument), span));
      if (has_specials) AddSpecials(arguments.back());
    }
    const auto expected = evaluator::Evaluate(*before, arguments, {}, nullptr);
    const auto actual = evaluator::Evaluate(after, arguments, {}, nullptr);
    ASSERT_TRUE(expected.ok()) << expected.status().message() << "\n" << text;
    ASSERT_TRUE(actual.ok()) << actual.status().message() << "\n" << text;
    ASSERT_EQ(expected->size(), actual->size());
    for (size_t r = 0; r < expected->size(); ++r) {
      const Literal& a = (*actual)[r];
      const Literal& e = (*expected)[r];
      ASSERT_EQ(a.shape(), e.shape());
      for (int64_t i = 0; i < e.size(); ++i) {
        if (!graph::IsFloat(e.type())) {
          ASSERT_EQ(a.GetInt(i), e.GetInt(i)) << "seed " << kSeed << ", result " << r << " element "
                                              << i << "\n" << text;
          continue;
        }
        const double x = a.GetDouble(i), y = e.GetDouble(i);
        const bool is_equal = tolerance == 0 ? std::signbit(x) == std::signbit(y) : true;
        if ((std::isnan(x) && std::isnan(y)) || (x == y && is_equal)) continue;
        if (std::fabs(x - y) <= tolerance * std::max(1.0, std::fabs(y))) continue;
        FAIL() << "seed " << kSeed << ", result " << r << " element " << i << ": " << x
               << " instead of " << y << "\n" << text;
      }
    }
  }

  static constexpr unsigned kSeed = 4711;
  std::mt19937 rng_{kSeed};
  arch::ChipConfig chip_;
};

TEST_F(ExpandTest, MapIsItsBody) {
  ExpectEqual(Function({"3x5xf32", "3x5xf32"}, "tensor<3x5xf32>", R"(
  %c = stablehlo.constant dense<2.0> : tensor<f32>
  %0 = "stablehlo.map"(%arg0, %arg1) ({
    ^bb0(%a: tensor<f32>, %b: tensor<f32>):
      %1 = stablehlo.multiply %a, %c : tensor<f32>
      %2 = stablehlo.constant dense<1.0> : tensor<f32>
      %3 = stablehlo.add %c, %2 : tensor<f32>
      %4 = stablehlo.compare GT, %b, %3 : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %5 = stablehlo.select %4, %1, %b : tensor<i1>, tensor<f32>
      stablehlo.return %5 : tensor<f32>
  }) {dimensions = array<i64: 0, 1>} : (tensor<3x5xf32>, tensor<3x5xf32>) -> tensor<3x5xf32>
  return %0 : tensor<3x5xf32>
)"), Opcode::kMap);
}

// Regions of control flow are rewritten, too; they see what values outside have become.
TEST_F(ExpandTest, ExpandsInsideOfLoopsAndBranches) {
  const std::string text = Function({"4x3xi32", "i32"}, "tensor<3xi32>, tensor<3xi32>", R"(
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %one = stablehlo.constant dense<1> : tensor<i32>
  %limit = stablehlo.constant dense<3> : tensor<i32>
  %start = stablehlo.constant dense<1> : tensor<3xi32>
  %doubled = "stablehlo.map"(%arg0) ({
    ^bb0(%a: tensor<i32>):
      %1 = stablehlo.add %a, %a : tensor<i32>
      stablehlo.return %1 : tensor<i32>
  }) {dimensions = array<i64: 0, 1>} : (tensor<4x3xi32>) -> tensor<4x3xi32>
  %0:2 = stablehlo.while(%i = %zero, %x = %start) : tensor<i32>, tensor<3xi32>
   cond {
    %1 = stablehlo.compare LT, %i, %limit : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %1 : tensor<i1>
  } do {
    %1 = "stablehlo.map"(%x) ({
      ^bb0(%a: tensor<i32>):
        %5 = stablehlo.multiply %a, %i : tensor<i32>
        stablehlo.return %5 : tensor<i32>
    }) {dimensions = array<i64: 0>} : (tensor<3xi32>) -> tensor<3xi32>
    %2 = stablehlo.slice %doubled [1:2, 0:3] : (tensor<4x3xi32>) -> tensor<1x3xi32>
    %3 = stablehlo.reshape %2 : (tensor<1x3xi32>) -> tensor<3xi32>
    %4 = stablehlo.add %1, %3 : tensor<3xi32>
    %6 = stablehlo.add %i, %one : tensor<i32>
    stablehlo.return %6, %4 : tensor<i32>, tensor<3xi32>
  }
  %c = stablehlo.compare GT, %arg1, %zero : (tensor<i32>, tensor<i32>) -> tensor<i1>
  %7 = "stablehlo.if"(%c) ({
    %8 = "stablehlo.map"(%0#1) ({
      ^bb0(%a: tensor<i32>):
        %9 = stablehlo.negate %a : tensor<i32>
        stablehlo.return %9 : tensor<i32>
    }) {dimensions = array<i64: 0>} : (tensor<3xi32>) -> tensor<3xi32>
    stablehlo.return %8 : tensor<3xi32>
  }, {
    stablehlo.return %0#1 : tensor<3xi32>
  }) : (tensor<i1>) -> tensor<3xi32>
  return %0#1, %7 : tensor<3xi32>, tensor<3xi32>
)");
  for (int i = 0; i < 4; ++i) ExpectEqual(text, Opcode::kMap);
}

TEST_F(ExpandTest, ReductionsOfSeveralOperandsFold) {
  for (std::string type : kTypes) {
    if (type[0] == 'f' || type[0] == 'b') {
      std::string text = ArgMaximum("13x3", type, "0", "3x");
      text.replace(text.find("dense<0>"), 8, "dense<0.0>");
      ExpectEqual(text, Opcode::kReduce);
    } else {
      ExpectEqual(ArgMaximum("7x5", type, "1", "7x"), Opcode::kReduce);
    }
  }
  ExpectEqual(ArgMaximum("3x130x5", "i32", "1", "3x5x"), Opcode::kReduce);
  ExpectEqual(ArgMaximum("3x7x5", "i32", "0, 2", "7x"), Opcode::kReduce);
  ExpectEqual(ArgMaximum("1x5", "i32", "0, 1", ""), Opcode::kReduce);
  ExpectEqual(ArgMaximum("0x5", "i32", "0", "5x"), Opcode::kReduce);
}

TEST_F(ExpandTest, WindowsAreReduced) {
  for (const WindowCase& window : kWindows) {
    ExpectEqual(ReduceWindow(window, "f32", "add", "0"), Opcode::kReduceWindow, 1e-6);
    ExpectEqual(ReduceWindow(window, "i32", "multiply", "1"), Opcode::kReduceWindow);
    ExpectEqual(ReduceWindow(window, "ui8", "maximum", "0"), Opcode::kReduceWindow);
  }
  for (const std::string& type : kTypes) {
    ExpectEqual(ReduceWindow(kWindows[3], type, "add", "0"), Opcode::kReduceWindow, 0.02);
    ExpectEqual(ReduceWindow(kWindows[7], type, "minimum", "100"), Opcode::kReduceWindow);
  }
  // An initial value that counts, where no padding does.
  ExpectEqual(ReduceWindow(kWindows[0], "i32", "add", "5"), Opcode::kReduceWindow);
  ExpectEqual(ReduceWindow(kWindows[9], "i32", "add", "5"), Opcode::kReduceWindow);
  ExpectEqual(ReduceWindow(kWindows[10], "i32", "add", "5"), Opcode::kReduceWindow);
}

TEST_F(ExpandTest, WindowsOfSeveralOperands) {
  ExpectEqual(Function({"4x6xbf16", "4x6xi32"}, "tensor<3x5xbf16>, tensor<3x5xi32>", R"(
  %inf = stablehlo.constant dense<0x7F80> : tensor<bf16>
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %0:2 = "stablehlo.reduce_window"(%arg0, %arg1, %inf, %zero) ({
    ^bb0(%a: tensor<bf16>, %b: tensor<i32>, %c: tensor<bf16>, %d: tensor<i32>):
      %1 = stablehlo.compare LE, %a, %c : (tensor<bf16>, tensor<bf16>) -> tensor<i1>
      %2 = stablehlo.select %1, %a, %c : tensor<i1>, tensor<bf16>
      %3 = stablehlo.select %1, %b, %d : tensor<i1>, tensor<i32>
      stablehlo.return %2, %3 : tensor<bf16>, tensor<i32>
  }) {window_dimensions = array<i64: 2, 2>} : (tensor<4x6xbf16>, tensor<4x6xi32>, tensor<bf16>,
      tensor<i32>) -> (tensor<3x5xbf16>, tensor<3x5xi32>)
  return %0#0, %0#1 : tensor<3x5xbf16>, tensor<3x5xi32>
)"), Opcode::kReduceWindow);
}

TEST_F(ExpandTest, SelectAndScatterPicksOneElementPerWindow) {
  const std::string same =
      "window_dimensions = array<i64: 1, 3, 3, 1>, window_strides = array<i64: 1, 2, 2, 1>, "
      "padding = dense<[[0, 0], [1, 1], [0, 1], [0, 0]]> : tensor<4x2xi64>";
  for (const std::string& type : kTypes) {
    ExpectEqual(SelectAndScatter("2x7x8x3", "2x4x4x3", type, same, "GE", "add"),
                Opcode::kSelectAndScatter);
    ExpectEqual(SelectAndScatter("5x6", "2x2", type,
                                 "window_dimensions = array<i64: 2, 3>, "
                                 "window_strides = array<i64: 3, 3>",
                                 "GT", "subtract"),
                Opcode::kSelectAndScatter);
  }
  ExpectEqual(SelectAndScatter("5x9", "3x8", "f32",
                               "window_dimensions = array<i64: 3, 2>", "LT", "multiply"),
              Opcode::kSelectAndScatter);
  // Windows of padding alone, and negative padding.
  ExpectEqual(SelectAndScatter("5x9", "8x3", "i32",
                               "window_dimensions = array<i64: 2, 3>, "
                               "window_strides = array<i64: 1, 2>, "
                               "padding = dense<[[2, 2], [-1, -1]]> : tensor<2x2xi64>",
                               "GE", "add"),
              Opcode::kSelectAndScatter);
}

TEST_F(ExpandTest, ScattersThatHaveNoKernelAreLoops) {
  for (const ScatterCase& scatter : kScatters) {
    for (const std::string index : {"i32", "i8", "ui8", "ui16", "ui32", "i64", "ui64"}) {
      ExpectEqual(Scatter(scatter, "f32", index), Opcode::kScatter);
    }
    for (const std::string& type : kTypes) {
      ExpectEqual(Scatter(scatter, type, "i32"), Opcode::kScatter, 0, 4);
    }
  }
}

// What has a kernel keeps it.
TEST_F(ExpandTest, ScattersOfTheChipStay) {
  auto module = import::ImportText(Function({"9xi32", "4x1xi32", "4xi32"}, "tensor<9xi32>", R"(
  %0 = "stablehlo.scatter"(%arg0, %arg1, %arg2) ({
    ^bb0(%a: tensor<i32>, %b: tensor<i32>):
      %1 = stablehlo.add %a, %b : tensor<i32>
      stablehlo.return %1 : tensor<i32>
  }) {scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [0],
      scatter_dims_to_operand_dims = [0], index_vector_dim = 1>} : (tensor<9xi32>, tensor<4x1xi32>,
      tensor<4xi32>) -> tensor<9xi32>
  return %0 : tensor<9xi32>
)"), "test.mlir");
  ASSERT_TRUE(module.ok()) << module.status().message();
  ExpandFunction(*module->Entry(), chip_);
  EXPECT_EQ(module->Entry()->body.ops[0].opcode, Opcode::kScatter);
}

TEST_F(ExpandTest, SortsEveryLength) {
  for (const std::string& type : kTypes) {
    ExpectEqual(Sort("5x7", type, 1, "LT"), Opcode::kSort, 0, 3);
    ExpectEqual(Sort("8x3", type, 0, "GT"), Opcode::kSort, 0, 3);
  }
  for (int length = 0; length < 20; ++length) {
    ExpectEqual(Sort(fmt::format("{}x2", length), "i32", 0, "LT"), Opcode::kSort);
  }
  ExpectEqual(Sort("3x5x9", "i16", 1, "LT"), Opcode::kSort);
  ExpectEqual(Sort("23", "f32", 0, "GT", false), Opcode::kSort, 0, 3);
  ExpectEqual(Sort("1000", "ui32", 0, "LT"), Opcode::kSort, 0, 1000);
}

// jax's order: NaN last, -0 and +0 alike; ties show in the second operand.
TEST_F(ExpandTest, SortsPairsInAnyOrder) {
  for (const std::string dims : {"13", "16"}) {
    ExpectEqual(Function({dims + "xf32", dims + "xi32"},
                         fmt::format("tensor<{0}xf32>, tensor<{0}xi32>", dims), fmt::format(R"(
  %0:2 = "stablehlo.sort"(%arg0, %arg1) ({{
    ^bb0(%a: tensor<f32>, %b: tensor<f32>, %c: tensor<i32>, %d: tensor<i32>):
      %zero = stablehlo.constant dense<0.0> : tensor<f32>
      %nan = stablehlo.constant dense<0x7FC00000> : tensor<f32>
      %1 = stablehlo.compare EQ, %a, %zero : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %2 = stablehlo.select %1, %zero, %a : tensor<i1>, tensor<f32>
      %3 = stablehlo.compare NE, %a, %a : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %4 = stablehlo.select %3, %nan, %2 : tensor<i1>, tensor<f32>
      %5 = stablehlo.compare EQ, %b, %zero : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %6 = stablehlo.select %5, %zero, %b : tensor<i1>, tensor<f32>
      %7 = stablehlo.compare NE, %b, %b : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %8 = stablehlo.select %7, %nan, %6 : tensor<i1>, tensor<f32>
      %9 = stablehlo.compare LT, %4, %8, TOTALORDER : (tensor<f32>, tensor<f32>) -> tensor<i1>
      stablehlo.return %9 : tensor<i1>
  }}) {{dimension = 0 : i64, is_stable = true}} : (tensor<{0}xf32>, tensor<{0}xi32>)
      -> (tensor<{0}xf32>, tensor<{0}xi32>)
  return %0#0, %0#1 : tensor<{0}xf32>, tensor<{0}xi32>
)", dims)), Opcode::kSort, 0, 2, true);
  }
}


TEST_F(ExpandTest, BatchNormalisationIsArithmetic) {
  for (const std::string type : {"f32", "bf16", "f16"}) {
    ExpectEqual(BatchNormInference(type), Opcode::kBatchNormInference, 1e-6);
    ExpectEqual(BatchNormTraining(type), Opcode::kBatchNormTraining, 1e-6);
    ExpectEqual(BatchNormGrad(type), Opcode::kBatchNormGrad, type == "f32" ? 1e-5 : 2e-2);
  }
}

TEST_F(ExpandTest, BesselFunctionsArePolynomials) {
  for (const char* type : {"f32", "bf16", "f16"}) {
    const std::string tensor = fmt::format("tensor<300x{}>", type);
    const std::string text = fmt::format(
        "func.func @main(%x: {0}) -> {0} {{\n  %y = stablehlo.constant dense<0.125> : {0}\n"
        "  %z = stablehlo.multiply %x, %y : {0}\n  %0 = chlo.bessel_i1e %z : {0} -> {0}\n"
        "  return %0 : {0}\n}}\n", tensor);
    const double ulp = std::string(type) == "f32" ? 1e-7 : std::string(type) == "f16" ? 2e-4 : 1e-3;
    for (const int span : {9, 300, 30000}) {
      ExpectEqual(text, Opcode::kBesselI1e, 2 * ulp, span, true);
    }
  }
}

TEST_F(ExpandTest, RandomBitsAreTheSame) {
  for (const std::string algorithm : {"THREE_FRY", "PHILOX", "DEFAULT"}) {
    for (const std::string state : {"2xui64", "3xui64", "4xui32", "6xui32"}) {
      const bool is_wide = state == "3xui64" || state == "6xui32";
      if (algorithm == "THREE_FRY" && is_wide) continue;
      for (const std::string result : {"4x3xui32", "7x5xui32", "ui32", "5xi32", "3x3xui64",
                                       "9xui8", "3x4xi16", "2x3xf32", "11xbf16", "ui64"}) {
        ExpectEqual(RandomBits(state, result, algorithm), Opcode::kRngBitGenerator);
      }
    }
  }
}

TEST_F(ExpandTest, TriangularSystemsAreSolved) {
  for (const std::string left : {"true", "false"}) {
    for (const std::string lower : {"true", "false"}) {
      for (const std::string transpose : {"NO_TRANSPOSE", "TRANSPOSE"}) {
        const std::string attributes = fmt::format(
            "left_side = {}, lower = {}, transpose_a = #stablehlo<transpose {}>, "
            "unit_diagonal = false", left, lower, transpose);
        ExpectEqual(Solve("2x5x5xf32", left == "true" ? "2x5x3xf32" : "2x3x5xf32", "2x5x5", 3,
                          attributes), Opcode::kTriangularSolve, 1e-5);
        ExpectEqual(Solve("30x30xf32", left == "true" ? "30x2xf32" : "2x30xf32", "30x30", 2,
                          attributes), Opcode::kTriangularSolve, 1e-5);
      }
    }
  }
  ExpectEqual(Solve("4x4xbf16", "4x1xbf16", "4x4", 2,
                    "left_side = true, lower = true, transpose_a = #stablehlo<transpose "
                    "NO_TRANSPOSE>, unit_diagonal = true"),
              Opcode::kTriangularSolve, 1e-2);
}

TEST_F(ExpandTest, CholeskyFactors) {
  for (const std::string lower : {"true", "false"}) {
    for (const std::string n : {"1", "5", "26"}) {
      for (const bool is_positive : {true, false}) {
        ExpectEqual(Cholesky(n, lower, is_positive ? 1000 : -3), Opcode::kCholesky, 1e-5);
      }
    }
  }
}


// Full-range integers: what the digits leave out must not matter.
TEST_F(ExpandTest, ProductsOfEveryType) {
  const std::string plain = "contracting_dims = [1] x [0]";
  const std::string batch = "batching_dims = [1] x [2], contracting_dims = [2, 0] x [0, 3]";
  constexpr int kWide = 0x7fffffff, kWord = 0xffff;
  for (const bool has_int8 : {true, false}) {
    for (const bool has_bf16 : {true, false}) {
      chip_.mxu_int8 = has_int8;
      chip_.mxu_bf16 = has_bf16;
      for (const int span : {100, kWord, kWide}) {
        for (const std::string type : {"i32", "ui32", "i16", "ui16", "ui8", "i8"}) {
          ExpectEqual(Dot("4x3x" + type, "3x6x" + type, "4x6x" + type, plain), Opcode::kDotGeneral,
                      0, span);
          ExpectEqual(Dot("3x2x5x" + type, "5x3x2x3x" + type, "2x3x" + type, batch),
                      Opcode::kDotGeneral, 0, span);
        }
        // Too large to be multiplied out.
        ExpectEqual(Dot("40x50xi32", "50x20xi32", "40x20xi32", plain), Opcode::kDotGeneral, 0,
                    span);
        ExpectEqual(Dot("40x50xui8", "50x20xi8", "40x20xi32", plain), Opcode::kDotGeneral, 0, span);
        ExpectEqual(Dot("40x50xui16", "50x20xi8", "40x20xui32", plain), Opcode::kDotGeneral, 0,
                    span);
        ExpectEqual(Dot("40x50xui32", "50x20xui32", "40x20xui16", plain), Opcode::kDotGeneral, 0,
                    span);
        ExpectEqual(Dot("40x50xui8", "50x20xui8", "40x20xui8", plain), Opcode::kDotGeneral, 0,
                    span);
        ExpectEqual(Dot("40x50xi8", "50x20xi8", "40x20xi16", plain), Opcode::kDotGeneral, 0, span);
      }
      for (const std::string size : {"4x3x6", "40x50x20"}) {
        const std::string m = size.substr(0, size.find('x') + 1);
        const std::string n = size.substr(size.rfind('x') + 1) + "x";
        const std::string k = size.substr(m.size(), size.rfind('x') + 1 - m.size());
        ExpectEqual(Dot(m + k + "i1", k + n + "i1", m + n + "i1", plain), Opcode::kDotGeneral, 0,
                    1);
        ExpectEqual(Dot(m + k + "f16", k + n + "f16", m + n + "f16", plain), Opcode::kDotGeneral);
        ExpectEqual(Dot(m + k + "f16", k + n + "bf16", m + n + "f32", plain), Opcode::kDotGeneral);
        ExpectEqual(Dot(m + k + "f32", k + n + "bf16", m + n + "f16", plain), Opcode::kDotGeneral);
      }
    }
  }
}

TEST_F(ExpandTest, ConvolutionsOfEveryForm) {
  for (const bool has_int8 : {true, false}) {
    chip_.mxu_int8 = has_int8;
    for (const ConvolutionCase& c : kConvolutions) {
      for (const std::string& type : kTypes) {
        ExpectEqual(Convolution(c, type), Opcode::kConvolution);
      }
    }
  }
}

// Zeros of padding times infinity.
TEST_F(ExpandTest, WhereNothingOfTheInputIsLeftWeightsMayStillMakeNan) {
  const std::string text = R"(
func.func @main(%a: tensor<1x1x1xf32>) -> tensor<1x1x2xf32> {
  %w = stablehlo.constant dense<[[[0x7F800000, 3.0]]]> : tensor<1x1x2xf32>
  %0 = "stablehlo.convolution"(%a, %w) {
    dimension_numbers = #stablehlo.conv<[b, 0, f]x[0, i, o]->[b, 0, f]>,
    batch_group_count = 1 : i64, feature_group_count = 1 : i64,
    padding = dense<[[-1, 1]]> : tensor<1x2xi64>, lhs_dilation = array<i64: 2>
  } : (tensor<1x1x1xf32>, tensor<1x1x2xf32>) -> tensor<1x1x2xf32>
  return %0 : tensor<1x1x2xf32>
})";
  ExpectEqual(text, Opcode::kConvolution);
}

}  // namespace
}  // namespace systolith::compiler
