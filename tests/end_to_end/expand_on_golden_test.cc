// Expanded operations through the compiler on the golden model, against the evaluator.
#include "host/compiler/expand/test_programs.h"

#include <cmath>

#include "tests/end_to_end/compiled_program_test.h"

namespace systolith::testing {
namespace {

using compiler::ArgMaximum;
using compiler::kConvolutions;
using compiler::kScatters;
using compiler::kTypes;
using compiler::kWindows;

class ExpandOnGoldenTest : public CompiledProgramTest {
 protected:
  // The results on one chip; `tolerance` is relative, for floats.
  void ExpectEqual(const std::string& text, double tolerance = 0) {
    const graph::Module module = Import(text);
    if (module.functions.empty()) return;
    std::vector<Literal> arguments;
    for (const Shape& shape : ArgumentShapes(module)) {
      arguments.push_back(shape.type == graph::ElementType::kU64 ? RandomLiteral(shape, rng_)
                                                                 : SmallIntegers(shape, rng_));
    }
    compiler::CompileOptions options;
    options.f32_precision = graph::Precision::kHighest;
    const std::vector<Literal> results = Run(module, chip_, arguments, options);
    const auto expected = evaluator::Evaluate(module, arguments, {}, nullptr);
    ASSERT_TRUE(expected.ok()) << expected.status().message();
    ASSERT_EQ(results.size(), expected->size()) << text;
    for (size_t r = 0; r < results.size(); ++r) {
      for (int64_t i = 0; i < results[r].size(); ++i) {
        const double x = results[r].GetDouble(i), y = (*expected)[r].GetDouble(i);
        if (x == y || (std::isnan(x) && std::isnan(y))) continue;
        if (std::fabs(x - y) <= tolerance * std::max(1.0, std::fabs(y))) continue;
        FAIL() << "result " << r << " element " << i << ": " << x << " instead of " << y << "\n"
               << text;
      }
    }
  }

  arch::ChipConfig chip_ = ArrayChip(16, 2);
};

TEST_F(ExpandOnGoldenTest, Reductions) {
  for (const std::string& type : kTypes) {
    const bool is_float = type[0] == 'f' || type[0] == 'b';
    std::string text = ArgMaximum("13x5", type, "0", "5x");
    if (is_float) text.replace(text.find("dense<0>"), 8, "dense<0.0>");
    ExpectEqual(text);
  }
  ExpectEqual(ArgMaximum("3x130x5", "i32", "1", "3x5x"));
}

TEST_F(ExpandOnGoldenTest, Windows) {
  for (const compiler::WindowCase& window : kWindows) {
    ExpectEqual(ReduceWindow(window, "f32", "add", "0"), 1e-6);
    ExpectEqual(ReduceWindow(window, "i32", "multiply", "1"));
  }
  const std::string same =
      "window_dimensions = array<i64: 1, 3, 3, 1>, window_strides = array<i64: 1, 2, 2, 1>, "
      "padding = dense<[[0, 0], [1, 1], [0, 1], [0, 0]]> : tensor<4x2xi64>";
  for (const std::string& type : kTypes) {
    ExpectEqual(ReduceWindow(kWindows[3], type, "maximum", "0"));
    ExpectEqual(ReduceWindow(kWindows[7], type, "minimum", "100"));
    ExpectEqual(compiler::SelectAndScatter("2x7x8x3", "2x4x4x3", type, same, "GE", "add"));
  }
}

TEST_F(ExpandOnGoldenTest, Scatters) {
  for (const compiler::ScatterCase& scatter : kScatters) {
    for (const std::string index : {"i32", "ui8", "i64"}) {
      ExpectEqual(compiler::Scatter(scatter, "f32", index));
    }
    for (const std::string& type : kTypes) ExpectEqual(compiler::Scatter(scatter, type, "i32"));
  }
}

TEST_F(ExpandOnGoldenTest, Sorts) {
  for (const std::string& type : kTypes) {
    ExpectEqual(compiler::Sort("5x7", type, 1, "LT"));
    ExpectEqual(compiler::Sort("16x3", type, 0, "GT"));
  }
  ExpectEqual(compiler::Sort("1000", "i32", 0, "LT"));
}

TEST_F(ExpandOnGoldenTest, Algorithms) {
  for (const std::string type : {"f32", "bf16", "f16"}) {
    const double tolerance = type == "f32" ? 1e-5 : 4e-2;
    ExpectEqual(compiler::BatchNormInference(type), tolerance);
    ExpectEqual(compiler::BatchNormTraining(type), tolerance);
    ExpectEqual(compiler::BatchNormGrad(type), tolerance);
  }
  for (const std::string algorithm : {"THREE_FRY", "PHILOX"}) {
    ExpectEqual(compiler::RandomBits("2xui64", "7x5xui32", algorithm));
    ExpectEqual(compiler::RandomBits("4xui32", "3x4xi16", algorithm));
    ExpectEqual(compiler::RandomBits("2xui64", "3x3xui64", algorithm));
  }
  for (const std::string n : {"5", "18"}) {
    ExpectEqual(compiler::Solve(n + "x" + n + "xf32", n + "x3xf32", n + "x" + n, 2,
                                "left_side = true, lower = true, transpose_a = "
                                "#stablehlo<transpose NO_TRANSPOSE>, unit_diagonal = false"),
                1e-5);
    ExpectEqual(compiler::Cholesky(n, "true", 1000), 1e-5);
  }
}

TEST_F(ExpandOnGoldenTest, ProductsAndConvolutions) {
  const std::string plain = "contracting_dims = [1] x [0]";
  for (const std::string& type : kTypes) {
    ExpectEqual(compiler::Dot("4x3x" + type, "3x6x" + type, "4x6x" + type, plain), 1e-2);
    ExpectEqual(compiler::Dot("40x50x" + type, "50x20x" + type, "40x20x" + type, plain), 1e-2);
    for (const compiler::ConvolutionCase& c : kConvolutions) {
      ExpectEqual(compiler::Convolution(c, type), 1e-2);
    }
  }
}

// At DEFAULT, 257 is 256 on every chip.
TEST_F(ExpandOnGoldenTest, ProductsWithoutAMatrixUnitRoundTheirOperands) {
  const graph::Module module = Import(
      compiler::Dot("2x1xf32", "1x3xf32", "2x3xf32", "contracting_dims = [1] x [0]"));
  std::vector<Literal> arguments;
  for (const Shape& shape : ArgumentShapes(module)) arguments.push_back(Literal::Full(shape, 257));
  arch::ChipConfig chip = chip_;
  chip.mxu_bf16 = false;
  for (const auto precision : {graph::Precision::kDefault, graph::Precision::kHighest}) {
    compiler::CompileOptions options;
    options.f32_precision = precision;
    const std::vector<Literal> results = Run(module, chip, arguments, options);
    const double factor = precision == graph::Precision::kDefault ? 256 : 257;
    EXPECT_EQ(results.at(0).GetDouble(5), factor * factor);
  }
}

}  // namespace
}  // namespace systolith::testing
