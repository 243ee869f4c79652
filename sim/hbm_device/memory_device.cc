#include "sim/hbm_device/memory_device.h"

#include "sim/hbm_device/fixed_device.h"
#include "sim/hbm_device/hbm2_device.h"

namespace systolith::hbm_device {

std::unique_ptr<MemoryDevice> MakeMemoryDevice(const arch::ChipConfig& config,
                                               const MemoryPins& pins) {
  if (config.IsHbm2()) return std::make_unique<Hbm2Device>(config, pins);
  return std::make_unique<FixedDevice>(config, pins);
}

}  // namespace systolith::hbm_device
