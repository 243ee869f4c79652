// The part of RandomProgram that makes matmul and vector instructions, and chases.
#include <algorithm>

#include "tests/cosim/random_program.h"

namespace systolith::cosim {

using arch::LaneType;
using arch::Opcode;
using arch::OperandType;
using arch::VectorOp;
using Space = Extent::Space;

namespace {

constexpr uint32_t kVpu = static_cast<uint32_t>(arch::Engine::kVpu);
constexpr uint32_t kMxu0 = static_cast<uint32_t>(arch::Engine::kMxu0);
constexpr uint32_t kFirstChaseFlag = 16;

int64_t OperandBytes(uint32_t type) {
  switch (static_cast<OperandType>(type)) {
    case OperandType::kBf16: return 2;
    case OperandType::kInt8: return 1;
    default: return 4;
  }
}

int64_t LaneBytes(uint32_t type) {
  switch (static_cast<LaneType>(type)) {
    case LaneType::kBf16: return 2;
    case LaneType::kS8: return 1;
    default: return 4;
  }
}

struct StepKind {
  VectorOp op;
  bool binary;
};
constexpr StepKind kSteps[] = {
    {VectorOp::kCopy, true},         {VectorOp::kAddF32, true},
    {VectorOp::kSubtractF32, true},  {VectorOp::kReverseSubtractF32, true},
    {VectorOp::kMultiplyF32, true},  {VectorOp::kMaximumF32, true},
    {VectorOp::kMinimumF32, true},   {VectorOp::kRoundEvenF32, false},
    {VectorOp::kAddS32, true},       {VectorOp::kSubtractS32, true},
    {VectorOp::kReverseSubtractS32, true}, {VectorOp::kMultiplyS32, true},
    {VectorOp::kMaximumS32, true},   {VectorOp::kMinimumS32, true},
    {VectorOp::kS32ToF32, false},    {VectorOp::kF32ToS32, false},
    {VectorOp::kRoundBf16, false},   {VectorOp::kRequantize, true}};

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

void RandomProgram::ChooseSteps(arch::Vector& vector) {
  vector.op_count = static_cast<uint32_t>(rng_.Below(arch::kVectorOps + 1));
  for (uint32_t& immediate : vector.immediates) {
    immediate = rng_.Chance(0.7) ? 0x3f000000 + static_cast<uint32_t>(rng_.Below(0x2000000))
                                 : rng_.U32();
  }
  for (uint32_t i = 0; i < vector.op_count; ++i) {
    const StepKind& kind = kSteps[rng_.Below(std::size(kSteps))];
    uint32_t operand = 0;
    if (kind.binary) {
      operand = 4 + static_cast<uint32_t>(rng_.Below(4));
      if (vector.y_used && rng_.Chance(0.4)) operand = 1;
      if (vector.z_used && rng_.Chance(0.4)) operand = 2;
    }
    vector.ops[i] = static_cast<uint32_t>(kind.op) | operand << 8;
  }
}

RandomProgram::Walk RandomProgram::PlaceRows(const Counts& counts, uint32_t type, uint32_t& base,
                                             Strides& strides) {
  const int64_t unit = 8 * LaneBytes(type);
  const Walk walk = RandomWalk(counts, unit, 2000);
  base = static_cast<uint32_t>(
      PlaceWalk(walk, config_.Lanes() * LaneBytes(type), unit, config_.buffer_bytes));
  strides = walk.strides;
  return walk;
}

arch::Vector RandomProgram::RandomVector() {
  arch::Vector vector;
  vector.engine = kVpu;
  vector.counts = RandomCounts(30);
  vector.x_source = static_cast<uint32_t>(rng_.Below(3));
  vector.x_unit = static_cast<uint32_t>(rng_.Below(static_cast<uint64_t>(config_.mxu_count)));
  for (uint32_t* type : {&vector.x_type, &vector.y_type, &vector.z_type, &vector.out_type}) {
    *type = static_cast<uint32_t>(rng_.Below(4));
  }
  vector.y_used = rng_.Chance(0.6);
  vector.z_used = rng_.Chance(0.4);
  vector.y_splat = rng_.Chance(0.3);
  vector.z_splat = rng_.Chance(0.3);
  vector.length_level = rng_.Chance(0.5) ? arch::kNoLevel : static_cast<uint32_t>(rng_.Below(6));
  int64_t limit = config_.Lanes();
  if (vector.x_source == static_cast<uint32_t>(arch::XSource::kAccumulator)) {
    limit = config_.mxu_cols;
    if (limit < config_.Lanes()) vector.length_level = arch::kNoLevel;
  }
  if (vector.length_level != arch::kNoLevel) limit *= vector.counts[vector.length_level];
  vector.length_limit = static_cast<uint32_t>(rng_.Chance(0.5) ? limit : rng_.Range(0, limit));
  ChooseSteps(vector);
  return vector;
}

// False if the result would fall on what the instruction reads itself.
bool RandomProgram::PlaceVector(arch::Vector& vector, std::vector<Extent>& extents) {
  const auto rows = [&](uint32_t type, uint32_t& base, Strides& strides, bool write) {
    const Walk walk = PlaceRows(vector.counts, type, base, strides);
    extents.push_back(
        BytesOf(Space::kBuffer, base, walk, config_.Lanes() * LaneBytes(type), write));
  };
  if (vector.x_source == static_cast<uint32_t>(arch::XSource::kBuffer)) {
    rows(vector.x_type, vector.x_base, vector.x_strides, false);
  } else if (vector.x_source == static_cast<uint32_t>(arch::XSource::kAccumulator)) {
    const Walk walk = RandomWalk(vector.counts, 1, config_.mxu_accumulator_rows);
    vector.x_base =
        static_cast<uint32_t>(PlaceWalk(walk, 1, 1, 2 * config_.mxu_accumulator_rows));
    vector.x_strides = walk.strides;
    extents.push_back(BytesOf(Space::kAccumulators, vector.x_base, walk, 1, false));
    extents.back().unit = vector.x_unit;
  }
  if (vector.y_used) rows(vector.y_type, vector.y_base, vector.y_strides, false);
  if (vector.z_used) rows(vector.z_type, vector.z_base, vector.z_strides, false);
  const size_t reads = extents.size();
  rows(vector.out_type, vector.out_base, vector.out_strides, true);
  for (size_t i = 0; i < reads; ++i) {
    if (extents[i].ConflictsWith(extents.back())) return false;
  }
  return true;
}

void RandomProgram::AppendVector() {
  for (int tries = 0; tries < 20; ++tries) {
    arch::Vector vector = RandomVector();
    std::vector<Extent> extents;
    if (!PlaceVector(vector, extents)) continue;
    program_.Append(Opcode::kVector, vector, extents);
    return;
  }
}

template <typename T>
void RandomProgram::SignalRows(T& producer) {
  producer.signal1_valid = 1;
  producer.signal1_flag = kFirstChaseFlag + producer.engine;
  producer.signal1_level = 1;
}

template <typename T>
void RandomProgram::FollowRows(T& consumer, uint32_t producer, uint32_t rows) {
  consumer.wait3_valid = 1;
  consumer.wait3_flag = kFirstChaseFlag + producer;
  consumer.wait3_level = 1;
  consumer.wait3_target = (chased_[producer] + 1) & 0xffff;
  consumer.wait3_step = 1;
  chased_[producer] += rows;
}

void RandomProgram::AppendChase() {
  switch (rng_.Below(3)) {
    case 0: return ChaseLoadByStore();
    case 1: return ChaseMatmulByVector();
    default: return ChaseVectorByStore();
  }
}

void RandomProgram::ChaseLoadByStore() {
  const uint32_t rows = static_cast<uint32_t>(rng_.Range(1, 12));
  const int64_t run = rng_.Range(1, 200);
  const int64_t hbm = rng_.Range(0, kInputBytes - rows * run);
  const int64_t out = kInputBytes + rng_.Range(0, kOutputBytes - rows * run);
  const int64_t base = rng_.Range(0, config_.buffer_bytes - rows * run);
  const auto transfer = [&](arch::Engine engine, int64_t offset) {
    arch::Dma dma;
    dma.engine = static_cast<uint32_t>(engine);
    dma.counts = {rows, 1, 1, 1, 1, 1};
    dma.offset_lo = static_cast<uint32_t>(offset);
    dma.buffer_base = static_cast<uint32_t>(base);
    dma.run_bytes = dma.buffer_run_bytes = static_cast<uint32_t>(run);
    dma.hbm_strides[0] = dma.buffer_strides[0] = static_cast<int32_t>(run);
    return dma;
  };
  const auto at = [&](Space space, int64_t begin, bool write) {
    return Extent{space, 0, begin, begin + rows * run, write, false};
  };
  const int64_t memory = golden::kDataAddress;
  arch::Dma load = transfer(arch::Engine::kDmaLoad, hbm);
  SignalRows(load);
  program_.Append(Opcode::kLoad, load,
                  {at(Space::kHbm, memory + hbm, false), at(Space::kBuffer, base, true)});
  arch::Dma store = transfer(arch::Engine::kDmaStore, out);
  FollowRows(store, load.engine, rows);
  program_.AppendChasing(Opcode::kStore, store,
                         {at(Space::kHbm, memory + out, true), at(Space::kBuffer, base, false)},
                         load.engine);
}

void RandomProgram::ChaseMatmulByVector() {
  const uint32_t unit = static_cast<uint32_t>(rng_.Below(static_cast<uint64_t>(config_.mxu_count)));
  const uint32_t rows = static_cast<uint32_t>(rng_.Range(1, config_.mxu_accumulator_rows));
  const int64_t first = rng_.Range(0, 2 * config_.mxu_accumulator_rows - rows);
  std::vector<Extent> extents;
  arch::Matmul matmul = FreshRows(unit, first, rows, extents);
  SignalRows(matmul);
  program_.Append(Opcode::kMatmul, matmul, extents);

  arch::Vector vector;
  vector.engine = kVpu;
  vector.counts = {rows, 1, 1, 1, 1, 1};
  vector.x_source = static_cast<uint32_t>(arch::XSource::kAccumulator);
  vector.x_unit = unit;
  vector.x_base = static_cast<uint32_t>(first);
  vector.x_strides[0] = 1;
  vector.out_type = static_cast<uint32_t>(rng_.Below(4));
  vector.length_limit = static_cast<uint32_t>(config_.mxu_cols);
  vector.length_level = arch::kNoLevel;
  const int64_t row_bytes = config_.Lanes() * LaneBytes(vector.out_type);
  const int64_t unit_bytes = 8 * LaneBytes(vector.out_type);
  const int64_t half = config_.buffer_bytes / 2;  // the matmul's operands lie below
  const int64_t out = half + unit_bytes * rng_.Range(0, (half - rows * row_bytes) / unit_bytes);
  vector.out_base = static_cast<uint32_t>(out);
  vector.out_strides[0] = static_cast<int32_t>(row_bytes);
  FollowRows(vector, matmul.engine, rows);
  program_.AppendChasing(Opcode::kVector, vector,
                         {{Space::kAccumulators, unit, first, first + rows, false, false},
                          {Space::kBuffer, 0, out, out + rows * row_bytes, true, false}},
                         matmul.engine);
}

void RandomProgram::ChaseVectorByStore() {
  const uint32_t rows = static_cast<uint32_t>(rng_.Range(1, 10));
  const int64_t row_bytes = 4 * config_.Lanes();
  const int64_t half = config_.buffer_bytes / 2;
  const int64_t in = 32 * rng_.Range(0, (half - rows * row_bytes) / 32);
  const int64_t out = half + 32 * rng_.Range(0, (half - rows * row_bytes) / 32);
  const int64_t hbm = kInputBytes + rng_.Range(0, kOutputBytes - rows * row_bytes);
  arch::Vector vector;
  vector.engine = kVpu;
  vector.counts = {rows, 1, 1, 1, 1, 1};
  vector.x_source = static_cast<uint32_t>(arch::XSource::kBuffer);
  vector.x_base = static_cast<uint32_t>(in);
  vector.out_base = static_cast<uint32_t>(out);
  vector.x_strides[0] = vector.out_strides[0] = static_cast<int32_t>(row_bytes);
  vector.length_limit = static_cast<uint32_t>(config_.Lanes());
  vector.length_level = arch::kNoLevel;
  ChooseSteps(vector);
  SignalRows(vector);
  const int64_t bytes = rows * row_bytes;
  program_.Append(Opcode::kVector, vector,
                  {{Space::kBuffer, 0, in, in + bytes, false, false},
                   {Space::kBuffer, 0, out, out + bytes, true, false}});
  arch::Dma store;
  store.engine = static_cast<uint32_t>(arch::Engine::kDmaStore);
  store.counts = {rows, 1, 1, 1, 1, 1};
  store.offset_lo = static_cast<uint32_t>(hbm);
  store.buffer_base = static_cast<uint32_t>(out);
  store.run_bytes = store.buffer_run_bytes = static_cast<uint32_t>(row_bytes);
  store.hbm_strides[0] = store.buffer_strides[0] = static_cast<int32_t>(row_bytes);
  FollowRows(store, vector.engine, rows);
  const int64_t memory = golden::kDataAddress + hbm;
  program_.AppendChasing(Opcode::kStore, store,
                         {{Space::kHbm, 0, memory, memory + bytes, true, false},
                          {Space::kBuffer, 0, out, out + bytes, false, false}},
                         vector.engine);
}

}  // namespace systolith::cosim
