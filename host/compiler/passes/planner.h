#ifndef SYSTOLITH_HOST_COMPILER_PASSES_PLANNER_H_
#define SYSTOLITH_HOST_COMPILER_PASSES_PLANNER_H_

#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "host/compiler/compilation.h"
#include "host/compiler/passes/fusion.h"
#include "host/compiler/passes/index_table.h"
#include "host/compiler/passes/vector_chain.h"
#include "host/graph/builder.h"

namespace systolith::compiler {

// An operand of an elementwise operation: the same number everywhere (the lane's bits), or a tensor.
struct ChainOperand {
  std::optional<uint32_t> immediate;
  View view;  // with the result's dimensions
};

// Walks the graph once and turns it into kernels. Every value is a View: of itself where it is
// stored (arguments, constants, results of kernels and of the evaluator), else of what it is a
// slice, transpose, broadcast ... of.
class Planner {
 public:
  explicit Planner(Compilation& compilation);
  Status Run();

 private:
  // A list of operations in their order.
  struct Block {
    const std::vector<graph::Op>& ops;
    std::span<const Placement> placements;
    FusionPlan fusion;
  };
  Status VisitBlock(const std::vector<graph::Op>& ops, std::span<const Placement> placements);
  Status Visit(size_t number);  // of the block
  Status VisitView(const graph::Op& op);
  void VisitProduct(const graph::Op& op);
  void VisitReduce(const graph::Op& op);
  void VisitReturn(const graph::Op& op);
  // plan_vector.cc
  Status VisitVector(size_t number);
  void VisitIota(const graph::Op& op, bool is_stored);
  void VisitBitcast(const graph::Op& op);
  Status PlanGroup(const VectorGroup& group);
  // The steps become part of the contraction's kernel. False if it can't read the streams.
  bool ExtendContraction(graph::Value contraction, graph::Value result,
                         std::vector<VectorStep> steps, std::vector<View> streams);
  // `first` gives the kernel its name.
  void AddElementwise(graph::Value result, const graph::Op& first, std::vector<VectorStep> steps,
                      std::vector<View> streams);
  VectorChain::Lane AddIota(VectorChain& chain, const View& view, graph::ElementType type);
  VectorChain::Lane AddOperand(VectorChain& chain, graph::Value value, const graph::Dims& dims);
  // plan_movement.cc
  void VisitMovement(const graph::Op& op);
  void VisitConcatenate(const graph::Op& op);
  void VisitPad(const graph::Op& op);
  void VisitDynamicUpdateSlice(const graph::Op& op);
  // plan_indexed.cc
  void VisitGather(const graph::Op& op);
  void VisitScatter(const graph::Op& op);
  // The stored table of these index vectors, dense and s32.
  graph::Value PlanTable(const IndexTable& table, graph::Value indices);
  // The part of a view that begins at a run-time place, clamped so that it stays inside.
  View DynamicSlice(View view, const graph::Dims& sizes, std::span<const graph::Value> starts);
  // The element of a constant that is a scalar.
  std::optional<int64_t> ConstantInteger(graph::Value scalar) const;
  // Plans operations that the graph does not have, and stores what they compute.
  graph::Value Compute(const std::function<graph::Value(graph::Builder&)>& build);
  // Constants that kernels read become part of the function.
  void AddConstants();
  // Every element of `to` becomes the scalar.
  void Fill(const View& to, graph::Value scalar, const graph::Op& op);

  void SetView(graph::Value value, View view);
  const View& ViewOf(graph::Value value) const;
  // The value as a second operand of a result of these dimensions (a scalar is broadcast).
  ChainOperand OperandOf(graph::Value value, const graph::Dims& dims) const;
  std::optional<uint32_t> UniformBits(const View& view) const;
  // A value of many elements whose innermost dimension steps far is stored under its own name, so
  // that it is read in runs.
  void Straighten(graph::Value value);
  // A view whose every element is next to the last in memory, by a copy if need be.
  View MakeDense(const View& view);
  // The value is stored under its own name, by a copy if need be.
  void Store(graph::Value value, graph::Location location);

  void AddCopy(const View& from, const View& to, graph::Location location);
  // plan_control.cc: a region's kernels, and the views that hold only in it.
  struct Scope {
    size_t first_kernel = 0, first_control = 0, first_change = 0;
  };
  Scope BeginScope();
  Sequence EndScope(Scope scope);
  // The kernels and controls since the scope began that are in no other one, in order.
  Sequence TakeItems(const Scope& scope);
  Status VisitRegion(const graph::Region& region);
  Status VisitWhile(const graph::Op& op);
  Status VisitChoice(const graph::Op& op);
  void AddControl(const graph::Op& op, std::variant<Loop, Choice> body);
  std::vector<View> ViewsOf(const std::vector<graph::Value>& values) const;
  View ScalarOf(graph::Value value);
  void CopyTo(graph::Value place, const View& view);
  void CopyToPlaces(const std::vector<graph::Value>& places, std::vector<View> views);

  Kernel& AddKernel(graph::Value result, const graph::Op& op, std::string operation);
  int64_t NextPosition() { return ++position_; }

  Compilation& compilation_;
  graph::Function& function_;
  std::map<graph::Value, View> views_;
  std::vector<std::pair<graph::Value, std::optional<View>>> view_changes_;  // what was before
  std::vector<bool> is_kernel_taken_, is_control_taken_;
  std::map<graph::Value, size_t> contractions_;  // by result: kernels that steps may join
  std::map<graph::Value, const graph::Literal*> constants_;
  std::vector<graph::Op> new_constants_;
  std::map<graph::Value, View> iotas_;           // as streams, s32
  const Block* block_ = nullptr;
  graph::Location location_;
  int64_t position_ = 0;
};

// What an operation that runs on the chip may be in a kernel of the vector unit.
FusionRole RoleOf(const graph::Op& op, const graph::Function& function);

// Whether reading the view would step from element to element, and a copy could step in runs.
bool IsWorthTransposing(const View& view);

// Whether a kernel of the vector unit holds the steps.
bool Fits(const std::vector<VectorStep>& steps, const arch::ChipConfig& chip);

// An element as the vector unit's lane holds it.
uint32_t LaneBits(const graph::Literal& literal, int64_t element);

// Adds what the streams of a finished contraction need: their strides along its dimensions. False
// if a stream has none.
bool SetStreamStrides(Contraction& contraction, const std::vector<View>& streams);

// Sets the strides along which a contraction writes its result to `out`. False if there are none
// for dimensions that it walks as one.
bool SetResultStrides(Contraction& contraction, const View& out);

// The contraction of a dot_general or convolution on these operands. Operands that cannot be
// walked as the matrix unit needs are passed through `make_dense` first.
Contraction PlanDotGeneral(const graph::Op& op, const graph::Function& function, View lhs, View rhs,
                           const std::function<View(const View&)>& make_dense);
Contraction PlanConvolution(const graph::Op& op, const graph::Function& function, View lhs,
                            View rhs, const std::function<View(const View&)>& make_dense);
void SetPrecision(Contraction& contraction, graph::Precision precision);

}  // namespace systolith::compiler

#endif  // SYSTOLITH_HOST_COMPILER_PASSES_PLANNER_H_
