#include "tb/vpu/stream_model.h"

#include <bit>
#include <cmath>
#include <limits>

namespace systolith::tb {

using arch::Fault;
using arch::LaneType;
using arch::Spread;
using arch::StreamSource;

namespace {

bool SpreadsLanes(Spread spread) { return spread == Spread::kLanes || spread == Spread::kBoth; }
bool SpreadsRows(Spread spread) { return spread == Spread::kRows || spread == Spread::kBoth; }

// The value nearest to `value` with `bits` bits of significand, none below 2^lowest; ties to even.
double RoundTo(double value, int bits, int lowest) {
  if (value == 0 || std::isinf(value)) return value;
  const int unit = std::max(std::ilogb(value) - bits + 1, lowest);
  return std::ldexp(std::nearbyint(std::ldexp(value, -unit)), unit);
}

uint32_t NarrowF16(float value) {
  const uint32_t sign = std::bit_cast<uint32_t>(value) >> 31 << 15;
  if (std::isnan(value)) return 0x7e00;
  const double rounded = std::fabs(RoundTo(value, 11, -24));
  if (rounded >= 65536) return sign | 0x7c00;
  if (rounded < std::ldexp(1, -14)) return sign | static_cast<uint32_t>(std::ldexp(rounded, 24));
  const int exponent = std::ilogb(rounded);
  return sign | static_cast<uint32_t>((exponent + 15) << 10) |
         (static_cast<uint32_t>(std::ldexp(rounded, 10 - exponent)) & 0x3ff);
}

uint32_t NarrowBf16(float value) {
  if (std::isnan(value)) return 0x7fc0;
  const float rounded = static_cast<float>(RoundTo(value, 8, -133));
  return std::bit_cast<uint32_t>(rounded) >> 16;
}

uint32_t WidenF16(uint32_t element) {
  const uint32_t exponent = element >> 10 & 31, mantissa = element & 0x3ff;
  float value;
  if (exponent == 31) {
    if (mantissa != 0) return 0x7fc00000;
    value = std::numeric_limits<float>::infinity();
  } else if (exponent == 0) {
    value = std::ldexp(static_cast<float>(mantissa), -24);
  } else {
    value = std::ldexp(static_cast<float>(1024 + mantissa), static_cast<int>(exponent) - 25);
  }
  return std::bit_cast<uint32_t>(value) | (element >> 15 << 31);
}

}  // namespace

int ElementBytes(LaneType type) {
  switch (type) {
    case LaneType::kS8:
    case LaneType::kU8:
      return 1;
    case LaneType::kBf16:
    case LaneType::kF16:
    case LaneType::kS16:
    case LaneType::kU16:
      return 2;
    default:
      return 4;
  }
}

uint32_t LaneFromElement(LaneType type, uint32_t element) {
  switch (type) {
    case LaneType::kBf16:
      return element << 16;
    case LaneType::kF16:
      return WidenF16(element & 0xffff);
    case LaneType::kS8:
      return static_cast<uint32_t>(static_cast<int8_t>(element));
    case LaneType::kU8:
      return static_cast<uint8_t>(element);
    case LaneType::kS16:
      return static_cast<uint32_t>(static_cast<int16_t>(element));
    case LaneType::kU16:
      return static_cast<uint16_t>(element);
    default:
      return element;
  }
}

uint32_t ElementFromLane(LaneType type, uint32_t lane) {
  switch (type) {
    case LaneType::kBf16:
      return NarrowBf16(std::bit_cast<float>(lane));
    case LaneType::kF16:
      return NarrowF16(std::bit_cast<float>(lane));
    case LaneType::kS8:
    case LaneType::kU8:
      return lane & 0xff;
    case LaneType::kS16:
    case LaneType::kU16:
      return lane & 0xffff;
    default:
      return lane;
  }
}

StreamModel::StreamModel(const StreamSizes& all_sizes)
    : sizes(all_sizes),
      memory(all_sizes.buffer_bytes),
      accumulators(all_sizes.mxus,
                   std::vector<uint32_t>(2 * all_sizes.accumulator_rows * all_sizes.cols)) {}

uint32_t StreamModel::Load(uint32_t address, int bytes) const {
  uint32_t value = 0;
  for (int i = 0; i < bytes; ++i) value |= static_cast<uint32_t>(memory.at(address + i)) << 8 * i;
  return value;
}

StreamModel::Row StreamModel::RowOf(const StreamGroup& group, int row) const {
  const auto s = static_cast<uint32_t>(row);
  Row result{.addr = group.addr + s * group.addr_step,
             .inside = {},
             .x = static_cast<int32_t>(group.x + s * group.x_step),
             .y = group.y + s * group.y_step};
  const bool y_inside = static_cast<int32_t>(result.y) >= 0 && result.y < group.y_limit;
  const int elements = group.flat ? sizes.Elements() : SpreadsLanes(group.spread) ? 1 : sizes.lanes;
  for (int j = 0; j < elements; ++j) {
    result.inside.push_back(y_inside && result.x + j >= 0 &&
                            result.x + j < static_cast<int64_t>(group.x_limit));
  }
  return result;
}

std::optional<StreamFault> StreamModel::Gather(const StreamGroup& group, Row* row) const {
  if (!group.gather || static_cast<int32_t>(row->y) < 0 || row->y >= group.y_limit) return {};
  const uint32_t address = group.gather_base + 4 * row->y;
  if (address % 4 != 0) return StreamFault{Fault::kMisaligned, address};
  if (address >= memory.size()) return StreamFault{Fault::kBufferRange, address};
  const uint32_t index = Load(address, 4);
  if (static_cast<int32_t>(index) < 0 || index >= group.gather_limit) {
    return StreamFault{Fault::kGatherIndex, index};
  }
  row->addr += index * group.gather_stride;
  return {};
}

std::optional<StreamFault> StreamModel::Check(const StreamGroup& group, const Row& row) const {
  if (group.source == StreamSource::kIota) return {};
  const auto bytes = static_cast<uint32_t>(ElementBytes(group.type));
  bool checked = false;
  for (size_t j = 0; j < row.inside.size(); ++j) {
    if (!row.inside[j]) continue;
    if (group.source == StreamSource::kAccumulator) {
      if (row.addr < static_cast<uint32_t>(2 * sizes.accumulator_rows)) return {};
      return StreamFault{Fault::kAccumulatorRange, row.addr};
    }
    const uint32_t alignment = SpreadsLanes(group.spread) ? bytes : 8 * bytes;
    if (!checked && row.addr % alignment != 0) return StreamFault{Fault::kMisaligned, row.addr};
    checked = true;
    for (uint32_t i = 0; i < bytes; ++i) {
      const uint32_t address = row.addr + static_cast<uint32_t>(j) * bytes + i;
      if (address >= memory.size()) return StreamFault{Fault::kBufferRange, address};
    }
  }
  return {};
}

std::optional<StreamFault> StreamModel::Fetch(const StreamGroup& group,
                                              std::vector<uint32_t>* lanes) const {
  lanes->assign(sizes.Elements(), 0);
  const auto bytes = static_cast<uint32_t>(ElementBytes(group.type));
  const int rows = group.flat || SpreadsRows(group.spread) ? 1 : sizes.sublanes;
  const int row_elements = group.flat ? sizes.Elements() : sizes.lanes;
  for (int s = 0; s < rows; ++s) {
    Row row = RowOf(group, s);
    if (auto fault = Gather(group, &row)) return fault;
    if (auto fault = Check(group, row)) return fault;
    for (int lane = 0; lane < row_elements; ++lane) {
      const int j = SpreadsLanes(group.spread) ? 0 : lane;
      uint32_t value = group.fill;
      if (row.inside[j]) {
        switch (group.source) {
          case StreamSource::kIota:
            value = static_cast<uint32_t>(row.x + j);
            break;
          case StreamSource::kAccumulator:
            value = j < sizes.cols ? accumulators[group.unit][row.addr * sizes.cols + j] : 0;
            break;
          case StreamSource::kBuffer:
            value = LaneFromElement(group.type, Load(row.addr + j * bytes, bytes));
            break;
        }
      }
      (*lanes)[s * sizes.lanes + lane] = value;
    }
  }
  if (SpreadsRows(group.spread)) {
    for (int i = sizes.lanes; i < sizes.Elements(); ++i) (*lanes)[i] = (*lanes)[i % sizes.lanes];
  }
  return {};
}

std::optional<StreamFault> StreamModel::Write(const StreamGroup& group,
                                              const std::vector<uint32_t>& lanes,
                                              std::vector<ByteWrite>* writes) const {
  writes->clear();
  const auto bytes = static_cast<uint32_t>(ElementBytes(group.type));
  const int rows = group.flat || SpreadsRows(group.spread) ? 1 : sizes.sublanes;
  for (int s = 0; s < rows; ++s) {
    const Row row = RowOf(group, s);
    if (auto fault = Check(group, row)) return fault;
    for (size_t j = 0; j < row.inside.size(); ++j) {
      if (!row.inside[j]) continue;
      const uint32_t element = ElementFromLane(group.type, lanes[s * sizes.lanes + j]);
      for (uint32_t i = 0; i < bytes; ++i) {
        writes->push_back({row.addr + static_cast<uint32_t>(j) * bytes + i,
                           static_cast<uint8_t>(element >> 8 * i)});
      }
    }
  }
  return {};
}

}  // namespace systolith::tb
