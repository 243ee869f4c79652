#ifndef SYSTOLITH_HOST_RUNTIME_CHIP_PORT_H_
#define SYSTOLITH_HOST_RUNTIME_CHIP_PORT_H_

#include <cstdint>
#include <memory>

#include "host/arch/chip_config.h"
#include "host/base/status.h"
#include "host/hal/transport.h"
#include "host/runtime/counters.h"
#include "host/runtime/fault.h"

namespace systolith::runtime {

// The register protocol of one chip: set-up, doorbell, completion, faults, recovery. Internal to
// the runtime; used by a device's worker thread only, but for transport().RequestStop().
class ChipPort {
 public:
  ChipPort(std::unique_ptr<hal::Transport> transport, const arch::ChipConfig& config);

  hal::Transport& transport() { return *transport_; }

  // Checks that the chip is the one of the configuration and writes what is data rather than
  // hardware: memory size, timing, queue depth, watchdog, interrupts.
  Status Configure();

  uint32_t queue_capacity() const { return queue_capacity_; }

  // Queues the job whose launch descriptor lies at that address.
  Status RingDoorbell(hal::DeviceAddress descriptor);

  struct Progress {
    uint32_t completed = 0;  // jobs that completed since the last call
    bool fault = false;      // a job was stopped; the chip is halted
  };
  // Takes the interrupt's reasons and clears them.
  Result<Progress> AcknowledgeInterrupt();

  Result<Counters> ReadCounters();
  Result<FaultRecord> ReadFault();

  // Takes a halted chip back to idle; memory keeps its contents.
  Status LeaveHaltedState();

  // Stops whatever runs and takes the chip back to idle: by an abort, and by the reset pin where
  // that does not help.
  Status StopAndRecover();

 private:
  Result<uint64_t> ReadPair(arch::Csr low);
  Result<uint32_t> ReadState();
  Status EnableInterrupts();

  std::unique_ptr<hal::Transport> transport_;
  arch::ChipConfig config_;
  uint32_t queue_capacity_ = 1;
  uint32_t completed_ = 0;  // the register's value at the last look
};

}  // namespace systolith::runtime

#endif  // SYSTOLITH_HOST_RUNTIME_CHIP_PORT_H_
