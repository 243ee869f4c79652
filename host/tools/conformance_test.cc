// The parts of `systolith conformance`: how programs are found, that no piece of work ends the run,
// what counts as worse.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <map>

#include "host/base/file.h"
#include "host/tools/conformance/program.h"
#include "host/tools/conformance/scoreboard.h"
#include "host/tools/conformance/worker_pool.h"

namespace systolith::tools {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

TEST(ConformanceProgramTest, EachFunctionWithChecksIsAProgramOfItsOwn) {
  const std::string text = R"(// RUN: something
func.func @add() {
  %0 = stablehlo.constant dense<1> : tensor<4xi32>  // not stablehlo.subtract
  %1 = stablehlo.add %0, %0 : tensor<4xi32>
  check.expect_eq_const %1, dense<2> : tensor<4xi32>
  func.return
}
// -----
func.func @helper(%arg0: tensor<f64>) -> tensor<f64> {
  %0 = stablehlo.sine %arg0 : tensor<f64>
  func.return %0 : tensor<f64>
}
func.func @main() {
  %0 = func.call @helper(%x) : (tensor<f64>) -> tensor<f64>
  check.expect_eq %0, %0 : tensor<f64>
  func.return
}
func.func @add() {
  %1 = "stablehlo.scatter"(%0) <{scatter_dimension_numbers = #stablehlo.scatter<>}> : () -> tensor<?x3xf32>
  check.expect_eq %1, %1 : tensor<?x3xf32>
  func.return
}
)";
  const std::vector<Program> programs = ProgramsOf(text, "folder/file.mlir");
  ASSERT_EQ(programs.size(), 3u);
  EXPECT_EQ(programs[0].name, "folder/file.mlir:add");
  EXPECT_EQ(programs[0].first_line, 1);
  EXPECT_THAT(programs[0].operations, ElementsAre("add"));
  EXPECT_EQ(programs[0].outside, "");
  EXPECT_EQ(programs[1].name, "folder/file.mlir");
  EXPECT_EQ(programs[1].first_line, 9);
  EXPECT_THAT(programs[1].operations, ElementsAre("sine"));
  EXPECT_EQ(programs[1].outside, "type f64");
  EXPECT_EQ(programs[2].name, "folder/file.mlir:add#2");
  EXPECT_THAT(programs[2].operations, ElementsAre("scatter"));
  EXPECT_EQ(programs[2].outside, "shapes that are not static");
}

TEST(WorkerPoolTest, ACrashAndAHangCostTheirPieceOnly) {
  std::map<size_t, Answer> answers;
  const auto start = []() -> Result<Work> {
    return Work([](size_t piece) -> std::string {
      if (piece == 1) std::_Exit(9);
      if (piece == 3) std::abort();
      if (piece == 5) sleep(1000);
      return "answer " + std::to_string(piece);
    });
  };
  const Status status = DoInChildren(
      8, {.jobs = 3, .seconds = 1}, start,
      [&](size_t piece, const Answer& answer) { answers[piece] = answer; });
  ASSERT_TRUE(status.ok()) << status.message();
  ASSERT_EQ(answers.size(), 8u);
  for (const size_t piece : {0, 2, 4, 6, 7}) {
    EXPECT_TRUE(answers[piece].ok) << piece;
    EXPECT_EQ(answers[piece].text, "answer " + std::to_string(piece));
  }
  EXPECT_THAT(answers[1].text, HasSubstr("exit code 9"));
  EXPECT_THAT(answers[3].text, HasSubstr("Aborted"));
  EXPECT_THAT(answers[5].text, HasSubstr("no answer within 1 s"));
}

TEST(WorkerPoolTest, AChildThatCannotStartEndsTheRun) {
  const auto start = []() -> Result<Work> { return InvalidArgument("there is no chip"); };
  const Status status =
      DoInChildren(3, {}, start, [](size_t, const Answer&) { FAIL() << "nothing was done"; });
  EXPECT_THAT(status.message(), HasSubstr("there is no chip"));
}

TEST(BaselineTest, WorseIsWorseOnlyWhereSomethingWasKnown) {
  std::vector<Program> programs(4);
  const std::vector<Standing> standings = {Standing::kOnChip, Standing::kFallback,
                                           Standing::kUnsupported, Standing::kWrong};
  std::vector<Score> scores;
  for (size_t i = 0; i < programs.size(); ++i) {
    programs[i].name = "set/" + std::to_string(i);
    programs[i].collection = "set";
    Outcome outcome;
    outcome.standing = standings[i];
    scores.push_back({&programs[i], outcome});
  }
  const std::string path = (std::filesystem::temp_directory_path() /
                            ("systolith-baseline-" + std::to_string(getpid()))).string();
  ASSERT_TRUE(WriteTextFile(path, Baseline::Text(scores, {{"set", 4}})).ok());
  const Result<Baseline> baseline = Baseline::Read(path);
  std::filesystem::remove(path);
  ASSERT_TRUE(baseline.ok()) << baseline.status().message();
  EXPECT_THAT(baseline->Regressions(scores, {{"set", 4}}), ElementsAre());
  EXPECT_TRUE(baseline->IsKnownWrong("set/3"));
  scores[0].outcome.standing = Standing::kFallback;
  scores[1].outcome.standing = Standing::kWrong;
  scores[2].outcome.standing = Standing::kOnChip;
  EXPECT_THAT(baseline->Regressions(scores, {{"set", 4}}),
              ElementsAre(HasSubstr("set/0: was on_chip, is fallback"),
                          HasSubstr("set/1: was fallback, is wrong")));
  // Another collection of that name: what no list names was never seen.
  EXPECT_THAT(baseline->Regressions(scores, {{"set", 5}}),
              ElementsAre(HasSubstr("set/1: was fallback, is wrong")));
}

}  // namespace
}  // namespace systolith::tools
