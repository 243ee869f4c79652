#include "host/compiler/codegen/tree_job.h"

#include <limits>

#include "host/base/rounding.h"
#include "host/compiler/codegen/row_job.h"
#include "host/kernel/builder.h"

namespace systolith::compiler {
namespace {

using kernel::Value;

constexpr int64_t kSteps = kPartials / arch::kInputStreams;  // of each stream
constexpr size_t kStepStride = arch::kLoops;
constexpr size_t kInnermost = arch::kLoops - 1;
constexpr uint32_t kResultStream = arch::kInputStreams;

class TreeBuilder {
 public:
  explicit TreeBuilder(const TreeKernel& tree) : tree_(tree) {}

  Result<kernel::Kernel> Run() {
    const Value sum = *Fold(0, 1);
    builder_.Store(0, 0, tree_.has_init ? Join(sum, Value::Scalar(0)) : sum);
    return builder_.Finish();
  }

 private:
  // Partials `first`, `first` + distance, ... of those that are there.
  std::optional<Value> Fold(int64_t first, int64_t distance) {
    if (first >= tree_.partials) return std::nullopt;
    if (distance == kPartials) {
      return Value::Input(static_cast<int>(first / kSteps), static_cast<int>(first % kSteps));
    }
    const std::optional<Value> low = Fold(first, 2 * distance);
    const std::optional<Value> high = Fold(first + distance, 2 * distance);
    return high ? Join(*low, *high) : *low;
  }
  Value Join(Value low, Value high) { return builder_.Op(tree_.combine, {low, high}); }

  const TreeKernel& tree_;
  kernel::Builder builder_{"tree"};
};

}  // namespace

Result<kernel::Kernel> BuildTreeKernel(const TreeKernel& tree) {
  return TreeBuilder(tree).Run();
}

Result<LoweredTree> LowerTreeJob(const TreeJob& job, const arch::ChipConfig& chip) {
  LoweredTree lowered;
  lowered.kernel = {job.combine, job.partials, job.init.has_value()};
  const int64_t size = LaneBytes(job.type);
  const int64_t group = chip.Lanes() * chip.vpu_sublanes;
  if (job.pitch * kSteps > std::numeric_limits<int32_t>::max()) {
    return Internal("rows of partials are too far apart");
  }
  arch::Vector& vector = lowered.vector;
  vector.counts.fill(1);
  vector.counts[kInnermost] = static_cast<uint32_t>(CeilDivide(job.length, group));
  vector.kernel_level = arch::kLoops;
  vector.prologue_level = arch::kNoLevel;
  vector.scalars[0] = job.init.value_or(0);
  arch::Stream stream;
  stream.type = static_cast<uint32_t>(job.type);
  stream.flat = 1;
  stream.strides[kInnermost] = static_cast<int32_t>(group * size);
  stream.x_steps[kInnermost] = static_cast<int32_t>(group);
  stream.x_limit = static_cast<uint32_t>(job.length);
  stream.y_limit = 1;
  arch::Stream result = stream;
  result.index = kResultStream;
  result.type = static_cast<uint32_t>(job.result_type);
  result.strides[kInnermost] = static_cast<int32_t>(group * LaneBytes(job.result_type));
  stream.strides[kStepStride] = static_cast<int32_t>(job.pitch);
  for (int64_t q = 0; q * kSteps < job.partials; ++q) {
    stream.index = static_cast<uint32_t>(q);
    vector.bases[static_cast<size_t>(q)] = static_cast<int32_t>(job.base + q * kSteps * job.pitch);
    lowered.streams.push_back(stream);
  }
  lowered.streams.push_back(result);
  vector.bases[kResultStream] = static_cast<int32_t>(job.result);
  return lowered;
}

}  // namespace systolith::compiler
