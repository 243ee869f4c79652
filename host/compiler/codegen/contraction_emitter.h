#ifndef SYSTOLITH_HOST_COMPILER_CODEGEN_CONTRACTION_EMITTER_H_
#define SYSTOLITH_HOST_COMPILER_CODEGEN_CONTRACTION_EMITTER_H_

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "host/compiler/codegen/contraction_places.h"
#include "host/compiler/codegen/generator.h"
#include "host/compiler/passes/support.h"
#include "host/compiler/schedule/tiling.h"

namespace systolith::compiler {

inline constexpr int64_t kHalves = 2;  // of an accumulator

// A block of results and the input that it needs.
struct Block {
  int64_t n0, n, y0, y, x0, x;          // first result and how many
  int64_t in_y0, in_y, in_x0, in_x;     // clipped to the input; may be empty
  int64_t Rows() const { return n * y * x; }
};

// Emits one contraction, tile by tile: loads (contraction_loads.cc), products, the drain through the
// vector unit, stores (contraction.cc).
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

  Status Run();

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

  void MakeBlocks();

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

  void AddPools();

  const TermSlice& PartSlice(int64_t part) const {
    for (const TermSlice& slice : t_.slices) {
      if (slice.a_part == part) return slice;
    }
    return t_.slices.front();
  }

  // Elements from one input pixel to the next in a tile of the lhs.
  static int64_t Pitch(const TermSlice& slice) { return RoundUp(slice.c1 - slice.c0, 8); }

  void LoadA(int64_t key, TileSlot& slot);

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

  void LoadB(int64_t key, TileSlot& slot);

  void LoadStream(size_t s, int64_t key, TileSlot& slot);

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
                size_t out_slot, bool store);

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
                  std::pair<uint32_t, uint32_t> pass, bool fresh, const Elements& a, TileSlot& w);

  void EmitDrain(const Block& b, int64_t group, const Tile& tile, const Elements& out,
                 const std::vector<Elements>& streams);

  void EmitResult(int64_t outer, const Block& b, int64_t group, const Elements& out);

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

}  // namespace systolith::compiler

#endif  // SYSTOLITH_HOST_COMPILER_CODEGEN_CONTRACTION_EMITTER_H_
