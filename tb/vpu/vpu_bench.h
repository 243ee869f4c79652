#ifndef SYSTOLITH_TB_VPU_VPU_BENCH_H_
#define SYSTOLITH_TB_VPU_VPU_BENCH_H_

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <deque>
#include <optional>
#include <utility>
#include <vector>

#include "tb/common/dut.h"
#include "tb/common/random.h"
#include "tb/common/stream.h"
#include "tb/vpu/vector_model.h"

namespace systolith::tb {

// Everything around one vpu: instruction queue, flags, windows, accumulators, row writer; each with
// its own stalls, each checking what it sees against the model.
template <typename Dut, int kLanes, int kCols, int kMxus>
class VpuBench {
 public:
  static constexpr VectorSizes kSizes{kLanes, kCols, kMxus, 64, 16384};

  VpuBench(Rng& rng, double stall)
      : model(kSizes), rng_(rng), instr_stalls_(rng, stall), drain_stalls_(rng, stall),
        write_stalls_(rng, stall), done_stalls_(rng, stall),
        row_stalls_{Stalls(rng, stall), Stalls(rng, stall), Stalls(rng, stall)},
        window_stalls_{Stalls(rng, stall), Stalls(rng, stall), Stalls(rng, stall)} {
    for (uint8_t& byte : model.memory) byte = static_cast<uint8_t>(rng.U32());
    for (auto& unit : model.accumulators) {
      for (auto& row : unit) {
        for (uint32_t& value : row) value = rng.U32();
      }
    }
    memory_ = model.memory;
    for (uint32_t& flag : flags) flag = rng.U32() & 0xffff;
    dut.queue_depth_i = 8;
    Reset(dut);
  }

  void Push(const arch::Vector& instruction, uint32_t pc) {
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
    Drive();  // with the answer to an accumulator row that was granted in the cycle before
    Cycle(dut);
    DropEverything();
    drain_answer_.reset();
  }

  bool Busy() const { return !instructions_.empty() || !dut.idle_o; }

  // Everything that the model says was seen.
  void ExpectComplete() {
    for (int port = 0; port < 3; ++port) EXPECT_EQ(windows_seen_[port], model.windows[port].size());
    EXPECT_EQ(drains_seen_, model.drains.size());
    EXPECT_EQ(writes_visible, model.writes.size());
    EXPECT_EQ(signals_seen_, model.signals.size());
    EXPECT_EQ(memory_, model.memory);
  }

  Dut dut;
  VectorModel model;
  std::array<uint32_t, arch::kFlags> flags{};
  // Raised by one at random times until they are reached.
  std::array<uint32_t, arch::kFlags> flags_planned{};
  double flag_rate = 0.05;
  int64_t cycle = 0;
  size_t writes_visible = 0;
  int64_t first_write_cycle = -1, last_write_cycle = -1;
  int64_t busy_cycles = 0, stall_cycles = 0, idle_cycles = 0;

 private:
  // Forgets what is on its way, as an abort does, and lets the model go on from the memory as it
  // is.
  void DropEverything() {
    instructions_.clear();
    instr_offered_ = false;
    for (int port = 0; port < 3; ++port) {
      rows_[port].clear();
      row_offered_[port] = false;
      model.windows[port].clear();
    }
    writes_pending_.clear();
    done_ = false;
    model.memory = memory_;
    model.drains.clear();
    model.writes.clear();
    model.signals.clear();
    windows_seen_ = {};
    drains_seen_ = writes_seen_ = signals_seen_ = writes_visible = 0;
  }

  struct Instruction {
    std::array<uint32_t, arch::kMaxWords> words;
    uint32_t pc;
  };

  bool Reached(const FlagNeed& need) const {
    return static_cast<int16_t>(flags[need.flag] - need.target) >= 0;
  }

  void CheckRead(const RowRead& read) {
    for (const FlagNeed& need : read.needs) {
      EXPECT_TRUE(Reached(need)) << "flag " << need.flag << " is at " << flags[need.flag]
                                 << ", needed " << need.target;
    }
    EXPECT_GE(writes_visible, read.writes_before);
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
    uint32_t window_ready = 0, row_valid = 0;
    for (int port = 0; port < 3; ++port) {
      if (rows_[port].size() < 6 && window_stalls_[port].Go()) window_ready |= 1u << port;
      if (!row_offered_[port]) row_offered_[port] = !rows_[port].empty() && row_stalls_[port].Go();
      if (!row_offered_[port]) continue;
      row_valid |= 1u << port;
      for (int w = 0; w < kLanes; ++w) {
        uint32_t word;
        std::memcpy(&word, rows_[port].front().data() + w * 4, 4);
        dut.row_i[port * kLanes + w] = word;
      }
    }
    dut.win_ready_i = window_ready;
    dut.row_valid_i = row_valid;

    dut.drain_ready_i = 0;
    for (int m = 0; m < kMxus; ++m) dut.drain_ready_i |= (drain_stalls_.Go() ? 1 : 0) << m;
    dut.drain_data_valid_i = 0;
    for (int w = 0; w < kMxus * kCols; ++w) SetBits(dut.drain_data_i, w * 32, 32, rng_.U32());
    if (drain_answer_) {
      const auto [unit, row] = *drain_answer_;
      dut.drain_data_valid_i = 1 << unit;
      for (int c = 0; c < kCols; ++c) {
        SetBits(dut.drain_data_i, (unit * kCols + c) * 32, 32, model.accumulators[unit][row][c]);
      }
    }
    dut.wr_ready_i = writes_pending_.size() < 4 && write_stalls_.Go();
    dut.wr_done_i = done_;
  }

  void Observe() {
    if (dut.idle_o) idle_cycles++;
    if (dut.busy_o) busy_cycles++;
    if (dut.stall_o) stall_cycles++;
    EXPECT_EQ(dut.idle_o + dut.busy_o + dut.stall_o, 1) << "one of idle, busy, stalled";
    if (dut.waiting_o) {
      EXPECT_NE(flags[dut.wait_flag_o], flags_planned[dut.wait_flag_o]);
    }
    if (dut.instr_valid_i && dut.instr_ready_o) {
      instructions_.pop_front();
      instr_offered_ = false;
    }
    ObserveWindows();
    ObserveDrains();
    ObserveWriter();
    ObserveSignals();
  }

  void ObserveWindows() {
    for (int port = 0; port < 3; ++port) {
      if (dut.row_valid_i >> port & dut.row_ready_o >> port & 1) {
        rows_[port].pop_front();
        row_offered_[port] = false;
      }
      if (!(dut.win_valid_o >> port & dut.win_ready_i >> port & 1)) continue;
      const auto& expected = model.windows[port];
      if (windows_seen_[port] >= expected.size()) {
        ADD_FAILURE() << "window " << port << " too many";
        return;
      }
      const RowRead& read = expected[windows_seen_[port]++];
      CheckRead(read);
      EXPECT_EQ(GetBits(dut.win_addr_o, port * 32, 32), read.address) << "port " << port;
      EXPECT_EQ(GetBits(dut.win_end_o, port * 12, 12), read.bytes) << "port " << port;
      EXPECT_EQ(GetBits(dut.win_begin_o, port * 12, 12), 0u);
      std::vector<uint8_t> row(kLanes * 4, 0);  // bytes behind the window are fill, here 0
      std::copy_n(memory_.begin() + read.address, read.bytes, row.begin());
      rows_[port].push_back(row);
    }
  }

  void ObserveDrains() {
    drain_answer_.reset();
    for (int m = 0; m < kMxus; ++m) {
      if (!(dut.drain_valid_o >> m & dut.drain_ready_i >> m & 1)) continue;
      if (drains_seen_ >= model.drains.size()) {
        ADD_FAILURE() << "accumulator row too many";
        return;
      }
      const RowRead& read = model.drains[drains_seen_++];
      CheckRead(read);
      EXPECT_EQ(static_cast<uint32_t>(m), read.unit);
      EXPECT_EQ(GetBits(dut.drain_row_o, m * 16, 16), read.row);
      drain_answer_ = {m, read.row};
    }
  }

  // A row accepted is visible, and done, some cycles later.
  void ObserveWriter() {
    done_ = false;
    if (!writes_pending_.empty() && done_stalls_.Go()) {
      const RowWrite& write = model.writes[writes_pending_.front()];
      std::copy(write.bytes.begin(), write.bytes.end(), memory_.begin() + write.address);
      writes_pending_.pop_front();
      writes_visible++;
      done_ = true;
    }
    if (!dut.wr_valid_o || !dut.wr_ready_i) return;
    if (writes_seen_ >= model.writes.size()) {
      ADD_FAILURE() << "row written too many";
      return;
    }
    const RowWrite& write = model.writes[writes_seen_++];
    ASSERT_EQ(dut.wr_bytes_o, write.bytes.size());
    if (!write.bytes.empty()) {
      EXPECT_EQ(dut.wr_addr_o, write.address);
      for (size_t b = 0; b < write.bytes.size(); ++b) {
        ASSERT_EQ(GetBits(dut.wr_row_o, b * 8, 8), write.bytes[b])
            << "byte " << b << " of row " << writes_seen_ - 1;
      }
      if (first_write_cycle < 0) first_write_cycle = cycle;
      last_write_cycle = cycle;
    }
    writes_pending_.push_back(writes_seen_ - 1);
  }

  void ObserveSignals() {
    if (dut.signal_valid_o == 0) return;
    if (signals_seen_ >= model.signals.size()) {
      ADD_FAILURE() << "signal too many";
      return;
    }
    const Signal& signal = model.signals[signals_seen_++];
    EXPECT_GE(writes_visible, signal.writes_before);
    for (int s = 0; s < 2; ++s) {
      ASSERT_EQ(dut.signal_valid_o >> s & 1, signal.flags[s].has_value() ? 1 : 0);
      if (signal.flags[s]) {
        EXPECT_EQ(dut.signal_flag_o >> (8 * s) & 0xffu, *signal.flags[s]);
      }
    }
  }

  Rng& rng_;
  Stalls instr_stalls_, drain_stalls_, write_stalls_, done_stalls_;
  std::array<Stalls, 3> row_stalls_, window_stalls_;
  std::vector<uint8_t> memory_;
  std::deque<Instruction> instructions_;
  bool instr_offered_ = false;
  std::array<std::deque<std::vector<uint8_t>>, 3> rows_;
  std::array<bool, 3> row_offered_{};
  std::optional<std::pair<int, uint32_t>> drain_answer_;
  std::deque<size_t> writes_pending_;  // of model.writes
  bool done_ = false;
  std::array<size_t, 3> windows_seen_{};
  size_t drains_seen_ = 0, writes_seen_ = 0, signals_seen_ = 0;
};

}  // namespace systolith::tb

#endif  // SYSTOLITH_TB_VPU_VPU_BENCH_H_
