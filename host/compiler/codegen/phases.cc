#include "host/compiler/codegen/phases.h"

#include <algorithm>
#include <numeric>

#include "host/base/rounding.h"

namespace systolith::compiler {
namespace {

// What a contraction has along y or x.
struct Direction {
  Axis taps, out;
  int64_t rhs_offset = 0;  // elements, of the first tap
  int64_t first = 0;       // of the results that this phase has
  int64_t step = 1;        // to the next one
  int64_t stride = 1, pad = 0, base_dilation = 1, window_dilation = 1;
};

// Result first + i * step meets the dilated lhs at i * step * stride + first * stride - pad + tap *
// window_dilation; where that is a multiple of base_dilation there is an element of the lhs.
std::vector<Direction> Phases(const Direction& whole) {
  const int64_t dilation = whole.base_dilation;
  const int64_t step = dilation / std::gcd(dilation, whole.stride);
  const int64_t tap_step = dilation / std::gcd(dilation, whole.window_dilation);
  std::vector<Direction> phases;
  for (int64_t first = 0; first < std::min(step, whole.out.size); ++first) {
    const int64_t base = first * whole.stride - whole.pad;
    int64_t tap = 0;
    while (tap < tap_step && (base + tap * whole.window_dilation) % dilation != 0) ++tap;
    Direction phase = whole;
    phase.first = first;
    phase.step = step;
    phase.out = {CeilDivide(whole.out.size - first, step), whole.out.stride * step};
    phase.stride = step * whole.stride / dilation;
    phase.base_dilation = 1;
    phase.window_dilation = tap_step * whole.window_dilation / dilation;
    if (tap < std::min(tap_step, whole.taps.size)) {
      phase.taps = {CeilDivide(whole.taps.size - tap, tap_step), whole.taps.stride * tap_step};
      phase.rhs_offset = tap * whole.taps.stride;
      phase.pad = -(base + tap * whole.window_dilation) / dilation;
    } else {
      phase.taps = {0, 0};
      phase.pad = 0;
    }
    phases.push_back(phase);
  }
  return phases;
}

}  // namespace

std::vector<Kernel> SplitIntoPhases(const Kernel& kernel) {
  const auto& whole = std::get<Contraction>(kernel.body);
  if (whole.base_dilation_y == 1 && whole.base_dilation_x == 1) return {kernel};
  const Direction along_y = {whole.kh, whole.out_y, 0, 0, 1, whole.stride_y, whole.pad_y,
                             whole.base_dilation_y, whole.window_dilation_y};
  const Direction along_x = {whole.kw, whole.out_x, 0, 0, 1, whole.stride_x, whole.pad_x,
                             whole.base_dilation_x, whole.window_dilation_x};
  std::vector<Kernel> phases;
  for (const Direction& y : Phases(along_y)) {
    for (const Direction& x : Phases(along_x)) {
      Kernel phase = kernel;
      Contraction c = whole;
      c.rhs.offset += y.rhs_offset + x.rhs_offset;
      c.kh = y.taps;
      c.kw = x.taps;
      phase.out.offset += y.first * whole.out_y.stride + x.first * whole.out_x.stride;
      c.out_y = y.out;
      c.out_x = x.out;
      c.stride_y = y.stride;
      c.stride_x = x.stride;
      c.pad_y = y.pad;
      c.pad_x = x.pad;
      c.window_dilation_y = y.window_dilation;
      c.window_dilation_x = x.window_dilation;
      c.base_dilation_y = c.base_dilation_x = 1;
      for (size_t s = 0; s < kernel.streams.size(); ++s) {
        auto& strides = c.stream_strides[s];
        phase.streams[s].offset += y.first * strides[1] + x.first * strides[2];
        strides[1] *= y.step;
        strides[2] *= x.step;
      }
      phase.body = std::move(c);
      phases.push_back(std::move(phase));
    }
  }
  return phases;
}

}  // namespace systolith::compiler
