// Compiling stays cheap: 1,000 operations of any kind in under 2 s of processor time.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <array>
#include <ctime>
#include <iostream>
#include <random>
#include <string>
#include <string_view>

#include "host/arch/chip_config.h"
#include "host/compiler/compile.h"
#include "host/import/import.h"

namespace systolith::testing {
namespace {

// Usual are 0.01 to 0.5 s: other programs on the machine cost processor time, too (caches, clock).
#if defined(__SANITIZE_ADDRESS__)
constexpr double kFactor = 20;
#else
constexpr double kFactor = 1;
#endif
constexpr double kSeconds = 2;  // per 1,000 operations

// Blocks of a product with bias, a normalisation by row sums, an activation and a residual.
std::string Blocks(int operations, int* made) {
  const std::string x = "tensor<64x96xf32>", w = "tensor<96x96xf32>", row = "tensor<64xf32>",
                    vector = "tensor<96xf32>", scalar = "tensor<f32>";
  std::string text = fmt::format(
      "func.func @main(%v0: {}, %w: {}, %b: {}) -> {} {{\n"
      "  %zero = stablehlo.constant dense<0.0> : {}\n"
      "  %half = stablehlo.constant dense<0.5> : {}\n",
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

// Functions and arithmetic in a random graph: hardly any two kernels are equal.
std::string Functions(int operations, int* made) {
  constexpr std::array kOne = {"exponential", "log",    "tanh",  "logistic",     "rsqrt", "cbrt",
                               "sine",        "cosine", "tan",   "log_plus_one", "sqrt",  "sign"};
  constexpr std::array kChlo = {"erf",  "erf_inv", "sinh",  "acos",    "atan",
                                "asin", "acosh",   "atanh", "digamma", "lgamma"};
  constexpr std::array kTwo = {"power",    "atan2",   "remainder", "divide",
                               "multiply", "maximum", "add",       "subtract"};
  const std::string x = "tensor<33x100xf32>";
  std::string text = fmt::format("func.func @main(%v0: {}, %v1: {}) -> {} {{\n", x, x, x);
  std::mt19937 random(1);
  for (*made = 0; *made < operations; ++*made) {
    // The last value is always used, so that nothing is dropped.
    const int n = *made + 2, recent = n - 1 - static_cast<int>(random() % 2);
    switch (random() % 4) {
      case 0:
        text += fmt::format("  %v{} = chlo.{} %v{} : {} -> {}\n", n, kChlo[random() % kChlo.size()],
                            n - 1, x, x);
        break;
      case 1:
        text += fmt::format("  %v{} = stablehlo.{} %v{} : {}\n", n, kOne[random() % kOne.size()],
                            n - 1, x);
        break;
      default:
        text += fmt::format("  %v{} = stablehlo.{} %v{}, %v{} : {}\n", n,
                            kTwo[random() % kTwo.size()], n - 1, recent, x);
    }
  }
  return text + fmt::format("  return %v{} : {}\n}}\n", *made + 1, x);
}

// Converts, compares and selects on all small types.
std::string Types(int operations, int* made) {
  constexpr std::array kTypes = {"f32", "bf16", "f16", "i8", "ui8", "i16", "ui16", "i32", "ui32"};
  constexpr std::array kDirections = {"EQ", "NE", "LT", "LE", "GT", "GE"};
  const auto tensor = [](std::string_view type) { return fmt::format("tensor<33x100x{}>", type); };
  std::string text = fmt::format("func.func @main(%v0: {}) -> ", tensor("f32")), body;
  std::mt19937 random(2);
  std::string type = "f32";
  int value = 0;
  for (*made = 0; *made < operations; *made += 4) {
    const std::string next = kTypes[random() % kTypes.size()];
    const std::string from = tensor(type), to = tensor(next);
    body += fmt::format("  %v{} = stablehlo.convert %v{} : ({}) -> {}\n", value + 1, value, from,
                        to);
    body += fmt::format("  %v{} = stablehlo.multiply %v{}, %v{} : {}\n", value + 2, value + 1,
                        value + 1, to);
    body += fmt::format("  %v{} = stablehlo.compare {}, %v{}, %v{} : ({}, {}) -> {}\n", value + 3,
                        kDirections[random() % kDirections.size()], value + 1, value + 2, to, to,
                        tensor("i1"));
    body += fmt::format("  %v{} = stablehlo.select %v{}, %v{}, %v{} : ({}, {}, {}) -> {}\n",
                        value + 4, value + 3, value + 2, value + 1, tensor("i1"), to, to, to);
    value += 4;
    type = next;
  }
  return text + fmt::format("{} {{\n{}  return %v{} : {}\n}}\n", tensor(type), body, value,
                            tensor(type));
}

// Small products, each of another shape.
std::string Products(int operations, int* made) {
  std::string arguments = "%v0: tensor<16x20xf32>", body;
  int features = 20;
  for (*made = 0; *made < operations; ++*made) {
    const int next = 1 + *made * 7 % 211;
    arguments += fmt::format(", %w{}: tensor<{}x{}xf32>", *made, features, next);
    body += fmt::format(
        "  %v{} = stablehlo.dot_general %v{}, %w{}, contracting_dims = [1] x [0] : "
        "(tensor<16x{}xf32>, tensor<{}x{}xf32>) -> tensor<16x{}xf32>\n",
        *made + 1, *made, *made, features, features, next, next);
    features = next;
  }
  return fmt::format("func.func @main({}) -> tensor<16x{}xf32> {{\n{}  return %v{} : "
                     "tensor<16x{}xf32>\n}}\n",
                     arguments, features, body, *made, features);
}

// Reductions over every choice of dimensions, spread again.
std::string Reductions(int operations, int* made) {
  constexpr std::array kSizes = {6, 9, 10, 7};
  constexpr std::array kCombine = {"add", "maximum", "minimum", "multiply"};
  const std::string x = "tensor<6x9x10x7xf32>";
  std::string text = fmt::format("func.func @main(%v0: {}) -> {} {{\n"
                                 "  %z = stablehlo.constant dense<0.0> : tensor<f32>\n", x, x);
  int n = 0;
  for (*made = 1; *made < operations; *made += 3, ++n) {
    std::string reduced, kept, small;
    for (int d = 0; d < 4; ++d) {
      const bool is_reduced = ((1 + n % 15) >> d & 1) != 0;
      std::string& list = is_reduced ? reduced : kept;
      list += fmt::format("{}{}", list.empty() ? "" : ", ", d);
      if (!is_reduced) small += fmt::format("{}x", kSizes[static_cast<size_t>(d)]);
    }
    small = fmt::format("tensor<{}f32>", small);
    text += fmt::format("  %r{} = stablehlo.reduce(%v{} init: %z) applies stablehlo.{} across "
                        "dimensions = [{}] : ({}, tensor<f32>) -> {}\n",
                        n, n, kCombine[static_cast<size_t>(n / 15) % kCombine.size()], reduced, x,
                        small);
    text += fmt::format("  %b{} = stablehlo.broadcast_in_dim %r{}, dims = [{}] : ({}) -> {}\n", n,
                        n, kept, small, x);
    text += fmt::format("  %v{} = stablehlo.subtract %v{}, %b{} : {}\n", n + 1, n, n, x);
  }
  return text + fmt::format("  return %v{} : {}\n}}\n", n, x);
}

// Sorts and scatters by turns.
std::string SortsAndScatters(int operations, int* made) {
  const std::string x = "tensor<12x37xf32>", u = "tensor<4x37xf32>", i = "tensor<4x1xi32>";
  std::string text = fmt::format("func.func @main(%v0: {}, %u: {}, %i: {}) -> {} {{\n", x, u, i, x);
  for (*made = 0; *made < operations; ++*made) {
    if (*made % 2 == 0) {
      text += fmt::format(
          "  %v{} = \"stablehlo.sort\"(%v{}) <{{dimension = {} : i64, is_stable = true}}> ({{\n"
          "  ^bb0(%p: tensor<f32>, %q: tensor<f32>):\n"
          "    %l = stablehlo.compare LT, %p, %q : (tensor<f32>, tensor<f32>) -> tensor<i1>\n"
          "    stablehlo.return %l : tensor<i1>\n  }}) : ({}) -> {}\n",
          *made + 1, *made, *made / 2 % 2, x, x);
    } else {
      text += fmt::format(
          "  %v{} = \"stablehlo.scatter\"(%v{}, %i, %u) <{{scatter_dimension_numbers = "
          "#stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0], "
          "scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}}> ({{\n"
          "  ^bb0(%p: tensor<f32>, %q: tensor<f32>):\n"
          "    %l = stablehlo.add %p, %q : tensor<f32>\n"
          "    stablehlo.return %l : tensor<f32>\n  }}) : ({}, {}, {}) -> {}\n",
          *made + 1, *made, x, i, u, x);
    }
  }
  return text + fmt::format("  return %v{} : {}\n}}\n", *made, x);
}

struct Kind {
  const char* name;
  std::string (*write)(int operations, int* made);
};

double CompileSeconds(const Kind& kind, int operations, const std::string& chip_name) {
  int made = 0;
  const Result<graph::Module> module = import::ImportText(kind.write(operations, &made), kind.name);
  EXPECT_TRUE(module.ok()) << module.status().message();
  const Result<arch::ChipConfig> chip = arch::LoadChipConfig(chip_name);
  EXPECT_TRUE(chip.ok());
  if (!module.ok() || !chip.ok()) return 0;
  const std::clock_t start = std::clock();
  const Result<isa::Executable> executable = compiler::Compile(*module, *chip, {});
  const double seconds = static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC;
  EXPECT_TRUE(executable.ok()) << executable.status().message();
  std::cout << fmt::format("compile {:>6} {:<20} for {:<8}{:>8.3f} s\n", made, kind.name,
                           chip_name, seconds);
  return seconds;
}

constexpr Kind kBlocks = {"blocks", Blocks};

TEST(CompileTimeTest, AThousandOperations) {
  for (const Kind& kind : {kBlocks, Kind{"functions", Functions}, Kind{"types", Types},
                           Kind{"products", Products}, Kind{"reductions", Reductions}}) {
    for (const std::string chip : {"tiny", "v1", "v2"}) {
      EXPECT_LT(CompileSeconds(kind, 1000, chip), kFactor * kSeconds) << kind.name << " " << chip;
    }
  }
}

// One of these is a network of comparisons, or a program for every index.
TEST(CompileTimeTest, SortsAndScatters) {
  for (const std::string chip : {"tiny", "v2"}) {
    EXPECT_LT(CompileSeconds({"sorts and scatters", SortsAndScatters}, 100, chip),
              kFactor * kSeconds) << chip;
  }
}

// Twice the operations may take twice the time, and a little.
TEST(CompileTimeTest, TimeIsProportional) {
  const double one = CompileSeconds(kBlocks, 1000, "v2");
  const double four = CompileSeconds(kBlocks, 4000, "v2");
  EXPECT_LT(four, 8 * one + 0.5);
}

}  // namespace
}  // namespace systolith::testing
