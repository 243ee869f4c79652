// Matmuls whose every row adds to one and the same accumulator row, without a cycle between: the
// sums must be whole at every array size and queue depth, on golden and, where
// SYSTOLITH_TEST_TARGETS names it, on the verilated chip.
#include <gtest/gtest.h>

#include <cstdlib>
#include <cstring>

#include "host/arch/chip_config.h"
#include "sim/golden/testing/job.h"
#include "sim/golden/testing/kernel.h"

namespace systolith::cosim {
namespace {

using arch::Opcode;
using arch::OperandType;

constexpr uint32_t kTiles = 2;    // along k
constexpr uint32_t kRepeats = 3;  // of each tile, on the same weights
constexpr uint32_t kMatmuls = 2;
constexpr int64_t kResultOffset = 0x8000;

int Activation(int64_t k) { return static_cast<int>(k * 5 % 13) - 6; }
int Weight(int64_t k, int64_t column) { return static_cast<int>((k * 7 + column * 3) % 11) - 5; }

class BackToBackTest : public ::testing::Test {
 protected:
  static arch::ChipConfig Array(int64_t size) {
    arch::ChipConfig config = arch::LoadChipConfig("tiny").value();
    config.mxu_rows = config.mxu_cols = size;
    return config;
  }

  // The row of activations, then the weights row by row, as int8 or bf16.
  static std::vector<std::byte> Operands(int64_t size, OperandType type) {
    std::vector<std::byte> bytes;
    const auto append = [&](int value) {
      if (type == OperandType::kInt8) return bytes.push_back(static_cast<std::byte>(value));
      const float number = static_cast<float>(value);
      uint32_t bits;
      std::memcpy(&bits, &number, 4);
      bytes.push_back(static_cast<std::byte>(bits >> 16));
      bytes.push_back(static_cast<std::byte>(bits >> 24));
    };
    for (int64_t k = 0; k < kTiles * size; ++k) append(Activation(k));
    for (int64_t k = 0; k < kTiles * size; ++k) {
      for (int64_t column = 0; column < size; ++column) append(Weight(k, column));
    }
    return bytes;
  }

  static arch::Dma Copy(arch::Engine engine, int64_t hbm, int64_t buffer, int64_t bytes) {
    arch::Dma dma;
    dma.engine = static_cast<uint32_t>(engine);
    dma.counts.fill(1);
    dma.offset_lo = static_cast<uint32_t>(hbm);
    dma.buffer_base = static_cast<uint32_t>(buffer);
    dma.run_bytes = dma.buffer_run_bytes = static_cast<uint32_t>(bytes);
    return dma;
  }

  static arch::Matmul OneRow(int64_t size, OperandType type, bool is_first) {
    const int64_t bytes = type == OperandType::kInt8 ? 1 : 2;
    arch::Matmul matmul;
    matmul.engine = static_cast<uint32_t>(arch::Engine::kMxu0);
    matmul.counts = {kTiles, kRepeats, 1, 1, 1, 1};
    matmul.a_type = matmul.w_type = static_cast<uint32_t>(type);
    matmul.weight_level = 1;
    matmul.k_level = matmul.n_level = arch::kNoLevel;
    matmul.k_limit = matmul.n_limit = matmul.a_length = static_cast<uint32_t>(size);
    matmul.fresh_mask = 3;
    matmul.accumulate = !is_first;
    matmul.a_strides = {static_cast<int32_t>(size * bytes)};
    matmul.y_limit = 1;
    matmul.x_limit = static_cast<uint32_t>(size);
    matmul.w_base = static_cast<uint32_t>(kTiles * size * bytes);
    matmul.w_strides = {static_cast<int32_t>(size * size * bytes)};
    matmul.w_row_stride = static_cast<int32_t>(size * bytes);
    if (is_first) {
      matmul.wait0_valid = matmul.wait0_target = 1;
      matmul.wait1_valid = matmul.wait1_target = matmul.wait1_weights = 1;
    }
    matmul.signal0_valid = matmul.signal0_flag = 1;
    return matmul;
  }

  static arch::Vector Drain(golden::ProgramWriter& program, const arch::ChipConfig& config) {
    golden::AppendDrainKernel(program, config, 1);
    arch::Vector vector = golden::DrainVector(config, 1, static_cast<uint32_t>(kResultOffset));
    vector.wait0_valid = vector.wait0_flag = 1;
    vector.wait0_target = kMatmuls;
    vector.signal0_valid = 1;
    vector.signal0_flag = 2;
    return vector;
  }

  static void Check(const std::string& target, const arch::ChipConfig& config, OperandType type) {
    SCOPED_TRACE(target + " " + std::to_string(config.mxu_rows) + " queue depth " +
                 std::to_string(config.sequencer_queue_depth));
    const int64_t size = config.mxu_rows;
    auto chip = hal::OpenTransport(target, config);
    ASSERT_TRUE(chip.ok()) << chip.status().message();
    const std::vector<std::byte> operands = Operands(size, type);
    ASSERT_TRUE((*chip)->WriteMemory(golden::kDataAddress, operands).ok());
    golden::ProgramWriter program;
    arch::Dma load =
        Copy(arch::Engine::kDmaLoad, 0, 0, static_cast<int64_t>(operands.size()));
    load.signal0_valid = 1;
    program.Append(Opcode::kLoad, load);
    for (uint32_t i = 0; i < kMatmuls; ++i) {
      program.Append(Opcode::kMatmul, OneRow(size, type, i == 0));
    }
    const arch::Vector drain = Drain(program, config);
    program.Append(Opcode::kVector, drain);
    arch::Dma store = Copy(arch::Engine::kDmaStore, kResultOffset, kResultOffset, 4 * size);
    store.wait0_valid = store.wait0_target = 1;
    store.wait0_flag = 2;
    program.Append(Opcode::kStore, store);
    program.Halt();
    const golden::JobResult result = golden::RunJob(**chip, config, program.words());
    ASSERT_TRUE(result.status.ok() && result.completed) << result;

    std::vector<uint32_t> row(static_cast<size_t>(size));
    ASSERT_TRUE((*chip)->ReadMemory(golden::kDataAddress + kResultOffset,
                                    std::as_writable_bytes(std::span(row))).ok());
    for (int64_t column = 0; column < size; ++column) {
      int sum = 0;
      for (int64_t k = 0; k < static_cast<int64_t>(kTiles) * size; ++k) {
        sum += static_cast<int>(kMatmuls * kRepeats) * Activation(k) * Weight(k, column);
      }
      uint32_t expected = static_cast<uint32_t>(sum);
      if (type != OperandType::kInt8) {
        const float number = static_cast<float>(sum);
        std::memcpy(&expected, &number, 4);
      }
      EXPECT_EQ(row[static_cast<size_t>(column)], expected) << "column " << column;
    }
  }

  static void CheckDepths(const std::string& target, arch::ChipConfig config) {
    for (const int64_t depth : {config.sequencer_queue_depth, int64_t{1}}) {
      config.sequencer_queue_depth = depth;
      for (const OperandType type : {OperandType::kBf16, OperandType::kInt8}) {
        Check(target, config, type);
      }
    }
  }
};

TEST_F(BackToBackTest, AccumulationsOnOneRowAreWholeOnGolden) {
  for (const int64_t size : {8, 16, 32}) CheckDepths("golden", Array(size));
}

TEST_F(BackToBackTest, AccumulationsOnOneRowAreWholeOnTheVerilatedChip) {
  const char* targets = std::getenv("SYSTOLITH_TEST_TARGETS");
  if (targets == nullptr || std::string(targets).find("rtl") == std::string::npos) {
    GTEST_SKIP() << "SYSTOLITH_TEST_TARGETS leaves rtl out";
  }
  CheckDepths("rtl", Array(8));
}

}  // namespace
}  // namespace systolith::cosim
