// The lane slot's operations against loops over single elements.
#include "sim/golden/float/lane_operations.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <vector>

#include "tb/common/random.h"

namespace systolith::golden {
namespace {

using arch::LaneOp;

constexpr uint32_t kNan = 0x7fc00000;

struct Shape {
  uint32_t lanes, sublanes;
};

class LaneOperationsTest : public tb::RandomTestWithParam<Shape> {
 protected:
  const uint32_t lanes_ = GetParam().lanes, sublanes_ = GetParam().sublanes;
  const uint32_t size_ = lanes_ * sublanes_;
  const uint32_t segment_ = std::min(lanes_, 128u);

  std::vector<uint32_t> Random() {
    std::vector<uint32_t> group(size_);
    for (uint32_t& value : group) value = rng_.U32();
    return group;
  }
  std::vector<uint32_t> Run(LaneOp op, const std::vector<uint32_t>& x,
                            const std::vector<uint32_t>& y = {}, uint32_t amount = 0) {
    std::vector<uint32_t> result(size_);
    EvaluateLaneOp(op, x, y, amount, lanes_, sublanes_, result);
    return result;
  }
  static float Float(uint32_t bits) { return std::bit_cast<float>(bits); }
};

TEST_P(LaneOperationsTest, ReducesIntegers) {
  const auto x = Random();
  const auto sum = Run(LaneOp::kReduceAddS32, x), most = Run(LaneOp::kReduceMaximumS32, x);
  const auto least = Run(LaneOp::kReduceMinimumS32, x);
  const auto all = Run(LaneOp::kReduceAnd, x), any = Run(LaneOp::kReduceOr, x);
  for (uint32_t e = 0; e < size_; ++e) {
    const uint32_t first = e / segment_ * segment_;
    uint32_t total = 0, ones = ~0u, some = 0;
    int32_t highest = INT32_MIN, lowest = INT32_MAX;
    for (uint32_t i = first; i < first + segment_; ++i) {
      total += x[i];
      ones &= x[i];
      some |= x[i];
      highest = std::max(highest, static_cast<int32_t>(x[i]));
      lowest = std::min(lowest, static_cast<int32_t>(x[i]));
    }
    ASSERT_EQ(sum[e], total);
    ASSERT_EQ(all[e], ones);
    ASSERT_EQ(any[e], some);
    ASSERT_EQ(most[e], static_cast<uint32_t>(highest));
    ASSERT_EQ(least[e], static_cast<uint32_t>(lowest));
  }
}

// The sum of elements first, first + stride, ...: the tree seen from its root.
float Tree(const std::vector<uint32_t>& x, uint32_t first, uint32_t stride, uint32_t count) {
  if (count == 1) return std::bit_cast<float>(x[first]);
  return Tree(x, first, stride * 2, count / 2) + Tree(x, first + stride, stride * 2, count / 2);
}

TEST_P(LaneOperationsTest, AddsAsATree) {
  std::vector<uint32_t> x(size_);
  for (uint32_t& value : x) value = (rng_.U32() & 0x83ffffff) + 0x3e000000;
  const auto sum = Run(LaneOp::kReduceAddF32, x);
  for (uint32_t e = 0; e < size_; ++e) {
    ASSERT_EQ(Float(sum[e]), Tree(x, e / segment_ * segment_, 1, segment_));
  }
}

TEST_P(LaneOperationsTest, FindsExtremesAndWhereTheyAre) {
  for (int trial = 0; trial < 50; ++trial) {
    std::vector<uint32_t> x(size_);
    static constexpr uint32_t kFew[] = {0, 0x80000000, 1, 0x3f800000, 0xbf800000, 0x7f800000};
    for (uint32_t& value : x) value = kFew[rng_.Below(std::size(kFew))];
    if (rng_.Chance(0.5)) x[rng_.Below(size_)] = 0xffc00001;
    const auto most = Run(LaneOp::kReduceMaximumF32, x), least = Run(LaneOp::kReduceMinimumF32, x);
    const auto where_most = Run(LaneOp::kArgMaximumF32, x);
    const auto where_least = Run(LaneOp::kArgMinimumF32, x);
    const auto above = [](uint32_t a, uint32_t b) {
      return Float(a) > Float(b) || (Float(a) == Float(b) && (a >> 31) < (b >> 31));
    };
    for (uint32_t e = 0; e < size_; ++e) {
      const uint32_t first = e / segment_ * segment_;
      uint32_t high = first, low = first;
      for (uint32_t i = first; i < first + segment_ && !std::isnan(Float(x[high])); ++i) {
        const bool nan = std::isnan(Float(x[i]));
        if (nan || above(x[i], x[high])) high = i;
        if (nan || above(x[low], x[i])) low = i;
      }
      ASSERT_EQ(where_most[e], high % lanes_);
      ASSERT_EQ(where_least[e], low % lanes_);
      ASSERT_EQ(most[e], std::isnan(Float(x[high])) ? kNan : x[high]);
      ASSERT_EQ(least[e], std::isnan(Float(x[low])) ? kNan : x[low]);
    }
  }
}

TEST_P(LaneOperationsTest, MovesElements) {
  const auto x = Random(), y = Random();
  for (const uint32_t amount : {0u, 1u, 7u, lanes_ - 1, lanes_, size_ - 1, size_, size_ + 1, ~0u}) {
    const auto lane = Run(LaneOp::kBroadcastLane, x, {}, amount);
    const auto rotated = Run(LaneOp::kRotateLanes, x, {}, amount);
    const auto row = Run(LaneOp::kBroadcastRow, x, {}, amount);
    const auto slid = Run(LaneOp::kSlide, x, y, amount);
    for (uint32_t e = 0; e < size_; ++e) {
      const uint32_t r = e / lanes_, i = e % lanes_;
      ASSERT_EQ(lane[e], x[e / segment_ * segment_ + amount % segment_]);
      ASSERT_EQ(rotated[e], x[r * lanes_ + (i + amount) % lanes_]);
      ASSERT_EQ(row[e], x[amount % sublanes_ * lanes_ + i]);
      const uint64_t from = e + std::min<uint64_t>(amount, size_);
      ASSERT_EQ(slid[e], from < size_ ? x[from] : y[from - size_]);
    }
  }
}

TEST_P(LaneOperationsTest, NumbersElements) {
  const auto lane = Run(LaneOp::kLaneIndex, {}), row = Run(LaneOp::kRowIndex, {});
  for (uint32_t e = 0; e < size_; ++e) {
    ASSERT_EQ(lane[e], e % lanes_);
    ASSERT_EQ(row[e], e / lanes_);
  }
}

INSTANTIATE_TEST_SUITE_P(Shapes, LaneOperationsTest,
                         testing::Values(Shape{8, 1}, Shape{8, 2}, Shape{64, 8}, Shape{128, 4},
                                         Shape{256, 2}));

}  // namespace
}  // namespace systolith::golden
