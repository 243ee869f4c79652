#include "host/graph/shape.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace systolith::graph {

int64_t Product(const Dims& dims) {
  int64_t product = 1;
  for (const int64_t dim : dims) product *= dim;
  return product;
}

std::string Shape::ToString() const {
  std::string text = "tensor<";
  for (const int64_t dim : dims) text += fmt::format("{}x", dim);
  return text + std::string(ElementTypeName(type)) + ">";
}

Dims RowMajorStrides(const Dims& dims) {
  Dims strides(dims.size());
  int64_t stride = 1;
  for (size_t i = dims.size(); i-- > 0;) {
    strides[i] = stride;
    stride *= dims[i];
  }
  return strides;
}

std::string DimsToString(const Dims& dims) { return fmt::format("[{}]", fmt::join(dims, ", ")); }

}  // namespace systolith::graph
