// dot_general and convolution in the one form that the code generator knows.
#include <algorithm>
#include <functional>

#include "host/compiler/passes/planner.h"

namespace systolith::compiler {
namespace {

using graph::Dims;
using graph::ElementType;

bool Contains(const Dims& list, int64_t value) {
  return std::find(list.begin(), list.end(), value) != list.end();
}

Dims FreeDimensions(int rank, const Dims& batching, const Dims& contracting) {
  Dims free;
  for (int64_t i = 0; i < rank; ++i) {
    if (!Contains(batching, i) && !Contains(contracting, i)) free.push_back(i);
  }
  return free;
}

Axis AxisOf(const View& view, int64_t dimension) {
  const auto i = static_cast<size_t>(dimension);
  return {view.dims[i], view.strides[i]};
}

arch::OperandType TypeOf(ElementType type, bool in_slices) {
  if (type == ElementType::kS8) return arch::OperandType::kInt8;
  if (type == ElementType::kBF16) return arch::OperandType::kBf16;
  return in_slices ? arch::OperandType::kF32Slice : arch::OperandType::kF32Rounded;
}

Dims Range(int64_t begin, int64_t end) {
  Dims range;
  for (int64_t i = begin; i < end; ++i) range.push_back(i);
  return range;
}

// The view with `first`, then `second`, then `third` as its dimensions, as one axis each of the
// last two. Copies the operand if its strides do not allow that.
View Canonical(const View& view, const Dims& first, const Dims& second, const Dims& third,
               const std::function<View(const View&)>& make_dense) {
  Dims order = first;
  order.insert(order.end(), second.begin(), second.end());
  order.insert(order.end(), third.begin(), third.end());
  View ordered = view.Transposed(order);
  const auto a = static_cast<int64_t>(first.size());
  const auto b = a + static_cast<int64_t>(second.size());
  const auto c = b + static_cast<int64_t>(third.size());
  if (!MergeDimensions(ordered, Range(a, b)) || !MergeDimensions(ordered, Range(b, c))) {
    ordered = make_dense(ordered);
  }
  return ordered;
}

}  // namespace

Contraction PlanDotGeneral(const graph::Op& op, const graph::Function& function, View lhs, View rhs,
                           const std::function<View(const View&)>& make_dense) {
  const auto& dot = op.As<graph::DotGeneralAttributes>();
  const auto batch = static_cast<int64_t>(dot.lhs_batching.size());
  const Dims lhs_free = FreeDimensions(static_cast<int>(lhs.dims.size()), dot.lhs_batching,
                                       dot.lhs_contracting);
  const Dims rhs_free = FreeDimensions(static_cast<int>(rhs.dims.size()), dot.rhs_batching,
                                       dot.rhs_contracting);
  const auto m_count = static_cast<int64_t>(lhs_free.size());
  const auto n_count = static_cast<int64_t>(rhs_free.size());
  const auto k_count = static_cast<int64_t>(dot.lhs_contracting.size());
  lhs = Canonical(lhs, dot.lhs_batching, lhs_free, dot.lhs_contracting, make_dense);
  rhs = Canonical(rhs, dot.rhs_batching, dot.rhs_contracting, rhs_free, make_dense);
  const View out = View::Dense(op.result(), function.shape(op.result()));

  Contraction result;
  const Axis m = *MergeDimensions(lhs, Range(batch, batch + m_count));
  const Axis lhs_k = *MergeDimensions(lhs, Range(batch + m_count, batch + m_count + k_count));
  const Axis rhs_k = *MergeDimensions(rhs, Range(batch, batch + k_count));
  const Axis n = *MergeDimensions(rhs, Range(batch + k_count, batch + k_count + n_count));
  result.h = m;
  result.c = lhs_k;
  result.rhs_c = rhs_k;
  result.o = n;
  result.result_dims[1] = Range(batch, batch + m_count);
  result.result_dims[3] = Range(batch + m_count, batch + m_count + n_count);
  result.out_y.size = m.size;
  result.out_o.size = n.size;
  for (int64_t i = 0; i < batch; ++i) {
    const auto d = static_cast<size_t>(i);
    result.outer.push_back({out.dims[d], lhs.strides[d], rhs.strides[d], 0, {}});
    result.outer_result_dims.push_back({i});
  }
  SetResultStrides(result, out);
  result.lhs = lhs;
  result.rhs = rhs;
  return result;
}

namespace {

// A kernel of which neither dimension of features is innermost would be loaded element by element,
// for every tile. It becomes taps x input x output features, once.
View WithFeaturesInside(const graph::ConvolutionAttributes& conv, View rhs,
                        const std::function<View(const View&)>& make_dense) {
  const auto is_innermost = [&](int64_t dimension) {
    const Axis axis = AxisOf(rhs, dimension);
    return axis.stride == 1 || axis.size == 1;
  };
  Dims order = conv.kernel_spatial;
  order.push_back(conv.kernel_input_feature);
  order.push_back(conv.kernel_output_feature);
  Dims back(order.size());
  for (size_t i = 0; i < order.size(); ++i) {
    back[static_cast<size_t>(order[i])] = static_cast<int64_t>(i);
  }
  const View ordered = rhs.Transposed(order);
  if (is_innermost(conv.kernel_input_feature) || is_innermost(conv.kernel_output_feature) ||
      !IsWorthTransposing(ordered)) {
    return rhs;
  }
  return make_dense(ordered).Transposed(back);
}

}  // namespace

Contraction PlanConvolution(const graph::Op& op, const graph::Function& function, View lhs,
                            View rhs, const std::function<View(const View&)>& make_dense) {
  const auto& conv = op.As<graph::ConvolutionAttributes>();
  rhs = WithFeaturesInside(conv, std::move(rhs), make_dense);
  const View out = View::Dense(op.result(), function.shape(op.result()));
  Contraction result;
  const int64_t groups = conv.feature_group_count;
  result.n = AxisOf(lhs, conv.input_batch);
  result.c = AxisOf(lhs, conv.input_feature);
  result.c.size /= groups;
  result.rhs_c = AxisOf(rhs, conv.kernel_input_feature);
  result.o = AxisOf(rhs, conv.kernel_output_feature);
  result.o.size /= groups;
  const auto out_size = [&](int64_t d) { return out.dims[static_cast<size_t>(d)]; };
  result.out_n.size = out_size(conv.output_batch);
  result.out_o.size = out_size(conv.output_feature) / groups;
  result.result_dims[0] = {conv.output_batch};
  result.result_dims[3] = {conv.output_feature};

  // Spatial dimensions count from the last one: with one only, there is no y.
  const auto spatial = static_cast<int>(conv.input_spatial.size());
  for (int i = 0; i < spatial; ++i) {
    const auto d = static_cast<size_t>(i);
    const bool is_x = i == spatial - 1;
    (is_x ? result.w : result.h) = AxisOf(lhs, conv.input_spatial[d]);
    Axis taps = AxisOf(rhs, conv.kernel_spatial[d]);
    if (conv.window_reversal[d] && taps.size > 0) {
      result.rhs.offset += (taps.size - 1) * taps.stride;  // moved to rhs below
      taps.stride = -taps.stride;
    }
    (is_x ? result.kw : result.kh) = taps;
    (is_x ? result.out_x : result.out_y).size = out_size(conv.output_spatial[d]);
    result.result_dims[is_x ? 2 : 1] = {conv.output_spatial[d]};
    (is_x ? result.stride_x : result.stride_y) = conv.window_strides[d];
    (is_x ? result.pad_x : result.pad_y) = conv.padding_low[d];
    (is_x ? result.base_dilation_x : result.base_dilation_y) = conv.lhs_dilation[d];
    (is_x ? result.window_dilation_x : result.window_dilation_y) = conv.rhs_dilation[d];
  }
  rhs.offset += result.rhs.offset;
  result.lhs = lhs;
  result.rhs = rhs;
  if (groups > 1) {
    result.feature_groups = groups;
    result.outer.push_back({groups, result.c.size * result.c.stride,
                            result.o.size * result.o.stride, 0, {}});
    result.outer_result_dims.push_back({});
    // One term per tap would leave all but a row of the array idle. A function of the operation
    // alone, since it changes the order of terms and their rounding.
    result.on_vector_unit = result.c.size == 1;
  }
  SetResultStrides(result, out);
  return result;
}

void SetPrecision(Contraction& contraction, graph::Precision precision) {
  const bool is_f32 = contraction.lhs.type == ElementType::kF32 &&
                      contraction.rhs.type == ElementType::kF32;
  const bool in_slices = is_f32 && precision != graph::Precision::kDefault;
  contraction.lhs_type = TypeOf(contraction.lhs.type, in_slices);
  contraction.rhs_type = TypeOf(contraction.rhs.type, in_slices);
  if (!in_slices) {
    contraction.passes = {{0, 0}};
  } else if (precision == graph::Precision::kHigh) {
    contraction.passes = {{1, 0}, {0, 1}, {0, 0}};
  } else {
    contraction.passes = {{2, 0}, {0, 2}, {1, 1}, {1, 0}, {0, 1}, {0, 0}};
  }
}

bool SetResultStrides(Contraction& contraction, const View& out) {
  const std::array<Axis*, 4> axes = {&contraction.out_n, &contraction.out_y, &contraction.out_x,
                                     &contraction.out_o};
  for (size_t d = 0; d < axes.size(); ++d) {
    const std::optional<Axis> axis = MergeDimensions(out, contraction.result_dims[d]);
    if (!axis) return false;
    axes[d]->stride = axis->stride;
  }
  for (size_t i = 0; i < contraction.outer.size(); ++i) {
    const Dims& dims = contraction.outer_result_dims[i];
    contraction.outer[i].out = dims.empty()
                                   ? contraction.out_o.stride * contraction.out_o.size
                                   : out.strides[static_cast<size_t>(dims[0])];
  }
  return true;
}

bool SetStreamStrides(Contraction& contraction, const std::vector<View>& streams) {
  for (size_t s = 0; s < streams.size(); ++s) {
    const View& stream = streams[s];
    for (size_t d = 0; d < 4; ++d) {
      const std::optional<Axis> axis = MergeDimensions(stream, contraction.result_dims[d]);
      if (!axis) return false;
      contraction.stream_strides[s][d] = axis->stride;
    }
    for (size_t i = 0; i < contraction.outer.size(); ++i) {
      const Dims& dims = contraction.outer_result_dims[i];
      // A feature group is a part of the output features' dimension.
      contraction.outer[i].streams[s] =
          dims.empty() ? contraction.stream_strides[s][3] * contraction.out_o.size
                       : stream.strides[static_cast<size_t>(dims[0])];
    }
  }
  return true;
}

}  // namespace systolith::compiler
