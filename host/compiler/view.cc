#include "host/compiler/view.h"

#include <algorithm>

namespace systolith::compiler {

using graph::Dims;

namespace {

Dims AllDimensions(const View& view) {
  Dims all;
  for (size_t i = 0; i < view.dims.size(); ++i) all.push_back(static_cast<int64_t>(i));
  return all;
}

}  // namespace

View View::Dense(graph::Value base, const graph::Shape& shape) {
  return {base, shape.type, 0, shape.dims, graph::RowMajorStrides(shape.dims)};
}

bool View::CoversBase(int64_t base_elements) const {
  if (shift.valid() || offset != 0 || graph::Product(dims) != base_elements) return false;
  const Dims dense = graph::RowMajorStrides(dims);
  for (size_t i = 0; i < dims.size(); ++i) {
    if (dims[i] > 1 && strides[i] != dense[i]) return false;
  }
  return true;
}

bool View::IsWithin(int64_t base_elements) const {
  if (graph::Product(dims) == 0) return true;
  int64_t lowest = offset, highest = offset;
  for (size_t i = 0; i < dims.size(); ++i) {
    (strides[i] < 0 ? lowest : highest) += (dims[i] - 1) * strides[i];
  }
  return lowest >= 0 && highest < base_elements;
}

View View::Transposed(const Dims& permutation) const {
  View view = *this;
  for (size_t i = 0; i < permutation.size(); ++i) {
    view.dims[i] = dims[static_cast<size_t>(permutation[i])];
    view.strides[i] = strides[static_cast<size_t>(permutation[i])];
  }
  return view;
}

View View::BroadcastTo(const Dims& to, const Dims& broadcast_dimensions) const {
  View view = *this;
  view.dims = to;
  view.strides.assign(to.size(), 0);
  for (size_t i = 0; i < broadcast_dimensions.size(); ++i) {
    const auto target = static_cast<size_t>(broadcast_dimensions[i]);
    view.strides[target] = dims[i] == 1 ? 0 : strides[i];
  }
  return view;
}

View View::Sliced(const graph::SliceAttributes& slice) const {
  View view = *this;
  for (size_t i = 0; i < dims.size(); ++i) {
    const int64_t extent = slice.limit[i] - slice.start[i];
    view.offset += slice.start[i] * strides[i];
    view.dims[i] = (extent + slice.stride[i] - 1) / slice.stride[i];
    view.strides[i] = strides[i] * slice.stride[i];
  }
  return view;
}

View View::Reversed(const Dims& dimensions) const {
  View view = *this;
  for (const int64_t dimension : dimensions) {
    const auto i = static_cast<size_t>(dimension);
    if (dims[i] == 0) continue;
    view.offset += (dims[i] - 1) * strides[i];
    view.strides[i] = -strides[i];
  }
  return view;
}

std::optional<View> View::Reshaped(const Dims& to) const {
  View view{base, type, offset, to, graph::RowMajorStrides(to), shift};
  if (graph::Product(dims) == 0) return view;
  // Pairs the shortest runs of old and new dimensions with equal products, from the inside out.
  size_t from_end = dims.size();
  size_t to_end = to.size();
  while (from_end > 0 || to_end > 0) {
    size_t from_begin = from_end;
    size_t to_begin = to_end;
    int64_t from_size = 1;
    int64_t to_size = 1;
    do {
      if (from_size <= to_size && from_begin > 0) {
        from_size *= dims[--from_begin];
      } else if (to_begin > 0) {
        to_size *= to[--to_begin];
      } else {
        from_size *= dims[--from_begin];
      }
    } while (from_size != to_size);
    Dims run;
    for (size_t i = from_begin; i < from_end; ++i) run.push_back(static_cast<int64_t>(i));
    const std::optional<Axis> merged = MergeDimensions(*this, run);
    if (!merged) return std::nullopt;
    int64_t stride = merged->stride;
    for (size_t i = to_end; i > to_begin; --i) {
      view.strides[i - 1] = stride;
      stride *= to[i - 1];
    }
    from_end = from_begin;
    to_end = to_begin;
  }
  return view;
}

std::optional<Axis> MergeDimensions(const View& view, const Dims& which) {
  Axis axis;
  bool first = true;
  for (size_t i = which.size(); i > 0; --i) {
    const auto dimension = static_cast<size_t>(which[i - 1]);
    const int64_t size = view.dims[dimension];
    if (size == 1) continue;
    if (first) {
      axis = {size, view.strides[dimension]};
      first = false;
    } else if (view.strides[dimension] == axis.size * axis.stride || axis.size == 0 || size == 0) {
      axis.size *= size;
    } else {
      return std::nullopt;
    }
  }
  return axis;
}

std::optional<Axis> MergeDimensions(const View& view) {
  return MergeDimensions(view, AllDimensions(view));
}

std::optional<View> Redirect(const Dims& dims, const View& from, const View& to) {
  Dims order = AllDimensions(from);
  std::stable_sort(order.begin(), order.end(), [&](int64_t a, int64_t b) {
    return from.strides[static_cast<size_t>(a)] > from.strides[static_cast<size_t>(b)];
  });
  if (!from.Transposed(order).CoversBase(graph::Product(dims))) return std::nullopt;
  return to.Transposed(order).Reshaped(dims);
}

}  // namespace systolith::compiler
