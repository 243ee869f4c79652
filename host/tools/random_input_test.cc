#include "host/tools/random_input.h"

#include <gtest/gtest.h>

#include <cmath>

namespace systolith::tools {
namespace {

using graph::ElementType;
using graph::Literal;
using graph::Shape;

TEST(RandomInputTest, FloatsAreStandardNormal) {
  const Literal values = RandomLiteral(Shape{ElementType::kF32, {100000}}, 1, 0);
  double sum = 0, squares = 0;
  int64_t beyond_two = 0;
  for (int64_t i = 0; i < values.size(); ++i) {
    const double x = values.GetDouble(i);
    sum += x;
    squares += x * x;
    beyond_two += std::fabs(x) > 2;
  }
  EXPECT_NEAR(sum / 1e5, 0, 0.015);
  EXPECT_NEAR(squares / 1e5, 1, 0.02);
  EXPECT_NEAR(static_cast<double>(beyond_two) / 1e5, 0.0455, 0.003);
}

TEST(RandomInputTest, IntegersReachBothEndsOfTheirRange) {
  const Literal values = RandomLiteral(Shape{ElementType::kS8, {10000}}, 1, 0);
  int64_t low = 0, high = 0;
  for (int64_t i = 0; i < values.size(); ++i) {
    low = std::min(low, values.GetInt(i));
    high = std::max(high, values.GetInt(i));
  }
  EXPECT_EQ(low, -128);
  EXPECT_EQ(high, 127);
}

TEST(RandomInputTest, SeedAndArgumentDecide) {
  const Shape shape{ElementType::kBF16, {3, 5}};
  EXPECT_EQ(RandomLiteral(shape, 1, 0), RandomLiteral(shape, 1, 0));
  EXPECT_NE(RandomLiteral(shape, 1, 0), RandomLiteral(shape, 2, 0));
  EXPECT_NE(RandomLiteral(shape, 1, 0), RandomLiteral(shape, 1, 1));
}

// What another platform must give as well.
TEST(RandomInputTest, TheFirstValuesAreKnown) {
  const Literal floats = RandomLiteral(Shape{ElementType::kF32, {3}}, 1, 0);
  const Literal bytes = RandomLiteral(Shape{ElementType::kS8, {3}}, 1, 0);
  std::vector<uint32_t> bits;
  for (const float value : floats.As<float>()) bits.push_back(std::bit_cast<uint32_t>(value));
  EXPECT_EQ(bits, (std::vector<uint32_t>{3213399421u, 1065058271, 3218057264u}));
  EXPECT_EQ(bytes.GetInt(0), 7);
}

}  // namespace
}  // namespace systolith::tools
