#ifndef SYSTOLITH_HOST_ISA_ASSEMBLER_H_
#define SYSTOLITH_HOST_ISA_ASSEMBLER_H_

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "host/arch/isa.h"
#include "host/base/status.h"
#include "host/isa/program.h"

namespace systolith::isa {

// Encodes instructions one after another. Opcode and length are filled in; the engine must be set
// in engine instructions. A value that does not fit its field is an error that names the field,
// never cut. After an error nothing more is appended and Finish() returns the first error, so that
// callers may ignore the results in between.
//
//   Assembler assembler;
//   assembler.SetLine("dot_general", 7);
//   assembler.Append(arch::Opcode::kLoad, load);
//   ASSIGN_OR_RETURN(Program program, assembler.Finish());
class Assembler {
 public:
  // What the following instructions are for.
  void SetLine(std::string_view operation, int line);

  // Which kernel the next `vector` runs, for messages and listings.
  void SetKernel(std::string_view name) { kernel_ = name; }

  Status Append(arch::Opcode opcode, arch::Scalar instruction);
  Status Append(arch::Opcode opcode, arch::Sync instruction);
  Status Append(arch::Opcode opcode, arch::Dma instruction);
  Status Append(arch::Opcode opcode, arch::Matmul instruction);
  Status Append(arch::Opcode opcode, arch::LoadKernel instruction);
  Status Append(arch::Opcode opcode, arch::Stream instruction);
  Status Append(arch::Opcode opcode, arch::Vector instruction);
  Status Append(arch::Opcode opcode, arch::Transpose instruction);

  // A flag 0..47 that nobody else has.
  Result<uint32_t> AllocateFlag();

  // Byte offset of the next instruction.
  uint32_t pc() const { return program_.bytes(); }

  // Gives the branch at byte offset `branch_pc` another target, once it is known.
  void SetTarget(uint32_t branch_pc, uint32_t target);

  // Appends `halt`, checks the program (check.h) and returns it.
  Result<Program> Finish();

 private:
  template <typename T, size_t kCount>
  Status AppendFields(arch::Opcode opcode, T& instruction,
                      const std::array<arch::FieldInfo, kCount>& fields, uint32_t word_count);

  Program program_;
  Status status_;
  uint32_t next_flag_ = 0;
  std::string operation_;
  int line_ = 0;
  std::string kernel_;
};

}  // namespace systolith::isa

#endif  // SYSTOLITH_HOST_ISA_ASSEMBLER_H_
