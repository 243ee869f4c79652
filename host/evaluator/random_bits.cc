// rng_bit_generator: Threefry-2x32 with 20 rounds and Philox-4x32 with 10 rounds (Salmon et al.,
// "Parallel random numbers: as easy as 1, 2, 3"), laid out as XLA lays them out.
//
// State word 0 is the key. Threefry counts in word 1; Philox counts in words 1 and 2, or, with a
// state of two words, in word 1 below a constant upper word that is the key.
#include <array>
#include <bit>
#include <cstdint>
#include <vector>

#include "host/evaluator/kernels.h"

namespace systolith::evaluator {
namespace {

using graph::ElementType;
using Pair = std::array<uint32_t, 2>;
using Quad = std::array<uint32_t, 4>;

uint32_t Low(uint64_t value) { return static_cast<uint32_t>(value); }
uint32_t High(uint64_t value) { return static_cast<uint32_t>(value >> 32); }
uint64_t Join(uint32_t low, uint32_t high) { return uint64_t{high} << 32 | low; }

Pair ThreeFry(uint64_t counter, uint64_t key) {
  constexpr std::array<std::array<int, 4>, 2> kRotations = {{{13, 15, 26, 6}, {17, 29, 16, 24}}};
  constexpr uint32_t kParity = 0x1bd11bda;
  const std::array<uint32_t, 3> keys = {Low(key), High(key), kParity ^ Low(key) ^ High(key)};
  Pair x = {Low(counter) + keys[0], High(counter) + keys[1]};
  for (uint32_t group = 0; group < 5; ++group) {
    for (const int rotation : kRotations[group % 2]) {
      x[0] += x[1];
      x[1] = std::rotl(x[1], rotation) ^ x[0];
    }
    x[0] += keys[(group + 1) % 3];
    x[1] += keys[(group + 2) % 3] + group + 1;
  }
  return x;
}

Quad Philox(Quad counter, uint64_t key) {
  constexpr uint64_t kMultiplier0 = 0xd2511f53, kMultiplier1 = 0xcd9e8d57;
  constexpr uint32_t kWeyl0 = 0x9e3779b9, kWeyl1 = 0xbb67ae85;
  Pair keys = {Low(key), High(key)};
  for (int round = 0; round < 10; ++round) {
    const uint64_t product0 = kMultiplier0 * counter[0];
    const uint64_t product1 = kMultiplier1 * counter[2];
    counter = {High(product1) ^ counter[1] ^ keys[0], Low(product1),
               High(product0) ^ counter[3] ^ keys[1], Low(product0)};
    keys = {keys[0] + kWeyl0, keys[1] + kWeyl1};
  }
  return counter;
}

int64_t HalfOf(int64_t size) { return size / 2 + size % 2; }

// The dimension that halves: the first even one, else the first among the largest.
size_t SplitDimension(const Dims& dims) {
  size_t largest = 0;
  for (size_t d = 0; d < dims.size(); ++d) {
    if (dims[d] % 2 == 0) return d;
    if (dims[d] > dims[largest]) largest = d;
  }
  return largest;
}

// The bits of each element of a tensor of `dims`, and the counter behind them. One run of the
// cipher gives two 32-bit elements: neighbours along the dimension that halves. `counter` numbers
// the runs with the last dimension of the halved tensor fastest.
std::vector<uint64_t> ThreeFryBits(const Dims& dims, int width, uint64_t key, uint64_t& counter) {
  std::vector<uint64_t> bits;
  if (width == 64) {
    for (int64_t i = 0; i < graph::Product(dims); ++i) {
      const Pair x = ThreeFry(counter++, key);
      bits.push_back(Join(x[0], x[1]));
    }
    return bits;
  }
  if (dims.empty()) {
    bits.push_back(ThreeFry(counter++, key)[0]);
    return bits;
  }
  const size_t split = SplitDimension(dims);
  Dims half = dims;
  half[split] = HalfOf(dims[split]);
  const Dims strides = graph::RowMajorStrides(half);
  Dims index(dims.size(), 0);
  for (int64_t i = 0; i < graph::Product(dims); ++i) {
    uint64_t run = 0;
    for (size_t d = 0; d < dims.size(); ++d) {
      run += static_cast<uint64_t>((d == split ? index[d] / 2 : index[d]) * strides[d]);
    }
    bits.push_back(ThreeFry(counter + run, key)[static_cast<size_t>(index[split] % 2)]);
    NextIndex(index, dims);
  }
  counter += static_cast<uint64_t>(graph::Product(half));
  return bits;
}

// A counter of 128 bits.
struct WideCounter {
  uint64_t low = 0, high = 0;

  WideCounter Plus(uint64_t count) const {
    return {low + count, high + (low + count < low ? 1 : 0)};
  }
};

std::vector<uint64_t> PhiloxBits(int64_t count, int width, uint64_t key, WideCounter& counter) {
  const int64_t per_run = width == 64 ? 2 : 4;
  std::vector<uint64_t> bits;
  uint64_t runs = 0;
  while (static_cast<int64_t>(bits.size()) < count) {
    const WideCounter at = counter.Plus(runs++);
    const Quad x = Philox({Low(at.low), High(at.low), Low(at.high), High(at.high)}, key);
    for (int64_t i = 0; i < per_run && static_cast<int64_t>(bits.size()) < count; ++i) {
      const auto n = static_cast<size_t>(i);
      bits.push_back(width == 64 ? Join(x[2 * n], x[2 * n + 1]) : x[n]);
    }
  }
  counter = counter.Plus(runs);
  return bits;
}

}  // namespace

std::vector<Literal> EvalRngBitGenerator(const Op& op, const Literal& state, const Shape& shape) {
  const auto algorithm = op.As<graph::RngBitGeneratorAttributes>().algorithm;
  // Words of 64 bits; a state of 32-bit words has the lower half of each first.
  std::vector<uint64_t> words;
  const bool is_wide = state.type() == ElementType::kU64;
  for (int64_t i = 0; i < state.size(); i += is_wide ? 1 : 2) {
    const auto word = static_cast<uint64_t>(state.GetInt(i));
    words.push_back(is_wide ? word : word | static_cast<uint64_t>(state.GetInt(i + 1)) << 32);
  }
  const int width = graph::BitWidth(shape.type);
  std::vector<uint64_t> bits;
  if (algorithm == graph::RngAlgorithm::kThreeFry) {
    bits = ThreeFryBits(shape.dims, width, words[0], words[1]);
  } else {
    WideCounter counter = {words[1], words.size() > 2 ? words[2] : words[0]};
    bits = PhiloxBits(graph::Product(shape.dims), width, words[0], counter);
    words[1] = counter.low;
    if (words.size() > 2) words[2] = counter.high;
  }

  std::vector<Literal> results = {Literal(state.shape()), Literal(shape)};
  for (int64_t i = 0; i < state.size(); ++i) {
    const uint64_t word = words[static_cast<size_t>(is_wide ? i : i / 2)];
    results[0].SetInt(i, static_cast<int64_t>(is_wide || i % 2 == 0 ? word : word >> 32));
  }
  // Narrow types keep the lower bits; floats are made of them, not converted.
  Shape integers = shape;
  if (graph::IsFloat(shape.type)) {
    integers.type = width == 16   ? ElementType::kU16
                    : width == 32 ? ElementType::kU32
                                  : ElementType::kU64;
  }
  Literal values(integers);
  for (size_t i = 0; i < bits.size(); ++i) {
    values.SetInt(static_cast<int64_t>(i), static_cast<int64_t>(bits[i]));
  }
  results[1] = Literal(shape, {values.bytes().begin(), values.bytes().end()});
  return results;
}

}  // namespace systolith::evaluator
