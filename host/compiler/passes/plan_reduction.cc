// Reductions as kernels: what is reduced is one loop over the operand, what is kept another.
#include <algorithm>

#include "host/compiler/passes/planner.h"
#include "host/compiler/passes/support.h"

namespace systolith::compiler {

void Planner::VisitReduce(const graph::Op& op) {
  const View& x = ViewOf(op.operands[0]);
  const graph::Dims& dimensions = op.As<graph::ReduceAttributes>().dimensions;
  graph::Dims order, kept;
  for (int64_t i = 0; i < static_cast<int64_t>(x.dims.size()); ++i) {
    const bool is_reduced = std::find(dimensions.begin(), dimensions.end(), i) != dimensions.end();
    (is_reduced ? order : kept).push_back(i);
  }
  const size_t reduced_count = order.size();
  order.insert(order.end(), kept.begin(), kept.end());
  View ordered = x.Transposed(order);
  graph::Dims first, second;
  for (size_t i = 0; i < order.size(); ++i) {
    (i < reduced_count ? first : second).push_back(static_cast<int64_t>(i));
  }
  if (!MergeDimensions(ordered, first) || !MergeDimensions(ordered, second)) {
    // A copy moves the dimension whose elements lie next to each other in one piece.
    const bool is_along_rows = !x.strides.empty() && x.strides.back() == 1 &&
                               order[reduced_count - 1] + 1 == static_cast<int64_t>(order.size());
    if (is_along_rows) {
      graph::Dims rows = second;
      rows.insert(rows.end(), first.begin(), first.end());
      graph::Dims back(rows.size());
      for (size_t i = 0; i < rows.size(); ++i) {
        back[static_cast<size_t>(rows[i])] = static_cast<int64_t>(i);
      }
      ordered = MakeDense(ordered.Transposed(rows)).Transposed(back);
    } else {
      ordered = MakeDense(ordered);
    }
  }
  Reduction reduction;
  reduction.x = ordered;
  reduction.reduced = *MergeDimensions(ordered, first);
  reduction.kept = *MergeDimensions(ordered, second);
  reduction.combine = *ReductionStep(op, x.type);
  Kernel& kernel = AddKernel(op.result(), op, "reduce");
  const ChainOperand init = OperandOf(op.operands[1], kernel.out.dims);
  if (init.immediate) {
    reduction.init = {StepOperand::Kind::kImmediate, *init.immediate};
  } else {
    reduction.init = {StepOperand::Kind::kStream, 0};
    kernel.streams = {init.view};
  }
  kernel.body = std::move(reduction);
}

}  // namespace systolith::compiler
