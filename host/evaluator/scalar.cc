#include "host/evaluator/scalar.h"

#include <bit>
#include <cassert>
#include <cmath>
#include <limits>

#include "host/base/bfloat16.h"
#include "host/evaluator/special_functions.h"

namespace systolith::evaluator {
namespace {

using graph::ElementType;
using graph::Opcode;

template <typename T>
T Canonical(T value) {
  return std::isnan(value) ? std::numeric_limits<T>::quiet_NaN() : value;
}

// IEEE maximum: NaN if either is NaN, and +0 is above -0.
template <typename T>
T Maximum(T a, T b) {
  if (std::isnan(a) || std::isnan(b)) return std::numeric_limits<T>::quiet_NaN();
  if (a == b) return std::signbit(a) ? b : a;
  return a > b ? a : b;
}

template <typename T>
T Minimum(T a, T b) {
  if (std::isnan(a) || std::isnan(b)) return std::numeric_limits<T>::quiet_NaN();
  if (a == b) return std::signbit(a) ? a : b;
  return a < b ? a : b;
}

// The operations whose f32 result is the double result rounded.
double BinaryFunction(Opcode opcode, double a, double b) {
  switch (opcode) {
    case Opcode::kAtan2: return std::atan2(a, b);
    case Opcode::kPower: return std::pow(a, b);
    case Opcode::kRemainder: return std::fmod(a, b);
    case Opcode::kPolygamma: return Polygamma(a, b);
    case Opcode::kZeta: return Zeta(a, b);
    default: assert(false); return 0;
  }
}

double UnaryFunction(Opcode opcode, double a) {
  switch (opcode) {
    case Opcode::kCbrt: return std::cbrt(a);
    case Opcode::kCosine: return std::cos(a);
    case Opcode::kExponential: return std::exp(a);
    case Opcode::kExponentialMinusOne: return std::expm1(a);
    case Opcode::kLog: return std::log(a);
    case Opcode::kLogPlusOne: return std::log1p(a);
    case Opcode::kLogistic: return 1 / (1 + std::exp(-a));
    case Opcode::kRsqrt: return 1 / std::sqrt(a);
    case Opcode::kSine: return std::sin(a);
    case Opcode::kSqrt: return std::sqrt(a);
    case Opcode::kTan: return std::tan(a);
    case Opcode::kTanh: return std::tanh(a);
    case Opcode::kErf: return std::erf(a);
    case Opcode::kErfc: return std::erfc(a);
    case Opcode::kErfInv: return ErfInverse(a);
    case Opcode::kLgamma: return std::lgamma(a);
    case Opcode::kAcos: return std::acos(a);
    case Opcode::kAcosh: return std::acosh(a);
    case Opcode::kAsin: return std::asin(a);
    case Opcode::kAsinh: return std::asinh(a);
    case Opcode::kAtan: return std::atan(a);
    case Opcode::kAtanh: return std::atanh(a);
    case Opcode::kBesselI1e: return BesselI1e(a);
    case Opcode::kDigamma: return Digamma(a);
    default: assert(false); return 0;
  }
}

// CHLO defines these two by steps, each of which rounds; near overflow the exact function is up to
// a hundred units in the last place away.
template <typename T, typename Round>
T HyperbolicCosine(T a, Round round) {
  const T half = round(std::log(0.5));
  return round(round(std::exp(double{round(a + half)})) + round(std::exp(double{round(half - a)})));
}

template <typename T, typename Round>
T HyperbolicSine(T a, Round round) {
  if (std::fabs(a) < 1) {
    const T e = round(std::expm1(double{a}));
    return round(T{0.5} * round(e + round(e / round(e + 1))));
  }
  const T half = round(std::log(0.5));
  return round(round(std::exp(double{round(a + half)})) - round(std::exp(double{round(half - a)})));
}

// Those that neither round nor treat subnormals specially. False if `opcode` is none of them.
template <typename T>
bool ExactUnary(Opcode opcode, T a, T& result) {
  switch (opcode) {
    case Opcode::kAbs: result = std::fabs(a); return true;
    case Opcode::kNegate: result = -a; return true;
    case Opcode::kCeil: result = std::ceil(a); break;
    case Opcode::kFloor: result = std::floor(a); break;
    case Opcode::kRoundNearestAfz: result = std::round(a); break;
    case Opcode::kRoundNearestEven: result = std::nearbyint(a); break;
    case Opcode::kSign: result = std::isnan(a) || a == 0 ? a : std::copysign(T{1}, a); break;
    default: return false;
  }
  result = Canonical(result);
  return true;
}

int64_t Shift(Opcode opcode, int64_t a, int64_t amount, ElementType type) {
  const int bits = graph::BitWidth(type);
  const uint64_t mask = ~uint64_t{0} >> (64 - bits);
  const uint64_t count = static_cast<uint64_t>(amount) & mask;
  const bool all_out = count >= static_cast<uint64_t>(bits);
  switch (opcode) {
    case Opcode::kShiftLeft:
      return all_out ? 0 : static_cast<int64_t>(static_cast<uint64_t>(a) << count);
    case Opcode::kShiftRightLogical:
      return all_out ? 0 : static_cast<int64_t>((static_cast<uint64_t>(a) & mask) >> count);
    default: {
      // The sign is the type's top bit, even where the type is unsigned.
      const int64_t wide = static_cast<int64_t>(static_cast<uint64_t>(a) << (64 - bits)) >>
                           (64 - bits);
      return wide >> (all_out ? 63 : count);
    }
  }
}

int64_t Divide(int64_t a, int64_t b, bool is_signed) {
  if (b == 0) return -1;
  if (!is_signed) return static_cast<int64_t>(static_cast<uint64_t>(a) / static_cast<uint64_t>(b));
  return b == -1 ? static_cast<int64_t>(0 - static_cast<uint64_t>(a)) : a / b;
}

int64_t Remainder(int64_t a, int64_t b, bool is_signed) {
  if (b == 0) return a;
  if (!is_signed) return static_cast<int64_t>(static_cast<uint64_t>(a) % static_cast<uint64_t>(b));
  return b == -1 ? 0 : a % b;
}

int64_t Power(int64_t base, int64_t exponent, bool is_signed) {
  if (is_signed && exponent < 0) {
    if (base == 1) return 1;
    if (base == -1) return exponent % 2 == 0 ? 1 : -1;
    return 0;
  }
  uint64_t result = 1, factor = static_cast<uint64_t>(base);
  for (auto left = static_cast<uint64_t>(exponent); left > 0; left >>= 1) {
    if ((left & 1) != 0) result *= factor;
    factor *= factor;
  }
  return static_cast<int64_t>(result);
}

}  // namespace

float FlushF32(float value) {
  return std::fabs(value) < std::numeric_limits<float>::min() ? std::copysign(0.0F, value) : value;
}

float RoundF32(double value) {
  if (std::fabs(value) < std::numeric_limits<float>::min()) {
    return std::copysign(0.0F, static_cast<float>(value));
  }
  return Canonical(static_cast<float>(value));
}

float BinaryF32(Opcode opcode, float a, float b) {
  switch (opcode) {
    case Opcode::kMaximum: return Maximum(a, b);
    case Opcode::kMinimum: return Minimum(a, b);
    case Opcode::kNextAfter: return Canonical(std::nextafter(a, b));
    default: break;
  }
  // A double holds enough digits that rounding its result once more gives the one rounding.
  const double x = FlushF32(a), y = FlushF32(b);
  switch (opcode) {
    case Opcode::kAdd: return RoundF32(x + y);
    case Opcode::kSubtract: return RoundF32(x - y);
    case Opcode::kMultiply: return RoundF32(x * y);
    case Opcode::kDivide: return RoundF32(x / y);
    default: return RoundF32(BinaryFunction(opcode, x, y));
  }
}

double BinaryF64(Opcode opcode, double a, double b) {
  switch (opcode) {
    case Opcode::kAdd: return Canonical(a + b);
    case Opcode::kSubtract: return Canonical(a - b);
    case Opcode::kMultiply: return Canonical(a * b);
    case Opcode::kDivide: return Canonical(a / b);
    case Opcode::kMaximum: return Maximum(a, b);
    case Opcode::kMinimum: return Minimum(a, b);
    case Opcode::kNextAfter: return Canonical(std::nextafter(a, b));
    default: return Canonical(BinaryFunction(opcode, a, b));
  }
}

float UnaryF32(Opcode opcode, float a) {
  float result = 0;
  if (ExactUnary(opcode, a, result)) return result;
  if (opcode == Opcode::kCosh) return HyperbolicCosine(FlushF32(a), RoundF32);
  if (opcode == Opcode::kSinh) return HyperbolicSine(FlushF32(a), RoundF32);
  return RoundF32(UnaryFunction(opcode, FlushF32(a)));
}

double UnaryF64(Opcode opcode, double a) {
  double result = 0;
  if (ExactUnary(opcode, a, result)) return result;
  if (opcode == Opcode::kCosh) return HyperbolicCosine(a, Canonical<double>);
  if (opcode == Opcode::kSinh) return HyperbolicSine(a, Canonical<double>);
  return Canonical(UnaryFunction(opcode, a));
}

uint16_t NextAfter16(uint16_t a, uint16_t b, ElementType type) {
  const auto widen = [type](uint16_t bits) {
    return type == ElementType::kBF16 ? FloatFromBfloat16(bits) : FloatFromFloat16(bits);
  };
  const float from = widen(a), to = widen(b);
  if (std::isnan(from) || std::isnan(to)) return type == ElementType::kBF16 ? 0x7fc0 : 0x7e00;
  if (from == to) return b;
  if (from == 0) return static_cast<uint16_t>((b & 0x8000) | 1);
  const bool away_from_zero = (to > from) == (from > 0);
  return static_cast<uint16_t>(away_from_zero ? a + 1 : a - 1);
}

int64_t BinaryInteger(Opcode opcode, int64_t a, int64_t b, ElementType type) {
  const uint64_t ua = static_cast<uint64_t>(a), ub = static_cast<uint64_t>(b);
  const bool is_signed = graph::IsSigned(type);
  const bool less = is_signed ? a < b : ua < ub;
  if (type == ElementType::kI1) {
    if (opcode == Opcode::kAdd) opcode = Opcode::kOr;
    if (opcode == Opcode::kMultiply) opcode = Opcode::kAnd;
  }
  switch (opcode) {
    case Opcode::kAdd: return static_cast<int64_t>(ua + ub);
    case Opcode::kSubtract: return static_cast<int64_t>(ua - ub);
    case Opcode::kMultiply: return static_cast<int64_t>(ua * ub);
    case Opcode::kDivide: return Divide(a, b, is_signed);
    case Opcode::kRemainder: return Remainder(a, b, is_signed);
    case Opcode::kPower: return Power(a, b, is_signed);
    case Opcode::kMaximum: return less ? b : a;
    case Opcode::kMinimum: return less ? a : b;
    case Opcode::kAnd: return a & b;
    case Opcode::kOr: return a | b;
    case Opcode::kXor: return a ^ b;
    case Opcode::kShiftLeft:
    case Opcode::kShiftRightArithmetic:
    case Opcode::kShiftRightLogical: return Shift(opcode, a, b, type);
    default: assert(false); return 0;
  }
}

int64_t UnaryInteger(Opcode opcode, int64_t a, ElementType type) {
  const int bits = graph::BitWidth(type);
  const uint64_t low = static_cast<uint64_t>(a) & (~uint64_t{0} >> (64 - bits));
  switch (opcode) {
    case Opcode::kAbs: return a < 0 ? static_cast<int64_t>(0 - static_cast<uint64_t>(a)) : a;
    case Opcode::kNegate: return static_cast<int64_t>(0 - static_cast<uint64_t>(a));
    case Opcode::kSign: return a > 0 ? 1 : a < 0 ? -1 : 0;
    case Opcode::kNot: return type == ElementType::kI1 ? 1 - a : ~a;
    case Opcode::kPopcnt: return std::popcount(low);
    case Opcode::kCountLeadingZeros: return std::countl_zero(low) - (64 - bits);
    default: assert(false); return 0;
  }
}

double ReducePrecision(double value, int exponent_bits, int mantissa_bits) {
  if (std::isnan(value) && mantissa_bits == 0) {  // no room for a NaN
    return std::copysign(std::numeric_limits<double>::infinity(), value);
  }
  if (!std::isfinite(value) || value == 0) return value;
  if (mantissa_bits < 52) {
    int exponent = 0;
    const double fraction = std::frexp(value, &exponent);  // in [0.5, 1)
    value = std::ldexp(std::nearbyint(std::ldexp(fraction, mantissa_bits + 1)),
                       exponent - mantissa_bits - 1);
  }
  if (exponent_bits >= 11) return value;
  const int bias = (1 << (exponent_bits - 1)) - 1;
  if (std::fabs(value) >= std::ldexp(1.0, bias + 1)) {
    return std::copysign(std::numeric_limits<double>::infinity(), value);
  }
  if (std::fabs(value) < std::ldexp(1.0, 1 - bias)) return std::copysign(0.0, value);
  return value;
}

}  // namespace systolith::evaluator
