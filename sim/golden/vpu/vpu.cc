#include "sim/golden/vpu/vpu.h"

#include <algorithm>
#include <cstring>

#include "sim/golden/float/lane_arithmetic.h"

namespace systolith::golden {
namespace {

using arch::Fault;
using arch::LaneType;
using arch::VectorOp;
using arch::VectorOperand;
using arch::XSource;

constexpr int64_t kAlignment = 8;  // rows start at multiples of so many elements

VectorOp OpOf(uint32_t step) { return static_cast<VectorOp>(step & 0xff); }
VectorOperand OperandOf(uint32_t step) { return static_cast<VectorOperand>(step >> 8 & 0xf); }

int64_t ElementBytes(uint32_t type) {
  switch (static_cast<LaneType>(type)) {
    case LaneType::kBf16: return 2;
    case LaneType::kS8: return 1;
    case LaneType::kF32:
    case LaneType::kS32: return 4;
  }
  return 4;
}

int64_t RoundUp(int64_t elements) { return (elements + kAlignment - 1) / kAlignment * kAlignment; }

// The lane as f32 or s32.
uint32_t Widen(uint32_t type, const std::byte* element) {
  uint32_t bits = 0;
  std::memcpy(&bits, element, static_cast<size_t>(ElementBytes(type)));  // little-endian host
  switch (static_cast<LaneType>(type)) {
    case LaneType::kBf16: return Bf16ToF32(static_cast<uint16_t>(bits));
    case LaneType::kS8: return static_cast<uint32_t>(static_cast<int8_t>(bits));
    case LaneType::kF32:
    case LaneType::kS32: break;
  }
  return bits;
}

void Narrow(uint32_t type, uint32_t lane, std::byte* element) {
  if (static_cast<LaneType>(type) == LaneType::kBf16) lane = F32ToBf16(lane);
  std::memcpy(element, &lane, static_cast<size_t>(ElementBytes(type)));
}

int32_t Signed(uint32_t lane) { return static_cast<int32_t>(lane); }

// x <- op(x, operand) on one lane.
uint32_t Step(VectorOp op, uint32_t x, uint32_t y) {
  switch (op) {
    case VectorOp::kCopy: return y;
    case VectorOp::kAddF32: return AddF32(x, y);
    case VectorOp::kSubtractF32: return SubtractF32(x, y);
    case VectorOp::kReverseSubtractF32: return SubtractF32(y, x);
    case VectorOp::kMultiplyF32: return MultiplyF32(x, y);
    case VectorOp::kMaximumF32: return MaximumF32(x, y);
    case VectorOp::kMinimumF32: return MinimumF32(x, y);
    case VectorOp::kRoundEvenF32: return RoundEvenF32(x);
    case VectorOp::kAddS32: return x + y;
    case VectorOp::kSubtractS32: return x - y;
    case VectorOp::kReverseSubtractS32: return y - x;
    case VectorOp::kMultiplyS32: return x * y;
    case VectorOp::kMaximumS32: return Signed(x) >= Signed(y) ? x : y;
    case VectorOp::kMinimumS32: return Signed(x) <= Signed(y) ? x : y;
    case VectorOp::kS32ToF32: return S32ToF32(x);
    case VectorOp::kF32ToS32: return F32ToS32(x);
    case VectorOp::kRoundBf16: return Bf16ToF32(F32ToBf16(x));
    case VectorOp::kRequantize: return Requantize(x, y);
  }
  return x;
}

}  // namespace

Vpu::Vpu(ChipState& state)
    : Engine(state, static_cast<uint32_t>(arch::Engine::kVpu)),
      x_(static_cast<size_t>(state.config.Lanes())),
      y_(x_.size()),
      z_(x_.size()) {}

bool Vpu::LegalStep(uint32_t step) const {
  switch (OpOf(step)) {
    case VectorOp::kCopy:
    case VectorOp::kAddF32:
    case VectorOp::kSubtractF32:
    case VectorOp::kReverseSubtractF32:
    case VectorOp::kMultiplyF32:
    case VectorOp::kMaximumF32:
    case VectorOp::kMinimumF32:
    case VectorOp::kRoundEvenF32:
    case VectorOp::kAddS32:
    case VectorOp::kSubtractS32:
    case VectorOp::kReverseSubtractS32:
    case VectorOp::kMultiplyS32:
    case VectorOp::kMaximumS32:
    case VectorOp::kMinimumS32:
    case VectorOp::kS32ToF32:
    case VectorOp::kF32ToS32:
    case VectorOp::kRoundBf16:
    case VectorOp::kRequantize: break;
    default: return false;
  }
  const uint32_t operand = static_cast<uint32_t>(OperandOf(step));
  return operand <= 2 || (operand >= 4 && operand <= 7);
}

MaybeFault Vpu::Start(const Instruction& instruction) {
  vector_ = arch::DecodeVector(instruction.words);
  bool legal = vector_.op_count <= arch::kVectorOps &&
               vector_.x_source <= static_cast<uint32_t>(XSource::kAccumulator) &&
               (vector_.length_level < arch::kLoops || vector_.length_level == arch::kNoLevel);
  if (vector_.x_source == static_cast<uint32_t>(XSource::kAccumulator)) {
    legal = legal && vector_.x_unit < state_.accumulators.size();
  }
  for (uint32_t i = 0; legal && i < vector_.op_count; ++i) legal = LegalStep(vector_.ops[i]);
  if (!legal) return EngineFault{Fault::kIllegalField};
  return std::nullopt;
}

int64_t Vpu::Length() const {
  const int64_t lanes = state_.config.Lanes();
  int64_t left = vector_.length_limit;
  if (vector_.length_level != arch::kNoLevel) {
    left -= int64_t{nest_.index()[vector_.length_level]} * lanes;
  }
  return std::clamp<int64_t>(left, 0, lanes);
}

MaybeFault Vpu::ReadRow(Port port, uint32_t base, const Strides& strides, uint32_t type,
                        bool splat, int64_t length, Lanes& lanes) {
  const int64_t address = LinearForm(base, strides, nest_);
  const int64_t element_bytes = ElementBytes(type);
  if (address % (kAlignment * element_bytes) != 0) {
    return EngineFault{Fault::kMisaligned, static_cast<uint64_t>(address)};
  }
  const int64_t bytes = (splat ? kAlignment : RoundUp(length)) * element_bytes;
  if (const auto outside = state_.buffer.OutOfRange(address, bytes)) {
    return EngineFault{Fault::kBufferRange, *outside};
  }
  // What is fetched to fill up eight elements is not used, so it may change meanwhile.
  const int64_t used_bytes = (splat ? 1 : length) * element_bytes;
  Touch(port, Space::kBuffer, static_cast<uint64_t>(address),
        static_cast<uint64_t>(address + used_bytes));
  const std::byte* row = state_.buffer.At(address, bytes).data();
  for (int64_t i = 0; i < length; ++i) {
    lanes[i] = splat && i > 0 ? lanes[0] : Widen(type, row + i * element_bytes);
  }
  return std::nullopt;
}

MaybeFault Vpu::ReadX(int64_t length) {
  switch (static_cast<XSource>(vector_.x_source)) {
    case XSource::kZero:
      std::fill_n(x_.begin(), length, 0u);
      return std::nullopt;
    case XSource::kBuffer:
      return ReadRow(Port::kRead0, vector_.x_base, vector_.x_strides, vector_.x_type, false,
                     length, x_);
    case XSource::kAccumulator: break;
  }
  const uint32_t row = LinearForm(vector_.x_base, vector_.x_strides, nest_);
  if (row >= static_cast<uint64_t>(state_.AccumulatorRows())) {
    return EngineFault{Fault::kAccumulatorRange, row};
  }
  if (state_.checker) {
    state_.checker->ReadAccumulator(agent(), static_cast<int>(vector_.x_unit), row);
  }
  const uint32_t* columns = state_.AccumulatorRow(vector_.x_unit, row);
  for (int64_t i = 0; i < length; ++i) {
    x_[i] = i < state_.config.mxu_cols ? columns[i] : 0;  // lanes beyond the array's columns
  }
  return std::nullopt;
}

void Vpu::Apply(uint32_t step, int64_t length) {
  const VectorOp op = OpOf(step);
  const VectorOperand operand = OperandOf(step);
  const uint32_t which = static_cast<uint32_t>(operand);
  const uint32_t immediate = which >= 4 ? vector_.immediates[which - 4] : 0;
  const Lanes* row = operand == VectorOperand::kY   ? &y_
                     : operand == VectorOperand::kZ ? &z_
                                                    : nullptr;
  for (int64_t i = 0; i < length; ++i) {
    x_[i] = Step(op, x_[i], row == nullptr ? immediate : (*row)[i]);
  }
}

MaybeFault Vpu::WriteRow(int64_t length) {
  const int64_t address = LinearForm(vector_.out_base, vector_.out_strides, nest_);
  const int64_t element_bytes = ElementBytes(vector_.out_type);
  if (address % (kAlignment * element_bytes) != 0) {
    return EngineFault{Fault::kMisaligned, static_cast<uint64_t>(address)};
  }
  const int64_t bytes = RoundUp(length) * element_bytes;
  if (const auto outside = state_.buffer.OutOfRange(address, bytes)) {
    return EngineFault{Fault::kBufferRange, *outside};
  }
  Touch(Port::kWrite, Space::kBuffer, static_cast<uint64_t>(address),
        static_cast<uint64_t>(address + bytes));
  const std::span<std::byte> row = state_.buffer.At(address, bytes);
  std::fill(row.begin(), row.end(), std::byte{0});
  for (int64_t i = 0; i < length; ++i) {
    Narrow(vector_.out_type, x_[i], row.data() + i * element_bytes);
  }
  return std::nullopt;
}

MaybeFault Vpu::Iterate() {
  Spend(1);
  const int64_t length = Length();
  if (length == 0) return std::nullopt;
  if (const MaybeFault fault = ReadX(length)) return fault;
  if (vector_.y_used != 0) {
    if (const MaybeFault fault = ReadRow(Port::kRead1, vector_.y_base, vector_.y_strides,
                                         vector_.y_type, vector_.y_splat != 0, length, y_)) {
      return fault;
    }
  } else {
    std::fill(y_.begin(), y_.end(), 0u);
  }
  if (vector_.z_used != 0) {
    if (const MaybeFault fault = ReadRow(Port::kRead2, vector_.z_base, vector_.z_strides,
                                         vector_.z_type, vector_.z_splat != 0, length, z_)) {
      return fault;
    }
  } else {
    std::fill(z_.begin(), z_.end(), 0u);
  }
  for (uint32_t i = 0; i < vector_.op_count; ++i) Apply(vector_.ops[i], length);
  return WriteRow(length);
}

}  // namespace systolith::golden
