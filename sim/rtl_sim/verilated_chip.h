#ifndef SYSTOLITH_SIM_RTL_SIM_VERILATED_CHIP_H_
#define SYSTOLITH_SIM_RTL_SIM_VERILATED_CHIP_H_

#include <cstdint>
#include <memory>
#include <string>

#include "Vchip_top.h"
#include "host/arch/chip_config.h"
#include "host/base/status.h"
#include "host/hal/transport.h"
#include "sim/hbm_device/memory_device.h"
#include "verilated_fst_c.h"

namespace systolith::rtl_sim {

// One verilated chip with its memory device, its clock and its waveform. Several may live in one
// process, each used by one thread at a time.
class VerilatedChip {
 public:
  VerilatedChip(const arch::ChipConfig& config, const hal::TransportOptions& options);
  ~VerilatedChip();
  VerilatedChip(const VerilatedChip&) = delete;
  VerilatedChip& operator=(const VerilatedChip&) = delete;

  Vchip_top& pins() { return *top_; }
  hbm_device::MemoryDevice& memory() { return *memory_; }
  uint64_t cycle() const { return cycle_; }

  // One cycle in two halves: inputs set before Settle() show their combinational outputs after it
  // and are sampled by the rising edge in Edge().
  void Settle();
  void Edge();
  void Cycle() {
    Settle();
    Edge();
  }

  // Holds the reset pin for a few cycles; the memory device forgets what is under way, not its
  // contents.
  void Reset();

  // What has gone wrong inside the simulation: a failed assertion or a violated memory timing. Once
  // not Ok, it stays so until Reset().
  const Status& status() const { return status_; }

  void CloseTrace();

 private:
  void TakeThread();
  void Dump(uint64_t half);
  void OpenTrace();
  void Fail();

  const std::string trace_path_;
  const uint64_t trace_start_, trace_end_;
  const uint64_t half_period_ps_;
  std::unique_ptr<VerilatedContext> context_;
  std::unique_ptr<Vchip_top> top_;
  std::unique_ptr<hbm_device::MemoryDevice> memory_;
  std::unique_ptr<VerilatedFstC> trace_;
  uint64_t cycle_ = 0;
  Status status_;
};

}  // namespace systolith::rtl_sim

#endif  // SYSTOLITH_SIM_RTL_SIM_VERILATED_CHIP_H_
