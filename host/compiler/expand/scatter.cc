// scatter that has no kernel: a loop over the updates. Each turn takes a window out of the operands,
// joins it with the update and puts it back. Where every window starts is a table, made in advance.
//
// Window dimensions that the indices move may lie partly outside: the operand is padded by a window
// on both sides, and starts are clamped to that. Where such a dimension comes before a batch
// dimension of the updates, updates of one element would join in another order than they are
// listed; its places are turns of their own, and so is every window of one element: a place that is
// outside leaves what is there.
#include <algorithm>
#include <numeric>

#include "host/compiler/expand/expansion.h"
#include "host/compiler/expand/wide_arithmetic.h"
#include "host/compiler/passes/support.h"

namespace systolith::compiler {
namespace {

using graph::CompareDirection;

constexpr ElementType kIndex = ElementType::kS32;

bool Contains(const Dims& list, int64_t value) {
  return std::find(list.begin(), list.end(), value) != list.end();
}

class Scatter {
 public:
  Scatter(const Op& op, Expansion& to)
      : op_(op), scatter_(op.As<graph::ScatterAttributes>()), to_(to),
        inputs_(op.operands.size() / 2), dims_(to.dims(op.operands[0])),
        updates_(to.dims(op.operands[inputs_ + 1])) {}

  std::optional<Values> Run() {
    Values state(op_.operands.begin(), op_.operands.begin() + static_cast<ptrdiff_t>(inputs_));
    if (graph::Product(updates_) == 0 || graph::Product(dims_) == 0) return state;
    ChooseTurns();
    const int64_t count = graph::Product(turns_);
    const Value table = Table();
    Values updates;
    for (size_t i = 0; i < inputs_; ++i) {
      Dims listed = {count};
      listed.insert(listed.end(), window_.begin(), window_.end());
      const Value update = op_.operands[inputs_ + 1 + i];
      updates.push_back(to_.Reshape(to_.Transpose(update, update_order_), listed));
      state[i] = to_.Pad(state[i], to_.Number(to_.type(state[i]), 0), padding_, padding_,
                         Dims(dims_.size(), 0));
    }
    bool is_elementwise = true;
    state = to_.Repeat(count, state, [&](Expansion& round, Value turn, const Values& carried) {
      const std::optional<Values> next = Turn(round, turn, table, updates, carried);
      is_elementwise = is_elementwise && next.has_value();
      return next.value_or(carried);
    });
    if (!is_elementwise) return std::nullopt;
    for (Value& value : state) {
      for (size_t d = 0; d < dims_.size(); ++d) {
        value = to_.Slice(value, d, padding_[d], padding_[d] + dims_[d]);
      }
    }
    return state;
  }

 private:
  // Which dimensions of the updates are turns, in their order, and what a turn's window is.
  void ChooseTurns() {
    int64_t last_batch = -1;
    const auto rank = static_cast<int64_t>(updates_.size());
    for (int64_t u = 0; u < rank; ++u) {
      const bool is_batch = !Contains(scatter_.update_window_dims, u);
      if (is_batch && updates_[static_cast<size_t>(u)] > 1) last_batch = u;
    }
    window_.assign(dims_.size(), 1);
    padding_.assign(dims_.size(), 0);
    moves_along_.assign(dims_.size(), std::nullopt);
    Dims windowed, kept;
    for (int64_t d = 0; d < static_cast<int64_t>(dims_.size()); ++d) {
      if (!Contains(scatter_.inserted_window_dims, d) &&
          !Contains(scatter_.input_batching_dims, d)) {
        windowed.push_back(d);
      }
    }
    size_t next = 0;
    for (int64_t u = 0; u < rank; ++u) {
      const int64_t size = updates_[static_cast<size_t>(u)];
      const auto turn = static_cast<int64_t>(turns_.size());
      if (!Contains(scatter_.update_window_dims, u)) {
        batch_.push_back(turn);
      } else {
        const int64_t dimension = windowed[next++];
        const auto d = static_cast<size_t>(dimension);
        const bool is_moved = Contains(scatter_.scatter_dims_to_operand_dims, dimension);
        if (!is_moved || (u > last_batch && size > 1)) {
          window_[d] = size;
          padding_[d] = is_moved ? size : 0;
          kept.push_back(u);
          continue;
        }
        moves_along_[d] = turn;
      }
      turns_.push_back(size);
      update_order_.push_back(u);
    }
    update_order_.insert(update_order_.end(), kept.begin(), kept.end());
  }

  Value Number(int64_t value) { return to_.Number(kIndex, static_cast<double>(value)); }
  Value Minimum(Value x, Value y) { return to_.Binary(Opcode::kMinimum, x, y); }
  Value Maximum(Value x, Value y) { return to_.Binary(Opcode::kMaximum, x, y); }
  Value Turns(int64_t dimension) { return to_.builder().Iota({kIndex, turns_}, dimension); }

  // An index as s32, at most `limit` and, as far as it matters, at least -`limit`.
  Value Narrow(Value index, int64_t limit) {
    const ElementType type = to_.type(index);
    if (IsWide(type)) {
      const WordPair words = SplitWords(index, to_);
      const Value low = to_.Convert(words.low, kIndex), high = to_.Convert(words.high, kIndex);
      const Value sign = to_.Binary(Opcode::kShiftRightArithmetic, low, Number(31));
      const Value fits = to_.Compare(CompareDirection::kEq, high, sign);
      Value beyond = to_.Broadcast(Number(limit), to_.dims(high));
      if (graph::IsSigned(type)) {
        const Value is_negative = to_.Compare(CompareDirection::kLt, high, Number(0));
        beyond = to_.Select(is_negative, Number(-limit), beyond);
      } else {
        const Value is_positive = to_.Compare(CompareDirection::kGe, low, Number(0));
        const Value is_low = to_.Compare(CompareDirection::kEq, high, Number(0));
        return Minimum(to_.Select(to_.Binary(Opcode::kAnd, is_low, is_positive), low, beyond),
                       Number(limit));
      }
      index = to_.Select(fits, low, beyond);
    } else if (type == ElementType::kU32) {
      index = to_.Binary(Opcode::kMinimum, index, to_.Number(type, static_cast<double>(limit)));
    }
    return Maximum(Minimum(to_.Convert(index, kIndex), Number(limit)), Number(-limit));
  }

  // One number per turn from one component of the index vectors.
  Value Component(size_t component, int64_t limit) {
    const Value indices = op_.operands[inputs_];
    const auto vector = static_cast<size_t>(scatter_.index_vector_dim);
    Dims batch = to_.dims(indices);
    Value part = indices;
    if (vector < batch.size()) {
      const auto at = static_cast<int64_t>(component);
      part = to_.Slice(indices, vector, at, at + 1);
      batch.erase(batch.begin() + scatter_.index_vector_dim);
    }
    return to_.BroadcastInDim(Narrow(to_.Reshape(part, batch), limit), turns_, batch_);
  }

  // Per turn the start in each dimension of the padded operand and, if places may be outside, 0 for
  // those that are.
  Value Table() {
    Values columns(dims_.size());
    std::optional<Value> inside;
    const auto& moved = scatter_.scatter_dims_to_operand_dims;
    for (size_t i = 0; i < moved.size(); ++i) {
      const auto d = static_cast<size_t>(moved[i]);
      Value start = Component(i, dims_[d] + 1);
      if (padding_[d] > 0) {
        start = to_.Binary(Opcode::kAdd, Maximum(start, Number(-padding_[d])),
                           Number(padding_[d]));
        columns[d] = Minimum(start, Number(dims_[d] + padding_[d]));
        continue;
      }
      if (moves_along_[d]) start = to_.Binary(Opcode::kAdd, start, Turns(*moves_along_[d]));
      const Value is_inside =
          to_.Binary(Opcode::kAnd, to_.Compare(CompareDirection::kGe, start, Number(0)),
                     to_.Compare(CompareDirection::kLt, start, Number(dims_[d])));
      inside = inside ? to_.Binary(Opcode::kAnd, *inside, is_inside) : is_inside;
      columns[d] = Maximum(Minimum(start, Number(dims_[d] - 1)), Number(0));
    }
    for (size_t i = 0; i < scatter_.input_batching_dims.size(); ++i) {
      int64_t dimension = scatter_.scatter_indices_batching_dims[i];
      if (dimension > scatter_.index_vector_dim) --dimension;
      columns[static_cast<size_t>(scatter_.input_batching_dims[i])] =
          Turns(batch_[static_cast<size_t>(dimension)]);
    }
    has_outside_ = inside.has_value();
    if (inside) columns.push_back(to_.Convert(*inside, kIndex));
    for (Value& column : columns) {
      if (!column.valid()) column = to_.Broadcast(Number(0), turns_);
      column = to_.Reshape(column, {graph::Product(turns_), 1});
    }
    return columns.empty() ? Number(0) : to_.Concatenate(std::move(columns), 1);
  }

  static Value Take(Expansion& round, Value from, const Values& starts, const Dims& sizes) {
    Op op;
    op.opcode = Opcode::kDynamicSlice;
    op.operands = {from};
    op.operands.insert(op.operands.end(), starts.begin(), starts.end());
    op.attributes = graph::DynamicSliceAttributes{sizes};
    return round.builder().Append(std::move(op)).result();
  }
  static Value Put(Expansion& round, Value into, Value what, const Values& starts) {
    Op op;
    op.opcode = Opcode::kDynamicUpdateSlice;
    op.operands = {into, what};
    op.operands.insert(op.operands.end(), starts.begin(), starts.end());
    return round.builder().Append(std::move(op)).result();
  }

  std::optional<Values> Turn(Expansion& round, Value turn, Value table, const Values& updates,
                             const Values& carried) const {
    const size_t rank = dims_.size();
    const Value zero = round.Number(kIndex, 0);
    Values starts;
    std::optional<Value> inside;
    if (rank > 0) {
      const Value row = Take(round, table, {turn, zero}, {1, round.size(table, 1)});
      for (size_t d = 0; d < rank + (has_outside_ ? 1 : 0); ++d) {
        const auto at = static_cast<int64_t>(d);
        starts.push_back(round.Reshape(round.Slice(row, 1, at, at + 1), {}));
      }
      if (has_outside_) {
        inside = round.Compare(CompareDirection::kNe, starts.back(), zero);
        starts.pop_back();
      }
    }
    Values before, arguments;
    for (const Value value : carried) before.push_back(Take(round, value, starts, window_));
    arguments = before;
    for (const Value value : updates) {
      Values at(rank + 1, zero);
      at[0] = turn;
      Dims sizes = {1};
      sizes.insert(sizes.end(), window_.begin(), window_.end());
      arguments.push_back(round.Reshape(Take(round, value, at, sizes), window_));
    }
    std::optional<Values> next = round.Apply(op_.regions[0], arguments);
    if (!next) return std::nullopt;
    for (size_t i = 0; i < inputs_; ++i) {
      const Value joined = inside ? round.Select(*inside, (*next)[i], before[i]) : (*next)[i];
      (*next)[i] = Put(round, carried[i], joined, starts);
    }
    return next;
  }

  const Op& op_;
  const graph::ScatterAttributes& scatter_;
  Expansion& to_;
  const size_t inputs_;
  const Dims dims_, updates_;
  Dims turns_;         // sizes of the updates' dimensions that are turns
  Dims batch_;         // which of them are the indices' dimensions
  Dims update_order_;  // the updates' dimensions: turns, then windows
  Dims window_, padding_;  // per dimension of the operand
  std::vector<std::optional<int64_t>> moves_along_;  // the turn's dimension that is added to a start
  bool has_outside_ = false;
};

}  // namespace

std::optional<Values> ExpandScatter(const Op& op, Expansion& to) {
  const bool has_kernel = !IsWide(to.type(op.operands[op.operands.size() / 2])) &&
                          !WhyNotScatter(op, to.function(), to.chip());
  if (has_kernel) return std::nullopt;
  return Scatter(op, to).Run();
}

}  // namespace systolith::compiler
