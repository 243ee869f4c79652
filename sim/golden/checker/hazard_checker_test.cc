// Programs that work in program order but not on every chip are found out; right ones are not
// suspected.
#include "sim/golden/checker/hazard_checker.h"

#include <fmt/format.h>
#include <gmock/gmock.h>

#include "sim/golden/testing/chip_fixture.h"
#include "tb/common/random.h"

namespace systolith::golden {
namespace {

using arch::Opcode;
using testing::AllOf;
using testing::HasSubstr;

class HazardCheckerTest : public ChipFixture<tb::RandomTest> {
 protected:
  // The message about the program, or "" if it has no hazard.
  std::string Violation(ProgramWriter program) {
    program.Halt();
    const JobResult result = Run(program);
    EXPECT_EQ(result.fault, arch::Fault::kNone) << result;
    if (!result.status.ok()) {
      EXPECT_EQ(result.status.code(), StatusCode::kInternal) << result;
      EXPECT_TRUE(chip_->WriteCsr(arch::Csr::kInterruptStatus, 3).ok());
    }
    return result.status.message();
  }

  // load a and w; matmul; drain; store, all ordered by flags.
  ProgramWriter Pipeline(bool weights_wait = true, bool drain_wait = true) {
    ProgramWriter program;
    program.Append(Opcode::kLoad, Signalling(LoadOf(0, 0, 128), 0));
    program.Append(Opcode::kLoad, Signalling(LoadOf(128, 128, 128), 1));
    arch::Matmul matmul = Waiting(TileOf(8, 8, 8, 0, 128), 0, 1);
    if (weights_wait) matmul = WaitingForWeights(matmul, 1, 1);
    program.Append(Opcode::kMatmul, Signalling(matmul, 2));
    arch::Vector drain = Drain(program, 8, 0x1000);
    if (drain_wait) drain = Waiting(drain, 2, 1);
    program.Append(Opcode::kVector, Signalling(drain, 3));
    program.Append(Opcode::kStore, Waiting(StoreOf(0x1000, 0x1000, 256), 3, 1));
    return program;
  }
};

TEST_F(HazardCheckerTest, AnOrderedPipelineIsClean) { EXPECT_EQ(Violation(Pipeline()), ""); }

TEST_F(HazardCheckerTest, AMissingWaitIsReportedWithBothInstructions) {
  ProgramWriter program;
  program.Append(Opcode::kLoad, Signalling(LoadOf(0, 0x40, 128), 0));
  const uint32_t pc = program.pc();
  program.Append(Opcode::kStore, StoreOf(0x1000, 0x80, 128));
  EXPECT_THAT(Violation(program),
              AllOf(HasSubstr("load at pc 0x0 (dma_load)"),
                    HasSubstr(fmt::format("store at pc {:#x} (dma_store) reads", pc)),
                    HasSubstr("buffer bytes [0x80, 0xc0)"), HasSubstr("has to wait")));
}

TEST_F(HazardCheckerTest, WeightsRunAheadOfActivations) {
  EXPECT_THAT(Violation(Pipeline(false)),
              AllOf(HasSubstr("mxu0, weight stream"), HasSubstr("with `weights`")));
}

TEST_F(HazardCheckerTest, AccumulatorsAreOrderedToo) {
  EXPECT_THAT(Violation(Pipeline(true, false)), HasSubstr("accumulator row 0 of mxu0"));
  // The next matmul overwrites rows that the vpu may still be reading.
  ProgramWriter program = Pipeline();
  arch::Matmul matmul = WaitingForWeights(TileOf(8, 8, 8, 0, 128), 1, 1);
  program.Append(Opcode::kMatmul, matmul);
  EXPECT_THAT(Violation(program), AllOf(HasSubstr("writes accumulator row"), HasSubstr("read")));
  program = Pipeline();
  program.Append(Opcode::kMatmul, Waiting(matmul, 3, 1));
  EXPECT_EQ(Violation(program), "");
}

TEST_F(HazardCheckerTest, AccumulatorRowsAreWrittenBeforeTheyAreRead) {
  ProgramWriter program;
  const arch::Vector drain = Drain(program, 1, 0);
  program.Append(Opcode::kVector, drain);
  EXPECT_THAT(Violation(program), HasSubstr("no instruction of this job wrote"));
}

TEST_F(HazardCheckerTest, OverwritingNeedsTheReadersSignal) {
  ProgramWriter program;
  program.Append(Opcode::kLoad, Signalling(LoadOf(0, 0, 64), 0));
  program.Append(Opcode::kStore, Signalling(Waiting(StoreOf(0x1000, 0, 64), 0, 1), 1));
  program.Append(Opcode::kLoad, LoadOf(64, 0, 64));
  EXPECT_THAT(Violation(program), HasSubstr("writes buffer bytes [0x0, 0x40)"));
  program = {};
  program.Append(Opcode::kLoad, Signalling(LoadOf(0, 0, 64), 0));
  program.Append(Opcode::kStore, Signalling(Waiting(StoreOf(0x1000, 0, 64), 0, 1), 1));
  program.Append(Opcode::kLoad, Waiting(LoadOf(64, 0, 64), 1, 1));
  EXPECT_EQ(Violation(program), "");
}

TEST_F(HazardCheckerTest, MemoryIsOrderedAcrossSegments) {
  const auto program = [](bool wait) {
    ProgramWriter program;
    program.Append(Opcode::kStore, Signalling(StoreOf(0x1000, 0, 64), 0));
    arch::Dma load = LoadOf(0, 0x100, 64);
    load.segment = 1;
    program.Append(Opcode::kLoad, wait ? Waiting(load, 0, 1) : load);
    program.Halt();
    return program;
  };
  JobOptions options;
  options.segments = {{kDataAddress, 1 << 16}, {kDataAddress + 0x1020, 64}};
  EXPECT_TRUE(Run(program(true), options).status.ok());
  const JobResult result = Run(program(false), options);
  EXPECT_THAT(result.status.message(), HasSubstr("HBM bytes [0x201020, 0x201040)"));
}

TEST_F(HazardCheckerTest, AWaitOrdersOnlyWhatItsOwnRaiseCovers) {
  // Program order runs both rows of the load before the store, but a wait for the first raise
  // says nothing about the second row.
  const auto program = [](uint32_t target, uint32_t level, uint32_t step) {
    ProgramWriter program;
    arch::Dma load = LoadOf(0, 0, 64);
    load.counts[0] = 2;
    load.buffer_strides[0] = 64;
    program.Append(Opcode::kLoad, Signalling(load, 0, 1));
    arch::Dma store = StoreOf(0x1000, 0, 64);
    store.counts[0] = 2;
    store.buffer_strides[0] = store.hbm_strides[0] = 64;
    program.Append(Opcode::kStore, Waiting(store, 0, target, level, step));
    return program;
  };
  EXPECT_THAT(Violation(program(1, 0, 0)), HasSubstr("[0x40, 0x80)"));
  EXPECT_EQ(Violation(program(2, 0, 0)), "");
  EXPECT_EQ(Violation(program(1, 1, 1)), "");
  EXPECT_THAT(Violation(program(1, 1, 0)), HasSubstr("[0x40, 0x80)"));
}

TEST_F(HazardCheckerTest, OrderGoesThroughOtherEnginesAndTheSequencer) {
  ProgramWriter program;
  program.Append(Opcode::kLoad, Signalling(LoadOf(0, 0, 64), 0));
  arch::Sync relay;
  relay.engine = Number(arch::Engine::kMxu1);
  program.Append(Opcode::kSync, Signalling(Waiting(relay, 0, 1), 1));
  program.Append(Opcode::kStore, Waiting(StoreOf(0x1000, 0, 64), 1, 1));
  EXPECT_EQ(Violation(program), "");
  program = {};
  program.Append(Opcode::kLoad, Signalling(LoadOf(0, 0, 64), 0));
  arch::Scalar await;
  await.target = 0;
  await.imm = 1;
  program.Append(Opcode::kAwait, await);
  program.Append(Opcode::kStore, StoreOf(0x1000, 0, 64));
  EXPECT_EQ(Violation(program), "");
}

TEST_F(HazardCheckerTest, TheSequencerReadsTheBufferUnderTheSameRules) {
  arch::Scalar read;
  read.rd = 1;
  arch::Scalar await;
  await.target = 0;
  await.imm = 1;
  ProgramWriter program;
  program.Append(Opcode::kLoad, Signalling(LoadOf(0, 0, 64), 0));
  program.Append(Opcode::kLoadScalar, read);
  EXPECT_THAT(Violation(program), HasSubstr("load_scalar"));
  program = {};
  program.Append(Opcode::kLoad, Signalling(LoadOf(0, 0, 64), 0));
  program.Append(Opcode::kAwait, await);
  program.Append(Opcode::kLoadScalar, read);
  EXPECT_EQ(Violation(program), "");
}

TEST_F(HazardCheckerTest, InstancesMustNotTouchEachOthersBytes) {
  const uint32_t group_bytes = static_cast<uint32_t>(GroupElements(config_)) * 4;
  const arch::Bundle copy = Exit(BundleOf(arch::AluOp::kCopy, Out(0), In(0)));
  // Instance i copies group i + `from` to group i * `step` + `to`.
  const auto violation = [&](uint32_t from, uint32_t to, int32_t step, int times = 1) {
    ProgramWriter program;
    AppendBundles(program, std::span(&copy, 1));
    program.Append(Opcode::kStream, FlatStream(config_, 0, arch::LaneType::kF32));
    arch::Stream out = FlatStream(config_, arch::kInputStreams, arch::LaneType::kF32);
    out.strides[0] *= step;
    program.Append(Opcode::kStream, out);
    arch::Vector vector = VectorOf(3);
    vector.bases[0] = static_cast<int32_t>(from * group_bytes);
    vector.bases[arch::kInputStreams] = static_cast<int32_t>(to * group_bytes);
    for (int i = 0; i < times; ++i) program.Append(Opcode::kVector, vector);
    return Violation(program);
  };
  EXPECT_THAT(violation(0, 1, 1), HasSubstr("earlier iteration of the same instruction"));
  EXPECT_THAT(violation(1, 0, 1), HasSubstr("another instance read"));
  EXPECT_THAT(violation(0, 8, 0), HasSubstr("[0x200, 0x240), which it wrote"));
  EXPECT_EQ(violation(0, 8, 1), "");
  EXPECT_EQ(violation(0, 0, 1), "");     // in place
  EXPECT_EQ(violation(0, 0, 1, 2), "");  // a queue is executed in order
}

TEST_F(HazardCheckerTest, AKernelUsesOnlyWhatTheJobWrote) {
  const auto violation = [&](const arch::Bundle& bundle) {
    ProgramWriter program;
    AppendBundles(program, std::span(&bundle, 1));
    program.Append(Opcode::kVector, VectorOf(1));
    return Violation(program);
  };
  EXPECT_EQ(violation(Exit(BundleOf(arch::AluOp::kCopy, V(0), S(0)))), "");
  EXPECT_EQ(violation(Exit(BundleOf(arch::AluOp::kCopy, V(0), S(0), V(1)))), "");  // reads x only
  EXPECT_THAT(violation(Exit(BundleOf(arch::AluOp::kCopy, V(0), V(1)))),
              HasSubstr("register v 1, which the instance"));
  EXPECT_THAT(violation(Exit(BundleOf(arch::AluOp::kAddS32, V(0), S(0), W(2)))),
              HasSubstr("register w 2, which this job"));
  EXPECT_THAT(violation(Exit(BundleOf(arch::AluOp::kCopy, V(0), K(5)))), HasSubstr("constant 5"));
}

TEST_F(HazardCheckerTest, ATransposeMustNotReadWhatItWrote) {
  arch::Transpose transpose;
  transpose.engine = Number(arch::Engine::kXlu);
  transpose.counts = {2, 1, 1, 1, 1, 1};
  transpose.size_log2 = 2;
  transpose.rows_level = transpose.cols_level = arch::kNoLevel;
  transpose.rows_limit = transpose.cols_limit = 8;
  transpose.in_strides[0] = transpose.out_strides[0] = 256;
  transpose.in_row_stride = transpose.out_row_stride = 32;
  const auto violation = [&](uint32_t in, uint32_t out) {
    transpose.in_base = in;
    transpose.out_base = out;
    ProgramWriter program;
    program.Append(Opcode::kTranspose, transpose);
    return Violation(program);
  };
  EXPECT_THAT(violation(0, 256), HasSubstr("earlier iteration of the same instruction"));
  EXPECT_EQ(violation(256, 0), "");
  EXPECT_EQ(violation(0, 0), "");  // in place
}

TEST_F(HazardCheckerTest, AWaitNamesASignalIssuedEarlier) {
  // The signal is there in time on a chip with a deep queue, but comes later in the program.
  ProgramWriter program;
  program.Append(Opcode::kLoad, Waiting(LoadOf(0, 0, 64), 5, 1));
  program.Append(Opcode::kStore, Signalling(StoreOf(0x1000, 0x100, 64), 5));
  EXPECT_THAT(Violation(program),
              AllOf(HasSubstr("wait rule: load at pc 0x0"), HasSubstr("flag 5")));
}

TEST_F(HazardCheckerTest, AFlagHasOneProducer) {
  ProgramWriter program;
  program.Append(Opcode::kLoad, Signalling(LoadOf(0, 0, 64), 5));
  program.Append(Opcode::kStore, Signalling(StoreOf(0x1000, 0x100, 64), 5));
  EXPECT_THAT(Violation(program), AllOf(HasSubstr("flag rule"), HasSubstr("dma_store")));
}

TEST_F(HazardCheckerTest, TheProgramIsNotOverwrittenWhileItRuns) {
  ProgramWriter program;
  program.Append(Opcode::kStore, StoreOf(0, 0, 16));
  program.Halt();
  JobOptions options;
  options.segments = {{kProgramAddress + 0x40, 0x1000}};
  EXPECT_THAT(Run(program, options).status.message(), HasSubstr("running program"));
}

TEST_F(HazardCheckerTest, IsAnOption) {
  UseConfig(SmallConfig(), false);
  ProgramWriter program;
  program.Append(Opcode::kLoad, LoadOf(0, 0, 64));
  program.Append(Opcode::kStore, StoreOf(0x1000, 0, 64));
  EXPECT_EQ(Violation(program), "");
}

}  // namespace
}  // namespace systolith::golden
