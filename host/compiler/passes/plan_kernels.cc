#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <functional>

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

// An element as the vector unit's lane holds it.
uint32_t LaneBits(const graph::Literal& literal, int64_t element) {
  if (graph::IsFloat(literal.type())) {
    return std::bit_cast<uint32_t>(static_cast<float>(literal.GetDouble(element)));
  }
  return static_cast<uint32_t>(literal.GetInt(element));
}

bool IsRaw(ElementType result) {
  return result == ElementType::kBF16 || result == ElementType::kS8;
}

}  // namespace

Planner::Planner(Compilation& compilation)
    : compilation_(compilation),
      function_(compilation.function()),
      uses_(graph::CountUses(function_)) {}

Status Planner::Run() {
  for (const Value argument : function_.arguments()) {
    SetView(argument, View::Dense(argument, function_.shape(argument)));
  }
  const std::vector<Op> ops = function_.body.ops;  // kernels add values to the function
  for (size_t i = 0; i < ops.size(); ++i) {
    location_ = ops[i].location;
    RETURN_IF_ERROR(Visit(ops[i], compilation_.placements[i]));
  }
  AddConstants();
  compilation_.items = TakeItems({});
  return OkStatus();
}

Status Planner::Visit(const Op& op, const Placement& placement) {
  if (op.opcode == Opcode::kReturn) {
    VisitReturn(op);
    return OkStatus();
  }
  if (op.opcode == Opcode::kConstant) {
    constants_[op.result()] = op.As<graph::ConstantAttributes>().value.get();
    SetView(op.result(), View::Dense(op.result(), function_.shape(op.result())));
    return OkStatus();
  }
  if (placement.unit != Unit::kChip) {
    compilation_.host_operations.push_back({op, NextPosition()});
    for (const Value result : op.results) {
      SetView(result, View::Dense(result, function_.shape(result)));
    }
    return OkStatus();
  }
  if (IsPairs(op, function_)) {
    VisitPairs(op);
    return OkStatus();
  }
  if (op.opcode == Opcode::kWhile) return VisitWhile(op);
  if (op.opcode == Opcode::kIf || op.opcode == Opcode::kCase) return VisitChoice(op);
  if (IsViewOperation(op.opcode)) return VisitView(op);
  if (IsVectorOperation(op.opcode)) return VisitVector(op);
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

Status Planner::VisitVector(const Op& op) {
  const Value result = op.result();
  const graph::Shape& shape = function_.shape(result);
  std::vector<ChainOperand> operands;
  for (const Value operand : op.operands) operands.push_back(OperandOf(operand, shape.dims));

  // The chain goes on where its last part stands, so that the others are there before it.
  std::vector<size_t> candidates;
  for (size_t i = 0; i < op.operands.size(); ++i) {
    const bool used_once = uses_[static_cast<size_t>(op.operands[i].id)] == 1;
    if (used_once && open_.contains(op.operands[i])) candidates.push_back(i);
  }
  const auto position = [&](size_t i) {
    return compilation_.kernels[open_.at(op.operands[i]).kernel].position;
  };
  std::sort(candidates.begin(), candidates.end(),
            [&](size_t a, size_t b) { return position(a) > position(b); });
  for (const size_t x : candidates) {
    if (Extend(op, x, operands)) return OkStatus();
  }

  // It starts with an operand that varies everywhere, if there is one.
  const std::vector<size_t> lanes = VectorChain::LaneOperands(op);
  const auto find = [&](const auto& is_fine) {
    const auto found = std::find_if(lanes.begin(), lanes.end(), is_fine);
    return found == lanes.end() ? std::nullopt : std::optional(*found);
  };
  const auto is_constant = [&](size_t i) { return operands[i].immediate.has_value(); };
  const auto repeats = [&](size_t i) {
    const graph::Dims& strides = operands[i].view.strides;
    return std::find(strides.begin(), strides.end(), 0) != strides.end();
  };
  std::optional<size_t> start = find([&](size_t i) { return !is_constant(i) && !repeats(i); });
  if (!start) start = find([&](size_t i) { return !is_constant(i); });
  const size_t x = start.value_or(lanes.front());
  VectorChain chain(function_.shape(op.operands[x]).type, false);
  Elementwise body{operands[x].view};
  if (operands[x].immediate) {
    body.x.base = Value{};
    chain.Load(operands[x]);
  }
  if (!chain.Append(op, shape.type, x, operands)) {
    return Internal(graph::Describe(op) + ": does not fit the vector unit");
  }
  Kernel& kernel = AddKernel(result, op, std::string(graph::OpcodeName(op.opcode)));
  kernel.body = body;
  kernel.steps = chain.Steps();
  kernel.streams = chain.streams();
  open_.emplace(result, OpenKernel{compilation_.kernels.size() - 1, std::move(chain)});
  return OkStatus();
}

bool Planner::Extend(const Op& op, size_t x, const std::vector<ChainOperand>& operands) {
  OpenKernel open = open_.at(op.operands[x]);
  std::vector<ChainOperand> fitting = operands;
  if (!open.chain.Append(op, function_.shape(op.result()).type, x, fitting)) return false;
  if (const auto* body = std::get_if<Contraction>(&compilation_.kernels[open.kernel].body)) {
    Contraction contraction = *body;
    if (!SetStreamStrides(contraction, open.chain.streams())) {
      open = open_.at(op.operands[x]);
      for (size_t i = 0; i < fitting.size(); ++i) {
        if (i != x && !fitting[i].immediate) fitting[i].view = MakeDense(fitting[i].view);
      }
      if (!open.chain.Append(op, function_.shape(op.result()).type, x, fitting) ||
          !SetStreamStrides(contraction, open.chain.streams())) {
        return false;
      }
    }
    compilation_.kernels[open.kernel].body = contraction;
  }
  Kernel& kernel = compilation_.kernels[open.kernel];
  kernel.steps = open.chain.Steps();
  kernel.streams = open.chain.streams();
  kernel.out = View::Dense(op.result(), function_.shape(op.result()));
  kernel.position = NextPosition();
  SetView(op.result(), kernel.out);
  open_.erase(op.operands[x]);
  open_.emplace(op.result(), std::move(open));
  return true;
}

void Planner::VisitProduct(const Op& op) {
  const View lhs = ViewOf(op.operands[0]);
  const View rhs = ViewOf(op.operands[1]);
  const bool is_dot = op.opcode == Opcode::kDotGeneral;
  Contraction contraction =
      is_dot ? PlanDotGeneral(op, function_, lhs, rhs,
                              [this](const View& view) { return MakeDense(view); })
             : PlanConvolution(op, function_, lhs, rhs);
  SetPrecision(contraction, ProductPrecision(op, compilation_.f32_precision));
  if (contraction.lhs_type == arch::OperandType::kF32Rounded ||
      contraction.rhs_type == arch::OperandType::kF32Rounded) {
    compilation_.executable.notes.push_back(
        graph::Describe(op) + ": f32 operands are rounded to bf16 (precision DEFAULT)");
  }
  Kernel& kernel = AddKernel(op.result(), op, std::string(graph::OpcodeName(op.opcode)));
  kernel.body = std::move(contraction);
  open_.emplace(op.result(),
                OpenKernel{compilation_.kernels.size() - 1,
                           VectorChain(kernel.out.type, IsRaw(kernel.out.type))});
}

void Planner::VisitReturn(const Op& op) {
  for (const Value value : op.operands) {
    const View& view = ViewOf(value);
    if (view.base == value) continue;
    const Value base = view.base;
    const auto arguments = function_.arguments();
    const bool is_input = constants_.contains(base) ||
                          std::find(arguments.begin(), arguments.end(), base) != arguments.end();
    if (!is_input && view.CoversBase(function_.shape(base).ElementCount())) {
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
  if (literal.type() != view.type) return std::nullopt;
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
