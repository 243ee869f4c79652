#include "tests/kernels/functions_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "sim/golden/float/lane_arithmetic.h"
#include "tests/kernels/functions_operations.h"
#include "tests/kernels/functions_reference.h"

namespace systolith::testing {
namespace {

using golden::lane::Float;
using golden::lane::Signed;
using golden::lane::Truth;

using Mpfr1 = int (*)(mpfr_ptr, mpfr_srcptr, mpfr_rnd_t);
using Mpfr2 = int (*)(mpfr_ptr, mpfr_srcptr, mpfr_srcptr, mpfr_rnd_t);
using Libm1 = double (*)(double);
using Libm2 = double (*)(double, double);

template <Mpfr1 function>
void Exact(mpfr_t result, const mpfr_t x, const mpfr_t) {
  function(result, x, MPFR_RNDN);
}
template <Mpfr2 function>
void Exact(mpfr_t result, const mpfr_t x, const mpfr_t y) {
  function(result, x, y, MPFR_RNDN);
}
template <Libm1 function>
double Near(double x, double) {
  return function(x);
}
template <Libm2 function>
double Near(double x, double y) {
  return function(x, y);
}

double Logistic(double x) { return 1 / (1 + std::exp(-x)); }
double Rsqrt(double x) { return 1 / std::sqrt(x); }
double Softplus(double x) { return std::max(x, 0.0) + std::log1p(std::exp(-std::fabs(x))); }
double Gelu(double x) { return x / 2 * std::erfc(-x / M_SQRT2); }
double GeluTanh(double x) {
  return x * Logistic(2 * std::sqrt(2 / M_PI) * (x + 0.044715 * x * x * x));
}
double Lgamma(double x) {
  int sign = 0;
  return lgamma_r(x, &sign);
}
double LogAddExp(double x, double y) {
  return std::max(x, y) + std::log1p(std::exp(-std::fabs(x - y)));
}

std::vector<Function> RealFunctions() {
  return {
      {"exp", 1, "e^x", {1}, Exact<mpfr_exp>, Near<std::exp>, nullptr,
       "`exp_nonpositive` is the same for x <= 0, one operation shorter"},
      {"expm1", 1, "e^x - 1", {1.75}, Exact<mpfr_expm1>, Near<std::expm1>},
      {"log", 1, "natural logarithm", {1}, Exact<mpfr_log>, Near<std::log>},
      {"log1p", 1, "log(1 + x)", {1.75}, Exact<mpfr_log1p>, Near<std::log1p>},
      {"logistic", 1, "1 / (1 + e^-x)", {2}, ExactLogistic, Near<Logistic>},
      {"tanh", 1, "hyperbolic tangent", {1.75}, Exact<mpfr_tanh>, Near<std::tanh>},
      {"rsqrt", 1, "1 / sqrt(x)", {1.5}, ExactRsqrt, Near<Rsqrt>, nullptr, "-0 gives -inf"},
      {"cbrt", 1, "cube root", {1.25}, Exact<mpfr_cbrt>, Near<std::cbrt>},
      {"erf", 1, "error function", {1.75}, Exact<mpfr_erf>, Near<std::erf>},
      {"erfc", 1, "1 - erf(x)", {7}, Exact<mpfr_erfc>, Near<std::erfc>},
      {"erf_inv", 1, "inverse of erf", {1.5}, ExactErfInverse, NearErfInverse, nullptr,
       "NaN beyond -1 and 1"},
      {"sin", 1, "sine, of every f32", {1.75}, Exact<mpfr_sin>, Near<std::sin>},
      {"cos", 1, "cosine, of every f32", {1.75}, Exact<mpfr_cos>, Near<std::cos>},
      {"tan", 1, "tangent, of every f32", {1.5}, Exact<mpfr_tan>, Near<std::tan>},
      {"softplus", 1, "log(1 + e^x)", {2}, ExactSoftplus, Near<Softplus>},
      {"gelu", 1, "x * erfc(-x / sqrt(2)) / 2", {1.25}, ExactGelu, Near<Gelu>, nullptr,
       "-inf gives NaN, as the product would; +0 from about -5.8 down", {1.25, 0.75}},
      {"gelu_tanh", 1, "x / (1 + e^-2z), z = sqrt(2 / pi) (x + 0.044715 x^3)", {2},
       ExactGeluTanh, Near<GeluTanh>, nullptr, "-inf gives NaN, as the product would", {2, 1}},
      {"lgamma", 1, "log of the magnitude of gamma", {2}, ExactLgamma, Near<Lgamma>, nullptr,
       "inf at 0, -1, -2, ... and at both infinities", {3, 0, 0x1p-19}},
      {"digamma", 1, "derivative of lgamma", {2}, ExactDigamma, NearDigamma, nullptr,
       "-inf at +0, inf at -0, NaN at -1, -2, ... and at -inf", {2, 0, 0x1p-19}},
      {"power", 2, "x^y", {2}, Exact<mpfr_pow>, Near<std::pow>, nullptr,
       "as IEEE 754 pow: 1 for y = 0 and for x = 1, NaN for x < 0 unless y is an integer"},
      {"atan2", 2, "angle of the point with ordinate x and abscissa y", {2}, Exact<mpfr_atan2>,
       Near<std::atan2>},
      {"atan", 1, "arc tangent", {1.75}, Exact<mpfr_atan>, Near<std::atan>},
      {"asin", 1, "arc sine", {2.5}, Exact<mpfr_asin>, Near<std::asin>},
      {"acos", 1, "arc cosine", {2.5}, Exact<mpfr_acos>, Near<std::acos>},
      {"asinh", 1, "inverse of sinh", {2.75}, Exact<mpfr_asinh>, Near<std::asinh>},
      {"acosh", 1, "inverse of cosh", {2.75}, Exact<mpfr_acosh>, Near<std::acosh>},
      {"atanh", 1, "inverse of tanh", {2.75}, Exact<mpfr_atanh>, Near<std::atanh>},
      {"sinh", 1, "(e^x - e^-x) / 2", {72}, Exact<mpfr_sinh>, Near<std::sinh>, nullptr,
       "rounds as CHLO's steps do: the error grows with x, from 4 ulp below 2"},
      {"cosh", 1, "(e^x + e^-x) / 2", {72}, Exact<mpfr_cosh>, Near<std::cosh>, nullptr,
       "rounds as CHLO's steps do: the error grows with x, from 4 ulp below 2"},
      {"log_add_exp", 2, "log(e^x + e^y)", {2, 0, 0x1p-23}, ExactLogAddExp, Near<LogAddExp>},
      {"remainder_f32", 2, "x - y * trunc(x / y)", {0.001}, Exact<mpfr_fmod>, nullptr, nullptr,
       "exact, of the sign of x"},
  };
}

uint32_t DivideS32(uint32_t x, uint32_t y, uint32_t) {
  if (y == 0) return ~uint32_t{0};
  if (y == ~uint32_t{0}) return 0 - x;
  return static_cast<uint32_t>(Signed(x) / Signed(y));
}

uint32_t RemainderS32(uint32_t x, uint32_t y, uint32_t) {
  if (y == 0) return x;
  if (y == ~uint32_t{0}) return 0;
  return static_cast<uint32_t>(Signed(x) % Signed(y));
}

uint32_t PowerU32(uint32_t x, uint32_t y, uint32_t) {
  uint32_t result = 1;
  for (; y != 0; y >>= 1, x *= x) {
    if ((y & 1) != 0) result *= x;
  }
  return result;
}

uint32_t PowerS32(uint32_t x, uint32_t y, uint32_t z) {
  if (Signed(y) >= 0 || x == 1) return PowerU32(x, y, z);
  return x == ~uint32_t{0} ? ((y & 1) != 0 ? x : 1) : 0;
}

uint32_t NextAfterF32(uint32_t x, uint32_t y, uint32_t) {
  if (std::isnan(Float(x)) || std::isnan(Float(y))) return golden::kNanF32;
  return golden::lane::Bits(std::nextafter(Float(x), Float(y)));
}

// Toward zero, saturated to [low, high]; NaN gives 0.
template <int low, int high>
uint32_t Saturate(uint32_t x, uint32_t, uint32_t) {
  const float value = Float(x);
  if (std::isnan(value)) return 0;
  return static_cast<uint32_t>(static_cast<int>(std::clamp<double>(std::trunc(value), low, high)));
}

uint32_t SignF32(uint32_t x, uint32_t, uint32_t) {
  const float value = Float(x);
  if (std::isnan(value)) return golden::kNanF32;
  return value == 0 ? x : golden::lane::Bits(std::copysign(1.0f, value));
}

uint32_t ClampF32(uint32_t low, uint32_t x, uint32_t high) {
  return golden::MinimumF32(golden::MaximumF32(x, low), high);
}

uint32_t ClampS32(uint32_t low, uint32_t x, uint32_t high) {
  return static_cast<uint32_t>(std::min(std::max(Signed(x), Signed(low)), Signed(high)));
}

// An exact function whose result is `expression` of the bits x, y and z.
#define SYSTOLITH_BITS(expression)                                                     \
  [](uint32_t x, [[maybe_unused]] uint32_t y, [[maybe_unused]] uint32_t z) -> uint32_t { \
    return expression;                                                                 \
  }

std::vector<Function> BitFunctions() {
  const auto exact = [](const char* name, int arguments, const char* meaning, BitFunction bits,
                        const char* special = "") {
    return Function{name, arguments, meaning, {}, nullptr, nullptr, bits, special};
  };
  return {
      exact("divide_s32", 2, "x / y toward zero", DivideS32, "x / 0 = -1, -2^31 / -1 = -2^31"),
      exact("divide_u32", 2, "x / y, unsigned", SYSTOLITH_BITS(y == 0 ? ~uint32_t{0} : x / y),
            "x / 0: all ones"),
      exact("remainder_s32", 2, "x - y * (x / y)", RemainderS32,
            "x for y = 0, 0 for -2^31 and -1; of the sign of x"),
      exact("remainder_u32", 2, "the same, unsigned", SYSTOLITH_BITS(y == 0 ? x : x % y),
            "x for y = 0"),
      exact("power_s32", 2, "x^y modulo 2^32", PowerS32,
            "0^0 = 1; y < 0: 0 unless x is 1 or -1"),
      exact("power_u32", 2, "the same, unsigned", PowerU32),
      exact("next_after_f32", 2, "next f32 from x toward y", NextAfterF32,
            "y if they are equal, NaN if either is"),
      exact("f32_to_s8", 1, "toward zero, saturating", Saturate<-128, 127>, "NaN gives 0"),
      exact("f32_to_s16", 1, "toward zero, saturating", Saturate<-32768, 32767>, "NaN gives 0"),
      exact("f32_to_u8", 1, "toward zero, saturating", Saturate<0, 255>, "NaN gives 0"),
      exact("f32_to_u16", 1, "toward zero, saturating", Saturate<0, 65535>, "NaN gives 0"),
      exact("not_equal_f32", 2, "all ones where x and y differ",
            SYSTOLITH_BITS(Truth(Float(x) != Float(y))), "NaN differs from everything"),
      exact("not_equal_s32", 2, "all ones where x and y differ", SYSTOLITH_BITS(Truth(x != y))),
      exact("is_finite_f32", 1, "all ones unless infinite or NaN",
            SYSTOLITH_BITS(Truth(std::isfinite(Float(x))))),
      exact("sign_f32", 1, "1 of the sign of x", SignF32, "zeros as they are, NaN for NaN"),
      exact("sign_s32", 1, "-1, 0 or 1",
            SYSTOLITH_BITS(static_cast<uint32_t>((Signed(x) > 0) - (Signed(x) < 0)))),
      exact("absolute_s32", 1, "|x|", SYSTOLITH_BITS(Signed(x) < 0 ? 0 - x : x),
            "-2^31 stays"),
      exact("clamp_f32", 3, "min(max(y, x), z)", ClampF32, "NaN if one of the three is"),
      exact("clamp_s32", 3, "min(max(y, x), z)", ClampS32),
  };
}

std::vector<Function> AllFunctions() {
  std::vector<Function> functions = RealFunctions();
  for (const std::vector<Function>& more : {BitFunctions(), OperationFunctions()}) {
    functions.insert(functions.end(), more.begin(), more.end());
  }
  return functions;
}

std::string Text(const Bound& bound) {
  std::string text = fmt::format("{} ulp", bound.ulp);
  if (bound.argument == 1) text += " + 2^-24 |x|";
  if (bound.argument != 0 && bound.argument != 1) {
    text += fmt::format(" + {} * 2^-24 |x|", bound.argument);
  }
  if (bound.absolute != 0) text += fmt::format(" + 2^{}", std::ilogb(bound.absolute));
  return text;
}

}  // namespace

std::span<const Function> Functions() {
  static const std::vector<Function> functions = AllFunctions();
  return functions;
}

std::string Invocation(const Function& function) {
  return function.is_operation ? function.name : std::string("call ") + function.name;
}

const Bound& BoundAt(const Function& function, double x) {
  return x < 0 && function.below_zero.ulp != 0 ? function.below_zero : function.bound;
}

std::string BoundText(const Function& function) {
  if (function.bound.ulp < 0.5) return "exact";
  std::string text = Text(function.bound);
  if (function.below_zero.ulp != 0) text += "; x < 0: " + Text(function.below_zero);
  return text;
}

}  // namespace systolith::testing
