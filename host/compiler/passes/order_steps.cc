#include <fmt/format.h>

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
};

std::vector<Work> AllWork(const Compilation& compilation) {
  std::vector<Work> all;
  for (const Item& item : compilation.items) {
    Accesses accesses = AccessesOf(compilation, item);
    all.push_back({true, item, 0, compilation.Position(item), std::move(accesses.reads),
                   std::move(accesses.writes), {}, {}, {}});
  }
  const StoredValueFinder stored(compilation);
  for (size_t i = 0; i < compilation.host_operations.size(); ++i) {
    const HostOperation& host = compilation.host_operations[i];
    if (graph::IsCheck(host.op)) continue;
    all.push_back({false, {}, i, host.position, stored.Inputs(host.op), host.op.results, {},
                   {}, {}});
  }
  std::stable_sort(all.begin(), all.end(),
                   [](const Work& a, const Work& b) { return a.position < b.position; });
  return all;
}

// What an item names may need a segment of its own: arguments and results.
Status SplitBySegments(Compilation& compilation, const Sequence& items) {
  std::set<Value> allocations;
  for (const Value value : compilation.function().arguments()) allocations.insert(value);
  for (const Value value : compilation.function().results()) {
    const auto base = compilation.same_storage.find(value);
    allocations.insert(base == compilation.same_storage.end() ? value : base->second);
  }
  ChipGroup group;
  std::set<Value> own;
  for (const Item& item : items) {
    const Accesses accesses = AccessesOf(compilation, item);
    std::set<Value> needed;
    for (const std::vector<Value>& values : {accesses.reads, accesses.writes}) {
      for (const Value value : values) {
        if (allocations.contains(value)) needed.insert(value);
      }
    }
    if (needed.size() > kMaxAllocations) {
      const Control& control = compilation.controls[item.index];
      return Unsupported(fmt::format(
          "stablehlo.{} at line {} uses {} arguments and results of the program; a launch of the "
          "chip has {} segments for them",
          control.operation, control.location.line, needed.size(), kMaxAllocations));
    }
    std::set<Value> with = own;
    with.insert(needed.begin(), needed.end());
    if (with.size() > kMaxAllocations) {
      compilation.groups.push_back(std::move(group));
      group = {};
      with = std::move(needed);
    }
    own = std::move(with);
    group.items.push_back(item);
  }
  if (!group.items.empty()) compilation.groups.push_back(std::move(group));
  return OkStatus();
}

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
    for (const Value value : work.needs) ++reads[value];
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
        for (const Value value : work.needs) ++reads[value];
        for (const Value value : work.makes) ++writes[value];
      } else {
        left.push_back(std::move(work));
      }
    }
    idle = items.empty() && host.operations.empty() ? idle + 1 : 0;
    if (idle == 2) return Internal("operations wait for each other");
    if (!items.empty()) RETURN_IF_ERROR(SplitBySegments(compilation, items));
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
