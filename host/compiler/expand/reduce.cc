// reduce whose body is not one operation of the vector unit. Parts that have nothing to do with
// each other become reductions of their own. Else the tensor folds onto itself: its second half
// joins the first, elementwise, log2(n) times; an odd last element waits until the end.
#include <algorithm>
#include <set>

#include "host/compiler/expand/expansion.h"
#include "host/compiler/passes/support.h"

namespace systolith::compiler {
namespace {

// From here on the elements of what is left join one after another, in one kernel.
constexpr int64_t kMaxSequential = 4;

Values Joined(Values a, const Values& b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}

class Folder {
 public:
  Folder(const Region& body, Expansion& to) : body_(body), to_(to) {}

  // Dimension `d` of all tensors becomes 1; it is not 0. nullopt: the body can't be applied.
  std::optional<Values> Fold(Values values, size_t d) {
    std::vector<Values> left;
    int64_t n = to_.size(values[0], d);
    while (n > kMaxSequential) {
      const int64_t half = n / 2;
      if (n % 2 == 1) left.push_back(Slices(values, d, n - 1, n));
      const Values high = Slices(values, d, half, 2 * half);
      std::optional<Values> folded =
          to_.Apply(body_, Joined(Slices(values, d, 0, half), high));
      if (!folded) return std::nullopt;
      values = *std::move(folded);
      n = half;
    }
    Values sum = Slices(values, d, 0, 1);
    for (int64_t i = 1; i < n; ++i) left.push_back(Slices(values, d, i, i + 1));
    for (const Values& element : left) {
      std::optional<Values> joined = to_.Apply(body_, Joined(std::move(sum), element));
      if (!joined) return std::nullopt;
      sum = *std::move(joined);
    }
    return sum;
  }

 private:
  Values Slices(const Values& values, size_t d, int64_t start, int64_t limit) {
    Values slices;
    for (const Value value : values) slices.push_back(to_.Slice(value, d, start, limit));
    return slices;
  }

  const Region& body_;
  Expansion& to_;
};

// The part of a body that makes result `i`, if it needs no other arguments than this result's.
std::optional<Region> PartOf(const Region& body, size_t i) {
  const size_t count = body.arguments.size() / 2;
  const std::set<Value> own = {body.arguments[i], body.arguments[count + i]};
  std::set<Value> needed = {body.ops.back().operands[i]};
  Region part;
  part.arguments = {body.arguments[i], body.arguments[count + i]};
  part.ops = {body.ops.back()};
  part.ops[0].operands = {body.ops.back().operands[i]};
  for (auto op = std::next(body.ops.rbegin()); op != body.ops.rend(); ++op) {
    if (!op->regions.empty()) return std::nullopt;
    if (std::none_of(op->results.begin(), op->results.end(),
                     [&](Value result) { return needed.contains(result); })) {
      continue;
    }
    needed.insert(op->operands.begin(), op->operands.end());
    part.ops.insert(part.ops.begin(), *op);
  }
  for (const Value argument : body.arguments) {
    if (needed.contains(argument) && !own.contains(argument)) return std::nullopt;
  }
  return part;
}

std::optional<Values> Split(const Op& op, Expansion& to) {
  const size_t count = op.results.size();
  std::vector<Region> parts;
  for (size_t i = 0; i < count; ++i) {
    std::optional<Region> part = PartOf(op.regions[0], i);
    if (!part) return std::nullopt;
    parts.push_back(*std::move(part));
  }
  Values results;
  for (size_t i = 0; i < count; ++i) {
    results.push_back(to.Reduce(parts[i], {op.operands[i]}, {op.operands[count + i]},
                                op.As<graph::ReduceAttributes>().dimensions)[0]);
  }
  return results;
}

}  // namespace

std::optional<Values> ExpandReduce(const Op& op, Expansion& to) {
  const size_t count = op.results.size();
  const Region& body = op.regions[0];
  if (count == 1 && ReductionStep(op, to.type(op.operands[0]))) return std::nullopt;
  if (count > 1) {
    if (std::optional<Values> parts = Split(op, to)) return parts;
  }
  Values values(op.operands.begin(), op.operands.begin() + static_cast<ptrdiff_t>(count));
  const Values inits(op.operands.begin() + static_cast<ptrdiff_t>(count), op.operands.end());
  const Dims& result = to.dims(op.result());
  Values results;
  Folder folder(body, to);
  for (const int64_t d : op.As<graph::ReduceAttributes>().dimensions) {
    if (to.size(values[0], static_cast<size_t>(d)) == 0) {
      for (const Value init : inits) results.push_back(to.Broadcast(init, result));
      return results;
    }
    std::optional<Values> folded = folder.Fold(std::move(values), static_cast<size_t>(d));
    if (!folded) return std::nullopt;
    values = *std::move(folded);
  }
  Values arguments;
  for (const Value init : inits) arguments.push_back(to.Broadcast(init, result));
  for (const Value value : values) arguments.push_back(to.Reshape(value, result));
  return to.Apply(body, arguments);
}

}  // namespace systolith::compiler
