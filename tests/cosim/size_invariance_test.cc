// One product, compiled by hand for arrays of 8, 16, 64 and 128: identical bits, equal to a fold
// of fused8 over k.
#include <gtest/gtest.h>

#include "host/arch/chip_config.h"
#include "sim/golden/adapter/golden_transport.h"
#include "sim/golden/float/fused8.h"
#include "sim/golden/testing/job.h"
#include "sim/golden/testing/kernel.h"
#include "tb/common/random.h"

namespace systolith::cosim {
namespace {

using arch::Opcode;
using arch::OperandType;

int64_t RoundUp(int64_t value, int64_t unit) { return (value + unit - 1) / unit * unit; }

struct Product {
  int64_t m = 0, k = 0, n = 0;
  OperandType type = OperandType::kBf16;
  std::vector<uint32_t> a, w;  // row by row; bits of f32, or of bf16 in the upper half

  int64_t element_bytes() const { return type == OperandType::kBf16 ? 2 : 4; }
};

constexpr std::array<std::array<uint32_t, 2>, 6> kHighest = {
    {{2, 0}, {1, 1}, {0, 2}, {1, 0}, {0, 1}, {0, 0}}};

std::vector<std::byte> Packed(const std::vector<uint32_t>& values, int64_t columns, int64_t bytes) {
  const int64_t pitch = RoundUp(columns, 8) * bytes;
  const int64_t rows = static_cast<int64_t>(values.size()) / columns;
  std::vector<std::byte> packed(static_cast<size_t>(rows * pitch));
  for (int64_t r = 0; r < rows; ++r) {
    for (int64_t c = 0; c < columns; ++c) {
      const uint32_t bits = values[r * columns + c] >> (bytes == 2 ? 16 : 0);
      std::memcpy(packed.data() + r * pitch + c * bytes, &bits, static_cast<size_t>(bytes));
    }
  }
  return packed;
}

class SizeInvarianceTest : public tb::RandomTest {
 protected:
  std::vector<uint32_t> RandomF32(int64_t count) {
    std::vector<uint32_t> values(static_cast<size_t>(count));
    for (uint32_t& bits : values) {
      bits = static_cast<uint32_t>(rng_.Range(0x3c000000, 0x43000000)) | (rng_.U32() & 0x80000000);
      const uint64_t kind = rng_.Below(400);
      if (kind == 0) bits = rng_.U32();
      if (kind == 1) bits = 0x7f800000 | (rng_.U32() & 0x80000000);
      if (kind < 20 && kind > 1) bits = 0;
    }
    return values;
  }

  static std::vector<uint32_t> Expected(const Product& product) {
    std::vector<uint32_t> out(static_cast<size_t>(product.m * product.n));
    const size_t passes = product.type == OperandType::kF32Slice ? kHighest.size() : 1;
    const auto decode = [&](uint32_t bits, size_t pass, int side) {
      switch (product.type) {
        case OperandType::kF32Rounded: return golden::DecodeF32Rounded(bits);
        case OperandType::kF32Slice:
          return golden::DecodeF32Slice(bits, static_cast<int>(kHighest[pass][side]),
                                        pass + 1 == kHighest.size());
        default: return golden::DecodeBf16(static_cast<uint16_t>(bits >> 16));
      }
    };
    for (int64_t i = 0; i < product.m * product.n; ++i) {
      const int64_t row = i / product.n, column = i % product.n;
      for (size_t pass = 0; pass < passes; ++pass) {
        for (int64_t k = 0; k < product.k; k += 8) {
          std::array<golden::Operand, 8> a{}, w{};
          for (int64_t j = k; j < std::min(k + 8, product.k); ++j) {
            a[j - k] = decode(product.a[row * product.k + j], pass, 0);
            w[j - k] = decode(product.w[j * product.n + column], pass, 1);
          }
          out[i] = golden::Fused8(out[i], a.data(), w.data());
        }
      }
    }
    return out;
  }

  // HBM: a, then w, each row padded to eight elements; the result, m rows of n f32, behind.
  static std::vector<uint32_t> Run(const Product& product, int64_t rows, int64_t columns) {
    arch::ChipConfig config = arch::LoadChipConfig("tiny").value();
    config.mxu_rows = rows;
    config.mxu_cols = columns;
    config.mxu_accumulator_rows = 1024;
    config.buffer_bytes = 1 << 20;
    golden::GoldenTransport chip(config, {});
    const auto a = Packed(product.a, product.k, product.element_bytes());
    const auto w = Packed(product.w, product.n, product.element_bytes());
    EXPECT_TRUE(chip.WriteMemory(golden::kDataAddress, a).ok());
    EXPECT_TRUE(chip.WriteMemory(golden::kDataAddress + a.size(), w).ok());

    const int64_t out_pitch = RoundUp(product.n, columns) * 4;
    const int64_t out_base = RoundUp(static_cast<int64_t>(a.size() + w.size()), 1024);
    golden::ProgramWriter program;
    arch::Dma load = Copy(arch::Engine::kDmaLoad, 0, 0, static_cast<int64_t>(a.size() + w.size()));
    load.signal0_valid = 1;
    program.Append(Opcode::kLoad, load);
    const bool slices = product.type == OperandType::kF32Slice;
    const size_t passes = slices ? kHighest.size() : 1;
    for (size_t pass = 0; pass < passes; ++pass) {
      arch::Matmul matmul = Tiles(product, rows, columns, static_cast<int64_t>(a.size()));
      if (slices) matmul.a_slice = kHighest[pass][0], matmul.w_slice = kHighest[pass][1];
      matmul.accumulate = pass > 0;
      program.Append(Opcode::kMatmul, matmul);
    }
    AppendDrain(program, product, config, out_base, out_pitch, static_cast<uint32_t>(passes));
    arch::Dma store = Copy(arch::Engine::kDmaStore, 0x80000, out_base, 4 * product.n);
    store.counts[0] = static_cast<uint32_t>(product.m);
    store.hbm_strides[0] = static_cast<int32_t>(4 * product.n);
    store.buffer_strides[0] = static_cast<int32_t>(out_pitch);
    store.wait0_valid = store.wait0_target = 1;
    store.wait0_flag = 2;
    program.Append(Opcode::kStore, store);
    program.Halt();
    const golden::JobResult result = golden::RunJob(chip, config, program.words());
    EXPECT_TRUE(result.status.ok() && result.completed) << result;
    std::vector<uint32_t> out(static_cast<size_t>(product.m * product.n));
    EXPECT_TRUE(chip.ReadMemory(golden::kDataAddress + 0x80000,
                                std::as_writable_bytes(std::span(out))).ok());
    return out;
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

  // Loops: column tiles, k tiles, rows. Accumulator row = column tile * m + row.
  static arch::Matmul Tiles(const Product& product, int64_t rows, int64_t columns, int64_t w_base) {
    const int64_t bytes = product.element_bytes();
    const int64_t a_pitch = RoundUp(product.k, 8) * bytes, w_pitch = RoundUp(product.n, 8) * bytes;
    arch::Matmul matmul;
    matmul.engine = static_cast<uint32_t>(arch::Engine::kMxu0);
    matmul.counts = {static_cast<uint32_t>((product.n + columns - 1) / columns),
                     static_cast<uint32_t>((product.k + rows - 1) / rows),
                     static_cast<uint32_t>(product.m), 1, 1, 1};
    matmul.a_type = matmul.w_type = static_cast<uint32_t>(product.type);
    matmul.weight_level = 2;
    matmul.n_level = 0;
    matmul.k_level = 1;
    matmul.fresh_mask = 2;
    matmul.a_length = static_cast<uint32_t>(rows);
    matmul.a_strides = {0, static_cast<int32_t>(rows * bytes), static_cast<int32_t>(a_pitch)};
    matmul.y_limit = 1;
    matmul.x_steps[1] = static_cast<int32_t>(rows);
    matmul.x_limit = static_cast<uint32_t>(product.k);
    matmul.a_fill = 0x7fc07fc0;  // the lanes beyond K are absent: NaN must not be seen
    matmul.w_base = static_cast<uint32_t>(w_base);
    matmul.w_strides = {static_cast<int32_t>(columns * bytes),
                        static_cast<int32_t>(rows * w_pitch)};
    matmul.w_row_stride = static_cast<int32_t>(w_pitch);
    matmul.k_limit = static_cast<uint32_t>(product.k);
    matmul.n_limit = static_cast<uint32_t>(product.n);
    matmul.acc_strides = {static_cast<int32_t>(product.m), 0, 1};
    matmul.wait0_valid = matmul.wait0_target = 1;
    matmul.wait1_valid = matmul.wait1_target = matmul.wait1_weights = 1;
    matmul.signal0_valid = matmul.signal0_flag = 1;
    return matmul;
  }

  // Loops: column tiles, groups of rows.
  static void AppendDrain(golden::ProgramWriter& program, const Product& product,
                          const arch::ChipConfig& config, int64_t out_base, int64_t out_pitch,
                          uint32_t passes) {
    const uint32_t rows = static_cast<uint32_t>(product.m);
    const uint32_t columns = static_cast<uint32_t>(config.mxu_cols);
    golden::AppendDrainKernel(program, config, rows);
    const auto outermost = [](arch::Stream stream, int64_t stride) {
      std::swap(stream.strides[0], stream.strides[1]);
      std::swap(stream.y_steps[0], stream.y_steps[1]);
      stream.strides[0] = static_cast<int32_t>(stride);
      return stream;
    };
    arch::Stream in =
        golden::RowStream(config, 0, arch::LaneType::kF32, rows, columns, 1);
    in.source = static_cast<uint32_t>(arch::StreamSource::kAccumulator);
    program.Append(Opcode::kStream, outermost(in, product.m));
    program.Append(Opcode::kStream,
                   outermost(golden::RowStream(config, arch::kInputStreams, arch::LaneType::kF32,
                                               rows, columns, static_cast<int32_t>(out_pitch)),
                             4 * columns));
    arch::Vector vector = golden::DrainVector(config, rows, static_cast<uint32_t>(out_base));
    vector.counts[1] = vector.counts[0];
    vector.counts[0] = (static_cast<uint32_t>(product.n) + columns - 1) / columns;
    vector.kernel_level = 2;
    vector.wait0_valid = 1;
    vector.wait0_flag = 1;
    vector.wait0_target = passes;
    vector.signal0_valid = 1;
    vector.signal0_flag = 2;
    program.Append(Opcode::kVector, vector);
  }

  void SameBitsEverywhere(Product product) {
    product.a = RandomF32(product.m * product.k);
    product.w = RandomF32(product.k * product.n);
    const std::vector<uint32_t> expected = Expected(product);
    for (int64_t size : {8, 16, 64, 128}) {
      EXPECT_EQ(Run(product, size, size), expected) << "array of " << size;
    }
    EXPECT_EQ(Run(product, 16, 64), expected);
    EXPECT_EQ(Run(product, 128, 8), expected);
  }
};

TEST_F(SizeInvarianceTest, Bf16) {
  SameBitsEverywhere({7, 129, 67, OperandType::kBf16, {}, {}});
  SameBitsEverywhere({1, 1, 1, OperandType::kBf16, {}, {}});
  SameBitsEverywhere({13, 301, 5, OperandType::kBf16, {}, {}});
}

TEST_F(SizeInvarianceTest, F32Rounded) {
  SameBitsEverywhere({5, 131, 33, OperandType::kF32Rounded, {}, {}});
}

TEST_F(SizeInvarianceTest, F32InSixPasses) {
  SameBitsEverywhere({5, 63, 17, OperandType::kF32Slice, {}, {}});
}

}  // namespace
}  // namespace systolith::cosim
