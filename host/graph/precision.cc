#include "host/graph/precision.h"

#include <algorithm>

namespace systolith::graph {
namespace {

Precision Stricter(const std::array<Precision, 2>& precision, Precision default_precision) {
  const Precision asked = std::max(precision[0], precision[1]);
  return asked == Precision::kDefault ? default_precision : asked;
}

}  // namespace

Precision EffectivePrecision(const DotGeneralAttributes& dot, Precision default_precision) {
  if (!dot.algorithm) return Stricter(dot.precision, default_precision);
  const DotAlgorithm& algorithm = *dot.algorithm;
  if (algorithm.lhs_precision_type == "tf32") return Precision::kHigh;
  if (algorithm.lhs_precision_type != "bf16") return Precision::kHighest;
  if (algorithm.num_primitive_operations >= 6) return Precision::kHighest;
  return algorithm.num_primitive_operations >= 3 ? Precision::kHigh : Precision::kDefault;
}

Precision EffectivePrecision(const ConvolutionAttributes& conv, Precision default_precision) {
  return Stricter(conv.precision, default_precision);
}

}  // namespace systolith::graph
