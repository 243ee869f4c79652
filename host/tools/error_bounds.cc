#include "host/tools/error_bounds.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "host/graph/rewrite.h"
#include "host/tools/error_propagation.h"

namespace systolith::tools {

using graph::ElementType;
using graph::Literal;
using graph::Op;
using graph::Opcode;
using graph::Region;
using graph::Value;

double UlpOf(ElementType type, double x) {
  int fraction_bits = 23;
  if (type == ElementType::kBF16) fraction_bits = 7;
  if (type == ElementType::kF16) fraction_bits = 10;
  const double smallest = type == ElementType::kF16 ? 0x1p-14 : kSmallestNormal;
  if (!std::isfinite(x)) return kUnknownBound;
  return std::ldexp(1.0, std::ilogb(std::max(std::fabs(x), smallest)) - fraction_bits) +
         kSmallestNormal;
}

bool BoundedValue::IsExact() const {
  return std::all_of(bound.begin(), bound.end(), [](double b) { return b == 0; });
}

namespace {

// Runs regions, keeping every value with its bound.
class Tracker {
 public:
  Tracker(const graph::Module& module, const graph::Function& function,
          graph::Precision precision, std::vector<std::string>& notes)
      : module_(module), function_(function), precision_(precision), notes_(notes) {}

  Result<std::vector<BoundedValue>> Run(const Region& region,
                                        std::vector<BoundedValue> arguments) {
    for (size_t i = 0; i < arguments.size(); ++i) {
      values_[region.arguments[i].id] = std::move(arguments[i]);
    }
    for (const Op& op : region.ops) {
      if (op.opcode == Opcode::kReturn) return Of(op.operands);
      if (graph::IsCheck(op)) continue;
      ASSIGN_OR_RETURN(std::vector<BoundedValue> results, RunOp(op));
      for (size_t i = 0; i < results.size(); ++i) values_[op.results[i].id] = std::move(results[i]);
    }
    return Internal("a region without a return");
  }

 private:
  std::vector<BoundedValue> Of(const std::vector<Value>& values) const {
    std::vector<BoundedValue> list;
    for (const Value value : values) list.push_back(values_.at(value.id));
    return list;
  }

  void NoBound(const Op& op) {
    notes_.push_back(fmt::format("no error bound behind {}", graph::Describe(op)));
  }
  void Forget(const Op& op, std::vector<BoundedValue>& results) {
    NoBound(op);
    for (BoundedValue& result : results) {
      result.bound.assign(static_cast<size_t>(result.value.size()), kUnknownBound);
    }
  }

  Result<std::vector<BoundedValue>> RunOp(const Op& op) {
    if (op.opcode == Opcode::kWhile) return RunWhile(op);
    if (op.opcode == Opcode::kIf || op.opcode == Opcode::kCase) return RunBranch(op);
    std::vector<const BoundedValue*> operands;
    for (const Value value : op.operands) operands.push_back(&values_.at(value.id));
    for (const Value value : graph::Captures(op)) operands.push_back(&values_.at(value.id));
    bool has_rule = true;
    Propagation propagation(module_, function_, op, std::move(operands), precision_);
    ASSIGN_OR_RETURN(std::vector<BoundedValue> results, propagation.Run(&has_rule));
    if (!has_rule) NoBound(op);
    return results;
  }

  // As long as the condition is known, the chip takes as many turns as the reference.
  Result<std::vector<BoundedValue>> RunWhile(const Op& op) {
    std::vector<BoundedValue> carried = Of(op.operands);
    bool is_known = true;
    for (;;) {
      ASSIGN_OR_RETURN(const std::vector<BoundedValue> goes_on, Run(op.regions[0], carried));
      is_known = is_known && goes_on[0].IsExact();
      if (goes_on[0].value.GetInt(0) == 0) break;
      ASSIGN_OR_RETURN(carried, Run(op.regions[1], std::move(carried)));
    }
    if (!is_known) Forget(op, carried);
    return carried;
  }

  Result<std::vector<BoundedValue>> RunBranch(const Op& op) {
    const BoundedValue index = values_.at(op.operands[0].id);
    const auto count = static_cast<int64_t>(op.regions.size());
    int64_t chosen = index.value.GetInt(0);
    if (op.opcode == Opcode::kIf) {
      chosen = chosen != 0 ? 0 : 1;
    } else if (chosen < 0 || chosen >= count) {
      chosen = count - 1;
    }
    ASSIGN_OR_RETURN(std::vector<BoundedValue> results,
                     Run(op.regions[static_cast<size_t>(chosen)], {}));
    if (!index.IsExact()) Forget(op, results);
    return results;
  }

  const graph::Module& module_;
  const graph::Function& function_;
  const graph::Precision precision_;
  std::vector<std::string>& notes_;
  std::map<int32_t, BoundedValue> values_;
};

}  // namespace

Result<std::vector<BoundedValue>> EvaluateWithBounds(const graph::Module& module,
                                                     std::span<const Literal> arguments,
                                                     graph::Precision default_precision,
                                                     std::vector<std::string>* notes) {
  graph::Module flat = module;
  RETURN_IF_ERROR(graph::InlineCalls(flat));
  const graph::Function& function = *flat.Entry();
  std::vector<BoundedValue> exact;
  for (const Literal& argument : arguments) exact.push_back({argument, {}});
  return Tracker(flat, function, default_precision, *notes).Run(function.body, std::move(exact));
}

}  // namespace systolith::tools
