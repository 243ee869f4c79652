#ifndef SYSTOLITH_TB_DMA_LINE_PORT_H_
#define SYSTOLITH_TB_DMA_LINE_PORT_H_

#include <cstdint>
#include <cstring>
#include <optional>
#include <vector>

#include "tb/common/dut.h"
#include "tb/common/random.h"
#include "tb/common/stream.h"

namespace systolith::tb {

// How a memory behind a line port behaves.
struct LinePortOptions {
  double stall = 0;       // of the request port
  int latency = 10;       // cycles at least
  int jitter = 0;         // up to so many cycles more: answers come out of order
};

// Memory behind one line port. Only writes to one line stay in order. A read sees the memory at the
// moment of its answer, a write is visible from its answer on: the loosest that the contract
// allows.
class LinePort {
 public:
  LinePort(Rng& rng, int line_bytes, std::vector<uint8_t>& memory, LinePortOptions options)
      : rng_(rng), line_bytes_(line_bytes), memory_(memory), options_(options),
        stalls_(rng, options.stall) {}

  struct Request {
    bool write = false;
    uint64_t addr = 0;
    uint8_t tag = 0;
    std::vector<uint8_t> data, strobe;
    uint64_t due = 0;
  };

  bool Ready() { return ready_ = stalls_.Go(); }

  // The edge: takes the request, if it was valid.
  void Take(Request request) {
    EXPECT_EQ(request.addr % line_bytes_, 0u);
    ASSERT_LT(request.addr, memory_.size());
    for (const Request& other : pending_) {
      EXPECT_NE(other.tag, request.tag) << "a tag is used twice";
      if (other.addr == request.addr) {
        EXPECT_TRUE(other.write == request.write);
      }
    }
    request.due = now_ + options_.latency + (options_.jitter ? rng_.Below(options_.jitter + 1) : 0);
    if (request.write) {
      bool any = false;
      for (const uint8_t bit : request.strobe) any |= bit;
      EXPECT_TRUE(any) << "a write of no byte";
      writes_++;
    } else {
      reads_++;
    }
    pending_.push_back(std::move(request));
  }

  // The answer of this cycle, if any; a read's `data` is filled in.
  std::optional<Request> Answer() {
    now_++;
    std::vector<size_t> ripe;
    for (size_t i = 0; i < pending_.size(); i++) {
      bool first = pending_[i].due <= now_;
      for (size_t j = 0; first && pending_[i].write && j < i; j++) {
        first = pending_[j].addr != pending_[i].addr;
      }
      if (first) ripe.push_back(i);
    }
    if (ripe.empty()) return std::nullopt;
    const size_t chosen = options_.jitter ? ripe[rng_.Below(ripe.size())] : ripe[0];
    Request request = std::move(pending_[chosen]);
    pending_.erase(pending_.begin() + static_cast<ptrdiff_t>(chosen));
    if (request.write) {
      for (int i = 0; i < line_bytes_; i++) {
        if (request.strobe[i]) memory_[request.addr + i] = request.data[i];
      }
    } else {
      request.data.assign(memory_.begin() + static_cast<ptrdiff_t>(request.addr),
                          memory_.begin() + static_cast<ptrdiff_t>(request.addr + line_bytes_));
    }
    return request;
  }

  void Drop() { pending_.clear(); }  // reset
  size_t pending() const { return pending_.size(); }
  uint64_t reads() const { return reads_; }
  uint64_t writes() const { return writes_; }
  bool ready() const { return ready_; }

 private:
  Rng& rng_;
  const int line_bytes_;
  std::vector<uint8_t>& memory_;
  const LinePortOptions options_;
  Stalls stalls_;
  bool ready_ = false;
  uint64_t now_ = 0, reads_ = 0, writes_ = 0;
  std::vector<Request> pending_;
};

// The bytes of a wide port.
template <typename Port>
std::vector<uint8_t> PortBytes(const Port& port, size_t bytes) {
  std::vector<uint8_t> result(bytes);
  std::memcpy(result.data(), &port, bytes);
  return result;
}
template <typename Port>
std::vector<uint8_t> PortBits(const Port& port, size_t bits) {
  std::vector<uint8_t> result(bits);
  for (size_t i = 0; i < bits; i++) result[i] = static_cast<uint8_t>(GetBits(port, i, 1));
  return result;
}

}  // namespace systolith::tb

#endif  // SYSTOLITH_TB_DMA_LINE_PORT_H_
