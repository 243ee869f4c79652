#ifndef SYSTOLITH_HOST_GRAPH_BUILDER_H_
#define SYSTOLITH_HOST_GRAPH_BUILDER_H_

#include <utility>
#include <vector>

#include "host/graph/graph.h"

namespace systolith::graph {

// Appends operations to a list, inferring result shapes. Typical pass: walk the old list, append
// each operation (or what replaces it) to a new list, then swap the lists.
//
//   std::vector<Op> ops;
//   Builder builder(function, ops);
//   builder.SetLocation(op.location);
//   Value sum = builder.Binary(Opcode::kAdd, a, b);
//
// Wrong operands are a fault of the caller: an assertion, not a Status.
class Builder {
 public:
  Builder(Function& function, std::vector<Op>& ops) : function_(function), ops_(ops) {}

  // The location given to the operations that follow.
  void SetLocation(Location location) { location_ = location; }
  Location location() const { return location_; }

  // Appends any operation; fills in `results` from `result_shapes`, or infers them if that list
  // is empty. Returns the operation, valid until the next one is appended.
  Op& Append(Op op, std::vector<Shape> result_shapes = {});

  Value Constant(Literal value);
  Value Binary(Opcode opcode, Value lhs, Value rhs);
  Value Compare(CompareDirection direction, Value lhs, Value rhs);
  Value Convert(Value operand, ElementType type);
  Value BitcastConvert(Value operand, Shape shape);
  Value Transpose(Value operand, Dims permutation);
  Value BroadcastInDim(Value operand, Dims dims, Dims broadcast_dimensions);
  Value Slice(Value operand, Dims start, Dims limit, Dims stride);
  Value Pad(Value operand, Value fill, Dims low, Dims high, Dims interior);
  Value Concatenate(std::vector<Value> operands, int64_t dimension);
  Value Reverse(Value operand, Dims dimensions);
  Value Iota(Shape shape, int64_t dimension);
  // A reduction of one operand with a binary operation of its element type.
  Value Reduce(Opcode opcode, Value operand, Value init, Dims dimensions);
  Value DotGeneral(Value lhs, Value rhs, DotGeneralAttributes attributes, ElementType result_type);
  Value Convolution(Value lhs, Value rhs, ConvolutionAttributes attributes,
                    ElementType result_type);
  void Return(std::vector<Value> values);

  Function& function() { return function_; }

 private:
  Value One(Opcode opcode, std::vector<Value> operands, Attributes attributes,
            std::vector<Shape> result_shapes = {});

  Function& function_;
  std::vector<Op>& ops_;
  Location location_;
};

}  // namespace systolith::graph

#endif  // SYSTOLITH_HOST_GRAPH_BUILDER_H_
