// sort as a network of compare-exchange stages, each a few operations on whole tensors. A line of a
// power of two elements is merged from two of half the length: element i meets its mirror image
// i xor (2m-1), then i xor j for j = m/2 ... 1. The partner of every element is a reversed view of
// the tensor, so that a stage is: does it come before me? Who wants the other one?
//
// Two positions of one pair decide alike only if the order has no ties. Ties are broken by the
// element's place in the input, which makes the result stable; behind the end of the line are
// elements that come last.
#include <algorithm>
#include <bit>

#include "host/compiler/expand/expansion.h"

namespace systolith::compiler {
namespace {

using graph::CompareDirection;

// Whether equal elements are equal in every bit, so that their order can't be seen: one operand of
// integers, compared as they are.
bool HasVisibleTies(const Op& op, ElementType type) {
  const Region& body = op.regions[0];
  const bool is_compare = op.operands.size() == 1 && !graph::IsFloat(type) &&
                          body.ops.size() == 2 && body.ops[0].opcode == Opcode::kCompare;
  if (!is_compare) return true;
  const CompareDirection direction = body.ops[0].As<graph::CompareAttributes>().direction;
  const bool is_strict = direction == CompareDirection::kLt || direction == CompareDirection::kGt;
  return !is_strict || body.ops[0].operands[0] == body.ops[0].operands[1];
}

class Sorter {
 public:
  // `length` elements along dimension 0, of which the first `count` are to be sorted. The last of
  // `operands` is the place if there are ties to break.
  Sorter(const Region& less, bool has_place, int64_t count, Expansion& to)
      : less_(less), has_place_(has_place), count_(count), to_(to) {}

  std::optional<Values> Run(Values values) {
    length_ = to_.size(values[0], 0);
    dims_ = to_.dims(values[0]);
    for (int64_t merged = 2; merged <= length_; merged *= 2) {
      if (!Stage(values, merged / 2, {1, 2})) return std::nullopt;
      for (int64_t distance = merged / 4; distance > 0; distance /= 2) {
        if (!Stage(values, distance, {1})) return std::nullopt;
      }
    }
    return values;
  }

 private:
  // The two halves of blocks of 2 * `distance` elements meet, reversed along `reversed` of
  // [blocks, 2, distance, ...].
  bool Stage(Values& values, int64_t distance, const Dims& reversed) {
    Dims split(dims_.begin() + 1, dims_.end());
    split.insert(split.begin(), {length_ / (2 * distance), 2, distance});
    Values own, other;
    for (const Value value : values) {
      own.push_back(to_.Reshape(value, split));
      other.push_back(to_.builder().Reverse(own.back(), reversed));
    }
    const std::optional<Value> before = Precedes(other, own);
    if (!before) return false;
    const Value is_low = to_.BroadcastInDim(IsLow(), split, {1});
    const Value takes = to_.Compare(CompareDirection::kEq, *before, is_low);
    for (size_t i = 0; i < values.size(); ++i) {
      values[i] = to_.Reshape(to_.Select(takes, other[i], own[i]), dims_);
    }
    return true;
  }

  Value IsLow() {
    if (!is_low_.valid()) {
      graph::Literal literal(Shape{ElementType::kI1, {2}});
      literal.SetInt(0, 1);
      is_low_ = to_.Constant(std::move(literal));
    }
    return is_low_;
  }

  // The strict order of a and b: that of the region, then that of the places.
  std::optional<Value> Precedes(const Values& a, const Values& b) {
    const std::optional<Value> less = Less(a, b);
    if (!less || !has_place_) return less;
    const std::optional<Value> greater = Less(b, a);
    if (!greater) return std::nullopt;
    const Value earlier = to_.Compare(CompareDirection::kLt, a.back(), b.back());
    const Value differ = to_.Compare(CompareDirection::kNe, *less, *greater);
    const Value precedes = to_.Select(differ, *less, earlier);
    if (count_ == length_) return precedes;
    const Value end = to_.Number(ElementType::kS32, static_cast<double>(count_));
    const Value inside = to_.Compare(CompareDirection::kLt, a.back(), end);
    const Value beyond = to_.Compare(CompareDirection::kGe, b.back(), end);
    return to_.Binary(Opcode::kAnd, inside, to_.Binary(Opcode::kOr, beyond, precedes));
  }

  std::optional<Value> Less(const Values& a, const Values& b) {
    Values arguments;
    for (size_t i = 0; i < less_.arguments.size() / 2; ++i) {
      arguments.push_back(a[i]);
      arguments.push_back(b[i]);
    }
    const std::optional<Values> less = to_.Apply(less_, arguments);
    return less ? std::optional((*less)[0]) : std::nullopt;
  }

  const Region& less_;
  const bool has_place_;
  const int64_t count_;
  Expansion& to_;
  int64_t length_ = 0;
  Dims dims_;
  Value is_low_;
};

}  // namespace

std::optional<Values> ExpandSort(const Op& op, Expansion& to) {
  const auto dimension = static_cast<size_t>(op.As<graph::SortAttributes>().dimension);
  const Dims& dims = to.dims(op.operands[0]);
  const int64_t count = dims[dimension];
  if (graph::Product(dims) == 0 || count == 1) return op.operands;
  const auto length = static_cast<int64_t>(std::bit_ceil(static_cast<uint64_t>(count)));
  const bool has_place = count != length || HasVisibleTies(op, to.type(op.operands[0]));

  // The sorted dimension becomes the first one: the others are moved in one piece.
  Dims order;
  for (size_t d = 0; d < dims.size(); ++d) order.push_back(static_cast<int64_t>(d));
  std::rotate(order.begin(), order.begin() + static_cast<ptrdiff_t>(dimension),
              order.begin() + static_cast<ptrdiff_t>(dimension) + 1);
  Dims zeros(dims.size(), 0), high = zeros;
  high[0] = length - count;
  Values values;
  for (const Value operand : op.operands) {
    values.push_back(to.Pad(to.Transpose(operand, order), to.Number(to.type(operand), 0), zeros,
                            high, zeros));
  }
  if (has_place) {
    Dims place = to.dims(values[0]);
    values.push_back(to.builder().Iota(Shape{ElementType::kS32, place}, 0));
  }
  std::optional<Values> sorted = Sorter(op.regions[0], has_place, count, to).Run(values);
  if (!sorted) return std::nullopt;
  Dims back(dims.size());
  for (size_t d = 0; d < dims.size(); ++d) {
    back[static_cast<size_t>(order[d])] = static_cast<int64_t>(d);
  }
  sorted->resize(op.operands.size());
  for (Value& value : *sorted) value = to.Transpose(to.Slice(value, 0, 0, count), back);
  return sorted;
}

}  // namespace systolith::compiler
