#include "tests/cosim/random_streams.h"

#include <algorithm>
#include <utility>

namespace systolith::cosim {

using arch::LaneType;
using arch::Spread;
using arch::StreamSource;
using Space = Extent::Space;

namespace {

constexpr size_t kStep = 6, kSublane = 7;
constexpr uint32_t kFirstOutput = arch::kInputStreams;
constexpr uint32_t kInPlaceInput = 3;
constexpr uint32_t kTypes = 9;
constexpr uint32_t kEverything = 1 << 16;  // as a limit of x

bool Has(const arch::Stream& stream, Spread spread) {
  return (stream.spread & static_cast<uint32_t>(spread)) != 0;
}

}  // namespace

int64_t LaneBytes(uint32_t type) {
  switch (static_cast<LaneType>(type)) {
    case LaneType::kF32:
    case LaneType::kS32:
    case LaneType::kU32: return 4;
    case LaneType::kS8:
    case LaneType::kU8: return 1;
    default: return 2;
  }
}

RandomStreams::Dimensions RandomStreams::DimensionsOf(const arch::Stream& stream,
                                                      const Counts& counts,
                                                      uint32_t steps) const {
  Dimensions dimensions;
  std::copy(counts.begin(), counts.end(), dimensions.begin());
  dimensions[kStep] = steps;
  const bool one_row = stream.flat != 0 || Has(stream, Spread::kRows);
  dimensions[kSublane] = one_row ? 1 : config_.vpu_sublanes;
  return dimensions;
}

int64_t RandomStreams::RowElements(const arch::Stream& stream) const {
  if (stream.flat != 0) return config_.Lanes() * config_.vpu_sublanes;
  return Has(stream, Spread::kLanes) ? 1 : config_.Lanes();
}

int64_t RandomStreams::Unit(const arch::Stream& stream) const {
  return LaneBytes(stream.type) * (Has(stream, Spread::kLanes) ? 1 : 8);
}

RandomStreams::Steps RandomStreams::SmallSteps(int64_t most) {
  Steps steps{};
  for (int32_t& step : steps) step = static_cast<int32_t>(rng_.Range(-most, most));
  return steps;
}

arch::Stream RandomStreams::Shape(uint32_t index) {
  arch::Stream stream;
  stream.engine = static_cast<uint32_t>(arch::Engine::kVpu);
  stream.index = index;
  stream.type = static_cast<uint32_t>(rng_.Below(kTypes));
  if (rng_.Chance(0.3)) {
    stream.flat = 1;
  } else if (rng_.Chance(0.5)) {
    stream.spread = static_cast<uint32_t>(rng_.Below(4));
  }
  stream.fill = rng_.U32();
  stream.strides = SmallSteps(100);  // where a loop has one iteration they have no effect
  stream.y_limit = 1;
  stream.x_limit = kEverything;
  return stream;
}

// Coordinates that have nothing to do with addresses.
void RandomStreams::Clip(arch::Stream& stream) {
  stream.x_base = static_cast<int32_t>(rng_.Range(-12, 6));
  stream.y_base = static_cast<int32_t>(rng_.Range(-3, 3));
  stream.x_steps = SmallSteps(3);
  stream.y_steps = SmallSteps(2);
  stream.x_limit = static_cast<uint32_t>(rng_.Below(3 * static_cast<uint64_t>(config_.Lanes())));
  stream.y_limit = static_cast<uint32_t>(rng_.Below(6));
}

Extent RandomStreams::Walk(const Dimensions& dimensions, int64_t unit, int64_t span, int64_t bytes,
                           Region region, Steps& strides, int32_t& base) {
  int64_t lowest = 0, highest = 0;
  int64_t left = std::max<int64_t>(std::min(span, region.bytes() - bytes - unit), 0);
  for (size_t d = 0; d < dimensions.size(); ++d) {
    if (dimensions[d] <= 1) continue;
    const int64_t iterations = dimensions[d] - 1;
    const int64_t reach = static_cast<int64_t>(rng_.Below(static_cast<uint64_t>(left / 2) + 1));
    int64_t stride = reach / iterations / unit * unit;
    left -= stride * iterations;
    if (rng_.Chance(0.3)) stride = -stride;
    strides[d] = static_cast<int32_t>(stride);
    (stride < 0 ? lowest : highest) += stride * iterations;
  }
  const int64_t first = (region.begin - lowest + unit - 1) / unit;
  const int64_t last = (region.end - bytes - highest) / unit;
  const int64_t start = unit * rng_.Range(first, std::max(first, last));
  base = static_cast<int32_t>(start);
  return {Space::kBuffer, 0, start + lowest, start + highest + bytes, false, false};
}

void RandomStreams::PlaceInput(arch::Stream& stream, const Dimensions& dimensions) {
  if (rng_.Chance(0.5)) Clip(stream);
  extents_.push_back(Walk(dimensions, Unit(stream), 4000,
                          RowElements(stream) * LaneBytes(stream.type), in_, stream.strides,
                          bases_[stream.index]));
}

// Windows of an image: addresses follow y and x, also to where the region ends, and only clipping
// keeps them inside.
void RandomStreams::PlaceImage(arch::Stream& stream, const Dimensions& dimensions) {
  const int64_t size = LaneBytes(stream.type);
  const int64_t x_unit = Has(stream, Spread::kLanes) ? 1 : 8;
  const int64_t height = rng_.Range(1, 5), width = 8 * rng_.Range(1, 8);
  const int64_t pitch = width * size, bytes = height * pitch, unit = 8 * size;
  const int64_t first = (in_.begin + unit - 1) / unit, last = (in_.end - bytes) / unit;
  const int64_t image = unit * (rng_.Chance(0.3) ? first : rng_.Range(first, last));
  const int64_t y = rng_.Range(-2, 1), x = x_unit * rng_.Range(-2, 1);
  stream.y_base = static_cast<int32_t>(y);
  stream.x_base = static_cast<int32_t>(x);
  stream.y_limit = static_cast<uint32_t>(height);
  stream.x_limit = static_cast<uint32_t>(width - rng_.Range(0, 7));
  bases_[stream.index] = static_cast<int32_t>(image + y * pitch + x * size);
  for (size_t d = 0; d < dimensions.size(); ++d) {
    const int64_t y_step = rng_.Range(-1, 2), x_step = x_unit * rng_.Range(-1, 2);
    stream.y_steps[d] = static_cast<int32_t>(y_step);
    stream.x_steps[d] = static_cast<int32_t>(x_step);
    stream.strides[d] = static_cast<int32_t>(y_step * pitch + x_step * size);
  }
  extents_.push_back({Space::kBuffer, 0, image, image + bytes, false, false});
}

void RandomStreams::PlaceGather(arch::Stream& stream, const Dimensions& dimensions) {
  stream.flat = 0;
  stream.gather = 1;
  stream.gather_base = static_cast<uint32_t>(indices_);
  stream.gather_limit = static_cast<uint32_t>(index_count_);
  stream.y_limit = static_cast<uint32_t>(rng_.Range(1, index_count_));
  stream.y_base = static_cast<int32_t>(rng_.Range(-2, 10));
  stream.y_steps = SmallSteps(2);
  if (rng_.Chance(0.5)) {
    stream.x_base = static_cast<int32_t>(rng_.Range(-10, 3));
    stream.x_limit = static_cast<uint32_t>(rng_.Below(static_cast<uint64_t>(config_.Lanes())));
  }
  // The table is one dimension more.
  const int64_t unit = Unit(stream), bytes = RowElements(stream) * LaneBytes(stream.type);
  const int64_t room = (in_.bytes() - bytes) / 2 / (index_count_ - 1);
  const int64_t stride = std::min<int64_t>(rng_.Range(0, 5) * unit, room / unit * unit);
  stream.gather_stride = static_cast<int32_t>(stride);
  extents_.push_back(Walk(dimensions, unit, 1000, stride * (index_count_ - 1) + bytes, in_,
                          stream.strides, bases_[stream.index]));
  extents_.push_back({Space::kBuffer, 0, indices_, indices_ + 4 * index_count_, false, false});
}

void RandomStreams::PlaceAccumulator(arch::Stream& stream, const Dimensions& dimensions) {
  stream.type = static_cast<uint32_t>(LaneType::kF32);
  stream.source = static_cast<uint32_t>(StreamSource::kAccumulator);
  stream.flat = stream.spread = 0;
  stream.unit = static_cast<uint32_t>(rng_.Below(static_cast<uint64_t>(config_.mxu_count)));
  if (rng_.Chance(0.3)) Clip(stream);
  Extent rows = Walk(dimensions, 1, config_.mxu_accumulator_rows, 1,
                     {0, 2 * config_.mxu_accumulator_rows}, stream.strides, bases_[stream.index]);
  rows.space = Space::kAccumulators;
  rows.unit = stream.unit;
  extents_.push_back(rows);
}

void RandomStreams::PlaceIota(arch::Stream& stream) {
  stream.source = static_cast<uint32_t>(StreamSource::kIota);
  Clip(stream);
  bases_[stream.index] = static_cast<int32_t>(rng_.U32());
  if (rng_.Chance(0.5)) {
    stream.x_steps = SmallSteps(1000);
    stream.x_limit = 0x7fffffff;
    stream.y_limit = 1 + static_cast<uint32_t>(stream.y_base > 0 ? stream.y_base : 0);
  }
}

// A mixed-radix layout: every row has a place of its own.
bool RandomStreams::PlaceOutput(arch::Stream& stream, const Dimensions& dimensions,
                                Region region) {
  const int64_t size = LaneBytes(stream.type), unit = Unit(stream);
  const int64_t row = (RowElements(stream) * size + unit - 1) / unit * unit;
  std::array<size_t, 8> order;
  for (size_t d = 0; d < order.size(); ++d) order[d] = d;
  for (size_t d = order.size(); d > 1; --d) std::swap(order[d - 1], order[rng_.Below(d)]);
  const bool ragged = rng_.Chance(0.3);  // y counts rows, and the last ones are cut off
  int64_t extent = row, lowest = 0;
  if (!ragged && rng_.Chance(0.5)) Clip(stream);
  for (const size_t d : order) {
    if (ragged) stream.y_steps[d] = 0;
    if (dimensions[d] <= 1) continue;
    const int64_t stride = extent + (ragged ? 0 : unit * static_cast<int64_t>(rng_.Below(2)));
    const bool falls = !ragged && rng_.Chance(0.2);
    stream.strides[d] = static_cast<int32_t>(falls ? -stride : stride);
    if (ragged) stream.y_steps[d] = static_cast<int32_t>(stride / row);
    if (falls) lowest -= stride * (dimensions[d] - 1);
    extent += stride * (dimensions[d] - 1);
  }
  if (ragged) {
    const int64_t rows = rng_.Range(0, std::min(extent, region.bytes() - unit) / row);
    stream.y_limit = static_cast<uint32_t>(rows);
    extent = std::max(rows * row, row);  // what is cut off may lie outside
  }
  const int64_t first = (region.begin + unit - 1) / unit, last = (region.end - extent) / unit;
  if (last < first) return false;
  const int64_t start = unit * (rng_.Chance(0.2) ? last : rng_.Range(first, last));
  bases_[stream.index] = static_cast<int32_t>(start - lowest);
  extents_.push_back({Space::kBuffer, 0, start, start + extent, true, false});
  return true;
}

bool RandomStreams::Place(const Kernel& kernel, const Counts& counts, bool in_place) {
  streams_.clear();
  extents_.clear();
  const int64_t middle = out_.begin + out_.bytes() / 2 / 32 * 32;
  for (uint32_t q = kFirstOutput; q < kStreams; ++q) {
    if (kernel.steps[q] == 0) continue;
    arch::Stream stream = Shape(q);
    const Region half = q == kFirstOutput ? Region{out_.begin, middle} : Region{middle, out_.end};
    if (!PlaceOutput(stream, DimensionsOf(stream, counts, kernel.steps[q]), half)) return false;
    streams_.push_back(stream);
  }
  for (uint32_t q = 0; q < arch::kInputStreams; ++q) {
    if (kernel.steps[q] == 0) continue;
    if (in_place && q == kInPlaceInput) {
      arch::Stream stream = streams_.front();  // out0, which the same slot writes
      stream.index = q;
      streams_.push_back(stream);
      bases_[q] = bases_[kFirstOutput];
      continue;
    }
    arch::Stream stream = Shape(q);
    const uint64_t kind = rng_.Below(10);
    if (kind == 0) stream.flat = 0;  // gather
    const Dimensions dimensions = DimensionsOf(stream, counts, kernel.steps[q]);
    switch (kind) {
      case 0: PlaceGather(stream, dimensions); break;
      case 1:
        stream.flat = stream.spread = 0;
        PlaceAccumulator(stream, DimensionsOf(stream, counts, kernel.steps[q]));
        break;
      case 2: PlaceIota(stream); break;
      case 3:
      case 4:
      case 5: PlaceImage(stream, dimensions); break;
      default: PlaceInput(stream, dimensions); break;
    }
    streams_.push_back(stream);
  }
  return true;
}

}  // namespace systolith::cosim
