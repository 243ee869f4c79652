#ifndef SYSTOLITH_SIM_GOLDEN_PRIM_INSTRUCTION_H_
#define SYSTOLITH_SIM_GOLDEN_PRIM_INSTRUCTION_H_

#include <array>
#include <cstdint>

#include "host/arch/isa.h"
#include "sim/golden/checker/vector_clock.h"

namespace systolith::golden {

struct Wait {
  bool valid = false;
  uint32_t flag = 0, level = 0;
  bool weights = false;
  uint16_t target = 0, step = 0;
  // How often instructions before this one in program order raise the flag: a wait for more
  // breaks the rule that makes programs free of deadlock.
  uint64_t issued_raises = 0;
};

struct Signal {
  bool valid = false;
  uint32_t flag = 0, level = 0;
};

// An engine instruction as the sequencer issued it: registers added, waits and signals decoded.
struct Instruction {
  std::array<uint32_t, arch::kMaxWords> words{};
  arch::Opcode opcode = arch::Opcode::kSync;
  uint32_t engine = 0;
  uint32_t pc = 0;
  uint32_t serial = 0;  // counts executed instructions of the job
  std::array<Wait, 4> waits;
  std::array<Signal, 2> signals;
  VectorClock issued;  // hazard checker: what the sequencer knew
};

}  // namespace systolith::golden

#endif  // SYSTOLITH_SIM_GOLDEN_PRIM_INSTRUCTION_H_
