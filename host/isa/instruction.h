#ifndef SYSTOLITH_HOST_ISA_INSTRUCTION_H_
#define SYSTOLITH_HOST_ISA_INSTRUCTION_H_

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "host/arch/isa.h"
#include "host/base/status.h"

namespace systolith::isa {

// One instruction of a program, taken apart as far as all instructions are alike. Typed fields:
// arch::DecodeMatmul(instruction.words) and its like.
struct Instruction {
  struct Wait {
    uint32_t flag, level, weights, reg, target, step;
  };
  struct Signal {
    uint32_t flag, level;
  };

  uint32_t pc = 0;
  uint32_t engine = 0;
  const arch::InstructionInfo* info = nullptr;  // never null after Decode
  std::span<const uint32_t> words;              // points into the program
  std::vector<Wait> waits;
  std::vector<Signal> signals;
  std::vector<uint32_t> counts;  // of the six loops; empty for instructions without loops

  // How often level `level` is entered.
  uint64_t Iterations(uint32_t level) const;

  // The instruction at byte offset `pc`. A header that is none, or one that reaches beyond the
  // program, is InvalidArgument with the pc.
  static Result<Instruction> Decode(std::span<const uint32_t> program, uint32_t pc);
};

// "mxu0"; "engine13" for a number without a name.
std::string EngineName(uint32_t engine);

}  // namespace systolith::isa

#endif  // SYSTOLITH_HOST_ISA_INSTRUCTION_H_
