// A kernel whose result is only copied to another place writes there itself, where its strides
// allow it. So concatenate, pad and transposes of results cost no pass through memory, and what goes
// round a loop is written where the next turn reads it.
#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <vector>

#include "host/compiler/passes/passes.h"
#include "host/compiler/passes/planner.h"
#include "host/graph/rewrite.h"

namespace systolith::compiler {
namespace {

using graph::Value;

class Forwarder {
 public:
  explicit Forwarder(Compilation& compilation)
      : compilation_(compilation), definitions_(graph::Definitions(compilation.function())) {}

  void Run() {
    sites_.resize(compilation_.kernels.size());
    Number(compilation_.items, compilation_.items);
    for (const Control& control : compilation_.controls) {
      Pin(control.Scalar().base);
      for (const Value result : control.results) Pin(result);
    }
    for (const Value value : compilation_.function().results()) Pin(value);
    for (const HostOperation& host : compilation_.host_operations) {
      for (const Value operand : host.op.operands) Pin(operand);
      for (const Value value : graph::Captures(host.op)) Pin(value);
    }
    // From the last on, so that a result goes to the end of a row of copies at once.
    for (size_t i = order_.size(); i > 0; --i) Forward(order_[i - 1]);
    Erase(compilation_.items);
  }

 private:
  // Where a kernel stands.
  struct Site {
    Item* item = nullptr;
    const Sequence* sequence = nullptr;  // a loop's entry counts as the sequence around it
    bool is_entry = false;
    size_t number = 0;                   // kernels in the order of the program
  };

  void Number(Sequence& items, const Sequence& sequence) {
    for (Item& item : items) {
      if (item.kind == Item::Kind::kControl) {
        Control& control = compilation_.controls[item.index];
        const auto* loop = std::get_if<Loop>(&control.body);
        for (Sequence* inner : control.Sequences()) {
          const bool is_entry = loop != nullptr && inner == &loop->entry;
          if (!is_entry) scalar_reads_[control.Scalar().base].push_back(order_.size());
          Number(*inner, is_entry ? sequence : *inner);
        }
        continue;
      }
      sites_[item.index] = {&item, &sequence, &items != &sequence, order_.size()};
      order_.push_back(item.index);
      const Kernel& kernel = compilation_.kernels[item.index];
      writers_[kernel.out.base].push_back(item.index);
      for (const Value value : kernel.Operands()) readers_[value].push_back(item.index);
    }
  }

  void Erase(Sequence& items) {
    std::erase_if(items, [&](const Item& item) {
      return item.kind == Item::Kind::kKernel && sites_[item.index].item != &item;
    });
    for (const Item& item : items) {
      if (item.kind != Item::Kind::kControl) continue;
      for (Sequence* inner : compilation_.controls[item.index].Sequences()) Erase(*inner);
    }
  }

  // The value stays stored, or what it is a view of does.
  void Pin(Value value) {
    if (!value.valid() || !pinned_.insert(value).second || writers_.contains(value)) return;
    const graph::Op* definition = definitions_[static_cast<size_t>(value.id)];
    if (definition == nullptr) return;
    for (const Value operand : definition->operands) Pin(operand);
  }

  void Forward(size_t copy) {
    const auto* body = std::get_if<Copy>(&compilation_.kernels[copy].body);
    if (body == nullptr || sites_[copy].item == nullptr) return;
    const Value from = body->x.base;
    const auto writers = writers_.find(from);
    if (writers == writers_.end() || pinned_.contains(from)) return;
    for (const size_t writer : writers->second) {
      if (sites_[writer].sequence != sites_[copy].sequence) return;
    }
    const bool is_only_copied = readers_[from].size() == 1 && writers->second.size() == 1;
    if (!is_only_copied || !Replace(copy, writers->second[0])) Rename(copy, writers->second);
  }

  // The kernel behind a copy takes its place.
  bool Replace(size_t copy_index, size_t index) {
    const Kernel& copy = compilation_.kernels[copy_index];
    const View& from = std::get<Copy>(copy.body).x;
    Kernel& producer = compilation_.kernels[index];
    if (!IsWhole(producer.out)) return false;
    if (from.type != producer.out.type) return false;  // the producer would convert its result
    const std::optional<View> out = Redirect(producer.out.dims, from, copy.out);
    if (!out || !CanMove(index, copy_index, *out) || !Accept(producer, *out)) return false;
    producer.out = *out;
    producer.position = copy.position;  // it keeps the copy's place among the writers
    std::vector<size_t>& others = writers_[out->base];
    std::replace(others.begin(), others.end(), copy_index, index);
    sites_[index] = sites_[copy_index];
    sites_[index].item->index = index;
    sites_[copy_index].item = nullptr;
    return true;
  }

  // Whether the kernel still reads the same where the copy stands.
  bool CanMove(size_t index, size_t copy_index, const View& out) const {
    const Kernel& kernel = compilation_.kernels[index];
    for (const Value value : kernel.Operands()) {
      const auto writers = writers_.find(value);
      if (writers == writers_.end()) continue;
      for (const size_t writer : writers->second) {
        if (writer == copy_index && WorksInPlace(kernel, out)) continue;
        if (IsBehind(writer, index) && !IsBehind(writer, copy_index)) return false;
      }
    }
    return true;
  }

  // Whether the kernel may overwrite what it reads: every element only by what comes of it.
  static bool WorksInPlace(const Kernel& kernel, const View& out) {
    const auto* body = std::get_if<Elementwise>(&kernel.body);
    const auto is_apart = [&](const View& view) { return view.base != out.base || view == out; };
    return body != nullptr && is_apart(body->x) &&
           std::all_of(kernel.streams.begin(), kernel.streams.end(), is_apart);
  }

  // What is copied as a whole is made where the copy goes, if what was there is not needed any more
  // and what comes there does not change while the value is.
  void Rename(size_t copy_index, const std::vector<size_t>& writers) {
    const Kernel& copy = compilation_.kernels[copy_index];
    const View& from = std::get<Copy>(copy.body).x;
    if (!IsWhole(from) || !IsWhole(copy.out)) return;
    const Value to = copy.out.base;
    const size_t first = *std::min_element(writers.begin(), writers.end(), [&](size_t a, size_t b) {
      return IsBehind(b, a);
    });
    if (!IsFree(to, first, copy_index) || !IsKept(from.base, to, copy_index)) return;
    const auto* start = std::get_if<Copy>(&compilation_.kernels[first].body);
    const bool is_there = start != nullptr && start->x == copy.out;

    std::vector<size_t>& readers = readers_[to];
    std::vector<size_t>& others = writers_[to];
    std::erase(others, copy_index);
    sites_[copy_index].item = nullptr;
    if (is_there) {
      std::erase(readers, first);
      sites_[first].item = nullptr;
    }
    for (const size_t writer : writers) {
      if (sites_[writer].item == nullptr) continue;
      compilation_.kernels[writer].out.base = to;
      others.push_back(writer);
    }
    for (const size_t reader : readers_[from.base]) {
      if (reader == copy_index) continue;
      compilation_.kernels[reader].ReplaceOperand(from.base, to);
      readers.push_back(reader);
    }
  }

  // Whether nobody uses the place between the first kernel that would write there and the copy. That
  // kernel itself may work in place.
  bool IsFree(Value place, size_t first, size_t copy) {
    const Kernel& kernel = compilation_.kernels[first];
    const View out = View::Dense(place, compilation_.function().shape(place));
    const auto* body = std::get_if<Copy>(&kernel.body);
    const bool works_in_place = IsWhole(kernel.out) && (body != nullptr
                                                            ? body->x == out
                                                            : WorksInPlace(kernel, out));
    const auto is_used_by = [&](size_t other) {
      if (other == copy || (other == first && works_in_place)) return false;
      return !IsBehind(first, other) && !IsBehind(other, copy);
    };
    const std::vector<size_t>& readers = readers_[place];
    const std::vector<size_t>& writers = writers_[place];
    const std::vector<size_t>& scalars = scalar_reads_[place];
    return std::none_of(readers.begin(), readers.end(), is_used_by) &&
           std::none_of(writers.begin(), writers.end(), is_used_by) &&
           std::none_of(scalars.begin(), scalars.end(), [&](size_t number) {
             return sites_[first].number <= number && number <= sites_[copy].number;
           });
  }

  // Whether the place keeps what is copied there as long as the value is read.
  bool IsKept(Value value, Value place, size_t copy) {
    size_t last = sites_[copy].number;
    for (const size_t reader : readers_[value]) last = std::max(last, sites_[reader].number);
    if (last == sites_[copy].number) return true;
    const std::vector<size_t>& writers = writers_[place];
    return !sites_[copy].is_entry && std::none_of(writers.begin(), writers.end(), [&](size_t w) {
      return IsBehind(w, copy) && sites_[w].number <= last;
    });
  }

  bool IsWhole(const View& view) const {
    return view == View::Dense(view.base, compilation_.function().shape(view.base));
  }
  bool IsBehind(size_t kernel, size_t other) const {
    return sites_[kernel].number > sites_[other].number;
  }

  static bool Accept(Kernel& producer, const View& out) {
    if (auto* contraction = std::get_if<Contraction>(&producer.body)) {
      Contraction changed = *contraction;
      if (!SetResultStrides(changed, out)) return false;
      *contraction = std::move(changed);
    }
    if (std::holds_alternative<Scatter>(producer.body) ||
        std::holds_alternative<Gather>(producer.body)) {
      return false;
    }
    return !std::holds_alternative<Reduction>(producer.body) || MergeDimensions(out).has_value();
  }

  Compilation& compilation_;
  const std::vector<const graph::Op*> definitions_;
  std::vector<Site> sites_;    // by kernel
  std::vector<size_t> order_;  // kernels
  std::map<Value, std::vector<size_t>> writers_;  // of a stored value -> kernels
  std::map<Value, std::vector<size_t>> readers_;  // once per use
  std::map<Value, std::vector<size_t>> scalar_reads_;  // numbers of the kernels behind
  std::set<Value> pinned_;
};

}  // namespace

Status ForwardResults(Compilation& compilation) {
  Forwarder(compilation).Run();
  return OkStatus();
}

}  // namespace systolith::compiler
