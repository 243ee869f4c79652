#ifndef SYSTOLITH_SIM_GOLDEN_PRIM_ENGINE_H_
#define SYSTOLITH_SIM_GOLDEN_PRIM_ENGINE_H_

#include <cstdint>
#include <deque>
#include <optional>

#include "sim/golden/chip/chip_state.h"
#include "sim/golden/prim/instruction.h"
#include "sim/golden/prim/loop_nest.h"

namespace systolith::golden {

// A fault as an engine's own part sees it; the engine adds its number and the pc.
struct EngineFault {
  arch::Fault cause;
  uint64_t address = 0;
};
using MaybeFault = std::optional<EngineFault>;

// An engine: a queue of instructions, each a loop nest with waits before and signals after its
// iterations. What one iteration does is the derived engine's.
class Engine {
 public:
  enum class Outcome {
    kIdle,     // the queue is empty
    kWorking,  // something was done, and there may be more to do
    kBlocked,  // the head of the queue waits for a flag
    kFault,    // fault() says why; the engine is not run again before Clear()
  };

  Engine(ChipState& state, uint32_t number) : state_(state), number_(number) {}
  virtual ~Engine() = default;
  Engine(const Engine&) = delete;
  Engine& operator=(const Engine&) = delete;

  uint32_t number() const { return number_; }
  bool idle() const { return queue_.empty(); }
  size_t used() const { return queue_.size(); }
  const FaultRecord& fault() const { return fault_; }
  // The flag that a blocked engine waits for, and the pc of its instruction.
  uint32_t blocked_flag() const { return blocked_flag_; }
  uint32_t pc() const { return queue_.empty() ? 0 : queue_.front().pc; }

  void Push(const Instruction& instruction) { queue_.push_back(instruction); }

  // Executes the head of the queue until it ends, blocks or faults; a long one only in part.
  Outcome Run();
  // Drops everything; the state becomes that after reset.
  virtual void Clear();

 protected:
  // Decodes the instruction and checks what can be checked before it starts.
  virtual MaybeFault Start(const Instruction& instruction) = 0;
  // MXU: a weight tile begins with this iteration, if it is one of its level.
  virtual MaybeFault LoadWeights() { return std::nullopt; }
  virtual MaybeFault Iterate() = 0;
  // How many of the instruction's loops step iterations of the engine, from the outermost on.
  virtual uint32_t Loops() const { return arch::kLoops; }
  virtual bool HasWeightStream() const { return false; }

  Agent agent() const { return static_cast<Agent>(number_); }
  Agent weights_agent() const {
    return HasWeightStream() ? static_cast<Agent>(number_ - kFirstMxuAgent + kFirstWeightsAgent)
                             : agent();
  }
  void Touch(Port port, Space space, uint64_t begin, uint64_t end) {
    if (state_.checker) state_.checker->Touch(agent(), port, space, begin, end);
  }
  // Cycles that the engine is taken to have worked.
  void Spend(uint64_t cycles) { state_.counters.busy[number_] += cycles; }

  ChipState& state_;
  LoopNest nest_;

 private:
  Outcome Begin();
  Outcome Finish();
  // False while a wait of that stream holds the current iteration.
  bool PassWaits(bool weights);
  void RaiseSignals();
  Outcome Fail(const EngineFault& fault);

  const uint32_t number_;
  std::deque<Instruction> queue_;
  bool started_ = false;
  std::array<bool, 4> passed_{};  // waits of the current iteration
  bool weights_loaded_ = false;   // of the current iteration
  uint32_t blocked_flag_ = kNoFlag;
  FaultRecord fault_;
};

}  // namespace systolith::golden

#endif  // SYSTOLITH_SIM_GOLDEN_PRIM_ENGINE_H_
