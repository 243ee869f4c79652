// triangular_solve and cholesky, column by column: a column is final once those before it have been
// taken off. Small matrices are unrolled; larger ones run in a loop. All in f32; triangular_solve
// keeps the rounding errors of what is left of the right side, because that may cancel.
#include <algorithm>
#include <cmath>
#include <numeric>

#include "host/compiler/expand/expansion.h"

namespace systolith::compiler {
namespace {

using graph::CompareDirection;

constexpr int64_t kMaxUnrolled = 16;

class Matrices {
 public:
  explicit Matrices(Expansion& to) : to_(to) {}

  Value Multiply(Value a, Value b) { return to_.Binary(Opcode::kMultiply, a, b); }
  Value Divide(Value a, Value b) { return to_.Binary(Opcode::kDivide, a, b); }
  Value Subtract(Value a, Value b) { return to_.Binary(Opcode::kSubtract, a, b); }

  // Dimensions from the last: 1 is columns, 2 rows.
  Value Cut(Value x, size_t from_last, int64_t start, int64_t limit) {
    return to_.Slice(x, to_.dims(x).size() - from_last, start, limit);
  }
  Value Element(Value x, int64_t i, int64_t j) {
    return Cut(Cut(x, 2, i, i + 1), 1, j, j + 1);
  }

  // Rows and columns of size 1 repeat.
  Value Spread(Value x, const Dims& dims) {
    Dims map(dims.size());
    std::iota(map.begin(), map.end(), 0);
    return to_.BroadcastInDim(x, dims, map);
  }
  // a - x * y, where x has one column and y one row.
  Value MinusProduct(Value a, Value x, Value y) {
    const Dims dims = to_.dims(a);
    return Subtract(a, Multiply(Spread(x, dims), Spread(y, dims)));
  }

  Value Flip(Value x) {
    Dims order(to_.dims(x).size());
    std::iota(order.begin(), order.end(), 0);
    std::swap(order[order.size() - 1], order[order.size() - 2]);
    return to_.Transpose(x, order);
  }

  Value Number(double value) { return to_.Number(ElementType::kF32, value); }
  Expansion& to() { return to_; }

  // dynamic_slice of one row (from_last = 2) or column (1).
  Value Pick(Value x, size_t from_last, Value at) {
    Dims sizes = to_.dims(x);
    sizes[sizes.size() - from_last] = 1;
    Op op;
    op.opcode = Opcode::kDynamicSlice;
    op.operands = {x};
    AddStarts(op, sizes.size(), from_last, at);
    op.attributes = graph::DynamicSliceAttributes{sizes};
    return to_.builder().Append(std::move(op)).result();
  }
  Value Put(Value x, Value row, size_t from_last, Value at) {
    Op op;
    op.opcode = Opcode::kDynamicUpdateSlice;
    op.operands = {x, row};
    AddStarts(op, to_.dims(x).size(), from_last, at);
    return to_.builder().Append(std::move(op)).result();
  }

 private:
  void AddStarts(Op& op, size_t rank, size_t from_last, Value at) {
    for (size_t d = 0; d < rank; ++d) {
      op.operands.push_back(d == rank - from_last ? at : to_.Number(ElementType::kS32, 0));
    }
  }

  Expansion& to_;
};

// Sums and products of f32 together with their rounding errors.
class Exact {
 public:
  struct Sum {
    Value high, low;
  };

  explicit Exact(Matrices& m) : m_(m) {}

  // x, and how far x * divisor is from the number, divided, too.
  Sum Divide(const Sum& x, Value divisor) {
    const Value quotient = m_.Divide(x.high, divisor);
    const Sum product = Multiply(quotient, divisor, m_.to().dims(x.high));
    const Value rest = Add(m_.Subtract(m_.Subtract(x.high, product.high), product.low), x.low);
    return Normalize(quotient, m_.Divide(rest, divisor));
  }

  // sum - x * y, where x has one column and y one row.
  Sum MinusProduct(const Sum& sum, Value x, const Sum& y) {
    const Dims dims = m_.to().dims(sum.high);
    const Sum product = Multiply(x, y.high, dims);
    const Value tail = m_.Multiply(m_.Spread(x, dims), m_.Spread(y.low, dims));
    const Value high = m_.Subtract(sum.high, product.high);
    const Value taken = m_.Subtract(high, sum.high);
    const Value error = m_.Subtract(m_.Subtract(sum.high, m_.Subtract(high, taken)),
                                    Add(product.high, taken));
    return Normalize(high, m_.Subtract(m_.Subtract(Add(sum.low, error), product.low), tail));
  }

 private:
  Value Add(Value a, Value b) { return m_.to().Binary(Opcode::kAdd, a, b); }

  Sum Normalize(Value high, Value low) {
    const Value sum = Add(high, low);
    return {sum, m_.Subtract(low, m_.Subtract(sum, high))};
  }

  // x as a sum of two numbers of 12 bits, whose products are exact.
  Sum Split(Value x) {
    const Value large = m_.Multiply(x, m_.Number(4097));
    const Value high = m_.Subtract(large, m_.Subtract(large, x));
    return {high, m_.Subtract(x, high)};
  }

  Sum Multiply(Value x, Value y, const Dims& dims) {
    const Value product = m_.Multiply(m_.Spread(x, dims), m_.Spread(y, dims));
    const Sum a = Split(x), b = Split(y);
    const auto multiply = [&](Value p, Value q) {
      return m_.Multiply(m_.Spread(p, dims), m_.Spread(q, dims));
    };
    Value error = m_.Subtract(multiply(a.high, b.high), product);
    error = Add(error, multiply(a.high, b.low));
    error = Add(error, multiply(a.low, b.high));
    return {product, Add(error, multiply(a.low, b.low))};
  }

  Matrices& m_;
};

// x in a * x = b, row by row, where a is lower triangular (else from the last row on).
Value SolveUnrolled(Matrices m, Value a, Value b, bool is_lower, bool unit_diagonal) {
  const int64_t n = m.to().dims(a).back();
  Exact exact(m);
  Exact::Sum rest = {b, m.to().Broadcast(m.Number(0), m.to().dims(b))};  // the rows that are left
  const auto cut = [&](int64_t start, int64_t limit) {
    return Exact::Sum{m.Cut(rest.high, 2, start, limit), m.Cut(rest.low, 2, start, limit)};
  };
  Values rows;
  for (int64_t step = 0; step < n; ++step) {
    const int64_t left = n - step, k = is_lower ? step : left - 1, at = is_lower ? 0 : k;
    Exact::Sum x = cut(at, at + 1);
    if (!unit_diagonal) {
      x = exact.Divide(x, m.Spread(m.Element(a, k, k), m.to().dims(x.high)));
    }
    rows.push_back(x.high);
    if (left == 1) break;
    const Value column = m.Cut(a, 1, k, k + 1);
    rest = is_lower ? exact.MinusProduct(cut(1, left), m.Cut(column, 2, k + 1, n), x)
                    : exact.MinusProduct(cut(0, left - 1), m.Cut(column, 2, 0, k), x);
  }
  if (!is_lower) std::reverse(rows.begin(), rows.end());
  return m.to().Concatenate(rows, m.to().dims(b).size() - 2);
}

// The same in a loop: finished rows stay in their place.
Value SolveInLoop(Matrices outer, Value a, Value b, bool is_lower, bool unit_diagonal) {
  const int64_t n = outer.to().dims(a).back();
  const auto body = [&](Expansion& to, Value step, const Values& state) {
    Matrices m(to);
    Exact exact(m);
    Value k = step;
    if (!is_lower) k = m.Subtract(to.Number(ElementType::kS32, static_cast<double>(n - 1)), step);
    Exact::Sum x = {m.Pick(state[0], 2, k), m.Pick(state[1], 2, k)};
    const Value column = m.Pick(a, 1, k);
    if (!unit_diagonal) {
      x = exact.Divide(x, m.Spread(m.Pick(column, 2, k), to.dims(x.high)));
    }
    const Dims dims = to.dims(column);
    const Value row =
        to.builder().Iota(Shape{ElementType::kS32, dims}, static_cast<int64_t>(dims.size()) - 2);
    const Value is_left =
        to.Compare(is_lower ? CompareDirection::kGt : CompareDirection::kLt, row, k);
    const Value factor = to.Select(is_left, column, m.Number(0));
    const Exact::Sum rest = exact.MinusProduct(
        {m.Put(state[0], x.high, 2, k), m.Put(state[1], m.Multiply(x.low, m.Number(0)), 2, k)},
        factor, x);
    return Values{rest.high, rest.low};
  };
  const Value zeros = outer.to().Broadcast(outer.Number(0), outer.to().dims(b));
  return outer.to().Repeat(n, {b, zeros}, body)[0];
}

// The lower factor; `is_positive` gets, per matrix, whether all pivots were.
Value FactorUnrolled(Matrices m, Value a, Value& is_positive) {
  Expansion& to = m.to();
  const int64_t n = to.dims(a).back();
  const size_t rank = to.dims(a).size();
  Values columns;
  for (int64_t k = 0; k < n; ++k) {
    const int64_t left = n - k;
    const Value pivot = m.Element(a, 0, 0);
    const Value positive = to.Compare(CompareDirection::kGt, pivot, m.Number(0));
    is_positive = k == 0 ? positive : to.Binary(Opcode::kAnd, is_positive, positive);
    const Value column = m.Cut(a, 1, 0, 1);
    const Value root = to.Unary(Opcode::kSqrt, pivot);
    const Value scaled = m.Divide(column, m.Spread(root, to.dims(column)));
    Dims low(rank, 0);
    const Dims zeros(rank, 0);
    low[rank - 2] = k;
    columns.push_back(to.Pad(scaled, m.Number(0), low, zeros, zeros));
    if (left == 1) break;
    const Value below = m.Cut(scaled, 2, 1, left);
    a = m.MinusProduct(m.Cut(m.Cut(a, 1, 1, left), 2, 1, left), below, m.Flip(below));
  }
  return to.Concatenate(columns, rank - 1);
}

Value FactorInLoop(Matrices outer, Value a, Value& is_positive) {
  Expansion& to = outer.to();
  const Dims all = to.dims(a);
  const int64_t n = all.back(), rank = static_cast<int64_t>(all.size());
  Dims one = all;
  one[all.size() - 1] = one[all.size() - 2] = 1;
  const Value yes = to.Broadcast(to.Number(ElementType::kI1, 1), one);
  const Value zeros = to.Broadcast(outer.Number(0), all);
  const auto body = [&](Expansion& inner, Value k, const Values& state) {
    Matrices m(inner);
    const Value column = m.Pick(state[0], 1, k);
    const Value pivot = m.Pick(column, 2, k);
    const Value positive = inner.Compare(CompareDirection::kGt, pivot, m.Number(0));
    const Dims dims = inner.dims(column);
    const Value row = inner.builder().Iota(Shape{ElementType::kS32, dims}, rank - 2);
    const Value scaled = m.Divide(column, m.Spread(inner.Unary(Opcode::kSqrt, pivot), dims));
    const Value is_above = inner.Compare(CompareDirection::kLt, row, k);
    const Value is_below = inner.Compare(CompareDirection::kGt, row, k);
    const Value below = inner.Select(is_below, scaled, m.Number(0));
    return Values{m.MinusProduct(state[0], below, m.Flip(below)),
                  m.Put(state[1], inner.Select(is_above, m.Number(0), scaled), 1, k),
                  inner.Binary(Opcode::kAnd, state[2], positive)};
  };
  const Values results = to.Repeat(n, {a, zeros, yes}, body);
  is_positive = results[2];
  return results[1];
}

}  // namespace

std::optional<Values> ExpandTriangularSolve(const Op& op, Expansion& to) {
  const auto& solve = op.As<graph::TriangularSolveAttributes>();
  if (graph::Product(to.dims(op.result())) == 0) return Values{op.operands[1]};
  Matrices m(to);
  Value a = to.Convert(op.operands[0], ElementType::kF32);
  Value b = to.Convert(op.operands[1], ElementType::kF32);
  // x * op(a) = b is op(a)^T * x^T = b^T: the right side transposes once more.
  const bool is_transposed = solve.transpose_a != graph::TransposeA::kNoTranspose;
  const bool flips = is_transposed == solve.left_side;
  if (flips) a = m.Flip(a);
  if (!solve.left_side) b = m.Flip(b);
  const bool is_lower = solve.lower != flips;
  const bool is_small = to.dims(a).back() <= kMaxUnrolled;
  Value x = is_small ? SolveUnrolled(m, a, b, is_lower, solve.unit_diagonal)
                     : SolveInLoop(m, a, b, is_lower, solve.unit_diagonal);
  if (!solve.left_side) x = m.Flip(x);
  return Values{to.Convert(x, to.type(op.result()))};
}

std::optional<Values> ExpandCholesky(const Op& op, Expansion& to) {
  if (graph::Product(to.dims(op.result())) == 0) return Values{op.operands[0]};
  Matrices m(to);
  const bool is_lower = op.As<graph::CholeskyAttributes>().lower;
  Value a = to.Convert(op.operands[0], ElementType::kF32);
  if (!is_lower) a = m.Flip(a);
  Value is_positive;
  const Value factor = to.dims(a).back() <= kMaxUnrolled ? FactorUnrolled(m, a, is_positive)
                                                         : FactorInLoop(m, a, is_positive);
  // A matrix that is not positive definite has no factor; what lies above it stays zero.
  const Dims dims = to.dims(a);
  const auto rank = static_cast<int64_t>(dims.size());
  const Value row = to.builder().Iota(Shape{ElementType::kS32, dims}, rank - 2);
  const Value column = to.builder().Iota(Shape{ElementType::kS32, dims}, rank - 1);
  const Value keeps = to.Binary(Opcode::kOr, m.Spread(is_positive, dims),
                                to.Compare(CompareDirection::kLt, row, column));
  Value result = to.Select(keeps, factor, m.Number(NAN));
  if (!is_lower) result = m.Flip(result);
  return Values{to.Convert(result, to.type(op.result()))};
}

}  // namespace systolith::compiler
