#include "host/graph/composite.h"

#include <string_view>
#include <utility>

#include "host/graph/infer.h"

namespace systolith::graph {
namespace {

constexpr std::string_view kDialect = "chlo.";

std::vector<Shape> ShapesOf(const Function& function, const std::vector<Value>& values) {
  std::vector<Shape> shapes;
  for (const Value value : values) shapes.push_back(function.shape(value));
  return shapes;
}

}  // namespace

std::optional<std::vector<Value>> AppendKnownComposite(Function& function, const Op& composite,
                                                       std::vector<Op>& ops) {
  const auto& attributes = composite.As<CompositeAttributes>();
  std::string_view name = attributes.name;
  if (!name.starts_with(kDialect)) return std::nullopt;
  name.remove_prefix(kDialect.size());
  const std::vector<Shape> operands = ShapesOf(function, composite.operands);
  const std::vector<Shape> results = ShapesOf(function, composite.results);
  Builder builder(function, ops);
  builder.SetLocation(composite.location);

  if (name == "top_k") {
    const std::optional<int64_t> k = attributes.Integer("k");
    const bool fits = k && *k >= 0 && operands.size() == 1 && results.size() == 2 &&
                      operands[0].rank() >= 1 && *k <= operands[0].dims.back();
    if (!fits) return std::nullopt;
    Dims dims = operands[0].dims;
    dims.back() = *k;
    if (results[0] != Shape{operands[0].type, dims}) return std::nullopt;
    if (results[1] != Shape{ElementType::kS32, dims}) return std::nullopt;
    return AppendTopK(builder, composite.operands[0], *k);
  }

  Op op;
  const std::optional<Opcode> opcode = OpcodeFromName(name);
  if (!opcode || OpcodeDialect(*opcode) != "chlo") return std::nullopt;
  op.opcode = *opcode;
  op.operands = composite.operands;
  const auto inferred = InferShapes(op, operands, results);
  if (!inferred.ok() || *inferred != results) return std::nullopt;
  return std::vector<Value>{builder.Append(std::move(op)).result()};
}

std::vector<Value> AppendTopK(Builder& builder, Value operand, int64_t k) {
  const Shape shape = builder.function().shape(operand);
  const int64_t last = shape.rank() - 1;
  const Value positions = builder.Iota(Shape{ElementType::kS32, shape.dims}, last);

  Region order;
  for (const ElementType type : {shape.type, shape.type, ElementType::kS32, ElementType::kS32}) {
    order.arguments.push_back(builder.function().NewValue(Shape{type, {}}));
  }
  Builder inner(builder.function(), order.ops);
  inner.SetLocation(builder.location());
  Op compare;
  compare.opcode = Opcode::kCompare;
  compare.operands = {order.arguments[0], order.arguments[1]};
  compare.attributes = CompareAttributes{CompareDirection::kGt, IsFloat(shape.type)};
  inner.Return({inner.Append(std::move(compare)).result()});

  Op sort;
  sort.opcode = Opcode::kSort;
  sort.operands = {operand, positions};
  sort.attributes = SortAttributes{last, true};
  sort.regions.push_back(std::move(order));
  const std::vector<Value> sorted = builder.Append(std::move(sort)).results;

  Dims limit = shape.dims;
  limit.back() = k;
  std::vector<Value> results;
  for (const Value value : sorted) {
    results.push_back(
        builder.Slice(value, Dims(limit.size(), 0), limit, Dims(limit.size(), 1)));
  }
  return results;
}

}  // namespace systolith::graph
