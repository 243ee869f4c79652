#include <algorithm>
#include <cmath>

#include "host/evaluator/kernels.h"
#include "host/evaluator/product.h"
#include "host/graph/precision.h"

namespace systolith::evaluator {
namespace {

using graph::ConvolutionAttributes;
using graph::Precision;

// Sizes and strides of one tensor in the order: the two named dimensions, then the spatial ones.
struct Layout {
  int64_t first_size, first_stride, second_size, second_stride;
  Dims sizes, strides;  // spatial

  Layout(const Shape& shape, int64_t first, int64_t second, const Dims& spatial) {
    const Dims all = graph::RowMajorStrides(shape.dims);
    const auto at = [](const Dims& dims, int64_t d) { return dims[static_cast<size_t>(d)]; };
    first_size = at(shape.dims, first);
    first_stride = at(all, first);
    second_size = at(shape.dims, second);
    second_stride = at(all, second);
    for (const int64_t d : spatial) {
      sizes.push_back(at(shape.dims, d));
      strides.push_back(at(all, d));
    }
  }
};

// Everything that a position needs to know.
template <typename T>
class Convolution {
 public:
  Convolution(const ConvolutionAttributes& conv, const Literal& lhs, const Literal& rhs,
              const Shape& shape, Precision precision)
      : conv_(conv), lhs_(lhs), precision_(precision),
        input_(lhs.shape(), conv.input_batch, conv.input_feature, conv.input_spatial),
        kernel_(rhs.shape(), conv.kernel_input_feature, conv.kernel_output_feature,
                conv.kernel_spatial),
        output_(shape, conv.output_batch, conv.output_feature, conv.output_spatial),
        result_(shape) {
    LoadKernel(rhs);
  }

  Literal Run(std::vector<double>* magnitudes) {
    if (magnitudes != nullptr) magnitudes->assign(static_cast<size_t>(result_.size()), 0);
    if (result_.size() == 0) return std::move(result_);
    Dims position(output_.sizes.size(), 0);
    do {
      for (int64_t batch = 0; batch < output_.first_size; ++batch) {
        ComputePosition(position, batch, magnitudes);
      }
    } while (NextIndex(position, output_.sizes));
    return std::move(result_);
  }

 private:
  // Weights in the order kernel position, input feature, output feature.
  void LoadKernel(const Literal& rhs) {
    weights_.reserve(static_cast<size_t>(rhs.size()));
    if (rhs.size() == 0) return;
    Dims tap(kernel_.sizes.size(), 0);
    do {
      int64_t base = 0;
      for (size_t d = 0; d < tap.size(); ++d) base += tap[d] * kernel_.strides[d];
      for (int64_t in = 0; in < kernel_.first_size; ++in) {
        for (int64_t out = 0; out < kernel_.second_size; ++out) {
          const int64_t at = base + in * kernel_.first_stride + out * kernel_.second_stride;
          weights_.push_back(LoadOperand<T>(rhs, at, precision_));
          if constexpr (std::is_same_v<T, double>) {
            all_finite_ = all_finite_ && std::isfinite(weights_.back());
          }
        }
      }
    } while (NextIndex(tap, kernel_.sizes));
  }

  // The input position under tap `tap`; false if it is padding or a gap between input elements.
  bool Locate(const Dims& position, const Dims& tap, int64_t& offset) const {
    offset = 0;
    for (size_t d = 0; d < tap.size(); ++d) {
      const int64_t step = conv_.window_reversal[d] ? kernel_.sizes[d] - 1 - tap[d] : tap[d];
      const int64_t at = position[d] * conv_.window_strides[d] + step * conv_.rhs_dilation[d] -
                         conv_.padding_low[d];
      if (at < 0 || at % conv_.lhs_dilation[d] != 0) return false;
      const int64_t element = at / conv_.lhs_dilation[d];
      if (element >= input_.sizes[d]) return false;
      offset += element * input_.strides[d];
    }
    return true;
  }

  // All output features of one position of one image.
  void ComputePosition(const Dims& position, int64_t batch, std::vector<double>* magnitudes) {
    const int64_t features = output_.second_size;
    sums_.assign(static_cast<size_t>(features), T{0});
    sizes_.assign(magnitudes != nullptr ? static_cast<size_t>(features) : 0, 0);
    if (!weights_.empty()) {
      Dims tap(kernel_.sizes.size(), 0);
      const T* weights = weights_.data();
      do {
        int64_t offset = 0;
        const bool inside = Locate(position, tap, offset);
        // Zeros beside the image matter only to weights that make NaN of them.
        if (inside || !all_finite_) AddTap(inside, offset, batch, weights);
        weights += kernel_.first_size * features;
      } while (NextIndex(tap, kernel_.sizes));
    }
    int64_t base = batch * output_.first_stride;
    for (size_t d = 0; d < position.size(); ++d) base += position[d] * output_.strides[d];
    for (int64_t f = 0; f < features; ++f) {
      const int64_t at = base + f * output_.second_stride;
      StoreSum(result_, at, sums_[static_cast<size_t>(f)]);
      if (magnitudes != nullptr) {
        (*magnitudes)[static_cast<size_t>(at)] = sizes_[static_cast<size_t>(f)];
      }
    }
  }

  // Adds one kernel position to the sums. Output features fall into equal runs: one per feature
  // group, or one per batch group, which reads its own part of the batch.
  void AddTap(bool inside, int64_t offset, int64_t batch, const T* weights) {
    const int64_t groups = std::max(conv_.feature_group_count, conv_.batch_group_count);
    const int64_t run = output_.second_size / groups;
    for (int64_t group = 0; group < groups; ++group) {
      const bool by_batch = conv_.batch_group_count > 1;
      const int64_t image = by_batch ? group * output_.first_size + batch : batch;
      const int64_t first_input = by_batch ? 0 : group * kernel_.first_size;
      for (int64_t in = 0; in < kernel_.first_size; ++in) {
        const int64_t at = offset + image * input_.first_stride +
                           (first_input + in) * input_.second_stride;
        const T factor = inside ? LoadOperand<T>(lhs_, at, precision_) : T{0};
        MultiplyAdd(factor, weights + in * output_.second_size + group * run, run,
                    sums_.data() + group * run,
                    sizes_.empty() ? nullptr : sizes_.data() + group * run);
      }
    }
  }

  const ConvolutionAttributes& conv_;
  const Literal& lhs_;
  const Precision precision_;
  const Layout input_, kernel_, output_;
  Literal result_;
  std::vector<T> weights_, sums_;
  std::vector<double> sizes_;
  bool all_finite_ = true;
};

}  // namespace

Literal EvalConvolution(const Op& op, Operands operands, const Shape& shape,
                        const EvalOptions& options, std::vector<double>* magnitudes) {
  const auto& conv = op.As<ConvolutionAttributes>();
  const Precision precision = graph::EffectivePrecision(conv, options.default_precision);
  if (graph::IsFloat(operands[0]->type())) {
    return Convolution<double>(conv, *operands[0], *operands[1], shape, precision).Run(magnitudes);
  }
  return Convolution<uint64_t>(conv, *operands[0], *operands[1], shape, precision).Run(nullptr);
}

}  // namespace systolith::evaluator
