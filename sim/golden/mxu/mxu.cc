#include "sim/golden/mxu/mxu.h"

#include <algorithm>
#include <cstring>

namespace systolith::golden {
namespace {

using arch::Fault;
using arch::OperandType;

constexpr int64_t kAlignment = 8;  // rows start at multiples of so many elements

int64_t ElementBytes(uint32_t type) {
  switch (static_cast<OperandType>(type)) {
    case OperandType::kBf16: return 2;
    case OperandType::kInt8: return 1;
    case OperandType::kF32Rounded:
    case OperandType::kF32Slice: return 4;
  }
  return 4;
}

template <typename T>
T Load(const std::byte* bytes) {
  T value;
  std::memcpy(&value, bytes, sizeof(value));
  return value;
}

}  // namespace

Mxu::Mxu(ChipState& state, uint32_t unit)
    : Engine(state, static_cast<uint32_t>(arch::Engine::kMxu0) + unit),
      unit_(unit),
      array_(static_cast<int>(state.config.mxu_rows), static_cast<int>(state.config.mxu_cols)),
      row_(static_cast<size_t>(state.config.RowBytes())),
      activations_(static_cast<size_t>(state.config.mxu_rows)) {}

MaybeFault Mxu::Start(const Instruction& instruction) {
  matmul_ = arch::DecodeMatmul(instruction.words);
  const uint32_t level = matmul_.weight_level;
  const auto chooses_loop = [&](uint32_t l) { return l < level || l == arch::kNoLevel; };
  if (!LegalTypes() || level > arch::kLoops || !chooses_loop(matmul_.k_level) ||
      !chooses_loop(matmul_.n_level) || matmul_.a_length < 1 ||
      matmul_.a_length > static_cast<uint32_t>(array_.rows())) {
    return EngineFault{Fault::kIllegalField};
  }
  for (const Wait& wait : instruction.waits) {
    if (wait.valid && wait.weights && wait.level > level) return EngineFault{Fault::kIllegalField};
  }
  a_bytes_ = ElementBytes(matmul_.a_type);
  w_bytes_ = ElementBytes(matmul_.w_type);
  const uint32_t slices = static_cast<uint32_t>(OperandType::kF32Slice);
  leading_ = matmul_.a_type == slices && matmul_.w_type == slices && matmul_.a_slice == 0 &&
             matmul_.w_slice == 0;
  return std::nullopt;
}

bool Mxu::LegalTypes() const {
  const uint32_t int8 = static_cast<uint32_t>(OperandType::kInt8);
  const uint32_t slices = static_cast<uint32_t>(OperandType::kF32Slice);
  if (matmul_.a_type == slices && matmul_.a_slice > 2) return false;
  if (matmul_.w_type == slices && matmul_.w_slice > 2) return false;
  if ((matmul_.a_type == int8) != (matmul_.w_type == int8)) return false;
  return IsInt8() ? state_.config.mxu_int8 : state_.config.mxu_bf16;
}

bool Mxu::IsInt8() const { return matmul_.a_type == static_cast<uint32_t>(OperandType::kInt8); }

Operand Mxu::Decode(uint32_t type, uint32_t slice, const std::byte* element) const {
  switch (static_cast<OperandType>(type)) {
    case OperandType::kBf16: return DecodeBf16(Load<uint16_t>(element));
    case OperandType::kF32Rounded: return DecodeF32Rounded(Load<uint32_t>(element));
    case OperandType::kF32Slice:
      return DecodeF32Slice(Load<uint32_t>(element), static_cast<int>(slice), leading_);
    case OperandType::kInt8: break;
  }
  return {};
}

int64_t Mxu::LoopOffset(uint32_t level, int64_t size) const {
  return level == arch::kNoLevel ? 0 : int64_t{nest_.index()[level]} * size;
}

MaybeFault Mxu::LoadWeights() {
  if (!nest_.Starts(matmul_.weight_level)) return std::nullopt;
  const int64_t rows = array_.rows(), columns = array_.columns();
  const int64_t k_left = int64_t{matmul_.k_limit} - LoopOffset(matmul_.k_level, rows);
  const int64_t n_left = int64_t{matmul_.n_limit} - LoopOffset(matmul_.n_level, columns);
  const int64_t k_count =
      std::max<int64_t>(std::min({rows, int64_t{matmul_.a_length}, k_left}), 0);
  const int64_t n_count = std::max<int64_t>(std::min(columns, n_left), 0);
  const uint32_t base = LinearForm(matmul_.w_base, matmul_.w_strides, nest_,
                                   static_cast<int>(matmul_.weight_level));
  const bool transposed = matmul_.transpose != 0;
  const int64_t row_count = transposed ? n_count : k_count;
  const int64_t row_elements = transposed ? k_count : n_count;

  array_.Clear();
  for (int64_t r = 0; r < row_count && row_elements > 0; ++r) {
    const int64_t address = static_cast<int32_t>(
        base + static_cast<uint32_t>(r) * static_cast<uint32_t>(matmul_.w_row_stride));
    const int64_t bytes = row_elements * w_bytes_;
    if (address % (kAlignment * w_bytes_) != 0) {
      return EngineFault{Fault::kMisaligned, static_cast<uint64_t>(address)};
    }
    if (const auto outside = state_.buffer.OutOfRange(address, bytes)) {
      return EngineFault{Fault::kBufferRange, *outside};
    }
    if (state_.checker) {
      state_.checker->Touch(weights_agent(), Port::kRead0, Space::kBuffer,
                            static_cast<uint64_t>(address),
                            static_cast<uint64_t>(address + bytes));
    }
    const std::byte* source = state_.buffer.At(address, bytes).data();
    for (int64_t e = 0; e < row_elements; ++e) {
      const int k = static_cast<int>(transposed ? e : r);
      const int n = static_cast<int>(transposed ? r : e);
      if (IsInt8()) {
        array_.SetInt8(k, n, Load<int8_t>(source + e));
      } else {
        array_.Set(k, n, Decode(matmul_.w_type, matmul_.w_slice, source + e * w_bytes_));
      }
    }
  }
  if (state_.checker) state_.checker->JoinWeights(agent(), weights_agent());
  return std::nullopt;
}

MaybeFault Mxu::ReadWindow(std::byte* row) {
  const int64_t length = matmul_.a_length;
  for (int64_t b = 0; b < length * a_bytes_; ++b) {
    row[b] = static_cast<std::byte>(matmul_.a_fill >> (8 * (b % 4)));
  }
  const auto coordinate = [&](int32_t base, const std::array<int32_t, arch::kLoops>& steps) {
    return int64_t{static_cast<int32_t>(LinearForm(static_cast<uint32_t>(base), steps, nest_))};
  };
  const int64_t y = coordinate(matmul_.y_base, matmul_.y_steps);
  const int64_t x = coordinate(matmul_.x_base, matmul_.x_steps);
  if (y < 0 || y >= int64_t{matmul_.y_limit}) return std::nullopt;
  const int64_t begin = std::clamp<int64_t>(-x, 0, length);
  const int64_t end = std::clamp<int64_t>(int64_t{matmul_.x_limit} - x, 0, length);
  if (begin >= end) return std::nullopt;

  const int64_t address = coordinate(matmul_.a_base, matmul_.a_strides);
  if (address % (kAlignment * a_bytes_) != 0) {
    return EngineFault{Fault::kMisaligned, static_cast<uint64_t>(address)};
  }
  const int64_t first = address + begin * a_bytes_;
  const int64_t bytes = (end - begin) * a_bytes_;
  if (const auto outside = state_.buffer.OutOfRange(first, bytes)) {
    return EngineFault{Fault::kBufferRange, *outside};
  }
  Touch(Port::kRead0, Space::kBuffer, static_cast<uint64_t>(first),
        static_cast<uint64_t>(first + bytes));
  std::memcpy(row + begin * a_bytes_, state_.buffer.At(first, bytes).data(),
              static_cast<size_t>(bytes));
  return std::nullopt;
}

MaybeFault Mxu::Iterate() {
  if (const MaybeFault fault = ReadWindow(row_.data())) return fault;
  const uint32_t row = LinearForm(matmul_.acc_base, matmul_.acc_strides, nest_);
  if (row >= static_cast<uint64_t>(state_.AccumulatorRows())) {
    return EngineFault{Fault::kAccumulatorRange, row};
  }
  bool fresh = matmul_.accumulate == 0;
  for (int l = 0; l < arch::kLoops; ++l) {
    if ((matmul_.fresh_mask >> l & 1) != 0 && nest_.index()[l] != 0) fresh = false;
  }
  uint32_t* c = state_.AccumulatorRow(unit_, row);
  if (fresh) {
    std::fill_n(c, array_.columns(), 0u);
  } else if (state_.checker) {
    state_.checker->ReadAccumulator(agent(), static_cast<int>(unit_), row);
  }
  if (state_.checker) state_.checker->WriteAccumulator(agent(), static_cast<int>(unit_), row);

  if (IsInt8()) {
    array_.MultiplyInt8(reinterpret_cast<const int8_t*>(row_.data()), c);
  } else {
    for (size_t j = 0; j < matmul_.a_length; ++j) {
      activations_[j] = Decode(matmul_.a_type, matmul_.a_slice,
                               row_.data() + j * static_cast<size_t>(a_bytes_));
    }
    std::fill(activations_.begin() + matmul_.a_length, activations_.end(), Operand{});
    array_.Fold(activations_.data(), c);
  }
  Spend(1);
  return std::nullopt;
}

}  // namespace systolith::golden
