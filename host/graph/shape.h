#ifndef SYSTOLITH_HOST_GRAPH_SHAPE_H_
#define SYSTOLITH_HOST_GRAPH_SHAPE_H_

#include <cstdint>
#include <string>
#include <vector>

#include "host/graph/element_type.h"

namespace systolith::graph {

using Dims = std::vector<int64_t>;

// The product of the dimensions; 1 for rank 0. The importer and the verifier keep it below
// kMaxElements, so that it never overflows.
int64_t Product(const Dims& dims);
inline constexpr int64_t kMaxElements = int64_t{1} << 40;

// A static tensor type. Layout is always dense and row-major here; layouts belong to the compiler.
struct Shape {
  ElementType type = ElementType::kF32;
  Dims dims;

  int rank() const { return static_cast<int>(dims.size()); }
  int64_t ElementCount() const { return Product(dims); }
  int64_t ByteCount() const { return ElementCount() * ByteWidth(type); }
  bool IsScalar() const { return dims.empty(); }

  // "tensor<4x3xbf16>".
  std::string ToString() const;

  bool operator==(const Shape&) const = default;
};

// Elements to advance per step of each dimension in row-major order.
Dims RowMajorStrides(const Dims& dims);

// "[1, 2, 3]".
std::string DimsToString(const Dims& dims);

}  // namespace systolith::graph

#endif  // SYSTOLITH_HOST_GRAPH_SHAPE_H_
