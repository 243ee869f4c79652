// Runs the public collections of StableHLO programs that check their own results.
#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <iostream>
#include <map>
#include <regex>
#include <set>

#include "host/base/file.h"
#include "host/evaluator/test_util.h"
#include "host/graph/print.h"

namespace systolith::evaluator {
namespace {

// Programs whose own checks can't hold here, and why.
const std::set<std::string> kExcluded = {
    // Expected values computed in steps of f32, off by more than the check allows from the exact
    // result.
    "conv_general_dilated_float32_2_3_9_float32_12_1_3.mlir",
    "triangular_solve_float32_2_8_8_float32_2_10_8.mlir",
};

struct Counts {
  int passed = 0, skipped = 0;
  std::map<std::string, int> refused;  // by reason

  int Refused() const {
    int sum = 0;
    for (const auto& [reason, count] : refused) sum += count;
    return sum;
  }
};

// "file.mlir:7:12: element type complex<f32> is not supported" without the place.
std::string ReasonOf(const Status& status) {
  static const std::regex place("^[^ ]*:[0-9]+:[0-9]+: | at line [0-9]+");
  return std::regex_replace(status.message(), place, "");
}

// What the printer writes is what the importer reads.
void ExpectRoundTrip(const graph::Module& module, const std::string& name) {
  const std::string text = graph::Print(module);
  const auto again = import::ImportText(text, name);
  ASSERT_TRUE(again.ok()) << again.status().message() << "\n" << text.substr(0, 2000);
  EXPECT_EQ(graph::Print(*again), text) << name;
}

void RunProgram(const import::Piece& piece, const std::string& name, Counts& counts) {
  const auto module = import::ImportText(piece.text, name, piece.first_line);
  if (!module.ok()) {
    EXPECT_EQ(module.status().code(), StatusCode::kUnsupported) << module.status().message();
    ++counts.refused[ReasonOf(module.status())];
    return;
  }
  ExpectRoundTrip(*module, name);
  if (!module->Entry()->arguments().empty() || kExcluded.contains(name)) {
    ++counts.skipped;
    return;
  }
  EvalReport report;
  const auto results =
      Evaluate(*module, {}, {.default_precision = graph::Precision::kHighest}, &report);
  if (!results.ok()) {
    EXPECT_EQ(results.status().code(), StatusCode::kUnsupported) << results.status().message();
    ++counts.refused[ReasonOf(results.status())];
    return;
  }
  for (const CheckResult& check : report.checks) {
    EXPECT_TRUE(check.passed) << name << ": " << check.message;
  }
  counts.passed += report.AllChecksPassed() ? 1 : 0;
}

// Runs every program of a folder; wrong results, crashes and unclear errors fail the test.
Counts RunFolder(const std::string& folder) {
  Counts counts;
  std::vector<std::filesystem::path> paths;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    if (entry.path().extension() == ".mlir") paths.push_back(entry.path());
  }
  std::sort(paths.begin(), paths.end());
  for (const auto& path : paths) {
    const std::string text = ReadTextFile(path).value();
    for (const import::Piece& piece : import::SplitInput(text)) {
      if (piece.text.find("func.func") == std::string_view::npos) continue;
      RunProgram(piece, path.filename(), counts);
    }
  }
  std::cout << folder << ": " << counts.passed << " passed, " << counts.Refused() << " refused, "
            << counts.skipped << " skipped\n";
  for (const auto& [reason, count] : counts.refused) {
    std::cout << "  " << count << " refused: " << reason << "\n";
  }
  return counts;
}

class CollectionTest : public testing::Test {
 protected:
  void SetUp() override {
    const char* cases = std::getenv("SYSTOLITH_CASES");
    if (cases == nullptr) GTEST_SKIP() << "SYSTOLITH_CASES is not set; no collections to run";
    root_ = std::string(cases) + "/stablehlo/";
  }
  std::string root_;
};

TEST_F(CollectionTest, ProgramsFromJaxGiveTheirExpectedValues) {
  EXPECT_GE(RunFolder(root_ + "testdata").passed, 1448);
}

TEST_F(CollectionTest, ProgramsOfTheSpecificationGiveTheirExpectedValues) {
  EXPECT_GE(RunFolder(root_ + "interpret").passed, 244);
}

}  // namespace
}  // namespace systolith::evaluator
