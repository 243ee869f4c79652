#include "tb/xlu/transpose_model.h"

#include <algorithm>

namespace systolith::tb {
namespace {

using arch::Fault;

struct Wait {
  uint32_t valid, flag, level, target, step;
};

// Rows or columns of the tile.
int64_t Extent(uint32_t limit, uint32_t level, const std::array<uint32_t, 6>& index,
               int64_t lanes) {
  const int64_t earlier = level == arch::kNoLevel ? 0 : index[level] * lanes;
  return std::clamp<int64_t>(limit - earlier, 0, lanes);
}

uint32_t PaddedTo8(int64_t elements) { return static_cast<uint32_t>((elements + 7) / 8 * 8); }

bool StartsWith(const std::array<uint32_t, 6>& index, uint32_t level) {
  return std::all_of(index.begin() + level, index.end(), [](uint32_t i) { return i == 0; });
}

bool EndsWith(const std::array<uint32_t, 6>& index, const std::array<uint32_t, 6>& counts,
              uint32_t level) {
  for (uint32_t l = level; l < 6; ++l) {
    if (index[l] + 1 != counts[l]) return false;
  }
  return true;
}

}  // namespace

std::optional<TransposeFault> TransposeModel::CheckRow(uint32_t address, uint32_t size,
                                                       uint32_t bytes) const {
  if (address % (8 * size) != 0) return TransposeFault{Fault::kMisaligned, address};
  if (address >= memory.size()) return TransposeFault{Fault::kBufferRange, address};
  if (uint64_t{address} + bytes > memory.size()) {
    return TransposeFault{Fault::kBufferRange, memory.size()};
  }
  return std::nullopt;
}

std::optional<TransposeFault> TransposeModel::Tile(const arch::Transpose& t,
                                                   const std::array<uint32_t, 6>& index,
                                                   const std::vector<FlagNeed>& needs,
                                                   size_t writes_before) {
  const uint32_t size = 1u << t.size_log2;
  const int64_t rows = Extent(t.rows_limit, t.rows_level, index, lanes_);
  const int64_t cols = Extent(t.cols_limit, t.cols_level, index, lanes_);
  if (rows <= 0 || cols <= 0) return std::nullopt;
  uint32_t in = t.in_base, out = t.out_base;  // modulo 2^32
  for (int l = 0; l < 6; ++l) {
    in += index[l] * static_cast<uint32_t>(t.in_strides[l]);
    out += index[l] * static_cast<uint32_t>(t.out_strides[l]);
  }
  const auto in_row = [&](int64_t k) {
    return in + static_cast<uint32_t>(k) * static_cast<uint32_t>(t.in_row_stride);
  };
  const auto out_row = [&](int64_t n) {
    return out + static_cast<uint32_t>(n) * static_cast<uint32_t>(t.out_row_stride);
  };

  const uint32_t in_bytes = PaddedTo8(cols) * size, out_bytes = PaddedTo8(rows) * size;
  for (int64_t k = 0; k < rows; ++k) {
    if (auto fault = CheckRow(in_row(k), size, in_bytes)) return fault;
    reads.push_back({in_row(k), in_bytes, needs, writes_before});
  }
  for (int64_t n = 0; n < cols; ++n) {
    if (auto fault = CheckRow(out_row(n), size, out_bytes)) return fault;
  }
  std::vector<RowWrite> tile;
  for (int64_t n = 0; n < cols; ++n) {
    RowWrite write{out_row(n), std::vector<uint8_t>(out_bytes, 0)};
    for (int64_t k = 0; k < rows; ++k) {
      std::copy_n(memory.begin() + in_row(k) + n * size, size, write.bytes.begin() + k * size);
    }
    tile.push_back(std::move(write));
  }
  for (const RowWrite& write : tile) {
    std::copy(write.bytes.begin(), write.bytes.end(), memory.begin() + write.address);
  }
  writes.insert(writes.end(), tile.begin(), tile.end());
  return std::nullopt;
}

std::optional<TransposeFault> TransposeModel::Run(const arch::Transpose& t) {
  const bool is_sync = t.opcode == static_cast<uint32_t>(arch::Opcode::kSync);
  const size_t writes_before = writes.size();
  std::array<uint32_t, 6> counts = t.counts;
  if (is_sync) counts.fill(1);
  std::array<Wait, 4> waits = {{
      {t.wait0_valid, t.wait0_flag, t.wait0_level, t.wait0_target, t.wait0_step},
      {t.wait1_valid, t.wait1_flag, t.wait1_level, t.wait1_target, t.wait1_step},
      {t.wait2_valid, t.wait2_flag, t.wait2_level, t.wait2_target, t.wait2_step},
      {t.wait3_valid, t.wait3_flag, t.wait3_level, t.wait3_target, t.wait3_step},
  }};
  std::array<uint32_t, 6> index{};
  while (true) {
    std::vector<FlagNeed> needs;
    for (Wait& wait : waits) {
      if (wait.valid == 0 || !StartsWith(index, wait.level)) continue;
      needs.push_back({wait.flag, static_cast<uint16_t>(wait.target)});
      wait.target += wait.step;
    }
    if (!is_sync) {
      if (auto fault = Tile(t, index, needs, writes_before)) return fault;
    }
    Signal signal{{}, needs, writes.size()};
    if (t.signal0_valid != 0 && EndsWith(index, counts, t.signal0_level)) {
      signal.flags[0] = t.signal0_flag;
    }
    if (t.signal1_valid != 0 && EndsWith(index, counts, t.signal1_level)) {
      signal.flags[1] = t.signal1_flag;
    }
    if (signal.flags[0] || signal.flags[1]) signals.push_back(signal);
    int l = 5;
    while (l >= 0 && ++index[l] == counts[l]) index[l--] = 0;
    if (l < 0) return std::nullopt;
  }
}

}  // namespace systolith::tb
