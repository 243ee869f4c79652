#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <thread>

#include "host/base/file.h"
#include "host/base/npy.h"

// The command `systolith` as a user meets it: exit codes, messages, files.
namespace systolith {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::json;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

struct Outcome {
  int exit_code = -1;
  std::string text;  // stdout and stderr
};

// A running command; its output goes to a file.
class Command {
 public:
  Command(std::vector<std::string> arguments, const fs::path& output) : output_(output) {
    arguments.insert(arguments.begin(), SYSTOLITH_BINARY);
    process_ = fork();
    if (process_ == 0) {
      setpgid(0, 0);
      if (freopen(output_.c_str(), "w", stdout) == nullptr) _exit(99);
      dup2(STDOUT_FILENO, STDERR_FILENO);
      std::vector<char*> argv;
      for (std::string& argument : arguments) argv.push_back(argument.data());
      argv.push_back(nullptr);
      execv(argv[0], argv.data());
      _exit(99);
    }
  }
  void Signal(int signal) { kill(process_, signal); }
  std::string TextSoFar() const {
    std::ifstream file(output_);
    return {std::istreambuf_iterator<char>(file), {}};
  }
  Outcome Wait() {
    int status = 0;
    waitpid(process_, &status, 0);
    return {WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status), TextSoFar()};
  }

 private:
  fs::path output_;
  pid_t process_ = -1;
};

bool HasRtl() {
  const char* targets = std::getenv("SYSTOLITH_TEST_TARGETS");
  return targets != nullptr && std::string(targets).find("rtl") != std::string::npos;
}

class CommandLineTest : public ::testing::Test {
 protected:
  CommandLineTest() {
    std::string pattern = (fs::temp_directory_path() / "systolith-test-XXXXXX").string();
    directory_ = mkdtemp(pattern.data());
  }
  ~CommandLineTest() override { fs::remove_all(directory_); }

  Outcome Systolith(const std::vector<std::string>& arguments) {
    return Command(arguments, Path("output.txt")).Wait();
  }
  std::string Path(const std::string& name) const { return (directory_ / name).string(); }
  std::string Write(const std::string& name, const std::string& text) {
    EXPECT_TRUE(WriteTextFile(Path(name), text).ok());
    return Path(name);
  }
  static std::string Program(const std::string& name) {
    return std::string(SYSTOLITH_SOURCE_DIR) + "/tests/programs/" + name;
  }
  Json ReadJson(const std::string& name) const { return Json::parse(*ReadTextFile(Path(name))); }

  void ExpectBadInput(const std::vector<std::string>& arguments,
                      const std::vector<std::string>& parts) {
    const Outcome outcome = Systolith(arguments);
    EXPECT_EQ(outcome.exit_code, 2) << outcome.text;
    for (const std::string& part : parts) EXPECT_THAT(outcome.text, HasSubstr(part));
  }

  fs::path directory_;
};

constexpr char kRamp[] = R"(module {
  func.func public @main(%arg0: tensor<2x3xbf16>, %arg1: tensor<3x2xbf16>) -> tensor<2x2xbf16> {
    %0 = stablehlo.dot_general %arg0, %arg1, contracting_dims = [1] x [0] : (tensor<2x3xbf16>, tensor<3x2xbf16>) -> tensor<2x2xbf16>
    return %0 : tensor<2x2xbf16>
  }
}
)";

// bf16 arrays of small integers, by their upper halves.
NpyArray Bf16(std::vector<int64_t> dims, const std::vector<float>& values,
              const std::string& dtype = "V2") {
  NpyArray array{dtype, std::move(dims), {}};
  for (const float value : values) {
    const uint32_t bits = std::bit_cast<uint32_t>(value) >> 16;
    array.data.push_back(static_cast<std::byte>(bits));
    array.data.push_back(static_cast<std::byte>(bits >> 8));
  }
  return array;
}

TEST_F(CommandLineTest, RunGivesResultReportAndChecks) {
  const std::string program = Write("f.mlir", kRamp);
  ASSERT_TRUE(WriteNpy(Path("a.npy"), Bf16({2, 3}, {1, 2, 3, 4, 5, 6})).ok());
  ASSERT_TRUE(WriteNpy(Path("b.npy"), Bf16({3, 2}, {1, 0, 0, 1, 1, 1}, "u2")).ok());
  const Outcome outcome = Systolith({"run", program, "--target", "golden", "--check", "--input",
                                     "arg0=" + Path("a.npy"), "--input", "arg1=" + Path("b.npy"),
                                     "--output", Path("out.npz"), "--report", Path("r.json")});
  ASSERT_EQ(outcome.exit_code, 0) << outcome.text;
  EXPECT_THAT(outcome.text, HasSubstr("PASS"));
  const auto results = ReadNpz(Path("out.npz"));
  ASSERT_TRUE(results.ok());
  ASSERT_EQ(results->size(), 1u);
  EXPECT_EQ(results->front().first, "result0");
  EXPECT_EQ(results->front().second, Bf16({2, 2}, {4, 5, 10, 11}));
  const Json report = ReadJson("r.json");
  EXPECT_EQ(report["exit_code"], 0);
  EXPECT_EQ(report["macs"], 12);
  EXPECT_EQ(report["seed"], nullptr);
  EXPECT_EQ(report["interrupted"], false);
  EXPECT_EQ(report["chip"]["name"], "tiny");
  EXPECT_EQ(report["fallback"]["share"], 0.0);
  for (const Json& engine : report["engines"]) {
    EXPECT_EQ(engine["busy"].get<uint64_t>() + engine["stall"].get<uint64_t>() +
                  engine["idle"].get<uint64_t>(),
              report["cycles"].get<uint64_t>());
  }
}

TEST_F(CommandLineTest, ASeedGivesTheSameRunAgain) {
  std::vector<NamedArrays> results;
  for (const std::string seed : {"7", "7", "8"}) {
    const Outcome outcome =
        Systolith({"run", Program("matmul_f32.mlir"), "--target", "golden", "--seed", seed,
                   "--output", Path("out.npz"), "--quiet"});
    ASSERT_EQ(outcome.exit_code, 0) << outcome.text;
    EXPECT_EQ(outcome.text, "");
    results.push_back(*ReadNpz(Path("out.npz")));
  }
  EXPECT_EQ(results[0], results[1]);
  EXPECT_NE(results[0], results[2]);
}

TEST_F(CommandLineTest, ACompiledFileRunsListsAndDescribesItself) {
  const Outcome compiled =
      Systolith({"compile", Program("matmul_s8.mlir"), "-o", Path("f.sysx"), "--chip", "tiny"});
  ASSERT_EQ(compiled.exit_code, 0) << compiled.text;
  const Outcome run = Systolith({"run", Path("f.sysx"), "--target", "golden", "--check"});
  EXPECT_EQ(run.exit_code, 0) << run.text;
  const Outcome listing = Systolith({"disasm", Path("f.sysx")});
  EXPECT_EQ(listing.exit_code, 0);
  EXPECT_THAT(listing.text, AllOf(HasSubstr("matmul"), HasSubstr("dma_load"), HasSubstr("halt"),
                                  HasSubstr("dot_general")));
  const Outcome info = Systolith({"info", Path("f.sysx")});
  EXPECT_EQ(info.exit_code, 0);
  EXPECT_THAT(info.text, AllOf(HasSubstr("arg1: 48x40xi8"), HasSubstr("result0: 32x40xi32"),
                               HasSubstr("61440 MAC")));
}

TEST_F(CommandLineTest, InfoDescribesEveryChip) {
  const Outcome outcome = Systolith({"info"});
  EXPECT_EQ(outcome.exit_code, 0);
  EXPECT_THAT(outcome.text, AllOf(HasSubstr("tiny"), HasSubstr("gemm16"), HasSubstr("edge"),
                                  HasSubstr("v1"), HasSubstr("2 x 128x128")));
  const Outcome chip = Systolith({"info", "--chip", "v2"});
  EXPECT_EQ(chip.exit_code, 0);
  EXPECT_THAT(chip.text, HasSubstr("128 lanes x 8 sublanes; 4 words read, 2 written per cycle "
                                   "(1024 and 512 bytes)"));
}

TEST_F(CommandLineTest, KernelListsBundlesAndFigures) {
  const std::string file = Write("sum.kernel", "kernel sum(n)\n  body\n    for i in 0..n\n"
                                               "      out0[i] = add_f32 in0[i], 1.5\n    end\n"
                                               "  end\nend\n");
  const Outcome outcome = Systolith({"kernel", file, "--param", "n=2", "--chip", "v2"});
  EXPECT_EQ(outcome.exit_code, 0) << outcome.text;
  EXPECT_THAT(outcome.text, AllOf(HasSubstr("kernel sum on v2"), HasSubstr("sum.kernel:4"),
                                  HasSubstr("1  out0[1] = add_f32 in0[1], 1.5"),
                                  HasSubstr("streams           in0 out0")));
  ExpectBadInput({"kernel", file}, {"sum.kernel:1:8", "parameter n"});
  ExpectBadInput({"kernel", file, "--param", "n=x"}, {"--param n=x", "NAME=NUMBER"});
  ExpectBadInput({"kernel", file, "--kernel", "sun"}, {"no kernel is called 'sun'", "'sum'"});
  EXPECT_EQ(Systolith({"kernel", file, "--param", "n=600"}).exit_code, 2);  // steps end at 31
}

TEST_F(CommandLineTest, UnknownNamesGetTheNearestValidOne) {
  const std::string program = Program("matmul_s8.mlir");
  ExpectBadInput({"rnu", program}, {"unknown subcommand 'rnu'", "'run'"});
  ExpectBadInput({"run", program, "--chp", "tiny"}, {"unknown flag '--chp'", "'--chip'"});
  ExpectBadInput({"run", program, "--target", "gloden"}, {"unknown target 'gloden'", "'golden'"});
  ExpectBadInput({"run", program, "--chip", "egde"}, {"egde", "edge"});
  ExpectBadInput({"run", program, "--precision", "hihg"}, {"hihg", "'high'"});
  ExpectBadInput({"compile", program, "--dump-after", "asign-units"}, {"'assign-units'"});
  ExpectBadInput({"run", program, "--seed", "x"}, {"--seed"});
  ExpectBadInput({"run"}, {"needs a PROGRAM"});
  ExpectBadInput({}, {"a subcommand is missing"});
}

TEST_F(CommandLineTest, AnUnknownConfigurationKeyGetsTheNearestValidOne) {
  std::string text =
      *ReadTextFile(std::string(SYSTOLITH_SOURCE_DIR) + "/rtl/chip/configs/tiny.toml");
  text.replace(text.find("tile_columns"), 12, "tile_colums");
  ExpectBadInput({"run", Program("matmul_s8.mlir"), "--chip", Write("my.toml", text)},
                 {"my.toml", "tile_colums", "mxu.tile_columns"});
}

TEST_F(CommandLineTest, DamagedProgramsAreRefused) {
  ExpectBadInput({"run", Path("none.mlir")}, {"none.mlir", "No such file"});
  const std::string text = *ReadTextFile(Program("matmul_bf16.mlir"));
  ExpectBadInput({"run", Write("cut.mlir", text.substr(0, text.size() / 2))}, {"cut.mlir:"});
  ExpectBadInput({"run", Write("zero.mlir", std::string(100, '\0'))}, {"zero.mlir"});
  ASSERT_EQ(Systolith({"compile", Program("matmul_s8.mlir"), "-o", Path("f.sysx")}).exit_code, 0);
  std::string binary = *ReadTextFile(Path("f.sysx"));
  ExpectBadInput({"run", Write("cut.sysx", binary.substr(0, binary.size() - 9))},
                 {"cut.sysx", "truncated"});
  binary[binary.size() / 2] ^= 4;
  ExpectBadInput({"run", Write("flipped.sysx", binary)}, {"flipped.sysx", "corrupt"});
}

TEST_F(CommandLineTest, ArraysThatDoNotFitAreRefused) {
  const std::string program = Write("f.mlir", kRamp);
  const auto run = [&](const std::string& input) {
    return std::vector<std::string>{"run", program, "--target", "golden", "--input", input};
  };
  ASSERT_TRUE(WriteNpy(Path("shape.npy"), Bf16({3, 2}, {1, 2, 3, 4, 5, 6})).ok());
  ExpectBadInput(run("arg0=" + Path("shape.npy")),
                 {"shape.npy", "[3, 2]", "tensor<2x3xbf16>"});
  ASSERT_TRUE(WriteNpy(Path("type.npy"), {"f4", {2, 3}, std::vector<std::byte>(24)}).ok());
  ExpectBadInput(run("arg0=" + Path("type.npy")), {"type.npy", "dtype f4", "bf16", "V2"});
  std::string bytes = *ReadTextFile(Path("type.npy"));
  ExpectBadInput(run("arg0=" + Write("cut.npy", bytes.substr(0, bytes.size() - 5))), {"cut.npy"});
  ExpectBadInput(run("arg0=" + Write("junk.npy", "no array")), {"junk.npy"});
  ExpectBadInput(run("arg7=" + Path("type.npy")), {"arg7", "arg0 to arg1"});
  ExpectBadInput(run("shape.npy"), {"argN=FILE.npy"});
  ASSERT_TRUE(WriteNpy(Path("a.npy"), Bf16({2, 3}, {1, 2, 3, 4, 5, 6})).ok());
  ExpectBadInput(run("arg0=" + Path("a.npy")), {"arg1", "is missing"});
}

TEST_F(CommandLineTest, AProgramForAnotherChipNamesBoth) {
  ASSERT_EQ(
      Systolith({"compile", Program("matmul_s8.mlir"), "-o", Path("f.sysx"), "--chip", "edge"})
          .exit_code,
      0);
  ExpectBadInput({"run", Path("f.sysx"), "--chip", "tiny", "--target", "golden"},
                 {"'edge'", "'tiny'", "compile it again"});
}

// A file's chip is another chip, whatever its name: its model follows the file, and what was
// compiled for tiny is refused on either.
TEST_F(CommandLineTest, AProgramForTinyIsRefusedOnAChipOfItsOwnFile) {
  const std::string chip =
      std::string(SYSTOLITH_SOURCE_DIR) + "/tests/end_to_end/chips/int8_16x8.toml";
  ASSERT_EQ(Systolith({"compile", Program("matmul_s8.mlir"), "-o", Path("f.sysx"), "--chip", "tiny"})
                .exit_code,
            0);
  for (const std::string target : {"golden", "rtl"}) {
    if (target == "rtl" && !HasRtl()) continue;
    ExpectBadInput({"run", Path("f.sysx"), "--chip", chip, "--target", target},
                   {"'tiny'", "'int8_16x8'", "compile it again"});
    const Outcome outcome = Systolith(
        {"run", Program("matmul_s8.mlir"), "--chip", chip, "--target", target, "--check"});
    EXPECT_EQ(outcome.exit_code, 0) << outcome.text;
  }
}

// 64-bit numbers of any size: nothing for the chip.
TEST_F(CommandLineTest, AProgramWithNothingForTheChipRunsInTheEvaluatorIfAllowed) {
  const std::string product = Write("product.mlir", R"(module {
  func.func public @main(%arg0: tensor<4xi64>) -> tensor<4xi64> {
    %0 = stablehlo.divide %arg0, %arg0 : tensor<4xi64>
    return %0 : tensor<4xi64>
  }
}
)");
  Outcome outcome = Systolith({"run", product, "--target", "golden", "--check"});
  EXPECT_EQ(outcome.exit_code, 0) << outcome.text;
  EXPECT_THAT(outcome.text, AllOf(HasSubstr("100.0 %"), HasSubstr("divide at line 3")));
  outcome = Systolith({"compile", product, "--no-fallback", "-o", Path("product.sysx")});
  EXPECT_EQ(outcome.exit_code, 3) << outcome.text;
  EXPECT_THAT(outcome.text, AllOf(HasSubstr("divide"), HasSubstr("line 3")));
  EXPECT_FALSE(fs::exists(Path("product.sysx")));
}

TEST_F(CommandLineTest, WhatCannotBeCompiledIsExitCodeThree) {
  const std::string unknown = Write("u.mlir", R"(module {
  func.func public @main(%arg0: tensor<4xf32>) -> tensor<4xf32> {
    %0 = stablehlo.frobnicate %arg0 : tensor<4xf32>
    return %0 : tensor<4xf32>
  }
}
)");
  const Outcome outcome = Systolith({"run", unknown, "--target", "golden"});
  EXPECT_EQ(outcome.exit_code, 3) << outcome.text;
  EXPECT_THAT(outcome.text, AllOf(HasSubstr("frobnicate"), HasSubstr("u.mlir:3")));
}

// A product of 64-bit numbers that may be of any size stands beside a sum of f32.
constexpr char kHalfOnTheHost[] = R"(module {
  func.func public @main(%arg0: tensor<4xf32>, %arg1: tensor<4xi64>) -> (tensor<4xf32>, tensor<4xi64>) {
    %0 = stablehlo.add %arg0, %arg0 : tensor<4xf32>
    %1 = stablehlo.divide %arg1, %arg1 : tensor<4xi64>
    return %0, %1 : tensor<4xf32>, tensor<4xi64>
  }
}
)";

TEST_F(CommandLineTest, FallbackIsReportedWithSharesAndReason) {
  const std::string program = Write("half.mlir", kHalfOnTheHost);
  Outcome outcome =
      Systolith({"run", program, "--target", "golden", "--check", "--report", Path("r.json")});
  EXPECT_EQ(outcome.exit_code, 0) << outcome.text;
  EXPECT_THAT(outcome.text, HasSubstr("50.0 % of the operations, 66.7 % of their bytes"));
  const Json fallback = ReadJson("r.json")["fallback"];
  EXPECT_EQ(fallback["share"].get<double>(), 0.5);
  EXPECT_EQ(fallback["byte_share"].get<double>(), 2.0 / 3.0);
  EXPECT_EQ(fallback["operations"][0]["operation"], "divide");
  EXPECT_EQ(fallback["operations"][0]["line"], 4);
  EXPECT_EQ(fallback["operations"][0]["bytes"], 96);
  EXPECT_THAT(fallback["operations"][0]["reason"].get<std::string>(), HasSubstr("32 bits"));
  for (const std::vector<std::string>& arguments :
       {std::vector<std::string>{"run", program, "--target", "golden", "--no-fallback"},
        {"compile", program, "--no-fallback", "-o", Path("half.sysx")}}) {
    outcome = Systolith(arguments);
    EXPECT_EQ(outcome.exit_code, 3) << outcome.text;
    EXPECT_THAT(outcome.text, AllOf(HasSubstr("divide at line 4"), HasSubstr("32 bits")));
  }
}

TEST_F(CommandLineTest, PrecisionIsChosenAndARoundedProductIsNoted) {
  std::vector<NamedArrays> results;
  for (const std::string precision : {"default", "high", "highest"}) {
    const Outcome outcome =
        Systolith({"run", Program("matmul_f32.mlir"), "--target", "golden", "--check", "--seed",
                   "3", "--precision", precision, "--output", Path("out.npz")});
    ASSERT_EQ(outcome.exit_code, 0) << outcome.text;
    EXPECT_EQ(outcome.text.find("rounded to bf16") != std::string::npos, precision == "default")
        << outcome.text;
    results.push_back(*ReadNpz(Path("out.npz")));
  }
  EXPECT_NE(results[0], results[1]);
  EXPECT_NE(results[1], results[2]);
  const Outcome compiled = Systolith({"compile", Program("conv_bias_relu_f32.mlir"), "-o",
                                      Path("c.sysx"), "--precision", "default"});
  EXPECT_EQ(compiled.exit_code, 0) << compiled.text;
  EXPECT_THAT(compiled.text, AllOf(HasSubstr("convolution at line"), HasSubstr("rounded to bf16")));
}

TEST_F(CommandLineTest, APassShowsWhatItLeaves) {
  const std::string program = Program("matmul_f32.mlir");
  Outcome outcome = Systolith({"compile", program, "--dump-after", "inline-calls"});
  EXPECT_EQ(outcome.exit_code, 0) << outcome.text;
  EXPECT_THAT(outcome.text, AllOf(HasSubstr("// ---- after inline-calls"), HasSubstr("dot_general"),
                                  Not(HasSubstr("after assign-units"))));
  outcome = Systolith({"compile", program, "--dump-after=all"});
  EXPECT_EQ(outcome.exit_code, 0) << outcome.text;
  EXPECT_THAT(outcome.text, AllOf(HasSubstr("after inline-calls"), HasSubstr("after assign-units"),
                                  HasSubstr("after emit-steps"), HasSubstr("halt")));
}

TEST_F(CommandLineTest, NothingIsFoldedIfAskedFor) {
  const std::string program = Write("fold.mlir", R"(module {
  func.func public @main(%arg0: tensor<4xf32>) -> tensor<4xf32> {
    %c = stablehlo.constant dense<[1, 2, 3, 4]> : tensor<4xi32>
    %0 = stablehlo.convert %c : (tensor<4xi32>) -> tensor<4xf32>
    %1 = stablehlo.add %arg0, %0 : tensor<4xf32>
    return %1 : tensor<4xf32>
  }
}
)");
  for (const bool folds : {true, false}) {
    std::vector<std::string> arguments = {"run", program, "--target", "golden", "--check"};
    if (!folds) arguments.push_back("--no-fold");
    EXPECT_EQ(Systolith(arguments).exit_code, 0);
    arguments = {"compile", program, "--dump-after", "assign-units"};
    if (!folds) arguments.push_back("--no-fold");
    EXPECT_EQ(Systolith(arguments).text.find("convert") == std::string::npos, folds);
  }
}

TEST_F(CommandLineTest, EverySubcommandHasHelpWithItsFlagsAndTheExitCodes) {
  const std::map<std::string, std::vector<std::string>> flags = {
      {"run", {"--precision", "--no-fallback", "--no-fold", "--check", "--target"}},
      {"compile", {"--precision", "--no-fallback", "--no-fold", "--dump-after"}},
      {"conformance", {"--no-fold", "--baseline", "--filter", "--json", "--jobs", "--chip"}}};
  for (const auto& [command, names] : flags) {
    const Outcome outcome = Systolith({command, "--help"});
    EXPECT_EQ(outcome.exit_code, 0);
    EXPECT_THAT(outcome.text, HasSubstr("exit codes"));
    for (const std::string& name : names) EXPECT_THAT(outcome.text, HasSubstr(name));
  }
}

TEST_F(CommandLineTest, TheScoreboardCountsAndKeepsABaseline) {
  const std::string text = R"(func.func @good() {
  %0 = stablehlo.constant dense<[1, -2]> : tensor<2xi32>
  %1 = stablehlo.negate %0 : tensor<2xi32>
  check.expect_eq_const %1, dense<[-1, 2]> : tensor<2xi32>
  func.return
}
// -----
func.func @host() {
  %0 = stablehlo.constant dense<[5000000000]> : tensor<1xi64>
  %1 = stablehlo.divide %0, %0 : tensor<1xi64>
  check.expect_eq_const %1, dense<[1]> : tensor<1xi64>
  func.return
}
)";
  const std::string good = Write("good.mlir", text);
  std::vector<std::string> arguments = {"conformance", good, "--target", "golden", "--no-fold"};
  std::vector<std::string> write = arguments, compare = arguments;
  write.insert(write.end(), {"--write-baseline", Path("b.json"), "--json", Path("s.json")});
  Outcome outcome = Systolith(write);
  EXPECT_EQ(outcome.exit_code, 0) << outcome.text;
  EXPECT_THAT(outcome.text, AllOf(HasSubstr("negate"), HasSubstr("2 programs on 'tiny'")));
  const Json scores = ReadJson("s.json");
  ASSERT_EQ(scores.size(), 2u);
  EXPECT_EQ(scores[0]["standing"], "on_chip");
  EXPECT_EQ(scores[1]["standing"], "fallback");
  compare.insert(compare.end(), {"--baseline", Path("b.json")});
  EXPECT_EQ(Systolith(compare).exit_code, 0);
  std::string wrong = text;
  wrong.replace(wrong.find("[-1, 2]"), 7, "[-1, 3]");
  Write("good.mlir", wrong);
  for (const std::vector<std::string>& again : {arguments, compare}) {
    outcome = Systolith(again);
    EXPECT_EQ(outcome.exit_code, 1) << outcome.text;
    EXPECT_THAT(outcome.text, HasSubstr("good.mlir:good"));
  }
  ExpectBadInput({"conformance"}, {"needs files or folders"});
  ExpectBadInput({"conformance", Path("none")}, {"none"});
}

TEST_F(CommandLineTest, AFailedCheckOfTheProgramIsExitCodeOne) {
  const std::string text = R"(module {
  func.func public @main(%arg0: tensor<4xf32>) {
    %0 = stablehlo.add %arg0, %arg0 : tensor<4xf32>
    stablehlo.custom_call @check.expect_eq(%0, %arg0) {has_side_effect = true} : (tensor<4xf32>, tensor<4xf32>) -> ()
    return
  }
}
)";
  const Outcome outcome = Systolith(
      {"run", Write("c.mlir", text), "--target", "golden", "--report", Path("r.json")});
  EXPECT_EQ(outcome.exit_code, 1) << outcome.text;
  EXPECT_THAT(outcome.text, HasSubstr("check.expect_eq at line 4"));
  EXPECT_EQ(ReadJson("r.json")["checks"][0]["passed"], false);
}

TEST_F(CommandLineTest, OutputsThatCannotBeWrittenAreRefusedEarly) {
  const std::string program = Program("matmul_s8.mlir");
  ExpectBadInput({"run", program, "--target", "golden", "--report", Path("no/r.json")},
                 {"cannot write", "no/r.json"});
  ExpectBadInput({"run", program, "--target", "golden", "--output", directory_.string()},
                 {"cannot write", "directory"});
  if (fs::exists("/dev/full")) {
    ExpectBadInput({"run", program, "--target", "golden", "--output", "/dev/full"},
                   {"/dev/full", "No space left"});
  }
}

TEST_F(CommandLineTest, FilesOfOneRunMayNotCoincide) {
  const std::string text = *ReadTextFile(Program("matmul_bf16.mlir"));
  const std::string program = Write("program.mlir", text);
  ExpectBadInput({"run", program, "--target", "golden", "--seed", "1", "--report", program},
                 {"PROGRAM and --report", program});
  EXPECT_EQ(*ReadTextFile(program), text);
  ExpectBadInput({"run", program, "--target", "golden", "--seed", "1", "--output", Path("x"),
                  "--report", Path("x")},
                 {"--output and --report"});
}

TEST_F(CommandLineTest, AWaveformReplacesOnlyAPlainFile) {
  fs::create_symlink("elsewhere", Path("link.fst"));
  ExpectBadInput({"run", Program("matmul_bf16.mlir"), "--seed", "1", "--trace", Path("link.fst")},
                 {"link.fst", "not a plain file"});
  EXPECT_TRUE(fs::is_symlink(Path("link.fst")));
}

TEST_F(CommandLineTest, NumbersOutOfRangeAreRefused) {
  const std::string program = Program("matmul_bf16.mlir");
  ExpectBadInput({"run", program, "--seed", "-1"}, {"--seed", "-1"});
  ExpectBadInput({"run", program, "--seed", "99999999999999999999"}, {"--seed"});
  ExpectBadInput({"run", program, "--timeout", "-5"}, {"--timeout"});
  ExpectBadInput({"run", program, "--trace-start", "3"}, {"--trace FILE.fst"});
  const auto too_large = [this](const std::string& type) {
    return Write("large.mlir", "func.func @main(%arg0: " + type + ") -> " + type +
                                   " {\n%0 = stablehlo.add %arg0, %arg0 : " + type +
                                   "\nreturn %0 : " + type + "\n}\n");
  };
  ExpectBadInput({"run", too_large("tensor<4294967296x4294967296xf32>"), "--seed", "1"},
                 {"too large"});
  const Outcome outcome =
      Systolith({"compile", too_large("tensor<100000x100000xf32>"), "-o", Path("x.sysx")});
  EXPECT_EQ(outcome.exit_code, 3) << outcome.text;
  EXPECT_THAT(outcome.text, HasSubstr("bytes of memory"));
}

TEST_F(CommandLineTest, CtrlCStopsTheGoldenModelAndLeavesAReport) {
  const std::string program =
      std::string(SYSTOLITH_SOURCE_DIR) + "/tests/benchmarks/gemm2048_bf16.mlir";
  Command command(
      {"run", program, "--target", "golden", "--chip", "v2", "--report", Path("r.json")},
      Path("output.txt"));
  for (int i = 0; i < 600; ++i) {
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
    if (command.TextSoFar().find("running on") != std::string::npos) break;
  }
  command.Signal(SIGINT);
  const Outcome outcome = command.Wait();
  EXPECT_EQ(outcome.exit_code, 4) << outcome.text;
  EXPECT_THAT(outcome.text, HasSubstr("interrupted"));
  const Json report = ReadJson("r.json");
  EXPECT_EQ(report["interrupted"], true);
  EXPECT_EQ(report["exit_code"], 4);
}

TEST_F(CommandLineTest, TheVerilatedChipRunsAProgramAndItsReportIsComplete) {
  if (!HasRtl()) GTEST_SKIP() << "SYSTOLITH_TEST_TARGETS leaves rtl out";
  const Outcome outcome = Systolith({"run", Program("matmul_bf16.mlir"), "--check", "--seed", "1",
                                     "--report", Path("r.json")});
  ASSERT_EQ(outcome.exit_code, 0) << outcome.text;
  EXPECT_THAT(outcome.text, AllOf(HasSubstr("PASS            golden"),
                                  HasSubstr("PASS            evaluator")));
  const Json report = ReadJson("r.json");
  EXPECT_EQ(report["target"], "rtl");
  EXPECT_EQ(report["cycle_accurate"], true);
  EXPECT_EQ(report["macs"], 61440);
  const double utilization = 61440.0 / (report["cycles"].get<double>() * 64);
  EXPECT_NEAR(report["mxu_utilization"].get<double>(), utilization, 1e-12);
  EXPECT_GT(report["sim_cycles_per_second"].get<double>(), 0.0);
  EXPECT_GE(report["hbm_bytes_written"].get<uint64_t>(), 2560u);
  for (const Json& engine : report["engines"]) {
    EXPECT_EQ(engine["busy"].get<uint64_t>() + engine["stall"].get<uint64_t>() +
                  engine["idle"].get<uint64_t>(),
              report["cycles"].get<uint64_t>());
  }
}

TEST_F(CommandLineTest, CtrlCLeavesAWaveformThatOpensAndAReport) {
  if (!HasRtl()) GTEST_SKIP() << "SYSTOLITH_TEST_TARGETS leaves rtl out";
  // Long enough on tiny for the signal to arrive while it runs.
  const std::string program =
      std::string(SYSTOLITH_SOURCE_DIR) + "/tests/benchmarks/gemm512_s8.mlir";
  Command command({"run", program, "--trace", Path("w.fst"), "--report", Path("r.json")},
                  Path("output.txt"));
  for (int i = 0; i < 6000; ++i) {
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
    if (command.TextSoFar().find("running on") != std::string::npos) break;
  }
  command.Signal(SIGINT);
  const Outcome outcome = command.Wait();
  EXPECT_EQ(outcome.exit_code, 4) << outcome.text;
  const Json report = ReadJson("r.json");
  EXPECT_EQ(report["interrupted"], true);
  EXPECT_GT(report["simulated_cycles"].get<uint64_t>(), 0u);
  // A closed FST file begins with a header block that gives its last time; an open one has 0.
  const auto fst = ReadFile(Path("w.fst"));
  ASSERT_TRUE(fst.ok());
  ASSERT_GT(fst->size(), 329u);
  EXPECT_EQ((*fst)[0], std::byte{0});  // FST_BL_HDR
  uint64_t end_time = 0;
  for (size_t i = 17; i < 25; ++i) end_time = end_time << 8 | static_cast<uint8_t>((*fst)[i]);
  EXPECT_GT(end_time, 0u);
  if (std::system("command -v fst2vcd > /dev/null") == 0) {
    EXPECT_EQ(std::system(("fst2vcd " + Path("w.fst") + " > /dev/null").c_str()), 0);
  }
}

}  // namespace
}  // namespace systolith
