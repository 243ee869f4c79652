#ifndef SYSTOLITH_HOST_COMPILER_EXPAND_EXPAND_H_
#define SYSTOLITH_HOST_COMPILER_EXPAND_EXPAND_H_

#include "host/arch/chip_config.h"
#include "host/base/status.h"
#include "host/compiler/compilation.h"
#include "host/graph/graph.h"

// Operations for which the chip has no kernel become operations for which it has.
namespace systolith::compiler {

// Rewrites a function, nested control flow included. What an operation expands to is expanded
// again, as often as need be; what nothing is known about stays as it is. Locations are kept.
void ExpandFunction(graph::Function& function, const arch::ChipConfig& chip);

// The same for those operations on 64-bit integers that can't be done in words as they are.
void ExpandWideOperations(graph::Function& function, const arch::ChipConfig& chip);

// 64-bit integers become pairs of 32-bit words, nested control flow included.
void SplitWideIntegersOf(graph::Function& function, const arch::ChipConfig& chip);

// The passes.
Status ExpandOperations(Compilation& compilation);
Status SplitWideIntegers(Compilation& compilation);

}  // namespace systolith::compiler

#endif  // SYSTOLITH_HOST_COMPILER_EXPAND_EXPAND_H_
