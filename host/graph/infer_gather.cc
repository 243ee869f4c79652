// Shapes of gather and scatter.
#include <algorithm>

#include "host/graph/infer_internal.h"

namespace systolith::graph {
namespace {

bool Contains(const Dims& dims, int64_t value) {
  return std::find(dims.begin(), dims.end(), value) != dims.end();
}

Dims Joined(Dims first, const Dims& second) {
  first.insert(first.end(), second.begin(), second.end());
  return first;
}

// The indices tensor without its index vector dimension, which may lie one behind the last.
Result<Dims> IndexBatch(const Shape& indices, int64_t index_vector_dim, size_t index_count) {
  INFER_CHECK(IsInteger(indices.type), "indices are {}, not integers",
              ElementTypeName(indices.type));
  INFER_CHECK(index_vector_dim >= 0 && index_vector_dim <= indices.rank(),
              "index_vector_dim {} is outside of rank {}", index_vector_dim, indices.rank());
  Dims batch = indices.dims;
  int64_t length = 1;
  if (index_vector_dim < indices.rank()) {
    length = batch[static_cast<size_t>(index_vector_dim)];
    batch.erase(batch.begin() + index_vector_dim);
  }
  INFER_CHECK(length == static_cast<int64_t>(index_count),
              "index vectors have {} elements but {} dimensions are indexed", length, index_count);
  return batch;
}

// The index batch sizes that belong to batching dimensions must equal the operand's.
Status CheckBatching(const Shape& operand, const Shape& indices, const Dims& operand_batching,
                     const Dims& indices_batching, int64_t index_vector_dim) {
  INFER_CHECK(operand_batching.size() == indices_batching.size(),
              "batching dimensions differ in number");
  RETURN_IF_ERROR(CheckDimensions(indices_batching, indices.rank(), "index batching dimensions"));
  for (size_t i = 0; i < operand_batching.size(); ++i) {
    INFER_CHECK(indices_batching[i] != index_vector_dim,
                "index_vector_dim is a batching dimension");
    INFER_CHECK(operand.dims[static_cast<size_t>(operand_batching[i])] ==
                    indices.dims[static_cast<size_t>(indices_batching[i])],
                "batching dimensions {} and {} differ in size", operand_batching[i],
                indices_batching[i]);
  }
  return OkStatus();
}

}  // namespace

Result<Shapes> InferGather(const Op& op, const Shapes& operands) {
  const auto& gather = op.As<GatherAttributes>();
  INFER_CHECK(operands.size() == 2, "it takes 2 operands, not {}", operands.size());
  const Shape& operand = operands[0];
  const int64_t rank = operand.rank();
  RETURN_IF_ERROR(CheckDimensions(gather.start_index_map, rank, "start_index_map"));
  RETURN_IF_ERROR(CheckDimensions(
      Joined(gather.collapsed_slice_dims, gather.operand_batching_dims), rank,
      "collapsed and batching dimensions"));
  RETURN_IF_ERROR(CheckList(gather.slice_sizes, static_cast<size_t>(rank), 0, "slice_sizes"));
  for (size_t d = 0; d < gather.slice_sizes.size(); ++d) {
    INFER_CHECK(gather.slice_sizes[d] <= operand.dims[d],
                "slice size {} of dimension {} exceeds the operand's {}", gather.slice_sizes[d], d,
                operand.dims[d]);
  }
  ASSIGN_OR_RETURN(const Dims batch, IndexBatch(operands[1], gather.index_vector_dim,
                                                gather.start_index_map.size()));
  RETURN_IF_ERROR(CheckBatching(operand, operands[1], gather.operand_batching_dims,
                                gather.start_indices_batching_dims, gather.index_vector_dim));
  Dims offsets;
  for (int64_t d = 0; d < rank; ++d) {
    const int64_t size = gather.slice_sizes[static_cast<size_t>(d)];
    if (Contains(gather.collapsed_slice_dims, d) || Contains(gather.operand_batching_dims, d)) {
      INFER_CHECK(size <= 1, "collapsed dimension {} has slice size {}", d, size);
    } else {
      offsets.push_back(size);
    }
  }
  INFER_CHECK(offsets.size() == gather.offset_dims.size(), "{} offset_dims for {} slice dimensions",
              gather.offset_dims.size(), offsets.size());
  const size_t result_rank = batch.size() + offsets.size();
  RETURN_IF_ERROR(
      CheckDimensions(gather.offset_dims, static_cast<int64_t>(result_rank), "offset_dims"));
  Shape result{operand.type, Dims(result_rank)};
  size_t next_batch = 0, next_offset = 0;
  for (size_t d = 0; d < result_rank; ++d) {
    result.dims[d] = Contains(gather.offset_dims, static_cast<int64_t>(d)) ? offsets[next_offset++]
                                                                           : batch[next_batch++];
  }
  return Shapes{result};
}

Result<Shapes> InferScatter(const Op& op, const Shapes& operands) {
  const auto& scatter = op.As<ScatterAttributes>();
  INFER_CHECK(operands.size() % 2 == 1 && operands.size() >= 3, "it can't take {} operands",
              operands.size());
  const size_t inputs = operands.size() / 2;
  const Shape& operand = operands[0];
  const Shape& indices = operands[inputs];
  const Shape& update = operands[inputs + 1];
  const int64_t rank = operand.rank();
  RETURN_IF_ERROR(
      CheckDimensions(scatter.scatter_dims_to_operand_dims, rank, "scatter_dims_to_operand_dims"));
  const Dims dropped = Joined(scatter.inserted_window_dims, scatter.input_batching_dims);
  RETURN_IF_ERROR(CheckDimensions(dropped, rank, "inserted and batching dimensions"));
  ASSIGN_OR_RETURN(const Dims batch, IndexBatch(indices, scatter.index_vector_dim,
                                                scatter.scatter_dims_to_operand_dims.size()));
  RETURN_IF_ERROR(CheckBatching(operand, indices, scatter.input_batching_dims,
                                scatter.scatter_indices_batching_dims, scatter.index_vector_dim));
  RETURN_IF_ERROR(CheckDimensions(scatter.update_window_dims, update.rank(), "update_window_dims"));
  INFER_CHECK(
      static_cast<size_t>(update.rank()) == batch.size() + scatter.update_window_dims.size(),
      "updates have rank {} instead of {}", update.rank(),
      batch.size() + scatter.update_window_dims.size());
  INFER_CHECK(
      scatter.update_window_dims.size() + dropped.size() == static_cast<size_t>(rank),
      "update_window_dims, inserted_window_dims and input_batching_dims don't add up to rank "
      "{}",
      rank);
  size_t next_batch = 0;
  int64_t window_dim = 0;
  for (int64_t d = 0; d < update.rank(); ++d) {
    const int64_t size = update.dims[static_cast<size_t>(d)];
    if (!Contains(scatter.update_window_dims, d)) {
      INFER_CHECK(size == batch[next_batch], "update dimension {} has size {} instead of {}", d,
                  size, batch[next_batch]);
      ++next_batch;
      continue;
    }
    while (Contains(dropped, window_dim)) ++window_dim;
    INFER_CHECK(size <= operand.dims[static_cast<size_t>(window_dim)],
                "update dimension {} is larger than the operand", d);
    ++window_dim;
  }
  Shapes results;
  for (size_t i = 0; i < inputs; ++i) {
    INFER_CHECK(operands[i].dims == operand.dims && operands[inputs + 1 + i].dims == update.dims &&
                    operands[inputs + 1 + i].type == operands[i].type,
                "inputs or updates differ in shape");
    results.push_back(operands[i]);
  }
  return results;
}

}  // namespace systolith::graph
