// Copies that change which dimension is innermost: runs come from HBM in the operand's order, the
// cross-lane unit transposes them in the buffer, runs go back in the result's order.
#include <algorithm>
#include <optional>

#include "host/compiler/codegen/generator.h"
#include "host/compiler/codegen/transpose_job.h"

namespace systolith::compiler {
namespace {

constexpr int64_t kSlots = 2;
constexpr int64_t kUnitsToOverlap = 8;  // tiles per kernel at least, so that loads hide
constexpr int64_t kShortestRun = 4;     // what is worth a transposition

struct Dimension {
  int64_t size, from, to;  // strides in elements
  int64_t box = 1;         // of a tile
};

// The dimensions of a copy by their part: `outer` ones step over matrices whose rows are `rows` and
// whose columns are `columns`, innermost first: runs of the operand. `rows` are runs of the result.
struct Split {
  std::vector<Dimension> outer, columns;
  Dimension rows;
};

std::vector<Dimension> MergedDimensions(const View& from, const View& to) {
  std::vector<Dimension> dimensions;
  for (size_t i = 0; i < to.dims.size(); ++i) {
    const Dimension next = {to.dims[i], from.strides[i], to.strides[i]};
    if (next.size == 1) continue;
    if (!dimensions.empty() && dimensions.back().from == next.from * next.size &&
        dimensions.back().to == next.to * next.size) {
      dimensions.back() = {dimensions.back().size * next.size, next.from, next.to};
    } else {
      dimensions.push_back(next);
    }
  }
  return dimensions;
}

std::optional<Split> SplitCopy(const View& from, const View& to) {
  if (graph::Product(to.dims) == 0 || to.ElementBytes() > 4) return std::nullopt;
  std::vector<Dimension> dimensions = MergedDimensions(from, to);
  const auto rows = std::find_if(dimensions.begin(), dimensions.end(),
                                 [](const Dimension& d) { return d.to == 1; });
  if (rows == dimensions.end() || rows->from == 1 || rows->from == 0) return std::nullopt;
  Split split;
  split.rows = *rows;
  dimensions.erase(rows);
  int64_t run = 1;
  for (bool grown = true; grown;) {
    const auto next = std::find_if(dimensions.begin(), dimensions.end(),
                                   [run](const Dimension& d) { return d.from == run; });
    grown = next != dimensions.end();
    if (!grown) break;
    run *= next->size;
    split.columns.push_back(*next);
    dimensions.erase(next);
  }
  split.outer = std::move(dimensions);
  if (run < kShortestRun || split.rows.size < kShortestRun) return std::nullopt;
  return split;
}

class TransposeEmitter {
 public:
  TransposeEmitter(Generator& generator, const Kernel& kernel, Split split)
      : generator_(generator),
        emitter_(generator.emitter()),
        kernel_(kernel),
        from_(std::get<Copy>(kernel.body).x),
        size_(from_.ElementBytes()),
        split_(std::move(split)) {}

  Status Run() {
    RETURN_IF_ERROR(ChooseBoxes());
    out_place_ = generator_.PlaceOf(kernel_.out, true);
    generator_.ReserveSlots(kSlots * (SlotBytes(generator_.chip(), in_bytes_) +
                                      SlotBytes(generator_.chip(), out_bytes_)));
    const size_t pool = pipeline_.AddPool(
        generator_.AllocateSlots(kSlots, in_bytes_, 1),
        [this](int64_t key, TileSlot& slot) { Load(TileAt(key), slot); });
    out_slots_ = generator_.AllocateSlots(kSlots, out_bytes_, 1);
    int64_t count = 1;
    for (const Dimension* d : Dimensions()) count *= CeilDivide(d->size, d->box);
    for (int64_t key = 0; key < count; ++key) {
      pipeline_.AddUnit({{pool, key}}, [this, key](const std::vector<TileSlot*>& slots) {
        TileSlot& out = out_slots_[static_cast<size_t>(key % kSlots)];
        Transpose(TileAt(key), *slots[0], out);
      });
    }
    pipeline_.Run();
    generator_.Release(pipeline_.slots(pool), in_bytes_);
    generator_.Release(out_slots_, out_bytes_);
    return OkStatus();
  }

 private:
  // A part of the copy: first element and extent along every dimension.
  struct Part {
    int64_t first, extent;
  };
  struct Tile {
    std::vector<Part> outer, columns;
    Part rows;

    static int64_t Extent(const std::vector<Part>& parts) {
      int64_t extent = 1;
      for (const Part& part : parts) extent *= part.extent;
      return extent;
    }
  };

  // Outermost first.
  std::vector<Dimension*> Dimensions() {
    std::vector<Dimension*> all;
    for (Dimension& d : split_.outer) all.push_back(&d);
    all.push_back(&split_.rows);
    for (size_t i = split_.columns.size(); i > 0; --i) all.push_back(&split_.columns[i - 1]);
    return all;
  }

  void SetBytes() {
    int64_t outer = 1, columns = 1;
    for (const Dimension& d : split_.outer) outer *= d.box;
    for (const Dimension& d : split_.columns) columns *= d.box;
    in_bytes_ = outer * split_.rows.box * RoundUp(columns, 8) * size_;
    out_bytes_ = outer * columns * RoundUp(split_.rows.box, 8) * size_;
  }

  // Outer dimensions are cut first, then columns and rows down to what the unit takes at once.
  Status ChooseBoxes() {
    const arch::ChipConfig& chip = generator_.chip();
    const int64_t lanes = chip.Lanes();
    int64_t elements = 1;
    for (Dimension* d : Dimensions()) {
      d->box = d->size;
      elements *= d->size;
    }
    const int64_t wanted = std::max(CeilDivide(elements, kUnitsToOverlap), lanes * lanes) * size_;
    const int64_t room = generator_.TileBytes() / kSlots;
    for (;;) {
      SetBytes();
      const bool fits = SlotBytes(chip, in_bytes_) + SlotBytes(chip, out_bytes_) <= room;
      if (fits && std::max(in_bytes_, out_bytes_) <= 2 * wanted) return OkStatus();
      Dimension* cut = nullptr;
      for (const int64_t least : {lanes, int64_t{1}}) {
        if (cut != nullptr || (fits && least == 1)) break;
        const std::vector<Dimension*> dimensions = Dimensions();
        for (size_t i = 0; i < dimensions.size() && cut == nullptr; ++i) {
          const bool is_outer = i < split_.outer.size();
          if (dimensions[i]->box > (is_outer ? 1 : least)) cut = dimensions[i];
        }
      }
      if (cut == nullptr) {
        if (fits) return OkStatus();
        return Unsupported("no tile of it fits the unified buffer");
      }
      const int64_t half = CeilDivide(cut->box, 2);
      cut->box = half > lanes ? RoundUp(half, lanes) : half;
    }
  }

  Tile TileAt(int64_t key) const {
    Tile tile;
    const auto part = [&key](const Dimension& d) {
      const int64_t boxes = CeilDivide(d.size, d.box);
      const int64_t first = key % boxes * d.box;
      key /= boxes;
      return Part{first, std::min(d.box, d.size - first)};
    };
    for (const Dimension& d : split_.columns) tile.columns.push_back(part(d));
    tile.rows = part(split_.rows);
    for (const Dimension& d : split_.outer) tile.outer.push_back(part(d));
    return tile;
  }

  // Dimensions of the tile in HBM and in the buffer, where matrices are `matrix` bytes apart, rows
  // and columns `row` and `column`.
  void SetBox(const Tile& tile, bool is_load, int64_t matrix, int64_t row, int64_t column,
              Transfer& transfer) const {
    const auto add = [&](const Dimension& d, const Part& part, int64_t& buffer) {
      const int64_t stride = (is_load ? d.from : d.to) * size_;
      transfer.offset += part.first * stride;
      transfer.dimensions.push_back({part.extent, stride, buffer});
      buffer *= part.extent;
    };
    for (size_t i = 0; i < split_.outer.size(); ++i) add(split_.outer[i], tile.outer[i], matrix);
    for (size_t i = 0; i < split_.columns.size(); ++i) {
      add(split_.columns[i], tile.columns[i], column);
    }
    add(split_.rows, tile.rows, row);
  }

  void Load(const Tile& tile, TileSlot& slot) {
    const HbmMap::Place place = generator_.PlaceOf(from_, false);
    const int64_t row = RoundUp(Tile::Extent(tile.columns), 8) * size_;
    Transfer transfer;
    transfer.segment = place.segment;
    transfer.shift = place.shift;
    transfer.offset = place.offset + from_.offset * size_;
    transfer.buffer = slot.address;
    transfer.element_bytes = size_;
    SetBox(tile, true, tile.rows.extent * row, row, size_, transfer);
    EmitLoad(emitter_, transfer, {{place.log}, {}, slot.Logs()});
  }

  void Transpose(const Tile& tile, TileSlot& in, TileSlot& out) {
    TransposeJob job;
    job.element_bytes = size_;
    job.rows = tile.rows.extent;
    job.cols = Tile::Extent(tile.columns);
    job.in = in.address;
    job.in_row = RoundUp(job.cols, 8) * size_;
    job.out = out.address;
    job.out_row = RoundUp(job.rows, 8) * size_;
    job.loops = {{Tile::Extent(tile.outer), job.rows * job.in_row, job.cols * job.out_row}};
    EmitTranspose(emitter_, job, generator_.chip(), {in.Logs(), {}, out.Logs()});
    Transfer transfer;
    transfer.segment = out_place_.segment;
    transfer.shift = out_place_.shift;
    transfer.offset = out_place_.offset + kernel_.out.offset * size_;
    transfer.buffer = out.address;
    transfer.element_bytes = size_;
    SetBox(tile, false, job.cols * job.out_row, size_, job.out_row, transfer);
    EmitStore(emitter_, transfer, {out.Logs(), {}, {out_place_.log}});
  }

  Generator& generator_;
  Emitter& emitter_;
  const Kernel& kernel_;
  const View& from_;
  const int64_t size_;  // of an element
  Split split_;
  int64_t in_bytes_ = 0, out_bytes_ = 0;
  HbmMap::Place out_place_;
  Pipeline pipeline_;
  std::vector<TileSlot> out_slots_;
};

}  // namespace

bool TransposesInBuffer(const View& from, const View& to) { return SplitCopy(from, to).has_value(); }

Status EmitTransposingCopy(Generator& generator, const Kernel& kernel) {
  const View& from = std::get<Copy>(kernel.body).x;
  return TransposeEmitter(generator, kernel, *SplitCopy(from, kernel.out)).Run();
}

}  // namespace systolith::compiler
