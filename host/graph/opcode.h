#ifndef SYSTOLITH_HOST_GRAPH_OPCODE_H_
#define SYSTOLITH_HOST_GRAPH_OPCODE_H_

#include <cstdint>
#include <optional>
#include <string_view>

namespace systolith::graph {

// The operations, with StableHLO's names and meaning. `kErf` ... `kDigamma` and `kNextAfter` ...
// `kZeta` come from CHLO.
enum class Opcode : uint8_t {
  // Elementwise, one operand.
  kAbs, kCbrt, kCeil, kCosine, kCountLeadingZeros, kExponential, kExponentialMinusOne, kFloor,
  kIsFinite, kLog, kLogPlusOne, kLogistic, kNegate, kNot, kPopcnt, kRoundNearestAfz,
  kRoundNearestEven, kRsqrt, kSign, kSine, kSqrt, kTan, kTanh,
  kErf, kErfc, kErfInv, kLgamma, kAcos, kAcosh, kAsin, kAsinh, kAtan, kAtanh, kCosh, kSinh,
  kBesselI1e, kDigamma,
  kConvert, kReducePrecision,
  // Elementwise, two operands.
  kAdd, kAnd, kAtan2, kDivide, kMaximum, kMinimum, kMultiply, kOr, kPower, kRemainder, kShiftLeft,
  kShiftRightArithmetic, kShiftRightLogical, kSubtract, kXor,
  kNextAfter, kPolygamma, kZeta,
  kCompare,
  // Elementwise, three operands.
  kClamp, kSelect,
  // Data movement.
  kBitcastConvert, kBroadcastInDim, kConcatenate, kConstant, kDynamicSlice, kDynamicUpdateSlice,
  kGather, kIota, kPad, kReshape, kReverse, kSlice, kTranspose,
  // Contractions.
  kConvolution, kDotGeneral,
  // Operations with regions.
  kCase, kIf, kMap, kReduce, kReduceWindow, kScatter, kSelectAndScatter, kSort, kWhile,
  // Whole algorithms.
  kBatchNormGrad, kBatchNormInference, kBatchNormTraining, kCholesky, kRngBitGenerator,
  kTriangularSolve,
  // The rest.
  kCall, kComposite, kCustomCall, kOptimizationBarrier, kReturn,
};
inline constexpr int kOpcodeCount = static_cast<int>(Opcode::kReturn) + 1;

// "add", "dot_general" ...: the name without its dialect.
std::string_view OpcodeName(Opcode opcode);

// "stablehlo", "chlo" or "func".
std::string_view OpcodeDialect(Opcode opcode);

std::optional<Opcode> OpcodeFromName(std::string_view name);

bool IsElementwiseUnary(Opcode opcode);   // kAbs ... kReducePrecision
bool IsElementwiseBinary(Opcode opcode);  // kAdd ... kZeta; kCompare is none of them

}  // namespace systolith::graph

#endif  // SYSTOLITH_HOST_GRAPH_OPCODE_H_
