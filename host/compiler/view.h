#ifndef SYSTOLITH_HOST_COMPILER_VIEW_H_
#define SYSTOLITH_HOST_COMPILER_VIEW_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "host/graph/graph.h"

namespace systolith::compiler {

// A tensor seen through strides: which elements of a tensor in HBM stand for a value. Slices,
// transposes, broadcasts, reversals and most reshapes are nothing but views, which the DMA follows
// when an operation that computes loads its operand.
struct View {
  graph::Value base;  // the value that is stored, dense and row-major
  graph::ElementType type = graph::ElementType::kF32;
  int64_t offset = 0;  // elements
  graph::Dims dims;
  graph::Dims strides;  // elements per step of each dimension; 0: broadcast
  // A stored s32 scalar: the bytes by which the view moves at run time, inside the base. Invalid:
  // none.
  graph::Value shift = {};
  bool is_iota = false;  // no base: an element is its own number, offset + sum of index * stride

  static View Dense(graph::Value base, const graph::Shape& shape);

  int64_t ElementBytes() const { return graph::ByteWidth(type); }
  graph::Shape shape() const { return {type, dims}; }

  // Whether the view is its base at any time: same elements, same order (the base has `base_elements`).
  bool CoversBase(int64_t base_elements) const;

  // Whether every element of the view, as far as known, is one of the base's `base_elements`.
  bool IsWithin(int64_t base_elements) const;

  View Transposed(const graph::Dims& permutation) const;
  View BroadcastTo(const graph::Dims& to, const graph::Dims& broadcast_dimensions) const;
  View Sliced(const graph::SliceAttributes& slice) const;
  View Reversed(const graph::Dims& dimensions) const;
  // nullopt where the new dimensions have no strides.
  std::optional<View> Reshaped(const graph::Dims& to) const;

  bool operator==(const View&) const = default;
};

// One loop over elements: `size` steps of `stride`.
struct Axis {
  int64_t size = 1;
  int64_t stride = 0;
};

// The dimensions `which` of a view (outer to inner) as one loop, if their strides allow it.
std::optional<Axis> MergeDimensions(const View& view, const graph::Dims& which);

// All of them.
std::optional<Axis> MergeDimensions(const View& view);

// Where the elements of a dense tensor `dims` are in `to`, if `from`, with the dimensions of `to`,
// shows each of them once; else, or where that has no strides, nullopt.
std::optional<View> Redirect(const graph::Dims& dims, const View& from, const View& to);

}  // namespace systolith::compiler

#endif  // SYSTOLITH_HOST_COMPILER_VIEW_H_
