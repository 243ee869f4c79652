#ifndef SYSTOLITH_HOST_COMPILER_CODEGEN_FOLD_JOB_H_
#define SYSTOLITH_HOST_COMPILER_CODEGEN_FOLD_JOB_H_

#include <compare>
#include <cstdint>
#include <vector>

#include "host/arch/chip_config.h"
#include "host/arch/isa.h"
#include "host/base/status.h"
#include "host/kernel/kernel.h"

namespace systolith::compiler {

// Folds every row of the buffer into kPartials partials beside each other: element i joins partial
// i mod kPartials, in rising i.
struct FoldJob {
  arch::AluOp combine = arch::AluOp::kAddF32;
  arch::LaneType type = arch::LaneType::kF32;           // of the rows
  arch::LaneType partial_type = arch::LaneType::kF32;
  uint32_t identity = 0;  // lane value that changes nothing
  bool joins = false;     // the partials hold those of elements before
  int64_t rows = 1, length = 1;  // `length` elements each; at least kPartials where none are before
  int64_t base = 0, pitch = 0;   // bytes: of the first row, and from one to the next
  int64_t partials = 0, partial_pitch = 0;
};

struct FoldKernel {
  arch::AluOp combine = arch::AluOp::kAddF32;
  bool joins = false;

  auto operator<=>(const FoldKernel&) const = default;
};
Result<kernel::Kernel> BuildFoldKernel(const FoldKernel& fold);

struct LoweredFold {
  FoldKernel kernel;
  std::vector<arch::Stream> streams;  // `index` set; without bases
  arch::Vector vector;                // without the kernel's place and body
};

// An instance holds a row group of partials and runs over the blocks of its rows.
Result<LoweredFold> LowerFoldJob(const FoldJob& job, const arch::ChipConfig& chip);

// The lane value that changes nothing, for operations that have one.
uint32_t IdentityOf(arch::AluOp combine);

}  // namespace systolith::compiler

#endif  // SYSTOLITH_HOST_COMPILER_CODEGEN_FOLD_JOB_H_
