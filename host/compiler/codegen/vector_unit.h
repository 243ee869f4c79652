#ifndef SYSTOLITH_HOST_COMPILER_CODEGEN_VECTOR_UNIT_H_
#define SYSTOLITH_HOST_COMPILER_CODEGEN_VECTOR_UNIT_H_

#include <array>
#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <set>
#include <vector>

#include "host/arch/chip_config.h"
#include "host/compiler/codegen/depthwise_job.h"
#include "host/compiler/codegen/emitter.h"
#include "host/compiler/codegen/fold_job.h"
#include "host/compiler/codegen/row_job.h"
#include "host/compiler/codegen/row_lowering.h"
#include "host/compiler/codegen/tree_job.h"
#include "host/kernel/kernel_memory.h"

namespace systolith::compiler {

// Emits jobs, and remembers what the vector unit holds at this place of the program: kernels
// and stream descriptions are written only where they are not there yet.
class VectorUnit {
 public:
  VectorUnit(const arch::ChipConfig& chip, Emitter& emitter) : chip_(chip), emitter_(emitter) {}

  // Faults are kept in the emitter.
  void Emit(const RowJob& job, const Touches& touches);
  void Emit(const TreeJob& job, const Touches& touches);
  void Emit(const FoldJob& job, const Touches& touches);
  void Emit(const DepthwiseJob& job, const Touches& touches);
  // The job once for each word of the loop's table: the word moves result and x, the counter
  // stream 0. The loop's places are filled in here.
  void EmitForEach(const RowJob& job, Emitter::WordLoop loop, const AccessLog& table_log,
                   const Touches& touches);

  // What it holds is not known from here on: paths of control flow meet.
  void Forget();

  // How often a kernel or a description of a stream was written so far.
  uint64_t changes() const { return changes_; }

 private:
  static constexpr size_t kStreams = arch::kInputStreams + arch::kOutputStreams;

  // Gives a job's streams places where they are described already. A description that comes back
  // after another has taken its place gets one that has been idle, so that both stay.
  void ChoosePlaces(LoweredJob& job);

  Status TryEmit(const RowJob& job, const Touches& touches);
  Status TryEmitForEach(const RowJob& job, Emitter::WordLoop loop, const AccessLog& table_log,
                        const Touches& touches);
  // The job with its streams in their places, and its kernel, which lasts.
  Result<std::pair<LoweredJob, const kernel::Kernel*>> Lower(const RowJob& job);
  Status TryEmit(const TreeJob& job, const Touches& touches);
  Status TryEmit(const FoldJob& job, const Touches& touches);
  Status TryEmit(const DepthwiseJob& job, const Touches& touches);
  // Builds the kernel unless it is known.
  template <typename Lowered, typename Kernel>
  Status TryEmit(const Result<Lowered>& lowered, std::map<Kernel, kernel::Kernel>& known,
                 Result<kernel::Kernel> (*build)(const Kernel&), const Touches& touches);
  Status Run(const kernel::Kernel& code, const std::vector<arch::Stream>& streams,
             const arch::Vector& vector, const Touches& touches);
  // Brings kernel and streams in and finishes the instruction.
  Result<arch::Vector> Prepare(const kernel::Kernel& code, const std::vector<arch::Stream>& streams,
                               arch::Vector vector);

  const arch::ChipConfig& chip_;
  Emitter& emitter_;
  std::map<ChainKernel, kernel::Kernel> chains_;
  std::set<ChainKernel> misfits_;  // as lowered, with more groups than fit
  std::map<TreeKernel, kernel::Kernel> trees_;
  std::map<FoldKernel, kernel::Kernel> folds_;
  std::map<DepthwiseKernel, kernel::Kernel> depthwise_;
  kernel::KernelMemory memory_;
  std::array<std::optional<arch::Stream>, kStreams> streams_;
  std::array<uint64_t, kStreams> last_use_{};  // number of the instruction
  uint64_t instructions_ = 0;
  uint64_t changes_ = 0;
  std::deque<arch::Stream> recent_;            // descriptions that were written, as lowered
};

}  // namespace systolith::compiler

#endif  // SYSTOLITH_HOST_COMPILER_CODEGEN_VECTOR_UNIT_H_
