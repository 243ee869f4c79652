#ifndef SYSTOLITH_HOST_COMPILER_CODEGEN_ROW_REDUCTION_H_
#define SYSTOLITH_HOST_COMPILER_CODEGEN_ROW_REDUCTION_H_

#include "host/compiler/codegen/generator.h"

namespace systolith::compiler {

// The type of partial results: 32 bits, so that nothing is rounded or wrapped before the end.
arch::LaneType PartialTypeOf(graph::ElementType type);

// Whether the elements of a sum lie next to each other, so that they are loaded as rows.
bool FoldsAlongRows(const Reduction& reduction);

// The same sums as the other way, in the same order.
Status EmitRowReduction(Generator& generator, const Kernel& kernel);

}  // namespace systolith::compiler

#endif  // SYSTOLITH_HOST_COMPILER_CODEGEN_ROW_REDUCTION_H_
