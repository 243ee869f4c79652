#include "host/graph/rewrite.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

namespace systolith::graph {

void ForEachOp(const Region& region, const std::function<void(const Op&)>& visit) {
  for (const Op& op : region.ops) {
    visit(op);
    for (const Region& nested : op.regions) ForEachOp(nested, visit);
  }
}

void ForEachOp(Region& region, const std::function<void(Op&)>& visit) {
  for (Op& op : region.ops) {
    visit(op);
    for (Region& nested : op.regions) ForEachOp(nested, visit);
  }
}

std::vector<int> CountUses(const Function& function) {
  std::vector<int> uses(function.value_shapes.size(), 0);
  ForEachOp(function.body, [&](const Op& op) {
    for (const Value operand : op.operands) ++uses[static_cast<size_t>(operand.id)];
  });
  return uses;
}

std::vector<std::vector<const Op*>> Users(const Function& function) {
  std::vector<std::vector<const Op*>> users(function.value_shapes.size());
  ForEachOp(function.body, [&](const Op& op) {
    for (const Value operand : op.operands) {
      auto& list = users[static_cast<size_t>(operand.id)];
      if (list.empty() || list.back() != &op) list.push_back(&op);
    }
  });
  return users;
}

std::vector<const Op*> Definitions(const Function& function) {
  std::vector<const Op*> definitions(function.value_shapes.size(), nullptr);
  ForEachOp(function.body, [&](const Op& op) {
    for (const Value result : op.results) definitions[static_cast<size_t>(result.id)] = &op;
  });
  return definitions;
}

void ReplaceAllUses(Region& region, Value from, Value to) {
  ForEachOp(region,
            [&](Op& op) { std::replace(op.operands.begin(), op.operands.end(), from, to); });
}

std::vector<Value> Captures(const Region& region) {
  std::set<Value> defined(region.arguments.begin(), region.arguments.end());
  ForEachOp(region, [&](const Op& op) {
    defined.insert(op.results.begin(), op.results.end());
    for (const Region& nested : op.regions) {
      defined.insert(nested.arguments.begin(), nested.arguments.end());
    }
  });
  std::vector<Value> captures;
  ForEachOp(region, [&](const Op& op) {
    for (const Value operand : op.operands) {
      if (defined.insert(operand).second) captures.push_back(operand);
    }
  });
  return captures;
}

std::vector<Value> Captures(const Op& op) {
  std::vector<Value> all;
  for (const Region& region : op.regions) {
    for (const Value value : Captures(region)) {
      if (std::find(all.begin(), all.end(), value) == all.end()) all.push_back(value);
    }
  }
  return all;
}

Status SortTopologically(Region& region) {
  std::vector<std::vector<Value>> needs;  // per operation: operands and captures
  std::set<Value> pending;                // results that no placed operation has defined yet
  for (const Op& op : region.ops) {
    std::vector<Value> needed = op.operands;
    const std::vector<Value> captures = Captures(op);
    needed.insert(needed.end(), captures.begin(), captures.end());
    needs.push_back(std::move(needed));
    pending.insert(op.results.begin(), op.results.end());
  }
  std::vector<bool> placed(region.ops.size(), false);
  std::vector<Op> sorted;
  for (bool progress = true; progress && sorted.size() < region.ops.size();) {
    progress = false;
    for (size_t i = 0; i < region.ops.size(); ++i) {
      const bool ready = !placed[i] && std::none_of(needs[i].begin(), needs[i].end(),
                                                    [&](Value v) { return pending.contains(v); });
      // The return stays last even where it needs nothing.
      const bool is_last = sorted.size() + 1 == region.ops.size();
      if (!ready || (region.ops[i].opcode == Opcode::kReturn && !is_last)) continue;
      for (const Value result : region.ops[i].results) pending.erase(result);
      sorted.push_back(region.ops[i]);
      placed[i] = true;
      progress = true;
    }
  }
  if (sorted.size() < region.ops.size()) {
    const size_t stuck =
        static_cast<size_t>(std::find(placed.begin(), placed.end(), false) - placed.begin());
    return Internal(fmt::format("{} depends on its own result", Describe(region.ops[stuck])));
  }
  region.ops = std::move(sorted);
  return OkStatus();
}

namespace {

bool HasEffect(const Op& op) {
  switch (op.opcode) {
    case Opcode::kReturn:
    case Opcode::kWhile:
    case Opcode::kCall:
    case Opcode::kComposite: return true;
    case Opcode::kCustomCall: return op.As<CustomCallAttributes>().has_side_effect;
    default: break;
  }
  bool found = false;
  for (const Region& region : op.regions) {
    ForEachOp(region, [&](const Op& nested) {
      found = found || (nested.opcode != Opcode::kReturn && HasEffect(nested));
    });
  }
  return found;
}

}  // namespace

namespace {

// Backwards, so that what only a dead operation uses is dead when its turn comes.
void EraseDeadOps(Region& region, std::vector<int>& uses) {
  std::vector<Op>& ops = region.ops;
  std::vector<bool> dead(ops.size(), false);
  for (size_t i = ops.size(); i-- > 0;) {
    const bool used = std::any_of(ops[i].results.begin(), ops[i].results.end(), [&](Value v) {
      return uses[static_cast<size_t>(v.id)] > 0;
    });
    if (used || HasEffect(ops[i])) {
      for (size_t r = ops[i].regions.size(); r-- > 0;) EraseDeadOps(ops[i].regions[r], uses);
      continue;
    }
    dead[i] = true;
    const auto release = [&](const Op& op) {
      for (const Value operand : op.operands) --uses[static_cast<size_t>(operand.id)];
    };
    release(ops[i]);
    for (const Region& nested : ops[i].regions) ForEachOp(nested, release);
  }
  size_t next = 0;
  std::erase_if(ops, [&](const Op&) { return dead[next++]; });
}

}  // namespace

void EraseDeadOps(Function& function) {
  std::vector<int> uses = CountUses(function);
  EraseDeadOps(function.body, uses);
}

}  // namespace systolith::graph
