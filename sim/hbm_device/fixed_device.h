#ifndef SYSTOLITH_SIM_HBM_DEVICE_FIXED_DEVICE_H_
#define SYSTOLITH_SIM_HBM_DEVICE_FIXED_DEVICE_H_

#include <random>
#include <utility>
#include <vector>

#include "sim/hbm_device/memory_device.h"

namespace systolith::hbm_device {

// Memory of kind fixed: every line is answered `memory.latency_cycles` after its request, up to
// `jitter_cycles` later, and lines start no faster than `bytes_per_cycle`. A request takes effect
// when it is accepted, so lines keep their order; answers overtake each other with jitter only.
class FixedDevice : public MemoryDevice {
 public:
  FixedDevice(const arch::ChipConfig& config, const MemoryPins& pins);

  bool Step() override;
  void Reset() override;

 private:
  struct Answer {
    uint64_t due = 0, number = 0;
    uint16_t tag = 0;
    std::vector<std::byte> data;  // empty for a write
    bool operator>(const Answer& other) const {
      return std::pair(due, number) > std::pair(other.due, other.number);
    }
  };

  void Accept();

  const MemoryPins pins_;
  const uint64_t line_bytes_, bytes_per_cycle_, latency_, jitter_;
  std::mt19937_64 random_;
  uint64_t cycle_ = 0, number_ = 0;
  uint64_t free_at_ = 0;  // when the memory can start the next line, in 1 / bytes_per_cycle cycles
  bool answered_ = false;
  std::vector<Answer> answers_;  // a heap, the next one first
};

}  // namespace systolith::hbm_device

#endif  // SYSTOLITH_SIM_HBM_DEVICE_FIXED_DEVICE_H_
