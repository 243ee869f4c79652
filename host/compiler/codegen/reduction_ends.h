#ifndef SYSTOLITH_HOST_COMPILER_CODEGEN_REDUCTION_ENDS_H_
#define SYSTOLITH_HOST_COMPILER_CODEGEN_REDUCTION_ENDS_H_

#include "host/compiler/codegen/generator.h"
#include "host/compiler/codegen/row_job.h"

// What both ways to reduce (reduction, row_reduction) do alike before and after the sums.
namespace systolith::compiler {

inline bool InitIsStream(const Reduction& reduction) {
  return reduction.init.kind == StepOperand::Kind::kStream;
}

// The initial value, one element, from memory.
void LoadInitialValue(Generator& generator, const Kernel& kernel, TileSlot& init);

// One for all elements of a row.
RowOperand InitialValueRow(const Reduction& reduction, const TileSlot& init);

// `length` sums join the initial value.
void EmitJoinInitialValue(Generator& generator, const Reduction& reduction, int64_t length,
                          const RowOperand& sums, const RowOperand& results, Touches touches,
                          TileSlot& init);

// Results `first`, `first` + 1 ... `first` + `count` - 1 along the kernel's result.
void StoreReduced(Generator& generator, const Kernel& kernel, const HbmMap::Place& place,
                  const Axis& axis, int64_t first, int64_t count, TileSlot& results);

}  // namespace systolith::compiler

#endif  // SYSTOLITH_HOST_COMPILER_CODEGEN_REDUCTION_ENDS_H_
