#ifndef SYSTOLITH_HOST_COMPILER_CODEGEN_TREE_JOB_H_
#define SYSTOLITH_HOST_COMPILER_CODEGEN_TREE_JOB_H_

#include <compare>
#include <cstdint>
#include <optional>
#include <vector>

#include "host/arch/chip_config.h"
#include "host/arch/isa.h"
#include "host/base/status.h"
#include "host/kernel/kernel.h"

namespace systolith::compiler {

// Partial results of a reduction, part of the numeric contract: they fold as a tree at distance 64,
// 32 ... 1.
inline constexpr int64_t kPartials = 128;

// Folds rows of the buffer, one partial each, element by element as that tree, and joins the
// initial value if there is one. A result of the partials' type may take the place of the first
// row.
struct TreeJob {
  arch::AluOp combine = arch::AluOp::kAddF32;
  arch::LaneType type = arch::LaneType::kF32;  // of the partials
  arch::LaneType result_type = arch::LaneType::kF32;
  int64_t partials = 0;  // 1..kPartials; absent ones take no part
  int64_t length = 0;    // elements of a row
  int64_t pitch = 0;     // bytes from one row to the next
  int64_t base = 0;      // byte address of the first
  int64_t result = 0;    // byte address
  std::optional<uint32_t> init;  // lane value
};

// Everything is in the lanes, where bf16 and f16 are f32: the result is rounded once.
struct TreeKernel {
  arch::AluOp combine = arch::AluOp::kAddF32;
  int64_t partials = 1;
  bool has_init = false;  // s0

  auto operator<=>(const TreeKernel&) const = default;
};
Result<kernel::Kernel> BuildTreeKernel(const TreeKernel& tree);

struct LoweredTree {
  TreeKernel kernel;
  std::vector<arch::Stream> streams;  // `index` set; without bases
  arch::Vector vector;                // without the kernel's place and body
};

// One instance folds a row group's worth of columns: stream q gives partials 32q.. at its steps.
Result<LoweredTree> LowerTreeJob(const TreeJob& job, const arch::ChipConfig& chip);

}  // namespace systolith::compiler

#endif  // SYSTOLITH_HOST_COMPILER_CODEGEN_TREE_JOB_H_
