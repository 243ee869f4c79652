#ifndef SYSTOLITH_HOST_COMPILER_CODEGEN_CONTRACTION_PLACES_H_
#define SYSTOLITH_HOST_COMPILER_CODEGEN_CONTRACTION_PLACES_H_

#include "host/compiler/kernel.h"

namespace systolith::compiler {

// Whether a contraction takes its left operand, or the stream `s`, from the unified buffer where it
// lies dense, or leaves its result there: rows of elements next to each other that start at
// multiples of 8 elements. A function of the kernel alone.
bool TakesLhsInPlace(const Kernel& kernel);
bool TakesStreamInPlace(const Kernel& kernel, size_t s);
bool MakesResultInPlace(const Kernel& kernel);

}  // namespace systolith::compiler

#endif  // SYSTOLITH_HOST_COMPILER_CODEGEN_CONTRACTION_PLACES_H_
