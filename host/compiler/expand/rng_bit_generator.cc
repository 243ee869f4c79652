// rng_bit_generator in u32 arithmetic: Threefry-2x32 with 20 rounds and Philox-4x32 with 10, for
// all elements at once. Word 0 of the state is the key; the others count runs of the cipher. Words
// of 64 bits are pairs here, the lower half first.
#include <array>
#include <utility>

#include "host/compiler/expand/expansion.h"

namespace systolith::compiler {
namespace {

constexpr ElementType kU32 = ElementType::kU32;
using Pair = std::array<Value, 2>;
using Quad = std::array<Value, 4>;

class Generator {
 public:
  Generator(const Op& op, Expansion& to)
      : to_(to), state_(to.shape(op.operands[0])), result_(to.shape(op.results[1])) {
    Value words = op.operands[0];
    const int64_t halves = state_.dims[0] * graph::BitWidth(state_.type) / 32;
    if (state_.type == ElementType::kU64) {
      words = to_.builder().BitcastConvert(words, Shape{kU32, {state_.dims[0], 2}});
    }
    words = to_.Reshape(words, {halves});
    for (int64_t i = 0; i < halves; ++i) {
      words_.push_back(to_.Reshape(to_.Slice(words, 0, i, i + 1), {}));
    }
  }

  Values ThreeFry() {
    const int64_t count = graph::Product(result_.dims);
    const bool is_wide = graph::BitWidth(result_.type) == 64;
    // One run gives two elements of 32 bits: neighbours along the dimension that halves.
    const size_t split = SplitDimension();
    Dims half = result_.dims;
    if (!is_wide && !half.empty()) half[split] = half[split] / 2 + half[split] % 2;
    const int64_t runs = is_wide ? count : graph::Product(half);
    const Pair x = RunThreeFry(Counters(runs, 1));
    std::vector<Value> parts(x.begin(), x.end());
    if (is_wide) return Finish(Stack(parts, {runs}, 1), runs);
    if (half.empty()) return Finish(to_.Reshape(x[0], {}), runs);
    Value bits = Stack(parts, half, split + 1);
    Dims joined = half;
    joined[split] *= 2;
    bits = to_.Slice(to_.Reshape(bits, joined), split, 0, result_.dims[split]);
    return Finish(bits, runs);
  }

  Values Philox() {
    const int64_t count = graph::Product(result_.dims);
    const bool is_wide = graph::BitWidth(result_.type) == 64;
    const int64_t per_run = is_wide ? 2 : 4;
    const int64_t runs = (count + per_run - 1) / per_run;
    const Quad x = RunPhilox(Counters(runs, 2));
    Value bits = Stack({x.begin(), x.end()}, {runs}, 1);
    bits = to_.Slice(to_.Reshape(bits, {4 * runs}), 0, 0, is_wide ? 2 * count : count);
    if (is_wide) bits = to_.Reshape(bits, {count, 2});
    return Finish(bits, runs);
  }

 private:
  Value Number(uint32_t value) { return to_.Number(kU32, value); }
  Value Add(Value a, Value b) { return to_.Binary(Opcode::kAdd, a, b); }
  Value Multiply(Value a, Value b) { return to_.Binary(Opcode::kMultiply, a, b); }
  Value Xor(Value a, Value b) { return to_.Binary(Opcode::kXor, a, b); }
  Value Or(Value a, Value b) { return to_.Binary(Opcode::kOr, a, b); }
  Value And(Value a, uint32_t mask) { return to_.Binary(Opcode::kAnd, a, Number(mask)); }
  Value Left(Value a, uint32_t by) { return to_.Binary(Opcode::kShiftLeft, a, Number(by)); }
  Value Right(Value a, uint32_t by) {
    return to_.Binary(Opcode::kShiftRightLogical, a, Number(by));
  }
  Value Rotate(Value a, uint32_t by) { return Or(Left(a, by), Right(a, 32 - by)); }

  // `value` plus a number of up to 32 bits, over as many halves.
  Values AddWide(const Values& value, Value number) {
    Values sum;
    for (const Value half : value) {
      sum.push_back(Add(number, half));
      if (sum.size() == value.size()) break;
      const Value carry = to_.Compare(graph::CompareDirection::kLt, sum.back(), half);
      number = to_.Convert(carry, kU32);
    }
    return sum;
  }

  // The halves of the counting words: `count` words from word 1 on. A state without word 2 has
  // the key in its place, which a carry changes for the moment.
  Values CountingWords(size_t count) const {
    Values halves;
    for (size_t i = 2; i < 2 + 2 * count; ++i) {
      halves.push_back(i < words_.size() ? words_[i] : words_[i - 4]);
    }
    return halves;
  }

  Values Counters(int64_t runs, size_t words) {
    return AddWide(CountingWords(words), to_.builder().Iota(Shape{kU32, {runs}}, 0));
  }

  Pair RunThreeFry(const Values& counter) {
    constexpr uint32_t kRotations[2][4] = {{13, 15, 26, 6}, {17, 29, 16, 24}};
    constexpr uint32_t kParity = 0x1bd11bda;
    const std::array<Value, 3> keys = {words_[0], words_[1],
                                       Xor(Xor(Number(kParity), words_[0]), words_[1])};
    Pair x = {Add(counter[0], keys[0]), Add(counter[1], keys[1])};
    for (uint32_t group = 0; group < 5; ++group) {
      for (const uint32_t rotation : kRotations[group % 2]) {
        x[0] = Add(x[0], x[1]);
        x[1] = Xor(Rotate(x[1], rotation), x[0]);
      }
      x[0] = Add(x[0], keys[(group + 1) % 3]);
      x[1] = Add(x[1], Add(keys[(group + 2) % 3], Number(group + 1)));
    }
    return x;
  }

  // The upper half of the product with a constant, from products of 16 bits.
  Value MultiplyHigh(Value x, uint32_t factor) {
    const Value low = And(x, 0xffff), high = Right(x, 16);
    const Value f0 = Number(factor & 0xffff), f1 = Number(factor >> 16);
    const Value p01 = Multiply(low, f1), p10 = Multiply(high, f0);
    const Value middle = Add(Add(Right(Multiply(low, f0), 16), And(p01, 0xffff)),
                             And(p10, 0xffff));
    return Add(Add(Multiply(high, f1), Right(middle, 16)), Add(Right(p01, 16), Right(p10, 16)));
  }

  Quad RunPhilox(const Values& counter) {
    constexpr uint32_t kMultiplier0 = 0xd2511f53, kMultiplier1 = 0xcd9e8d57;
    constexpr uint32_t kWeyl0 = 0x9e3779b9, kWeyl1 = 0xbb67ae85;
    Pair keys = {words_[0], words_[1]};
    Quad x = {counter[0], counter[1], counter[2], counter[3]};
    for (int round = 0; round < 10; ++round) {
      x = {Xor(Xor(MultiplyHigh(x[2], kMultiplier1), x[1]), keys[0]),
           Multiply(x[2], Number(kMultiplier1)),
           Xor(Xor(MultiplyHigh(x[0], kMultiplier0), x[3]), keys[1]),
           Multiply(x[0], Number(kMultiplier0))};
      keys = {Add(keys[0], Number(kWeyl0)), Add(keys[1], Number(kWeyl1))};
    }
    return x;
  }

  size_t SplitDimension() const {
    size_t largest = 0;
    for (size_t d = 0; d < result_.dims.size(); ++d) {
      if (result_.dims[d] % 2 == 0) return d;
      if (result_.dims[d] > result_.dims[largest]) largest = d;
    }
    return largest;
  }

  // Tensors of `dims` elements side by side along a new dimension.
  Value Stack(const Values& parts, Dims dims, size_t dimension) {
    dims.insert(dims.begin() + static_cast<ptrdiff_t>(dimension), 1);
    Values columns;
    for (const Value part : parts) columns.push_back(to_.Reshape(part, dims));
    return to_.Concatenate(columns, dimension);
  }

  // u32 bits become the result's type: narrow ones keep the lower bits, floats are made of them.
  Values Finish(Value bits, int64_t runs) {
    const ElementType type = result_.type;
    const int width = graph::BitWidth(type);
    if (width == 64) {
      Dims pairs = result_.dims;
      pairs.push_back(2);
      bits = to_.builder().BitcastConvert(to_.Reshape(bits, pairs), result_);
    } else if (graph::IsFloat(type)) {
      bits = to_.Convert(bits, width == 16 ? ElementType::kU16 : kU32);
      bits = to_.builder().BitcastConvert(to_.Reshape(bits, result_.dims), result_);
    } else {
      bits = to_.Reshape(to_.Convert(bits, type), result_.dims);
    }
    return {NextState(runs), bits};
  }

  Value NextState(int64_t runs) {
    const size_t words = words_.size() / 2 - 1;  // that count
    const Values next = AddWide(CountingWords(words), Number(static_cast<uint32_t>(runs)));
    Values halves = {words_[0], words_[1]};
    halves.insert(halves.end(), next.begin(), next.end());
    for (Value& half : halves) half = to_.Reshape(half, {1});
    const Value state = to_.Concatenate(halves, 0);
    if (state_.type != ElementType::kU64) return state;
    return to_.builder().BitcastConvert(to_.Reshape(state, {state_.dims[0], 2}), state_);
  }

  Expansion& to_;
  const Shape state_, result_;
  Values words_;
};

}  // namespace

std::optional<Values> ExpandRngBitGenerator(const Op& op, Expansion& to) {
  // Runs are numbered in 32 bits.
  constexpr int64_t kMaxElements = int64_t{1} << 31;
  const int64_t count = graph::Product(to.dims(op.results[1]));
  if (count == 0 || count > kMaxElements) return std::nullopt;
  const auto algorithm = op.As<graph::RngBitGeneratorAttributes>().algorithm;
  Generator generator(op, to);
  return algorithm == graph::RngAlgorithm::kThreeFry ? generator.ThreeFry() : generator.Philox();
}

}  // namespace systolith::compiler
