#ifndef SYSTOLITH_TB_VPU_VPU_BENCH_H_
#define SYSTOLITH_TB_VPU_VPU_BENCH_H_

#include <gtest/gtest.h>

#include <array>
#include <cstring>
#include <deque>
#include <functional>
#include <optional>
#include <utility>
#include <vector>

#include "tb/common/dut.h"
#include "tb/common/random.h"
#include "tb/common/stream.h"
#include "tb/vpu/vpu_model.h"

namespace systolith::tb {

// Everything around one vpu: instruction queue, flags, buffer, accumulators, each port with stalls
// of its own.
template <typename Dut, int kLanes, int kSublanes, int kCols, int kMxus, int kReads, int kWrites>
class VpuBench {
 public:
  static constexpr VpuSizes kSizes{kLanes, kSublanes, kCols, kMxus, kReads, kWrites};

  VpuBench(Rng& rng, double stall)
      : memory(VpuSizes::kBufferBytes),
        rng_(rng),
        instr_stalls_(rng, stall) {
    for (int p = 0; p < kReads; ++p) read_stalls_.emplace_back(rng, stall);
    for (int p = 0; p < kWrites; ++p) write_stalls_.emplace_back(rng, stall);
    for (int m = 0; m < kMxus; ++m) {
      drain_stalls_.emplace_back(rng, stall);
      accumulators[m].resize(size_t{2} * VpuSizes::kAccumulatorRows * kCols);
      for (uint32_t& value : accumulators[m]) value = rng.U32();
    }
    for (uint8_t& byte : memory) byte = static_cast<uint8_t>(rng.U32());
    for (uint32_t& flag : flags) flag = rng.U32() & 0xffff;
    flags_planned = flags;
    dut.queue_depth_i = 8;
    Reset(dut);
    Launch();
  }

  void Launch() {
    dut.launch_i = 1;
    Cycle(dut);
    dut.launch_i = 0;
  }

  void Push(const VpuInstruction& instruction) { instructions_.push_back(instruction); }
  // Of what was pushed last.
  uint32_t LastPc() const { return instructions_.back().pc; }

  // One cycle. Everything that is observed stands in the members below.
  void Step() {
    Drive();
    dut.eval();
    Observe();
    Cycle(dut);
    cycle++;
  }

  bool Busy() const { return !instructions_.empty() || instr_offered_ || !dut.idle_o; }

  // Forgets what is on its way, as the chip does.
  void Abort() {
    instructions_.clear();
    instr_offered_ = false;
    dut.abort_i = 1;
    const int cycles = static_cast<int>(rng_.Range(1, 4));
    for (int i = 0; i < cycles; ++i) Step();
    dut.abort_i = 0;
    fault.reset();
    signals.clear();
    flags_planned = flags;
    Step();
    Launch();
  }

  Dut dut;
  std::vector<uint8_t> memory;
  std::array<std::vector<uint32_t>, kMxus> accumulators;
  std::array<uint32_t, arch::kFlags> flags{};
  // Flags are raised by one at random times until they get there.
  std::array<uint32_t, arch::kFlags> flags_planned{};
  double flag_rate = 0.05;
  std::function<void(uint32_t)> on_raise;                // before a flag rises
  std::function<void(const SignalPair&)> on_signal;      // in the cycle of a signal
  int64_t cycle = 0, busy_cycles = 0, stall_cycles = 0, idle_cycles = 0;
  int64_t reads = 0, writes = 0, first_write = -1, last_write = -1;
  std::vector<SignalPair> signals;
  std::optional<golden::FaultRecord> fault;

 private:
  static constexpr int kWordBytes = 2 * kLanes;
  static constexpr int kAddrWidth = __builtin_ctz(VpuSizes::kBufferBytes / kWordBytes);
  static constexpr size_t kWordBits = size_t{kWordBytes} * 8;

  void Drive() {
    for (int f = 0; f < arch::kFlags; ++f) {
      if (flags[f] != flags_planned[f] && rng_.Chance(flag_rate)) {
        if (on_raise) on_raise(static_cast<uint32_t>(f));
        flags[f] = (flags[f] + 1) & 0xffff;
      }
      SetBits(dut.flags_i, size_t(f) * 16, 16, flags[f]);
    }
    if (!instr_offered_) instr_offered_ = !instructions_.empty() && instr_stalls_.Go();
    dut.instr_valid_i = instr_offered_;
    if (instr_offered_) {
      for (int w = 0; w < arch::kMaxWords; ++w) dut.instr_i[w] = instructions_.front().words[w];
      dut.instr_pc_i = instructions_.front().pc;
    }
    dut.rd_ready_i = Ready(read_stalls_);
    dut.wr_ready_i = Ready(write_stalls_);
    dut.drain_ready_i = Ready(drain_stalls_);
    // The answers to what was granted in the cycle before; noise elsewhere.
    dut.rd_data_valid_i = 0;
    for (int p = 0; p < kReads; ++p) {
      for (size_t w = 0; w < kWordBits / 32; ++w) {
        uint32_t value = 0xdeadbeef;
        if (read_answers_[p]) std::memcpy(&value, read_answers_[p]->data() + w * 4, 4);
        SetBits(dut.rd_data_i, p * kWordBits + w * 32, 32, value);
      }
      if (read_answers_[p]) dut.rd_data_valid_i |= 1u << p;
      read_answers_[p].reset();
    }
    dut.drain_data_valid_i = 0;
    for (int m = 0; m < kMxus; ++m) {
      for (int c = 0; c < kCols; ++c) {
        const uint32_t value =
            drain_answers_[m] ? accumulators[m][*drain_answers_[m] * kCols + c] : 0xdeadbeef;
        SetBits(dut.drain_data_i, (size_t(m) * kCols + c) * 32, 32, value);
      }
      if (drain_answers_[m]) dut.drain_data_valid_i |= 1u << m;
      drain_answers_[m].reset();
    }
  }

  static uint32_t Ready(std::vector<Stalls>& stalls) {
    uint32_t ready = 0;
    for (size_t p = 0; p < stalls.size(); ++p) ready |= (stalls[p].Go() ? 1u : 0u) << p;
    return ready;
  }

  void Observe() {
    idle_cycles += dut.idle_o;
    busy_cycles += dut.busy_o;
    stall_cycles += dut.stall_o;
    EXPECT_EQ(dut.idle_o + dut.busy_o + dut.stall_o, 1) << "one of idle, busy, stalled";
    if (dut.waiting_o) {
      EXPECT_NE(flags[dut.wait_flag_o], flags_planned[dut.wait_flag_o]);
    }
    if (dut.instr_valid_i && dut.instr_ready_o) {
      instructions_.pop_front();
      instr_offered_ = false;
    }
    ObservePorts();
    if (dut.signal_valid_o != 0) {
      SignalPair pair;
      for (int s = 0; s < 2; ++s) {
        if (dut.signal_valid_o >> s & 1) pair[s] = dut.signal_flag_o >> (8 * s) & 0xff;
      }
      signals.push_back(pair);
      if (on_signal) on_signal(pair);
    }
    if (dut.fault_valid_o) {
      EXPECT_FALSE(fault.has_value()) << "two faults";
      fault = golden::FaultRecord{.cause = static_cast<arch::Fault>(dut.fault_cause_o),
                                  .pc = dut.fault_pc_o,
                                  .address = dut.fault_address_o};
    }
  }

  void ObservePorts() {
    for (int p = 0; p < kReads; ++p) {
      if (!(dut.rd_valid_o >> p & dut.rd_ready_i >> p & 1)) continue;
      const size_t at = GetBits(dut.rd_addr_o, size_t(p) * kAddrWidth, kAddrWidth) * kWordBytes;
      auto& answer = read_answers_[p].emplace();
      std::memcpy(answer.data(), memory.data() + at, kWordBytes);
      reads++;
    }
    for (int m = 0; m < kMxus; ++m) {
      if (!(dut.drain_valid_o >> m & dut.drain_ready_i >> m & 1)) continue;
      const uint32_t row = GetBits(dut.drain_row_o, size_t(m) * 16, 16);
      EXPECT_LT(row, 2u * VpuSizes::kAccumulatorRows);
      drain_answers_[m] = row % (2u * VpuSizes::kAccumulatorRows);
    }
    for (int p = 0; p < kWrites; ++p) {
      if (!(dut.wr_valid_o >> p & dut.wr_ready_i >> p & 1)) continue;
      const size_t at = GetBits(dut.wr_addr_o, size_t(p) * kAddrWidth, kAddrWidth) * kWordBytes;
      for (int b = 0; b < kWordBytes; ++b) {
        if (GetBits(dut.wr_mask_o, size_t(p) * kWordBytes + b, 1) == 0) continue;
        memory[at + b] = static_cast<uint8_t>(GetBits(dut.wr_data_o, p * kWordBits + b * 8, 8));
      }
      writes++;
      last_write = cycle;
      if (first_write < 0) first_write = cycle;
    }
  }

  Rng& rng_;
  Stalls instr_stalls_;
  std::vector<Stalls> read_stalls_, write_stalls_, drain_stalls_;
  std::deque<VpuInstruction> instructions_;
  bool instr_offered_ = false;
  std::array<std::optional<std::array<uint8_t, kWordBytes>>, kReads> read_answers_;
  std::array<std::optional<uint32_t>, kMxus> drain_answers_;
};

}  // namespace systolith::tb

#endif  // SYSTOLITH_TB_VPU_VPU_BENCH_H_
