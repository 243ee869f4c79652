#ifndef SYSTOLITH_SIM_RTL_SIM_BUS_H_
#define SYSTOLITH_SIM_RTL_SIM_BUS_H_

#include <cstddef>
#include <cstdint>
#include <span>

#include "host/base/status.h"
#include "sim/rtl_sim/verilated_chip.h"

namespace systolith::rtl_sim {

// The host's side of the chip's two bus slaves. Every call lets the chip run until the bus has
// answered; an error answer of the chip is InvalidArgument, none at all Timeout.
class Bus {
 public:
  explicit Bus(VerilatedChip& chip) : chip_(chip) {}

  // No transfer is offered; to be called after a reset of the chip.
  void Idle();

  // AXI4-Lite.
  Result<uint32_t> ReadRegister(uint32_t offset);
  Status WriteRegister(uint32_t offset, uint32_t value);

  // AXI4: any alignment and length, in bursts that stay inside a 4 KiB page.
  Status Read(uint64_t address, std::span<std::byte> destination);
  Status Write(uint64_t address, std::span<const std::byte> source);

 private:
  Status ReadBurst(uint64_t address, std::span<std::byte> destination);
  Status WriteBurst(uint64_t address, std::span<const std::byte> source);

  VerilatedChip& chip_;
};

}  // namespace systolith::rtl_sim

#endif  // SYSTOLITH_SIM_RTL_SIM_BUS_H_
