// Compiling stays cheap: 1,000 operations of a Transformer's kind in under 2 s of processor time.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <ctime>
#include <iostream>

#include "host/arch/chip_config.h"
#include "host/compiler/compile.h"
#include "host/import/import.h"

namespace systolith::testing {
namespace {

// Other programs on the machine cost processor time, too (caches, clock); sanitizers cost more.
#if defined(__SANITIZE_ADDRESS__)
constexpr double kFactor = 20;
#else
constexpr double kFactor = 3;
#endif
constexpr double kSeconds = 2;  // per 1,000 operations

// Blocks of a product with bias, a normalisation by row sums, an activation and a residual.
std::string Blocks(int operations, int* made) {
  const std::string x = "tensor<64x96xf32>", w = "tensor<96x96xf32>", row = "tensor<64xf32>",
                    vector = "tensor<96xf32>", scalar = "tensor<f32>";
  std::string text = fmt::format(
      "func.func @main(%v0: {}, %w: {}, %b: {}) -> {} {{\n"
      "  %zero = stablehlo.constant dense<0.0> : {}\n  %half = stablehlo.constant dense<0.5> : {}\n",
      x, w, vector, x, scalar, x);
  int n = 2, input = 0, value = 0;
  const auto add = [&](const std::string& operation) {
    text += fmt::format("  %v{} = stablehlo.{}\n", ++value, operation);
    ++n;
    return value;
  };
  while (n < operations) {
    const int product = add(fmt::format(
        "dot_general %v{}, %w, contracting_dims = [1] x [0] : ({}, {}) -> {}", input, x, w, x));
    const int bias =
        add(fmt::format("broadcast_in_dim %b, dims = [1] : ({}) -> {}", vector, x));
    const int sum = add(fmt::format("add %v{}, %v{} : {}", product, bias, x));
    const int square = add(fmt::format("multiply %v{}, %v{} : {}", sum, sum, x));
    const int total = add(fmt::format(
        "reduce(%v{} init: %zero) applies stablehlo.add across dimensions = [1] : ({}, {}) -> {}",
        square, x, scalar, row));
    const int root = add(fmt::format("rsqrt %v{} : {}", total, row));
    const int scale =
        add(fmt::format("broadcast_in_dim %v{}, dims = [0] : ({}) -> {}", root, row, x));
    const int norm = add(fmt::format("multiply %v{}, %v{} : {}", sum, scale, x));
    const int activation = add(fmt::format("tanh %v{} : {}", norm, x));
    const int scaled = add(fmt::format("multiply %v{}, %half : {}", activation, x));
    input = add(fmt::format("add %v{}, %v{} : {}", scaled, input, x));
  }
  *made = n;
  return text + fmt::format("  return %v{} : {}\n}}\n", input, x);
}

double CompileSeconds(int operations, const std::string& chip_name) {
  int made = 0;
  const Result<graph::Module> module = import::ImportText(Blocks(operations, &made), "blocks.mlir");
  EXPECT_TRUE(module.ok()) << module.status().message();
  const Result<arch::ChipConfig> chip = arch::LoadChipConfig(chip_name);
  EXPECT_TRUE(chip.ok());
  if (!module.ok() || !chip.ok()) return 0;
  const std::clock_t start = std::clock();
  const Result<isa::Executable> executable = compiler::Compile(*module, *chip, {});
  const double seconds = static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC;
  EXPECT_TRUE(executable.ok()) << executable.status().message();
  std::cout << fmt::format("compile {:>6} operations for {:<8}{:>8.3f} s\n", made, chip_name,
                           seconds);
  return seconds;
}

TEST(CompileTimeTest, AThousandOperations) {
  for (const std::string chip : {"tiny", "v2"}) {
    EXPECT_LT(CompileSeconds(1000, chip), kFactor * kSeconds) << chip;
  }
}

// Twice the operations may take twice the time, and a little.
TEST(CompileTimeTest, TimeIsProportional) {
  const double one = CompileSeconds(1000, "v2"), four = CompileSeconds(4000, "v2");
  EXPECT_LT(four, 8 * one + 0.5);
}

}  // namespace
}  // namespace systolith::testing
