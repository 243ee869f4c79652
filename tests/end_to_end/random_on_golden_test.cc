// Random products and convolutions on random chips: oblong arrays, small buffers, several units.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>

#include "host/import/import.h"
#include "tests/end_to_end/golden_run.h"

namespace systolith::testing {
namespace {

// SYSTOLITH_SEED repeats one trial; SYSTOLITH_TRIALS runs more of them.
uint32_t Number(const char* name, uint32_t otherwise) {
  const char* text = std::getenv(name);
  return text == nullptr ? otherwise : static_cast<uint32_t>(std::strtoul(text, nullptr, 10));
}

class Generator {
 public:
  explicit Generator(uint32_t seed) : rng_(seed) {}

  int64_t Range(int64_t low, int64_t high) {
    return low + static_cast<int64_t>(rng_() % static_cast<uint64_t>(high - low + 1));
  }
  template <typename T>
  T Pick(const std::vector<T>& choices) {
    return choices[rng_() % choices.size()];
  }

  arch::ChipConfig Chip() {
    arch::ChipConfig chip;
    chip.mxu_rows = 8 * Range(1, 5);
    chip.mxu_cols = 8 * Range(1, 5);
    chip.mxu_count = Pick<int64_t>({1, 1, 2, 3, 8});
    chip.mxu_accumulator_rows = Pick<int64_t>({8, 13, 64, 256});
    chip.buffer_bytes = int64_t{1} << Range(14, 20);
    chip.name = fmt::format("{}x{} x{} rows {} buffer {}", chip.mxu_rows, chip.mxu_cols,
                            chip.mxu_count, chip.mxu_accumulator_rows, chip.buffer_bytes);
    return chip;
  }

  std::string Dot() {
    const std::string type = Pick<std::string>({"bf16", "f32", "i8"});
    const std::string result =
        type == "i8" ? "i32" : Pick<std::string>({"f32", "bf16"});
    const int64_t batch = Range(0, 2) == 0 ? Range(1, 4) : 0;
    const int64_t m = Size(), k = Size(), n = Size();
    const std::string b = batch > 0 ? fmt::format("{}x", batch) : "";
    const bool lhs_t = Range(0, 3) == 0, rhs_t = Range(0, 2) == 0;
    const int shift = batch > 0 ? 1 : 0;
    const std::string lhs =
        fmt::format("tensor<{}{}x{}x{}>", b, lhs_t ? k : m, lhs_t ? m : k, type);
    const std::string rhs =
        fmt::format("tensor<{}{}x{}x{}>", b, rhs_t ? n : k, rhs_t ? k : n, type);
    const std::string out = fmt::format("tensor<{}{}x{}x{}>", b, m, n, result);
    const std::string dot = fmt::format(
        "  %0 = stablehlo.dot_general %a, %b, {}contracting_dims = [{}] x [{}] : ({}, {}) -> {}\n",
        batch > 0 ? "batching_dims = [0] x [0], " : "", (lhs_t ? 0 : 1) + shift,
        (rhs_t ? 1 : 0) + shift, lhs, rhs, out);
    return Finish(lhs, rhs, out, dot, n, shift + 1);
  }

  std::string Convolution() {
    const std::string type = Pick<std::string>({"bf16", "f32", "i8"});
    const std::string result = type == "i8" ? "i32" : "f32";
    const int64_t groups = Range(0, 3) == 0 ? Range(1, 4) : 1;
    const int64_t n = Range(1, 3), c = Range(1, 20), o = Range(1, 20);
    int64_t in[2], taps[2], stride[2], low[2], high[2], base[2], window[2], outputs[2];
    for (int d = 0; d < 2; ++d) {
      do {
        in[d] = Range(1, 14);
        taps[d] = Range(1, 5);
        stride[d] = Range(1, 3);
        low[d] = Range(-2, 4);
        high[d] = Range(-2, 4);
        base[d] = Range(0, 3) == 0 ? Range(2, 3) : 1;
        window[d] = Range(0, 3) == 0 ? Range(2, 3) : 1;
        const int64_t padded = (in[d] - 1) * base[d] + 1 + low[d] + high[d];
        const int64_t extent = (taps[d] - 1) * window[d] + 1;
        outputs[d] = padded < extent ? 0 : (padded - extent) / stride[d] + 1;
      } while (outputs[d] == 0);
    }
    const std::string lhs =
        fmt::format("tensor<{}x{}x{}x{}x{}>", n, in[0], in[1], c * groups, type);
    const std::string rhs =
        fmt::format("tensor<{}x{}x{}x{}x{}>", taps[0], taps[1], c, o * groups, type);
    const std::string out =
        fmt::format("tensor<{}x{}x{}x{}x{}>", n, outputs[0], outputs[1], o * groups, result);
    const std::string conv = fmt::format(
        "  %0 = stablehlo.convolution(%a, %b) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, "
        "f],"
        " window = {{stride = [{}, {}], pad = [[{}, {}], [{}, {}]], lhs_dilate = [{}, {}], "
        "rhs_dilate = [{}, {}], reverse = [{}, false]}} {{batch_group_count = 1 : i64, "
        "feature_group_count = {} : i64}} : ({}, {}) -> {}\n",
        stride[0], stride[1], low[0], high[0], low[1], high[1], base[0], base[1], window[0],
        window[1], Range(0, 1) == 0, groups, lhs, rhs, out);
    return Finish(lhs, rhs, out, conv, o * groups, 3);
  }

  std::mt19937& rng() { return rng_; }

 private:
  int64_t Size() {
    return Pick<int64_t>({1, 2, 7, 8, 9, 16, 17, Range(1, 40), Range(1, 150), Range(1, 300)});
  }

  // Half of the programs go on with a bias and a ReLU.
  std::string Finish(const std::string& lhs, const std::string& rhs, const std::string& out,
                     const std::string& product, int64_t columns, int dimension) {
    if (Range(0, 1) == 0) {
      return fmt::format("func.func @main(%a: {}, %b: {}) -> {} {{\n{}  return %0 : {}\n}}\n", lhs,
                         rhs, out, product, out);
    }
    const std::string type = out.substr(out.rfind('x') + 1);
    return fmt::format(
        "func.func @main(%a: {0}, %b: {1}, %c: tensor<{5}x{4}) -> {2} {{\n{3}"
        "  %1 = stablehlo.broadcast_in_dim %c, dims = [{6}] : (tensor<{5}x{4}) -> {2}\n"
        "  %2 = stablehlo.add %0, %1 : {2}\n  %z = stablehlo.constant dense<{7}> : {2}\n"
        "  %3 = stablehlo.maximum %2, %z : {2}\n  return %3 : {2}\n}}\n",
        lhs, rhs, out, product, type, columns, dimension, type == "i32>" ? "0" : "0.0");
  }

  std::mt19937 rng_;
};

void RunTrial(uint32_t seed) {
  Generator random(seed);
  const arch::ChipConfig chip = random.Chip();
  const std::string text = random.Range(0, 1) == 0 ? random.Dot() : random.Convolution();
  const std::string place = fmt::format("SYSTOLITH_SEED={} on {}\n{}", seed, chip.name, text);
  Result<graph::Module> module = import::ImportText(text, "random.mlir");
  ASSERT_TRUE(module.ok()) << place << module.status().message();
  compiler::CompileOptions options;
  options.f32_precision = random.Pick<graph::Precision>(
      {graph::Precision::kDefault, graph::Precision::kHigh, graph::Precision::kHighest});
  Result<isa::Executable> executable = compiler::Compile(*module, chip, options);
  ASSERT_TRUE(executable.ok()) << place << executable.status().message();
  std::vector<graph::Literal> arguments;
  for (const graph::Shape& shape : ArgumentShapes(*module)) {
    arguments.push_back(SmallIntegers(shape, random.rng()));
  }
  Result<GoldenRun> run = RunOnGolden(*executable, chip, arguments);
  ASSERT_TRUE(run.ok()) << place << run.status().message();
  Result<std::vector<graph::Literal>> expected =
      evaluator::Evaluate(*module, arguments, {}, nullptr);
  ASSERT_TRUE(expected.ok()) << place << expected.status().message();
  const graph::Literal& want = (*expected)[0];
  for (int64_t i = 0; i < want.size(); ++i) {
    ASSERT_EQ(run->results[0].GetDouble(i), want.GetDouble(i)) << place << "element " << i;
  }
}

TEST(RandomOnGoldenTest, SmallIntegersGiveExactResults) {
  const uint32_t trials = Number("SYSTOLITH_TRIALS", 60);
  if (std::getenv("SYSTOLITH_SEED") != nullptr) {
    RunTrial(Number("SYSTOLITH_SEED", 0));
    return;
  }
  for (uint32_t seed = 1; seed <= trials && !::testing::Test::HasFailure(); ++seed) {
    RunTrial(seed);
  }
}

}  // namespace
}  // namespace systolith::testing
