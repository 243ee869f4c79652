#include "host/compiler/passes/reduction_identities.h"

#include <algorithm>
#include <functional>
#include <set>

#include "host/compiler/passes/integer_ranges.h"
#include "host/graph/builder.h"
#include "host/graph/rewrite.h"

namespace systolith::compiler {
namespace {

using graph::ElementType;
using graph::Op;
using graph::Opcode;
using graph::Region;

// Positions times window elements of a dimension that are looked at.
constexpr int64_t kMostPositions = 1 << 20;

// Whether every window holds an element, padding aside.
bool HasElements(const graph::ReduceWindowAttributes& window, const graph::Dims& operand,
                 const graph::Dims& result) {
  for (size_t d = 0; d < operand.size(); ++d) {
    if (result[d] * window.window_dimensions[d] > kMostPositions) return false;
    for (int64_t i = 0; i < result[d]; ++i) {
      bool found = false;
      for (int64_t tap = 0; tap < window.window_dimensions[d] && !found; ++tap) {
        const int64_t at = i * window.window_strides[d] + tap * window.window_dilations[d] -
                           window.padding_low[d];
        found = at >= 0 && at % window.base_dilations[d] == 0 &&
                at / window.base_dilations[d] < operand[d];
      }
      if (!found) return false;
    }
  }
  return true;
}

bool HasElements(const Op& op, const graph::Function& function) {
  const graph::Dims& operand = function.shape(op.operands[0]).dims;
  if (op.opcode == Opcode::kReduceWindow) {
    return HasElements(op.As<graph::ReduceWindowAttributes>(), operand,
                       function.shape(op.result()).dims);
  }
  const graph::Dims& reduced = op.As<graph::ReduceAttributes>().dimensions;
  return std::all_of(reduced.begin(), reduced.end(), [&](int64_t d) {
    return operand[static_cast<size_t>(d)] > 0;
  });
}

// The narrow type that a maximum or minimum could start in; the operation's type if it is none.
ElementType NarrowType(const Op& op, const graph::Function& function) {
  const ElementType type = function.shape(op.operands[0]).type;
  const Region& body = op.regions[0];
  const bool is_choice =
      op.results.size() == 1 && body.ops.size() == 2 &&
      (body.ops[0].opcode == Opcode::kMaximum || body.ops[0].opcode == Opcode::kMinimum) &&
      body.ops[1].operands == body.ops[0].results &&
      std::is_permutation(body.arguments.begin(), body.arguments.end(),
                          body.ops[0].operands.begin(), body.ops[0].operands.end());
  if (!is_choice) return type;
  if (type == ElementType::kS64) return ElementType::kS32;
  return type == ElementType::kU64 ? ElementType::kU32 : type;
}

// The scalar constant that a value is, maybe under other names; null if it is none.
const graph::Literal* ConstantOf(graph::Value value, const std::vector<const Op*>& definitions) {
  const Op* op = definitions[static_cast<size_t>(value.id)];
  while (op != nullptr &&
         (op->opcode == Opcode::kBroadcastInDim || op->opcode == Opcode::kReshape)) {
    op = definitions[static_cast<size_t>(op->operands[0].id)];
  }
  if (op == nullptr || op->opcode != Opcode::kConstant) return nullptr;
  return op->As<graph::ConstantAttributes>().value.get();
}

bool IsMaximum(const Op& op) { return op.regions[0].ops[0].opcode == Opcode::kMaximum; }

// Maximums and minimums that start at the lowest or highest number of 64 bits, by result.
std::set<graph::Value> FindWide(const graph::Function& function) {
  const std::vector<const Op*> definitions = graph::Definitions(function);
  std::set<graph::Value> wide;
  graph::ForEachOp(function.body, [&](const Op& op) {
    if (op.opcode != Opcode::kReduce && op.opcode != Opcode::kReduceWindow) return;
    const ElementType type = function.shape(op.operands[0]).type;
    if (NarrowType(op, function) == type || !HasElements(op, function)) return;
    const graph::Literal* start = ConstantOf(op.operands[1], definitions);
    const IntegerRange range = RangeOfType(type);
    if (start != nullptr &&
        start->GetInt(0) == static_cast<int64_t>(IsMaximum(op) ? range.lo : range.hi)) {
      wide.insert(op.result());
    }
  });
  return wide;
}

}  // namespace

void ShrinkIdentities(graph::Function& function) {
  const std::set<graph::Value> wide = FindWide(function);
  if (wide.empty()) return;  // ranges take their time
  const std::vector<IntegerRange> ranges = IntegerRanges(function);
  const std::function<void(Region&)> rewrite = [&](Region& region) {
    std::vector<Op> ops;
    graph::Builder builder(function, ops);
    for (Op& op : region.ops) {
      for (Region& nested : op.regions) rewrite(nested);
      if (!op.results.empty() && wide.contains(op.result())) {
        const IntegerRange range = RangeOfType(NarrowType(op, function));
        if (range.Holds(ranges[static_cast<size_t>(op.operands[0].id)])) {
          graph::Literal start(graph::Shape{function.shape(op.operands[0]).type, {}});
          start.SetInt(0, static_cast<int64_t>(IsMaximum(op) ? range.lo : range.hi));
          builder.SetLocation(op.location);
          op.operands[1] = builder.Constant(std::move(start));
        }
      }
      ops.push_back(std::move(op));
    }
    region.ops = std::move(ops);
  };
  rewrite(function.body);
}

}  // namespace systolith::compiler
