#ifndef SYSTOLITH_HOST_ISA_VECTOR_MEMORY_H_
#define SYSTOLITH_HOST_ISA_VECTOR_MEMORY_H_

#include <cstdint>
#include <map>
#include <optional>
#include <span>

#include "host/arch/isa.h"
#include "host/base/status.h"
#include "host/isa/instruction.h"
#include "host/isa/kernel_text.h"

namespace systolith::isa {

// What the vector unit's memories hold at a place of a program, as far as the instructions in front
// of it tell in program order: exact in a program without branches and patches of `load_kernel`.
class VectorMemory {
 public:
  // Takes note of a load_kernel or stream; others change nothing.
  void Apply(const Instruction& instruction);

  // The kernel that a `vector` runs: bundles up to the exit of its body, constants as far as they
  // are known. Nothing if a part of it was never loaded, or if its place is patched.
  std::optional<KernelView> KernelOf(const arch::Vector& vector) const;

  // InvalidArgument if the kernel of the `vector` at `pc` or a stream that it names is missing.
  Status Check(const arch::Vector& vector, uint32_t pc) const;

 private:
  std::map<uint32_t, BundleWords> bundles_;
  std::map<uint32_t, uint32_t> constants_;
  uint32_t streams_ = 0;  // bit q: stream q is described
};

// The memories in front of the instruction at `pc`.
VectorMemory MemoryBefore(std::span<const uint32_t> program, uint32_t pc);

}  // namespace systolith::isa

#endif  // SYSTOLITH_HOST_ISA_VECTOR_MEMORY_H_
