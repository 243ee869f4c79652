// Gather: the DMA brings windows in whose numbers lie in the buffer, and stores them densely.
#include <algorithm>

#include "host/compiler/codegen/generator.h"

namespace systolith::compiler {
namespace {

constexpr int64_t kIndexBytes = 4;
constexpr int64_t kSlots = 3;
constexpr int64_t kTilesToOverlap = 8;  // at least, so that loads and stores overlap

class GatherEmitter {
 public:
  GatherEmitter(Generator& generator, const Kernel& kernel)
      : generator_(generator),
        emitter_(generator.emitter()),
        kernel_(kernel),
        g_(std::get<Gather>(kernel.body)),
        size_(g_.x.ElementBytes()),
        count_(kernel.out.dims[0]) {}

  Status Run() {
    ChooseTiles();
    out_place_ = generator_.PlaceOf(kernel_.out, true);
    generator_.ReserveSlots(kSlots * SlotBytes(generator_.chip(), SlotSize()));
    const size_t pool = pipeline_.AddPool(
        generator_.AllocateSlots(kSlots, SlotSize(), 1),
        [this](int64_t key, TileSlot& slot) { Load(key, slot); });
    int64_t keys = tiles_;
    for (size_t d = 0; d < box_.size(); ++d) keys *= CeilDivide(g_.x.dims[d], box_[d]);
    for (int64_t key = 0; key < keys; ++key) {
      pipeline_.AddUnit({{pool, key}}, [this, key](const std::vector<TileSlot*>& slots) {
        Store(key, *slots[0]);
      });
    }
    pipeline_.Run();
    generator_.Release(pipeline_.slots(pool), SlotSize());
    return OkStatus();
  }

 private:
  // Windows per tile, and parts of a window if a whole one does not fit.
  void ChooseTiles() {
    box_ = g_.x.dims;
    const int64_t room = generator_.TileBytes() / kSlots - 4 * generator_.chip().WordBytes();
    for (size_t d = 0; d < box_.size() && WindowBytes() + kIndexBytes > room;) {
      if (box_[d] > 1) {
        box_[d] = CeilDivide(box_[d], int64_t{2});
      } else {
        ++d;
      }
    }
    const int64_t fitting = std::max<int64_t>(room / (WindowBytes() + kIndexBytes), 1);
    tile_ = std::min(fitting, CeilDivide(count_, kTilesToOverlap));
    tiles_ = CeilDivide(count_, tile_);
  }
  int64_t WindowBytes() const { return graph::Product(box_) * size_; }
  int64_t IndicesBytes() const { return RoundUp(tile_ * kIndexBytes, int64_t{64}); }
  int64_t SlotSize() const { return IndicesBytes() + tile_ * WindowBytes(); }

  // A tile: which windows, and which part of them (their first elements).
  struct Tile {
    int64_t first = 0, count = 0;
    std::vector<int64_t> begin;
  };
  Tile TileOf(int64_t key) const {
    Tile tile;
    tile.first = key % tiles_ * tile_;
    tile.count = std::min(tile_, count_ - tile.first);
    tile.begin.assign(box_.size(), 0);
    key /= tiles_;
    for (size_t d = box_.size(); d > 0; --d) {
      const int64_t boxes = CeilDivide(g_.x.dims[d - 1], box_[d - 1]);
      tile.begin[d - 1] = key % boxes * box_[d - 1];
      key /= boxes;
    }
    return tile;
  }
  // The window's part, as `strides` (elements) walk it in HBM.
  Transfer WindowOf(const Tile& tile, const HbmMap::Place& place, int64_t first,
                    const graph::Dims& strides, const TileSlot& slot) const {
    Transfer transfer;
    transfer.segment = place.segment;
    transfer.shift = place.shift;
    transfer.buffer = slot.address + IndicesBytes();
    transfer.element_bytes = size_;
    const graph::Dims dense = graph::RowMajorStrides(box_);
    for (size_t d = 0; d < box_.size(); ++d) {
      first += tile.begin[d] * strides[d];
      transfer.dimensions.push_back({std::min(box_[d], g_.x.dims[d] - tile.begin[d]),
                                     strides[d] * size_, dense[d] * size_});
    }
    transfer.offset = place.offset + first * size_;
    return transfer;
  }

  void Load(int64_t key, TileSlot& slot) {
    const Tile tile = TileOf(key);
    const HbmMap::Place indices = generator_.PlaceOf(g_.indices, false);
    Transfer numbers;
    numbers.segment = indices.segment;
    numbers.offset = indices.offset + (g_.indices.offset + tile.first) * kIndexBytes;
    numbers.buffer = slot.address;
    numbers.element_bytes = kIndexBytes;
    numbers.dimensions = {{tile.count, kIndexBytes, kIndexBytes}};
    EmitLoad(emitter_, numbers, {{indices.log}, {}, slot.Logs()});

    const HbmMap::Place place = generator_.PlaceOf(g_.x, false);
    Transfer windows = WindowOf(tile, place, g_.x.offset, g_.x.strides, slot);
    windows.gather = {slot.address, tile.count, g_.limit, g_.unit * size_, WindowBytes()};
    EmitLoad(emitter_, windows, {{place.log}, {}, slot.Logs()});
  }

  void Store(int64_t key, TileSlot& slot) {
    const Tile tile = TileOf(key);
    const int64_t window = kernel_.out.strides[0];
    const graph::Dims strides(kernel_.out.strides.begin() + 1, kernel_.out.strides.end());
    Transfer transfer = WindowOf(tile, out_place_, kernel_.out.offset + tile.first * window,
                                 strides, slot);
    transfer.dimensions.push_back({tile.count, window * size_, WindowBytes()});
    EmitStore(emitter_, transfer, {slot.Logs(), {}, {out_place_.log}});
  }

  Generator& generator_;
  Emitter& emitter_;
  const Kernel& kernel_;
  const Gather& g_;
  const int64_t size_, count_;
  graph::Dims box_;  // of a window
  int64_t tile_ = 1, tiles_ = 1;
  HbmMap::Place out_place_;
  Pipeline pipeline_;
};

}  // namespace

Status EmitGather(Generator& generator, const Kernel& kernel) {
  return GatherEmitter(generator, kernel).Run();
}

}  // namespace systolith::compiler
