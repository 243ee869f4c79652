// Groups of elementwise operations become kernels, or the last part of a contraction's kernel.
#include <algorithm>
#include <map>

#include "host/compiler/codegen/chain_kernel.h"
#include "host/compiler/function_cost.h"
#include "host/compiler/passes/planner.h"
#include "host/compiler/passes/support.h"

namespace systolith::compiler {
namespace {

using graph::ElementType;
using graph::Op;
using graph::Opcode;
using graph::Value;

// With so much to spare, steps fit without a trial.
constexpr int64_t kSlotsThatFit = 400;
constexpr int64_t kRegistersThatFit = 28;
constexpr int64_t kConstantsThatFit = 110;

// Accumulators hold more than these types.
bool IsRaw(ElementType result) {
  return result == ElementType::kBF16 || result == ElementType::kF16 ||
         result == ElementType::kS8;
}

bool Repeats(const View& view) {
  for (size_t d = 0; d < view.dims.size(); ++d) {
    if (view.dims[d] > 1 && view.strides[d] == 0) return true;
  }
  return false;
}

// The stream that becomes the lane: one that varies everywhere, if there is one, and no iota.
std::optional<size_t> ChooseLane(const std::vector<View>& streams) {
  const auto find = [&](const auto& is_fine) {
    const auto found = std::find_if(streams.begin(), streams.end(), is_fine);
    return found == streams.end() ? std::nullopt
                                  : std::optional(static_cast<size_t>(found - streams.begin()));
  };
  std::optional<size_t> lane =
      find([](const View& view) { return !view.is_iota && !Repeats(view); });
  if (!lane) lane = find([](const View& view) { return !view.is_iota; });
  return lane;
}

}  // namespace

bool Fits(const std::vector<VectorStep>& steps, const arch::ChipConfig& chip) {
  const StepsCost cost = CostOfSteps(steps, chip);
  if (cost.slots <= kSlotsThatFit && cost.registers <= kRegistersThatFit &&
      cost.constants <= kConstantsThatFit) {
    return true;
  }
  // One stream more than a kernel has becomes the lane; here it does not matter which.
  std::vector<VectorStep> with_lane = steps;
  for (VectorStep& step : with_lane) {
    for (StepOperand& operand : step.operands) {
      if (operand.kind == StepOperand::Kind::kStream && operand.bits == kMaxStreams) {
        operand = {StepOperand::Kind::kLane, 0};
      }
    }
  }
  ChainKernel kernel;
  std::vector<uint32_t> numbers;
  kernel.SetSteps(std::move(with_lane), numbers);
  return BuildChainKernel(kernel, chip).ok();
}

FusionRole RoleOf(const Op& op, const graph::Function& function) {
  if (op.opcode == Opcode::kIota) return FusionRole::kIota;
  if (op.opcode == Opcode::kDotGeneral || op.opcode == Opcode::kConvolution) {
    return FusionRole::kBody;
  }
  if (op.opcode == Opcode::kBitcastConvert && !IsBitcastOnLanes(op, function)) {
    return FusionRole::kNone;
  }
  return IsVectorOperation(op.opcode) ? FusionRole::kStep : FusionRole::kNone;
}

Status Planner::VisitVector(size_t number) {
  const Op& op = block_->ops[number];
  if (op.opcode == Opcode::kIota) {
    VisitIota(op, block_->fusion.Escapes(number));
    return OkStatus();
  }
  if (RoleOf(op, function_) == FusionRole::kNone) {
    VisitBitcast(op);
    return OkStatus();
  }
  const VectorGroup* group = block_->fusion.GroupOf(number);
  return group == nullptr ? OkStatus() : PlanGroup(*group);
}

void Planner::VisitIota(const Op& op, bool is_stored) {
  const graph::Shape& shape = function_.shape(op.result());
  View view;
  view.type = ElementType::kS32;
  view.dims = shape.dims;
  view.strides.assign(shape.dims.size(), 0);
  const auto dimension = static_cast<size_t>(op.As<graph::DimensionAttributes>().dimension);
  if (shape.dims[dimension] > 1) view.strides[dimension] = 1;
  view.is_iota = true;
  iotas_[op.result()] = view;
  if (!is_stored) return;
  VectorChain chain;
  const VectorChain::Lane result = AddIota(chain, view, shape.type);
  AddElementwise(op.result(), op, chain.StepsFor(result), chain.streams());
}

VectorChain::Lane Planner::AddIota(VectorChain& chain, const View& view, ElementType type) {
  Op convert;
  convert.opcode = Opcode::kConvert;
  return chain.Append(convert, type, {chain.AddStream(view)});
}

VectorChain::Lane Planner::AddOperand(VectorChain& chain, Value value, const graph::Dims& dims) {
  if (block_->fusion.IsIota(value) && function_.shape(value).dims == dims) {
    return AddIota(chain, iotas_.at(value), function_.shape(value).type);
  }
  Straighten(value);
  const ChainOperand operand = OperandOf(value, dims);
  return operand.immediate ? chain.AddNumber(*operand.immediate, operand.view.type)
                           : chain.AddStream(operand.view);
}

Status Planner::PlanGroup(const VectorGroup& group) {
  const Op& root = block_->ops[group.root()];
  if (views_.contains(root.result())) return OkStatus();
  const graph::Shape& shape = function_.shape(root.result());
  const bool is_alone = group.members.size() == 1 && !group.body;
  const bool is_moved = is_alone && root.opcode == Opcode::kBitcastConvert;
  if (is_moved && !block_->fusion.IsIota(root.operands[0])) {  // an iota is nowhere
    VisitBitcast(root);
    return OkStatus();
  }
  VectorChain chain;
  std::map<Value, VectorChain::Lane> lanes;
  if (group.body) {
    const Value body = block_->ops[*group.body].result();
    if (contractions_.contains(body)) {
      const ElementType type = function_.shape(body).type;
      lanes[body] = chain.AddBody(type, IsRaw(type));
    }
  }
  for (const size_t member : group.members) {
    const Op& op = block_->ops[member];
    std::vector<VectorChain::Lane> operands;
    for (const Value operand : op.operands) {
      const auto known = lanes.find(operand);
      operands.push_back(known != lanes.end() ? known->second
                                              : AddOperand(chain, operand, shape.dims));
    }
    lanes[op.result()] = chain.Append(op, function_.shape(op.result()).type, operands);
  }
  const std::vector<VectorStep> steps = chain.StepsFor(lanes.at(root.result()));
  if (!Fits(steps, compilation_.chip)) {
    if (group.members.size() == 1) {
      return Internal(graph::Describe(root) + ": does not fit the vector unit");
    }
    for (const VectorGroup& part : block_->fusion.Split(group)) RETURN_IF_ERROR(PlanGroup(part));
    return OkStatus();
  }
  if (!group.body || !contractions_.contains(block_->ops[*group.body].result())) {
    AddElementwise(root.result(), block_->ops[group.members.front()], steps, chain.streams());
    return OkStatus();
  }
  if (ExtendContraction(block_->ops[*group.body].result(), root.result(), steps, chain.streams())) {
    return OkStatus();
  }
  contractions_.erase(block_->ops[*group.body].result());
  return PlanGroup(group);
}

bool Planner::ExtendContraction(Value body, Value result, std::vector<VectorStep> steps,
                                std::vector<View> streams) {
  const size_t number = contractions_.at(body);
  Contraction contraction = std::get<Contraction>(compilation_.kernels[number].body);
  for (View& stream : streams) {
    Contraction alone = contraction;
    if (!SetStreamStrides(alone, {stream})) stream = MakeDense(stream);
  }
  if (!SetStreamStrides(contraction, streams)) return false;
  Kernel& kernel = compilation_.kernels[number];
  kernel.body = std::move(contraction);
  kernel.steps = std::move(steps);
  kernel.streams = std::move(streams);
  kernel.out = View::Dense(result, function_.shape(result));
  kernel.position = NextPosition();
  SetView(result, kernel.out);
  return true;
}

void Planner::AddElementwise(Value result, const Op& first, std::vector<VectorStep> steps,
                             std::vector<View> streams) {
  const std::optional<size_t> lane = ChooseLane(streams);
  Kernel& kernel = AddKernel(result, first, std::string(graph::OpcodeName(first.opcode)));
  Elementwise body;
  body.x.type = kernel.out.type;
  body.x.dims = kernel.out.dims;
  body.x.strides.assign(kernel.out.dims.size(), 0);
  if (lane) {
    body.x = streams[*lane];
    streams.erase(streams.begin() + static_cast<std::ptrdiff_t>(*lane));
    for (VectorStep& step : steps) {
      for (StepOperand& operand : step.operands) {
        if (operand.kind != StepOperand::Kind::kStream) continue;
        if (operand.bits == *lane) {
          operand = {StepOperand::Kind::kLane, 0};
        } else if (operand.bits > *lane) {
          --operand.bits;
        }
      }
    }
  }
  kernel.body = std::move(body);
  kernel.steps = std::move(steps);
  kernel.streams = std::move(streams);
}

// The same bytes as another type: a view. If the width differs, the innermost dimension does.
void Planner::VisitBitcast(const Op& op) {
  const graph::Shape& shape = function_.shape(op.result());
  View view = ViewOf(op.operands[0]);
  if (graph::ByteWidth(view.type) == graph::ByteWidth(shape.type)) {
    view.type = shape.type;
    SetView(op.result(), std::move(view));
    return;
  }
  const int64_t elements = function_.shape(view.base).ElementCount();
  const bool is_whole = view.CoversBase(elements) && !view.shift.valid() && view.type == function_.shape(view.base).type;
  if (!is_whole) view = MakeDense(view);
  View cast = View::Dense(view.base, shape);
  SetView(op.result(), std::move(cast));
}

}  // namespace systolith::compiler
