// Measures on rtl/vpu/vpu.sv what operations.toml says of every operation: the cycles until a bundle of the
// same instance may use its result, and how often per cycle it is done with enough instances.

#include <algorithm>
#include <string>

#include "Vpu_8_2.h"
#include "tb/vpu/vpu_bench.h"
#include "tb/vpu/vpu_program.h"

namespace systolith::tb {
namespace {

using arch::OperationInfo;
using Bench = VpuBench<Vpu_8_2, 8, 2, 8, 1, 2, 1>;

constexpr uint32_t kShort = 20, kLong = 60;
enum class Slots { kA, kB, kBoth, kLane };

class VpuLatencyTest : public RandomTest {
 protected:
  // Cycles that `instances` take for a chain of `bundles`, each of which uses the result of the one
  // before.
  int64_t CyclesOf(const OperationInfo& info, Slots slots, uint32_t bundles, uint32_t instances) {
    arch::Bundle bundle;
    const uint32_t y =
        info.name == "lookup" ? static_cast<uint32_t>(arch::kOperandConstant) : 0;
    if (slots == Slots::kA || slots == Slots::kBoth) {
      bundle.a_op = info.code;
      bundle.a_y = y;
    }
    if (slots == Slots::kB || slots == Slots::kBoth) {
      bundle.b_op = info.code;
      bundle.b_y = y;
      bundle.b_dst = 1;
    }
    if (slots == Slots::kLane) {
      bundle.lane_op = info.code;
      bundle.lane_z = arch::kOperandScalar;
    }
    std::vector<arch::Bundle> kernel(bundles, bundle);
    kernel.back().exit = 1;
    std::vector<VpuInstruction> program;
    AppendBundles(program, kernel);
    const uint32_t constant = 0;
    AppendConstants(program, std::span(&constant, 1));
    for (const VpuInstruction& instruction : program) bench_.Push(instruction);
    while (bench_.Busy()) bench_.Step();

    arch::Vector vector = EmptyVector();
    vector.counts[5] = instances;
    const int64_t before = bench_.cycle;
    bench_.Push(VpuInstruction(vector));
    while (bench_.Busy() && !bench_.fault) bench_.Step();
    EXPECT_FALSE(bench_.fault) << info.name;
    return bench_.cycle - before;
  }

  // Cycles per bundle of one instance, and of `instances` together.
  double CyclesPerBundle(const OperationInfo& info, Slots slots, uint32_t instances) {
    const int64_t more =
        CyclesOf(info, slots, kLong, instances) - CyclesOf(info, slots, kShort, instances);
    return static_cast<double>(more) / (kLong - kShort);
  }

  void Check(const OperationInfo& info, Slots slots) {
    SCOPED_TRACE(std::string(info.name) + ", slots " + std::to_string(static_cast<int>(slots)));
    EXPECT_EQ(CyclesPerBundle(info, slots, 1), info.latency);
    constexpr int kBatches = 4;
    constexpr int kThreads = arch::kVectorThreads;
    EXPECT_EQ(CyclesPerBundle(info, slots, kBatches * kThreads),
              kBatches * std::max<int>(kThreads, static_cast<int>(info.latency)));
  }

  Bench bench_{rng_, 0};
};

TEST_F(VpuLatencyTest, AluOperations) {
  for (const OperationInfo& info : arch::kAluOps) {
    if (info.slot_a) Check(info, Slots::kA);
    if (info.slot_b) Check(info, Slots::kB);
    if (info.slot_a && info.slot_b) Check(info, Slots::kBoth);
  }
}

TEST_F(VpuLatencyTest, LaneOperations) {
  for (const OperationInfo& info : arch::kLaneOps) Check(info, Slots::kLane);
}

// A result is there after exactly its latency: the chain computes what one bundle after the other
// would.
TEST_F(VpuLatencyTest, ChainsComputeTheirResult) {
  std::vector<arch::Bundle> kernel(12);
  for (size_t i = 0; i < kernel.size(); ++i) {
    kernel[i].a_op = static_cast<uint32_t>(i == 0 ? arch::AluOp::kCopy : arch::AluOp::kAddS32);
    kernel[i].a_x = i == 0 ? arch::kOperandScalar : 0;
    kernel[i].a_y = arch::kOperandScalar + 1;
  }
  kernel.back().a_dst = arch::kOperandOutput;
  kernel.back().exit = 1;
  std::vector<VpuInstruction> program;
  AppendBundles(program, kernel);
  arch::Stream out = OpenStream(arch::kInputStreams, arch::LaneType::kS32);
  out.flat = 1;
  program.emplace_back(out);
  arch::Vector vector = EmptyVector();
  vector.scalars = {1000, 7};
  program.emplace_back(vector);
  for (const VpuInstruction& instruction : program) bench_.Push(instruction);
  while (bench_.Busy()) bench_.Step();
  for (int e = 0; e < Bench::kSizes.Elements(); ++e) {
    uint32_t value;
    std::memcpy(&value, bench_.memory.data() + e * 4, 4);
    EXPECT_EQ(value, 1000u + 11 * 7);
  }
}

}  // namespace
}  // namespace systolith::tb
