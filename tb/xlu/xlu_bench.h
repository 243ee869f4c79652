#ifndef SYSTOLITH_TB_XLU_XLU_BENCH_H_
#define SYSTOLITH_TB_XLU_XLU_BENCH_H_

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <deque>
#include <vector>

#include "tb/common/dut.h"
#include "tb/common/random.h"
#include "tb/common/stream.h"
#include "tb/xlu/transpose_model.h"

namespace systolith::tb {

// Everything around one xlu: instruction queue, flags, window, row writer; each with its own
// stalls, each checking what it sees against the model.
template <typename Dut, uint32_t lanes>
class XluBench {
 public:
  static constexpr uint32_t kLanes = lanes;
  static constexpr uint32_t kBufferBytes = 262144;

  XluBench(Rng& rng, double stall)
      : model(kLanes, kBufferBytes), rng_(rng), instr_stalls_(rng, stall),
        window_stalls_(rng, stall), row_stalls_(rng, stall), write_stalls_(rng, stall),
        done_stalls_(rng, stall) {
    for (uint8_t& byte : model.memory) byte = static_cast<uint8_t>(rng.U32());
    memory_ = model.memory;
    for (uint32_t& flag : flags) flag = rng.U32() & 0xffff;
    flags_planned = flags;
    dut.queue_depth_i = 8;
    Reset(dut);
  }

  void Push(const arch::Transpose& instruction, uint32_t pc) {
    std::array<uint32_t, arch::kMaxWords> words{};
    arch::Encode(instruction, words);
    instructions_.push_back({words, pc});
  }

  // One cycle. Fails the test where a pin shows what the model did not say.
  void Step() {
    Drive();
    dut.eval();
    Observe();
    Cycle(dut);
    cycle++;
  }

  // One cycle in which what the unit offers is dropped unseen, as its partners do under `clear_o`.
  void DropStep() {
    DropEverything();
    Drive();
    Cycle(dut);
    DropEverything();
  }

  bool Busy() const { return !instructions_.empty() || !dut.idle_o; }

  // Everything that the model says was seen.
  void ExpectComplete() {
    EXPECT_EQ(reads_seen_, model.reads.size());
    EXPECT_EQ(writes_visible, model.writes.size());
    EXPECT_EQ(signals_seen_, model.signals.size());
    EXPECT_EQ(memory_, model.memory);
  }

  Dut dut;
  TransposeModel model;
  std::array<uint32_t, arch::kFlags> flags{};
  // Raised by one at random times until they are reached.
  std::array<uint32_t, arch::kFlags> flags_planned{};
  double flag_rate = 0.05;
  int64_t cycle = 0;
  size_t writes_visible = 0;
  int64_t first_read_cycle = -1, last_read_cycle = -1;
  int64_t first_write_cycle = -1, last_write_cycle = -1;

 private:
  struct Instruction {
    std::array<uint32_t, arch::kMaxWords> words;
    uint32_t pc;
  };

  // A row accepted by the writer. Rows without bytes are no rows of the model.
  struct Pending {
    bool writes;
    RowWrite write;
  };

  // Forgets what is on its way, as an abort does, and lets the model go on from the memory as it
  // is.
  void DropEverything() {
    instructions_.clear();
    rows_.clear();
    pending_.clear();
    instr_offered_ = row_offered_ = done_ = false;
    model.memory = memory_;
    model.reads.clear();
    model.writes.clear();
    model.signals.clear();
    reads_seen_ = writes_seen_ = signals_seen_ = writes_visible = 0;
  }

  void CheckNeeds(const std::vector<FlagNeed>& needs) {
    for (const FlagNeed& need : needs) {
      EXPECT_GE(static_cast<int16_t>(flags[need.flag] - need.target), 0)
          << "flag " << need.flag << " is at " << flags[need.flag] << ", needed " << need.target;
    }
  }

  void Drive() {
    for (int f = 0; f < arch::kFlags; ++f) {
      if (flags[f] != flags_planned[f] && rng_.Chance(flag_rate)) {
        flags[f] = (flags[f] + 1) & 0xffff;
      }
      SetBits(dut.flags_i, f * 16, 16, flags[f]);
    }
    if (!instr_offered_) instr_offered_ = !instructions_.empty() && instr_stalls_.Go();
    dut.instr_valid_i = instr_offered_;
    if (instr_offered_) {
      for (int w = 0; w < arch::kMaxWords; ++w) {
        dut.instr_i[w] = instructions_.front().words[w];
      }
      dut.instr_pc_i = instructions_.front().pc;
    }
    dut.win_ready_i = rows_.size() < 6 && window_stalls_.Go();
    if (!row_offered_) row_offered_ = !rows_.empty() && row_stalls_.Go();
    dut.row_valid_i = row_offered_;
    if (row_offered_) std::memcpy(&dut.row_i[0], rows_.front().data(), kLanes * 4);
    dut.wr_ready_i = pending_.size() < 4 && write_stalls_.Go();
    dut.wr_done_i = done_;
  }

  void Observe() {
    EXPECT_EQ(dut.idle_o + dut.busy_o + dut.stall_o, 1) << "one of idle, busy, stalled";
    if (dut.waiting_o) {
      EXPECT_NE(flags[dut.wait_flag_o], flags_planned[dut.wait_flag_o]);
    }
    if (dut.instr_valid_i && dut.instr_ready_o) {
      instructions_.pop_front();
      instr_offered_ = false;
    }
    ObserveWindow();
    ObserveWriter();
    ObserveSignals();
  }

  void ObserveWindow() {
    if (dut.row_valid_i && dut.row_ready_o) {
      rows_.pop_front();
      row_offered_ = false;
    }
    if (!dut.win_valid_o || !dut.win_ready_i) return;
    ASSERT_LT(reads_seen_, model.reads.size()) << "a read too many";
    const RowRead& read = model.reads[reads_seen_++];
    CheckNeeds(read.needs);
    EXPECT_GE(writes_visible, read.writes_before);
    EXPECT_EQ(dut.win_addr_o, read.address);
    EXPECT_EQ(dut.win_end_o, read.bytes);
    EXPECT_EQ(dut.win_begin_o, 0);
    std::vector<uint8_t> row(kLanes * 4);
    for (uint8_t& byte : row) byte = static_cast<uint8_t>(rng_.U32());  // beyond the window: any
    std::copy_n(memory_.begin() + read.address, read.bytes, row.begin());
    rows_.push_back(row);
    if (first_read_cycle < 0) first_read_cycle = cycle;
    last_read_cycle = cycle;
  }

  // A row accepted is visible, and done, some cycles later.
  void ObserveWriter() {
    done_ = false;
    if (!pending_.empty() && done_stalls_.Go()) {
      const Pending& row = pending_.front();
      std::copy(row.write.bytes.begin(), row.write.bytes.end(),
                memory_.begin() + row.write.address);
      if (row.writes) writes_visible++;
      pending_.pop_front();
      done_ = true;
    }
    if (!dut.wr_valid_o || !dut.wr_ready_i) return;
    if (dut.wr_bytes_o == 0) {
      pending_.push_back({false, {}});
      return;
    }
    ASSERT_LT(writes_seen_, model.writes.size()) << "a row written too many";
    const RowWrite& write = model.writes[writes_seen_++];
    EXPECT_EQ(dut.wr_addr_o, write.address);
    ASSERT_EQ(dut.wr_bytes_o, write.bytes.size());
    const auto* written = reinterpret_cast<const uint8_t*>(&dut.wr_row_o[0]);
    ASSERT_TRUE(std::equal(write.bytes.begin(), write.bytes.end(), written))
        << "row " << writes_seen_ - 1;
    if (first_write_cycle < 0) first_write_cycle = cycle;
    last_write_cycle = cycle;
    pending_.push_back({true, write});
  }

  void ObserveSignals() {
    if (dut.signal_valid_o == 0) return;
    ASSERT_LT(signals_seen_, model.signals.size()) << "a signal too many";
    const Signal& signal = model.signals[signals_seen_++];
    CheckNeeds(signal.needs);
    EXPECT_GE(writes_visible, signal.writes_before);
    for (int s = 0; s < 2; ++s) {
      ASSERT_EQ(dut.signal_valid_o >> s & 1, signal.flags[s].has_value() ? 1 : 0);
      if (signal.flags[s]) {
        EXPECT_EQ(dut.signal_flag_o >> (8 * s) & 0xffu, *signal.flags[s]);
      }
    }
  }

  Rng& rng_;
  Stalls instr_stalls_, window_stalls_, row_stalls_, write_stalls_, done_stalls_;
  std::vector<uint8_t> memory_;
  std::deque<Instruction> instructions_;
  bool instr_offered_ = false;
  std::deque<std::vector<uint8_t>> rows_;
  bool row_offered_ = false;
  std::deque<Pending> pending_;
  bool done_ = false;
  size_t reads_seen_ = 0, writes_seen_ = 0, signals_seen_ = 0;
};

}  // namespace systolith::tb

#endif  // SYSTOLITH_TB_XLU_XLU_BENCH_H_
