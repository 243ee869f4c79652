#include "tests/cosim/random_program.h"

#include <algorithm>

#include "sim/golden/testing/kernel.h"

namespace systolith::cosim {

using arch::Opcode;
using Space = Extent::Space;

namespace {

constexpr int64_t kHbmBase = golden::kDataAddress;
constexpr uint32_t kLoad = static_cast<uint32_t>(arch::Engine::kDmaLoad);
constexpr uint32_t kStore = static_cast<uint32_t>(arch::Engine::kDmaStore);
constexpr uint32_t kMxu0 = static_cast<uint32_t>(arch::Engine::kMxu0);

// The index vector behind the trip count.
constexpr int64_t kIndexOffset = 64;

Extent Bytes(Space space, int64_t begin, int64_t bytes, bool write) {
  return {space, 0, begin, begin + bytes, write, false};
}

arch::Dma Copy(uint32_t engine, int64_t hbm, int64_t buffer, int64_t bytes) {
  arch::Dma dma;
  dma.engine = engine;
  dma.counts.fill(1);
  dma.offset_lo = static_cast<uint32_t>(hbm);
  dma.buffer_base = static_cast<uint32_t>(buffer);
  dma.run_bytes = dma.buffer_run_bytes = static_cast<uint32_t>(bytes);
  return dma;
}

}  // namespace

std::vector<uint8_t> RandomInput(tb::Rng& rng) {
  // Mostly bf16 numbers of middling size (which are middling f32 numbers, too), some special.
  static constexpr uint16_t kSpecial[] = {0x0000, 0x8000, 0x0001, 0x807f, 0x0080, 0x7f80,
                                          0xff80, 0x7fc0, 0x7f81, 0x7f7f, 0xff7f, 0x5f80};
  std::vector<uint8_t> bytes(kInputBytes);
  for (size_t i = 0; i < bytes.size(); i += 2) {
    uint16_t value = static_cast<uint16_t>(rng.Range(0x3c00, 0x4300) | (rng.U32() & 0x8000));
    const uint64_t kind = rng.Below(200);
    if (kind < 10) value = 0;
    if (kind == 10) value = kSpecial[rng.Below(std::size(kSpecial))];
    if (kind == 11) value = static_cast<uint16_t>(rng.U32());
    bytes[i] = static_cast<uint8_t>(value);
    bytes[i + 1] = static_cast<uint8_t>(value >> 8);
  }
  const auto put = [&](int64_t offset, uint32_t word) {
    for (int b = 0; b < 4; ++b) bytes[offset + b] = static_cast<uint8_t>(word >> (8 * b));
  };
  put(0, kTripCount);
  for (int64_t i = 0; i < kGatherRows; ++i) {
    put(kIndexOffset + 4 * i, static_cast<uint32_t>(rng.Below(kGatherRows)));
  }
  return bytes;
}

golden::JobOptions RandomProgramOptions() {
  golden::JobOptions options;
  options.segments = {{static_cast<uint64_t>(kHbmBase), kDataBytes, true, true, 3},
                      {static_cast<uint64_t>(kHbmBase), kInputBytes, true, false, 3}};
  options.owner = 3;
  return options;
}

std::vector<uint32_t> RandomProgram::Generate(int length, double kernels) {
  program_ = {};
  chased_ = {};
  shared_ = {};
  Prologue();
  for (int i = 0; i < length; ++i) {
    if (rng_.Chance(kernels)) {
      AppendVector();
      continue;
    }
    switch (rng_.Below(16)) {
      case 0:
      case 1: AppendLoad(); break;
      case 2: AppendTranspose(); break;
      case 3: AppendGather(); break;
      case 4:
      case 5: AppendStore(); break;
      case 6:
      case 7:
      case 8:
      case 9: AppendMatmul(); break;
      case 10:
      case 11:
      case 12: AppendVector(); break;
      case 13: AppendSync(); break;
      case 14: AppendLoop(); break;
      default: AppendChase(); break;
    }
  }
  Epilogue();
  return program_.writer().words();
}

void RandomProgram::Prologue() {
  const int64_t bytes = config_.buffer_bytes;
  for (int64_t at = 0; at < bytes; at += kInputBytes) {
    const int64_t part = std::min(bytes - at, kInputBytes);
    program_.Append(Opcode::kLoad, Copy(kLoad, 0, at, part),
                    {Bytes(Space::kHbm, kHbmBase, part, false),
                     Bytes(Space::kBuffer, at, part, true)});
  }
  for (uint32_t unit = 0; unit < config_.mxu_count; ++unit) {
    std::vector<Extent> extents;
    const arch::Matmul matmul = FreshRows(unit, 0, 2 * config_.mxu_accumulator_rows, extents);
    program_.Append(Opcode::kMatmul, matmul, extents);
  }
}

// Gives accumulator rows of the unit values, from operands in the lower half of the buffer.
arch::Matmul RandomProgram::FreshRows(uint32_t unit, int64_t first, int64_t rows,
                                      std::vector<Extent>& extents) {
  arch::Matmul matmul;
  matmul.engine = kMxu0 + unit;
  const int64_t size = config_.mxu_bf16 ? 2 : 1;
  matmul.a_type = matmul.w_type = static_cast<uint32_t>(
      config_.mxu_bf16 ? arch::OperandType::kBf16 : arch::OperandType::kInt8);
  matmul.counts = {static_cast<uint32_t>(rows), 1, 1, 1, 1, 1};
  matmul.k_level = matmul.n_level = arch::kNoLevel;
  matmul.a_length = static_cast<uint32_t>(config_.mxu_rows);
  matmul.a_strides[0] = static_cast<int32_t>(8 * size);
  matmul.y_limit = 1;
  matmul.x_limit = matmul.a_length;
  matmul.w_base = 512;
  matmul.w_row_stride = static_cast<int32_t>(config_.mxu_cols * size);
  matmul.k_limit = static_cast<uint32_t>(config_.mxu_rows);
  matmul.n_limit = static_cast<uint32_t>(config_.mxu_cols);
  matmul.acc_base = static_cast<uint32_t>(first);
  matmul.acc_strides[0] = 1;
  const int64_t a_bytes = (rows - 1) * 8 * size + config_.mxu_rows * size;
  const int64_t w_bytes = config_.mxu_rows * config_.mxu_cols * size;
  extents = {Bytes(Space::kBuffer, 0, a_bytes, false),
             {Space::kBuffer, 0, matmul.w_base, matmul.w_base + w_bytes, false, true},
             {Space::kAccumulators, unit, first, first + rows, true, false}};
  return matmul;
}

// Stores the buffer, then the accumulators by way of the buffer.
void RandomProgram::Epilogue() {
  const int64_t bytes = config_.buffer_bytes;
  int64_t dump = kInputBytes + kOutputBytes;
  program_.Append(Opcode::kStore, Copy(kStore, dump, 0, bytes),
                  {Bytes(Space::kBuffer, 0, bytes, false),
                   Bytes(Space::kHbm, kHbmBase + dump, bytes, true)});
  dump += bytes;
  const int64_t row_bytes = 4 * config_.Lanes();
  const int64_t rows = 2 * config_.mxu_accumulator_rows;
  const int64_t part_rows = std::min(rows, bytes / row_bytes);
  for (uint32_t unit = 0; unit < config_.mxu_count; ++unit) {
    for (int64_t row = 0; row < rows; row += part_rows) {
      const int64_t count = std::min(part_rows, rows - row);
      golden::AppendDrainKernel(program_.writer(), config_, static_cast<uint32_t>(count), unit);
      program_.Append(Opcode::kVector,
                      golden::DrainVector(config_, static_cast<uint32_t>(count), 0,
                                          static_cast<uint32_t>(row)),
                      {{Space::kAccumulators, unit, row, row + count, false, false},
                       Bytes(Space::kBuffer, 0, count * row_bytes, true)});
      program_.Append(Opcode::kStore, Copy(kStore, dump, 0, count * row_bytes),
                      {Bytes(Space::kBuffer, 0, count * row_bytes, false),
                       Bytes(Space::kHbm, kHbmBase + dump, count * row_bytes, true)});
      dump += count * row_bytes;
    }
  }
  program_.writer().Halt();
}

RandomProgram::Counts RandomProgram::RandomCounts(uint32_t limit) {
  Counts counts;
  counts.fill(1);
  uint32_t left = limit;
  for (int tries = static_cast<int>(rng_.Below(4)); tries > 0 && left > 1; --tries) {
    uint32_t& count = counts[rng_.Below(counts.size())];
    if (count > 1) continue;
    count = static_cast<uint32_t>(rng_.Range(1, std::min<uint32_t>(left, 9)));
    left /= count;
  }
  return counts;
}

RandomProgram::Walk RandomProgram::RandomWalk(const Counts& counts, int64_t unit, int64_t span,
                                              bool may_fall) {
  Walk walk;
  int64_t left = span;
  for (int l = 0; l < arch::kLoops; ++l) {
    if (counts[l] == 1) {
      walk.strides[l] = static_cast<int32_t>(rng_.Range(-3, 3));  // of no effect
      continue;
    }
    const int64_t steps = counts[l] - 1;
    const int64_t reach = static_cast<int64_t>(rng_.Below(static_cast<uint64_t>(left / 2) + 1));
    int64_t stride = reach / steps / unit * unit;
    left -= stride * steps;
    if (may_fall && rng_.Chance(0.3)) stride = -stride;
    walk.strides[l] = static_cast<int32_t>(stride);
    (stride < 0 ? walk.lowest : walk.highest) += stride * steps;
  }
  return walk;
}

int64_t RandomProgram::PlaceWalk(const Walk& walk, int64_t bytes, int64_t unit, int64_t limit) {
  const int64_t lowest = (-walk.lowest + unit - 1) / unit;
  const int64_t highest = (limit - bytes - walk.highest) / unit;
  return unit * rng_.Range(lowest, std::max(lowest, highest));
}

Extent RandomProgram::BytesOf(Space space, int64_t base, const Walk& walk, int64_t bytes,
                              bool write) {
  return Bytes(space, base + walk.lowest, walk.highest - walk.lowest + bytes, write);
}

arch::Dma RandomProgram::RandomTransfer(bool load, std::vector<Extent>& extents) {
  arch::Dma dma;
  dma.engine = load ? kLoad : kStore;
  dma.counts = RandomCounts(20);
  const int64_t run = rng_.Chance(0.2) ? rng_.Range(1, 1500) : rng_.Range(1, 130);
  const int64_t image = load && rng_.Chance(0.4) ? run + rng_.Range(0, 40) : run;
  dma.run_bytes = static_cast<uint32_t>(run);
  dma.buffer_run_bytes = static_cast<uint32_t>(image);
  dma.fill = rng_.U32();
  const int64_t unit = rng_.Chance(0.5) ? 1 : 32;

  const Walk hbm = RandomWalk(dma.counts, unit, 8000);
  // Loads read the input (by either segment), sometimes what was stored before.
  const bool input = load && rng_.Chance(0.8);
  const int64_t region = input ? 0 : kInputBytes;
  const int64_t offset = region + PlaceWalk(hbm, run, unit, input ? kInputBytes : kOutputBytes);
  dma.segment = input && rng_.Chance(0.5) ? 1 : 0;
  dma.offset_lo = static_cast<uint32_t>(offset);
  dma.hbm_strides = hbm.strides;
  extents.push_back(BytesOf(Space::kHbm, kHbmBase + offset, hbm, run, !load));

  const Walk buffer = RandomWalk(dma.counts, unit, 4000);
  const int64_t base = PlaceWalk(buffer, image, unit, config_.buffer_bytes);
  dma.buffer_base = static_cast<uint32_t>(base);
  dma.buffer_strides = buffer.strides;
  extents.push_back(BytesOf(Space::kBuffer, base, buffer, image, load));
  return dma;
}

void RandomProgram::AppendLoad() {
  std::vector<Extent> extents;
  const arch::Dma dma = RandomTransfer(true, extents);
  program_.Append(Opcode::kLoad, dma, extents);
}

void RandomProgram::AppendStore() {
  std::vector<Extent> extents;
  const arch::Dma dma = RandomTransfer(false, extents);
  program_.Append(Opcode::kStore, dma, extents);
}

void RandomProgram::LoadIndices(int64_t buffer) {
  program_.Append(Opcode::kLoad, Copy(kLoad, kIndexOffset, buffer, 4 * kGatherRows),
                  {Bytes(Space::kHbm, kHbmBase + kIndexOffset, 4 * kGatherRows, false),
                   Bytes(Space::kBuffer, buffer, 4 * kGatherRows, true)});
}

void RandomProgram::AppendGather() {
  const int64_t half = config_.buffer_bytes / 2;
  const int64_t indices = 4 * rng_.Range(0, half / 4 - kGatherRows);
  LoadIndices(indices);
  arch::Dma dma;
  dma.engine = kLoad;
  dma.counts = {static_cast<uint32_t>(rng_.Range(1, 20)), 1,
                static_cast<uint32_t>(rng_.Range(1, 3)), 1, 1, 1};
  const int64_t run = rng_.Range(1, 70), row = rng_.Range(1, 200);
  dma.gather = 1;
  dma.gather_base =
      static_cast<uint32_t>(indices + 4 * rng_.Range(0, kGatherRows - dma.counts[0]));
  dma.gather_limit = kGatherRows;
  dma.run_bytes = dma.buffer_run_bytes = static_cast<uint32_t>(run);
  dma.hbm_strides = {static_cast<int32_t>(row), 0, 77, 0, 0, 0};
  const int64_t buffer_row = rng_.Range(run, 200);
  dma.buffer_strides = {static_cast<int32_t>(buffer_row), 0, static_cast<int32_t>(20 * buffer_row),
                        0, 0, 0};
  const int64_t offset = rng_.Range(0, 1000);
  const int64_t buffer_bytes = 60 * buffer_row;  // above the indices: it must not read its writes
  const int64_t base = half + rng_.Range(0, std::max<int64_t>(half - buffer_bytes, 0));
  if (base + buffer_bytes > config_.buffer_bytes) return;
  dma.offset_lo = static_cast<uint32_t>(offset);
  dma.buffer_base = static_cast<uint32_t>(base);
  program_.Append(Opcode::kLoad, dma,
                  {Bytes(Space::kHbm, kHbmBase + offset, kGatherRows * row + 300, false),
                   Bytes(Space::kBuffer, indices, 4 * kGatherRows, false),
                   Bytes(Space::kBuffer, base, buffer_bytes, true)});
}

void RandomProgram::AppendSync() {
  arch::Sync sync;
  sync.engine = static_cast<uint32_t>(rng_.Range(1, 4 + config_.mxu_count));
  program_.Append(Opcode::kSync, sync, {});
}

// load_scalar reads a trip count; so often a patched load and a patched store that waits for it.
void RandomProgram::AppendLoop() {
  golden::ProgramWriter& writer = program_.writer();
  const int64_t count_at = 4 * rng_.Range(0, config_.buffer_bytes / 4 - 1);
  program_.Append(Opcode::kLoad, Copy(kLoad, 0, count_at, 4),
                  {Bytes(Space::kHbm, kHbmBase, 4, false),
                   Bytes(Space::kBuffer, count_at, 4, true)});
  arch::Scalar await;
  await.target = kLoad;
  await.imm = static_cast<int32_t>(program_.Executed(kLoad));
  writer.Append(Opcode::kAwait, await);
  arch::Scalar read;
  read.rd = 7;
  read.imm = static_cast<int32_t>(count_at);
  writer.Append(Opcode::kLoadScalar, read);
  for (uint32_t reg : {1u, 2u}) {  // clear: rd <- 0
    arch::Scalar clear;
    clear.rd = reg;
    writer.Append(Opcode::kAdd, clear);
  }

  const int64_t step = rng_.Range(40, 300), run = rng_.Range(1, step);
  const int64_t total = step * kTripCount;
  const int64_t source = rng_.Range(0, kInputBytes - total);
  const int64_t target = kInputBytes + rng_.Range(0, kOutputBytes - total);
  const int64_t base = rng_.Range(0, config_.buffer_bytes - total);
  const auto patch = [](arch::Dma& dma) {
    dma.patch0_word = 19;  // offset_lo
    dma.patch1_word = 27;  // buffer_base
    dma.patch0_reg = dma.patch1_reg = 2;
  };
  arch::Dma load = Copy(kLoad, source, base, run);
  const std::vector<Extent> load_extents = {Bytes(Space::kHbm, kHbmBase + source, total, false),
                                            Bytes(Space::kBuffer, base, total, true)};
  OrderedProgram::AddSignal(load);
  patch(load);
  arch::Dma store = Copy(kStore, target, base, run);
  const std::vector<Extent> store_extents = {Bytes(Space::kHbm, kHbmBase + target, total, true),
                                             Bytes(Space::kBuffer, base, total, false)};
  OrderedProgram::AddSignal(store);
  patch(store);
  // What comes before the loop is waited for once, before it.
  program_.OrderAll(kLoad, load_extents);
  program_.OrderAll(kStore, store_extents);
  store.wait3_valid = 1;
  store.wait3_flag = kLoad;
  store.wait3_target = (program_.Executed(kLoad) + 1) & 0xffff;
  store.wait3_reg = 1;
  const uint32_t loop = writer.pc();
  writer.Append(Opcode::kLoad, load);
  writer.Append(Opcode::kStore, store);
  program_.Record(kLoad, load_extents, kTripCount);
  program_.Record(kStore, store_extents, kTripCount);

  arch::Scalar add;
  add.rd = add.rs = 1;
  add.imm = 1;
  writer.Append(Opcode::kAdd, add);
  add.rd = add.rs = 2;
  add.imm = static_cast<int32_t>(step);
  writer.Append(Opcode::kAdd, add);
  arch::Scalar branch;
  branch.condition = static_cast<uint32_t>(arch::Condition::kLt);
  branch.rs = 1;
  branch.rt = 7;
  branch.target = loop;
  writer.Append(Opcode::kBranch, branch);
}

}  // namespace systolith::cosim
