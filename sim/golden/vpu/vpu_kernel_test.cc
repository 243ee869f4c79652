// Kernels: slots, registers, constants, hardware loops, prologues, and what stops them.
#include <algorithm>
#include <numeric>

#include "sim/golden/float/lane_arithmetic.h"
#include "sim/golden/vpu/kernel_fixture.h"
#include "tb/common/random.h"

namespace systolith::golden {
namespace {

using arch::AluOp;
using arch::Bundle;
using arch::Fault;
using arch::LaneOp;
using arch::Opcode;

class VpuKernelTest : public KernelFixture<tb::RandomTest> {
 protected:
  void ExpectFault(const Kernel& kernel, Fault fault, uint64_t address) {
    const JobResult result = ResultOf(kernel);
    EXPECT_EQ(result.fault, fault) << result;
    EXPECT_EQ(result.address, address) << result;
    EXPECT_EQ(result.engine, Number(arch::Engine::kVpu)) << result;
  }
};

TEST_F(VpuKernelTest, BothSlotsReadBeforeEitherWrites) {
  std::vector<float> x(kGroup), y(kGroup);
  std::iota(x.begin(), x.end(), 1.0f);
  std::iota(y.begin(), y.end(), 100.0f);
  WriteHbm(kX, x);
  WriteHbm(kY, y);
  Kernel kernel = KernelOf(
      {WithSlotB(BundleOf(AluOp::kCopy, V(0), In(0)), AluOp::kCopy, V(1), In(1)),
       WithSlotB(BundleOf(AluOp::kCopy, V(1), V(0)), AluOp::kCopy, V(0), V(1)),  // swaps them
       WithSlotB(BundleOf(AluOp::kMultiplyAddF32, Out(0), V(0), S(15), K(127)), AluOp::kAddF32,
                 Out(1), V(1), K(0))});
  kernel.vector.scalars[15] = Bits(2);
  kernel.constants.assign(128, 0);
  kernel.constants[0] = Bits(0.5f);
  kernel.constants[127] = Bits(1000);
  kernel.vector.constant_base = 1024 - 128;
  const auto out = RunKernel<float>(kernel, (kOut1 - kOut) / 4 + kGroup);
  for (uint32_t i = 0; i < kGroup; ++i) {
    EXPECT_EQ(out[i], 2 * y[i] + 1000);
    EXPECT_EQ(out[(kOut1 - kOut) / 4 + i], x[i] + 0.5f);
  }
}

TEST_F(VpuKernelTest, ConstantsWrapAroundTheMemory) {
  Kernel kernel = KernelOf({BundleOf(AluOp::kAddS32, Out(0), K(1), K(2))});
  kernel.vector.constant_base = 1023;
  ProgramWriter program;
  AppendConstants(program, std::vector<uint32_t>{5, 7});
  AppendBundles(program, kernel.bundles);
  program.Append(Opcode::kStream, kernel.streams[2]);
  program.Append(Opcode::kVector, Signalling(kernel.vector, 0));
  program.Append(Opcode::kStore, Waiting(StoreOf(0x10000, kOut, 64), 0, 1));
  program.Halt();
  MustRun(program);
  EXPECT_EQ(ReadHbm<uint32_t>(0x10000, 1)[0], 12u);
}

TEST_F(VpuKernelTest, LooksUpByTheLowestFiveBits) {
  std::vector<uint32_t> x(kGroup);
  for (uint32_t& value : x) value = rng_.U32();
  WriteHbm(kX, x);
  Kernel kernel = KernelOf({BundleOf(AluOp::kLookup, Out(0), In(0), K(3))});
  for (int i = 0; i < 40; ++i) kernel.constants.push_back(rng_.U32());
  const auto out = RunKernel<uint32_t>(kernel, kGroup);
  for (uint32_t i = 0; i < kGroup; ++i) EXPECT_EQ(out[i], kernel.constants[3 + x[i] % 32]);
}

TEST_F(VpuKernelTest, LoopsNest) {
  // Loop 4 (3 times) around loop 5 (2 times), then loop 3 (4 times) of one bundle.
  Kernel kernel = KernelOf({BundleOf(AluOp::kCopy, V(0), S(0)),
                            BundleOf(AluOp::kAddS32, V(0), V(0), S(1)),
                            BundleOf(AluOp::kAddS32, V(0), V(0), S(2)),
                            BundleOf(AluOp::kAddS32, V(0), V(0), S(3)),
                            BundleOf(AluOp::kAddS32, V(0), V(0), S(4)),
                            BundleOf(AluOp::kCopy, Out(0), V(0))},
                           2);
  kernel.vector.counts = {2, 1, 1, 4, 3, 2};
  kernel.bundles[1].loop_start = 1 << 4;
  kernel.bundles[2].loop_start = kernel.bundles[2].loop_end = 1 << 5;
  kernel.bundles[3].loop_end = 1 << 4;
  kernel.bundles[4].loop_start = kernel.bundles[4].loop_end = 1 << 3;
  kernel.vector.scalars = {1, 10, 100, 1000, 10000};
  EXPECT_EQ(RunKernel<uint32_t>(kernel, 2 * kGroup),
            std::vector<uint32_t>(2 * kGroup, 1 + 3 * (10 + 2 * 100 + 1000) + 4 * 10000));
  // Loops 4 and 5 begin and end in one bundle: the inner one is looked at first.
  kernel.bundles[2].loop_start = 3 << 4;
  kernel.bundles[2].loop_end = 3 << 4;
  kernel.bundles[1].loop_start = kernel.bundles[3].loop_end = 0;
  EXPECT_EQ(RunKernel<uint32_t>(kernel, 1)[0], 1u + 10 + 6 * 100 + 1000 + 40000);
}

TEST_F(VpuKernelTest, StreamsFollowLoopsAndSteps) {
  std::vector<uint32_t> x(24 * kGroup);
  for (uint32_t& value : x) value = rng_.U32();
  WriteHbm(kX, x);
  // Sums 2 x 2 groups of an instance: loop 5 steps by six groups, the bundle's step of 3 by three.
  Kernel kernel = KernelOf({BundleOf(AluOp::kXor, V(0), S(0), S(0)),
                            BundleOf(AluOp::kAddS32, V(0), V(0), In(0)),
                            BundleOf(AluOp::kAddS32, V(0), V(0), In(0)),
                            BundleOf(AluOp::kCopy, Out(0), V(0))},
                           2);
  kernel.bundles[1].loop_start = 1 << 5;
  kernel.bundles[2].loop_end = 1 << 5;
  kernel.bundles[2].a_step = 3;
  kernel.vector.counts[5] = 2;
  kernel.streams[0].strides = {4 * 3 * 64, 0, 0, 0, 0, 2 * 3 * 64, 64, 0};
  kernel.streams[0].groups_limit = 4;
  const auto out = RunKernel<uint32_t>(kernel, 2 * kGroup);
  for (uint32_t i = 0; i < 2 * kGroup; ++i) {
    const uint32_t* group = &x[i / kGroup * 12 * kGroup + i % kGroup];
    EXPECT_EQ(out[i], group[0] + group[3 * kGroup] + group[6 * kGroup] + group[9 * kGroup]);
  }
}

TEST_F(VpuKernelTest, APrologueRunsBeforeEveryIterationOfItsLevel) {
  std::vector<uint32_t> x(2 * kGroup), y(6 * kGroup);
  for (uint32_t& value : x) value = rng_.U32();
  for (uint32_t& value : y) value = rng_.U32();
  WriteHbm(kX, x);
  WriteHbm(kY, y);
  Kernel kernel = KernelOf({Exit(BundleOf(AluOp::kCopy, W(31), In(0))),
                            BundleOf(AluOp::kAddS32, Out(0), W(31), In(1))});
  kernel.vector.counts = {2, 3, 1, 1, 1, 1};
  kernel.vector.kernel_level = 2;
  kernel.vector.prologue_level = 1;
  kernel.vector.body = 1;
  for (const size_t q : {1, 2}) {
    kernel.streams[q].strides[0] = 3 * 64;
    kernel.streams[q].strides[1] = 64;
  }
  const auto out = RunKernel<uint32_t>(kernel, 6 * kGroup);
  for (uint32_t i = 0; i < 6 * kGroup; ++i) {
    EXPECT_EQ(out[i], x[i / (3 * kGroup) * kGroup + i % kGroup] + y[i]);
  }
  // A later instruction without a prologue reads what is left in w.
  kernel.vector.counts[0] = 1;
  ProgramWriter program;
  Append(program, kernel);
  program.Append(Opcode::kLoad, Signalling(LoadOf(0, 0, 0x8000), 0));
  program.Append(Opcode::kVector, Waiting(kernel.vector, 0, 1));
  kernel.vector.prologue_level = arch::kNoLevel;
  kernel.vector.bases[4] = kOut1;
  program.Append(Opcode::kVector, Signalling(kernel.vector, 1));
  program.Append(Opcode::kStore, Waiting(StoreOf(0x10000, kOut1, 64), 1, 1));
  program.Halt();
  MustRun(program);
  EXPECT_EQ(ReadHbm<uint32_t>(0x10000, 1)[0], x[0] + y[0]);
}

TEST_F(VpuKernelTest, LaneSlotWorksBesideTheOthers) {
  std::vector<float> x(kGroup);
  std::iota(x.begin(), x.end(), 0.0f);
  WriteHbm(kX, x);
  Kernel kernel = KernelOf(
      {BundleOf(AluOp::kCopy, V(1), In(0)),
       WithLaneSlot(BundleOf(AluOp::kMultiplyF32, V(2), V(1), S(0)), LaneOp::kReduceAddF32, V(1),
                    V(1)),
       BundleOf(AluOp::kAddF32, Out(0), V(1), V(2))});
  kernel.vector.scalars[0] = Bits(2);
  const auto out = RunKernel<float>(kernel, kGroup);
  for (uint32_t i = 0; i < kGroup; ++i) EXPECT_EQ(out[i], (i < 8 ? 28 : 92) + 2 * x[i]);
}

TEST_F(VpuKernelTest, EveryOperationIsThatOfTheLanes) {
  for (const arch::OperationInfo& info : arch::kAluOps) {
    if (info.code == static_cast<uint32_t>(AluOp::kLookup)) continue;
    const AluOp op = static_cast<AluOp>(info.code);
    std::vector<uint32_t> x(kGroup), y(kGroup);
    for (uint32_t& value : x) value = rng_.U32();
    for (uint32_t& value : y) value = rng_.U32();
    WriteHbm(kX, x);
    WriteHbm(kY, y);
    Kernel kernel = KernelOf({BundleOf(op, Out(0), In(0), In(1), S(3))});
    if (info.slot_b) kernel = KernelOf({WithSlotB(Bundle(), op, Out(0), In(0), In(1), S(3))});
    kernel.vector.scalars[3] = rng_.U32();
    const auto out = RunKernel<uint32_t>(kernel, kGroup);
    for (uint32_t i = 0; i < kGroup; ++i) {
      EXPECT_EQ(out[i], EvaluateAlu(op, x[i], y[i], kernel.vector.scalars[3])) << info.name;
    }
  }
}

TEST_F(VpuKernelTest, StopsAtUnknownOperations) {
  const auto with = [&](auto change) {
    Kernel kernel = KernelOf({Bundle(), CopyBundle()});
    change(kernel.bundles[1]);
    return kernel;
  };
  ExpectFault(with([](Bundle& b) { b.a_op = 255; }), Fault::kKernelOpcode, 1);
  ExpectFault(with([](Bundle& b) { b.b_op = 19; }), Fault::kKernelOpcode, 1);
  ExpectFault(with([](Bundle& b) { b.b_op = static_cast<uint32_t>(AluOp::kDivideF32); }),
              Fault::kKernelOpcode, 1);
  ExpectFault(with([](Bundle& b) { b.lane_op = 11; }), Fault::kKernelOpcode, 1);
}

TEST_F(VpuKernelTest, StopsAtCodesWithoutMeaning) {
  const auto with = [&](auto change) {
    Kernel kernel = KernelOf({Bundle(), CopyBundle()});
    change(kernel.bundles[1]);
    return kernel;
  };
  for (const uint32_t code : {68u, 71u, 72u, 79u, 96u, 127u}) {
    ExpectFault(with([=](Bundle& b) { b.a_x = code; }), Fault::kKernelRegister, 1);
  }
  for (const uint32_t code : {32u, 63u, 64u, 74u, 80u, 128u, 255u}) {
    ExpectFault(with([=](Bundle& b) { b.a_dst = code; }), Fault::kKernelRegister, 1);
  }
  ExpectFault(with([](Bundle& b) { b = WithSlotB(b, AluOp::kCopy, Out(0), S(0)); }),
              Fault::kKernelRegister, 1);
  ExpectFault(with([](Bundle& b) { b = BundleOf(AluOp::kLookup, V(0), S(0), S(1)); }),
              Fault::kKernelRegister, 1);
  ExpectFault(with([](Bundle& b) { b = WithLaneSlot({}, LaneOp::kReduceAnd, V(0), In(0)); }),
              Fault::kKernelRegister, 1);
  ExpectFault(with([](Bundle& b) { b = WithLaneSlot({}, LaneOp::kRowIndex, Out(0), 0); }),
              Fault::kKernelRegister, 1);
  ExpectFault(with([](Bundle& b) {
                b = WithLaneSlot(BundleOf(AluOp::kCopy, V(1), S(0)), LaneOp::kSlide, V(0), V(0),
                                 V(0), V(0));
              }),
              Fault::kKernelRegister, 1);
  ExpectFault(with([](Bundle& b) {
                b = WithLaneSlot(BundleOf(AluOp::kCopy, V(1), S(0)), LaneOp::kRowIndex, V(1), 0);
              }),
              Fault::kKernelRegister, 1);
  // The operation comes first.
  ExpectFault(with([](Bundle& b) { b.a_x = 127, b.b_op = 255; }), Fault::kKernelOpcode, 1);
}

TEST_F(VpuKernelTest, StopsAtLoopsThatAreNone) {
  const auto with = [&](auto change) {
    Kernel kernel = KernelOf({Bundle(), Bundle(), Bundle()});
    kernel.vector.counts[5] = 3;
    change(kernel);
    return kernel;
  };
  const auto none = with([](Kernel&) {});
  EXPECT_EQ(ResultOf(none).fault, Fault::kNone);
  ExpectFault(with([](Kernel& k) { k.bundles[1].loop_start = 1; }), Fault::kKernelLoop, 1);
  ExpectFault(with([](Kernel& k) { k.bundles[1].loop_end = 1 << 5; }), Fault::kKernelLoop, 1);
  ExpectFault(with([](Kernel& k) { k.bundles[1].loop_start = 1 << 5; }), Fault::kKernelLoop, 2);
  ExpectFault(with([](Kernel& k) { k.bundles[2].exit = 0, k.vector.kernel_base = 509; }),
              Fault::kKernelLoop, 3);
  ExpectFault(with([](Kernel& k) { k.vector.body = 512; }), Fault::kKernelLoop, 512);
  const auto looped = [](Kernel& k) { k.bundles[0].loop_start = k.bundles[1].loop_end = 1 << 5; };
  const auto limited = with([&](Kernel& k) { looped(k), k.vector.bundle_limit = 7; });
  EXPECT_EQ(ResultOf(limited).fault, Fault::kNone);
  ExpectFault(with([&](Kernel& k) { looped(k), k.vector.bundle_limit = 6; }), Fault::kKernelLoop,
              2);
  ExpectFault(with([&](Kernel& k) { looped(k), k.vector.bundle_limit = 2; }), Fault::kKernelLoop,
              0);
}

TEST_F(VpuKernelTest, StopsAtStreamsThatAreNone) {
  ExpectFault(KernelOf({Bundle(), BundleOf(AluOp::kCopy, Out(0), In(2))}), Fault::kKernelStream, 1);
  Kernel kernel = KernelOf({CopyBundle()});
  kernel.streams.pop_back();  // out1
  kernel.bundles[0].a_dst = Out(1);
  ExpectFault(kernel, Fault::kKernelStream, 0);

  kernel = KernelOf({WithSlotB(CopyBundle(), AluOp::kCopy, V(0), In(0))});
  EXPECT_EQ(ResultOf(kernel).fault, Fault::kNone);
  kernel.bundles[0].b_step = 1;
  ExpectFault(kernel, Fault::kKernelStream, 0);

  kernel = KernelOf({CopyBundle(), BundleOf(AluOp::kCopy, V(0), In(0))}, 3);
  kernel.streams[0].groups_limit = 2;  // of each instance
  EXPECT_EQ(ResultOf(kernel).fault, Fault::kNone);
  kernel.streams[0].groups_limit = 1;
  ExpectFault(kernel, Fault::kKernelStream, 1);
  kernel.streams[2].groups_limit = 1;
  kernel.streams[0].groups_limit = 0;
  EXPECT_EQ(ResultOf(kernel).fault, Fault::kNone);
  kernel.bundles[1].a_dst = Out(0);
  kernel.bundles[1].a_step = 1;
  ExpectFault(kernel, Fault::kKernelStream, 1);
}

TEST_F(VpuKernelTest, RefusesFieldsOfInstructions) {
  const auto with = [&](auto change) {
    Kernel kernel = KernelOf({CopyBundle()});
    change(kernel.vector);
    return ResultOf(kernel).fault;
  };
  using Vector = arch::Vector;
  EXPECT_EQ(with([](Vector&) {}), Fault::kNone);
  EXPECT_EQ(with([](Vector& v) { v.kernel_level = 7; }), Fault::kIllegalField);
  EXPECT_EQ(with([](Vector& v) { v.prologue_level = 2; }), Fault::kIllegalField);
  EXPECT_EQ(with([](Vector& v) { v.counts[5] = 0; }), Fault::kIllegalField);
  EXPECT_EQ(with([](Vector& v) { v = Signalling(v, 0, 1); }), Fault::kNone);
  EXPECT_EQ(with([](Vector& v) { v = Signalling(v, 0, 2); }), Fault::kIllegalField);
  EXPECT_EQ(with([](Vector& v) { v = Waiting(v, 0, 0, 2); }), Fault::kIllegalField);

  const auto load = [&](uint32_t part, uint32_t first, uint32_t count) {
    arch::LoadKernel load;
    load.engine = Number(arch::Engine::kVpu);
    load.part = part;
    load.first = first;
    load.count = count;
    ProgramWriter program;
    program.Append(Opcode::kLoadKernel, load);
    program.Halt();
    return Run(program).fault;
  };
  EXPECT_EQ(load(0, 502, 10), Fault::kNone);
  EXPECT_EQ(load(0, 503, 10), Fault::kIllegalField);
  EXPECT_EQ(load(0, 0, 11), Fault::kIllegalField);
  EXPECT_EQ(load(0, 0, 0), Fault::kIllegalField);
  EXPECT_EQ(load(1, 974, 50), Fault::kNone);
  EXPECT_EQ(load(1, 975, 50), Fault::kIllegalField);
  EXPECT_EQ(load(1, 0, 51), Fault::kIllegalField);
}

}  // namespace
}  // namespace systolith::golden
