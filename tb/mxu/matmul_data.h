#ifndef SYSTOLITH_TB_MXU_MATMUL_DATA_H_
#define SYSTOLITH_TB_MXU_MATMUL_DATA_H_

#include <algorithm>
#include <cstdint>

#include "host/arch/isa.h"
#include "tb/common/random.h"
#include "tb/mxu/matmul_model.h"

namespace systolith::tb {

struct MxuShape {
  int rows, cols, accumulator_rows;
  bool bf16, int8;
};

inline arch::Matmul EmptyMatmul() {
  arch::Matmul m;
  m.opcode = static_cast<uint32_t>(arch::Opcode::kMatmul);
  m.engine = static_cast<uint32_t>(arch::Engine::kMxu0);
  m.quads = 16;
  m.counts.fill(1);
  m.k_level = m.n_level = arch::kNoLevel;
  m.y_limit = 1;
  m.x_limit = m.k_limit = m.n_limit = 1 << 20;
  return m;
}

// Any legal matmul over a memory of `bytes`: every type, nest, clipping and order of tiles.
inline arch::Matmul RandomMatmul(Rng& rng, const MxuShape& shape, int bytes, int max_iterations) {
  arch::Matmul m = EmptyMatmul();
  const auto int8 = static_cast<uint32_t>(arch::OperandType::kInt8);
  if (shape.int8 && (!shape.bf16 || rng.Chance(0.3))) {
    m.a_type = m.w_type = int8;
  } else {
    const uint32_t types[] = {0, 2, 3};
    m.a_type = types[rng.Below(3)];
    m.w_type = rng.Chance(0.6) ? m.a_type : types[rng.Below(3)];
    m.a_slice = rng.Below(3);
    m.w_slice = rng.Below(3);
    if (rng.Chance(0.3)) m.a_slice = m.w_slice = 0;
  }
  int64_t iterations = 1;
  for (int l = 5; l >= 0; l--) {
    const int64_t room = max_iterations / iterations;
    m.counts[l] = rng.Chance(0.4) ? 1 : rng.Range(1, std::min<int64_t>(room, 9));
    iterations *= m.counts[l];
  }
  m.weight_level = rng.Range(0, 6);
  const auto choose_loop = [&]() -> uint32_t {
    return m.weight_level == 0 || rng.Chance(0.3) ? 7 : rng.Below(m.weight_level);
  };
  m.k_level = choose_loop();
  m.n_level = choose_loop();
  const auto limit = [&](uint32_t level, int size) -> uint32_t {
    const int64_t whole = int64_t{size} * (level == 7 ? 1 : m.counts[level]);
    return rng.Chance(0.3) ? rng.Range(0, whole) : rng.Range(whole - size + 1, whole + 9);
  };
  m.k_limit = limit(m.k_level, shape.rows);
  m.n_limit = limit(m.n_level, shape.cols);
  m.a_length = rng.Chance(0.5) ? shape.rows : rng.Range(1, shape.rows);
  m.transpose = rng.Chance(0.3);
  m.accumulate = rng.Chance(0.3);
  m.fresh_mask = rng.Below(64);
  m.a_fill = rng.Chance(0.3) ? 0 : rng.U32();

  // Each loop may move an address by a share of a quarter of the memory, to either side.
  const auto strides = [&](std::array<int32_t, 6>& stride, int alignment) {
    for (int l = 0; l < 6; l++) {
      const int64_t reach = bytes / 4 / 6 / m.counts[l] / alignment;
      stride[l] = static_cast<int32_t>(rng.Range(-reach, reach) * alignment);
    }
  };
  const int a_unit = 8 * MatmulModel::Size(m.a_type), w_unit = 8 * MatmulModel::Size(m.w_type);
  m.a_base = static_cast<int32_t>(rng.Range(bytes * 3 / 8, bytes * 5 / 8) / a_unit * a_unit);
  strides(m.a_strides, a_unit);
  m.w_base = static_cast<uint32_t>(rng.Range(bytes * 3 / 8, bytes * 5 / 8) / w_unit * w_unit);
  strides(m.w_strides, w_unit);
  const int64_t row_reach = bytes / 8 / std::max(shape.rows, shape.cols) / w_unit;
  m.w_row_stride = static_cast<int32_t>(rng.Range(-row_reach, row_reach) * w_unit);

  const bool clips = rng.Chance(0.6);
  for (int l = 0; l < 6; l++) {
    if (clips && rng.Chance(0.4)) m.y_steps[l] = static_cast<int32_t>(rng.Range(-2, 2));
    if (clips && rng.Chance(0.4)) m.x_steps[l] = static_cast<int32_t>(rng.Range(-9, 9));
  }
  if (clips) {
    m.y_base = static_cast<int32_t>(rng.Range(-2, 4));
    m.y_limit = rng.Range(1, 9);
    m.x_base = static_cast<int32_t>(rng.Range(-10, 20));
    m.x_limit = rng.Range(1, 2 * shape.rows);
  }

  int64_t low = 0, high = 0;
  for (int l = 0; l < 6; l++) {
    const int64_t reach = shape.accumulator_rows / 3 / m.counts[l];
    m.acc_strides[l] = static_cast<int32_t>(rng.Chance(0.3) ? 0 : rng.Range(-reach, reach) / 2);
    const int64_t last = int64_t{m.acc_strides[l]} * (m.counts[l] - 1);
    (last < 0 ? low : high) += last;
  }
  m.acc_base = static_cast<uint32_t>(rng.Range(-low, 2 * shape.accumulator_rows - 1 - high));
  return m;
}

}  // namespace systolith::tb

#endif  // SYSTOLITH_TB_MXU_MATMUL_DATA_H_
