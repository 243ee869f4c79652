#ifndef SYSTOLITH_SIM_RTL_SIM_RTL_TRANSPORT_H_
#define SYSTOLITH_SIM_RTL_SIM_RTL_TRANSPORT_H_

#include <atomic>
#include <cstdint>
#include <span>

#include "host/hal/transport.h"
#include "sim/rtl_sim/bus.h"
#include "sim/rtl_sim/verilated_chip.h"

namespace systolith::rtl_sim {

// Backend "rtl": the verilated chip behind its pins. Time passes only inside these calls.
class RtlTransport : public hal::Transport {
 public:
  RtlTransport(const arch::ChipConfig& config, const hal::TransportOptions& options);

  // Writes what the platform knows of the memory and the configuration into the registers.
  Status SetUp();

  Result<uint32_t> ReadCsr(arch::Csr csr) override;
  Status WriteCsr(arch::Csr csr, uint32_t value) override;
  Status ReadMemory(hal::DeviceAddress source, std::span<std::byte> destination) override;
  Status WriteMemory(hal::DeviceAddress destination, std::span<const std::byte> source) override;
  Status WaitForInterrupt(uint64_t max_cycles) override;
  Status RunCycles(uint64_t cycles) override;
  Status Reset() override;
  uint64_t Cycle() const override { return chip_.cycle(); }
  void RequestStop() override { stop_ = true; }
  Status CloseTrace() override;

 private:
  // Whether host memory copies go over the pins: on request, and while the chip works.
  Result<bool> UsesBus();
  Status CheckRange(hal::DeviceAddress address, size_t bytes) const;

  const arch::ChipConfig config_;
  const bool load_by_bus_;
  VerilatedChip chip_;
  Bus bus_;
  std::atomic<bool> stop_ = false;
};

}  // namespace systolith::rtl_sim

#endif  // SYSTOLITH_SIM_RTL_SIM_RTL_TRANSPORT_H_
