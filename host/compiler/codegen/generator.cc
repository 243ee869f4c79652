#include "host/compiler/codegen/generator.h"

#include <fmt/format.h>

#include <cassert>

#include "host/compiler/schedule/cost_model.h"

namespace systolith::compiler {
namespace {

constexpr int64_t kSlotAlignment = 64;  // rows of 8 elements of any type, and most bank words
constexpr int64_t kScalarBytes = 4;

Transfer WholeTransfer(const Carried& carried, const HbmMap::Place& place) {
  const int64_t bytes = carried.whole.ElementBytes();
  Transfer transfer;
  transfer.segment = place.segment;
  transfer.offset = place.offset;
  transfer.buffer = carried.address;
  transfer.element_bytes = bytes;
  transfer.dimensions = {{carried.whole.shape().ElementCount(), bytes, bytes}};
  return transfer;
}

}  // namespace

HbmMap::Place HbmMap::Of(graph::Value value, bool writes) {
  const uint32_t number = tensor_of_value_.at(value);
  const isa::Tensor& tensor = tensors_[number];
  const bool is_shared =
      tensor.home == isa::Home::kScratch || tensor.home == isa::Home::kConstants;
  const uint32_t index = is_shared ? 0 : tensor.index;
  Place place;
  place.offset = static_cast<int64_t>(tensor.offset);
  while (place.segment < segments_.size() && !(segments_[place.segment].home == tensor.home &&
                                               segments_[place.segment].index == index)) {
    ++place.segment;
  }
  if (place.segment == segments_.size()) segments_.push_back({tensor.home, index, true, false});
  segments_[place.segment].writable |= writes;

  const auto [log, is_new] = logs_.try_emplace(number);
  if (is_new && tensor.home == isa::Home::kScratch) TakePlace(number, log->second);
  place.log = &log->second;
  return place;
}

void HbmMap::TakePlace(uint32_t number, AccessLog& log) {
  const uint64_t begin = tensors_[number].offset;
  const uint64_t end = begin + tensors_[number].bytes;
  if (begin == end) return;
  auto at = scratch_.lower_bound(begin);
  if (at != scratch_.begin() && std::prev(at)->second.end > begin) --at;
  while (at != scratch_.end() && at->first < end) {
    const uint64_t first = at->first;
    const Stretch stretch = at->second;
    log.Join(logs_.at(stretch.tensor));
    at = scratch_.erase(at);
    if (first < begin) scratch_[first] = {begin, stretch.tensor};
    if (stretch.end > end) scratch_[end] = stretch;
  }
  scratch_[begin] = {end, number};
}

void HbmMap::ForgetLogs() {
  logs_.clear();
  scratch_.clear();
}

int64_t HbmMap::BytesOf(graph::Value value) const {
  return static_cast<int64_t>(tensors_[tensor_of_value_.at(value)].bytes);
}

Generator::Generator(const arch::ChipConfig& chip, HbmMap& hbm, const BufferPlan& buffer_plan)
    : chip_(chip),
      hbm_(hbm),
      emitter_(chip),
      vector_unit_(chip, emitter_),
      buffer_plan_(buffer_plan),
      tile_bytes_(chip.buffer_bytes),
      chunks_(kChunks),
      accumulators_(static_cast<size_t>(2 * chip.mxu_count)) {}

Status Generator::Emit(const Kernel& kernel, size_t index) {
  emitter_.SetLine(kernel.operation, kernel.location.line);
  predicted_cycles_ = 0.0;
  if (kernel.shape().ElementCount() == 0) return OkStatus();
  if (!std::holds_alternative<Contraction>(kernel.body)) Predict(EstimateCycles(kernel, chip_));
  const auto limit = buffer_plan_.tile_bytes.find(index);
  tile_bytes_ = limit == buffer_plan_.tile_bytes.end() ? chip_.buffer_bytes : limit->second;
  LoadShifts(kernel);
  EnterBuffer(kernel.out.base);
  Status status;
  if (std::holds_alternative<Contraction>(kernel.body)) {
    status = EmitContraction(*this, kernel);
  } else if (std::holds_alternative<Elementwise>(kernel.body)) {
    status = EmitElementwise(*this, kernel);
  } else if (std::holds_alternative<Copy>(kernel.body)) {
    status = TransposesInBuffer(std::get<Copy>(kernel.body).x, kernel.out)
                 ? EmitTransposingCopy(*this, kernel)
                 : EmitCopy(*this, kernel);
  } else if (std::holds_alternative<Reduction>(kernel.body)) {
    status = EmitReduction(*this, kernel);
  } else if (std::holds_alternative<Gather>(kernel.body)) {
    status = EmitGather(*this, kernel);
  } else {
    status = EmitScatter(*this, kernel);
  }
  LeaveBuffer(index);
  if (status.ok()) return status;
  // What it works on tells most about why it does not fit.
  std::string operands;
  for (const View* view : kernel.Reads()) {
    if (view->base.valid()) operands += fmt::format(" {}", view->shape().ToString());
  }
  return status.WithContext(fmt::format("stablehlo.{} at line {} (of{}, makes {})",
                                        kernel.operation, kernel.location.line, operands,
                                        kernel.shape().ToString()));
}

void Generator::EnterBuffer(graph::Value value) {
  const auto planned = buffer_plan_.residents.find(value);
  if (planned == buffer_plan_.residents.end()) return;
  const Resident& resident = planned->second;
  BufferPlace& place = in_buffer_[value];
  place.address = resident.address;
  place.bytes = resident.bytes;
  place.last = resident.last;
  place.is_stored = resident.is_stored;
  JoinChunks(resident.address, resident.address + resident.bytes, place.log);
}

void Generator::LeaveBuffer(size_t index) {
  std::erase_if(in_buffer_, [&](const auto& entry) {
    if (entry.second.is_carried || entry.second.last != index) return false;
    Leave(entry.second);
    return true;
  });
}

void Generator::Leave(const BufferPlace& place) {
  JoinIntoChunks(place.address, place.address + place.bytes, place.log);
}

void Generator::EnterLoop(size_t control) {
  const auto planned = buffer_plan_.carried.find(control);
  if (planned == buffer_plan_.carried.end()) return;
  for (const Carried& carried : planned->second) {
    tile_bytes_ = std::min(tile_bytes_, carried.address);
    BufferPlace& place = in_buffer_[carried.value];
    place = {carried.address, carried.bytes, 0, false, true, {}};
    JoinChunks(place.address, place.address + place.bytes, place.log);
    const HbmMap::Place hbm = hbm_.Of(carried.value, false);
    Transfer transfer = WholeTransfer(carried, hbm);
    transfer.pad_bytes = kScalarBytes;
    EmitLoad(emitter_, transfer, {{hbm.log}, {}, {&place.log}});
  }
}

void Generator::LeaveLoop(size_t control) {
  const auto planned = buffer_plan_.carried.find(control);
  if (planned == buffer_plan_.carried.end()) return;
  for (const Carried& carried : planned->second) {
    BufferPlace& place = in_buffer_.at(carried.value);
    if (carried.is_stored) {
      const HbmMap::Place hbm = hbm_.Of(carried.value, true);
      EmitStore(emitter_, WholeTransfer(carried, hbm), {{&place.log}, {}, {hbm.log}});
    }
    Leave(place);
    in_buffer_.erase(carried.value);
  }
}

Generator::BufferPlace* Generator::InBuffer(graph::Value value) {
  const auto found = in_buffer_.find(value);
  return found == in_buffer_.end() ? nullptr : &found->second;
}

void Generator::JoinChunks(int64_t begin, int64_t end, AccessLog& log) const {
  const int64_t chunk_bytes = chip_.buffer_bytes / kChunks;
  for (int64_t chunk = begin / chunk_bytes; chunk * chunk_bytes < end; ++chunk) {
    log.Join(chunks_[static_cast<size_t>(chunk)]);
  }
}

void Generator::JoinIntoChunks(int64_t begin, int64_t end, const AccessLog& log) {
  const int64_t chunk_bytes = chip_.buffer_bytes / kChunks;
  for (int64_t chunk = begin / chunk_bytes; chunk * chunk_bytes < end; ++chunk) {
    chunks_[static_cast<size_t>(chunk)].Join(log);
  }
}

int64_t SlotBytes(const arch::ChipConfig& chip, int64_t bytes) {
  const int64_t word = chip.WordBytes();
  return RoundUp(std::max<int64_t>(bytes, 1), word % kSlotAlignment == 0 ? word : kSlotAlignment);
}

void Generator::ReserveSlots(int64_t bytes) {
  if (next_byte_ + bytes > tile_bytes_) next_byte_ = 0;
}

std::vector<TileSlot> Generator::AllocateSlots(int64_t count, int64_t bytes, int64_t pieces) {
  std::vector<TileSlot> slots;
  for (int64_t i = 0; i < count; ++i) {
    AccessLog before;
    int64_t end = next_byte_ + SlotBytes(chip_, bytes);
    if (end > tile_bytes_) {
      emitter_.Fail(Internal("a kernel takes more of the unified buffer than it reserved"));
      end = next_byte_ = 0;
    }
    JoinChunks(next_byte_, end, before);
    slots.push_back({next_byte_, std::vector<AccessLog>(static_cast<size_t>(pieces), before)});
    next_byte_ = end;
  }
  return slots;
}

void Generator::Release(const std::vector<TileSlot>& slots, int64_t bytes) {
  for (const TileSlot& slot : slots) {
    for (const AccessLog& piece : slot.pieces) {
      JoinIntoChunks(slot.address, slot.address + SlotBytes(chip_, bytes), piece);
    }
  }
}

AccessLog& Generator::AccumulatorLog(int64_t mxu, int64_t half) {
  return accumulators_[static_cast<size_t>(2 * mxu + half)];
}

void Generator::LoadShifts(const Kernel& kernel) {
  shifts_.clear();
  std::vector<const View*> views = kernel.Reads();
  views.push_back(&kernel.out);
  for (const View* view : views) {
    if (!view->shift.valid() || shifts_.contains(view->shift)) continue;
    shifts_[view->shift] = LoadScalar(View::Dense(view->shift, {graph::ElementType::kS32, {}}));
  }
}

HbmMap::Place Generator::PlaceOf(const View& view, bool writes) {
  HbmMap::Place place = hbm_.Of(view.base, writes);
  if (!view.shift.valid()) return place;
  place.shift = shifts_.at(view.shift);
  // The scalar is added to the low word only.
  if (place.offset + hbm_.BytesOf(view.base) > int64_t{1} << 32) {
    emitter_.Fail(Unsupported("a slice at a run-time place beyond 4 GiB of an allocation"));
  }
  return place;
}

uint32_t Generator::LoadScalar(const View& view) {
  const BufferPlace* resident = InBuffer(view.base);
  if (resident != nullptr && IsWordInPlace(view, hbm_.BytesOf(view.base))) {
    const int64_t place = resident->address + view.offset * view.ElementBytes();
    return emitter_.LoadScalarFromBuffer(place, resident->log);
  }
  ReserveSlots(SlotBytes(chip_, kScalarBytes));
  std::vector<TileSlot> slots = AllocateSlots(1, kScalarBytes, 1);
  const HbmMap::Place place = hbm_.Of(view.base, false);
  Transfer transfer;
  transfer.segment = place.segment;
  transfer.offset = place.offset + view.offset * view.ElementBytes();
  transfer.buffer = slots[0].address;
  transfer.element_bytes = std::min(view.ElementBytes(), kScalarBytes);
  transfer.pad_bytes = kScalarBytes;
  EmitLoad(emitter_, transfer, {{place.log}, {}, slots[0].Logs()});
  const uint32_t scalar =
      emitter_.LoadScalarFromBuffer(slots[0].address, slots[0].pieces[0]);
  Release(slots, kScalarBytes);
  return scalar;
}

uint32_t Generator::LoadScalarOfControl(const View& view) {
  const uint32_t scalar = LoadScalar(view);
  LeaveBuffer(kControl);
  return scalar;
}

void Generator::EmitZeros(TileSlot& slot, int64_t bytes) {
  RowJob job;
  job.length = SlotBytes(chip_, bytes) / LaneBytes(arch::LaneType::kF32);
  job.result.base = slot.address;
  vector_unit_.Emit(job, {.reads = {}, .weight_reads = {}, .writes = slot.Logs()});
}

}  // namespace systolith::compiler
