#ifndef SYSTOLITH_SIM_GOLDEN_HOST_INTERFACE_HOST_INTERFACE_H_
#define SYSTOLITH_SIM_GOLDEN_HOST_INTERFACE_HOST_INTERFACE_H_

#include <array>
#include <cstdint>
#include <deque>
#include <optional>
#include <string>

#include "host/arch/csr.h"
#include "sim/golden/chip/chip.h"

namespace systolith::golden {

// The chip as the host sees it: registers, command queue, launch, faults, interrupt.
//
// Nothing happens on its own: Advance() lets the chip work. A launch descriptor is fetched as soon
// as no job runs, so that flags raised after the doorbell reach the job.
class HostInterface {
 public:
  enum class Outcome {
    kIdle,     // no job
    kWorking,  // a job goes on
    kBlocked,  // the job waits for a host flag; only that or the watchdog ends it
  };

  HostInterface(const arch::ChipConfig& config, bool check_hazards);

  Chip& chip() { return chip_; }

  uint32_t ReadCsr(arch::Csr csr) const;
  void WriteCsr(arch::Csr csr, uint32_t value);
  bool interrupt() const { return (interrupt_status_ & interrupt_enable_) != 0; }

  // Does a piece of work. Blocked jobs are not ended by it: see PassTime().
  Outcome Advance();
  // Cycles pass in which a blocked job makes no progress; its watchdog may end it. Returns the
  // cycles that passed until then.
  uint64_t PassTime(uint64_t cycles);

  // The reset pin: all but memory contents as at power-up.
  void Reset();

  // The breach of the rules for programs that the last completed job was found guilty of, once.
  std::string TakeViolation();

 private:
  enum class State : uint32_t { kIdle, kLaunching, kRunning, kDraining, kHalted };
  static constexpr size_t kQueueCapacity = 16;

  void StartNextJob();
  std::optional<FaultRecord> Launch(uint64_t descriptor);
  std::optional<FaultRecord> BindSegments(uint64_t descriptor, const arch::Launch& launch);
  void Halt(const FaultRecord& fault);
  void WriteControl(uint32_t value);
  void RaiseHostFlag(uint32_t value);
  std::optional<uint32_t> ReadIdentity(arch::Csr csr) const;
  uint32_t ReadCounter(uint32_t offset) const;

  const arch::ChipConfig config_;
  Chip chip_;
  State state_ = State::kIdle;
  std::deque<uint64_t> queue_;
  FaultRecord fault_;
  uint64_t blocked_cycles_ = 0;
  std::string violation_;
  uint32_t interrupt_status_ = 0, interrupt_enable_ = 0;
  uint32_t doorbell_hi_ = 0, completed_ = 0, flag_select_ = 0;
  uint32_t watchdog_cycles_ = 0, queue_depth_ = 0, memory_channels_ = 0;
  std::array<uint32_t, arch::kHbmTimingCount> timing_{};
};

}  // namespace systolith::golden

#endif  // SYSTOLITH_SIM_GOLDEN_HOST_INTERFACE_HOST_INTERFACE_H_
