#ifndef SYSTOLITH_SIM_HBM_DEVICE_MEMORY_DEVICE_H_
#define SYSTOLITH_SIM_HBM_DEVICE_MEMORY_DEVICE_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>

#include "host/arch/chip_config.h"
#include "sim/hbm_device/pins.h"
#include "sim/hbm_device/sparse_memory.h"

namespace systolith::hbm_device {

// What happened at the pins since the device was made.
struct DeviceCounters {
  uint64_t read_bytes = 0, written_bytes = 0;            // whole lines (fixed) or bursts (hbm2)
  uint64_t activates = 0, precharges = 0, refreshes = 0;  // hbm2
};

// The memory outside a chip: contents, timing and, for hbm2, a check of every constraint.
//
// Call `Step` once after every rising clock edge of the chip. It sees the outputs that the edge has
// produced and sets the inputs that the next edge will see: a command on the pins in cycle t
// (driven by edge t) is answered by inputs that edge t + latency samples. An idle device costs a
// few comparisons per step.
//
// The contents are addressed as the chip addresses them: the mapping to channels, banks, rows and
// columns is the controller's (hbm2_address.h), so any address map of a correct pair looks flat.
class MemoryDevice {
 public:
  virtual ~MemoryDevice() = default;

  // One clock cycle. False once the chip has violated a constraint: the run must stop, `violation`
  // says why, and the device answers nothing more.
  virtual bool Step() = 0;

  // Power-on reset of the interface: what is in flight is dropped, contents stay.
  virtual void Reset() = 0;

  // Direct access to the contents, for a chip that is idle. Addresses must lie inside.
  void ReadMemory(uint64_t address, std::span<std::byte> destination) const {
    memory_.Read(address, destination);
  }
  void WriteMemory(uint64_t address, std::span<const std::byte> source) {
    memory_.Write(address, source);
  }

  const std::string& violation() const { return violation_; }
  const DeviceCounters& counters() const { return counters_; }
  const SparseMemory& memory() const { return memory_; }

 protected:
  explicit MemoryDevice(uint64_t bytes) : memory_(bytes) {}

  SparseMemory memory_;
  std::string violation_;  // the first; empty: none
  DeviceCounters counters_;
};

// The device that `config` describes, at the pins of one chip. The pins must outlive it.
std::unique_ptr<MemoryDevice> MakeMemoryDevice(const arch::ChipConfig& config,
                                               const MemoryPins& pins);

}  // namespace systolith::hbm_device

#endif  // SYSTOLITH_SIM_HBM_DEVICE_MEMORY_DEVICE_H_
