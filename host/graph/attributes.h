#ifndef SYSTOLITH_HOST_GRAPH_ATTRIBUTES_H_
#define SYSTOLITH_HOST_GRAPH_ATTRIBUTES_H_

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "host/graph/literal.h"
#include "host/graph/shape.h"

// What an operation carries besides its operands, one struct per kind of operation. Importer and
// builder fill in StableHLO's defaults, so that no reader has to: every list that has an entry per
// dimension has its full length.
namespace systolith::graph {

enum class Precision : uint8_t { kDefault, kHigh, kHighest };

struct ConstantAttributes {
  std::shared_ptr<const Literal> value;  // never null; shared so that copying an Op stays cheap
};

enum class CompareDirection : uint8_t { kEq, kNe, kGe, kGt, kLe, kLt };
struct CompareAttributes {
  CompareDirection direction = CompareDirection::kEq;
  bool total_order = false;  // compare_type TOTALORDER: -NaN < -Inf < ... < -0 < +0 < ... < NaN
};

struct ReducePrecisionAttributes {
  int exponent_bits = 8;
  int mantissa_bits = 23;
};

// The attribute of broadcast_in_dim (result dimension of each operand dimension), transpose
// (permutation), reverse (dimensions to reverse) and map (dimensions).
struct DimensionsAttributes {
  Dims dimensions;
};

// The one dimension of concatenate and iota.
struct DimensionAttributes {
  int64_t dimension = 0;
};

struct SliceAttributes {
  Dims start, limit, stride;
};

struct PadAttributes {
  Dims low, high, interior;  // low and high may be negative
};

struct DynamicSliceAttributes {
  Dims sizes;
};

// How an f32 product is to be computed, as written; precision.h says what that means here.
struct DotAlgorithm {
  std::string lhs_precision_type, rhs_precision_type, accumulation_type;
  int64_t lhs_component_count = 1, rhs_component_count = 1, num_primitive_operations = 1;
  bool allow_imprecise_accumulation = false;
};

struct DotGeneralAttributes {
  Dims lhs_batching, rhs_batching, lhs_contracting, rhs_contracting;
  std::array<Precision, 2> precision = {Precision::kDefault, Precision::kDefault};
  std::optional<DotAlgorithm> algorithm;
};

struct ConvolutionAttributes {
  // Per spatial dimension, in the order of the *_spatial lists.
  Dims window_strides, padding_low, padding_high, lhs_dilation, rhs_dilation;
  std::vector<bool> window_reversal;
  int64_t input_batch = 0, input_feature = 0;
  Dims input_spatial;
  int64_t kernel_input_feature = 0, kernel_output_feature = 0;
  Dims kernel_spatial;
  int64_t output_batch = 0, output_feature = 0;
  Dims output_spatial;
  int64_t feature_group_count = 1, batch_group_count = 1;
  std::array<Precision, 2> precision = {Precision::kDefault, Precision::kDefault};
};

struct ReduceAttributes {
  Dims dimensions;
};

// Per dimension of the operand.
struct ReduceWindowAttributes {
  Dims window_dimensions, window_strides, base_dilations, window_dilations;
  Dims padding_low, padding_high;
};

// select_and_scatter, per dimension of the operand. Region 0 selects, region 1 scatters.
struct SelectAndScatterAttributes {
  Dims window_dimensions, window_strides, padding_low, padding_high;
};

struct GatherAttributes {
  Dims offset_dims, collapsed_slice_dims, operand_batching_dims, start_indices_batching_dims;
  Dims start_index_map, slice_sizes;
  int64_t index_vector_dim = 0;
  bool indices_are_sorted = false;
};

struct ScatterAttributes {
  Dims update_window_dims, inserted_window_dims, input_batching_dims, scatter_indices_batching_dims;
  Dims scatter_dims_to_operand_dims;
  int64_t index_vector_dim = 0;
  bool indices_are_sorted = false, unique_indices = false;
};

struct SortAttributes {
  int64_t dimension = 0;
  bool is_stable = false;
};

// batch_norm_training, batch_norm_inference and batch_norm_grad.
struct BatchNormAttributes {
  float epsilon = 0;
  int64_t feature_index = 0;
};

// kDefault is kPhilox, as on XLA's CPU.
enum class RngAlgorithm : uint8_t { kDefault, kThreeFry, kPhilox };
struct RngBitGeneratorAttributes {
  RngAlgorithm algorithm = RngAlgorithm::kDefault;
};

enum class TransposeA : uint8_t { kNoTranspose, kTranspose, kAdjoint };
struct TriangularSolveAttributes {
  bool left_side = false, lower = false, unit_diagonal = false;
  TransposeA transpose_a = TransposeA::kNoTranspose;
};

struct CholeskyAttributes {
  bool lower = false;
};

struct CallAttributes {
  std::string callee;
};

// A call of a function that spells out what an operation known by name does: "chlo.top_k" with
// {k = 3}. Entries stand in the order of the text.
struct CompositeAttributes {
  using Value = std::variant<bool, int64_t, double, std::string, Dims>;
  std::string name, decomposition;
  int64_t version = 0;
  std::vector<std::pair<std::string, Value>> entries;

  // The integer entry of that name, if there is one.
  std::optional<int64_t> Integer(std::string_view entry) const;
};

// A check (target "check.expect_eq", "check.expect_almost_eq", "check.expect_close" or one of them
// with "_const") compares operand 0, the actual value, with operand 1, the expected one.
struct CustomCallAttributes {
  std::string target;
  bool has_side_effect = false;
  std::string backend_config;
  double tolerance = 1e-3;                               // expect_almost_eq: absolute
  uint64_t min_ulp_difference = 0, max_ulp_difference = 3;  // expect_close
};

using Attributes =
    std::variant<std::monostate, ConstantAttributes, CompareAttributes, ReducePrecisionAttributes,
                 DimensionsAttributes, DimensionAttributes, SliceAttributes, PadAttributes,
                 DynamicSliceAttributes, DotGeneralAttributes, ConvolutionAttributes,
                 ReduceAttributes, ReduceWindowAttributes, SelectAndScatterAttributes,
                 GatherAttributes, ScatterAttributes, SortAttributes, BatchNormAttributes,
                 RngBitGeneratorAttributes, TriangularSolveAttributes, CholeskyAttributes,
                 CallAttributes, CompositeAttributes, CustomCallAttributes>;

}  // namespace systolith::graph

#endif  // SYSTOLITH_HOST_GRAPH_ATTRIBUTES_H_
