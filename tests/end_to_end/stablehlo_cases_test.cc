// StableHLO's own interpreter tests through the compiler on the golden model: every module that the
// compiler takes must pass its own checks.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <iostream>
#include <map>
#include <string_view>

#include "host/base/file.h"
#include "host/import/import.h"
#include "tests/end_to_end/golden_run.h"

namespace systolith::testing {
namespace {

namespace fs = std::filesystem;

// Modules whose checks ask for more than is promised, and why.
const std::map<std::string, std::string> kExceptions = {
    {"conv_general_dilated_float32_2_3_9_float32_12_1_3.mlir",
     "3 ulp of a sum that cancels; the error is within 2^-20 of the sum of magnitudes"},
    {"sort_float32_5.mlir", "it compares NaN for equality"},
    {"top_k_float32_5_chlo.mlir", "it compares NaN for equality"},
    {"triangular_solve_float32_2_8_8_float32_2_10_8.mlir", "an ill-conditioned system, in f32 steps"},
};

struct Tally {
  int passed = 0, not_imported = 0, refused = 0;
};

void RunCase(std::string_view text, const std::string& name, const arch::ChipConfig& chip,
             Tally& tally) {
  Result<graph::Module> module = import::ImportText(text, name);
  if (!module.ok()) {
    ++tally.not_imported;
    return;
  }
  if (!module->Entry()->arguments().empty()) return;
  Result<isa::Executable> executable = compiler::Compile(*module, chip, {});
  if (!executable.ok()) {
    EXPECT_EQ(executable.status().code(), StatusCode::kUnsupported)
        << name << ": " << executable.status().message();
    ++tally.refused;
    return;
  }
  Result<GoldenRun> run = RunOnGolden(*executable, chip, {});
  if (!run.ok() && run.status().code() == StatusCode::kUnsupported) {
    ++tally.refused;
    return;
  }
  ASSERT_TRUE(run.ok()) << name << ": " << run.status().message();
  for (const evaluator::CheckResult& check : run->checks) {
    EXPECT_TRUE(check.passed) << name << ":" << check.line << ": " << check.message;
  }
  ++tally.passed;
}

// A part of the files, so that CTest can run several at once.
class StablehloCasesTest : public ::testing::TestWithParam<std::string> {};

TEST_P(StablehloCasesTest, ModulesPassTheirOwnChecks) {
  const char* root = std::getenv("SYSTOLITH_CASES");
  if (root == nullptr) GTEST_SKIP() << "SYSTOLITH_CASES names no collection of cases";
  const arch::ChipConfig chip = ArrayChip(16, 2);
  std::vector<fs::path> files;
  for (const auto& entry : fs::directory_iterator(fs::path(root) / "stablehlo" / GetParam())) {
    if (entry.path().extension() == ".mlir") files.push_back(entry.path());
  }
  std::sort(files.begin(), files.end());
  Tally tally;
  for (const fs::path& file : files) {
    if (kExceptions.contains(file.filename().string())) continue;
    Result<std::string> text = ReadTextFile(file.string());
    ASSERT_TRUE(text.ok()) << text.status().message();
    for (const import::Piece& part : import::SplitInput(*text)) {
      RunCase(part.text, file.filename().string(), chip, tally);
    }
  }
  std::cout << tally.passed << " passed, " << tally.refused << " refused, "
            << tally.not_imported << " not imported\n";
  EXPECT_GT(tally.passed, 10);
}

INSTANTIATE_TEST_SUITE_P(All, StablehloCasesTest, ::testing::Values("interpret", "testdata"));

}  // namespace
}  // namespace systolith::testing
