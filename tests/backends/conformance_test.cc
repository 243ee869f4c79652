// What every backend of host/hal must do alike: registers, memory, jobs, faults, resets.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>

#include "tests/backends/backend_fixture.h"

namespace systolith::backends {
namespace {

using arch::Csr;
using arch::Engine;
using arch::Fault;
using arch::Opcode;
using golden::kDataAddress;

constexpr uint32_t kIdle = 0;
constexpr uint32_t kAbort = 1u << arch::kControlAbortLsb, kReset = 1u << arch::kControlResetLsb;

class ConformanceTest : public BackendFixture {};

TEST_P(ConformanceTest, RegistersHaveTheirResetValues) {
  EXPECT_EQ(Read(Csr::kMagic), 0x54535953u);
  EXPECT_EQ(Read(Csr::kIsaVersion), static_cast<uint32_t>(arch::kIsaVersion));
  EXPECT_EQ(Read64(Csr::kProgramHashLo), config_.ProgramHash());
  EXPECT_EQ(Read(Csr::kMxuCount), config_.mxu_count);
  EXPECT_EQ(Read(Csr::kMxuRows), config_.mxu_rows);
  EXPECT_EQ(Read(Csr::kMxuCols), config_.mxu_cols);
  EXPECT_EQ(Read(Csr::kVpuSublanes), config_.vpu_sublanes);
  EXPECT_EQ(Read(Csr::kFeatures), config_.IsHbm2() ? 7u : 3u);
  EXPECT_EQ(Read(Csr::kAccumulatorRows), config_.mxu_accumulator_rows);
  EXPECT_EQ(Read(Csr::kBufferBytes), config_.buffer_bytes);
  EXPECT_EQ(Read(Csr::kLineBytes), config_.memory_line_bytes);
  EXPECT_EQ(Read64(Csr::kMemoryBytesLo), static_cast<uint64_t>(config_.memory_bytes));
  EXPECT_EQ(Read(Csr::kQueueDepth), config_.sequencer_queue_depth);
  EXPECT_EQ(Read(Csr::kWatchdogCycles), config_.sequencer_watchdog_cycles);
  EXPECT_EQ(Read(Csr::kStatus), 0u);
  EXPECT_EQ(Read(Csr::kInterruptStatus), 0u);
  EXPECT_EQ(Read(Csr::kInterruptEnable), 0u);
  EXPECT_EQ(Read(Csr::kCompleted), 0u);
  EXPECT_EQ(Read(Csr::kFaultCause), 0u);
  EXPECT_EQ(Read(Csr::kFaultFlag), 0xffu);
  EXPECT_GE(Read(Csr::kQueueCapacity), 1u);
}

TEST_P(ConformanceTest, MemoryCopiesAreExactAtAnyAlignmentAndLength) {
  const uint64_t base = 0x10000 - 4096;
  std::vector<uint8_t> image = RandomBytes(16384);
  WriteHbm(base, image);
  for (const uint64_t length : {0u, 1u, 7u, 8u, 63u, 64u, 65u, 4095u, 4096u, 4097u}) {
    for (const uint64_t at : {0u, 1u, 0xfc0u, 0xfffu, 0x1000u}) {
      const std::vector<uint8_t> data = RandomBytes(length);
      WriteHbm(base + at, data);
      std::copy(data.begin(), data.end(), image.begin() + static_cast<long>(at));
      ASSERT_EQ(ReadHbm(base + at, length), data);
    }
  }
  EXPECT_EQ(ReadHbm(base, image.size()), image);
}

TEST_P(ConformanceTest, MemoryEndsWhereTheConfigurationSays) {
  const auto end = static_cast<uint64_t>(config_.memory_bytes);
  WriteHbm(end - 5, {1, 2, 3, 4, 5});
  EXPECT_EQ(ReadHbm(end - 5, 5), (std::vector<uint8_t>{1, 2, 3, 4, 5}));
  std::byte two[2] = {};
  EXPECT_EQ(chip_->ReadMemory(end - 1, two).code(), StatusCode::kInvalidArgument);
  EXPECT_EQ(chip_->WriteMemory(end - 1, two).code(), StatusCode::kInvalidArgument);
  EXPECT_EQ(chip_->ReadMemory(~uint64_t{0}, two).code(), StatusCode::kInvalidArgument);
  ExpectUsable();
}

TEST_P(ConformanceTest, CopiesThroughTheBufferKeepTheirGuards) {
  for (const uint32_t length : {1u, 63u, 64u, 4095u, 4096u, 4097u}) {
    for (const uint32_t at : {0xfc0u, 0xfffu, 0x1000u}) {
      std::vector<uint8_t> expected = RandomBytes(3 * 4096);
      const std::vector<uint8_t> source = RandomBytes(length);
      WriteHbm(kDataAddress + 0x8000, expected);
      WriteHbm(kDataAddress + at, source);
      MustRun(CopyProgram(at, 0x8000 + at, length));
      std::copy(source.begin(), source.end(), expected.begin() + static_cast<long>(at));
      ASSERT_EQ(ReadHbm(kDataAddress + 0x8000, expected.size()), expected);
    }
  }
}

TEST_P(ConformanceTest, AMatrixProductIsExact) {
  // bf16 integers: every product and sum is exact. C[3][5] = A[3][8] * W[8][5].
  const auto bf16 = [](int value) {
    const float f = static_cast<float>(value);
    uint32_t bits;
    std::memcpy(&bits, &f, 4);
    return static_cast<uint16_t>(bits >> 16);
  };
  std::vector<uint8_t> data(64 + 8 * 16);
  int a[3][8], w[8][5];
  const auto put = [&](size_t at, int value) {
    data[at] = static_cast<uint8_t>(bf16(value));
    data[at + 1] = static_cast<uint8_t>(bf16(value) >> 8);
  };
  for (size_t m = 0; m < 3; ++m) {
    for (size_t k = 0; k < 8; ++k) {
      put(m * 16 + k * 2, a[m][k] = static_cast<int>(rng_.Range(-9, 9)));
    }
  }
  for (size_t k = 0; k < 8; ++k) {
    for (size_t n = 0; n < 5; ++n) {
      put(64 + k * 16 + n * 2, w[k][n] = static_cast<int>(rng_.Range(-9, 9)));
    }
  }
  WriteHbm(kDataAddress, data);
  ProgramWriter program;
  program.Append(Opcode::kLoad, Signalling(Load(0, 0, static_cast<uint32_t>(data.size())), 0));
  arch::Matmul matmul;
  matmul.engine = static_cast<uint32_t>(Engine::kMxu0);
  matmul.counts = {3, 1, 1, 1, 1, 1};
  matmul.k_level = matmul.n_level = arch::kNoLevel;
  matmul.a_length = matmul.k_limit = 8;
  matmul.n_limit = 5;
  matmul.a_strides[0] = 16;
  matmul.y_limit = 1;
  matmul.x_limit = 8;
  matmul.w_base = 64;
  matmul.w_row_stride = 16;
  matmul.acc_strides[0] = 1;
  matmul = Signalling(Waiting(matmul, 0, 1), 1);
  matmul.wait1_valid = 1;
  matmul.wait1_weights = 1;
  matmul.wait1_flag = 0;
  matmul.wait1_target = 1;
  program.Append(Opcode::kMatmul, matmul);
  golden::AppendDrainKernel(program, config_, 3);
  const arch::Vector vector = golden::DrainVector(config_, 3, 0x400);
  program.Append(Opcode::kVector, Signalling(Waiting(vector, 1, 1), 2));
  program.Append(Opcode::kStore, Waiting(Store(0x1000, 0x400, 3 * 32), 2, 1));
  program.Halt();
  MustRun(program);
  const std::vector<uint8_t> result = ReadHbm(kDataAddress + 0x1000, 3 * 32);
  for (int m = 0; m < 3; ++m) {
    for (int n = 0; n < 8; ++n) {
      int expected = 0;
      for (int k = 0; k < 8 && n < 5; ++k) expected += a[m][k] * w[k][n];
      float actual;
      std::memcpy(&actual, &result[static_cast<size_t>(m * 32 + n * 4)], 4);
      EXPECT_EQ(actual, static_cast<float>(expected)) << m << ", " << n;
    }
  }
}

// A program of one bad instruction behind a good one, and what must be told of it.
struct BadProgram {
  const char* name;
  Fault cause;
  Engine engine;
  uint64_t address;
  ProgramWriter program;
};

TEST_P(ConformanceTest, EveryFaultIsToldAndTheChipIsUsableAfterwards) {
  std::vector<BadProgram> programs;
  const auto add = [&](const char* name, Fault cause, Engine engine, uint64_t address,
                       Opcode opcode, auto instruction) {
    ProgramWriter program;
    program.Append(Opcode::kLoad, Load(0, 0, 64));
    program.Append(opcode, instruction);
    program.Halt();
    programs.push_back({name, cause, engine, address, program});
  };
  constexpr uint64_t kAny = ~uint64_t{0};
  const uint32_t segment_bytes = 1 << 20;
  const auto buffer_bytes = static_cast<uint32_t>(config_.buffer_bytes);

  arch::Sync sync;
  sync.engine = 9;
  add("missing engine", Fault::kIllegalOpcode, Engine::kSequencer, kAny, Opcode::kSync, sync);
  arch::Dma dma = Load(0, 0, 64);
  dma.counts[3] = 0;
  add("count of 0", Fault::kIllegalField, Engine::kDmaLoad, kAny, Opcode::kLoad, dma);
  sync.engine = static_cast<uint32_t>(Engine::kVpu);
  add("signal on a host flag", Fault::kIllegalField, Engine::kVpu, kAny, Opcode::kSync,
      Signalling(sync, 56));
  add("wait on flag 64", Fault::kIllegalField, Engine::kVpu, kAny, Opcode::kSync,
      Waiting(sync, 64, 1));
  dma = Store(0, 0, 64);
  dma.gather = 1;
  add("store with gather", Fault::kIllegalField, Engine::kDmaStore, kAny, Opcode::kStore, dma);
  add("load past the segment", Fault::kSegmentBounds, Engine::kDmaLoad, segment_bytes,
      Opcode::kLoad, Load(segment_bytes - 63, 0, 64));
  dma = Store(64, 0, 64);
  dma.counts[2] = 2;
  dma.hbm_strides[2] = -65;
  add("store before the segment", Fault::kSegmentBounds, Engine::kDmaStore, kAny, Opcode::kStore,
      dma);
  dma = Load(0, 0, 64);
  dma.segment = 1;
  add("load of a write-only segment", Fault::kSegmentRights, Engine::kDmaLoad, kAny, Opcode::kLoad,
      dma);
  dma = Store(0, 0, 64);
  dma.segment = 2;
  add("store to another owner's segment", Fault::kSegmentRights, Engine::kDmaStore, kAny,
      Opcode::kStore, dma);
  dma.segment = 63;
  add("store to no segment", Fault::kSegmentRights, Engine::kDmaStore, kAny, Opcode::kStore, dma);
  add("load past the buffer", Fault::kBufferRange, Engine::kDmaLoad, kAny, Opcode::kLoad,
      Load(0, buffer_bytes - 63, 64));
  add("load_scalar past the buffer", Fault::kBufferRange, Engine::kSequencer, buffer_bytes,
      Opcode::kLoadScalar, arch::Scalar{.rd = 1, .imm = static_cast<int32_t>(buffer_bytes)});
  add("load_scalar of half a word", Fault::kMisaligned, Engine::kSequencer, 2, Opcode::kLoadScalar,
      arch::Scalar{.rd = 1, .imm = 2});
  dma = Load(0, 0, 64);
  dma.gather = 1;
  dma.gather_base = 0;  // what the first instruction loaded: bytes of 0xff
  dma.gather_limit = 4;
  dma.hbm_strides[0] = 64;
  ProgramWriter gather;
  gather.Append(Opcode::kLoad, Signalling(Load(0, 0, 64), 0));
  gather.Append(Opcode::kLoad, Waiting(dma, 0, 1));
  gather.Halt();
  programs.push_back({"gather index", Fault::kGatherIndex, Engine::kDmaLoad, kAny, gather});
  ProgramWriter endless;
  endless.Append(Opcode::kLoad, Load(0, 0, 64));
  programs.push_back({"no halt", Fault::kProgramBounds, Engine::kSequencer, kAny, endless});

  WriteHbm(kDataAddress, std::vector<uint8_t>(64, 0xff));
  JobOptions options;
  options.segments = {{kDataAddress, segment_bytes},
                      {kDataAddress, segment_bytes, false, true},
                      {kDataAddress, segment_bytes, true, true, 3}};
  for (const BadProgram& bad : programs) {
    SCOPED_TRACE(bad.name);
    const JobResult result = Run(bad.program, options);
    ASSERT_TRUE(result.status.ok()) << result;
    EXPECT_EQ(result.fault, bad.cause) << result;
    EXPECT_EQ(result.engine, static_cast<uint32_t>(bad.engine)) << result;
    EXPECT_EQ(result.pc, arch::kDmaWords * 4) << result;
    EXPECT_FALSE(result.completed);
    EXPECT_TRUE(bad.address == kAny || result.address == bad.address) << result;
    ExpectUsable();
  }
}

TEST_P(ConformanceTest, ABadLaunchIsRefused) {
  const ProgramWriter program = CopyProgram(0, 64, 64);
  JobOptions options;
  options.wrong_hash = 1;
  EXPECT_EQ(Run(program, options).fault, Fault::kHashMismatch);
  options = {};
  options.segments[0].bytes = static_cast<uint64_t>(config_.memory_bytes);
  EXPECT_EQ(Run(program, options).fault, Fault::kMemoryRange);
  options = {};
  options.segments.resize(65);
  EXPECT_EQ(Run(program, options).fault, Fault::kBadDescriptor);
  Write(Csr::kDoorbellHi, 0);
  Write(Csr::kDoorbellLo, 0x1010);
  const JobResult result = golden::FinishJob(*chip_);
  EXPECT_EQ(result.fault, Fault::kBadDescriptor);
  EXPECT_EQ(result.address, 0x1010u);
  ExpectUsable();
}

TEST_P(ConformanceTest, TheWatchdogNamesEngineInstructionAndFlag) {
  Write(Csr::kWatchdogCycles, 5000);
  ProgramWriter program;
  arch::Sync sync;
  sync.engine = static_cast<uint32_t>(Engine::kVpu);
  program.Append(Opcode::kSync, sync);
  const uint32_t pc = program.pc();
  program.Append(Opcode::kStore, Waiting(Store(0, 0, 64), 58, 7));
  program.Halt();
  const JobResult result = Run(program);
  EXPECT_EQ(result.fault, Fault::kWatchdog) << result;
  EXPECT_EQ(result.engine, static_cast<uint32_t>(Engine::kDmaStore));
  EXPECT_EQ(result.pc, pc);
  EXPECT_EQ(result.flag, 58u);
  ExpectUsable();
}

TEST_P(ConformanceTest, TheHostReleasesAWaitOnItsFlag) {
  ProgramWriter program;
  program.Append(Opcode::kAwait, arch::Scalar{.imm = 3, .target = 60});
  program.Halt();
  ASSERT_TRUE(golden::StartJob(*chip_, config_, program.words()).ok());
  EXPECT_EQ(chip_->WaitForInterrupt(3000).code(), StatusCode::kTimeout);
  Write(Csr::kHostFlag, 60 | 2 << 16);
  EXPECT_EQ(chip_->WaitForInterrupt(3000).code(), StatusCode::kTimeout);
  Write(Csr::kFlagSelect, 60);
  EXPECT_EQ(Read(Csr::kFlagValue), 2u);
  Write(Csr::kHostFlag, 60 | 1 << 16);
  const JobResult result = golden::FinishJob(*chip_);
  EXPECT_TRUE(result.status.ok() && result.completed) << result;
}

TEST_P(ConformanceTest, AnAbortedJobLeavesAUsableChip) {
  ProgramWriter program;
  program.Append(Opcode::kAwait, arch::Scalar{.imm = 3, .target = 60});
  program.Halt();
  for (int trial = 0; trial < 5; ++trial) {
    ASSERT_TRUE(golden::StartJob(*chip_, config_, program.words()).ok());
    ASSERT_TRUE(chip_->RunCycles(1000).ok());
    Write(Csr::kControl, kAbort);
    const JobResult result = golden::FinishJob(*chip_);
    EXPECT_EQ(result.fault, Fault::kAborted) << result;
    ExpectUsable();
  }
  Write(Csr::kControl, kAbort);  // nothing to abort
  EXPECT_EQ(State(), kIdle);
  ExpectUsable();
}

TEST_P(ConformanceTest, AStoppedWaitLeavesTheJobRunning) {
  const ProgramWriter program = CopyProgram(0, 0x4000, 4096);
  ASSERT_TRUE(golden::StartJob(*chip_, config_, program.words()).ok());
  chip_->RequestStop();
  const Status status = chip_->WaitForInterrupt(1'000'000);
  EXPECT_TRUE(status.ok() || status.code() == StatusCode::kCancelled);
  EXPECT_TRUE(golden::FinishJob(*chip_).completed);
}

TEST_P(ConformanceTest, QueuedJobsRunInOrderAtEveryQueueDepth) {
  for (const uint32_t depth : {1u, 2u, 8u}) {
    Write(Csr::kQueueDepth, depth);
    const uint32_t completed = Read(Csr::kCompleted);
    ProgramWriter program;  // moves 64 bytes up, in eight dependent steps
    for (uint32_t i = 0; i < 8; ++i) {
      arch::Dma load = Signalling(Load(i * 0x100, i * 0x40, 64), 2 * i);
      if (i > 0) load = Waiting(load, 2 * i - 1, 1);
      program.Append(Opcode::kLoad, load);
      program.Append(Opcode::kStore, Signalling(Waiting(Store(i * 0x100 + 0x100, i * 0x40, 64),
                                                        2 * i, 1), 2 * i + 1));
    }
    program.Halt();
    const std::vector<uint8_t> data = RandomBytes(64);
    WriteHbm(kDataAddress, data);
    ASSERT_TRUE(golden::StartJob(*chip_, config_, program.words()).ok());
    Write(Csr::kDoorbellLo, golden::kDescriptorAddress);
    Write(Csr::kDoorbellLo, golden::kDescriptorAddress);
    for (int i = 0; i < 2000 && Read(Csr::kCompleted) != completed + 3; ++i) {
      ASSERT_TRUE(chip_->RunCycles(100).ok());
    }
    EXPECT_EQ(Read(Csr::kCompleted), completed + 3);
    EXPECT_EQ(ReadHbm(kDataAddress + 0x800, 64), data);
    Write(Csr::kInterruptStatus, 3);
    ExpectUsable();
  }
}

TEST_P(ConformanceTest, CountersAddUp) {
  const std::vector<uint8_t> data = RandomBytes(4096);
  WriteHbm(kDataAddress, data);
  MustRun(CopyProgram(0, 0x4000, 4096));
  const uint64_t cycles = Read64(Csr::kCyclesLo);
  EXPECT_EQ(Read64(Csr::kWriteBytesLo), 4096u);
  EXPECT_GE(Read64(Csr::kReadBytesLo), 4096u);
  EXPECT_EQ(Read(Csr::kInstructions), 3u);
  for (uint32_t e = 0; e < arch::kConflictCount; ++e) {
    const auto at = [&](Csr base) {
      return Read64(static_cast<Csr>(static_cast<uint32_t>(base) + 8 * e));
    };
    EXPECT_LE(at(Csr::kBusy) + at(Csr::kStall), cycles) << e;
  }
  EXPECT_GT(Read64(static_cast<Csr>(static_cast<uint32_t>(Csr::kBusy) + 8)), 0u);
}

// The reset pin in the middle of transfers: no stale beat disturbs what comes after.
TEST_P(ConformanceTest, AResetAtAnyCycleOfATransferLeavesAUsableChip) {
  const std::vector<uint8_t> data = RandomBytes(16384);
  for (int trial = 0; trial < 200; ++trial) {
    ProgramWriter program;  // DMA in, then out
    program.Append(Opcode::kLoad, Signalling(Load(0, 0, 8192), 0));
    program.Append(Opcode::kStore, Waiting(Store(0x4000, 0, 8192), 0, 1));
    program.Halt();
    WriteHbm(kDataAddress, data);
    ASSERT_TRUE(golden::StartJob(*chip_, config_, program.words()).ok());
    ASSERT_TRUE(chip_->RunCycles(rng_.Below(1500)).ok());
    if (rng_.Chance(0.5)) {
      ASSERT_TRUE(chip_->Reset().ok());
    } else {  // the same by register: abort, drain, reset
      Write(Csr::kControl, kAbort | kReset);
      for (int i = 0; i < 1000 && State() != kIdle; ++i) ASSERT_TRUE(chip_->RunCycles(50).ok());
      Write(Csr::kInterruptStatus, 3);
    }
    ASSERT_EQ(State(), kIdle);
    ExpectUsable();
    if (HasFailure()) FAIL() << "trial " << trial;
  }
}

const std::vector<Backend> kBackends = {{"Golden", "golden"},
                                        {"Rtl", "rtl"},
                                        {"RtlByBus", "rtl", true},
                                        {"RtlFixedMemory", "rtl", false, true}};
INSTANTIATE_TEST_SUITE_P(Backends, ConformanceTest, testing::ValuesIn(kBackends),
                         [](const auto& info) { return info.param.name; });

}  // namespace
}  // namespace systolith::backends
