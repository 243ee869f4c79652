// Operations that place data: concatenate, pad, slices at run-time places.
#include <fmt/format.h>

#include <algorithm>

#include "tests/end_to_end/compiled_program_test.h"

namespace systolith::testing {
namespace {

class MovementOnGoldenTest : public CompiledProgramTest {
 protected:
  int64_t Range(int64_t low, int64_t high) {
    return low + static_cast<int64_t>(rng_() % static_cast<uint64_t>(high - low + 1));
  }
  template <typename T>
  T Pick(const std::vector<T>& choices) {
    return choices[rng_() % choices.size()];
  }
};

std::string Tensor(const graph::Dims& dims, const std::string& type) {
  std::string text = "tensor<";
  for (const int64_t dim : dims) text += fmt::format("{}x", dim);
  return text + type + ">";
}

const std::vector<std::string> kTypes = {"f32", "bf16", "f16", "i32", "ui32",
                                         "i16", "ui16", "i8",  "ui8", "i1"};

TEST_F(MovementOnGoldenTest, ConcatenateAlongAnyDimension) {
  for (int trial = 0; trial < 30; ++trial) {
    const std::string type = Pick(kTypes);
    const int64_t rank = Range(1, 4);
    const auto dimension = static_cast<size_t>(Range(0, rank - 1));
    graph::Dims dims;
    for (int64_t d = 0; d < rank; ++d) dims.push_back(Range(1, 9));
    graph::Dims sizes;
    std::string arguments, names, types;
    int64_t sum = 0;
    for (int64_t i = 0; i < Range(1, 4); ++i) {
      dims[dimension] = Range(0, 3) == 0 ? 0 : Range(1, 40);
      sum += dims[dimension];
      arguments += fmt::format("{}%a{}: {}", i == 0 ? "" : ", ", i, Tensor(dims, type));
      names += fmt::format("{}%a{}", i == 0 ? "" : ", ", i);
      types += fmt::format("{}{}", i == 0 ? "" : ", ", Tensor(dims, type));
    }
    dims[dimension] = sum;
    if (sum == 0) continue;
    RunOnChip(fmt::format("func.func @main({0}) -> {1} {{\n  %0 = stablehlo.concatenate {2}, dim = "
                          "{3} : ({4}) -> {1}\n  return %0 : {1}\n}}\n",
                          arguments, Tensor(dims, type), names, dimension, types));
  }
}

TEST_F(MovementOnGoldenTest, PadInAllDirections) {
  for (int trial = 0; trial < 40; ++trial) {
    const std::string type = Pick(kTypes);
    graph::Dims from, to, low, high, interior;
    for (int64_t d = 0; d < Range(1, 4); ++d) {
      from.push_back(Range(0, 9) == 0 ? 0 : Range(1, 17));
      interior.push_back(Range(0, 2) == 0 ? Range(1, 3) : 0);
      low.push_back(Range(-3, 6));
      high.push_back(Range(-3, 6));
      to.push_back(low.back() + high.back() +
                   (from.back() == 0 ? 0 : (from.back() - 1) * (interior.back() + 1) + 1));
    }
    if (*std::min_element(to.begin(), to.end()) < 0) continue;
    const bool is_constant = Range(0, 1) == 0;
    const std::string value =
        type == "i1" ? "true" : type == "f32" || type.ends_with("f16") ? "-1.5" : "7";
    const auto list = [](const graph::Dims& dims) { return graph::DimsToString(dims); };
    RunOnChip(fmt::format(
        "func.func @main(%a: {0}, %v: tensor<{1}>) -> {2} {{\n"
        "  %c = stablehlo.constant dense<{3}> : tensor<{1}>\n"
        "  %0 = stablehlo.pad %a, {4}, low = {5}, high = {6}, interior = {7} : ({0}, tensor<{1}>) "
        "-> {2}\n  return %0 : {2}\n}}\n",
        Tensor(from, type), type, Tensor(to, type), value, is_constant ? "%c" : "%v", list(low),
        list(high), list(interior)));
  }
}

const std::vector<std::string> kIndexTypes = {"i32", "ui32", "i16", "ui16", "i8", "ui8"};

TEST_F(MovementOnGoldenTest, SlicesAtRunTimePlaces) {
  for (int trial = 0; trial < 60; ++trial) {
    const std::string type = Pick(kTypes);
    const std::string index = Pick(kIndexTypes);
    const int64_t rank = Range(1, 4);
    graph::Dims dims, sizes;
    std::string parameters, names, index_types;
    for (int64_t d = 0; d < rank; ++d) {
      dims.push_back(Range(1, rank == 1 ? 300 : 13));
      sizes.push_back(Range(0, 12) == 0 ? 0 : Range(1, dims.back()));
      parameters += fmt::format(", %i{}: tensor<{}>", d, index);
      names += fmt::format(", %i{}", d);
      index_types += fmt::format(", tensor<{}>", index);
    }
    const bool reads = Range(0, 1) == 0;
    const std::string whole = Tensor(dims, type);
    const std::string part = Tensor(sizes, type);
    const std::string text =
        reads ? fmt::format("func.func @main(%a: {0}{2}) -> {1} {{\n"
                            "  %0 = stablehlo.dynamic_slice %a{3}, sizes = {5} : ({0}{4}) -> {1}\n"
                            "  return %0 : {1}\n}}\n",
                            whole, part, parameters, names, index_types,
                            graph::DimsToString(sizes))
              : fmt::format("func.func @main(%a: {0}, %b: {1}{2}) -> {0} {{\n"
                            "  %0 = stablehlo.dynamic_update_slice %a, %b{3} : ({0}, {1}{4}) -> {0}\n"
                            "  return %0 : {0}\n}}\n",
                            whole, part, parameters, names, index_types);
    std::vector<Literal> arguments = RandomArguments(text);
    for (size_t d = 0; d < static_cast<size_t>(rank); ++d) {
      Literal& start = arguments[(reads ? 1 : 2) + d];
      if (Range(0, 2) > 0) start.SetInt(0, Range(-2, dims[d] + 2));  // else anything
    }
    RunOnChip(text, arguments);
  }
}

// What computes the operand and the update writes into the result; slices of slices move together.
TEST_F(MovementOnGoldenTest, UpdatesOfWhatHasJustBeenMade) {
  RunOnChip(R"(
    func.func @main(%a: tensor<7x9xf32>, %b: tensor<2x9xf32>, %c: tensor<9x3xf32>, %i: tensor<i32>,
                    %j: tensor<ui8>) -> (tensor<7x9xf32>, tensor<2x3xf32>, tensor<2xf32>) {
      %z = stablehlo.constant dense<0> : tensor<i32>
      %f = stablehlo.constant dense<0.0> : tensor<f32>
      %0 = stablehlo.add %a, %a : tensor<7x9xf32>
      %1 = stablehlo.multiply %b, %b : tensor<2x9xf32>
      %2 = stablehlo.dynamic_update_slice %0, %1, %i, %z
          : (tensor<7x9xf32>, tensor<2x9xf32>, tensor<i32>, tensor<i32>) -> tensor<7x9xf32>
      %k = stablehlo.add %i, %i : tensor<i32>
      %3 = stablehlo.dynamic_update_slice %2, %1, %k, %z
          : (tensor<7x9xf32>, tensor<2x9xf32>, tensor<i32>, tensor<i32>) -> tensor<7x9xf32>
      %4 = stablehlo.dynamic_slice %3, %k, %i, sizes = [4, 9]
          : (tensor<7x9xf32>, tensor<i32>, tensor<i32>) -> tensor<4x9xf32>
      %5 = stablehlo.dynamic_slice %4, %j, %j, sizes = [2, 9]
          : (tensor<4x9xf32>, tensor<ui8>, tensor<ui8>) -> tensor<2x9xf32>
      %6 = stablehlo.dot_general %5, %c, contracting_dims = [1] x [0], precision = [HIGHEST, HIGHEST]
          : (tensor<2x9xf32>, tensor<9x3xf32>) -> tensor<2x3xf32>
      %7 = stablehlo.reduce(%5 init: %f) applies stablehlo.maximum across dimensions = [1]
          : (tensor<2x9xf32>, tensor<f32>) -> tensor<2xf32>
      return %3, %6, %7 : tensor<7x9xf32>, tensor<2x3xf32>, tensor<2xf32>
    })");
}

// Whoever makes the operand writes it where it belongs.
TEST_F(MovementOnGoldenTest, ResultsGoStraightToTheirPlace) {
  const std::string text = R"(
    func.func @main(%a: tensor<9x13xbf16>, %b: tensor<13x21xbf16>, %c: tensor<9x5xbf16>)
        -> tensor<9x33xbf16> {
      %0 = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0]
          : (tensor<9x13xbf16>, tensor<13x21xbf16>) -> tensor<9x21xbf16>
      %1 = stablehlo.add %c, %c : tensor<9x5xbf16>
      %z = stablehlo.constant dense<0.0> : tensor<bf16>
      %2 = stablehlo.reduce(%a init: %z) applies stablehlo.maximum across dimensions = [1]
          : (tensor<9x13xbf16>, tensor<bf16>) -> tensor<9xbf16>
      %3 = stablehlo.reshape %2 : (tensor<9xbf16>) -> tensor<9x1xbf16>
      %4 = stablehlo.pad %1, %z, low = [0, 1], high = [0, 0], interior = [0, 1]
          : (tensor<9x5xbf16>, tensor<bf16>) -> tensor<9x10xbf16>
      %5 = stablehlo.abs %3 : tensor<9x1xbf16>
      %6 = stablehlo.concatenate %0, %5, %4, %3, dim = 1 : (tensor<9x21xbf16>, tensor<9x1xbf16>,
          tensor<9x10xbf16>, tensor<9x1xbf16>) -> tensor<9x33xbf16>
      return %6 : tensor<9x33xbf16>
    })";
  RunOnChip(text);
  const auto copies = [&](const std::string& pass) {
    const std::string plan = Plan(text, pass);
    int count = 0;
    for (size_t at = plan.find("= copy"); at != std::string::npos; at = plan.find("= copy", at + 1)) {
      ++count;
    }
    return count;
  };
  EXPECT_EQ(copies("plan-kernels"), 5);
  EXPECT_EQ(copies("forward-results"), 2);  // of what is padded, and of what has two users
}

}  // namespace
}  // namespace systolith::testing
