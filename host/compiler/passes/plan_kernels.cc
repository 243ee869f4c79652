#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <functional>
#include <span>
#include <utility>

#include "host/compiler/passes/passes.h"
#include "host/compiler/passes/planner.h"
#include "host/compiler/passes/support.h"
#include "host/graph/rewrite.h"

namespace systolith::compiler {
namespace {

using graph::ElementType;
using graph::Op;
using graph::Opcode;
using graph::Value;

// Looking for a uniform constant is worth it up to here; longer ones are rarely uniform.
constexpr int64_t kMaxUniformElements = 1 << 20;

}  // namespace

uint32_t LaneBits(const graph::Literal& literal, int64_t element) {
  if (graph::IsFloat(literal.type())) {
    return std::bit_cast<uint32_t>(static_cast<float>(literal.GetDouble(element)));
  }
  return static_cast<uint32_t>(literal.GetInt(element));
}

Planner::Planner(Compilation& compilation)
    : compilation_(compilation), function_(compilation.function()) {}

Status Planner::Run() {
  for (const Value argument : function_.arguments()) {
    SetView(argument, View::Dense(argument, function_.shape(argument)));
  }
  const std::vector<Op> ops = function_.body.ops;  // kernels add values to the function
  RETURN_IF_ERROR(VisitBlock(ops, compilation_.placements));
  VisitReturn(ops.back());
  AddConstants();
  compilation_.items = TakeItems({});
  return OkStatus();
}

Status Planner::VisitBlock(const std::vector<Op>& ops, std::span<const Placement> placements) {
  std::vector<FusionRole> roles;
  for (size_t i = 0; i < ops.size(); ++i) {
    const bool on_chip = placements[i].unit == Unit::kChip;
    roles.push_back(on_chip ? RoleOf(ops[i], function_) : FusionRole::kNone);
  }
  const auto is_number = [this](Value value) { return UniformBits(ViewOf(value)).has_value(); };
  const Block block{
      ops, placements, {function_, ops, std::move(roles), is_number, compilation_.chip}};
  const Block* const outer = std::exchange(block_, &block);
  Status status;
  for (size_t i = 0; i < ops.size() && status.ok(); ++i) {
    location_ = ops[i].location;
    status = Visit(i);
  }
  block_ = outer;
  return status;
}

Status Planner::Visit(size_t number) {
  const Op& op = block_->ops[number];
  if (op.opcode == Opcode::kReturn) return OkStatus();  // whoever visits the block stores values
  if (op.opcode == Opcode::kConstant) {
    constants_[op.result()] = op.As<graph::ConstantAttributes>().value.get();
    SetView(op.result(), View::Dense(op.result(), function_.shape(op.result())));
    return OkStatus();
  }
  if (block_->placements[number].unit != Unit::kChip) {
    compilation_.host_operations.push_back({op, NextPosition()});
    for (const Value result : op.results) {
      SetView(result, View::Dense(result, function_.shape(result)));
    }
    return OkStatus();
  }
  if (IsPairs(op, function_)) {
    VisitBitcast(op);
    return OkStatus();
  }
  if (op.opcode == Opcode::kWhile) return VisitWhile(op);
  if (op.opcode == Opcode::kIf || op.opcode == Opcode::kCase) return VisitChoice(op);
  if (IsViewOperation(op.opcode)) return VisitView(op);
  if (IsVectorOperation(op.opcode)) return VisitVector(number);
  if (IsMovementOperation(op.opcode)) {
    VisitMovement(op);
    return OkStatus();
  }
  if (op.opcode == Opcode::kReduce) {
    VisitReduce(op);
  } else {
    VisitProduct(op);
  }
  return OkStatus();
}

Status Planner::VisitView(const Op& op) {
  const Value operand = op.operands[0];
  const View view = ViewOf(operand);
  const graph::Shape& shape = function_.shape(op.result());
  switch (op.opcode) {
    case Opcode::kTranspose:
      SetView(op.result(), view.Transposed(op.As<graph::DimensionsAttributes>().dimensions));
      break;
    case Opcode::kBroadcastInDim:
      SetView(op.result(),
              view.BroadcastTo(shape.dims, op.As<graph::DimensionsAttributes>().dimensions));
      break;
    case Opcode::kDynamicSlice:
      SetView(op.result(), DynamicSlice(view, shape.dims, std::span(op.operands).subspan(1)));
      break;
    case Opcode::kSlice:
      SetView(op.result(), view.Sliced(op.As<graph::SliceAttributes>()));
      break;
    case Opcode::kReverse:
      SetView(op.result(), view.Reversed(op.As<graph::DimensionsAttributes>().dimensions));
      break;
    case Opcode::kOptimizationBarrier:
      SetView(op.result(), view);
      break;
    default: {
      std::optional<View> reshaped = view.Reshaped(shape.dims);
      if (!reshaped) {
        Store(operand, op.location);
        reshaped = ViewOf(operand).Reshaped(shape.dims);
      }
      if (!reshaped) return Internal(graph::Describe(op) + ": a dense operand has no reshape");
      SetView(op.result(), *reshaped);
    }
  }
  return OkStatus();
}

void Planner::VisitProduct(const Op& op) {
  const View lhs = ViewOf(op.operands[0]);
  const View rhs = ViewOf(op.operands[1]);
  const bool is_dot = op.opcode == Opcode::kDotGeneral;
  const auto make_dense = [this](const View& view) { return MakeDense(view); };
  Contraction contraction =
      is_dot ? PlanDotGeneral(op, function_, lhs, rhs, make_dense)
             : PlanConvolution(op, function_, lhs, rhs, make_dense);
  SetPrecision(contraction, ProductPrecision(op, compilation_.f32_precision));
  if (contraction.lhs_type == arch::OperandType::kF32Rounded ||
      contraction.rhs_type == arch::OperandType::kF32Rounded) {
    compilation_.executable.notes.push_back(
        graph::Describe(op) + ": f32 operands are rounded to bf16 (precision DEFAULT)");
  }
  Kernel& kernel = AddKernel(op.result(), op, std::string(graph::OpcodeName(op.opcode)));
  kernel.body = std::move(contraction);
  contractions_.emplace(op.result(), compilation_.kernels.size() - 1);
}

void Planner::VisitReturn(const Op& op) {
  for (const Value value : op.operands) {
    const View& view = ViewOf(value);
    if (view.base == value) continue;
    const Value base = view.base;
    const auto arguments = function_.arguments();
    const bool is_input = constants_.contains(base) ||
                          std::find(arguments.begin(), arguments.end(), base) != arguments.end();
    if (!is_input && view.type == function_.shape(base).type &&
        view.CoversBase(function_.shape(base).ElementCount())) {
      compilation_.same_storage[value] = base;
    } else {
      Store(value, op.location);
    }
  }
}

void Planner::SetView(Value value, View view) {
  const auto [found, is_new] = views_.try_emplace(value, view);
  view_changes_.emplace_back(value, is_new ? std::nullopt : std::optional(found->second));
  found->second = std::move(view);
}

const View& Planner::ViewOf(Value value) const { return views_.at(value); }

ChainOperand Planner::OperandOf(Value value, const graph::Dims& dims) const {
  ChainOperand operand;
  operand.view = ViewOf(value);
  if (operand.view.dims != dims) operand.view = operand.view.BroadcastTo(dims, {});
  operand.immediate = UniformBits(operand.view);
  return operand;
}

std::optional<uint32_t> Planner::UniformBits(const View& view) const {
  const auto constant = constants_.find(view.base);
  if (constant == constants_.end() || !LaneTypeOf(view.type)) return std::nullopt;
  const graph::Literal& literal = *constant->second;
  if (literal.type() != view.type) return std::nullopt;  // its bits as another type
  const int64_t count = literal.size();
  if (count == 0 || count > kMaxUniformElements) return std::nullopt;
  const bool is_single = !view.shift.valid() &&
                         std::all_of(view.strides.begin(), view.strides.end(),
                                     [](int64_t stride) { return stride == 0; });
  if (is_single) return LaneBits(literal, view.offset);
  for (int64_t i = 1; i < count; ++i) {
    if (LaneBits(literal, i) != LaneBits(literal, 0)) return std::nullopt;
  }
  return LaneBits(literal, 0);
}

View Planner::MakeDense(const View& view) {
  const Value value = function_.NewValue(view.shape());
  AddCopy(view, View::Dense(value, view.shape()), location_);
  SetView(value, View::Dense(value, view.shape()));
  return ViewOf(value);
}

void Planner::Store(Value value, graph::Location location) {
  const View view = ViewOf(value);
  if (view.base == value) return;
  AddCopy(view, View::Dense(value, view.shape()), location);
  SetView(value, View::Dense(value, view.shape()));
}

void Planner::AddCopy(const View& from, const View& to, graph::Location location) {
  Kernel kernel;
  kernel.body = Copy{from};
  kernel.out = to;
  kernel.location = location;
  kernel.operation = "copy";
  kernel.position = NextPosition();
  compilation_.kernels.push_back(std::move(kernel));
}

Kernel& Planner::AddKernel(Value result, const Op& op, std::string operation) {
  Kernel kernel;
  kernel.out = View::Dense(result, function_.shape(result));
  kernel.location = op.location;
  kernel.operation = std::move(operation);
  kernel.position = NextPosition();
  compilation_.kernels.push_back(std::move(kernel));
  SetView(result, View::Dense(result, function_.shape(result)));
  return compilation_.kernels.back();
}

Status PlanKernels(Compilation& compilation) { return Planner(compilation).Run(); }

}  // namespace systolith::compiler
