#include "tests/kernels/kernel_program.h"

#include <algorithm>
#include <bit>

#include <gtest/gtest.h>

#include "host/base/rounding.h"
#include "host/kernel/assemble.h"

namespace systolith::kernels {
namespace {

constexpr int kStep = 6;     // of the eight strides: the bundle's step
constexpr int kSublane = 7;  // and the sublane

}  // namespace

int64_t BytesOf(arch::LaneType type) {
  switch (type) {
    case arch::LaneType::kS8:
    case arch::LaneType::kU8: return 1;
    case arch::LaneType::kBf16:
    case arch::LaneType::kF16:
    case arch::LaneType::kS16:
    case arch::LaneType::kU16: return 2;
    case arch::LaneType::kF32:
    case arch::LaneType::kS32:
    case arch::LaneType::kU32: return 4;
  }
  return 4;
}

int64_t SegmentLanes(const arch::ChipConfig& chip) {
  return std::min<int64_t>(chip.Lanes(), arch::kSegmentLanes);
}

int64_t GroupLanes(const arch::ChipConfig& chip) { return chip.Lanes() * chip.vpu_sublanes; }

kernel::Kernel FromLibrary(const std::string& name, const kernel::Parameters& parameters,
                           const arch::ChipConfig& chip) {
  auto kernel = kernel::AssembleFromLibrary(name, parameters, chip);
  EXPECT_TRUE(kernel.ok()) << kernel.status().message();
  return kernel.ok() ? std::move(kernel).value() : kernel::Kernel{};
}

uint32_t Bits(float value) { return std::bit_cast<uint32_t>(value); }

arch::Stream Describe(const RowStream& stream, const arch::ChipConfig& chip) {
  const auto bytes = static_cast<int32_t>(BytesOf(stream.type));
  const auto pitch = static_cast<int32_t>(stream.pitch) * bytes;
  const auto sublanes = static_cast<int32_t>(chip.vpu_sublanes);
  const auto segment = static_cast<int32_t>(SegmentLanes(chip));
  arch::Stream s;
  s.index = stream.index;
  s.type = static_cast<uint32_t>(stream.type);
  s.strides[static_cast<size_t>(stream.row_loop)] = pitch * sublanes;
  s.strides[kStep] = segment * bytes;
  s.strides[kSublane] = pitch;
  s.y_steps[static_cast<size_t>(stream.row_loop)] = sublanes;
  s.y_steps[kSublane] = 1;
  s.y_limit = static_cast<uint32_t>(stream.rows);
  s.x_steps[kStep] = segment;
  s.x_limit = static_cast<uint32_t>(stream.columns);
  s.fill = stream.fill;
  return s;
}

arch::Stream Describe(const FlatStream& stream, const arch::ChipConfig& chip) {
  const auto bytes = static_cast<int32_t>(BytesOf(stream.type));
  const auto group = static_cast<int32_t>(GroupLanes(chip));
  arch::Stream s;
  s.index = stream.index;
  s.type = static_cast<uint32_t>(stream.type);
  s.flat = 1;
  s.strides[static_cast<size_t>(stream.loop)] = group * bytes;
  s.x_steps[static_cast<size_t>(stream.loop)] = group;
  s.x_limit = static_cast<uint32_t>(stream.elements);
  s.y_limit = 1;
  s.fill = stream.fill;
  return s;
}

KernelProgram::KernelProgram(const arch::ChipConfig& chip) : chip_(chip) {}

int64_t KernelProgram::Allocate(int64_t bytes) {
  const int64_t address = next_;
  next_ += RoundUp(bytes, 4 * chip_.Lanes());
  EXPECT_LE(next_, chip_.buffer_bytes) << "the test's tensors do not fit the buffer";
  return address;
}

int64_t KernelProgram::Input(std::span<const std::byte> data) {
  const auto bytes = static_cast<int64_t>(data.size());
  const int64_t address = Allocate(bytes);
  arch::Dma load;
  load.counts.fill(1);
  load.offset_lo = static_cast<uint32_t>(next_hbm_);
  load.buffer_base = static_cast<uint32_t>(address);
  load.run_bytes = load.buffer_run_bytes = static_cast<uint32_t>(bytes);
  Append(arch::Opcode::kLoad, arch::Engine::kDmaLoad, load);
  memory_.resize(static_cast<size_t>(next_hbm_));
  memory_.insert(memory_.end(), data.begin(), data.end());
  next_hbm_ += RoundUp(bytes, 256);
  return address;
}

void KernelProgram::Load(const kernel::Kernel& kernel) {
  for (const arch::LoadKernel& load : kernel::LoadInstructions(kernel, 0, 0)) {
    Append(arch::Opcode::kLoadKernel, arch::Engine::kVpu, load);
  }
  loaded_ = kernel;
}

void KernelProgram::Barrier(const std::vector<arch::Engine>& engines) {
  for (const arch::Engine engine : engines) {
    Append(arch::Opcode::kSync, engine, arch::Sync{});
  }
}

void KernelProgram::Run(const kernel::Kernel& kernel, const std::vector<arch::Stream>& streams,
                        arch::Vector vector) {
  if (!(loaded_ == kernel)) Load(kernel);
  for (const arch::Stream& stream : streams) {
    Append(arch::Opcode::kStream, arch::Engine::kVpu, stream);
  }
  for (uint32_t& count : vector.counts) count = std::max(count, 1u);
  vector.body = kernel.body;
  vector.prologue_level = kernel.has_prologue ? vector.prologue_level : arch::kNoLevel;
  Append(arch::Opcode::kVector, arch::Engine::kVpu, vector);
}

void KernelProgram::Store(int64_t address, int64_t bytes) {
  arch::Dma store;
  store.counts.fill(1);
  store.offset_lo = static_cast<uint32_t>(next_hbm_);
  store.buffer_base = static_cast<uint32_t>(address);
  store.run_bytes = store.buffer_run_bytes = static_cast<uint32_t>(bytes);
  Append(arch::Opcode::kStore, arch::Engine::kDmaStore, store);
  results_.push_back({next_hbm_, bytes});
  next_hbm_ += RoundUp(bytes, 256);
}

golden::JobResult KernelProgram::Execute(hal::Transport& transport) {
  golden::JobResult result;
  program_.Halt();
  golden::JobOptions options;
  options.segments = {{golden::kDataAddress, static_cast<uint64_t>(next_hbm_)}};
  // What a store does not write must show.
  memory_.resize(static_cast<size_t>(next_hbm_), std::byte{0xa5});
  result.status = transport.WriteMemory(golden::kDataAddress, memory_);
  if (!result.status.ok()) return result;
  result = golden::RunJob(transport, chip_, program_.words(), options);
  for (const Result& stored : results_) {
    outputs_.emplace_back(static_cast<size_t>(stored.bytes));
    if (!result.status.ok()) continue;
    result.status = transport.ReadMemory(golden::kDataAddress + static_cast<uint64_t>(stored.hbm),
                                         outputs_.back());
  }
  return result;
}

}  // namespace systolith::kernels
