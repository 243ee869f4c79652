// Gather and scatter: a table with the place of every window, then a kernel that goes through it.
#include <algorithm>
#include <cassert>
#include <numeric>

#include "host/base/rounding.h"
#include "host/compiler/passes/index_table.h"
#include "host/compiler/passes/planner.h"
#include "host/compiler/passes/support.h"

namespace systolith::compiler {
namespace {

using graph::Dims;
using graph::Op;
using graph::Value;

bool Contains(const Dims& list, int64_t value) {
  return std::find(list.begin(), list.end(), value) != list.end();
}

}  // namespace

ScatterDimensions DimensionsOf(const Op& op, const graph::Function& function) {
  const auto& scatter = op.As<graph::ScatterAttributes>();
  const size_t inputs = op.operands.size() / 2;
  const Dims& operand = function.shape(op.operands[0]).dims;
  const Dims& updates = function.shape(op.operands[inputs + 1]).dims;
  Dims windowed;  // dimensions of the operand that a window has
  for (int64_t d = 0; d < static_cast<int64_t>(operand.size()); ++d) {
    if (!Contains(scatter.inserted_window_dims, d) && !Contains(scatter.input_batching_dims, d)) {
      windowed.push_back(d);
    }
  }
  ScatterDimensions dimensions;
  size_t next_window = 0;
  for (int64_t u = 0; u < static_cast<int64_t>(updates.size()); ++u) {
    const int64_t size = updates[static_cast<size_t>(u)];
    if (!Contains(scatter.update_window_dims, u)) {
      dimensions.batch.push_back(static_cast<int64_t>(dimensions.table.size()));
      dimensions.table.push_back(size);
      dimensions.update_order.push_back(u);
      continue;
    }
    const int64_t d = windowed[next_window++];
    if (Contains(scatter.scatter_dims_to_operand_dims, d)) {
      dimensions.expanded.push_back({d, static_cast<int64_t>(dimensions.table.size())});
      dimensions.table.push_back(size);
      dimensions.update_order.push_back(u);
    } else {
      dimensions.window.push_back(d);
      dimensions.window_sizes.push_back(size);
    }
  }
  const size_t placed = dimensions.update_order.size();
  for (const int64_t u : scatter.update_window_dims) {
    const auto end = dimensions.update_order.begin() + static_cast<std::ptrdiff_t>(placed);
    if (std::find(dimensions.update_order.begin(), end, u) == end) {
      dimensions.update_order.push_back(u);
    }
  }
  return dimensions;
}

std::optional<ScatterTile> ChooseScatterTile(const graph::Shape& operand,
                                             const ScatterDimensions& dimensions,
                                             const arch::ChipConfig& chip) {
  const int64_t element = graph::ByteWidth(operand.type);
  const size_t rank = operand.dims.size();
  ScatterTile tile;
  tile.box = operand.dims;
  const bool has_rows = rank > 0 && Contains(dimensions.window, static_cast<int64_t>(rank) - 1);
  for (;;) {
    tile.strides.assign(rank, 1);
    int64_t elements = 1;
    for (size_t d = rank; d > 0; --d) {
      tile.strides[d - 1] = elements;
      elements *= d == rank && has_rows ? RoundUp(tile.box[d - 1], int64_t{8}) : tile.box[d - 1];
    }
    int64_t update = 1;
    for (size_t i = 0; i < dimensions.window.size(); ++i) {
      const int64_t size =
          std::min(dimensions.window_sizes[i], tile.box[static_cast<size_t>(dimensions.window[i])]);
      const bool is_row = has_rows && i + 1 == dimensions.window.size();
      update *= is_row ? RoundUp(size, int64_t{8}) : size;
    }
    tile.bytes = elements * element;
    tile.update_bytes = update * element;
    // Two tiles of one update each with its place, at least; values that stay in the buffer have
    // the other half of it.
    if (tile.bytes + 4 * (tile.update_bytes + 4 * chip.WordBytes()) <= chip.buffer_bytes / 2) break;
    // The outermost dimension of the window that is still long is halved; rows stay long.
    size_t i = 0;
    while (i < dimensions.window.size()) {
      const auto d = static_cast<size_t>(dimensions.window[i]);
      if (tile.box[d] > (d + 1 == rank ? 8 : 1)) break;
      ++i;
    }
    if (i == dimensions.window.size()) return std::nullopt;
    const auto d = static_cast<size_t>(dimensions.window[i]);
    tile.box[d] = d + 1 == rank ? RoundUp(tile.box[d] / 2, int64_t{8}) : (tile.box[d] + 1) / 2;
  }
  return tile;
}

std::optional<std::vector<VectorStep>> CombineSteps(const Op& op, const graph::Function& function) {
  const graph::Region& region = op.regions.at(0);
  if (region.arguments.size() != 2) return std::nullopt;
  const graph::ElementType type = function.shape(op.operands[0]).type;
  VectorChain chain;
  std::map<Value, VectorChain::Lane> lanes;
  View update;  // which tensor it is does not matter
  update.type = type;
  lanes[region.arguments[0]] = chain.AddBody(type, false);
  lanes[region.arguments[1]] = chain.AddStream(update);
  for (const Op& step : region.ops) {
    if (step.opcode == graph::Opcode::kConstant) {
      const graph::Literal& value = *step.As<graph::ConstantAttributes>().value;
      if (!LaneTypeOf(value.type())) return std::nullopt;
      lanes[step.result()] = chain.AddNumber(LaneBits(value, 0), value.type());
      continue;
    }
    std::vector<VectorChain::Lane> operands;
    for (const Value operand : step.operands) {
      const auto lane = lanes.find(operand);
      if (lane == lanes.end()) return std::nullopt;
      operands.push_back(lane->second);
    }
    if (step.opcode == graph::Opcode::kReturn) return chain.StepsFor(operands[0]);
    if (RoleOf(step, function) != FusionRole::kStep || WhyNotVector(step, function)) {
      return std::nullopt;
    }
    lanes[step.result()] = chain.Append(step, function.shape(step.result()).type, operands);
  }
  return std::nullopt;
}

void Planner::VisitScatter(const Op& op) {
  const auto& attributes = op.As<graph::ScatterAttributes>();
  const View operand = ViewOf(op.operands[0]);
  const ScatterDimensions dimensions = DimensionsOf(op, function_);
  const View whole = ViewOf(op.result());
  if (graph::Product(function_.shape(op.operands[2]).dims) == 0) {
    AddCopy(operand, whole, op.location);
    return;
  }
  const ScatterTile tile = *ChooseScatterTile(whole.shape(), dimensions, compilation_.chip);
  const auto stride = [&](int64_t d) {
    return tile.strides[static_cast<size_t>(d)] * operand.ElementBytes();
  };
  IndexTable table;
  table.dims = dimensions.table;
  table.batch = dimensions.batch;
  table.index_vector_dim = attributes.index_vector_dim;
  for (size_t i = 0; i < attributes.scatter_dims_to_operand_dims.size(); ++i) {
    const int64_t d = attributes.scatter_dims_to_operand_dims[i];
    IndexTable::Component component{static_cast<int64_t>(i), stride(d),
                                    operand.dims[static_cast<size_t>(d)], true, std::nullopt};
    for (const auto& [dimension, at] : dimensions.expanded) {
      if (dimension == d) component.moves_along = at;
    }
    table.components.push_back(component);
  }
  for (size_t i = 0; i < attributes.input_batching_dims.size(); ++i) {
    table.AddBatching(attributes.scatter_indices_batching_dims[i],
                      stride(attributes.input_batching_dims[i]));
  }
  Scatter body;
  body.offsets = View::Dense(PlanTable(table, op.operands[1]),
                             {graph::ElementType::kS32, {graph::Product(table.dims)}});
  View updates = ViewOf(op.operands[2]).Transposed(dimensions.update_order);
  Dims flat = {graph::Product(table.dims)};
  flat.insert(flat.end(), dimensions.window_sizes.begin(), dimensions.window_sizes.end());
  std::optional<View> merged = updates.Reshaped(flat);
  body.updates = merged ? *merged : *MakeDense(updates).Reshaped(flat);
  body.operand = operand;
  body.fill = UniformBits(operand);
  body.window = dimensions.window;
  body.box = tile.box;
  body.strides = tile.strides;
  body.combine = *CombineSteps(op, function_);
  Kernel kernel;
  kernel.body = std::move(body);
  kernel.out = whole;
  kernel.location = op.location;
  kernel.operation = "scatter";
  kernel.position = NextPosition();
  compilation_.kernels.push_back(std::move(kernel));
}

// Windows stand one after another, in the order of their indices; the result is a view of that.
void Planner::VisitGather(const Op& op) {
  const auto& gather = op.As<graph::GatherAttributes>();
  View operand = ViewOf(op.operands[0]);
  const bool is_backward = std::any_of(operand.strides.begin(), operand.strides.end(),
                                       [](int64_t stride) { return stride < 0; });
  if (is_backward) operand = MakeDense(operand);
  const auto at = [](int64_t d) { return static_cast<size_t>(d); };
  Gather body;
  body.unit = 0;
  for (const int64_t d : gather.start_index_map) {
    body.unit = std::gcd(body.unit, operand.strides[at(d)]);
  }
  for (const int64_t d : gather.operand_batching_dims) {
    body.unit = std::gcd(body.unit, operand.strides[at(d)]);
  }
  body.unit = std::max<int64_t>(body.unit, 1);

  IndexTable table;
  table.index_vector_dim = gather.index_vector_dim;
  const Dims& result = function_.shape(op.result()).dims;
  Dims order(result.size(), 0);  // the result's dimensions among those of the windows' list
  for (size_t r = 0; r < result.size(); ++r) {
    if (Contains(gather.offset_dims, static_cast<int64_t>(r))) continue;
    order[r] = static_cast<int64_t>(table.dims.size());
    table.batch.push_back(order[r]);
    table.dims.push_back(result[r]);
  }
  for (size_t i = 0; i < gather.start_index_map.size(); ++i) {
    const size_t d = at(gather.start_index_map[i]);
    const int64_t places = operand.dims[d] - gather.slice_sizes[d] + 1;
    const int64_t stride = operand.strides[d] / body.unit;
    table.components.push_back({static_cast<int64_t>(i), stride, places, false, std::nullopt});
    body.limit += (places - 1) * stride;
  }
  for (size_t i = 0; i < gather.operand_batching_dims.size(); ++i) {
    const size_t d = at(gather.operand_batching_dims[i]);
    const int64_t stride = operand.strides[d] / body.unit;
    table.AddBatching(gather.start_indices_batching_dims[i], stride);
    body.limit += (operand.dims[d] - 1) * stride;
  }
  const int64_t count = graph::Product(table.dims);
  body.indices = View::Dense(PlanTable(table, op.operands[1]), {graph::ElementType::kS32, {count}});

  body.x = operand;
  body.x.dims.clear();
  body.x.strides.clear();
  Dims listed = table.dims;
  for (size_t d = 0; d < operand.dims.size(); ++d) {
    const auto dimension = static_cast<int64_t>(d);
    if (Contains(gather.collapsed_slice_dims, dimension) ||
        Contains(gather.operand_batching_dims, dimension)) {
      continue;
    }
    order[at(gather.offset_dims[body.x.dims.size()])] = static_cast<int64_t>(listed.size());
    listed.push_back(gather.slice_sizes[d]);
    body.x.dims.push_back(gather.slice_sizes[d]);
    body.x.strides.push_back(operand.strides[d]);
  }
  Dims flat = {count};
  flat.insert(flat.end(), body.x.dims.begin(), body.x.dims.end());
  const graph::Shape shape{operand.type, flat};
  Kernel kernel;
  kernel.out = View::Dense(function_.NewValue(shape), shape);
  kernel.body = std::move(body);
  kernel.location = op.location;
  kernel.operation = "gather";
  kernel.position = NextPosition();
  SetView(kernel.out.base, kernel.out);
  SetView(op.result(), kernel.out.Reshaped(listed)->Transposed(order));
  compilation_.kernels.push_back(std::move(kernel));
}

std::optional<std::string> WhyNotScatter(const Op& op, const graph::Function& function,
                                         const arch::ChipConfig& chip) {
  if (op.results.size() != 1) return "scatter of several operands";
  const graph::Shape& operand = function.shape(op.operands[0]);
  if (!LaneTypeOf(operand.type)) {
    return "scatter of " + std::string(graph::ElementTypeName(operand.type));
  }
  const ScatterDimensions dimensions = DimensionsOf(op, function);
  if (dimensions.window.size() > 5) return "scatter of windows of more than five dimensions";
  const auto steps = CombineSteps(op, function);
  if (!steps || !Fits(*steps, chip)) return "scatter with this computation";
  if (!ChooseScatterTile(operand, dimensions, chip)) {
    return "scatter into a tensor that the unified buffer can't hold";
  }
  return std::nullopt;
}

}  // namespace systolith::compiler
