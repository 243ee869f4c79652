#include "host/compiler/codegen/transpose_job.h"

#include <bit>
#include <cassert>

#include "host/base/rounding.h"

namespace systolith::compiler {
namespace {

// Loops of the instruction that step over the tiles of one matrix; those outside are the job's.
constexpr size_t kRowsLoop = 4, kColsLoop = 5;

}  // namespace

void EmitTranspose(Emitter& emitter, const TransposeJob& job, const arch::ChipConfig& chip,
                   const Touches& touches) {
  assert(job.loops.size() <= kRowsLoop);
  const int64_t lanes = chip.Lanes();
  arch::Transpose transpose;
  transpose.counts.fill(1);
  const auto set = [&](size_t loop, const TransposeJob::Loop& steps) {
    transpose.counts[loop] = emitter.Address(steps.count);
    transpose.in_strides[loop] = emitter.Stride(steps.in);
    transpose.out_strides[loop] = emitter.Stride(steps.out);
  };
  for (size_t i = 0; i < job.loops.size(); ++i) set(i, job.loops[i]);
  set(kRowsLoop, {CeilDivide(job.rows, lanes), lanes * job.in_row, lanes * job.element_bytes});
  set(kColsLoop, {CeilDivide(job.cols, lanes), lanes * job.element_bytes, lanes * job.out_row});
  transpose.size_log2 =
      static_cast<uint32_t>(std::countr_zero(static_cast<uint64_t>(job.element_bytes)));
  transpose.rows_level = kRowsLoop;
  transpose.cols_level = kColsLoop;
  transpose.rows_limit = emitter.Address(job.rows);
  transpose.cols_limit = emitter.Address(job.cols);
  transpose.in_base = emitter.Address(job.in);
  transpose.in_row_stride = emitter.Stride(job.in_row);
  transpose.out_base = emitter.Address(job.out);
  transpose.out_row_stride = emitter.Stride(job.out_row);
  emitter.Transpose(transpose, touches);
}

int64_t TransposeCycles(int64_t rows, int64_t cols, int64_t lanes) {
  return CeilDivide(cols, lanes) * rows + CeilDivide(rows, lanes) * cols;
}

}  // namespace systolith::compiler
