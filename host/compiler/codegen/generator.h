#ifndef SYSTOLITH_HOST_COMPILER_CODEGEN_GENERATOR_H_
#define SYSTOLITH_HOST_COMPILER_CODEGEN_GENERATOR_H_

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "host/arch/chip_config.h"
#include "host/base/rounding.h"
#include "host/base/status.h"
#include "host/compiler/buffer_plan.h"
#include "host/compiler/codegen/emitter.h"
#include "host/compiler/codegen/transfer.h"
#include "host/compiler/codegen/vector_unit.h"
#include "host/compiler/kernel.h"
#include "host/compiler/schedule/pipeline.h"
#include "host/isa/executable.h"

namespace systolith::compiler {

// Where tensors live and how a program names them: the segments of one launch, and the log of
// every place in HBM. Scratch memory is used again, so a log covers all tensors that overlap.
class HbmMap {
 public:
  HbmMap(const std::vector<isa::Tensor>& tensors,
         const std::map<graph::Value, uint32_t>& tensor_of_value)
      : tensors_(tensors), tensor_of_value_(tensor_of_value) {}

  struct Place {
    uint32_t segment = 0;
    int64_t offset = 0;  // bytes in the segment
    AccessLog* log = nullptr;
    uint32_t shift = 0;  // scalar register of a view's shift; 0: none
  };
  Place Of(graph::Value value, bool writes);
  int64_t BytesOf(graph::Value value) const;
  // All that was done so far is done: logs begin anew.
  void ForgetLogs();

  std::vector<isa::SegmentBinding> TakeSegments() { return std::move(segments_); }

 private:
  // A tensor comes to scratch memory: its log begins with what was done there before.
  void TakePlace(uint32_t number, AccessLog& log);

  const std::vector<isa::Tensor>& tensors_;
  const std::map<graph::Value, uint32_t>& tensor_of_value_;
  std::vector<isa::SegmentBinding> segments_;
  std::map<uint32_t, AccessLog> logs_;  // by tensor
  // Which tensor was the last to come to each stretch of scratch memory, by first byte.
  struct Stretch {
    uint64_t end = 0;
    uint32_t tensor = 0;
  };
  std::map<uint64_t, Stretch> scratch_;
};

// Writes the program of one launch, kernel by kernel.
class Generator {
 public:
  Generator(const arch::ChipConfig& chip, HbmMap& hbm, const BufferPlan& buffer_plan);

  // The kernel `index` of the compilation.
  Status Emit(const Kernel& kernel, size_t index);
  Result<isa::Program> Finish() { return emitter_.Finish(); }

  const arch::ChipConfig& chip() const { return chip_; }
  Emitter& emitter() { return emitter_; }
  VectorUnit& vector_unit() { return vector_unit_; }
  HbmMap& hbm() { return hbm_; }
  // Of a view of the kernel that is being emitted.
  HbmMap::Place PlaceOf(const View& view, bool writes);

  // A value that is in the buffer while the kernel runs.
  struct BufferPlace {
    int64_t address = 0;
    int64_t bytes = 0;
    size_t last = 0;        // Resident::last
    bool is_stored = true;  // in HBM as well
    bool is_carried = false;  // stays until the loop is left
    AccessLog log;
  };
  BufferPlace* InBuffer(graph::Value value);  // null: it is in HBM only

  // Space in the unified buffer for tiles, aligned to bank words. A kernel may take all of it; one that takes
  // less starts behind the one before, so that its loads need not wait until that one has read its
  // own. Before its first slot a kernel says how much all its slots take (SlotBytes each). A slot
  // remembers who used its bytes before.
  int64_t TileBytes() const { return tile_bytes_; }
  void ReserveSlots(int64_t bytes);
  std::vector<TileSlot> AllocateSlots(int64_t count, int64_t bytes, int64_t pieces);
  // Hands the logs of slots back once the kernel is done with them.
  void Release(const std::vector<TileSlot>& slots, int64_t bytes);

  // What the kernel is estimated to take, by whoever chose its tiles; else by cost_model.h.
  void Predict(double cycles) { predicted_cycles_ += cycles; }
  double predicted_cycles() const { return predicted_cycles_; }

  // Half `half` of the accumulators of one matrix unit.
  AccessLog& AccumulatorLog(int64_t mxu, int64_t half);

  // The first element of a view of integers or i1 in a scalar register; what is narrower than 32
  // bits is filled up with zeros, of what is wider the low half is taken.
  uint32_t LoadScalar(const View& view);
  // The same for a control, behind the kernels in front of it.
  uint32_t LoadScalarOfControl(const View& view);

  // Around a loop (of Compilation::controls): what goes round it in the buffer comes and goes.
  void EnterLoop(size_t control);
  void LeaveLoop(size_t control);

  // Paths of control flow meet: what the vector unit holds depends on the path.
  void ForgetVectorUnit() { vector_unit_.Forget(); }

  // The sequencer has waited for all; what follows was emitted before, for other turns of a loop.
  void ForgetLogs() { hbm_.ForgetLogs(); }

  // Writes zeros over a slot.
  void EmitZeros(TileSlot& slot, int64_t bytes);

 private:
  // The shifts of the kernel's views become scalars.
  void LoadShifts(const Kernel& kernel);

  static constexpr int64_t kChunks = 512;  // of the buffer, each with a log

  const arch::ChipConfig& chip_;
  HbmMap& hbm_;
  Emitter emitter_;
  VectorUnit vector_unit_;
  void EnterBuffer(graph::Value value);
  void LeaveBuffer(size_t index);
  void Leave(const BufferPlace& place);
  // Joins the logs of the chunks that a stretch of the buffer touches, or the log into them.
  void JoinChunks(int64_t begin, int64_t end, AccessLog& log) const;
  void JoinIntoChunks(int64_t begin, int64_t end, const AccessLog& log);

  const BufferPlan& buffer_plan_;
  std::map<graph::Value, BufferPlace> in_buffer_;
  int64_t tile_bytes_;
  int64_t next_byte_ = 0;
  double predicted_cycles_ = 0.0;  // of the last kernel
  std::map<graph::Value, uint32_t> shifts_;  // of the kernel that is being emitted -> scalars
  std::vector<AccessLog> chunks_;
  std::vector<AccessLog> accumulators_;
};

// The kinds of kernel.
Status EmitContraction(Generator& generator, const Kernel& kernel);
Status EmitDepthwise(Generator& generator, const Kernel& kernel);
Status EmitElementwise(Generator& generator, const Kernel& kernel);
Status EmitCopy(Generator& generator, const Kernel& kernel);
Status EmitTransposingCopy(Generator& generator, const Kernel& kernel);
Status EmitReduction(Generator& generator, const Kernel& kernel);
Status EmitGather(Generator& generator, const Kernel& kernel);
Status EmitScatter(Generator& generator, const Kernel& kernel);

// Whether a copy is a transposition: EmitTransposingCopy moves runs on both sides of it.
bool TransposesInBuffer(const View& from, const View& to);

// What a slot for a tile of so many bytes takes in the buffer.
int64_t SlotBytes(const arch::ChipConfig& chip, int64_t bytes);

}  // namespace systolith::compiler

#endif  // SYSTOLITH_HOST_COMPILER_CODEGEN_GENERATOR_H_
