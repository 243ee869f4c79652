#include "host/graph/print.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <map>

#include "host/graph/print_internal.h"

namespace systolith::graph {
namespace {

// Names values and prints regions; one per function.
class Printer {
 public:
  explicit Printer(const Function& function) : function_(function) {}

  std::string FunctionText() {
    std::string text =
        fmt::format("  func.func {} {}(", function_.is_private ? "private" : "public",
                    SymbolText(function_.name));
    text += Arguments(function_.body);
    text += ")";
    const std::vector<Value>& results = function_.results();
    if (!results.empty()) text += fmt::format(" -> ({})", Types(results));
    text += " {\n" + Body(function_.body, 2, true) + "  }\n";
    return text;
  }

  std::string OpText(const Op& op, int indent, bool in_function) {
    std::string text(static_cast<size_t>(2 * indent), ' ');
    const std::string operands = Names(op.operands);
    if (op.opcode == Opcode::kReturn) {
      text += in_function ? "return" : "stablehlo.return";
      if (!op.operands.empty()) text += fmt::format(" {} : {}", operands, Types(op.operands));
      return text + "\n";
    }
    if (!op.results.empty()) {
      const std::string name = fmt::format("%{}", next_result_++);
      text += name;
      if (op.results.size() > 1) text += fmt::format(":{}", op.results.size());
      text += " = ";
      for (size_t i = 0; i < op.results.size(); ++i) {
        names_[op.results[i]] = op.results.size() == 1 ? name : fmt::format("{}#{}", name, i);
      }
    }
    const std::string type = FunctionType(op);
    if (op.regions.empty()) return text + PlainOpText(op, operands, type) + "\n";
    text += fmt::format("\"stablehlo.{}\"({})", OpcodeName(op.opcode), operands);
    const std::string attributes = RegionOpAttributes(op);
    if (!attributes.empty()) text += fmt::format(" <{{{}}}>", attributes);
    text += " (";
    for (size_t i = 0; i < op.regions.size(); ++i) {
      if (i > 0) text += ", ";
      const Region& region = op.regions[i];
      text += "{\n";
      if (!region.arguments.empty()) {
        text += fmt::format("{}^bb0({}):\n", std::string(static_cast<size_t>(2 * indent), ' '),
                            Arguments(region));
      }
      text += Body(region, indent + 1, false);
      text += std::string(static_cast<size_t>(2 * indent), ' ') + "}";
    }
    return text + fmt::format(") : {}\n", type);
  }

 private:
  std::string FunctionType(const Op& op) const {
    return fmt::format("({}) -> {}", Types(op.operands),
                       op.results.size() == 1 ? Types(op.results)
                                              : fmt::format("({})", Types(op.results)));
  }

  std::string Arguments(const Region& region) {
    std::string text;
    for (const Value argument : region.arguments) {
      const std::string name = fmt::format("%arg{}", next_argument_++);
      names_[argument] = name;
      text += fmt::format("{}{}: {}", text.empty() ? "" : ", ", name,
                          function_.shape(argument).ToString());
    }
    return text;
  }

  std::string Body(const Region& region, int indent, bool in_function) {
    std::string text;
    for (const Op& op : region.ops) text += OpText(op, indent, in_function);
    return text;
  }

  std::string Names(const std::vector<Value>& values) const {
    std::vector<std::string> names;
    for (const Value value : values) {
      const auto found = names_.find(value);
      names.push_back(found != names_.end() ? found->second : fmt::format("%<{}>", value.id));
    }
    return fmt::format("{}", fmt::join(names, ", "));
  }

  std::string Types(const std::vector<Value>& values) const {
    std::vector<std::string> types;
    for (const Value value : values) types.push_back(function_.shape(value).ToString());
    return fmt::format("{}", fmt::join(types, ", "));
  }

  const Function& function_;
  std::map<Value, std::string> names_;
  int next_result_ = 0;
  int next_argument_ = 0;
};

}  // namespace

std::string Print(const Module& module) {
  std::string text =
      module.name.empty() ? "module {\n" : fmt::format("module {} {{\n", SymbolText(module.name));
  for (const Function& function : module.functions) text += Printer(function).FunctionText();
  return text + "}\n";
}

std::string PrintOp(const Function& function, const Op& op) {
  const auto values = [](const std::vector<Value>& list) {
    std::vector<std::string> names;
    for (const Value value : list) names.push_back(fmt::format("%{}", value.id));
    return fmt::format("{}", fmt::join(names, ", "));
  };
  const auto types = [&](const std::vector<Value>& list) {
    std::vector<std::string> names;
    for (const Value value : list) names.push_back(function.shape(value).ToString());
    return fmt::format("{}", fmt::join(names, ", "));
  };
  std::string text = op.results.empty() ? "" : values(op.results) + " = ";
  const std::string type = fmt::format("({}) -> ({})", types(op.operands), types(op.results));
  if (op.opcode == Opcode::kReturn) return fmt::format("return {}", values(op.operands));
  if (op.regions.empty()) return text + PlainOpText(op, values(op.operands), type);
  return text + fmt::format("\"stablehlo.{}\"({}) <{{{}}}> ({{...}}) : {}", OpcodeName(op.opcode),
                            values(op.operands), RegionOpAttributes(op), type);
}

}  // namespace systolith::graph
