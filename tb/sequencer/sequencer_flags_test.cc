// Tests rtl/sequencer/sequencer_flags.sv and sequencer_watchdog.sv at their pins.
#include <gtest/gtest.h>

#include <array>

#include "Vsequencer_flags.h"
#include "Vsequencer_watchdog.h"
#include "tb/common/dut.h"
#include "tb/common/random.h"

namespace systolith::tb {
namespace {

constexpr int kEngines = 6;

class SequencerFlagsTest : public RandomTest {};

TEST_F(SequencerFlagsTest, CountsEverySignalOfACycle) {
  Vsequencer_flags dut;
  dut.clear_i = dut.signal_valid_i = dut.host_valid_i = 0;
  Reset(dut);
  std::array<uint16_t, 64> expected{};
  for (int cycle = 0; cycle < 20000; ++cycle) {
    dut.signal_valid_i = 0;
    for (int s = 0; s < 2 * kEngines; ++s) {
      // An engine owns the flags congruent to its number, and may raise one twice.
      const auto flag = static_cast<uint32_t>(rng_.Below(3) * kEngines + s / 2);
      SetBits(dut.signal_flag_i, s * 8, 8, flag);
      if (rng_.Chance(0.3)) {
        dut.signal_valid_i |= 1u << s;
        ++expected[flag];
      }
    }
    dut.host_valid_i = rng_.Chance(0.2);
    dut.host_flag_i = static_cast<uint8_t>(rng_.Range(56, 63));
    dut.host_increment_i = static_cast<uint16_t>(rng_.U32());
    if (dut.host_valid_i) expected[dut.host_flag_i] += dut.host_increment_i;
    dut.clear_i = rng_.Chance(0.0005);
    if (dut.clear_i) expected.fill(0);
    Cycle(dut);
    for (int f = 0; f < 64; ++f) {
      ASSERT_EQ(GetBits(dut.flags_o, f * 16, 16), expected[f]) << "flag " << f;
    }
  }
}

class SequencerWatchdogTest : public RandomTest {
 protected:
  SequencerWatchdogTest() {
    dut_.running_i = 0;
    dut_.limit_i = 17;
    dut_.progress_i = dut_.busy_i = dut_.stall_i = dut_.waiting_i = 0;
    for (int e = 0; e < kEngines; ++e) {
      SetBits(dut_.pc_i, e * 32, 32, 0x100u + e * 16);
      SetBits(dut_.wait_flag_i, e * 8, 8, 40 + e);
    }
    Reset(dut_);
    dut_.running_i = 1;
  }
  int CyclesToFault(int limit) {
    for (int cycle = 1; cycle <= limit; ++cycle) {
      Cycle(dut_);
      if (dut_.fault_valid_o) return cycle;
    }
    return -1;
  }
  Vsequencer_watchdog dut_;
};

TEST_F(SequencerWatchdogTest, NamesTheLowestWaitingEngineFirst) {
  dut_.busy_i = 0b00010;
  dut_.stall_i = 0b11001;
  dut_.waiting_i = 0b11000;
  EXPECT_EQ(CyclesToFault(100), 17);
  EXPECT_EQ(dut_.fault_engine_o, 3);
  EXPECT_EQ(dut_.fault_pc_o, 0x130u);
  EXPECT_EQ(dut_.fault_flag_o, 43);
}

TEST_F(SequencerWatchdogTest, ElseTheLowestBusyOneWithoutAFlag) {
  dut_.busy_i = 0b10100;
  dut_.stall_i = 0b00001;
  EXPECT_EQ(CyclesToFault(100), 17);
  EXPECT_EQ(dut_.fault_engine_o, 2);
  EXPECT_EQ(dut_.fault_pc_o, 0x120u);
  EXPECT_EQ(dut_.fault_flag_o, 0xff);
}

TEST_F(SequencerWatchdogTest, ProgressStartsTheCountAnew) {
  for (int cycle = 0; cycle < 1000; ++cycle) {
    dut_.progress_i = cycle % 16 == 0 ? 1u << rng_.Below(kEngines) : 0;
    Cycle(dut_);
    ASSERT_FALSE(dut_.fault_valid_o);
  }
}

TEST_F(SequencerWatchdogTest, NeverBitesWithoutALimitOrAJob) {
  dut_.limit_i = 0;
  EXPECT_EQ(CyclesToFault(500), -1);
  dut_.limit_i = 3;
  dut_.running_i = 0;
  EXPECT_EQ(CyclesToFault(500), -1);
}

}  // namespace
}  // namespace systolith::tb
