// Shapes of dot_general and of everything that slides a window.
#include <algorithm>

#include "host/graph/infer_internal.h"

namespace systolith::graph {
namespace {

// Beyond this a stride, dilation or padding names no tensor that could exist, and sums of a few
// such numbers still fit 64 bits.
constexpr int64_t kMaxExtent = int64_t{1} << 40;

bool InRange(int64_t value) { return value > -kMaxExtent && value < kMaxExtent; }

// Taps with gaps: (size - 1) * dilation + 1, or 0 for no taps. Capped far above any real extent.
int64_t Dilated(int64_t size, int64_t dilation) {
  if (size == 0) return 0;
  const __int128 extent = static_cast<__int128>(size - 1) * dilation + 1;
  return extent > kMaxExtent ? kMaxExtent : static_cast<int64_t>(extent);
}

Status CheckResultType(ElementType operand, ElementType result) {
  const bool fits = (IsInteger(operand) || operand == ElementType::kI1)
                        ? IsInteger(result) || result == ElementType::kI1
                        : IsFloat(result);
  INFER_CHECK(fits, "a product of {} can't have result type {}", ElementTypeName(operand),
              ElementTypeName(result));
  return OkStatus();
}

}  // namespace

std::optional<int64_t> WindowCount(const WindowDimension& w) {
  if (!InRange(w.input) || !InRange(w.size) || !InRange(w.stride) || !InRange(w.low) ||
      !InRange(w.high) || !InRange(w.base_dilation) || !InRange(w.window_dilation)) {
    return std::nullopt;
  }
  const int64_t padded = Dilated(w.input, w.base_dilation) + w.low + w.high;
  const int64_t window = Dilated(w.size, w.window_dilation);
  if (padded <= 0 || window > padded) return 0;
  return (padded - window) / w.stride + 1;
}

Result<Shapes> InferDotGeneral(const Op& op, const Shapes& operands, const Shapes& declared) {
  const auto& dot = op.As<DotGeneralAttributes>();
  const Shape& lhs = operands[0];
  const Shape& rhs = operands[1];
  INFER_CHECK(dot.lhs_batching.size() == dot.rhs_batching.size(),
              "batching dimensions {} and {} differ in number", DimsToString(dot.lhs_batching),
              DimsToString(dot.rhs_batching));
  INFER_CHECK(dot.lhs_contracting.size() == dot.rhs_contracting.size(),
              "contracting dimensions {} and {} differ in number",
              DimsToString(dot.lhs_contracting), DimsToString(dot.rhs_contracting));
  const auto joined = [](Dims first, const Dims& second) {
    first.insert(first.end(), second.begin(), second.end());
    return first;
  };
  const Dims lhs_used = joined(dot.lhs_batching, dot.lhs_contracting);
  const Dims rhs_used = joined(dot.rhs_batching, dot.rhs_contracting);
  RETURN_IF_ERROR(CheckDimensions(lhs_used, lhs.rank(), "lhs dimensions"));
  RETURN_IF_ERROR(CheckDimensions(rhs_used, rhs.rank(), "rhs dimensions"));
  for (size_t i = 0; i < lhs_used.size(); ++i) {
    const int64_t left = lhs.dims[static_cast<size_t>(lhs_used[i])];
    const int64_t right = rhs.dims[static_cast<size_t>(rhs_used[i])];
    INFER_CHECK(left == right, "lhs dimension {} has size {} but rhs dimension {} has size {}",
                lhs_used[i], left, rhs_used[i], right);
  }
  Shape result{declared.empty() ? lhs.type : declared[0].type, {}};
  RETURN_IF_ERROR(CheckResultType(lhs.type, result.type));
  for (const int64_t d : dot.lhs_batching) {
    result.dims.push_back(lhs.dims[static_cast<size_t>(d)]);
  }
  const auto append_free = [&](const Shape& shape, const Dims& used) {
    for (int64_t d = 0; d < shape.rank(); ++d) {
      if (std::find(used.begin(), used.end(), d) == used.end()) {
        result.dims.push_back(shape.dims[static_cast<size_t>(d)]);
      }
    }
  };
  append_free(lhs, lhs_used);
  append_free(rhs, rhs_used);
  return Shapes{result};
}

Result<Shapes> InferConvolution(const Op& op, const Shapes& operands, const Shapes& declared) {
  const auto& conv = op.As<ConvolutionAttributes>();
  const Shape& input = operands[0];
  const Shape& kernel = operands[1];
  const size_t spatial = conv.input_spatial.size();
  INFER_CHECK(static_cast<size_t>(input.rank()) == spatial + 2 &&
                  static_cast<size_t>(kernel.rank()) == spatial + 2 &&
                  conv.kernel_spatial.size() == spatial && conv.output_spatial.size() == spatial,
              "dimension numbers name {} spatial dimensions but operands have ranks {} and {}",
              spatial, input.rank(), kernel.rank());
  const auto all = [](const Dims& dims, int64_t a, int64_t b) {
    Dims list = dims;
    list.insert(list.end(), {a, b});
    return list;
  };
  const auto rank = static_cast<int64_t>(spatial) + 2;
  RETURN_IF_ERROR(CheckDimensions(all(conv.input_spatial, conv.input_batch, conv.input_feature),
                                  rank, "input dimension numbers"));
  RETURN_IF_ERROR(CheckDimensions(
      all(conv.kernel_spatial, conv.kernel_input_feature, conv.kernel_output_feature), rank,
      "kernel dimension numbers"));
  RETURN_IF_ERROR(CheckDimensions(all(conv.output_spatial, conv.output_batch, conv.output_feature),
                                  rank, "output dimension numbers"));
  RETURN_IF_ERROR(CheckList(conv.window_strides, spatial, 1, "window strides"));
  RETURN_IF_ERROR(CheckList(conv.lhs_dilation, spatial, 1, "lhs_dilation"));
  RETURN_IF_ERROR(CheckList(conv.rhs_dilation, spatial, 1, "rhs_dilation"));
  RETURN_IF_ERROR(CheckList(conv.padding_low, spatial, -kMaxExtent, "padding"));
  RETURN_IF_ERROR(CheckList(conv.padding_high, spatial, -kMaxExtent, "padding"));
  INFER_CHECK(conv.window_reversal.size() == spatial, "window reversal has {} entries, not {}",
              conv.window_reversal.size(), spatial);

  const auto at = [](const Shape& shape, int64_t d) { return shape.dims[static_cast<size_t>(d)]; };
  const int64_t batch = at(input, conv.input_batch);
  const int64_t features = at(input, conv.input_feature);
  const int64_t kernel_in = at(kernel, conv.kernel_input_feature);
  const int64_t kernel_out = at(kernel, conv.kernel_output_feature);
  INFER_CHECK(conv.feature_group_count >= 1 && conv.batch_group_count >= 1,
              "group counts {} and {} must be positive", conv.feature_group_count,
              conv.batch_group_count);
  INFER_CHECK(conv.feature_group_count == 1 || conv.batch_group_count == 1,
              "feature_group_count {} and batch_group_count {} can't both exceed 1",
              conv.feature_group_count, conv.batch_group_count);
  INFER_CHECK(batch % conv.batch_group_count == 0, "batch {} does not divide by its group count {}",
              batch, conv.batch_group_count);
  INFER_CHECK(features % conv.feature_group_count == 0 &&
                  features / conv.feature_group_count == kernel_in,
              "{} input features in {} groups don't fit a kernel of {} input features", features,
              conv.feature_group_count, kernel_in);
  INFER_CHECK(kernel_out % conv.feature_group_count == 0 &&
                  kernel_out % conv.batch_group_count == 0,
              "{} output features do not divide by the group count", kernel_out);

  Shape result{declared.empty() ? input.type : declared[0].type, Dims(spatial + 2)};
  RETURN_IF_ERROR(CheckResultType(input.type, result.type));
  result.dims[static_cast<size_t>(conv.output_batch)] = batch / conv.batch_group_count;
  result.dims[static_cast<size_t>(conv.output_feature)] = kernel_out;
  for (size_t i = 0; i < spatial; ++i) {
    const auto count = WindowCount(
        {at(input, conv.input_spatial[i]), at(kernel, conv.kernel_spatial[i]),
         conv.window_strides[i], conv.padding_low[i], conv.padding_high[i], conv.lhs_dilation[i],
         conv.rhs_dilation[i]});
    INFER_CHECK(count.has_value(), "the window of spatial dimension {} is out of range", i);
    result.dims[static_cast<size_t>(conv.output_spatial[i])] = *count;
  }
  return Shapes{result};
}

Result<Shapes> InferReduceWindow(const Op& op, const Shapes& operands) {
  const auto& window = op.As<ReduceWindowAttributes>();
  const size_t inputs = operands.size() / 2;
  INFER_CHECK(inputs >= 1 && operands.size() == 2 * inputs,
              "it needs as many initial values as inputs");
  const size_t rank = operands[0].dims.size();
  RETURN_IF_ERROR(CheckList(window.window_dimensions, rank, 1, "window_dimensions"));
  RETURN_IF_ERROR(CheckList(window.window_strides, rank, 1, "window_strides"));
  RETURN_IF_ERROR(CheckList(window.base_dilations, rank, 1, "base_dilations"));
  RETURN_IF_ERROR(CheckList(window.window_dilations, rank, 1, "window_dilations"));
  RETURN_IF_ERROR(CheckList(window.padding_low, rank, -kMaxExtent, "padding"));
  RETURN_IF_ERROR(CheckList(window.padding_high, rank, -kMaxExtent, "padding"));
  Dims dims;
  for (size_t d = 0; d < rank; ++d) {
    const auto count = WindowCount({operands[0].dims[d], window.window_dimensions[d],
                                    window.window_strides[d], window.padding_low[d],
                                    window.padding_high[d], window.base_dilations[d],
                                    window.window_dilations[d]});
    INFER_CHECK(count.has_value(), "the window of dimension {} is out of range", d);
    dims.push_back(*count);
  }
  return ReductionResults(operands, dims);
}

Result<Shapes> InferSelectAndScatter(const Op& op, const Shapes& operands) {
  const auto& window = op.As<SelectAndScatterAttributes>();
  INFER_CHECK(operands.size() == 3, "it takes 3 operands, not {}", operands.size());
  const size_t rank = operands[0].dims.size();
  RETURN_IF_ERROR(CheckList(window.window_dimensions, rank, 1, "window_dimensions"));
  RETURN_IF_ERROR(CheckList(window.window_strides, rank, 1, "window_strides"));
  RETURN_IF_ERROR(CheckList(window.padding_low, rank, -kMaxExtent, "padding"));
  RETURN_IF_ERROR(CheckList(window.padding_high, rank, -kMaxExtent, "padding"));
  Shape source{operands[0].type, {}};
  for (size_t d = 0; d < rank; ++d) {
    const auto count = WindowCount({operands[0].dims[d], window.window_dimensions[d],
                                    window.window_strides[d], window.padding_low[d],
                                    window.padding_high[d], 1, 1});
    INFER_CHECK(count.has_value(), "the window of dimension {} is out of range", d);
    source.dims.push_back(*count);
  }
  INFER_CHECK(operands[1] == source, "the source is {} instead of {}", operands[1].ToString(),
              source.ToString());
  INFER_CHECK(operands[2] == (Shape{operands[0].type, {}}),
              "the initial value is {} instead of a scalar of the operand's type",
              operands[2].ToString());
  return Shapes{operands[0]};
}

}  // namespace systolith::graph
