// Elementwise kernels and copies: boxes of the result, operands broadcast or gathered by the DMA.
#include <algorithm>
#include <optional>

#include "host/compiler/codegen/generator.h"
#include "host/compiler/passes/support.h"

namespace systolith::compiler {
namespace {

constexpr size_t kMaxBoxDimensions = 6;   // of which the innermost is a row
constexpr int64_t kUnitsToOverlap = 8;    // tiles per kernel at least, so that loads hide
constexpr int64_t kMinTileRows = 32;      // but not for fewer rows of lanes than that

struct Operand {
  const View* view;
  std::vector<int64_t> strides;  // elements, per dimension of the walk
  bool splat = false;            // one element stands for a row
  Generator::BufferPlace* in_buffer = nullptr;  // the whole tensor is there: no tiles
  size_t pool = 0;
  int64_t bytes = 0;             // of a tile

  int64_t size() const { return view->ElementBytes(); }
  bool IsTiled() const { return in_buffer == nullptr && !view->is_iota; }
};

class BoxEmitter {
 public:
  // `x` may be null: the vector unit starts from zero.
  BoxEmitter(Generator& generator, const Kernel& kernel, const View* x, bool is_copy)
      : generator_(generator),
        emitter_(generator.emitter()),
        kernel_(kernel),
        is_copy_(is_copy),
        has_x_(x != nullptr),
        out_size_(graph::ByteWidth(kernel.out.type)) {
    if (x != nullptr) operands_.push_back({x, {}});
    for (const View& stream : kernel.streams) operands_.push_back({&stream, {}});
    if (is_copy) return;
    const auto find = [&](const View& view, bool may_repeat) {
      return StreamsInPlace(view, may_repeat) ? generator.InBuffer(view.base) : nullptr;
    };
    for (size_t p = 0; p < operands_.size(); ++p) {
      operands_[p].in_buffer = find(*operands_[p].view, !(has_x_ && p == 0));
    }
    out_in_buffer_ = find(kernel.out, false);
  }

  Status Run() {
    MergeDimensions();
    RETURN_IF_ERROR(ChooseBox());
    if (IsStored()) out_place_ = generator_.PlaceOf(kernel_.out, true);
    for (Operand& operand : operands_) {
      if (!operand.IsTiled()) continue;
      operand.pool = pipeline_.AddPool(
          generator_.AllocateSlots(slots_, operand.bytes, 1),
          [this, &operand](int64_t key, TileSlot& slot) { Load(operand, key, slot); });
    }
    if (HasOutSlots()) out_slots_ = generator_.AllocateSlots(slots_, out_bytes_, 1);
    AddUnits();
    pipeline_.Run();
    for (const Operand& operand : operands_) {
      if (!operand.IsTiled()) continue;
      generator_.Release(pipeline_.slots(operand.pool), operand.bytes);
    }
    generator_.Release(out_slots_, out_bytes_);
    return OkStatus();
  }

 private:
  bool IsStored() const { return out_in_buffer_ == nullptr || out_in_buffer_->is_stored; }
  bool HasOutSlots() const { return !is_copy_ && out_in_buffer_ == nullptr; }

  // Dimensions of the result that it and all operands walk in one go become one.
  void MergeDimensions() {
    const graph::Dims& dims = kernel_.out.dims;
    for (size_t i = 0; i < dims.size(); ++i) {
      if (dims[i] == 1) continue;
      const bool joins = !sizes_.empty() &&
                         out_strides_.back() == kernel_.out.strides[i] * dims[i] &&
                         std::all_of(operands_.begin(), operands_.end(), [&](const Operand& o) {
                           return o.strides.back() == o.view->strides[i] * dims[i];
                         });
      if (joins) {
        sizes_.back() *= dims[i];
        out_strides_.back() = kernel_.out.strides[i];
        for (Operand& o : operands_) o.strides.back() = o.view->strides[i];
      } else {
        sizes_.push_back(dims[i]);
        out_strides_.push_back(kernel_.out.strides[i]);
        for (Operand& o : operands_) o.strides.push_back(o.view->strides[i]);
      }
    }
    if (sizes_.empty()) {
      sizes_.push_back(1);
      out_strides_.push_back(0);
      for (Operand& o : operands_) o.strides.push_back(0);
    }
    for (size_t p = 0; p < operands_.size(); ++p) {
      // The first operand has no splat; the DMA repeats its element.
      operands_[p].splat = !(has_x_ && p == 0) && operands_[p].strides.back() == 0;
    }
  }

  int64_t RowPitch(int64_t elements) const { return is_copy_ ? elements : RoundUp(elements, 8); }

  // Bytes in the buffer from one step of each dimension of the box to the next.
  std::vector<int64_t> BufferStrides(const Operand& operand, int64_t& bytes) const {
    std::vector<int64_t> strides(sizes_.size(), 0);
    int64_t pitch = operand.splat ? 8 : RowPitch(box_.back());
    strides.back() = operand.splat ? 0 : operand.size();
    pitch *= operand.size();
    for (size_t d = sizes_.size() - 1; d > 0; --d) {
      if (operand.strides[d - 1] == 0) continue;
      strides[d - 1] = pitch;
      pitch *= box_[d - 1];
    }
    bytes = pitch;
    return strides;
  }

  void SetBox(int64_t elements) {
    const int64_t lanes = generator_.chip().Lanes();
    box_.assign(sizes_.size(), 1);
    const int64_t row = sizes_.back();
    box_.back() = row <= elements ? row : std::max(elements / lanes * lanes, std::min(lanes, row));
    int64_t rest = std::max<int64_t>(elements / RowPitch(box_.back()), 1);
    if (box_.back() < row) return;
    for (size_t d = sizes_.size() - 1; d > 0 && sizes_.size() - d < kMaxBoxDimensions; --d) {
      box_[d - 1] = std::min(sizes_[d - 1], rest);
      if (box_[d - 1] < sizes_[d - 1]) break;
      rest /= box_[d - 1];
    }
  }

  Status ChooseBox() {
    const arch::ChipConfig& chip = generator_.chip();
    const int64_t count = graph::Product(sizes_);
    int64_t elements = std::max(CeilDivide(count, kUnitsToOverlap), kMinTileRows * chip.Lanes());
    for (; elements >= 1; elements /= 2) {
      SetBox(elements);
      int64_t total = 0;
      out_bytes_ = RowPitch(box_.back()) * out_size_;
      for (size_t d = 0; d + 1 < box_.size(); ++d) out_bytes_ *= box_[d];
      if (HasOutSlots()) total += SlotBytes(generator_.chip(), out_bytes_);
      for (Operand& operand : operands_) {
        if (!operand.IsTiled()) continue;
        BufferStrides(operand, operand.bytes);
        total += SlotBytes(generator_.chip(), operand.bytes);
      }
      for (const int64_t slots : {3, 2, 1}) {
        slots_ = slots;
        // Three of everything only if that does not make the tiles smaller.
        if (slots * total <= generator_.TileBytes()) {
          generator_.ReserveSlots(slots * total);
          return OkStatus();
        }
        if (slots == 2 && elements > chip.Lanes()) break;
      }
    }
    return Unsupported("no tile of it fits the unified buffer");
  }

  // The numbers of the box in each dimension, from its number and back.
  std::vector<int64_t> Coordinates(int64_t key) const {
    std::vector<int64_t> at(sizes_.size());
    for (size_t d = sizes_.size(); d > 0; --d) {
      const int64_t boxes = CeilDivide(sizes_[d - 1], box_[d - 1]);
      at[d - 1] = key % boxes;
      key /= boxes;
    }
    return at;
  }
  int64_t Key(const Operand& operand, const std::vector<int64_t>& at) const {
    int64_t key = 0;
    for (size_t d = 0; d < sizes_.size(); ++d) {
      key = key * CeilDivide(sizes_[d], box_[d]) + (operand.strides[d] == 0 ? 0 : at[d]);
    }
    return key;
  }
  int64_t Extent(const std::vector<int64_t>& at, size_t d) const {
    return std::min(box_[d], sizes_[d] - at[d] * box_[d]);
  }

  void Load(const Operand& operand, int64_t key, TileSlot& slot) {
    // Where the operand does not vary, its box is the first one, which is full.
    const std::vector<int64_t> at = Coordinates(key);
    const HbmMap::Place place = generator_.PlaceOf(*operand.view, false);
    int64_t bytes = 0;
    const std::vector<int64_t> buffer = BufferStrides(operand, bytes);
    Transfer transfer;
    transfer.segment = place.segment;
    transfer.shift = place.shift;
    transfer.element_bytes = operand.size();
    transfer.buffer = slot.address;
    int64_t first = operand.view->offset;
    for (size_t d = 0; d < sizes_.size(); ++d) {
      first += at[d] * box_[d] * operand.strides[d];
      const bool is_row = d + 1 == sizes_.size();
      const bool repeats = operand.strides[d] == 0 && (!is_row || operand.splat);
      transfer.dimensions.push_back({repeats ? 1 : Extent(at, d),
                                     operand.strides[d] * operand.size(), buffer[d]});
    }
    transfer.offset = place.offset + first * operand.size();
    EmitLoad(emitter_, transfer, {{place.log}, {}, slot.Logs()});
  }

  void AddUnits() {
    int64_t count = 1;
    for (size_t d = 0; d < sizes_.size(); ++d) count *= CeilDivide(sizes_[d], box_[d]);
    for (int64_t key = 0; key < count; ++key) {
      const std::vector<int64_t> at = Coordinates(key);
      std::vector<Pipeline::Need> needs;
      for (const Operand& operand : operands_) {
        if (operand.IsTiled()) needs.push_back({operand.pool, Key(operand, at)});
      }
      pipeline_.AddUnit(std::move(needs), [this, at, key](const std::vector<TileSlot*>& slots) {
        if (is_copy_) {
          int64_t bytes = 0;
          EmitResult(at, slots[0]->address, BufferStrides(operands_[0], bytes), slots[0]->Logs());
          return;
        }
        if (out_in_buffer_ != nullptr) {
          const int64_t place = out_in_buffer_->address + First(at, kernel_.out, out_strides_);
          EmitVector(at, slots, place, InPlace(out_strides_, out_size_), {&out_in_buffer_->log});
          if (IsStored()) {
            EmitResult(at, place, InPlace(out_strides_, out_size_), {&out_in_buffer_->log});
          }
          return;
        }
        TileSlot& out = out_slots_[static_cast<size_t>(key % slots_)];
        EmitVector(at, slots, out.address, OutBufferStrides(), out.Logs());
        EmitResult(at, out.address, OutBufferStrides(), out.Logs());
      });
    }
  }

  std::vector<int64_t> OutBufferStrides() const {
    std::vector<int64_t> strides(sizes_.size(), out_size_);
    int64_t pitch = RowPitch(box_.back()) * out_size_;
    for (size_t d = sizes_.size() - 1; d > 0; --d) {
      strides[d - 1] = pitch;
      pitch *= box_[d - 1];
    }
    return strides;
  }

  // Bytes from the first element of a tensor to that of a box, and per step of each dimension,
  // where the tensor lies as it is.
  int64_t First(const std::vector<int64_t>& at, const View& view,
                const std::vector<int64_t>& strides) const {
    int64_t first = view.offset;
    for (size_t d = 0; d < sizes_.size(); ++d) first += at[d] * box_[d] * strides[d];
    return first * view.ElementBytes();
  }
  static std::vector<int64_t> InPlace(std::vector<int64_t> strides, int64_t size) {
    for (int64_t& stride : strides) stride *= size;
    return strides;
  }

  // The numbers themselves are where the elements would lie.
  RowOperand IotaRow(const Operand& iota, const std::vector<int64_t>& at,
                     const std::vector<size_t>& loops) const {
    RowOperand row;
    row.is_iota = true;
    row.base = iota.view->offset;
    for (size_t d = 0; d < sizes_.size(); ++d) row.base += at[d] * box_[d] * iota.strides[d];
    for (const size_t d : loops) row.strides.push_back(iota.strides[d]);
    return row;
  }

  void EmitVector(const std::vector<int64_t>& at, const std::vector<TileSlot*>& slots,
                  int64_t out, const std::vector<int64_t>& out_strides,
                  const std::vector<AccessLog*>& out_logs) {
    const size_t rows = sizes_.size() - 1;  // dimensions of them
    RowJob job;
    job.length = Extent(at, rows);
    job.steps = kernel_.steps;
    std::vector<size_t> loops;
    for (size_t d = 0; d < rows; ++d) {
      if (box_[d] > 1) loops.push_back(d);
    }
    for (const size_t d : loops) job.counts.push_back(Extent(at, d));
    const auto operand = [&](graph::ElementType type, int64_t base,
                             const std::vector<int64_t>& buffer) {
      RowOperand row{*LaneTypeOf(type), std::nullopt, base, {}, false};
      for (const size_t d : loops) row.strides.push_back(buffer[d]);
      return row;
    };
    Touches touches{{}, {}, out_logs};
    size_t slot = 0;
    for (size_t p = 0; p < operands_.size(); ++p) {
      const Operand& o = operands_[p];
      RowOperand row;
      if (o.view->is_iota) {
        row = IotaRow(o, at, loops);
      } else if (o.in_buffer != nullptr) {
        row = operand(o.view->type, o.in_buffer->address + First(at, *o.view, o.strides),
                      InPlace(o.strides, o.size()));
        touches.reads.push_back(&o.in_buffer->log);
      } else {
        int64_t bytes = 0;
        row = operand(o.view->type, slots[slot]->address, BufferStrides(o, bytes));
        for (AccessLog* log : slots[slot]->Logs()) touches.reads.push_back(log);
        ++slot;
      }
      row.splat = o.splat;
      if (has_x_ && p == 0) {
        job.x = std::move(row);
      } else {
        job.streams.push_back(std::move(row));
      }
    }
    job.result = operand(kernel_.out.type, out, out_strides);
    if (out_in_buffer_ != nullptr &&
        IsWordOfI1(kernel_.out, generator_.hbm().BytesOf(kernel_.out.base))) {
      job.result.type = arch::LaneType::kU32;
    }
    generator_.vector_unit().Emit(job, touches);
  }

  void EmitResult(const std::vector<int64_t>& at, int64_t address,
                  const std::vector<int64_t>& buffer, const std::vector<AccessLog*>& logs) {
    Transfer transfer;
    transfer.segment = out_place_.segment;
    transfer.shift = out_place_.shift;
    transfer.buffer = address;
    transfer.element_bytes = out_size_;
    for (size_t d = 0; d < sizes_.size(); ++d) {
      transfer.dimensions.push_back({Extent(at, d), out_strides_[d] * out_size_, buffer[d]});
    }
    transfer.offset = out_place_.offset + First(at, kernel_.out, out_strides_);
    EmitStore(emitter_, transfer, {logs, {}, {out_place_.log}});
  }

  Generator& generator_;
  Emitter& emitter_;
  const Kernel& kernel_;
  const bool is_copy_;
  const bool has_x_;
  const int64_t out_size_;

  std::vector<Operand> operands_;
  graph::Dims sizes_, out_strides_;  // of the walk over the result
  std::vector<int64_t> box_;
  int64_t slots_ = 2;
  int64_t out_bytes_ = 0;
  Generator::BufferPlace* out_in_buffer_ = nullptr;
  HbmMap::Place out_place_;
  Pipeline pipeline_;
  std::vector<TileSlot> out_slots_;
};

}  // namespace

Status EmitElementwise(Generator& generator, const Kernel& kernel) {
  const View& x = std::get<Elementwise>(kernel.body).x;
  return BoxEmitter(generator, kernel, x.base.valid() ? &x : nullptr, false).Run();
}

Status EmitCopy(Generator& generator, const Kernel& kernel) {
  return BoxEmitter(generator, kernel, &std::get<Copy>(kernel.body).x, true).Run();
}

}  // namespace systolith::compiler
