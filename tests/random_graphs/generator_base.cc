#include "tests/random_graphs/generator_base.h"

#include <algorithm>

namespace systolith::testing {

ElementType GeneratorBase::AnyType() {
  return Pick<ElementType>({ElementType::kF32, ElementType::kF32, ElementType::kF32,
                            ElementType::kBF16, ElementType::kF16, ElementType::kS32,
                            ElementType::kS32, ElementType::kS8, ElementType::kU8,
                            ElementType::kS16, ElementType::kU16, ElementType::kU32,
                            ElementType::kI1, ElementType::kS64});
}

int64_t GeneratorBase::AnySize() {
  return Chance(40) ? 0 : Pick<int64_t>({1, 1, 2, 3, 4, 5, 7, 8, 9, 13, 16, 17, 31, 33});
}

Dims GeneratorBase::AnyDims(int64_t max_rank) {
  Dims dims(static_cast<size_t>(Range(0, max_rank)));
  int64_t elements = 1;
  for (int64_t& dim : dims) {
    dim = AnySize();
    if (elements * dim > size_.elements) dim = 1;
    elements *= dim;
  }
  return dims;
}

Value GeneratorBase::Constant(Shape shape, int64_t low, int64_t high) {
  Literal literal(shape);
  for (int64_t i = 0; i < literal.size(); ++i) {
    const int64_t least = graph::IsUnsigned(shape.type) ? std::max<int64_t>(low, 0) : low;
    const int64_t number = Range(least, high);
    literal.SetDouble(i, graph::IsFloat(shape.type)       ? static_cast<double>(number) / 4
                         : shape.type == ElementType::kI1 ? static_cast<double>(number & 1)
                                                          : static_cast<double>(number));
  }
  (void)Propose(Opcode::kConstant, {},
                graph::ConstantAttributes{std::make_shared<const Literal>(std::move(literal))},
                {shape});
  return Last();
}

Value GeneratorBase::Scalar(ElementType type, double value) {
  (void)Propose(
      Opcode::kConstant, {},
      graph::ConstantAttributes{std::make_shared<const Literal>(Literal::Scalar(type, value))},
      {Shape{type, {}}});
  return Last();
}

Value GeneratorBase::Make(Shape wanted) {
  const auto same = Find([&](const Shape& s) { return s == wanted; });
  if (same && !Chance(4)) return *same;
  const auto other_type = Find([&](const Shape& s) { return s.dims == wanted.dims; });
  if (other_type && Chance(2) && Propose(Opcode::kConvert, {*other_type}, {}, {wanted})) {
    return Last();
  }
  const auto scalar = Find([&](const Shape& s) { return s.type == wanted.type && s.dims.empty(); });
  if (scalar && Chance(2) &&
      Propose(Opcode::kBroadcastInDim, {*scalar}, graph::DimensionsAttributes{}, {wanted})) {
    return Last();
  }
  if (wanted.ElementCount() > 64) {
    const Value value = Constant({wanted.type, {}});
    if (Propose(Opcode::kBroadcastInDim, {value}, graph::DimensionsAttributes{}, {wanted})) {
      return Last();
    }
  }
  return Constant(wanted);
}

bool GeneratorBase::Propose(Op op, const std::vector<Shape>& declared) {
  std::vector<Shape> operands;
  for (const Value value : op.operands) operands.push_back(shape(value));
  const Result<std::vector<Shape>> shapes = graph::InferShapes(op, operands, declared);
  if (!shapes.ok()) return false;
  for (const Shape& result : *shapes) {
    if (result.ElementCount() > 4 * size_.elements) return false;
  }
  for (const Shape& result : *shapes) op.results.push_back(function().NewValue(result));
  values_.insert(values_.end(), op.results.begin(), op.results.end());
  ops_.push_back(std::move(op));
  return true;
}

bool GeneratorBase::Propose(Opcode opcode, std::vector<Value> operands,
                            graph::Attributes attributes, const std::vector<Shape>& declared) {
  Op op;
  op.opcode = opcode;
  op.operands = std::move(operands);
  op.attributes = std::move(attributes);
  return Propose(std::move(op), declared);
}

Opcode GeneratorBase::AnyJoin(ElementType type) {
  if (type == ElementType::kI1) return Pick<Opcode>({Opcode::kAnd, Opcode::kOr});
  if (graph::IsFloat(type)) {
    return Pick<Opcode>({Opcode::kAdd, Opcode::kAdd, Opcode::kMaximum, Opcode::kMinimum,
                         Opcode::kMultiply});
  }
  return Pick<Opcode>({Opcode::kAdd, Opcode::kMaximum, Opcode::kMinimum, Opcode::kMultiply,
                       Opcode::kAnd, Opcode::kOr, Opcode::kXor});
}

}  // namespace systolith::testing
