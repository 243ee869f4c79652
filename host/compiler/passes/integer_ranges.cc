#include "host/compiler/passes/integer_ranges.h"

#include <algorithm>
#include <map>
#include <optional>

#include "host/compiler/passes/integer_arithmetic.h"

namespace systolith::compiler {
namespace {

using graph::ElementType;
using graph::Op;
using graph::Opcode;
using graph::Region;
using graph::Value;

using Ranges = std::vector<IntegerRange>;

IntegerRange Join(const IntegerRange& a, const IntegerRange& b) {
  return {std::min(a.lo, b.lo), std::max(a.hi, b.hi)};
}

// `count` times something between the range and nothing.
IntegerRange Times(__int128 count, const IntegerRange& range) {
  return {count * std::min<__int128>(0, range.lo), count * std::max<__int128>(0, range.hi)};
}

// The largest magnitude of `start` times some of `count` numbers; large where it exceeds any type.
__int128 Power(__int128 start, const IntegerRange& range, int64_t count) {
  constexpr __int128 kLarge = __int128{1} << 65;
  const __int128 factor = std::max<__int128>(1, std::max(range.hi, -range.lo));
  for (int64_t i = 0; factor > 1 && i < count && start < kLarge; ++i) {
    if (factor > kLarge / start) return kLarge;
    start *= factor;
  }
  return start;
}

// A loop that has not settled after so many rounds has its bounds widened to those of the type.
constexpr int kPlainRounds = 3;
constexpr int kMostRounds = 12;  // then nothing is known of any value
// What a body that only counts or chooses needs.
constexpr int kFoldRounds = 4;

class Analysis {
 public:
  explicit Analysis(const graph::Function& function) : function_(function) {
    for (const graph::Shape& shape : function.value_shapes) {
      ranges_.push_back(RangeOfType(shape.type));
    }
  }

  Ranges Run() {
    VisitRegion(function_.body);
    return std::move(ranges_);
  }

 private:
  const IntegerRange& Of(Value value) const { return ranges_[static_cast<size_t>(value.id)]; }
  IntegerRange TypeOf(Value value) const { return RangeOfType(function_.shape(value).type); }
  Ranges Of(const std::vector<Value>& values) const {
    Ranges ranges;
    for (const Value value : values) ranges.push_back(Of(value));
    return ranges;
  }
  int64_t Count(Value value) const { return function_.shape(value).ElementCount(); }

  // What does not fit wraps: nothing is known then.
  void Set(Value value, const IntegerRange& range) {
    const IntegerRange type = TypeOf(value);
    const auto join = joins_.find(value);
    ranges_[static_cast<size_t>(value.id)] = join != joins_.end() ? join->second
                                             : type.Holds(range) ? range
                                                                 : type;
  }

  // The region's results.
  Ranges VisitRegion(const Region& region) {
    for (const Op& op : region.ops) Visit(op);
    return Of(region.ops.back().operands);
  }

  void Visit(const Op& op) {
    switch (op.opcode) {
      case Opcode::kReduce:
      case Opcode::kReduceWindow:
      case Opcode::kScatter:
      case Opcode::kSelectAndScatter: VisitFold(op); return;
      case Opcode::kSort: VisitSort(op); return;
      case Opcode::kMap: {
        const Region& region = op.regions[0];
        for (size_t i = 0; i < op.operands.size(); ++i) Set(region.arguments[i], Of(op.operands[i]));
        Set(op.result(), VisitRegion(region)[0]);
        return;
      }
      case Opcode::kIf:
      case Opcode::kCase: VisitBranches(op); return;
      case Opcode::kWhile: VisitWhile(op); return;
      case Opcode::kOptimizationBarrier:
        for (size_t i = 0; i < op.results.size(); ++i) Set(op.results[i], Of(op.operands[i]));
        return;
      default: break;
    }
    for (const Region& region : op.regions) VisitRegion(region);
    if (op.results.size() != 1) return;
    std::vector<IntegerOperand> operands;
    for (const Value value : op.operands) operands.push_back({function_.shape(value), Of(value)});
    const auto range = RangeOfResult(op, operands, function_.shape(op.result()));
    if (range) Set(op.result(), *range);
  }

  void VisitBranches(const Op& op) {
    for (size_t r = 0; r < op.regions.size(); ++r) {
      const Ranges results = VisitRegion(op.regions[r]);
      for (size_t i = 0; i < op.results.size(); ++i) {
        Set(op.results[i], r == 0 ? results[i] : Join(Of(op.results[i]), results[i]));
      }
    }
  }

  void VisitSort(const Op& op) {
    for (size_t i = 0; i < op.operands.size(); ++i) {
      Set(op.results[i], Of(op.operands[i]));
      for (size_t side = 0; side < 2; ++side) {
        Set(op.regions[0].arguments[2 * i + side], Of(op.operands[i]));
      }
    }
    VisitRegion(op.regions[0]);
  }

  // Operations that join elements by a region, two at a time, in any order.
  void VisitFold(const Op& op) {
    const size_t n = op.results.size();
    const bool is_scatter = op.opcode == Opcode::kScatter;
    const bool selects = op.opcode == Opcode::kSelectAndScatter;
    // Elements of result i are joined from these two operands.
    const auto first = [&](size_t i) { return op.operands[selects ? 1 : i]; };
    const auto second = [&](size_t i) {
      return op.operands[selects ? 2 : n + (is_scatter ? 1 : 0) + i];
    };
    if (selects) {
      for (const Value argument : op.regions[0].arguments) Set(argument, Of(op.operands[0]));
      VisitRegion(op.regions[0]);
    }
    const Region& region = op.regions.back();
    Ranges state;
    for (size_t i = 0; i < n; ++i) state.push_back(Join(Of(first(i)), Of(second(i))));
    const auto visit = [&] {
      for (size_t i = 0; i < n; ++i) {
        for (size_t side = 0; side < 2; ++side) Set(region.arguments[side * n + i], state[i]);
      }
      return VisitRegion(region);
    };
    const auto settled = [&](const Ranges& results) {
      bool all = true;
      for (size_t i = 0; i < n; ++i) all = all && state[i].Holds(results[i]);
      return all;
    };
    std::vector<Value> joins;
    for (size_t i = 0; i < n; ++i) {
      const Op* join = JoinOfArguments(region, i, n);
      if (join == nullptr) continue;
      // Every partial sum, or product, is one of some of the elements.
      const int64_t firsts = is_scatter ? 1 : Count(first(i));
      const int64_t seconds = is_scatter ? Updates(op) : InitialValues(op);
      IntegerRange all = {};
      if (join->opcode == Opcode::kAdd) {
        const IntegerRange a = Times(firsts, Of(first(i)));
        const IntegerRange b = Times(seconds, Of(second(i)));
        all = {a.lo + b.lo, a.hi + b.hi};
      } else {
        const __int128 most = Power(Power(1, Of(first(i)), firsts), Of(second(i)), seconds);
        all = {graph::IsUnsigned(function_.shape(op.results[i]).type) ? 0 : -most, most};
      }
      state[i] = TypeOf(op.results[i]).Holds(all) ? all : TypeOf(op.results[i]);
      joins_.emplace(join->result(), state[i]);
      joins.push_back(join->result());
    }
    Ranges results = visit();
    for (int round = 0; round < kFoldRounds && !settled(results); ++round) {
      for (size_t i = 0; i < n; ++i) state[i] = Join(state[i], results[i]);
      results = visit();
    }
    // What has not settled is anything, and what depends on it may be, too.
    for (size_t unsettled = 0; unsettled < n && !settled(results); ++unsettled) {
      for (size_t i = 0; i < n; ++i) {
        if (!state[i].Holds(results[i])) state[i] = TypeOf(op.results[i]);
      }
      results = visit();
    }
    for (const Value join : joins) joins_.erase(join);
    for (size_t i = 0; i < n; ++i) Set(op.results[i], state[i]);
  }

  // How often the initial value may be among the elements that are joined.
  static int64_t InitialValues(const Op& op) {
    if (op.opcode != Opcode::kReduceWindow) return 1;
    int64_t count = 1;  // and it pads the windows
    for (const int64_t d : op.As<graph::ReduceWindowAttributes>().window_dimensions) count *= d;
    return count + 1;
  }

  // How many updates an element of a scatter may meet: the places within one go to different ones.
  int64_t Updates(const Op& op) const {
    const graph::Shape& indices = function_.shape(op.operands[op.results.size()]);
    const auto along = static_cast<size_t>(op.As<graph::ScatterAttributes>().index_vector_dim);
    int64_t count = 1;
    for (size_t d = 0; d < indices.dims.size(); ++d) count *= d == along ? 1 : indices.dims[d];
    return count;
  }

  // The addition or product of arguments i and n + i, if the region returns it as result i.
  static const Op* JoinOfArguments(const Region& region, size_t i, size_t n) {
    const Value result = region.ops.back().operands[i];
    for (const Op& op : region.ops) {
      if (op.opcode != Opcode::kAdd && op.opcode != Opcode::kMultiply) continue;
      if (op.result() != result) continue;
      const Value a = region.arguments[i], b = region.arguments[n + i];
      const bool matches = (op.operands[0] == a && op.operands[1] == b) ||
                           (op.operands[0] == b && op.operands[1] == a);
      return matches ? &op : nullptr;
    }
    return nullptr;
  }

  // ---- while ----

  // What must hold of the loop's values for its body to run.
  void Refine(const Region& condition, Value holds, Ranges& state) const {
    const Op* definition = Defining(condition, holds);
    if (definition == nullptr) return;
    if (definition->opcode == Opcode::kAnd) {
      for (const Value part : definition->operands) Refine(condition, part, state);
    }
    if (definition->opcode != Opcode::kCompare) return;
    using graph::CompareDirection;
    const CompareDirection direction = definition->As<graph::CompareAttributes>().direction;
    const bool less = direction == CompareDirection::kLt || direction == CompareDirection::kLe;
    const bool greater = direction == CompareDirection::kGt || direction == CompareDirection::kGe;
    if (!less && !greater) return;
    const int strict =
        direction == CompareDirection::kLt || direction == CompareDirection::kGt ? 1 : 0;
    for (size_t side = 0; side < 2; ++side) {
      const auto argument = std::find(condition.arguments.begin(), condition.arguments.end(),
                                      definition->operands[side]);
      if (argument == condition.arguments.end()) continue;
      IntegerRange& range = state[static_cast<size_t>(argument - condition.arguments.begin())];
      const IntegerRange& other = Of(definition->operands[1 - side]);
      if (less == (side == 0)) {
        range.hi = std::max(range.lo, std::min(range.hi, other.hi - strict));
      } else {
        range.lo = std::min(range.hi, std::max(range.lo, other.lo + strict));
      }
    }
  }

  static const Op* Defining(const Region& region, Value value) {
    for (const Op& op : region.ops) {
      if (!op.results.empty() && op.result() == value) return &op;
    }
    return nullptr;
  }

  // One round: what the loop's values are afterwards, if `state` holds before it.
  Ranges Round(const Op& op, const Ranges& state) {
    const Region& condition = op.regions[0];
    const Region& body = op.regions[1];
    for (size_t i = 0; i < state.size(); ++i) Set(condition.arguments[i], state[i]);
    VisitRegion(condition);
    Ranges inside = state;
    Refine(condition, condition.ops.back().operands[0], inside);
    for (size_t i = 0; i < state.size(); ++i) Set(body.arguments[i], inside[i]);
    const Ranges after = VisitRegion(body);
    Ranges all;
    for (size_t i = 0; i < state.size(); ++i) all.push_back(Join(Of(op.operands[i]), after[i]));
    return all;
  }

  void VisitWhile(const Op& op) {
    Ranges state = Of(op.operands);
    const auto settled = [&](const Ranges& next) {
      bool all = true;
      for (size_t i = 0; i < state.size(); ++i) all = all && state[i].Holds(next[i]);
      return all;
    };
    Ranges next = Round(op, state);
    for (int round = 0; !settled(next); ++round) {
      for (size_t i = 0; i < state.size(); ++i) {
        const IntegerRange type = TypeOf(op.results[i]);
        const bool widens = round >= kPlainRounds;
        if (next[i].lo < state[i].lo) state[i].lo = widens ? type.lo : next[i].lo;
        if (next[i].hi > state[i].hi) state[i].hi = widens ? type.hi : next[i].hi;
        if (round >= kMostRounds) state[i] = type;
      }
      next = Round(op, state);
    }
    // What a round makes of bounds that hold does hold, and knows what the condition says.
    state = next;
    next = Round(op, state);
    if (settled(next)) state = next;
    Round(op, state);
    BoundSums(op, state);
    Round(op, state);
    for (size_t i = 0; i < state.size(); ++i) Set(op.results[i], state[i]);
  }

  // What each round adds to grows with the number of rounds, if a counter bounds that.
  void BoundSums(const Op& op, Ranges& state) {
    const std::optional<__int128> rounds = Rounds(op, state);
    if (!rounds) return;
    const Region& body = op.regions[1];
    for (size_t i = 0; i < state.size(); ++i) {
      const Op* sum = Defining(body, body.ops.back().operands[i]);
      if (sum == nullptr || sum->opcode != Opcode::kAdd) continue;
      for (size_t side = 0; side < 2; ++side) {
        if (sum->operands[side] != body.arguments[i]) continue;
        const IntegerRange added = Times(*rounds, Of(sum->operands[1 - side]));
        const IntegerRange total = {Of(op.operands[i]).lo + added.lo,
                                    Of(op.operands[i]).hi + added.hi};
        if (TypeOf(op.results[i]).Holds(total)) {
          state[i] = {std::max(state[i].lo, total.lo), std::min(state[i].hi, total.hi)};
        }
        break;
      }
    }
  }

  // How often the body runs at most: a counter rises by a constant and stays below a bound.
  std::optional<__int128> Rounds(const Op& op, const Ranges& state) const {
    const Region& condition = op.regions[0];
    const Region& body = op.regions[1];
    Ranges inside = state;
    for (size_t i = 0; i < state.size(); ++i) inside[i] = TypeOf(op.results[i]);
    Refine(condition, condition.ops.back().operands[0], inside);
    for (size_t i = 0; i < state.size(); ++i) {
      const Op* sum = Defining(body, body.ops.back().operands[i]);
      if (sum == nullptr || sum->opcode != Opcode::kAdd) continue;
      if (inside[i].hi == TypeOf(op.results[i]).hi) continue;
      for (size_t side = 0; side < 2; ++side) {
        const IntegerRange& step = Of(sum->operands[1 - side]);
        if (sum->operands[side] != body.arguments[i] || step.lo <= 0) continue;
        // It may not wrap on its way.
        if (!TypeOf(op.results[i]).Holds({0, inside[i].hi + step.hi})) continue;
        const __int128 distance = inside[i].hi - Of(op.operands[i]).lo;
        return distance < 0 ? 0 : distance / step.lo + 1;
      }
    }
    return std::nullopt;
  }

  const graph::Function& function_;
  Ranges ranges_;
  std::map<Value, IntegerRange> joins_;  // what a fold's sum or product can be at most
};

}  // namespace

IntegerRange RangeOfType(ElementType type) {
  if (type == ElementType::kI1) return {0, 1};
  if (!graph::IsInteger(type)) return {};
  const int bits = graph::BitWidth(type);
  const __int128 one = 1;
  if (graph::IsUnsigned(type)) return {0, (one << bits) - 1};
  return {-(one << (bits - 1)), (one << (bits - 1)) - 1};
}

std::vector<IntegerRange> IntegerRanges(const graph::Function& function) {
  return Analysis(function).Run();
}

}  // namespace systolith::compiler
