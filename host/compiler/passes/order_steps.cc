#include <algorithm>
#include <map>
#include <set>

#include "host/compiler/passes/host_fragment.h"
#include "host/compiler/passes/passes.h"

namespace systolith::compiler {
namespace {

using graph::Value;

// Segments of one launch beside scratch and constants.
constexpr size_t kMaxAllocations = arch::kSegments - 2;

// What the chip or the evaluator does, and what it needs first.
struct Work {
  bool on_chip = true;
  Item item;             // on the chip
  size_t operation = 0;  // of Compilation::host_operations
  int64_t position = 0;
  std::vector<Value> needs, makes;
  // How often each of them is written and read before, in the order of positions. Values that are
  // made in parts or go round loops are written more than once.
  std::vector<size_t> writes_before_need, writes_before, reads_before;
  std::vector<bool> is_counted;  // by need: among the reads that later writes wait for
};

std::vector<Work> AllWork(const Compilation& compilation) {
  std::vector<Work> all;
  for (const Item& item : compilation.items) {
    Accesses accesses = AccessesOf(compilation, item);
    all.push_back({true, item, 0, compilation.Position(item), std::move(accesses.reads),
                   std::move(accesses.writes), {}, {}, {}, {}});
  }
  const StoredValueFinder stored(compilation);
  for (size_t i = 0; i < compilation.host_operations.size(); ++i) {
    const HostOperation& host = compilation.host_operations[i];
    if (graph::IsCheck(host.op)) continue;
    all.push_back({false, {}, i, host.position, stored.Inputs(host.op), host.op.results, {},
                   {}, {}, {}});
  }
  std::stable_sort(all.begin(), all.end(),
                   [](const Work& a, const Work& b) { return a.position < b.position; });
  return all;
}

// Allocations of their own: arguments and results.
std::set<Value> Allocations(const Compilation& compilation) {
  std::set<Value> allocations;
  for (const Value value : compilation.function().arguments()) allocations.insert(value);
  for (const Value value : compilation.function().results()) {
    const auto base = compilation.same_storage.find(value);
    allocations.insert(base == compilation.same_storage.end() ? value : base->second);
  }
  return allocations;
}

Item AddCopy(Compilation& compilation, Value from, Value to, graph::Location location) {
  const graph::Shape& shape = compilation.function().shape(from);
  Kernel copy;
  copy.body = Copy{View::Dense(from, shape)};
  copy.out = View::Dense(to, shape);
  copy.location = location;
  copy.operation = "copy";
  compilation.kernels.push_back(std::move(copy));
  return {Item::Kind::kKernel, compilation.kernels.size() - 1};
}

// All that stands in the item uses other values.
void Substitute(Compilation& compilation, const Item& item, const std::map<Value, Value>& others) {
  const auto substitute = [&](Value& value) {
    if (const auto found = others.find(value); found != others.end()) value = found->second;
  };
  if (item.kind == Item::Kind::kKernel) {
    Kernel& kernel = compilation.kernels[item.index];
    for (const Value value : kernel.Operands()) {
      if (const auto found = others.find(value); found != others.end()) {
        kernel.ReplaceOperand(value, found->second);
      }
    }
    substitute(kernel.out.base);
    return;
  }
  Control& control = compilation.controls[item.index];
  for (Value& result : control.results) substitute(result);
  if (auto* loop = std::get_if<Loop>(&control.body)) {
    substitute(loop->predicate.base);
  } else {
    substitute(std::get<Choice>(control.body).index.base);
  }
  for (const Sequence* sequence : control.Sequences()) {
    for (const Item& inner : *sequence) Substitute(compilation, inner, others);
  }
}

// Control flow can't be split. Where it uses more allocations than there are segments, arguments
// are copied to scratch memory in front of it, and results from there behind it.
Sequence ThroughScratch(Compilation& compilation, const Item& item, const Accesses& accesses,
                        const std::set<Value>& allocations) {
  const graph::Location location = compilation.controls[item.index].location;
  Sequence before, after;
  std::map<Value, Value> others;
  const auto other = [&](Value value) {
    const graph::Shape shape = compilation.function().shape(value);
    return others[value] = compilation.function().NewValue(shape);
  };
  for (const Value value : accesses.reads) {
    if (!allocations.contains(value)) continue;
    before.push_back(AddCopy(compilation, value, other(value), location));
  }
  for (const Value value : accesses.writes) {
    if (!allocations.contains(value)) continue;
    after.push_back(AddCopy(compilation, other(value), value, location));
  }
  Substitute(compilation, item, others);
  before.push_back(item);
  before.insert(before.end(), after.begin(), after.end());
  return before;
}

// What an item names may need a segment of its own.
class SegmentSplitter {
 public:
  explicit SegmentSplitter(Compilation& compilation)
      : compilation_(compilation), allocations_(Allocations(compilation)) {}

  void Split(const Sequence& items) {
    for (const Item& item : items) Add(item);
    if (!group_.items.empty()) compilation_.groups.push_back(std::move(group_));
    group_ = {};
    own_.clear();
  }

 private:
  void Add(const Item& item) {
    const Accesses accesses = AccessesOf(compilation_, item);
    std::set<Value> needed;
    for (const std::vector<Value>& values : {accesses.reads, accesses.writes}) {
      for (const Value value : values) {
        if (allocations_.contains(value)) needed.insert(value);
      }
    }
    if (needed.size() > kMaxAllocations) {
      for (const Item& part : ThroughScratch(compilation_, item, accesses, allocations_)) Add(part);
      return;
    }
    std::set<Value> with = own_;
    with.insert(needed.begin(), needed.end());
    if (with.size() > kMaxAllocations) {
      compilation_.groups.push_back(std::move(group_));
      group_ = {};
      with = std::move(needed);
    }
    own_ = std::move(with);
    group_.items.push_back(item);
  }

  Compilation& compilation_;
  const std::set<Value> allocations_;
  ChipGroup group_;
  std::set<Value> own_;  // of the group
};

}  // namespace

// Takes all kernels that can run, then all operations of the evaluator that can, and so on: as few
// steps as that order allows. Checks come last.
Status OrderSteps(Compilation& compilation) {
  std::vector<Work> all = AllWork(compilation);
  std::map<Value, size_t> writes, reads;
  for (Work& work : all) {
    for (const Value value : work.needs) work.writes_before_need.push_back(writes[value]);
    for (const Value value : work.makes) {
      work.writes_before.push_back(writes[value]);
      work.reads_before.push_back(reads[value]);
    }
    for (const Value value : work.needs) {
      // Nothing that is stored later than where it is read waits for that reader.
      if (writes[value] > 0) ++reads[value];
      work.is_counted.push_back(writes[value] > 0);
    }
    for (const Value value : work.makes) ++writes[value];
  }
  for (Work& work : all) {
    for (size_t i = 0; i < work.needs.size(); ++i) {
      size_t& count = work.writes_before_need[i];
      if (count == 0) count = writes[work.needs[i]];  // stored later than where the value stands
    }
  }
  writes.clear();  // from here on: done
  reads.clear();
  const auto is_ready = [&](const Work& work) {
    for (size_t i = 0; i < work.needs.size(); ++i) {
      if (writes[work.needs[i]] < work.writes_before_need[i]) return false;
    }
    for (size_t i = 0; i < work.makes.size(); ++i) {
      if (writes[work.makes[i]] < work.writes_before[i]) return false;
      if (reads[work.makes[i]] < work.reads_before[i]) return false;
    }
    return true;
  };
  bool on_chip = true;
  for (size_t idle = 0; !all.empty();) {
    Sequence items;
    HostGroup host;
    std::vector<Work> left;
    for (Work& work : all) {
      if (work.on_chip == on_chip && is_ready(work)) {
        if (on_chip) {
          items.push_back(work.item);
        } else {
          host.operations.push_back(work.operation);
        }
        for (size_t i = 0; i < work.needs.size(); ++i) {
          if (work.is_counted[i]) ++reads[work.needs[i]];
        }
        for (const Value value : work.makes) ++writes[value];
      } else {
        left.push_back(std::move(work));
      }
    }
    idle = items.empty() && host.operations.empty() ? idle + 1 : 0;
    if (idle == 2) return Internal("operations wait for each other");
    if (!items.empty()) SegmentSplitter(compilation).Split(items);
    if (!host.operations.empty()) compilation.groups.push_back(std::move(host));
    all = std::move(left);
    on_chip = !on_chip;
  }
  HostGroup checks{{}, true};
  for (size_t i = 0; i < compilation.host_operations.size(); ++i) {
    if (graph::IsCheck(compilation.host_operations[i].op)) checks.operations.push_back(i);
  }
  if (!checks.operations.empty()) compilation.groups.push_back(std::move(checks));
  return OkStatus();
}

}  // namespace systolith::compiler
