#ifndef SYSTOLITH_SIM_HBM_DEVICE_HBM2_DEVICE_H_
#define SYSTOLITH_SIM_HBM_DEVICE_HBM2_DEVICE_H_

#include <array>
#include <deque>

#include "sim/hbm_device/hbm2_checker.h"
#include "sim/hbm_device/memory_device.h"

namespace systolith::hbm_device {

// An HBM2 memory at the command pins of its controller: executes commands, answers reads CL + 2
// cycles after their command, and stops at the first command that violates a constraint. Written
// data is visible to reads commanded later.
class Hbm2Device : public MemoryDevice {
 public:
  Hbm2Device(const arch::ChipConfig& config, const MemoryPins& pins);

  bool Step() override;
  void Reset() override;

 private:
  struct Burst {
    int64_t due = 0;
    uint32_t channel = 0;
    std::array<std::byte, kBurstBytes> data;
  };

  void RowCommand(uint32_t channel);
  void ColumnCommand(uint32_t channel);
  void Answer();

  const MemoryPins pins_;
  const uint32_t pin_channels_, channels_;
  const int64_t read_cycles_;  // from command to data on the pins
  Hbm2Checker checker_;
  int64_t cycle_ = 0;
  bool answered_ = false;       // rd_valid is set somewhere
  std::deque<Burst> bursts_;    // on their way, in order
};

}  // namespace systolith::hbm_device

#endif  // SYSTOLITH_SIM_HBM_DEVICE_HBM2_DEVICE_H_
