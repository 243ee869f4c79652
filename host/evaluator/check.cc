// StableHLO's own checks. Equality is the element type's, +0 equals -0; but NaN equals NaN, where a
// check asks whether the program gave what it should.
#include <fmt/format.h>

#include <cmath>
#include <cstdlib>

#include "host/evaluator/kernels.h"

namespace systolith::evaluator {
namespace {

bool Equal(const Literal& a, const Literal& b, int64_t i) {
  if (!graph::IsFloat(a.type())) return a.GetInt(i) == b.GetInt(i);
  const double x = a.GetDouble(i), y = b.GetDouble(i);
  return x == y || (std::isnan(x) && std::isnan(y));
}

bool AlmostEqual(const Literal& a, const Literal& b, int64_t i, double tolerance) {
  if (Equal(a, b, i)) return true;
  if (!graph::IsFloat(a.type())) return false;
  const double x = a.GetDouble(i), y = b.GetDouble(i);
  if (std::isnan(x) || std::isnan(y)) return false;
  if (std::isinf(x) || std::isinf(y) || std::signbit(x) != std::signbit(y)) return false;
  return std::fabs(x - y) <= tolerance;
}

uint64_t MagnitudeBits(const Literal& a, int64_t i) {
  const size_t at = static_cast<size_t>(i);
  switch (graph::ByteWidth(a.type())) {
    case 2: return a.As<uint16_t>()[at] & 0x7fffu;
    case 4: return a.As<uint32_t>()[at] & 0x7fffffffu;
    default: return a.As<uint64_t>()[at] & (~uint64_t{0} >> 1);
  }
}

// Distance in units in the last place. All NaNs are alike; nothing else is near a value that is not
// finite.
uint64_t UlpDifference(const Literal& a, const Literal& b, int64_t i) {
  const double u = a.GetDouble(i), v = b.GetDouble(i);
  if (u == v || (std::isnan(u) && std::isnan(v))) return 0;
  if (!std::isfinite(u) || !std::isfinite(v)) return ~uint64_t{0};
  const uint64_t x = MagnitudeBits(a, i), y = MagnitudeBits(b, i);
  if (std::signbit(u) != std::signbit(v)) return x + y;
  return x > y ? x - y : y - x;
}

}  // namespace

CheckResult EvalCheck(const Op& op, const Literal& actual, const Literal& expected) {
  const auto& call = op.As<graph::CustomCallAttributes>();
  CheckResult result{call.target, op.location.line, true, ""};
  int64_t wrong = 0, first = -1;
  for (int64_t i = 0; i < actual.size(); ++i) {
    bool holds = false;
    if (call.target.starts_with("check.expect_almost_eq")) {
      holds = AlmostEqual(actual, expected, i, call.tolerance);
    } else if (call.target == "check.expect_close" && graph::IsFloat(actual.type())) {
      const uint64_t difference = UlpDifference(actual, expected, i);
      holds = difference >= call.min_ulp_difference && difference <= call.max_ulp_difference;
    } else {
      holds = Equal(actual, expected, i);
    }
    if (holds) continue;
    if (wrong++ == 0) first = i;
  }
  if (wrong > 0) {
    result.passed = false;
    Dims index(actual.dims().size());
    int64_t rest = first;
    for (size_t d = index.size(); d-- > 0;) {
      index[d] = rest % actual.dims()[d];
      rest /= actual.dims()[d];
    }
    result.message = fmt::format("line {}: {}: element {} is {} instead of {}; {} of {} differ",
                                 result.line, call.target, graph::DimsToString(index),
                                 actual.ElementToString(first), expected.ElementToString(first),
                                 wrong, actual.size());
  }
  return result;
}

}  // namespace systolith::evaluator
