// The attributes of each operation in StableHLO's notation.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>

#include "host/graph/print.h"
#include "host/graph/print_internal.h"

namespace systolith::graph {
namespace {

std::string Array(const Dims& dims) {
  return dims.empty() ? "array<i64>" : fmt::format("array<i64: {}>", fmt::join(dims, ", "));
}

// `dense<[[1, 2], [0, 0]]> : tensor<2x2xi64>`.
std::string PaddingText(const Dims& low, const Dims& high) {
  if (low.empty()) return "dense<> : tensor<0x2xi64>";
  std::vector<std::string> pairs;
  for (size_t i = 0; i < low.size(); ++i) pairs.push_back(fmt::format("[{}, {}]", low[i], high[i]));
  return fmt::format("dense<[{}]> : tensor<{}x2xi64>", fmt::join(pairs, ", "), low.size());
}

const char* PrecisionName(Precision precision) {
  constexpr std::array kNames = {"DEFAULT", "HIGH", "HIGHEST"};
  return kNames[static_cast<size_t>(precision)];
}

std::string PrecisionText(const std::array<Precision, 2>& precision) {
  return fmt::format("[{}, {}]", PrecisionName(precision[0]), PrecisionName(precision[1]));
}

const char* DirectionName(CompareDirection direction) {
  constexpr std::array kNames = {"EQ", "NE", "GE", "GT", "LE", "LT"};
  return kNames[static_cast<size_t>(direction)];
}

std::string DotText(const DotGeneralAttributes& dot) {
  std::string text;
  if (!dot.lhs_batching.empty()) {
    text += fmt::format(", batching_dims = {} x {}", DimsToString(dot.lhs_batching),
                        DimsToString(dot.rhs_batching));
  }
  text += fmt::format(", contracting_dims = {} x {}, precision = {}",
                      DimsToString(dot.lhs_contracting), DimsToString(dot.rhs_contracting),
                      PrecisionText(dot.precision));
  if (dot.algorithm) {
    const DotAlgorithm& a = *dot.algorithm;
    text += fmt::format(
        ", algorithm = <lhs_precision_type = {}, rhs_precision_type = {}, accumulation_type = {}, "
        "lhs_component_count = {}, rhs_component_count = {}, num_primitive_operations = {}, "
        "allow_imprecise_accumulation = {}>",
        a.lhs_precision_type, a.rhs_precision_type, a.accumulation_type, a.lhs_component_count,
        a.rhs_component_count, a.num_primitive_operations, a.allow_imprecise_accumulation);
  }
  return text;
}

// "[b, 0, 1, f]": which role each dimension plays.
std::string DimensionRoles(char first_role, int64_t first, char second_role, int64_t second,
                           const Dims& spatial) {
  std::vector<std::string> roles(spatial.size() + 2);
  roles[static_cast<size_t>(first)] = first_role;
  roles[static_cast<size_t>(second)] = second_role;
  for (size_t i = 0; i < spatial.size(); ++i) {
    roles[static_cast<size_t>(spatial[i])] = fmt::format("{}", i);
  }
  return fmt::format("[{}]", fmt::join(roles, ", "));
}

std::string ConvolutionText(const ConvolutionAttributes& conv) {
  std::vector<std::string> padding, reversal;
  for (size_t i = 0; i < conv.padding_low.size(); ++i) {
    padding.push_back(fmt::format("[{}, {}]", conv.padding_low[i], conv.padding_high[i]));
    reversal.push_back(conv.window_reversal[i] ? "true" : "false");
  }
  std::string window;
  if (!conv.input_spatial.empty()) {
    window = fmt::format(
        "stride = {}, pad = [{}], lhs_dilate = {}, rhs_dilate = {}, reverse = [{}]",
        DimsToString(conv.window_strides), fmt::join(padding, ", "),
        DimsToString(conv.lhs_dilation), DimsToString(conv.rhs_dilation),
        fmt::join(reversal, ", "));
  }
  return fmt::format(
      " dim_numbers = {}x{}->{}, window = {{{}}} {{batch_group_count = {} : i64, "
      "feature_group_count = {} : i64, precision_config = [#stablehlo<precision {}>, "
      "#stablehlo<precision {}>]}}",
      DimensionRoles('b', conv.input_batch, 'f', conv.input_feature, conv.input_spatial),
      DimensionRoles('i', conv.kernel_input_feature, 'o', conv.kernel_output_feature,
                     conv.kernel_spatial),
      DimensionRoles('b', conv.output_batch, 'f', conv.output_feature, conv.output_spatial), window,
      conv.batch_group_count, conv.feature_group_count, PrecisionName(conv.precision[0]),
      PrecisionName(conv.precision[1]));
}

std::string SliceText(const SliceAttributes& slice) {
  std::vector<std::string> ranges;
  for (size_t i = 0; i < slice.start.size(); ++i) {
    ranges.push_back(fmt::format("{}:{}:{}", slice.start[i], slice.limit[i], slice.stride[i]));
  }
  return fmt::format(" [{}]", fmt::join(ranges, ", "));
}

std::string GatherText(const GatherAttributes& gather) {
  return fmt::format(
      " <{{dimension_numbers = #stablehlo.gather<offset_dims = {}, collapsed_slice_dims = {}, "
      "operand_batching_dims = {}, start_indices_batching_dims = {}, start_index_map = {}, "
      "index_vector_dim = {}>, indices_are_sorted = {}, slice_sizes = {}}}>",
      DimsToString(gather.offset_dims), DimsToString(gather.collapsed_slice_dims),
      DimsToString(gather.operand_batching_dims), DimsToString(gather.start_indices_batching_dims),
      DimsToString(gather.start_index_map), gather.index_vector_dim, gather.indices_are_sorted,
      Array(gather.slice_sizes));
}

std::string ScatterText(const ScatterAttributes& scatter) {
  return fmt::format(
      "indices_are_sorted = {}, scatter_dimension_numbers = #stablehlo.scatter<"
      "update_window_dims = {}, inserted_window_dims = {}, input_batching_dims = {}, "
      "scatter_indices_batching_dims = {}, scatter_dims_to_operand_dims = {}, "
      "index_vector_dim = {}>, unique_indices = {}",
      scatter.indices_are_sorted, DimsToString(scatter.update_window_dims),
      DimsToString(scatter.inserted_window_dims), DimsToString(scatter.input_batching_dims),
      DimsToString(scatter.scatter_indices_batching_dims),
      DimsToString(scatter.scatter_dims_to_operand_dims), scatter.index_vector_dim,
      scatter.unique_indices);
}

std::string Quoted(const std::string& text) {
  std::string quoted = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\' || static_cast<unsigned char>(c) < ' ') {
      quoted += fmt::format("\\{:02X}", static_cast<unsigned char>(c));
    } else {
      quoted += c;
    }
  }
  return quoted + "\"";
}

std::string CustomCallText(const CustomCallAttributes& call, const std::string& operands) {
  std::string text = fmt::format("stablehlo.custom_call {}({}) {{has_side_effect = {}",
                                 SymbolText(call.target), operands, call.has_side_effect);
  if (!call.backend_config.empty()) {
    text += fmt::format(", backend_config = {}", Quoted(call.backend_config));
  }
  if (call.target.starts_with("check.expect_almost")) {
    text += fmt::format(", tolerance = {:e} : f64", call.tolerance);
  }
  if (call.target == "check.expect_close") {
    text += fmt::format(", min_ulp_difference = {} : ui64, max_ulp_difference = {} : ui64",
                        call.min_ulp_difference, call.max_ulp_difference);
  }
  return text + "}";
}

std::string EntryText(const CompositeAttributes::Value& value) {
  struct Visitor {
    std::string operator()(bool b) const { return b ? "true" : "false"; }
    std::string operator()(int64_t i) const { return fmt::format("{} : i64", i); }
    std::string operator()(double d) const { return fmt::format("{:.17e} : f64", d); }
    std::string operator()(const std::string& s) const { return Quoted(s); }
    std::string operator()(const Dims& dims) const { return Array(dims); }
  };
  return std::visit(Visitor(), value);
}

std::string CompositeText(const CompositeAttributes& composite, const std::string& operands) {
  std::vector<std::string> entries;
  for (const auto& [name, value] : composite.entries) {
    entries.push_back(fmt::format("{} = {}", Quoted(name), EntryText(value)));
  }
  return fmt::format("stablehlo.composite {} {} {{composite_attributes = {{{}}}, "
                     "decomposition = {}, version = {} : i32}}",
                     Quoted(composite.name), operands, fmt::join(entries, ", "),
                     SymbolText(composite.decomposition), composite.version);
}

std::string BatchNormText(const BatchNormAttributes& norm) {
  return fmt::format("epsilon = {:.9e} : f32, feature_index = {} : i64", norm.epsilon,
                     norm.feature_index);
}

std::string TriangularSolveText(const TriangularSolveAttributes& solve) {
  constexpr std::array kNames = {"NO_TRANSPOSE", "TRANSPOSE", "ADJOINT"};
  return fmt::format("left_side = {}, lower = {}, transpose_a = #stablehlo<transpose {}>, "
                     "unit_diagonal = {}",
                     solve.left_side, solve.lower, kNames[static_cast<size_t>(solve.transpose_a)],
                     solve.unit_diagonal);
}

const char* AlgorithmName(RngAlgorithm algorithm) {
  constexpr std::array kNames = {"DEFAULT", "THREE_FRY", "PHILOX"};
  return kNames[static_cast<size_t>(algorithm)];
}

}  // namespace

std::string SymbolText(const std::string& name) {
  const bool plain = !name.empty() && std::all_of(name.begin(), name.end(), [](char c) {
    return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '.' || c == '$' ||
           c == '-';
  });
  return "@" + (plain ? name : Quoted(name));
}

std::string PlainOpText(const Op& op, const std::string& operands, const std::string& type) {
  const std::string head = fmt::format("{}.{}", OpcodeDialect(op.opcode), OpcodeName(op.opcode));
  std::string attributes;
  switch (op.opcode) {
    case Opcode::kConstant:
      return fmt::format("{} {}", head, PrintLiteral(*op.As<ConstantAttributes>().value));
    case Opcode::kIota:
      return fmt::format("{} dim = {} : {}", head, op.As<DimensionAttributes>().dimension,
                         type.substr(type.find("-> ") + 3));
    case Opcode::kCall:
      return fmt::format("call {}({}) : {}", SymbolText(op.As<CallAttributes>().callee), operands,
                         type);
    case Opcode::kCustomCall:
      return fmt::format("{} : {}", CustomCallText(op.As<CustomCallAttributes>(), operands), type);
    case Opcode::kConvolution:
      return fmt::format("{}({}){} : {}", head, operands,
                         ConvolutionText(op.As<ConvolutionAttributes>()), type);
    case Opcode::kGather:
      return fmt::format("\"{}\"({}){} : {}", head, operands,
                         GatherText(op.As<GatherAttributes>()), type);
    case Opcode::kComposite:
      return fmt::format("{} : {}", CompositeText(op.As<CompositeAttributes>(), operands), type);
    case Opcode::kBatchNormGrad:
    case Opcode::kBatchNormInference:
    case Opcode::kBatchNormTraining:
      return fmt::format("\"{}\"({}) <{{{}}}> : {}", head, operands,
                         BatchNormText(op.As<BatchNormAttributes>()), type);
    case Opcode::kTriangularSolve:
      return fmt::format("\"{}\"({}) <{{{}}}> : {}", head, operands,
                         TriangularSolveText(op.As<TriangularSolveAttributes>()), type);
    case Opcode::kCholesky:
      attributes = fmt::format(", lower = {}", op.As<CholeskyAttributes>().lower);
      break;
    case Opcode::kRngBitGenerator:
      attributes = fmt::format(", algorithm = {}",
                               AlgorithmName(op.As<RngBitGeneratorAttributes>().algorithm));
      break;
    case Opcode::kCompare:
      return fmt::format("{} {}, {}{} : {}", head,
                         DirectionName(op.As<CompareAttributes>().direction), operands,
                         op.As<CompareAttributes>().total_order ? ", TOTALORDER" : "", type);
    case Opcode::kReducePrecision:
      attributes =
          fmt::format(", format = e{}m{}", op.As<ReducePrecisionAttributes>().exponent_bits,
                      op.As<ReducePrecisionAttributes>().mantissa_bits);
      break;
    case Opcode::kBroadcastInDim:
    case Opcode::kReverse:
    case Opcode::kTranspose:
      attributes =
          fmt::format(", dims = {}", DimsToString(op.As<DimensionsAttributes>().dimensions));
      break;
    case Opcode::kConcatenate:
      attributes = fmt::format(", dim = {}", op.As<DimensionAttributes>().dimension);
      break;
    case Opcode::kSlice: attributes = SliceText(op.As<SliceAttributes>()); break;
    case Opcode::kDynamicSlice:
      attributes =
          fmt::format(", sizes = {}", DimsToString(op.As<DynamicSliceAttributes>().sizes));
      break;
    case Opcode::kPad: {
      const auto& pad = op.As<PadAttributes>();
      attributes = fmt::format(", low = {}, high = {}, interior = {}", DimsToString(pad.low),
                               DimsToString(pad.high), DimsToString(pad.interior));
      break;
    }
    case Opcode::kDotGeneral: attributes = DotText(op.As<DotGeneralAttributes>()); break;
    default: break;
  }
  return fmt::format("{} {}{} : {}", head, operands, attributes, type);
}

std::string RegionOpAttributes(const Op& op) {
  switch (op.opcode) {
    case Opcode::kMap:
      return "dimensions = " + Array(op.As<DimensionsAttributes>().dimensions);
    case Opcode::kReduce: return "dimensions = " + Array(op.As<ReduceAttributes>().dimensions);
    case Opcode::kReduceWindow: {
      const auto& w = op.As<ReduceWindowAttributes>();
      return fmt::format(
          "base_dilations = {}, padding = {}, window_dilations = {}, window_dimensions = {}, "
          "window_strides = {}",
          Array(w.base_dilations), PaddingText(w.padding_low, w.padding_high),
          Array(w.window_dilations), Array(w.window_dimensions), Array(w.window_strides));
    }
    case Opcode::kSelectAndScatter: {
      const auto& w = op.As<SelectAndScatterAttributes>();
      return fmt::format("padding = {}, window_dimensions = {}, window_strides = {}",
                         PaddingText(w.padding_low, w.padding_high), Array(w.window_dimensions),
                         Array(w.window_strides));
    }
    case Opcode::kScatter: return ScatterText(op.As<ScatterAttributes>());
    case Opcode::kSort:
      return fmt::format("dimension = {} : i64, is_stable = {}", op.As<SortAttributes>().dimension,
                         op.As<SortAttributes>().is_stable);
    default: return "";
  }
}

namespace {

constexpr int64_t kMaxListedElements = 64;  // longer tensors print as a hex blob

std::string ElementText(const Literal& literal, int64_t i) {
  if (!IsFloat(literal.type())) return literal.ElementToString(i);
  const double value = literal.GetDouble(i);
  if (std::isfinite(value)) {
    std::string text = literal.ElementToString(i);
    // MLIR wants a point in every float, before the exponent.
    const size_t exponent = text.find('e');
    if (text.find('.') == std::string::npos) {
      text.insert(exponent == std::string::npos ? text.size() : exponent, ".0");
    }
    return text;
  }
  switch (ByteWidth(literal.type())) {
    case 2: return fmt::format("0x{:04X}", literal.As<uint16_t>()[static_cast<size_t>(i)]);
    case 4: return fmt::format("0x{:08X}", literal.As<uint32_t>()[static_cast<size_t>(i)]);
    default: return fmt::format("0x{:016X}", literal.As<uint64_t>()[static_cast<size_t>(i)]);
  }
}

// Nested lists from dimension `d` on; `next` counts the elements printed.
std::string NestedText(const Literal& literal, size_t d, int64_t& next) {
  if (d == literal.dims().size()) return ElementText(literal, next++);
  std::vector<std::string> items;
  for (int64_t i = 0; i < literal.dims()[d]; ++i) items.push_back(NestedText(literal, d + 1, next));
  return fmt::format("[{}]", fmt::join(items, ", "));
}

bool IsSplat(const Literal& literal) {
  const size_t width = static_cast<size_t>(ByteWidth(literal.type()));
  const auto bytes = literal.bytes();
  for (size_t i = width; i < bytes.size(); ++i) {
    if (bytes[i] != bytes[i - width]) return false;
  }
  return true;
}

}  // namespace

std::string PrintLiteral(const Literal& literal) {
  std::string value;
  int64_t next = 0;
  if (literal.size() == 0) {
    value = "";
  } else if (IsSplat(literal)) {
    value = ElementText(literal, 0);
  } else if (literal.size() <= kMaxListedElements || literal.type() == ElementType::kI1) {
    value = NestedText(literal, 0, next);
  } else {
    value = "\"0x";
    for (const std::byte byte : literal.bytes()) {
      value += fmt::format("{:02X}", static_cast<unsigned>(byte));
    }
    value += '"';
  }
  return fmt::format("dense<{}> : {}", value, literal.shape().ToString());
}

}  // namespace systolith::graph
