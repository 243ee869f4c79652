#include "tb/vpu/vpu_program.h"

#include <algorithm>
#include <cstring>

namespace systolith::tb {

using arch::LaneType;
using arch::Opcode;
using arch::Spread;
using arch::StreamSource;

namespace {

constexpr uint32_t kMaxStep = 3;
constexpr uint32_t kRegisters = 10;  // few, so that kernels use results
constexpr int32_t kMuch = 1 << 28;

int ElementBytes(uint32_t type) {
  switch (static_cast<LaneType>(type)) {
    case LaneType::kS8:
    case LaneType::kU8: return 1;
    case LaneType::kBf16:
    case LaneType::kF16:
    case LaneType::kS16:
    case LaneType::kU16: return 2;
    default: return 4;
  }
}

// One element of a row is all that is accessed, so that it may lie anywhere.
bool IsSingle(const arch::Stream& stream) {
  return stream.spread == static_cast<uint32_t>(Spread::kLanes) ||
         stream.spread == static_cast<uint32_t>(Spread::kBoth);
}

}  // namespace

arch::Vector EmptyVector() {
  auto vector = VpuFormat<arch::Vector>(Opcode::kVector);
  vector.quads = arch::kVectorWords / 4;
  vector.counts.fill(1);
  vector.kernel_level = arch::kLoops;
  vector.prologue_level = arch::kNoLevel;
  return vector;
}

arch::Stream OpenStream(uint32_t index, LaneType type) {
  auto stream = VpuFormat<arch::Stream>(Opcode::kStream);
  stream.quads = arch::kStreamWords / 4;
  stream.index = index;
  stream.type = static_cast<uint32_t>(type);
  stream.x_limit = stream.y_limit = kMuch;
  return stream;
}

void AppendBundles(std::vector<VpuInstruction>& program, std::span<const arch::Bundle> bundles,
                   uint32_t first) {
  constexpr size_t kMost = 10;
  for (size_t done = 0; done < bundles.size(); done += kMost) {
    auto load = VpuFormat<arch::LoadKernel>(Opcode::kLoadKernel);
    load.quads = arch::kLoadKernelWords / 4;
    load.part = static_cast<uint32_t>(arch::KernelPart::kBundles);
    load.first = first + static_cast<uint32_t>(done);
    load.count = static_cast<uint32_t>(std::min(kMost, bundles.size() - done));
    for (uint32_t i = 0; i < load.count; ++i) {
      arch::Encode(bundles[done + i],
                   std::span(load.data).subspan(size_t{i} * arch::kBundleWords));
    }
    program.emplace_back(load);
  }
}

void AppendConstants(std::vector<VpuInstruction>& program, std::span<const uint32_t> constants,
                     uint32_t first) {
  constexpr size_t kMost = 50;
  for (size_t done = 0; done < constants.size(); done += kMost) {
    auto load = VpuFormat<arch::LoadKernel>(Opcode::kLoadKernel);
    load.quads = arch::kLoadKernelWords / 4;
    load.part = static_cast<uint32_t>(arch::KernelPart::kConstants);
    load.first = first + static_cast<uint32_t>(done);
    load.count = static_cast<uint32_t>(std::min(kMost, constants.size() - done));
    std::copy_n(constants.begin() + static_cast<int64_t>(done), load.count, load.data.begin());
    program.emplace_back(load);
  }
}

void VpuProgramWriter::PlaceIndices(Rng& rng, std::span<uint8_t> memory) {
  for (uint32_t half = 0; half < 2; ++half) {
    for (uint32_t i = 0; i < kIndices; ++i) {
      const uint32_t value = static_cast<uint32_t>(rng.Below(kIndexLimit));
      std::memcpy(memory.data() + half * kHalf + kIndexBase + 4 * i, &value, 4);
    }
  }
}

int32_t VpuProgramWriter::Place(int64_t unit, int64_t low, int64_t high,
                                std::span<const Dimension> dimensions) {
  const int64_t slots = (high - low) / unit;  // steps available
  int64_t down = 0, up = 0;                   // reached so far, in steps
  for (const Dimension& dimension : dimensions) {
    if (dimension.span == 0) {
      *dimension.stride = static_cast<int32_t>(rng_.U32());  // never used
      continue;
    }
    const int64_t most = std::min<int64_t>((slots - (up - down)) / dimension.span, 9);
    const int64_t step = rng_.Range(-most, most);
    *dimension.stride = static_cast<int32_t>(step * unit);
    (step < 0 ? down : up) += step * dimension.span;
  }
  return static_cast<int32_t>(low + unit * rng_.Range(-down, slots - up));
}

std::vector<VpuProgramWriter::Dimension> VpuProgramWriter::LoopsOf(
    std::array<int32_t, 8>& strides, bool flat) {
  std::vector<Dimension> dimensions;
  for (uint32_t l = 0; l < arch::kLoops; ++l) {
    dimensions.push_back({int64_t{vector_.counts[l]} - 1, &strides[l]});
  }
  dimensions.push_back({kMaxStep, &strides[6]});
  dimensions.push_back({flat ? 0 : sizes_.sublanes - 1, &strides[7]});
  return dimensions;
}

// Bounds that cut some groups, leave others whole, and miss others.
void VpuProgramWriter::RandomBounds(arch::Stream& stream) {
  const int width = sizes_.lanes * (stream.flat ? sizes_.sublanes : 1);
  stream.x_base = rng_.Chance(0.5) ? 0 : static_cast<int32_t>(rng_.Range(-width, width));
  stream.y_base = rng_.Chance(0.5) ? 0 : static_cast<int32_t>(rng_.Range(-2, 3));
  stream.x_limit = stream.y_limit = kMuch;
  if (rng_.Chance(0.5)) stream.x_limit = static_cast<uint32_t>(rng_.Range(0, 2 * width));
  if (rng_.Chance(0.5)) stream.y_limit = static_cast<uint32_t>(rng_.Range(0, 8));
  for (int32_t& step : stream.x_steps) {
    step = rng_.Chance(0.6) ? 0 : static_cast<int32_t>(rng_.Range(-width, width));
  }
  for (int32_t& step : stream.y_steps) {
    step = rng_.Chance(0.4) ? 0 : static_cast<int32_t>(rng_.Range(-1, 2));
  }
}

arch::Stream VpuProgramWriter::RandomInput(uint32_t index, uint32_t half, int32_t& base) {
  arch::Stream stream = OpenStream(index, static_cast<LaneType>(rng_.Below(9)));
  stream.source = rng_.Chance(0.6) ? 0 : static_cast<uint32_t>(rng_.Range(1, 2));
  stream.fill = rng_.U32();
  stream.unit = static_cast<uint32_t>(rng_.Below(sizes_.mxus));
  if (stream.source == static_cast<uint32_t>(StreamSource::kAccumulator)) {
    RandomBounds(stream);
    base = Place(1, 0, 2 * VpuSizes::kAccumulatorRows - 1, LoopsOf(stream.strides, false));
    return stream;
  }
  stream.flat = rng_.Chance(0.25);
  if (!stream.flat && rng_.Chance(0.4)) stream.spread = static_cast<uint32_t>(rng_.Below(4));
  RandomBounds(stream);
  const int size = ElementBytes(stream.type);
  const int64_t row = int64_t{size} * sizes_.lanes * (stream.flat ? sizes_.sublanes : 1);
  std::vector<Dimension> dimensions = LoopsOf(stream.strides, stream.flat);
  if (stream.source == 0 && !stream.flat && rng_.Chance(0.3)) {
    stream.gather = 1;
    stream.y_limit = std::min(stream.y_limit, kIndices);
    stream.gather_base = half * kHalf + kIndexBase;
    stream.gather_limit = kIndexLimit;
    dimensions.push_back({kIndexLimit - 1, &stream.gather_stride});
  }
  base = Place(IsSingle(stream) ? size : 8 * size, half * kHalf, half * kHalf + kIndexBase - row,
               dimensions);
  return stream;
}

// No place is written twice: loops and step are the digits of the group's number, in any order.
arch::Stream VpuProgramWriter::RandomOutput(uint32_t index, uint32_t half, int32_t& base) {
  arch::Stream stream = OpenStream(index, static_cast<LaneType>(rng_.Below(9)));
  stream.flat = rng_.Chance(0.25);
  if (!stream.flat && rng_.Chance(0.3)) stream.spread = static_cast<uint32_t>(rng_.Below(4));
  RandomBounds(stream);
  const int size = ElementBytes(stream.type);
  const int64_t row = int64_t{size} * sizes_.lanes * (stream.flat ? sizes_.sublanes : 1);
  std::vector<Dimension> digits = LoopsOf(stream.strides, stream.flat);
  int64_t low = 0, extent = row;  // of what was placed so far, from the first element on
  const auto place = [&](const Dimension& digit) {
    const bool down = rng_.Chance(0.3);
    *digit.stride = static_cast<int32_t>(down ? -extent : extent);
    if (down) low += extent * digit.span;
    extent *= digit.span + 1;
  };
  place(digits.back());  // the sublane
  digits.pop_back();
  for (size_t left = digits.size(); left > 0; --left) {
    std::swap(digits[rng_.Below(left)], digits[left - 1]);
    place(digits[left - 1]);
  }
  const int64_t region = kIndexBase / 2 / 64 * 64;
  const int64_t unit = IsSingle(stream) ? size : 8 * size;
  base = static_cast<int32_t>(half * kHalf + (index - arch::kInputStreams) * region + low +
                              unit * rng_.Range(0, (region - extent) / unit));
  return stream;
}

uint32_t VpuProgramWriter::RandomRegister() {
  const size_t all = written_.size() + shared_written_.size();
  const size_t pick = rng_.Below(all);
  return pick < written_.size() ? written_[pick] : shared_written_[pick - written_.size()];
}

uint32_t VpuProgramWriter::RandomOperand(uint32_t& step, uint32_t other_inputs,
                                         uint32_t other_step, uint32_t& inputs) {
  const uint64_t kind = rng_.Below(10);
  const uint32_t q = static_cast<uint32_t>(rng_.Below(arch::kInputStreams));
  if (kind < 3 && (described_ >> q & 1) && (step == other_step || !(other_inputs >> q & 1))) {
    inputs |= 1u << q;
    return arch::kOperandInput + q;
  }
  if (kind == 3) return arch::kOperandScalar + static_cast<uint32_t>(rng_.Below(16));
  if (kind == 4 || written_.empty()) {
    return arch::kOperandConstant + static_cast<uint32_t>(rng_.Below(arch::kConstantWindow));
  }
  return RandomRegister();
}

uint32_t VpuProgramWriter::RandomDestination(std::vector<uint32_t>& taken,
                                             std::optional<uint32_t> step) {
  for (;;) {
    uint32_t code = static_cast<uint32_t>(rng_.Below(kRegisters));
    if (prologue_ && rng_.Chance(0.5)) {
      code = arch::kOperandShared + static_cast<uint32_t>(rng_.Below(arch::kSharedRegisters));
    }
    const uint32_t output = static_cast<uint32_t>(rng_.Below(arch::kOutputStreams));
    if (step && (may_store_[output] >> *step & 1) && rng_.Chance(0.5)) {
      code = arch::kOperandOutput + output;
    }
    if (std::find(taken.begin(), taken.end(), code) != taken.end()) continue;
    if (code >= arch::kOperandOutput) may_store_[output] &= ~(1u << *step);
    taken.push_back(code);
    return code;
  }
}

arch::Bundle VpuProgramWriter::RandomBundle() {
  arch::Bundle bundle;
  bundle.a_step = static_cast<uint32_t>(rng_.Below(kMaxStep + 1));
  bundle.b_step = rng_.Chance(0.5) ? bundle.a_step
                                   : static_cast<uint32_t>(rng_.Below(kMaxStep + 1));
  std::vector<uint32_t> taken;
  uint32_t a_inputs = 0, b_inputs = 0;
  const auto slot = [&](bool a, uint32_t& op, uint32_t& dst, std::array<uint32_t*, 3> operands) {
    const arch::OperationInfo& info = arch::kAluOps[rng_.Below(arch::kAluOps.size())];
    if (a ? !info.slot_a : !info.slot_b) return;
    op = info.code;
    for (uint32_t i = 0; i < 3; ++i) {
      if (i >= info.sources) {
        *operands[i] = static_cast<uint32_t>(rng_.Below(256));  // ignored
      } else {
        *operands[i] = a ? RandomOperand(bundle.a_step, 0, 0, a_inputs)
                         : RandomOperand(bundle.b_step, a_inputs, bundle.a_step, b_inputs);
      }
    }
    if (op == static_cast<uint32_t>(arch::AluOp::kLookup)) {
      *operands[1] = arch::kOperandConstant + static_cast<uint32_t>(rng_.Below(128));
    }
    dst = RandomDestination(taken, a ? bundle.a_step : bundle.b_step);
  };
  if (rng_.Chance(0.9)) {
    slot(true, bundle.a_op, bundle.a_dst, {&bundle.a_x, &bundle.a_y, &bundle.a_z});
  }
  if (rng_.Chance(0.6)) {
    slot(false, bundle.b_op, bundle.b_dst, {&bundle.b_x, &bundle.b_y, &bundle.b_z});
  }
  if (rng_.Chance(0.3) && !written_.empty()) {
    const arch::OperationInfo& info = arch::kLaneOps[rng_.Below(arch::kLaneOps.size())];
    bundle.lane_op = info.code;
    bundle.lane_x = RandomRegister();
    bundle.lane_y = RandomRegister();
    bundle.lane_z = rng_.Chance(0.5) ? arch::kOperandScalar + static_cast<uint32_t>(rng_.Below(16))
                                     : arch::kOperandConstant +
                                           static_cast<uint32_t>(rng_.Below(128));
    bundle.lane_dst = RandomDestination(taken, std::nullopt);
  }
  for (const uint32_t code : taken) {
    std::vector<uint32_t>& written = code < arch::kOperandShared ? written_ : shared_written_;
    if (code >= arch::kOperandInput) continue;
    if (std::find(written.begin(), written.end(), code) == written.end()) written.push_back(code);
  }
  return bundle;
}

// Bundles and nested loops, inner ones with higher numbers; `turns`: how often all of it runs.
void VpuProgramWriter::WriteBlock(uint32_t loop, uint32_t turns) {
  const int pieces = static_cast<int>(rng_.Range(1, 3));
  for (int piece = 0; piece < pieces; ++piece) {
    if (loop < arch::kLoops && rng_.Chance(0.5)) {
      const uint32_t level = static_cast<uint32_t>(rng_.Range(loop, arch::kLoops - 1));
      const size_t first = bundles_.size();
      WriteBlock(level + 1, turns * vector_.counts[level]);
      bundles_[first].loop_start |= 1u << level;
      bundles_.back().loop_end |= 1u << level;
      continue;
    }
    const int count = static_cast<int>(rng_.Range(1, 3));
    for (int i = 0; i < count; ++i) {
      const arch::Bundle bundle = RandomBundle();
      executed_ += turns;
      for (uint32_t q = 0; q < 6; ++q) {
        const uint32_t code = q < 4 ? arch::kOperandInput + q : arch::kOperandOutput + q - 4;
        const auto reads = [&](uint32_t op, std::array<uint32_t, 3> operands) {
          for (const arch::OperationInfo& info : arch::kAluOps) {
            if (info.code != op) continue;
            return std::find(operands.begin(), operands.begin() + info.sources, code) !=
                   operands.begin() + info.sources;
          }
          return false;
        };
        const bool named =
            q < 4 ? reads(bundle.a_op, {bundle.a_x, bundle.a_y, bundle.a_z}) ||
                        reads(bundle.b_op, {bundle.b_x, bundle.b_y, bundle.b_z})
                  : (bundle.a_op != 0 && bundle.a_dst == code) ||
                        (bundle.b_op != 0 && bundle.b_dst == code);
        if (named) groups_[q] += turns;
      }
      bundles_.push_back(bundle);
    }
  }
}

std::vector<VpuInstruction> VpuProgramWriter::Write(uint32_t half) {
  vector_ = EmptyVector();
  vector_.kernel_level = static_cast<uint32_t>(rng_.Range(0, arch::kLoops));
  int64_t instances = 1, turns = 1;
  for (uint32_t l = 0; l < arch::kLoops; ++l) {
    uint32_t& count = vector_.counts[l];
    int64_t& product = l < vector_.kernel_level ? instances : turns;
    count = rng_.Chance(0.4) ? 1 : static_cast<uint32_t>(rng_.Range(2, 5));
    if (product * count > 12 || instances * turns * count > 48) count = 1;
    product *= count;
  }
  if (rng_.Chance(0.5)) {
    vector_.prologue_level = static_cast<uint32_t>(rng_.Range(0, vector_.kernel_level));
  }

  std::vector<VpuInstruction> program;
  std::vector<arch::Stream> streams;
  described_ = 0;
  may_store_ = {};
  for (uint32_t q = 0; q < arch::kInputStreams; ++q) {
    if (!rng_.Chance(0.7)) continue;
    described_ |= 1u << q;
    streams.push_back(RandomInput(q, half, vector_.bases[q]));
  }
  for (uint32_t o = 0; o < arch::kOutputStreams; ++o) {
    if (o == 1 && rng_.Chance(0.4)) continue;
    may_store_[o] = (2u << kMaxStep) - 1;
    streams.push_back(RandomOutput(arch::kInputStreams + o, 1 - half,
                                   vector_.bases[arch::kInputStreams + o]));
  }

  bundles_.clear();
  most_executed_ = 0;
  most_groups_ = {};
  shared_written_.clear();
  const auto section = [&](bool prologue) {
    prologue_ = prologue;
    written_.clear();
    executed_ = 0;
    groups_ = {};
    WriteBlock(vector_.kernel_level, 1);
    bundles_.back().exit = 1;
    most_executed_ = std::max(most_executed_, executed_);
    for (uint32_t q = 0; q < 6; ++q) most_groups_[q] = std::max(most_groups_[q], groups_[q]);
  };
  if (vector_.prologue_level != arch::kNoLevel) section(true);
  vector_.body = static_cast<uint32_t>(bundles_.size());
  section(false);
  vector_.kernel_base =
      static_cast<uint32_t>(rng_.Below(arch::kKernelBundles + 1 - bundles_.size()));
  vector_.bundle_limit = rng_.Chance(0.5) ? 0 : most_executed_;
  AppendBundles(program, bundles_, vector_.kernel_base);

  std::vector<uint32_t> constants(arch::kKernelConstants);
  for (uint32_t& constant : constants) {
    constant = rng_.Chance(0.3)   ? rng_.U32()
               : rng_.Chance(0.5) ? static_cast<uint32_t>(rng_.Range(-20, 20))
                                  : 0x3f000000 + (rng_.U32() & 0x1ffffff);
  }
  vector_.constant_base = static_cast<uint32_t>(rng_.Below(arch::kKernelConstants));
  AppendConstants(program, constants);
  for (uint32_t& scalar : vector_.scalars) {
    scalar = rng_.Chance(0.5) ? rng_.U32() : static_cast<uint32_t>(rng_.Range(-40, 40));
  }

  for (arch::Stream& stream : streams) {
    if (rng_.Chance(0.5)) stream.groups_limit = most_groups_[stream.index];
    program.emplace_back(stream);
  }
  program.emplace_back(vector_);
  return program;
}

}  // namespace systolith::tb
