#include "tests/kernels/functions_operations.h"

#include <bit>

namespace systolith::testing {
namespace {

constexpr mpfr_prec_t kPrecision = 24;  // of f32
constexpr uint32_t kSign = 0x80000000, kNan = 0x7fc00000;

// The operands and a result of one operation. MPFR's exponents have no end that f32 could reach, so
// what it rounds to 24 bits is rounded once.
class Operation {
 public:
  Operation() { mpfr_inits2(kPrecision, x_, y_, z_, result_, nullptr); }
  ~Operation() { mpfr_clears(x_, y_, z_, result_, nullptr); }
  Operation(const Operation&) = delete;
  Operation& operator=(const Operation&) = delete;

  // compute(result, x, y, z, rounding); subnormal operands count as zero if `flushes`.
  template <typename Compute>
  uint32_t Run(Compute compute, bool flushes, uint32_t x, uint32_t y, uint32_t z) {
    Set(x_, x, flushes);
    Set(y_, y, flushes);
    Set(z_, z, flushes);
    // What is below 2^-126 before rounding is zero; truncation keeps on which side it is.
    compute(result_, x_, y_, z_, MPFR_RNDZ);
    const bool is_tiny = mpfr_regular_p(result_) && mpfr_get_exp(result_) <= -126;
    compute(result_, x_, y_, z_, MPFR_RNDN);
    if (mpfr_nan_p(result_)) return kNan;
    if (is_tiny) return mpfr_signbit(result_) ? kSign : 0;
    return std::bit_cast<uint32_t>(mpfr_get_flt(result_, MPFR_RNDN));
  }

 private:
  static void Set(mpfr_t operand, uint32_t bits, bool flushes) {
    if (flushes && (bits & 0x7f800000) == 0) bits &= kSign;
    mpfr_set_flt(operand, std::bit_cast<float>(bits), MPFR_RNDN);
  }

  mpfr_t x_, y_, z_, result_;
};

template <auto compute, bool flushes = true>
uint32_t Rounded(uint32_t x, uint32_t y, uint32_t z) {
  thread_local Operation operation;
  return operation.Run(compute, flushes, x, y, z);
}

void Divide(mpfr_t result, const mpfr_t x, const mpfr_t y, const mpfr_t, mpfr_rnd_t rounding) {
  mpfr_div(result, x, y, rounding);
}
void SquareRoot(mpfr_t result, const mpfr_t x, const mpfr_t, const mpfr_t, mpfr_rnd_t rounding) {
  mpfr_sqrt(result, x, rounding);
}
void MultiplyAdd(mpfr_t result, const mpfr_t x, const mpfr_t y, const mpfr_t z,
                 mpfr_rnd_t rounding) {
  mpfr_fma(result, x, y, z, rounding);
}
// z - x * y.
uint32_t MultiplySubtract(uint32_t x, uint32_t y, uint32_t z) {
  return Rounded<MultiplyAdd>(x ^ kSign, y, z);
}

template <int (*function)(mpfr_ptr, mpfr_srcptr, mpfr_rnd_t)>
void Integral(mpfr_t result, const mpfr_t x, const mpfr_t, const mpfr_t, mpfr_rnd_t rounding) {
  function(result, x, rounding);
}

// The integer of x toward zero, saturated to [low, high]; 0 for NaN.
template <bool is_signed>
uint32_t ToInteger(uint32_t x, uint32_t, uint32_t) {
  const float value = std::bit_cast<float>(x);
  constexpr double kLow = is_signed ? -0x1p31 : 0, kHigh = is_signed ? 0x1p31 - 1 : 0x1p32 - 1;
  if (value != value) return 0;
  const double limited = value < kLow ? kLow : value > kHigh ? kHigh : double{value};
  return static_cast<uint32_t>(static_cast<int64_t>(limited));
}

}  // namespace

std::vector<Function> OperationFunctions() {
  const auto operation = [](const char* name, int arguments, const char* meaning, Bound bound,
                            BitFunction bits, const char* special = "") {
    Function function = {name, arguments, meaning, bound, nullptr, nullptr, bits, special};
    function.is_operation = true;
    return function;
  };
  const Bound correctly_rounded = {0.5};
  return {
      operation("divide_f32", 2, "x / y", correctly_rounded, Rounded<Divide>),
      operation("square_root_f32", 1, "square root", correctly_rounded, Rounded<SquareRoot>,
                "-0 for -0, NaN below"),
      operation("multiply_add_f32", 3, "x * y + z, rounded once", correctly_rounded,
                Rounded<MultiplyAdd>),
      operation("multiply_subtract_f32", 3, "z - x * y, rounded once", correctly_rounded,
                MultiplySubtract),
      operation("floor_f32", 1, "integral value below", {},
                Rounded<Integral<mpfr_rint_floor>, false>, "-1 for a negative subnormal"),
      operation("ceiling_f32", 1, "integral value above", {},
                Rounded<Integral<mpfr_rint_ceil>, false>, "1 for a positive subnormal"),
      operation("round_even_f32", 1, "nearest integral value, ties to even", {},
                Rounded<Integral<mpfr_rint_roundeven>>),
      operation("round_away_f32", 1, "nearest integral value, ties away from zero", {},
                Rounded<Integral<mpfr_rint_round>>),
      operation("f32_to_s32", 1, "toward zero, saturating", {}, ToInteger<true>, "NaN gives 0"),
      operation("f32_to_u32", 1, "toward zero, saturating", {}, ToInteger<false>, "NaN gives 0"),
  };
}

}  // namespace systolith::testing
