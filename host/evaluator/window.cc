// Operations that slide a window: reduce_window and select_and_scatter.
#include "host/evaluator/kernels.h"

namespace systolith::evaluator {
namespace {

// The window's geometry in one place, whichever operation it came from.
struct Window {
  Dims size, stride, low, base_dilation, window_dilation;
};

// The element of the operand under `tap` at `position`; -1 where there is padding.
int64_t ElementUnder(const Window& window, const Shape& shape, const Dims& strides,
                     const Dims& position, const Dims& tap) {
  int64_t offset = 0;
  for (size_t d = 0; d < tap.size(); ++d) {
    const int64_t at = position[d] * window.stride[d] + tap[d] * window.window_dilation[d] -
                       window.low[d];
    if (at < 0 || at % window.base_dilation[d] != 0) return -1;
    const int64_t element = at / window.base_dilation[d];
    if (element >= shape.dims[d]) return -1;
    offset += element * strides[d];
  }
  return offset;
}

// Calls `visit` with every operand element under the window at `position`, in row-major order; -1
// stands for padding.
template <typename Visit>
Status ForEachElement(const Window& window, const Shape& shape, const Dims& strides,
                      const Dims& position, const Visit& visit) {
  Dims tap(window.size.size(), 0);
  do {
    RETURN_IF_ERROR(visit(ElementUnder(window, shape, strides, position, tap)));
  } while (NextIndex(tap, window.size));
  return OkStatus();
}

}  // namespace

// A left fold from the initial value over the elements under the window. Padding, between elements
// too, holds the initial value. Each step rounds to the body's type.
Result<std::vector<Literal>> EvalReduceWindow(const Op& op, Operands operands,
                                              const std::vector<Shape>& shapes,
                                              const ScalarBody& body) {
  const auto& attributes = op.As<graph::ReduceWindowAttributes>();
  const Window window{attributes.window_dimensions, attributes.window_strides,
                      attributes.padding_low, attributes.base_dilations,
                      attributes.window_dilations};
  const size_t inputs = operands.size() / 2;
  const Shape& shape = operands[0]->shape();
  const Dims strides = graph::RowMajorStrides(shape.dims);
  std::vector<Literal> results(shapes.begin(), shapes.end());
  if (results[0].size() == 0) return results;
  const auto opcode = SingleBinary(op.regions[0]);
  const bool skips_padding = opcode && inputs == 1 && IsIdentity(*opcode, *operands[1]);
  Dims position(shapes[0].dims.size(), 0);
  int64_t to = 0;
  do {
    std::vector<Literal> folded;
    for (size_t i = 0; i < inputs; ++i) folded.push_back(*operands[inputs + i]);
    RETURN_IF_ERROR(
        ForEachElement(window, shape, strides, position, [&](int64_t element) -> Status {
          if (element < 0 && skips_padding) return OkStatus();
          std::vector<Literal> arguments = folded;
          for (size_t i = 0; i < inputs; ++i) {
            arguments.push_back(element < 0 ? *operands[inputs + i]
                                            : ScalarAt(*operands[i], element));
          }
          if (opcode && inputs == 1) {  // the body without the walk through it
            folded[0] = EvalBinary(*opcode, arguments[0], arguments[1]);
            return OkStatus();
          }
          ASSIGN_OR_RETURN(folded, body(arguments));
          return OkStatus();
        }));
    for (size_t i = 0; i < inputs; ++i) CopyElement(folded[i], 0, results[i], to);
    ++to;
  } while (NextIndex(position, shapes[0].dims));
  return results;
}

Result<std::vector<Literal>> EvalSelectAndScatter(Operands operands, const Op& op,
                                                  const ScalarBody& select,
                                                  const ScalarBody& scatter) {
  const auto& attributes = op.As<graph::SelectAndScatterAttributes>();
  const size_t rank = attributes.window_dimensions.size();
  const Window window{attributes.window_dimensions, attributes.window_strides,
                      attributes.padding_low, Dims(rank, 1), Dims(rank, 1)};
  const Literal& operand = *operands[0];
  const Literal& source = *operands[1];
  const Dims strides = graph::RowMajorStrides(operand.dims());
  Literal result(operand.shape());
  for (int64_t i = 0; i < result.size(); ++i) CopyElement(*operands[2], 0, result, i);
  std::vector<Literal> results;
  if (source.size() > 0) {
    Dims position(rank, 0);
    int64_t from = 0;
    do {
      int64_t chosen = -1;
      RETURN_IF_ERROR(ForEachElement(
          window, operand.shape(), strides, position, [&](int64_t element) -> Status {
            if (element < 0) return OkStatus();
            if (chosen < 0) {
              chosen = element;
              return OkStatus();
            }
            const std::vector<Literal> pair = {ScalarAt(operand, chosen),
                                               ScalarAt(operand, element)};
            ASSIGN_OR_RETURN(const std::vector<Literal> keep, select(pair));
            if (keep[0].GetInt(0) == 0) chosen = element;
            return OkStatus();
          }));
      if (chosen >= 0) {
        const std::vector<Literal> pair = {ScalarAt(result, chosen), ScalarAt(source, from)};
        ASSIGN_OR_RETURN(const std::vector<Literal> sum, scatter(pair));
        CopyElement(sum[0], 0, result, chosen);
      }
      ++from;
    } while (NextIndex(position, source.dims()));
  }
  results.push_back(std::move(result));
  return results;
}

}  // namespace systolith::evaluator
