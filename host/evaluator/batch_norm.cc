// batch_norm_training, _inference and _grad, step by step as the specification spells them out:
// each step rounds like the operation of that name.
#include "host/evaluator/kernels.h"

namespace systolith::evaluator {
namespace {

using graph::Opcode;

// The arithmetic of one normalisation: tensors of the operand's shape, vectors with an element per
// feature.
class BatchNorm {
 public:
  BatchNorm(const Op& op, const Literal& operand)
      : shape_(operand.shape()), feature_(op.As<graph::BatchNormAttributes>().feature_index) {
    epsilon_ = Literal::Full(shape_, op.As<graph::BatchNormAttributes>().epsilon);
    const int64_t features = shape_.dims[static_cast<size_t>(feature_)];
    const int64_t count = features == 0 ? 0 : operand.size() / features;
    count_ = Literal::Full(shape_, static_cast<double>(count));
    vector_count_ = Literal::Full(Shape{shape_.type, {features}}, static_cast<double>(count));
  }

  Literal Spread(const Literal& vector) const {
    Op broadcast;
    broadcast.opcode = Opcode::kBroadcastInDim;
    broadcast.attributes = graph::DimensionsAttributes{{feature_}};
    const Literal* operand = &vector;
    return EvalMovement(broadcast, {&operand, 1}, shape_);
  }

  // Over everything but the feature.
  Literal Sum(const Literal& tensor) const {
    const Shape scalar{shape_.type, {}};
    Op reduce;
    reduce.opcode = Opcode::kReduce;
    graph::ReduceAttributes dimensions;
    for (int64_t d = 0; d < shape_.rank(); ++d) {
      if (d != feature_) dimensions.dimensions.push_back(d);
    }
    reduce.attributes = dimensions;
    graph::Region& region = reduce.regions.emplace_back();
    region.arguments = {{0}, {1}};
    Op add, end;
    add.opcode = Opcode::kAdd;
    add.operands = region.arguments;
    add.results = end.operands = {{2}};
    region.ops = {add, end};
    const Literal zero(scalar);
    const std::vector<const Literal*> operands = {&tensor, &zero};
    // The body is a single addition, which EvalReduce does by itself and without an error.
    return EvalReduce(reduce, operands, {vector_count_.shape()}, nullptr).value()[0];
  }

  Literal Mean(const Literal& tensor) const { return Divide(Sum(tensor), vector_count_); }

  Literal Center(const Literal& tensor, const Literal& mean) const {
    return Subtract(tensor, Spread(mean));
  }
  Literal VarianceAndEpsilon(const Literal& variance) const {
    return Add(Spread(variance), epsilon_);
  }
  Literal Deviation(const Literal& variance) const {
    Op sqrt;
    sqrt.opcode = Opcode::kSqrt;
    return EvalUnary(sqrt, VarianceAndEpsilon(variance), shape_);
  }
  Literal Normalize(const Literal& tensor, const Literal& scale, const Literal& offset,
                    const Literal& mean, const Literal& variance) const {
    const Literal normal = Divide(Center(tensor, mean), Deviation(variance));
    return Add(Multiply(Spread(scale), normal), Spread(offset));
  }

  const Literal& count() const { return count_; }

  static Literal Add(const Literal& a, const Literal& b) { return EvalBinary(Opcode::kAdd, a, b); }
  static Literal Subtract(const Literal& a, const Literal& b) {
    return EvalBinary(Opcode::kSubtract, a, b);
  }
  static Literal Multiply(const Literal& a, const Literal& b) {
    return EvalBinary(Opcode::kMultiply, a, b);
  }
  static Literal Divide(const Literal& a, const Literal& b) {
    return EvalBinary(Opcode::kDivide, a, b);
  }

 private:
  Shape shape_;
  int64_t feature_;
  Literal epsilon_, count_, vector_count_;
};

std::vector<Literal> Gradients(const BatchNorm& norm, Operands operands) {
  const Literal &operand = *operands[0], &scale = *operands[1], &mean = *operands[2],
                &variance = *operands[3], &gradient = *operands[4];
  const Literal centered = norm.Center(operand, mean);
  const Literal deviation = norm.Deviation(variance);
  const Literal grad_offset = norm.Sum(gradient);
  const Literal grad_scale =
      norm.Sum(BatchNorm::Multiply(gradient, BatchNorm::Divide(centered, deviation)));
  const Literal scaled_gradient = BatchNorm::Multiply(gradient, norm.count());
  const Literal product_sum = norm.Spread(norm.Sum(BatchNorm::Multiply(gradient, centered)));
  const Literal correction = BatchNorm::Divide(BatchNorm::Multiply(product_sum, centered),
                                               norm.VarianceAndEpsilon(variance));
  const Literal inner = BatchNorm::Subtract(
      BatchNorm::Subtract(scaled_gradient, norm.Spread(grad_offset)), correction);
  const Literal factor =
      BatchNorm::Divide(BatchNorm::Divide(norm.Spread(scale), deviation), norm.count());
  return {BatchNorm::Multiply(factor, inner), grad_scale, grad_offset};
}

}  // namespace

std::vector<Literal> EvalBatchNorm(const Op& op, Operands operands) {
  const BatchNorm norm(op, *operands[0]);
  switch (op.opcode) {
    case Opcode::kBatchNormInference:
      return {norm.Normalize(*operands[0], *operands[1], *operands[2], *operands[3],
                             *operands[4])};
    case Opcode::kBatchNormTraining: {
      const Literal mean = norm.Mean(*operands[0]);
      const Literal centered = norm.Center(*operands[0], mean);
      const Literal variance = norm.Mean(BatchNorm::Multiply(centered, centered));
      return {norm.Normalize(*operands[0], *operands[1], *operands[2], mean, variance), mean,
              variance};
    }
    default: return Gradients(norm, operands);
  }
}

}  // namespace systolith::evaluator
