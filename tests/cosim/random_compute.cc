// The part of RandomProgram that makes matmul instructions.
#include <algorithm>

#include "tests/cosim/random_program.h"

namespace systolith::cosim {

using arch::Opcode;
using arch::OperandType;
using Space = Extent::Space;

namespace {

constexpr uint32_t kMxu0 = static_cast<uint32_t>(arch::Engine::kMxu0);

int64_t OperandBytes(uint32_t type) {
  switch (static_cast<OperandType>(type)) {
    case OperandType::kBf16: return 2;
    case OperandType::kInt8: return 1;
    default: return 4;
  }
}

}  // namespace

void RandomProgram::ChooseTypes(arch::Matmul& matmul) {
  const auto set = [&](OperandType a, OperandType w) {
    matmul.a_type = static_cast<uint32_t>(a);
    matmul.w_type = static_cast<uint32_t>(w);
  };
  if (!config_.mxu_bf16 || (config_.mxu_int8 && rng_.Chance(0.25))) {
    return set(OperandType::kInt8, OperandType::kInt8);
  }
  switch (rng_.Below(5)) {
    case 0: return set(OperandType::kF32Rounded, OperandType::kF32Rounded);
    case 1: return set(OperandType::kBf16, OperandType::kF32Rounded);
    case 2:
      matmul.a_slice = static_cast<uint32_t>(rng_.Below(3));
      matmul.w_slice = static_cast<uint32_t>(rng_.Below(3));
      return set(OperandType::kF32Slice, OperandType::kF32Slice);
    default: return set(OperandType::kBf16, OperandType::kBf16);
  }
}

void RandomProgram::ChooseLimits(arch::Matmul& matmul) {
  matmul.weight_level = static_cast<uint32_t>(rng_.Below(4));
  const auto level = [&] {
    return matmul.weight_level == 0 || rng_.Chance(0.4)
               ? static_cast<uint32_t>(arch::kNoLevel)
               : static_cast<uint32_t>(rng_.Below(matmul.weight_level));
  };
  const auto limit = [&](uint32_t loop, int64_t size) {
    const int64_t tiles = loop == arch::kNoLevel ? 1 : matmul.counts[loop];
    return static_cast<uint32_t>(rng_.Chance(0.5) ? tiles * size : rng_.Range(0, tiles * size));
  };
  matmul.k_level = level();
  matmul.n_level = level();
  matmul.k_limit = limit(matmul.k_level, config_.mxu_rows);
  matmul.n_limit = limit(matmul.n_level, config_.mxu_cols);
  matmul.a_length = static_cast<uint32_t>(
      rng_.Chance(0.5) ? config_.mxu_rows : rng_.Range(1, config_.mxu_rows));
}

// Windows that lie in the buffer as a whole, clipped at random.
void RandomProgram::PlaceActivations(arch::Matmul& matmul, std::vector<Extent>& extents) {
  const int64_t size = OperandBytes(matmul.a_type), unit = 8 * size;
  const int64_t bytes = config_.mxu_rows * size;
  const Walk walk = RandomWalk(matmul.counts, unit, 3000);
  const int64_t base = PlaceWalk(walk, bytes, unit, config_.buffer_bytes);
  matmul.a_base = static_cast<int32_t>(base);
  matmul.a_strides = walk.strides;
  matmul.y_limit = 1;
  matmul.x_limit = 1 << 16;
  if (rng_.Chance(0.4)) {
    matmul.y_base = static_cast<int32_t>(rng_.Range(-1, 2));
    matmul.y_limit = static_cast<uint32_t>(rng_.Range(0, 4));
    matmul.x_base = static_cast<int32_t>(rng_.Range(-10, 10));
    matmul.x_limit = static_cast<uint32_t>(rng_.Range(0, 3 * config_.mxu_rows));
    for (int l = 0; l < arch::kLoops; ++l) {
      matmul.y_steps[l] = static_cast<int32_t>(rng_.Range(-1, 1));
      matmul.x_steps[l] = static_cast<int32_t>(rng_.Range(-4, 4));
    }
  }
  extents.push_back(BytesOf(Space::kBuffer, base, walk, bytes, false));
}

// Windows of an image as a convolution has them: addresses follow y and x, also to where the
// buffer ends, and only clipping keeps them inside.
void RandomProgram::PlaceImage(arch::Matmul& matmul, std::vector<Extent>& extents) {
  const int64_t size = OperandBytes(matmul.a_type), unit = 8 * size;
  const int64_t height = rng_.Range(1, 5), width = 8 * rng_.Range(1, 8);
  const int64_t pitch = width * size, bytes = height * pitch;
  int64_t image = unit * rng_.Range(0, (config_.buffer_bytes - bytes) / unit);
  if (rng_.Chance(0.2)) image = 0;
  if (rng_.Chance(0.2)) image = config_.buffer_bytes - bytes;
  const int64_t y = rng_.Range(-2, 1), x = 8 * rng_.Range(-2, 1);
  matmul.y_base = static_cast<int32_t>(y);
  matmul.x_base = static_cast<int32_t>(x);
  matmul.y_limit = static_cast<uint32_t>(height);
  matmul.x_limit = static_cast<uint32_t>(width - rng_.Range(0, 7));
  matmul.a_base = static_cast<int32_t>(image + y * pitch + x * size);
  for (int l = 0; l < arch::kLoops; ++l) {
    const int64_t y_step = rng_.Range(-1, 2), x_step = 8 * rng_.Range(-1, 2);
    matmul.y_steps[l] = static_cast<int32_t>(y_step);
    matmul.x_steps[l] = static_cast<int32_t>(x_step);
    matmul.a_strides[l] = static_cast<int32_t>(y_step * pitch + x_step * size);
  }
  extents.push_back({Space::kBuffer, 0, image, image + bytes, false, false});
}

void RandomProgram::PlaceWeights(arch::Matmul& matmul, std::vector<Extent>& extents) {
  const int64_t size = OperandBytes(matmul.w_type), unit = 8 * size;
  matmul.transpose = rng_.Chance(0.4);
  const int64_t rows = matmul.transpose ? config_.mxu_cols : config_.mxu_rows;
  const int64_t row_bytes = (matmul.transpose ? config_.mxu_rows : config_.mxu_cols) * size;
  const int64_t stride = rng_.Chance(0.6) ? row_bytes : unit * rng_.Range(-2, 5);
  Counts counts = matmul.counts;
  for (uint32_t l = matmul.weight_level; l < arch::kLoops; ++l) counts[l] = 1;
  Walk walk = RandomWalk(counts, unit, 2000);
  const int64_t reach = stride * (rows - 1);
  (reach < 0 ? walk.lowest : walk.highest) += reach;
  const int64_t base = PlaceWalk(walk, row_bytes, unit, config_.buffer_bytes);
  matmul.w_base = static_cast<uint32_t>(base);
  matmul.w_strides = walk.strides;
  matmul.w_row_stride = static_cast<int32_t>(stride);
  extents.push_back(BytesOf(Space::kBuffer, base, walk, row_bytes, false));
  extents.back().weights = true;
}

void RandomProgram::AppendMatmul() {
  arch::Matmul matmul;
  const uint32_t unit = static_cast<uint32_t>(rng_.Below(static_cast<uint64_t>(config_.mxu_count)));
  std::vector<Extent> extents;
  matmul.engine = kMxu0 + unit;
  matmul.counts = RandomCounts(60);
  ChooseTypes(matmul);
  ChooseLimits(matmul);
  matmul.a_fill = rng_.Chance(0.5) ? 0 : 0x3f803f80;
  rng_.Chance(0.5) ? PlaceImage(matmul, extents) : PlaceActivations(matmul, extents);
  PlaceWeights(matmul, extents);
  matmul.accumulate = rng_.Chance(0.2);
  matmul.fresh_mask = static_cast<uint32_t>(rng_.Below(64));
  const Walk walk = RandomWalk(matmul.counts, 1, config_.mxu_accumulator_rows);
  const int64_t base = PlaceWalk(walk, 1, 1, 2 * config_.mxu_accumulator_rows);
  matmul.acc_base = static_cast<uint32_t>(base);
  matmul.acc_strides = walk.strides;
  extents.push_back(BytesOf(Space::kAccumulators, base, walk, 1, true));
  extents.back().unit = unit;
  program_.Append(Opcode::kMatmul, matmul, extents);
}

}  // namespace systolith::cosim
