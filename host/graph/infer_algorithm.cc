// Shapes of the operations that are whole algorithms: normalisation of batches, random bits, linear
// systems.
#include "host/graph/infer_internal.h"

namespace systolith::graph {
namespace {

bool IsMatrixStack(const Shape& shape) { return shape.rank() >= 2 && IsFloat(shape.type); }

}  // namespace

Result<Shapes> InferBatchNorm(const Op& op, const Shapes& operands) {
  INFER_CHECK(!operands.empty() && IsFloat(operands[0].type), "it needs an operand of floats");
  const Shape& operand = operands[0];
  const int64_t feature = op.As<BatchNormAttributes>().feature_index;
  RETURN_IF_ERROR(CheckDimensions({feature}, operand.rank(), "feature_index"));
  const Shape vector{operand.type, {operand.dims[static_cast<size_t>(feature)]}};
  const bool is_gradient = op.opcode == Opcode::kBatchNormGrad;
  const size_t vectors = op.opcode == Opcode::kBatchNormInference ? 4 : is_gradient ? 3 : 2;
  INFER_CHECK(operands.size() == 1 + vectors + (is_gradient ? 1 : 0), "it can't have {} operands",
              operands.size());
  for (size_t i = 1; i <= vectors; ++i) {
    INFER_CHECK(operands[i] == vector, "operand {} is {} instead of {}", i, operands[i].ToString(),
                vector.ToString());
  }
  if (op.opcode == Opcode::kBatchNormInference) return Shapes{operand};
  INFER_CHECK(!is_gradient || operands[4] == operand, "the gradient is {} instead of {}",
              operands[4].ToString(), operand.ToString());
  return Shapes{operand, vector, vector};
}

Result<Shapes> InferRngBitGenerator(const Op& op, const Shapes& operands, const Shapes& declared) {
  INFER_CHECK(operands.size() == 1 && declared.size() == 2,
              "it takes a state and gives a state and bits");
  const Shape& state = operands[0];
  const ElementType type = declared[1].type;
  INFER_CHECK(IsInteger(type) || IsFloat(type), "it does not give {}", ElementTypeName(type));
  INFER_CHECK(state.rank() == 1 &&
                  (state.type == ElementType::kU64 || state.type == ElementType::kU32),
              "the state is {}", state.ToString());
  const int64_t words = state.dims[0] * BitWidth(state.type) / 64;
  const bool is_three_fry =
      op.As<RngBitGeneratorAttributes>().algorithm == RngAlgorithm::kThreeFry;
  INFER_CHECK(state.dims[0] * BitWidth(state.type) % 64 == 0 &&
                  (words == 2 || (words == 3 && !is_three_fry)),
              "the state {} does not fit the algorithm", state.ToString());
  return Shapes{state, declared[1]};
}

Result<Shapes> InferTriangularSolve(const Op& op, const Shapes& operands) {
  INFER_CHECK(operands.size() == 2, "it takes 2 operands, not {}", operands.size());
  const Shape& a = operands[0];
  const Shape& b = operands[1];
  INFER_CHECK(IsMatrixStack(a) && a.type == b.type && a.rank() == b.rank(), "{} and {} do not fit",
              a.ToString(), b.ToString());
  const size_t rank = a.dims.size();
  for (size_t d = 0; d + 2 < rank; ++d) {
    INFER_CHECK(a.dims[d] == b.dims[d], "{} and {} differ in dimension {}", a.ToString(),
                b.ToString(), d);
  }
  const bool left = op.As<TriangularSolveAttributes>().left_side;
  INFER_CHECK(a.dims[rank - 1] == a.dims[rank - 2], "{} is not square", a.ToString());
  INFER_CHECK(a.dims[rank - 1] == b.dims[left ? rank - 2 : rank - 1], "{} and {} do not fit",
              a.ToString(), b.ToString());
  return Shapes{b};
}

Result<Shapes> InferCholesky(const Shapes& operands) {
  INFER_CHECK(operands.size() == 1, "it takes 1 operand, not {}", operands.size());
  const Shape& a = operands[0];
  INFER_CHECK(IsMatrixStack(a) && a.dims.back() == a.dims[a.dims.size() - 2], "{} is not square",
              a.ToString());
  return Shapes{a};
}

}  // namespace systolith::graph
