// Tests rtl/vpu/vpu.sv at its pins against the golden model's vector unit.

#include "tb/vpu/vpu_fixture.h"

namespace systolith::tb {
namespace {

using arch::LaneType;

TYPED_TEST_SUITE(VpuTest, Benches);

TYPED_TEST(VpuTest, CopiesGroups) {
  TypeParam bench(this->rng_, 0);
  const std::vector<uint8_t> before = bench.memory;
  for (const VpuInstruction& instruction : this->CopyProgram({1, 1, 3, 1, 5, 1}, 0, 131072)) {
    bench.Push(instruction);
  }
  ASSERT_NO_FATAL_FAILURE(this->Run(bench));
  ASSERT_FALSE(bench.fault);
  const int64_t bytes = 15 * this->kGroupBytes;
  EXPECT_TRUE(std::equal(before.begin(), before.begin() + bytes, bench.memory.begin() + 131072));
  EXPECT_TRUE(std::equal(before.begin() + 131072 + bytes, before.end(),
                         bench.memory.begin() + 131072 + bytes));
}

TYPED_TEST(VpuTest, RandomKernelsAgreeWithTheModel) {
  for (const double stall : {0.0, 0.5}) {
    TypeParam bench(this->rng_, stall);
    VpuModel model(this->kSizes);
    VpuProgramWriter writer(this->rng_, this->kSizes);
    writer.PlaceIndices(this->rng_, bench.memory);
    this->CopyState(bench, model);
    for (int i = 0; i < 24; ++i) {
      bench.dut.queue_depth_i = static_cast<uint8_t>(this->rng_.Range(1, 8));
      std::vector<VpuInstruction> program;
      for (const VpuInstruction& instruction : writer.Write(i % 2)) {
        program.push_back(this->Synchronised(bench, instruction));
      }
      ASSERT_NO_FATAL_FAILURE(this->Compare(bench, model, program));
      if (this->HasFailure()) return;
    }
  }
}

// Each instance's source appears in the buffer just before the flag that it waits for rises.
TYPED_TEST(VpuTest, WaitsHoldInstances) {
  int64_t stalls = 0;
  for (int round = 0; round < 12; ++round) {
    TypeParam bench(this->rng_, round % 2 == 0 ? 0 : 0.4);
    bench.flag_rate = this->rng_.Chance(0.5) ? 0.05 : 0.5;
    const std::array<uint32_t, 6> counts = {3, 2, 5, 1, 1, 1};
    arch::Vector vector = EmptyVector();
    vector.kernel_level = 3;
    const uint32_t level = static_cast<uint32_t>(this->rng_.Range(0, 3));
    const uint32_t flag = static_cast<uint32_t>(this->rng_.Below(arch::kFlags));
    uint32_t iterations = 1;
    for (uint32_t l = 0; l < level; ++l) iterations *= counts[l];
    vector.wait2_valid = 1;
    vector.wait2_flag = flag;
    vector.wait2_level = level;
    vector.wait2_target = (bench.flags[flag] + 1) & 0xffff;
    vector.wait2_step = 1;
    bench.flags_planned[flag] = (bench.flags[flag] + iterations) & 0xffff;

    const size_t bytes = 30 * this->kGroupBytes;
    const std::vector<uint8_t> source(bench.memory.begin(), bench.memory.begin() + bytes);
    std::fill_n(bench.memory.begin(), bytes, 0);
    size_t placed = 0;
    bench.on_raise = [&](uint32_t) {
      const size_t chunk = bytes / iterations;
      std::copy_n(source.begin() + placed, chunk, bench.memory.begin() + placed);
      placed += chunk;
    };
    for (const VpuInstruction& instruction : this->CopyProgram(counts, 0, 131072, &vector)) {
      bench.Push(instruction);
    }
    ASSERT_NO_FATAL_FAILURE(this->Run(bench));
    ASSERT_FALSE(bench.fault);
    ASSERT_TRUE(std::equal(source.begin(), source.end(), bench.memory.begin() + 131072))
        << "level " << level;
    stalls += bench.stall_cycles;
  }
  EXPECT_GT(stalls, 0);
}

TYPED_TEST(VpuTest, SignalsComeWhenInstancesAreVisible) {
  for (int round = 0; round < 12; ++round) {
    TypeParam bench(this->rng_, round % 2 == 0 ? 0 : 0.4);
    const std::array<uint32_t, 6> counts = {2, 3, 5, 1, 1, 1};
    arch::Vector vector = EmptyVector();
    vector.kernel_level = 3;
    const uint32_t level = static_cast<uint32_t>(this->rng_.Range(0, 3));
    vector.signal1_valid = 1;
    vector.signal1_flag = 17;
    vector.signal1_level = level;
    size_t chunk = 30 * this->kGroupBytes, seen = 0;
    for (uint32_t l = 0; l < level; ++l) chunk /= counts[l];
    bench.on_signal = [&](const SignalPair& pair) {
      EXPECT_FALSE(pair[0]);
      EXPECT_EQ(pair[1], 17u);
      seen += chunk;
      EXPECT_TRUE(std::equal(bench.memory.begin(), bench.memory.begin() + seen,
                             bench.memory.begin() + 131072));
    };
    for (const VpuInstruction& instruction : this->CopyProgram(counts, 0, 131072, &vector)) {
      bench.Push(instruction);
    }
    ASSERT_NO_FATAL_FAILURE(this->Run(bench));
    EXPECT_EQ(seen, 30u * this->kGroupBytes);
  }
}

TYPED_TEST(VpuTest, SyncWaitsAndSignals) {
  TypeParam bench(this->rng_, 0.3);
  bench.flag_rate = 0.05;
  arch::Sync sync;
  sync.wait0_valid = 1;
  sync.wait0_flag = 9;
  sync.wait0_target = (bench.flags[9] + 3) & 0xffff;
  sync.signal0_valid = 1;
  sync.signal0_flag = 40;
  bench.flags_planned[9] = (bench.flags[9] + 3) & 0xffff;
  bench.on_raise = [&](uint32_t) { EXPECT_TRUE(bench.signals.empty()); };
  bench.Push(this->SyncOf(sync));
  ASSERT_NO_FATAL_FAILURE(this->Run(bench));
  EXPECT_EQ(bench.signals, std::vector<SignalPair>({{40u, std::nullopt}}));
}

// An instruction reads what the one before it wrote.
TYPED_TEST(VpuTest, InstructionsSeeEarlierOnes) {
  TypeParam bench(this->rng_, 0.3);
  const std::vector<uint8_t> before = bench.memory;
  for (uint32_t i = 0; i < 5; ++i) {
    const uint32_t from = i * 16384;
    for (const auto& instruction : this->CopyProgram({1, 1, 1, 1, 1, 7}, from, from + 16384)) {
      bench.Push(instruction);
    }
  }
  ASSERT_NO_FATAL_FAILURE(this->Run(bench));
  EXPECT_TRUE(std::equal(before.begin(), before.begin() + 7 * this->kGroupBytes,
                         bench.memory.begin() + 5 * 16384));
}

// s8 in and out is at most a word per port and cycle in all sizes.
TYPED_TEST(VpuTest, MovesAGroupPerCycle) {
  TypeParam bench(this->rng_, 0);
  constexpr int kGroups = 400;
  std::vector<VpuInstruction> program = this->CopyProgram({1, 1, 1, 1, 4, kGroups / 4}, 0, 131072);
  for (VpuInstruction& instruction : program) {
    if (instruction.opcode() != arch::Opcode::kStream) continue;
    arch::Stream stream = arch::DecodeStream(instruction.words);
    stream.type = static_cast<uint32_t>(LaneType::kS8);
    for (int32_t& stride : stream.strides) stride /= 4;
    instruction = VpuInstruction(stream);
  }
  for (const VpuInstruction& instruction : program) bench.Push(instruction);
  ASSERT_NO_FATAL_FAILURE(this->Run(bench));
  EXPECT_TRUE(std::equal(bench.memory.begin(),
                         bench.memory.begin() + kGroups * this->kGroupBytes / 4,
                         bench.memory.begin() + 131072));
  EXPECT_LE(bench.last_write - bench.first_write + 1, kGroups + 4);
}

TYPED_TEST(VpuTest, AbortLeavesAUsableUnit) {
  TypeParam bench(this->rng_, 0.3);
  VpuModel model(this->kSizes);
  VpuProgramWriter writer(this->rng_, this->kSizes);
  for (int round = 0; round < 15; ++round) {
    writer.PlaceIndices(this->rng_, bench.memory);
    for (const VpuInstruction& instruction : writer.Write(round % 2)) {
      bench.Push(this->Synchronised(bench, instruction));
    }
    const int64_t cycles = this->rng_.Range(1, 2500);
    for (int64_t i = 0; i < cycles && !bench.fault; ++i) bench.Step();
    ASSERT_FALSE(bench.fault);
    bench.Abort();
    ASSERT_TRUE(bench.dut.idle_o);
    model.Clear();
    writer.PlaceIndices(this->rng_, bench.memory);
    this->CopyState(bench, model);
    ASSERT_NO_FATAL_FAILURE(this->Compare(bench, model, writer.Write(round % 2)));
    if (this->HasFailure()) return;
  }
}

}  // namespace
}  // namespace systolith::tb
