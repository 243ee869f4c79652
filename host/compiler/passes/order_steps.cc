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

// A kernel or an operation of the evaluator, and what it needs first.
struct Item {
  bool on_chip = true;
  size_t index = 0;
  int64_t position = 0;
  std::vector<Value> needs, makes;
  int turn = 0;  // of a kernel: how many write parts of the same tensor before it
};

std::vector<Item> Items(const Compilation& compilation) {
  std::vector<Item> items;
  for (size_t i = 0; i < compilation.kernels.size(); ++i) {
    const Kernel& kernel = compilation.kernels[i];
    items.push_back({true, i, kernel.position, kernel.Operands(), {kernel.out.base}});
  }
  for (size_t i = 0; i < compilation.host_operations.size(); ++i) {
    const HostOperation& host = compilation.host_operations[i];
    if (graph::IsCheck(host.op)) continue;
    items.push_back(
        {false, i, host.position, StoredInputs(compilation, host.op), host.op.results});
  }
  std::stable_sort(items.begin(), items.end(),
                   [](const Item& a, const Item& b) { return a.position < b.position; });
  std::map<Value, int> writers;
  for (Item& item : items) {
    if (item.on_chip) item.turn = writers[item.makes[0]]++;
  }
  return items;
}

// What a kernel names may need a segment of its own: arguments and results.
void SplitBySegments(Compilation& compilation, const std::vector<size_t>& kernels) {
  const auto& arguments = compilation.function().arguments();
  const auto& results = compilation.function().results();
  const auto is_own = [&](Value value) {
    return std::find(arguments.begin(), arguments.end(), value) != arguments.end() ||
           std::find(results.begin(), results.end(), value) != results.end();
  };
  ChipGroup group;
  std::set<Value> own;
  for (const size_t index : kernels) {
    std::set<Value> with = own;
    const Kernel& kernel = compilation.kernels[index];
    for (const Value value : kernel.Operands()) {
      if (is_own(value)) with.insert(value);
    }
    with.insert(kernel.out.base);
    if (with.size() > kMaxAllocations && !group.kernels.empty()) {
      compilation.groups.push_back(std::move(group));
      group = {};
      with.clear();
      for (const Value value : kernel.Operands()) with.insert(value);
      with.insert(kernel.out.base);
    }
    if (!is_own(kernel.out.base)) with.erase(kernel.out.base);
    own = std::move(with);
    group.kernels.push_back(index);
  }
  if (!group.kernels.empty()) compilation.groups.push_back(std::move(group));
}

}  // namespace

// Takes all kernels that can run, then all operations of the evaluator that can, and so on: as few
// steps as that order allows. Checks come last.
Status OrderSteps(Compilation& compilation) {
  std::vector<Item> items = Items(compilation);
  std::map<Value, int> missing;  // how many still have to write it
  std::map<Value, int> written;
  for (const Item& item : items) {
    for (const Value value : item.makes) ++missing[value];
  }
  bool on_chip = true;
  for (size_t idle = 0; !items.empty();) {
    std::vector<size_t> taken;
    std::vector<Item> left;
    for (Item& item : items) {
      const bool ready = item.on_chip == on_chip &&
                         (!on_chip || written[item.makes[0]] == item.turn) &&
                         std::none_of(item.needs.begin(), item.needs.end(),
                                      [&](Value value) { return missing.contains(value); });
      if (ready) {
        taken.push_back(item.index);
        for (const Value value : item.makes) {
          ++written[value];
          if (--missing[value] == 0) missing.erase(value);
        }
      } else {
        left.push_back(std::move(item));
      }
    }
    idle = taken.empty() ? idle + 1 : 0;
    if (idle == 2) return Internal("operations wait for each other");
    if (!taken.empty() && on_chip) SplitBySegments(compilation, taken);
    if (!taken.empty() && !on_chip) compilation.groups.push_back(HostGroup{taken, false});
    items = std::move(left);
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
