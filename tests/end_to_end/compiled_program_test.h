#ifndef SYSTOLITH_TESTS_END_TO_END_COMPILED_PROGRAM_TEST_H_
#define SYSTOLITH_TESTS_END_TO_END_COMPILED_PROGRAM_TEST_H_

#include <gtest/gtest.h>

#include <random>
#include <string>
#include <vector>

#include "host/import/import.h"
#include "tests/end_to_end/device_pool.h"
#include "tests/end_to_end/golden_run.h"

namespace systolith::testing {

using graph::Literal;
using graph::Shape;

// The program on arrays of 8 to 128 (the last with two units): equal bits everywhere, and what the
// evaluator says within the tolerance. Where SYSTOLITH_TEST_TARGETS names rtl, also on the
// verilated chip `tiny` through the driver.
class CompiledProgramTest : public ::testing::Test {
 protected:
  static void TearDownTestSuite() { pool_.Close(); }

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

  // The verilated chip, if it is tested, gives the bits that another chip has given.
  void ExpectOnRtl(const graph::Module& module, const arch::ChipConfig& chip,
                   const std::vector<Literal>& arguments, const std::vector<Literal>& expected,
                   compiler::CompileOptions options = {}) {
    if (!RtlIsTested()) return;
    Result<isa::Executable> executable = compiler::Compile(module, chip, options);
    ASSERT_TRUE(executable.ok()) << executable.status().message();
    Result<std::vector<Literal>> results = pool_.Run("rtl", chip, *executable, arguments);
    ASSERT_TRUE(results.ok()) << chip.name << ": " << results.status().message();
    EXPECT_TRUE(*results == expected) << chip.name << ": other bits than the golden model's";
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
      ExpectOnRtl(module, *arch::LoadChipConfig("tiny"), arguments, first, options);
      EXPECT_EQ(CompareWithEvaluator(module, arguments, first, precision), "") << text;
    }
    return first;
  }

  // Arguments of integers for which every float sum is exact: then the result must be the
  // evaluator's, bit for bit.
  std::vector<Literal> RunExactly(const std::string& text) {
    const graph::Module module = Import(text);
    if (module.functions.empty()) return {};
    std::vector<Literal> arguments;
    for (const Shape& shape : ArgumentShapes(module)) {
      arguments.push_back(SmallIntegers(shape, rng_));
    }
    const std::vector<Literal> results = RunEverywhere(text, arguments);
    Result<std::vector<Literal>> expected = evaluator::Evaluate(module, arguments, {}, nullptr);
    EXPECT_TRUE(expected.ok()) << expected.status().message();
    if (!expected.ok() || results.empty()) return results;
    for (size_t r = 0; r < results.size(); ++r) {
      for (int64_t i = 0; i < results[r].size(); ++i) {
        if (results[r].GetDouble(i) == (*expected)[r].GetDouble(i)) continue;
        ADD_FAILURE() << "result " << r << " element " << i << ": " << results[r].GetDouble(i)
                      << " instead of " << (*expected)[r].GetDouble(i) << "\n" << text;
        break;
      }
    }
    return results;
  }

  std::vector<Literal> RandomArguments(const std::string& text) {
    std::vector<Literal> arguments;
    for (const Shape& shape : ArgumentShapes(Import(text))) {
      arguments.push_back(RandomLiteral(shape, rng_));
    }
    return arguments;
  }

  // The kernels as a pass leaves them.
  std::string Plan(const std::string& text, const std::string& pass = "plan-kernels") {
    std::string plan;
    compiler::CompileOptions options;
    options.dump_after = pass;
    options.dump = [&](const std::string&, const std::string& dumped) { plan += dumped; };
    const Status status = compiler::Compile(Import(text), ArrayChip(16), options).status();
    EXPECT_TRUE(status.ok()) << status.message();
    return plan;
  }

  // Without the evaluator's help; random arguments unless some are given.
  void RunOnChip(const std::string& text, std::vector<Literal> arguments = {}) {
    compiler::CompileOptions options;
    options.no_fallback = true;
    const Status status = compiler::Compile(Import(text), ArrayChip(16), options).status();
    EXPECT_TRUE(status.ok()) << status.message() << "\n" << text;
    RunEverywhere(text, arguments.empty() ? RandomArguments(text) : std::move(arguments));
  }

  std::mt19937 rng_{20240607};
  static inline DevicePool pool_;
};

}  // namespace systolith::testing

#endif  // SYSTOLITH_TESTS_END_TO_END_COMPILED_PROGRAM_TEST_H_
