#include "host/compiler/passes/index_table.h"

#include <algorithm>
#include <limits>

#include "host/compiler/passes/planner.h"

namespace systolith::compiler {
namespace {

using graph::Dims;
using graph::ElementType;
using graph::Opcode;
using graph::Value;

constexpr ElementType kPlace = ElementType::kS32;

graph::Literal Counted(int64_t size, int64_t stride) {
  graph::Literal literal(graph::Shape{kPlace, {size}});
  for (int64_t i = 0; i < size; ++i) literal.SetInt(i, i * stride);
  return literal;
}

// The operations that compute a table.
class TableBuilder {
 public:
  TableBuilder(const IndexTable& table, graph::Builder& builder)
      : table_(table), builder_(builder), function_(builder.function()) {}

  Value Build(Value indices) {
    for (const IndexTable::Component& component : table_.components) Add(component, indices);
    for (const IndexTable::Counting& counting : table_.counting) {
      Sum(Along(counting.dimension, counting.stride));
    }
    if (!inside_.valid()) return sum_;
    graph::Op select;
    select.opcode = Opcode::kSelect;
    select.operands = {inside_, sum_, Number(kPlace, -1, table_.dims)};
    return builder_.Append(std::move(select), {function_.shape(sum_)}).result();
  }

 private:
  void Add(const IndexTable::Component& component, Value indices) {
    Value index = Part(component.number, indices);
    const ElementType type = function_.shape(index).type;
    const bool moves = component.moves_along &&
                       table_.dims[static_cast<size_t>(*component.moves_along)] > 1;
    if (!component.is_checked) {
      index = Clamp(index, 0, component.limit - 1);
    } else if (moves) {
      index = Clamp(index, -component.limit - 1, component.limit + 1);  // sums stay small
    }
    if (type != kPlace) index = builder_.Convert(index, kPlace);
    if (table_.batch.size() != table_.dims.size()) {
      index = builder_.BroadcastInDim(index, table_.dims, table_.batch);
    }
    if (moves) {
      index = builder_.Binary(Opcode::kAdd, index, Along(*component.moves_along, 1));
    }
    if (component.is_checked) {
      // Negative numbers are large ones without a sign.
      const Value is_inside = builder_.Compare(
          graph::CompareDirection::kLt, builder_.Convert(index, ElementType::kU32),
          Number(ElementType::kU32, component.limit, table_.dims));
      inside_ = inside_.valid() ? builder_.Binary(Opcode::kAnd, inside_, is_inside) : is_inside;
    }
    Sum(builder_.Binary(Opcode::kMultiply, index, Number(kPlace, component.stride, table_.dims)));
  }

  void Sum(Value term) {
    sum_ = sum_.valid() ? builder_.Binary(Opcode::kAdd, sum_, term) : term;
  }

  Value Part(int64_t number, Value indices) {
    const Dims dims = function_.shape(indices).dims;
    if (table_.index_vector_dim == static_cast<int64_t>(dims.size())) return indices;
    const auto vector = static_cast<size_t>(table_.index_vector_dim);
    Dims start(dims.size(), 0), limit = dims;
    start[vector] = number;
    limit[vector] = number + 1;
    const Value part = builder_.Slice(indices, start, limit, Dims(dims.size(), 1));
    Dims batch = dims;
    batch.erase(batch.begin() + table_.index_vector_dim);
    graph::Op reshape;
    reshape.opcode = Opcode::kReshape;
    reshape.operands = {part};
    return builder_.Append(std::move(reshape), {{function_.shape(part).type, batch}}).result();
  }

  Value Clamp(Value index, int64_t low, int64_t high) {
    const graph::Shape shape = function_.shape(index);
    graph::Op clamp;
    clamp.opcode = Opcode::kClamp;
    clamp.operands = {Number(shape.type, std::max(low, Lowest(shape.type)), {}), index,
                      Number(shape.type, std::min(high, Highest(shape.type)), {})};
    return builder_.Append(std::move(clamp), {shape}).result();
  }

  Value Along(int64_t dimension, int64_t stride) {
    const int64_t size = table_.dims[static_cast<size_t>(dimension)];
    return builder_.BroadcastInDim(builder_.Constant(Counted(size, stride)), table_.dims,
                                   {dimension});
  }

  Value Number(ElementType type, int64_t value, const Dims& dims) {
    graph::Literal literal(graph::Shape{type, {}});
    literal.SetInt(0, value);
    const Value scalar = builder_.Constant(std::move(literal));
    return dims.empty() ? scalar : builder_.BroadcastInDim(scalar, dims, {});
  }

  const IndexTable& table_;
  graph::Builder& builder_;
  graph::Function& function_;
  Value sum_, inside_;
};

}  // namespace

int64_t Highest(ElementType type) {
  return (int64_t{1} << (graph::BitWidth(type) - (graph::IsSigned(type) ? 1 : 0))) - 1;
}

int64_t Lowest(ElementType type) { return graph::IsSigned(type) ? -Highest(type) - 1 : 0; }

void IndexTable::AddBatching(int64_t indices_dimension, int64_t stride) {
  const auto at = static_cast<size_t>(indices_dimension - (indices_dimension > index_vector_dim));
  counting.push_back({batch[at], stride});
}

graph::Literal IndexTable::Of(const graph::Literal& indices) const {
  graph::Literal table(graph::Shape{kPlace, dims});
  const Dims strides = graph::RowMajorStrides(dims);
  const Dims index_strides = graph::RowMajorStrides(indices.dims());
  for (int64_t i = 0; i < table.size(); ++i) {
    const auto at = [&](int64_t dimension) {
      const auto d = static_cast<size_t>(dimension);
      return i / strides[d] % dims[d];
    };
    int64_t sum = 0;
    bool is_inside = true;
    for (const Component& component : components) {
      int64_t place = 0;
      for (size_t d = 0, b = 0; d < index_strides.size(); ++d) {
        const bool is_vector = static_cast<int64_t>(d) == index_vector_dim;
        place += (is_vector ? component.number : at(batch[b++])) * index_strides[d];
      }
      int64_t index = indices.GetInt(place);
      if (!component.is_checked) index = std::clamp<int64_t>(index, 0, component.limit - 1);
      if (component.moves_along) index += at(*component.moves_along);
      is_inside = is_inside && index >= 0 && index < component.limit;
      sum += index * component.stride;
    }
    for (const Counting& c : counting) sum += at(c.dimension) * c.stride;
    table.SetInt(i, is_inside ? sum : -1);
  }
  return table;
}

Value Planner::PlanTable(const IndexTable& table, Value indices) {
  const View& view = ViewOf(indices);
  const auto constant = constants_.find(view.base);
  const bool is_constant =
      constant != constants_.end() && view.CoversBase(constant->second->size());
  return Compute([&](graph::Builder& builder) {
    if (table.components.empty() || is_constant) {
      const graph::Literal none(function_.shape(indices));
      return builder.Constant(table.Of(is_constant ? constant->second->Reshaped(view.dims) : none));
    }
    return TableBuilder(table, builder).Build(indices);
  });
}

}  // namespace systolith::compiler
