#ifndef SYSTOLITH_HOST_COMPILER_CODEGEN_COLUMN_FOLDING_H_
#define SYSTOLITH_HOST_COMPILER_CODEGEN_COLUMN_FOLDING_H_

#include <optional>

#include "host/arch/chip_config.h"
#include "host/base/status.h"
#include "host/compiler/kernel.h"
#include "host/compiler/schedule/tiling.h"

namespace systolith::compiler {

// The contraction with `fold` neighbouring results along x in the columns of one row: windows get
// longer and step `fold` pixels, and each of the pixels has its weights in columns of its own, a
// stride further down each. Few output features then fill the array's columns, and there are fewer
// rows. A weight that a pixel does not have is zero, which changes no sum of integers. nullopt for
// floats, and where results along x and their features do not follow one another, in HBM and in all
// streams.
std::optional<Kernel> FoldColumns(const Kernel& kernel, int64_t fold);

// The tiling that is estimated to be fastest within so many bytes of the buffer. Folds the
// contraction as far as that helps, if it may.
Result<Tiling> ChooseFoldedTiling(Kernel& kernel, bool may_fold, int64_t buffer_bytes,
                                  const arch::ChipConfig& chip);

// Of a folded contraction: the taps along x of one pixel, and their distance to the next pixel's.
int64_t TapsOfPixel(const Contraction& contraction);
int64_t StrideOfPixel(const Contraction& contraction);

}  // namespace systolith::compiler

#endif  // SYSTOLITH_HOST_COMPILER_CODEGEN_COLUMN_FOLDING_H_
