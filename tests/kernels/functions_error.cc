#include "tests/kernels/functions_error.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "sim/golden/float/lane_arithmetic.h"

namespace systolith::testing {
namespace {

namespace lane = golden::lane;

constexpr mpfr_prec_t kPrecision = 100;
constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kSmallestNormal = 0x1p-126;
constexpr double kAboveAll = 0x1p128;

double UnitInLastPlace(double exact) {
  const double magnitude = std::clamp(std::fabs(exact), kSmallestNormal, 0x1.fffffep127);
  return std::ldexp(1.0, std::ilogb(magnitude) - 23);
}

double Allowed(const Bound& bound, double x, double exact) {
  const double of_argument = bound.argument == 0 ? 0 : bound.argument * 0x1p-24 * std::fabs(x);
  return bound.ulp * UnitInLastPlace(exact) + of_argument + bound.absolute;
}

bool IsMixed(const Bound& bound) { return bound.argument != 0 || bound.absolute != 0; }

// The error of a finite exact value's result in parts of `allowed`; `distance` is |result - exact|.
// The sign is free only where a mixed bound spans zero.
double Share(uint32_t result, double exact, double distance, double allowed, bool is_mixed) {
  const double value = lane::Float(result);
  const bool sign_is_free = is_mixed && std::fabs(exact) <= kSmallestNormal + allowed;
  if (std::signbit(value) != std::signbit(exact) && !sign_is_free) return kInfinity;
  if (value == 0 && std::fabs(exact) < kSmallestNormal + allowed) return 0;
  return distance / allowed;
}

}  // namespace

ErrorMeter::ErrorMeter(const Function& function) : function_(function) {
  mpfr_inits2(kPrecision, x_, y_, exact_, error_, nullptr);
}

ErrorMeter::~ErrorMeter() { mpfr_clears(x_, y_, exact_, error_, nullptr); }

double ErrorMeter::Exact(uint32_t x, uint32_t y, uint32_t result) {
  const Bound& bound = BoundAt(function_, lane::Flushed(x));
  mpfr_set_flt(x_, lane::Float(lane::Flush(x)), MPFR_RNDN);
  mpfr_set_flt(y_, lane::Float(lane::Flush(y)), MPFR_RNDN);
  function_.exact(exact_, x_, y_);
  if (mpfr_nan_p(exact_)) return result == golden::kNanF32 ? 0 : kInfinity;
  if (lane::IsNan(result)) return kInfinity;
  double exact = mpfr_get_d(exact_, MPFR_RNDN);
  const bool underflows = mpfr_zero_p(exact_) && !mpfr_zero_p(x_) && IsMixed(bound);
  if (mpfr_inf_p(exact_) || (mpfr_zero_p(exact_) && !underflows)) {
    return lane::Bits(static_cast<float>(exact)) == result ? 0 : kInfinity;
  }
  if (exact == 0) exact = std::copysign(0x1p-1000, mpfr_sgn(exact_));
  exact = std::clamp(exact, -0x1p1000, 0x1p1000);
  const float value = lane::Float(result);
  double distance = 0;
  if (std::isinf(value)) {
    if (std::fabs(exact) < kAboveAll) {
      mpfr_set_d(error_, std::copysign(kAboveAll, value), MPFR_RNDN);
      mpfr_sub(error_, error_, exact_, MPFR_RNDN);
      distance = std::fabs(mpfr_get_d(error_, MPFR_RNDN));
    }
  } else {
    mpfr_set_flt(error_, value, MPFR_RNDN);
    mpfr_sub(error_, error_, exact_, MPFR_RNDN);
    distance = std::fabs(mpfr_get_d(error_, MPFR_RNDN));
  }
  return Share(result, exact, distance, Allowed(bound, lane::Flushed(x), exact),
               IsMixed(bound));
}

double ErrorMeter::Screen(uint32_t x, uint32_t y, uint32_t result) const {
  const Bound& bound = BoundAt(function_, lane::Flushed(x));
  const double near = function_.near(lane::Flushed(x), lane::Flushed(y));
  if (std::isnan(near)) return result == golden::kNanF32 ? 0 : kInfinity;
  const double value = lane::Float(result);
  // At the ends of the range MPFR decides; a mixed bound has no lower end.
  const bool is_above = std::fabs(near) > 0x1p-125 || (IsMixed(bound) && lane::Flushed(x) != 0);
  if (!is_above || !(std::fabs(near) < 0x1p127) || !std::isfinite(value)) return kInfinity;
  const double allowed = Allowed(bound, lane::Flushed(x), near);
  return Share(result, near, std::fabs(value - near) + 0x1p-40 * std::fabs(near), allowed,
               IsMixed(bound));
}

void ErrorMeter::Add(std::span<const uint32_t> x, std::span<const uint32_t> y,
                     std::span<const uint32_t> results, bool screened) {
  screened = screened && function_.near != nullptr;
  for (size_t i = 0; i < results.size(); ++i) {
    const uint32_t second = y.empty() ? 0 : y[i];
    if (screened && Screen(x[i], second, results[i]) <= worst_) continue;
    const double error = Exact(x[i], second, results[i]);
    if (error <= worst_) continue;
    worst_ = error;
    worst_x_ = x[i], worst_y_ = second, worst_result_ = results[i];
  }
  count_ += results.size();
}

std::string ErrorMeter::Summary() const {
  const Bound& bound = BoundAt(function_, lane::Float(worst_x_));
  std::string text = fmt::format("{}: {} inputs, worst error ", function_.name, count_);
  text += IsMixed(bound) ? fmt::format("{:.3f} of the bound", worst_)
                          : fmt::format("{:.3f} ulp", worst_ * bound.ulp);
  text += fmt::format(" (bound {}) at 0x{:08x} ({:.9g})", BoundText(function_), worst_x_,
                      lane::Float(worst_x_));
  if (function_.arguments > 1) {
    text += fmt::format(", 0x{:08x} ({:.9g})", worst_y_, lane::Float(worst_y_));
  }
  return text + fmt::format(" -> 0x{:08x} ({:.9g})", worst_result_, lane::Float(worst_result_));
}

}  // namespace systolith::testing
