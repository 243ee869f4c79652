#ifndef SYSTOLITH_SIM_GOLDEN_TESTING_CHIP_FIXTURE_H_
#define SYSTOLITH_SIM_GOLDEN_TESTING_CHIP_FIXTURE_H_

#include <gtest/gtest.h>

#include <cstring>
#include <memory>
#include <span>
#include <vector>

#include "sim/golden/adapter/golden_transport.h"
#include "sim/golden/testing/job.h"
#include "sim/golden/testing/kernel.h"

namespace systolith::golden {

// A small chip of the given array; two MXUs, 64 KiB of buffer.
inline arch::ChipConfig SmallConfig(int64_t rows = 8, int64_t columns = 8) {
  arch::ChipConfig config;
  config.name = "test";
  config.mxu_count = 2;
  config.mxu_rows = rows;
  config.mxu_cols = columns;
  config.mxu_accumulator_rows = 32;
  config.buffer_bytes = 1 << 16;
  config.memory_bytes = 1 << 26;
  config.memory_kind = "fixed";
  return config;
}

inline uint32_t Number(arch::Engine engine) { return static_cast<uint32_t>(engine); }

// Runs programs on the golden chip behind the hal seam. `Base` is tb::RandomTest, which tests
// include themselves (sim does not use tb).
template <typename Base>
class ChipFixture : public Base {
 protected:
  void UseConfig(const arch::ChipConfig& config, bool check_hazards = true) {
    config_ = config;
    hal::TransportOptions options;
    options.check_hazards = check_hazards;
    chip_ = std::make_unique<GoldenTransport>(config_, options);
  }
  void SetUp() override { UseConfig(SmallConfig()); }

  JobResult Run(const ProgramWriter& program, const JobOptions& options = {}) {
    return RunJob(*chip_, config_, program.words(), options);
  }
  // The program must complete without breaking a rule.
  void MustRun(const ProgramWriter& program, const JobOptions& options = {}) {
    const JobResult result = Run(program, options);
    ASSERT_TRUE(result.status.ok() && result.completed) << result;
    ASSERT_EQ(result.fault, arch::Fault::kNone) << result;
  }

  template <typename T>
  void WriteHbm(uint64_t offset, const std::vector<T>& data) {
    ASSERT_TRUE(chip_->WriteMemory(kDataAddress + offset, std::as_bytes(std::span(data))).ok());
  }
  template <typename T>
  std::vector<T> ReadHbm(uint64_t offset, size_t count) {
    std::vector<T> data(count);
    EXPECT_TRUE(chip_->ReadMemory(kDataAddress + offset,
                                  std::as_writable_bytes(std::span(data))).ok());
    return data;
  }

  std::vector<uint8_t> RandomBytes(size_t count) {
    std::vector<uint8_t> bytes(count);
    for (uint8_t& byte : bytes) byte = static_cast<uint8_t>(this->rng_.U32());
    return bytes;
  }

  // A transfer of one run between segment offset and buffer address.
  static arch::Dma Copy(uint64_t hbm, uint32_t buffer, uint32_t bytes) {
    arch::Dma dma;
    dma.counts.fill(1);
    dma.offset_lo = static_cast<uint32_t>(hbm);
    dma.buffer_base = buffer;
    dma.run_bytes = dma.buffer_run_bytes = bytes;
    return dma;
  }
  static arch::Dma LoadOf(uint64_t hbm, uint32_t buffer, uint32_t bytes) {
    arch::Dma dma = Copy(hbm, buffer, bytes);
    dma.engine = Number(arch::Engine::kDmaLoad);
    return dma;
  }
  static arch::Dma StoreOf(uint64_t hbm, uint32_t buffer, uint32_t bytes) {
    arch::Dma dma = Copy(hbm, buffer, bytes);
    dma.engine = Number(arch::Engine::kDmaStore);
    return dma;
  }
  template <typename T>
  static T Signalling(T instruction, uint32_t flag, uint32_t level = 0) {
    instruction.signal0_valid = 1;
    instruction.signal0_flag = flag;
    instruction.signal0_level = level;
    return instruction;
  }
  template <typename T>
  static T Waiting(T instruction, uint32_t flag, uint32_t target, uint32_t level = 0,
                   uint32_t step = 0) {
    instruction.wait0_valid = 1;
    instruction.wait0_flag = flag;
    instruction.wait0_target = target;
    instruction.wait0_level = level;
    instruction.wait0_step = step;
    return instruction;
  }
  // A second wait, of the weight stream.
  static arch::Matmul WaitingForWeights(arch::Matmul matmul, uint32_t flag, uint32_t target) {
    matmul.wait1_valid = 1;
    matmul.wait1_weights = 1;
    matmul.wait1_flag = flag;
    matmul.wait1_target = target;
    return matmul;
  }

  // One tile: `rows` windows of `length` bf16 elements at `a`, weights of `columns` at `w`.
  arch::Matmul TileOf(uint32_t rows, uint32_t length, uint32_t columns, uint32_t a,
                      uint32_t w) const {
    arch::Matmul matmul;
    matmul.engine = Number(arch::Engine::kMxu0);
    matmul.counts = {rows, 1, 1, 1, 1, 1};
    matmul.k_level = matmul.n_level = arch::kNoLevel;
    matmul.a_length = length;
    matmul.a_base = static_cast<int32_t>(a);
    matmul.a_strides[0] = static_cast<int32_t>(config_.mxu_rows * 2);
    matmul.y_limit = 1;
    matmul.x_limit = 1 << 16;
    matmul.w_base = w;
    matmul.w_row_stride = static_cast<int32_t>(config_.mxu_cols * 2);
    matmul.k_limit = length;
    matmul.n_limit = columns;
    matmul.acc_strides[0] = 1;
    return matmul;
  }

  // Rows of accumulators of unit 0 to f32 rows of `Lanes` in the buffer: appends what the `vector`
  // that it returns needs before it.
  arch::Vector Drain(ProgramWriter& program, uint32_t rows, uint32_t out) const {
    AppendDrainKernel(program, config_, rows);
    return DrainVector(config_, rows, out);
  }

  arch::ChipConfig config_;
  std::unique_ptr<GoldenTransport> chip_;
};

}  // namespace systolith::golden

#endif  // SYSTOLITH_SIM_GOLDEN_TESTING_CHIP_FIXTURE_H_
