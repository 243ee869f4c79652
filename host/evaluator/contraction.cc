// dot_general, and what it shares with convolution.
#include <algorithm>
#include <cmath>
#include <limits>

#include "host/base/bfloat16.h"
#include "host/evaluator/kernels.h"
#include "host/evaluator/product.h"
#include "host/graph/precision.h"

namespace systolith::evaluator {
namespace {

using graph::ElementType;
using graph::Precision;

constexpr double kMinNormal = std::numeric_limits<float>::min();  // of bf16, too

// The three loop dimensions of one operand: batch, free and contracted, flattened.
struct View {
  std::vector<int64_t> batch, free, contracted;  // element offsets
};

// Offsets of all combinations of the listed dimensions, in row-major order of the list.
std::vector<int64_t> Offsets(const Shape& shape, const Dims& dimensions) {
  const Dims strides = graph::RowMajorStrides(shape.dims);
  std::vector<int64_t> offsets = {0};
  for (const int64_t dimension : dimensions) {
    const size_t d = static_cast<size_t>(dimension);
    std::vector<int64_t> next;
    next.reserve(offsets.size() * static_cast<size_t>(shape.dims[d]));
    for (const int64_t offset : offsets) {
      for (int64_t i = 0; i < shape.dims[d]; ++i) next.push_back(offset + i * strides[d]);
    }
    offsets = std::move(next);
  }
  return offsets;
}

View MakeView(const Shape& shape, const Dims& batching, const Dims& contracting) {
  Dims free;
  for (int64_t d = 0; d < shape.rank(); ++d) {
    const auto listed = [d](const Dims& dims) {
      return std::find(dims.begin(), dims.end(), d) != dims.end();
    };
    if (!listed(batching) && !listed(contracting)) free.push_back(d);
  }
  return {Offsets(shape, batching), Offsets(shape, free), Offsets(shape, contracting)};
}

template <typename T>
Literal Dot(const graph::DotGeneralAttributes& dot, const Literal& lhs, const Literal& rhs,
            const Shape& shape, Precision precision, std::vector<double>* magnitudes) {
  const View left = MakeView(lhs.shape(), dot.lhs_batching, dot.lhs_contracting);
  const View right = MakeView(rhs.shape(), dot.rhs_batching, dot.rhs_contracting);
  const size_t rows = left.free.size(), cols = right.free.size(), depth = left.contracted.size();
  Literal result(shape);
  if (magnitudes != nullptr) magnitudes->assign(static_cast<size_t>(result.size()), 0);
  std::vector<T> weights(depth * cols), sums(cols);
  for (size_t b = 0; b < left.batch.size(); ++b) {
    for (size_t k = 0; k < depth; ++k) {
      for (size_t n = 0; n < cols; ++n) {
        weights[k * cols + n] = LoadOperand<T>(
            rhs, right.batch[b] + right.contracted[k] + right.free[n], precision);
      }
    }
    for (size_t m = 0; m < rows; ++m) {
      const size_t first = (b * rows + m) * cols;
      std::fill(sums.begin(), sums.end(), T{0});
      for (size_t k = 0; k < depth; ++k) {
        const T factor =
            LoadOperand<T>(lhs, left.batch[b] + left.free[m] + left.contracted[k], precision);
        MultiplyAdd(factor, &weights[k * cols], static_cast<int64_t>(cols), sums.data(),
                    magnitudes == nullptr ? nullptr : magnitudes->data() + first);
      }
      for (size_t n = 0; n < cols; ++n) StoreSum(result, static_cast<int64_t>(first + n), sums[n]);
    }
  }
  return result;
}

}  // namespace

double OperandValue(const Literal& literal, int64_t i, Precision precision) {
  const double value = literal.GetDouble(i);
  const bool is_f32 = literal.type() == ElementType::kF32;
  if ((is_f32 || literal.type() == ElementType::kBF16) && std::fabs(value) < kMinNormal) return 0;
  if (!is_f32 || precision != Precision::kDefault) return value;
  return FloatFromBfloat16(Bfloat16FromFloat(static_cast<float>(value)));
}

void StoreSum(Literal& result, int64_t i, double sum) {
  const bool flushes = result.type() == ElementType::kF32 || result.type() == ElementType::kBF16;
  if (std::isnan(sum)) sum = std::numeric_limits<double>::quiet_NaN();
  result.SetDouble(i, flushes && std::fabs(sum) < kMinNormal ? 0 : sum);
}

void StoreSum(Literal& result, int64_t i, uint64_t sum) {
  result.SetInt(i, static_cast<int64_t>(sum));
}

Literal EvalDotGeneral(const Op& op, Operands operands, const Shape& shape,
                       const EvalOptions& options, std::vector<double>* magnitudes) {
  const auto& dot = op.As<graph::DotGeneralAttributes>();
  const Precision precision = graph::EffectivePrecision(dot, options.default_precision);
  if (graph::IsFloat(operands[0]->type())) {
    return Dot<double>(dot, *operands[0], *operands[1], shape, precision, magnitudes);
  }
  return Dot<uint64_t>(dot, *operands[0], *operands[1], shape, precision, nullptr);
}

}  // namespace systolith::evaluator
