#include "host/import/vhlo/op_table.h"

#include <algorithm>
#include <map>
#include <span>
#include <utility>

namespace systolith::import::vhlo {
namespace {

using Names = std::vector<std::string_view>;

const Names kNone;
const Names kAccuracy = {"result_accuracy"};
const Names kConvolution = {
    "batch_group_count", "feature_group_count", "input_batch_dimension", "input_feature_dimension",
    "input_spatial_dimensions", "kernel_input_feature_dimension",
    "kernel_output_feature_dimension", "kernel_spatial_dimensions", "lhs_dilation",
    "output_batch_dimension", "output_feature_dimension", "output_spatial_dimensions", "padding",
    "precision_config", "rhs_dilation", "window_reversal", "window_strides"};
const Names kDynamicConvolution = [] {
  Names names = kConvolution;
  std::erase(names, "padding");
  return names;
}();
const Names kTransfer = {"channel_id", "channel_type", "is_host_transfer"};
const Names kReduceGroups = {"channel_id", "replica_groups", "use_global_device_ids"};
const Names kBatchNorm = {"epsilon", "feature_index"};
const Names kComposite = {"composite_attributes", "decomposition", "name", "version"};

// In alphabetical order of the attributes, as the properties are. Operations whose latest version
// differs from the first in nothing that is written stand once, under the name without version.
const std::map<std::string_view, Names>& Table() {
  static const auto* const table = new std::map<std::string_view, Names>{
      // Elementwise.
      {"abs", kNone}, {"add", kNone}, {"and", kNone}, {"atan2", kNone}, {"cbrt_v1", kNone},
      {"cbrt_v2", kAccuracy}, {"ceil", kNone}, {"clamp", kNone},
      {"compare", {"compare_type", "comparison_direction"}}, {"complex", kNone},
      {"convert", kNone}, {"cosine_v1", kNone}, {"cosine_v2", kAccuracy},
      {"count_leading_zeros", kNone}, {"divide", kNone}, {"exponential_minus_one_v1", kNone},
      {"exponential_minus_one_v2", kAccuracy}, {"exponential_v1", kNone},
      {"exponential_v2", kAccuracy}, {"floor", kNone}, {"imag", kNone}, {"is_finite", kNone},
      {"log_plus_one_v1", kNone}, {"log_plus_one_v2", kAccuracy}, {"log_v1", kNone},
      {"log_v2", kAccuracy}, {"logistic_v1", kNone}, {"logistic_v2", kAccuracy},
      {"maximum", kNone}, {"minimum", kNone}, {"multiply", kNone}, {"negate", kNone},
      {"not", kNone}, {"or", kNone}, {"popcnt", kNone}, {"power", kNone}, {"real", kNone},
      {"reduce_precision", {"exponent_bits", "mantissa_bits"}}, {"remainder", kNone},
      {"round_nearest_afz", kNone}, {"round_nearest_even", kNone}, {"rsqrt_v1", kNone},
      {"rsqrt_v2", kAccuracy}, {"select", kNone}, {"shift_left", kNone},
      {"shift_right_arithmetic", kNone}, {"shift_right_logical", kNone}, {"sign", kNone},
      {"sine_v1", kNone}, {"sine_v2", kAccuracy}, {"sqrt_v1", kNone}, {"sqrt_v2", kAccuracy},
      {"subtract", kNone}, {"tan_v1", kNone}, {"tan_v2", kAccuracy}, {"tanh_v1", kNone},
      {"tanh_v2", kAccuracy}, {"uniform_dequantize", kNone}, {"uniform_quantize", kNone},
      {"xor", kNone},
      // Data movement.
      {"bitcast_convert", kNone}, {"broadcast", {"broadcast_sizes"}},
      {"broadcast_in_dim", {"broadcast_dimensions"}}, {"concatenate", {"dimension"}},
      {"constant", {"value"}}, {"dynamic_broadcast_in_dim",
                                {"broadcast_dimensions", "known_expanding_dimensions",
                                 "known_nonexpanding_dimensions"}},
      {"dynamic_iota", {"iota_dimension"}}, {"dynamic_pad", kNone}, {"dynamic_reshape", kNone},
      {"dynamic_slice", {"slice_sizes"}}, {"dynamic_update_slice", kNone},
      {"dynamic_gather_v1", {"collapsed_slice_dims", "index_vector_dim", "indices_are_sorted",
                             "offset_dims", "start_index_map"}},
      {"dynamic_gather_v2", {"collapsed_slice_dims", "index_vector_dim", "indices_are_sorted",
                             "offset_dims", "operand_batching_dims", "start_index_map",
                             "start_indices_batching_dims"}},
      {"gather_v1", {"collapsed_slice_dims", "index_vector_dim", "indices_are_sorted",
                     "offset_dims", "slice_sizes", "start_index_map"}},
      {"gather_v2", {"collapsed_slice_dims", "index_vector_dim", "indices_are_sorted",
                     "offset_dims", "operand_batching_dims", "slice_sizes", "start_index_map",
                     "start_indices_batching_dims"}},
      {"get_dimension_size", {"dimension"}}, {"iota", {"iota_dimension"}},
      {"pad", {"edge_padding_high", "edge_padding_low", "interior_padding"}},
      {"real_dynamic_slice", kNone}, {"reshape", kNone}, {"reverse", {"dimensions"}},
      {"scatter_v1", {"index_vector_dim", "indices_are_sorted", "inserted_window_dims",
                      "scatter_dims_to_operand_dims", "unique_indices", "update_window_dims"}},
      {"scatter_v2", {"index_vector_dim", "indices_are_sorted", "input_batching_dims",
                      "inserted_window_dims", "scatter_dims_to_operand_dims",
                      "scatter_indices_batching_dims", "unique_indices", "update_window_dims"}},
      {"set_dimension_size", {"dimension"}},
      {"slice", {"limit_indices", "start_indices", "strides"}},
      {"torch_index_select", {"batch_dims", "dim"}}, {"transpose", {"permutation"}},
      // Contractions and linear systems.
      {"cholesky", {"lower"}}, {"convolution", kConvolution}, {"dot", {"precision_config"}},
      {"dot_general_v1", {"lhs_batching_dimensions", "lhs_contracting_dimensions",
                          "precision_config", "rhs_batching_dimensions",
                          "rhs_contracting_dimensions"}},
      {"dot_general_v2", {"accumulation_type", "allow_imprecise_accumulation",
                          "lhs_batching_dimensions", "lhs_component_count",
                          "lhs_contracting_dimensions", "lhs_precision_type",
                          "num_primitive_operations", "precision_config",
                          "rhs_batching_dimensions", "rhs_component_count",
                          "rhs_contracting_dimensions", "rhs_precision_type"}},
      {"dynamic_conv_v1", kConvolution}, {"dynamic_conv_v2", kDynamicConvolution},
      {"einsum", {"einsum_config"}}, {"fft", {"fft_length", "fft_type"}},
      {"triangular_solve", {"left_side", "lower", "transpose_a", "unit_diagonal"}},
      {"unary_einsum", {"einsum_config"}},
      // Regions.
      {"case", kNone}, {"if", kNone}, {"map", {"dimensions"}}, {"reduce", {"dimensions"}},
      {"reduce_window", {"base_dilations", "padding", "window_dilations", "window_dimensions",
                         "window_strides"}},
      {"select_and_scatter", {"padding", "window_dimensions", "window_strides"}},
      {"sort", {"dimension", "is_stable"}}, {"while", kNone},
      // Several chips, tokens.
      {"after_all", kNone}, {"all_gather", {"all_gather_dim", "channel_id", "replica_groups",
                                            "use_global_device_ids"}},
      {"all_reduce", kReduceGroups},
      {"all_to_all", {"channel_id", "concat_dimension", "replica_groups", "split_count",
                      "split_dimension"}},
      {"async_done", kNone}, {"async_start", kNone},
      {"collective_broadcast", {"channel_id", "replica_groups"}},
      {"collective_permute", {"channel_id", "source_target_pairs"}}, {"create_token", kNone},
      {"cross-replica-sum", {"replica_groups"}}, {"infeed", {"infeed_config", "layout"}},
      {"outfeed", {"outfeed_config"}}, {"partition_id", kNone}, {"recv_v1", kTransfer},
      {"recv_v2", {"channel_id", "channel_type", "is_host_transfer", "source_target_pairs"}},
      {"reduce_scatter", {"channel_id", "replica_groups", "scatter_dimension",
                          "use_global_device_ids"}},
      {"replica_id", kNone}, {"send_v1", kTransfer},
      {"send_v2", {"channel_id", "channel_type", "is_host_transfer", "source_target_pairs"}},
      // The rest.
      {"batch_norm_grad", kBatchNorm}, {"batch_norm_inference", kBatchNorm},
      {"batch_norm_training", kBatchNorm}, {"call", {"callee"}}, {"composite", kComposite},
      {"custom_call", {"api_version", "backend_config", "call_target_name", "called_computations",
                       "has_side_effect", "operand_layouts", "output_operand_aliases",
                       "result_layouts"}},
      {"func", {"arg_attrs", "function_type", "res_attrs", "sym_name", "sym_visibility"}},
      {"get_tuple_element", {"index"}}, {"optimization_barrier", kNone}, {"return", kNone},
      {"rng", {"rng_distribution"}}, {"rng_bit_generator", {"rng_algorithm"}}, {"tuple", kNone},
  };
  return *table;
}

struct Part {
  std::string_view vhlo, stablehlo;
};

constexpr Part kConvolutionNumbers[] = {
    {"input_batch_dimension", "input_batch"},
    {"input_feature_dimension", "input_feature"},
    {"input_spatial_dimensions", "input_spatial"},
    {"kernel_input_feature_dimension", "kernel_input_feature"},
    {"kernel_output_feature_dimension", "kernel_output_feature"},
    {"kernel_spatial_dimensions", "kernel_spatial"},
    {"output_batch_dimension", "output_batch"},
    {"output_feature_dimension", "output_feature"},
    {"output_spatial_dimensions", "output_spatial"},
};
constexpr Part kDotNumbers[] = {
    {"lhs_batching_dimensions", ""}, {"lhs_contracting_dimensions", ""},
    {"rhs_batching_dimensions", ""}, {"rhs_contracting_dimensions", ""}};
constexpr Part kDotAlgorithm[] = {
    {"accumulation_type", ""},  {"allow_imprecise_accumulation", ""}, {"lhs_component_count", ""},
    {"lhs_precision_type", ""}, {"num_primitive_operations", ""},     {"rhs_component_count", ""},
    {"rhs_precision_type", ""}};
constexpr Part kGatherNumbers[] = {
    {"collapsed_slice_dims", ""}, {"index_vector_dim", ""}, {"offset_dims", ""},
    {"operand_batching_dims", ""}, {"start_index_map", ""}, {"start_indices_batching_dims", ""}};
constexpr Part kScatterNumbers[] = {
    {"index_vector_dim", ""}, {"input_batching_dims", ""}, {"inserted_window_dims", ""},
    {"scatter_dims_to_operand_dims", ""}, {"scatter_indices_batching_dims", ""},
    {"update_window_dims", ""}};

// Moves the entries that `parts` names into one entry `whole`, if there are any.
void Gather(Attribute& dict, std::string_view whole, std::span<const Part> parts) {
  Attribute gathered;
  gathered.kind = Attribute::Kind::kDict;
  gathered.offset = dict.offset;
  std::vector<Attribute::Entry> rest;
  for (Attribute::Entry& entry : dict.entries) {
    const auto part = std::find_if(parts.begin(), parts.end(),
                                   [&](const Part& each) { return each.vhlo == entry.first; });
    if (part == parts.end()) {
      rest.push_back(std::move(entry));
      continue;
    }
    if (!part->stablehlo.empty()) entry.first = part->stablehlo;
    gathered.entries.push_back(std::move(entry));
  }
  if (!gathered.entries.empty()) rest.emplace_back(whole, std::move(gathered));
  dict.entries = std::move(rest);
}

}  // namespace

const std::vector<std::string_view>* AttributeNames(std::string_view op) {
  auto found = Table().find(op);
  if (found == Table().end()) found = Table().find(WithoutVersion(op));
  return found != Table().end() ? &found->second : nullptr;
}

std::string_view WithoutVersion(std::string_view op) {
  const size_t version = op.rfind("_v");
  return version == std::string_view::npos ? op : op.substr(0, version);
}

void GatherParts(std::string_view op, Attribute& dict) {
  if (op == "convolution" || op == "dynamic_conv") {
    Gather(dict, "dimension_numbers", kConvolutionNumbers);
  } else if (op == "dot_general") {
    Gather(dict, "dot_dimension_numbers", kDotNumbers);
    Gather(dict, "algorithm", kDotAlgorithm);
  } else if (op == "gather" || op == "dynamic_gather") {
    Gather(dict, "dimension_numbers", kGatherNumbers);
  } else if (op == "scatter") {
    Gather(dict, "scatter_dimension_numbers", kScatterNumbers);
  }
}

}  // namespace systolith::import::vhlo
