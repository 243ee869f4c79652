#ifndef SYSTOLITH_SIM_GOLDEN_CHIP_CHIP_H_
#define SYSTOLITH_SIM_GOLDEN_CHIP_CHIP_H_

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "sim/golden/chip/chip_state.h"
#include "sim/golden/sequencer/sequencer.h"

namespace systolith::golden {

// The chip without its host interface: runs one job at a time, bit-exact.
//
// Instructions run in program order: what is in a queue is executed before the sequencer goes on.
// Only where an engine has to wait for the host does it lag behind, as on the chip. A program
// that keeps the rules of the contract has one result, whatever the order.
class Chip {
 public:
  enum class Outcome {
    kWorking,    // something was done; call Work() again
    kBlocked,    // nothing can go on before the host raises a flag
    kCompleted,  // the program halted
    kFault,      // fault() says why
  };

  Chip(const arch::ChipConfig& config, bool check_hazards);

  ChipState& state() { return state_; }
  const ChipState& state() const { return state_; }

  // Starts a program whose segments are in state(). Flags, scalars and counters become 0.
  void Start(uint64_t program_base, uint32_t program_bytes);
  // Does some work of the running job: an instruction, or a part of a long one.
  Outcome Work(uint32_t queue_depth);
  // Drops what the job left in the queues.
  void Stop();

  const FaultRecord& fault() const { return fault_; }
  // What the watchdog reports while Work() gives kBlocked.
  FaultRecord WatchdogFault() const;
  // The fault of a job that the host aborts now.
  FaultRecord AbortFault() const;
  // The first breach of the rules for programs in this job: a hazard, a wait for a signal that
  // comes later, a flag with two producers. Empty: none, or not checked.
  std::string violation() const;

  // Cycles of the job so far: the busiest engine's.
  uint64_t Cycles() const;

 private:
  ChipState state_;
  std::vector<std::unique_ptr<Engine>> engines_;  // by engine number; null: the chip lacks it
  Sequencer sequencer_;
  FaultRecord fault_;
};

}  // namespace systolith::golden

#endif  // SYSTOLITH_SIM_GOLDEN_CHIP_CHIP_H_
