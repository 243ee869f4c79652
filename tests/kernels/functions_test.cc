#include <gmock/gmock.h>

#include <cstdlib>
#include <iostream>
#include <random>
#include <string>
#include <vector>

#include "tests/kernels/functions_error.h"
#include "tests/kernels/functions_inputs.h"
#include "tests/kernels/functions_interpreter.h"
#include "tests/kernels/functions_table.h"

namespace systolith::testing {
namespace {

constexpr uint64_t kSeed = 20261201;
constexpr int kRandomInputs = 200'000;
constexpr int kRegistersLeft = 12;  // that a kernel can keep to itself while it calls a function

std::vector<const Function*> FunctionsWhere(bool (*condition)(const Function&)) {
  std::vector<const Function*> result;
  for (const Function& function : Functions()) {
    if (condition(function)) result.push_back(&function);
  }
  return result;
}

// The library's function `GetParam()` as a kernel.
class FunctionTest : public ::testing::TestWithParam<const Function*> {
 protected:
  void SetUp() override {
    Result<FunctionKernel> kernel =
        FunctionKernel::Make(Invocation(function_), function_.arguments);
    ASSERT_TRUE(kernel.ok()) << kernel.status().message();
    kernel_ = std::move(kernel.value());
  }

  std::vector<uint32_t> Run(const std::vector<std::vector<uint32_t>>& arguments) {
    std::vector<std::span<const uint32_t>> inputs(arguments.begin(), arguments.end());
    std::vector<uint32_t> results(arguments[0].size());
    kernel_.Run(inputs, results);
    return results;
  }

  void Measure(const std::vector<uint32_t>& x, const std::vector<uint32_t>& y, bool screened) {
    std::vector<std::vector<uint32_t>> arguments = {x};
    if (!y.empty()) arguments.push_back(y);
    const std::vector<uint32_t> results = Run(arguments);
    meter_.Add(x, y, results, screened);
  }

  void ExpectWithinBound() {
    std::cout << meter_.Summary() << '\n';
    EXPECT_LE(meter_.worst(), 1) << meter_.Summary() << ", seed " << kSeed;
  }

  void ExpectBits(const std::vector<std::vector<uint32_t>>& arguments) {
    const std::vector<uint32_t> results = Run(arguments);
    for (size_t i = 0; i < results.size(); ++i) {
      uint32_t operands[3] = {};
      for (size_t k = 0; k < arguments.size(); ++k) operands[k] = arguments[k][i];
      ASSERT_EQ(results[i], function_.bits(operands[0], operands[1], operands[2]))
          << function_.name << " of " << operands[0] << ", " << operands[1] << ", " << operands[2]
          << ", seed " << kSeed;
    }
  }

  const Function& function_ = *GetParam();
  FunctionKernel kernel_;
  ErrorMeter meter_{function_};
  std::mt19937_64 rng_{kSeed};
};

using EveryFunctionTest = FunctionTest;

TEST_P(EveryFunctionTest, LeavesRegistersToItsCaller) {
  EXPECT_LE(kernel_.kernel().vector_registers, arch::kVectorRegisters - kRegistersLeft);
}

using UnaryFunctionTest = FunctionTest;

TEST_P(UnaryFunctionTest, KeepsItsBoundOnEveryBfloat16) {
  std::vector<uint32_t> inputs;
  for (uint32_t high = 0; high < 65536; ++high) inputs.push_back(high << 16);
  Measure(inputs, {}, false);
  ExpectWithinBound();
}

TEST_P(UnaryFunctionTest, KeepsItsBoundOnRemarkableAndRandomInputs) {
  Measure(RemarkableInputs(), {}, false);
  std::vector<uint32_t> inputs(kRandomInputs);
  for (uint32_t& input : inputs) input = RandomInput(rng_);
  Measure(inputs, {}, true);
  ExpectWithinBound();
}

using BinaryFunctionTest = FunctionTest;

TEST_P(BinaryFunctionTest, KeepsItsBoundOnPairs) {
  std::vector<uint32_t> special = SpecialInputs(), x, y;
  for (const float value : {0.5f, 1.0f, 1.5f, 2.0f, 3.0f, 0x1.fffffep-1f, 0x1.000002p0f, 127.0f,
                            128.0f, 149.0f, 8388607.0f, 8388608.5f, 16777215.0f, 16777216.0f}) {
    special.push_back(golden::lane::Bits(value));
    special.push_back(golden::lane::Bits(-value));
  }
  for (const uint32_t first : special) {
    for (const uint32_t second : special) {
      x.push_back(first);
      y.push_back(second);
    }
  }
  Measure(x, y, false);
  x.clear(), y.clear();
  for (int i = 0; i < kRandomInputs; ++i) {
    x.push_back(RandomInput(rng_));
    y.push_back(RandomSecondInput(rng_, x.back()));
  }
  Measure(x, y, true);
  ExpectWithinBound();
}

using ExactFunctionTest = FunctionTest;

TEST_P(ExactFunctionTest, GivesTheVeryBits) {
  std::vector<std::vector<uint32_t>> arguments(static_cast<size_t>(function_.arguments));
  RandomOperands random(rng_);
  uint32_t operands[3];
  for (int i = 0; i < kRandomInputs; ++i) {
    random.Draw(std::span(operands).first(arguments.size()));
    for (size_t k = 0; k < arguments.size(); ++k) arguments[k].push_back(operands[k]);
  }
  ExpectBits(arguments);
}

using UnaryExactFunctionTest = FunctionTest;

TEST_P(UnaryExactFunctionTest, GivesTheVeryBitsOfBfloat16AndRemarkableInputs) {
  std::vector<uint32_t> inputs;
  for (uint32_t high = 0; high < 65536; ++high) inputs.push_back(high << 16);
  ExpectBits({inputs});
  ExpectBits({RemarkableInputs()});
}

TEST(ExpNonpositiveTest, GivesTheBitsOfExp) {
  std::mt19937_64 rng(kSeed);
  std::vector<uint32_t> inputs = {0};
  for (uint32_t high = 0x8000; high < 0xff81; ++high) inputs.push_back(high << 16);
  for (int i = 0; i < kRandomInputs; ++i) {
    const uint32_t input = RandomInput(rng) | 0x80000000;
    inputs.push_back(golden::lane::IsNan(input) ? 0xff800000 : input);
  }
  const std::span<const uint32_t> arguments[] = {inputs};
  std::vector<std::vector<uint32_t>> results;
  for (const char* name : {"call exp", "call exp_nonpositive"}) {
    Result<FunctionKernel> kernel = FunctionKernel::Make(name, 1);
    ASSERT_TRUE(kernel.ok()) << kernel.status().message();
    kernel.value().Run(arguments, results.emplace_back(inputs.size()));
  }
  for (size_t i = 0; i < inputs.size(); ++i) {
    ASSERT_EQ(results[0][i], results[1][i]) << std::hex << inputs[i];
  }
}

const auto kName = [](const auto& info) { return std::string(info.param->name); };
INSTANTIATE_TEST_SUITE_P(, EveryFunctionTest,
                         ::testing::ValuesIn(FunctionsWhere([](const Function&) { return true; })),
                         kName);
INSTANTIATE_TEST_SUITE_P(, UnaryFunctionTest,
                         ::testing::ValuesIn(FunctionsWhere([](const Function& function) {
                           return function.exact != nullptr && function.arguments == 1;
                         })),
                         kName);
INSTANTIATE_TEST_SUITE_P(, BinaryFunctionTest,
                         ::testing::ValuesIn(FunctionsWhere([](const Function& function) {
                           return function.exact != nullptr && function.arguments == 2;
                         })),
                         kName);
INSTANTIATE_TEST_SUITE_P(, UnaryExactFunctionTest,
                         ::testing::ValuesIn(FunctionsWhere([](const Function& function) {
                           return function.bits != nullptr && function.arguments == 1;
                         })),
                         kName);
INSTANTIATE_TEST_SUITE_P(, ExactFunctionTest,
                         ::testing::ValuesIn(FunctionsWhere([](const Function& function) {
                           return function.bits != nullptr;
                         })),
                         kName);

}  // namespace
}  // namespace systolith::testing
