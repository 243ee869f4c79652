#include "tests/random_graphs/structured_generator.h"

#include <algorithm>

namespace systolith::testing {

bool StructuredGenerator::Dynamic() {
  const Value x = AnyValue();
  const Dims dims = shape(x).dims;
  const ElementType index = Pick<ElementType>({ElementType::kS32, ElementType::kS64,
                                               ElementType::kS32, ElementType::kU8});
  Dims sizes;
  for (const int64_t dim : dims) sizes.push_back(Range(0, dim));
  std::vector<Value> operands = {x};
  const bool updates = Chance(2);
  if (updates) operands.push_back(Make({type(x), sizes}));
  for (size_t d = 0; d < dims.size(); ++d) {
    operands.push_back(Chance(2) ? Constant({index, {}}) : Make({index, {}}));
  }
  if (updates) return Propose(Opcode::kDynamicUpdateSlice, operands);
  return Propose(Opcode::kDynamicSlice, operands, graph::DynamicSliceAttributes{sizes});
}

bool StructuredGenerator::Product() { return Chance(2) ? DotGeneral() : Convolution(); }

bool StructuredGenerator::DotGeneral() {
  const auto found =
      Find([](const Shape& s) { return !s.dims.empty() && s.type != ElementType::kI1; });
  if (!found) return false;
  const Value x = *found;
  const Dims dims = shape(x).dims;
  graph::DotGeneralAttributes dot;
  Dims other;
  for (size_t d = 0; d < dims.size(); ++d) {
    const auto position = static_cast<int64_t>(other.size());
    if (Chance(4)) {
      dot.lhs_batching.push_back(static_cast<int64_t>(d));
      dot.rhs_batching.push_back(position);
      other.push_back(dims[d]);
    } else if (Chance(2)) {
      dot.lhs_contracting.push_back(static_cast<int64_t>(d));
      dot.rhs_contracting.push_back(position);
      other.push_back(dims[d]);
    }
  }
  for (int64_t i = Range(0, 2); i > 0; --i) other.push_back(AnySize());
  Shape rhs{type(x), other};
  if (rhs.ElementCount() > 2 * size_.elements) return false;
  ElementType result = type(x);
  if (result == ElementType::kS8) result = ElementType::kS32;
  if (result == ElementType::kBF16 && Chance(2)) result = ElementType::kF32;
  const int64_t precision = Range(0, 4);
  if (precision < 3) dot.precision.fill(static_cast<graph::Precision>(precision));
  Shape declared{result, {}};
  for (const int64_t d : dot.lhs_batching) declared.dims.push_back(dims[static_cast<size_t>(d)]);
  for (size_t d = 0; d < dims.size(); ++d) {
    const auto is_in = [&](const Dims& list) {
      return std::find(list.begin(), list.end(), static_cast<int64_t>(d)) != list.end();
    };
    if (!is_in(dot.lhs_batching) && !is_in(dot.lhs_contracting)) declared.dims.push_back(dims[d]);
  }
  for (size_t d = dot.rhs_batching.size() + dot.rhs_contracting.size(); d < other.size(); ++d) {
    declared.dims.push_back(other[d]);
  }
  return Propose(Opcode::kDotGeneral, {x, Make(rhs)}, dot, {declared});
}

bool StructuredGenerator::Convolution() {
  const ElementType kind = Pick<ElementType>({ElementType::kF32, ElementType::kBF16,
                                              ElementType::kS8, ElementType::kF16,
                                              ElementType::kS32});
  graph::ConvolutionAttributes conv;
  const int64_t spatial = Range(1, 2);
  const int64_t groups = Chance(3) ? Range(2, 4) : 1;
  const int64_t batch_groups = groups == 1 && Chance(4) ? 2 : 1;
  const int64_t batch = batch_groups * Range(1, 2), channels = Range(1, 5);
  const int64_t outputs = groups * batch_groups * Range(1, 4);
  conv.feature_group_count = groups;
  conv.batch_group_count = batch_groups;
  conv.input_batch = conv.output_batch = 0;
  conv.input_feature = conv.output_feature = spatial + 1;
  conv.kernel_input_feature = spatial;
  conv.kernel_output_feature = spatial + 1;
  Shape lhs{kind, {batch}}, rhs{kind, {}}, out{kind, {batch / batch_groups}};
  for (int64_t d = 0; d < spatial; ++d) {
    conv.input_spatial.push_back(d + 1);
    conv.output_spatial.push_back(d + 1);
    conv.kernel_spatial.push_back(d);
    const int64_t size = Range(1, 9), taps = Range(1, 4);
    conv.window_strides.push_back(Range(1, 3));
    conv.padding_low.push_back(Range(-1, 3));
    conv.padding_high.push_back(Range(-1, 3));
    conv.lhs_dilation.push_back(Chance(3) ? 2 : 1);
    conv.rhs_dilation.push_back(Chance(3) ? 2 : 1);
    conv.window_reversal.push_back(Chance(4));
    lhs.dims.push_back(size);
    rhs.dims.push_back(taps);
    const int64_t padded = (size - 1) * conv.lhs_dilation.back() + 1 + conv.padding_low.back() +
                           conv.padding_high.back();
    const int64_t extent = (taps - 1) * conv.rhs_dilation.back() + 1;
    out.dims.push_back(padded < extent ? 0 : (padded - extent) / conv.window_strides.back() + 1);
  }
  lhs.dims.push_back(channels * groups);
  rhs.dims.push_back(channels);
  rhs.dims.push_back(outputs);
  out.dims.push_back(outputs);
  if (kind == ElementType::kS8) out.type = ElementType::kS32;
  if (kind == ElementType::kBF16 && Chance(2)) out.type = ElementType::kF32;
  return Propose(Opcode::kConvolution, {Make(lhs), Make(rhs)}, conv, {out});
}

bool StructuredGenerator::Fold() {
  const Value x = AnyValue();
  const Dims dims = shape(x).dims;
  if (dims.empty()) return false;
  Op op;
  op.opcode = Opcode::kReduce;
  graph::ReduceAttributes reduce;
  for (size_t d = 0; d < dims.size(); ++d) {
    if (Chance(2)) reduce.dimensions.push_back(static_cast<int64_t>(d));
  }
  op.attributes = reduce;
  if (Chance(4) && type(x) != ElementType::kI1) {  // the largest, and where it is
    const auto along = static_cast<int64_t>(Range(0, static_cast<int64_t>(dims.size()) - 1));
    op.attributes = graph::ReduceAttributes{{along}};
    const ElementType index = Chance(2) ? ElementType::kS32 : ElementType::kS64;
    if (!Propose(Opcode::kIota, {}, graph::DimensionAttributes{along}, {{index, dims}})) {
      return false;
    }
    op.operands = {x, Last()};
    op.operands.push_back(Scalar(type(x), -8));
    op.operands.push_back(Scalar(index, 0));
    const Shape value{type(x), {}}, place{index, {}};
    op.regions.push_back(MakeRegion(
        {value, place, value, place}, [&](graph::Builder& builder, const std::vector<Value>& a) {
          const auto select = [&](Value p, Value t, Value f) {
            Op choice;
            choice.opcode = Opcode::kSelect;
            choice.operands = {p, t, f};
            return builder.Append(std::move(choice)).result();
          };
          const Value greater = builder.Compare(graph::CompareDirection::kGt, a[0], a[2]);
          const Value equal = builder.Compare(graph::CompareDirection::kEq, a[0], a[2]);
          const Value first = builder.Compare(graph::CompareDirection::kLt, a[1], a[3]);
          const Value tie = builder.Binary(Opcode::kAnd, equal, first);
          const Value take = builder.Binary(Opcode::kOr, greater, tie);
          return std::vector<Value>{select(greater, a[0], a[2]), select(take, a[1], a[3])};
        }));
    return Propose(std::move(op));
  }
  const Opcode join = AnyJoin(type(x));
  op.operands = {x, Chance(2) ? Scalar(type(x), 0) : Make({type(x), {}})};
  op.regions.push_back(Joining(join, type(x)));
  return Propose(std::move(op));
}

bool StructuredGenerator::Windows() {
  const auto found = Find([](const Shape& s) {
    return !s.dims.empty() && s.dims.size() <= 4 && s.type != ElementType::kI1;
  });
  if (!found) return false;
  const Value x = *found;
  const Dims dims = shape(x).dims;
  Op op;
  if (Chance(3)) {
    op.opcode = Opcode::kSelectAndScatter;
    graph::SelectAndScatterAttributes window;
    Shape source{type(x), {}};
    for (const int64_t dim : dims) {
      const int64_t size = Chance(2) ? Range(1, 3) : 1;
      const int64_t stride = Range(1, 2), low = Range(0, size - 1), high = Range(0, size - 1);
      window.window_dimensions.push_back(size);
      window.window_strides.push_back(stride);
      window.padding_low.push_back(low);
      window.padding_high.push_back(high);
      const int64_t padded = dim + low + high;
      source.dims.push_back(padded < size ? 0 : (padded - size) / stride + 1);
    }
    op.attributes = window;
    op.operands = {x, Make(source), Scalar(type(x), 0)};
    op.regions.push_back(MakeRegion(
        {{type(x), {}}, {type(x), {}}}, [&](graph::Builder& builder, const auto& arguments) {
          return std::vector<Value>{
              builder.Compare(graph::CompareDirection::kGe, arguments[0], arguments[1])};
        }));
    op.regions.push_back(Joining(Opcode::kAdd, type(x)));
    return Propose(std::move(op));
  }
  op.opcode = Opcode::kReduceWindow;
  graph::ReduceWindowAttributes window;
  for (size_t d = 0; d < dims.size(); ++d) {
    window.window_dimensions.push_back(Chance(2) ? Range(1, 3) : 1);
    window.window_strides.push_back(Range(1, 2));
    window.base_dilations.push_back(Chance(5) ? 2 : 1);
    window.window_dilations.push_back(Chance(4) ? 2 : 1);
    window.padding_low.push_back(Range(0, 2));
    window.padding_high.push_back(Range(0, 2));
  }
  op.attributes = window;
  const Opcode join = AnyJoin(type(x));
  op.operands = {x, Scalar(type(x), join == Opcode::kMaximum ? -9 : 0)};
  op.regions.push_back(Joining(join, type(x)));
  return Propose(std::move(op));
}

bool StructuredGenerator::GatherOrScatter() {
  const auto found = Find([](const Shape& s) { return !s.dims.empty(); });
  if (!found) return false;
  const Value x = *found;
  const Dims dims = shape(x).dims;
  const auto rank = static_cast<int64_t>(dims.size());
  const ElementType index = Chance(3) ? ElementType::kS64 : ElementType::kS32;
  // A list of indices into some dimensions, of slices of the others.
  Dims indexed;
  for (int64_t d = 0; d < rank; ++d) {
    if (Chance(2)) indexed.push_back(d);
  }
  if (indexed.empty()) indexed.push_back(Range(0, rank - 1));
  const int64_t lists = Range(0, 5);
  const Value indices = Constant({index, {lists, static_cast<int64_t>(indexed.size())}}, -2, 8);
  Dims windows, sizes, window_dims;
  for (int64_t d = 0; d < rank; ++d) {
    const bool is_indexed = std::find(indexed.begin(), indexed.end(), d) != indexed.end();
    const int64_t size = is_indexed ? 1 : Range(0, dims[static_cast<size_t>(d)]);
    sizes.push_back(size);
    if (!is_indexed) {
      windows.push_back(size);
      window_dims.push_back(static_cast<int64_t>(window_dims.size()) + 1);
    }
  }
  if (Chance(2)) {
    graph::GatherAttributes gather;
    gather.offset_dims = window_dims;
    gather.collapsed_slice_dims = indexed;
    gather.start_index_map = indexed;
    gather.slice_sizes = sizes;
    gather.index_vector_dim = 1;
    return Propose(Opcode::kGather, {x, indices}, gather);
  }
  graph::ScatterAttributes scatter;
  scatter.update_window_dims = window_dims;
  scatter.inserted_window_dims = indexed;
  scatter.scatter_dims_to_operand_dims = indexed;
  scatter.index_vector_dim = 1;
  Shape updates{type(x), {lists}};
  updates.dims.insert(updates.dims.end(), windows.begin(), windows.end());
  Op op;
  op.opcode = Opcode::kScatter;
  op.attributes = scatter;
  op.operands = {x, indices, Make(updates)};
  op.regions.push_back(Joining(AnyJoin(type(x)), type(x)));
  return Propose(std::move(op));
}

bool StructuredGenerator::Sort() {
  const Value x = AnyValue();
  const Dims dims = shape(x).dims;
  if (dims.empty() || type(x) == ElementType::kI1) return false;
  Op op;
  op.opcode = Opcode::kSort;
  op.operands = {x};
  op.attributes =
      graph::SortAttributes{Range(0, static_cast<int64_t>(dims.size()) - 1), true};
  std::vector<Shape> arguments = {{type(x), {}}, {type(x), {}}};
  if (Chance(2)) {
    const Value y = Make({AnyType(), dims});
    op.operands.push_back(y);
    arguments.insert(arguments.end(), 2, Shape{type(y), {}});
  }
  const auto direction =
      Chance(2) ? graph::CompareDirection::kLt : graph::CompareDirection::kGt;
  op.regions.push_back(MakeRegion(arguments, [&](graph::Builder& builder, const auto& a) {
    return std::vector<Value>{builder.Compare(direction, a[0], a[1])};
  }));
  // Otherwise NaN has no place among numbers, and where it lands is anybody's choice.
  op.regions.back().ops.front().As<graph::CompareAttributes>().total_order =
      graph::IsFloat(type(x));
  return Propose(std::move(op));
}

std::vector<Value> StructuredGenerator::Work(graph::Builder& builder,
                                             const std::vector<Value>& values) {
  std::vector<Value> results;
  for (const Value value : values) {
    const ElementType of = type(value);
    if (of == ElementType::kI1) {
      results.push_back(builder.Binary(Opcode::kXor, value, value));
    } else {
      const Opcode opcode = Pick<Opcode>({Opcode::kAdd, Opcode::kSubtract, Opcode::kMaximum});
      const Value number = builder.Constant(Literal::Full(shape(value), Range(0, 3)));
      results.push_back(builder.Binary(opcode, value, number));
    }
  }
  return results;
}

bool StructuredGenerator::Control() {
  const Value x = AnyValue(), y = AnyValue();
  const std::vector<Shape> shapes = {shape(x), shape(y)};
  Op op;
  if (Chance(2)) {
    op.opcode = Chance(2) ? Opcode::kIf : Opcode::kCase;
    op.operands = {Make({op.opcode == Opcode::kIf ? ElementType::kI1 : ElementType::kS32, {}})};
    const int64_t branches = op.opcode == Opcode::kIf ? 2 : Range(1, 3);
    for (int64_t i = 0; i < branches; ++i) {
      op.regions.push_back(MakeRegion({}, [&](graph::Builder& builder, const auto&) {
        return Work(builder, {x, y});
      }));
    }
    return Propose(std::move(op), shapes);
  }
  op.opcode = Opcode::kWhile;
  const ElementType counter = Chance(3) ? ElementType::kS64 : ElementType::kS32;
  const Value start = Scalar(counter, static_cast<double>(Range(0, 3)));
  op.operands = {start, x, y};
  const std::vector<Shape> carried = {{counter, {}}, shapes[0], shapes[1]};
  const double end = static_cast<double>(Range(0, 6));
  op.regions.push_back(MakeRegion(carried, [&](graph::Builder& builder, const auto& a) {
    const Value bound = builder.Constant(Literal::Scalar(counter, end));
    return std::vector<Value>{builder.Compare(graph::CompareDirection::kLt, a[0], bound)};
  }));
  op.regions.push_back(MakeRegion(carried, [&](graph::Builder& builder, const auto& a) {
    const Value one = builder.Constant(Literal::Scalar(counter, 1));
    std::vector<Value> next = {builder.Binary(Opcode::kAdd, a[0], one)};
    const std::vector<Value> rest = Work(builder, {a[1], a[2]});
    next.insert(next.end(), rest.begin(), rest.end());
    return next;
  }));
  return Propose(std::move(op));
}

}  // namespace systolith::testing
