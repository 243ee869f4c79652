#ifndef SYSTOLITH_TB_DMA_DMA_BENCH_H_
#define SYSTOLITH_TB_DMA_DMA_BENCH_H_

#include <deque>
#include <functional>
#include <memory>
#include <utility>
#include <vector>

#include "host/arch/isa.h"
#include "tb/common/dut.h"
#include "tb/common/random.h"
#include "tb/common/stream.h"
#include "tb/dma/dma_model.h"
#include "tb/dma/line_port.h"

namespace systolith::tb {

inline constexpr int kBufferBytes = 16384;
inline constexpr int64_t kMemoryBytes = 1 << 16;

// A size of one engine: the verilated block and the parameters that it was built with.
template <typename DutType, bool store, int word_bytes, int line_bytes, int outstanding>
struct DmaSize {
  using Dut = DutType;
  static constexpr bool kStore = store;
  static constexpr int kWordBytes = word_bytes, kLineBytes = line_bytes;
  static constexpr int kOutstanding = outstanding;
};

struct DmaFault {
  uint32_t cause = 0, pc = 0;
  uint64_t address = 0;
};

// One DMA engine between a memory, a unified buffer, a segment table and flags.
template <typename Size>
class DmaBench {
 public:
  using Dut = typename Size::Dut;
  static constexpr int kWord = Size::kWordBytes, kLine = Size::kLineBytes;
  struct Segment {
    uint64_t base = 0, bytes = 0;
    bool readable = false, writable = false;
  };

  DmaBench(Rng& rng, double stall, LinePortOptions line)
      : rng_(rng), memory(kMemoryBytes), buffer(kBufferBytes), segments(64),
        port(rng, kLine, memory, line), buffer_stalls_(rng, stall), dut_(std::make_unique<Dut>()) {
    for (auto& byte : memory) byte = static_cast<uint8_t>(rng.U32());
    for (auto& byte : buffer) byte = static_cast<uint8_t>(rng.U32());
    segments[3] = {4096, kMemoryBytes - 8192, true, true};
    ResetDut();
  }

  void ResetDut() {
    dut_->instr_valid_i = 0;
    dut_->abort_i = 0;
    dut_->rsp_valid_i = 0;
    dut_->rd_data_valid_i = 0;
    dut_->queue_depth_i = 8;
    queue_.clear();
    port.Drop();
    read_pending_ = false;
    Reset(*dut_);
  }

  // Queues an instruction; `pc` is what faults will name.
  template <typename Instruction>
  void Push(const Instruction& instruction, uint32_t pc = 0) {
    std::array<uint32_t, 64> words{};
    arch::Encode(instruction, words);
    queue_.push_back({words, pc});
  }

  void SetFlag(int flag, uint16_t value) {
    flags[flag] = value;
  }

  // One clock cycle.
  void Step() {
    Dut& d = *dut_;
    d.instr_valid_i = !queue_.empty();
    if (!queue_.empty()) {
      for (int i = 0; i < 64; i++) d.instr_i[i] = queue_.front().first[i];
      d.instr_pc_i = queue_.front().second;
    }
    for (int i = 0; i < 64; i++) SetBits(d.flags_i, i * 16, 16, flags[i]);
    d.abort_i = abort;
    const Segment& segment = segments[segment_index_];
    d.seg_base_i = segment.base;
    d.seg_bytes_i = segment.bytes;
    if constexpr (Size::kStore) d.seg_writable_i = segment.writable;
    else d.seg_readable_i = segment.readable;

    d.rd_data_valid_i = read_pending_;
    if (read_pending_) std::memcpy(&d.rd_data_i, &buffer[read_addr_ * kWord], kWord);
    const auto answer = port.Answer();
    d.rsp_valid_i = answer.has_value();
    if (answer) {
      d.rsp_tag_i = answer->tag;
      if constexpr (!Size::kStore) std::memcpy(&d.rsp_data_i, answer->data.data(), kLine);
    }
    d.rd_ready_i = buffer_stalls_.Go();
    d.req_ready_i = port.Ready();
    if constexpr (!Size::kStore) d.wr_ready_i = buffer_stalls_.Go();
    d.clk_i = 0;
    d.eval();

    const bool accepted = d.instr_valid_i && d.instr_ready_o;
    const bool read = d.rd_valid_o && d.rd_ready_i;
    const uint32_t read_addr = d.rd_addr_o;
    EXPECT_FALSE(d.busy_o && d.stall_o);
    EXPECT_EQ(d.idle_o, !d.busy_o && !d.stall_o);
    stalled = d.stall_o;
    if (d.signal_valid_o & 1) Signal(d.signal_flag_o & 0xff);
    if (d.signal_valid_o & 2) Signal(d.signal_flag_o >> 8);
    if (d.fault_valid_o) {
      faults.push_back({d.fault_cause_o, d.fault_pc_o, d.fault_address_o});
    }
    if (d.req_valid_o && d.req_ready_i) {
      LinePort::Request request;
      request.write = Size::kStore;
      request.addr = d.req_addr_o;
      request.tag = d.req_tag_o;
      if constexpr (Size::kStore) {
        request.data = PortBytes(d.req_data_o, kLine);
        request.strobe = PortBits(d.req_strobe_o, kLine);
      }
      port.Take(std::move(request));
    }
    if constexpr (!Size::kStore) {
      if (d.wr_valid_o && d.wr_ready_i) {
        const auto data = PortBytes(d.wr_data_o, kWord);
        const auto mask = PortBits(d.wr_mask_o, kWord);
        EXPECT_LT((d.wr_addr_o + 1) * kWord - 1, kBufferBytes);
        for (int i = 0; i < kWord; i++) {
          if (mask[i]) buffer[d.wr_addr_o * kWord + i] = data[i];
        }
        buffer_writes++;
      }
    } else if (read) {
      buffer_reads++;
    }
    const uint32_t segment_index = d.seg_index_o;
    waiting = d.waiting_o;
    wait_flag = d.wait_flag_o;
    d.clk_i = 1;
    d.eval();
    idle = d.idle_o;
    segment_index_ = segment_index;
    read_pending_ = read;
    read_addr_ = read_addr;
    if (accepted) queue_.pop_front();
    cycles++;
  }

  // Steps until everything queued is done; returns the cycles that took.
  uint64_t Drain(uint64_t limit = 200000) {
    const uint64_t start = cycles;
    do Step();
    while ((!queue_.empty() || !idle) && faults.empty() && cycles - start < limit);
    EXPECT_LT(cycles - start, limit) << "the engine hangs";
    return cycles - start;
  }

  // Aborts as the chip does: the level holds until the engine is idle.
  void Abort() {
    queue_.clear();
    abort = true;
    const uint64_t start = cycles;
    do Step();
    while (!idle && cycles - start < 10000);
    EXPECT_TRUE(idle) << "abort does not end";
    EXPECT_EQ(port.pending(), 0u) << "idle with answers outstanding";
    abort = false;
    Step();
  }

  Rng& rng_;
  std::vector<uint8_t> memory, buffer;
  std::vector<Segment> segments;
  std::array<uint16_t, 64> flags{};
  LinePort port;
  std::function<void(int flag)> on_signal;  // called when a signal is raised
  std::vector<DmaFault> faults;
  bool abort = false, idle = true, waiting = false, stalled = false;
  uint32_t wait_flag = 0;
  uint64_t cycles = 0, buffer_writes = 0, buffer_reads = 0;

 private:
  void Signal(int flag) {
    if (on_signal) on_signal(flag);
  }

  Stalls buffer_stalls_;
  std::unique_ptr<Dut> dut_;
  std::deque<std::pair<std::array<uint32_t, 64>, uint32_t>> queue_;
  uint32_t segment_index_ = 0, read_addr_ = 0;
  bool read_pending_ = false;
};

}  // namespace systolith::tb

#endif  // SYSTOLITH_TB_DMA_DMA_BENCH_H_
