// Error bounds of operations with regions.
#include <cmath>
#include <utility>

#include "host/tools/error_propagation.h"

namespace systolith::tools {

using graph::ElementType;
using graph::Literal;
using graph::Op;
using graph::Opcode;
using graph::Shape;

namespace {

void MakeFloatsF32(graph::Function& function, const graph::Region& region) {
  const auto widen = [&](graph::Value value) {
    Shape& shape = function.value_shapes[static_cast<size_t>(value.id)];
    if (graph::IsFloat(shape.type)) shape.type = ElementType::kF32;
  };
  for (const graph::Value value : region.arguments) widen(value);
  for (const Op& op : region.ops) {
    for (const graph::Value value : op.results) widen(value);
  }
}

double ElementsOf(const graph::Dims& window) { return static_cast<double>(graph::Product(window)); }

}  // namespace

void Propagation::Sums(const Literal& bounds, const Literal& magnitudes, double count) {
  Each([&](int64_t i, double r) {
    return bounds.GetDouble(i) + count * Ulp(1.0) / 2 * magnitudes.GetDouble(i) +
           Ulp(std::fabs(r) + bounds.GetDouble(i));
  });
}

Opcode Propagation::Joins(size_t region) const {
  const graph::Region& body = op_.regions[region];
  if (body.ops.size() != 2 || body.arguments.size() != 2) return Opcode::kReturn;
  return body.ops.front().opcode;
}

Result<Literal> Propagation::ApplyJoining(size_t region, Opcode joins,
                                          const std::vector<Literal>& operands) const {
  graph::Function function;
  function.value_shapes = function_.value_shapes;
  Op copy = op_;
  for (graph::Region& each : copy.regions) MakeFloatsF32(function, each);
  copy.regions[region].ops.front().opcode = joins;
  return Evaluate(function, std::move(copy), operands, ElementType::kF32);
}

// Sums as those of reduce; the largest of a window moves no more than any of its elements.
Result<bool> Propagation::Window() {
  const Opcode joins = op_.operands.size() == 2 ? Joins(0) : Opcode::kReturn;
  const bool is_choice = joins == Opcode::kMaximum || joins == Opcode::kMinimum;
  if (!graph::IsFloat(type())) return AllExact();
  if (!is_choice && joins != Opcode::kAdd) return false;
  if (is_choice) {
    Literal none = Bounds(1);
    none.SetDouble(0, 0);
    ASSIGN_OR_RETURN(const Literal bounds, ApplyJoining(0, Opcode::kMaximum, {Bounds(0), none}));
    Each([&](int64_t i, double) { return bounds.GetDouble(i); });
    return true;
  }
  ASSIGN_OR_RETURN(const Literal bounds, ApplyJoining(0, Opcode::kAdd, {Bounds(0), Bounds(1)}));
  ASSIGN_OR_RETURN(const Literal magnitudes,
                   ApplyJoining(0, Opcode::kAdd, {Magnitudes(0), Magnitudes(1)}));
  Sums(bounds, magnitudes,
       ElementsOf(op_.As<graph::ReduceWindowAttributes>().window_dimensions));
  return true;
}

// What is selected is known where the operand is.
Result<bool> Propagation::SelectAndScatter() {
  if (!operands_[0]->IsExact() || Joins(1) != Opcode::kAdd || !graph::IsFloat(type())) return false;
  const Literal& x = operands_[0]->value;
  Literal wide(Shape{ElementType::kF32, x.dims()});
  for (int64_t i = 0; i < x.size(); ++i) wide.SetDouble(i, x.GetDouble(i));
  ASSIGN_OR_RETURN(const Literal bounds,
                   ApplyJoining(1, Opcode::kAdd, {wide, Bounds(1), Bounds(2)}));
  ASSIGN_OR_RETURN(const Literal magnitudes,
                   ApplyJoining(1, Opcode::kAdd, {wide, Magnitudes(1), Magnitudes(2)}));
  Sums(bounds, magnitudes,
       ElementsOf(op_.As<graph::SelectAndScatterAttributes>().window_dimensions));
  return true;
}

Result<bool> Propagation::Scatter() {
  if (op_.operands.size() != 3 || !operands_[1]->IsExact() || !graph::IsFloat(type())) {
    return AllExact() && !graph::IsFloat(type());
  }
  const Literal& indices = operands_[1]->value;
  const graph::Region& body = op_.regions[0];
  const bool replaces = body.ops.size() == 1 && body.ops[0].operands[0] == body.arguments[1];
  if (replaces) {
    ASSIGN_OR_RETURN(const Literal bounds,
                     ApplyJoining(0, Opcode::kReturn, {Bounds(0), indices, Bounds(2)}));
    Each([&](int64_t i, double) { return bounds.GetDouble(i); });
    return true;
  }
  const Opcode joins = Joins(0);
  const bool is_choice = joins == Opcode::kMaximum || joins == Opcode::kMinimum;
  if (!is_choice && joins != Opcode::kAdd) return false;
  const Opcode join = is_choice ? Opcode::kMaximum : Opcode::kAdd;
  ASSIGN_OR_RETURN(const Literal bounds,
                   ApplyJoining(0, join, {Bounds(0), indices, Bounds(2)}));
  if (is_choice) {
    Each([&](int64_t i, double) { return bounds.GetDouble(i); });
    return true;
  }
  ASSIGN_OR_RETURN(const Literal magnitudes,
                   ApplyJoining(0, Opcode::kAdd, {Magnitudes(0), indices, Magnitudes(2)}));
  const auto one = [](int64_t) { return 1.0; };
  ASSIGN_OR_RETURN(
      const Literal counts,
      ApplyJoining(0, Opcode::kAdd, {UpperLiteral(operands_[0]->value.shape(), one), indices,
                                     UpperLiteral(operands_[2]->value.shape(), one)}));
  Each([&](int64_t i, double r) {
    const bool is_hit = counts.GetDouble(i) > 1.5;
    return bounds.GetDouble(i) +
           (is_hit ? counts.GetDouble(i) * Ulp(1.0) / 2 * magnitudes.GetDouble(i) +
                         Ulp(std::fabs(r) + bounds.GetDouble(i))
                   : 0.0);
  });
  return true;
}

// In order, no number moves further than the one that moves most.
void Propagation::Sort() {
  double most = 0;
  for (int64_t i = 0; i < result_.size(); ++i) most = std::max(most, Bound(0, i));
  Each([&](int64_t, double) { return most; });
}

}  // namespace systolith::tools
