#ifndef SYSTOLITH_HOST_COMPILER_PASSES_VECTOR_CHAIN_H_
#define SYSTOLITH_HOST_COMPILER_PASSES_VECTOR_CHAIN_H_

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "host/compiler/kernel.h"
#include "host/graph/graph.h"

namespace systolith::compiler {

// A second operand: a constant that is the same for every element, or a tensor.
struct ChainOperand {
  std::optional<uint32_t> immediate;  // the lane's bits
  View view;                          // with the result's dimensions
};

// Builds the steps that the vector unit runs on every element, and follows what stands in the lane:
// its type, and whether a bf16 or s8 value still has bits that its type does not. The result of
// every operation is rounded as the graph says; a rounding or wrap is left out only where the
// steps that follow give the same bits without it.
class VectorChain {
 public:
  // The lane starts as a value of `type`; `raw`: straight from a wider accumulator.
  VectorChain(graph::ElementType type, bool raw) : type_(type), raw_(raw) {}

  // Appends the operation (IsVectorOperation) with the lane as its operand `x` (an index into its
  // operands) and the others from `operands` (entry x unused). False, and nothing changed, if that
  // does not fit one kernel of the vector unit.
  bool Append(const graph::Op& op, graph::ElementType result, size_t x,
              const std::vector<ChainOperand>& operands);
  // The lane becomes the operand, whatever it was.
  void Load(const ChainOperand& operand);

  const std::vector<VectorStep>& steps() const { return steps_; }
  const std::vector<View>& streams() const { return streams_; }
  bool Fits() const;

 private:
  bool IsFloat() const;
  // A step on the lane and, if there is one, an operand; `reversed`: the operand comes first.
  void Add(arch::AluOp op, StepOperand operand = {}, bool reversed = false);
  StepOperand Operand(const ChainOperand& operand);
  bool AppendArithmetic(const graph::Op& op, size_t x, const std::vector<ChainOperand>& operands);
  bool AppendConvert(graph::ElementType to);
  void Clip(float low, float high);

  graph::ElementType type_;
  bool raw_;
  // What maximum and minimum with constants have made of a float lane; unset: anything.
  std::optional<float> low_, high_;
  std::vector<VectorStep> steps_;
  std::vector<View> streams_;
};

}  // namespace systolith::compiler

#endif  // SYSTOLITH_HOST_COMPILER_PASSES_VECTOR_CHAIN_H_
