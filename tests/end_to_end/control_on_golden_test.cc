// while, if and case on the sequencer: equal bits on every chip, and the evaluator's results.
#include <fmt/format.h>
#include <gmock/gmock.h>

#include "tests/end_to_end/compiled_program_test.h"

namespace systolith::testing {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

class ControlOnGoldenTest : public CompiledProgramTest {
 protected:
  static Literal Scalar(graph::ElementType type, int64_t value) {
    Literal literal(Shape{type, {}});
    literal.SetInt(0, value);
    return literal;
  }
  static Literal S32(int64_t value) { return Scalar(graph::ElementType::kS32, value); }
  static Literal I1(bool value) { return Scalar(graph::ElementType::kI1, value ? 1 : 0); }

  // On the chip alone, and exactly what the evaluator says.
  std::vector<Literal> Expect(const std::string& text, const std::vector<Literal>& arguments) {
    const graph::Module module = Import(text);
    if (module.functions.empty()) return {};
    compiler::CompileOptions options;
    options.no_fallback = true;
    const Status status = compiler::Compile(module, ArrayChip(16), options).status();
    EXPECT_TRUE(status.ok()) << status.message() << "\n" << text;
    if (!status.ok()) return {};
    const std::vector<Literal> results = RunEverywhere(text, arguments);
    Result<std::vector<Literal>> expected = evaluator::Evaluate(module, arguments, {}, nullptr);
    EXPECT_TRUE(expected.ok()) << expected.status().message();
    EXPECT_TRUE(expected.ok() && results == *expected) << text;
    return results;
  }
};

// Runs `body` while the counter %i is below %n; %x goes round with it.
std::string Counted(const std::string& type, const std::string& body,
                    const std::string& captured = "") {
  return fmt::format(R"(
func.func @main(%n: tensor<i32>, %x0: tensor<{0}>{2}) -> (tensor<i32>, tensor<{0}>) {{
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %0:2 = stablehlo.while(%i = %zero, %x = %x0) : tensor<i32>, tensor<{0}>
  cond {{
    %c = stablehlo.compare LT, %i, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %c : tensor<i1>
  }} do {{
    %one = stablehlo.constant dense<1> : tensor<i32>
    %next = stablehlo.add %i, %one : tensor<i32>
    {1}
    stablehlo.return %next, %y : tensor<i32>, tensor<{0}>
  }}
  return %0#0, %0#1 : tensor<i32>, tensor<{0}>
}})", type, body, captured);
}

TEST_F(ControlOnGoldenTest, TripsAsManyAsTheDataSays) {
  const std::string text = Counted("3x7xf32", "%y = stablehlo.add %x, %x : tensor<3x7xf32>");
  for (const int64_t trips : {0, 1, 2, 5, 30, -4}) {
    const Literal x = RandomLiteral({graph::ElementType::kF32, {3, 7}}, rng_);
    const std::vector<Literal> results = Expect(text, {S32(trips), x});
    ASSERT_EQ(results.size(), 2u);
    EXPECT_EQ(results[0].GetInt(0), std::max<int64_t>(trips, 0));
  }
}

TEST_F(ControlOnGoldenTest, WhatStandsOutsideIsReadInside) {
  const std::string text = Counted("5x9xf32", R"(
    %b = stablehlo.broadcast_in_dim %v, dims = [1] : (tensor<9xf32>) -> tensor<5x9xf32>
    %t = stablehlo.transpose %w, dims = [1, 0] : (tensor<9x5xf32>) -> tensor<5x9xf32>
    %p = stablehlo.add %x, %b : tensor<5x9xf32>
    %y = stablehlo.maximum %p, %t : tensor<5x9xf32>)",
                                   ", %v: tensor<9xf32>, %w: tensor<9x5xf32>");
  std::vector<Literal> arguments = RandomArguments(text);
  arguments[0] = S32(3);
  Expect(text, arguments);
}

TEST_F(ControlOnGoldenTest, ProductsInALoop) {
  const std::string text = Counted("6x6xf32", R"(
    %p = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0]
        : (tensor<6x6xf32>, tensor<6x6xf32>) -> tensor<6x6xf32>
    %b = stablehlo.broadcast_in_dim %v, dims = [1] : (tensor<6xf32>) -> tensor<6x6xf32>
    %q = stablehlo.add %p, %b : tensor<6x6xf32>
    %lo = stablehlo.constant dense<-4.0> : tensor<f32>
    %hi = stablehlo.constant dense<4.0> : tensor<f32>
    %y = stablehlo.clamp %lo, %q, %hi : (tensor<f32>, tensor<6x6xf32>, tensor<f32>) -> tensor<6x6xf32>)",
                                   ", %v: tensor<6xf32>, %w: tensor<6x6xf32>");
  std::vector<Literal> arguments;
  for (const Shape& shape : ArgumentShapes(Import(text))) {
    arguments.push_back(SmallIntegers(shape, rng_));
  }
  arguments[0] = S32(4);
  Expect(text, arguments);
}

TEST_F(ControlOnGoldenTest, ValuesChangePlaces) {
  const std::string text = R"(
func.func @main(%n: tensor<i32>, %a0: tensor<4xi32>, %b0: tensor<4xi32>, %c0: tensor<4xi32>,
                %d0: tensor<4xi32>, %f0: tensor<i1>)
    -> (tensor<i32>, tensor<4xi32>, tensor<4xi32>, tensor<4xi32>, tensor<4xi32>, tensor<4xi32>,
        tensor<i1>) {
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %0:7 = stablehlo.while(%i = %zero, %a = %a0, %b = %b0, %c = %c0, %d = %d0, %e = %a0, %f = %f0)
      : tensor<i32>, tensor<4xi32>, tensor<4xi32>, tensor<4xi32>, tensor<4xi32>, tensor<4xi32>,
        tensor<i1>
  cond {
    %t = stablehlo.compare LT, %i, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %t : tensor<i1>
  } do {
    %one = stablehlo.constant dense<1> : tensor<i32>
    %next = stablehlo.add %i, %one : tensor<i32>
    %sum = stablehlo.add %c, %d : tensor<4xi32>
    %back = stablehlo.reverse %e, dims = [0] : tensor<4xi32>
    %not = stablehlo.not %f : tensor<i1>
    stablehlo.return %next, %b, %a, %d, %sum, %back, %not
        : tensor<i32>, tensor<4xi32>, tensor<4xi32>, tensor<4xi32>, tensor<4xi32>, tensor<4xi32>,
          tensor<i1>
  }
  return %0#0, %0#1, %0#2, %0#3, %0#4, %0#5, %0#6
      : tensor<i32>, tensor<4xi32>, tensor<4xi32>, tensor<4xi32>, tensor<4xi32>, tensor<4xi32>,
        tensor<i1>
})";
  for (const int64_t trips : {0, 1, 6, 7}) {
    std::vector<Literal> arguments = RandomArguments(text);
    arguments[0] = S32(trips);
    arguments[5] = I1(trips % 2 == 0);
    Expect(text, arguments);
  }
}

// Three values go round in a circle, and two of them are views of a third.
TEST_F(ControlOnGoldenTest, CirclesAndViews) {
  const std::string text = R"(
func.func @main(%n: tensor<i32>, %a0: tensor<3x3xf32>, %b0: tensor<3x3xf32>, %c0: tensor<3x3xf32>)
    -> (tensor<3x3xf32>, tensor<3x3xf32>, tensor<3x3xf32>) {
  %0:4 = stablehlo.while(%i = %n, %a = %a0, %b = %b0, %c = %c0)
      : tensor<i32>, tensor<3x3xf32>, tensor<3x3xf32>, tensor<3x3xf32>
  cond {
    %zero = stablehlo.constant dense<0> : tensor<i32>
    %t = stablehlo.compare GT, %i, %zero : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %t : tensor<i1>
  } do {
    %one = stablehlo.constant dense<1> : tensor<i32>
    %next = stablehlo.subtract %i, %one : tensor<i32>
    %at = stablehlo.transpose %a, dims = [1, 0] : (tensor<3x3xf32>) -> tensor<3x3xf32>
    %row = stablehlo.slice %b [1:2, 0:3] : (tensor<3x3xf32>) -> tensor<1x3xf32>
    %rows = stablehlo.broadcast_in_dim %row, dims = [0, 1] : (tensor<1x3xf32>) -> tensor<3x3xf32>
    %ab = stablehlo.add %rows, %c : tensor<3x3xf32>
    stablehlo.return %next, %c, %at, %ab
        : tensor<i32>, tensor<3x3xf32>, tensor<3x3xf32>, tensor<3x3xf32>
  }
  return %0#1, %0#2, %0#3 : tensor<3x3xf32>, tensor<3x3xf32>, tensor<3x3xf32>
})";
  for (const int64_t trips : {0, 1, 4}) {
    std::vector<Literal> arguments = RandomArguments(text);
    arguments[0] = S32(trips);
    Expect(text, arguments);
  }
}

TEST_F(ControlOnGoldenTest, IfInWhileInIfInWhile) {
  const std::string text = R"(
func.func @main(%n: tensor<i32>, %x0: tensor<11xi32>) -> (tensor<11xi32>, tensor<i32>) {
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %one = stablehlo.constant dense<1> : tensor<i32>
  %three = stablehlo.constant dense<3> : tensor<i32>
  %0:2 = stablehlo.while(%i = %zero, %x = %x0) : tensor<i32>, tensor<11xi32>
  cond {
    %c = stablehlo.compare LT, %i, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %c : tensor<i1>
  } do {
    %next = stablehlo.add %i, %one : tensor<i32>
    %bit = stablehlo.and %i, %one : tensor<i32>
    %odd = stablehlo.compare EQ, %bit, %one : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %y:2 = "stablehlo.if"(%odd) ({
      %1:2 = stablehlo.while(%j = %zero, %z = %x) : tensor<i32>, tensor<11xi32>
      cond {
        %c = stablehlo.compare LE, %j, %i : (tensor<i32>, tensor<i32>) -> tensor<i1>
        stablehlo.return %c : tensor<i1>
      } do {
        %k = stablehlo.add %j, %one : tensor<i32>
        %far = stablehlo.compare GT, %j, %three : (tensor<i32>, tensor<i32>) -> tensor<i1>
        %w = "stablehlo.if"(%far) ({
          %r = stablehlo.reverse %z, dims = [0] : tensor<11xi32>
          %s = stablehlo.subtract %r, %x0 : tensor<11xi32>
          stablehlo.return %s : tensor<11xi32>
        }, {
          stablehlo.return %x : tensor<11xi32>
        }) : (tensor<i1>) -> tensor<11xi32>
        %v = stablehlo.multiply %w, %x0 : tensor<11xi32>
        stablehlo.return %k, %v : tensor<i32>, tensor<11xi32>
      }
      stablehlo.return %1#1, %next : tensor<11xi32>, tensor<i32>
    }, {
      %two = stablehlo.add %next, %one : tensor<i32>
      %b = stablehlo.broadcast_in_dim %two, dims = [] : (tensor<i32>) -> tensor<11xi32>
      %a = stablehlo.xor %b, %x : tensor<11xi32>
      stablehlo.return %a, %two : tensor<11xi32>, tensor<i32>
    }) : (tensor<i1>) -> (tensor<11xi32>, tensor<i32>)
    stablehlo.return %y#1, %y#0 : tensor<i32>, tensor<11xi32>
  }
  return %0#1, %0#0 : tensor<11xi32>, tensor<i32>
})";
  for (const int64_t trips : {0, 1, 9, 16}) {
    std::vector<Literal> arguments = RandomArguments(text);
    arguments[0] = S32(trips);
    Expect(text, arguments);
  }
}

TEST_F(ControlOnGoldenTest, AnIndexThatIsNoBranchTakesTheLast) {
  const std::string text = R"(
func.func @main(%i: tensor<i32>, %x: tensor<5xf32>) -> (tensor<5xf32>, tensor<i32>) {
  %0:2 = "stablehlo.case"(%i) ({
    %a = stablehlo.add %x, %x : tensor<5xf32>
    stablehlo.return %a, %i : tensor<5xf32>, tensor<i32>
  }, {
    %c = stablehlo.constant dense<[1.0, 2.0, 3.0, 4.0, 5.0]> : tensor<5xf32>
    stablehlo.return %c, %i : tensor<5xf32>, tensor<i32>
  }, {
    %r = stablehlo.reverse %x, dims = [0] : tensor<5xf32>
    %n = stablehlo.negate %i : tensor<i32>
    stablehlo.return %r, %n : tensor<5xf32>, tensor<i32>
  }) : (tensor<i32>) -> (tensor<5xf32>, tensor<i32>)
  %s = stablehlo.multiply %0#0, %x : tensor<5xf32>
  return %s, %0#1 : tensor<5xf32>, tensor<i32>
})";
  for (const int64_t index : {0, 1, 2, 3, -1, 65536, -2147483647}) {
    Expect(text, {S32(index), RandomLiteral({graph::ElementType::kF32, {5}}, rng_)});
  }
}

// Everything that may go round or come out: halves, bytes, flags; large and empty tensors.
TEST_F(ControlOnGoldenTest, ValuesOfEveryTypeAndSize) {
  for (const std::string type : {"300xbf16", "70xf16", "33xi8", "41xui16", "9x1xi1", "0x4xf32",
                                 "40x70xf32"}) {
    const std::string text = fmt::format(R"(
func.func @main(%p: tensor<i1>, %a: tensor<{0}>, %b: tensor<{0}>) -> (tensor<{0}>, tensor<{0}>) {{
  %0 = "stablehlo.if"(%p) ({{
    stablehlo.return %a : tensor<{0}>
  }}, {{
    %m = stablehlo.maximum %a, %b : tensor<{0}>
    stablehlo.return %m : tensor<{0}>
  }}) : (tensor<i1>) -> tensor<{0}>
  %1:3 = stablehlo.while(%go = %p, %x = %0, %y = %b) : tensor<i1>, tensor<{0}>, tensor<{0}>
  cond {{
    stablehlo.return %go : tensor<i1>
  }} do {{
    %f = stablehlo.constant dense<false> : tensor<i1>
    stablehlo.return %f, %y, %x : tensor<i1>, tensor<{0}>, tensor<{0}>
  }}
  return %1#1, %1#2 : tensor<{0}>, tensor<{0}>
}})", type);
    for (const bool flag : {false, true}) {
      std::vector<Literal> arguments = RandomArguments(text);
      arguments[0] = I1(flag);
      Expect(text, arguments);
    }
  }
}

// A scan: a row in, a row out, the carry is a running sum.
const char* const kScan = R"(
func.func @main(%xs: tensor<6x5xf32>, %c0: tensor<5xf32>) -> (tensor<5xf32>, tensor<6x5xf32>) {
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %none = stablehlo.constant dense<0.0> : tensor<6x5xf32>
  %0:3 = stablehlo.while(%i = %zero, %c = %c0, %ys = %none)
      : tensor<i32>, tensor<5xf32>, tensor<6x5xf32>
  cond {
    %n = stablehlo.constant dense<6> : tensor<i32>
    %t = stablehlo.compare LT, %i, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %t : tensor<i1>
  } do {
    %one = stablehlo.constant dense<1> : tensor<i32>
    %next = stablehlo.add %i, %one : tensor<i32>
    %s = stablehlo.dynamic_slice %xs, %i, %zero, sizes = [1, 5]
        : (tensor<6x5xf32>, tensor<i32>, tensor<i32>) -> tensor<1x5xf32>
    %x = stablehlo.reshape %s : (tensor<1x5xf32>) -> tensor<5xf32>
    %d = stablehlo.add %c, %x : tensor<5xf32>
    %e = stablehlo.multiply %d, %x : tensor<5xf32>
    %r = stablehlo.reshape %e : (tensor<5xf32>) -> tensor<1x5xf32>
    %u = stablehlo.dynamic_update_slice %ys, %r, %i, %zero
        : (tensor<6x5xf32>, tensor<1x5xf32>, tensor<i32>, tensor<i32>) -> tensor<6x5xf32>
    stablehlo.return %next, %d, %u : tensor<i32>, tensor<5xf32>, tensor<6x5xf32>
  }
  return %0#1, %0#2 : tensor<5xf32>, tensor<6x5xf32>
})";

TEST_F(ControlOnGoldenTest, ScansWriteTheirResultsInPlace) {
  Expect(kScan, RandomArguments(kScan));
  const std::string plan = Plan(kScan, "forward-results");
  EXPECT_THAT(plan.substr(plan.find("body:")), Not(HasSubstr("= copy"))) << plan;
}

// What is read after it was replaced stays.
TEST_F(ControlOnGoldenTest, APlaceIsNotOverwrittenBeforeItIsRead) {
  const std::string text = R"(
func.func @main(%n: tensor<i32>, %x0: tensor<6x5xf32>, %y0: tensor<6x5xf32>)
    -> (tensor<6x5xf32>, tensor<6x5xf32>) {
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %0:3 = stablehlo.while(%i = %zero, %x = %x0, %y = %y0)
      : tensor<i32>, tensor<6x5xf32>, tensor<6x5xf32>
  cond {
    %t = stablehlo.compare LT, %i, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %t : tensor<i1>
  } do {
    %one = stablehlo.constant dense<1> : tensor<i32>
    %next = stablehlo.add %i, %one : tensor<i32>
    %s = stablehlo.dynamic_slice %x, %next, %zero, sizes = [1, 5]
        : (tensor<6x5xf32>, tensor<i32>, tensor<i32>) -> tensor<1x5xf32>
    %u = stablehlo.dynamic_update_slice %x, %s, %i, %zero
        : (tensor<6x5xf32>, tensor<1x5xf32>, tensor<i32>, tensor<i32>) -> tensor<6x5xf32>
    %sum = stablehlo.add %x, %u : tensor<6x5xf32>
    %back = stablehlo.reverse %x, dims = [1, 0] : tensor<6x5xf32>
    %v = stablehlo.maximum %u, %back : tensor<6x5xf32>
    stablehlo.return %next, %v, %sum : tensor<i32>, tensor<6x5xf32>, tensor<6x5xf32>
  }
  return %0#1, %0#2 : tensor<6x5xf32>, tensor<6x5xf32>
})";
  for (const int64_t trips : {0, 1, 5, 8}) {
    std::vector<Literal> arguments = RandomArguments(text);
    arguments[0] = S32(trips);
    Expect(text, arguments);
  }
}

// Values go round in a circle that is longer than a launch has segments.
TEST_F(ControlOnGoldenTest, MoreArgumentsThanSegments) {
  constexpr int kValues = 70;
  std::string arguments, carried, types, next, results;
  for (int i = 0; i < kValues; ++i) {
    arguments += fmt::format(", %a{}: tensor<3xf32>", i);
    carried += fmt::format(", %x{0} = %a{0}", i);
    types += ", tensor<3xf32>";
    next += fmt::format(", %{}", i == 0 ? "s" : fmt::format("x{}", i - 1));
    results += fmt::format(", %0#{}", i + 1);
  }
  const std::string text = fmt::format(R"(
func.func @main(%n: tensor<i32>{0}) -> (tensor<i32>{2}) {{
  %0:{5} = stablehlo.while(%i = %n{1}) : tensor<i32>{2}
  cond {{
    %zero = stablehlo.constant dense<0> : tensor<i32>
    %t = stablehlo.compare GT, %i, %zero : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %t : tensor<i1>
  }} do {{
    %one = stablehlo.constant dense<1> : tensor<i32>
    %m = stablehlo.subtract %i, %one : tensor<i32>
    %s = stablehlo.add %x{6}, %a5 : tensor<3xf32>
    stablehlo.return %m{3} : tensor<i32>{2}
  }}
  return %0#0{4} : tensor<i32>{2}
}})", arguments, carried, types, next, results, kValues + 1, kValues - 1);
  std::vector<Literal> values = RandomArguments(text);
  values[0] = S32(5);
  Expect(text, values);
}

// More turns than a flag can count.
TEST_F(ControlOnGoldenTest, SeventyThousandTurns) {
  const std::string text = Counted("i32", R"(
    %k = stablehlo.constant dense<1664525> : tensor<i32>
    %z = stablehlo.multiply %x, %k : tensor<i32>
    %y = stablehlo.add %z, %i : tensor<i32>)");
  const graph::Module module = Import(text);
  const std::vector<Literal> arguments = {S32(70000), S32(7)};
  const std::vector<Literal> results = Run(module, ArrayChip(8, 1, 1 << 16), arguments);
  ASSERT_EQ(results.size(), 2u);
  uint32_t x = 7;
  for (uint32_t i = 0; i < 70000; ++i) x = x * 1664525 + i;
  EXPECT_EQ(static_cast<uint32_t>(results[1].GetInt(0)), x);
}

// Where memory is short, the tensors that fill it are named with their lifetimes.
TEST_F(ControlOnGoldenTest, WhatFillsTheMemoryIsNamed) {
  const std::string text = Counted("100x100xf32", R"(
    %t = stablehlo.transpose %x, dims = [1, 0] : (tensor<100x100xf32>) -> tensor<100x100xf32>
    %p = stablehlo.dot_general %x, %t, contracting_dims = [1] x [0]
        : (tensor<100x100xf32>, tensor<100x100xf32>) -> tensor<100x100xf32>
    %y = stablehlo.dot_general %p, %x, contracting_dims = [1] x [0]
        : (tensor<100x100xf32>, tensor<100x100xf32>) -> tensor<100x100xf32>)");
  arch::ChipConfig chip = ArrayChip(16);
  chip.memory_bytes = 100000;
  const Status status = compiler::Compile(Import(text), chip, {}).status();
  EXPECT_EQ(status.code(), StatusCode::kUnsupported);
  EXPECT_THAT(status.message(), HasSubstr("has 100000 (memory.bytes)"));
  EXPECT_THAT(status.message(), HasSubstr("40000 bytes  tensor<100x100xf32>  from argument 1"));
  EXPECT_THAT(status.message(), HasSubstr("to the end, as result 1"));
  EXPECT_THAT(status.message(), HasSubstr("from dot_general (line 13) to dot_general (line 15)"));
  chip.memory_bytes = 1000000;
  EXPECT_TRUE(compiler::Compile(Import(text), chip, {}).ok());
}

TEST_F(ControlOnGoldenTest, ABufferThatIsTooSmallNamesTheOperation) {
  arch::ChipConfig chip = ArrayChip(128);
  chip.buffer_bytes = 512;
  const std::string text = Counted("700xf32", "%y = stablehlo.add %x, %x : tensor<700xf32>");
  const Status status = compiler::Compile(Import(text), chip, {}).status();
  EXPECT_EQ(status.code(), StatusCode::kUnsupported);
  EXPECT_THAT(status.message(), HasSubstr("buffer"));
  EXPECT_THAT(status.message(), HasSubstr("at line"));
}

// What a region does not need is not computed, and constants in it are folded.
TEST_F(ControlOnGoldenTest, RegionsAreCleaned) {
  const std::string text = Counted("7xbf16", R"(
    %unused = stablehlo.multiply %x, %x : tensor<7xbf16>
    %c = stablehlo.constant dense<[1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0]> : tensor<7xf32>
    %d = stablehlo.convert %c : (tensor<7xf32>) -> tensor<7xbf16>
    %y = stablehlo.add %x, %d : tensor<7xbf16>)");
  std::vector<Literal> arguments = RandomArguments(text);
  arguments[0] = S32(3);
  Expect(text, arguments);
  const std::string plan = Plan(text, "erase-dead-operations");
  EXPECT_THAT(plan, Not(HasSubstr("multiply")));
  EXPECT_THAT(plan, Not(HasSubstr("convert")));
}

TEST_F(ControlOnGoldenTest, AnOperationThatTheChipLacksIsNamedWithItsLine) {
  const std::string text = Counted("5xf64", "%y = stablehlo.add %x, %x : tensor<5xf64>");
  compiler::CompileOptions options;
  options.no_fallback = true;
  const Result<graph::Module> module = import::ImportText(text, "test.mlir");
  ASSERT_TRUE(module.ok()) << module.status().message();
  const Status status = compiler::Compile(*module, ArrayChip(16), options).status();
  EXPECT_THAT(status.message(), HasSubstr("stablehlo.while at line 4"));
}

}  // namespace
}  // namespace systolith::testing
