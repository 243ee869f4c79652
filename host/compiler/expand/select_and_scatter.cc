// select_and_scatter: first each window's place of the chosen element, as the number of its tap:
// a running choice over the taps, each of which is a slice. Then every result element joins the
// source of those windows that chose it, again one slice per tap. Windows that are `stride` apart
// see result elements of one remainder modulo `stride` through the same taps, so there is a tensor
// per remainder; they are interleaved at the end.
#include <algorithm>

#include "host/compiler/expand/expansion.h"

namespace systolith::compiler {
namespace {

using graph::CompareDirection;
using graph::Literal;

// Calls `visit` for every index below `dims`, in row-major order, until it returns false.
template <typename Visit>
bool ForEachIndex(const Dims& dims, const Visit& visit) {
  const int64_t count = graph::Product(dims);
  for (int64_t i = 0; i < count; ++i) {
    Dims index(dims.size());
    int64_t rest = i;
    for (size_t d = dims.size(); d-- > 0; rest /= dims[d]) index[d] = rest % dims[d];
    if (!visit(index, i)) return false;
  }
  return true;
}

class SelectAndScatter {
 public:
  SelectAndScatter(const Op& op, Expansion& to)
      : op_(op), window_(op.As<graph::SelectAndScatterAttributes>()), to_(to),
        operand_(to.dims(op.operands[0])), source_(to.dims(op.operands[1])),
        rank_(operand_.size()) {}

  std::optional<Values> Run() {
    const Value init = op_.operands[2];
    if (graph::Product(operand_) == 0 || graph::Product(source_) == 0) {
      return Values{to_.Broadcast(init, operand_)};
    }
    for (size_t d = 0; d < rank_; ++d) {
      phases_.push_back(std::min(window_.window_strides[d], operand_[d]));
      lengths_.push_back((operand_[d] + phases_[d] - 1) / phases_[d]);
    }
    if (!Choose()) return std::nullopt;
    PadForScatter();
    Values parts;
    const bool is_done = ForEachIndex(phases_, [&](const Dims& phase, int64_t) {
      const std::optional<Value> part = Phase(phase);
      if (part) parts.push_back(*part);
      return part.has_value();
    });
    if (!is_done) return std::nullopt;
    return Values{Interleave(parts)};
  }

 private:
  // A tap of all windows: tensor[start + i * stride] for every window i.
  Value Tap(Value padded, const Dims& tap) {
    Dims limit(rank_);
    for (size_t d = 0; d < rank_; ++d) {
      limit[d] = tap[d] + (source_[d] - 1) * window_.window_strides[d] + 1;
    }
    if (tap == Dims(rank_, 0) && limit == to_.dims(padded)) return padded;
    return to_.builder().Slice(padded, tap, limit, window_.window_strides);
  }

  // Which windows have an element under the tap; nullopt: all.
  std::optional<Value> Inside(const Dims& tap) {
    std::vector<std::vector<bool>> inside(rank_);
    Dims dims(rank_, 1);
    for (size_t d = 0; d < rank_; ++d) {
      for (int64_t i = 0; i < source_[d]; ++i) {
        const int64_t at = i * window_.window_strides[d] + tap[d] - window_.padding_low[d];
        inside[d].push_back(at >= 0 && at < operand_[d]);
      }
      const bool is_all = std::find(inside[d].begin(), inside[d].end(), false) == inside[d].end();
      if (!is_all) dims[d] = source_[d];
    }
    if (graph::Product(dims) == 1 && dims == Dims(rank_, 1)) {
      bool outside = false;
      for (const auto& list : inside) outside = outside || !list[0];
      if (!outside) return std::nullopt;
    }
    Literal mask(Shape{ElementType::kI1, dims});
    ForEachIndex(dims, [&](const Dims& index, int64_t i) {
      bool value = true;
      for (size_t d = 0; d < rank_; ++d) {
        value = value && inside[d][static_cast<size_t>(index[d])];
      }
      mask.SetInt(i, value);
      return true;
    });
    Dims map(rank_);
    for (size_t d = 0; d < rank_; ++d) map[d] = static_cast<int64_t>(d);
    return to_.BroadcastInDim(to_.Constant(std::move(mask)), source_, map);
  }

  // chosen_: the number of the tap that each window chooses, -1 where there is padding only.
  bool Choose() {
    const Value padded =
        to_.Pad(op_.operands[0], to_.Number(to_.type(op_.operands[0]), 0), window_.padding_low,
                window_.padding_high, Dims(rank_, 0));
    Value best;
    return ForEachIndex(window_.window_dimensions, [&](const Dims& tap, int64_t number) {
      const Value value = Tap(padded, tap);
      const std::optional<Value> inside = Inside(tap);
      const Value here = to_.Number(ElementType::kS32, static_cast<double>(number));
      if (number == 0) {
        best = value;
        chosen_ = inside ? to_.Select(*inside, here, to_.Number(ElementType::kS32, -1))
                         : to_.Broadcast(here, source_);
        is_sure_ = !inside;
        return true;
      }
      const std::optional<Values> keeps = to_.Apply(op_.regions[0], {best, value});
      if (!keeps) return false;
      Value takes = to_.Unary(Opcode::kNot, (*keeps)[0]);
      if (!is_sure_) {
        const Value none =
            to_.Compare(CompareDirection::kLt, chosen_, to_.Number(ElementType::kS32, 0));
        takes = to_.Binary(Opcode::kOr, takes, none);
      }
      if (inside) takes = to_.Binary(Opcode::kAnd, takes, *inside);
      best = to_.Select(takes, value, best);
      chosen_ = to_.Select(takes, here, chosen_);
      is_sure_ = is_sure_ || !inside;
      return true;
    });
  }

  // The window that sees element `phase` of each stride through `tap` is number
  // (element - tap + padding) / stride; windows beyond the first and last have chosen nothing.
  void PadForScatter() {
    low_.assign(rank_, 0);
    Dims high(rank_, 0);
    for (size_t d = 0; d < rank_; ++d) {
      const int64_t stride = window_.window_strides[d];
      low_[d] = std::max<int64_t>(
          0, (window_.window_dimensions[d] - 1 - window_.padding_low[d] + stride - 1) / stride);
      const int64_t last = (phases_[d] * lengths_[d] - 1 + window_.padding_low[d]) / stride;
      high[d] = std::max<int64_t>(0, last - (source_[d] - 1));
    }
    const Dims zeros(rank_, 0);
    chosen_ = to_.Pad(chosen_, to_.Number(ElementType::kS32, -1), low_, high, zeros);
    values_ = to_.Pad(op_.operands[1], to_.Number(to_.type(op_.operands[1]), 0), low_, high, zeros);
  }

  // The elements phase, phase + stride ... of the result. Windows join in row-major order: those
  // with the highest tap first.
  std::optional<Value> Phase(const Dims& phase) {
    Value sum = to_.Broadcast(op_.operands[2], lengths_);
    const Dims& window = window_.window_dimensions;
    const int64_t taps = graph::Product(window);
    const bool is_done = ForEachIndex(window, [&](const Dims& mirrored, int64_t i) {
      Dims start(rank_), limit(rank_);
      for (size_t d = 0; d < rank_; ++d) {
        const int64_t tap = window_.window_dimensions[d] - 1 - mirrored[d];
        const int64_t shift = phase[d] - tap + window_.padding_low[d];
        const int64_t stride = window_.window_strides[d];
        if ((shift % stride + stride) % stride != 0) return true;
        start[d] = low_[d] + FloorDivide(shift, stride);
        limit[d] = start[d] + lengths_[d];
      }
      const Value number = to_.Number(ElementType::kS32, static_cast<double>(taps - 1 - i));
      const Value hits = to_.Compare(CompareDirection::kEq, Window(chosen_, start, limit), number);
      const std::optional<Values> joined =
          to_.Apply(op_.regions[1], {sum, Window(values_, start, limit)});
      if (!joined) return false;
      sum = to_.Select(hits, (*joined)[0], sum);
      return true;
    });
    return is_done ? std::optional(sum) : std::nullopt;
  }

  static int64_t FloorDivide(int64_t a, int64_t b) { return (a - ((a % b + b) % b)) / b; }

  Value Window(Value padded, const Dims& start, const Dims& limit) {
    if (start == Dims(rank_, 0) && limit == to_.dims(padded)) return padded;
    return to_.builder().Slice(padded, start, limit, Dims(rank_, 1));
  }

  // The parts hold elements phase, phase + stride ..., the last dimension's phase fastest. One
  // dimension after the other is put together, so that what lies inside of it moves in one piece.
  Value Interleave(Values parts) {
    for (size_t d = rank_; d-- > 0;) {
      const auto count = static_cast<size_t>(phases_[d]);
      if (count == 1) continue;
      Values joined;
      for (size_t first = 0; first < parts.size(); first += count) {
        Dims dims = to_.dims(parts[first]);
        dims.insert(dims.begin() + static_cast<ptrdiff_t>(d) + 1, 1);
        Values columns;
        for (size_t i = 0; i < count; ++i) {
          columns.push_back(to_.Reshape(parts[first + i], dims));
        }
        const Value stacked = to_.Concatenate(columns, d + 1);
        dims.erase(dims.begin() + static_cast<ptrdiff_t>(d) + 1);
        dims[d] *= phases_[d];
        joined.push_back(to_.Slice(to_.Reshape(stacked, dims), d, 0, operand_[d]));
      }
      parts = std::move(joined);
    }
    return parts[0];
  }

  const Op& op_;
  const graph::SelectAndScatterAttributes& window_;
  Expansion& to_;
  const Dims operand_, source_;
  const size_t rank_;
  Value chosen_, values_;
  bool is_sure_ = false;  // every window has chosen
  Dims low_;
  Dims phases_, lengths_;  // of the result: `stride` remainders, of so many elements
};

}  // namespace

std::optional<Values> ExpandSelectAndScatter(const Op& op, Expansion& to) {
  return SelectAndScatter(op, to).Run();
}

}  // namespace systolith::compiler
