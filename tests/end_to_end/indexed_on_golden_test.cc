// Gather and scatter with random dimension numbers: places inside, at the edge and outside, the same ones
// twice, indices of every type.
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gmock/gmock.h>

#include <algorithm>

#include "tests/end_to_end/compiled_program_test.h"

namespace systolith::testing {
namespace {

using graph::Dims;

const std::vector<std::string> kTypes = {"f32", "bf16", "f16", "i32", "ui32",
                                         "i16", "ui16", "i8",  "ui8", "i1"};
const std::vector<std::string> kIndexTypes = {"i32", "ui32", "i16", "ui16", "i8", "ui8"};

std::string Tensor(const Dims& dims, const std::string& type) {
  std::string text = "tensor<";
  for (const int64_t dim : dims) text += fmt::format("{}x", dim);
  return text + type + ">";
}

std::string List(const Dims& dims) { return graph::DimsToString(dims); }

class IndexedOnGoldenTest : public CompiledProgramTest {
 protected:
  int64_t Range(int64_t low, int64_t high) {
    return low + static_cast<int64_t>(rng_() % static_cast<uint64_t>(high - low + 1));
  }
  template <typename T>
  T Pick(const std::vector<T>& choices) {
    return choices[rng_() % choices.size()];
  }
  bool Chance(int64_t one_in) { return Range(1, one_in) == 1; }

  // Which dimensions of an operand are indexed and how, and tensors that go with it.
  struct Numbers {
    Dims operand, indices, other;  // other: updates of a scatter, result of a gather
    Dims windows, dropped, batching, index_batching, map;
    Dims slice_sizes;  // per dimension of the operand
    int64_t index_vector_dim = 0;
  };

  Numbers Random() {
    Numbers n;
    const int64_t rank = Range(1, 4);
    Dims window_sizes;
    Dims batch;  // of the indices
    for (int64_t d = 0; d < rank; ++d) {
      n.operand.push_back(Range(1, Chance(4) ? 40 : 9));
      if (Chance(6)) {
        n.batching.push_back(d);
        n.index_batching.push_back(static_cast<int64_t>(batch.size()));
        batch.push_back(n.operand.back());
        n.slice_sizes.push_back(1);
        continue;
      }
      const bool is_dropped = Chance(2);
      if (is_dropped) {
        n.dropped.push_back(d);
        n.slice_sizes.push_back(1);
      } else {
        n.slice_sizes.push_back(Chance(3) ? Range(1, n.operand.back()) : n.operand.back());
        window_sizes.push_back(n.slice_sizes.back());
      }
      if (is_dropped ? !Chance(8) : Chance(3)) n.map.push_back(d);
    }
    for (int64_t i = Range(0, 2); i > 0; --i) batch.push_back(Range(1, 7));
    std::shuffle(n.map.begin(), n.map.end(), rng_);
    // The vector's dimension stands somewhere between those of the batch.
    n.index_vector_dim = Range(0, static_cast<int64_t>(batch.size()));
    n.indices = batch;
    const bool is_implicit = n.map.size() == 1 && Chance(3) &&
                             n.index_vector_dim == static_cast<int64_t>(batch.size());
    if (!is_implicit) {
      n.indices.insert(n.indices.begin() + n.index_vector_dim,
                       static_cast<int64_t>(n.map.size()));
    }
    for (int64_t& d : n.index_batching) d += d >= n.index_vector_dim ? 1 : 0;
    // Batch and window dimensions in any order, each kind in its own.
    size_t b = 0, w = 0;
    while (b < batch.size() || w < window_sizes.size()) {
      const bool is_window = b == batch.size() || (w < window_sizes.size() && Chance(2));
      if (is_window) n.windows.push_back(static_cast<int64_t>(n.other.size()));
      n.other.push_back(is_window ? window_sizes[w++] : batch[b++]);
    }
    return n;
  }

  // Mostly near the operand, sometimes anything.
  void FillIndices(Literal& indices, const Numbers& n) {
    for (int64_t i = 0; i < indices.size(); ++i) {
      if (!Chance(8)) indices.SetInt(i, Range(-1, Pick(n.operand) + 1));
    }
  }
};

std::string Computation(const std::string& op, const std::string& type) {
  const std::string body =
      op == "set" ? "    stablehlo.return %q : " : "    stablehlo.return %r : ";
  const std::string scalar = "tensor<" + type + ">";
  return fmt::format("{{\n  ^bb0(%p: {0}, %q: {0}):\n{1}{2}{0}\n  }}", scalar,
                     op == "set" ? "" : fmt::format("    %r = stablehlo.{} %q, %p : {}\n", op, scalar),
                     body);
}

TEST_F(IndexedOnGoldenTest, GatherOfAnyForm) {
  for (int trial = 0; trial < 100 && !HasFailure(); ++trial) {
    const Numbers n = Random();
    const std::string type = Pick(kTypes);
    const std::string index = Pick(kIndexTypes);
    const std::string text = fmt::format(
        "func.func @main(%a: {0}, %i: {1}) -> {2} {{\n"
        "  %0 = \"stablehlo.gather\"(%a, %i) <{{dimension_numbers = #stablehlo.gather<offset_dims "
        "= {3}, collapsed_slice_dims = {4}, operand_batching_dims = {5}, "
        "start_indices_batching_dims = {6}, start_index_map = {7}, index_vector_dim = {8}>, "
        "slice_sizes = array<i64: {9}>}}> : ({0}, {1}) -> {2}\n  return %0 : {2}\n}}\n",
        Tensor(n.operand, type), Tensor(n.indices, index), Tensor(n.other, type), List(n.windows),
        List(n.dropped), List(n.batching), List(n.index_batching), List(n.map),
        n.index_vector_dim, fmt::join(n.slice_sizes, ", "));
    std::vector<Literal> arguments = RandomArguments(text);
    FillIndices(arguments[1], n);
    RunOnChip(text, arguments);
  }
}

// Rows of a table, more of them than a tile holds.
TEST_F(IndexedOnGoldenTest, RowsOfATable) {
  const std::string gather = R"(
    func.func @main(%a: tensor<301x72xf32>, %i: tensor<3x41xi32>) -> tensor<3x41x72xf32> {
      %0 = "stablehlo.gather"(%a, %i) <{dimension_numbers = #stablehlo.gather<offset_dims = [2],
          collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 2>,
          slice_sizes = array<i64: 1, 72>}>
          : (tensor<301x72xf32>, tensor<3x41xi32>) -> tensor<3x41x72xf32>
      return %0 : tensor<3x41x72xf32>
    })";
  RunOnChip(gather);
}

TEST_F(IndexedOnGoldenTest, ScatterOfAnyForm) {
  for (int trial = 0; trial < 150 && !HasFailure(); ++trial) {
    const Numbers n = Random();
    const std::string type = Pick(kTypes);
    const std::string index = Pick(kIndexTypes);
    const std::string op = type == "i1"
                               ? Pick<std::string>({"and", "or", "set"})
                               : Pick<std::string>({"add", "multiply", "maximum", "minimum",
                                                    "set", "subtract"});
    const std::string operand = Tensor(n.operand, type);
    const std::string updates = Tensor(n.other, type);
    const std::string text = fmt::format(
        "func.func @main(%a: {0}, %i: {1}, %u: {2}) -> {0} {{\n"
        "  %0 = \"stablehlo.scatter\"(%a, %i, %u) <{{scatter_dimension_numbers = "
        "#stablehlo.scatter<update_window_dims = {3}, inserted_window_dims = {4}, "
        "input_batching_dims = {5}, scatter_indices_batching_dims = {6}, "
        "scatter_dims_to_operand_dims = {7}, index_vector_dim = {8}>}}> ({9}) "
        ": ({0}, {1}, {2}) -> {0}\n  return %0 : {0}\n}}\n",
        operand, Tensor(n.indices, index), updates, List(n.windows), List(n.dropped),
        List(n.batching), List(n.index_batching), List(n.map), n.index_vector_dim,
        Computation(op, type));
    std::vector<Literal> arguments = RandomArguments(text);
    FillIndices(arguments[1], n);
    RunOnChip(text, arguments);
  }
}

}  // namespace
}  // namespace systolith::testing
