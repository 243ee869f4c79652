#include "host/compiler/view.h"

#include <gtest/gtest.h>

#include <random>

namespace systolith::compiler {
namespace {

using graph::Dims;

View Tensor(Dims dims) {
  return View::Dense(graph::Value{0}, {graph::ElementType::kF32, std::move(dims)});
}

// The element of the base behind each element of the view, in row-major order.
std::vector<int64_t> Elements(const View& view) {
  std::vector<int64_t> elements;
  const int64_t count = graph::Product(view.dims);
  for (int64_t i = 0; i < count; ++i) {
    int64_t rest = i;
    int64_t element = view.offset;
    for (size_t d = view.dims.size(); d > 0; --d) {
      element += rest % view.dims[d - 1] * view.strides[d - 1];
      rest /= view.dims[d - 1];
    }
    elements.push_back(element);
  }
  return elements;
}

TEST(ViewTest, FollowsDataMovement) {
  const View view = Tensor({2, 3, 4});
  EXPECT_EQ(Elements(view.Transposed({2, 0, 1})),
            (std::vector<int64_t>{0, 4, 8, 12, 16, 20, 1, 5, 9, 13, 17, 21,
                                  2, 6, 10, 14, 18, 22, 3, 7, 11, 15, 19, 23}));
  EXPECT_EQ(Elements(view.Sliced({{1, 0, 1}, {2, 3, 4}, {1, 2, 2}})),
            (std::vector<int64_t>{13, 15, 21, 23}));
  EXPECT_EQ(Elements(Tensor({3}).Reversed({0})), (std::vector<int64_t>{2, 1, 0}));
  EXPECT_EQ(Elements(Tensor({1, 2}).BroadcastTo({2, 2}, {0, 1})),
            (std::vector<int64_t>{0, 1, 0, 1}));
}

TEST(ViewTest, ReshapesWhatStridesCanSay) {
  EXPECT_TRUE(Tensor({4, 6}).Reshaped({2, 12}).has_value());
  EXPECT_FALSE(Tensor({4, 6}).Transposed({1, 0}).Reshaped({24}).has_value());
  EXPECT_TRUE(Tensor({1, 4, 1, 6}).Transposed({2, 1, 3, 0}).Reshaped({24}).has_value());
  EXPECT_TRUE(Tensor({4, 0}).Reshaped({0, 7}).has_value());
  EXPECT_EQ(Tensor({4, 6}).Transposed({1, 0}).Reshaped({2, 3, 2, 2})->strides,
            (Dims{3, 1, 12, 6}));
}

TEST(ViewTest, ARandomReshapeKeepsTheOrderOfElements) {
  std::mt19937 rng(7);
  int reshaped_count = 0;
  for (int trial = 0; trial < 2000; ++trial) {
    Dims factors;
    for (int i = 0; i < 5; ++i) factors.push_back(1 + static_cast<int64_t>(rng() % 3));
    const auto join = [&] {  // neighbouring factors joined at random
      Dims dims = {1};
      for (const int64_t factor : factors) {
        if (rng() % 2 == 0) dims.push_back(1);
        dims.back() *= factor;
      }
      return dims;
    };
    View view = Tensor(join());
    Dims permutation;
    for (size_t i = 0; i < view.dims.size(); ++i) permutation.push_back(static_cast<int64_t>(i));
    if (rng() % 2 == 0) std::swap(permutation.front(), permutation.back());
    view = view.Transposed(permutation);
    const std::optional<View> reshaped = view.Reshaped(join());
    if (!reshaped) continue;
    ++reshaped_count;
    ASSERT_EQ(Elements(*reshaped), Elements(view)) << "trial " << trial;
  }
  EXPECT_GT(reshaped_count, 500);
}

TEST(ViewTest, MergesDimensionsThatContinueEachOther) {
  const View view = Tensor({2, 3, 4});
  EXPECT_EQ(MergeDimensions(view, {0, 1})->size, 6);
  EXPECT_EQ(MergeDimensions(view, {0, 1})->stride, 4);
  EXPECT_FALSE(MergeDimensions(view, {0, 2}).has_value());
  EXPECT_FALSE(MergeDimensions(view, {1, 0}).has_value());
  EXPECT_EQ(MergeDimensions(view, {})->size, 1);
}

}  // namespace
}  // namespace systolith::compiler
