// Every elementwise operation on every type that it takes, special values and random ones, against
// the evaluator; and graphs of such operations that share a kernel.
#include <fmt/format.h>

#include <chrono>
#include <cmath>
#include <limits>

#include "tests/end_to_end/compiled_program_test.h"

namespace systolith::testing {
namespace {

struct Operation {
  std::string text;        // "stablehlo.add"
  int operands = 1;
  double ulp = 0;          // error in units of the type
  std::string types = "";  // classes: f floats, i signed, u unsigned, b i1
};

class ElementwiseOnGoldenTest : public CompiledProgramTest {
 protected:
  static std::vector<std::string> Types(const std::string& classes) {
    std::vector<std::string> types;
    const auto add = [&](char c, std::initializer_list<const char*> names) {
      if (classes.find(c) != std::string::npos) types.insert(types.end(), names.begin(), names.end());
    };
    add('f', {"f32", "bf16", "f16"});
    add('i', {"i32", "i16", "i8"});
    add('u', {"ui32", "ui16", "ui8"});
    add('b', {"i1"});
    return types;
  }

  // The first elements pair every special value with every other.
  std::vector<Literal> Arguments(const std::string& text) {
    const std::vector<double> floats = {0.0,  -0.0, 1.0,  -1.0,  0.5,   -2.0,     3.0,
                                        NAN,  INFINITY, -INFINITY, 1e-3, -1e-5, 60.0, -60.0,
                                        700.0};
    const std::vector<int64_t> integers = {0, 1, -1, 2, -2, 7, 8, 15, 31, 32, 127, -128, 255,
                                           32767, std::numeric_limits<int32_t>::min()};
    std::vector<Literal> arguments = RandomArguments(text);
    const size_t count = floats.size();
    for (size_t a = 0; a < arguments.size(); ++a) {
      Literal& argument = arguments[a];
      for (size_t i = 0; i < count * count; ++i) {
        const size_t which = a == 0 ? i % count : a == 1 ? i / count : (i + i / count) % count;
        const auto at = static_cast<int64_t>(i);
        if (graph::IsFloat(argument.type())) {
          argument.SetDouble(at, floats[which]);
        } else {
          argument.SetInt(at, integers[which]);
        }
      }
    }
    return arguments;
  }

  static double Units(graph::ElementType type, double at) {
    const int digits = type == graph::ElementType::kF32    ? 23
                       : type == graph::ElementType::kBF16 ? 7
                                                           : 10;
    const int lowest = type == graph::ElementType::kF16 ? -14 : -126;
    if (at == 0) return std::ldexp(1.0, lowest - digits);
    return std::ldexp(1.0, std::max(std::ilogb(at), lowest) - digits);
  }

  void Check(const std::string& text, double ulp) {
    SCOPED_TRACE(text);
    const graph::Module module = Import(text);
    const std::vector<Literal> arguments = Arguments(text);
    compiler::CompileOptions options;
    options.no_fallback = true;
    const std::vector<Literal> results = Run(module, ArrayChip(16), arguments, options);
    const auto expected = evaluator::Evaluate(module, arguments, {}, nullptr);
    ASSERT_TRUE(expected.ok()) << expected.status().message();
    ASSERT_EQ(results.size(), expected->size());
    for (size_t r = 0; r < results.size(); ++r) {
      int wrong = 0;
      for (int64_t i = 0; i < results[r].size() && wrong < 3; ++i) {
        const double got = results[r].GetDouble(i), wanted = (*expected)[r].GetDouble(i);
        if (std::isnan(got) && std::isnan(wanted)) continue;
        if (got == wanted && (ulp > 0 || std::signbit(got) == std::signbit(wanted))) continue;
        if (graph::IsFloat(results[r].type()) && std::isfinite(got) && std::isfinite(wanted) &&
            std::fabs(got - wanted) <= ulp * Units(results[r].type(), wanted)) {
          continue;
        }
        std::string of;
        for (const Literal& argument : arguments) of += argument.ElementToString(i) + " ";
        ADD_FAILURE() << "result " << r << " element " << i << " of " << of << "is " << got
                      << " instead of " << wanted;
        ++wrong;
      }
    }
  }

  int64_t CountKernels(const std::string& text) {
    std::string plan = Plan(text);
    int64_t count = 0;
    for (size_t at = plan.find("): elementwise"); at != std::string::npos;
         at = plan.find("): elementwise", at + 1)) {
      ++count;
    }
    return count;
  }

  static std::string Program(const Operation& operation, const std::string& type) {
    const std::string tensor = fmt::format("tensor<263x{}>", type);
    const std::vector<std::string> names = {"%a", "%b", "%c"};
    std::string parameters, operands, shapes;
    for (int i = 0; i < operation.operands; ++i) {
      const std::string comma = i == 0 ? "" : ", ";
      parameters += comma + names[static_cast<size_t>(i)] + ": " + tensor;
      operands += comma + names[static_cast<size_t>(i)];
      shapes += comma + tensor;
    }
    const bool is_chlo = operation.text.starts_with("chlo");
    const std::string signature =
        is_chlo ? fmt::format("{} -> {}", shapes, tensor) : tensor;
    return fmt::format("func.func @main({}) -> {} {{\n  %0 = {} {} : {}\n  return %0 : {}\n}}\n",
                       parameters, tensor, operation.text, operands, signature, tensor);
  }
};

TEST_F(ElementwiseOnGoldenTest, ArithmeticIsExact) {
  const std::vector<Operation> operations = {
      {"stablehlo.add", 2, 0, "fiub"},       {"stablehlo.subtract", 2, 0, "fiu"},
      {"stablehlo.multiply", 2, 0, "fiub"},  {"stablehlo.divide", 2, 0, "fiu"},
      {"stablehlo.remainder", 2, 0, "fiu"},  {"stablehlo.maximum", 2, 0, "fiub"},
      {"stablehlo.minimum", 2, 0, "fiub"},   {"stablehlo.power", 2, 0, "iu"},
      {"stablehlo.and", 2, 0, "iub"},        {"stablehlo.or", 2, 0, "iub"},
      {"stablehlo.xor", 2, 0, "iub"},        {"stablehlo.shift_left", 2, 0, "iu"},
      {"stablehlo.shift_right_logical", 2, 0, "iu"},
      {"stablehlo.shift_right_arithmetic", 2, 0, "iu"},
      {"stablehlo.negate", 1, 0, "fiu"},     {"stablehlo.abs", 1, 0, "fi"},
      {"stablehlo.sign", 1, 0, "fi"},        {"stablehlo.not", 1, 0, "iub"},
      {"stablehlo.popcnt", 1, 0, "iu"},      {"stablehlo.count_leading_zeros", 1, 0, "iu"},
      {"stablehlo.floor", 1, 0, "f"},        {"stablehlo.ceil", 1, 0, "f"},
      {"stablehlo.round_nearest_even", 1, 0, "f"},
      {"stablehlo.round_nearest_afz", 1, 0, "f"},
      {"stablehlo.sqrt", 1, 0, "f"},         {"stablehlo.clamp", 3, 0, "fiu"},
      {"chlo.next_after", 2, 0, "f"},
  };
  for (const Operation& operation : operations) {
    for (const std::string& type : Types(operation.types)) Check(Program(operation, type), 0);
  }
}

TEST_F(ElementwiseOnGoldenTest, FunctionsAreWithinTheirBounds) {
  const std::vector<Operation> operations = {
      {"stablehlo.exponential", 1, 1},   {"stablehlo.exponential_minus_one", 1, 2},
      {"stablehlo.log", 1, 1},           {"stablehlo.log_plus_one", 1, 2},
      {"stablehlo.logistic", 1, 2},      {"stablehlo.tanh", 1, 2},
      {"stablehlo.sine", 1, 2},          {"stablehlo.cosine", 1, 2},
      {"stablehlo.tan", 1, 2},           {"stablehlo.rsqrt", 1, 2},
      {"stablehlo.cbrt", 1, 2},          {"stablehlo.power", 2, 2},
      {"stablehlo.atan2", 2, 2},         {"chlo.erf", 1, 2},
      {"chlo.erf_inv", 1, 2},            {"chlo.acos", 1, 3},
      {"chlo.acosh", 1, 3},              {"chlo.asin", 1, 3},
      {"chlo.asinh", 1, 3},              {"chlo.atan", 1, 2},
      {"chlo.atanh", 1, 3},              {"chlo.cosh", 1, 3},
      {"chlo.sinh", 1, 4},
  };
  for (const Operation& operation : operations) {
    for (const std::string& type : Types("f")) Check(Program(operation, type), operation.ulp);
  }
  for (const std::string type : {"bf16", "f16"}) Check(Program({"chlo.erfc"}, type), 1);
}

TEST_F(ElementwiseOnGoldenTest, PrecisionIsReduced) {
  for (const std::string& type : Types("f")) {
    for (const auto& [exponent, mantissa] :
         std::vector<std::pair<int, int>>{{8, 7}, {5, 10}, {4, 3}, {5, 2}, {8, 23}, {2, 0}, {1, 1}}) {
      Check(fmt::format("func.func @main(%a: tensor<263x{0}>) -> tensor<263x{0}> {{\n"
                        "  %0 = stablehlo.reduce_precision %a, format = e{1}m{2} : tensor<263x{0}>\n"
                        "  return %0 : tensor<263x{0}>\n}}\n", type, exponent, mantissa), 0);
    }
  }
}

TEST_F(ElementwiseOnGoldenTest, TotalOrderComparesBits) {
  for (const std::string type : {"f32", "bf16"}) {
    for (const std::string direction : {"EQ", "NE", "LT", "LE", "GT", "GE"}) {
      Check(fmt::format("func.func @main(%a: tensor<263x{0}>, %b: tensor<263x{0}>) -> "
                        "tensor<263xi1> {{\n"
                        "  %0 = stablehlo.compare {1}, %a, %b, TOTALORDER : (tensor<263x{0}>, "
                        "tensor<263x{0}>) -> tensor<263xi1>\n  return %0 : tensor<263xi1>\n}}\n",
                        type, direction), 0);
    }
  }
}

TEST_F(ElementwiseOnGoldenTest, BitsAreCast) {
  const auto cast = [&](const std::string& from, const std::string& to) {
    RunOnChip(fmt::format("func.func @main(%a: tensor<{0}>) -> tensor<{1}> {{\n"
                          "  %0 = stablehlo.bitcast_convert %a : (tensor<{0}>) -> tensor<{1}>\n"
                          "  return %0 : tensor<{1}>\n}}\n", from, to));
  };
  cast("5x9xf32", "5x9xi32");
  cast("5x9xui32", "5x9xf32");
  cast("70xi16", "70xf16");
  cast("70xui8", "70xi8");
  cast("5x3xi32", "5x3x2xui16");
  cast("5x3x4xi8", "5x3xf32");
  cast("3x2xi8", "3xf16");
  // In the middle of a kernel, and of a transpose.
  Check("func.func @main(%a: tensor<263xui32>) -> tensor<263xf32> {\n"
        "  %n = stablehlo.constant dense<9> : tensor<263xui32>\n"
        "  %o = stablehlo.constant dense<1065353216> : tensor<263xui32>\n"
        "  %f = stablehlo.constant dense<1.0> : tensor<263xf32>\n"
        "  %0 = stablehlo.shift_right_logical %a, %n : tensor<263xui32>\n"
        "  %1 = stablehlo.or %0, %o : tensor<263xui32>\n"
        "  %2 = stablehlo.bitcast_convert %1 : (tensor<263xui32>) -> tensor<263xf32>\n"
        "  %3 = stablehlo.subtract %2, %f : tensor<263xf32>\n"
        "  return %3 : tensor<263xf32>\n}\n", 0);
  RunOnChip(
      "func.func @main(%a: tensor<6x4xi8>) -> tensor<4x3xi16> {\n"
      "  %0 = stablehlo.transpose %a, dims = [1, 0] : (tensor<6x4xi8>) -> tensor<4x6xi8>\n"
      "  %1 = stablehlo.reshape %0 : (tensor<4x6xi8>) -> tensor<4x3x2xi8>\n"
      "  %2 = stablehlo.bitcast_convert %1 : (tensor<4x3x2xi8>) -> tensor<4x3xi16>\n"
      "  return %2 : tensor<4x3xi16>\n}\n");
}

TEST_F(ElementwiseOnGoldenTest, IotasAlongEveryDimension) {
  for (const std::string type : {"i32", "f32", "bf16", "ui8", "i16"}) {
    for (const int dimension : {0, 1, 2}) {
      RunOnChip(fmt::format(
          "func.func @main(%a: tensor<3x5x37x{0}>) -> (tensor<3x5x37x{0}>, tensor<3x5x37x{0}>) {{\n"
          "  %0 = stablehlo.iota dim = {1} : tensor<3x5x37x{0}>\n"
          "  %1 = stablehlo.add %a, %0 : tensor<3x5x37x{0}>\n"
          "  return %0, %1 : tensor<3x5x37x{0}>, tensor<3x5x37x{0}>\n}}\n", type, dimension));
    }
  }
  // A mask of a triangle, a value of one place.
  RunOnChip(
      "func.func @main(%a: tensor<19x40xf32>) -> tensor<19x40xf32> {\n"
      "  %r = stablehlo.iota dim = 0 : tensor<19x40xi32>\n"
      "  %c = stablehlo.iota dim = 1 : tensor<19x40xi32>\n"
      "  %m = stablehlo.compare GE, %r, %c : (tensor<19x40xi32>, tensor<19x40xi32>) -> "
      "tensor<19x40xi1>\n"
      "  %z = stablehlo.constant dense<-1.0e9> : tensor<19x40xf32>\n"
      "  %0 = stablehlo.select %m, %a, %z : tensor<19x40xi1>, tensor<19x40xf32>\n"
      "  return %0 : tensor<19x40xf32>\n}\n");
}

// x * logistic(x), and the written-out gelu, are computed in one kernel; so is a sum of four.
TEST_F(ElementwiseOnGoldenTest, GraphsShareAKernel) {
  const std::string silu =
      "func.func @main(%a: tensor<263xbf16>, %b: tensor<263xbf16>) -> tensor<263xbf16> {\n"
      "  %x = stablehlo.add %a, %b : tensor<263xbf16>\n"
      "  %0 = stablehlo.logistic %x : tensor<263xbf16>\n"
      "  %1 = stablehlo.multiply %x, %0 : tensor<263xbf16>\n"
      "  return %1 : tensor<263xbf16>\n}\n";
  Check(silu, 3);
  EXPECT_EQ(CountKernels(silu), 1);
  const std::string four =
      "func.func @main(%a: tensor<263xf32>, %b: tensor<263xf32>, %c: tensor<263xf32>, "
      "%d: tensor<263xf32>) -> tensor<263xf32> {\n"
      "  %0 = stablehlo.add %a, %b : tensor<263xf32>\n"
      "  %1 = stablehlo.add %c, %d : tensor<263xf32>\n"
      "  %2 = stablehlo.divide %0, %1 : tensor<263xf32>\n"
      "  %3 = stablehlo.multiply %2, %0 : tensor<263xf32>\n"
      "  return %3 : tensor<263xf32>\n}\n";
  Check(four, 0);
  EXPECT_EQ(CountKernels(four), 1);
  // What is returned, too, is stored and read again.
  const std::string shared =
      "func.func @main(%a: tensor<263xf32>, %b: tensor<263xf32>) -> (tensor<263xf32>, "
      "tensor<263xf32>) {\n"
      "  %0 = stablehlo.add %a, %b : tensor<263xf32>\n"
      "  %1 = stablehlo.multiply %0, %0 : tensor<263xf32>\n"
      "  return %0, %1 : tensor<263xf32>, tensor<263xf32>\n}\n";
  Check(shared, 0);
  EXPECT_EQ(CountKernels(shared), 2);
  // A conversion is done again rather than stored.
  const std::string converted =
      "func.func @main(%a: tensor<263xbf16>) -> (tensor<263xf32>, tensor<263xf32>) {\n"
      "  %0 = stablehlo.convert %a : (tensor<263xbf16>) -> tensor<263xf32>\n"
      "  %1 = stablehlo.multiply %0, %0 : tensor<263xf32>\n"
      "  %2 = stablehlo.negate %0 : tensor<263xf32>\n"
      "  return %1, %2 : tensor<263xf32>, tensor<263xf32>\n}\n";
  Check(converted, 0);
  EXPECT_EQ(CountKernels(converted), 2);
}

// Sums of many, and functions one behind the other, are cut into kernels that fit.
TEST_F(ElementwiseOnGoldenTest, WhatIsTooLargeIsCut) {
  std::string text = "func.func @main(";
  for (int i = 0; i < 24; ++i) text += fmt::format("{}%a{}: tensor<263xf32>", i == 0 ? "" : ", ", i);
  text += ") -> tensor<263xf32> {\n";
  std::vector<std::string> level;
  for (int i = 0; i < 24; ++i) level.push_back(fmt::format("%a{}", i));
  int next = 0;
  while (level.size() > 1) {
    std::vector<std::string> above;
    for (size_t i = 0; i + 1 < level.size(); i += 2) {
      above.push_back(fmt::format("%s{}", next++));
      text += fmt::format("  {} = stablehlo.maximum {}, {} : tensor<263xf32>\n", above.back(),
                          level[i], level[i + 1]);
    }
    if (level.size() % 2 == 1) above.push_back(level.back());
    level = above;
  }
  text += fmt::format("  return {} : tensor<263xf32>\n}}\n", level[0]);
  Check(text, 0);

  std::string chain = "func.func @main(%x0: tensor<263xf32>) -> tensor<263xf32> {\n";
  const std::vector<std::string> functions = {"sine", "tanh", "logistic", "cbrt", "cosine"};
  for (int i = 0; i < 40; ++i) {
    chain += fmt::format("  %x{} = stablehlo.{} %x{} : tensor<263xf32>\n", i + 1,
                         functions[static_cast<size_t>(i) % functions.size()], i);
  }
  chain += "  return %x40 : tensor<263xf32>\n}\n";
  Check(chain, 100);
}

TEST_F(ElementwiseOnGoldenTest, AThousandOperationsCompileQuickly) {
  std::string text = "func.func @main(%x0: tensor<64x64xf32>, %y: tensor<64x64xf32>) -> "
                     "tensor<64x64xf32> {\n";
  const std::vector<std::string> binary = {"add", "multiply", "maximum", "subtract"};
  for (int i = 0; i < 1000; ++i) {
    text += i % 7 == 3 ? fmt::format("  %x{} = stablehlo.tanh %x{} : tensor<64x64xf32>\n", i + 1, i)
                       : fmt::format("  %x{} = stablehlo.{} %x{}, %{} : tensor<64x64xf32>\n", i + 1,
                                     binary[static_cast<size_t>(i % 4)], i,
                                     i % 5 == 0 && i > 9 ? fmt::format("x{}", i - 3) : "y");
  }
  text += "  return %x1000 : tensor<64x64xf32>\n}\n";
  const graph::Module module = Import(text);
  const auto start = std::chrono::steady_clock::now();
  const auto executable = compiler::Compile(module, ArrayChip(16), {});
  const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - start;
  ASSERT_TRUE(executable.ok()) << executable.status().message();
  std::printf("1000 operations: %.2f s\n", seconds.count());
  EXPECT_LT(seconds.count(), 10);  // on a loaded machine; 2 on an idle one
}

}  // namespace
}  // namespace systolith::testing
