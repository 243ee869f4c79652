#ifndef SYSTOLITH_TESTS_KERNELS_FUNCTIONS_REFERENCE_H_
#define SYSTOLITH_TESTS_KERNELS_FUNCTIONS_REFERENCE_H_

#include <mpfr.h>

// Functions that MPFR or the C library lack. The mpfr_t ones are exact to the precision of `result`
// less a few bits; the others are good to 2^-40 of their value. `y` is ignored.
namespace systolith::testing {

void ExactRsqrt(mpfr_t result, const mpfr_t x, const mpfr_t y);
void ExactLogistic(mpfr_t result, const mpfr_t x, const mpfr_t y);
void ExactSoftplus(mpfr_t result, const mpfr_t x, const mpfr_t y);
void ExactGelu(mpfr_t result, const mpfr_t x, const mpfr_t y);
void ExactGeluTanh(mpfr_t result, const mpfr_t x, const mpfr_t y);
void ExactErfInverse(mpfr_t result, const mpfr_t x, const mpfr_t y);
void ExactLogAddExp(mpfr_t result, const mpfr_t x, const mpfr_t y);
void ExactLgamma(mpfr_t result, const mpfr_t x, const mpfr_t y);
void ExactDigamma(mpfr_t result, const mpfr_t x, const mpfr_t y);

double NearErfInverse(double x, double y);
double NearDigamma(double x, double y);

}  // namespace systolith::testing

#endif  // SYSTOLITH_TESTS_KERNELS_FUNCTIONS_REFERENCE_H_
