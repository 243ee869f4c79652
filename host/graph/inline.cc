// InlineCalls of rewrite.h.
#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <utility>

#include "host/graph/composite.h"
#include "host/graph/rewrite.h"

namespace systolith::graph {
namespace {

// Functions that call others several times grow without bound; nobody writes more than this.
constexpr size_t kMaxValues = size_t{1} << 22;

// Copies the operations of one function into another under new value ids.
class Inliner {
 public:
  Inliner(const Module& module, Function& target) : module_(module), target_(target) {}

  Status Expand(Region& region) {
    std::vector<Op> ops;
    for (Op& op : region.ops) {
      for (Region& nested : op.regions) RETURN_IF_ERROR(Expand(nested));
      for (Value& operand : op.operands) operand = Resolve(operand);
      if (Callee(op) == nullptr) {
        ops.push_back(std::move(op));
        continue;
      }
      if (op.opcode == Opcode::kComposite) {
        if (const auto known = AppendKnownComposite(target_, op, ops)) {
          Replace(op.results, *known);
          continue;
        }
      }
      RETURN_IF_ERROR(ExpandCall(op, ops));
    }
    region.ops = std::move(ops);
    return OkStatus();
  }

 private:
  Status ExpandCall(const Op& call, std::vector<Op>& ops) {
    const std::string& name = *Callee(call);
    const Function* callee = module_.Find(name);
    if (callee == nullptr) {
      return InvalidArgument(fmt::format("{}: there is no function @{}", Describe(call), name));
    }
    if (std::find(stack_.begin(), stack_.end(), name) != stack_.end()) {
      return InvalidArgument(fmt::format("{}: @{} calls itself", Describe(call), name));
    }
    stack_.push_back(name);
    std::vector<Value> renamed(callee->value_shapes.size());
    for (size_t i = 0; i < callee->arguments().size(); ++i) {
      renamed[static_cast<size_t>(callee->arguments()[i].id)] = call.operands.at(i);
    }
    if (target_.value_shapes.size() + callee->value_shapes.size() > kMaxValues) {
      return Unsupported(fmt::format("{}: more than {} values after inlining", Describe(call),
                                     kMaxValues));
    }
    Region body = callee->body;
    Rename(body, *callee, renamed);
    RETURN_IF_ERROR(Expand(body));
    const std::vector<Value> values = body.ops.back().operands;
    body.ops.pop_back();
    std::move(body.ops.begin(), body.ops.end(), std::back_inserter(ops));
    Replace(call.results, values);
    stack_.pop_back();
    return OkStatus();
  }

  void Replace(const std::vector<Value>& results, const std::vector<Value>& values) {
    for (size_t i = 0; i < results.size(); ++i) replaced_.emplace(results[i], values.at(i));
  }

  void Rename(Region& region, const Function& callee, std::vector<Value>& renamed) {
    const auto define = [&](Value& value) {
      Value& name = renamed[static_cast<size_t>(value.id)];
      if (!name.valid()) name = target_.NewValue(callee.shape(value));
      value = name;
    };
    for (Value& argument : region.arguments) define(argument);
    for (Op& op : region.ops) {
      for (Value& operand : op.operands) operand = renamed[static_cast<size_t>(operand.id)];
      for (Region& nested : op.regions) Rename(nested, callee, renamed);
      for (Value& result : op.results) define(result);
    }
  }

  // A call's result stands for a value of the expanded body, which is final: its operands were
  // resolved before.
  Value Resolve(Value value) const {
    const auto found = replaced_.find(value);
    return found == replaced_.end() ? value : found->second;
  }

  const Module& module_;
  Function& target_;
  std::vector<std::string> stack_;
  std::map<Value, Value> replaced_;
};

}  // namespace

Status InlineCalls(Module& module) {
  const Function* original = module.Entry();
  if (original == nullptr) return InvalidArgument("the module has no function");
  Function entry = *original;
  RETURN_IF_ERROR(Inliner(module, entry).Expand(entry.body));
  module.functions.clear();
  module.functions.push_back(std::move(entry));
  return OkStatus();
}

}  // namespace systolith::graph
