#include "host/graph/builder.h"

#include <cstdio>
#include <cstdlib>
#include <memory>

#include "host/graph/infer.h"

namespace systolith::graph {
namespace {

// A pass built something that can't be: a fault of this software.
[[noreturn]] void Abort(const Op& op, const Status& status) {
  std::fprintf(stderr, "Builder: %s: %s\n", Describe(op).c_str(), status.message().c_str());
  std::abort();
}

}  // namespace

Op& Builder::Append(Op op, std::vector<Shape> result_shapes) {
  std::vector<Shape> operands;
  for (const Value operand : op.operands) operands.push_back(function_.shape(operand));
  auto inferred = InferShapes(op, operands, result_shapes);
  if (!inferred.ok()) Abort(op, inferred.status());
  if (!result_shapes.empty() && *inferred != result_shapes) {
    Abort(op, Internal("the operands give other result shapes"));
  }
  op.results.clear();
  for (Shape& shape : *inferred) op.results.push_back(function_.NewValue(std::move(shape)));
  if (op.location.line == 0) op.location = location_;
  ops_.push_back(std::move(op));
  return ops_.back();
}

Value Builder::One(Opcode opcode, std::vector<Value> operands, Attributes attributes,
                   std::vector<Shape> result_shapes) {
  Op op;
  op.opcode = opcode;
  op.operands = std::move(operands);
  op.attributes = std::move(attributes);
  return Append(std::move(op), std::move(result_shapes)).result();
}

Value Builder::Constant(Literal value) {
  return One(Opcode::kConstant, {},
             ConstantAttributes{std::make_shared<const Literal>(std::move(value))});
}
Value Builder::Binary(Opcode opcode, Value lhs, Value rhs) { return One(opcode, {lhs, rhs}, {}); }

Value Builder::Compare(CompareDirection direction, Value lhs, Value rhs) {
  return One(Opcode::kCompare, {lhs, rhs}, CompareAttributes{direction, false});
}
Value Builder::Convert(Value operand, ElementType type) {
  return One(Opcode::kConvert, {operand}, {}, {Shape{type, function_.shape(operand).dims}});
}
Value Builder::BitcastConvert(Value operand, Shape shape) {
  return One(Opcode::kBitcastConvert, {operand}, {}, {std::move(shape)});
}
Value Builder::Transpose(Value operand, Dims permutation) {
  return One(Opcode::kTranspose, {operand}, DimensionsAttributes{std::move(permutation)});
}
Value Builder::BroadcastInDim(Value operand, Dims dims, Dims broadcast_dimensions) {
  return One(Opcode::kBroadcastInDim, {operand},
             DimensionsAttributes{std::move(broadcast_dimensions)},
             {Shape{function_.shape(operand).type, std::move(dims)}});
}
Value Builder::Slice(Value operand, Dims start, Dims limit, Dims stride) {
  return One(Opcode::kSlice, {operand},
             SliceAttributes{std::move(start), std::move(limit), std::move(stride)});
}
Value Builder::Pad(Value operand, Value fill, Dims low, Dims high, Dims interior) {
  return One(Opcode::kPad, {operand, fill},
             PadAttributes{std::move(low), std::move(high), std::move(interior)});
}
Value Builder::Concatenate(std::vector<Value> operands, int64_t dimension) {
  return One(Opcode::kConcatenate, std::move(operands), DimensionAttributes{dimension});
}
Value Builder::Reverse(Value operand, Dims dimensions) {
  return One(Opcode::kReverse, {operand}, DimensionsAttributes{std::move(dimensions)});
}
Value Builder::Iota(Shape shape, int64_t dimension) {
  return One(Opcode::kIota, {}, DimensionAttributes{dimension}, {std::move(shape)});
}

Value Builder::Reduce(Opcode opcode, Value operand, Value init, Dims dimensions) {
  const Shape scalar{function_.shape(operand).type, {}};
  Op op;
  op.opcode = Opcode::kReduce;
  op.operands = {operand, init};
  op.attributes = ReduceAttributes{std::move(dimensions)};
  Region& body = op.regions.emplace_back();
  body.arguments = {function_.NewValue(scalar), function_.NewValue(scalar)};
  Builder inner(function_, body.ops);
  inner.SetLocation(location_);
  inner.Return({inner.Binary(opcode, body.arguments[0], body.arguments[1])});
  return Append(std::move(op)).result();
}

Value Builder::DotGeneral(Value lhs, Value rhs, DotGeneralAttributes attributes,
                          ElementType result_type) {
  Op op;
  op.opcode = Opcode::kDotGeneral;
  op.attributes = attributes;
  auto shapes = InferShapes(op, {function_.shape(lhs), function_.shape(rhs)}, {});
  if (!shapes.ok()) Abort(op, shapes.status());
  return One(Opcode::kDotGeneral, {lhs, rhs}, std::move(attributes),
             {Shape{result_type, shapes->front().dims}});
}

Value Builder::Convolution(Value lhs, Value rhs, ConvolutionAttributes attributes,
                           ElementType result_type) {
  Op op;
  op.opcode = Opcode::kConvolution;
  op.attributes = attributes;
  auto shapes = InferShapes(op, {function_.shape(lhs), function_.shape(rhs)}, {});
  if (!shapes.ok()) Abort(op, shapes.status());
  return One(Opcode::kConvolution, {lhs, rhs}, std::move(attributes),
             {Shape{result_type, shapes->front().dims}});
}

void Builder::Return(std::vector<Value> values) {
  Op op;
  op.opcode = Opcode::kReturn;
  op.operands = std::move(values);
  Append(std::move(op));
}

}  // namespace systolith::graph
