#include "host/compiler/passes/vector_chain.h"

#include <algorithm>
#include <cassert>
#include <utility>

namespace systolith::compiler {
namespace {

using arch::AluOp;
using graph::ElementType;
using graph::Opcode;

constexpr int kLaneBits = 32;

StepOperand Number(uint32_t bits) { return {StepOperand::Kind::kImmediate, bits}; }

std::string_view FloatFunction(Opcode opcode, ElementType type) {
  switch (opcode) {
    case Opcode::kAcos: return "acos";
    case Opcode::kAcosh: return "acosh";
    case Opcode::kAsin: return "asin";
    case Opcode::kAsinh: return "asinh";
    case Opcode::kAtan: return "atan";
    case Opcode::kAtan2: return "atan2";
    case Opcode::kAtanh: return "atanh";
    case Opcode::kCbrt: return "cbrt";
    case Opcode::kCosh: return "cosh";
    case Opcode::kCosine: return "cos";
    case Opcode::kDigamma: return "digamma";
    case Opcode::kErf: return "erf";
    case Opcode::kErfInv: return "erf_inv";
    case Opcode::kErfc:  // its error is too large for an f32
      return type == ElementType::kF32 ? std::string_view() : "erfc";
    case Opcode::kExponential: return "exp";
    case Opcode::kExponentialMinusOne: return "expm1";
    case Opcode::kLgamma: return "lgamma";
    case Opcode::kLog: return "log";
    case Opcode::kLogPlusOne: return "log1p";
    case Opcode::kLogistic: return "logistic";
    case Opcode::kNextAfter:
      return type == ElementType::kF32    ? "next_after_f32"
             : type == ElementType::kBF16 ? "next_after_bf16"
                                          : "next_after_f16";
    case Opcode::kPower: return "power";
    case Opcode::kRemainder: return "remainder_f32";
    case Opcode::kRsqrt: return "rsqrt";
    case Opcode::kSign: return "sign_f32";
    case Opcode::kSine: return "sin";
    case Opcode::kSinh: return "sinh";
    case Opcode::kTan: return "tan";
    case Opcode::kTanh: return "tanh";
    default: return {};
  }
}

}  // namespace

std::string_view LibraryFunction(Opcode opcode, ElementType type) {
  if (graph::IsFloat(type)) return FloatFunction(opcode, type);
  const bool is_unsigned = graph::IsUnsigned(type);
  switch (opcode) {
    case Opcode::kDivide: return is_unsigned ? "divide_u32" : "divide_s32";
    case Opcode::kRemainder: return is_unsigned ? "remainder_u32" : "remainder_s32";
    case Opcode::kPower: return is_unsigned ? "power_u32" : "power_s32";
    case Opcode::kSign: return is_unsigned ? std::string_view() : "sign_s32";
    default: return {};
  }
}

VectorChain::Lane VectorChain::AddValue(LaneValue value) {
  values_.push_back(value);
  return values_.size() - 1;
}

VectorChain::Lane VectorChain::AddBody(ElementType type, bool raw) {
  return AddValue({{StepOperand::Kind::kLane, 0}, type, raw, {}, {}});
}

VectorChain::Lane VectorChain::AddStream(const View& view) {
  const auto found = std::find(streams_.begin(), streams_.end(), view);
  const auto number = static_cast<uint32_t>(found - streams_.begin());
  if (found == streams_.end()) streams_.push_back(view);
  return AddValue({{StepOperand::Kind::kStream, number}, view.type, false, {}, {}});
}

VectorChain::Lane VectorChain::AddNumber(uint32_t bits, ElementType type) {
  return AddValue({Number(bits), type, false, {}, {}});
}

StepOperand VectorChain::AddStep(VectorStep step) {
  const auto [known, is_new] = known_.emplace(step, static_cast<uint32_t>(steps_.size()));
  if (is_new) steps_.push_back(step);
  return {StepOperand::Kind::kStep, known->second};
}

StepOperand VectorChain::Step(AluOp op, StepOperand x, StepOperand y, StepOperand z) {
  return AddStep({op, {x, y, z}, {}});
}

StepOperand VectorChain::Call(std::string_view function, StepOperand x, StepOperand y) {
  return AddStep({AluOp::kCopy, {x, y}, function});
}

std::vector<VectorStep> VectorChain::StepsFor(Lane result) const {
  // Only an i1 is not stored as it is.
  VectorChain finished = *this;
  LaneValue& value = finished.at(result);
  if (value.type == ElementType::kI1) finished.Settled(result);
  const bool is_last = value.operand.kind == StepOperand::Kind::kStep &&
                       value.operand.bits + 1 == finished.steps_.size();
  if (!is_last) finished.steps_.push_back({AluOp::kCopy, {value.operand}, {}});
  return std::move(finished.steps_);
}

StepOperand VectorChain::Settled(Lane lane) {
  LaneValue& value = at(lane);
  if (!std::exchange(value.raw, false)) return value.operand;
  const StepOperand x = value.operand;
  if (value.type == ElementType::kBF16) {
    value.operand = Step(AluOp::kRoundBf16, x);
  } else if (value.type == ElementType::kF16) {
    value.operand = Step(AluOp::kRoundF16, x);
  } else if (value.type == ElementType::kI1) {
    // Raw ones are all ones, or or and xor of such and ones.
    value.operand = Step(AluOp::kAnd, x, Number(1));
  } else if (graph::IsUnsigned(value.type)) {
    value.operand = Step(AluOp::kAnd, x, Number(~0u >> (kLaneBits - graph::BitWidth(value.type))));
  } else {
    const auto above = static_cast<uint32_t>(kLaneBits - graph::BitWidth(value.type));
    value.operand = Step(AluOp::kShiftRightArithmetic, Step(AluOp::kShiftLeft, x, Number(above)),
                         Number(above));
  }
  return value.operand;
}

StepOperand VectorChain::WithoutSign(Lane lane) {
  const LaneValue& value = at(lane);
  const bool is_narrow = graph::BitWidth(value.type) < kLaneBits;
  if (!is_narrow || (!value.raw && !graph::IsSigned(value.type))) return value.operand;
  return Step(AluOp::kAnd, value.operand,
              Number(~0u >> (kLaneBits - graph::BitWidth(value.type))));
}

}  // namespace systolith::compiler
