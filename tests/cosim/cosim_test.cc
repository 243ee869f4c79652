// The same random programs on the golden model and on another backend: all memory that a program
// can reach, and all state of the chip that it can store, must be equal bit for bit.
//
// SYSTOLITH_COSIM_TARGET names the other backend (default: the golden model again, which shows
// that the programs keep the rules and that the model is deterministic), SYSTOLITH_COSIM_PROGRAMS
// how many programs each configuration runs.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <memory>
#include <string>

#include "host/arch/chip_config.h"
#include "host/hal/transport.h"
#include "host/isa/disassembler.h"
#include "sim/golden/testing/job.h"
#include "tb/common/random.h"
#include "tests/cosim/random_program.h"

namespace systolith::cosim {
namespace {

std::string Environment(const char* name, const std::string& otherwise) {
  const char* value = std::getenv(name);
  return value == nullptr ? otherwise : value;
}

arch::ChipConfig Named(const char* name) {
  arch::ChipConfig config = arch::LoadChipConfig(name).value();
  config.memory_bytes = 1 << 24;
  return config;
}

// Chips of other shapes than the named ones; each has to be verilated.
arch::ChipConfig ShapeOf(int64_t mxus, int64_t rows, int64_t columns, const char* memory_kind) {
  arch::ChipConfig config = Named("tiny");
  config.mxu_count = mxus;
  config.mxu_rows = rows;
  config.mxu_cols = columns;
  config.mxu_accumulator_rows = 16;
  // A tile of f32 weights and as much again: what a random program needs at least.
  config.buffer_bytes = std::max<int64_t>(1 << 15, 8 * rows * columns);
  config.memory_kind = memory_kind;
  return config;
}

class CosimTest : public tb::RandomTest {
 protected:
  // Leaves the program that failed as text and says where.
  static std::string Listing(const std::vector<uint32_t>& program) {
    const std::string path = testing::TempDir() + "cosim_program.txt";
    std::ofstream(path) << isa::Disassemble({program, {}});
    return "the program is in " + path;
  }

  static std::unique_ptr<hal::Transport> Open(const std::string& target,
                                              const arch::ChipConfig& config) {
    auto chip = hal::OpenTransport(target, config);
    EXPECT_TRUE(chip.ok()) << chip.status().message();
    return chip.ok() ? std::move(chip).value() : nullptr;
  }

  // Everything behind kDataAddress after the program has run; then the flags, 16 bits each.
  static std::vector<std::byte> Execute(hal::Transport& chip, const arch::ChipConfig& config,
                                        const std::vector<uint8_t>& input,
                                        const std::vector<uint32_t>& program) {
    std::vector<std::byte> data(kDataBytes);
    std::copy_n(reinterpret_cast<const std::byte*>(input.data()), input.size(), data.begin());
    EXPECT_TRUE(chip.WriteMemory(golden::kDataAddress, data).ok());
    const golden::JobResult result =
        golden::RunJob(chip, config, program, RandomProgramOptions());
    EXPECT_TRUE(result.status.ok() && result.completed) << result;
    EXPECT_TRUE(chip.ReadMemory(golden::kDataAddress, data).ok());
    for (uint32_t flag = 0; flag < arch::kFlags; ++flag) {
      EXPECT_TRUE(chip.WriteCsr(arch::Csr::kFlagSelect, flag).ok());
      const uint32_t value = chip.ReadCsr(arch::Csr::kFlagValue).value();
      data.push_back(static_cast<std::byte>(value));
      data.push_back(static_cast<std::byte>(value >> 8));
    }
    return data;
  }

  void Compare(const arch::ChipConfig& config, int programs, int length, double kernels = 0) {
    const std::string target = Environment("SYSTOLITH_COSIM_TARGET", "golden");
    const auto golden = Open("golden", config);
    const auto other = Open(target, config);
    ASSERT_TRUE(golden && other);
    for (int p = 0; p < programs; ++p) {
      const std::vector<uint8_t> input = RandomInput(rng_);
      const std::vector<uint32_t> program = RandomProgram(rng_, config).Generate(length, kernels);
      const auto expected = Execute(*golden, config, input, program);
      const auto actual = Execute(*other, config, input, program);
      if (HasFailure()) FAIL() << "program " << p << ": " << Listing(program);
      const auto [at, unused] = std::mismatch(expected.begin(), expected.end(), actual.begin());
      ASSERT_TRUE(at == expected.end())
          << "program " << p << " of " << length << ": first different byte at "
          << at - expected.begin() << " (output from " << kInputBytes << ", buffer from "
          << kInputBytes + kOutputBytes << ", accumulators from "
          << kInputBytes + kOutputBytes + config.buffer_bytes << ", flags from " << kDataBytes
          << "); " << Listing(program);
    }
  }

  static int Programs() { return std::stoi(Environment("SYSTOLITH_COSIM_PROGRAMS", "10")); }
};

TEST_F(CosimTest, Tiny) { Compare(Named("tiny"), Programs(), 25); }

TEST_F(CosimTest, Kernels) { Compare(Named("tiny"), Programs(), 40, 0.7); }

TEST_F(CosimTest, QueuesOfOneInstruction) {
  arch::ChipConfig config = Named("tiny");
  config.sequencer_queue_depth = 1;
  Compare(config, Programs(), 25);
}

TEST_F(CosimTest, MemoryOfAnyLatency) {
  for (int64_t latency : {1, 30, 200}) {
    arch::ChipConfig config = Named("gemm16");
    config.memory_latency_cycles = latency;
    config.memory_jitter_cycles = 200;
    config.memory_jitter_seed = static_cast<int64_t>(rng_.Below(1 << 30));
    config.memory_bytes_per_cycle = rng_.Range(1, 64);
    config.sequencer_queue_depth = rng_.Range(1, 8);
    Compare(config, Programs() / 3 + 1, 25);
  }
}

// Flips one bit of a random bundle, but not its exit bit, which would let the kernel run on into
// what others left behind it. False: the program has no bundle.
bool FlipBundle(std::vector<uint32_t>& program, tb::Rng& rng) {
  std::vector<size_t> bundles;
  for (size_t at = 0; at < program.size();) {
    const arch::InstructionInfo* info = arch::FindInstruction(program[at] & 0xff);
    if (info->opcode == arch::Opcode::kLoadKernel) {
      const arch::LoadKernel load = arch::DecodeLoadKernel(std::span(program).subspan(at));
      for (uint32_t i = 0; load.part == 0 && i < load.count; ++i) {
        bundles.push_back(at + info->words - load.data.size() + i * arch::kBundleWords);
      }
    }
    at += info->words;
  }
  if (bundles.empty()) return false;
  const size_t at = bundles[rng.Below(bundles.size())];
  const arch::FieldInfo& field = arch::kBundleFields[rng.Below(arch::kBundleFields.size() - 1)];
  program[at + field.word] ^= 1u << (field.lsb + rng.Below(field.width));
  return true;
}

// What a broken kernel does is the same on both sides: the fault and its place, or the result.
TEST_F(CosimTest, BrokenBundles) {
  const arch::ChipConfig config = Named("tiny");
  const auto golden = Open("golden", config);
  const auto other = Open(Environment("SYSTOLITH_COSIM_TARGET", "golden"), config);
  ASSERT_TRUE(golden && other);
  const std::vector<uint8_t> input = RandomInput(rng_);
  int faults = 0;
  for (int p = 0; p < 10 * Programs(); ++p) {
    std::vector<uint32_t> program = RandomProgram(rng_, config).Generate(3, 1);
    if (!FlipBundle(program, rng_)) continue;
    const auto run = [&](hal::Transport& chip, std::vector<std::byte>& data) {
      data.assign(kDataBytes, std::byte{0});
      std::copy_n(reinterpret_cast<const std::byte*>(input.data()), input.size(), data.begin());
      EXPECT_TRUE(chip.WriteMemory(golden::kDataAddress, data).ok());
      const golden::JobResult result =
          golden::RunJob(chip, config, program, RandomProgramOptions());
      EXPECT_TRUE(chip.ReadMemory(golden::kDataAddress, data).ok());
      return result;
    };
    std::vector<std::byte> expected_data, actual_data;
    const golden::JobResult expected = run(*golden, expected_data);
    if (expected.status.code() == StatusCode::kInternal) {  // a hazard: anything may come of it
      ASSERT_TRUE(golden->WriteCsr(arch::Csr::kInterruptStatus, 3).ok());
      continue;
    }
    const golden::JobResult actual = run(*other, actual_data);
    ASSERT_TRUE(actual.status.ok()) << actual << Listing(program);
    if (expected.fault == arch::Fault::kNone) {
      ASSERT_EQ(actual.fault, expected.fault) << actual << Listing(program);
      ASSERT_TRUE(actual_data == expected_data) << Listing(program);
      continue;
    }
    ++faults;
    ASSERT_NE(actual.fault, arch::Fault::kNone) << expected << Listing(program);
    // Where a row is missing, which of several is named depends on how instances take turns.
    if (actual.fault < arch::Fault::kKernelOpcode) continue;
    ASSERT_EQ(actual.fault, expected.fault) << expected << '/' << actual << Listing(program);
    ASSERT_EQ(actual.address, expected.address) << expected << '/' << actual << Listing(program);
    ASSERT_EQ(actual.pc, expected.pc) << expected << '/' << actual << Listing(program);
  }
  EXPECT_GT(faults, 0);
}

// Chips that are verilated for this alone.
class CosimShapesTest : public CosimTest {};

TEST_F(CosimShapesTest, TwoMxus) {
  for (int64_t depth : {1, 3, 8}) {
    arch::ChipConfig config = ShapeOf(2, 8, 8, "fixed");
    config.sequencer_queue_depth = depth;
    config.memory_jitter_cycles = 50 * (depth - 1);
    Compare(config, Programs(), 25);
  }
}

TEST_F(CosimShapesTest, WideArrays) { Compare(ShapeOf(1, 8, 16, "fixed"), Programs(), 25); }

TEST_F(CosimShapesTest, TallArrays) { Compare(ShapeOf(1, 16, 8, "hbm2"), Programs(), 25); }

TEST_F(CosimShapesTest, Arrays64x64) {
  arch::ChipConfig config = ShapeOf(1, 64, 64, "fixed");
  config.mxu_tile_columns = 64;
  Compare(config, Programs() / 3 + 1, 25);
}

TEST_F(CosimShapesTest, TwoArrays128x128) {
  arch::ChipConfig config = ShapeOf(2, 128, 128, "fixed");
  config.mxu_tile_columns = 128;
  Compare(config, Programs() / 6 + 1, 25);
}

// Removes the wait number `which` of the program, counted over all instructions; false: there are
// not so many.
bool RemoveWait(std::vector<uint32_t>& program, int which) {
  for (size_t at = 0; at < program.size();) {
    const arch::InstructionInfo* info = arch::FindInstruction(program[at] & 0xff);
    for (size_t slot = 0; info->format != "scalar" && slot < 4; ++slot) {
      uint32_t& wait = program[at + 4 + 2 * slot];
      if ((wait >> 31) != 0 && which-- == 0) {
        wait &= 0x7fffffff;
        return true;
      }
    }
    at += info->words;
  }
  return false;
}

TEST_F(CosimShapesTest, LostWaitsAreNoticed) {
  const arch::ChipConfig config = ShapeOf(2, 8, 8, "fixed");
  const auto chip = Open("golden", config);
  ASSERT_TRUE(chip);
  const std::vector<uint8_t> input = RandomInput(rng_);
  ASSERT_TRUE(chip->WriteMemory(golden::kDataAddress, std::as_bytes(std::span(input))).ok());
  const std::vector<uint32_t> program = RandomProgram(rng_, config).Generate(25);
  int waits = 0, noticed = 0;
  for (auto cut = program; RemoveWait(cut, waits); cut = program, ++waits) {
    const golden::JobResult result = golden::RunJob(*chip, config, cut, RandomProgramOptions());
    if (result.status.code() != StatusCode::kInternal) continue;
    ++noticed;
    ASSERT_TRUE(chip->WriteCsr(arch::Csr::kInterruptStatus, 3).ok());
  }
  // Many waits are for nothing: what they order is ordered by others, too, and the generator takes
  // for touched whatever lies between the first and the last byte.
  EXPECT_GT(noticed * 12, waits) << noticed << " of " << waits;
}

}  // namespace
}  // namespace systolith::cosim
