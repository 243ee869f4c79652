#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <functional>
#include <numeric>

#include "host/compiler/compile.h"
#include "host/import/import.h"
#include "host/isa/assembler.h"
#include "host/isa/instruction.h"
#include "host/runtime/device.h"
#include "host/runtime/executable.h"
#include "host/runtime/memory_allocator.h"
#include "host/tools/random_input.h"

// The driver library over real backends: the golden model, and the verilated chip where
// SYSTOLITH_TEST_TARGETS names it ("golden rtl").
namespace systolith::runtime {
namespace {

using graph::ElementType;
using graph::Literal;
using graph::Shape;
using ::testing::AllOf;
using ::testing::HasSubstr;

constexpr char kProduct[] = R"(
module {
  func.func public @main(%arg0: tensor<19x33xi8>, %arg1: tensor<33x11xi8>) -> tensor<19x11xi32> {
    %0 = stablehlo.dot_general %arg0, %arg1, contracting_dims = [1] x [0] : (tensor<19x33xi8>, tensor<33x11xi8>) -> tensor<19x11xi32>
    return %0 : tensor<19x11xi32>
  }
})";

class RuntimeTest : public ::testing::TestWithParam<std::string> {
 protected:
  void SetUp() override {
    config_ = *arch::LoadChipConfig("tiny");
    config_.sequencer_watchdog_cycles = 20000;
    Open(device_);
  }

  void Open(std::shared_ptr<Device>& device) {
    auto opened = Device::Open(GetParam(), config_);
    ASSERT_TRUE(opened.ok()) << opened.status().message();
    device = *opened;
  }

  isa::Executable Compile(const std::string& text) {
    const auto module = import::ImportText(text, "test.mlir");
    EXPECT_TRUE(module.ok()) << module.status().message();
    const auto executable = compiler::Compile(*module, config_, {});
    EXPECT_TRUE(executable.ok()) << executable.status().message();
    return *executable;
  }

  // A raw image as one job without segments.
  Launch JobOf(const std::vector<uint32_t>& words) {
    Buffer program = *device_->Allocate(words.size() * 4);
    EXPECT_TRUE(program.Write(std::as_bytes(std::span(words))).ok());
    Launch launch;
    launch.label = "raw image";
    launch.program_address = program.address();
    launch.program_bytes = static_cast<uint32_t>(words.size() * 4);
    launch.program_hash = config_.ProgramHash();
    launch.keep_alive.push_back(program.allocation());
    return launch;
  }

  static std::vector<uint32_t> Image(arch::Opcode opcode, arch::Scalar scalar) {
    scalar.opcode = static_cast<uint32_t>(opcode);
    scalar.quads = 1;
    std::vector<uint32_t> words(8);
    arch::Encode(scalar, std::span(words).first(4));
    arch::Scalar halt;
    halt.opcode = static_cast<uint32_t>(arch::Opcode::kHalt);
    halt.quads = 1;
    arch::Encode(halt, std::span(words).last(4));
    return words;
  }

  void ExpectUsable() { EXPECT_TRUE(device_->Enqueue(JobOf(*HaltImage())).Wait().ok()); }

  static Result<std::vector<uint32_t>> HaltImage() {
    isa::Assembler assembler;
    ASSIGN_OR_RETURN(const isa::Program program, assembler.Finish());
    return program.words;
  }

  // What the product must be, by three loops.
  static Literal Product(const Literal& a, const Literal& b) {
    const int64_t m = a.dims()[0], k = a.dims()[1], n = b.dims()[1];
    Literal c(Shape{ElementType::kS32, {m, n}});
    for (int64_t i = 0; i < m; ++i) {
      for (int64_t j = 0; j < n; ++j) {
        int64_t sum = 0;
        for (int64_t l = 0; l < k; ++l) sum += a.GetInt(i * k + l) * b.GetInt(l * n + j);
        c.SetInt(i * n + j, sum);
      }
    }
    return c;
  }
  static Literal RandomBytes(graph::Dims dims, uint64_t seed) {
    return tools::RandomLiteral(Shape{ElementType::kS8, std::move(dims)}, seed, 0);
  }

  arch::ChipConfig config_;
  std::shared_ptr<Device> device_;
};

TEST_P(RuntimeTest, AnExecutableGivesTheProduct) {
  const auto loaded = *LoadedExecutable::Load(device_, Compile(kProduct));
  const Literal a = RandomBytes({19, 33}, 1), b = RandomBytes({33, 11}, 2);
  const auto results = loaded->Call(std::vector<Literal>{a, b});
  ASSERT_TRUE(results.ok()) << results.status().message();
  EXPECT_EQ(results->front(), Product(a, b));
}

TEST_P(RuntimeTest, SeveralRunsInFlightKeepTheirResultsApart) {
  const auto loaded = *LoadedExecutable::Load(device_, Compile(kProduct));
  std::vector<runtime::Run> runs;
  std::vector<Literal> expected;
  for (uint64_t i = 0; i < 6; ++i) {
    const Literal a = RandomBytes({19, 33}, 10 + i), b = RandomBytes({33, 11}, 20 + i);
    std::vector<Buffer> buffers = {*loaded->AllocateArgument(0), *loaded->AllocateArgument(1)};
    ASSERT_TRUE(buffers[0].Write(a.bytes()).ok());
    ASSERT_TRUE(buffers[1].Write(b.bytes()).ok());
    // Without counters the jobs share the chip's command queue.
    auto run = loaded->Start(buffers, {.collect_counters = i % 3 == 2});
    ASSERT_TRUE(run.ok());
    runs.push_back(*run);
    expected.push_back(Product(a, b));
  }
  for (size_t i = 0; i < runs.size(); ++i) {
    ASSERT_TRUE(runs[i].Wait().ok());
    EXPECT_EQ(*runs[i].ReadResult(0), expected[i]) << i;
  }
}

TEST_P(RuntimeTest, TwoDevicesInOneProcessDoNotMeet) {
  std::shared_ptr<Device> other;
  Open(other);
  const auto first = *LoadedExecutable::Load(device_, Compile(kProduct));
  const auto second = *LoadedExecutable::Load(other, Compile(kProduct));
  const Literal a = RandomBytes({19, 33}, 1), b = RandomBytes({33, 11}, 2);
  const Literal c = RandomBytes({19, 33}, 3);
  EXPECT_EQ(first->Call(std::vector<Literal>{a, b})->front(), Product(a, b));
  EXPECT_EQ(second->Call(std::vector<Literal>{c, b})->front(), Product(c, b));
  EXPECT_TRUE(other->Close().ok());
  EXPECT_EQ(first->Call(std::vector<Literal>{c, b})->front(), Product(c, b));
}

TEST_P(RuntimeTest, EnginesAccountForEveryCycle) {
  const auto loaded = *LoadedExecutable::Load(device_, Compile(kProduct));
  std::vector<Buffer> buffers = {*loaded->AllocateArgument(0), *loaded->AllocateArgument(1)};
  const runtime::Run run = *loaded->Start(buffers);
  ASSERT_TRUE(run.Wait().ok());
  const Counters counters = run.counters();
  EXPECT_GT(counters.hbm_bytes_read, 19u * 33 + 33 * 11);
  EXPECT_GE(counters.hbm_bytes_written, 19u * 11 * 4);
  for (const EngineCycles& engine : counters.engines) {
    EXPECT_EQ(engine.busy + engine.stall + engine.idle, counters.cycles) << engine.engine;
  }
}

TEST_P(RuntimeTest, AFaultOfAKernelNamesKernelBundleAndOperation) {
  constexpr char kSum[] = R"(
module {
  func.func public @main(%arg0: tensor<5x7xf32>, %arg1: tensor<5x7xf32>) -> tensor<5x7xf32> {
    %0 = stablehlo.add %arg0, %arg1 : tensor<5x7xf32>
    return %0 : tensor<5x7xf32>
  }
})";
  const isa::Executable good = Compile(kSum);
  const Shape shape{ElementType::kF32, {5, 7}};
  const std::vector<Literal> arguments = {tools::RandomLiteral(shape, 1, 0),
                                          tools::RandomLiteral(shape, 2, 0)};
  const auto usable = *LoadedExecutable::Load(device_, good);
  const auto expected = usable->Call(arguments);
  ASSERT_TRUE(expected.ok()) << expected.status().message();

  struct Damage {
    std::string cause, shown;
    std::function<void(arch::Bundle&)> bundle;
    std::function<void(arch::Stream&)> stream = [](arch::Stream&) {};
  };
  const std::vector<Damage> damages = {
      {"kernel_opcode", "unknown operation 250", [](arch::Bundle& b) { b.a_op = 250; }},
      {"kernel_register", "?70", [](arch::Bundle& b) { b.a_x = 70; }},
      {"kernel_loop", "end of loop 0", [](arch::Bundle& b) { b.loop_end = 1; }},
      {"kernel_stream", "in1", [](arch::Bundle&) {},
       [](arch::Stream& stream) { stream.index = stream.index == 1 ? 2 : stream.index; }},
  };
  for (const Damage& damage : damages) {
    isa::Executable executable = good;
    auto& words = std::get<isa::ChipStep>(executable.steps.front()).program.words;
    for (uint32_t pc = 0; pc < words.size() * 4;) {
      const auto instruction = *isa::Instruction::Decode(words, pc);
      const std::span<uint32_t> place(words.data() + pc / 4, instruction.words.size());
      if (instruction.info->opcode == arch::Opcode::kLoadKernel) {
        arch::LoadKernel load = arch::DecodeLoadKernel(place);
        if (load.part == static_cast<uint32_t>(arch::KernelPart::kBundles)) {
          const std::span<uint32_t> data(load.data.data(), arch::kBundleWords);
          arch::Bundle bundle = arch::DecodeBundle(data);
          damage.bundle(bundle);
          Encode(bundle, data);
          Encode(load, place);
        }
      }
      if (instruction.info->opcode == arch::Opcode::kStream) {
        arch::Stream stream = arch::DecodeStream(place);
        damage.stream(stream);
        Encode(stream, place);
      }
      pc += instruction.info->words * 4;
    }
    const auto loaded = *LoadedExecutable::Load(device_, executable);
    const Status status = loaded->Call(arguments).status();
    EXPECT_EQ(status.code(), StatusCode::kDeviceFault);
    EXPECT_THAT(status.message(),
                AllOf(HasSubstr(damage.cause + " in vpu"), HasSubstr("of add at line 4"),
                      HasSubstr(", bundle 0: "), HasSubstr(damage.shown)));
    const auto again = usable->Call(arguments);
    ASSERT_TRUE(again.ok()) << again.status().message();
    EXPECT_EQ(again->front(), expected->front());
  }
}

TEST_P(RuntimeTest, AStoreBeyondItsSegmentNamesInstructionAndOperation) {
  const isa::Executable executable = Compile(kProduct);
  const auto& step = std::get<isa::ChipStep>(executable.steps.front());
  Launch launch = JobOf(step.program.words);
  std::vector<Buffer> buffers;
  for (const isa::SegmentBinding& binding : step.segments) {
    buffers.push_back(*device_->Allocate(executable.AllocationBytes(binding.home, binding.index)));
    const uint64_t bytes = buffers.back().bytes() - (binding.home == isa::Home::kResult ? 1 : 0);
    launch.segments.push_back(
        {buffers.back().address(), bytes, binding.readable, binding.writable});
  }
  launch.describe = [&](uint32_t offset) { return DescribeProgramOffset(step.program, offset); };
  const Event event = device_->Enqueue(launch);
  const Status status = event.Wait();
  EXPECT_EQ(status.code(), StatusCode::kDeviceFault);
  EXPECT_THAT(status.message(), AllOf(HasSubstr("segment_bounds in dma_store"),
                                      HasSubstr("dot_general at line 4"), HasSubstr("0x343")));
  ExpectUsable();
}

TEST_P(RuntimeTest, AnIllegalOpcodeIsReportedAndTheChipGoesOn) {
  std::vector<uint32_t> words = Image(arch::Opcode::kHalt, {});
  words[0] = (words[0] & ~0xffu) | 0xee;
  const Status status = device_->Enqueue(JobOf(words)).Wait();
  EXPECT_EQ(status.code(), StatusCode::kDeviceFault);
  EXPECT_THAT(status.message(), HasSubstr("illegal_opcode in sequencer at instruction 0x0"));
  ExpectUsable();
}

TEST_P(RuntimeTest, AWaitForAFlagThatNeverComesEndsByTheWatchdog) {
  const Event event =
      device_->Enqueue(JobOf(Image(arch::Opcode::kAwait, {.imm = 1, .target = 57})));
  const Status status = event.Wait();
  EXPECT_EQ(status.code(), StatusCode::kDeviceFault);
  EXPECT_THAT(status.message(), AllOf(HasSubstr("watchdog in sequencer at instruction 0x0"),
                                      HasSubstr("flag 57 (raised by the host)")));
  ExpectUsable();
}

TEST_P(RuntimeTest, AHostFlagLetsAWaitingProgramGoOn) {
  ASSERT_TRUE(device_->RaiseHostFlag(57, 1).ok());
  const Event event =
      device_->Enqueue(JobOf(Image(arch::Opcode::kAwait, {.imm = 1, .target = 57})));
  // Flags are zero at launch, so the flag is raised again while the job waits.
  for (int i = 0; i < 50 && !event.Done(); ++i) {
    ASSERT_TRUE(device_->RaiseHostFlag(57, 1).ok());
    (void)event.WaitFor(std::chrono::milliseconds(2));
  }
  const Status status = event.Wait();
  if (GetParam() == "golden" && !status.ok()) {
    GTEST_SKIP() << "the golden model runs a job in no time: " << status.message();
  }
  EXPECT_TRUE(status.ok()) << status.message();
}

TEST_P(RuntimeTest, AStoppedJobIsAbortedAndTheChipGoesOn) {
  config_.sequencer_watchdog_cycles = 0;  // the job would wait for ever
  Open(device_);
  const Launch next = JobOf(*HaltImage());
  const Event waiting =
      device_->Enqueue(JobOf(Image(arch::Opcode::kAwait, {.imm = 1, .target = 57})));
  (void)waiting.WaitFor(std::chrono::milliseconds(20));
  device_->RequestStop();
  const StatusCode code = waiting.Wait().code();
  // The golden model knows at once that nothing will ever raise the flag.
  EXPECT_TRUE(code == StatusCode::kCancelled || GetParam() == "golden");
  (void)device_->Enqueue([](hal::Transport&) { return OkStatus(); }).Wait();
  EXPECT_TRUE(device_->Enqueue(next).Wait().ok());
}

TEST_P(RuntimeTest, TheChipItselfRefusesAProgramForAnotherConfiguration) {
  Launch launch = JobOf(*HaltImage());
  launch.program_hash ^= uint64_t{1} << 40;
  const std::vector<std::byte> image = EncodeLaunch(launch);
  Buffer descriptor = *device_->Allocate(image.size());
  ASSERT_TRUE(descriptor.Write(image).ok());
  uint32_t cause = 0;
  const Status status =
      device_
          ->Enqueue([&](hal::Transport& transport) -> Status {
            const uint64_t address = descriptor.address();
            RETURN_IF_ERROR(transport.WriteCsr(arch::Csr::kDoorbellHi,
                                               static_cast<uint32_t>(address >> 32)));
            RETURN_IF_ERROR(
                transport.WriteCsr(arch::Csr::kDoorbellLo, static_cast<uint32_t>(address)));
            RETURN_IF_ERROR(transport.WaitForInterrupt(100000));
            ASSIGN_OR_RETURN(cause, transport.ReadCsr(arch::Csr::kFaultCause));
            return transport.WriteCsr(arch::Csr::kControl, 1u << arch::kControlResetLsb);
          })
          .Wait();
  EXPECT_TRUE(status.ok()) << status.message();
  EXPECT_EQ(static_cast<arch::Fault>(cause), arch::Fault::kHashMismatch);
}

TEST_P(RuntimeTest, AnExecutableForAnotherConfigurationNamesBoth) {
  isa::Executable executable = Compile(kProduct);
  executable.program_hash ^= 1;
  executable.chip_name = "somewhere";
  const Status status = LoadedExecutable::Load(device_, executable).status();
  EXPECT_EQ(status.code(), StatusCode::kInvalidArgument);
  EXPECT_THAT(status.message(), AllOf(HasSubstr("'somewhere'"), HasSubstr("'tiny'")));
}

TEST_P(RuntimeTest, AProgramThatDoesNotFitIntoMemorySaysSo) {
  isa::Executable executable = Compile(kProduct);
  executable.scratch_bytes = uint64_t{1} << 40;
  EXPECT_THAT(LoadedExecutable::Load(device_, executable).status().message(),
              AllOf(HasSubstr("intermediate values"), HasSubstr("out of device memory"),
                    HasSubstr("1 TiB")));
}

TEST_P(RuntimeTest, ChecksOfTheProgramAreHeard) {
  const auto loaded = *LoadedExecutable::Load(device_, Compile(R"(
module {
  func.func public @main(%arg0: tensor<2x2xi8>) {
    %0 = stablehlo.dot_general %arg0, %arg0, contracting_dims = [1] x [0] : (tensor<2x2xi8>, tensor<2x2xi8>) -> tensor<2x2xi32>
    %1 = stablehlo.constant dense<[[7, 10], [15, 22]]> : tensor<2x2xi32>
    stablehlo.custom_call @check.expect_eq(%0, %1) {has_side_effect = true} : (tensor<2x2xi32>, tensor<2x2xi32>) -> ()
    return
  }
})"));
  for (const int8_t last : {4, 5}) {
    Buffer argument = *loaded->AllocateArgument(0);
    const int8_t values[] = {1, 2, 3, last};
    ASSERT_TRUE(argument.Write(std::as_bytes(std::span(values))).ok());
    const runtime::Run run = *loaded->Start(std::vector<Buffer>{argument});
    ASSERT_TRUE(run.Wait().ok());
    ASSERT_EQ(run.checks().size(), 1u);
    EXPECT_EQ(run.checks()[0].passed, last == 4);
    EXPECT_EQ(run.checks()[0].line, 6);
  }
}

std::vector<std::string> Targets() {
  const char* text = std::getenv("SYSTOLITH_TEST_TARGETS");
  const std::string targets = text == nullptr ? "golden" : text;
  std::vector<std::string> list = {"golden"};
  if (targets.find("rtl") != std::string::npos) list.push_back("rtl");
  return list;
}

INSTANTIATE_TEST_SUITE_P(Backends, RuntimeTest, ::testing::ValuesIn(Targets()),
                         [](const auto& info) { return info.param; });

}  // namespace
}  // namespace systolith::runtime
