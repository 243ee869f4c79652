#ifndef SYSTOLITH_HOST_COMPILER_CODEGEN_ROW_LOWERING_H_
#define SYSTOLITH_HOST_COMPILER_CODEGEN_ROW_LOWERING_H_

#include <vector>

#include "host/arch/chip_config.h"
#include "host/arch/isa.h"
#include "host/base/status.h"
#include "host/compiler/codegen/chain_kernel.h"
#include "host/compiler/codegen/row_job.h"

namespace systolith::compiler {

// A row job as the vector unit takes it: x is in0, the streams are in1.., the result is out0.
struct LoweredJob {
  ChainKernel kernel;
  std::vector<arch::Stream> streams;  // `index` set, in rising order; without bases
  arch::Vector vector;                // without the kernel's place and body
};

inline constexpr int64_t kMaxGroups = 4;

// How the elements of a job lie in the sublanes of row groups.
enum class GroupShape {
  kFlat,    // a group is a stretch of dense elements
  kRows,    // a row in each sublane
  kChunks,  // a row's stretches of `Lanes` elements, one in each sublane
};

// Cuts the job into row groups, in the way that needs the fewest. Rows that follow one another in
// every operand become one long row. What does not change from group to group is read once, by the
// prologue. An instance of the kernel takes up to `max_groups` row groups.
Result<LoweredJob> LowerRowJob(const RowJob& job, const arch::ChipConfig& chip,
                               int64_t max_groups = kMaxGroups);

}  // namespace systolith::compiler

#endif  // SYSTOLITH_HOST_COMPILER_CODEGEN_ROW_LOWERING_H_
