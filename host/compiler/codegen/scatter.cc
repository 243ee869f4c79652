// Scatter: a tile of the operand stays in the buffer while the sequencer goes through the updates,
// each of which is one instruction of the vector unit at a place that a table gives.
#include <algorithm>

#include "host/compiler/codegen/generator.h"
#include "host/compiler/passes/support.h"

namespace systolith::compiler {
namespace {

constexpr int64_t kPlaceBytes = 4;
constexpr int64_t kUpdateSlots = 2;

class ScatterEmitter {
 public:
  ScatterEmitter(Generator& generator, const Kernel& kernel)
      : generator_(generator),
        emitter_(generator.emitter()),
        kernel_(kernel),
        s_(std::get<Scatter>(kernel.body)),
        size_(s_.operand.ElementBytes()),
        type_(*LaneTypeOf(s_.operand.type)) {}

  Status Run() {
    const size_t rank = s_.box.size();
    has_rows_ = !s_.window.empty() && static_cast<size_t>(s_.window.back()) + 1 == rank;
    for (size_t d = 0; d < rank; ++d) {
      boxes_.push_back(CeilDivide(kernel_.out.dims[d], s_.box[d]));
    }
    ChooseTiles();
    out_place_ = generator_.PlaceOf(kernel_.out, true);
    operand_pool_ = pipeline_.AddPool(
        generator_.AllocateSlots(operand_slots_, operand_bytes_, 1),
        [this](int64_t key, TileSlot& slot) { LoadOperand(key, slot); });
    update_pool_ = pipeline_.AddPool(
        generator_.AllocateSlots(kUpdateSlots, update_slot_bytes_, 1),
        [this](int64_t key, TileSlot& slot) { LoadUpdates(key, slot); });
    AddUnits();
    pipeline_.Run();
    generator_.Release(pipeline_.slots(operand_pool_), operand_bytes_);
    generator_.Release(pipeline_.slots(update_pool_), update_slot_bytes_);
    return OkStatus();
  }

 private:
  // Updates per tile: as many as the buffer takes beside the operand.
  void ChooseTiles() {
    const arch::ChipConfig& chip = generator_.chip();
    operand_bytes_ = size_;
    if (!s_.box.empty()) {
      operand_bytes_ *= has_rows_ && s_.box.size() == 1 ? RoundUp(s_.box[0], int64_t{8})
                                                        : s_.box[0] * s_.strides[0];
    }
    update_bytes_ = size_;
    update_strides_.assign(s_.window.size(), size_);
    for (size_t i = s_.window.size(); i > 0; --i) {
      update_strides_[i - 1] = update_bytes_;
      const int64_t extent = std::min(s_.updates.dims[i], s_.box[Dimension(i - 1)]);
      const bool is_row = has_rows_ && i == s_.window.size();
      update_bytes_ *= is_row ? RoundUp(extent, int64_t{8}) : extent;
    }
    const int64_t updates = s_.updates.dims[0];
    const int64_t tile = SlotBytes(chip, operand_bytes_);
    operand_slots_ = generator_.TileBytes() >= 4 * tile ? 2 : 1;
    const int64_t rest = (generator_.TileBytes() - operand_slots_ * tile) / kUpdateSlots;
    tile_updates_ = updates;
    const auto bytes = [&] { return PlacesBytes() + tile_updates_ * update_bytes_; };
    while (tile_updates_ > 1 && SlotBytes(chip, bytes()) > rest) {
      tile_updates_ = CeilDivide(tile_updates_, int64_t{2});
    }
    update_slot_bytes_ = bytes();
    tiles_ = CeilDivide(updates, tile_updates_);
    generator_.ReserveSlots(operand_slots_ * tile +
                            kUpdateSlots * SlotBytes(chip, update_slot_bytes_));
  }
  int64_t PlacesBytes() const { return RoundUp(tile_updates_ * kPlaceBytes, int64_t{64}); }
  size_t Dimension(size_t window) const { return static_cast<size_t>(s_.window[window]); }

  // Number of the box along each dimension of the operand.
  std::vector<int64_t> Coordinates(int64_t box) const {
    std::vector<int64_t> at(boxes_.size());
    for (size_t d = boxes_.size(); d > 0; --d) {
      at[d - 1] = box % boxes_[d - 1];
      box /= boxes_[d - 1];
    }
    return at;
  }
  // What of the window lies in the box, along its dimension `i`; not positive: nothing.
  int64_t Extent(const std::vector<int64_t>& at, size_t i) const {
    const size_t d = Dimension(i);
    return std::min(s_.box[d], s_.updates.dims[i + 1] - at[d] * s_.box[d]);
  }

  Transfer BoxOf(const View& view, const HbmMap::Place& place, const std::vector<int64_t>& at,
                 const TileSlot& slot) const {
    Transfer transfer;
    transfer.segment = place.segment;
    transfer.shift = place.shift;
    transfer.buffer = slot.address;
    transfer.element_bytes = size_;
    int64_t first = view.offset;
    for (size_t d = 0; d < at.size(); ++d) {
      const int64_t begin = at[d] * s_.box[d];
      first += begin * view.strides[d];
      transfer.dimensions.push_back({std::min(s_.box[d], view.dims[d] - begin),
                                     view.strides[d] * size_, s_.strides[d] * size_});
    }
    transfer.offset = place.offset + first * size_;
    return transfer;
  }

  void LoadOperand(int64_t box, TileSlot& slot) {
    if (s_.fill) {
      RowJob job;
      job.length = operand_bytes_ / size_;
      job.steps = {{arch::AluOp::kCopy, {StepOperand{StepOperand::Kind::kImmediate, *s_.fill}}}};
      job.result = {type_, std::nullopt, slot.address, {}, false};
      generator_.vector_unit().Emit(job, {{}, {}, slot.Logs()});
      return;
    }
    const HbmMap::Place place = generator_.PlaceOf(s_.operand, false);
    EmitLoad(emitter_, BoxOf(s_.operand, place, Coordinates(box), slot),
             {{place.log}, {}, slot.Logs()});
  }

  // The places first, then the updates.
  void LoadUpdates(int64_t key, TileSlot& slot) {
    const int64_t begin = key % tiles_ * tile_updates_;
    const int64_t count = std::min(tile_updates_, s_.updates.dims[0] - begin);
    const std::vector<int64_t> at = Coordinates(key / tiles_);
    const HbmMap::Place places = generator_.PlaceOf(s_.offsets, false);
    Transfer transfer;
    transfer.segment = places.segment;
    transfer.offset = places.offset + (s_.offsets.offset + begin) * kPlaceBytes;
    transfer.buffer = slot.address;
    transfer.element_bytes = kPlaceBytes;
    transfer.dimensions = {{count, kPlaceBytes, kPlaceBytes}};
    EmitLoad(emitter_, transfer, {{places.log}, {}, slot.Logs()});

    const View& updates = s_.updates;
    const HbmMap::Place place = generator_.PlaceOf(updates, false);
    transfer = {};
    transfer.segment = place.segment;
    transfer.shift = place.shift;
    transfer.buffer = slot.address + PlacesBytes();
    transfer.element_bytes = size_;
    int64_t first = updates.offset + begin * updates.strides[0];
    transfer.dimensions = {{count, updates.strides[0] * size_, update_bytes_}};
    for (size_t i = 0; i < s_.window.size(); ++i) {
      first += at[Dimension(i)] * s_.box[Dimension(i)] * updates.strides[i + 1];
      transfer.dimensions.push_back(
          {Extent(at, i), updates.strides[i + 1] * size_, update_strides_[i]});
    }
    transfer.offset = place.offset + first * size_;
    EmitLoad(emitter_, transfer, {{place.log}, {}, slot.Logs()});
  }

  void AddUnits() {
    int64_t box_count = 1;
    for (const int64_t count : boxes_) box_count *= count;
    for (int64_t box = 0; box < box_count; ++box) {
      const std::vector<int64_t> at = Coordinates(box);
      bool is_touched = true;
      for (size_t i = 0; i < s_.window.size(); ++i) is_touched = is_touched && Extent(at, i) > 0;
      const int64_t tiles = is_touched ? tiles_ : 0;
      for (int64_t tile = 0; tile < tiles; ++tile) {
        pipeline_.AddUnit({{operand_pool_, box}, {update_pool_, box * tiles_ + tile}},
                          [=, this](const std::vector<TileSlot*>& slots) {
                            EmitUpdates(at, tile, *slots[0], *slots[1]);
                          });
      }
      pipeline_.AddUnit({{operand_pool_, box}}, [=, this](const std::vector<TileSlot*>& slots) {
        EmitStore(emitter_, BoxOf(kernel_.out, out_place_, at, *slots[0]),
                  {slots[0]->Logs(), {}, {out_place_.log}});
      });
    }
  }

  void EmitUpdates(const std::vector<int64_t>& at, int64_t tile, TileSlot& operand,
                   TileSlot& updates) {
    RowJob job;
    job.steps = s_.combine;
    job.writes_padding = false;
    job.is_scattered = !has_rows_;
    RowOperand old{type_, std::nullopt, operand.address, {}, false};
    RowOperand update{type_, std::nullopt, updates.address + PlacesBytes(), {}, false};
    const size_t loops = s_.window.size() - (has_rows_ ? 1 : 0);
    if (has_rows_) job.length = Extent(at, loops);
    for (size_t i = 0; i < loops; ++i) {
      job.counts.push_back(Extent(at, i));
      old.strides.push_back(s_.strides[Dimension(i)] * size_);
      update.strides.push_back(update_strides_[i]);
    }
    job.result = old;
    const bool reads_old = std::any_of(job.steps.begin(), job.steps.end(), [](const auto& step) {
      return std::any_of(step.operands.begin(), step.operands.end(), [](const StepOperand& o) {
        return o.kind == StepOperand::Kind::kLane;
      });
    });
    if (reads_old) job.x = old;
    job.streams = {update};
    Emitter::WordLoop loop;
    loop.table = updates.address;
    loop.count = std::min(tile_updates_, s_.updates.dims[0] - tile * tile_updates_);
    loop.step = update_bytes_;
    Touches touches{updates.Logs(), {}, operand.Logs()};
    generator_.vector_unit().EmitForEach(job, loop, updates.pieces[0], touches);
  }

  Generator& generator_;
  Emitter& emitter_;
  const Kernel& kernel_;
  const Scatter& s_;
  const int64_t size_;
  const arch::LaneType type_;

  bool has_rows_ = false;  // the operand's innermost dimension belongs to the window
  std::vector<int64_t> boxes_, update_strides_;  // update: bytes, per dimension of the window
  int64_t operand_bytes_ = 0, operand_slots_ = 1;
  int64_t update_bytes_ = 0, tile_updates_ = 0, tiles_ = 0, update_slot_bytes_ = 0;
  HbmMap::Place out_place_;
  Pipeline pipeline_;
  size_t operand_pool_ = 0, update_pool_ = 0;
};

}  // namespace

Status EmitScatter(Generator& generator, const Kernel& kernel) {
  return ScatterEmitter(generator, kernel).Run();
}

}  // namespace systolith::compiler
