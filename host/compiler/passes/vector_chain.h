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
// its type, and whether it is raw: more than a value of its type. A bf16 or f16 lane may still have
// the bits of an f32, a narrow integer may not have wrapped, an i1 may be any number that is not 0.
// The result of every operation is rounded and wrapped as the graph says; that is left out only
// where the steps that follow give the same bits without it.
class VectorChain {
 public:
  // The lane starts as a value of `type`; `raw`: straight from a wider accumulator.
  VectorChain(graph::ElementType type, bool raw) : type_(type), raw_(raw) {}

  // The operands (indices) of an operation as which the lane may enter it.
  static std::vector<size_t> LaneOperands(const graph::Op& op);

  // Appends the operation (IsVectorOperation) with the lane as its operand `x` (an index into its
  // operands) and the others from `operands` (entry x unused). False, and nothing changed, if that
  // does not fit one kernel of the vector unit.
  bool Append(const graph::Op& op, graph::ElementType result, size_t x,
              const std::vector<ChainOperand>& operands);
  // The lane becomes the operand, whatever it was.
  void Load(const ChainOperand& operand);

  // Steps whose last result can be stored.
  std::vector<VectorStep> Steps() const;
  const std::vector<View>& streams() const { return streams_; }
  bool Fits() const;

 private:
  bool IsFloat() const;
  // A step on the lane and, if there is one, an operand; `reversed`: the operand comes first.
  void Add(arch::AluOp op, StepOperand operand = {}, bool reversed = false);
  StepOperand Operand(const ChainOperand& operand);
  // The lane is a value of its type from here on.
  void Settle();
  // An integer lane without the copies of its sign above its type.
  void DropSign();
  void AppendFloat(const graph::Op& op, size_t x, const std::vector<ChainOperand>& operands);
  void AppendInteger(const graph::Op& op, size_t x, const std::vector<ChainOperand>& operands);
  void AppendCompare(const graph::Op& op, bool reversed, StepOperand operand);
  void AppendSelect(size_t x, const std::vector<ChainOperand>& operands,
                    graph::ElementType result);
  void AppendConvert(graph::ElementType to);
  void AppendFloatToInteger(graph::ElementType to);
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
