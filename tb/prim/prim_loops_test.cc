// Tests rtl/prim: prim_loop_nest, prim_loop_address and prim_flag_wait together.

#include <array>

#include "Prim_loops.h"
#include "tb/common/dut.h"
#include "tb/common/random.h"

namespace systolith::tb {
namespace {

struct Wait {
  uint32_t valid, flag, level, weights;
  uint16_t target, step;
};

class PrimLoopsTest : public RandomTest {
 protected:
  PrimLoopsTest() { Reset(dut_); }

  void Start(const std::array<uint32_t, 6>& counts) {
    for (int l = 0; l < 6; ++l) SetBits(dut_.counts_i, l * 32, 32, counts[l]);
    for (int i = 0; i < 4; ++i) {
      const Wait& w = waits_[i];
      SetBits(dut_.words_i, i * 64, 32,
              w.flag | w.level << 8 | w.weights << 11 | rng_.Below(32) << 16 | w.valid << 31);
      SetBits(dut_.words_i, i * 64 + 32, 32, w.target | uint32_t{w.step} << 16);
    }
    dut_.start_i = 1;
    Cycle(dut_);
    dut_.start_i = 0;
    for (int w = 0; w < 6; ++w) {
      SetBits(dut_.counts_i, w * 32, 32, rng_.U32());  // not needed any more
    }
    for (int w = 0; w < 8; ++w) SetBits(dut_.words_i, w * 32, 32, rng_.U32());
  }

  Prim_loops dut_;
  std::array<Wait, 4> waits_{};
};

TEST_F(PrimLoopsTest, WalksEveryIterationWithItsLevelsAddressesAndWaits) {
  for (int n = 0; n < 300; ++n) {
    std::array<uint32_t, 6> counts;
    for (uint32_t& count : counts) count = rng_.Chance(0.4) ? 1 : rng_.Range(1, 5);
    std::array<uint32_t, 2> bases;
    std::array<std::array<uint32_t, 6>, 2> strides;
    for (int f = 0; f < 2; ++f) {
      SetBits(dut_.bases_i, f * 32, 32, bases[f] = rng_.U32());
      for (int l = 0; l < 6; ++l) {
        SetBits(dut_.strides_i, (f * 6 + l) * 32, 32, strides[f][l] = rng_.U32());
      }
    }
    for (Wait& w : waits_) {
      w = {.valid = rng_.Chance(0.7), .flag = static_cast<uint32_t>(rng_.Below(64)),
           .level = static_cast<uint32_t>(rng_.Below(7)),
           .weights = static_cast<uint32_t>(rng_.Below(2)),
           .target = static_cast<uint16_t>(rng_.U32()), .step = static_cast<uint16_t>(rng_.U32())};
    }
    Start(counts);

    std::array<uint32_t, 6> index{};
    bool done = false;
    while (!done) {
      ASSERT_EQ(dut_.active_o, 1);
      uint32_t first = 1 << 6, last = 1 << 6;
      int carry = 5;
      for (int level = 5; level >= 0 && index[level] == 0; --level) first |= 1 << level;
      for (int level = 5; level >= 0 && index[level] == counts[level] - 1; --level) {
        last |= 1 << level;
        carry = level - 1;
      }
      ASSERT_EQ(dut_.first_levels_o, first);
      ASSERT_EQ(dut_.last_levels_o, last);
      ASSERT_EQ(dut_.carry_o, carry < 0 ? 7 : carry);
      for (int f = 0; f < 2; ++f) {
        uint32_t value = bases[f];
        for (int l = 0; l < 6; ++l) value += index[l] * strides[f][l];
        ASSERT_EQ(GetBits(dut_.values_o, f * 32, 32), value);
      }
      for (int l = 0; l < 6; ++l) ASSERT_EQ(GetBits(dut_.index_o, l * 32, 32), index[l]);

      // Flags about the targets: just reached, just not, and half the range away on either side.
      std::array<uint16_t, 64> flags;
      for (int f = 0; f < 64; ++f) flags[f] = static_cast<uint16_t>(rng_.U32());
      for (const Wait& w : waits_) {
        constexpr std::array<int, 6> kDistances = {0, -1, 1, 0x7fff, 0x8000, 0x8001};
        flags[w.flag] = static_cast<uint16_t>(w.target + kDistances[rng_.Below(6)]);
      }
      for (int tries = 0;; ++tries) {
        for (int f = 0; f < 64; ++f) SetBits(dut_.flags_i, f * 16, 16, flags[f]);
        dut_.eval();
        bool any = false;
        for (uint32_t weights = 0; weights < 2; ++weights) {
          int holding = -1;
          for (int i = 3; i >= 0; --i) {
            const Wait& w = waits_[i];
            const bool applies =
                w.valid != 0 && w.weights == weights && (first >> w.level & 1) != 0;
            if (applies && ((flags[w.flag] - w.target) & 0x8000) != 0) holding = i;
          }
          ASSERT_EQ(dut_.blocked_o >> weights & 1, holding >= 0 ? 1 : 0);
          if (holding >= 0) {
            ASSERT_EQ(dut_.blocked_flag_o >> (8 * weights) & 0xff,
                      static_cast<int>(waits_[holding].flag));
            any = true;
          }
        }
        if (!any) break;
        Cycle(dut_);
        // Two waits for one flag may need targets half the range apart: look for a value for both.
        for (const Wait& w : waits_) {
          flags[w.flag] = static_cast<uint16_t>(tries < 4 ? w.target : rng_.U32());
        }
        if (tries > 1000) break;
      }
      if (dut_.blocked_o != 0) {  // unsatisfiable: abandon the walk
        dut_.clear_i = 1;
        Cycle(dut_);
        dut_.clear_i = 0;
        break;
      }
      for (Wait& w : waits_) {
        if (w.valid != 0 && (first >> w.level & 1) != 0) w.target += w.step;
      }
      dut_.step_i = 1;
      Cycle(dut_);
      dut_.step_i = 0;
      int loop = 5;
      while (loop >= 0 && ++index[loop] == counts[loop]) index[loop--] = 0;
      done = loop < 0;
    }
    ASSERT_EQ(dut_.active_o, 0);
  }
}

TEST_F(PrimLoopsTest, CountsHave32Bits) {
  Start({1, 1, 0xffffffff, 1, 1, 2});
  for (int i = 0; i < 10; ++i) {
    EXPECT_EQ(GetBits(dut_.index_o, 64, 32), static_cast<uint32_t>(i / 2));
    EXPECT_EQ(dut_.last_levels_o, i % 2 == 0 ? 0x40 : 0x78);
    dut_.step_i = 1;
    Cycle(dut_);
    dut_.step_i = 0;
  }
}

}  // namespace
}  // namespace systolith::tb
