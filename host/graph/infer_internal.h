#ifndef SYSTOLITH_HOST_GRAPH_INFER_INTERNAL_H_
#define SYSTOLITH_HOST_GRAPH_INFER_INTERNAL_H_

#include <fmt/format.h>

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "host/base/status.h"
#include "host/graph/graph.h"

// Shared by the files that implement infer.h.
namespace systolith::graph {

// Leaves the function with an error unless `condition` holds.
#define INFER_CHECK(condition, ...)                                      \
  do {                                                                   \
    if (!(condition)) return InvalidArgument(fmt::format(__VA_ARGS__)); \
  } while (false)

using Shapes = std::vector<Shape>;

// Whether every entry is in [0, rank) and none occurs twice.
Status CheckDimensions(const Dims& dimensions, int64_t rank, const char* what);

// Whether `dims` has `count` entries, each at least `minimum`.
Status CheckList(const Dims& dims, size_t count, int64_t minimum, const char* what);

// Positions of a window of `size` taps over `input` elements, with dilations and padding; 0 where
// the window does not fit. nullopt if the numbers are beyond any tensor.
struct WindowDimension {
  int64_t input = 1, size = 1, stride = 1, low = 0, high = 0, base_dilation = 1,
          window_dilation = 1;
};
std::optional<int64_t> WindowCount(const WindowDimension& window);

// The results of a reduction whose first half of `operands` are inputs of one shape and whose second
// half are their initial values, scalars of the inputs' types: each input's type with `dims`.
Result<Shapes> ReductionResults(const Shapes& operands, const Dims& dims);

Result<Shapes> InferDotGeneral(const Op& op, const Shapes& operands, const Shapes& declared);
Result<Shapes> InferConvolution(const Op& op, const Shapes& operands, const Shapes& declared);
Result<Shapes> InferReduceWindow(const Op& op, const Shapes& operands);
Result<Shapes> InferSelectAndScatter(const Op& op, const Shapes& operands);
Result<Shapes> InferGather(const Op& op, const Shapes& operands);
Result<Shapes> InferScatter(const Op& op, const Shapes& operands);
Result<Shapes> InferBatchNorm(const Op& op, const Shapes& operands);
Result<Shapes> InferRngBitGenerator(const Op& op, const Shapes& operands, const Shapes& declared);
Result<Shapes> InferTriangularSolve(const Op& op, const Shapes& operands);
Result<Shapes> InferCholesky(const Shapes& operands);

}  // namespace systolith::graph

#endif  // SYSTOLITH_HOST_GRAPH_INFER_INTERNAL_H_
