// Operations with many attributes against their definitions, spelled out element by element on
// whole numbers: random attributes, 300 programs each.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <functional>
#include <numeric>
#include <random>

#include "host/evaluator/test_util.h"

namespace systolith::evaluator {
namespace {

constexpr int kPrograms = 300;
constexpr uint32_t kSeed = 20260301;

// A tensor of s32 with its elements by index.
struct Array {
  Dims dims;
  std::vector<int32_t> values;

  explicit Array(Dims d, int32_t fill = 0)
      : dims(std::move(d)), values(static_cast<size_t>(graph::Product(dims)), fill) {}

  size_t Offset(const Dims& index) const {
    size_t offset = 0;
    for (size_t d = 0; d < dims.size(); ++d) {
      offset = offset * static_cast<size_t>(dims[d]) + static_cast<size_t>(index[d]);
    }
    return offset;
  }
  int32_t& At(const Dims& index) { return values[Offset(index)]; }
  bool Has(const Dims& index) const {
    for (size_t d = 0; d < dims.size(); ++d) {
      if (index[d] < 0 || index[d] >= dims[d]) return false;
    }
    return true;
  }
  std::string Type() const { return Shape{ElementType::kS32, dims}.ToString(); }
  Literal ToLiteral() const {
    return Literal::Of<int32_t>(Shape{ElementType::kS32, dims}, values);
  }
};

void ForEach(const Dims& dims, const std::function<void(const Dims&)>& visit) {
  Dims index(dims.size(), 0);
  for (int64_t i = 0; i < graph::Product(dims); ++i) {
    visit(index);
    for (size_t d = dims.size(); d-- > 0 && ++index[d] == dims[d];) index[d] = 0;
  }
}

class DefinitionTest : public testing::Test {
 protected:
  int64_t Pick(int64_t low, int64_t high) {
    return std::uniform_int_distribution<int64_t>(low, high)(rng_);
  }
  Dims PickAll(size_t count, int64_t low, int64_t high) {
    Dims list(count);
    for (int64_t& value : list) value = Pick(low, high);
    return list;
  }
  Array Random(Dims dims) {
    Array array(std::move(dims));
    for (int32_t& value : array.values) value = static_cast<int32_t>(Pick(-9, 9));
    return array;
  }
  Dims Shuffled(size_t count) {
    Dims list(count);
    std::iota(list.begin(), list.end(), 0);
    std::shuffle(list.begin(), list.end(), rng_);
    return list;
  }
  static std::string List(const Dims& dims) { return fmt::format("[{}]", fmt::join(dims, ", ")); }
  static std::string Array64(const Dims& dims) {
    return dims.empty() ? "array<i64>" : fmt::format("array<i64: {}>", fmt::join(dims, ", "));
  }
  static std::string Pairs(const Dims& low, const Dims& high) {
    if (low.empty()) return "dense<> : tensor<0x2xi64>";
    std::vector<std::string> pairs;
    for (size_t d = 0; d < low.size(); ++d) pairs.push_back(List({low[d], high[d]}));
    return fmt::format("dense<[{}]> : tensor<{}x2xi64>", fmt::join(pairs, ", "), low.size());
  }

  // `operation` with {} for the operands' names, which have the arrays' types.
  void Expect(const std::string& operation, const std::vector<Array>& operands,
              const Array& expected) {
    std::vector<std::string> types;
    std::vector<Literal> arguments;
    for (const Array& operand : operands) {
      types.push_back(operand.Type());
      arguments.push_back(operand.ToLiteral());
    }
    const std::string text = Program(
        types, expected.Type(),
        fmt::format("{} : ({}) -> {}", operation, fmt::join(types, ", "), expected.Type()));
    const std::vector<Literal> results = RunProgram(text, arguments);
    if (results.size() == 1 && results[0] == expected.ToLiteral()) return;
    ADD_FAILURE() << "another result; seed " << kSeed << "\n" << text;
  }

  std::mt19937 rng_{kSeed};
};

TEST_F(DefinitionTest, PadWithNegativeEdgesAndGaps) {
  for (int program = 0; program < kPrograms && !HasFailure(); ++program) {
    const size_t rank = static_cast<size_t>(Pick(0, 3));
    Array x = Random(PickAll(rank, 0, 4)), fill = Random({});
    const Dims low = PickAll(rank, -2, 3), high = PickAll(rank, -2, 3), gaps = PickAll(rank, 0, 2);
    Dims dims;
    for (size_t d = 0; d < rank; ++d) {
      dims.push_back(low[d] + high[d] + x.dims[d] + std::max<int64_t>(x.dims[d] - 1, 0) * gaps[d]);
    }
    if (std::any_of(dims.begin(), dims.end(), [](int64_t size) { return size < 0; })) continue;
    Array y(dims, fill.values[0]);
    ForEach(x.dims, [&](const Dims& index) {
      Dims to = index;
      for (size_t d = 0; d < rank; ++d) to[d] = low[d] + index[d] * (gaps[d] + 1);
      if (y.Has(to)) y.At(to) = x.At(index);
    });
    Expect(fmt::format("stablehlo.pad %arg0, %arg1, low = {}, high = {}, interior = {}", List(low),
                       List(high), List(gaps)),
           {x, fill}, y);
  }
}

// The dilated and padded tensor; `fill` in gaps and at the edges.
Array Spread(Array x, const Dims& low, const Dims& high, const Dims& dilation, int32_t fill) {
  Dims dims = x.dims;
  for (size_t d = 0; d < dims.size(); ++d) {
    dims[d] = (dims[d] == 0 ? 0 : (dims[d] - 1) * dilation[d] + 1) + low[d] + high[d];
    dims[d] = std::max<int64_t>(dims[d], 0);
  }
  Array y(dims, fill);
  ForEach(x.dims, [&](const Dims& index) {
    Dims to = index;
    for (size_t d = 0; d < dims.size(); ++d) to[d] = low[d] + index[d] * dilation[d];
    if (y.Has(to)) y.At(to) = x.At(index);
  });
  return y;
}

int64_t Positions(int64_t size, int64_t taps, int64_t dilation, int64_t stride) {
  const int64_t extent = (taps - 1) * dilation + 1;
  return size < extent ? 0 : (size - extent) / stride + 1;
}

// 3 * a + b shows the order and every element that is padding.
TEST_F(DefinitionTest, ReduceWindowFoldsPaddingToo) {
  for (int program = 0; program < kPrograms && !HasFailure(); ++program) {
    const size_t rank = static_cast<size_t>(Pick(0, 3));
    const Array x = Random(PickAll(rank, 0, 5));
    Array init = Random({});
    const Dims size = PickAll(rank, 1, 3), stride = PickAll(rank, 1, 3);
    const Dims base = PickAll(rank, 1, 2), dilation = PickAll(rank, 1, 2);
    const Dims low = PickAll(rank, -1, 2), high = PickAll(rank, -1, 2);
    const bool adds = Pick(0, 1) == 1;
    if (adds) init.values[0] = static_cast<int32_t>(Pick(0, 1));
    Array padded = Spread(x, low, high, base, init.values[0]);
    Dims dims;
    for (size_t d = 0; d < rank; ++d) {
      dims.push_back(Positions(padded.dims[d], size[d], dilation[d], stride[d]));
    }
    Array y(dims);
    ForEach(dims, [&](const Dims& position) {
      int32_t sum = init.values[0];
      ForEach(size, [&](const Dims& tap) {
        Dims at = position;
        for (size_t d = 0; d < rank; ++d) at[d] = position[d] * stride[d] + tap[d] * dilation[d];
        sum = sum * (adds ? 1 : 3) + padded.At(at);
      });
      y.At(position) = sum;
    });
    Expect(fmt::format(
               "\"stablehlo.reduce_window\"(%arg0, %arg1) ({{\n"
               "  ^bb0(%a: tensor<i32>, %b: tensor<i32>):\n"
               "    %c = stablehlo.constant dense<{}> : tensor<i32>\n"
               "    %d = stablehlo.multiply %a, %c : tensor<i32>\n"
               "    %e = stablehlo.add %{}, %b : tensor<i32>\n"
               "    stablehlo.return %e : tensor<i32>\n  }}) {{window_dimensions = {}, "
               "window_strides = {}, base_dilations = {}, window_dilations = {}, padding = {}}}",
               adds ? 1 : 3, adds ? "a" : "d", Array64(size), Array64(stride), Array64(base),
               Array64(dilation), Pairs(low, high)),
           {x, init}, y);
  }
}

TEST_F(DefinitionTest, ConvolutionsOfEveryForm) {
  for (int program = 0; program < kPrograms && !HasFailure(); ++program) {
    const size_t spatial = static_cast<size_t>(Pick(0, 3)), rank = spatial + 2;
    const int64_t groups = Pick(1, 3);
    const bool by_batch = Pick(0, 1) == 1;
    const int64_t batch = Pick(0, 2) * (by_batch ? groups : 1), in = Pick(1, 2);
    const int64_t out = groups * Pick(1, 2);
    const Dims size = PickAll(spatial, 1, 4), taps = PickAll(spatial, 1, 3);
    const Dims stride = PickAll(spatial, 1, 3), base = PickAll(spatial, 1, 2);
    const Dims dilation = PickAll(spatial, 1, 2), reverse = PickAll(spatial, 0, 1);
    const Dims low = PickAll(spatial, -1, 2), high = PickAll(spatial, -1, 2);
    const Dims lhs = Shuffled(rank), rhs = Shuffled(rank), result = Shuffled(rank);
    // The canonical orders are batch, feature, spatial and input, output, spatial.
    const auto permuted = [](const Dims& canonical, const Dims& order) {
      Dims dims(canonical.size());
      for (size_t d = 0; d < order.size(); ++d) {
        dims[static_cast<size_t>(order[d])] = canonical[d];
      }
      return dims;
    };
    const auto with = [](int64_t a, int64_t b, const Dims& rest) {
      Dims dims = {a, b};
      dims.insert(dims.end(), rest.begin(), rest.end());
      return dims;
    };
    const int64_t features = in * (by_batch ? 1 : groups);
    const Array x = Random(permuted(with(batch, features, size), lhs));
    Array w = Random(permuted(with(in, out, taps), rhs));
    // Padding and dilation of the spatial dimensions, none of the others.
    Array image = Spread(x, permuted(with(0, 0, low), lhs), permuted(with(0, 0, high), lhs),
                         permuted(with(1, 1, base), lhs), 0);
    Dims places;
    for (size_t d = 0; d < spatial; ++d) {
      places.push_back(Positions(image.dims[static_cast<size_t>(lhs[d + 2])], taps[d], dilation[d],
                                 stride[d]));
    }
    const int64_t images = by_batch ? batch / groups : batch;
    Array y(permuted(with(images, out, places), result));
    ForEach(with(images, out, places), [&](const Dims& at) {
      const int64_t group = at[1] / (out / groups);
      int32_t sum = 0;
      ForEach(with(in, 1, taps), [&](const Dims& k) {
        Dims from = with(by_batch ? group * images + at[0] : at[0],
                         by_batch ? k[0] : group * in + k[0], Dims(spatial, 0));
        Dims tap = k;
        tap[1] = at[1];
        for (size_t d = 0; d < spatial; ++d) {
          from[d + 2] = at[d + 2] * stride[d] + k[d + 2] * dilation[d];
          if (reverse[d] != 0) tap[d + 2] = taps[d] - 1 - k[d + 2];
        }
        sum += image.At(permuted(from, lhs)) * w.At(permuted(tap, rhs));
      });
      y.At(permuted(at, result)) = sum;
    });
    const auto roles = [&](const Dims& order, char first, char second) {
      std::vector<std::string> names(rank);
      for (size_t d = 0; d < rank; ++d) {
        names[static_cast<size_t>(order[d])] =
            d == 0 ? std::string(1, first) : d == 1 ? std::string(1, second)
                                                    : std::to_string(d - 2);
      }
      return fmt::format("[{}]", fmt::join(names, ", "));
    };
    std::vector<std::string> padding, reversal;
    for (size_t d = 0; d < spatial; ++d) {
      padding.push_back(List({low[d], high[d]}));
      reversal.push_back(reverse[d] != 0 ? "true" : "false");
    }
    Expect(fmt::format("stablehlo.convolution(%arg0, %arg1) dim_numbers = {}x{}->{}, window = "
                       "{{stride = {}, pad = [{}], lhs_dilate = {}, rhs_dilate = {}, reverse = "
                       "[{}]}} {{batch_group_count = {} : i64, feature_group_count = {} : i64}}",
                       roles(lhs, 'b', 'f'), roles(rhs, 'i', 'o'), roles(result, 'b', 'f'),
                       List(stride), fmt::join(padding, ", "), List(base), List(dilation),
                       fmt::join(reversal, ", "), by_batch ? groups : 1, by_batch ? 1 : groups),
           {x, w}, y);
  }
}

// What gather and scatter share: an operand whose dimensions are batching ones, ones that a window
// leaves out, and the window's; and a tensor of indices.
struct Indexing {
  Dims operand, window;                      // sizes
  Dims batching, dropped, kept;              // dimensions of the operand
  Dims index_map;                            // dimensions that an index vector names
  Dims batch;                                // sizes of the indices without their vectors
  Dims index_batching;                       // dimensions of the indices tensor
  int64_t vector_dim = 0;
  Dims offset_dims;                          // of the result or of the updates, in rising order
  Dims slices;                               // sizes of the result or of the updates
};

class IndexingTest : public DefinitionTest {
 protected:
  Indexing PickIndexing() {
    Indexing x;
    const size_t rank = static_cast<size_t>(Pick(1, 4));
    x.operand = PickAll(rank, 1, 4);
    x.window = x.operand;
    std::vector<int> kind(rank);  // 0 kept, 1 dropped, 2 batching
    for (size_t d = 0; d < rank; ++d) {
      kind[d] = static_cast<int>(Pick(0, 2));
      if (kind[d] != 0) x.window[d] = 1;
      if (kind[d] == 0) x.window[d] = Pick(0, x.operand[d]);
      (kind[d] == 0 ? x.kept : kind[d] == 1 ? x.dropped : x.batching)
          .push_back(static_cast<int64_t>(d));
    }
    for (const int64_t d : Shuffled(rank)) {
      if (kind[static_cast<size_t>(d)] != 2 && Pick(0, 3) != 0) x.index_map.push_back(d);
    }
    x.batch = PickAll(static_cast<size_t>(Pick(0, 2)), 1, 3);
    Dims places;  // in the batch
    for (const int64_t d : x.batching) {
      const auto at = Pick(0, static_cast<int64_t>(x.batch.size()));
      x.batch.insert(x.batch.begin() + at, x.operand[static_cast<size_t>(d)]);
      for (int64_t& place : places) place += place >= at ? 1 : 0;
      places.push_back(at);
    }
    x.vector_dim = Pick(0, static_cast<int64_t>(x.batch.size()));
    for (const int64_t place : places) {
      x.index_batching.push_back(place + (place >= x.vector_dim ? 1 : 0));
    }
    // Where the window's dimensions stand among those of the batch.
    const size_t total = x.batch.size() + x.kept.size();
    Dims order = Shuffled(total);
    x.offset_dims.assign(order.begin(), order.begin() + static_cast<int64_t>(x.kept.size()));
    std::sort(x.offset_dims.begin(), x.offset_dims.end());
    size_t next_batch = 0, next_window = 0;
    for (size_t d = 0; d < total; ++d) {
      const bool is_window = next_window < x.offset_dims.size() &&
                             x.offset_dims[next_window] == static_cast<int64_t>(d);
      x.slices.push_back(is_window
                             ? x.window[static_cast<size_t>(x.kept[next_window++])]
                             : x.batch[next_batch++]);
    }
    return x;
  }

  Array Indices(const Indexing& x) {
    Dims dims = x.batch;
    dims.insert(dims.begin() + x.vector_dim, static_cast<int64_t>(x.index_map.size()));
    Array indices(dims);
    for (int32_t& index : indices.values) index = static_cast<int32_t>(Pick(-2, 5));
    return indices;
  }

  // The operand's element that belongs to `at` of the slices; clamped so that the window fits, or
  // just where the index says.
  static Dims Locate(const Indexing& x, Array& indices, const Dims& at, bool clamped) {
    Dims batch, place(x.operand.size(), 0);
    for (size_t d = 0, next = 0; d < at.size(); ++d) {
      if (next < x.offset_dims.size() && x.offset_dims[next] == static_cast<int64_t>(d)) {
        place[static_cast<size_t>(x.kept[next++])] = at[d];
      } else {
        batch.push_back(at[d]);
      }
    }
    Dims vector = batch;
    vector.insert(vector.begin() + x.vector_dim, 0);
    for (size_t i = 0; i < x.index_map.size(); ++i) {
      const auto d = static_cast<size_t>(x.index_map[i]);
      vector[static_cast<size_t>(x.vector_dim)] = static_cast<int64_t>(i);
      const int64_t start = indices.At(vector);
      place[d] += clamped ? std::clamp<int64_t>(start, 0, x.operand[d] - x.window[d]) : start;
    }
    for (size_t i = 0; i < x.batching.size(); ++i) {
      place[static_cast<size_t>(x.batching[i])] = vector[static_cast<size_t>(x.index_batching[i])];
    }
    return place;
  }
};

TEST_F(IndexingTest, GathersWithBatchingDimensions) {
  for (int program = 0; program < kPrograms && !HasFailure(); ++program) {
    const Indexing x = PickIndexing();
    Array operand = Random(x.operand), indices = Indices(x), y(x.slices);
    ForEach(x.slices, [&](const Dims& at) {
      y.At(at) = operand.At(Locate(x, indices, at, true));
    });
    Expect(fmt::format("\"stablehlo.gather\"(%arg0, %arg1) <{{dimension_numbers = "
                       "#stablehlo.gather<offset_dims = {}, collapsed_slice_dims = {}, "
                       "operand_batching_dims = {}, start_indices_batching_dims = {}, "
                       "start_index_map = {}, index_vector_dim = {}>, slice_sizes = {}}}>",
                       List(x.offset_dims), List(x.dropped), List(x.batching),
                       List(x.index_batching), List(x.index_map), x.vector_dim,
                       Array64(x.window)),
           {operand, indices}, y);
  }
}

// 3 * a + b shows the order of the updates.
TEST_F(IndexingTest, ScattersWithBatchingDimensions) {
  for (int program = 0; program < kPrograms && !HasFailure(); ++program) {
    const Indexing x = PickIndexing();
    Array operand = Random(x.operand), indices = Indices(x), updates = Random(x.slices);
    Array y = operand;
    ForEach(x.slices, [&](const Dims& at) {
      const Dims place = Locate(x, indices, at, false);
      if (y.Has(place)) y.At(place) = 3 * y.At(place) + updates.At(at);
    });
    Expect(fmt::format("\"stablehlo.scatter\"(%arg0, %arg1, %arg2) <{{scatter_dimension_numbers = "
                       "#stablehlo.scatter<update_window_dims = {}, inserted_window_dims = {}, "
                       "input_batching_dims = {}, scatter_indices_batching_dims = {}, "
                       "scatter_dims_to_operand_dims = {}, index_vector_dim = {}>}}> ({{\n"
                       "  ^bb0(%a: tensor<i32>, %b: tensor<i32>):\n"
                       "    %c = stablehlo.constant dense<3> : tensor<i32>\n"
                       "    %d = stablehlo.multiply %a, %c : tensor<i32>\n"
                       "    %e = stablehlo.add %d, %b : tensor<i32>\n"
                       "    stablehlo.return %e : tensor<i32>\n  }})",
                       List(x.offset_dims), List(x.dropped), List(x.batching),
                       List(x.index_batching), List(x.index_map), x.vector_dim),
           {operand, indices, updates}, y);
  }
}

TEST_F(DefinitionTest, ProductsOfAnyDimensions) {
  for (int program = 0; program < kPrograms && !HasFailure(); ++program) {
    const Dims batch = PickAll(static_cast<size_t>(Pick(0, 2)), 1, 3);
    const Dims deep = PickAll(static_cast<size_t>(Pick(0, 2)), 0, 3);
    const Dims rows = PickAll(static_cast<size_t>(Pick(0, 2)), 1, 3);
    const Dims columns = PickAll(static_cast<size_t>(Pick(0, 2)), 1, 3);
    // Of a tensor with those three groups of dimensions in a random order.
    struct Side {
      Array array{{}};
      Dims batch, deep;
      std::function<Dims(const Dims&, const Dims&, const Dims&)> index;
    };
    const auto side = [&](const Dims& free) {
      Side s;
      const size_t total = batch.size() + deep.size() + free.size();
      const Dims order = Shuffled(total);
      s.batch.assign(order.begin(), order.begin() + static_cast<int64_t>(batch.size()));
      s.deep.assign(order.begin() + static_cast<int64_t>(batch.size()),
                    order.begin() + static_cast<int64_t>(batch.size() + deep.size()));
      Dims rest(order.begin() + static_cast<int64_t>(batch.size() + deep.size()), order.end());
      std::sort(rest.begin(), rest.end());
      s.index = [total, rest, b = s.batch, d = s.deep](const Dims& at_batch, const Dims& at_deep,
                                                      const Dims& at_free) {
        Dims index(total);
        for (size_t i = 0; i < b.size(); ++i) index[static_cast<size_t>(b[i])] = at_batch[i];
        for (size_t i = 0; i < d.size(); ++i) index[static_cast<size_t>(d[i])] = at_deep[i];
        for (size_t i = 0; i < rest.size(); ++i) index[static_cast<size_t>(rest[i])] = at_free[i];
        return index;
      };
      s.array = Random(s.index(batch, deep, free));
      return s;
    };
    Side lhs = side(rows), rhs = side(columns);
    Dims dims = batch;
    dims.insert(dims.end(), rows.begin(), rows.end());
    dims.insert(dims.end(), columns.begin(), columns.end());
    Array y(dims);
    ForEach(dims, [&](const Dims& at) {
      const auto part = [&](size_t from, size_t count) {
        return Dims(at.begin() + static_cast<int64_t>(from),
                    at.begin() + static_cast<int64_t>(from + count));
      };
      int32_t sum = 0;
      ForEach(deep, [&](const Dims& k) {
        sum += lhs.array.At(lhs.index(part(0, batch.size()), k, part(batch.size(), rows.size()))) *
               rhs.array.At(rhs.index(part(0, batch.size()), k,
                                      part(batch.size() + rows.size(), columns.size())));
      });
      y.At(at) = sum;
    });
    Expect(fmt::format("stablehlo.dot_general %arg0, %arg1, batching_dims = {} x {}, "
                       "contracting_dims = {} x {}",
                       List(lhs.batch), List(rhs.batch), List(lhs.deep), List(rhs.deep)),
           {lhs.array, rhs.array}, y);
  }
}

}  // namespace
}  // namespace systolith::evaluator
