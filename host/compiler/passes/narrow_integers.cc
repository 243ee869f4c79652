// 64-bit integers that fit become 32-bit ones. Whether they fit is a question of ranges
// (integer_ranges.h); what has to have one type, such as a loop's value before, in and after the
// loop, is narrowed together or not at all. Where narrow meets wide there is a convert.
#include <algorithm>
#include <functional>

#include "host/compiler/passes/integer_ranges.h"
#include "host/compiler/passes/passes.h"
#include "host/compiler/passes/reduction_identities.h"
#include "host/graph/builder.h"
#include "host/graph/rewrite.h"

namespace systolith::compiler {
namespace {

using graph::ElementType;
using graph::Op;
using graph::Opcode;
using graph::Region;
using graph::Value;

ElementType Narrowed(ElementType type) {
  if (type == ElementType::kS64) return ElementType::kS32;
  if (type == ElementType::kU64) return ElementType::kU32;
  return type;
}

bool IsWide(ElementType type) { return Narrowed(type) != type; }

// Positions of an operation whose values have one type.
struct Tie {
  std::vector<size_t> operands, results;
  struct InRegion {
    size_t region, position;
  };
  std::vector<InRegion> arguments, yields;
};

// Ties of the operands and results of an operation; those of operations that must stay wide are not
// among them.
std::vector<Tie> TiesOf(const Op& op) {
  std::vector<Tie> ties;
  const size_t n = op.results.size();
  const auto range = [](size_t begin, size_t end) {
    std::vector<size_t> all;
    for (size_t i = begin; i < end; ++i) all.push_back(i);
    return all;
  };
  switch (op.opcode) {
    case Opcode::kConstant:           // is there in either type
    case Opcode::kCountLeadingZeros:  // counts the type's bits
    case Opcode::kBitcastConvert:
    case Opcode::kRngBitGenerator:
    case Opcode::kCall:
    case Opcode::kComposite:
    case Opcode::kCustomCall:
    case Opcode::kReturn: return {};
    case Opcode::kConvert:
      return {{{0}, {}, {}, {}}, {{}, {0}, {}, {}}};
    case Opcode::kDynamicSlice:
      return {{{0}, {0}, {}, {}}, {range(1, op.operands.size()), {}, {}, {}}};
    case Opcode::kDynamicUpdateSlice:
      return {{{0, 1}, {0}, {}, {}}, {range(2, op.operands.size()), {}, {}, {}}};
    case Opcode::kGather: return {{{0}, {0}, {}, {}}, {{1}, {}, {}, {}}};
    case Opcode::kReduce:
    case Opcode::kReduceWindow:
      for (size_t i = 0; i < n; ++i) {
        ties.push_back({{i, n + i}, {i}, {{0, i}, {0, n + i}}, {{0, i}}});
      }
      return ties;
    case Opcode::kScatter:
      for (size_t i = 0; i < n; ++i) {
        ties.push_back({{i, n + 1 + i}, {i}, {{0, i}, {0, n + i}}, {{0, i}}});
      }
      ties.push_back({{n}, {}, {}, {}});
      return ties;
    case Opcode::kSelectAndScatter:
      return {{{0, 1, 2}, {0}, {{0, 0}, {0, 1}, {1, 0}, {1, 1}}, {{1, 0}}}};
    case Opcode::kSort:
      for (size_t i = 0; i < n; ++i) ties.push_back({{i}, {i}, {{0, 2 * i}, {0, 2 * i + 1}}, {}});
      return ties;
    case Opcode::kMap:
      for (size_t i = 0; i < op.operands.size(); ++i) ties.push_back({{i}, {}, {{0, i}}, {}});
      ties.push_back({{}, {0}, {}, {{0, 0}}});
      return ties;
    case Opcode::kWhile:
      for (size_t i = 0; i < n; ++i) ties.push_back({{i}, {i}, {{0, i}, {1, i}}, {{1, i}}});
      return ties;
    case Opcode::kIf:
    case Opcode::kCase:
      for (size_t i = 0; i < n; ++i) {
        Tie tie{{}, {i}, {}, {}};
        for (size_t r = 0; r < op.regions.size(); ++r) tie.yields.push_back({r, i});
        ties.push_back(std::move(tie));
      }
      return ties;
    case Opcode::kOptimizationBarrier:
      for (size_t i = 0; i < n; ++i) ties.push_back({{i}, {i}, {}, {}});
      return ties;
    default:
      if (!op.regions.empty() || n != 1) return {};
      return {{range(0, op.operands.size()), {0}, {}, {}}};
  }
}

class Narrower {
 public:
  explicit Narrower(graph::Function& function)
      : function_(function), ranges_(IntegerRanges(function)) {
    for (const graph::Shape& shape : function.value_shapes) types_.push_back(shape.type);
    needs_wide_.resize(types_.size(), false);
    needs_narrow_.resize(types_.size(), false);
    other_.resize(types_.size());
    is_narrow_.resize(types_.size(), false);
  }

  void Run() {
    Decide(function_.body);
    Rewrite(function_.body);
  }

 private:
  static size_t Index(Value value) { return static_cast<size_t>(value.id); }
  bool IsWideValue(Value value) const { return IsWide(types_[Index(value)]); }

  bool Fits(Value value) const {
    return RangeOfType(Narrowed(types_[Index(value)])).Holds(ranges_[Index(value)]);
  }

  static std::vector<Value> ValuesOf(const Op& op, const Tie& tie) {
    std::vector<Value> values;
    for (const size_t i : tie.operands) values.push_back(op.operands[i]);
    for (const size_t i : tie.results) values.push_back(op.results[i]);
    for (const auto& [r, i] : tie.arguments) values.push_back(op.regions[r].arguments[i]);
    for (const auto& [r, i] : tie.yields) values.push_back(op.regions[r].ops.back().operands[i]);
    return values;
  }

  // What only moves numbers moves wide ones as well.
  static bool OnlyMoves(Opcode opcode) {
    switch (opcode) {
      case Opcode::kBroadcastInDim:
      case Opcode::kConcatenate:
      case Opcode::kDynamicSlice:
      case Opcode::kDynamicUpdateSlice:
      case Opcode::kGather:
      case Opcode::kOptimizationBarrier:
      case Opcode::kPad:
      case Opcode::kReshape:
      case Opcode::kReverse:
      case Opcode::kSlice:
      case Opcode::kTranspose: return true;
      default: return false;
    }
  }

  // Whether the tie's values are all narrow in the rewritten operation.
  bool Narrows(const Op& op, const Tie& tie) const {
    bool any = false;
    if (OnlyMoves(op.opcode) && !tie.results.empty() &&
        std::none_of(tie.operands.begin(), tie.operands.end(),
                     [&](size_t i) { return is_narrow_[Index(op.operands[i])]; })) {
      return false;
    }
    for (const Value value : ValuesOf(op, tie)) {
      if (!IsWideValue(value)) continue;
      any = true;
      if (!Fits(value)) return false;
    }
    // The bits of a negative number's sign count, too.
    if (op.opcode == Opcode::kPopcnt) return any && ranges_[Index(op.operands[0])].lo >= 0;
    return any;
  }

  // Notes which operands and results are narrow, before anything changes.
  void Decide(const Region& region, const std::vector<bool>& yields_narrow = {}) {
    for (const Op& op : region.ops) {
      std::vector<bool> operands(op.operands.size(), false);
      std::vector<std::vector<bool>> yields;
      for (const Region& nested : op.regions) {
        yields.emplace_back(nested.ops.back().operands.size(), false);
      }
      for (const Tie& tie : TiesOf(op)) {
        if (!Narrows(op, tie)) continue;
        for (const size_t i : tie.operands) operands[i] = true;
        for (const size_t i : tie.results) is_narrow_[Index(op.results[i])] = true;
        for (const auto& [r, i] : tie.arguments) {
          is_narrow_[Index(op.regions[r].arguments[i])] = true;
        }
        for (const auto& [r, i] : tie.yields) yields[r][i] = true;
      }
      if (op.opcode == Opcode::kReturn && !yields_narrow.empty()) operands = yields_narrow;
      for (size_t i = 0; i < operands.size(); ++i) {
        (operands[i] ? needs_narrow_ : needs_wide_)[Index(op.operands[i])] = true;
      }
      narrow_operands_.push_back(std::move(operands));
      for (size_t r = 0; r < op.regions.size(); ++r) Decide(op.regions[r], yields[r]);
    }
  }

  // The value's type changes if it is narrow; what else is needed is a convert of it.
  void Define(Value value, graph::Builder& builder) {
    if (!IsWideValue(value)) return;
    const ElementType wide = types_[Index(value)];
    const bool narrow = is_narrow_[Index(value)];
    if (narrow) function_.value_shapes[Index(value)].type = Narrowed(wide);
    const bool needs_other = narrow ? needs_wide_[Index(value)] : needs_narrow_[Index(value)];
    if (needs_other) other_[Index(value)] = builder.Convert(value, narrow ? wide : Narrowed(wide));
  }

  // A constant is there in both types without a convert.
  void DefineConstant(const Op& op, graph::Builder& builder) {
    const Value value = op.result();
    const graph::Literal& wide = *op.As<graph::ConstantAttributes>().value;
    if (!IsWideValue(value) || !needs_narrow_[Index(value)]) return;
    graph::Literal narrow({Narrowed(wide.type()), wide.dims()});
    for (int64_t i = 0; i < wide.size(); ++i) narrow.SetInt(i, wide.GetInt(i));
    other_[Index(value)] = builder.Constant(std::move(narrow));
  }

  void Rewrite(Region& region) {
    std::vector<Op> ops;
    graph::Builder builder(function_, ops);
    builder.SetLocation(region.ops.front().location);
    for (const Value argument : region.arguments) Define(argument, builder);
    for (Op& op : region.ops) {
      builder.SetLocation(op.location);
      const std::vector<bool>& narrow = narrow_operands_[next_++];
      for (size_t i = 0; i < op.operands.size(); ++i) {
        Value& operand = op.operands[i];
        if (IsWideValue(operand) && narrow[i] != is_narrow_[Index(operand)]) {
          operand = other_[Index(operand)];
        }
      }
      for (Region& nested : op.regions) Rewrite(nested);
      if (op.opcode == Opcode::kConstant) {
        const bool needed = !IsWideValue(op.result()) || needs_wide_[Index(op.result())];
        DefineConstant(op, builder);
        if (needed) ops.push_back(std::move(op));
        continue;
      }
      const std::vector<Value> results = op.results;
      ops.push_back(std::move(op));
      for (const Value result : results) Define(result, builder);
    }
    region.ops = std::move(ops);
  }

  graph::Function& function_;
  const std::vector<IntegerRange> ranges_;  // this and the next: by value id, as it was
  std::vector<ElementType> types_;
  std::vector<bool> is_narrow_;  // the value itself
  std::vector<bool> needs_wide_, needs_narrow_;
  std::vector<Value> other_;  // the same number in the other type
  std::vector<std::vector<bool>> narrow_operands_;  // by operation, in the order of the walk
  size_t next_ = 0;
};

// A convert of a type to itself is none.
void EraseEqualConverts(graph::Function& function) {
  std::vector<std::pair<Value, Value>> same;
  const std::function<void(Region&)> erase = [&](Region& region) {
    std::erase_if(region.ops, [&](const Op& op) {
      if (op.opcode != Opcode::kConvert ||
          function.shape(op.operands[0]) != function.shape(op.result())) {
        return false;
      }
      same.emplace_back(op.result(), op.operands[0]);
      return true;
    });
    for (Op& op : region.ops) {
      for (Region& nested : op.regions) erase(nested);
    }
  };
  erase(function.body);
  std::vector<Value> replacement(function.value_shapes.size());
  for (const auto& [from, to] : same) replacement[static_cast<size_t>(from.id)] = to;
  graph::ForEachOp(function.body, [&](Op& op) {
    for (Value& operand : op.operands) {
      while (replacement[static_cast<size_t>(operand.id)].valid()) {
        operand = replacement[static_cast<size_t>(operand.id)];
      }
    }
  });
}

}  // namespace

Status NarrowIntegers(Compilation& compilation) {
  graph::Function& function = compilation.function();
  if (std::none_of(function.value_shapes.begin(), function.value_shapes.end(),
                   [](const graph::Shape& shape) { return IsWide(shape.type); })) {
    return OkStatus();
  }
  ShrinkIdentities(function);
  Narrower(function).Run();
  EraseEqualConverts(function);
  return OkStatus();
}

}  // namespace systolith::compiler
