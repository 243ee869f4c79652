// What the chip can't do runs in the evaluator, is counted, and is refused on request.
#include <gmock/gmock.h>

#include "tests/end_to_end/compiled_program_test.h"

namespace systolith::testing {
namespace {

using ::testing::HasSubstr;

class PartitionOnGoldenTest : public CompiledProgramTest {};

constexpr char kSoftened[] =
    "func.func @main(%a: tensor<6x9xf32>, %b: tensor<9x7xf32>) -> "
    "(tensor<6x7xf32>, tensor<7x6xf32>) {\n"
    "  %0 = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0] : "
    "(tensor<6x9xf32>, tensor<9x7xf32>) -> tensor<6x7xf32>\n"
    "  %1 = stablehlo.transpose %0, dims = [1, 0] : (tensor<6x7xf32>) -> tensor<7x6xf32>\n"
    "  %2 = chlo.erfc %1 : tensor<7x6xf32> -> tensor<7x6xf32>\n"
    "  %3 = chlo.erfc %2 : tensor<7x6xf32> -> tensor<7x6xf32>\n"
    "  %4 = stablehlo.add %0, %0 : tensor<6x7xf32>\n"
    "  %5 = stablehlo.multiply %3, %2 : tensor<7x6xf32>\n"
    "  return %4, %5 : tensor<6x7xf32>, tensor<7x6xf32>\n}\n";

TEST_F(PartitionOnGoldenTest, TheEvaluatorHelpsOut) {
  RunExactly(kSoftened);
  Result<isa::Executable> executable = compiler::Compile(Import(kSoftened), ArrayChip(8), {});
  ASSERT_TRUE(executable.ok());
  EXPECT_EQ(executable->steps.size(), 3u);
  EXPECT_DOUBLE_EQ(executable->FallbackShare(), 2.0 / 6.0);
  EXPECT_EQ(executable->Macs(), 6u * 9u * 7u);
  bool named = false;
  for (const isa::OperationReport& report : executable->operations) {
    named |= report.operation == "erfc" && !report.on_chip && report.line == 4 &&
             !report.reason.empty();
  }
  EXPECT_TRUE(named);
}

TEST_F(PartitionOnGoldenTest, FallbackCanBeForbidden) {
  compiler::CompileOptions options;
  options.no_fallback = true;
  const Status status = compiler::Compile(Import(kSoftened), ArrayChip(8), options).status();
  EXPECT_EQ(status.code(), StatusCode::kUnsupported);
  EXPECT_THAT(status.message(), HasSubstr("chlo.erfc at line 4"));
}

TEST_F(PartitionOnGoldenTest, AProgramWithNothingForTheChipIsOneOfTheEvaluator) {
  const graph::Module module =
      Import("func.func @main(%a: tensor<3xi64>) -> tensor<3xi64> {\n"
             "  %0 = stablehlo.divide %a, %a : tensor<3xi64>\n"
             "  return %0 : tensor<3xi64>\n}\n");
  Result<isa::Executable> executable = compiler::Compile(module, ArrayChip(8), {});
  ASSERT_TRUE(executable.ok()) << executable.status().message();
  EXPECT_DOUBLE_EQ(executable->FallbackShare(), 1.0);
  const std::vector<Literal> arguments = {RandomLiteral(ArgumentShapes(module)[0], rng_)};
  EXPECT_EQ(Run(module, ArrayChip(8), arguments),
            *evaluator::Evaluate(module, arguments, {}, nullptr));
}

TEST_F(PartitionOnGoldenTest, AChipWhoseMatrixUnitLacksTheTypeHasAVectorUnit) {
  arch::ChipConfig chip = ArrayChip(16);
  chip.mxu_bf16 = false;
  const std::string text =
      "func.func @main(%a: tensor<6x9xbf16>, %b: tensor<9x7xbf16>) -> tensor<6x7xbf16> {\n"
      "  %0 = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0] : "
      "(tensor<6x9xbf16>, tensor<9x7xbf16>) -> tensor<6x7xbf16>\n"
      "  %1 = stablehlo.add %0, %0 : tensor<6x7xbf16>\n"
      "  return %1 : tensor<6x7xbf16>\n}\n";
  Result<isa::Executable> executable = compiler::Compile(Import(text), chip, {});
  ASSERT_TRUE(executable.ok());
  EXPECT_DOUBLE_EQ(executable->FallbackShare(), 0.0);
  EXPECT_EQ(Run(Import(text), chip, RandomArguments(text)).size(), 1u);
}

// What is returned is stored at the end; the evaluator reads it before.
TEST_F(PartitionOnGoldenTest, AResultMayAlsoBeReadByTheEvaluator) {
  RunExactly(
      "func.func @main(%a: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>) {\n"
      "  %0 = stablehlo.reverse %a, dims = [0] : tensor<8xf32>\n"
      "  %1 = chlo.erfc %0 : tensor<8xf32> -> tensor<8xf32>\n"
      "  return %1, %0 : tensor<8xf32>, tensor<8xf32>\n}\n");
}

TEST_F(PartitionOnGoldenTest, BarriersAndEmptySumsTakeNoEvaluator) {
  const std::string text =
      "func.func @main(%a: tensor<4x0xf32>, %b: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {\n"
      "  %z = stablehlo.constant dense<3.0> : tensor<f32>\n"
      "  %0 = stablehlo.reduce(%a init: %z) applies stablehlo.add across dimensions = [1] : "
      "(tensor<4x0xf32>, tensor<f32>) -> tensor<4xf32>\n"
      "  %1:2 = stablehlo.optimization_barrier %0, %b : tensor<4xf32>, tensor<4xf32>\n"
      "  %2 = stablehlo.add %1#0, %1#1 : tensor<4xf32>\n"
      "  return %2, %1#0 : tensor<4xf32>, tensor<4xf32>\n}\n";
  compiler::CompileOptions options;
  options.no_fallback = true;
  Result<isa::Executable> executable = compiler::Compile(Import(text), ArrayChip(8), options);
  ASSERT_TRUE(executable.ok()) << executable.status().message();
  RunExactly(text);
}

// A module that computes with its own constants and checks the result still runs on the chip.
TEST_F(PartitionOnGoldenTest, ChecksRunOnTheHostOnResultsOfTheChip) {
  const std::string text =
      "func.func @main() {\n"
      "  %a = stablehlo.constant dense<[[1.0, 2.0], [3.0, 4.0]]> : tensor<2x2xf32>\n"
      "  %b = stablehlo.constant dense<[[1.0, 0.0], [0.0, 1.0]]> : tensor<2x2xf32>\n"
      "  %0 = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0] : "
      "(tensor<2x2xf32>, tensor<2x2xf32>) -> tensor<2x2xf32>\n"
      "  %1 = stablehlo.add %0, %a : tensor<2x2xf32>\n"
      "  stablehlo.custom_call @check.expect_eq(%0, %a) {has_side_effect = true} : "
      "(tensor<2x2xf32>, tensor<2x2xf32>) -> ()\n"
      "  stablehlo.custom_call @check.expect_eq(%0, %1) {has_side_effect = true} : "
      "(tensor<2x2xf32>, tensor<2x2xf32>) -> ()\n"
      "  return\n}\n";
  const arch::ChipConfig chip = ArrayChip(8);
  Result<isa::Executable> executable = compiler::Compile(Import(text), chip, {});
  ASSERT_TRUE(executable.ok()) << executable.status().message();
  EXPECT_EQ(executable->FallbackShare(), 0.0);
  Result<GoldenRun> run = RunOnGolden(*executable, chip, {});
  ASSERT_TRUE(run.ok()) << run.status().message();
  ASSERT_EQ(run->checks.size(), 2u);
  EXPECT_TRUE(run->checks[0].passed);
  EXPECT_FALSE(run->checks[1].passed);
}

TEST_F(PartitionOnGoldenTest, ScratchMemoryIsUsedAgain) {
  std::string body;
  for (int i = 0; i < 12; ++i) {
    const std::string previous = i == 0 ? "%a" : "%t" + std::to_string(i - 1);
    body += "  %d" + std::to_string(i) +
            " = stablehlo.dot_general " + previous + ", %b, contracting_dims = [1] x [0] : "
            "(tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<16x16xf32>\n"
            "  %t" + std::to_string(i) + " = stablehlo.maximum %d" + std::to_string(i) + ", " +
            previous + " : tensor<16x16xf32>\n";
  }
  const std::string text =
      "func.func @main(%a: tensor<16x16xf32>, %b: tensor<16x16xf32>) -> tensor<16x16xf32> {\n" +
      body + "  return %t11 : tensor<16x16xf32>\n}\n";
  Result<isa::Executable> executable = compiler::Compile(Import(text), ArrayChip(8), {});
  ASSERT_TRUE(executable.ok()) << executable.status().message();
  EXPECT_LE(executable->scratch_bytes, 3u * 16 * 16 * 4);
  // Each product permutes the columns, so that the sums stay exact.
  const Shape shape{graph::ElementType::kF32, {16, 16}};
  Literal permutation(shape);
  for (int64_t i = 0; i < 16; ++i) permutation.SetDouble(i * 16 + (i + 5) % 16, 1.0);
  RunEverywhere(text, {SmallIntegers(shape, rng_), permutation});
}

// A launch has 64 segments; more arguments take several launches.
TEST_F(PartitionOnGoldenTest, ManyArgumentsTakeSeveralLaunches) {
  std::string arguments, body, previous = "%a0";
  for (int i = 0; i < 90; ++i) {
    arguments += (i == 0 ? "%a" : ", %a") + std::to_string(i) + ": tensor<9xf32>";
    if (i == 0) continue;
    const std::string sum = "%s" + std::to_string(i);
    body += "  " + sum + " = stablehlo.add " + previous + ", %a" + std::to_string(i) +
            " : tensor<9xf32>\n";
    previous = sum;
  }
  const std::string text = "func.func @main(" + arguments + ") -> tensor<9xf32> {\n" + body +
                           "  return " + previous + " : tensor<9xf32>\n}\n";
  RunExactly(text);
  Result<isa::Executable> executable = compiler::Compile(Import(text), ArrayChip(8), {});
  ASSERT_TRUE(executable.ok());
  EXPECT_GE(executable->steps.size(), 2u);
}

// Regions use values from outside: those are inputs of the evaluator's step.
TEST_F(PartitionOnGoldenTest, RegionsOfTheEvaluatorSeeResultsOfTheChip) {
  RunExactly(
      "func.func @main(%i: tensor<i32>, %a: tensor<4x4xf32>) -> tensor<4x4xf32> {\n"
      "  %0 = stablehlo.dot_general %a, %a, contracting_dims = [1] x [0] : "
      "(tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>\n"
      "  %1 = stablehlo.transpose %0, dims = [1, 0] : (tensor<4x4xf32>) -> tensor<4x4xf32>\n"
      "  %2 = \"stablehlo.case\"(%i) ({\n"
      "    stablehlo.return %0 : tensor<4x4xf32>\n"
      "  }, {\n"
      "    %4 = stablehlo.add %1, %a : tensor<4x4xf32>\n"
      "    stablehlo.return %4 : tensor<4x4xf32>\n"
      "  }) : (tensor<i32>) -> tensor<4x4xf32>\n"
      "  %3 = stablehlo.add %2, %0 : tensor<4x4xf32>\n"
      "  return %3 : tensor<4x4xf32>\n}\n");
}

TEST_F(PartitionOnGoldenTest, CompilesToTheSameBytesEveryTime) {
  const auto compile = [&] {
    return isa::Serialize(*compiler::Compile(Import(kSoftened), ArrayChip(16), {}));
  };
  EXPECT_EQ(compile(), compile());
}

TEST_F(PartitionOnGoldenTest, DumpsWhatAPassHasMade) {
  std::string dumped;
  compiler::CompileOptions options;
  options.dump_after = "plan-kernels";
  options.dump = [&](const std::string&, const std::string& text) { dumped += text; };
  ASSERT_TRUE(compiler::Compile(Import(kSoftened), ArrayChip(16), options).ok());
  EXPECT_THAT(dumped, HasSubstr("contraction lhs"));
}

}  // namespace
}  // namespace systolith::testing
