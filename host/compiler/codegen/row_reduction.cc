// Reductions of the innermost dimension. Rows come in as they are and fold into kPartials partials
// beside each other (fold_job); the transposer puts those under each other, and the tree does the
// rest (tree_job):
//
//   rows of HBM --load--> tile --fold--> partials --transpose--> columns --tree--> result
//
// Rows of up to kPartials elements are their own partials. Rows that do not fit the buffer come in
// parts of whole blocks.
#include "host/compiler/codegen/row_reduction.h"

#include <algorithm>

#include "host/compiler/codegen/fold_job.h"
#include "host/compiler/codegen/reduction_ends.h"
#include "host/compiler/codegen/transpose_job.h"
#include "host/compiler/passes/support.h"

namespace systolith::compiler {
namespace {

constexpr int64_t kTileSlots = 3;
constexpr int64_t kOtherSlots = 2;   // of partials, columns and results: chunks overlap
constexpr int64_t kMostRows = 512;   // of a chunk
constexpr int64_t kFewElements = 8;  // shorter rows are loaded element by element

class RowReductionEmitter {
 public:
  RowReductionEmitter(Generator& generator, const Kernel& kernel)
      : generator_(generator),
        kernel_(kernel),
        r_(std::get<Reduction>(kernel.body)),
        size_(r_.x.ElementBytes()),
        type_(*LaneTypeOf(r_.x.type)),
        partial_type_(PartialTypeOf(r_.x.type)),
        partials_(std::min(r_.reduced.size, kPartials)),
        folds_(r_.reduced.size > kPartials) {}

  Status Run() {
    RETURN_IF_ERROR(ChooseTiles());
    out_axis_ = *MergeDimensions(kernel_.out);
    out_place_ = generator_.PlaceOf(kernel_.out, true);
    const size_t tiles = pipeline_.AddPool(
        generator_.AllocateSlots(kTileSlots, TileBytes(), 1),
        [this](int64_t key, TileSlot& slot) { LoadTile(key, slot); });
    partial_slots_ = generator_.AllocateSlots(kOtherSlots, PartialBytes(), 1);
    column_slots_ = generator_.AllocateSlots(kOtherSlots, ColumnBytes(), 1);
    sum_slots_ = generator_.AllocateSlots(kOtherSlots, SumBytes(), 1);
    out_slots_ = generator_.AllocateSlots(kOtherSlots, SumBytes(), 1);
    init_slots_ = generator_.AllocateSlots(1, 8 * size_, 1);
    if (InitIsStream(r_)) LoadInitialValue(generator_, kernel_, init_slots_[0]);
    parts_ = CeilDivide(r_.reduced.size, length_);
    const int64_t chunks = CeilDivide(r_.kept.size, rows_);
    for (int64_t key = 0; key < chunks * parts_; ++key) {
      pipeline_.AddUnit({{tiles, key}}, [=, this](const std::vector<TileSlot*>& slots) {
        EmitTile(key / parts_, key % parts_, *slots[0]);
      });
    }
    pipeline_.Run();
    generator_.Release(pipeline_.slots(tiles), TileBytes());
    generator_.Release(partial_slots_, PartialBytes());
    generator_.Release(column_slots_, ColumnBytes());
    generator_.Release(sum_slots_, SumBytes());
    generator_.Release(out_slots_, SumBytes());
    generator_.Release(init_slots_, 8 * size_);
    return OkStatus();
  }

 private:
  int64_t PitchBytes() const { return RoundUp(length_, 8) * size_; }
  int64_t TileBytes() const { return rows_ * PitchBytes(); }
  // What is transposed: the partials, or the tile itself.
  arch::LaneType ColumnType() const { return folds_ ? partial_type_ : type_; }
  int64_t PartialPitch() const { return kPartials * LaneBytes(partial_type_); }
  int64_t PartialBytes() const { return folds_ ? rows_ * PartialPitch() : 1; }
  int64_t ColumnPitch() const { return RoundUp(rows_, 8) * LaneBytes(ColumnType()); }
  int64_t ColumnBytes() const { return partials_ * ColumnPitch(); }
  int64_t SumBytes() const { return RoundUp(rows_, 8) * LaneBytes(partial_type_); }

  Status ChooseTiles() {
    const auto slot = [this](int64_t bytes) { return SlotBytes(generator_.chip(), bytes); };
    const auto bytes = [&] {
      return kTileSlots * slot(TileBytes()) + slot(8 * size_) +
             kOtherSlots * (slot(PartialBytes()) + slot(ColumnBytes()) + 2 * slot(SumBytes()));
    };
    rows_ = std::min(r_.kept.size, kMostRows);
    length_ = r_.reduced.size;
    while (bytes() > generator_.TileBytes()) {
      const int64_t half = RoundUp(CeilDivide(length_, 2), kPartials);
      if (half < length_ && (rows_ <= generator_.chip().Lanes() || length_ > 8 * kPartials)) {
        length_ = half;
      } else if (rows_ > 1) {
        rows_ = CeilDivide(rows_, 2);
      } else {
        return Unsupported("no tile of it fits the unified buffer");
      }
    }
    generator_.ReserveSlots(bytes());
    return OkStatus();
  }

  int64_t Rows(int64_t chunk) const { return std::min(rows_, r_.kept.size - chunk * rows_); }
  int64_t Length(int64_t part) const {
    return std::min(length_, r_.reduced.size - part * length_);
  }
  TileSlot& SlotOf(std::vector<TileSlot>& slots, int64_t chunk) const {
    return slots[static_cast<size_t>(chunk % kOtherSlots)];
  }

  void LoadTile(int64_t key, TileSlot& slot) {
    const int64_t chunk = key / parts_, part = key % parts_;
    const HbmMap::Place place = generator_.PlaceOf(r_.x, false);
    Transfer transfer;
    transfer.segment = place.segment;
    transfer.shift = place.shift;
    transfer.offset = place.offset +
                      size_ * (r_.x.offset + chunk * rows_ * r_.kept.stride + part * length_);
    transfer.buffer = slot.address;
    transfer.element_bytes = size_;
    transfer.dimensions = {{Rows(chunk), r_.kept.stride * size_, PitchBytes()},
                           {Length(part), size_, size_}};
    transfer.pad_bytes = 8 * size_;
    EmitLoad(generator_.emitter(), transfer, {{place.log}, {}, slot.Logs()});
  }

  void EmitTile(int64_t chunk, int64_t part, TileSlot& tile) {
    TileSlot& partial = SlotOf(partial_slots_, chunk);
    if (folds_) {
      FoldJob fold;
      fold.combine = r_.combine;
      fold.type = type_;
      fold.partial_type = partial_type_;
      fold.identity = IdentityOf(r_.combine);
      fold.joins = part > 0;
      fold.rows = Rows(chunk);
      fold.length = Length(part);
      fold.base = tile.address;
      fold.pitch = PitchBytes();
      fold.partials = partial.address;
      fold.partial_pitch = PartialPitch();
      Touches touches{tile.Logs(), {}, partial.Logs()};
      generator_.vector_unit().Emit(fold, touches);
    }
    if (part + 1 < parts_) return;
    EmitColumns(chunk, folds_ ? partial : tile);
    EmitTree(chunk);
    StoreReduced(generator_, kernel_, out_place_, out_axis_, chunk * rows_, Rows(chunk),
                 SlotOf(out_slots_, chunk));
  }

  void EmitColumns(int64_t chunk, TileSlot& from) {
    TileSlot& columns = SlotOf(column_slots_, chunk);
    TransposeJob job;
    job.element_bytes = LaneBytes(ColumnType());
    job.rows = Rows(chunk);
    job.cols = partials_;
    job.in = from.address;
    job.in_row = folds_ ? PartialPitch() : PitchBytes();
    job.out = columns.address;
    job.out_row = ColumnPitch();
    EmitTranspose(generator_.emitter(), job, generator_.chip(),
                  {from.Logs(), {}, columns.Logs()});
  }

  void EmitTree(int64_t chunk) {
    TileSlot& columns = SlotOf(column_slots_, chunk);
    TileSlot& sum = SlotOf(sum_slots_, chunk);
    TileSlot& out = SlotOf(out_slots_, chunk);
    TreeJob tree;
    tree.combine = r_.combine;
    tree.type = ColumnType();
    tree.partials = partials_;
    tree.length = Rows(chunk);
    tree.pitch = ColumnPitch();
    tree.base = columns.address;
    if (!InitIsStream(r_)) {
      tree.init = r_.init.bits;
      tree.result_type = type_;
      tree.result = out.address;
      generator_.vector_unit().Emit(tree, {columns.Logs(), {}, out.Logs()});
      return;
    }
    tree.result_type = partial_type_;
    tree.result = sum.address;
    generator_.vector_unit().Emit(tree, {columns.Logs(), {}, sum.Logs()});
    EmitJoinInitialValue(generator_, r_, Rows(chunk),
                         {partial_type_, std::nullopt, sum.address, {0}, false},
                         {type_, std::nullopt, out.address, {0}, false},
                         {sum.Logs(), {}, out.Logs()}, init_slots_[0]);
  }

  Generator& generator_;
  const Kernel& kernel_;
  const Reduction& r_;
  const int64_t size_;
  const arch::LaneType type_, partial_type_;
  const int64_t partials_;
  const bool folds_;
  int64_t rows_ = 0, length_ = 0, parts_ = 1;  // of a tile; tiles of a chunk
  Axis out_axis_;
  HbmMap::Place out_place_;
  Pipeline pipeline_;
  std::vector<TileSlot> partial_slots_, column_slots_, sum_slots_, out_slots_, init_slots_;
};

}  // namespace

bool FoldsAlongRows(const Reduction& reduction) {
  return reduction.reduced.stride == 1 && reduction.reduced.size >= kFewElements &&
         reduction.kept.size > 0;
}

Status EmitRowReduction(Generator& generator, const Kernel& kernel) {
  return RowReductionEmitter(generator, kernel).Run();
}

}  // namespace systolith::compiler
