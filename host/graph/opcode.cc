#include "host/graph/opcode.h"

#include <array>
#include <unordered_map>

namespace systolith::graph {
namespace {

// In the order of the enumeration.
constexpr std::array<std::string_view, kOpcodeCount> kNames = {
    "abs", "cbrt", "ceil", "cosine", "count_leading_zeros", "exponential",
    "exponential_minus_one", "floor", "is_finite", "log", "log_plus_one", "logistic", "negate",
    "not", "popcnt", "round_nearest_afz", "round_nearest_even", "rsqrt", "sign", "sine", "sqrt",
    "tan", "tanh",
    "erf", "erfc", "erf_inv", "lgamma", "acos", "acosh", "asin", "asinh", "atan", "atanh", "cosh",
    "sinh", "bessel_i1e", "digamma",
    "convert", "reduce_precision",
    "add", "and", "atan2", "divide", "maximum", "minimum", "multiply", "or", "power", "remainder",
    "shift_left", "shift_right_arithmetic", "shift_right_logical", "subtract", "xor",
    "next_after", "polygamma", "zeta",
    "compare", "clamp", "select",
    "bitcast_convert", "broadcast_in_dim", "concatenate", "constant", "dynamic_slice",
    "dynamic_update_slice", "gather", "iota", "pad", "reshape", "reverse", "slice", "transpose",
    "convolution", "dot_general",
    "case", "if", "map", "reduce", "reduce_window", "scatter", "select_and_scatter", "sort",
    "while",
    "batch_norm_grad", "batch_norm_inference", "batch_norm_training", "cholesky",
    "rng_bit_generator", "triangular_solve",
    "call", "composite", "custom_call", "optimization_barrier", "return",
};
static_assert(!kNames.back().empty(), "every opcode has a name");

}  // namespace

std::string_view OpcodeName(Opcode opcode) { return kNames[static_cast<size_t>(opcode)]; }

std::string_view OpcodeDialect(Opcode opcode) {
  if (opcode == Opcode::kCall) return "func";
  const bool is_chlo = (opcode >= Opcode::kErf && opcode <= Opcode::kDigamma) ||
                       (opcode >= Opcode::kNextAfter && opcode <= Opcode::kZeta);
  return is_chlo ? "chlo" : "stablehlo";
}

std::optional<Opcode> OpcodeFromName(std::string_view name) {
  static const auto* const table = [] {
    auto* map = new std::unordered_map<std::string_view, Opcode>;
    for (size_t i = 0; i < kNames.size(); ++i) map->emplace(kNames[i], static_cast<Opcode>(i));
    return map;
  }();
  const auto found = table->find(name);
  if (found == table->end()) return std::nullopt;
  return found->second;
}

bool IsElementwiseUnary(Opcode opcode) { return opcode <= Opcode::kReducePrecision; }
bool IsElementwiseBinary(Opcode opcode) {
  return opcode >= Opcode::kAdd && opcode <= Opcode::kZeta;
}

}  // namespace systolith::graph
