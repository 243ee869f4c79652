// Matrix products and convolutions: tiles from HBM, the matrix units, the drain through the vector
// unit, results to HBM.
#include <algorithm>
#include <cassert>

#include "host/compiler/codegen/column_folding.h"
#include "host/compiler/codegen/contraction_places.h"
#include "host/compiler/codegen/generator.h"
#include "host/compiler/codegen/phases.h"
#include "host/compiler/codegen/transpose_job.h"
#include "host/compiler/passes/support.h"
#include "host/compiler/schedule/tiling.h"

namespace systolith::compiler {
namespace {

constexpr int64_t kHalves = 2;  // of an accumulator

// A block of results and the input that it needs.
struct Block {
  int64_t n0, n, y0, y, x0, x;          // first result and how many
  int64_t in_y0, in_y, in_x0, in_x;     // clipped to the input; may be empty
  int64_t Rows() const { return n * y * x; }
};

class ContractionEmitter {
 public:
  ContractionEmitter(Generator& generator, const Kernel& kernel, Tiling tiling)
      : generator_(generator),
        emitter_(generator.emitter()),
        chip_(generator.chip()),
        kernel_(kernel),
        c_(std::get<Contraction>(kernel.body)),
        out_type_(*LaneTypeOf(kernel.out.type)),
        out_bytes_(graph::ByteWidth(kernel.out.type)),
        t_(std::move(tiling)) {}

  Status Run() {
    outer_count_ = 1;
    for (const OuterLoop& loop : c_.outer) outer_count_ *= loop.count;
    has_terms_ = c_.kh.size > 0 && c_.kw.size > 0 && c_.c.size > 0;
    const TilingProblem problem(kernel_, generator_.TileBytes());
    stream_rows_ = problem.stream_rows;
    stream_columns_ = problem.stream_columns;
    if (!has_terms_) t_.slices = {TermSlice{}};
    MakeBlocks();
    tiles_ = CeilDivide(c_.o.size, chip_.mxu_cols);
    groups_ = CeilDivide(tiles_, t_.group_tiles);
    FindInBuffer();
    if (IsStored()) out_place_ = generator_.PlaceOf(kernel_.out, true);
    AddPools();
    AddUnits();
    pipeline_.Run();
    if (lhs_in_buffer_ == nullptr) generator_.Release(pipeline_.slots(a_pool_), t_.a_bytes);
    generator_.Release(pipeline_.slots(b_pool_), t_.b_bytes);
    for (size_t s = 0; s < stream_pools_.size(); ++s) {
      if (streams_in_buffer_[s] != nullptr) continue;
      generator_.Release(pipeline_.slots(stream_pools_[s]), t_.stream_bytes[s]);
    }
    generator_.Release(out_slots_, t_.out_bytes);
    generator_.Release(a_staging_, t_.a_staging_bytes);
    generator_.Release(out_staging_, t_.out_staging_bytes);
    return OkStatus();
  }

 private:
  struct Tile {  // of the array's width, and where it accumulates
    int64_t column;  // in the group
    int64_t mxu, half;
  };

  // Elements of a tile, or of a tensor in the buffer: where they are, and bytes from one image, row
  // of pixels and pixel to the next.
  struct Elements {
    int64_t address = 0, n = 0, y = 0, x = 0;
    std::vector<AccessLog*> logs;
  };

  void FindInBuffer() {
    const auto find = [this](const View& view, bool in_place) {
      return in_place ? generator_.InBuffer(view.base) : nullptr;
    };
    lhs_in_buffer_ = find(c_.lhs, TakesLhsInPlace(kernel_));
    out_in_buffer_ = find(kernel_.out, MakesResultInPlace(kernel_));
    for (size_t s = 0; s < kernel_.streams.size(); ++s) {
      streams_in_buffer_.push_back(find(kernel_.streams[s], TakesStreamInPlace(kernel_, s)));
    }
  }
  bool IsStored() const { return out_in_buffer_ == nullptr || out_in_buffer_->is_stored; }

  void MakeBlocks() {
    const auto clip = [](int64_t first, int64_t count, int64_t stride, int64_t pad, int64_t taps,
                         int64_t dilation, int64_t limit, int64_t& begin, int64_t& extent) {
      const int64_t low = first * stride - pad;
      const int64_t high = low + InputExtent(count, stride, taps, dilation, INT64_MAX);
      begin = std::clamp<int64_t>(low, 0, limit);
      extent = std::max<int64_t>(std::clamp<int64_t>(high, 0, limit) - begin, 0);
    };
    for (int64_t n = 0; n < c_.out_n.size; n += t_.block_n) {
      for (int64_t y = 0; y < c_.out_y.size; y += t_.block_y) {
        for (int64_t x = 0; x < c_.out_x.size; x += t_.block_x) {
          Block b{};
          b.n0 = n;
          b.n = std::min(t_.block_n, c_.out_n.size - n);
          b.y0 = y;
          b.y = std::min(t_.block_y, c_.out_y.size - y);
          b.x0 = x;
          b.x = std::min(t_.block_x, c_.out_x.size - x);
          clip(y, b.y, c_.stride_y, c_.pad_y, c_.kh.size, c_.window_dilation_y, c_.h.size,
               b.in_y0, b.in_y);
          clip(x, b.x, c_.stride_x, c_.pad_x, c_.kw.size, c_.window_dilation_x, c_.w.size,
               b.in_x0, b.in_x);
          blocks_.push_back(b);
        }
      }
    }
  }

  // Offsets of one step of the outer loops: lhs, rhs, result, streams.
  struct Offsets {
    int64_t lhs = 0, rhs = 0, out = 0;
    std::array<int64_t, kMaxStreams> streams{};
  };
  Offsets OffsetsOf(int64_t outer) const {
    Offsets offsets;
    for (size_t i = c_.outer.size(); i > 0; --i) {
      const OuterLoop& loop = c_.outer[i - 1];
      const int64_t index = outer % loop.count;
      outer /= loop.count;
      offsets.lhs += index * loop.lhs;
      offsets.rhs += index * loop.rhs;
      offsets.out += index * loop.out;
      for (size_t s = 0; s < kMaxStreams; ++s) offsets.streams[s] += index * loop.streams[s];
    }
    return offsets;
  }

  int64_t GroupColumns(int64_t group) const {
    const int64_t width = t_.group_tiles * chip_.mxu_cols;
    return std::min(width, c_.o.size - group * width);
  }
  int64_t OutPitch(int64_t group) const { return RoundUp(GroupColumns(group), 8) * out_bytes_; }

  // Keys of tiles, and what is in them.
  int64_t AKey(int64_t outer, int64_t block, int64_t part) const {
    return (outer * static_cast<int64_t>(blocks_.size()) + block) * t_.a_parts + part;
  }
  int64_t BKey(int64_t outer, int64_t group, int64_t slice) const {
    return (outer * groups_ + group) * static_cast<int64_t>(t_.slices.size()) + slice;
  }
  // Along what it does not vary, a stream is one tile.
  int64_t StreamKey(size_t s, int64_t outer, int64_t block, int64_t group) const {
    const bool varies = std::any_of(c_.outer.begin(), c_.outer.end(), [s](const OuterLoop& loop) {
      return loop.streams[s] != 0;
    });
    const int64_t row = (varies ? outer : 0) * static_cast<int64_t>(blocks_.size()) +
                        (stream_rows_[s] ? block : 0);
    return row * groups_ + (stream_columns_[s] ? group : 0);
  }

  void AddPools() {
    int64_t bytes = t_.b_slots * SlotBytes(chip_, t_.b_bytes);
    if (lhs_in_buffer_ == nullptr) bytes += t_.a_slots * SlotBytes(chip_, t_.a_bytes);
    if (out_in_buffer_ == nullptr) bytes += t_.out_slots * SlotBytes(chip_, t_.out_bytes);
    for (size_t s = 0; s < kernel_.streams.size(); ++s) {
      if (streams_in_buffer_[s] != nullptr) continue;
      bytes += t_.stream_slots * SlotBytes(chip_, t_.stream_bytes[s]);
    }
    for (const int64_t staging : {t_.a_staging_bytes, t_.out_staging_bytes}) {
      if (staging > 0) bytes += kStagingSlots * SlotBytes(chip_, staging);
    }
    generator_.ReserveSlots(bytes);
    if (lhs_in_buffer_ == nullptr) {
      a_pool_ = pipeline_.AddPool(generator_.AllocateSlots(t_.a_slots, t_.a_bytes, 1),
                                  [this](int64_t key, TileSlot& slot) { LoadA(key, slot); });
    }
    b_pool_ = pipeline_.AddPool(generator_.AllocateSlots(t_.b_slots, t_.b_bytes, 1),
                                [this](int64_t key, TileSlot& slot) { LoadB(key, slot); });
    for (size_t s = 0; s < kernel_.streams.size(); ++s) {
      stream_pools_.push_back(0);
      if (streams_in_buffer_[s] != nullptr) continue;
      stream_pools_[s] = pipeline_.AddPool(
          generator_.AllocateSlots(t_.stream_slots, t_.stream_bytes[s], 1),
          [this, s](int64_t key, TileSlot& slot) { LoadStream(s, key, slot); });
    }
    if (out_in_buffer_ == nullptr) {
      out_slots_ = generator_.AllocateSlots(t_.out_slots, t_.out_bytes, 1);
    }
    if (t_.a_staging_bytes > 0) {
      a_staging_ = generator_.AllocateSlots(kStagingSlots, t_.a_staging_bytes, 1);
    }
    if (t_.out_staging) {
      out_staging_ = generator_.AllocateSlots(kStagingSlots, t_.out_staging_bytes, 1);
    }
  }

  const TermSlice& PartSlice(int64_t part) const {
    for (const TermSlice& slice : t_.slices) {
      if (slice.a_part == part) return slice;
    }
    return t_.slices.front();
  }

  // Elements from one input pixel to the next in a tile of the lhs.
  static int64_t Pitch(const TermSlice& slice) { return RoundUp(slice.c1 - slice.c0, 8); }

  void LoadA(int64_t key, TileSlot& slot) {
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

  // Rows of a tile of the rhs: terms (kh, kw, c), or columns if it is transposed.
  int64_t BRowBytes(const TermSlice& slice, int64_t group) const {
    const int64_t size = c_.rhs.ElementBytes();
    return t_.transposed ? BTermBytes(slice, group) *
                               (slice.kh1 - slice.kh0) * (slice.kw1 - slice.kw0) * Pitch(slice)
                         : RoundUp(GroupColumns(group), 8) * size;
  }
  // Bytes from one term to the next.
  int64_t BTermBytes(const TermSlice& slice, int64_t group) const {
    return t_.transposed ? c_.rhs.ElementBytes() : BRowBytes(slice, group);
  }

  void LoadB(int64_t key, TileSlot& slot) {
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

  void LoadStream(size_t s, int64_t key, TileSlot& slot) {
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

  int64_t StreamPitch(size_t s, int64_t group) const {
    return (stream_columns_[s] ? RoundUp(GroupColumns(group), 8) : 8) *
           kernel_.streams[s].ElementBytes();
  }

  void AddUnits() {
    const auto block_count = static_cast<int64_t>(blocks_.size());
    for (int64_t outer = 0; outer < outer_count_; ++outer) {
      const int64_t outside = t_.groups_outer ? groups_ : block_count;
      const int64_t inside = t_.groups_outer ? block_count : groups_;
      for (int64_t i = 0; i < outside; ++i) {
        for (int64_t j = 0; j < inside; ++j) {
          const int64_t step = i % 2 == 0 ? j : inside - 1 - j;  // back and forth: less reloading
          AddResult(outer, t_.groups_outer ? step : i, t_.groups_outer ? i : step);
        }
      }
    }
  }

  // One block and group: a few tiles at a time, one per matrix unit.
  void AddResult(int64_t outer, int64_t block, int64_t group) {
    const int64_t tile_count = CeilDivide(GroupColumns(group), chip_.mxu_cols);
    const size_t out_slot = next_out_++ % static_cast<size_t>(t_.out_slots);
    for (int64_t first = 0; first < tile_count; first += chip_.mxu_count) {
      std::vector<Tile> tiles;
      for (int64_t i = first; i < std::min(first + chip_.mxu_count, tile_count); ++i) {
        const int64_t mxu = next_tile_ % chip_.mxu_count;
        tiles.push_back({i * chip_.mxu_cols, mxu, next_tile_ / chip_.mxu_count % kHalves});
        ++next_tile_;
      }
      const bool is_last = first + chip_.mxu_count >= tile_count;
      AddTiles(outer, block, group, tiles, out_slot, is_last);
    }
  }

  void AddTiles(int64_t outer, int64_t block, int64_t group, const std::vector<Tile>& tiles,
                size_t out_slot, bool store) {
    const size_t passes = has_terms_ ? c_.passes.size() : 1;
    for (size_t pass = 0; pass < passes; ++pass) {
      for (size_t s = 0; s < t_.slices.size(); ++s) {
        std::vector<Pipeline::Need> needs;
        if (has_terms_) {
          if (lhs_in_buffer_ == nullptr) {
            needs.push_back({a_pool_, AKey(outer, block, t_.slices[s].a_part)});
          }
          needs.push_back({b_pool_, BKey(outer, group, static_cast<int64_t>(s))});
        }
        const bool is_first = pass == 0 && s == 0;
        const bool is_last = pass + 1 == passes && s + 1 == t_.slices.size();
        if (is_last) {
          for (size_t stream = 0; stream < stream_pools_.size(); ++stream) {
            if (streams_in_buffer_[stream] != nullptr) continue;
            needs.push_back({stream_pools_[stream], StreamKey(stream, outer, block, group)});
          }
        }
        pipeline_.AddUnit(needs, [=, this](const std::vector<TileSlot*>& slots) {
          const Block& b = blocks_[static_cast<size_t>(block)];
          auto slot = slots.begin();
          if (has_terms_) {
            const Elements lhs = Lhs(outer, b, t_.slices[s],
                                     lhs_in_buffer_ == nullptr ? *slot++ : nullptr);
            TileSlot& weights = **slot++;
            for (const Tile& tile : tiles) {
              EmitMatmul(b, group, t_.slices[s], tile, c_.passes[pass], is_first, lhs, weights);
            }
          }
          if (!is_last) return;
          const Elements out = Result(outer, b, group,
                                      out_in_buffer_ == nullptr ? &out_slots_[out_slot] : nullptr);
          std::vector<Elements> streams;
          for (size_t stream = 0; stream < stream_pools_.size(); ++stream) {
            TileSlot* tile = streams_in_buffer_[stream] == nullptr ? *slot++ : nullptr;
            streams.push_back(Stream(stream, outer, b, group, tile));
          }
          for (const Tile& tile : tiles) EmitDrain(b, group, tile, out, streams);
          if (store && IsStored()) EmitResult(outer, b, group, out);
        });
      }
    }
  }

  int64_t TileColumns(int64_t group, const Tile& tile) const {
    return std::min(chip_.mxu_cols, GroupColumns(group) - tile.column);
  }

  // Where the features of a slice are, for the pixels that a block needs.
  Elements Lhs(int64_t outer, const Block& b, const TermSlice& slice, TileSlot* tile) const {
    const int64_t size = c_.lhs.ElementBytes();
    const int64_t pitch = Pitch(slice) * size;
    if (tile != nullptr) {
      return {tile->address, b.in_y * b.in_x * pitch, b.in_x * pitch, pitch, tile->Logs()};
    }
    const int64_t first = c_.lhs.offset + OffsetsOf(outer).lhs + b.n0 * c_.n.stride +
                          b.in_y0 * c_.h.stride + b.in_x0 * c_.w.stride + slice.c0;
    return {lhs_in_buffer_->address + first * size, c_.n.stride * size, c_.h.stride * size,
            c_.w.size == 1 ? pitch : c_.w.stride * size, {&lhs_in_buffer_->log}};
  }

  // Where the results of a block and group go, and what a stream has for them.
  Elements Result(int64_t outer, const Block& b, int64_t group, TileSlot* tile) const {
    if (tile != nullptr) {
      const int64_t row = OutPitch(group);
      return {tile->address, b.y * b.x * row, b.x * row, row, tile->Logs()};
    }
    const int64_t first = kernel_.out.offset + OffsetsOf(outer).out + b.n0 * c_.out_n.stride +
                          b.y0 * c_.out_y.stride + b.x0 * c_.out_x.stride +
                          group * t_.group_tiles * chip_.mxu_cols;
    return {out_in_buffer_->address + first * out_bytes_, c_.out_n.stride * out_bytes_,
            c_.out_y.stride * out_bytes_, c_.out_x.stride * out_bytes_, {&out_in_buffer_->log}};
  }
  Elements Stream(size_t s, int64_t outer, const Block& b, int64_t group, TileSlot* tile) const {
    const View& view = kernel_.streams[s];
    const int64_t size = view.ElementBytes();
    if (tile != nullptr) {
      const int64_t row = stream_rows_[s] ? StreamPitch(s, group) : 0;
      return {tile->address, b.y * b.x * row, b.x * row, row, tile->Logs()};
    }
    const auto& strides = c_.stream_strides[s];
    const int64_t first = view.offset + OffsetsOf(outer).streams[s] + b.n0 * strides[0] +
                          b.y0 * strides[1] + b.x0 * strides[2] +
                          group * t_.group_tiles * chip_.mxu_cols * strides[3];
    return {streams_in_buffer_[s]->address + first * size, strides[0] * size, strides[1] * size,
            strides[2] * size, {&streams_in_buffer_[s]->log}};
  }

  void EmitMatmul(const Block& b, int64_t group, const TermSlice& slice, const Tile& tile,
                  std::pair<uint32_t, uint32_t> pass, bool fresh, const Elements& a, TileSlot& w) {
    const int64_t a_size = c_.lhs.ElementBytes();
    const int64_t pitch = Pitch(slice);
    const int64_t pixel = a.x / a_size, line = a.y / a_size, image = a.n / a_size;
    const int64_t taps_y = slice.kh1 - slice.kh0;
    const int64_t taps_x = slice.kw1 - slice.kw0;
    const int64_t terms = t_.merged ? taps_x * pitch : slice.c1 - slice.c0;
    const int64_t rows = chip_.mxu_rows;
    // First window: result (y0, x0), tap (kh0, kw0), feature c0 of the tile.
    const int64_t y0 = b.y0 * c_.stride_y + slice.kh0 * c_.window_dilation_y - c_.pad_y - b.in_y0;
    const int64_t x0 =
        (b.x0 * c_.stride_x + slice.kw0 * c_.window_dilation_x - c_.pad_x - b.in_x0) * pixel;
    const int64_t w_term = BTermBytes(slice, group);

    // Loops: taps along y, taps along x, terms in steps of the array; then n, y, x of the block.
    struct Loop {
      int64_t count, y, x, a_bytes, w_bytes, accumulator;
    };
    const std::array<Loop, 6> loops = {{
        {taps_y, c_.window_dilation_y, 0, c_.window_dilation_y * line,
         taps_x * pitch * w_term, 0},
        {t_.merged ? 1 : taps_x, 0, c_.window_dilation_x * pixel, c_.window_dilation_x * pixel,
         pitch * w_term, 0},
        {CeilDivide(terms, rows), 0, rows, rows, rows * w_term, 0},
        {b.n, 0, 0, image, 0, b.y * b.x},
        {b.y, c_.stride_y, 0, c_.stride_y * line, 0, b.x},
        {b.x, 0, c_.stride_x * pixel, c_.stride_x * pixel, 0, 1},
    }};
    arch::Matmul m;
    for (size_t i = 0; i < loops.size(); ++i) {
      m.counts[i] = emitter_.Address(loops[i].count);
      m.y_steps[i] = emitter_.Stride(loops[i].y);
      m.x_steps[i] = emitter_.Stride(loops[i].x);
      m.a_strides[i] = emitter_.Stride(loops[i].a_bytes * a_size);
      m.w_strides[i] = emitter_.Stride(loops[i].w_bytes);
      m.acc_strides[i] = emitter_.Stride(loops[i].accumulator);
    }
    m.a_type = static_cast<uint32_t>(c_.lhs_type);
    m.w_type = static_cast<uint32_t>(c_.rhs_type);
    m.a_slice = pass.first;
    m.w_slice = pass.second;
    m.transpose = t_.transposed ? 1 : 0;
    m.accumulate = fresh ? 0 : 1;
    m.weight_level = 3;
    m.k_level = 2;
    m.n_level = arch::kNoLevel;
    m.fresh_mask = 0b111;
    m.a_length = emitter_.Address(std::min(rows, terms));
    m.a_base = emitter_.Stride(a.address + (y0 * line + x0) * a_size);
    m.y_base = emitter_.Stride(y0);
    m.y_limit = emitter_.Address(b.in_y);
    m.x_base = emitter_.Stride(x0);
    m.x_limit = emitter_.Address(b.in_x * pixel);
    m.w_base = emitter_.Address(w.address + tile.column * (t_.transposed ? BRowBytes(slice, group)
                                                                         : c_.rhs.ElementBytes()));
    m.w_row_stride = emitter_.Stride(BRowBytes(slice, group));
    m.k_limit = emitter_.Address(terms);
    m.n_limit = emitter_.Address(TileColumns(group, tile));
    m.acc_base = emitter_.Address(tile.half * chip_.mxu_accumulator_rows);
    const auto engine =
        static_cast<arch::Engine>(static_cast<int64_t>(arch::Engine::kMxu0) + tile.mxu);
    emitter_.Matmul(engine, m,
                    {a.logs, w.Logs(), {&generator_.AccumulatorLog(tile.mxu, tile.half)}});
  }

  void EmitDrain(const Block& b, int64_t group, const Tile& tile, const Elements& out,
                 const std::vector<Elements>& streams) {
    // Rows of results; pixels, rows of pixels and images that follow each other everywhere are one.
    const auto follow = [&](const Elements& e) { return e.n == b.y * e.y && e.y == b.x * e.x; };
    const bool is_one = follow(out) && std::all_of(streams.begin(), streams.end(), follow);
    const auto strides = [&](int64_t n, int64_t y, int64_t x) {
      return is_one ? std::vector<int64_t>{x} : std::vector<int64_t>{n, y, x};
    };
    RowJob job;
    job.counts = is_one ? std::vector<int64_t>{b.Rows()} : std::vector<int64_t>{b.n, b.y, b.x};
    job.length = TileColumns(group, tile);
    job.steps = kernel_.steps;
    Touches touches{{}, {}, out.logs};
    if (has_terms_) {
      job.x = RowOperand{arch::LaneType::kF32, tile.mxu, tile.half * chip_.mxu_accumulator_rows,
                         strides(b.y * b.x, b.x, 1), false};
      touches.reads.push_back(&generator_.AccumulatorLog(tile.mxu, tile.half));
    }
    job.result = {out_type_, std::nullopt, out.address + tile.column * out_bytes_,
                  strides(out.n, out.y, out.x), false};
    for (size_t s = 0; s < streams.size(); ++s) {
      const Elements& stream = streams[s];
      const int64_t size = kernel_.streams[s].ElementBytes();
      const bool columns = stream_columns_[s];
      job.streams.push_back({*LaneTypeOf(kernel_.streams[s].type), std::nullopt,
                             stream.address + (columns ? tile.column * size : 0),
                             strides(stream.n, stream.y, stream.x), !columns});
      touches.reads.insert(touches.reads.end(), stream.logs.begin(), stream.logs.end());
    }
    generator_.vector_unit().Emit(job, touches);
  }

  void EmitResult(int64_t outer, const Block& b, int64_t group, const Elements& out) {
    Transfer transfer;
    transfer.segment = out_place_.segment;
    transfer.shift = out_place_.shift;
    transfer.offset =
        out_place_.offset +
        out_bytes_ * (kernel_.out.offset + OffsetsOf(outer).out + b.n0 * c_.out_n.stride +
                      b.y0 * c_.out_y.stride + b.x0 * c_.out_x.stride +
                      group * t_.group_tiles * chip_.mxu_cols * c_.out_o.stride);
    transfer.element_bytes = out_bytes_;
    if (t_.out_staging) {
      TileSlot& staging = out_staging_[next_out_staging_++ % out_staging_.size()];
      const int64_t pixels = b.y * b.x;
      TransposeJob job;
      job.element_bytes = out_bytes_;
      job.rows = pixels;
      job.cols = GroupColumns(group);
      job.in = out.address;
      job.in_row = out.x;
      job.out = staging.address;
      job.out_row = RoundUp(pixels, 8) * out_bytes_;
      job.loops = {{b.n, out.n, job.cols * job.out_row}};
      EmitTranspose(emitter_, job, chip_, {out.logs, {}, staging.Logs()});
      transfer.buffer = staging.address;
      transfer.dimensions = {{b.n, c_.out_n.stride * out_bytes_, job.cols * job.out_row},
                             {job.cols, c_.out_o.stride * out_bytes_, job.out_row},
                             {b.y, c_.out_y.stride * out_bytes_, b.x * out_bytes_},
                             {b.x, c_.out_x.stride * out_bytes_, out_bytes_}};
      EmitStore(emitter_, transfer, {staging.Logs(), {}, {out_place_.log}});
      return;
    }
    transfer.buffer = out.address;
    transfer.dimensions = {{b.n, c_.out_n.stride * out_bytes_, out.n},
                           {b.y, c_.out_y.stride * out_bytes_, out.y},
                           {b.x, c_.out_x.stride * out_bytes_, out.x},
                           {GroupColumns(group), c_.out_o.stride * out_bytes_, out_bytes_}};
    EmitStore(emitter_, transfer, {out.logs, {}, {out_place_.log}});
  }

  Generator& generator_;
  Emitter& emitter_;
  const arch::ChipConfig& chip_;
  const Kernel& kernel_;
  const Contraction& c_;
  const arch::LaneType out_type_;
  const int64_t out_bytes_;

  Tiling t_;
  bool has_terms_ = true;
  int64_t outer_count_ = 1, tiles_ = 0, groups_ = 0;
  std::vector<bool> stream_rows_, stream_columns_;
  std::vector<Block> blocks_;
  Generator::BufferPlace* lhs_in_buffer_ = nullptr;  // null: tiles of it are loaded
  Generator::BufferPlace* out_in_buffer_ = nullptr;  // null: tiles of it are stored
  std::vector<Generator::BufferPlace*> streams_in_buffer_;
  HbmMap::Place out_place_;
  Pipeline pipeline_;
  size_t a_pool_ = 0, b_pool_ = 0;
  std::vector<size_t> stream_pools_;
  std::vector<TileSlot> out_slots_;
  std::vector<TileSlot> a_staging_, out_staging_;  // tiles in the order of HBM, in turn
  size_t next_out_ = 0, next_a_staging_ = 0, next_out_staging_ = 0;
  int64_t next_tile_ = 0;
};

}  // namespace

Status EmitContraction(Generator& generator, const Kernel& kernel) {
  for (Kernel& phase : SplitIntoPhases(kernel)) {
    const auto& c = std::get<Contraction>(phase.body);
    if (c.on_vector_unit && c.kh.size > 0 && c.kw.size > 0) {
      RETURN_IF_ERROR(EmitDepthwise(generator, phase));
      continue;
    }
    // Values that stay in the buffer have their places by the rows of the whole contraction.
    const auto is_in_buffer = [&](const View& view) {
      return view.base.valid() && generator.InBuffer(view.base) != nullptr;
    };
    const bool may_fold = !is_in_buffer(c.lhs) && !is_in_buffer(phase.out) &&
                          std::none_of(phase.streams.begin(), phase.streams.end(), is_in_buffer);
    ASSIGN_OR_RETURN(Tiling tiling, ChooseFoldedTiling(phase, may_fold, generator.TileBytes(),
                                                       generator.chip()));
    generator.Predict(tiling.cost_cycles);
    RETURN_IF_ERROR(ContractionEmitter(generator, phase, std::move(tiling)).Run());
  }
  return OkStatus();
}

}  // namespace systolith::compiler
