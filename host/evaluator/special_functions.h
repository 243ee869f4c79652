#ifndef SYSTOLITH_HOST_EVALUATOR_SPECIAL_FUNCTIONS_H_
#define SYSTOLITH_HOST_EVALUATOR_SPECIAL_FUNCTIONS_H_

// CHLO's functions that the C++ library lacks, in double to about 1e-14.
namespace systolith::evaluator {

double ErfInverse(double y);

// exp(-|x|) times the modified Bessel function I1(x).
double BesselI1e(double x);

// The logarithmic derivative of gamma; NaN at its poles 0, -1, -2 ...
double Digamma(double x);

// Hurwitz's sum of (q + k)^-x for k = 0, 1 ... Infinity at x = 1 and where q is 0, -1, -2 ...; NaN
// below x = 1 and for negative q with an x that is no integer.
double Zeta(double x, double q);

// The n-th derivative of digamma; NaN unless n is 0, 1, 2 ...
double Polygamma(double n, double x);

}  // namespace systolith::evaluator

#endif  // SYSTOLITH_HOST_EVALUATOR_SPECIAL_FUNCTIONS_H_
