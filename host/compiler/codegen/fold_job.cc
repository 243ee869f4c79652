#include "host/compiler/codegen/fold_job.h"

#include <algorithm>
#include <bit>
#include <limits>

#include "host/base/rounding.h"
#include "host/compiler/codegen/row_job.h"
#include "host/compiler/codegen/tree_job.h"
#include "host/kernel/builder.h"

namespace systolith::compiler {
namespace {

constexpr size_t kRowLoop = 3, kLaneLoop = 4, kBlockLoop = 5;
constexpr size_t kSublane = 7;
constexpr uint32_t kRows = 0, kPartialsBefore = 1, kResult = arch::kInputStreams;

// Rows in sublanes, elements in lanes.
arch::Stream RowStream(uint32_t index, arch::LaneType type, int64_t pitch, int64_t rows,
                       int64_t length, const arch::ChipConfig& chip) {
  const auto size = static_cast<int32_t>(LaneBytes(type));
  const auto lanes = static_cast<int32_t>(chip.Lanes());
  const auto sublanes = static_cast<int32_t>(chip.vpu_sublanes);
  arch::Stream stream;
  stream.index = index;
  stream.type = static_cast<uint32_t>(type);
  stream.strides[kRowLoop] = sublanes * static_cast<int32_t>(pitch);
  stream.strides[kLaneLoop] = lanes * size;
  stream.strides[kSublane] = static_cast<int32_t>(pitch);
  stream.x_steps[kLaneLoop] = lanes;
  stream.y_steps[kRowLoop] = sublanes;
  stream.y_steps[kSublane] = 1;
  stream.x_limit = static_cast<uint32_t>(length);
  stream.y_limit = static_cast<uint32_t>(rows);
  return stream;
}

}  // namespace

Result<kernel::Kernel> BuildFoldKernel(const FoldKernel& fold) {
  kernel::Builder builder("fold");
  const kernel::Value partial = builder.Variable();
  builder.Assign(partial, fold.joins ? kernel::Value::Input(kPartialsBefore)
                                     : kernel::Value::Scalar(0));
  builder.BeginLoop(kBlockLoop);
  const kernel::Value joined[] = {partial, kernel::Value::Input(kRows)};
  builder.Assign(partial, fold.combine, joined);
  builder.EndLoop();
  builder.Store(0, 0, partial);
  return builder.Finish();
}

Result<LoweredFold> LowerFoldJob(const FoldJob& job, const arch::ChipConfig& chip) {
  const int64_t reach = chip.vpu_sublanes * std::max(job.pitch, job.partial_pitch);
  if (reach > std::numeric_limits<int32_t>::max()) return Internal("rows are too far apart");
  LoweredFold lowered;
  lowered.kernel = {job.combine, job.joins};
  arch::Vector& vector = lowered.vector;
  vector.counts.fill(1);
  vector.counts[kRowLoop] = static_cast<uint32_t>(CeilDivide(job.rows, chip.vpu_sublanes));
  vector.counts[kLaneLoop] = static_cast<uint32_t>(CeilDivide(kPartials, chip.Lanes()));
  vector.counts[kBlockLoop] = static_cast<uint32_t>(CeilDivide(job.length, kPartials));
  vector.kernel_level = kBlockLoop;
  vector.prologue_level = arch::kNoLevel;
  vector.scalars[0] = job.identity;

  arch::Stream rows = RowStream(kRows, job.type, job.pitch, job.rows, job.length, chip);
  rows.strides[kBlockLoop] = static_cast<int32_t>(kPartials * LaneBytes(job.type));
  rows.x_steps[kBlockLoop] = static_cast<int32_t>(kPartials);
  rows.fill = job.identity;
  lowered.streams.push_back(rows);
  vector.bases[kRows] = static_cast<int32_t>(job.base);
  const auto add_partials = [&](uint32_t index) {
    lowered.streams.push_back(RowStream(index, job.partial_type, job.partial_pitch, job.rows,
                                        kPartials, chip));
    vector.bases[index] = static_cast<int32_t>(job.partials);
  };
  if (job.joins) add_partials(kPartialsBefore);
  add_partials(kResult);
  return lowered;
}

uint32_t IdentityOf(arch::AluOp combine) {
  constexpr float kInfinity = std::numeric_limits<float>::infinity();
  switch (combine) {
    case arch::AluOp::kAddF32: return std::bit_cast<uint32_t>(-0.0f);
    case arch::AluOp::kMultiplyF32: return std::bit_cast<uint32_t>(1.0f);
    case arch::AluOp::kMaximumF32: return std::bit_cast<uint32_t>(-kInfinity);
    case arch::AluOp::kMinimumF32: return std::bit_cast<uint32_t>(kInfinity);
    case arch::AluOp::kMultiplyS32: return 1;
    case arch::AluOp::kMaximumS32: return 0x80000000;
    case arch::AluOp::kMinimumS32: return 0x7fffffff;
    case arch::AluOp::kMinimumU32:
    case arch::AluOp::kAnd: return 0xffffffff;
    default: return 0;  // add_s32, maximum_u32, or, xor
  }
}

}  // namespace systolith::compiler
