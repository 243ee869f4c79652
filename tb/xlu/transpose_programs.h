#ifndef SYSTOLITH_TB_XLU_TRANSPOSE_PROGRAMS_H_
#define SYSTOLITH_TB_XLU_TRANSPOSE_PROGRAMS_H_

#include <algorithm>

#include "tb/common/random.h"
#include "tb/xlu/xlu_bench.h"

namespace systolith::tb {

// Instructions to try on a bench, and ways to run them.
template <typename Bench>
class XluTest : public RandomTest {
 protected:
  static constexpr uint32_t kLanes = Bench::kLanes;
  static constexpr uint32_t kHalf = Bench::kBufferBytes / 2;

  // `rows` x `cols` elements, from the start of the buffer's lower half to that of its upper half,
  // tile by tile in loops 4 and 5.
  static arch::Transpose PlainTranspose(uint32_t rows, uint32_t cols, uint32_t size_log2) {
    const uint32_t in_row = Padded(cols) << size_log2, out_row = Padded(rows) << size_log2;
    arch::Transpose t;
    t.opcode = static_cast<uint32_t>(arch::Opcode::kTranspose);
    t.engine = static_cast<uint32_t>(arch::Engine::kXlu);
    t.quads = arch::kTransposeWords / 4;
    t.counts = {1, 1, 1, 1, (rows + kLanes - 1) / kLanes, (cols + kLanes - 1) / kLanes};
    t.size_log2 = size_log2;
    t.rows_level = 4;
    t.cols_level = 5;
    t.rows_limit = rows;
    t.cols_limit = cols;
    t.in_row_stride = static_cast<int32_t>(in_row);
    t.in_strides = {0, 0, 0, 0, static_cast<int32_t>(kLanes * in_row),
                    static_cast<int32_t>(kLanes << size_log2)};
    t.out_base = kHalf;
    t.out_row_stride = static_cast<int32_t>(out_row);
    t.out_strides = {0, 0, 0, 0, static_cast<int32_t>(kLanes << size_log2),
                     static_cast<int32_t>(kLanes * out_row)};
    return t;
  }

  // Ragged sizes, any two loops for rows and columns or none, a batch in the others, iterations
  // beyond the matrix, rows from the last to the first.
  arch::Transpose RandomTranspose(Bench& bench) {
    const auto extent = [&] {
      return static_cast<uint32_t>(rng_.Chance(0.3) ? rng_.Range(1, 3) * kLanes
                                                    : rng_.Range(1, kLanes * 5 / 2));
    };
    const uint32_t size_log2 = static_cast<uint32_t>(rng_.Below(3));
    uint32_t rows = extent(), cols = extent();
    while ((Padded(rows) * Padded(cols) << size_log2) > kHalf) (rows > cols ? rows : cols) /= 2;
    const arch::Transpose plain = PlainTranspose(rows, cols, size_log2);
    const uint32_t in_row = static_cast<uint32_t>(plain.in_row_stride);
    const uint32_t out_row = static_cast<uint32_t>(plain.out_row_stride);
    arch::Transpose t = plain;
    t.counts.fill(1);
    t.in_strides.fill(0);
    t.out_strides.fill(0);
    t.rows_level = static_cast<uint32_t>(rng_.Below(6));
    t.cols_level = (t.rows_level + static_cast<uint32_t>(rng_.Range(1, 5))) % 6;
    const auto place = [&](uint32_t& level, uint32_t plain_level) {
      t.counts[level] = plain.counts[plain_level] + (rng_.Chance(0.2) ? 1 : 0);
      t.in_strides[level] = plain.in_strides[plain_level];
      t.out_strides[level] = plain.out_strides[plain_level];
      if (rng_.Chance(0.2)) {  // only the first tile along this loop, again and again
        t.in_strides[level] = t.out_strides[level] = 0;
        level = arch::kNoLevel;
      }
    };
    const uint32_t taken[] = {t.rows_level, t.cols_level};
    place(t.rows_level, 4);
    place(t.cols_level, 5);
    uint32_t in_bytes = Padded(rows) * in_row, out_bytes = Padded(cols) * out_row;
    for (uint32_t l = 0; l < 6; ++l) {
      const uint32_t count = static_cast<uint32_t>(rng_.Range(1, 3));
      if (l == taken[0] || l == taken[1] || rng_.Chance(0.6)) continue;
      if (in_bytes * count > kHalf || out_bytes * count > kHalf) continue;
      t.counts[l] = count;
      t.in_strides[l] = static_cast<int32_t>(in_bytes);
      t.out_strides[l] = static_cast<int32_t>(out_bytes);
      in_bytes *= count;
      out_bytes *= count;
    }
    if (rng_.Chance(0.5)) std::swap(t.in_base, t.out_base);
    if (rng_.Chance(0.5) && t.rows_level == arch::kNoLevel) {  // upside down
      t.in_base += (std::min(rows, kLanes) - 1) * in_row;
      t.in_row_stride = -t.in_row_stride;
    }
    AddSync(bench, t, 6);
    return t;
  }

  // Random waits, which the bench will let pass, and signals, of levels up to `top`.
  void AddSync(Bench& bench, arch::Transpose& t, uint32_t top) {
    const auto wait = [&](uint32_t& valid, uint32_t& flag, uint32_t& level, uint32_t& target,
                          uint32_t& step) {
      valid = rng_.Chance(0.3);
      flag = static_cast<uint32_t>(rng_.Below(64));
      level = static_cast<uint32_t>(rng_.Range(0, top));
      step = static_cast<uint32_t>(rng_.Range(0, 2));
      uint32_t& planned = bench.flags_planned[flag];
      target = (planned + static_cast<uint32_t>(rng_.Range(-3, 3))) & 0xffff;
      if (valid == 0) return;
      uint32_t passes = 1;
      for (uint32_t l = 0; l < level; ++l) passes *= t.counts[l];
      const uint32_t last = (target + step * (passes - 1)) & 0xffff;
      if (static_cast<int16_t>(last - planned) > 0) planned = last;
    };
    wait(t.wait0_valid, t.wait0_flag, t.wait0_level, t.wait0_target, t.wait0_step);
    wait(t.wait1_valid, t.wait1_flag, t.wait1_level, t.wait1_target, t.wait1_step);
    wait(t.wait2_valid, t.wait2_flag, t.wait2_level, t.wait2_target, t.wait2_step);
    wait(t.wait3_valid, t.wait3_flag, t.wait3_level, t.wait3_target, t.wait3_step);
    t.signal0_valid = rng_.Chance(0.6);
    t.signal0_flag = static_cast<uint32_t>(rng_.Below(48));
    t.signal0_level = static_cast<uint32_t>(rng_.Range(0, top));
    t.signal1_valid = rng_.Chance(0.4);
    t.signal1_flag = static_cast<uint32_t>(rng_.Below(48));
    t.signal1_level = static_cast<uint32_t>(rng_.Range(0, top));
  }

  arch::Transpose RandomSync(Bench& bench) {
    arch::Transpose t;
    t.opcode = static_cast<uint32_t>(arch::Opcode::kSync);
    AddSync(bench, t, 0);
    // The words behind a sync instruction are not its own.
    for (uint32_t& count : t.counts) count = rng_.U32();
    t.size_log2 = 3;
    t.rows_limit = t.cols_limit = 1000;
    return t;
  }

  void RunToIdle(Bench& bench, int64_t limit = 200000) {
    int64_t cycles = 0;
    do bench.Step();
    while (bench.Busy() && ++cycles < limit && !HasFailure());
    ASSERT_LT(cycles, limit) << "hangs";
    ASSERT_EQ(bench.dut.fault_valid_o, 0);
  }

  static uint32_t Padded(uint32_t elements) { return (elements + 7) / 8 * 8; }
};

}  // namespace systolith::tb

#endif  // SYSTOLITH_TB_XLU_TRANSPOSE_PROGRAMS_H_
