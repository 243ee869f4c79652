#ifndef SYSTOLITH_TB_HOST_INTERFACE_LINE_MEMORY_H_
#define SYSTOLITH_TB_HOST_INTERFACE_LINE_MEMORY_H_

#include <gtest/gtest.h>

#include <cstdint>
#include <cstring>
#include <set>
#include <vector>

#include "tb/common/dut.h"
#include "tb/common/random.h"
#include "tb/common/stream.h"

namespace systolith::tb {

// A memory behind a line port: random stalls, answers in any order except that writes to one line
// stay in order. It checks that two requests to one line never overlap unless both are reads.
class LineMemory {
 public:
  LineMemory(Rng& rng, double stall, uint32_t line_bytes, uint64_t bytes)
      : rng_(rng), accept_(rng, stall), answer_(rng, stall), line_bytes_(line_bytes), data(bytes) {}

  // One cycle: sets the inputs of the port; after the edge's inputs are final call `Take`.
  template <typename Ready, typename Valid, typename Tag, typename Data>
  void Drive(Ready& ready, Valid& rsp_valid, Tag& rsp_tag, Data& rsp_data) {
    ready = ready_ = accept_.Go();
    rsp_valid = 0;
    if (pending_.empty() || !answer_.Go()) return;
    size_t which = rng_.Below(pending_.size());
    for (size_t i = 0; i < which; ++i) {
      if (pending_[i].address == pending_[which].address) which = i;
    }
    const Request request = pending_[which];
    pending_.erase(pending_.begin() + static_cast<long>(which));
    rsp_valid = 1;
    rsp_tag = static_cast<uint8_t>(request.tag);
    for (uint32_t b = 0; b < line_bytes_; ++b) {
      uint8_t& byte = data[request.address + b];
      if (request.write && (request.strobe >> (b % 64) & 1)) byte = request.data[b];
      SetBits(rsp_data, b * 8, 8, request.write ? rng_.U32() & 255 : byte);
    }
  }

  template <typename Data, typename Strobe>
  void Take(bool valid, bool write, uint64_t address, uint32_t tag, const Data& wdata,
            const Strobe& strobe) {
    if (!valid || !ready_) return;
    ++requests;
    Request request{address, tag, write, 0, std::vector<uint8_t>(line_bytes_)};
    ASSERT_EQ(address % line_bytes_, 0u);
    ASSERT_LE(address + line_bytes_, data.size());
    for (const Request& other : pending_) {
      ASSERT_TRUE(other.address != address || other.write == write) << "overlapping requests";
      ASSERT_FALSE(!write && other.tag == tag) << "a tag in use";
    }
    if (write) {
      for (uint32_t b = 0; b < line_bytes_; ++b) {
        request.data[b] = static_cast<uint8_t>(GetBits(wdata, b * 8, 8));
        request.strobe |= GetBits(strobe, b, 1) << b;
      }
    }
    pending_.push_back(request);
  }
  bool idle() const { return pending_.empty(); }

 private:
  struct Request {
    uint64_t address;
    uint32_t tag;
    bool write;
    uint64_t strobe;
    std::vector<uint8_t> data;
  };
  Rng& rng_;
  Stalls accept_, answer_;
  uint32_t line_bytes_;
  bool ready_ = false;
  std::vector<Request> pending_;

 public:
  std::vector<uint8_t> data;
  uint64_t requests = 0;
};

}  // namespace systolith::tb

#endif  // SYSTOLITH_TB_HOST_INTERFACE_LINE_MEMORY_H_
