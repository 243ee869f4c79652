#include "sim/golden/testing/kernel.h"

#include <algorithm>

namespace systolith::golden {
namespace {

constexpr size_t kSublaneStride = 7;

uint32_t Number(arch::Engine engine) { return static_cast<uint32_t>(engine); }

arch::LoadKernel LoadKernelOf(arch::KernelPart part, size_t first, size_t count) {
  arch::LoadKernel load;
  load.engine = Number(arch::Engine::kVpu);
  load.part = static_cast<uint32_t>(part);
  load.first = static_cast<uint32_t>(first);
  load.count = static_cast<uint32_t>(count);
  return load;
}

int32_t ElementBytes(arch::LaneType type) {
  switch (type) {
    case arch::LaneType::kF32:
    case arch::LaneType::kS32:
    case arch::LaneType::kU32: return 4;
    case arch::LaneType::kS8:
    case arch::LaneType::kU8: return 1;
    default: return 2;
  }
}

}  // namespace

arch::Bundle BundleOf(arch::AluOp op, uint32_t destination, uint32_t x, uint32_t y, uint32_t z) {
  arch::Bundle bundle;
  bundle.a_op = static_cast<uint32_t>(op);
  bundle.a_dst = destination;
  bundle.a_x = x;
  bundle.a_y = y;
  bundle.a_z = z;
  return bundle;
}

arch::Bundle WithSlotB(arch::Bundle bundle, arch::AluOp op, uint32_t destination, uint32_t x,
                       uint32_t y, uint32_t z) {
  bundle.b_op = static_cast<uint32_t>(op);
  bundle.b_dst = destination;
  bundle.b_x = x;
  bundle.b_y = y;
  bundle.b_z = z;
  return bundle;
}

arch::Bundle WithLaneSlot(arch::Bundle bundle, arch::LaneOp op, uint32_t destination, uint32_t x,
                          uint32_t y, uint32_t z) {
  bundle.lane_op = static_cast<uint32_t>(op);
  bundle.lane_dst = destination;
  bundle.lane_x = x;
  bundle.lane_y = y;
  bundle.lane_z = z;
  return bundle;
}

arch::Bundle Exit(arch::Bundle bundle) {
  bundle.exit = 1;
  return bundle;
}

void AppendBundles(ProgramWriter& program, std::span<const arch::Bundle> bundles,
                   uint32_t first) {
  const size_t room = arch::LoadKernel().data.size() / arch::kBundleWords;
  for (size_t at = 0; at < bundles.size(); at += room) {
    const size_t count = std::min(room, bundles.size() - at);
    arch::LoadKernel load = LoadKernelOf(arch::KernelPart::kBundles, first + at, count);
    for (size_t i = 0; i < count; ++i) {
      arch::Encode(bundles[at + i],
                   std::span(load.data).subspan(i * arch::kBundleWords, arch::kBundleWords));
    }
    program.Append(arch::Opcode::kLoadKernel, load);
  }
}

void AppendConstants(ProgramWriter& program, std::span<const uint32_t> constants,
                     uint32_t first) {
  const size_t room = arch::LoadKernel().data.size();
  for (size_t at = 0; at < constants.size(); at += room) {
    const size_t count = std::min(room, constants.size() - at);
    arch::LoadKernel load = LoadKernelOf(arch::KernelPart::kConstants, first + at, count);
    std::copy_n(constants.begin() + static_cast<std::ptrdiff_t>(at), count, load.data.begin());
    program.Append(arch::Opcode::kLoadKernel, load);
  }
}

arch::Stream FlatStream(const arch::ChipConfig& config, uint32_t index, arch::LaneType type) {
  arch::Stream stream;
  stream.engine = Number(arch::Engine::kVpu);
  stream.index = index;
  stream.type = static_cast<uint32_t>(type);
  stream.flat = 1;
  stream.strides[0] = static_cast<int32_t>(GroupElements(config)) * ElementBytes(type);
  stream.x_limit = static_cast<uint32_t>(GroupElements(config));
  stream.y_limit = 1;
  return stream;
}

arch::Stream RowStream(const arch::ChipConfig& config, uint32_t index, arch::LaneType type,
                       uint32_t rows, uint32_t length, int32_t row_bytes) {
  const int32_t sublanes = static_cast<int32_t>(config.vpu_sublanes);
  arch::Stream stream;
  stream.engine = Number(arch::Engine::kVpu);
  stream.index = index;
  stream.type = static_cast<uint32_t>(type);
  stream.strides[0] = sublanes * row_bytes;
  stream.strides[kSublaneStride] = row_bytes;
  stream.y_steps[0] = sublanes;
  stream.y_steps[kSublaneStride] = 1;
  stream.y_limit = rows;
  stream.x_limit = length;
  return stream;
}

arch::Vector VectorOf(uint32_t instances) {
  arch::Vector vector;
  vector.engine = Number(arch::Engine::kVpu);
  vector.counts = {instances, 1, 1, 1, 1, 1};
  vector.kernel_level = 1;
  vector.prologue_level = arch::kNoLevel;
  return vector;
}

int64_t GroupElements(const arch::ChipConfig& config) {
  return config.Lanes() * config.vpu_sublanes;
}

uint32_t GroupsOf(const arch::ChipConfig& config, uint32_t rows) {
  const uint32_t sublanes = static_cast<uint32_t>(config.vpu_sublanes);
  return (rows + sublanes - 1) / sublanes;
}

void AppendDrainKernel(ProgramWriter& program, const arch::ChipConfig& config, uint32_t rows,
                       uint32_t unit) {
  const uint32_t lanes = static_cast<uint32_t>(config.Lanes());
  const arch::Bundle copy[] = {Exit(BundleOf(arch::AluOp::kCopy, Out(0), In(0)))};
  AppendBundles(program, copy);
  arch::Stream in = RowStream(config, 0, arch::LaneType::kF32, rows, lanes, 1);
  in.source = static_cast<uint32_t>(arch::StreamSource::kAccumulator);
  in.unit = unit;
  program.Append(arch::Opcode::kStream, in);
  program.Append(arch::Opcode::kStream,
                 RowStream(config, arch::kInputStreams, arch::LaneType::kF32, rows, lanes,
                           static_cast<int32_t>(4 * lanes)));
}

arch::Vector DrainVector(const arch::ChipConfig& config, uint32_t rows, uint32_t out,
                         uint32_t first_row) {
  arch::Vector vector = VectorOf(GroupsOf(config, rows));
  vector.bases[0] = static_cast<int32_t>(first_row);
  vector.bases[arch::kInputStreams] = static_cast<int32_t>(out);
  return vector;
}

}  // namespace systolith::golden
