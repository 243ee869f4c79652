#include "host/graph/graph.h"

#include <fmt/format.h>

#include "host/graph/rewrite.h"

namespace systolith::graph {

const Function* Module::Find(std::string_view function) const {
  for (const Function& candidate : functions) {
    if (candidate.name == function) return &candidate;
  }
  return nullptr;
}

Function* Module::Find(std::string_view function) {
  return const_cast<Function*>(std::as_const(*this).Find(function));
}

const Function* Module::Entry() const {
  if (const Function* main = Find("main")) return main;
  for (const Function& candidate : functions) {
    if (!candidate.is_private) return &candidate;
  }
  return functions.empty() ? nullptr : &functions.front();
}

Function* Module::Entry() { return const_cast<Function*>(std::as_const(*this).Entry()); }

std::optional<int64_t> CompositeAttributes::Integer(std::string_view entry) const {
  for (const auto& [name, value] : entries) {
    const auto* integer = std::get_if<int64_t>(&value);
    if (name == entry && integer != nullptr) return *integer;
  }
  return std::nullopt;
}

const std::string* Callee(const Op& op) {
  if (op.opcode == Opcode::kCall) return &op.As<CallAttributes>().callee;
  if (op.opcode == Opcode::kComposite) return &op.As<CompositeAttributes>().decomposition;
  return nullptr;
}

std::string Describe(const Op& op) {
  std::string text = fmt::format("{}.{}", OpcodeDialect(op.opcode), OpcodeName(op.opcode));
  if (op.opcode == Opcode::kCustomCall) text += " @" + op.As<CustomCallAttributes>().target;
  if (op.opcode == Opcode::kComposite) {
    text += fmt::format(" \"{}\"", op.As<CompositeAttributes>().name);
  }
  if (op.location.place) {
    text += " at " + *op.location.place;
  } else if (op.location.line > 0) {
    text += fmt::format(" at line {}", op.location.line);
  }
  return text;
}

bool IsCheck(const Op& op) {
  return op.opcode == Opcode::kCustomCall &&
         op.As<CustomCallAttributes>().target.starts_with("check.");
}

bool HasChecks(const Module& module) {
  bool found = false;
  for (const Function& function : module.functions) {
    ForEachOp(function.body, [&](const Op& op) { found = found || IsCheck(op); });
  }
  return found;
}

}  // namespace systolith::graph
