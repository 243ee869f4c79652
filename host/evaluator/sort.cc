// sort and map.
#include <algorithm>
#include <numeric>

#include "host/evaluator/kernels.h"

namespace systolith::evaluator {

Result<std::vector<Literal>> EvalMap(Operands operands, const Shape& shape,
                                     const ScalarBody& body) {
  std::vector<Literal> results = {Literal(shape)};
  for (int64_t i = 0; i < results[0].size(); ++i) {
    std::vector<Literal> arguments;
    for (const Literal* operand : operands) arguments.push_back(ScalarAt(*operand, i));
    ASSIGN_OR_RETURN(const std::vector<Literal> value, body(arguments));
    CopyElement(value[0], 0, results[0], i);
  }
  return results;
}

// Always stable, which every request for an unstable order accepts.
Result<std::vector<Literal>> EvalSort(const Op& op, Operands operands, const ScalarBody& body) {
  const size_t dimension = static_cast<size_t>(op.As<graph::SortAttributes>().dimension);
  const Dims& dims = operands[0]->dims();
  const int64_t length = dims[dimension];
  const int64_t stride = graph::RowMajorStrides(dims)[dimension];
  std::vector<Literal> results;
  for (const Literal* operand : operands) results.push_back(*operand);
  Status failure;
  for (int64_t start = 0; start < operands[0]->size(); ++start) {
    if (start / stride % length != 0) continue;  // not the first element of a line
    std::vector<int64_t> order(static_cast<size_t>(length));
    std::iota(order.begin(), order.end(), 0);
    std::stable_sort(order.begin(), order.end(), [&](int64_t a, int64_t b) {
      if (!failure.ok()) return false;
      std::vector<Literal> arguments;
      for (const Literal* operand : operands) {
        arguments.push_back(ScalarAt(*operand, start + a * stride));
        arguments.push_back(ScalarAt(*operand, start + b * stride));
      }
      const auto less = body(arguments);
      if (!less.ok()) {
        failure = less.status();
        return false;
      }
      return less->front().GetInt(0) != 0;
    });
    RETURN_IF_ERROR(failure);
    for (size_t i = 0; i < results.size(); ++i) {
      for (int64_t at = 0; at < length; ++at) {
        CopyElement(*operands[i], start + order[static_cast<size_t>(at)] * stride, results[i],
                    start + at * stride);
      }
    }
  }
  return results;
}

}  // namespace systolith::evaluator
