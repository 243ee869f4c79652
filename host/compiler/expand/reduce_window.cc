// reduce_window: the operands are padded with their initial values. In a small window the elements,
// each a slice, join one after another. Larger ones fold along one dimension after the other, the
// last first: a short window by slices again, a long one as a sum of windows whose lengths are
// powers of two, each of which is two of the next smaller. Windows that do not overlap are a
// reduction.
#include <algorithm>
#include <bit>

#include "host/compiler/expand/expansion.h"

namespace systolith::compiler {
namespace {

// What a kernel costs beside its elements, in elements.
constexpr double kKernelCost = 2000;
// How many slices join in one kernel.
constexpr double kTapsPerKernel = 3;
// Windows of so many elements join one by one, in row-major order.
constexpr int64_t kMaxSequential = 16;
// Windows that do not overlap are reduced if they have so many elements.
constexpr int64_t kMinReduced = 8;

// The window along one dimension.
struct Window {
  size_t dimension = 0;
  int64_t size = 1, stride = 1, dilation = 1;
  int64_t results = 0;

  // Elements from the first to the last of all positions, where stride is `step`.
  int64_t Span(int64_t step) const { return (results - 1) * step + 1; }
};

class Windower {
 public:
  Windower(const Region& body, Expansion& to) : body_(body), to_(to) {}

  std::optional<Values> Fold(const Values& values, const Window& window) {
    const double rest = static_cast<double>(graph::Product(to_.dims(values[0]))) /
                        static_cast<double>(to_.size(values[0], window.dimension));
    const double taps = static_cast<double>(window.size - 1) / kTapsPerKernel;
    const double direct =
        taps * (kTapsPerKernel / 2 * static_cast<double>(window.results) * rest + kKernelCost);
    const auto width = static_cast<double>(std::bit_width(static_cast<uint64_t>(window.size)));
    const double length = static_cast<double>(window.Span(window.stride) + window.size / 2);
    const double doubling = width * (1.5 * length * rest + 1.5 * kKernelCost);
    return doubling < direct ? Double(values, window) : Join(values, window);
  }

 private:
  Values Slices(const Values& values, const Window& window, int64_t start, int64_t limit,
                int64_t stride) {
    Values slices;
    for (const Value value : values) {
      slices.push_back(to_.Slice(value, window.dimension, start, limit, stride));
    }
    return slices;
  }

  std::optional<Values> Join(Values low, const Values& high) {
    low.insert(low.end(), high.begin(), high.end());
    return to_.Apply(body_, low);
  }

  std::optional<Values> Join(const Values& values, const Window& window) {
    const auto tap = [&](int64_t t) {
      const int64_t start = t * window.dilation;
      return Slices(values, window, start, start + window.Span(window.stride), window.stride);
    };
    Values sum = tap(0);
    for (int64_t t = 1; t < window.size; ++t) {
      std::optional<Values> joined = Join(std::move(sum), tap(t));
      if (!joined) return std::nullopt;
      sum = *std::move(joined);
    }
    return sum;
  }

  // parts[j] at i: the window of 2^j elements from i on. The longest part stands first.
  std::optional<Values> Double(const Values& values, const Window& window) {
    const int top = std::bit_width(static_cast<uint64_t>(window.size)) - 1;
    std::vector<int64_t> offsets(static_cast<size_t>(top) + 1, -1);
    int64_t offset = 0;
    for (int j = top; j >= 0; --j) {
      if ((window.size >> j & 1) == 0) continue;
      offsets[static_cast<size_t>(j)] = offset * window.dilation;
      offset += int64_t{1} << j;
    }
    // How much of each part is needed: for itself, and for the next longer one.
    std::vector<int64_t> lengths(offsets.size(), 0);
    const int64_t span = window.Span(window.stride);
    for (int j = top; j >= 0; --j) {
      const auto at = static_cast<size_t>(j);
      if (offsets[at] >= 0) lengths[at] = offsets[at] + span;
      if (j < top) {
        lengths[at] = std::max(lengths[at], lengths[at + 1] + (window.dilation << j));
      }
    }
    std::vector<Values> parts = {values};
    for (int j = 0; j < top; ++j) {
      const int64_t length = lengths[static_cast<size_t>(j) + 1];
      const int64_t shift = window.dilation << j;
      std::optional<Values> next = Join(Slices(parts.back(), window, 0, length, 1),
                                        Slices(parts.back(), window, shift, shift + length, 1));
      if (!next) return std::nullopt;
      parts.push_back(*std::move(next));
    }
    std::optional<Values> sum;
    for (int j = top; j >= 0; --j) {
      const int64_t start = offsets[static_cast<size_t>(j)];
      if (start < 0) continue;
      const Values part =
          Slices(parts[static_cast<size_t>(j)], window, start, start + span, window.stride);
      sum = sum ? Join(*std::move(sum), part) : part;
      if (!sum) return std::nullopt;
    }
    return sum;
  }

  const Region& body_;
  Expansion& to_;
};

// Windows along which nothing overlaps.
bool IsApart(const Window& window) {
  return (window.stride >= window.size || window.results == 1) && window.dilation == 1;
}

// Each dimension falls into windows and their elements. What the last window lacks behind it is
// padded, and cut off again with what lies between the windows.
Values ReduceApart(const Region& body, Values values, const Values& inits,
                   const std::vector<Window>& windows, Expansion& to) {
  Dims reduced;
  for (size_t i = 0; i < values.size(); ++i) {
    Value& value = values[i];
    reduced.clear();
    for (const Window& window : windows) {  // in rising order: one more dimension after each
      const size_t d = window.dimension + reduced.size();
      const int64_t step = window.results == 1 ? window.size : window.stride;
      const Dims zeros(to.dims(value).size(), 0);
      Dims high = zeros;
      high[d] = std::max<int64_t>(window.results * step - to.size(value, d), 0);
      value = to.Slice(to.Pad(value, inits[i], zeros, high, zeros), d, 0, window.results * step);
      Dims dims = to.dims(value);
      dims[d] = window.results;
      dims.insert(dims.begin() + static_cast<ptrdiff_t>(d) + 1, step);
      value = to.Slice(to.Reshape(value, dims), d + 1, 0, window.size);
      reduced.push_back(static_cast<int64_t>(d) + 1);
    }
  }
  return to.Reduce(body, values, inits, reduced);
}

// From the initial value over all elements of a window.
std::optional<Values> JoinAll(const Region& body, const Values& values, const Values& inits,
                              const graph::ReduceWindowAttributes& window, const Dims& result,
                              Expansion& to) {
  Values sum;
  for (const Value init : inits) sum.push_back(to.Broadcast(init, result));
  const int64_t taps = graph::Product(window.window_dimensions);
  for (int64_t tap = 0; tap < taps; ++tap) {
    Values arguments = std::move(sum);
    for (Value value : values) {
      int64_t rest = tap;
      for (size_t d = result.size(); d-- > 0; rest /= window.window_dimensions[d]) {
        const int64_t start = rest % window.window_dimensions[d] * window.window_dilations[d];
        const int64_t stride = window.window_strides[d];
        value = to.Slice(value, d, start, start + (result[d] - 1) * stride + 1, stride);
      }
      arguments.push_back(value);
    }
    std::optional<Values> joined = to.Apply(body, arguments);
    if (!joined) return std::nullopt;
    sum = *std::move(joined);
  }
  return sum;
}

}  // namespace

std::optional<Values> ExpandReduceWindow(const Op& op, Expansion& to) {
  const auto& window = op.As<graph::ReduceWindowAttributes>();
  const size_t count = op.results.size();
  const Region& body = op.regions[0];
  const Values inits(op.operands.begin() + static_cast<ptrdiff_t>(count), op.operands.end());
  const Dims& result = to.dims(op.result());
  Values values;
  if (graph::Product(result) == 0) {
    for (const Value init : inits) values.push_back(to.Broadcast(init, result));
    return values;
  }
  Dims interior = window.base_dilations;
  for (int64_t& gap : interior) --gap;
  for (size_t i = 0; i < count; ++i) {
    values.push_back(
        to.Pad(op.operands[i], inits[i], window.padding_low, window.padding_high, interior));
  }
  if (graph::Product(window.window_dimensions) <= kMaxSequential) {
    return JoinAll(body, values, inits, window, result, to);
  }
  std::vector<Window> apart;
  int64_t elements = 1;
  Windower windower(body, to);
  for (size_t d = result.size(); d-- > 0;) {
    const Window along{d, window.window_dimensions[d], window.window_strides[d],
                       window.window_dilations[d], result[d]};
    if (along.size > 1 && IsApart(along)) {
      apart.insert(apart.begin(), along);
      elements *= along.size;
    }
  }
  if (elements < kMinReduced) apart.clear();
  for (size_t d = result.size(); d-- > 0;) {
    const auto is_along = [d](const Window& other) { return other.dimension == d; };
    if (std::any_of(apart.begin(), apart.end(), is_along)) continue;
    std::optional<Values> folded =
        windower.Fold(values, {d, window.window_dimensions[d], window.window_strides[d],
                               window.window_dilations[d], result[d]});
    if (!folded) return std::nullopt;
    values = *std::move(folded);
  }
  if (!apart.empty()) return ReduceApart(body, std::move(values), inits, apart, to);
  Values arguments;
  for (const Value init : inits) arguments.push_back(to.Broadcast(init, result));
  arguments.insert(arguments.end(), values.begin(), values.end());
  return to.Apply(body, arguments);
}

}  // namespace systolith::compiler
