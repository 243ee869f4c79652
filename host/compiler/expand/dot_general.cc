// dot_general of types that the matrix unit lacks. Small ones are multiplied out by the vector
// unit.
#include <algorithm>
#include <numeric>

#include "host/compiler/expand/product.h"
#include "host/compiler/expand/wide_arithmetic.h"

namespace systolith::compiler {
namespace {

// Up to so many single products the vector unit does it in one multiplication and one sum.
constexpr int64_t kFewProducts = 1 << 15;
// More than that would not fit anywhere.
constexpr int64_t kMaxProducts = 1 << 26;
// What a product of 64-bit integers needs on the way, in halves of its words: more than that must
// fit half of the memory.
constexpr int64_t kWideProductBytes = 64;

// Multiplies everything with everything, contracted dimensions outermost, and sums.
class MultipliedOut {
 public:
  MultipliedOut(const Op& op, Expansion& to)
      : op_(op), dot_(op.As<graph::DotGeneralAttributes>()), to_(to) {
    const Dims lhs = to.dims(op.operands[0]);
    for (const int64_t d : dot_.lhs_contracting) dims_.push_back(lhs[static_cast<size_t>(d)]);
    const Dims result = to.dims(op.result());
    dims_.insert(dims_.end(), result.begin(), result.end());
  }

  int64_t Products() const { return graph::Product(dims_); }

  Value Run() {
    const ElementType result = to_.type(op_.result());
    const bool is_float = graph::IsFloat(to_.type(op_.operands[0])) ||
                          graph::IsFloat(to_.type(op_.operands[1]));
    const ElementType type = IsWide(result) ? result
                             : is_float     ? ElementType::kF32
                                            : ElementType::kS32;
    const auto free = static_cast<int64_t>(to_.dims(op_.operands[0]).size() -
                                           dot_.lhs_contracting.size());
    const auto contracted = static_cast<int64_t>(dot_.lhs_contracting.size());
    const Value lhs = Spread(op_.operands[0], type, dot_.lhs_contracting, dot_.lhs_batching,
                             contracted + static_cast<int64_t>(dot_.lhs_batching.size()));
    const Value rhs = Spread(op_.operands[1], type, dot_.rhs_contracting, dot_.rhs_batching,
                             contracted + free);
    Dims reduced(dot_.lhs_contracting.size());
    std::iota(reduced.begin(), reduced.end(), 0);
    const Value sum = to_.Reduce(Opcode::kAdd, to_.Binary(Opcode::kMultiply, lhs, rhs),
                                 to_.Number(type, 0), reduced);
    if (result != ElementType::kI1) return to_.Convert(sum, result);
    return to_.Compare(graph::CompareDirection::kNe, sum, to_.Number(type, 0));
  }

 private:
  // The operand with the dimensions of all products; its free ones are those from `first_free` on.
  Value Spread(Value operand, ElementType type, const Dims& contracting, const Dims& batching,
               int64_t first_free) {
    Dims map(to_.dims(operand).size(), -1);
    int64_t next = 0;
    for (const int64_t d : contracting) map[static_cast<size_t>(d)] = next++;
    for (const int64_t d : batching) map[static_cast<size_t>(d)] = next++;
    for (int64_t& target : map) {
      if (target < 0) target = first_free++;
    }
    return to_.BroadcastInDim(to_.Convert(operand, type), dims_, map);
  }

  const Op& op_;
  const graph::DotGeneralAttributes& dot_;
  Expansion& to_;
  Dims dims_;
};

}  // namespace

std::optional<Values> ExpandDotGeneral(const Op& op, Expansion& to) {
  const ElementType lhs = to.type(op.operands[0]), rhs = to.type(op.operands[1]);
  const ElementType result = to.type(op.result());
  if (IsMatrixProduct(lhs, rhs, result, to.chip())) return std::nullopt;
  const bool is_float = graph::IsFloat(lhs) || graph::IsFloat(rhs);
  MultipliedOut multiplied_out(op, to);
  const int64_t products = multiplied_out.Products();
  if (IsWide(result)) {
    if (is_float || products > to.chip().memory_bytes / 2 / kWideProductBytes) {
      return std::nullopt;
    }
    return Values{multiplied_out.Run()};
  }
  if (products <= kFewProducts && (!is_float || !to.chip().mxu_bf16)) {
    return Values{multiplied_out.Run()};
  }
  const auto& attributes = op.As<graph::DotGeneralAttributes>();
  int64_t terms = 1;
  for (const int64_t d : attributes.lhs_contracting) {
    terms *= to.dims(op.operands[0])[static_cast<size_t>(d)];
  }
  const ProductOf product = [&](Value a, Value b, ElementType type, bool exact) {
    graph::DotGeneralAttributes same = attributes;
    if (exact) {
      same.precision.fill(graph::Precision::kHighest);
      same.algorithm.reset();
    }
    return to.builder().DotGeneral(a, b, std::move(same), type);
  };
  if (const std::optional<Value> value =
          ExpandProductTypes(op.operands[0], op.operands[1], result, terms, product, to)) {
    return Values{*value};
  }
  if (products > kMaxProducts) return std::nullopt;
  return Values{multiplied_out.Run()};
}

}  // namespace systolith::compiler
