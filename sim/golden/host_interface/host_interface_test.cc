#include "sim/golden/host_interface/host_interface.h"

#include "sim/golden/testing/chip_fixture.h"
#include "tb/common/random.h"

namespace systolith::golden {
namespace {

using arch::Csr;
using arch::Fault;
using arch::Opcode;

constexpr uint32_t kHostFlag = 57;

class HostInterfaceTest : public ChipFixture<tb::RandomTest> {
 protected:
  uint32_t Csr32(Csr csr) { return chip_->ReadCsr(csr).value(); }
  void Write(Csr csr, uint32_t value) { ASSERT_TRUE(chip_->WriteCsr(csr, value).ok()); }
  uint32_t State() { return Csr32(Csr::kStatus) & 7; }

  static arch::Sync SyncOn(arch::Engine engine) {
    arch::Sync sync;
    sync.engine = Number(engine);
    return sync;
  }
  static ProgramWriter Halting() {
    ProgramWriter program;
    program.Halt();
    return program;
  }
};

TEST_F(HostInterfaceTest, TellsWhatTheChipIs) {
  EXPECT_EQ(Csr32(Csr::kMagic), 0x54535953u);
  EXPECT_EQ(Csr32(Csr::kMxuRows), 8u);
  EXPECT_EQ(Csr32(Csr::kFeatures), 3u);
  EXPECT_EQ(Csr32(Csr::kMemoryBytesLo), 1u << 26);
  EXPECT_EQ(Csr32(Csr::kProgramHashLo), static_cast<uint32_t>(config_.ProgramHash()));
  EXPECT_EQ(Csr32(Csr::kWatchdogCycles), 1000000u);
}

TEST_F(HostInterfaceTest, QueuesJobsAndCountsThem) {
  const ProgramWriter program = Halting();
  ASSERT_TRUE(StartJob(*chip_, config_, program.words()).ok());
  Write(Csr::kDoorbellLo, kDescriptorAddress);
  Write(Csr::kDoorbellLo, kDescriptorAddress);
  EXPECT_EQ(State(), 0u);  // reading the status let all three run
  EXPECT_EQ(Csr32(Csr::kCompleted), 3u);
  ASSERT_TRUE(chip_->WaitForInterrupt(1000).ok());
  Write(Csr::kInterruptStatus, 1);
  EXPECT_EQ(chip_->WaitForInterrupt(1000).code(), StatusCode::kTimeout);
}

TEST_F(HostInterfaceTest, ChecksTheDescriptor) {
  const ProgramWriter program = Halting();
  JobOptions options;
  options.wrong_hash = 1;
  EXPECT_EQ(Run(program, options).fault, Fault::kHashMismatch);
  options = {};
  options.segments = {{(1 << 26) - 16, 17}};
  EXPECT_EQ(Run(program, options).fault, Fault::kMemoryRange);
  options.segments = {{(1 << 26) - 16, 16}};
  EXPECT_EQ(Run(program, options).fault, Fault::kNone);
  options.segments = {{kDataAddress, 64}, {.base = kDataAddress, .bytes = 64, .chip = 1}};
  const JobResult elsewhere = Run(program, options);
  EXPECT_EQ(elsewhere.fault, Fault::kBadDescriptor);
  EXPECT_EQ(elsewhere.address, kDescriptorAddress);
  const std::vector<uint32_t> zeros(16);
  WriteHbm(0, zeros);
  Write(Csr::kDoorbellLo, kDataAddress);
  EXPECT_EQ(FinishJob(*chip_).fault, Fault::kBadDescriptor);
  Write(Csr::kDoorbellHi, 1);
  Write(Csr::kDoorbellLo, 0);
  EXPECT_EQ(FinishJob(*chip_).fault, Fault::kMemoryRange);
  EXPECT_TRUE(Run(program).completed);  // the chip is usable again
}

TEST_F(HostInterfaceTest, AFaultEmptiesTheQueueAndIsKept) {
  ProgramWriter bad;
  bad.words() = {0xff, 0, 0, 0};
  ASSERT_TRUE(StartJob(*chip_, config_, bad.words()).ok());
  Write(Csr::kDoorbellLo, kDescriptorAddress);
  ASSERT_TRUE(chip_->WaitForInterrupt(1000).ok());
  EXPECT_EQ(State(), 4u);
  EXPECT_EQ(Csr32(Csr::kStatus) >> arch::kStatusQueueUsedLsb, 0u);
  EXPECT_EQ(Csr32(Csr::kInterruptStatus), 2u);
  Write(Csr::kDoorbellLo, kDescriptorAddress);  // ignored
  EXPECT_EQ(State(), 4u);
  EXPECT_EQ(Csr32(Csr::kFaultCause), static_cast<uint32_t>(Fault::kIllegalOpcode));
  Write(Csr::kControl, 1u << arch::kControlResetLsb);
  EXPECT_EQ(State(), 0u);
  EXPECT_EQ(Csr32(Csr::kFaultCause), 0u);
  EXPECT_EQ(Csr32(Csr::kCompleted), 0u);
}

TEST_F(HostInterfaceTest, HostFlagsHoldAJobInTheMiddleOfAnInstruction) {
  WriteHbm(0, std::vector<uint32_t>{1, 2, 3, 4});
  arch::Dma load = LoadOf(0, 0, 4);
  load.counts[0] = 4;
  load.hbm_strides[0] = load.buffer_strides[0] = 4;
  load = Signalling(Waiting(load, kHostFlag, 1, 1, 1), 0, 1);
  arch::Dma store = StoreOf(0x1000, 0, 4);
  store.counts[0] = 4;
  store.hbm_strides[0] = store.buffer_strides[0] = 4;
  ProgramWriter program;
  program.Append(Opcode::kLoad, load);
  program.Append(Opcode::kStore, Waiting(store, 0, 1, 1, 1));
  program.Halt();
  ASSERT_TRUE(StartJob(*chip_, config_, program.words()).ok());
  EXPECT_EQ(chip_->WaitForInterrupt(1000).code(), StatusCode::kTimeout);
  Write(Csr::kHostFlag, 2u << 16 | kHostFlag);
  EXPECT_EQ(chip_->WaitForInterrupt(1000).code(), StatusCode::kTimeout);
  EXPECT_EQ(ReadHbm<uint32_t>(0x1000, 4), (std::vector<uint32_t>{1, 2, 0, 0}));
  Write(Csr::kFlagSelect, 0);
  EXPECT_EQ(Csr32(Csr::kFlagValue), 2u);
  Write(Csr::kHostFlag, 2u << 16 | kHostFlag);
  const JobResult result = FinishJob(*chip_);
  EXPECT_TRUE(result.status.ok() && result.completed) << result;
  EXPECT_EQ(ReadHbm<uint32_t>(0x1000, 4), (std::vector<uint32_t>{1, 2, 3, 4}));
}

TEST_F(HostInterfaceTest, TheWatchdogNamesTheLowestEngineThatWaits) {
  // mxu0 waits for the host; the vpu waits for mxu0, and has the lower number.
  ProgramWriter program;
  arch::Sync mxu = Signalling(SyncOn(arch::Engine::kMxu0), 0);
  program.Append(Opcode::kSync, Waiting(mxu, kHostFlag, 1));
  const uint32_t pc = program.pc();
  program.Append(Opcode::kSync, Waiting(SyncOn(arch::Engine::kVpu), 0, 1));
  program.Halt();
  const JobResult result = Run(program);
  EXPECT_EQ(result.fault, Fault::kWatchdog);
  EXPECT_EQ(result.engine, Number(arch::Engine::kVpu));
  EXPECT_EQ(result.pc, pc);
  EXPECT_EQ(result.flag, 0u);
  EXPECT_TRUE(Run(Halting()).completed);
}

TEST_F(HostInterfaceTest, TheWatchdogMayBeOff) {
  Write(Csr::kWatchdogCycles, 0);
  ProgramWriter program;
  program.Append(Opcode::kSync, Waiting(SyncOn(arch::Engine::kMxu0), 20, 1));
  program.Halt();
  EXPECT_EQ(Run(program).status.code(), StatusCode::kTimeout);
  Write(Csr::kControl, 1u << arch::kControlAbortLsb);
  EXPECT_EQ(FinishJob(*chip_).fault, Fault::kAborted);
  EXPECT_TRUE(Run(Halting()).completed);
}

TEST_F(HostInterfaceTest, EndlessProgramsCanBeStopped) {
  ProgramWriter program;
  program.Append(Opcode::kBranch, arch::Scalar{});  // to itself
  ASSERT_TRUE(StartJob(*chip_, config_, program.words()).ok());
  EXPECT_EQ(chip_->WaitForInterrupt(10000).code(), StatusCode::kTimeout);
  chip_->RequestStop();
  EXPECT_EQ(chip_->WaitForInterrupt(10000).code(), StatusCode::kCancelled);
  Write(Csr::kControl, 1u << arch::kControlAbortLsb);
  EXPECT_EQ(FinishJob(*chip_).fault, Fault::kAborted);
}

TEST_F(HostInterfaceTest, CountsBytes) {
  ProgramWriter program;
  program.Append(Opcode::kLoad, Signalling(LoadOf(60, 0, 8), 0));  // two lines
  program.Append(Opcode::kStore, Waiting(StoreOf(0x1000, 0, 8), 0, 1));
  program.Halt();
  MustRun(program);
  EXPECT_EQ(Csr32(Csr::kReadBytesLo), 128u + (program.pc() + 63) / 64 * 64);
  EXPECT_EQ(Csr32(Csr::kWriteBytesLo), 8u);
  EXPECT_EQ(Csr32(Csr::kInstructions), 3u);
}

TEST_F(HostInterfaceTest, MemoryOutsideIsAnError) {
  std::byte byte{};
  EXPECT_EQ(chip_->ReadMemory(1 << 26, std::span(&byte, 1)).code(), StatusCode::kInvalidArgument);
  EXPECT_TRUE(chip_->ReadMemory((1 << 26) - 1, std::span(&byte, 1)).ok());
}

}  // namespace
}  // namespace systolith::golden
