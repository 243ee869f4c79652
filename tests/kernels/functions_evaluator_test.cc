#include <gmock/gmock.h>

#include <bit>
#include <stdexcept>
#include <string>
#include <vector>

#include "host/evaluator/scalar.h"
#include "tests/kernels/functions_error.h"
#include "tests/kernels/functions_inputs.h"
#include "tests/kernels/functions_interpreter.h"
#include "tests/kernels/functions_table.h"

// The evaluator's rules for subnormals, special values and integers are those of the functions.
namespace systolith::testing {
namespace {

using graph::ElementType;
using graph::Opcode;

struct Pair {
  const char* function;
  Opcode opcode;
  ElementType type = ElementType::kF32;
};

const std::vector<Pair> kPairs = {
    {"exp", Opcode::kExponential},
    {"expm1", Opcode::kExponentialMinusOne},
    {"log", Opcode::kLog},
    {"log1p", Opcode::kLogPlusOne},
    {"logistic", Opcode::kLogistic},
    {"tanh", Opcode::kTanh},
    {"rsqrt", Opcode::kRsqrt},
    {"cbrt", Opcode::kCbrt},
    {"erf", Opcode::kErf},
    {"erf_inv", Opcode::kErfInv},
    {"sin", Opcode::kSine},
    {"cos", Opcode::kCosine},
    {"tan", Opcode::kTan},
    {"lgamma", Opcode::kLgamma},
    {"sign_f32", Opcode::kSign},
    {"power", Opcode::kPower},
    {"atan2", Opcode::kAtan2},
    {"remainder_f32", Opcode::kRemainder},
    {"divide_f32", Opcode::kDivide},
    {"square_root_f32", Opcode::kSqrt},
    {"floor_f32", Opcode::kFloor},
    {"ceiling_f32", Opcode::kCeil},
    {"round_even_f32", Opcode::kRoundNearestEven},
    {"round_away_f32", Opcode::kRoundNearestAfz},
    {"divide_s32", Opcode::kDivide, ElementType::kS32},
    {"divide_u32", Opcode::kDivide, ElementType::kU32},
    {"remainder_s32", Opcode::kRemainder, ElementType::kS32},
    {"remainder_u32", Opcode::kRemainder, ElementType::kU32},
};

const Function& Find(const std::string& name) {
  for (const Function& function : Functions()) {
    if (function.name == name) return function;
  }
  throw std::runtime_error("no function " + name);
}

uint32_t Evaluate(const Pair& pair, int arguments, uint32_t x, uint32_t y) {
  using golden::lane::Float;
  if (pair.type == ElementType::kS32) {
    return static_cast<uint32_t>(evaluator::BinaryInteger(
        pair.opcode, static_cast<int32_t>(x), static_cast<int32_t>(y), pair.type));
  }
  if (pair.type == ElementType::kU32) {
    return static_cast<uint32_t>(evaluator::BinaryInteger(pair.opcode, x, y, pair.type));
  }
  const float result = arguments == 1 ? evaluator::UnaryF32(pair.opcode, Float(x))
                                      : evaluator::BinaryF32(pair.opcode, Float(x), Float(y));
  return std::bit_cast<uint32_t>(result);
}

bool IsSpecial(uint32_t bits) {
  const uint32_t magnitude = bits & 0x7fffffff;
  return magnitude == 0 || magnitude >= 0x7f800000;
}

class FunctionEvaluatorTest : public ::testing::TestWithParam<Pair> {};

TEST_P(FunctionEvaluatorTest, FollowsTheSameRules) {
  const Pair& pair = GetParam();
  const Function& function = Find(pair.function);
  Result<FunctionKernel> kernel = FunctionKernel::Make(Invocation(function), function.arguments);
  ASSERT_TRUE(kernel.ok()) << kernel.status().message();
  std::vector<uint32_t> inputs = SpecialInputs(), x, y;
  for (const float value : {0.5f, 1.0f, 2.0f, 3.0f, 1e30f}) {
    inputs.push_back(golden::lane::Bits(value));
    inputs.push_back(golden::lane::Bits(-value));
  }
  for (const uint32_t first : inputs) {
    for (const uint32_t second : inputs) {
      x.push_back(first);
      y.push_back(second);
    }
  }
  std::vector<std::span<const uint32_t>> arguments = {x};
  if (function.arguments == 2) arguments.emplace_back(y);
  std::vector<uint32_t> results(x.size());
  kernel.value().Run(arguments, results);
  ErrorMeter meter(function);
  for (size_t i = 0; i < x.size(); ++i) {
    const uint32_t expected = Evaluate(pair, function.arguments, x[i], y[i]);
    const auto message = [&] {
      return ::testing::Message() << function.name << std::hex << " of 0x" << x[i] << ", 0x"
                                  << y[i] << ": 0x" << results[i] << ", evaluator 0x" << expected;
    };
    if (function.exact == nullptr || IsSpecial(expected)) {
      ASSERT_EQ(results[i], expected) << message();
    } else {
      ASSERT_LE(meter.Exact(x[i], y[i], expected), 1) << message();
    }
  }
}

TEST(FloorAndCeilingTest, FlushNothing) {
  const std::vector<uint32_t> x = {golden::lane::Bits(-1e-40f), golden::lane::Bits(1e-40f)};
  const std::span<const uint32_t> arguments[] = {x};
  const auto results = [&](const char* operation) {
    std::vector<uint32_t> result(x.size());
    FunctionKernel::Make(operation, 1).value().Run(arguments, result);
    return result;
  };
  EXPECT_THAT(results("floor_f32"), ::testing::ElementsAre(golden::lane::Bits(-1.0f), 0u));
  EXPECT_THAT(results("ceiling_f32"),
              ::testing::ElementsAre(0x80000000u, golden::lane::Bits(1.0f)));
  EXPECT_EQ(evaluator::UnaryF32(Opcode::kFloor, -1e-40f), -1.0f);
  EXPECT_EQ(evaluator::UnaryF32(Opcode::kCeil, 1e-40f), 1.0f);
}

INSTANTIATE_TEST_SUITE_P(, FunctionEvaluatorTest, ::testing::ValuesIn(kPairs),
                         [](const auto& info) { return std::string(info.param.function); });

}  // namespace
}  // namespace systolith::testing
