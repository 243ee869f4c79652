#include "host/evaluator/special_functions.h"

#include <array>
#include <cmath>
#include <limits>

namespace systolith::evaluator {
namespace {

constexpr double kPi = 3.14159265358979323846;
constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

// Bernoulli's numbers B2, B4 ... With arguments from kAsymptotic on, the first one left out is
// below 1e-16 of the result.
constexpr std::array<double, 10> kBernoulli = {
    1.0 / 6,      -1.0 / 30,       1.0 / 42,  -1.0 / 30,         5.0 / 66,
    -691.0 / 2730, 7.0 / 6, -3617.0 / 510, 43867.0 / 798, -174611.0 / 330};
constexpr double kAsymptotic = 12;

// Zeta for x > 1 and q > 0: the first terms one by one, the rest by the formula of Euler and
// Maclaurin.
double ZetaOfPositive(double x, double q) {
  double sum = 0;
  for (; q < kAsymptotic; q += 1) {
    const double term = std::pow(q, -x);
    sum += term;
    if (term < sum * 1e-18) return sum;  // so are all that follow, and their sum is not much more
  }
  double term = std::pow(q, -x);
  sum += q * term / (x - 1) + term / 2;
  double factor = x * term / q;  // x (x+1) ... (x+2j-2) q^-(x+2j-1)
  double factorial = 2;          // (2j)!
  for (size_t j = 0; j < kBernoulli.size(); ++j) {
    sum += kBernoulli[j] * factor / factorial;
    const double n = 2.0 * static_cast<double>(j + 1);
    factor *= (x + n - 1) * (x + n) / (q * q);
    factorial *= (n + 1) * (n + 2);
  }
  return sum;
}

double DigammaOfPositive(double x) {
  double sum = 0;
  for (; x < kAsymptotic; x += 1) sum -= 1 / x;
  sum += std::log(x) - 0.5 / x;
  double power = 1 / (x * x);
  for (size_t j = 0; j < kBernoulli.size(); ++j) {
    sum -= kBernoulli[j] * power / (2.0 * static_cast<double>(j + 1));
    power /= x * x;
  }
  return sum;
}

}  // namespace

double ErfInverse(double y) {
  if (std::isnan(y) || std::fabs(y) > 1) return kNan;
  if (std::fabs(y) == 1) return std::copysign(kInfinity, y);
  if (std::fabs(y) < 1e-150) return y * 0.88622692545275801365;  // y * sqrt(pi) / 2
  // A rough start, then Newton's method.
  constexpr double kShape = 0.147;  // of the closed approximation
  const double log = std::log1p(-y * y);
  const double half = 2 / (kPi * kShape) + log / 2;
  double x = std::copysign(std::sqrt(std::sqrt(half * half - log / kShape) - half), y);
  for (int step = 0; step < 4; ++step) {
    // In the tails 1 - erf is what has digits.
    const double tail = (1 - std::fabs(y)) - std::erfc(std::fabs(x));
    const double error = std::fabs(y) < 0.5 ? std::erf(x) - y : y < 0 ? -tail : tail;
    const double slope = 2 / std::sqrt(kPi) * std::exp(-x * x);
    x -= error / (slope + x * error);
  }
  return x;
}

double BesselI1e(double x) {
  if (std::isnan(x)) return kNan;
  const double a = std::fabs(x);
  constexpr double kSeriesEnd = 40;  // behind it the asymptotic series reaches 1e-17
  double result = 0;
  if (a < kSeriesEnd) {
    double term = a / 2;  // (a/2)^(2k+1) / (k! (k+1)!)
    for (double k = 1; term > result * 1e-18; ++k) {
      result += term;
      term *= a * a / 4 / (k * (k + 1));
    }
    result *= std::exp(-a);
  } else {
    double term = 1;
    for (double k = 1; std::fabs(term) > 1e-18; ++k) {
      result += term;
      term *= -(4 - (2 * k - 1) * (2 * k - 1)) / (k * 8 * a);
    }
    result /= std::sqrt(2 * kPi * a);
  }
  return std::copysign(result, x);
}

double Digamma(double x) {
  if (std::isnan(x) || (x <= 0 && x == std::floor(x))) return kNan;
  if (x == kInfinity) return x;
  if (x > 0) return DigammaOfPositive(x);
  const double fraction = x - std::floor(x);  // the tangent's period
  return DigammaOfPositive(1 - x) - kPi / std::tan(kPi * fraction);
}

double Zeta(double x, double q) {
  if (std::isnan(x) || std::isnan(q) || x < 1) return kNan;
  if (x == 1) return kInfinity;
  if (q <= 0) {
    if (x != std::floor(x)) return kNan;
    if (q == std::floor(q)) return kInfinity;
  }
  if (x == kInfinity) return std::fabs(q) < 1 ? kInfinity : q == 1 ? 1 : 0;
  if (q == kInfinity) return 0;
  if (q > 0) return ZetaOfPositive(x, q);
  // The terms of negative base, the last of them -first, are the difference of two sums.
  const double count = std::ceil(-q);
  const double first = 1 - count - q;
  const double sign = std::fmod(x, 2) == 0 ? 1 : -1;
  return sign * (ZetaOfPositive(x, first) - ZetaOfPositive(x, 1 - q)) +
         ZetaOfPositive(x, q + count);
}

double Polygamma(double n, double x) {
  if (std::isnan(n) || n < 0 || n != std::floor(n)) return kNan;
  if (n == 0) return Digamma(x);
  const double sign = std::fmod(n, 2) == 0 ? -1 : 1;
  return sign * std::tgamma(n + 1) * Zeta(n + 1, x);
}

}  // namespace systolith::evaluator
