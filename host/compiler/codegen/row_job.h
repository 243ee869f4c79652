#ifndef SYSTOLITH_HOST_COMPILER_CODEGEN_ROW_JOB_H_
#define SYSTOLITH_HOST_COMPILER_CODEGEN_ROW_JOB_H_

#include <cstdint>
#include <optional>
#include <vector>

#include "host/arch/isa.h"
#include "host/compiler/kernel.h"

namespace systolith::compiler {

// Where the rows of one operand, or of the result, lie: in the unified buffer or the accumulators.
// An iota lies nowhere: what would be the address of an element is its value, an s32.
struct RowOperand {
  arch::LaneType type = arch::LaneType::kF32;
  std::optional<int64_t> accumulator;  // rows of this matrix unit's accumulators
  int64_t base = 0;                    // of the first row: buffer byte, accumulator row or value
  std::vector<int64_t> strides;        // the same per step of each loop of the job
  bool splat = false;                  // the first element of a row stands for all; not the result
  bool is_iota = false;

  // From an element of a row to the next, unless `splat`.
  int64_t ElementStep() const;
  bool operator==(const RowOperand&) const = default;
};

// Work of the vector unit, element by element, in terms of rows of any length: what the code
// generators for the kinds of kernels ask for. How it is cut into row groups is row_lowering's
// affair.
struct RowJob {
  std::vector<int64_t> counts;   // loops over rows, outermost first; at most 5
  int64_t length = 1;            // elements of a row, next to each other
  std::optional<RowOperand> x;   // the lane, no iota; without it: zero
  std::vector<RowOperand> streams;
  RowOperand result;
  std::vector<VectorStep> steps;
  // Whether the result may be overwritten behind a row, up to a multiple of 8 elements.
  bool writes_padding = true;
  // Rows are single elements and begin anywhere, not only at multiples of 8 elements.
  bool is_scattered = false;
};

// Bytes of an element in the buffer.
int64_t LaneBytes(arch::LaneType type);

}  // namespace systolith::compiler

#endif  // SYSTOLITH_HOST_COMPILER_CODEGEN_ROW_JOB_H_
