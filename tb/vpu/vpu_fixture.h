#ifndef SYSTOLITH_TB_VPU_VPU_FIXTURE_H_
#define SYSTOLITH_TB_VPU_VPU_FIXTURE_H_

#include <span>
#include <vector>

#include "Vpu_16_4.h"
#include "Vpu_32_1.h"
#include "Vpu_8_2.h"
#include "tb/vpu/vpu_bench.h"
#include "tb/vpu/vpu_program.h"

namespace systolith::tb {

template <typename Bench>
class VpuTest : public RandomTest {
 protected:
  static constexpr VpuSizes kSizes = Bench::kSizes;
  static constexpr int kGroupBytes = kSizes.lanes * kSizes.sublanes * 4;

  // Random waits, which the bench will let pass, and signals, of levels up to `top`.
  template <typename Format>
  void AddSync(Bench& bench, Format& format, std::span<const uint32_t> counts, uint32_t top) {
    const auto wait = [&](uint32_t& valid, uint32_t& flag, uint32_t& level, uint32_t& target,
                          uint32_t& step) {
      valid = rng_.Chance(0.3);
      flag = static_cast<uint32_t>(rng_.Below(arch::kFlags));
      level = static_cast<uint32_t>(rng_.Range(0, top));
      step = static_cast<uint32_t>(rng_.Range(0, 2));
      uint32_t& planned = bench.flags_planned[flag];
      target = (planned + static_cast<uint32_t>(rng_.Range(-3, 3))) & 0xffff;
      if (valid == 0) return;
      uint32_t passes = 1;
      for (uint32_t l = 0; l < level && l < counts.size(); ++l) passes *= counts[l];
      const uint32_t last = (target + step * (passes - 1)) & 0xffff;
      if (static_cast<int16_t>(last - planned) > 0) planned = last;
    };
    wait(format.wait0_valid, format.wait0_flag, format.wait0_level, format.wait0_target,
         format.wait0_step);
    wait(format.wait1_valid, format.wait1_flag, format.wait1_level, format.wait1_target,
         format.wait1_step);
    format.signal0_valid = rng_.Chance(0.5);
    format.signal0_flag = static_cast<uint32_t>(rng_.Below(48));
    format.signal0_level = static_cast<uint32_t>(rng_.Range(0, top));
    format.signal1_valid = rng_.Chance(0.3);
    format.signal1_flag = static_cast<uint32_t>(rng_.Below(48));
    format.signal1_level = static_cast<uint32_t>(rng_.Range(0, top));
  }

  // The instruction with waits and signals.
  VpuInstruction Synchronised(Bench& bench, const VpuInstruction& instruction) {
    if (instruction.opcode() == arch::Opcode::kVector) {
      arch::Vector vector = arch::DecodeVector(instruction.words);
      AddSync(bench, vector, vector.counts, vector.kernel_level);
      return VpuInstruction(vector, rng_.U32());
    }
    if (instruction.opcode() == arch::Opcode::kStream) {
      arch::Stream stream = arch::DecodeStream(instruction.words);
      AddSync(bench, stream, {}, arch::kLoops);
      return VpuInstruction(stream, rng_.U32());
    }
    return instruction;
  }

  static VpuInstruction SyncOf(arch::Sync sync) {
    sync.opcode = static_cast<uint32_t>(arch::Opcode::kSync);
    sync.engine = static_cast<uint32_t>(arch::Engine::kVpu);
    sync.quads = arch::kSyncWords / 4;
    return VpuInstruction(sync);
  }

  void Run(Bench& bench, int64_t most = 400000) {
    const int64_t until = bench.cycle + most;
    while (bench.Busy() && !bench.fault && bench.cycle < until) bench.Step();
    ASSERT_LT(bench.cycle, until) << "the unit hangs";
  }

  // The model starts from what the bench has.
  static void CopyState(const Bench& bench, VpuModel& model) {
    std::memcpy(model.memory().data(), bench.memory.data(), bench.memory.size());
    for (int m = 0; m < kSizes.mxus; ++m) model.accumulators(m) = bench.accumulators[m];
  }

  static void ExpectMemory(const Bench& bench, VpuModel& model) {
    const std::span<const std::byte> expected = model.memory();
    int shown = 0;
    for (size_t at = 0; at < bench.memory.size() && shown < 5; ++at) {
      if (bench.memory[at] == std::to_integer<uint8_t>(expected[at])) continue;
      ADD_FAILURE() << "byte " << at << " is " << int{bench.memory[at]} << ", not "
                    << std::to_integer<int>(expected[at]);
      ++shown;
    }
  }

  // Runs all of it on both sides and compares buffer and signals.
  void Compare(Bench& bench, VpuModel& model, std::span<const VpuInstruction> program) {
    std::vector<SignalPair> signals;
    for (const VpuInstruction& instruction : program) {
      ASSERT_TRUE(model.Execute(instruction))
          << arch::Name(model.fault.cause) << " at " << model.fault.address;
      const std::vector<SignalPair> more = SignalsOf(instruction);
      signals.insert(signals.end(), more.begin(), more.end());
      bench.Push(instruction);
    }
    ASSERT_NO_FATAL_FAILURE(Run(bench));
    ASSERT_FALSE(bench.fault) << arch::Name(bench.fault->cause) << " at "
                              << bench.fault->address;
    EXPECT_EQ(bench.signals, signals);
    bench.signals.clear();
    ExpectMemory(bench, model);
  }

  // A copy of groups of in0 to out0, one per iteration of loops 0..kernel_level-1: both streams
  // flat, s32, group after group from `from` and `to`.
  std::vector<VpuInstruction> CopyProgram(std::array<uint32_t, 6> counts, uint32_t from,
                                          uint32_t to, arch::Vector* vector = nullptr) {
    std::vector<VpuInstruction> program;
    arch::Bundle bundle;
    bundle.a_op = static_cast<uint32_t>(arch::AluOp::kCopy);
    bundle.a_dst = arch::kOperandOutput;
    bundle.a_x = arch::kOperandInput;
    bundle.exit = 1;
    AppendBundles(program, std::span(&bundle, 1));
    for (const uint32_t q : {0u, 4u}) {
      arch::Stream stream = OpenStream(q, arch::LaneType::kS32);
      stream.flat = 1;
      int32_t stride = kGroupBytes;
      for (int l = 5; l >= 0; --l) {
        stream.strides[l] = stride;
        stride *= static_cast<int32_t>(counts[l]);
      }
      program.emplace_back(stream);
    }
    arch::Vector copy = vector != nullptr ? *vector : EmptyVector();
    copy.counts = counts;
    copy.bases[0] = static_cast<int32_t>(from);
    copy.bases[4] = static_cast<int32_t>(to);
    program.emplace_back(copy, 0x40);
    return program;
  }
};

// Sizes of tb/vpu/CMakeLists.txt.
using Benches = testing::Types<VpuBench<Vpu_8_2, 8, 2, 8, 1, 2, 1>,
                               VpuBench<Vpu_16_4, 16, 4, 8, 2, 4, 2>,
                               VpuBench<Vpu_32_1, 32, 1, 32, 1, 1, 1>>;

}  // namespace systolith::tb

#endif  // SYSTOLITH_TB_VPU_VPU_FIXTURE_H_
