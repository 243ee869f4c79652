// Programs through the compiler on the golden model, on arrays of several sizes, against values
// computed by other means.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "host/import/import.h"
#include "tests/end_to_end/golden_run.h"

namespace systolith::testing {
namespace {

using graph::Literal;
using graph::Shape;

// The program on arrays of 8 to 128 (the last with two units): equal bits everywhere, and what the
// evaluator says within the tolerance.
class CompileOnGoldenTest : public ::testing::Test {
 protected:
  graph::Module Import(const std::string& text) {
    Result<graph::Module> module = import::ImportText(text, "test.mlir");
    EXPECT_TRUE(module.ok()) << module.status().message();
    return module.ok() ? *module : graph::Module{};
  }

  std::vector<Literal> Run(const graph::Module& module, const arch::ChipConfig& chip,
                           const std::vector<Literal>& arguments,
                           compiler::CompileOptions options = {}) {
    Result<isa::Executable> executable = compiler::Compile(module, chip, options);
    EXPECT_TRUE(executable.ok()) << executable.status().message();
    if (!executable.ok()) return {};
    Result<GoldenRun> run = RunOnGolden(*executable, chip, arguments);
    EXPECT_TRUE(run.ok()) << chip.name << ": " << run.status().message();
    if (!run.ok()) return {};
    for (const evaluator::CheckResult& check : run->checks) {
      EXPECT_TRUE(check.passed) << check.message;
    }
    return run->results;
  }

  std::vector<Literal> RunEverywhere(const std::string& text, const std::vector<Literal>& arguments,
                                     graph::Precision precision = graph::Precision::kDefault) {
    const graph::Module module = Import(text);
    if (module.functions.empty()) return {};
    compiler::CompileOptions options;
    options.f32_precision = precision;
    const std::vector<arch::ChipConfig> chips = {ArrayChip(8, 1, 1 << 16), ArrayChip(16, 3),
                                                 ArrayChip(64), ArrayChip(128, 2, 1 << 20, 256)};
    std::vector<Literal> first;
    for (const arch::ChipConfig& chip : chips) {
      const std::vector<Literal> results = Run(module, chip, arguments, options);
      if (first.empty()) first = results;
      EXPECT_TRUE(results == first) << chip.name << ": other bits than on the smallest array";
    }
    if (!first.empty()) {
      EXPECT_EQ(CompareWithEvaluator(module, arguments, first, precision), "") << text;
    }
    return first;
  }

  std::vector<Literal> RandomArguments(const std::string& text) {
    std::vector<Literal> arguments;
    for (const Shape& shape : ArgumentShapes(Import(text))) {
      arguments.push_back(RandomLiteral(shape, rng_));
    }
    return arguments;
  }

  std::mt19937 rng_{20240607};
};

std::string Dot(int64_t m, int64_t k, int64_t n, const std::string& type,
                const std::string& result) {
  return fmt::format(
      "func.func @main(%a: tensor<{0}x{1}x{3}>, %b: tensor<{1}x{2}x{3}>) -> tensor<{0}x{2}x{4}> {{\n"
      "  %0 = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0] : "
      "(tensor<{0}x{1}x{3}>, tensor<{1}x{2}x{3}>) -> tensor<{0}x{2}x{4}>\n"
      "  return %0 : tensor<{0}x{2}x{4}>\n}}\n",
      m, k, n, type, result);
}

TEST_F(CompileOnGoldenTest, OneMatrixProduct) {
  const std::string text = Dot(5, 19, 11, "bf16", "f32");
  RunEverywhere(text, RandomArguments(text));
}

}  // namespace
}  // namespace systolith::testing
