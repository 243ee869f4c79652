// batch_norm_inference, _training and _grad in the steps of the specification. What is the same for
// all elements of a feature is computed per feature.
#include "host/compiler/expand/expansion.h"

namespace systolith::compiler {
namespace {

class BatchNorm {
 public:
  BatchNorm(const Op& op, Expansion& to)
      : to_(to),
        dims_(to.dims(op.operands[0])),
        type_(to.type(op.operands[0])),
        feature_(op.As<graph::BatchNormAttributes>().feature_index),
        epsilon_(to.Number(type_, op.As<graph::BatchNormAttributes>().epsilon)) {
    for (int64_t d = 0; d < static_cast<int64_t>(dims_.size()); ++d) {
      if (d != feature_) reduced_.push_back(d);
    }
    const int64_t features = dims_[static_cast<size_t>(feature_)];
    const int64_t count = features == 0 ? 0 : graph::Product(dims_) / features;
    count_ = to.Number(type_, static_cast<double>(count));
  }

  Value Spread(Value vector) { return to_.BroadcastInDim(vector, dims_, {feature_}); }
  Value Sum(Value tensor) {
    return to_.Reduce(Opcode::kAdd, tensor, to_.Number(type_, 0), reduced_);
  }
  Value Mean(Value tensor) { return to_.Binary(Opcode::kDivide, Sum(tensor), count_); }
  Value Center(Value tensor, Value mean) {
    return to_.Binary(Opcode::kSubtract, tensor, Spread(mean));
  }
  Value WithEpsilon(Value variance) { return to_.Binary(Opcode::kAdd, variance, epsilon_); }
  Value Deviation(Value variance) { return to_.Unary(Opcode::kSqrt, WithEpsilon(variance)); }
  Value Multiply(Value a, Value b) { return to_.Binary(Opcode::kMultiply, a, b); }
  Value Divide(Value a, Value b) { return to_.Binary(Opcode::kDivide, a, b); }

  Value Normalize(Value tensor, Value scale, Value offset, Value mean, Value variance) {
    const Value normal = Divide(Center(tensor, mean), Spread(Deviation(variance)));
    return to_.Binary(Opcode::kAdd, Multiply(Spread(scale), normal), Spread(offset));
  }

  Values Gradients(const Values& operands) {
    const Value scale = operands[1], variance = operands[3], gradient = operands[4];
    const Value centered = Center(operands[0], operands[2]);
    const Value deviation = Deviation(variance);
    const Value grad_offset = Sum(gradient);
    const Value grad_scale = Sum(Multiply(gradient, Divide(centered, Spread(deviation))));
    const Value product_sum = Sum(Multiply(gradient, centered));
    const Value correction = Divide(Multiply(Spread(product_sum), centered),
                                    Spread(WithEpsilon(variance)));
    const Value inner = to_.Binary(
        Opcode::kSubtract,
        to_.Binary(Opcode::kSubtract, Multiply(gradient, count_), Spread(grad_offset)), correction);
    const Value factor = Divide(Divide(scale, deviation), count_);
    return {Multiply(Spread(factor), inner), grad_scale, grad_offset};
  }

 private:
  Expansion& to_;
  const Dims dims_;
  const ElementType type_;
  const int64_t feature_;
  const Value epsilon_;
  Dims reduced_;
  Value count_;
};

}  // namespace

std::optional<Values> ExpandBatchNorm(const Op& op, Expansion& to) {
  BatchNorm norm(op, to);
  const Values& x = op.operands;
  if (op.opcode == Opcode::kBatchNormGrad) return norm.Gradients(x);
  if (op.opcode == Opcode::kBatchNormInference) {
    return Values{norm.Normalize(x[0], x[1], x[2], x[3], x[4])};
  }
  const Value mean = norm.Mean(x[0]);
  const Value centered = norm.Center(x[0], mean);
  const Value variance = norm.Mean(norm.Multiply(centered, centered));
  return Values{norm.Normalize(x[0], x[1], x[2], mean, variance), mean, variance};
}

}  // namespace systolith::compiler
