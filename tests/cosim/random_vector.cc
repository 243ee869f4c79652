// The part of RandomProgram that makes vector and transpose instructions, and chases.
#include <algorithm>

#include "sim/golden/testing/kernel.h"
#include "tests/cosim/random_kernel.h"
#include "tests/cosim/random_program.h"
#include "tests/cosim/random_streams.h"

namespace systolith::cosim {

using arch::LaneType;
using arch::Opcode;
using Space = Extent::Space;

namespace {

constexpr uint32_t kFirstChaseFlag = 16;
constexpr uint32_t kCountFlag = 40;  // raised by instances, awaited by nobody
constexpr uint64_t kMostWork = 3000;  // bundles of all instances together
constexpr uint32_t kTypes = 9;

int64_t RoundUp(int64_t value, int64_t unit) { return (value + unit - 1) / unit * unit; }

}  // namespace

void RandomProgram::AppendVector() {
  for (int tries = 0; tries < 20; ++tries) {
    if (AppendKernel()) return;
  }
}

// A random kernel, and one or two instructions that run it. False: no place was found for it.
bool RandomProgram::AppendKernel() {
  const bool in_place = rng_.Chance(0.2), prologue = rng_.Chance(0.4);
  const uint32_t level = static_cast<uint32_t>(rng_.Chance(0.2) ? rng_.Below(7) : rng_.Range(1, 4));
  auto shared = shared_;
  const Kernel kernel = RandomKernel(rng_, shared, in_place).Generate(prologue, level);
  const uint32_t kernel_base =
      static_cast<uint32_t>(rng_.Below(arch::kKernelBundles - kernel.bundles.size() + 1));
  const uint32_t constant_base = static_cast<uint32_t>(rng_.Below(arch::kKernelConstants));
  bool loaded = false;
  for (int run = rng_.Chance(0.3) ? 2 : 1; run > 0; --run) {
    arch::Vector vector;
    vector.engine = static_cast<uint32_t>(arch::Engine::kVpu);
    vector.counts = RandomCounts(static_cast<uint32_t>(rng_.Range(1, 30)));
    vector.kernel_level = level;
    vector.prologue_level = arch::kNoLevel;
    if (prologue && !(loaded && rng_.Chance(0.3))) {  // else w registers are left from before
      vector.prologue_level = static_cast<uint32_t>(rng_.Below(level + 1));
    }
    const Kernel::Work work = kernel.WorkOf(vector.counts, level);
    uint64_t instances = 1;
    for (uint32_t l = 0; l < level; ++l) instances *= vector.counts[l];
    if (!work.legal || work.bundles * instances > kMostWork) continue;

    const int64_t cut = 32 * rng_.Range(config_.buffer_bytes / 128, config_.buffer_bytes / 128 * 3);
    RandomStreams::Region in{0, cut}, out{cut, config_.buffer_bytes};
    if (rng_.Chance(0.5)) std::swap(in, out);
    const int64_t indices = in.begin + 4 * rng_.Range(0, in.bytes() / 4 - kGatherRows);
    RandomStreams streams(rng_, config_, in, out, indices, kGatherRows);
    if (!streams.Place(kernel, vector.counts, in_place)) continue;

    golden::ProgramWriter& writer = program_.writer();
    if (!loaded) {
      golden::AppendBundles(writer, kernel.bundles, kernel_base);
      const std::span<const uint32_t> constants = kernel.constants;
      const size_t whole =
          std::min<size_t>(constants.size(), arch::kKernelConstants - constant_base);
      golden::AppendConstants(writer, constants.first(whole), constant_base);
      golden::AppendConstants(writer, constants.subspan(whole), 0);
      loaded = true;
      shared_ = shared;
    }
    if (std::any_of(streams.streams().begin(), streams.streams().end(),
                    [](const arch::Stream& stream) { return stream.gather != 0; })) {
      LoadIndices(indices);
    }
    for (arch::Stream stream : streams.streams()) {
      if (rng_.Chance(0.5)) stream.groups_limit = static_cast<uint32_t>(work.groups[stream.index]);
      writer.Append(Opcode::kStream, stream);
    }
    vector.body = kernel.body;
    vector.kernel_base = kernel_base;
    vector.constant_base = constant_base;
    if (rng_.Chance(0.5)) vector.bundle_limit = static_cast<uint32_t>(work.bundles);
    vector.bases = streams.bases();
    for (uint32_t& scalar : vector.scalars) {
      scalar = rng_.Chance(0.5) ? static_cast<uint32_t>(rng_.Below(40)) : rng_.U32();
    }
    if (rng_.Chance(0.5)) {  // what the flags are in the end is compared, too
      vector.signal1_valid = 1;
      vector.signal1_flag = kCountFlag;
      vector.signal1_level = static_cast<uint32_t>(rng_.Below(level + 1));
    }
    program_.Append(Opcode::kVector, vector, streams.extents());
  }
  return loaded;
}

// Tiles of a matrix, or of several, along two of the loops.
void RandomProgram::AppendTranspose() {
  const int64_t lanes = config_.Lanes();
  arch::Transpose transpose;
  transpose.engine = static_cast<uint32_t>(arch::Engine::kXlu);
  transpose.size_log2 = static_cast<uint32_t>(rng_.Below(3));
  const int64_t size = int64_t{1} << transpose.size_log2, unit = 8 * size;
  const int64_t most = lanes > 32 ? 2 : 3;  // tiles in each direction
  transpose.counts.fill(1);
  const uint32_t first = static_cast<uint32_t>(rng_.Below(6));
  const uint32_t second = (first + 1 + static_cast<uint32_t>(rng_.Below(5))) % 6;
  const uint32_t third = static_cast<uint32_t>(rng_.Below(6));
  transpose.rows_level = rng_.Chance(0.3) ? arch::kNoLevel : first;
  transpose.cols_level = rng_.Chance(0.3) ? arch::kNoLevel : second;
  const auto extent = [&](uint32_t level, uint32_t& limit) {
    if (level == arch::kNoLevel) {
      limit = static_cast<uint32_t>(rng_.Range(1, lanes + 5));
      return std::min<int64_t>(limit, lanes);
    }
    transpose.counts[level] = static_cast<uint32_t>(rng_.Range(1, most));
    limit = static_cast<uint32_t>(rng_.Range(1, transpose.counts[level] * lanes));
    return int64_t{limit};
  };
  const int64_t rows = extent(transpose.rows_level, transpose.rows_limit);
  const int64_t columns = extent(transpose.cols_level, transpose.cols_limit);
  const int64_t in_row = RoundUp(columns, 8) * size + unit * rng_.Range(0, 2);
  const int64_t out_row = RoundUp(rows, 8) * size + unit * rng_.Range(0, 2);
  const auto set = [](std::array<int32_t, arch::kLoops>& strides, uint32_t level, int64_t stride) {
    if (level != arch::kNoLevel) strides[level] = static_cast<int32_t>(stride);
  };
  set(transpose.in_strides, transpose.rows_level, lanes * in_row);
  set(transpose.in_strides, transpose.cols_level, lanes * size);
  set(transpose.out_strides, transpose.rows_level, lanes * size);
  set(transpose.out_strides, transpose.cols_level, lanes * out_row);
  int64_t matrices = 1;
  if (third != transpose.rows_level && third != transpose.cols_level) {
    matrices = transpose.counts[third] = static_cast<uint32_t>(rng_.Range(1, 3));
    set(transpose.in_strides, third, rows * in_row);
    set(transpose.out_strides, third, columns * out_row);
  }
  transpose.in_row_stride = static_cast<int32_t>(in_row);
  transpose.out_row_stride = static_cast<int32_t>(out_row);
  const int64_t in_bytes = matrices * rows * in_row, out_bytes = matrices * columns * out_row;
  const int64_t half = config_.buffer_bytes / 2;
  if (in_bytes > half || out_bytes > half) return;
  const bool upwards = rng_.Chance(0.5);
  const int64_t in = (upwards ? 0 : half) + unit * rng_.Range(0, (half - in_bytes) / unit);
  const int64_t out = (upwards ? half : 0) + unit * rng_.Range(0, (half - out_bytes) / unit);
  transpose.in_base = static_cast<uint32_t>(in);
  transpose.out_base = static_cast<uint32_t>(out);
  program_.Append(Opcode::kTranspose, transpose,
                  {{Space::kBuffer, 0, in, in + in_bytes, false, false},
                   {Space::kBuffer, 0, out, out + out_bytes, true, false}});
}

template <typename T>
void RandomProgram::SignalRows(T& producer) {
  producer.signal1_valid = 1;
  producer.signal1_flag = kFirstChaseFlag + producer.engine;
  producer.signal1_level = 1;
}

template <typename T>
void RandomProgram::FollowRows(T& consumer, uint32_t producer, uint32_t rows, uint32_t rows_each) {
  consumer.wait3_valid = 1;
  consumer.wait3_flag = kFirstChaseFlag + producer;
  consumer.wait3_level = 1;
  consumer.wait3_target = (chased_[producer] + rows_each) & 0xffff;
  consumer.wait3_step = rows_each;
  chased_[producer] += rows;
}

void RandomProgram::AppendChase() {
  switch (rng_.Below(4)) {
    case 0: return ChaseLoadByStore();
    case 1: return ChaseMatmulByVector();
    case 2: return ChaseTransposeByStore();
    default: return ChaseVectorByStore();
  }
}

// A transfer of `rows` runs between HBM and buffer, dense on both sides.
arch::Dma RandomProgram::Rows(arch::Engine engine, int64_t hbm, int64_t buffer, uint32_t rows,
                              int64_t run) {
  arch::Dma dma;
  dma.engine = static_cast<uint32_t>(engine);
  dma.counts = {rows, 1, 1, 1, 1, 1};
  dma.offset_lo = static_cast<uint32_t>(hbm);
  dma.buffer_base = static_cast<uint32_t>(buffer);
  dma.run_bytes = dma.buffer_run_bytes = static_cast<uint32_t>(run);
  dma.hbm_strides[0] = dma.buffer_strides[0] = static_cast<int32_t>(run);
  return dma;
}

void RandomProgram::ChaseLoadByStore() {
  const uint32_t rows = static_cast<uint32_t>(rng_.Range(1, 12));
  const int64_t run = rng_.Range(1, 200), bytes = rows * run;
  const int64_t hbm = rng_.Range(0, kInputBytes - bytes);
  const int64_t base = rng_.Range(0, config_.buffer_bytes - bytes);
  const int64_t source = golden::kDataAddress + hbm;
  arch::Dma load = Rows(arch::Engine::kDmaLoad, hbm, base, rows, run);
  SignalRows(load);
  program_.Append(Opcode::kLoad, load,
                  {{Space::kHbm, 0, source, source + bytes, false, false},
                   {Space::kBuffer, 0, base, base + bytes, true, false}});
  ChaseByStore(load.engine, base, rows, run);
}

// Stores what the last instruction of `producer` writes, row by row as it comes.
void RandomProgram::ChaseByStore(uint32_t producer, int64_t buffer, uint32_t rows, int64_t run) {
  const int64_t bytes = rows * run;
  const int64_t hbm = kInputBytes + rng_.Range(0, kOutputBytes - bytes);
  const int64_t target = golden::kDataAddress + hbm;
  arch::Dma store = Rows(arch::Engine::kDmaStore, hbm, buffer, rows, run);
  FollowRows(store, producer, rows);
  program_.AppendChasing(Opcode::kStore, store,
                         {{Space::kHbm, 0, target, target + bytes, true, false},
                          {Space::kBuffer, 0, buffer, buffer + bytes, false, false}},
                         producer);
}

// An instance drains as many rows as it has sublanes.
void RandomProgram::ChaseMatmulByVector() {
  const uint32_t unit = static_cast<uint32_t>(rng_.Below(static_cast<uint64_t>(config_.mxu_count)));
  const uint32_t sublanes = static_cast<uint32_t>(config_.vpu_sublanes);
  const uint32_t rows =
      sublanes * static_cast<uint32_t>(rng_.Range(1, config_.mxu_accumulator_rows / sublanes));
  const int64_t first = rng_.Range(0, 2 * config_.mxu_accumulator_rows - rows);
  std::vector<Extent> extents;
  arch::Matmul matmul = FreshRows(unit, first, rows, extents);
  SignalRows(matmul);
  program_.Append(Opcode::kMatmul, matmul, extents);

  const LaneType type = static_cast<LaneType>(rng_.Below(kTypes));
  const int64_t size = LaneBytes(static_cast<uint32_t>(type));
  const int64_t row_bytes = config_.Lanes() * size;
  const int64_t half = config_.buffer_bytes / 2;  // the matmul's operands lie below
  const int64_t out = half + 8 * size * rng_.Range(0, (half - rows * row_bytes) / (8 * size));
  golden::AppendDrainKernel(program_.writer(), config_, rows, unit);
  program_.writer().Append(
      Opcode::kStream,
      golden::RowStream(config_, arch::kInputStreams, type, rows,
                        static_cast<uint32_t>(config_.Lanes()), static_cast<int32_t>(row_bytes)));
  arch::Vector vector = golden::DrainVector(config_, rows, static_cast<uint32_t>(out),
                                            static_cast<uint32_t>(first));
  FollowRows(vector, matmul.engine, rows, sublanes);
  program_.AppendChasing(Opcode::kVector, vector,
                         {{Space::kAccumulators, unit, first, first + rows, false, false},
                          {Space::kBuffer, 0, out, out + rows * row_bytes, true, false}},
                         matmul.engine);
}

void RandomProgram::ChaseVectorByStore() {
  const uint32_t groups = static_cast<uint32_t>(rng_.Range(1, 10));
  const int64_t group_bytes = 4 * golden::GroupElements(config_), bytes = groups * group_bytes;
  const int64_t half = config_.buffer_bytes / 2;
  const int64_t in = 32 * rng_.Range(0, (half - bytes) / 32);
  const int64_t out = half + 32 * rng_.Range(0, (half - bytes) / 32);
  golden::ProgramWriter& writer = program_.writer();
  const arch::Bundle bundles[] = {
      golden::BundleOf(arch::AluOp::kMultiplyF32, golden::V(0), golden::In(0), golden::S(0)),
      golden::Exit(golden::BundleOf(arch::AluOp::kAddF32, golden::Out(0), golden::V(0),
                                    golden::S(1)))};
  golden::AppendBundles(writer, bundles);
  for (const uint32_t q : {0u, static_cast<uint32_t>(arch::kInputStreams)}) {
    writer.Append(Opcode::kStream, golden::FlatStream(config_, q, LaneType::kF32));
  }
  arch::Vector vector = golden::VectorOf(groups);
  vector.bases[0] = static_cast<int32_t>(in);
  vector.bases[arch::kInputStreams] = static_cast<int32_t>(out);
  vector.scalars = {0x3f490fdb, 0x40490fdb};
  SignalRows(vector);
  program_.Append(Opcode::kVector, vector,
                  {{Space::kBuffer, 0, in, in + bytes, false, false},
                   {Space::kBuffer, 0, out, out + bytes, true, false}});
  ChaseByStore(vector.engine, out, groups, group_bytes);
}

void RandomProgram::ChaseTransposeByStore() {
  const int64_t lanes = config_.Lanes(), tile_bytes = lanes * lanes;
  const uint32_t tiles = static_cast<uint32_t>(rng_.Range(1, 3));
  const int64_t half = config_.buffer_bytes / 2, bytes = tiles * tile_bytes;
  if (bytes > half || bytes > kOutputBytes) return;
  const int64_t in = 8 * rng_.Range(0, (half - bytes) / 8);
  const int64_t out = half + 8 * rng_.Range(0, (half - bytes) / 8);
  arch::Transpose transpose;
  transpose.engine = static_cast<uint32_t>(arch::Engine::kXlu);
  transpose.counts = {tiles, 1, 1, 1, 1, 1};
  transpose.rows_level = transpose.cols_level = arch::kNoLevel;
  transpose.rows_limit = transpose.cols_limit = static_cast<uint32_t>(lanes);
  transpose.in_base = static_cast<uint32_t>(in);
  transpose.out_base = static_cast<uint32_t>(out);
  transpose.in_strides[0] = transpose.out_strides[0] = static_cast<int32_t>(tile_bytes);
  transpose.in_row_stride = transpose.out_row_stride = static_cast<int32_t>(lanes);
  SignalRows(transpose);
  program_.Append(Opcode::kTranspose, transpose,
                  {{Space::kBuffer, 0, in, in + bytes, false, false},
                   {Space::kBuffer, 0, out, out + bytes, true, false}});
  ChaseByStore(transpose.engine, out, tiles, tile_bytes);
}

}  // namespace systolith::cosim
