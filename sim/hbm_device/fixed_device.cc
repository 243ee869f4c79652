#include "sim/hbm_device/fixed_device.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <functional>

namespace systolith::hbm_device {

FixedDevice::FixedDevice(const arch::ChipConfig& config, const MemoryPins& pins)
    : MemoryDevice(config.memory_bytes), pins_(pins), line_bytes_(config.memory_line_bytes),
      bytes_per_cycle_(config.memory_bytes_per_cycle), latency_(config.memory_latency_cycles),
      jitter_(config.memory_jitter_cycles), random_(config.memory_jitter_seed) {
  Reset();
}

void FixedDevice::Reset() {
  answers_.clear();
  free_at_ = 0;
  *pins_.mem_req_ready = 1;
  *pins_.mem_rsp_valid = 0;
  answered_ = false;
}

void FixedDevice::Accept() {
  uint64_t address = 0;
  std::memcpy(&address, pins_.mem_req_addr, 5);
  const bool write = *pins_.mem_req_write & 1;
  if (address % line_bytes_ != 0 || address + line_bytes_ > memory_.bytes()) {
    violation_ = fmt::format("memory: {} of the line at {:#x}, cycle {}: {:#x} bytes are fitted",
                             write ? "write" : "read", address, cycle_, memory_.bytes());
    return;
  }
  Answer answer;
  std::memcpy(&answer.tag, pins_.mem_req_tag, 2);
  answer.number = number_++;
  const uint64_t start = std::max(cycle_ * bytes_per_cycle_, free_at_);
  free_at_ = start + line_bytes_;
  answer.due = start / bytes_per_cycle_ + latency_ + (jitter_ ? random_() % (jitter_ + 1) : 0);
  if (write) {
    memory_.WriteStrobed(
        address, {reinterpret_cast<const std::byte*>(pins_.mem_req_data), line_bytes_},
        pins_.mem_req_strobe);
    counters_.written_bytes += line_bytes_;
  } else {
    answer.data.resize(line_bytes_);
    memory_.Read(address, answer.data);
    counters_.read_bytes += line_bytes_;
  }
  answers_.push_back(std::move(answer));
  std::push_heap(answers_.begin(), answers_.end(), std::greater<>());
}

bool FixedDevice::Step() {
  const bool valid = *pins_.mem_req_valid & 1;
  if (!valid && answers_.empty() && !answered_) {
    cycle_++;
    *pins_.mem_req_ready = 1;
    return violation_.empty();
  }
  if (!violation_.empty()) return false;
  // The next edge takes the request if it is ready; a line may start in this cycle or the next.
  const bool ready = free_at_ < (cycle_ + 1) * bytes_per_cycle_;
  *pins_.mem_req_ready = ready;
  if (valid && ready) Accept();

  answered_ = !answers_.empty() && answers_.front().due <= cycle_;
  *pins_.mem_rsp_valid = answered_;
  if (answered_) {
    std::pop_heap(answers_.begin(), answers_.end(), std::greater<>());
    const Answer& answer = answers_.back();
    std::memcpy(pins_.mem_rsp_tag, &answer.tag, 2);
    if (!answer.data.empty()) std::memcpy(pins_.mem_rsp_data, answer.data.data(), line_bytes_);
    answers_.pop_back();
  }
  cycle_++;
  return violation_.empty();
}

}  // namespace systolith::hbm_device
