// gather, scatter and the slices whose position is a value.
#include <algorithm>

#include "host/evaluator/kernels.h"

namespace systolith::evaluator {
namespace {

bool Contains(const Dims& dims, int64_t value) {
  return std::find(dims.begin(), dims.end(), value) != dims.end();
}

// A start index as it is meant: unsigned ones beyond 2^63 are large, not negative.
int64_t IndexAt(const Literal& indices, int64_t i) {
  const int64_t index = indices.GetInt(i);
  return indices.type() == graph::ElementType::kU64 && index < 0 ? INT64_MAX : index;
}

int64_t Offset(const Dims& index, const Dims& strides) {
  int64_t offset = 0;
  for (size_t d = 0; d < index.size(); ++d) offset += index[d] * strides[d];
  return offset;
}

// Reads index vectors out of the indices tensor.
class IndexVectors {
 public:
  IndexVectors(const Literal& indices, int64_t vector_dim)
      : indices_(indices), vector_dim_(static_cast<size_t>(vector_dim)),
        strides_(graph::RowMajorStrides(indices.dims())) {}

  // Component `component` of the vector at `batch`, which leaves the vector dimension out.
  int64_t At(const Dims& batch, int64_t component) const {
    int64_t offset = 0;
    for (size_t d = 0, b = 0; d < strides_.size(); ++d) {
      offset += (d == vector_dim_ ? component : batch[b++]) * strides_[d];
    }
    return IndexAt(indices_, offset);
  }

  // The value of the batch index that belongs to dimension `d` of the indices tensor.
  int64_t BatchPart(const Dims& batch, int64_t d) const {
    return batch[static_cast<size_t>(d) - (static_cast<size_t>(d) > vector_dim_ ? 1 : 0)];
  }

 private:
  const Literal& indices_;
  const size_t vector_dim_;
  const Dims strides_;
};

// Starts so that a slice of `sizes` stays inside.
Dims ClampedStarts(Operands starts, const Dims& dims, const Dims& sizes) {
  Dims clamped;
  for (size_t d = 0; d < dims.size(); ++d) {
    clamped.push_back(std::clamp<int64_t>(IndexAt(*starts[d], 0), 0, dims[d] - sizes[d]));
  }
  return clamped;
}

}  // namespace

Literal EvalDynamicSlice(const Op& op, Operands operands, const Shape& shape) {
  const Literal& operand = *operands[0];
  const Dims start = ClampedStarts(operands.subspan(1), operand.dims(),
                                   op.As<graph::DynamicSliceAttributes>().sizes);
  const Dims strides = graph::RowMajorStrides(operand.dims());
  Literal result(shape);
  if (result.size() == 0) return result;
  const int64_t base = Offset(start, strides);
  Dims index(shape.dims.size(), 0);
  int64_t to = 0;
  do {
    CopyElement(operand, base + Offset(index, strides), result, to++);
  } while (NextIndex(index, shape.dims));
  return result;
}

Literal EvalDynamicUpdateSlice(Operands operands) {
  const Literal& update = *operands[1];
  Literal result = *operands[0];
  const Dims start = ClampedStarts(operands.subspan(2), result.dims(), update.dims());
  if (update.size() == 0) return result;
  const Dims strides = graph::RowMajorStrides(result.dims());
  const int64_t base = Offset(start, strides);
  Dims index(update.dims().size(), 0);
  int64_t from = 0;
  do {
    CopyElement(update, from++, result, base + Offset(index, strides));
  } while (NextIndex(index, update.dims()));
  return result;
}

Literal EvalGather(const Op& op, Operands operands, const Shape& shape) {
  const auto& gather = op.As<graph::GatherAttributes>();
  const Literal& operand = *operands[0];
  const IndexVectors vectors(*operands[1], gather.index_vector_dim);
  const Dims strides = graph::RowMajorStrides(operand.dims());
  Literal result(shape);
  if (result.size() == 0) return result;
  Dims index(shape.dims.size(), 0);
  int64_t to = 0;
  do {
    Dims batch, offsets;
    for (size_t d = 0; d < index.size(); ++d) {
      (Contains(gather.offset_dims, static_cast<int64_t>(d)) ? offsets : batch)
          .push_back(index[d]);
    }
    Dims at(operand.dims().size(), 0);
    for (size_t i = 0; i < gather.start_index_map.size(); ++i) {
      const size_t d = static_cast<size_t>(gather.start_index_map[i]);
      at[d] = std::clamp<int64_t>(vectors.At(batch, static_cast<int64_t>(i)), 0,
                                  operand.dims()[d] - gather.slice_sizes[d]);
    }
    for (size_t i = 0; i < gather.operand_batching_dims.size(); ++i) {
      at[static_cast<size_t>(gather.operand_batching_dims[i])] =
          vectors.BatchPart(batch, gather.start_indices_batching_dims[i]);
    }
    for (size_t d = 0, next = 0; d < at.size(); ++d) {
      const auto dimension = static_cast<int64_t>(d);
      if (!Contains(gather.collapsed_slice_dims, dimension) &&
          !Contains(gather.operand_batching_dims, dimension)) {
        at[d] += offsets[next++];
      }
    }
    CopyElement(operand, Offset(at, strides), result, to++);
  } while (NextIndex(index, shape.dims));
  return result;
}

Result<std::vector<Literal>> EvalScatter(const Op& op, Operands operands, const ScalarBody& body) {
  const auto& scatter = op.As<graph::ScatterAttributes>();
  const size_t inputs = operands.size() / 2;
  std::vector<Literal> results;
  for (size_t i = 0; i < inputs; ++i) results.push_back(*operands[i]);
  const Literal& update = *operands[inputs + 1];
  if (update.size() == 0) return results;
  const IndexVectors vectors(*operands[inputs], scatter.index_vector_dim);
  const Dims& dims = results[0].dims();
  const Dims strides = graph::RowMajorStrides(dims);
  const auto opcode = SingleBinary(op.regions[0]);
  Dims index(update.dims().size(), 0);
  int64_t from = 0;
  do {
    Dims batch, window;
    for (size_t d = 0; d < index.size(); ++d) {
      (Contains(scatter.update_window_dims, static_cast<int64_t>(d)) ? window : batch)
          .push_back(index[d]);
    }
    Dims at(dims.size(), 0);
    for (size_t i = 0; i < scatter.scatter_dims_to_operand_dims.size(); ++i) {
      const size_t d = static_cast<size_t>(scatter.scatter_dims_to_operand_dims[i]);
      at[d] = vectors.At(batch, static_cast<int64_t>(i));
    }
    for (size_t i = 0; i < scatter.input_batching_dims.size(); ++i) {
      at[static_cast<size_t>(scatter.input_batching_dims[i])] =
          vectors.BatchPart(batch, scatter.scatter_indices_batching_dims[i]);
    }
    for (size_t d = 0, next = 0; d < at.size(); ++d) {
      const auto dimension = static_cast<int64_t>(d);
      if (!Contains(scatter.inserted_window_dims, dimension) &&
          !Contains(scatter.input_batching_dims, dimension)) {
        // A start below 0 may still put the window's end inside.
        const int64_t start = std::clamp<int64_t>(at[d], -dims[d] - 1, dims[d] + 1);
        at[d] = start + window[next++];
      }
    }
    bool inside = true;
    for (size_t d = 0; d < at.size(); ++d) inside = inside && at[d] >= 0 && at[d] < dims[d];
    if (inside) {
      const int64_t to = Offset(at, strides);
      std::vector<Literal> arguments;
      for (const Literal& result : results) arguments.push_back(ScalarAt(result, to));
      for (size_t i = 0; i < inputs; ++i) {
        arguments.push_back(ScalarAt(*operands[inputs + 1 + i], from));
      }
      std::vector<Literal> joined;
      if (opcode && inputs == 1) {
        joined.push_back(EvalBinary(*opcode, arguments[0], arguments[1]));
      } else {
        ASSIGN_OR_RETURN(joined, body(arguments));
      }
      for (size_t i = 0; i < inputs; ++i) CopyElement(joined[i], 0, results[i], to);
    }
    ++from;
  } while (NextIndex(index, update.dims()));
  return results;
}

}  // namespace systolith::evaluator
