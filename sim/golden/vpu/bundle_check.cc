#include "sim/golden/vpu/bundle_check.h"

#include <algorithm>

namespace systolith::golden {
namespace {

using arch::Fault;
using arch::OperationInfo;

template <size_t count>
const OperationInfo* Find(const std::array<OperationInfo, count>& operations, uint32_t code) {
  const auto found = std::find_if(operations.begin(), operations.end(),
                                  [code](const OperationInfo& info) { return info.code == code; });
  return found == operations.end() ? nullptr : &*found;
}

bool LegalOperand(const Slot& slot, size_t which, int operand) {
  const uint32_t code = slot.operands[operand];
  if (which == kLaneSlot) {
    if (operand == 2) return IsScalar(code) || IsConstant(code);
    return IsVectorRegister(code) || IsSharedRegister(code);
  }
  if (static_cast<arch::AluOp>(slot.op) == arch::AluOp::kLookup && operand == 1) {
    return IsConstant(code);
  }
  return IsVectorRegister(code) || IsSharedRegister(code) || IsInput(code) || IsScalar(code) ||
         IsConstant(code);
}

bool LegalDestination(const Slot& slot, size_t which, bool prologue) {
  if (IsVectorRegister(slot.destination)) return true;
  if (IsSharedRegister(slot.destination)) return prologue;
  return which != kLaneSlot && IsOutput(slot.destination);
}

}  // namespace

bool Slot::Reads(int operand) const {
  if (info == nullptr) return false;
  return operand < static_cast<int>(info->sources) || (operand == 2 && info->amount);
}

Slots SlotsOf(const arch::Bundle& bundle) {
  Slots slots;
  slots[0] = {bundle.a_op, bundle.a_dst, {bundle.a_x, bundle.a_y, bundle.a_z}, bundle.a_step,
              Find(arch::kAluOps, bundle.a_op)};
  slots[1] = {bundle.b_op, bundle.b_dst, {bundle.b_x, bundle.b_y, bundle.b_z}, bundle.b_step,
              Find(arch::kAluOps, bundle.b_op)};
  slots[2] = {bundle.lane_op, bundle.lane_dst, {bundle.lane_x, bundle.lane_y, bundle.lane_z}, 0,
              Find(arch::kLaneOps, bundle.lane_op)};
  if (slots[0].info != nullptr && !slots[0].info->slot_a) slots[0].info = nullptr;
  if (slots[1].info != nullptr && !slots[1].info->slot_b) slots[1].info = nullptr;
  return slots;
}

Fault CheckBundle(const Slots& slots, bool prologue) {
  for (const Slot& slot : slots) {
    if (slot.op != 0 && slot.info == nullptr) return Fault::kKernelOpcode;
  }
  for (size_t which = 0; which < slots.size(); ++which) {
    const Slot& slot = slots[which];
    if (slot.op == 0) continue;
    if (!LegalDestination(slot, which, prologue)) return Fault::kKernelRegister;
    for (int operand = 0; operand < 3; ++operand) {
      if (slot.Reads(operand) && !LegalOperand(slot, which, operand)) {
        return Fault::kKernelRegister;
      }
    }
    for (size_t other = 0; other < which; ++other) {
      if (slots[other].op != 0 && slots[other].destination == slot.destination) {
        return Fault::kKernelRegister;
      }
    }
  }
  return Fault::kNone;
}

uint32_t LatencyOf(const Slots& slots) {
  uint32_t latency = arch::kVectorThreads;
  for (const Slot& slot : slots) {
    if (slot.info != nullptr) latency = std::max(latency, slot.info->latency);
  }
  return latency;
}

}  // namespace systolith::golden
