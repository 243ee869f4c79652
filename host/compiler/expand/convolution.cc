// Convolutions that the matrix unit does not take as they are, one peculiarity after the other:
// what is left over is expanded again.
#include <algorithm>
#include <numeric>

#include "host/compiler/expand/product.h"

namespace systolith::compiler {
namespace {

using graph::ConvolutionAttributes;

// A convolution with its dimensions in a fixed order: batch, spatial ..., feature; spatial ...,
// input feature, output feature.
class Convolver {
 public:
  Convolver(const Op& op, Expansion& to)
      : conv_(op.As<ConvolutionAttributes>()), to_(to), lhs_(op.operands[0]),
        rhs_(op.operands[1]), result_(to.shape(op.result())) {}

  // Images of a batch group become features of a feature group.
  Value WithoutBatchGroups() {
    const int64_t groups = conv_.batch_group_count;
    ToFixedOrder();
    Dims split = to_.dims(lhs_);
    split[0] /= groups;
    split.insert(split.begin(), groups);
    Dims order(split.size());  // groups move in front of the features
    std::iota(order.begin(), order.end(), 0);
    std::rotate(order.begin(), order.begin() + 1, order.end() - 1);
    Dims joined(split.begin() + 1, split.end());
    joined.back() *= groups;
    lhs_ = to_.Reshape(to_.Transpose(to_.Reshape(lhs_, split), order), joined);
    conv_.batch_group_count = 1;
    conv_.feature_group_count = groups;
    return Emit();
  }

  // A spatial dimension of size 1.
  Value WithSpatialDimension() {
    ToFixedOrder();
    const auto insert = [&](Value value, ptrdiff_t at) {
      Dims dims = to_.dims(value);
      dims.insert(dims.begin() + at, 1);
      return to_.Reshape(value, dims);
    };
    lhs_ = insert(lhs_, 1);
    rhs_ = insert(rhs_, 0);
    conv_.window_strides = conv_.lhs_dilation = conv_.rhs_dilation = {1};
    conv_.padding_low = conv_.padding_high = {0};
    conv_.window_reversal = {false};
    NumberDimensions(1);
    const Value product = Product();
    const Dims dims = to_.dims(product);
    return InOrderOfResult(to_.Reshape(product, {dims[0], dims[2]}));
  }

  // The spatial dimension with the fewest taps becomes features: each tap is a slice, all taps
  // stand side by side; its positions are images of their own.
  Value WithFewerDimensions() {
    ToFixedOrder();
    const Dims rhs_dims = to_.dims(rhs_);
    const size_t spatial = conv_.window_strides.size();
    const size_t s = static_cast<size_t>(
        std::min_element(rhs_dims.begin(), rhs_dims.begin() + static_cast<ptrdiff_t>(spatial)) -
        rhs_dims.begin());
    MoveToFront(s);
    const Value columns = Taps(s);
    // [taps, spatial ..., in, out] -> [spatial ..., taps * in, out]
    Value kernel = rhs_;
    if (conv_.window_reversal[s]) kernel = to_.builder().Reverse(kernel, {0});
    Dims kernel_dims = to_.dims(kernel);
    Dims order(kernel_dims.size());
    std::iota(order.begin(), order.end(), 0);
    std::rotate(order.begin(), order.begin() + 1, order.end() - 2);
    Dims joined(kernel_dims.begin() + 1, kernel_dims.end());
    joined[joined.size() - 2] *= kernel_dims[0];
    rhs_ = to_.Reshape(to_.Transpose(kernel, order), joined);
    // [batch, positions, spatial ..., features] -> [batch * positions, spatial ..., features]
    Dims images = to_.dims(columns);
    const int64_t batch = images[0], positions = images[1];
    images.erase(images.begin());
    images[0] = batch * positions;
    lhs_ = to_.Reshape(columns, images);
    Drop(s);
    NumberDimensions(spatial - 1);
    const Value product = Product();
    Dims split = to_.dims(product);
    split[0] = positions;
    split.insert(split.begin(), batch);
    Dims back(split.size());  // the dimension returns to its place
    std::iota(back.begin(), back.end(), 0);
    std::rotate(back.begin() + 1, back.begin() + 2, back.begin() + 2 + static_cast<ptrdiff_t>(s));
    return InOrderOfResult(to_.Transpose(to_.Reshape(product, split), back));
  }

  // Padding below zero cuts elements off; with gaps between them, some padding may remain.
  Value WithoutNegativePadding() {
    for (size_t s = 0; s < conv_.padding_low.size(); ++s) {
      const auto d = static_cast<size_t>(conv_.input_spatial[s]);
      const int64_t gap = conv_.lhs_dilation[s], size = to_.size(lhs_, d);
      const int64_t padded =
          (size - 1) * gap + 1 + conv_.padding_low[s] + conv_.padding_high[s];
      const auto cut = [&](int64_t& padding) {
        const int64_t count = std::min(size, padding < 0 ? (-padding + gap - 1) / gap : 0);
        padding += count * gap;
        return count;
      };
      const int64_t low = cut(conv_.padding_low[s]), high = cut(conv_.padding_high[s]);
      if (low + high < size) {
        lhs_ = to_.Slice(lhs_, d, low, size - high);
        continue;
      }
      // Gaps and padding are left: zeros, of which some weights make NaN.
      Dims dims = to_.dims(lhs_);
      dims[d] = std::max<int64_t>(padded, 0);
      lhs_ = to_.Broadcast(to_.Number(to_.type(lhs_), 0), dims);
      conv_.padding_low[s] = conv_.padding_high[s] = 0;
      conv_.lhs_dilation[s] = 1;
    }
    return to_.builder().Convolution(lhs_, rhs_, conv_, result_.type);
  }

  std::optional<Value> WithOtherTypes() {
    const ProductOf product = [&](Value a, Value b, ElementType type, bool exact) {
      ConvolutionAttributes same = conv_;
      if (exact) same.precision.fill(graph::Precision::kHighest);
      return to_.builder().Convolution(a, b, std::move(same), type);
    };
    int64_t terms = to_.size(rhs_, static_cast<size_t>(conv_.kernel_input_feature));
    for (const int64_t d : conv_.kernel_spatial) terms *= to_.size(rhs_, static_cast<size_t>(d));
    return ExpandProductTypes(lhs_, rhs_, result_.type, terms, product, to_);
  }

 private:
  void ToFixedOrder() {
    Dims lhs = {conv_.input_batch}, rhs = conv_.kernel_spatial;
    lhs.insert(lhs.end(), conv_.input_spatial.begin(), conv_.input_spatial.end());
    lhs.push_back(conv_.input_feature);
    rhs.push_back(conv_.kernel_input_feature);
    rhs.push_back(conv_.kernel_output_feature);
    lhs_ = to_.Transpose(lhs_, lhs);
    rhs_ = to_.Transpose(rhs_, rhs);
    output_order_ = {conv_.output_batch};
    output_order_.insert(output_order_.end(), conv_.output_spatial.begin(),
                         conv_.output_spatial.end());
    output_order_.push_back(conv_.output_feature);
    NumberDimensions(conv_.window_strides.size());
  }

  void NumberDimensions(size_t spatial) {
    const auto count = static_cast<int64_t>(spatial);
    conv_.input_spatial.resize(spatial);
    std::iota(conv_.input_spatial.begin(), conv_.input_spatial.end(), 1);
    conv_.output_spatial = conv_.input_spatial;
    conv_.kernel_spatial.resize(spatial);
    std::iota(conv_.kernel_spatial.begin(), conv_.kernel_spatial.end(), 0);
    conv_.input_batch = conv_.output_batch = 0;
    conv_.input_feature = conv_.output_feature = count + 1;
    conv_.kernel_input_feature = count;
    conv_.kernel_output_feature = count + 1;
  }

  Value Product() { return to_.builder().Convolution(lhs_, rhs_, conv_, result_.type); }

  // Dimension i of the fixed order is dimension output_order_[i] of the result.
  Value InOrderOfResult(Value value) {
    Dims order(output_order_.size());
    for (size_t i = 0; i < order.size(); ++i) {
      order[static_cast<size_t>(output_order_[i])] = static_cast<int64_t>(i);
    }
    return to_.Transpose(value, order);
  }
  Value Emit() { return InOrderOfResult(Product()); }

  // Spatial dimension `s` becomes the first one, of operands only.
  void MoveToFront(size_t s) {
    Dims lhs(to_.dims(lhs_).size()), rhs(to_.dims(rhs_).size());
    std::iota(lhs.begin(), lhs.end(), 0);
    std::iota(rhs.begin(), rhs.end(), 0);
    const auto at = static_cast<ptrdiff_t>(s);
    std::rotate(lhs.begin() + 1, lhs.begin() + 1 + at, lhs.begin() + 2 + at);
    std::rotate(rhs.begin(), rhs.begin() + at, rhs.begin() + 1 + at);
    lhs_ = to_.Transpose(lhs_, lhs);
    rhs_ = to_.Transpose(rhs_, rhs);
  }

  // [batch, size, spatial ..., features] -> [batch, positions, spatial ..., taps of each group].
  Value Taps(size_t s) {
    const size_t rank = to_.dims(lhs_).size();
    Dims low(rank, 0), high(rank, 0), interior(rank, 0);
    low[1] = conv_.padding_low[s];
    high[1] = conv_.padding_high[s];
    interior[1] = conv_.lhs_dilation[s] - 1;
    Value padded = to_.Pad(lhs_, to_.Number(to_.type(lhs_), 0), low, high, interior);
    const int64_t taps = to_.size(rhs_, 0), stride = conv_.window_strides[s];
    const int64_t span = (taps - 1) * conv_.rhs_dilation[s] + 1;
    const int64_t size = to_.size(padded, 1);
    const int64_t positions = size < span ? 0 : (size - span) / stride + 1;
    Dims split = to_.dims(padded);
    split.back() /= conv_.feature_group_count;
    split.insert(split.end() - 1, {conv_.feature_group_count, 1});
    padded = to_.Reshape(padded, split);
    Values parts;
    for (int64_t tap = 0; tap < taps; ++tap) {
      const int64_t start = tap * conv_.rhs_dilation[s];
      const int64_t limit = positions == 0 ? start : start + (positions - 1) * stride + 1;
      parts.push_back(to_.Slice(padded, 1, start, limit, stride));
    }
    const Value columns = to_.Concatenate(parts, split.size() - 2);
    Dims joined = to_.dims(columns);
    joined.resize(rank);
    joined.back() = conv_.feature_group_count * taps * split.back();
    return to_.Reshape(columns, joined);
  }

  void Drop(size_t s) {
    const auto at = static_cast<ptrdiff_t>(s);
    for (Dims* list : {&conv_.window_strides, &conv_.padding_low, &conv_.padding_high,
                       &conv_.lhs_dilation, &conv_.rhs_dilation}) {
      list->erase(list->begin() + at);
    }
    conv_.window_reversal.erase(conv_.window_reversal.begin() + at);
  }

  ConvolutionAttributes conv_;
  Expansion& to_;
  Value lhs_, rhs_;
  const Shape result_;
  Dims output_order_;
};

}  // namespace

std::optional<Values> ExpandConvolution(const Op& op, Expansion& to) {
  const auto& conv = op.As<ConvolutionAttributes>();
  if (graph::Product(to.dims(op.result())) == 0 || graph::Product(to.dims(op.operands[0])) == 0) {
    return std::nullopt;
  }
  Convolver convolver(op, to);
  const auto is_negative = [](int64_t padding) { return padding < 0; };
  const size_t spatial = conv.window_strides.size();
  std::optional<Value> value;
  if (conv.batch_group_count > 1) {
    value = convolver.WithoutBatchGroups();
  } else if (spatial == 0) {
    value = convolver.WithSpatialDimension();
  } else if (std::any_of(conv.padding_low.begin(), conv.padding_low.end(), is_negative) ||
             std::any_of(conv.padding_high.begin(), conv.padding_high.end(), is_negative)) {
    value = convolver.WithoutNegativePadding();
  } else if (spatial > 2) {
    value = convolver.WithFewerDimensions();
  } else if (!IsMatrixProduct(to.type(op.operands[0]), to.type(op.operands[1]),
                              to.type(op.result()), to.chip())) {
    value = convolver.WithOtherTypes();
  }
  return value ? std::optional(Values{*value}) : std::nullopt;
}

}  // namespace systolith::compiler
