#include "sim/golden/sequencer/sequencer.h"

#include "sim/golden/testing/chip_fixture.h"
#include "tb/common/random.h"

namespace systolith::golden {
namespace {

using arch::Condition;
using arch::Fault;
using arch::Opcode;
using arch::Scalar;

class SequencerTest : public ChipFixture<tb::RandomTest> {
 protected:
  static Scalar Add(uint32_t rd, uint32_t rs, uint32_t rt, int32_t imm) {
    Scalar scalar;
    scalar.rd = rd;
    scalar.rs = rs;
    scalar.rt = rt;
    scalar.imm = imm;
    return scalar;
  }
  static Scalar Branch(Condition condition, uint32_t rs, int32_t imm, uint32_t target) {
    Scalar scalar;
    scalar.condition = static_cast<uint32_t>(condition);
    scalar.rs = rs;
    scalar.imm = imm;
    scalar.target = target;
    return scalar;
  }
  static Scalar Await(uint32_t flag, int32_t target) {
    Scalar scalar;
    scalar.target = flag;
    scalar.imm = target;
    return scalar;
  }
  JobResult RunWords(std::vector<uint32_t> words) {
    ProgramWriter program;
    program.words() = std::move(words);
    return Run(program);
  }
};

TEST_F(SequencerTest, LoopsWithPatchesAndSteppingWaits) {
  // for (r1 = 0; r1 < 5; ++r1) copy run r1 of 10 bytes through the buffer.
  const auto data = RandomBytes(50);
  WriteHbm(0, data);
  ProgramWriter program;
  const uint32_t loop = program.pc();
  arch::Dma load = Signalling(LoadOf(0, 0x100, 10), 0);
  load.patch0_word = 19;  // offset_lo
  load.patch0_reg = 2;
  load.patch1_word = 27;  // buffer_base
  load.patch1_reg = 3;
  program.Append(Opcode::kLoad, load);
  arch::Dma store = Waiting(StoreOf(0x1000, 0x100, 10), 0, 1);
  store.wait0_reg = 1;
  store.patch0_word = 19;
  store.patch0_reg = 2;
  store.patch2_word = 27;
  store.patch2_reg = 3;
  program.Append(Opcode::kStore, store);
  program.Append(Opcode::kAdd, Add(1, 1, 0, 1));
  program.Append(Opcode::kAdd, Add(2, 2, 0, 10));
  program.Append(Opcode::kAdd, Add(3, 3, 0, 64));
  program.Append(Opcode::kBranch, Branch(Condition::kLt, 1, 5, loop));
  program.Halt();
  MustRun(program);
  EXPECT_EQ(ReadHbm<uint8_t>(0x1000, 50), data);
}

TEST_F(SequencerTest, TripCountsComeFromTheBuffer) {
  WriteHbm(0, std::vector<int32_t>{3, 77});
  ProgramWriter program;
  program.Append(Opcode::kLoad, Signalling(LoadOf(0, 0x40, 8), 4));
  program.Append(Opcode::kAwait, Await(4, 1));
  Scalar trips = Add(5, 0, 0, 0x40);
  program.Append(Opcode::kLoadScalar, trips);
  const uint32_t loop = program.pc();
  arch::Dma store = Waiting(StoreOf(0x1000, 0x44, 4), 4, 1);
  store.patch0_word = 19;
  store.patch0_reg = 6;
  program.Append(Opcode::kStore, store);
  program.Append(Opcode::kAdd, Add(6, 6, 0, 4));
  program.Append(Opcode::kAdd, Add(5, 5, 0, -1));
  program.Append(Opcode::kBranch, Branch(Condition::kNe, 5, 0, loop));
  program.Halt();
  MustRun(program);
  EXPECT_EQ(ReadHbm<int32_t>(0x1000, 4), (std::vector<int32_t>{77, 77, 77, 0}));
}

TEST_F(SequencerTest, RegisterZeroStaysZero) {
  ProgramWriter program;
  program.Append(Opcode::kAdd, Add(0, 0, 0, 5));
  program.Append(Opcode::kBranch, Branch(Condition::kEq, 0, 0, 48));
  program.words().insert(program.words().end(), {0xff, 0, 0, 0});  // jumped over
  program.Halt();
  MustRun(program);
}

TEST_F(SequencerTest, FaultsOfHeadersAndBounds) {
  EXPECT_EQ(RunWords({}).fault, Fault::kProgramBounds);
  JobResult result = RunWords({0x00010002, 0, 0, 0});  // add, then the end
  EXPECT_EQ(result.fault, Fault::kProgramBounds);
  EXPECT_EQ(result.pc, 16u);
  EXPECT_EQ(RunWords({0x000a0111, 0, 0, 0}).fault, Fault::kProgramBounds);  // a cut load
  result = RunWords({0x00010002, 0, 0, 0, 0x000100ff, 0, 0, 0});
  EXPECT_EQ(result.fault, Fault::kIllegalOpcode);
  EXPECT_EQ(result.pc, 16u);
  EXPECT_EQ(result.engine, 0u);
  EXPECT_EQ(RunWords({0x00020001, 0, 0, 0}).fault, Fault::kIllegalOpcode);  // quads
  EXPECT_EQ(RunWords({0x00010101, 0, 0, 0}).fault, Fault::kIllegalOpcode);  // halt of dma_load
  EXPECT_EQ(RunWords({0x000a0211, 0, 0, 0}).fault, Fault::kIllegalOpcode);  // load of dma_store
  EXPECT_EQ(RunWords({0x00010003, 0, 0, 1 << 20}).fault, Fault::kProgramBounds);  // branch
}

TEST_F(SequencerTest, FaultsOfFields) {
  const auto with = [&](auto change) {
    arch::Sync sync;
    sync.engine = Number(arch::Engine::kVpu);
    change(sync);
    ProgramWriter program;
    program.Append(Opcode::kSync, sync);
    program.Halt();
    return Run(program).fault;
  };
  using S = arch::Sync;
  EXPECT_EQ(with([](S&) {}), Fault::kNone);
  EXPECT_EQ(with([](S& s) { s.signal1_valid = 1, s.signal1_flag = 47; }), Fault::kNone);
  EXPECT_EQ(with([](S& s) { s.signal1_valid = 1, s.signal1_flag = 48; }), Fault::kIllegalField);
  EXPECT_EQ(with([](S& s) { s.signal0_valid = 1, s.signal0_flag = 60; }), Fault::kIllegalField);
  EXPECT_EQ(with([](S& s) { s.signal0_valid = 1, s.signal0_level = 7; }), Fault::kIllegalField);
  EXPECT_EQ(with([](S& s) { s.wait3_valid = 1, s.wait3_flag = 64; }), Fault::kIllegalField);
  EXPECT_EQ(with([](S& s) { s.wait2_valid = 1, s.wait2_level = 7; }), Fault::kIllegalField);
  EXPECT_EQ(with([](S& s) { s.signal0_flag = 200, s.wait0_flag = 200; }), Fault::kNone);  // unused
}

TEST_F(SequencerTest, LoadScalarChecksItsAddress) {
  const auto load = [&](int32_t address) {
    ProgramWriter program;
    program.Append(Opcode::kLoadScalar, Add(1, 0, 0, address));
    program.Halt();
    return Run(program).fault;
  };
  EXPECT_EQ(load(0xfffc), Fault::kNone);
  EXPECT_EQ(load(0xfffe), Fault::kMisaligned);
  EXPECT_EQ(load(0x10000), Fault::kBufferRange);
  EXPECT_EQ(load(-4), Fault::kBufferRange);
}

}  // namespace
}  // namespace systolith::golden
