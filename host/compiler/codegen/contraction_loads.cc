// What a contraction's tiles are loaded from: operands in the order of the terms, streams in the
// order of the results.
#include <algorithm>

#include "host/compiler/codegen/column_folding.h"
#include "host/compiler/codegen/contraction_emitter.h"
#include "host/compiler/codegen/transpose_job.h"

namespace systolith::compiler {

void ContractionEmitter::LoadA(int64_t key, TileSlot& slot) {
  const TermSlice& slice = PartSlice(key % t_.a_parts);
  const auto block_count = static_cast<int64_t>(blocks_.size());
  const Block& b = blocks_[static_cast<size_t>(key / t_.a_parts % block_count)];
  const Offsets offsets = OffsetsOf(key / t_.a_parts / block_count);
  if (t_.zero_a) generator_.EmitZeros(slot, t_.a_bytes);
  const HbmMap::Place place = generator_.PlaceOf(c_.lhs, false);
  const int64_t size = c_.lhs.ElementBytes();
  const int64_t pixel = Pitch(slice) * size;
  const int64_t line = b.in_x * pixel;
  Transfer transfer;
  transfer.segment = place.segment;
  transfer.shift = place.shift;
  transfer.offset = place.offset + size * (c_.lhs.offset + offsets.lhs + b.n0 * c_.n.stride +
                                           b.in_y0 * c_.h.stride + b.in_x0 * c_.w.stride +
                                           slice.c0 * c_.c.stride);
  transfer.element_bytes = size;
  const int64_t features = slice.c1 - slice.c0;
  if (t_.a_staging == Tiling::Staging::kNone) {
    transfer.buffer = slot.address;
    transfer.pad_bytes = 8 * size;
    transfer.dimensions = {{b.n, c_.n.stride * size, b.in_y * line},
                           {b.in_y, c_.h.stride * size, line},
                           {b.in_x, c_.w.stride * size, pixel},
                           {features, c_.c.stride * size, size}};
    EmitLoad(emitter_, transfer, {{place.log}, {}, slot.Logs()});
    return;
  }
  // Features become rows of what follows one another in HBM: pixels of an image, or images.
  const bool of_pixels = t_.a_staging == Tiling::Staging::kPixels;
  const int64_t pixels = b.in_y * b.in_x;
  TileSlot& staging = a_staging_[next_a_staging_++ % a_staging_.size()];
  transfer.buffer = staging.address;
  TransposeJob job;
  job.element_bytes = size;
  job.rows = features;
  job.in = staging.address;
  job.out = slot.address;
  if (of_pixels) {
    job.cols = pixels;
    job.in_row = RoundUp(pixels, 8) * size;
    job.out_row = pixel;
    job.loops = {{b.n, features * job.in_row, b.in_y * line}};
    transfer.dimensions = {{b.n, c_.n.stride * size, features * job.in_row},
                           {features, c_.c.stride * size, job.in_row},
                           {b.in_y, c_.h.stride * size, b.in_x * size},
                           {b.in_x, c_.w.stride * size, size}};
  } else if (features % 8 == 0) {
    // One matrix: pixels and features in the order of the terms, times images.
    job.rows = pixels * features;
    job.cols = b.n;
    job.in_row = RoundUp(b.n, 8) * size;
    job.out_row = b.in_y * line;
    const int64_t column = features * job.in_row;
    transfer.dimensions = {{features, c_.c.stride * size, job.in_row},
                           {b.in_y, c_.h.stride * size, b.in_x * column},
                           {b.in_x, c_.w.stride * size, column},
                           {b.n, c_.n.stride * size, size}};
  } else {
    const int64_t images = RoundUp(b.n, 8) * size;
    job.cols = b.n;
    job.in_row = pixels * images;
    job.out_row = b.in_y * line;
    job.loops = {{pixels, images, pixel}};
    transfer.dimensions = {{features, c_.c.stride * size, job.in_row},
                           {b.in_y, c_.h.stride * size, b.in_x * images},
                           {b.in_x, c_.w.stride * size, images},
                           {b.n, c_.n.stride * size, size}};
  }
  EmitLoad(emitter_, transfer, {{place.log}, {}, staging.Logs()});
  EmitTranspose(emitter_, job, chip_, {staging.Logs(), {}, slot.Logs()});
}

void ContractionEmitter::LoadB(int64_t key, TileSlot& slot) {
  const auto slice_count = static_cast<int64_t>(t_.slices.size());
  const TermSlice& slice = t_.slices[static_cast<size_t>(key % slice_count)];
  const int64_t group = key / slice_count % groups_;
  const Offsets offsets = OffsetsOf(key / slice_count / groups_);
  if (t_.zero_b) generator_.EmitZeros(slot, t_.b_bytes);
  const HbmMap::Place place = generator_.PlaceOf(c_.rhs, false);
  const int64_t size = c_.rhs.ElementBytes();
  const int64_t first_column = group * t_.group_tiles * chip_.mxu_cols;
  const int64_t term = BTermBytes(slice, group);
  Transfer transfer;
  transfer.segment = place.segment;
  transfer.shift = place.shift;
  transfer.offset = place.offset +
                    size * (c_.rhs.offset + offsets.rhs + slice.kh0 * c_.kh.stride +
                            slice.kw0 * c_.kw.stride + slice.c0 * c_.rhs_c.stride +
                            first_column * c_.o.stride);
  transfer.buffer = slot.address;
  transfer.element_bytes = size;
  transfer.pad_bytes = 8 * size;
  transfer.dimensions = {
      {slice.kh1 - slice.kh0, c_.kh.stride * size,
       (slice.kw1 - slice.kw0) * Pitch(slice) * term},
      {slice.kw1 - slice.kw0, c_.kw.stride * size, Pitch(slice) * term},
      {slice.c1 - slice.c0, c_.rhs_c.stride * size, term},
      {GroupColumns(group), c_.o.stride * size,
       t_.transposed ? BRowBytes(slice, group) : size}};
  if (c_.fold == 1) {
    EmitLoad(emitter_, transfer, {{place.log}, {}, slot.Logs()});
    return;
  }
  // The taps of each pixel that are in the slice, in columns of its own.
  const int64_t features = c_.o.size / c_.fold;
  for (int64_t pixel = 0; pixel < c_.fold; ++pixel) {
    const int64_t first = pixel * StrideOfPixel(c_);
    const int64_t kw0 = std::max(slice.kw0, first);
    const int64_t kw1 = std::min(slice.kw1, first + TapsOfPixel(c_));
    Transfer part = transfer;
    part.offset += (kw0 - first - slice.kw0) * c_.kw.stride * size;
    part.buffer += (kw0 - slice.kw0) * Pitch(slice) * term + pixel * features * size;
    part.dimensions[1].size = std::max<int64_t>(kw1 - kw0, 0);
    part.dimensions[3].size = features;
    EmitLoad(emitter_, part, {{place.log}, {}, slot.Logs()});
  }
}

void ContractionEmitter::LoadStream(size_t s, int64_t key, TileSlot& slot) {
  const View& stream = kernel_.streams[s];
  const int64_t group = key % groups_;
  const auto block_count = static_cast<int64_t>(blocks_.size());
  const Block& b = blocks_[static_cast<size_t>(key / groups_ % block_count)];
  const Offsets offsets = OffsetsOf(key / groups_ / block_count);
  const auto& strides = c_.stream_strides[s];
  const HbmMap::Place place = generator_.PlaceOf(stream, false);
  const int64_t size = stream.ElementBytes();
  const int64_t row = StreamPitch(s, group);
  Transfer transfer;
  transfer.segment = place.segment;
  transfer.shift = place.shift;
  transfer.offset =
      place.offset + size * (stream.offset + offsets.streams[s] + b.n0 * strides[0] +
                             b.y0 * strides[1] + b.x0 * strides[2] +
                             group * t_.group_tiles * chip_.mxu_cols * strides[3]);
  transfer.buffer = slot.address;
  transfer.element_bytes = size;
  const bool rows = stream_rows_[s];
  transfer.dimensions = {{rows ? b.n : 1, strides[0] * size, b.y * b.x * row},
                         {rows ? b.y : 1, strides[1] * size, b.x * row},
                         {rows ? b.x : 1, strides[2] * size, row},
                         {stream_columns_[s] ? GroupColumns(group) : 1, strides[3] * size, size}};
  if (c_.fold > 1 && stream_columns_[s] && strides[2] == 0) {  // the same for all pixels of a row
    const int64_t features = c_.o.size / c_.fold;
    transfer.dimensions.back().size = features;
    transfer.dimensions.push_back({c_.fold, 0, features * size});
  }
  EmitLoad(emitter_, transfer, {{place.log}, {}, slot.Logs()});
}

}  // namespace systolith::compiler
