// Which values are stored in another order than that of the value they are a view of.
#include <algorithm>

#include "host/compiler/codegen/generator.h"
#include "host/compiler/passes/planner.h"

namespace systolith::compiler {
namespace {

// A copy of fewer elements is not worth its latency.
constexpr int64_t kMinElements = 2048;

}  // namespace

bool IsWorthTransposing(const View& view) {
  const int64_t elements = graph::Product(view.dims);
  if (elements < kMinElements) return false;
  for (size_t i = 0; i < view.dims.size(); ++i) {
    if (view.dims[i] > 1 && view.strides[i] == 0) return false;  // it would be stored many times
  }
  return TransposesInBuffer(view, View::Dense(view.base, view.shape()));
}

void Planner::Straighten(graph::Value value) {
  const View& view = ViewOf(value);
  if (!UniformBits(view) && IsWorthTransposing(view)) Store(value, location_);
}

}  // namespace systolith::compiler
