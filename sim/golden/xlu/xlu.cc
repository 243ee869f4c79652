#include "sim/golden/xlu/xlu.h"

#include <algorithm>
#include <cstring>

namespace systolith::golden {
namespace {

using arch::Fault;

constexpr int64_t kAlignment = 8;  // rows start at multiples of so many elements
constexpr uint32_t kLargestSizeLog2 = 2;

int64_t RoundUp(int64_t elements) { return (elements + kAlignment - 1) / kAlignment * kAlignment; }

bool ChoosesLoop(uint32_t level) { return level < arch::kLoops || level == arch::kNoLevel; }

}  // namespace

Xlu::Xlu(ChipState& state)
    : Engine(state, static_cast<uint32_t>(arch::Engine::kXlu)),
      tile_(static_cast<size_t>(state.config.Lanes() * state.config.Lanes()) * sizeof(uint32_t)) {}

MaybeFault Xlu::Start(const Instruction& instruction) {
  transpose_ = arch::DecodeTranspose(instruction.words);
  if (transpose_.size_log2 > kLargestSizeLog2 || !ChoosesLoop(transpose_.rows_level) ||
      !ChoosesLoop(transpose_.cols_level)) {
    return EngineFault{Fault::kIllegalField};
  }
  return std::nullopt;
}

int64_t Xlu::Extent(uint32_t limit, uint32_t level) const {
  const int64_t lanes = state_.config.Lanes();
  const int64_t before = level == arch::kNoLevel ? 0 : int64_t{nest_.index()[level]} * lanes;
  return std::clamp<int64_t>(int64_t{limit} - before, 0, lanes);
}

int64_t Xlu::RowAddress(uint32_t base, const std::array<int32_t, arch::kLoops>& strides,
                        int32_t row_stride, int64_t row) const {
  return static_cast<int32_t>(LinearForm(base, strides, nest_) +
                              static_cast<uint32_t>(row) * static_cast<uint32_t>(row_stride));
}

MaybeFault Xlu::CheckRow(int64_t address, int64_t elements) const {
  if (address % (kAlignment << transpose_.size_log2) != 0) {
    return EngineFault{Fault::kMisaligned, static_cast<uint32_t>(address)};
  }
  if (const auto byte = state_.buffer.FirstOutside(address, elements << transpose_.size_log2)) {
    return EngineFault{Fault::kBufferRange, *byte};
  }
  return std::nullopt;
}

MaybeFault Xlu::Iterate() {
  const int64_t rows = Extent(transpose_.rows_limit, transpose_.rows_level);
  const int64_t columns = Extent(transpose_.cols_limit, transpose_.cols_level);
  if (rows == 0 || columns == 0) return std::nullopt;
  const int64_t size = int64_t{1} << transpose_.size_log2;
  for (int64_t k = 0; k < rows; ++k) {
    const int64_t address =
        RowAddress(transpose_.in_base, transpose_.in_strides, transpose_.in_row_stride, k);
    if (const MaybeFault fault = CheckRow(address, RoundUp(columns))) return fault;
    // What is fetched to fill up eight elements is not used, so it may change meanwhile.
    const int64_t bytes = columns * size;
    Touch(Port::kRead0, Space::kBuffer, static_cast<uint64_t>(address),
          static_cast<uint64_t>(address + bytes));
    std::memcpy(tile_.data() + k * columns * size, state_.buffer.At(address, bytes).data(),
                static_cast<size_t>(bytes));
  }
  for (int64_t n = 0; n < columns; ++n) {
    const int64_t address =
        RowAddress(transpose_.out_base, transpose_.out_strides, transpose_.out_row_stride, n);
    if (const MaybeFault fault = CheckRow(address, RoundUp(rows))) return fault;
    const int64_t bytes = RoundUp(rows) * size;
    Touch(Port::kWrite, Space::kBuffer, static_cast<uint64_t>(address),
          static_cast<uint64_t>(address + bytes));
    std::byte* out = state_.buffer.At(address, bytes).data();
    std::fill_n(out, bytes, std::byte{0});
    for (int64_t k = 0; k < rows; ++k) {
      std::memcpy(out + k * size, tile_.data() + (k * columns + n) * size,
                  static_cast<size_t>(size));
    }
  }
  Spend(static_cast<uint64_t>(std::max(rows, columns)));
  return std::nullopt;
}

}  // namespace systolith::golden
