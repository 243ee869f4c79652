#ifndef SYSTOLITH_SIM_GOLDEN_ADAPTER_GOLDEN_TRANSPORT_H_
#define SYSTOLITH_SIM_GOLDEN_ADAPTER_GOLDEN_TRANSPORT_H_

#include <atomic>
#include <cstdint>
#include <span>

#include "host/hal/transport.h"
#include "sim/golden/host_interface/host_interface.h"

namespace systolith::golden {

// The golden model behind the hal seam: backend "golden".
//
// It has no clock. Work is done in WaitForInterrupt(), RunCycles() and, a little, with every
// register that is read, so that polling ends, too; limits in cycles are compared with the model's
// estimate. A job that completed but broke the rules for programs (a hazard, say) makes the next
// call Internal, once, with a message that names both instructions.
class GoldenTransport : public hal::Transport {
 public:
  GoldenTransport(const arch::ChipConfig& config, const hal::TransportOptions& options)
      : chip_(config, options.check_hazards) {}

  Result<uint32_t> ReadCsr(arch::Csr csr) override;
  Status WriteCsr(arch::Csr csr, uint32_t value) override;
  Status ReadMemory(hal::DeviceAddress source, std::span<std::byte> destination) override;
  Status WriteMemory(hal::DeviceAddress destination, std::span<const std::byte> source) override;
  Status WaitForInterrupt(uint64_t max_cycles) override;
  Status RunCycles(uint64_t cycles) override;
  Status Reset() override;
  uint64_t Cycle() const override { return 0; }
  void RequestStop() override { stop_ = true; }
  Status CloseTrace() override { return OkStatus(); }

 private:
  // Works until the interrupt pin is high (if asked for), no job is left, or `cycles` have passed.
  // Returns the cycles left.
  uint64_t Work(uint64_t cycles, bool until_interrupt);
  Status Violation();

  HostInterface chip_;
  std::atomic<bool> stop_ = false;
};

}  // namespace systolith::golden

#endif  // SYSTOLITH_SIM_GOLDEN_ADAPTER_GOLDEN_TRANSPORT_H_
