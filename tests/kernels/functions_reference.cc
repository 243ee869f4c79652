#include "tests/kernels/functions_reference.h"

#include <cmath>
#include <limits>

namespace systolith::testing {
namespace {

constexpr mpfr_prec_t kPrecision = 200;  // of what is computed in between

// Some mpfr numbers that clear themselves.
template <int count>
class Numbers {
 public:
  Numbers() {
    for (auto& number : numbers_) mpfr_init2(number, kPrecision);
  }
  ~Numbers() {
    for (auto& number : numbers_) mpfr_clear(number);
  }
  Numbers(const Numbers&) = delete;
  Numbers& operator=(const Numbers&) = delete;
  mpfr_ptr operator[](int i) { return numbers_[i]; }

 private:
  mpfr_t numbers_[count];
};

// result <- x / (1 + e^-z).
void TimesLogistic(mpfr_t result, const mpfr_t x, mpfr_ptr z) {
  mpfr_neg(z, z, MPFR_RNDN);
  mpfr_exp(z, z, MPFR_RNDN);
  mpfr_add_ui(z, z, 1, MPFR_RNDN);
  mpfr_div(result, x, z, MPFR_RNDN);
}

}  // namespace

// IEEE's: 1 / sqrt(-0) = -inf.
void ExactRsqrt(mpfr_t result, const mpfr_t x, const mpfr_t) {
  Numbers<1> n;
  mpfr_sqrt(n[0], x, MPFR_RNDN);
  mpfr_ui_div(result, 1, n[0], MPFR_RNDN);
}

void ExactLogistic(mpfr_t result, const mpfr_t x, const mpfr_t) {
  Numbers<2> n;
  mpfr_set_ui(n[0], 1, MPFR_RNDN);
  mpfr_set(n[1], x, MPFR_RNDN);
  TimesLogistic(result, n[0], n[1]);
}

void ExactSoftplus(mpfr_t result, const mpfr_t x, const mpfr_t) {
  Numbers<1> n;
  mpfr_exp(n[0], x, MPFR_RNDN);
  mpfr_log1p(result, n[0], MPFR_RNDN);
  if (mpfr_inf_p(n[0])) mpfr_set(result, x, MPFR_RNDN);
}

void ExactLogAddExp(mpfr_t result, const mpfr_t x, const mpfr_t y) {
  Numbers<2> n;
  if (mpfr_nan_p(x) || mpfr_nan_p(y)) {
    mpfr_set_nan(result);
    return;
  }
  const bool y_is_large = mpfr_less_p(x, y);
  const mpfr_srcptr large = y_is_large ? y : x, small = y_is_large ? x : y;
  if (mpfr_inf_p(large)) {
    mpfr_set(result, large, MPFR_RNDN);
    return;
  }
  mpfr_sub(n[0], small, large, MPFR_RNDN);
  ExactSoftplus(n[1], n[0], n[0]);
  mpfr_add(result, large, n[1], MPFR_RNDN);
}

// x * erfc(-x / sqrt(2)) / 2.
void ExactGelu(mpfr_t result, const mpfr_t x, const mpfr_t) {
  Numbers<2> n;
  mpfr_set_ui(n[0], 2, MPFR_RNDN);
  mpfr_sqrt(n[0], n[0], MPFR_RNDN);
  mpfr_div(n[0], x, n[0], MPFR_RNDN);
  mpfr_neg(n[0], n[0], MPFR_RNDN);
  mpfr_erfc(n[1], n[0], MPFR_RNDN);
  mpfr_div_2ui(n[1], n[1], 1, MPFR_RNDN);
  mpfr_mul(result, n[1], x, MPFR_RNDN);
}

// x / (1 + e^-2z), z = sqrt(2 / pi) * (x + 0.044715 * x^3).
void ExactGeluTanh(mpfr_t result, const mpfr_t x, const mpfr_t) {
  Numbers<2> n;
  mpfr_mul(n[0], x, x, MPFR_RNDN);
  mpfr_mul(n[0], n[0], x, MPFR_RNDN);
  mpfr_mul_ui(n[0], n[0], 44715, MPFR_RNDN);
  mpfr_div_ui(n[0], n[0], 1000000, MPFR_RNDN);
  mpfr_add(n[0], n[0], x, MPFR_RNDN);
  mpfr_const_pi(n[1], MPFR_RNDN);
  mpfr_ui_div(n[1], 8, n[1], MPFR_RNDN);
  mpfr_sqrt(n[1], n[1], MPFR_RNDN);
  mpfr_mul(n[0], n[0], n[1], MPFR_RNDN);
  TimesLogistic(result, x, n[0]);
}

// Newton's method on erf from the double value: each step doubles the digits.
void ExactErfInverse(mpfr_t result, const mpfr_t x, const mpfr_t) {
  const double start = NearErfInverse(mpfr_get_d(x, MPFR_RNDN), 0);
  if (!std::isfinite(start) || start == 0) {
    mpfr_set_d(result, start, MPFR_RNDN);
    return;
  }
  Numbers<4> n;
  mpfr_set_d(n[0], start, MPFR_RNDN);
  for (int step = 0; step < 2; ++step) {
    mpfr_erf(n[1], n[0], MPFR_RNDN);  // 200 bits leave enough after the subtraction
    mpfr_sub(n[1], n[1], x, MPFR_RNDN);
    mpfr_sqr(n[2], n[0], MPFR_RNDN);
    mpfr_exp(n[2], n[2], MPFR_RNDN);
    mpfr_mul(n[1], n[1], n[2], MPFR_RNDN);
    mpfr_const_pi(n[2], MPFR_RNDN);
    mpfr_sqrt(n[2], n[2], MPFR_RNDN);
    mpfr_div_2ui(n[2], n[2], 1, MPFR_RNDN);
    mpfr_mul(n[1], n[1], n[2], MPFR_RNDN);  // (erf(z) - x) / erf'(z)
    mpfr_mul(n[3], n[0], n[1], MPFR_RNDN);
    mpfr_add_ui(n[3], n[3], 1, MPFR_RNDN);
    mpfr_div(n[1], n[1], n[3], MPFR_RNDN);
    mpfr_sub(n[0], n[0], n[1], MPFR_RNDN);
  }
  mpfr_set(result, n[0], MPFR_RNDN);
}

double NearErfInverse(double y, double) {
  if (std::isnan(y) || std::fabs(y) > 1) return std::numeric_limits<double>::quiet_NaN();
  if (std::fabs(y) == 1) return std::copysign(std::numeric_limits<double>::infinity(), y);
  constexpr double kRootPi = 1.77245385090551602730;
  if (std::fabs(y) < 1e-30) return y * kRootPi / 2;
  // A closed approximation, then Newton's method on what has digits: erf, in the tails 1 - erf.
  constexpr double kShape = 0.147;
  const double log = std::log1p(-y * y);
  const double half = 2 / (M_PI * kShape) + log / 2;
  double x = std::sqrt(std::sqrt(half * half - log / kShape) - half);
  const double size = std::fabs(y);
  if (size < 1e-3) x = size * kRootPi / 2;
  for (int step = 0; step < 4; ++step) {
    const double error = size < 0.5 ? std::erf(x) - size : (1 - size) - std::erfc(x);
    const double slope = 2 / kRootPi * std::exp(-x * x);
    x -= error / (slope + x * error);
  }
  return std::copysign(x, y);
}

void ExactLgamma(mpfr_t result, const mpfr_t x, const mpfr_t) {
  int sign = 0;
  mpfr_lgamma(result, &sign, x, MPFR_RNDN);
}

void ExactDigamma(mpfr_t result, const mpfr_t x, const mpfr_t) {
  if (mpfr_zero_p(x)) {
    mpfr_set_inf(result, mpfr_signbit(x) ? 1 : -1);
    return;
  }
  mpfr_digamma(result, x, MPFR_RNDN);
}

// Asymptotic series above 16, reached by recurrence; below 1/2 by reflection. Near the zero
// at 1.46, where the sum loses its digits, infinity: not known.
double NearDigamma(double x, double) {
  if (x < 0.5) {
    const double fraction = x - std::rint(x);
    if (fraction == 0 && x != 0) return std::numeric_limits<double>::quiet_NaN();
    return NearDigamma(1 - x, 0) - M_PI / std::tan(M_PI * fraction);
  }
  double below = 0;
  for (; x < 16; x += 1) below += 1 / x;
  const double s = 1 / (x * x);
  const double series =
      s * (1 / 12.0 - s * (1 / 120.0 - s * (1 / 252.0 - s * (1 / 240.0 - s / 132.0))));
  const double value = std::log(x) - 0.5 / x - series - below;
  return std::fabs(value) < 0x1p-6 ? std::numeric_limits<double>::infinity() : value;
}

}  // namespace systolith::testing
