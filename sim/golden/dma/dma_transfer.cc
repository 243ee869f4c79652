#include "sim/golden/dma/dma_transfer.h"

#include <span>

namespace systolith::golden {
namespace {

using arch::Fault;

// Extents are computed without wrapping: six loops of 2^32 steps of 2^31 bytes fit 128 bits.
using Wide = __int128;

// The lowest and the highest sum(index * stride) of a nest.
struct Extent {
  Wide lowest = 0, highest = 0;

  void Add(uint64_t last_index, int32_t stride) {
    const Wide reach = Wide{last_index} * stride;
    (reach < 0 ? lowest : highest) += reach;
  }
};

uint64_t Offset(const arch::Dma& dma) { return uint64_t{dma.offset_hi} << 32 | dma.offset_lo; }

}  // namespace

MaybeFault DmaTransfer::Start(const Instruction& instruction) {
  dma_ = arch::DecodeDma(instruction.words);
  if (dma_.run_bytes == 0 || dma_.buffer_run_bytes < dma_.run_bytes || !LegalRun()) {
    return EngineFault{Fault::kIllegalField};
  }
  const BoundSegment unbound;
  const BoundSegment& segment =
      dma_.segment < arch::kSegments ? state_.segments[dma_.segment] : unbound;
  if (!HasRight(segment)) return EngineFault{Fault::kSegmentRights, dma_.segment};
  if (const MaybeFault fault = CheckHbm(segment)) return fault;
  return CheckBuffer();
}

MaybeFault DmaTransfer::CheckHbm(const BoundSegment& segment) const {
  Extent extent;
  for (int l = 0; l < arch::kLoops; ++l) {
    uint64_t last = dma_.counts[l] - 1;
    if (l == 0 && dma_.gather != 0) last = dma_.gather_limit == 0 ? 0 : dma_.gather_limit - 1;
    extent.Add(last, dma_.hbm_strides[l]);
  }
  const Wide lowest = extent.lowest + Offset(dma_);
  const Wide highest = extent.highest + Offset(dma_) + dma_.run_bytes - 1;
  if (lowest < 0) return EngineFault{Fault::kSegmentBounds, static_cast<uint64_t>(lowest)};
  if (highest >= Wide{segment.bytes}) {
    return EngineFault{Fault::kSegmentBounds, static_cast<uint64_t>(highest)};
  }
  return std::nullopt;
}

MaybeFault DmaTransfer::CheckBuffer() const {
  Extent extent;
  for (int l = 0; l < arch::kLoops; ++l) extent.Add(dma_.counts[l] - 1, dma_.buffer_strides[l]);
  const Wide lowest = extent.lowest + dma_.buffer_base;
  const Wide highest = extent.highest + dma_.buffer_base + dma_.buffer_run_bytes - 1;
  if (lowest < 0) return EngineFault{Fault::kBufferRange, static_cast<uint64_t>(lowest)};
  if (highest >= state_.buffer.size()) {
    return EngineFault{Fault::kBufferRange, static_cast<uint64_t>(highest)};
  }
  if (dma_.gather == 0) return std::nullopt;
  if (dma_.gather_base % 4 != 0) return EngineFault{Fault::kMisaligned, dma_.gather_base};
  const uint64_t last_index_byte = uint64_t{dma_.gather_base} + uint64_t{dma_.counts[0]} * 4 - 1;
  if (last_index_byte >= static_cast<uint64_t>(state_.buffer.size())) {
    return EngineFault{Fault::kBufferRange, last_index_byte};
  }
  return std::nullopt;
}

uint64_t DmaTransfer::HbmAddress(uint32_t index) const {
  int64_t offset = static_cast<int64_t>(Offset(dma_));
  for (int l = 0; l < arch::kLoops; ++l) {
    offset += int64_t{l == 0 ? index : nest_.index()[l]} * dma_.hbm_strides[l];
  }
  return state_.segments[dma_.segment].base + static_cast<uint64_t>(offset);
}

int64_t DmaTransfer::BufferAddress() const {
  return LinearForm(dma_.buffer_base, dma_.buffer_strides, nest_);
}

bool DmaLoad::LegalRun() const { return true; }

MaybeFault DmaLoad::Iterate() {
  uint32_t index = nest_.index()[0];
  if (dma_.gather != 0) {
    const int64_t address = int64_t{dma_.gather_base} + int64_t{4} * index;
    Touch(Port::kRead1, Space::kBuffer, static_cast<uint64_t>(address),
          static_cast<uint64_t>(address + 4));
    index = state_.buffer.Word(address);
    if (static_cast<int32_t>(index) < 0 || index >= dma_.gather_limit) {
      return EngineFault{Fault::kGatherIndex, index};
    }
  }
  const uint64_t source = HbmAddress(index);
  const int64_t destination = BufferAddress();
  const uint64_t begin = static_cast<uint64_t>(destination);
  Touch(Port::kRead0, Space::kHbm, source, source + dma_.run_bytes);
  Touch(Port::kWrite, Space::kBuffer, begin, begin + dma_.buffer_run_bytes);
  const std::span<std::byte> image = state_.buffer.At(destination, dma_.buffer_run_bytes);
  state_.hbm.Read(source, image.first(dma_.run_bytes));
  for (uint32_t i = dma_.run_bytes; i < dma_.buffer_run_bytes; ++i) {
    image[i] = static_cast<std::byte>(dma_.fill >> (8 * (i % 4)));
  }
  const uint64_t lines = state_.LinesOf(source, dma_.run_bytes);
  state_.counters.read_bytes += lines * static_cast<uint64_t>(state_.config.memory_line_bytes);
  Spend(lines);
  return std::nullopt;
}

bool DmaStore::LegalRun() const {
  return dma_.gather == 0 && dma_.buffer_run_bytes == dma_.run_bytes;
}

MaybeFault DmaStore::Iterate() {
  const int64_t source = BufferAddress();
  const uint64_t begin = static_cast<uint64_t>(source);
  const uint64_t destination = HbmAddress(nest_.index()[0]);
  Touch(Port::kRead0, Space::kBuffer, begin, begin + dma_.run_bytes);
  Touch(Port::kWrite, Space::kHbm, destination, destination + dma_.run_bytes);
  state_.hbm.Write(destination, state_.buffer.At(source, dma_.run_bytes));
  state_.counters.write_bytes += dma_.run_bytes;
  Spend(state_.LinesOf(destination, dma_.run_bytes));
  return std::nullopt;
}

}  // namespace systolith::golden
