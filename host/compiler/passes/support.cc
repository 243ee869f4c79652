#include "host/compiler/passes/support.h"

#include <fmt/format.h>

namespace systolith::compiler {
namespace {

using graph::ElementType;
using graph::Op;
using graph::Opcode;

std::string TypeReason(ElementType type) {
  return fmt::format("the vector unit has no type {}", graph::ElementTypeName(type));
}

std::optional<std::string> WhyNotProduct(const Op& op, const graph::Function& function,
                                         const arch::ChipConfig& chip) {
  const ElementType lhs = function.shape(op.operands[0]).type;
  const ElementType rhs = function.shape(op.operands[1]).type;
  const ElementType result = function.shape(op.result()).type;
  const auto is_float = [](ElementType type) {
    return type == ElementType::kBF16 || type == ElementType::kF32;
  };
  if (lhs == ElementType::kS8 && rhs == ElementType::kS8) {
    if (!chip.mxu_int8) return "this chip's matrix unit has no int8";
    if (result != ElementType::kS32 && result != ElementType::kS8) {
      return fmt::format("an int8 product can't have result type {}",
                         graph::ElementTypeName(result));
    }
    return std::nullopt;
  }
  if (is_float(lhs) && is_float(rhs)) {
    if (!chip.mxu_bf16) return "this chip's matrix unit has no bf16";
    if (!is_float(result)) {
      return fmt::format("a float product can't have result type {}",
                         graph::ElementTypeName(result));
    }
    return std::nullopt;
  }
  return fmt::format("the matrix unit has no product of {} and {}", graph::ElementTypeName(lhs),
                     graph::ElementTypeName(rhs));
}

std::optional<std::string> WhyNotConvolution(const Op& op, const graph::Function& function,
                                             const arch::ChipConfig& chip) {
  const auto& conv = op.As<graph::ConvolutionAttributes>();
  if (conv.input_spatial.size() > 2) return "convolutions of three and more spatial dimensions";
  if (conv.batch_group_count != 1) return "batch groups";
  return WhyNotProduct(op, function, chip);
}

std::optional<std::string> WhyNotReduce(const Op& op, const graph::Function& function) {
  if (op.results.size() != 1) return "reductions of several operands";
  const ElementType type = function.shape(op.operands[0]).type;
  if (!LaneTypeOf(type)) return TypeReason(type);
  if (!ReductionOperation(op)) {
    return "only reductions with one add, maximum or minimum";
  }
  return std::nullopt;
}

}  // namespace

bool IsViewOperation(Opcode opcode) {
  switch (opcode) {
    case Opcode::kBroadcastInDim:
    case Opcode::kReshape:
    case Opcode::kReverse:
    case Opcode::kSlice:
    case Opcode::kTranspose:
    case Opcode::kOptimizationBarrier:
      return true;
    default:
      return false;
  }
}

bool IsVectorOperation(Opcode opcode) {
  switch (opcode) {
    case Opcode::kAdd:
    case Opcode::kSubtract:
    case Opcode::kMultiply:
    case Opcode::kMaximum:
    case Opcode::kMinimum:
    case Opcode::kClamp:
    case Opcode::kConvert:
    case Opcode::kNegate:
    case Opcode::kRoundNearestEven:
      return true;
    default:
      return false;
  }
}

std::optional<arch::LaneType> LaneTypeOf(ElementType type) {
  switch (type) {
    case ElementType::kF32: return arch::LaneType::kF32;
    case ElementType::kBF16: return arch::LaneType::kBf16;
    case ElementType::kS32: return arch::LaneType::kS32;
    case ElementType::kS8: return arch::LaneType::kS8;
    default: return std::nullopt;
  }
}

std::optional<Opcode> ReductionOperation(const Op& reduce) {
  const graph::Region& region = reduce.regions.at(0);
  if (region.ops.size() != 2 || region.arguments.size() != 2) return std::nullopt;
  const Op& body = region.ops[0];
  const bool known = body.opcode == Opcode::kAdd || body.opcode == Opcode::kMaximum ||
                     body.opcode == Opcode::kMinimum;
  if (!known || region.ops[1].operands.size() != 1 ||
      region.ops[1].operands[0] != body.result()) {
    return std::nullopt;
  }
  const bool forward = body.operands[0] == region.arguments[0] &&
                       body.operands[1] == region.arguments[1];
  const bool backward = body.operands[0] == region.arguments[1] &&
                        body.operands[1] == region.arguments[0];
  if (!forward && !backward) return std::nullopt;
  return body.opcode;
}

std::optional<std::string> WhyNotOnChip(const Op& op, const graph::Function& function,
                                        const arch::ChipConfig& chip) {
  if (op.results.size() == 1 && IsViewOperation(op.opcode)) {
    const ElementType type = function.shape(op.result()).type;
    if (!graph::IsSupported(type)) {
      return fmt::format("type {} is not supported", graph::ElementTypeName(type));
    }
    return std::nullopt;
  }
  if (IsVectorOperation(op.opcode)) {
    for (const graph::Value operand : op.operands) {
      const ElementType type = function.shape(operand).type;
      if (!LaneTypeOf(type)) return TypeReason(type);
    }
    const ElementType type = function.shape(op.result()).type;
    if (!LaneTypeOf(type)) return TypeReason(type);
    return std::nullopt;
  }
  switch (op.opcode) {
    case Opcode::kDotGeneral: return WhyNotProduct(op, function, chip);
    case Opcode::kConvolution: return WhyNotConvolution(op, function, chip);
    case Opcode::kReduce: return WhyNotReduce(op, function);
    default: return "the chip has no such operation";
  }
}

}  // namespace systolith::compiler
