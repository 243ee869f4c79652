#include "host/import/op_attributes.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <span>

namespace systolith::import {
namespace {

using graph::Attributes;
using graph::Dims;
using graph::Opcode;
using graph::Precision;
using graph::Shape;
using Kind = Attribute::Kind;
using Names = std::initializer_list<std::string_view>;

constexpr int64_t kMaxList = 4096;

// Reads one operation's dictionary.
class Reader {
 public:
  Reader(const Source& source, const Attribute& dict) : source_(source), dict_(dict) {}

  bool Has(Names names) const { return dict_.Find(names) != nullptr; }

  Status Fail(const Attribute& attribute, const std::string& reason) const {
    return source_.ErrorAt(attribute.offset != 0 ? attribute.offset : dict_.offset, reason);
  }

  Status Missing(Names names) const {
    return source_.ErrorAt(dict_.offset,
                           fmt::format("the attribute {} is missing", *names.begin()));
  }

  Result<Dims> ToDims(const Attribute& attribute) const {
    Dims dims;
    if (attribute.kind == Kind::kInteger) return Dims{attribute.integer};
    if (attribute.kind == Kind::kDense && !graph::IsFloat(attribute.literal->type())) {
      // A few characters spell a constant of any size, and each operation would get a copy.
      if (attribute.literal->size() > kMaxList) return Fail(attribute, "the list is too long");
      for (int64_t i = 0; i < attribute.literal->size(); ++i) {
        dims.push_back(attribute.literal->GetInt(i));
      }
      return dims;
    }
    if (attribute.kind != Kind::kArray) return Fail(attribute, "expected a list of integers");
    for (const Attribute& item : attribute.items) {
      if (item.kind != Kind::kInteger && item.kind != Kind::kBool) {
        return Fail(attribute, "expected a list of integers");
      }
      dims.push_back(item.integer);
    }
    return dims;
  }

  // `fallback_size` copies of `fallback` where the attribute is absent.
  Result<Dims> List(Names names, size_t fallback_size, int64_t fallback) const {
    const Attribute* found = dict_.Find(names);
    return found != nullptr ? ToDims(*found) : Dims(fallback_size, fallback);
  }

  Result<Dims> List(Names names) const {
    const Attribute* found = dict_.Find(names);
    if (found == nullptr) return Missing(names);
    return ToDims(*found);
  }

  Result<int64_t> Integer(Names names) const {
    const Attribute* found = dict_.Find(names);
    if (found == nullptr) return Missing(names);
    if (found->kind == Kind::kArray && found->items.size() == 1) return found->items[0].integer;
    if (found->kind != Kind::kInteger) return Fail(*found, "expected an integer");
    return found->integer;
  }

  Result<int64_t> Integer(Names names, int64_t fallback) const {
    return Has(names) ? Integer(names) : fallback;
  }

  bool Flag(Names names) const {
    const Attribute* found = dict_.Find(names);
    return found != nullptr &&
           (found->kind == Kind::kUnit || (found->kind == Kind::kBool && found->integer != 0));
  }

  std::string Text(Names names) const {
    const Attribute* found = dict_.Find(names);
    return found != nullptr ? found->text : "";
  }

  Result<std::string> RequiredText(Names names) const {
    std::string text = Text(names);
    if (text.empty()) return Missing(names);
    return text;
  }

  // Which of `names` the keyword is.
  Result<size_t> OneOf(Names attribute, std::span<const char* const> names) const {
    const Attribute* found = dict_.Find(attribute);
    if (found == nullptr) return Missing(attribute);
    for (size_t i = 0; i < names.size(); ++i) {
      if (found->text == names[i]) return i;
    }
    return Fail(*found, fmt::format("'{}' is no {}", found->text, *attribute.begin()));
  }

  // Reads another dictionary of the same operation.
  Reader Of(const Attribute& dict) const { return Reader(source_, dict); }

  Result<Reader> Nested(Names names) const {
    const Attribute* found = dict_.Find(names);
    if (found == nullptr) return Missing(names);
    if (found->kind != Kind::kDict) return Fail(*found, "expected named entries");
    return Reader(source_, *found);
  }

  // [[low, high], ...] or dense<...> : tensor<Nx2xi64>.
  Status Padding(Names names, size_t count, Dims& low, Dims& high) const {
    low.assign(count, 0);
    high.assign(count, 0);
    const Attribute* found = dict_.Find(names);
    if (found == nullptr) return OkStatus();
    Dims flat;
    if (found->kind == Kind::kArray) {
      for (const Attribute& pair : found->items) {
        ASSIGN_OR_RETURN(const Dims entry, ToDims(pair));
        if (entry.size() != 2) return Fail(*found, "expected pairs of low and high padding");
        flat.insert(flat.end(), entry.begin(), entry.end());
      }
    } else {
      ASSIGN_OR_RETURN(flat, ToDims(*found));
    }
    if (flat.size() != 2 * count) {
      return Fail(*found, fmt::format("{} padding values for {} dimensions", flat.size(), count));
    }
    for (size_t i = 0; i < count; ++i) {
      low[i] = flat[2 * i];
      high[i] = flat[2 * i + 1];
    }
    return OkStatus();
  }

  Status ReadPrecision(std::array<Precision, 2>& precision) const {
    const Attribute* found = dict_.Find({"precision_config", "precision"});
    if (found == nullptr || found->items.empty()) return OkStatus();
    if (found->items.size() > 2) return Fail(*found, "more than two precisions");
    for (size_t i = 0; i < 2; ++i) {
      const std::string& name = found->items[std::min(i, found->items.size() - 1)].text;
      if (name == "DEFAULT") {
        precision[i] = Precision::kDefault;
      } else if (name == "HIGH") {
        precision[i] = Precision::kHigh;
      } else if (name == "HIGHEST") {
        precision[i] = Precision::kHighest;
      } else {
        return Fail(*found, fmt::format("there is no precision '{}'", name));
      }
    }
    return OkStatus();
  }

  const Attribute* Find(Names names) const { return dict_.Find(names); }

 private:
  const Source& source_;
  const Attribute& dict_;
};

Result<Attributes> BuildConstant(const Reader& reader) {
  const Attribute* value = reader.Find({"value"});
  if (value == nullptr) return reader.Missing({"value"});
  if (value->kind != Kind::kDense) return reader.Fail(*value, "expected dense<...>");
  return Attributes(graph::ConstantAttributes{value->literal});
}

Result<Attributes> BuildCompare(const Reader& reader) {
  graph::CompareAttributes compare;
  constexpr std::array kDirections = {"EQ", "NE", "GE", "GT", "LE", "LT"};
  ASSIGN_OR_RETURN(const size_t at, reader.OneOf({"comparison_direction"}, kDirections));
  compare.direction = static_cast<graph::CompareDirection>(at);
  compare.total_order = reader.Text({"compare_type"}) == "TOTALORDER";
  return Attributes(compare);
}

// "e8m7", or the two numbers by name.
Result<Attributes> BuildReducePrecision(const Reader& reader) {
  graph::ReducePrecisionAttributes attributes;
  if (const Attribute* format = reader.Find({"format"})) {
    const std::string& text = format->text;
    const char* end = text.data() + text.size();
    const char* middle = text.data();
    if (text.starts_with('e')) {
      middle = std::from_chars(text.data() + 1, end, attributes.exponent_bits).ptr;
    }
    if (middle == text.data() || middle == end || *middle != 'm' ||
        std::from_chars(middle + 1, end, attributes.mantissa_bits).ptr != end) {
      return reader.Fail(*format, "expected a format such as e8m7");
    }
  } else {
    ASSIGN_OR_RETURN(const int64_t exponent, reader.Integer({"exponent_bits"}));
    ASSIGN_OR_RETURN(const int64_t mantissa, reader.Integer({"mantissa_bits"}));
    attributes.exponent_bits = static_cast<int>(std::clamp<int64_t>(exponent, 0, 64));
    attributes.mantissa_bits = static_cast<int>(std::clamp<int64_t>(mantissa, 0, 64));
  }
  return Attributes(attributes);
}

Result<Attributes> BuildSlice(const Reader& reader, const Shape& operand) {
  graph::SliceAttributes slice;
  ASSIGN_OR_RETURN(slice.start, reader.List({"start_indices"}));
  ASSIGN_OR_RETURN(slice.limit, reader.List({"limit_indices"}));
  ASSIGN_OR_RETURN(slice.stride, reader.List({"strides"}, operand.dims.size(), 1));
  return Attributes(slice);
}

Result<Attributes> BuildPad(const Reader& reader) {
  graph::PadAttributes pad;
  ASSIGN_OR_RETURN(pad.low, reader.List({"low", "edge_padding_low"}));
  ASSIGN_OR_RETURN(pad.high, reader.List({"high", "edge_padding_high"}));
  ASSIGN_OR_RETURN(pad.interior, reader.List({"interior", "interior_padding"}));
  return Attributes(pad);
}

Result<graph::DotAlgorithm> BuildAlgorithm(const Reader& reader) {
  graph::DotAlgorithm algorithm;
  ASSIGN_OR_RETURN(algorithm.lhs_precision_type, reader.RequiredText({"lhs_precision_type"}));
  ASSIGN_OR_RETURN(algorithm.rhs_precision_type, reader.RequiredText({"rhs_precision_type"}));
  ASSIGN_OR_RETURN(algorithm.accumulation_type, reader.RequiredText({"accumulation_type"}));
  ASSIGN_OR_RETURN(algorithm.lhs_component_count, reader.Integer({"lhs_component_count"}, 1));
  ASSIGN_OR_RETURN(algorithm.rhs_component_count, reader.Integer({"rhs_component_count"}, 1));
  ASSIGN_OR_RETURN(algorithm.num_primitive_operations,
                   reader.Integer({"num_primitive_operations"}, 1));
  algorithm.allow_imprecise_accumulation = reader.Flag({"allow_imprecise_accumulation"});
  return algorithm;
}

Result<Attributes> BuildDotGeneral(const Reader& reader) {
  graph::DotGeneralAttributes dot;
  if (reader.Has({"dot_dimension_numbers"})) {
    ASSIGN_OR_RETURN(const Reader numbers, reader.Nested({"dot_dimension_numbers"}));
    ASSIGN_OR_RETURN(dot.lhs_batching, numbers.List({"lhs_batching_dimensions"}, 0, 0));
    ASSIGN_OR_RETURN(dot.rhs_batching, numbers.List({"rhs_batching_dimensions"}, 0, 0));
    ASSIGN_OR_RETURN(dot.lhs_contracting, numbers.List({"lhs_contracting_dimensions"}, 0, 0));
    ASSIGN_OR_RETURN(dot.rhs_contracting, numbers.List({"rhs_contracting_dimensions"}, 0, 0));
  } else {
    const auto pair = [&](Names names, Dims& left, Dims& right) -> Status {
      const Attribute* found = reader.Find(names);
      if (found == nullptr) return OkStatus();
      if (found->items.size() != 2) return reader.Fail(*found, "expected [...] x [...]");
      ASSIGN_OR_RETURN(left, reader.ToDims(found->items[0]));
      ASSIGN_OR_RETURN(right, reader.ToDims(found->items[1]));
      return OkStatus();
    };
    RETURN_IF_ERROR(pair({"batching_dims"}, dot.lhs_batching, dot.rhs_batching));
    RETURN_IF_ERROR(pair({"contracting_dims"}, dot.lhs_contracting, dot.rhs_contracting));
  }
  RETURN_IF_ERROR(reader.ReadPrecision(dot.precision));
  if (const Attribute* algorithm = reader.Find({"algorithm"});
      algorithm != nullptr && algorithm->kind == Kind::kDict) {
    ASSIGN_OR_RETURN(const Reader nested, reader.Nested({"algorithm"}));
    ASSIGN_OR_RETURN(dot.algorithm, BuildAlgorithm(nested));
  }
  return Attributes(dot);
}

Result<Attributes> BuildConvolution(const Reader& reader) {
  graph::ConvolutionAttributes conv;
  ASSIGN_OR_RETURN(const Reader numbers, reader.Nested({"dim_numbers", "dimension_numbers"}));
  ASSIGN_OR_RETURN(conv.input_batch, numbers.Integer({"input_batch", "input_batch_dimension"}));
  ASSIGN_OR_RETURN(conv.input_feature,
                   numbers.Integer({"input_feature", "input_feature_dimension"}));
  ASSIGN_OR_RETURN(conv.input_spatial, numbers.List({"input_spatial", "input_spatial_dimensions"}));
  ASSIGN_OR_RETURN(conv.kernel_input_feature,
                   numbers.Integer({"kernel_input_feature", "kernel_input_feature_dimension"}));
  ASSIGN_OR_RETURN(conv.kernel_output_feature,
                   numbers.Integer({"kernel_output_feature", "kernel_output_feature_dimension"}));
  ASSIGN_OR_RETURN(conv.kernel_spatial,
                   numbers.List({"kernel_spatial", "kernel_spatial_dimensions"}));
  ASSIGN_OR_RETURN(conv.output_batch, numbers.Integer({"output_batch", "output_batch_dimension"}));
  ASSIGN_OR_RETURN(conv.output_feature,
                   numbers.Integer({"output_feature", "output_feature_dimension"}));
  ASSIGN_OR_RETURN(conv.output_spatial,
                   numbers.List({"output_spatial", "output_spatial_dimensions"}));

  const size_t spatial = conv.input_spatial.size();
  const Attribute* pretty = reader.Find({"window"});  // the generic form has no such entry
  if (pretty != nullptr && pretty->kind != Kind::kDict) {
    return reader.Fail(*pretty, "expected window = {...}");
  }
  const Reader window = pretty != nullptr ? reader.Of(*pretty) : reader;
  ASSIGN_OR_RETURN(conv.window_strides, window.List({"stride", "window_strides"}, spatial, 1));
  ASSIGN_OR_RETURN(conv.lhs_dilation, window.List({"lhs_dilate", "lhs_dilation"}, spatial, 1));
  ASSIGN_OR_RETURN(conv.rhs_dilation, window.List({"rhs_dilate", "rhs_dilation"}, spatial, 1));
  ASSIGN_OR_RETURN(const Dims reversal, window.List({"reverse", "window_reversal"}, spatial, 0));
  for (const int64_t reversed : reversal) conv.window_reversal.push_back(reversed != 0);
  RETURN_IF_ERROR(window.Padding({"pad", "padding"}, spatial, conv.padding_low, conv.padding_high));
  ASSIGN_OR_RETURN(conv.feature_group_count, reader.Integer({"feature_group_count"}, 1));
  ASSIGN_OR_RETURN(conv.batch_group_count, reader.Integer({"batch_group_count"}, 1));
  RETURN_IF_ERROR(reader.ReadPrecision(conv.precision));
  return Attributes(conv);
}

Result<Attributes> BuildReduceWindow(const Reader& reader, const Shape& operand) {
  const size_t rank = operand.dims.size();
  graph::ReduceWindowAttributes window;
  ASSIGN_OR_RETURN(window.window_dimensions, reader.List({"window_dimensions"}));
  ASSIGN_OR_RETURN(window.window_strides, reader.List({"window_strides"}, rank, 1));
  ASSIGN_OR_RETURN(window.base_dilations, reader.List({"base_dilations"}, rank, 1));
  ASSIGN_OR_RETURN(window.window_dilations, reader.List({"window_dilations"}, rank, 1));
  RETURN_IF_ERROR(reader.Padding({"padding"}, rank, window.padding_low, window.padding_high));
  return Attributes(window);
}

Result<Attributes> BuildSelectAndScatter(const Reader& reader, const Shape& operand) {
  const size_t rank = operand.dims.size();
  graph::SelectAndScatterAttributes window;
  ASSIGN_OR_RETURN(window.window_dimensions, reader.List({"window_dimensions"}, rank, 1));
  ASSIGN_OR_RETURN(window.window_strides, reader.List({"window_strides"}, rank, 1));
  RETURN_IF_ERROR(reader.Padding({"padding"}, rank, window.padding_low, window.padding_high));
  return Attributes(window);
}

Result<Attributes> BuildGather(const Reader& reader) {
  graph::GatherAttributes gather;
  ASSIGN_OR_RETURN(const Reader numbers, reader.Nested({"dimension_numbers"}));
  ASSIGN_OR_RETURN(gather.offset_dims, numbers.List({"offset_dims"}, 0, 0));
  ASSIGN_OR_RETURN(gather.collapsed_slice_dims, numbers.List({"collapsed_slice_dims"}, 0, 0));
  ASSIGN_OR_RETURN(gather.operand_batching_dims, numbers.List({"operand_batching_dims"}, 0, 0));
  ASSIGN_OR_RETURN(gather.start_indices_batching_dims,
                   numbers.List({"start_indices_batching_dims"}, 0, 0));
  ASSIGN_OR_RETURN(gather.start_index_map, numbers.List({"start_index_map"}, 0, 0));
  ASSIGN_OR_RETURN(gather.index_vector_dim, numbers.Integer({"index_vector_dim"}, 0));
  ASSIGN_OR_RETURN(gather.slice_sizes, reader.List({"slice_sizes"}));
  gather.indices_are_sorted = reader.Flag({"indices_are_sorted"});
  return Attributes(gather);
}

Result<Attributes> BuildScatter(const Reader& reader) {
  graph::ScatterAttributes scatter;
  ASSIGN_OR_RETURN(const Reader numbers, reader.Nested({"scatter_dimension_numbers"}));
  ASSIGN_OR_RETURN(scatter.update_window_dims, numbers.List({"update_window_dims"}, 0, 0));
  ASSIGN_OR_RETURN(scatter.inserted_window_dims, numbers.List({"inserted_window_dims"}, 0, 0));
  ASSIGN_OR_RETURN(scatter.input_batching_dims, numbers.List({"input_batching_dims"}, 0, 0));
  ASSIGN_OR_RETURN(scatter.scatter_indices_batching_dims,
                   numbers.List({"scatter_indices_batching_dims"}, 0, 0));
  ASSIGN_OR_RETURN(scatter.scatter_dims_to_operand_dims,
                   numbers.List({"scatter_dims_to_operand_dims"}, 0, 0));
  ASSIGN_OR_RETURN(scatter.index_vector_dim, numbers.Integer({"index_vector_dim"}, 0));
  scatter.indices_are_sorted = reader.Flag({"indices_are_sorted"});
  scatter.unique_indices = reader.Flag({"unique_indices"});
  return Attributes(scatter);
}

Result<Attributes> BuildBatchNorm(const Reader& reader) {
  graph::BatchNormAttributes norm;
  const Attribute* epsilon = reader.Find({"epsilon"});
  if (epsilon == nullptr) return reader.Missing({"epsilon"});
  norm.epsilon = static_cast<float>(epsilon->real);
  ASSIGN_OR_RETURN(norm.feature_index, reader.Integer({"feature_index"}));
  return Attributes(norm);
}

Result<Attributes> BuildRngBitGenerator(const Reader& reader) {
  constexpr std::array kNames = {"DEFAULT", "THREE_FRY", "PHILOX"};
  ASSIGN_OR_RETURN(const size_t at, reader.OneOf({"rng_algorithm", "algorithm"}, kNames));
  return Attributes(graph::RngBitGeneratorAttributes{static_cast<graph::RngAlgorithm>(at)});
}

Result<Attributes> BuildTriangularSolve(const Reader& reader) {
  constexpr std::array kNames = {"NO_TRANSPOSE", "TRANSPOSE", "ADJOINT"};
  ASSIGN_OR_RETURN(const size_t at, reader.OneOf({"transpose_a"}, kNames));
  return Attributes(graph::TriangularSolveAttributes{
      reader.Flag({"left_side"}), reader.Flag({"lower"}), reader.Flag({"unit_diagonal"}),
      static_cast<graph::TransposeA>(at)});
}

// Entries of a kind that nothing needs are left out.
Result<Attributes> BuildComposite(const Reader& reader) {
  graph::CompositeAttributes composite;
  composite.name = reader.Text({"name"});
  composite.decomposition = reader.Text({"decomposition"});
  if (composite.name.empty()) return reader.Missing({"name"});
  if (composite.decomposition.empty()) return reader.Missing({"decomposition"});
  ASSIGN_OR_RETURN(composite.version, reader.Integer({"version"}, 0));
  const Attribute* entries = reader.Find({"composite_attributes"});
  if (entries == nullptr) return Attributes(composite);
  for (const auto& [name, value] : entries->entries) {
    auto& list = composite.entries;
    switch (value.kind) {
      case Kind::kBool: list.emplace_back(name, value.integer != 0); break;
      case Kind::kInteger: list.emplace_back(name, value.integer); break;
      case Kind::kFloat: list.emplace_back(name, value.real); break;
      case Kind::kString: list.emplace_back(name, value.text); break;
      case Kind::kArray:
      case Kind::kDense: {
        const Result<Dims> dims = reader.ToDims(value);
        if (dims.ok()) list.emplace_back(name, *dims);
        break;
      }
      default: break;
    }
  }
  std::sort(composite.entries.begin(), composite.entries.end(),
            [](const auto& a, const auto& b) { return a.first < b.first; });
  return Attributes(composite);
}

Result<Attributes> BuildCustomCall(const Reader& reader) {
  graph::CustomCallAttributes call;
  call.target = reader.Text({"call_target_name"});
  if (call.target.empty()) return reader.Missing({"call_target_name"});
  call.has_side_effect = reader.Flag({"has_side_effect"});
  call.backend_config = reader.Text({"backend_config"});
  if (const Attribute* tolerance = reader.Find({"tolerance"})) call.tolerance = tolerance->real;
  ASSIGN_OR_RETURN(const int64_t low, reader.Integer({"min_ulp_difference"}, 0));
  ASSIGN_OR_RETURN(const int64_t high, reader.Integer({"max_ulp_difference"}, 3));
  if (low < 0 || high < 0) {
    return reader.Fail(*reader.Find({"max_ulp_difference", "min_ulp_difference"}),
                       "a distance can't be negative");
  }
  call.min_ulp_difference = static_cast<uint64_t>(low);
  call.max_ulp_difference = static_cast<uint64_t>(high);
  return Attributes(call);
}

}  // namespace

Result<Attributes> BuildAttributes(const Source& source, Opcode opcode, const Attribute& dict,
                                   const std::vector<Shape>& operands) {
  const Reader reader(source, dict);
  const Shape operand = operands.empty() ? Shape{} : operands[0];
  switch (opcode) {
    case Opcode::kConstant: return BuildConstant(reader);
    case Opcode::kCompare: return BuildCompare(reader);
    case Opcode::kReducePrecision: return BuildReducePrecision(reader);
    case Opcode::kBroadcastInDim:
    case Opcode::kMap:
    case Opcode::kReverse:
    case Opcode::kTranspose: {
      graph::DimensionsAttributes dimensions;
      ASSIGN_OR_RETURN(dimensions.dimensions, reader.List({"dims", "dimensions", "permutation",
                                                           "broadcast_dimensions"}));
      return Attributes(dimensions);
    }
    case Opcode::kConcatenate:
    case Opcode::kIota: {
      graph::DimensionAttributes dimension;
      ASSIGN_OR_RETURN(dimension.dimension,
                       reader.Integer({"dim", "dimension", "iota_dimension"}));
      return Attributes(dimension);
    }
    case Opcode::kSlice: return BuildSlice(reader, operand);
    case Opcode::kPad: return BuildPad(reader);
    case Opcode::kDynamicSlice: {
      graph::DynamicSliceAttributes slice;
      ASSIGN_OR_RETURN(slice.sizes, reader.List({"sizes", "slice_sizes"}));
      return Attributes(slice);
    }
    case Opcode::kDotGeneral: return BuildDotGeneral(reader);
    case Opcode::kConvolution: return BuildConvolution(reader);
    case Opcode::kReduce: {
      graph::ReduceAttributes reduce;
      ASSIGN_OR_RETURN(reduce.dimensions, reader.List({"dimensions"}));
      return Attributes(reduce);
    }
    case Opcode::kReduceWindow: return BuildReduceWindow(reader, operand);
    case Opcode::kSelectAndScatter: return BuildSelectAndScatter(reader, operand);
    case Opcode::kGather: return BuildGather(reader);
    case Opcode::kScatter: return BuildScatter(reader);
    case Opcode::kSort: {
      graph::SortAttributes sort;
      ASSIGN_OR_RETURN(sort.dimension, reader.Integer({"dimension"}, operand.rank() - 1));
      if (sort.dimension < 0) sort.dimension += operand.rank();
      sort.is_stable = reader.Flag({"is_stable"});
      return Attributes(sort);
    }
    case Opcode::kCall: {
      const std::string callee = reader.Text({"callee"});
      if (callee.empty()) return reader.Missing({"callee"});
      return Attributes(graph::CallAttributes{callee});
    }
    case Opcode::kBatchNormGrad:
    case Opcode::kBatchNormInference:
    case Opcode::kBatchNormTraining: return BuildBatchNorm(reader);
    case Opcode::kCholesky: return Attributes(graph::CholeskyAttributes{reader.Flag({"lower"})});
    case Opcode::kComposite: return BuildComposite(reader);
    case Opcode::kCustomCall: return BuildCustomCall(reader);
    case Opcode::kRngBitGenerator: return BuildRngBitGenerator(reader);
    case Opcode::kTriangularSolve: return BuildTriangularSolve(reader);
    default: return Attributes{};
  }
}

}  // namespace systolith::import
