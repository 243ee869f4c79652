#include "host/compiler/passes/host_fragment.h"

#include <algorithm>
#include <map>
#include <set>

#include "host/graph/print.h"
#include "host/graph/rewrite.h"

namespace systolith::compiler {
namespace {

using graph::Op;
using graph::Opcode;
using graph::Value;

// What an operation uses from outside: operands, and captures of its regions.
std::vector<Value> Uses(const Op& op) {
  std::vector<Value> uses = op.operands;
  for (const graph::Region& region : op.regions) {
    for (const Value value : graph::Captures(region)) uses.push_back(value);
  }
  return uses;
}

std::set<Value> StoredValues(const Compilation& compilation) {
  std::set<Value> stored;
  for (const Value argument : compilation.function().arguments()) stored.insert(argument);
  for (const Kernel& kernel : compilation.kernels) stored.insert(kernel.out.base);
  for (const HostOperation& host : compilation.host_operations) {
    for (const Value result : host.op.results) stored.insert(result);
  }
  return stored;
}

class FragmentBuilder {
 public:
  FragmentBuilder(const Compilation& compilation, const StoredValueFinder& finder)
      : source_(compilation.function()), finder_(finder) {}

  Fragment Build(const Compilation& compilation, const HostGroup& group) {
    Fragment fragment;
    std::set<Value> made;
    for (const size_t index : group.operations) {
      const Op& op = compilation.host_operations[index].op;
      for (const Value use : Uses(op)) {
        std::vector<Value> inputs;
        finder_.Collect(use, inputs);
        for (const Value input : inputs) {
          const auto& known = fragment.inputs;
          if (!made.contains(input) &&
              std::find(known.begin(), known.end(), input) == known.end()) {
            fragment.inputs.push_back(input);
          }
        }
      }
      made.insert(op.results.begin(), op.results.end());
      fragment.outputs.insert(fragment.outputs.end(), op.results.begin(), op.results.end());
    }

    graph::Module module;
    module.name = "fragment";
    module.functions.emplace_back();
    target_ = &module.functions.back();
    target_->name = "main";
    for (const Value input : fragment.inputs) {
      target_->body.arguments.push_back(NewValue(input));
    }
    for (const size_t index : group.operations) {
      const Op& op = compilation.host_operations[index].op;
      for (const Value use : Uses(op)) Bring(use);
      target_->body.ops.push_back(Clone(op));
    }
    Op ret;
    ret.opcode = Opcode::kReturn;
    for (const Value output : fragment.outputs) ret.operands.push_back(map_.at(output));
    target_->body.ops.push_back(std::move(ret));
    fragment.text = graph::Print(module);
    for (const Op& op : target_->body.ops) fragment.lines.push_back(op.location.line);
    return fragment;
  }

 private:
  Value NewValue(Value source) {
    const Value value = target_->NewValue(source_.shape(source));
    map_[source] = value;
    return value;
  }

  // Clones the views and constants between a value and what is stored.
  void Bring(Value value) {
    if (map_.contains(value)) return;
    const Op& definition = finder_.Definition(value);
    for (const Value operand : definition.operands) Bring(operand);
    target_->body.ops.push_back(Clone(definition));
  }

  Op Clone(const Op& op) {
    Op clone = op;
    for (Value& operand : clone.operands) operand = map_.at(operand);
    for (size_t i = 0; i < op.results.size(); ++i) clone.results[i] = NewValue(op.results[i]);
    for (size_t r = 0; r < op.regions.size(); ++r) {
      graph::Region& region = clone.regions[r];
      for (Value& argument : region.arguments) argument = NewValue(argument);
      for (Op& nested : region.ops) nested = Clone(nested);
    }
    return clone;
  }

  const graph::Function& source_;
  const StoredValueFinder& finder_;
  graph::Function* target_ = nullptr;
  std::map<Value, Value> map_;
};

}  // namespace

StoredValueFinder::StoredValueFinder(const Compilation& compilation)
    : definitions_(graph::Definitions(compilation.function())),
      stored_(StoredValues(compilation)) {}

void StoredValueFinder::Collect(Value value, std::vector<Value>& inputs) const {
  if (stored_.contains(value)) {
    if (std::find(inputs.begin(), inputs.end(), value) == inputs.end()) inputs.push_back(value);
    return;
  }
  for (const Value operand : Definition(value).operands) Collect(operand, inputs);
}

std::vector<Value> StoredValueFinder::Inputs(const Op& op) const {
  std::vector<Value> inputs;
  for (const Value use : Uses(op)) Collect(use, inputs);
  return inputs;
}

Fragment MakeFragment(const Compilation& compilation, const StoredValueFinder& finder,
                      const HostGroup& group) {
  return FragmentBuilder(compilation, finder).Build(compilation, group);
}

}  // namespace systolith::compiler
