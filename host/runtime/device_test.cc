#include "host/runtime/device.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <numeric>

#include "host/arch/chip_config.h"
#include "host/isa/assembler.h"
#include "host/runtime/executable.h"
#include "host/runtime/fake_chip.h"
#include "host/runtime/memory_allocator.h"

namespace systolith::runtime {
namespace {

using std::chrono::milliseconds;
using ::testing::AllOf;
using ::testing::HasSubstr;

class DeviceTest : public ::testing::Test {
 protected:
  DeviceTest() : config_(*arch::LoadChipConfig("tiny")) {
    config_.memory_bytes = 1 << 20;
    device_ = *Device::Open(std::make_unique<FakeChip>(config_), "fake", config_);
  }

  // A job that ends as the fake program says.
  Launch MakeJob(FakeChip::FakeProgram program) {
    Buffer buffer = *device_->Allocate(sizeof program);
    EXPECT_TRUE(buffer.Write(std::as_bytes(std::span(&program, 1))).ok());
    Launch launch;
    launch.label = "test job";
    launch.program_address = buffer.address();
    launch.program_bytes = 16;
    launch.program_hash = config_.ProgramHash();
    launch.keep_alive.push_back(buffer.allocation());
    return launch;
  }

  arch::ChipConfig config_;
  std::shared_ptr<Device> device_;
};

TEST_F(DeviceTest, BuffersKeepWhatIsWritten) {
  Buffer first = *device_->Allocate(1000);
  Buffer second = *device_->Allocate(1000);
  std::vector<std::byte> data(1000), back(1000), part(7);
  for (size_t i = 0; i < data.size(); ++i) data[i] = static_cast<std::byte>(i * 37);
  ASSERT_TRUE(first.Write(data).ok());
  ASSERT_TRUE(second.Write(std::vector<std::byte>(1000)).ok());
  ASSERT_TRUE(first.Read(back).ok());
  EXPECT_EQ(back, data);
  ASSERT_TRUE(first.Read(part, 993).ok());
  EXPECT_TRUE(std::equal(part.begin(), part.end(), data.begin() + 993));
}

TEST_F(DeviceTest, CopiesOutsideOfABufferAreRefused) {
  Buffer buffer = *device_->Allocate(100);
  std::vector<std::byte> data(8);
  EXPECT_EQ(buffer.Write(data, 93).code(), StatusCode::kInvalidArgument);
  EXPECT_EQ(buffer.Read(data, UINT64_MAX - 3).code(), StatusCode::kInvalidArgument);
  EXPECT_TRUE(buffer.Write(data, 92).ok());
  EXPECT_TRUE(buffer.Write({}, 100).ok());
}

TEST_F(DeviceTest, ExhaustedMemoryIsReportedWithItsSizes) {
  const Buffer half = *device_->Allocate(1 << 19);
  const Status status = device_->Allocate((1 << 19) + 1).status();
  EXPECT_EQ(status.code(), StatusCode::kInvalidArgument);
  EXPECT_THAT(status.message(),
              AllOf(HasSubstr("tiny"), HasSubstr("out of device memory"), HasSubstr("512 KiB"),
                    HasSubstr("1 MiB")));
  EXPECT_FALSE(device_->Allocate(UINT64_MAX).ok());
}

TEST_F(DeviceTest, FreedMemoryIsUsedAgain) {
  {
    const Buffer a = *device_->Allocate(1 << 19);
    const Buffer b = *device_->Allocate(1 << 18);
  }
  EXPECT_TRUE(device_->Allocate(1 << 20).ok());
  EXPECT_EQ(device_->memory().free_bytes, uint64_t{1} << 20);
}

TEST_F(DeviceTest, CountersOfAJobAddUp) {
  const Event event = device_->Enqueue(MakeJob({.cycles = 400}));
  ASSERT_TRUE(event.Wait().ok());
  const Counters counters = event.counters();
  EXPECT_EQ(counters.cycles, 400u);
  ASSERT_EQ(counters.engines.size(), 6u);  // sequencer, two DMAs, vpu, xlu, one MXU
  for (const EngineCycles& engine : counters.engines) {
    EXPECT_EQ(engine.busy + engine.stall + engine.idle, counters.cycles) << engine.engine;
  }
  EXPECT_EQ(counters.engines[1], (EngineCycles{"dma_load", 200, 100, 100}));
}

TEST_F(DeviceTest, AFaultIsNamedAndTheDeviceGoesOn) {
  Launch job = MakeJob({FakeChip::kFault, 100, static_cast<uint32_t>(arch::Fault::kSegmentBounds)});
  job.describe = [](uint32_t offset) { return offset == 0x40 ? "of dot_general at line 7" : ""; };
  const Event faulty = device_->Enqueue(job);
  const Event next = device_->Enqueue(MakeJob({}));
  const Status status = faulty.Wait();
  EXPECT_EQ(status.code(), StatusCode::kDeviceFault);
  EXPECT_THAT(status.message(),
              AllOf(HasSubstr("'tiny' (fake)"), HasSubstr("test job"), HasSubstr("segment_bounds"),
                    HasSubstr("dma_load at instruction 0x40 (of dot_general at line 7)"),
                    HasSubstr("0x1234")));
  ASSERT_TRUE(faulty.fault().has_value());
  EXPECT_EQ(faulty.fault()->cause, arch::Fault::kSegmentBounds);
  EXPECT_TRUE(next.Wait().ok());
}

TEST_F(DeviceTest, AFaultOfAKernelNamesKernelBundleAndOperations) {
  arch::Bundle bundle;
  bundle.a_op = static_cast<uint32_t>(arch::AluOp::kMultiplyF32);
  bundle.a_dst = arch::kOperandOutput;
  bundle.a_x = arch::kOperandInput;
  bundle.a_y = arch::kOperandConstant;
  bundle.exit = 1;
  arch::LoadKernel bundles;
  bundles.engine = static_cast<uint32_t>(arch::Engine::kVpu);
  bundles.first = 17;
  bundles.count = 1;
  Encode(bundle, std::span(bundles.data).first(arch::kBundleWords));
  arch::LoadKernel constants = bundles;
  constants.part = static_cast<uint32_t>(arch::KernelPart::kConstants);
  constants.data = {0x3fc00000};
  arch::Stream stream;
  stream.engine = bundles.engine;
  arch::Vector vector;
  vector.engine = bundles.engine;
  vector.counts.fill(1);
  vector.prologue_level = arch::kNoLevel;
  vector.kernel_base = vector.constant_base = 17;
  isa::Assembler assembler;
  assembler.SetLine("exponential", 9);
  ASSERT_TRUE(assembler.Append(arch::Opcode::kLoadKernel, bundles).ok());
  ASSERT_TRUE(assembler.Append(arch::Opcode::kLoadKernel, constants).ok());
  ASSERT_TRUE(assembler.Append(arch::Opcode::kStream, stream).ok());
  stream.index = arch::kInputStreams;
  ASSERT_TRUE(assembler.Append(arch::Opcode::kStream, stream).ok());
  assembler.SetKernel("exp");
  const uint32_t pc = assembler.pc();
  ASSERT_TRUE(assembler.Append(arch::Opcode::kVector, vector).ok());
  const Result<isa::Program> program = assembler.Finish();
  ASSERT_TRUE(program.ok()) << program.status().message();

  const FaultRecord fault = {arch::Fault::kKernelStream, arch::Engine::kVpu, pc,
                             FaultRecord::kNoFlag, 0};
  const std::string message = FaultMessage(
      fault, [&](uint32_t offset) { return DescribeProgramOffset(*program, offset); },
      [&](uint32_t offset, uint64_t number) {
        return DescribeKernelBundle(*program, offset, number);
      });
  EXPECT_THAT(message, AllOf(HasSubstr("kernel_stream in vpu at instruction"),
                             HasSubstr("of kernel exp; of exponential at line 9"),
                             HasSubstr("kernel exp, bundle 0: out0 = multiply_f32 in0, 1.5 | exit"),
                             HasSubstr("fewer groups")));
  EXPECT_THAT(FaultMessage(fault, {}, {}), HasSubstr("bundle 0 of the kernel"));
}

TEST_F(DeviceTest, AWatchdogFaultNamesItsFlag) {
  const Event event = device_->Enqueue(
      MakeJob({FakeChip::kFault, 100, static_cast<uint32_t>(arch::Fault::kWatchdog)}));
  EXPECT_THAT(event.Wait().message(), HasSubstr("flag 57 (raised by the host)"));
}

TEST_F(DeviceTest, JobsInTheChipsQueueAreReportedWhenTheOneBeforeFaults) {
  // Jobs without counters share the chip's queue; the faulty one takes its successors with it.
  std::vector<Launch> jobs;
  for (int i = 0; i < 4; ++i) {
    jobs.push_back(MakeJob({i == 1 ? FakeChip::kFault : FakeChip::kComplete, 50000,
                            static_cast<uint32_t>(arch::Fault::kMisaligned)}));
    jobs.back().collect_counters = false;
  }
  std::vector<Event> events;
  // Holds the worker until all four are queued.
  std::atomic<bool> go{false};
  (void)device_->Enqueue([&](hal::Transport&) {
    while (!go) std::this_thread::yield();
    return OkStatus();
  });
  for (Launch& job : jobs) events.push_back(device_->Enqueue(job));
  go = true;
  EXPECT_TRUE(events[0].Wait().ok());
  EXPECT_EQ(events[1].Wait().code(), StatusCode::kDeviceFault);
  EXPECT_EQ(events[2].Wait().code(), StatusCode::kCancelled);
  EXPECT_THAT(events[3].Wait().message(), HasSubstr("never started"));
  EXPECT_TRUE(device_->Enqueue(MakeJob({})).Wait().ok());
}

TEST_F(DeviceTest, WaitForTimesOutWhileTheJobGoesOn) {
  const Event event = device_->Enqueue(MakeJob({FakeChip::kHang}));
  EXPECT_EQ(event.WaitFor(milliseconds(20)).code(), StatusCode::kTimeout);
  EXPECT_FALSE(event.Done());
  device_->RequestStop();
  EXPECT_EQ(event.Wait().code(), StatusCode::kCancelled);
}

TEST_F(DeviceTest, AJobMayBeLimitedInCycles) {
  Launch job = MakeJob({FakeChip::kHang});
  job.timeout_cycles = 10000;
  const Status status = device_->Enqueue(job).Wait();
  EXPECT_EQ(status.code(), StatusCode::kTimeout);
  EXPECT_THAT(status.message(), HasSubstr("10000 cycles"));
  EXPECT_TRUE(device_->Enqueue(MakeJob({})).Wait().ok());
}

TEST_F(DeviceTest, RequestStopEndsEverythingQueuedAndTheDeviceGoesOn) {
  const Launch next = MakeJob({});
  const Event running = device_->Enqueue(MakeJob({FakeChip::kHang}));
  const Event waiting = device_->Enqueue(next);
  device_->RequestStop();
  EXPECT_EQ(running.Wait().code(), StatusCode::kCancelled);
  EXPECT_EQ(waiting.Wait().code(), StatusCode::kCancelled);
  EXPECT_TRUE(device_->Enqueue(MakeJob({})).Wait().ok());
}

TEST_F(DeviceTest, ClosingEndsARunningJob) {
  const Event event = device_->Enqueue(MakeJob({FakeChip::kHang}));
  EXPECT_TRUE(device_->Close().ok());
  EXPECT_EQ(event.Wait().code(), StatusCode::kCancelled);
  EXPECT_THAT(device_->Enqueue([](hal::Transport&) { return OkStatus(); }).Wait().message(),
              HasSubstr("closed"));
}

TEST_F(DeviceTest, AFailedItemCancelsTheRestOfItsGroupOnly) {
  const WorkGroup group = NewWorkGroup();
  const auto fail = [](hal::Transport&) { return Internal("no"); };
  const auto succeed = [](hal::Transport&) { return OkStatus(); };
  EXPECT_EQ(device_->Enqueue(fail, group).Wait().code(), StatusCode::kInternal);
  EXPECT_EQ(device_->Enqueue(succeed, group).Wait().code(), StatusCode::kCancelled);
  EXPECT_TRUE(device_->Enqueue(succeed).Wait().ok());
}

TEST_F(DeviceTest, AProgramForAnotherConfigurationIsRefused) {
  Launch job = MakeJob({});
  job.program_hash ^= 1;
  EXPECT_EQ(device_->Enqueue(job).Wait().code(), StatusCode::kInvalidArgument);
}

TEST_F(DeviceTest, SeveralDevicesAreIndependent) {
  auto other = *Device::Open(std::make_unique<FakeChip>(config_), "other", config_);
  const Event hanging = device_->Enqueue(MakeJob({FakeChip::kHang}));
  Buffer buffer = *other->Allocate(4);
  EXPECT_TRUE(buffer.Write(std::vector<std::byte>(4)).ok());
  EXPECT_FALSE(hanging.Done());
}

TEST_F(DeviceTest, AnotherChipThanTheConfigurationsIsRefused) {
  arch::ChipConfig other = config_;
  other.mxu_rows *= 2;
  const auto opened = Device::Open(std::make_unique<FakeChip>(config_), "fake", other);
  EXPECT_THAT(opened.status().message(), HasSubstr("program hash"));
}

TEST_F(DeviceTest, OnlyHostFlagsMayBeRaisedByTheHost) {
  EXPECT_TRUE(device_->RaiseHostFlag(56).ok());
  EXPECT_EQ(device_->RaiseHostFlag(47).code(), StatusCode::kInvalidArgument);
}

TEST(MemoryAllocatorTest, BlocksNeverOverlapAndMergeWhenFreed) {
  MemoryAllocator allocator(0, 100 * kAllocationAlignment);
  std::vector<hal::DeviceAddress> blocks;
  for (int i = 0; i < 100; ++i) blocks.push_back(*allocator.Allocate(i % 2 == 0 ? 1 : 0));
  EXPECT_FALSE(allocator.Allocate(1).ok());
  for (int i = 0; i < 100; i += 2) allocator.Free(blocks[i]);
  EXPECT_EQ(allocator.LargestFreeBlockBytes(), kAllocationAlignment);
  for (int i = 1; i < 100; i += 2) allocator.Free(blocks[i]);
  EXPECT_EQ(allocator.LargestFreeBlockBytes(), 100 * kAllocationAlignment);
}

}  // namespace
}  // namespace systolith::runtime
