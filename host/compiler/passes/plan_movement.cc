// Operations that place their operands in a tensor. Each operand is a copy into a part of the
// result; forward-results takes away the copies of what a kernel has just made.
#include <algorithm>

#include "host/compiler/passes/planner.h"
#include "host/compiler/passes/support.h"

namespace systolith::compiler {
namespace {

using graph::Op;
using graph::Value;

// Indices [begin, end) of a dimension.
struct Range {
  int64_t begin = 0, end = 0;
  bool empty() const { return end <= begin; }
};

View Sliced(const View& view, size_t dimension, Range range, int64_t step = 1) {
  graph::SliceAttributes slice;
  slice.start.assign(view.dims.size(), 0);
  slice.limit = view.dims;
  slice.stride.assign(view.dims.size(), 1);
  slice.start[dimension] = range.begin;
  slice.limit[dimension] = range.end;
  slice.stride[dimension] = step;
  return view.Sliced(slice);
}

int64_t CeilDivide(int64_t a, int64_t b) { return a >= 0 ? (a + b - 1) / b : -(-a / b); }

}  // namespace

void Planner::VisitMovement(const Op& op) {
  const View whole = View::Dense(op.result(), function_.shape(op.result()));
  SetView(op.result(), whole);
  if (graph::Product(whole.dims) == 0) {
    AddCopy({Value{}, whole.type, 0, whole.dims, whole.strides}, whole, op.location);
    return;
  }
  if (op.opcode == graph::Opcode::kPad) {
    VisitPad(op);
  } else {
    VisitConcatenate(op);
  }
}

void Planner::VisitConcatenate(const Op& op) {
  const View whole = ViewOf(op.result());
  const auto dimension =
      static_cast<size_t>(op.As<graph::DimensionAttributes>().dimension);
  int64_t begin = 0;
  for (const Value operand : op.operands) {
    const View& piece = ViewOf(operand);
    const int64_t end = begin + piece.dims[dimension];
    AddCopy(piece, Sliced(whole, dimension, {begin, end}), op.location);
    begin = end;
  }
}

// The padding is filled first: in front of and behind the operand dimension by dimension, and with
// elements in between everywhere.
void Planner::VisitPad(const Op& op) {
  const auto& pad = op.As<graph::PadAttributes>();
  View from = ViewOf(op.operands[0]);
  const View whole = ViewOf(op.result());
  View to = whole;
  std::vector<View> slabs;
  bool has_gaps = false;
  for (size_t d = 0; d < whole.dims.size(); ++d) {
    const int64_t step = pad.interior[d] + 1;
    const int64_t low = pad.low[d];
    // The operand's indices that stay, and where they go.
    const Range kept{std::max<int64_t>(CeilDivide(-low, step), 0),
                     std::min(CeilDivide(whole.dims[d] - low, step), from.dims[d])};
    if (kept.empty()) {
      Fill(whole, op.operands[1], op);
      return;
    }
    const Range covered{low + kept.begin * step, low + (kept.end - 1) * step + 1};
    slabs.push_back(Sliced(to, d, {0, covered.begin}));
    slabs.push_back(Sliced(to, d, {covered.end, to.dims[d]}));
    has_gaps = has_gaps || (step > 1 && kept.end - kept.begin > 1);
    from = Sliced(from, d, kept);
    to = Sliced(to, d, covered, step);
  }
  if (has_gaps) slabs = {whole};
  for (const View& slab : slabs) Fill(slab, op.operands[1], op);
  AddCopy(from, to, op.location);
}

void Planner::Fill(const View& to, Value scalar, const Op& op) {
  if (graph::Product(to.dims) == 0) return;
  const ChainOperand operand = OperandOf(scalar, to.dims);
  AddCopy(operand.view, to, op.location);
  if (!LaneTypeOf(to.type)) return;  // the DMA repeats the element
  Kernel& kernel = compilation_.kernels.back();
  VectorChain chain(to.type, false);
  chain.Load(operand);
  kernel.body = Elementwise{View{Value{}, to.type, 0, to.dims, to.strides}};
  kernel.steps = chain.Steps();
  kernel.streams = chain.streams();
  kernel.operation = "pad";
}

}  // namespace systolith::compiler
