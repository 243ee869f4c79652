#ifndef SYSTOLITH_HOST_COMPILER_PASSES_REDUCTION_IDENTITIES_H_
#define SYSTOLITH_HOST_COMPILER_PASSES_REDUCTION_IDENTITIES_H_

#include "host/graph/graph.h"

namespace systolith::compiler {

// A maximum of 64-bit integers starts at the lowest of them, which has no room in 32 bits even where
// all elements have. Where every result has an element and all elements fit, it may as well start
// at the lowest number of 32 bits; the same for minimums.
void ShrinkIdentities(graph::Function& function);

}  // namespace systolith::compiler

#endif  // SYSTOLITH_HOST_COMPILER_PASSES_REDUCTION_IDENTITIES_H_
