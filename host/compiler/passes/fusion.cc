#include "host/compiler/passes/fusion.h"

#include <algorithm>

#include "host/compiler/function_cost.h"
#include "host/compiler/passes/support.h"
#include "host/compiler/passes/vector_chain.h"
#include "host/graph/rewrite.h"

namespace systolith::compiler {
namespace {

using graph::Op;
using graph::Opcode;
using graph::Value;

// A kernel's share of the 512 bundles (two slots each), so that others stay resident beside it.
constexpr int64_t kMaxSlots = 128;
// Of the 128 that an operation can name; numbers of the graph need some.
constexpr int64_t kMaxFunctionConstants = 110;

// Looking for a uniform constant is worth it up to here; longer ones are rarely uniform.
constexpr int64_t kMaxUniformElements = 1 << 20;

}  // namespace

FusionPlan::FusionPlan(const graph::Function& function, const std::vector<Op>& ops,
                       std::vector<FusionRole> roles,
                       const std::function<bool(Value)>& is_number, const arch::ChipConfig& chip)
    : function_(function),
      ops_(ops),
      roles_(std::move(roles)),
      chip_(chip),
      definitions_(function.value_shapes.size(), -1),
      is_uniform_(function.value_shapes.size()),
      users_(ops.size()),
      escapes_(ops.size()) {
  for (size_t i = 0; i < ops.size(); ++i) {
    for (const Value result : ops[i].results) {
      definitions_[static_cast<size_t>(result.id)] = static_cast<int32_t>(i);
      is_uniform_[static_cast<size_t>(result.id)] = IsUniform(ops[i]);
    }
    const auto escape = [&](Value value) {
      if (const std::optional<size_t> d = Definition(value)) escapes_[*d] = true;
    };
    for (const Value operand : ops[i].operands) {
      const std::optional<size_t> d = Definition(operand);
      if (!d) {
        if (roles_[i] == FusionRole::kStep) {
          is_uniform_[static_cast<size_t>(operand.id)] = is_number(operand);
        }
        continue;
      }
      if (roles_[i] != FusionRole::kStep) {
        escape(operand);
      } else if (users_[*d].empty() || users_[*d].back() != i) {
        users_[*d].push_back(i);
      }
    }
    for (const Value value : graph::Captures(ops[i])) escape(value);
  }
  std::vector<size_t> all;
  for (size_t i = 0; i < ops.size(); ++i) {
    if (roles_[i] == FusionRole::kStep || roles_[i] == FusionRole::kBody) all.push_back(i);
  }
  for (VectorGroup& group : Assign(all, {})) {
    const size_t root = group.root();
    groups_.emplace(root, std::move(group));
  }
}

bool FusionPlan::IsUniform(const Op& op) const {
  if (op.opcode != Opcode::kConstant) {
    return IsViewOperation(op.opcode) && op.operands.size() == 1 &&
           is_uniform_[static_cast<size_t>(op.operands[0].id)];
  }
  const graph::Literal& literal = *op.As<graph::ConstantAttributes>().value;
  if (literal.size() == 0 || literal.size() > kMaxUniformElements) return false;
  const size_t bytes = static_cast<size_t>(graph::ByteWidth(literal.type()));
  const auto all = literal.bytes();
  return std::equal(all.begin() + static_cast<std::ptrdiff_t>(bytes), all.end(), all.begin());
}

std::optional<size_t> FusionPlan::Definition(Value value) const {
  const int32_t number = definitions_[static_cast<size_t>(value.id)];
  return number < 0 ? std::nullopt : std::optional(static_cast<size_t>(number));
}

bool FusionPlan::IsIota(Value value) const {
  const std::optional<size_t> d = Definition(value);
  return d && roles_[*d] == FusionRole::kIota;
}

const VectorGroup* FusionPlan::GroupOf(size_t root) const {
  const auto found = groups_.find(root);
  return found == groups_.end() ? nullptr : &found->second;
}

std::string_view FusionPlan::FunctionOf(size_t op) const {
  return LibraryFunction(ops_[op].opcode, function_.shape(ops_[op].operands[0]).type);
}

int64_t FusionPlan::Slots(size_t op) const {
  constexpr int64_t kWithRounding = 2;
  const std::string_view function = FunctionOf(op);
  return function.empty() ? kWithRounding : CostOfFunction(function, chip_).slots + 1;
}

bool FusionPlan::CanJoin(const Draft& draft, size_t op) const {
  const Op& joining = ops_[op];
  if (function_.shape(joining.result()).dims !=
      function_.shape(ops_[draft.root].result()).dims) {
    return false;
  }
  std::set<Value> inputs = draft.inputs;
  inputs.erase(joining.result());
  const bool is_body = roles_[op] == FusionRole::kBody;
  if (is_body && draft.body) return false;
  if (!is_body) {
    for (const Value operand : joining.operands) {
      if (!is_uniform_[static_cast<size_t>(operand.id)]) inputs.insert(operand);
    }
    if (draft.slots + Slots(op) > kMaxSlots) return false;
    const std::string_view function = FunctionOf(op);
    if (!function.empty() && !draft.functions.contains(function) &&
        draft.constants + CostOfFunction(function, chip_).constants > kMaxFunctionConstants) {
      return false;
    }
  }
  const bool has_body = is_body || draft.body.has_value();
  const bool has_iota = std::any_of(inputs.begin(), inputs.end(),
                                    [this](Value value) { return IsIota(value); });
  if (has_body && has_iota) return false;
  // A kernel without a body reads one more, unless it may have nothing but iotas to start from.
  return inputs.size() <= kMaxStreams + (has_body || has_iota ? 0 : 1);
}

void FusionPlan::Join(Draft& draft, size_t op) const {
  const Op& joining = ops_[op];
  draft.inputs.erase(joining.result());
  if (roles_[op] == FusionRole::kBody) {
    draft.body = op;
    return;
  }
  draft.members.push_back(op);
  for (const Value operand : joining.operands) {
    if (!is_uniform_[static_cast<size_t>(operand.id)]) draft.inputs.insert(operand);
  }
  draft.slots += Slots(op);
  const std::string_view function = FunctionOf(op);
  if (!function.empty() && draft.functions.insert(function).second) {
    draft.constants += CostOfFunction(function, chip_).constants;
  }
}

std::vector<VectorGroup> FusionPlan::Assign(const std::vector<size_t>& numbers,
                                            const std::set<size_t>& roots) const {
  std::vector<Draft> drafts;
  std::map<size_t, std::vector<size_t>> drafts_of;  // by operation
  for (auto i = numbers.rbegin(); i != numbers.rend(); ++i) {
    std::vector<size_t>& own = drafts_of[*i];
    std::set<size_t> targets;
    for (const size_t user : users_[*i]) {
      const auto found = drafts_of.find(user);
      if (found != drafts_of.end()) targets.insert(found->second.begin(), found->second.end());
    }
    const bool all_fit =
        std::all_of(targets.begin(), targets.end(),
                    [&](size_t target) { return CanJoin(drafts[target], *i); });
    const bool is_stored = roots.contains(*i) || escapes_[*i] || targets.empty();
    const bool is_cheap = ops_[*i].opcode == Opcode::kConvert;
    if (all_fit && !is_stored && (is_cheap || targets.size() == 1)) {
      for (const size_t target : targets) Join(drafts[target], *i);
      own.assign(targets.begin(), targets.end());
    } else if (roles_[*i] == FusionRole::kStep) {
      own = {drafts.size()};
      drafts.push_back({});
      drafts.back().root = *i;
      Join(drafts.back(), *i);
    }
  }
  std::vector<VectorGroup> groups;
  for (auto draft = drafts.rbegin(); draft != drafts.rend(); ++draft) {
    std::reverse(draft->members.begin(), draft->members.end());
    groups.push_back({std::move(draft->members), draft->body});
  }
  return groups;
}

std::vector<VectorGroup> FusionPlan::Split(const VectorGroup& group) const {
  // What the first half of the work ends with is stored.
  int64_t slots = 0;
  for (const size_t member : group.members) slots += Slots(member);
  int64_t half = 0;
  size_t cut = 0;
  for (; cut + 2 < group.members.size() && half + half < slots; ++cut) {
    half += Slots(group.members[cut]);
  }
  std::vector<size_t> numbers = group.members;
  if (group.body) numbers.insert(numbers.begin(), *group.body);
  return Assign(numbers, {group.root(), group.members[cut]});
}

}  // namespace systolith::compiler
