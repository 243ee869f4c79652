#ifndef SYSTOLITH_TB_HBM_HBM_BENCH_H_
#define SYSTOLITH_TB_HBM_HBM_BENCH_H_

#include <array>
#include <cstring>
#include <deque>
#include <map>
#include <memory>
#include <vector>

#include "sim/hbm_device/memory_device.h"
#include "tb/common/dut.h"
#include "tb/common/random.h"
#include "tb/common/stream.h"

namespace systolith::tb {

template <typename DutType, bool hbm2, int line_bytes, int max_channels>
struct HbmSize {
  using Dut = DutType;
  static constexpr bool kHbm2 = hbm2;
  static constexpr int kLineBytes = line_bytes, kMaxChannels = max_channels;
};

// rtl/hbm with its device behind and five requesters in front, each with a queue of requests and up
// to `window` of them on their way. Checks every answer.
template <typename Size>
class HbmBench {
 public:
  using Dut = typename Size::Dut;
  static constexpr int kPorts = 5, kLine = Size::kLineBytes;
  struct Request {
    bool write = false;
    uint64_t addr = 0;
    std::vector<uint8_t> data, strobe;  // a byte per byte
  };

  HbmBench(Rng& rng, const arch::ChipConfig& config, double stall)
      : rng_(rng), config_(config), dut_(std::make_unique<Dut>()) {
    for (int port = 0; port < kPorts; port++) stalls_.emplace_back(rng, stall);
    device_ = hbm_device::MakeMemoryDevice(config, hbm_device::PinsOf(*dut_));
    for (int i = 0; i < 18; i++) dut_->timing_i[i] = config.timing_cycles[i];
    dut_->channels_i = static_cast<uint32_t>(config.memory_channels);
    ResetAll();
  }

  void ResetAll() {
    dut_->req_valid_i = 0;
    Reset(*dut_);
    device_->Reset();
    for (auto& port : ports_) port = Port();
  }

  void Push(int port, Request request) { ports_[port].queue.push_back(std::move(request)); }

  // One cycle; false once the device has found a violation.
  bool Step() {
    Dut& d = *dut_;
    for (int p = 0; p < kPorts; p++) {
      Port& port = ports_[p];
      if (!port.offered && !port.queue.empty() && port.flying.size() < window && MayIssue(port) &&
          stalls_[p].Go()) {
        port.offered = true;
        port.tag = rng_.Below(256);
        while (port.flying.count(port.tag)) port.tag = (port.tag + 1) % 256;
      }
      SetBits(d.req_valid_i, p, 1, port.offered);
      if (!port.offered) continue;
      const Request& request = port.queue.front();
      SetBits(d.req_write_i, p, 1, request.write);
      SetBits(d.req_addr_i, p * 40, 40, request.addr);
      SetBits(d.req_tag_i, p * 8, 8, port.tag);
      if (request.write) {
        std::memcpy(reinterpret_cast<uint8_t*>(&d.req_data_i) + p * kLine, request.data.data(),
                    kLine);
        for (int i = 0; i < kLine; i++) {
          SetBits(d.req_strobe_i, p * kLine + i, 1, request.strobe[i]);
        }
      }
    }
    d.clk_i = 0;
    d.eval();
    const uint32_t ready = d.req_ready_o;
    for (int p = 0; p < kPorts; p++) {
      Port& port = ports_[p];
      if (!port.offered || !(ready >> p & 1)) continue;
      port.flying[port.tag] = std::move(port.queue.front());
      port.queue.pop_front();
      port.offered = false;
    }
    d.clk_i = 1;
    d.eval();
    for (int p = 0; p < kPorts; p++) {
      if (d.rsp_valid_o >> p & 1) Answer(ports_[p]);
    }
    cycles++;
    return device_->Step();
  }

  // Until every request is answered.
  void Drain(uint64_t limit = 400000) {
    const uint64_t start = cycles;
    while (!Done() && cycles - start < limit) {
      ASSERT_TRUE(Step()) << device_->violation();
    }
    ASSERT_TRUE(Done()) << "no answer";
  }
  bool Done() const {
    for (const Port& port : ports_) {
      if (!port.queue.empty() || !port.flying.empty()) return false;
    }
    return true;
  }

  Rng& rng_;
  const arch::ChipConfig config_;
  std::map<uint64_t, std::vector<uint8_t>> image;  // expected contents, by line
  size_t window = 32;
  uint64_t cycles = 0, reads = 0, writes = 0;
  std::unique_ptr<Dut> dut_;
  std::unique_ptr<hbm_device::MemoryDevice> device_;

  std::vector<uint8_t>& Line(uint64_t addr) {
    auto& line = image[addr];
    if (line.empty()) line.resize(kLine);
    return line;
  }

 private:
  struct Port {
    std::deque<Request> queue;
    bool offered = false;
    uint64_t tag = 0;
    std::map<uint64_t, Request> flying;
  };

  // The rule of the line ports: no two requests to one line unless both are reads, or writes of
  // one port. Ports of this bench use disjoint lines.
  static bool MayIssue(const Port& port) {
    const Request& next = port.queue.front();
    for (const auto& [tag, request] : port.flying) {
      if (request.addr == next.addr && (request.write != next.write)) return false;
    }
    return true;
  }

  void Answer(Port& port) {
    const auto found = port.flying.find(dut_->rsp_tag_o);
    ASSERT_NE(found, port.flying.end()) << "an answer that nobody waits for";
    const Request& request = found->second;
    if (request.write) {
      writes++;
    } else {
      reads++;
      const auto& expected = Line(request.addr);
      ASSERT_EQ(std::memcmp(&dut_->rsp_data_o, expected.data(), kLine), 0)
          << "line " << request.addr << " cycle " << cycles;
    }
    port.flying.erase(found);
  }

  std::vector<Stalls> stalls_;
  std::array<Port, kPorts> ports_;
};

}  // namespace systolith::tb

#endif  // SYSTOLITH_TB_HBM_HBM_BENCH_H_
