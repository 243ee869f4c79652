// 64-bit integers that may not fit 32 bits become pairs of words, wherever all that is done with
// them can be done so. What can't (division, conversions to floats ...) takes and gives whole
// integers: the words are moved together or apart.
#include <algorithm>
#include <array>
#include <map>
#include <utility>

#include "host/compiler/expand/expand.h"
#include "host/compiler/expand/expansion.h"
#include "host/compiler/expand/wide_arithmetic.h"
#include "host/graph/rewrite.h"

namespace systolith::compiler {
namespace {

// Operations that only move elements: the words go the same way. How many of the first operands
// are moved; the others (indices) say where.
size_t MovedOperands(const Op& op) {
  switch (op.opcode) {
    case Opcode::kBroadcastInDim:
    case Opcode::kDynamicSlice:
    case Opcode::kGather:
    case Opcode::kReshape:
    case Opcode::kReverse:
    case Opcode::kSlice:
    case Opcode::kTranspose: return 1;
    case Opcode::kDynamicUpdateSlice:
    case Opcode::kPad: return 2;
    case Opcode::kConcatenate:
    case Opcode::kOptimizationBarrier: return op.operands.size();
    default: return 0;
  }
}

bool IsControlFlow(Opcode opcode) {
  return opcode == Opcode::kWhile || opcode == Opcode::kIf || opcode == Opcode::kCase;
}

// Operations whose regions work on scalars, which may be several per element.
bool TakesSeveral(Opcode opcode) {
  return opcode == Opcode::kReduce || opcode == Opcode::kReduceWindow ||
         opcode == Opcode::kScatter || opcode == Opcode::kSort;
}

class Splitter {
 public:
  Splitter(graph::Function& function, const arch::ChipConfig& chip)
      : function_(function), chip_(chip) {}

  void Run() { Rewrite(function_.body); }

 private:
  bool IsWideValue(Value value) const { return IsWide(function_.shape(value).type); }
  bool HasWide(const Values& values) const {
    return std::any_of(values.begin(), values.end(), [&](Value v) { return IsWideValue(v); });
  }
  static Values First(const Values& values, size_t count) {
    return {values.begin(), values.begin() + static_cast<std::ptrdiff_t>(count)};
  }
  Value Word(Value wide) {
    return function_.NewValue({ElementType::kU32, function_.shape(wide).dims});
  }

  // Arguments of a region, wide ones as two; `in_pairs`: a sort's, which come two by two.
  void SplitArguments(Region& region, bool in_pairs) {
    Values arguments;
    const size_t step = in_pairs ? 2 : 1;
    for (size_t i = 0; i < region.arguments.size(); i += step) {
      if (!IsWideValue(region.arguments[i])) {
        for (size_t k = 0; k < step; ++k) arguments.push_back(region.arguments[i + k]);
        continue;
      }
      for (size_t k = 0; k < step; ++k) {
        const Value wide = region.arguments[i + k];
        words_[wide] = {Word(wide), Word(wide)};
      }
      for (size_t k = 0; k < step; ++k) arguments.push_back(words_[region.arguments[i + k]].low);
      for (size_t k = 0; k < step; ++k) arguments.push_back(words_[region.arguments[i + k]].high);
    }
    region.arguments = std::move(arguments);
  }

  Values SplitList(const Values& values, Expansion& to) {
    Values list;
    for (const Value value : values) {
      if (!IsWideValue(value)) {
        list.push_back(value);
        continue;
      }
      const WordPair words = WordsOf(value, to);
      list.push_back(words.low);
      list.push_back(words.high);
    }
    return list;
  }
  Values SplitResults(const Values& results) {
    Values list;
    for (const Value result : results) {
      if (!IsWideValue(result)) {
        list.push_back(result);
        continue;
      }
      words_[result] = {Word(result), Word(result)};
      list.push_back(words_[result].low);
      list.push_back(words_[result].high);
    }
    return list;
  }

  WordPair WordsOf(Value wide, Expansion& to) {
    const auto found = words_.find(wide);
    return found != words_.end() ? found->second : SplitWords(wide, to);
  }

  // Where an operation takes whole integers, those that are in words are put together.
  void Join(Values& values, Expansion& to) {
    for (Value& value : values) {
      const auto found = words_.find(value);
      if (found == words_.end()) continue;
      value = JoinWords(found->second, function_.shape(value).type, to);
    }
  }

  bool CanSplit(const Op& op) const {
    if (op.opcode == Opcode::kConstant || op.opcode == Opcode::kIota) return HasWide(op.results);
    if (IsControlFlow(op.opcode)) return true;
    const size_t moved = MovedOperands(op);
    if (moved > 0) return HasWide(First(op.operands, moved));
    if (TakesSeveral(op.opcode)) {
      if (!HasWide(op.results)) return false;
      for (const Op& nested : op.regions[0].ops) {
        const bool touches = HasWide(nested.operands) || HasWide(nested.results);
        if (touches && nested.opcode != Opcode::kReturn && !CanSplit(nested)) return false;
      }
      return graph::Captures(op).empty();
    }
    if (op.operands.empty() || op.results.size() != 1) return false;
    if (!HasWide(op.operands) && !HasWide(op.results)) return false;
    return HasWideRule(op, function_.shape(op.operands.back()).type,
                       function_.shape(op.result()).type);
  }

  void Rewrite(Region& region) {
    std::vector<Op> from = std::move(region.ops);
    region.ops.clear();
    for (Op& op : from) {
      Expansion to(function_, region.ops, op.location, chip_);
      if (!CanSplit(op)) {
        if (op.opcode == Opcode::kReturn && splits_returns_) {
          op.operands = SplitList(op.operands, to);
        } else {
          Join(op.operands, to);
        }
        for (Region& nested : op.regions) JoinCaptures(nested, to);
        region.ops.push_back(std::move(op));
        continue;
      }
      Split(op, to, region.ops);
    }
  }

  // A region that stays as it is may use what is in words here.
  void JoinCaptures(Region& region, Expansion& to) {
    for (const Value value : graph::Captures(region)) {
      if (!words_.contains(value)) continue;
      Values joined = {value};
      Join(joined, to);
      graph::ReplaceAllUses(region, value, joined[0]);
    }
  }

  void RewriteNested(Op& op) {
    const bool before = std::exchange(splits_returns_, true);
    for (Region& region : op.regions) {
      SplitArguments(region, op.opcode == Opcode::kSort);
      Rewrite(region);
    }
    splits_returns_ = before;
  }

  void Split(Op& op, Expansion& to, std::vector<Op>& ops) {
    if (op.opcode == Opcode::kConstant) return SplitConstant(op, to);
    if (op.opcode == Opcode::kIota) {
      const Dims dims = function_.shape(op.result()).dims;
      const Value low = to.builder().Iota({ElementType::kU32, dims},
                                          op.As<graph::DimensionAttributes>().dimension);
      words_[op.result()] = {low, to.Broadcast(to.Number(ElementType::kU32, 0), dims)};
      return;
    }
    if (IsControlFlow(op.opcode) || TakesSeveral(op.opcode)) {
      Op whole = std::move(op);
      if (whole.opcode == Opcode::kScatter) {
        const size_t inputs = whole.results.size();
        Values joined = {whole.operands[inputs]};
        Join(joined, to);
        Values updates(whole.operands.begin() + static_cast<std::ptrdiff_t>(inputs) + 1,
                       whole.operands.end());
        whole.operands = SplitList(First(whole.operands, inputs), to);
        whole.operands.push_back(joined[0]);
        for (const Value value : SplitList(updates, to)) whole.operands.push_back(value);
      } else {
        whole.operands = SplitList(whole.operands, to);
      }
      RewriteNested(whole);
      whole.results = SplitResults(whole.results);
      ops.push_back(std::move(whole));
      return;
    }
    if (MovedOperands(op) > 0) return SplitMovement(op, to, ops);
    std::vector<WideOperand> operands;
    for (const Value value : op.operands) {
      operands.push_back(IsWideValue(value) ? WideOperand{{}, WordsOf(value, to)}
                                            : WideOperand{value, {}});
    }
    const WideResult result =
        ApplyWide(op, operands, function_.shape(op.operands.back()).type,
                  function_.shape(op.result()).type, to);
    if (result.words) {
      words_[op.result()] = *result.words;
    } else {
      // Under its own name, so that what follows finds it.
      ops.push_back(Renamed(result.narrow, op.result()));
    }
  }

  // A barrier of one value would hold it; a reshape to the same shape is nothing.
  Op Renamed(Value from, Value to) const {
    Op op;
    op.opcode = Opcode::kReshape;
    op.operands = {from};
    op.results = {to};
    return op;
  }

  void SplitConstant(const Op& op, Expansion& to) {
    const graph::Literal& value = *op.As<graph::ConstantAttributes>().value;
    graph::Literal low(Shape{ElementType::kU32, value.dims()}), high = low;
    for (int64_t i = 0; i < value.size(); ++i) {
      const auto bits = static_cast<uint64_t>(value.GetInt(i));
      low.SetInt(i, static_cast<int64_t>(bits & 0xffffffff));
      high.SetInt(i, static_cast<int64_t>(bits >> 32));
    }
    words_[op.result()] = {to.Constant(std::move(low)), to.Constant(std::move(high))};
  }

  void SplitMovement(const Op& op, Expansion& to, std::vector<Op>& ops) {
    const size_t moved = MovedOperands(op);
    if (op.opcode == Opcode::kOptimizationBarrier) {
      Op whole = op;
      whole.operands = SplitList(whole.operands, to);
      whole.results = SplitResults(whole.results);
      ops.push_back(std::move(whole));
      return;
    }
    Values indices(op.operands.begin() + static_cast<std::ptrdiff_t>(moved), op.operands.end());
    Join(indices, to);
    std::array<Op, 2> halves = {op, op};
    for (size_t i = 0; i < moved; ++i) {
      const WordPair words = WordsOf(op.operands[i], to);
      halves[0].operands[i] = words.low;
      halves[1].operands[i] = words.high;
    }
    const WordPair words = {Word(op.result()), Word(op.result())};
    for (size_t h = 0; h < 2; ++h) {
      std::copy(indices.begin(), indices.end(),
                halves[h].operands.begin() + static_cast<std::ptrdiff_t>(moved));
      halves[h].results = {h == 0 ? words.low : words.high};
      ops.push_back(std::move(halves[h]));
    }
    words_[op.result()] = words;
  }

  graph::Function& function_;
  const arch::ChipConfig& chip_;
  std::map<Value, WordPair> words_;
  bool splits_returns_ = false;
};

}  // namespace

void SplitWideIntegersOf(graph::Function& function, const arch::ChipConfig& chip) {
  const bool has_wide =
      std::any_of(function.value_shapes.begin(), function.value_shapes.end(),
                  [](const Shape& shape) { return IsWide(shape.type); });
  if (!has_wide) return;
  ExpandWideOperations(function, chip);
  Splitter(function, chip).Run();
}

Status SplitWideIntegers(Compilation& compilation) {
  SplitWideIntegersOf(compilation.function(), compilation.chip);
  return OkStatus();
}

}  // namespace systolith::compiler
