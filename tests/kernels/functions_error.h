#ifndef SYSTOLITH_TESTS_KERNELS_FUNCTIONS_ERROR_H_
#define SYSTOLITH_TESTS_KERNELS_FUNCTIONS_ERROR_H_

#include <cstdint>
#include <span>
#include <string>

#include "tests/kernels/functions_table.h"

namespace systolith::testing {

// How far results of a function are from the exact values. An error is measured in parts of the
// bound: 1 is the bound itself; infinity is a wrong NaN, infinity or sign.
//
// An infinite result counts as 2^128. A zero result is right where the exact value is below the
// normal range, or above it by no more than the bound.
class ErrorMeter {
 public:
  explicit ErrorMeter(const Function& function);
  ~ErrorMeter();
  ErrorMeter(const ErrorMeter&) = delete;
  ErrorMeter& operator=(const ErrorMeter&) = delete;

  // Of one result, against MPFR.
  double Exact(uint32_t x, uint32_t y, uint32_t result);

  // Adds results to the worst so far. With `screened`, MPFR is asked only where the double
  // reference does not show that the error is below the worst so far.
  void Add(std::span<const uint32_t> x, std::span<const uint32_t> y,
           std::span<const uint32_t> results, bool screened);

  double worst() const { return worst_; }
  uint64_t count() const { return count_; }
  // "worst 1.30 of 2 ulp at x = 0x3f800000 (1)".
  std::string Summary() const;

 private:
  double Screen(uint32_t x, uint32_t y, uint32_t result) const;

  const Function& function_;
  mpfr_t x_, y_, exact_, error_;
  double worst_ = 0;
  uint32_t worst_x_ = 0, worst_y_ = 0, worst_result_ = 0;
  uint64_t count_ = 0;
};

}  // namespace systolith::testing

#endif  // SYSTOLITH_TESTS_KERNELS_FUNCTIONS_ERROR_H_
