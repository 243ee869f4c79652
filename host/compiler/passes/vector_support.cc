// What the vector unit can do.
#include <fmt/format.h>

#include "host/compiler/passes/support.h"
#include "host/compiler/passes/vector_chain.h"

namespace systolith::compiler {
namespace {

using graph::ElementType;
using graph::Op;
using graph::Opcode;

// What an operation takes; kNone: the vector unit does not have it.
enum class VectorOperands : uint8_t {
  kNone,
  kAny,
  kNumbers,        // floats and integers
  kFloats,
  kIntegers,
  kBits,           // integers and i1
};

VectorOperands OperandsOf(Opcode opcode) {
  switch (opcode) {
    case Opcode::kAdd:
    case Opcode::kMultiply:
    case Opcode::kMaximum:
    case Opcode::kMinimum:
    case Opcode::kClamp:
    case Opcode::kCompare:
    case Opcode::kSelect:
    case Opcode::kConvert:
    case Opcode::kBitcastConvert: return VectorOperands::kAny;
    case Opcode::kAbs:
    case Opcode::kDivide:
    case Opcode::kIota:
    case Opcode::kNegate:
    case Opcode::kPower:
    case Opcode::kRemainder:
    case Opcode::kSign:
    case Opcode::kSubtract: return VectorOperands::kNumbers;
    case Opcode::kCeil:
    case Opcode::kFloor:
    case Opcode::kIsFinite:
    case Opcode::kReducePrecision:
    case Opcode::kRoundNearestAfz:
    case Opcode::kRoundNearestEven:
    case Opcode::kSqrt: return VectorOperands::kFloats;
    case Opcode::kCountLeadingZeros:
    case Opcode::kPopcnt:
    case Opcode::kShiftLeft:
    case Opcode::kShiftRightArithmetic:
    case Opcode::kShiftRightLogical: return VectorOperands::kIntegers;
    case Opcode::kAnd:
    case Opcode::kNot:
    case Opcode::kOr:
    case Opcode::kXor: return VectorOperands::kBits;
    default: break;
  }
  return LibraryFunction(opcode, ElementType::kBF16).empty() ? VectorOperands::kNone
                                                             : VectorOperands::kFloats;
}

bool Takes(VectorOperands operands, ElementType type) {
  const bool is_bool = type == ElementType::kI1;
  switch (operands) {
    case VectorOperands::kNone: return false;
    case VectorOperands::kAny: return true;
    case VectorOperands::kNumbers: return !is_bool;
    case VectorOperands::kFloats: return graph::IsFloat(type);
    case VectorOperands::kIntegers: return graph::IsInteger(type);
    case VectorOperands::kBits: return graph::IsInteger(type) || is_bool;
  }
  return false;
}

}  // namespace

std::string TypeReason(ElementType type) {
  if (type == ElementType::kS64 || type == ElementType::kU64) {
    return fmt::format("{} that may not fit 32 bits", graph::ElementTypeName(type));
  }
  return fmt::format("the vector unit has no type {}", graph::ElementTypeName(type));
}

bool IsVectorOperation(Opcode opcode) { return OperandsOf(opcode) != VectorOperands::kNone; }

// A lane holds an f16 widened, not its bits.
bool IsBitcastOnLanes(const Op& op, const graph::Function& function) {
  const ElementType from = function.shape(op.operands[0]).type;
  const ElementType to = function.shape(op.result()).type;
  return graph::ByteWidth(from) == graph::ByteWidth(to) &&
         (from == to || (from != ElementType::kF16 && to != ElementType::kF16));
}

std::optional<arch::LaneType> LaneTypeOf(ElementType type) {
  switch (type) {
    case ElementType::kF32: return arch::LaneType::kF32;
    case ElementType::kBF16: return arch::LaneType::kBf16;
    case ElementType::kF16: return arch::LaneType::kF16;
    case ElementType::kS32: return arch::LaneType::kS32;
    case ElementType::kS16: return arch::LaneType::kS16;
    case ElementType::kS8: return arch::LaneType::kS8;
    case ElementType::kU32: return arch::LaneType::kU32;
    case ElementType::kU16: return arch::LaneType::kU16;
    case ElementType::kU8:
    case ElementType::kI1: return arch::LaneType::kU8;
    default: return std::nullopt;
  }
}

std::optional<std::string> WhyNotVector(const Op& op, const graph::Function& function) {
  std::vector<graph::Value> values = op.operands;
  values.push_back(op.result());
  for (const graph::Value value : values) {
    const ElementType type = function.shape(value).type;
    if (!LaneTypeOf(type)) return TypeReason(type);
  }
  const ElementType type =
      function.shape(op.operands.empty() ? op.result() : op.operands.back()).type;
  if (op.opcode == Opcode::kBitcastConvert && type != function.shape(op.result()).type &&
      (type == ElementType::kI1 || function.shape(op.result()).type == ElementType::kI1)) {
    return "the bits of an i1 as another type";
  }
  const bool lacks_f32 = op.opcode == Opcode::kErfc && type == ElementType::kF32;
  if (!Takes(OperandsOf(op.opcode), type) || lacks_f32) {
    return fmt::format("the vector unit has no {} of {}", graph::OpcodeName(op.opcode),
                       graph::ElementTypeName(type));
  }
  return std::nullopt;
}

}  // namespace systolith::compiler
