// reduce, in the order that the numeric contract fixes:
//
//   element i of the reduced dimensions, in row-major order, joins partial i mod 128 in rising i
//   (the first one is the partial); then partials join at distance 64, 32 ... 1, absent ones
//   skipped; then op(initial value, result), left out where the initial value changes nothing.
//
// A reduction by one operation keeps bf16 and f16 in f32 until the end.
#include <algorithm>
#include <cmath>
#include <limits>

#include "host/base/bfloat16.h"
#include "host/evaluator/kernels.h"
#include "host/evaluator/scalar.h"

namespace systolith::evaluator {
namespace {

using graph::ElementType;
using graph::Opcode;

constexpr size_t kPartials = 128;

// Reduces `elements`, which it uses as working space; not empty. `join` returns a Status.
template <typename T, typename Join>
Status ReduceInOrder(std::vector<T>& elements, const Join& join) {
  for (size_t i = kPartials; i < elements.size(); ++i) {
    RETURN_IF_ERROR(join(elements[i % kPartials], elements[i]));
  }
  const size_t present = std::min(elements.size(), kPartials);
  for (size_t distance = kPartials / 2; distance > 0; distance /= 2) {
    for (size_t i = 0; i < distance && i + distance < present; ++i) {
      RETURN_IF_ERROR(join(elements[i], elements[i + distance]));
    }
  }
  return OkStatus();
}

// Where the elements of one result element lie in the operand.
struct Positions {
  std::vector<int64_t> results;  // offset of each result element's first element
  std::vector<int64_t> reduced;  // what each reduced element adds to it, in row-major order
};

Positions FindPositions(const Shape& shape, const Dims& dimensions) {
  Positions positions{{0}, {0}};
  const Dims strides = graph::RowMajorStrides(shape.dims);
  for (size_t d = 0; d < shape.dims.size(); ++d) {
    const bool is_reduced = std::find(dimensions.begin(), dimensions.end(),
                                      static_cast<int64_t>(d)) != dimensions.end();
    std::vector<int64_t>& list = is_reduced ? positions.reduced : positions.results;
    std::vector<int64_t> next;
    for (const int64_t offset : list) {
      for (int64_t i = 0; i < shape.dims[d]; ++i) next.push_back(offset + i * strides[d]);
    }
    list = std::move(next);
  }
  return positions;
}

// Reduces with one operation on values of type T.
template <typename T, typename Load, typename Store, typename Operate>
Literal ReduceBy(Opcode opcode, const Positions& positions, const Literal& operand,
                 const Literal& init, const Shape& shape, Load load, Store store,
                 Operate operate) {
  Literal result(shape);
  const bool skip_init = IsIdentity(opcode, init);
  const auto join = [&](T& into, const T& value) {
    into = operate(into, value);
    return OkStatus();
  };
  std::vector<T> elements;
  for (size_t r = 0; r < positions.results.size(); ++r) {
    elements.clear();
    for (const int64_t offset : positions.reduced) {
      elements.push_back(load(operand, positions.results[r] + offset));
    }
    if (elements.empty()) {
      CopyElement(init, 0, result, static_cast<int64_t>(r));
      continue;
    }
    (void)ReduceInOrder(elements, join);  // `join` can't fail
    store(result, static_cast<int64_t>(r),
          skip_init ? elements[0] : operate(load(init, 0), elements[0]));
  }
  return result;
}

Literal ReduceBinary(Opcode opcode, const Positions& positions, const Literal& operand,
                     const Literal& init, const Shape& shape) {
  const ElementType type = operand.type();
  const auto set_double = [](Literal& to, int64_t i, double x) { to.SetDouble(i, x); };
  if (type == ElementType::kF64) {
    return ReduceBy<double>(
        opcode, positions, operand, init, shape,
        [](const Literal& from, int64_t i) { return from.GetDouble(i); }, set_double,
        [opcode](double a, double b) { return BinaryF64(opcode, a, b); });
  }
  if (graph::IsFloat(type)) {
    return ReduceBy<float>(
        opcode, positions, operand, init, shape,
        [](const Literal& from, int64_t i) { return static_cast<float>(from.GetDouble(i)); },
        set_double, [opcode](float a, float b) { return BinaryF32(opcode, a, b); });
  }
  return ReduceBy<int64_t>(
      opcode, positions, operand, init, shape,
      [](const Literal& from, int64_t i) { return from.GetInt(i); },
      [](Literal& to, int64_t i, int64_t x) { to.SetInt(i, x); },
      [opcode, type](int64_t a, int64_t b) {
        Literal wrapped(Shape{type, {}});
        wrapped.SetInt(0, BinaryInteger(opcode, a, b, type));
        return wrapped.GetInt(0);
      });
}

}  // namespace

bool IsIdentity(Opcode opcode, const Literal& init) {
  const ElementType type = init.type();
  if (graph::IsFloat(type)) {
    const double value = init.GetDouble(0);
    switch (opcode) {
      case Opcode::kAdd: return value == 0;
      case Opcode::kMultiply: return value == 1;
      case Opcode::kMaximum: return std::isinf(value) && value < 0;
      case Opcode::kMinimum: return std::isinf(value) && value > 0;
      default: return false;
    }
  }
  const int bits = graph::BitWidth(type);
  const uint64_t value = static_cast<uint64_t>(init.GetInt(0)) & (~uint64_t{0} >> (64 - bits));
  const uint64_t ones = ~uint64_t{0} >> (64 - bits);
  const uint64_t lowest = graph::IsSigned(type) ? (ones >> 1) + 1 : 0;
  const uint64_t highest = graph::IsSigned(type) ? ones >> 1 : ones;
  switch (opcode) {
    case Opcode::kAdd:
    case Opcode::kOr:
    case Opcode::kXor: return value == 0;
    case Opcode::kMultiply: return value == 1;
    case Opcode::kAnd: return value == ones;
    case Opcode::kMaximum: return value == lowest;
    case Opcode::kMinimum: return value == highest;
    default: return false;
  }
}

std::optional<Opcode> SingleBinary(const graph::Region& region) {
  if (region.arguments.size() != 2 || region.ops.size() != 2) return std::nullopt;
  const Op& op = region.ops[0];
  if (!graph::IsElementwiseBinary(op.opcode) || region.ops[1].operands != op.results) {
    return std::nullopt;
  }
  if (op.operands == region.arguments) return op.opcode;
  const bool swapped = op.operands.size() == 2 && op.operands[0] == region.arguments[1] &&
                       op.operands[1] == region.arguments[0];
  switch (op.opcode) {
    case Opcode::kAdd:
    case Opcode::kAnd:
    case Opcode::kMaximum:
    case Opcode::kMinimum:
    case Opcode::kMultiply:
    case Opcode::kOr:
    case Opcode::kXor: return swapped ? std::optional(op.opcode) : std::nullopt;
    default: return std::nullopt;
  }
}

Result<std::vector<Literal>> EvalReduce(const Op& op, Operands operands,
                                        const std::vector<Shape>& shapes, const ScalarBody& body) {
  const size_t inputs = operands.size() / 2;
  const Positions positions =
      FindPositions(operands[0]->shape(), op.As<graph::ReduceAttributes>().dimensions);
  if (const auto opcode = SingleBinary(op.regions[0]); opcode && inputs == 1) {
    std::vector<Literal> results;
    results.push_back(ReduceBinary(*opcode, positions, *operands[0], *operands[1], shapes[0]));
    return results;
  }
  using Tuple = std::vector<Literal>;
  const auto call = [&](const Tuple& a, const Tuple& b) {
    Tuple arguments = a;
    arguments.insert(arguments.end(), b.begin(), b.end());
    return body(arguments);
  };
  const auto join = [&](Tuple& into, const Tuple& value) -> Status {
    ASSIGN_OR_RETURN(into, call(into, value));
    return OkStatus();
  };
  std::vector<Literal> results(shapes.begin(), shapes.end());
  Tuple initial;
  for (size_t i = 0; i < inputs; ++i) initial.push_back(*operands[inputs + i]);
  for (size_t r = 0; r < positions.results.size(); ++r) {
    std::vector<Tuple> elements;
    for (const int64_t offset : positions.reduced) {
      Tuple& element = elements.emplace_back();
      for (size_t i = 0; i < inputs; ++i) {
        element.push_back(ScalarAt(*operands[i], positions.results[r] + offset));
      }
    }
    Tuple reduced = initial;
    if (!elements.empty()) {
      RETURN_IF_ERROR(ReduceInOrder(elements, join));
      ASSIGN_OR_RETURN(reduced, call(initial, elements[0]));
    }
    for (size_t i = 0; i < inputs; ++i) {
      CopyElement(reduced[i], 0, results[i], static_cast<int64_t>(r));
    }
  }
  return results;
}

}  // namespace systolith::evaluator
