// Operations that place their operands in a tensor. Each operand is a copy into a part of the
// result; forward-results takes away the copies of what a kernel has just made.
#include <algorithm>
#include <cassert>
#include <set>

#include "host/compiler/passes/index_table.h"
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

Value Number(graph::Builder& builder, graph::ElementType type, int64_t value) {
  graph::Literal literal(graph::Shape{type, {}});
  literal.SetInt(0, value);
  return builder.Constant(std::move(literal));
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
  switch (op.opcode) {
    case graph::Opcode::kPad: VisitPad(op); break;
    case graph::Opcode::kGather: VisitGather(op); break;
    case graph::Opcode::kScatter: VisitScatter(op); break;
    case graph::Opcode::kDynamicUpdateSlice: VisitDynamicUpdateSlice(op); break;
    default: VisitConcatenate(op);
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
  VectorChain chain;
  const VectorChain::Lane lane = operand.immediate ? chain.AddNumber(*operand.immediate, to.type)
                                                   : chain.AddStream(operand.view);
  kernel.body = Elementwise{View{Value{}, to.type, 0, to.dims, to.strides}};
  kernel.steps = chain.StepsFor(lane);
  kernel.streams = chain.streams();
  kernel.operation = "pad";
}

void Planner::VisitDynamicUpdateSlice(const Op& op) {
  const View whole = ViewOf(op.result());
  AddCopy(ViewOf(op.operands[0]), whole, op.location);
  const View update = ViewOf(op.operands[1]);
  if (graph::Product(update.dims) == 0) return;
  AddCopy(update, DynamicSlice(whole, update.dims, std::span(op.operands).subspan(2)),
          op.location);
}

View Planner::DynamicSlice(View view, const graph::Dims& sizes, std::span<const Value> starts) {
  constexpr auto kOffset = graph::ElementType::kS32;
  struct Term {
    Value start;
    int64_t most;   // start
    int64_t bytes;  // per step
  };
  std::vector<Term> terms;
  for (size_t d = 0; d < sizes.size(); ++d) {
    const int64_t most = view.dims[d] - sizes[d];
    if (most == 0 || view.strides[d] == 0) continue;
    if (const std::optional<int64_t> start = ConstantInteger(starts[d])) {
      view.offset += std::clamp<int64_t>(*start, 0, most) * view.strides[d];
    } else {
      terms.push_back({starts[d], most, view.strides[d] * view.ElementBytes()});
    }
  }
  view.dims = sizes;
  if (terms.empty() || graph::Product(sizes) == 0) return view;
  view.shift = Compute([&](graph::Builder& builder) {
    Value sum = view.shift;
    for (const Term& term : terms) {
      const graph::ElementType type = function_.shape(term.start).type;
      Op clamp;
      clamp.opcode = graph::Opcode::kClamp;
      clamp.operands = {Number(builder, type, 0), term.start,
                        Number(builder, type, std::min(term.most, Highest(type)))};
      Value place = builder.Append(std::move(clamp), {function_.shape(term.start)}).result();
      if (type != kOffset) place = builder.Convert(place, kOffset);
      place = builder.Binary(graph::Opcode::kMultiply, place,
                             Number(builder, kOffset, term.bytes));
      sum = sum.valid() ? builder.Binary(graph::Opcode::kAdd, place, sum) : place;
    }
    return sum;
  });
  return view;
}

std::optional<int64_t> Planner::ConstantInteger(Value scalar) const {
  const View& view = ViewOf(scalar);
  const auto constant = constants_.find(view.base);
  if (constant == constants_.end() || view.shift.valid()) return std::nullopt;
  return constant->second->GetInt(view.offset);
}

Value Planner::Compute(const std::function<Value(graph::Builder&)>& build) {
  std::vector<Op> ops;
  graph::Builder builder(function_, ops);
  builder.SetLocation(location_);
  const Value result = build(builder);
  for (const Op& op : ops) {
    if (op.opcode == graph::Opcode::kConstant) new_constants_.push_back(op);
  }
  const std::vector<Placement> placements(ops.size(), {Unit::kChip, ""});
  const Status status = VisitBlock(ops, placements);
  assert(status.ok());
  return result;
}

void Planner::AddConstants() {
  std::set<Value> read;
  for (const Kernel& kernel : compilation_.kernels) {
    for (const Value value : kernel.Operands()) read.insert(value);
  }
  std::erase_if(new_constants_, [&](const Op& op) { return !read.contains(op.result()); });
  compilation_.placements.insert(compilation_.placements.begin(), new_constants_.size(), {});
  std::vector<Op>& ops = function_.body.ops;
  ops.insert(ops.begin(), new_constants_.begin(), new_constants_.end());
}

}  // namespace systolith::compiler
