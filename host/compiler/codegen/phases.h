#ifndef SYSTOLITH_HOST_COMPILER_CODEGEN_PHASES_H_
#define SYSTOLITH_HOST_COMPILER_CODEGEN_PHASES_H_

#include <vector>

#include "host/compiler/kernel.h"

namespace systolith::compiler {

// A contraction whose lhs is dilated (by base_dilation), as contractions whose lhs is not: one for
// each position of a result relative to the dilated lhs. Each convolves the lhs with the taps that
// meet its elements there, and writes every so many-th result. What a dilation would insert is
// never read, and taps keep their order, so the bits are those of the whole. Applies to every
// stride, padding and window dilation. Phases without a result are left out.
std::vector<Kernel> SplitIntoPhases(const Kernel& kernel);

}  // namespace systolith::compiler

#endif  // SYSTOLITH_HOST_COMPILER_CODEGEN_PHASES_H_
