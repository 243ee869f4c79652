#ifndef SYSTOLITH_SIM_GOLDEN_CHECKER_HAZARD_CHECKER_H_
#define SYSTOLITH_SIM_GOLDEN_CHECKER_HAZARD_CHECKER_H_

#include <array>
#include <cstdint>
#include <deque>
#include <string>
#include <vector>

#include "host/arch/isa.h"
#include "sim/golden/checker/access_history.h"
#include "sim/golden/checker/vector_clock.h"

namespace systolith::golden {

// Where an engine may touch bytes.
enum class Space : uint8_t { kBuffer, kHbm };

// Ports of one agent that touch memory side by side: up to five that read and one that writes.
enum class Port : uint8_t { kRead0, kRead1, kRead2, kRead3, kRead4, kWrite };
inline constexpr int kPorts = 6;

// Checks that a program is right whatever the timing of the chip.
//
// The golden model executes in program order, one of the many orders that the chip's engines may
// take. Every pair of overlapping accesses of different engines must therefore be ordered by
// flags (or by the sequencer, which issues an instruction only after its own awaits). Each agent
// has a vector clock; a signal publishes it, a passed wait joins the clock of the raise that it
// asked for (not of later ones, which have happened here but may not have on the chip). The two
// streams of an MXU are two agents: weights run ahead, activations follow the tile they use.
//
// Keeps the first violation of a job; later ones are usually its consequences.
class HazardChecker {
 public:
  // Each MXU has `accumulator_rows` rows, both halves together.
  HazardChecker(int mxu_count, int accumulator_rows);

  // Forgets everything: earlier jobs have ended. Stores into the program's bytes are hazards.
  void StartJob(uint64_t program_begin, uint64_t program_end);

  // Empty while nothing was wrong.
  const std::string& violation() const { return violation_; }
  void Report(const std::string& violation);

  // The sequencer issues an instruction: what it knows now, the instruction will know.
  VectorClock Issue();
  // The agent starts an instruction; its accesses until End() are those of that instruction.
  void Begin(Agent agent, const VectorClock& issued, const Access& instruction);
  void End(Agent agent);

  // The agent passed a wait that asked for raise number `raise` (from 1) of the flag.
  void Acquire(Agent agent, uint32_t flag, uint64_t raise);
  // An engine raises a flag; `weights` is its second agent, or the same again.
  void Raise(Agent agent, Agent weights, uint32_t flag);
  // The activations have met the weight tile.
  void JoinWeights(Agent activations, Agent weights);

  void Touch(Agent agent, Port port, Space space, uint64_t begin, uint64_t end);
  // Reading a row that no instruction of this job wrote is a violation, too.
  void ReadAccumulator(Agent agent, int mxu, uint32_t row);
  void WriteAccumulator(Agent agent, int mxu, uint32_t row);

 private:
  struct Pending {
    bool active = false;
    Space space = Space::kBuffer;
    uint64_t begin = 0, end = 0;
  };
  struct AgentState {
    VectorClock clock;
    Access instruction;
    std::array<Pending, kPorts> pending;  // contiguous rows are recorded as one range
  };
  struct AccumulatorRow {
    Access write, vpu_read;
  };

  Access Current(const AgentState& agent) const;
  void Flush(AgentState& agent);
  void FlushPort(AgentState& agent, Port port);
  void ReportConflict(const AgentState& agent, bool writes, const std::string& place,
                      const Access& earlier, bool earlier_wrote);
  AccumulatorRow& Row(int mxu, uint32_t row);

  int mxu_count_, accumulator_rows_;
  std::array<AgentState, kAgents> agents_;
  AccessHistory buffer_, hbm_;
  std::vector<AccumulatorRow> accumulators_;
  struct RaiseLog {
    uint64_t dropped = 0;  // raises older than any wait can name
    std::deque<VectorClock> clocks;
  };
  std::array<RaiseLog, arch::kFlags> raises_;
  uint64_t program_begin_ = 0, program_end_ = 0;
  std::string violation_;
};

}  // namespace systolith::golden

#endif  // SYSTOLITH_SIM_GOLDEN_CHECKER_HAZARD_CHECKER_H_
