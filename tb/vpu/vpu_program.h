#ifndef SYSTOLITH_TB_VPU_VPU_PROGRAM_H_
#define SYSTOLITH_TB_VPU_VPU_PROGRAM_H_

#include <optional>
#include <span>
#include <vector>

#include "tb/common/random.h"
#include "tb/vpu/vpu_model.h"

namespace systolith::tb {

// An instruction of the vpu without waits and signals.
template <typename Format>
Format VpuFormat(arch::Opcode opcode) {
  Format format;
  format.opcode = static_cast<uint32_t>(opcode);
  format.engine = static_cast<uint32_t>(arch::Engine::kVpu);
  return format;
}

// The vector instruction of one instance of one step; counts are 1, no prologue.
arch::Vector EmptyVector();
// A stream of `type` of which everything is inside.
arch::Stream OpenStream(uint32_t index, arch::LaneType type);
void AppendBundles(std::vector<VpuInstruction>& program, std::span<const arch::Bundle> bundles,
                   uint32_t first = 0);
void AppendConstants(std::vector<VpuInstruction>& program, std::span<const uint32_t> constants,
                     uint32_t first = 0);

// Random kernels with random streams. The buffer has two halves, from one of which an instruction
// reads while it writes the other; the end of each half holds indices for gathers.
class VpuProgramWriter {
 public:
  static constexpr uint32_t kHalf = VpuSizes::kBufferBytes / 2;
  static constexpr uint32_t kIndices = 64;
  static constexpr uint32_t kIndexBase = kHalf - 4 * kIndices;  // in its half
  static constexpr uint32_t kIndexLimit = 5;

  VpuProgramWriter(Rng& rng, const VpuSizes& sizes) : rng_(rng), sizes_(sizes) {}

  // Puts the indices where the kernels look for them.
  static void PlaceIndices(Rng& rng, std::span<uint8_t> memory);

  // Kernel, constants, streams and the `vector` that uses them, which is the last one. `half`: the
  // half of the buffer that is read.
  std::vector<VpuInstruction> Write(uint32_t half);

 private:
  struct Dimension {
    int64_t span;  // highest index
    int32_t* stride;
  };

  // Strides, multiples of `unit`, and a base, such that all values lie in [low, high].
  int32_t Place(int64_t unit, int64_t low, int64_t high, std::span<const Dimension> dimensions);
  std::vector<Dimension> LoopsOf(std::array<int32_t, 8>& strides, bool flat);
  arch::Stream RandomInput(uint32_t index, uint32_t half, int32_t& base);
  arch::Stream RandomOutput(uint32_t index, uint32_t half, int32_t& base);
  void RandomBounds(arch::Stream& stream);
  void WriteBlock(uint32_t loop, uint32_t turns);
  arch::Bundle RandomBundle();
  uint32_t RandomOperand(uint32_t& step, uint32_t other_inputs, uint32_t other_step,
                         uint32_t& inputs);
  uint32_t RandomRegister();
  // At `step` of an ALU slot; nothing: of the lane slot.
  uint32_t RandomDestination(std::vector<uint32_t>& taken, std::optional<uint32_t> step);

  Rng& rng_;
  const VpuSizes sizes_;
  arch::Vector vector_;
  uint32_t described_ = 0;  // input streams
  // Per output, the steps at which nothing is stored yet.
  std::array<uint32_t, arch::kOutputStreams> may_store_{};
  bool prologue_ = false;
  std::vector<uint32_t> written_;  // registers that have a value
  std::vector<uint32_t> shared_written_;
  std::vector<arch::Bundle> bundles_;
  uint32_t executed_ = 0;  // bundles, in the section being written
  std::array<uint32_t, 6> groups_{};
  uint32_t most_executed_ = 0;
  std::array<uint32_t, 6> most_groups_{};
};

}  // namespace systolith::tb

#endif  // SYSTOLITH_TB_VPU_VPU_PROGRAM_H_
