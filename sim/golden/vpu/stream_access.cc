#include "sim/golden/vpu/stream_access.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "sim/golden/float/lane_arithmetic.h"

namespace systolith::golden {
namespace {

using arch::Fault;
using arch::LaneType;
using arch::Spread;
using arch::StreamSource;

constexpr int64_t kAlignment = 8;     // rows start at multiples of so many elements
constexpr size_t kBundleStride = 6;   // of `strides` and steps: behind the loops'
constexpr size_t kSublaneStride = 7;

int64_t ElementBytes(const arch::Stream& stream) {
  switch (static_cast<LaneType>(stream.type)) {
    case LaneType::kF32:
    case LaneType::kS32:
    case LaneType::kU32: return 4;
    case LaneType::kBf16:
    case LaneType::kF16:
    case LaneType::kS16:
    case LaneType::kU16: return 2;
    case LaneType::kS8:
    case LaneType::kU8: break;
  }
  return 1;
}

uint32_t Widen(LaneType type, const std::byte* element, int64_t size) {
  uint32_t bits = 0;
  std::memcpy(&bits, element, static_cast<size_t>(size));  // little-endian host
  switch (type) {
    case LaneType::kBf16: return Bf16ToF32(static_cast<uint16_t>(bits));
    case LaneType::kF16: return F16ToF32(static_cast<uint16_t>(bits));
    case LaneType::kS8: return static_cast<uint32_t>(static_cast<int8_t>(bits));
    case LaneType::kS16: return static_cast<uint32_t>(static_cast<int16_t>(bits));
    default: return bits;
  }
}

void Narrow(LaneType type, uint32_t lane, std::byte* element, int64_t size) {
  if (type == LaneType::kBf16) lane = F32ToBf16(lane);
  if (type == LaneType::kF16) lane = F32ToF16(lane);
  std::memcpy(element, &lane, static_cast<size_t>(size));
}

bool Has(const arch::Stream& stream, Spread spread) {
  return (stream.spread & static_cast<uint32_t>(spread)) != 0;
}

// base + sum(index * step) over the loops, the bundle and the sublane, modulo 2^32.
int32_t Sum(uint32_t base, const std::array<int32_t, 8>& steps,
            const std::array<uint32_t, arch::kLoops>& index, uint32_t step, uint32_t sublane) {
  uint32_t sum = base;
  for (size_t l = 0; l < index.size(); ++l) sum += index[l] * static_cast<uint32_t>(steps[l]);
  sum += step * static_cast<uint32_t>(steps[kBundleStride]);
  sum += sublane * static_cast<uint32_t>(steps[kSublaneStride]);
  return static_cast<int32_t>(sum);
}

}  // namespace

StreamAccess::StreamAccess(ChipState& state, Agent agent)
    : state_(state),
      agent_(agent),
      lanes_(state.config.Lanes()),
      sublanes_(state.config.vpu_sublanes) {
  if (state.checker) instances_.emplace(static_cast<size_t>(state.buffer.size()));
}

void StreamAccess::StartInstruction(uint32_t pc) {
  pc_ = pc;
  if (instances_) instances_->StartInstruction();
}

void StreamAccess::StartInstance() {
  if (instances_) instances_->StartInstance();
}

StreamAccess::Place StreamAccess::PlaceOf(const arch::Stream& stream, uint32_t base,
                                          const std::array<uint32_t, arch::kLoops>& index,
                                          uint32_t step, uint32_t sublane) {
  return {Sum(base, stream.strides, index, step, sublane),
          Sum(static_cast<uint32_t>(stream.x_base), stream.x_steps, index, step, sublane),
          Sum(static_cast<uint32_t>(stream.y_base), stream.y_steps, index, step, sublane)};
}

bool StreamAccess::RowInside(const arch::Stream& stream, const Place& place) {
  return place.y >= 0 && static_cast<uint32_t>(place.y) < stream.y_limit;
}

StreamAccess::Window StreamAccess::WindowOf(const arch::Stream& stream, const Place& place,
                                            int64_t elements) {
  return {std::clamp<int64_t>(-int64_t{place.x}, 0, elements),
          std::clamp<int64_t>(int64_t{stream.x_limit} - place.x, 0, elements)};
}

void StreamAccess::Touch(Port port, int64_t first, int64_t bytes) {
  if (!state_.checker) return;
  const uint64_t begin = static_cast<uint64_t>(first);
  const uint64_t end = static_cast<uint64_t>(first + bytes);
  state_.checker->Touch(agent_, port, Space::kBuffer, begin, end);
  const bool writes = port == Port::kWrite;
  if (writes ? instances_->Write(begin, end) : instances_->Read(begin, end)) return;
  state_.checker->Report(fmt::format(
      "hazard: vector at pc {:#x} {} buffer bytes [{:#x}, {:#x}), which it {} before; instances of "
      "one instruction run side by side: let them touch other bytes, or split the instruction",
      pc_, writes ? "writes" : "reads", begin, end,
      writes ? "wrote, or another instance read," : "wrote"));
}

MaybeFault StreamAccess::Read(const arch::Stream& stream, uint32_t base,
                              const std::array<uint32_t, arch::kLoops>& index, uint32_t step,
                              std::span<uint32_t> group) {
  if (stream.flat != 0) return ReadRow(stream, PlaceOf(stream, base, index, step, 0), group);
  const size_t lanes = static_cast<size_t>(lanes_);
  const uint32_t rows = Has(stream, Spread::kRows) ? 1 : static_cast<uint32_t>(sublanes_);
  for (uint32_t s = 0; s < rows; ++s) {
    const std::span<uint32_t> row = group.subspan(s * lanes, lanes);
    if (const MaybeFault fault = ReadRow(stream, PlaceOf(stream, base, index, step, s), row)) {
      return fault;
    }
  }
  for (size_t e = rows * lanes; e < group.size(); ++e) group[e] = group[e % lanes];
  return std::nullopt;
}

MaybeFault StreamAccess::ReadRow(const arch::Stream& stream, Place place,
                                 std::span<uint32_t> row) {
  std::fill(row.begin(), row.end(), stream.fill);
  if (!RowInside(stream, place)) return std::nullopt;
  const bool one = Has(stream, Spread::kLanes);
  if (stream.gather != 0) {
    if (const MaybeFault fault = Gather(stream, place)) return fault;
  }
  const Window window = WindowOf(stream, place, one ? 1 : static_cast<int64_t>(row.size()));
  if (window.empty()) return std::nullopt;
  MaybeFault fault;
  switch (static_cast<StreamSource>(stream.source)) {
    case StreamSource::kBuffer: fault = ReadBuffer(stream, place, window, row); break;
    case StreamSource::kAccumulator: fault = ReadAccumulator(stream, place, window, row); break;
    case StreamSource::kIota:
      for (int64_t j = window.begin; j < window.end; ++j) {
        row[j] = static_cast<uint32_t>(place.x + j);
      }
  }
  if (one) std::fill(row.begin() + 1, row.end(), row[0]);
  return fault;
}

MaybeFault StreamAccess::Gather(const arch::Stream& stream, Place& place) {
  const uint32_t address = stream.gather_base + 4 * static_cast<uint32_t>(place.y);
  if (address % 4 != 0) return EngineFault{Fault::kMisaligned, address};
  if (const auto byte = state_.buffer.FirstOutside(static_cast<int32_t>(address), 4)) {
    return EngineFault{Fault::kBufferRange, *byte};
  }
  Touch(Port::kRead4, address, 4);
  const uint32_t index = state_.buffer.Word(address);
  if (static_cast<int32_t>(index) < 0 || index >= stream.gather_limit) {
    return EngineFault{Fault::kGatherIndex, index};
  }
  place.address = static_cast<int32_t>(static_cast<uint32_t>(place.address) +
                                       index * static_cast<uint32_t>(stream.gather_stride));
  return std::nullopt;
}

MaybeFault StreamAccess::ReadAccumulator(const arch::Stream& stream, const Place& place,
                                         const Window& window, std::span<uint32_t> row) {
  const uint32_t number = static_cast<uint32_t>(place.address);
  if (number >= static_cast<uint64_t>(state_.AccumulatorRows())) {
    return EngineFault{Fault::kAccumulatorRange, number};
  }
  if (state_.checker) {
    state_.checker->ReadAccumulator(agent_, static_cast<int>(stream.unit), number);
  }
  const uint32_t* columns = state_.AccumulatorRow(stream.unit, number);
  for (int64_t j = window.begin; j < window.end; ++j) {
    row[j] = j < state_.config.mxu_cols ? columns[j] : 0;
  }
  return std::nullopt;
}

MaybeFault StreamAccess::CheckRow(const arch::Stream& stream, const Place& place,
                                  const Window& window, int64_t& first, int64_t& bytes) const {
  const int64_t size = ElementBytes(stream);
  const int64_t unit = Has(stream, Spread::kLanes) ? size : kAlignment * size;
  if (place.address % unit != 0) {
    return EngineFault{Fault::kMisaligned, static_cast<uint32_t>(place.address)};
  }
  first = place.address + window.begin * size;
  bytes = (window.end - window.begin) * size;
  if (const auto byte = state_.buffer.FirstOutside(first, bytes)) {
    return EngineFault{Fault::kBufferRange, *byte};
  }
  return std::nullopt;
}

MaybeFault StreamAccess::ReadBuffer(const arch::Stream& stream, const Place& place,
                                    const Window& window, std::span<uint32_t> row) {
  int64_t first = 0, bytes = 0;
  if (const MaybeFault fault = CheckRow(stream, place, window, first, bytes)) return fault;
  Touch(static_cast<Port>(stream.index), first, bytes);
  const int64_t size = ElementBytes(stream);
  const std::byte* source = state_.buffer.At(first, bytes).data();
  for (int64_t j = window.begin; j < window.end; ++j, source += size) {
    row[j] = Widen(static_cast<LaneType>(stream.type), source, size);
  }
  return std::nullopt;
}

MaybeFault StreamAccess::Write(const arch::Stream& stream, uint32_t base,
                               const std::array<uint32_t, arch::kLoops>& index, uint32_t step,
                               std::span<const uint32_t> group) {
  if (stream.flat != 0) return WriteRow(stream, PlaceOf(stream, base, index, step, 0), group);
  const size_t lanes = static_cast<size_t>(lanes_);
  const uint32_t rows = Has(stream, Spread::kRows) ? 1 : static_cast<uint32_t>(sublanes_);
  for (uint32_t s = 0; s < rows; ++s) {
    if (const MaybeFault fault = WriteRow(stream, PlaceOf(stream, base, index, step, s),
                                          group.subspan(s * lanes, lanes))) {
      return fault;
    }
  }
  return std::nullopt;
}

MaybeFault StreamAccess::WriteRow(const arch::Stream& stream, const Place& place,
                                  std::span<const uint32_t> row) {
  if (!RowInside(stream, place)) return std::nullopt;
  const int64_t elements = Has(stream, Spread::kLanes) ? 1 : static_cast<int64_t>(row.size());
  const Window window = WindowOf(stream, place, elements);
  if (window.empty()) return std::nullopt;
  int64_t first = 0, bytes = 0;
  if (const MaybeFault fault = CheckRow(stream, place, window, first, bytes)) return fault;
  Touch(Port::kWrite, first, bytes);
  const int64_t size = ElementBytes(stream);
  std::byte* target = state_.buffer.At(first, bytes).data();
  for (int64_t j = window.begin; j < window.end; ++j, target += size) {
    Narrow(static_cast<LaneType>(stream.type), row[j], target, size);
  }
  return std::nullopt;
}

}  // namespace systolith::golden
