#ifndef SYSTOLITH_TB_MXU_MXU_DRIVER_H_
#define SYSTOLITH_TB_MXU_MXU_DRIVER_H_

#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <vector>

#include "host/arch/isa.h"
#include "tb/common/dut.h"
#include "tb/common/stream.h"
#include "tb/mxu/matmul_model.h"

namespace systolith::tb {

// The unified buffer behind one window port: rows in order, some cycles after their window.
class WindowPort {
 public:
  struct Pins {
    bool win_valid;
    uint32_t addr, begin, end, fill;
    bool row_ready;
  };

  WindowPort(Rng& rng, std::vector<uint8_t>& memory, int row_bytes)
      : rng_(rng), memory_(memory), row_bytes_(row_bytes) {}

  // `port_bytes` per cycle; 0 stalls and the shortest latency where `stalls` is 0.
  void Configure(double stalls, int port_bytes) {
    ready_ = std::make_unique<Stalls>(rng_, stalls);
    row_ = std::make_unique<Stalls>(rng_, stalls);
    slow_ = stalls > 0;
    port_bytes_ = port_bytes;
  }
  void Clear() { rows_.clear(), shows_ = false, fault_ = false; }

  bool win_ready() { return win_ready_ = rows_.size() < 6 && ready_->Go(); }
  // The row on offer, or null.
  const std::vector<uint8_t>* row(int64_t cycle) {
    if (!shows_) shows_ = !rows_.empty() && rows_.front().due <= cycle && row_->Go();
    return shows_ ? &rows_.front().bytes : nullptr;
  }
  bool fault() const { return fault_; }
  uint32_t fault_address() const { return fault_address_; }
  int64_t windows() const { return windows_; }
  bool accepted(const Pins& pins) const { return pins.win_valid && win_ready_; }

  void Edge(int64_t cycle, const Pins& pins) {
    if (shows_ && pins.row_ready) rows_.pop_front(), shows_ = false;
    fault_ = false;
    if (!accepted(pins)) return;
    windows_++;
    Row row;
    row.bytes.resize(row_bytes_);
    EXPECT_LE(pins.end, static_cast<uint32_t>(row_bytes_));
    bool outside = false;
    for (uint32_t b = 0; b < row.bytes.size(); b++) {
      const uint32_t address = pins.addr + b;
      row.bytes[b] = pins.fill >> (b % 4 * 8);
      if (b < pins.begin || b >= pins.end) continue;
      if (address >= memory_.size()) {
        if (!outside) fault_address_ = address;
        outside = true;
      } else {
        row.bytes[b] = memory_[address];
      }
    }
    fault_ = outside;
    const int64_t takes =
        pins.begin < pins.end ? (pins.end - pins.begin + port_bytes_ - 1) / port_bytes_ : 1;
    free_at_ = std::max(free_at_, cycle) + takes;
    row.due = free_at_ + 2 + (slow_ ? rng_.Range(0, 6) : 0);
    rows_.push_back(std::move(row));
  }

 private:
  struct Row {
    std::vector<uint8_t> bytes;
    int64_t due;
  };
  Rng& rng_;
  std::vector<uint8_t>& memory_;
  const int row_bytes_;
  std::unique_ptr<Stalls> ready_, row_;
  std::deque<Row> rows_;
  bool win_ready_ = false, shows_ = false, fault_ = false, slow_ = false;
  uint32_t fault_address_ = 0;
  int port_bytes_ = 1;
  int64_t windows_ = 0, free_at_ = 0;
};

struct MxuFault {
  uint32_t cause = 0, pc = 0;
  uint64_t address = 0;
};

// One MXU at its pins: an instruction queue in front, buffer models behind, flags all around.
template <typename Dut, int kRows, int kCols, int kAccumulatorRows>
class MxuDriver {
 public:
  static constexpr int kLine = kRows > kCols ? kRows : kCols;

  explicit MxuDriver(Rng& rng)
      : memory(1 << 16),
        rng_(rng),
        dut_(std::make_unique<Dut>()),
        act(rng, memory, kLine * 4),
        weven(rng, memory, kLine * 4),
        wodd(rng, memory, kLine * 4),
        instructions_(rng, 0),
        drains_(rng, 0) {
    for (auto& byte : memory) byte = rng_.U32();
    dut_->instr_valid_i = dut_->abort_i = dut_->drain_valid_i = 0;
    dut_->act_row_valid_i = dut_->weven_row_valid_i = dut_->wodd_row_valid_i = 0;
    dut_->queue_depth_i = 8;
    SetStalls(0);
    Reset(*dut_);
  }

  void SetStalls(double probability) {
    act.Configure(probability, kLine * 4);
    weven.Configure(probability, kLine * 2);
    wodd.Configure(probability, kLine * 2);
    drains_ = Stalls(rng_, probability > 0 ? 0.5 : 0);
    background_drains_ = probability > 0;
  }
  void SetQueueDepth(int depth) { dut_->queue_depth_i = depth; }

  template <typename Instruction>
  void Push(const Instruction& instruction, uint32_t pc) {
    std::array<uint32_t, 64> words{};
    arch::Encode(instruction, words);
    instructions_.Push({words, pc});
  }

  // One cycle. `before_edge` sees the settled outputs.
  void Cycle() {
    const auto* offer = instructions_.Offer();
    dut_->instr_valid_i = offer != nullptr;
    if (offer) {
      for (int i = 0; i < 64; i++) dut_->instr_i[i] = offer->first[i];
      dut_->instr_pc_i = offer->second;
    }
    for (int f = 0; f < 64; f++) SetBits(dut_->flags_i, f * 16, 16, flags[f]);
    const bool asks = drain_pending_ || (background_drains_ && drains_.Go());
    if (!drain_pending_) drain_row_ = static_cast<int>(rng_.Below(2 * kAccumulatorRows));
    dut_->drain_valid_i = asks;
    dut_->drain_row_i = drain_row_;

    dut_->act_win_ready_i = act.win_ready();
    dut_->weven_win_ready_i = weven.win_ready();
    dut_->wodd_win_ready_i = wodd.win_ready();
    Offer(act, dut_->act_row_valid_i, dut_->act_row_i);
    Offer(weven, dut_->weven_row_valid_i, dut_->weven_row_i);
    Offer(wodd, dut_->wodd_row_valid_i, dut_->wodd_row_i);
    dut_->act_fault_valid_i = act.fault(), dut_->act_fault_address_i = act.fault_address();
    dut_->weven_fault_valid_i = weven.fault(), dut_->weven_fault_address_i = weven.fault_address();
    dut_->wodd_fault_valid_i = wodd.fault(), dut_->wodd_fault_address_i = wodd.fault_address();

    dut_->clk_i = 0;
    dut_->eval();
    EXPECT_EQ(dut_->idle_o + dut_->busy_o + dut_->stall_o, 1) << "cycle " << cycle_;
    if (dut_->progress_o) last_progress_ = cycle_;
    if (dut_->act_row_valid_i && dut_->act_row_ready_o) row_cycles.push_back(cycle_);
    for (int s = 0; s < 2; s++) {
      if (dut_->signal_valid_o >> s & 1) raised[dut_->signal_flag_o >> (8 * s) & 255]++;
    }
    const WindowPort::Pins act_pins = {bool(dut_->act_win_valid_o), dut_->act_win_addr_o,
                                       dut_->act_win_begin_o,       dut_->act_win_end_o,
                                       dut_->act_win_fill_o,        bool(dut_->act_row_ready_o)};
    const WindowPort::Pins even_pins = {
        bool(dut_->weven_win_valid_o), dut_->weven_win_addr_o, dut_->weven_win_begin_o,
        dut_->weven_win_end_o,         dut_->weven_win_fill_o, bool(dut_->weven_row_ready_o)};
    const WindowPort::Pins odd_pins = {bool(dut_->wodd_win_valid_o), dut_->wodd_win_addr_o,
                                       dut_->wodd_win_begin_o,       dut_->wodd_win_end_o,
                                       dut_->wodd_win_fill_o,        bool(dut_->wodd_row_ready_o)};
    if (act.accepted(act_pins)) OnWindow(act.windows());
    if (weven.accepted(even_pins)) OnEvenLine(weven.windows());
    const bool instruction_taken = dut_->instr_ready_o;
    const bool granted = asks && dut_->drain_ready_o;

    dut_->clk_i = 1;
    dut_->eval();
    cycle_++;
    instructions_.Edge(instruction_taken);
    act.Edge(cycle_, act_pins);
    weven.Edge(cycle_, even_pins);
    wodd.Edge(cycle_, odd_pins);
    EXPECT_EQ(dut_->drain_data_valid_o, granted);
    if (dut_->drain_data_valid_o) {
      for (int n = 0; n < kCols; n++) drained_[n] = GetBits(dut_->drain_data_o, n * 32, 32);
      if (OnDrain) OnDrain(drain_row_, drained_);
    }
    drain_granted_ = granted;
    if (granted) drain_pending_ = false;
    if (asks && !granted) drain_pending_ = true;
    if (dut_->fault_valid_o) {
      faults.push_back({dut_->fault_cause_o, dut_->fault_pc_o, dut_->fault_address_o});
    }
  }

  bool idle() {
    dut_->eval();
    return instructions_.empty() && dut_->idle_o;
  }
  // Until idle; false if nothing moves for long.
  bool RunUntilIdle() {
    last_progress_ = cycle_;
    Cycle();
    while (!idle()) {
      Cycle();
      if (cycle_ - last_progress_ > 3000 || testing::Test::HasFailure()) return false;
    }
    return true;
  }

  std::vector<uint32_t> ReadAccumulator(int row) {
    const bool background = background_drains_;
    background_drains_ = false;
    while (drain_pending_) Cycle();
    drain_row_ = row;
    drain_pending_ = true;
    do Cycle();
    while (!drain_granted_);
    background_drains_ = background;
    return drained_;
  }

  // Stops everything, as the host interface does after a fault.
  void Abort() {
    dut_->abort_i = 1;
    for (int i = 0; i < 3; i++) Cycle();
    act.Clear(), weven.Clear(), wodd.Clear();
    dut_->abort_i = 0;
    faults.clear();
  }

  Dut& dut() { return *dut_; }
  int64_t cycle() const { return cycle_; }

  std::vector<uint8_t> memory;
  std::array<uint16_t, 64> flags{};
  std::array<int64_t, 256> raised{};
  std::vector<int64_t> row_cycles;  // in which rows left the activation port
  std::vector<MxuFault> faults;
  // Called before the edge at which a window is accepted, with the number of those before it.
  std::function<void(int64_t)> OnWindow = [](int64_t) {};
  std::function<void(int64_t)> OnEvenLine = [](int64_t) {};
  std::function<void(int, const std::vector<uint32_t>&)> OnDrain;

 private:
  template <typename Valid, typename Port>
  void Offer(WindowPort& port, Valid& valid, Port& row) {
    const std::vector<uint8_t>* bytes = port.row(cycle_);
    valid = bytes != nullptr;
    if (!bytes) return;
    for (size_t b = 0; b < bytes->size(); b += 4) {
      uint32_t word;
      std::memcpy(&word, bytes->data() + b, 4);
      SetBits(row, b * 8, 32, word);
    }
  }

  Rng& rng_;
  std::unique_ptr<Dut> dut_;
  WindowPort act, weven, wodd;
  StreamSource<std::pair<std::array<uint32_t, 64>, uint32_t>> instructions_;
  Stalls drains_;
  bool background_drains_ = false, drain_pending_ = false, drain_granted_ = false;
  int drain_row_ = 0;
  int64_t cycle_ = 0, last_progress_ = 0;
  std::vector<uint32_t> drained_ = std::vector<uint32_t>(kCols);
};

}  // namespace systolith::tb

#endif  // SYSTOLITH_TB_MXU_MXU_DRIVER_H_
