// Values that are made and used up within a few kernels stay in the unified buffer, so that neither
// the memory nor its latency stands between those kernels.
#include <algorithm>
#include <optional>
#include <set>

#include "host/base/rounding.h"
#include "host/compiler/codegen/contraction_places.h"
#include "host/compiler/passes/host_fragment.h"
#include "host/compiler/passes/passes.h"
#include "host/compiler/passes/support.h"

namespace systolith::compiler {
namespace {

using graph::Value;

// Residents take at most this part of the buffer, a single one half of that: tiles that get too
// small cost more than the memory does.
constexpr int64_t kResidentShare = 2;
constexpr int64_t kSingleShare = 4;
constexpr int64_t kCarriedShare = 8;  // what goes round loops: at most this part,
constexpr int64_t kMostCarried = 4096;  // and so many bytes each
constexpr int64_t kAlignment = 256;  // bytes: whole words of every buffer

class BufferPlanner {
 public:
  explicit BufferPlanner(Compilation& compilation)
      : compilation_(compilation), plan_(compilation.buffer_plan) {
    const graph::Function& function = compilation.function();
    for (const Value value : function.results()) outside_.insert(value);
    for (const auto& [value, base] : compilation.same_storage) outside_.insert(base);
    const StoredValueFinder finder(compilation);
    for (const HostOperation& host : compilation.host_operations) {
      for (const Value value : finder.Inputs(host.op)) outside_.insert(value);
    }
    read_outside_ = outside_;
  }

  void Run() {
    for (const Group& group : compilation_.groups) {
      if (const auto* chip = std::get_if<ChipGroup>(&group)) CountUses(chip->items);
    }
    for (const Group& group : compilation_.groups) {
      if (const auto* chip = std::get_if<ChipGroup>(&group)) Plan(chip->items);
    }
  }

 private:
  struct Uses {
    int writers = 0, readers = 0;  // kernels and controls
  };
  // A value that may be resident, with the kernels that make it and read it last, as places in the
  // run.
  struct Candidate {
    Value value;
    size_t first = 0, last = 0;
    int64_t bytes = 0;
    bool is_stored = false;
  };

  void CountUses(const Sequence& sequence) {
    for (const Item& item : sequence) {
      if (item.kind == Item::Kind::kKernel) {
        const Kernel& kernel = compilation_.kernels[item.index];
        ++uses_[kernel.out.base].writers;
        for (const Value value : Sorted(kernel.Operands())) ++uses_[value].readers;
        continue;
      }
      const Control& control = compilation_.controls[item.index];
      ++uses_[control.Scalar().base].readers;
      for (const Value value : control.results) outside_.insert(value);
      for (const Sequence* nested : control.Sequences()) CountUses(*nested);
    }
  }
  static std::set<Value> Sorted(const std::vector<Value>& values) {
    return {values.begin(), values.end()};
  }

  // Runs of kernels without control flow in between. `reserved` bytes at the buffer's end belong to
  // loops around; `scalar` is what a control reads behind the sequence, if any.
  void Plan(const Sequence& sequence, int64_t reserved = 0, const View* scalar = nullptr) {
    std::vector<size_t> run;
    for (const Item& item : sequence) {
      if (item.kind == Item::Kind::kKernel) {
        run.push_back(item.index);
        continue;
      }
      const Control& control = compilation_.controls[item.index];
      const auto* loop = std::get_if<Loop>(&control.body);
      PlanRun(run, reserved, loop == nullptr ? &control.Scalar() : nullptr);
      run.clear();
      if (loop == nullptr) {
        for (const Sequence* branch : control.Sequences()) Plan(*branch, reserved);
        continue;
      }
      Plan(loop->entry, reserved);
      const int64_t inside = PlanCarried(item.index, *loop, reserved);
      Plan(loop->condition, inside, &loop->predicate);
      Plan(loop->body, inside);
    }
    PlanRun(run, reserved, scalar);
  }

  // What goes round the loop stays in the buffer if it is small and all in the loop work on it there.
  // Returns what is reserved inside.
  int64_t PlanCarried(size_t index, const Loop& loop, int64_t reserved) {
    std::map<Value, int> readers;
    std::set<Value> written, others;  // others: not in the buffer
    const auto look_at_kernel = [&](const Kernel& kernel) {
      written.insert(kernel.out.base);
      if (!WritesInPlace(kernel) || RepeatsResult(kernel)) others.insert(kernel.out.base);
      for (const Value value : Sorted(kernel.Operands())) {
        ++readers[value];
        if (!ReadsInPlace(kernel, value)) others.insert(value);
      }
    };
    const auto look_at = [&](const auto& self, const Sequence& sequence) -> void {
      for (const Item& item : sequence) {
        if (item.kind == Item::Kind::kKernel) {
          look_at_kernel(compilation_.kernels[item.index]);
          continue;
        }
        const Control& control = compilation_.controls[item.index];
        ReadScalar(control.Scalar(), readers, others);
        for (const Sequence* nested : control.Sequences()) self(self, *nested);
      }
    };
    look_at(look_at, loop.condition);
    look_at(look_at, loop.body);
    ReadScalar(loop.predicate, readers, others);

    const int64_t buffer = compilation_.chip.buffer_bytes;
    std::vector<Carried> carried;
    for (const Value value : compilation_.controls[index].results) {
      const graph::Shape& shape = compilation_.function().shape(value);
      const int64_t bytes = RoundUp(shape.ByteCount(), kAlignment);
      const bool is_small = shape.ElementCount() > 0 && bytes <= kMostCarried &&
                            reserved + bytes <= buffer / kCarriedShare;
      if (!is_small || others.contains(value) || !written.contains(value)) continue;
      if (!LaneTypeOf(shape.type)) continue;
      reserved += bytes;
      const bool is_read_behind =
          read_outside_.contains(value) || uses_.at(value).readers > readers[value];
      carried.push_back({value, buffer - reserved, bytes, View::Dense(value, shape),
                         is_read_behind});
    }
    if (!carried.empty()) plan_.carried[index] = std::move(carried);
    return reserved;
  }

  // A single number among the streams is read ahead by a prologue, beside which the kernel must not
  // write it.
  bool RepeatsResult(const Kernel& kernel) const {
    return compilation_.function().shape(kernel.out.base).ElementCount() == 1 &&
           std::any_of(kernel.streams.begin(), kernel.streams.end(),
                       [&](const View& stream) { return stream.base == kernel.out.base; });
  }

  void ReadScalar(const View& scalar, std::map<Value, int>& readers, std::set<Value>& others) {
    ++readers[scalar.base];
    if (!IsWord(scalar)) others.insert(scalar.base);
  }
  bool IsWord(const View& scalar) const {
    return IsWordInPlace(scalar, compilation_.function().shape(scalar.base).ByteCount());
  }

  void PlanRun(const std::vector<size_t>& run, int64_t reserved, const View* scalar) {
    std::map<Value, std::vector<size_t>> readers;  // places in the run
    for (size_t i = 0; i < run.size(); ++i) {
      for (const Value value : Sorted(compilation_.kernels[run[i]].Operands())) {
        readers[value].push_back(i);
      }
    }
    if (scalar != nullptr) readers[scalar->base].push_back(run.size());
    std::vector<Candidate> candidates;  // by `first`
    for (size_t i = 0; i < run.size(); ++i) {
      const Value value = compilation_.kernels[run[i]].out.base;
      const auto found = readers.find(value);
      if (found == readers.end()) continue;
      if (const auto candidate = Consider(run, i, found->second, scalar)) {
        candidates.push_back(*candidate);
      }
    }
    Place(run, candidates, reserved);
  }

  std::optional<Candidate> Consider(const std::vector<size_t>& run, size_t first,
                                    const std::vector<size_t>& readers,
                                    const View* scalar) const {
    const Kernel& maker = compilation_.kernels[run[first]];
    const Value value = maker.out.base;
    const graph::Shape& shape = compilation_.function().shape(value);
    const Uses& uses = uses_.at(value);
    if (outside_.contains(value) || uses.writers != 1 || readers.front() <= first) return {};
    const int64_t most = compilation_.chip.buffer_bytes / kSingleShare;
    if (shape.ElementCount() == 0 || shape.ByteCount() > most) return {};
    if (!WritesInPlace(maker)) return {};
    Candidate candidate{value, first, first, RoundUp(shape.ByteCount(), kAlignment), false};
    candidate.is_stored = uses.readers != static_cast<int>(readers.size());
    for (const size_t reader : readers) {
      if (reader == run.size() ? IsWord(*scalar)
                               : ReadsInPlace(compilation_.kernels[run[reader]], value)) {
        candidate.last = reader;
      } else {
        candidate.is_stored = true;
      }
    }
    if (candidate.last == first) return {};
    return candidate;
  }

  bool WritesInPlace(const Kernel& kernel) const {
    const int64_t elements = compilation_.function().shape(kernel.out.base).ElementCount();
    if (!kernel.out.CoversBase(elements)) return false;
    if (std::holds_alternative<Elementwise>(kernel.body)) {
      return StreamsInPlace(kernel.out, false);
    }
    return MakesResultInPlace(kernel);
  }

  // Whether the kernel takes the value from the buffer, wherever it reads it. The sequencer takes
  // shifts from there.
  static bool ReadsInPlace(const Kernel& kernel, Value value) {
    const std::vector<const View*> reads = kernel.Reads();
    if (std::none_of(reads.begin(), reads.end(),
                     [&](const View* view) { return view->base == value; })) {
      return true;
    }
    const auto* elementwise = std::get_if<Elementwise>(&kernel.body);
    const auto* contraction = std::get_if<Contraction>(&kernel.body);
    if (elementwise == nullptr && contraction == nullptr) return false;
    for (size_t s = 0; s < kernel.streams.size(); ++s) {
      if (kernel.streams[s].base != value) continue;
      if (elementwise != nullptr ? !StreamsInPlace(kernel.streams[s], true)
                                 : !TakesStreamInPlace(kernel, s)) {
        return false;
      }
    }
    if (elementwise != nullptr) {
      return elementwise->x.base != value || StreamsInPlace(elementwise->x, false);
    }
    return contraction->rhs.base != value &&
           (contraction->lhs.base != value || TakesLhsInPlace(kernel));
  }

  // First fit from the end of the buffer, among those that are there at the same time.
  void Place(const std::vector<size_t>& run, const std::vector<Candidate>& candidates,
             int64_t reserved) {
    const int64_t buffer = compilation_.chip.buffer_bytes;
    struct Block {
      int64_t begin, end;  // bytes from the end of the buffer
      size_t first, last;
    };
    std::vector<Block> alive, all;  // alive: by rising begin
    for (const Candidate& candidate : candidates) {
      std::erase_if(alive, [&](const Block& block) { return block.last < candidate.first; });
      int64_t begin = reserved;
      auto at = alive.begin();
      for (; at != alive.end() && at->begin < begin + candidate.bytes; ++at) {
        begin = std::max(begin, at->end);
      }
      const Block block{begin, begin + candidate.bytes, candidate.first, candidate.last};
      if (block.end > buffer / kResidentShare) continue;
      alive.insert(std::upper_bound(alive.begin(), alive.end(), begin,
                                    [](int64_t b, const Block& other) { return b < other.begin; }),
                   block);
      all.push_back(block);
      plan_.residents[candidate.value] = {buffer - block.end, candidate.bytes,
                                          candidate.last < run.size() ? run[candidate.last] : kControl,
                                          candidate.is_stored};
    }
    if (reserved > 0) {
      for (const size_t kernel : run) plan_.tile_bytes[kernel] = buffer - reserved;
    }
    for (const Block& block : all) {
      for (size_t i = block.first; i <= block.last && i < run.size(); ++i) {
        auto [place, is_new] = plan_.tile_bytes.insert({run[i], buffer - block.end});
        if (!is_new) place->second = std::min(place->second, buffer - block.end);
      }
    }
  }

  Compilation& compilation_;
  BufferPlan& plan_;
  std::set<Value> outside_;  // read by others than kernels and controls, or going round a loop
  std::set<Value> read_outside_;  // of those, what steps behind or the caller read
  std::map<Value, Uses> uses_;
};

}  // namespace

Status PlaceInBuffer(Compilation& compilation) {
  BufferPlanner(compilation).Run();
  return OkStatus();
}

}  // namespace systolith::compiler
