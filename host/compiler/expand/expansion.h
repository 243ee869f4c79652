#ifndef SYSTOLITH_HOST_COMPILER_EXPAND_EXPANSION_H_
#define SYSTOLITH_HOST_COMPILER_EXPAND_EXPANSION_H_

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "host/arch/chip_config.h"
#include "host/graph/builder.h"
#include "host/graph/graph.h"

namespace systolith::compiler {

using graph::Dims;
using graph::ElementType;
using graph::Op;
using graph::Opcode;
using graph::Region;
using graph::Shape;
using graph::Value;
using Values = std::vector<Value>;

// What one operation becomes: the list that an expander appends to, and the words it is written in.
// Scalars stand for tensors of any size: elementwise words broadcast them.
class Expansion {
 public:
  Expansion(graph::Function& function, std::vector<Op>& ops, graph::Location location,
            const arch::ChipConfig& chip)
      : function_(function), builder_(function, ops), chip_(chip), location_(location) {
    builder_.SetLocation(location);
  }

  // One that appends to a region of an operation that this one builds.
  Expansion Nested(std::vector<Op>& ops) { return {function_, ops, location_, chip_}; }

  graph::Builder& builder() { return builder_; }
  graph::Function& function() { return function_; }
  const arch::ChipConfig& chip() const { return chip_; }
  // Copies: the function keeps its shapes in a list that grows.
  Shape shape(Value value) const { return function_.shape(value); }
  Dims dims(Value value) const { return function_.shape(value).dims; }
  ElementType type(Value value) const { return function_.shape(value).type; }
  int64_t size(Value value, size_t dimension) const {
    return function_.shape(value).dims.at(dimension);
  }

  // A scalar constant; the same one for equal wishes.
  Value Number(ElementType type, double value);
  Value Constant(graph::Literal literal) { return builder_.Constant(std::move(literal)); }

  // Elementwise.
  Value Unary(Opcode opcode, Value x);
  Value Binary(Opcode opcode, Value x, Value y);
  Value Compare(graph::CompareDirection direction, Value x, Value y, bool total_order = false);
  Value Select(Value predicate, Value x, Value y);
  Value Convert(Value x, ElementType type);

  // Shapes. What changes nothing adds no operation.
  Value Broadcast(Value scalar, const Dims& dims);
  Value BroadcastInDim(Value x, Dims dims, Dims broadcast_dimensions);
  Value Reshape(Value x, Dims dims);
  Value Transpose(Value x, Dims permutation);
  Value Slice(Value x, size_t dimension, int64_t start, int64_t limit, int64_t stride = 1);
  Value Pad(Value x, Value fill, Dims low, Dims high, Dims interior);
  Value Concatenate(Values parts, size_t dimension);

  // A region on scalars, applied to every element of tensors of one shape (or to scalars). Values
  // from outside of it, and what depends on nothing else, stay scalars. nullopt: the region does
  // what can't be done elementwise.
  std::optional<Values> Apply(const Region& body, const Values& arguments);

  // A copy of a region under names of its own, so that it may stand in another operation.
  Region Clone(const Region& region);
  // reduce with a copy of `body`.
  Values Reduce(const Region& body, const Values& operands, const Values& inits, Dims dimensions);
  Value Reduce(Opcode opcode, Value x, Value init, Dims dimensions) {
    return builder_.Reduce(opcode, x, init, std::move(dimensions));
  }
  // A loop: `count` rounds of body(round, number of the round, state) -> state.
  using Round = std::function<Values(Expansion& round, Value number, const Values& state)>;
  Values Repeat(int64_t count, const Values& state, const Round& body);

 private:
  using Environment = std::map<Value, Value>;  // of the region -> here
  std::optional<Values> ApplyIn(const Region& body, Environment& environment, const Dims& dims);
  std::optional<Values> ApplyOp(const Op& op, Environment& environment, const Dims& dims);
  Value Append(Op op, std::vector<Shape> shapes = {});
  // Operands of one shape: scalars beside tensors are broadcast.
  void Match(Values& operands);

  graph::Function& function_;
  graph::Builder builder_;
  const arch::ChipConfig& chip_;
  const graph::Location location_;
  std::map<std::pair<ElementType, uint64_t>, Value> numbers_;  // by bits of the double
  Environment uniform_;  // of regions: what is the same for all elements
};

// The values that stand for an operation's results; nullopt: the operation stays.
using Expander = std::optional<Values> (*)(const Op& op, Expansion& to);

// One per file.
std::optional<Values> ExpandBatchNorm(const Op& op, Expansion& to);
std::optional<Values> ExpandBesselI1e(const Op& op, Expansion& to);
std::optional<Values> ExpandCholesky(const Op& op, Expansion& to);
std::optional<Values> ExpandMap(const Op& op, Expansion& to);
std::optional<Values> ExpandReduce(const Op& op, Expansion& to);
std::optional<Values> ExpandReduceWindow(const Op& op, Expansion& to);
std::optional<Values> ExpandRngBitGenerator(const Op& op, Expansion& to);
std::optional<Values> ExpandScatter(const Op& op, Expansion& to);
std::optional<Values> ExpandSelectAndScatter(const Op& op, Expansion& to);
std::optional<Values> ExpandSort(const Op& op, Expansion& to);
std::optional<Values> ExpandTriangularSolve(const Op& op, Expansion& to);
std::optional<Values> ExpandDotGeneral(const Op& op, Expansion& to);
std::optional<Values> ExpandConvert(const Op& op, Expansion& to);
std::optional<Values> ExpandConvolution(const Op& op, Expansion& to);

}  // namespace systolith::compiler

#endif  // SYSTOLITH_HOST_COMPILER_EXPAND_EXPANSION_H_
