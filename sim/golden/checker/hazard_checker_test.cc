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
    arch::Vector drain = DrainOf(8, 0x1000);
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
  program.Append(Opcode::kVector, DrainOf(1, 0));
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

TEST_F(HazardCheckerTest, AnInstructionMustNotReadWhatItWrote) {
  arch::Vector vector;
  vector.engine = Number(arch::Engine::kVpu);
  vector.counts = {3, 1, 1, 1, 1, 1};
  vector.x_source = static_cast<uint32_t>(arch::XSource::kBuffer);
  vector.length_limit = 8;
  vector.length_level = arch::kNoLevel;
  vector.x_strides[0] = vector.out_strides[0] = 32;
  vector.out_base = 32;  // row i + 1 is written before iteration i + 1 reads it
  ProgramWriter program;
  program.Append(Opcode::kVector, vector);
  EXPECT_THAT(Violation(program), HasSubstr("earlier iteration of the same instruction"));
  vector.x_base = 32;
  vector.out_base = 0;  // rows already read are overwritten: no hazard
  program = {};
  program.Append(Opcode::kVector, vector);
  program.Append(Opcode::kVector, vector);  // a queue is executed in order
  EXPECT_EQ(Violation(program), "");
  vector.x_base = vector.out_base = 0;  // in place
  program = {};
  program.Append(Opcode::kVector, vector);
  EXPECT_EQ(Violation(program), "");
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
