#ifndef SYSTOLITH_HOST_RUNTIME_COUNTERS_H_
#define SYSTOLITH_HOST_RUNTIME_COUNTERS_H_

#include <cstdint>
#include <string>
#include <vector>

namespace systolith::runtime {

// What one engine did with the cycles of a job: busy + stall + idle = Counters::cycles, exactly.
struct EngineCycles {
  std::string engine;  // "dma_load", "mxu0": names of the instruction set
  uint64_t busy = 0;   // did something or had work in flight
  uint64_t stall = 0;  // had an instruction, but waited for a flag, an operand or space
  uint64_t idle = 0;   // had no instruction
  // Word accesses to the unified buffer that a bank conflict held back, one per port and cycle.
  uint64_t conflicts = 0;

  bool operator==(const EngineCycles&) const = default;
};

// The chip's performance counters of one job, or of several jobs added up. A chip without a clock
// (the golden model) reports no cycles.
struct Counters {
  uint64_t cycles = 0;           // from the doorbell to the completion
  uint64_t hbm_bytes_read = 0;   // whole memory lines, the program included
  uint64_t hbm_bytes_written = 0;
  uint64_t instructions = 0;     // issued by the sequencer
  std::vector<EngineCycles> engines;  // in the order of engine numbers, the sequencer first

  Counters& operator+=(const Counters& other);
};

}  // namespace systolith::runtime

#endif  // SYSTOLITH_HOST_RUNTIME_COUNTERS_H_
