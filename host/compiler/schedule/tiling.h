#ifndef SYSTOLITH_HOST_COMPILER_SCHEDULE_TILING_H_
#define SYSTOLITH_HOST_COMPILER_SCHEDULE_TILING_H_

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "host/arch/chip_config.h"
#include "host/base/status.h"
#include "host/compiler/kernel.h"

namespace systolith::compiler {

// A part of a contraction's terms, in the order in which they are added: taps [kh0, kh1) x
// [kw0, kw1) of input features [c0, c1).
struct TermSlice {
  int64_t kh0 = 0, kh1 = 0, kw0 = 0, kw1 = 0, c0 = 0, c1 = 0;
  int64_t a_part = 0;  // which tile of the lhs holds its features
};

// How a contraction is cut. The results are blocks of rows (n, oy, ox) times groups of columns; a
// block's rows fit half of an accumulator, a group is a few array widths. For each block, group and
// slice of terms there is a tile of the lhs (block, a_part) and one of the rhs (group, slice).
struct Tiling {
  int64_t block_n = 1, block_y = 1, block_x = 1;
  int64_t group_tiles = 1;  // columns of a group, in array widths
  std::vector<TermSlice> slices;
  int64_t a_parts = 1;
  bool groups_outer = false;  // loop over groups outside of that over blocks

  // Where features are not next to each other in HBM: what is, so that a tile is loaded in its order
  // and transposed in the buffer.
  enum class Staging : uint8_t { kNone, kPixels, kImages };
  Staging a_staging = Staging::kNone;
  bool out_staging = false;  // columns of results become rows before they are stored

  bool merged = false;      // the taps along x and their features are one contraction dimension
  bool transposed = false;  // rhs tiles hold columns as rows
  bool zero_a = false;      // tiles are cleared before they are loaded
  bool zero_b = false;

  int64_t a_bytes = 0, b_bytes = 0, out_bytes = 0;
  int64_t a_staging_bytes = 0, out_staging_bytes = 0;  // 0 without
  std::array<int64_t, kMaxStreams> stream_bytes{};
  int64_t a_slots = 2, b_slots = 2, out_slots = 2, stream_slots = 2;

  double cost_cycles = 0.0;  // what the choice is estimated to take
};

inline constexpr int64_t kStagingSlots = 2;

// What the tiling of one kernel is chosen from.
struct TilingProblem {
  // A contraction's kernel, and the bytes of the buffer that it may take.
  TilingProblem(const Kernel& kernel, int64_t buffer_bytes);

  const Contraction& contraction;
  int64_t lhs_bytes, rhs_bytes, out_bytes;  // per element
  std::vector<int64_t> stream_bytes;              // per element of each stream
  std::vector<bool> stream_rows, stream_columns;  // along what it varies
  int64_t buffer_bytes;
};

// The extent of input that `count` outputs along one axis need, at most `limit`.
int64_t InputExtent(int64_t count, int64_t stride, int64_t taps, int64_t window_dilation,
                    int64_t limit);

// The input that results `first` ... `first` + `count` - 1 along y or x meet, clipped to the input;
// may be empty.
struct InputRange {
  int64_t begin = 0, extent = 0;
};
InputRange InputRows(const Contraction& contraction, int64_t first, int64_t count);
InputRange InputPixels(const Contraction& contraction, int64_t first, int64_t count);

// Tries the sensible tilings and returns the one that is estimated to be fastest. Unsupported if
// none fits the buffer. The choice never changes a bit of the result.
Result<Tiling> ChooseTiling(const TilingProblem& problem, const arch::ChipConfig& chip);

}  // namespace systolith::compiler

#endif  // SYSTOLITH_HOST_COMPILER_SCHEDULE_TILING_H_
