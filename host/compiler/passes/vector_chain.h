#ifndef SYSTOLITH_HOST_COMPILER_PASSES_VECTOR_CHAIN_H_
#define SYSTOLITH_HOST_COMPILER_PASSES_VECTOR_CHAIN_H_

#include <cstdint>
#include <map>
#include <optional>
#include <string_view>
#include <vector>

#include "host/compiler/kernel.h"
#include "host/graph/graph.h"

namespace systolith::compiler {

// Builds the steps that the vector unit runs on every element, operation by operation, and follows
// what stands in the lane for each value: its type, and whether it is raw: more than a value of its
// type. A bf16 or f16 lane may still have the bits of an f32, a narrow integer may not have
// wrapped, an i1 may be all ones for true. The result of every operation is rounded and wrapped as
// the graph says; that is left out only where the steps that follow give the same bits without it.
class VectorChain {
 public:
  // Names a value of the chain.
  using Lane = size_t;

  // What the kernel's body gives; `raw`: straight from a wider accumulator.
  Lane AddBody(graph::ElementType type, bool raw);
  // An element of a tensor, viewed with the result's dimensions.
  Lane AddStream(const View& view);
  // The same number everywhere: the lane's bits.
  Lane AddNumber(uint32_t bits, graph::ElementType type);
  // The operation's result, of type `result`; operands in the operation's order.
  Lane Append(const graph::Op& op, graph::ElementType result, const std::vector<Lane>& operands);

  // The chain's steps if it stores this value. Stores round floats and cut integers.
  std::vector<VectorStep> StepsFor(Lane result) const;
  const std::vector<View>& streams() const { return streams_; }

 private:
  struct LaneValue {
    StepOperand operand;
    graph::ElementType type;
    bool raw = false;
    // What maximum and minimum with constants have made of a float; unset: anything.
    std::optional<float> low, high;
  };

  LaneValue& at(Lane lane) { return values_[lane]; }
  Lane AddValue(LaneValue value);
  // A step; the same one is not done twice.
  StepOperand Step(arch::AluOp op, StepOperand x, StepOperand y = {}, StepOperand z = {});
  StepOperand Call(std::string_view function, StepOperand x, StepOperand y = {});
  StepOperand AddStep(VectorStep step);

  // The lane becomes a value of its type, for all that follow, too.
  StepOperand Settled(Lane lane);
  // An integer lane without the copies of its sign above its type.
  StepOperand WithoutSign(Lane lane);

  LaneValue Float(const graph::Op& op, const std::vector<Lane>& x);
  LaneValue Integer(const graph::Op& op, const std::vector<Lane>& x);
  LaneValue Shift(graph::Opcode opcode, const std::vector<Lane>& x);
  LaneValue Choice(graph::Opcode opcode, const std::vector<Lane>& x);
  LaneValue Compare(const graph::CompareAttributes& compare, const std::vector<Lane>& x);
  LaneValue Select(const std::vector<Lane>& x, graph::ElementType type);
  LaneValue Convert(Lane x, graph::ElementType to);
  StepOperand FloatToInteger(Lane x, graph::ElementType to);
  LaneValue BitcastConvert(Lane x, graph::ElementType to);
  LaneValue ReducePrecision(const graph::ReducePrecisionAttributes& format, Lane x);

  std::vector<LaneValue> values_;
  std::vector<VectorStep> steps_;
  std::map<VectorStep, uint32_t> known_;  // steps -> their numbers
  std::vector<View> streams_;
};

// The function of the kernel library that computes the operation on operands of this type; empty
// if it is done in other ways, or not at all.
std::string_view LibraryFunction(graph::Opcode opcode, graph::ElementType type);

}  // namespace systolith::compiler

#endif  // SYSTOLITH_HOST_COMPILER_PASSES_VECTOR_CHAIN_H_
