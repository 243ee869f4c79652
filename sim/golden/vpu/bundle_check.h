#ifndef SYSTOLITH_SIM_GOLDEN_VPU_BUNDLE_CHECK_H_
#define SYSTOLITH_SIM_GOLDEN_VPU_BUNDLE_CHECK_H_

#include <array>
#include <cstdint>

#include "host/arch/isa.h"

namespace systolith::golden {

// One slot of a bundle; the lane slot's amount is its operand z.
struct Slot {
  uint32_t op = 0;
  uint32_t destination = 0;
  std::array<uint32_t, 3> operands{};  // x, y, z
  uint32_t step = 0;                   // of the streams that it names
  const arch::OperationInfo* info = nullptr;  // null: no operation, or none that the slot executes

  bool Reads(int operand) const;
};

// Slots a, b and the lane slot, in this order.
using Slots = std::array<Slot, 3>;
inline constexpr size_t kLaneSlot = 2;
Slots SlotsOf(const arch::Bundle& bundle);

inline bool IsVectorRegister(uint32_t code) { return code < arch::kOperandShared; }
inline bool IsSharedRegister(uint32_t code) {
  return code >= arch::kOperandShared && code < arch::kOperandInput;
}
inline bool IsInput(uint32_t code) {
  return code >= arch::kOperandInput && code < arch::kOperandInput + arch::kInputStreams;
}
inline bool IsOutput(uint32_t code) {
  return code >= arch::kOperandOutput && code < arch::kOperandOutput + arch::kOutputStreams;
}
inline bool IsScalar(uint32_t code) {
  return code >= arch::kOperandScalar && code < arch::kOperandScalar + arch::kVectorScalars;
}
inline bool IsConstant(uint32_t code) { return code >= arch::kOperandConstant; }

// What is wrong with the bundle by itself: kernel_opcode, kernel_register or none.
arch::Fault CheckBundle(const Slots& slots, bool prologue);

// Cycles before a bundle of the same instance may follow.
uint32_t LatencyOf(const Slots& slots);

}  // namespace systolith::golden

#endif  // SYSTOLITH_SIM_GOLDEN_VPU_BUNDLE_CHECK_H_
