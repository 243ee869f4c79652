#ifndef SYSTOLITH_TESTS_KERNELS_FUNCTIONS_TABLE_H_
#define SYSTOLITH_TESTS_KERNELS_FUNCTIONS_TABLE_H_

#include <mpfr.h>

#include <cstdint>
#include <span>
#include <string>

// Every function of the kernel library, and the operations that round, with what is promised about
// it: the tests check these bounds, docs/functions.md prints them.
namespace systolith::testing {

// The exact value up to the precision of `result`; operands are f32 values, subnormals flushed.
using ExactFunction = void (*)(mpfr_t result, const mpfr_t x, const mpfr_t y);
// The same in double, good to 2^-40 of its value: a screen, never a verdict.
using NearFunction = double (*)(double x, double y);
// Functions of which every bit is prescribed.
using BitFunction = uint32_t (*)(uint32_t x, uint32_t y, uint32_t z);

// Largest error: ulp * (unit in the last place of the exact value) + argument * 2^-24 * |x| +
// absolute.
struct Bound {
  double ulp = 0;
  double argument = 0;
  double absolute = 0;
};

struct Function {
  const char* name;
  int arguments;
  const char* meaning;
  Bound bound;  // of functions without `bits`; with them 0.5 ulp says that the value is rounded
  ExactFunction exact = nullptr;
  NearFunction near = nullptr;
  BitFunction bits = nullptr;
  const char* special = "";  // of interest beyond what IEEE prescribes
  Bound below_zero = {};     // for x < 0, unless it is that of all x (ulp = 0)
  bool is_operation = false;  // of the vector unit itself
};

// "call exp", "divide_f32": what a kernel writes before the operands.
std::string Invocation(const Function& function);

// The bound that holds at x.
const Bound& BoundAt(const Function& function, double x);

std::span<const Function> Functions();

// "2 ulp", "2 ulp; x < 0: 3 ulp + 2^-19", "exact".
std::string BoundText(const Function& function);

}  // namespace systolith::testing

#endif  // SYSTOLITH_TESTS_KERNELS_FUNCTIONS_TABLE_H_
