#ifndef SYSTOLITH_HOST_ISA_DISASSEMBLER_H_
#define SYSTOLITH_HOST_ISA_DISASSEMBLER_H_

#include <cstdint>
#include <span>
#include <string>

#include "host/isa/program.h"

namespace systolith::isa {

// One instruction on one line: engine, name, waits, fields that are not zero, signals.
//   mxu0 matmul wait dma_load.f1>=4@0 counts=[32,512] a_type=bf16 ... signal f4@0
std::string DisassembleInstruction(std::span<const uint32_t> program, uint32_t pc);

// The whole program with offsets, a comment line wherever the operation changes, and below
// load_kernel and vector the bundles that they write and run. Words that are no instruction are
// shown as such, and the listing ends there.
std::string Disassemble(const Program& program);

}  // namespace systolith::isa

#endif  // SYSTOLITH_HOST_ISA_DISASSEMBLER_H_
