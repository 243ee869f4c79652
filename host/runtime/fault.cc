#include "host/runtime/fault.h"

#include <fmt/format.h>

namespace systolith::runtime {
namespace {

// Whether the cause happened while an instruction ran, so that engine and offset mean something.
bool HasInstruction(arch::Fault cause) {
  switch (cause) {
    case arch::Fault::kHashMismatch:
    case arch::Fault::kBadDescriptor:
    case arch::Fault::kMemoryRange:
    case arch::Fault::kAborted:
    case arch::Fault::kNone: return false;
    default: return true;
  }
}

bool IsKernelFault(arch::Fault cause) {
  return cause == arch::Fault::kKernelOpcode || cause == arch::Fault::kKernelRegister ||
         cause == arch::Fault::kKernelLoop || cause == arch::Fault::kKernelStream;
}

// What the address or flag of the record tells; empty if the cause has neither.
std::string Detail(const FaultRecord& fault) {
  switch (fault.cause) {
    case arch::Fault::kIllegalOpcode:
      return "unknown opcode, or one that this engine does not execute";
    case arch::Fault::kIllegalField: return "a field of the instruction has no legal value";
    case arch::Fault::kSegmentBounds:
      return fmt::format("the transfer leaves its segment at offset {:#x}",
                         static_cast<int64_t>(fault.address));
    case arch::Fault::kSegmentRights:
      return "the segment is not bound, belongs to another owner, or may not be accessed this way";
    case arch::Fault::kBufferRange:
      return fmt::format("unified buffer address {:#x} is out of range", fault.address);
    case arch::Fault::kAccumulatorRange:
      return fmt::format("accumulator row {} is out of range", fault.address);
    case arch::Fault::kProgramBounds: return "the program ends before this instruction does";
    case arch::Fault::kHashMismatch:
      return "the program was compiled for another configuration than this chip's";
    case arch::Fault::kBadDescriptor: return "the launch descriptor is malformed";
    case arch::Fault::kWatchdog:
      if (fault.flag == FaultRecord::kNoFlag) return "nothing made progress; no flag is awaited";
      return fmt::format("nothing made progress; flag {}{} never reached its target", fault.flag,
                         fault.flag >= arch::kHostFlagBase ? " (raised by the host)" : "");
    case arch::Fault::kGatherIndex:
      return fmt::format("gather index {} is out of range", static_cast<int64_t>(fault.address));
    case arch::Fault::kMisaligned:
      return fmt::format("unified buffer address {:#x} is not a multiple of 8 elements",
                         fault.address);
    case arch::Fault::kMemoryRange:
      return fmt::format("address {:#x} lies outside the fitted memory", fault.address);
    case arch::Fault::kAborted: return "the job was aborted";
    case arch::Fault::kKernelOpcode:
      return "a slot does not execute such an operation; assemble the kernel again (`systolith "
             "kernel`), or see docs/isa.md for the operations of each slot";
    case arch::Fault::kKernelRegister:
      return "an operand or destination code means nothing there, a shared register is written "
             "outside of the prologue, or two slots write one place; assemble the kernel again";
    case arch::Fault::kKernelLoop:
      return "the kernel did not come to its exit: a loop ends that was not begun or whose level "
             "belongs to the instruction, an exit stands inside a loop, kernel memory ends, or "
             "more bundles ran than bundle_limit allows; check loops, kernel_level and "
             "bundle_limit";
    case arch::Fault::kKernelStream:
      return "a stream was never described, is named at two steps, or has fewer groups than the "
             "kernel takes; compare its `stream` instruction with what the bundle names";
    case arch::Fault::kNone: return "";
  }
  return fmt::format("unknown cause {}", static_cast<uint32_t>(fault.cause));
}

}  // namespace

std::string FaultMessage(const FaultRecord& fault, const DescribeInstruction& describe,
                         const DescribeBundle& describe_bundle) {
  std::string message(arch::Name(fault.cause));
  if (HasInstruction(fault.cause)) {
    message += fmt::format(" in {} at instruction {:#x}", arch::Name(fault.engine),
                           fault.program_offset);
    const std::string instruction = describe ? describe(fault.program_offset) : "";
    if (!instruction.empty()) message += fmt::format(" ({})", instruction);
  }
  if (IsKernelFault(fault.cause)) {
    const std::string bundle =
        describe_bundle ? describe_bundle(fault.program_offset, fault.address) : "";
    message += ": " + (bundle.empty() ? fmt::format("bundle {} of the kernel", fault.address)
                                      : bundle);
  }
  const std::string detail = Detail(fault);
  return detail.empty() ? message : message + ": " + detail;
}

}  // namespace systolith::runtime
