// Whole programs on verilated chips: every program of tests/programs and the digits example, bit
// for bit as on the golden model and within the evaluator's bounds; and one program's bytes on
// chips of several sizes. Without "rtl" in SYSTOLITH_TEST_TARGETS the golden model takes their
// place.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>

#include "host/base/file.h"
#include "host/compiler/compile.h"
#include "host/import/import.h"
#include "host/tools/random_input.h"
#include "host/tools/result_checks.h"
#include "host/tools/tensor_files.h"
#include "tests/end_to_end/device_pool.h"

namespace systolith::testing {
namespace {

namespace fs = std::filesystem;
using graph::Literal;

const fs::path kSource = SYSTOLITH_SOURCE_DIR;

std::string Target() { return RtlIsTested() ? "rtl" : "golden"; }

class ProgramsOnRtlTest : public ::testing::Test {
 protected:
  static void TearDownTestSuite() { pool_.Close(); }

  static graph::Module Import(const std::string& path) {
    const Result<std::string> text = ReadTextFile(path);
    EXPECT_TRUE(text.ok()) << text.status().message();
    if (!text.ok()) return {};
    const Result<graph::Module> module = import::ImportText(*text, path);
    EXPECT_TRUE(module.ok()) << module.status().message();
    return module.ok() ? *module : graph::Module{};
  }

  static std::vector<graph::Shape> ArgumentShapes(const graph::Module& module) {
    std::vector<graph::Shape> shapes;
    for (const graph::Value argument : module.Entry()->arguments()) {
      shapes.push_back(module.Entry()->shape(argument));
    }
    return shapes;
  }

  static std::vector<Literal> RandomArguments(const graph::Module& module, uint64_t seed) {
    std::vector<Literal> arguments;
    for (const graph::Shape& shape : ArgumentShapes(module)) {
      arguments.push_back(tools::RandomLiteral(shape, seed, arguments.size()));
    }
    return arguments;
  }

  static std::vector<Literal> Run(const isa::Executable& executable,
                                  const arch::ChipConfig& config,
                                  const std::vector<Literal>& arguments) {
    const auto results = pool_.Run(Target(), config, executable, arguments);
    EXPECT_TRUE(results.ok()) << config.name << ": " << results.status().message();
    return results.ok() ? *results : std::vector<Literal>{};
  }

  static std::vector<Literal> CompileAndRun(const graph::Module& module,
                                            const arch::ChipConfig& config,
                                            const std::vector<Literal>& arguments) {
    const Result<isa::Executable> executable = compiler::Compile(module, config, {});
    EXPECT_TRUE(executable.ok()) << executable.status().message();
    return executable.ok() ? Run(*executable, config, arguments) : std::vector<Literal>{};
  }

  static void ExpectPassed(const Result<std::vector<tools::Check>>& checks) {
    ASSERT_TRUE(checks.ok()) << checks.status().message();
    EXPECT_FALSE(checks->empty());
    for (const tools::Check& check : *checks) {
      EXPECT_TRUE(check.passed) << check.name << ": " << check.message;
    }
  }

  static void RunAndCheck(const graph::Module& module, const arch::ChipConfig& config,
                          const std::vector<Literal>& arguments) {
    ASSERT_FALSE(module.functions.empty());
    const Result<isa::Executable> executable = compiler::Compile(module, config, {});
    ASSERT_TRUE(executable.ok()) << executable.status().message();
    const std::vector<Literal> results = Run(*executable, config, arguments);
    ASSERT_EQ(results.size(), executable->results.size());
    ExpectPassed(tools::CheckAgainstGolden(*executable, config, arguments, {}, results));
    ExpectPassed(tools::CheckAgainstEvaluator(module, graph::Precision::kDefault, arguments,
                                              results));
  }

  // Files of tests/programs whose products are of integers, or all of them.
  static std::vector<std::string> Programs(bool only_integers) {
    std::vector<std::string> paths;
    for (const auto& entry : fs::directory_iterator(kSource / "tests/programs")) {
      if (entry.path().extension() != ".mlir") continue;
      const std::string name = entry.path().filename().string();
      const bool integers = name.starts_with("quantized") || name.ends_with("_s8.mlir");
      if (integers || !only_integers) paths.push_back(entry.path().string());
    }
    std::sort(paths.begin(), paths.end());
    return paths;
  }

  static void RunPrograms(const std::string& chip, bool only_integers) {
    const arch::ChipConfig config = *arch::LoadChipConfig(chip);
    const std::vector<std::string> paths = Programs(only_integers);
    EXPECT_GE(paths.size(), only_integers ? 3u : 11u);
    for (const std::string& path : paths) {
      SCOPED_TRACE(path + " on " + chip);
      const graph::Module module = Import(path);
      RunAndCheck(module, config, RandomArguments(module, 1));
    }
  }

  static void ExpectSameBytes(const std::vector<arch::ChipConfig>& chips) {
    const graph::Module module =
        Import((kSource / "tests/end_to_end/product_and_convolution.mlir").string());
    ASSERT_FALSE(module.functions.empty());
    const std::vector<Literal> arguments = RandomArguments(module, 3);
    const std::vector<Literal> first = CompileAndRun(module, chips.front(), arguments);
    ASSERT_EQ(first.size(), 2u);
    for (size_t chip = 1; chip < chips.size(); ++chip) {
      const std::vector<Literal> results = CompileAndRun(module, chips[chip], arguments);
      ASSERT_EQ(results.size(), 2u);
      for (size_t r = 0; r < 2; ++r) {
        const tools::Check check = tools::CompareBits("size", results[r], first[r]);
        EXPECT_TRUE(check.passed) << "result " << r << ", " << chips[chip].name
                                  << " (\"chip\") and tiny (\"golden\"): " << check.message;
      }
    }
  }

  static inline DevicePool pool_;
};

TEST_F(ProgramsOnRtlTest, EveryProgramOnTiny) { RunPrograms("tiny", false); }

TEST_F(ProgramsOnRtlTest, IntegerProgramsOnGemm16) { RunPrograms("gemm16", true); }

TEST_F(ProgramsOnRtlTest, DigitsOnTiny) {
  const arch::ChipConfig config = *arch::LoadChipConfig("tiny");
  const graph::Module module = Import((kSource / "examples/digits/digits.mlir").string());
  ASSERT_FALSE(module.functions.empty());
  tools::Options options;
  options.inputs_path = (kSource / "examples/digits/inputs.npz").string();
  const auto arguments = tools::ReadArguments(ArgumentShapes(module), options);
  ASSERT_TRUE(arguments.ok()) << arguments.status().message();
  const Result<isa::Executable> executable = compiler::Compile(module, config, {});
  ASSERT_TRUE(executable.ok()) << executable.status().message();
  const std::vector<Literal> results = Run(*executable, config, arguments->values);
  ASSERT_FALSE(results.empty());
  ExpectPassed(tools::CheckAgainstGolden(*executable, config, arguments->values, {}, results));
}

TEST_F(ProgramsOnRtlTest, OneFileGivesTheSameBytesOnArraysOf8And16) {
  ExpectSameBytes({*arch::LoadChipConfig("tiny"), TestChip("two_16x16")});
}

// Chips that take minutes to verilate: run nightly.
class SizesOnRtlNightlyTest : public ProgramsOnRtlTest {};

TEST_F(SizesOnRtlNightlyTest, OneFileGivesTheSameBytesOnArraysOf64And128) {
  ExpectSameBytes({*arch::LoadChipConfig("tiny"), *arch::LoadChipConfig("edge"),
                   *arch::LoadChipConfig("v2")});
}

// A configuration that no named chip has, over the full range of the type.
TEST_F(ProgramsOnRtlTest, AChipOfItsOwnFileComputesAsItsGoldenModel) {
  const graph::Module module = Import((kSource / "tests/programs/matmul_s8.mlir").string());
  const arch::ChipConfig config = TestChip("int8_16x8");
  std::vector<Literal> arguments = RandomArguments(module, 5);
  ASSERT_EQ(arguments.size(), 2u);
  for (Literal& argument : arguments) {
    for (int64_t i = 0; i < 256; ++i) argument.SetInt(i, i - 128);
  }
  // The largest sum that there is, 48 * 128 * 128, in element 0.
  for (int64_t i = 0; i < 48; ++i) {
    arguments[0].SetInt(i, -128);
    arguments[1].SetInt(i * 40, -128);
  }
  RunAndCheck(module, config, arguments);
  EXPECT_EQ(CompileAndRun(module, config, arguments).at(0).GetInt(0), 48 * 128 * 128);
}

}  // namespace
}  // namespace systolith::testing
