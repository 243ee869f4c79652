#ifndef SYSTOLITH_HOST_COMPILER_EXPAND_TEST_PROGRAMS_H_
#define SYSTOLITH_HOST_COMPILER_EXPAND_TEST_PROGRAMS_H_

#include <fmt/format.h>

#include <string>
#include <vector>

// Programs of one operation that is expanded, for tests of the graph and of the chip.
namespace systolith::compiler {

inline const std::vector<std::string> kTypes = {"f32", "bf16", "f16",  "i32",  "i16",
                                         "i8",  "ui32", "ui16", "ui8"};

inline std::string Function(const std::vector<std::string>& arguments, const std::string& results,
                     const std::string& body) {
  std::string text = "func.func @main(";
  for (size_t i = 0; i < arguments.size(); ++i) {
    text += fmt::format("{}%arg{}: tensor<{}>", i > 0 ? ", " : "", i, arguments[i]);
  }
  return text + ") -> (" + results + ") {\n" + body + "}\n";
}

// The greatest element and where it first stands, as jax writes it.
inline std::string ArgMaximum(const std::string& dims, const std::string& type,
                              const std::string& dim, const std::string& result) {
  return Function({dims + "x" + type, dims + "xi32"},
                  fmt::format("tensor<{0}{1}>, tensor<{0}i32>", result, type),
                  fmt::format(R"(
  %v = stablehlo.constant dense<0> : tensor<{1}>
  %i = stablehlo.constant dense<0> : tensor<i32>
  %0:2 = "stablehlo.reduce"(%arg0, %arg1, %v, %i) ({{
    ^bb0(%a: tensor<{1}>, %b: tensor<i32>, %c: tensor<{1}>, %d: tensor<i32>):
      %1 = stablehlo.compare GT, %a, %c : (tensor<{1}>, tensor<{1}>) -> tensor<i1>
      %2 = stablehlo.compare NE, %a, %a : (tensor<{1}>, tensor<{1}>) -> tensor<i1>
      %3 = stablehlo.or %1, %2 : tensor<i1>
      %4 = stablehlo.compare EQ, %a, %c : (tensor<{1}>, tensor<{1}>) -> tensor<i1>
      %5 = stablehlo.compare LT, %b, %d : (tensor<i32>, tensor<i32>) -> tensor<i1>
      %6 = stablehlo.and %4, %5 : tensor<i1>
      %7 = stablehlo.or %3, %6 : tensor<i1>
      %8 = stablehlo.select %3, %a, %c : tensor<i1>, tensor<{1}>
      %9 = stablehlo.select %7, %b, %d : tensor<i1>, tensor<i32>
      stablehlo.return %8, %9 : tensor<{1}>, tensor<i32>
  }}) {{dimensions = array<i64: {2}>}} : (tensor<{0}x{1}>, tensor<{0}xi32>, tensor<{1}>,
      tensor<i32>) -> (tensor<{3}{1}>, tensor<{3}i32>)
  return %0#0, %0#1 : tensor<{3}{1}>, tensor<{3}i32>
)", dims, type, dim, result));
}

inline std::string WithDecimals(std::string text, const std::string& type) {
  if (type[0] != 'f' && type[0] != 'b') return text;
  for (size_t at = 0; (at = text.find("dense<", at)) != std::string::npos; at += 6) {
    if (text[at + 6] != '[') text.insert(text.find('>', at), ".0");
  }
  return text;
}

struct WindowCase {
  std::string dims, result, attributes;
};

inline std::string ReduceWindow(const WindowCase& c, const std::string& type,
                                const std::string& body, const std::string& init) {
  return WithDecimals(Function({c.dims + "x" + type}, fmt::format("tensor<{}x{}>", c.result, type),
                               fmt::format(R"(
  %init = stablehlo.constant dense<{4}> : tensor<{1}>
  %0 = "stablehlo.reduce_window"(%arg0, %init) ({{
    ^bb0(%a: tensor<{1}>, %b: tensor<{1}>):
      %1 = stablehlo.{3} %a, %b : tensor<{1}>
      stablehlo.return %1 : tensor<{1}>
  }}) {{{2}}} : (tensor<{0}x{1}>, tensor<{1}>) -> tensor<{5}x{1}>
  return %0 : tensor<{5}x{1}>
)", c.dims, type, c.attributes, body, init, c.result)), type);
}

inline const std::vector<WindowCase> kWindows = {
    {"7x9", "6x8", "window_dimensions = array<i64: 2, 2>"},
    {"9x9", "4x3",
     "window_dimensions = array<i64: 6, 5>, window_strides = array<i64: 1, 2>"},
    {"7x9", "3x4", "window_dimensions = array<i64: 3, 2>, window_strides = array<i64: 2, 2>"},
    {"1x8x9x3", "1x4x5x3",
     "window_dimensions = array<i64: 1, 3, 3, 1>, window_strides = array<i64: 1, 2, 2, 1>, "
     "padding = dense<[[0, 0], [1, 0], [1, 1], [0, 0]]> : tensor<4x2xi64>"},
    {"5x6", "7x3",
     "window_dimensions = array<i64: 3, 2>, base_dilations = array<i64: 2, 1>, "
     "window_dilations = array<i64: 1, 3>"},
    {"9x5", "5x5",
     "window_dimensions = array<i64: 3, 1>, padding = dense<[[-1, -1], [0, 0]]> : tensor<2x2xi64>"},
    {"8x9", "8x9",
     "window_dimensions = array<i64: 8, 1>, padding = dense<[[7, 0], [0, 0]]> : tensor<2x2xi64>"},
    {"2x100", "2x100",
     "window_dimensions = array<i64: 1, 100>, "
     "padding = dense<[[0, 0], [0, 99]]> : tensor<2x2xi64>"},
    {"120", "29", "window_dimensions = array<i64: 37>, window_strides = array<i64: 2>, "
                  "window_dilations = array<i64: 2>, base_dilations = array<i64: 1>, "
                  "padding = dense<[[5, 5]]> : tensor<1x2xi64>"},
    {"3x8x8", "3x1x1", "window_dimensions = array<i64: 1, 8, 8>"},
    {"50x3", "4x3",
     "window_dimensions = array<i64: 11, 1>, window_strides = array<i64: 13, 1>"},
    {"4x3", "0x3", "window_dimensions = array<i64: 5, 1>"},
};

inline std::string SelectAndScatter(const std::string& operand, const std::string& source,
                             const std::string& type, const std::string& attributes,
                             const std::string& direction, const std::string& body) {
  return WithDecimals(Function({operand + "x" + type, source + "x" + type},
                               fmt::format("tensor<{}x{}>", operand, type),
                               fmt::format(R"(
  %init = stablehlo.constant dense<3> : tensor<{2}>
  %0 = "stablehlo.select_and_scatter"(%arg0, %arg1, %init) ({{
    ^bb0(%a: tensor<{2}>, %b: tensor<{2}>):
      %1 = stablehlo.compare {4}, %a, %b : (tensor<{2}>, tensor<{2}>) -> tensor<i1>
      stablehlo.return %1 : tensor<i1>
  }}, {{
    ^bb0(%a: tensor<{2}>, %b: tensor<{2}>):
      %1 = stablehlo.{5} %a, %b : tensor<{2}>
      stablehlo.return %1 : tensor<{2}>
  }}) {{{3}}} : (tensor<{0}x{2}>, tensor<{1}x{2}>, tensor<{2}>) -> tensor<{0}x{2}>
  return %0 : tensor<{0}x{2}>
)", operand, source, type, attributes, direction, body)), type);
}

inline std::string Sort(const std::string& dims, const std::string& type, int dimension,
                 const std::string& direction, bool is_stable = true) {
  return Function({dims + "x" + type}, fmt::format("tensor<{}x{}>", dims, type), fmt::format(R"(
  %0 = "stablehlo.sort"(%arg0) ({{
    ^bb0(%a: tensor<{1}>, %b: tensor<{1}>):
      %1 = stablehlo.compare {3}, %a, %b : (tensor<{1}>, tensor<{1}>) -> tensor<i1>
      stablehlo.return %1 : tensor<i1>
  }}) {{dimension = {2} : i64, is_stable = {4}}} : (tensor<{0}x{1}>) -> tensor<{0}x{1}>
  return %0 : tensor<{0}x{1}>
)", dims, type, dimension, direction, is_stable));
}

// Diagonally dominant matrices: adding to the diagonal is part of the program.
inline std::string Solve(const std::string& a, const std::string& b, const std::string& dims,
                         int rank, const std::string& attributes) {
  return Function({a, b}, fmt::format("tensor<{}>", b), fmt::format(R"(
  %i = stablehlo.iota dim = {3} : tensor<{2}xi32>
  %j = stablehlo.iota dim = {4} : tensor<{2}xi32>
  %d = stablehlo.compare EQ, %i, %j : (tensor<{2}xi32>, tensor<{2}xi32>) -> tensor<{2}xi1>
  %big = stablehlo.constant dense<64.0> : tensor<{0}>
  %m = stablehlo.select %d, %big, %arg0 : tensor<{2}xi1>, tensor<{0}>
  %0 = "stablehlo.triangular_solve"(%m, %arg1) <{{{5}}}> : (tensor<{0}>, tensor<{1}>) -> tensor<{1}>
  return %0 : tensor<{1}>
)", a, b, dims, rank - 2, rank - 1, attributes));
}

inline std::string Dot(const std::string& lhs, const std::string& rhs, const std::string& result,
                const std::string& numbers) {
  return Function({lhs, rhs}, fmt::format("tensor<{}>", result), fmt::format(R"(
  %0 = stablehlo.dot_general %arg0, %arg1, {3} : (tensor<{0}>, tensor<{1}>) -> tensor<{2}>
  return %0 : tensor<{2}>
)", lhs, rhs, result, numbers));
}

struct ConvolutionCase {
  std::string lhs, rhs, result, attributes;
};

inline const std::vector<ConvolutionCase> kConvolutions = {
    // Batch groups.
    {"6x7x5x3", "3x2x3x4", "3x5x4x4",
     "dimension_numbers = #stablehlo.conv<[b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f]>, "
     "batch_group_count = 2 : i64, feature_group_count = 1 : i64"},
    {"3x4x7", "8x3x2", "2x6x8",
     "dimension_numbers = #stablehlo.conv<[f, b, 0]x[o, i, 0]->[b, 0, f]>, "
     "batch_group_count = 2 : i64, feature_group_count = 1 : i64"},
    // No spatial dimensions.
    {"5x3", "3x4", "4x5",
     "dimension_numbers = #stablehlo.conv<[b, f]x[i, o]->[f, b]>, "
     "batch_group_count = 1 : i64, feature_group_count = 1 : i64"},
    // Three and four of them.
    {"2x5x6x7x4", "3x2x3x2x6", "2x6x2x7x6",
     "dimension_numbers = #stablehlo.conv<[b, 0, 1, 2, f]x[0, 1, 2, i, o]->[b, 0, 1, 2, f]>, "
     "batch_group_count = 1 : i64, feature_group_count = 2 : i64, "
     "window_strides = array<i64: 1, 2, 1>, padding = dense<[[1, 2], [0, 0], [1, 1]]> : "
     "tensor<3x2xi64>, rhs_dilation = array<i64: 1, 3, 1>, window_reversal = array<i1: true, "
     "true, false>"},
    {"4x6x5x7x2", "5x2x2x4x3", "4x4x5x2x9",
     "dimension_numbers = #stablehlo.conv<[f, 0, 1, 2, b]x[o, 0, 1, i, 2]->[1, 0, f, b, 2]>, "
     "batch_group_count = 1 : i64, feature_group_count = 1 : i64, "
     "lhs_dilation = array<i64: 1, 1, 2>, padding = dense<[[0, -1], [0, 0], [-2, 0]]> : "
     "tensor<3x2xi64>"},
    {"1x2x3x4x3x2", "2x2x2x2x2x3", "1x1x2x3x2x3",
     "dimension_numbers = #stablehlo.conv<[b, 0, 1, 2, 3, f]x[0, 1, 2, 3, i, o]->"
     "[b, 0, 1, 2, 3, f]>, batch_group_count = 1 : i64, feature_group_count = 1 : i64"},
    // Negative padding, with and without gaps, and beyond the last element.
    {"1x4x1x2", "2x1x2x3", "1x10x2x3",
     "dimension_numbers = #stablehlo.conv<[b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f]>, "
     "batch_group_count = 1 : i64, feature_group_count = 1 : i64, "
     "padding = dense<[[2, 3], [2, -1]]> : tensor<2x2xi64>, lhs_dilation = array<i64: 2, 2>, "
     "rhs_dilation = array<i64: 2, 2>"},
    {"1x9x8x2", "3x3x2x3", "1x6x11x3",
     "dimension_numbers = #stablehlo.conv<[b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f]>, "
     "batch_group_count = 1 : i64, feature_group_count = 1 : i64, "
     "padding = dense<[[-2, 1], [-3, 1]]> : tensor<2x2xi64>, lhs_dilation = array<i64: 1, 2>"},
    // Negative padding that leaves nothing but gaps and padding.
    {"2x1x3", "1x1x3", "2x1x3",
     "dimension_numbers = #stablehlo.conv<[b, 0, f]x[0, i, o]->[b, 0, f]>, "
     "batch_group_count = 1 : i64, feature_group_count = 3 : i64, "
     "padding = dense<[[-1, 1]]> : tensor<1x2xi64>, lhs_dilation = array<i64: 2>"},
    {"2x2x3x2", "2x1x2x3", "2x2x1x3",
     "dimension_numbers = #stablehlo.conv<[b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f]>, "
     "batch_group_count = 1 : i64, feature_group_count = 1 : i64, "
     "padding = dense<[[-4, 3], [-1, -1]]> : tensor<2x2xi64>, lhs_dilation = array<i64: 3, 1>"},
};

inline std::string Convolution(const ConvolutionCase& c, const std::string& type) {
  return Function({c.lhs + "x" + type, c.rhs + "x" + type},
                  fmt::format("tensor<{}x{}>", c.result, type), fmt::format(R"(
  %0 = "stablehlo.convolution"(%arg0, %arg1) {{{3}}} : (tensor<{0}x{4}>, tensor<{1}x{4}>)
      -> tensor<{2}x{4}>
  return %0 : tensor<{2}x{4}>
)", c.lhs, c.rhs, c.result, c.attributes, type));
}

struct ScatterCase {
  std::string dims, indices, updates, attributes;
};

// Windows that reach over the edges, in any place of the updates; places of single elements; the
// index vector anywhere; batches; scalars and nothing at all.
inline const std::vector<ScatterCase> kScatters = {
    {"7x6", "5x2", "5x3x2",
     "update_window_dims = [1, 2], scatter_dims_to_operand_dims = [0, 1], index_vector_dim = 1"},
    {"7x6", "2x4x3", "2x4x3x5",
     "update_window_dims = [0, 3], scatter_dims_to_operand_dims = [1, 0], index_vector_dim = 0"},
    {"5x4x3", "6x1", "4x6x3",
     "update_window_dims = [0, 2], inserted_window_dims = [0], "
     "scatter_dims_to_operand_dims = [0], index_vector_dim = 1"},
    {"5x4x3", "6", "6x2x3",
     "update_window_dims = [1, 2], inserted_window_dims = [0], "
     "scatter_dims_to_operand_dims = [1], index_vector_dim = 1"},
    {"9", "3x5", "3x5",
     "inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 2"},
    {"9", "1", "4",
     "update_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 0"},
    {"2x5x3x6", "3x4x2x2", "3x4x2x2x3",
     "update_window_dims = [3, 4], input_batching_dims = [0, 2], "
     "scatter_indices_batching_dims = [3, 0], scatter_dims_to_operand_dims = [3, 1], "
     "index_vector_dim = 2"},
    {"3x4", "5x0", "5x2x4",
     "update_window_dims = [1, 2], index_vector_dim = 1"},
    {"", "4x0", "4", "index_vector_dim = 1"},
    {"4x3", "0x1", "0x3",
     "update_window_dims = [1], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], "
     "index_vector_dim = 1"},
    {"4x3", "2x1", "2x0",
     "update_window_dims = [1], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], "
     "index_vector_dim = 1"},
    {"0x3", "2x1", "2x0x3",
     "update_window_dims = [1, 2], scatter_dims_to_operand_dims = [0], index_vector_dim = 1"},
    {"3x1x2x2x1x3x2", "4x2", "4x3x1x2x2x1x2x2",
     "update_window_dims = [1, 2, 3, 4, 5, 6, 7], scatter_dims_to_operand_dims = [5, 0], "
     "index_vector_dim = 1"},
};

// A scatter of two operands whose order of updates shows in both.
inline std::string Scatter(const ScatterCase& c, const std::string& type,
                           const std::string& index) {
  const auto tensor = [](const std::string& dims, const std::string& element) {
    return (dims.empty() ? "" : dims + "x") + element;
  };
  const std::string a = tensor(c.dims, type), b = tensor(c.dims, "i32");
  const std::string u = tensor(c.updates, type), v = tensor(c.updates, "i32");
  const std::string i = tensor(c.indices, index);
  return Function({a, b, i, u, v}, fmt::format("tensor<{}>, tensor<{}>", a, b), fmt::format(R"(
  %0:2 = "stablehlo.scatter"(%arg0, %arg1, %arg2, %arg3, %arg4) ({{
    ^bb0(%a: tensor<{6}>, %b: tensor<i32>, %c: tensor<{6}>, %d: tensor<i32>):
      %1 = stablehlo.subtract %c, %a : tensor<{6}>
      %2 = stablehlo.constant dense<3> : tensor<i32>
      %3 = stablehlo.multiply %b, %2 : tensor<i32>
      %4 = stablehlo.add %3, %d : tensor<i32>
      %5 = stablehlo.compare LT, %a, %c : (tensor<{6}>, tensor<{6}>) -> tensor<i1>
      %6 = stablehlo.select %5, %4, %b : tensor<i1>, tensor<i32>
      stablehlo.return %1, %6 : tensor<{6}>, tensor<i32>
  }}) {{scatter_dimension_numbers = #stablehlo.scatter<{5}>}} : (tensor<{0}>, tensor<{1}>,
      tensor<{2}>, tensor<{3}>, tensor<{4}>) -> (tensor<{0}>, tensor<{1}>)
  return %0#0, %0#1 : tensor<{0}>, tensor<{1}>
)", a, b, i, u, v, c.attributes, type));
}

inline std::string BatchNormInference(const std::string& type) {
  const std::string t = "3x5x2x" + type, v = "5x" + type;
  return Function({t, v, v, v, v}, fmt::format("tensor<{}>", t), fmt::format(R"(
  %s = stablehlo.multiply %arg4, %arg4 : tensor<{1}>
  %0 = "stablehlo.batch_norm_inference"(%arg0, %arg1, %arg2, %arg3, %s) {{epsilon = 0.5 : f32,
      feature_index = 1 : i64}} : (tensor<{0}>, tensor<{1}>, tensor<{1}>, tensor<{1}>,
      tensor<{1}>) -> tensor<{0}>
  return %0 : tensor<{0}>
)", t, v));
}

inline std::string BatchNormTraining(const std::string& type) {
  const std::string t = "3x5x2x" + type, v = "5x" + type;
  return Function({t, v, v}, fmt::format("tensor<{0}>, tensor<{1}>, tensor<{1}>", t, v),
                         fmt::format(R"(
  %0:3 = "stablehlo.batch_norm_training"(%arg0, %arg1, %arg2) {{epsilon = 0.5 : f32,
      feature_index = 1 : i64}} : (tensor<{0}>, tensor<{1}>, tensor<{1}>) -> (tensor<{0}>,
      tensor<{1}>, tensor<{1}>)
  return %0#0, %0#1, %0#2 : tensor<{0}>, tensor<{1}>, tensor<{1}>
)", t, v));
}

inline std::string BatchNormGrad(const std::string& type) {
  const std::string t = "3x5x2x" + type, v = "5x" + type;
  return Function({t, v, v, v, t}, fmt::format("tensor<{0}>, tensor<{1}>, tensor<{1}>", t, v),
                         fmt::format(R"(
  %s = stablehlo.multiply %arg3, %arg3 : tensor<{1}>
  %0:3 = "stablehlo.batch_norm_grad"(%arg0, %arg1, %arg2, %s, %arg4) {{epsilon = 0.5 : f32,
      feature_index = 1 : i64}} : (tensor<{0}>, tensor<{1}>, tensor<{1}>, tensor<{1}>,
      tensor<{0}>) -> (tensor<{0}>, tensor<{1}>, tensor<{1}>)
  return %0#0, %0#1, %0#2 : tensor<{0}>, tensor<{1}>, tensor<{1}>
)", t, v));
}

inline std::string RandomBits(const std::string& state, const std::string& result,
                              const std::string& algorithm) {
  return Function({state}, fmt::format("tensor<{}>, tensor<{}>", state, result),
                             fmt::format(R"(
  %0:2 = "stablehlo.rng_bit_generator"(%arg0) {{rng_algorithm = #stablehlo<rng_algorithm {2}>}}
      : (tensor<{0}>) -> (tensor<{0}>, tensor<{1}>)
  return %0#0, %0#1 : tensor<{0}>, tensor<{1}>
)", state, result, algorithm));
}

// Positive definite if the diagonal is large enough.
inline std::string Cholesky(const std::string& n, const std::string& lower, int diagonal) {
  return Function({fmt::format("2x{0}x{0}xf32", n)},
                             fmt::format("tensor<2x{0}x{0}xf32>", n), fmt::format(R"(
  %i = stablehlo.iota dim = 1 : tensor<2x{0}x{0}xi32>
  %j = stablehlo.iota dim = 2 : tensor<2x{0}x{0}xi32>
  %d = stablehlo.compare EQ, %i, %j : (tensor<2x{0}x{0}xi32>, tensor<2x{0}x{0}xi32>)
      -> tensor<2x{0}x{0}xi1>
  %big = stablehlo.constant dense<{2}.0> : tensor<2x{0}x{0}xf32>
  %m = stablehlo.select %d, %big, %arg0 : tensor<2x{0}x{0}xi1>, tensor<2x{0}x{0}xf32>
  %0 = "stablehlo.cholesky"(%m) <{{lower = {1}}}> : (tensor<2x{0}x{0}xf32>) -> tensor<2x{0}x{0}xf32>
  return %0 : tensor<2x{0}x{0}xf32>
)", n, lower, diagonal));
}

}  // namespace systolith::compiler

#endif  // SYSTOLITH_HOST_COMPILER_EXPAND_TEST_PROGRAMS_H_
