#ifndef SYSTOLITH_HOST_RUNTIME_FAULT_H_
#define SYSTOLITH_HOST_RUNTIME_FAULT_H_

#include <cstdint>
#include <functional>
#include <string>

#include "host/arch/isa.h"

namespace systolith::runtime {

// The chip's fault registers after a job was stopped; meaning in docs/registers.md.
struct FaultRecord {
  arch::Fault cause = arch::Fault::kNone;
  arch::Engine engine = arch::Engine::kSequencer;
  uint32_t program_offset = 0;  // byte offset of the instruction
  uint32_t flag = kNoFlag;      // watchdog: the flag waited for
  uint64_t address = 0;         // offending address or value

  static constexpr uint32_t kNoFlag = 0xff;
  bool operator==(const FaultRecord&) const = default;
};

// The instruction at a byte offset of a program, for messages: its disassembly and the operation
// and source line that it serves. Empty if there is nothing to say.
using DescribeInstruction = std::function<std::string(uint32_t program_offset)>;

// The same of a bundle of the kernel that the `vector` at an offset runs:
//   "kernel softmax, bundle 12: v2 = multiply_f32 v0, 1.5 | v4 = reduce_add_f32 v3"
using DescribeBundle = std::function<std::string(uint32_t program_offset, uint64_t bundle)>;

// One line that names cause, engine, instruction, and the address or flag where the cause has one:
//   "segment_bounds in dma_load at instruction 0x40 (load ... of stablehlo.dot_general at line 7):
//    offset 0x1000 of the segment is outside"
// A fault of a kernel also names the bundle. Both descriptions may be empty.
std::string FaultMessage(const FaultRecord& fault, const DescribeInstruction& describe,
                         const DescribeBundle& describe_bundle);

}  // namespace systolith::runtime

#endif  // SYSTOLITH_HOST_RUNTIME_FAULT_H_
