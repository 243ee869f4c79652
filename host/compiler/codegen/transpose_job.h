#ifndef SYSTOLITH_HOST_COMPILER_CODEGEN_TRANSPOSE_JOB_H_
#define SYSTOLITH_HOST_COMPILER_CODEGEN_TRANSPOSE_JOB_H_

#include <cstdint>
#include <vector>

#include "host/arch/chip_config.h"
#include "host/compiler/codegen/emitter.h"

namespace systolith::compiler {

// Matrices in the buffer that become their transposes, by the cross-lane unit. Addresses and
// strides are bytes, multiples of 8 elements. A result row is filled with zeros up to a multiple of
// 8 elements; up to there, input rows are read.
struct TransposeJob {
  int64_t element_bytes = 1;    // 1, 2 or 4
  int64_t rows = 1, cols = 1;   // of the input
  int64_t in = 0, in_row = 0;   // first row, and from one to the next
  int64_t out = 0, out_row = 0;
  struct Loop {
    int64_t count, in, out;
  };
  std::vector<Loop> loops;  // over matrices; at most 4
};

void EmitTranspose(Emitter& emitter, const TransposeJob& job, const arch::ChipConfig& chip,
                   const Touches& touches);

// What the unit takes for one matrix: a cycle per row that it reads or writes.
int64_t TransposeCycles(int64_t rows, int64_t cols, int64_t lanes);

}  // namespace systolith::compiler

#endif  // SYSTOLITH_HOST_COMPILER_CODEGEN_TRANSPOSE_JOB_H_
