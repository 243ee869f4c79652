// Reductions. Element i joins partial i mod 128 in rising i; then the partials fold as a tree at
// distance 64, 32 ... 1; then the initial value joins. The reduced dimension runs over rows of the
// buffer, so that every step is elementwise, whatever the number of lanes.
#include <algorithm>

#include "host/compiler/codegen/generator.h"
#include "host/compiler/codegen/reduction_ends.h"
#include "host/compiler/codegen/row_reduction.h"
#include "host/compiler/passes/support.h"

namespace systolith::compiler {
namespace {

constexpr int64_t kBlockSlots = 3;
constexpr int64_t kOutSlots = 2;

class ReductionEmitter {
 public:
  ReductionEmitter(Generator& generator, const Kernel& kernel)
      : generator_(generator),
        emitter_(generator.emitter()),
        kernel_(kernel),
        r_(std::get<Reduction>(kernel.body)),
        size_(r_.x.ElementBytes()),
        type_(*LaneTypeOf(r_.x.type)),
        partial_type_(PartialTypeOf(r_.x.type)) {}

  Status Run() {
    partials_ = std::min(r_.reduced.size, kPartials);
    blocks_ = CeilDivide(r_.reduced.size, kPartials);
    RETURN_IF_ERROR(ChooseColumns());
    // The planner sees to it that the result is one axis.
    out_axis_ = *MergeDimensions(kernel_.out);
    out_place_ = generator_.PlaceOf(kernel_.out, true);
    const int64_t tile = TileBytes();
    block_pool_ = pipeline_.AddPool(
        generator_.AllocateSlots(kBlockSlots, tile, 1),
        [this](int64_t key, TileSlot& slot) { LoadBlock(key, slot); });
    partial_slots_ = generator_.AllocateSlots(1, PartialBytes(), 1);
    out_slots_ = generator_.AllocateSlots(kOutSlots, RowBytes(), 1);
    init_slots_ = generator_.AllocateSlots(1, 8 * size_, 1);
    if (InitIsStream(r_)) LoadInitialValue(generator_, kernel_, init_slots_[0]);
    const int64_t chunks = CeilDivide(r_.kept.size, columns_);
    for (int64_t chunk = 0; chunk < chunks; ++chunk) AddChunk(chunk);
    pipeline_.Run();
    generator_.Release(pipeline_.slots(block_pool_), tile);
    generator_.Release(partial_slots_, PartialBytes());
    generator_.Release(out_slots_, RowBytes());
    generator_.Release(init_slots_, 8 * size_);
    return OkStatus();
  }

 private:
  int64_t RowBytes() const { return RoundUp(columns_, 8) * size_; }
  int64_t PartialRowBytes() const { return RoundUp(columns_, 8) * LaneBytes(partial_type_); }
  int64_t PartialBytes() const { return std::max<int64_t>(partials_, 1) * PartialRowBytes(); }
  int64_t TileBytes() const { return std::max<int64_t>(partials_, 1) * RowBytes(); }

  Status ChooseColumns() {
    for (columns_ = r_.kept.size; columns_ >= 1;
         columns_ = columns_ == 1 ? 0 : CeilDivide(columns_, 2)) {
      const int64_t bytes = kBlockSlots * SlotBytes(generator_.chip(), TileBytes()) +
                            SlotBytes(generator_.chip(), PartialBytes()) +
                            kOutSlots * SlotBytes(generator_.chip(), RowBytes()) +
                            SlotBytes(generator_.chip(), 8 * size_);
      if (bytes <= generator_.TileBytes()) {
        generator_.ReserveSlots(bytes);
        return OkStatus();
      }
    }
    return Unsupported("no tile of it fits the unified buffer");
  }

  int64_t Columns(int64_t chunk) const {
    return std::min(columns_, r_.kept.size - chunk * columns_);
  }
  int64_t BlockRows(int64_t block) const {
    return std::min(kPartials, r_.reduced.size - block * kPartials);
  }

  void LoadBlock(int64_t key, TileSlot& slot) {
    const int64_t chunk = key / blocks_;
    const int64_t block = key % blocks_;
    const HbmMap::Place place = generator_.PlaceOf(r_.x, false);
    Transfer transfer;
    transfer.segment = place.segment;
    transfer.shift = place.shift;
    transfer.offset = place.offset + size_ * (r_.x.offset + block * kPartials * r_.reduced.stride +
                                              chunk * columns_ * r_.kept.stride);
    transfer.buffer = slot.address;
    transfer.element_bytes = size_;
    transfer.dimensions = {{BlockRows(block), r_.reduced.stride * size_, RowBytes()},
                           {Columns(chunk), r_.kept.stride * size_, size_}};
    EmitLoad(emitter_, transfer, {{place.log}, {}, slot.Logs()});
  }

  void AddChunk(int64_t chunk) {
    for (int64_t block = 0; block < std::max<int64_t>(blocks_, 1); ++block) {
      std::vector<Pipeline::Need> needs;
      if (blocks_ > 0) needs.push_back({block_pool_, chunk * blocks_ + block});
      const bool is_last = block + 1 >= blocks_;
      pipeline_.AddUnit(std::move(needs), [=, this](const std::vector<TileSlot*>& slots) {
        if (blocks_ > 1) EmitFold(chunk, block, *slots[0]);
        if (!is_last) return;
        TileSlot& out = out_slots_[static_cast<size_t>(chunk % kOutSlots)];
        if (blocks_ == 0) {
          EmitInit(chunk, out);
        } else {
          EmitTree(chunk, blocks_ == 1 ? slots[0] : nullptr, out);
        }
        StoreReduced(generator_, kernel_, out_place_, out_axis_, chunk * columns_, Columns(chunk),
                     out);
      });
    }
  }

  RowOperand RowsAt(int64_t address) const {
    return {type_, std::nullopt, address, {RowBytes()}, false};
  }
  RowOperand PartialsAt(int64_t address) const {
    return {partial_type_, std::nullopt, address, {PartialRowBytes()}, false};
  }

  // The first block becomes the partials, the others join them.
  void EmitFold(int64_t chunk, int64_t block, TileSlot& tile) {
    TileSlot& partial = partial_slots_[0];
    RowJob job;
    job.counts = {BlockRows(block)};
    job.length = Columns(chunk);
    job.x = block == 0 ? RowsAt(tile.address) : PartialsAt(partial.address);
    job.result = PartialsAt(partial.address);
    if (block > 0) {
      job.streams = {RowsAt(tile.address)};
      job.steps = {{r_.combine,
                    {StepOperand{StepOperand::Kind::kLane, 0},
                     StepOperand{StepOperand::Kind::kStream, 0}}}};
    }
    generator_.vector_unit().Emit(job, {tile.Logs(), {}, partial.Logs()});
  }

  // Partials and initial value become the result. `tile`: the only block; null: the partials.
  void EmitTree(int64_t chunk, TileSlot* tile, TileSlot& out) {
    TileSlot& partial = partial_slots_[0];
    TreeJob tree;
    tree.combine = r_.combine;
    tree.type = tile != nullptr ? type_ : partial_type_;
    tree.result_type = type_;
    tree.partials = partials_;
    tree.length = Columns(chunk);
    tree.pitch = tile != nullptr ? RowBytes() : PartialRowBytes();
    tree.base = tile != nullptr ? tile->address : partial.address;
    Touches touches{tile != nullptr ? tile->Logs() : partial.Logs(), {}, out.Logs()};
    if (!InitIsStream(r_)) {
      tree.init = r_.init.bits;
      tree.result = out.address;
      generator_.vector_unit().Emit(tree, touches);
      return;
    }
    tree.result_type = partial_type_;
    tree.result = partial.address;
    touches.writes = partial.Logs();
    generator_.vector_unit().Emit(tree, touches);
    EmitJoinInitialValue(generator_, r_, Columns(chunk), PartialsAt(partial.address),
                         RowsAt(out.address), {partial.Logs(), {}, out.Logs()}, init_slots_[0]);
  }

  // Nothing is reduced.
  void EmitInit(int64_t chunk, TileSlot& out) {
    RowJob job;
    job.counts = {1};
    job.length = Columns(chunk);
    job.result = RowsAt(out.address);
    job.steps = {{arch::AluOp::kCopy, {r_.init}}};
    Touches touches{{}, {}, out.Logs()};
    if (InitIsStream(r_)) {
      job.streams = {InitialValueRow(r_, init_slots_[0])};
      for (AccessLog* log : init_slots_[0].Logs()) touches.reads.push_back(log);
    }
    generator_.vector_unit().Emit(job, touches);
  }

  Generator& generator_;
  Emitter& emitter_;
  const Kernel& kernel_;
  const Reduction& r_;
  const int64_t size_;
  const arch::LaneType type_, partial_type_;
  int64_t partials_ = 0, blocks_ = 0, columns_ = 0;
  Axis out_axis_;
  HbmMap::Place out_place_;
  Pipeline pipeline_;
  size_t block_pool_ = 0;
  std::vector<TileSlot> partial_slots_, out_slots_, init_slots_;
};

}  // namespace

arch::LaneType PartialTypeOf(graph::ElementType type) {
  if (graph::IsFloat(type)) return arch::LaneType::kF32;
  return graph::IsUnsigned(type) ? arch::LaneType::kU32 : arch::LaneType::kS32;
}

Status EmitReduction(Generator& generator, const Kernel& kernel) {
  if (FoldsAlongRows(std::get<Reduction>(kernel.body))) return EmitRowReduction(generator, kernel);
  return ReductionEmitter(generator, kernel).Run();
}

}  // namespace systolith::compiler
