#include "host/compiler/codegen/contraction_places.h"

#include <algorithm>

#include "host/compiler/buffer_plan.h"

namespace systolith::compiler {
namespace {

bool StartsRows(const Axis& axis) {
  return axis.size == 1 || (axis.stride >= 0 && StartsRow(axis.stride));
}

// Not those of several phases, nor those of the vector unit.
const Contraction* PlainContraction(const Kernel& kernel) {
  const auto* c = std::get_if<Contraction>(&kernel.body);
  const bool is_plain = c != nullptr && !c->on_vector_unit && c->base_dilation_y == 1 &&
                        c->base_dilation_x == 1;
  return is_plain ? c : nullptr;
}

bool StartsAligned(const View& view) { return !view.shift.valid() && StartsRow(view.offset); }

}  // namespace

bool TakesLhsInPlace(const Kernel& kernel) {
  const Contraction* c = PlainContraction(kernel);
  if (c == nullptr || !StartsAligned(c->lhs) || c->c.stride != 1 || !StartsRow(c->c.size)) {
    return false;
  }
  // What is outside of a row of pixels is told by the distance from its start. Taps along x may be
  // one row of terms, for which pixels must touch.
  const bool is_row = c->w.size == 1 || c->w.stride == c->c.size ||
                      (c->w.stride > c->c.size && c->kw.size == 1);
  return is_row && StartsRows(c->n) && StartsRows(c->h) && StartsRows(c->w) &&
         std::all_of(c->outer.begin(), c->outer.end(),
                     [](const OuterLoop& loop) { return StartsRow(loop.lhs); });
}

bool TakesStreamInPlace(const Kernel& kernel, size_t s) {
  const Contraction* c = PlainContraction(kernel);
  if (c == nullptr || kernel.streams[s].is_iota || !StartsAligned(kernel.streams[s])) return false;
  const auto& strides = c->stream_strides[s];
  if (strides[3] != 1 && strides[3] != 0) return false;
  return StartsRows(Axis{c->out_n.size, strides[0]}) && StartsRows(Axis{c->out_y.size, strides[1]}) &&
         StartsRows(Axis{c->out_x.size, strides[2]}) &&
         std::all_of(c->outer.begin(), c->outer.end(),
                     [s](const OuterLoop& loop) { return StartsRow(loop.streams[s]); });
}

bool MakesResultInPlace(const Kernel& kernel) {
  const Contraction* c = PlainContraction(kernel);
  if (c == nullptr || !StartsAligned(kernel.out) || c->out_o.stride != 1 ||
      !StartsRow(c->out_o.size)) {
    return false;
  }
  return StartsRows(c->out_n) && StartsRows(c->out_y) && StartsRows(c->out_x) &&
         std::all_of(c->outer.begin(), c->outer.end(),
                     [](const OuterLoop& loop) { return StartsRow(loop.out); });
}

}  // namespace systolith::compiler
