#include "host/compiler/schedule/hoist_loads.h"

#include <gtest/gtest.h>

#include <random>

namespace systolith::compiler {
namespace {

using Order = std::vector<size_t>;

Dependence Load(int64_t after = -1, int64_t after_load = -1) { return {true, after, after_load}; }
Dependence Work(int64_t after = -1) { return {false, after, -1}; }

TEST(HoistLoadsTest, LoadsThatNeedNotWaitPassOneThatMust) {
  // 0 loads, 1 computes, 2 stores, 3 loads what was stored, 4 loads weights, 5 computes.
  EXPECT_EQ(HoistLoads({Load(), Work(0), Work(1), Load(2), Load(), Work(4)}),
            (Order{0, 1, 2, 4, 3, 5}));
}

TEST(HoistLoadsTest, LoadsOfOnePlaceKeepTheirOrder) {
  EXPECT_EQ(HoistLoads({Work(), Load(0), Load(-1, 1), Load()}), (Order{0, 3, 1, 2}));
}

TEST(HoistLoadsTest, NothingPassesWhatItWaitsFor) {
  EXPECT_EQ(HoistLoads({Work(), Work(), Load(1), Work(2), Load(3), Load(0)}),
            (Order{0, 1, 5, 2, 3, 4}));
}

TEST(HoistLoadsTest, RandomProgramsKeepEveryDependence) {
  for (uint32_t seed = 1; seed <= 200; ++seed) {
    std::mt19937 random(seed);
    std::vector<Dependence> program;
    int64_t last_load = -1;
    for (int64_t i = 0; i < 100; ++i) {
      const auto back = [&](int64_t from) {
        return from < 0 ? -1 : static_cast<int64_t>(random() % static_cast<uint32_t>(from + 2)) - 1;
      };
      Dependence d;
      d.is_load = random() % 2 == 0;
      d.after = back(i - 1);
      if (d.is_load) {
        while (d.after >= 0 && program[static_cast<size_t>(d.after)].is_load) --d.after;
        if (random() % 4 == 0) d.after_load = last_load;
        last_load = i;
      }
      program.push_back(d);
    }
    const Order order = HoistLoads(program);
    ASSERT_EQ(order.size(), program.size());
    std::vector<size_t> place(program.size(), program.size());
    for (size_t p = 0; p < order.size(); ++p) place[order[p]] = p;
    size_t last_work = 0;
    for (size_t i = 0; i < program.size(); ++i) {
      ASSERT_LT(place[i], program.size()) << "seed " << seed;
      if (program[i].after >= 0) {
        EXPECT_LT(place[static_cast<size_t>(program[i].after)], place[i]) << "seed " << seed;
      }
      // All loads up to the one that it must stay behind.
      for (int64_t l = 0; l <= program[i].after_load; ++l) {
        if (program[static_cast<size_t>(l)].is_load) {
          EXPECT_LT(place[static_cast<size_t>(l)], place[i]) << "seed " << seed;
        }
      }
      if (!program[i].is_load) {
        EXPECT_TRUE(i == 0 || place[i] >= last_work) << "seed " << seed;
        last_work = place[i];
      }
    }
  }
}

}  // namespace
}  // namespace systolith::compiler
