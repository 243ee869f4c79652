#ifndef SYSTOLITH_TB_VPU_VPU_MODEL_H_
#define SYSTOLITH_TB_VPU_VPU_MODEL_H_

#include <array>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "host/arch/isa.h"
#include "sim/golden/vpu/vpu.h"

namespace systolith::tb {

// One vpu with what it sees of its chip.
struct VpuSizes {
  int lanes, sublanes, cols, mxus, read_words, write_words;

  static constexpr int kAccumulatorRows = 32;  // in each half
  static constexpr uint32_t kBufferBytes = 1 << 18;
  int Elements() const { return lanes * sublanes; }
  int WordBytes() const { return 2 * lanes; }
};

// An encoded engine instruction.
struct VpuInstruction {
  template <typename Format>
  explicit VpuInstruction(const Format& format, uint32_t at = 0) : pc(at) {
    arch::Encode(format, words);
  }
  arch::Prefix prefix() const { return arch::DecodePrefix(words); }
  arch::Opcode opcode() const { return static_cast<arch::Opcode>(prefix().opcode); }

  std::array<uint32_t, arch::kMaxWords> words{};
  uint32_t pc;
};

// The flags that one iteration raises; none where it raises nothing.
using SignalPair = std::array<std::optional<uint32_t>, 2>;

// The golden model's vector unit, alone.
class VpuModel {
 public:
  explicit VpuModel(const VpuSizes& sizes) : state_(Config(sizes), false), vpu_(state_) {}

  // Executes the instruction as if every flag that it waits for were there. False: fault() says why.
  bool Execute(const VpuInstruction& instruction) {
    golden::Instruction issued;
    issued.words = instruction.words;
    issued.opcode = instruction.opcode();
    issued.engine = static_cast<uint32_t>(arch::Engine::kVpu);
    issued.pc = instruction.pc;
    CopyPrefix(instruction.prefix(), issued);
    vpu_.Push(issued);
    for (;;) {
      switch (vpu_.Run()) {
        case golden::Engine::Outcome::kIdle: return true;
        case golden::Engine::Outcome::kFault: fault = vpu_.fault(); return false;
        default: break;
      }
    }
  }

  // As after an abort, before the next job.
  void Clear() { vpu_.Clear(); }

  std::span<std::byte> memory() { return state_.buffer.At(0, state_.buffer.size()); }
  std::vector<uint32_t>& accumulators(int unit) { return state_.accumulators[unit]; }

  golden::FaultRecord fault;

 private:
  static arch::ChipConfig Config(const VpuSizes& sizes) {
    arch::ChipConfig config;
    config.mxu_count = sizes.mxus;
    config.mxu_rows = sizes.lanes;
    config.mxu_cols = sizes.cols;
    config.mxu_accumulator_rows = VpuSizes::kAccumulatorRows;
    config.vpu_sublanes = sizes.sublanes;
    config.buffer_bytes = VpuSizes::kBufferBytes;
    config.memory_bytes = 4096;
    return config;
  }

  // Waits never hold: only their levels are checked.
  void CopyPrefix(const arch::Prefix& prefix, golden::Instruction& to) {
    const auto wait = [&](int i, uint32_t valid, uint32_t flag, uint32_t level) {
      to.waits[i] = {.valid = valid != 0, .flag = flag, .level = level,
                     .target = state_.flags.Value(flag)};
    };
    wait(0, prefix.wait0_valid, prefix.wait0_flag, prefix.wait0_level);
    wait(1, prefix.wait1_valid, prefix.wait1_flag, prefix.wait1_level);
    wait(2, prefix.wait2_valid, prefix.wait2_flag, prefix.wait2_level);
    wait(3, prefix.wait3_valid, prefix.wait3_flag, prefix.wait3_level);
    to.signals[0] = {prefix.signal0_valid != 0, prefix.signal0_flag, prefix.signal0_level};
    to.signals[1] = {prefix.signal1_valid != 0, prefix.signal1_flag, prefix.signal1_level};
  }

  golden::ChipState state_;
  golden::Vpu vpu_;
};

// What an instruction raises, iteration by iteration.
inline std::vector<SignalPair> SignalsOf(const VpuInstruction& instruction) {
  const arch::Prefix prefix = instruction.prefix();
  std::array<uint32_t, arch::kLoops> counts;
  counts.fill(1);
  if (instruction.opcode() == arch::Opcode::kVector) {
    const arch::Vector vector = arch::DecodeVector(instruction.words);
    std::copy_n(vector.counts.begin(), vector.kernel_level, counts.begin());
  }
  std::vector<SignalPair> signals;
  std::array<uint32_t, arch::kLoops> index{};
  for (bool more = true; more;) {
    // The loops that wrap with this iteration, from the innermost on.
    int level = arch::kLoops;
    while (level > 0 && index[level - 1] + 1 == counts[level - 1]) --level;
    SignalPair pair;
    const auto raise = [&](int i, uint32_t valid, uint32_t flag, uint32_t at) {
      if (valid != 0 && static_cast<int>(at) >= level) pair[i] = flag;
    };
    raise(0, prefix.signal0_valid, prefix.signal0_flag, prefix.signal0_level);
    raise(1, prefix.signal1_valid, prefix.signal1_flag, prefix.signal1_level);
    if (pair[0] || pair[1]) signals.push_back(pair);
    more = level > 0;
    if (more) index[level - 1]++;
    for (int l = level; l < arch::kLoops; ++l) index[l] = 0;
  }
  return signals;
}

}  // namespace systolith::tb

#endif  // SYSTOLITH_TB_VPU_VPU_MODEL_H_
