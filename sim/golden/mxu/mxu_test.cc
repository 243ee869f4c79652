#include "sim/golden/mxu/mxu.h"

#include <bit>

#include "sim/golden/testing/chip_fixture.h"
#include "tb/common/random.h"

namespace systolith::golden {
namespace {

using arch::Fault;
using arch::Opcode;
using arch::OperandType;

constexpr uint32_t kA = 0, kW = 0x4000, kOut = 0x8000;

class MxuTest : public ChipFixture<tb::RandomTest> {
 protected:
  // Runs `matmul` on what HBM holds (copied to the buffer byte by byte) and returns the
  // accumulator rows 0..rows-1 of unit 0, as many columns as the array has.
  std::vector<uint32_t> RunMatmul(const arch::Matmul& matmul, uint32_t rows) {
    ProgramWriter program;
    program.Append(Opcode::kLoad, Signalling(LoadOf(0, 0, kOut), 0));
    program.Append(Opcode::kMatmul,
                   Signalling(WaitingForWeights(Waiting(matmul, 0, 1), 0, 1), 1));
    const arch::Vector drain = Drain(program, rows, kOut);
    program.Append(Opcode::kVector, Signalling(Waiting(drain, 1, 1), 2));
    const uint32_t bytes = rows * static_cast<uint32_t>(config_.RowBytes());
    program.Append(Opcode::kStore, Waiting(StoreOf(0x10000, kOut, bytes), 2, 1));
    program.Halt();
    MustRun(program);
    const auto lanes = ReadHbm<uint32_t>(0x10000, bytes / 4);
    std::vector<uint32_t> columns;
    for (size_t i = 0; i < lanes.size(); ++i) {
      if (static_cast<int64_t>(i % config_.Lanes()) < config_.mxu_cols) columns.push_back(lanes[i]);
    }
    return columns;
  }

  Fault FaultOf(const arch::Matmul& matmul) {
    ProgramWriter program;
    program.Append(Opcode::kMatmul, matmul);
    program.Halt();
    return Run(program).fault;
  }

  std::vector<uint16_t> RandomBf16(size_t count) {
    std::vector<uint16_t> values(count);
    for (uint16_t& value : values) {
      value = static_cast<uint16_t>(rng_.Range(0x3d00, 0x4200) | (rng_.U32() & 0x8000));
      if (rng_.Chance(0.02)) value = static_cast<uint16_t>(rng_.U32());
    }
    return values;
  }

  // fused8 over k in groups of eight, one output at a time.
  static uint32_t Dot(uint32_t c, const std::vector<uint16_t>& a, const std::vector<uint16_t>& w) {
    for (size_t g = 0; g < a.size(); g += 8) {
      std::array<Operand, 8> ao{}, wo{};
      for (size_t k = g; k < std::min(g + 8, a.size()); ++k) {
        ao[k - g] = DecodeBf16(a[k]);
        wo[k - g] = DecodeBf16(w[k]);
      }
      c = Fused8(c, ao.data(), wo.data());
    }
    return c;
  }
};

TEST_F(MxuTest, OneTileIsAFoldPerColumn) {
  for (const auto& [rows, columns] : {std::pair{8, 8}, {8, 16}, {24, 8}}) {
    UseConfig(SmallConfig(rows, columns));
    for (bool transpose : {false, true}) {
      const uint32_t m = 5, k = static_cast<uint32_t>(rng_.Range(1, rows)),
                     n = static_cast<uint32_t>(rng_.Range(1, columns));
      const auto a = RandomBf16(static_cast<size_t>(m) * rows);
      const auto w = RandomBf16(static_cast<size_t>(std::max(rows, columns)) * 32);
      WriteHbm(kA, a);
      WriteHbm(kW, w);
      arch::Matmul matmul = TileOf(m, k, n, kA, kW);
      matmul.transpose = transpose;
      matmul.w_row_stride = 64;
      const auto out = RunMatmul(matmul, m);
      for (uint32_t r = 0; r < m; ++r) {
        for (uint32_t c = 0; c < static_cast<uint32_t>(columns); ++c) {
          std::vector<uint16_t> row(a.begin() + r * rows, a.begin() + r * rows + k), column(k);
          for (uint32_t j = 0; j < k; ++j) column[j] = transpose ? w[c * 32 + j] : w[j * 32 + c];
          const uint32_t expected = c < n ? Dot(0, row, column) : 0;
          ASSERT_EQ(out[r * columns + c], expected) << "row " << r << " column " << c;
        }
      }
    }
  }
}

TEST_F(MxuTest, KTilesFoldIntoTheAccumulator) {
  // Loop 0 walks three k tiles of the 8x8 array (the last of 3), loop 1 the rows.
  const uint32_t m = 4, k = 19;
  const auto a = RandomBf16(m * 24);
  const auto w = RandomBf16(24 * 8);
  WriteHbm(kA, a);
  WriteHbm(kW, w);
  arch::Matmul matmul = TileOf(1, 8, 8, kA, kW);
  matmul.counts = {3, m, 1, 1, 1, 1};
  matmul.weight_level = 1;
  matmul.k_level = 0;
  matmul.k_limit = k;
  matmul.fresh_mask = 1;
  matmul.a_strides = {16, 48, 0, 0, 0, 0};
  matmul.w_strides[0] = 8 * 16;
  matmul.acc_strides = {0, 1, 0, 0, 0, 0};
  const auto out = RunMatmul(matmul, m);
  for (uint32_t r = 0; r < m; ++r) {
    for (uint32_t c = 0; c < 8; ++c) {
      std::vector<uint16_t> row(a.begin() + r * 24, a.begin() + r * 24 + k), column(k);
      for (uint32_t j = 0; j < k; ++j) column[j] = w[j * 8 + c];
      ASSERT_EQ(out[r * 8 + c], Dot(0, row, column));
    }
  }
}

TEST_F(MxuTest, WindowsAreClippedToTheirTwoCoordinates) {
  // 1-D "same" convolution of width 3 over an image of 2 rows x 8 pixels x 8 channels: windows of
  // 8 elements at x = -8.. of rows y = -1..2; the fill is 2.0.
  const auto image = RandomBf16(2 * 64);
  std::vector<uint16_t> w(8 * 8, 0x3f80);
  WriteHbm(kA, image);
  WriteHbm(kW, w);
  arch::Matmul matmul = TileOf(1, 8, 8, kA, kW);
  matmul.counts = {4, 5, 1, 1, 1, 1};
  matmul.a_base = -128 - 16;
  matmul.a_strides = {128, 32, 0, 0, 0, 0};
  matmul.y_base = -1;
  matmul.y_steps = {1, 0, 0, 0, 0, 0};
  matmul.y_limit = 2;
  matmul.x_base = -8;
  matmul.x_steps = {0, 16, 0, 0, 0, 0};
  matmul.x_limit = 61;  // the last pixel is cut
  matmul.a_fill = 0x40004000;
  matmul.acc_strides = {5, 1, 0, 0, 0, 0};
  const auto out = RunMatmul(matmul, 20);
  for (int iy = 0; iy < 4; ++iy) {
    for (int ix = 0; ix < 5; ++ix) {
      std::vector<uint16_t> row(8), ones(8, 0x3f80);
      for (int j = 0; j < 8; ++j) {
        const int y = iy - 1, x = ix * 16 - 8 + j;
        row[j] = y >= 0 && y < 2 && x >= 0 && x < 61 ? image[y * 64 + x] : 0x4000;
      }
      ASSERT_EQ(out[(iy * 5 + ix) * 8], Dot(0, row, ones)) << iy << ' ' << ix;
    }
  }
}

TEST_F(MxuTest, AccumulateStartsFromTheRow) {
  const auto a = RandomBf16(8), w = RandomBf16(64);
  WriteHbm(kA, a);
  WriteHbm(kW, w);
  arch::Matmul matmul = TileOf(2, 8, 8, kA, kW);
  matmul.a_strides[0] = 0;
  matmul.acc_strides[0] = 0;  // both iterations on one row
  matmul.fresh_mask = 1;      // the first starts from +0
  const auto out = RunMatmul(matmul, 1);
  for (int c = 0; c < 8; ++c) {
    std::vector<uint16_t> column(8);
    for (int j = 0; j < 8; ++j) column[j] = w[j * 8 + c];
    EXPECT_EQ(out[c], Dot(Dot(0, a, column), a, column));
  }
}

TEST_F(MxuTest, Int8MultipliesSigned) {
  const auto bytes = RandomBytes(8 + 64);
  WriteHbm(kA, std::vector<uint8_t>(bytes.begin(), bytes.begin() + 8));
  WriteHbm(kW, std::vector<uint8_t>(bytes.begin() + 8, bytes.end()));
  arch::Matmul matmul = TileOf(1, 7, 6, kA, kW);
  matmul.a_type = matmul.w_type = static_cast<uint32_t>(OperandType::kInt8);
  matmul.w_row_stride = 8;
  const auto out = RunMatmul(matmul, 1);
  for (int c = 0; c < 8; ++c) {
    int32_t sum = 0;
    for (int k = 0; k < 7 && c < 6; ++k) {
      sum += static_cast<int8_t>(bytes[k]) * static_cast<int8_t>(bytes[8 + k * 8 + c]);
    }
    EXPECT_EQ(static_cast<int32_t>(out[c]), sum);
  }
}

TEST_F(MxuTest, InfBesideAnAbsentLaneIsNotSeen) {
  std::vector<uint16_t> a(8, 0x3f80), w(64, 0x3f80);
  a[5] = 0x7fc0;                                 // beyond a_length
  a[3] = 0x7f80;                                 // beyond k_limit
  for (int n = 0; n < 8; ++n) w[3 * 8 + n] = 0x7fc0;
  WriteHbm(kA, a);
  WriteHbm(kW, w);
  arch::Matmul matmul = TileOf(1, 4, 8, kA, kW);
  matmul.k_limit = 3;
  EXPECT_EQ(RunMatmul(matmul, 1)[0], std::bit_cast<uint32_t>(3.0f));
}

TEST_F(MxuTest, SixPassesOfSlicesAreExactForF32Products) {
  const float x = 1.2345678f, y = -7.654321e-3f;
  WriteHbm(kA, std::vector<float>{x});
  WriteHbm(kW, std::vector<float>{y});
  ProgramWriter program;
  program.Append(Opcode::kLoad, Signalling(LoadOf(0, 0, kOut), 0));
  // Smallest products first; pairs of slices whose indices sum to at most 2.
  const int passes[][2] = {{2, 0}, {1, 1}, {0, 2}, {1, 0}, {0, 1}, {0, 0}};
  for (int p = 0; p < 6; ++p) {
    arch::Matmul matmul = TileOf(1, 1, 1, kA, kW);
    matmul.a_type = matmul.w_type = static_cast<uint32_t>(OperandType::kF32Slice);
    matmul.a_slice = static_cast<uint32_t>(passes[p][0]);
    matmul.w_slice = static_cast<uint32_t>(passes[p][1]);
    matmul.w_row_stride = 32;
    matmul.accumulate = p > 0;
    program.Append(Opcode::kMatmul,
                   Signalling(WaitingForWeights(Waiting(matmul, 0, 1), 0, 1), 1));
  }
  const arch::Vector drain = Drain(program, 1, kOut);
  program.Append(Opcode::kVector, Signalling(Waiting(drain, 1, 6), 2));
  program.Append(Opcode::kStore, Waiting(StoreOf(0x10000, kOut, 4), 2, 1));
  program.Halt();
  MustRun(program);
  EXPECT_NEAR(ReadHbm<float>(0x10000, 1)[0], x * y, std::abs(x * y) * 0x1p-22);
}

TEST_F(MxuTest, Faults) {
  const arch::Matmul good = TileOf(1, 8, 8, kA, kW);
  EXPECT_EQ(FaultOf(good), Fault::kNone);
  const auto with = [&](auto change) {
    arch::Matmul matmul = good;
    change(matmul);
    return FaultOf(matmul);
  };
  using M = arch::Matmul;
  EXPECT_EQ(with([](M& m) { m.a_length = 9; }), Fault::kIllegalField);
  EXPECT_EQ(with([](M& m) { m.a_length = 0; }), Fault::kIllegalField);
  EXPECT_EQ(with([](M& m) { m.a_type = 1; }), Fault::kIllegalField);  // int8 with bf16
  EXPECT_EQ(with([](M& m) { m.k_level = 0; }), Fault::kIllegalField);  // not outside the tile
  EXPECT_EQ(with([](M& m) { m.weight_level = 7; }), Fault::kIllegalField);
  EXPECT_EQ(with([](M& m) { m.counts[4] = 0; }), Fault::kIllegalField);
  EXPECT_EQ(with([](M& m) { m.a_base = 8; }), Fault::kMisaligned);
  EXPECT_EQ(with([](M& m) { m.w_base += 8; }), Fault::kMisaligned);
  EXPECT_EQ(with([](M& m) { m.w_row_stride = 24; }), Fault::kMisaligned);
  EXPECT_EQ(with([](M& m) { m.a_base = -16; }), Fault::kBufferRange);
  EXPECT_EQ(with([](M& m) { m.a_base = -16, m.y_base = -1; }), Fault::kNone);  // all is fill
  EXPECT_EQ(with([](M& m) { m.w_base = 0xfff0; }), Fault::kBufferRange);
  EXPECT_EQ(with([](M& m) { m.acc_base = 64; }), Fault::kAccumulatorRange);
  EXPECT_EQ(with([](M& m) { m.acc_base = 0xffffffff; }), Fault::kAccumulatorRange);
  EXPECT_EQ(with([](M& m) { m.engine = Number(arch::Engine::kMxu2); }), Fault::kIllegalOpcode);

  arch::ChipConfig config = SmallConfig();
  config.mxu_bf16 = false;
  UseConfig(config);
  EXPECT_EQ(FaultOf(good), Fault::kIllegalField);
}

}  // namespace
}  // namespace systolith::golden
