#include "host/compiler/passes/support.h"

#include <fmt/format.h>

#include <algorithm>

#include "host/graph/precision.h"

namespace systolith::compiler {
namespace {

using graph::ElementType;
using graph::Op;
using graph::Opcode;

// Run-time places are 32-bit numbers of bytes.
constexpr int64_t kMaxIndexedBytes = int64_t{1} << 31;

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
  if (!ReductionStep(op, type)) {
    return "only reductions with one add, multiply, maximum, minimum, and, or, xor";
  }
  return std::nullopt;
}

// The indices of operations whose place is a value.
std::optional<std::string> WhyNotIndices(const Op& op, const graph::Function& function) {
  size_t first = op.operands.size();
  size_t last = first;
  if (op.opcode == Opcode::kDynamicSlice || op.opcode == Opcode::kGather) first = 1;
  if (op.opcode == Opcode::kDynamicUpdateSlice) first = 2;
  if (op.opcode == Opcode::kScatter) {
    first = op.operands.size() / 2;
    last = first + 1;
  }
  for (size_t i = first; i < last; ++i) {
    const ElementType type = function.shape(op.operands[i]).type;
    if (!LaneTypeOf(type)) return TypeReason(type);
  }
  if (first < op.operands.size() && function.shape(op.operands[0]).ByteCount() > kMaxIndexedBytes) {
    return "slices at run-time places of tensors of 4 GiB and more";
  }
  return std::nullopt;
}

}  // namespace

bool IsViewOperation(Opcode opcode) {
  switch (opcode) {
    case Opcode::kBroadcastInDim:
    case Opcode::kDynamicSlice:
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

bool IsPairs(const Op& op, const graph::Function& function) {
  if (op.opcode != Opcode::kBitcastConvert) return false;
  const int from = graph::BitWidth(function.shape(op.operands[0]).type);
  const int to = graph::BitWidth(function.shape(op.result()).type);
  return std::max(from, to) == 64 && std::min(from, to) == 32;
}

bool IsMovementOperation(Opcode opcode) {
  return opcode == Opcode::kConcatenate || opcode == Opcode::kDynamicUpdateSlice ||
         opcode == Opcode::kGather || opcode == Opcode::kPad ||
         opcode == Opcode::kScatter;
}

bool IsControl(Opcode opcode) {
  return opcode == Opcode::kWhile || opcode == Opcode::kIf || opcode == Opcode::kCase;
}

std::optional<arch::AluOp> ReductionStep(const Op& reduce, ElementType type) {
  const graph::Region& region = reduce.regions.at(0);
  if (region.ops.size() != 2 || region.arguments.size() != 2) return std::nullopt;
  const Op& body = region.ops[0];
  if (region.ops[1].operands.size() != 1 || region.ops[1].operands[0] != body.result() ||
      body.operands.size() != 2) {
    return std::nullopt;
  }
  const bool forward = body.operands[0] == region.arguments[0] &&
                       body.operands[1] == region.arguments[1];
  const bool backward = body.operands[0] == region.arguments[1] &&
                        body.operands[1] == region.arguments[0];
  if (!forward && !backward) return std::nullopt;
  const bool is_float = graph::IsFloat(type);
  const bool is_bool = type == ElementType::kI1;
  const bool is_unsigned = graph::IsUnsigned(type);
  switch (body.opcode) {
    case Opcode::kAdd:
      return is_bool ? arch::AluOp::kOr : is_float ? arch::AluOp::kAddF32 : arch::AluOp::kAddS32;
    case Opcode::kMaximum:
      return is_bool       ? arch::AluOp::kOr
             : is_float    ? arch::AluOp::kMaximumF32
             : is_unsigned ? arch::AluOp::kMaximumU32
                           : arch::AluOp::kMaximumS32;
    case Opcode::kMinimum:
      return is_bool       ? arch::AluOp::kAnd
             : is_float    ? arch::AluOp::kMinimumF32
             : is_unsigned ? arch::AluOp::kMinimumU32
                           : arch::AluOp::kMinimumS32;
    case Opcode::kMultiply:
      return is_bool    ? arch::AluOp::kAnd
             : is_float ? arch::AluOp::kMultiplyF32
                        : arch::AluOp::kMultiplyS32;
    case Opcode::kAnd: return arch::AluOp::kAnd;
    case Opcode::kOr: return arch::AluOp::kOr;
    case Opcode::kXor: return arch::AluOp::kXor;
    default: return std::nullopt;
  }
}

graph::Precision ProductPrecision(const Op& op, graph::Precision default_precision) {
  return op.opcode == Opcode::kDotGeneral
             ? graph::EffectivePrecision(op.As<graph::DotGeneralAttributes>(), default_precision)
             : graph::EffectivePrecision(op.As<graph::ConvolutionAttributes>(), default_precision);
}

namespace {

// The sequencer runs it if the chip can do all that stands in it.
std::optional<std::string> WhyNotControl(const Op& op, const graph::Function& function,
                                         const arch::ChipConfig& chip) {
  for (const graph::Value result : op.results) {
    const ElementType type = function.shape(result).type;
    if (!graph::IsSupported(type)) {
      return fmt::format("type {} is not supported", graph::ElementTypeName(type));
    }
  }
  for (const graph::Region& region : op.regions) {
    for (const Op& inner : region.ops) {
      if (inner.opcode == Opcode::kReturn || inner.opcode == Opcode::kConstant) continue;
      if (const auto reason = WhyNotOnChip(inner, function, chip)) {
        return fmt::format("{} in it: {}", graph::Describe(inner), *reason);
      }
    }
  }
  return std::nullopt;
}

}  // namespace

std::optional<std::string> WhyNotOnChip(const Op& op, const graph::Function& function,
                                        const arch::ChipConfig& chip) {
  const bool only_moves = IsViewOperation(op.opcode) || IsMovementOperation(op.opcode);
  if (op.results.size() == 1 && only_moves) {
    const ElementType type = function.shape(op.result()).type;
    if (!graph::IsSupported(type)) {
      return fmt::format("type {} is not supported", graph::ElementTypeName(type));
    }
    if (const auto reason = WhyNotIndices(op, function)) return reason;
    return op.opcode == Opcode::kScatter ? WhyNotScatter(op, function, chip) : std::nullopt;
  }
  if (IsPairs(op, function)) return std::nullopt;
  if (IsVectorOperation(op.opcode)) return WhyNotVector(op, function);
  switch (op.opcode) {
    case Opcode::kDotGeneral: return WhyNotProduct(op, function, chip);
    case Opcode::kConvolution: return WhyNotConvolution(op, function, chip);
    case Opcode::kReduce: return WhyNotReduce(op, function);
    case Opcode::kWhile:
    case Opcode::kIf:
    case Opcode::kCase: return WhyNotControl(op, function, chip);
    default: return "the compiler emits no kernel for it yet";
  }
}

}  // namespace systolith::compiler
