#include <algorithm>

#include "sim/golden/testing/chip_fixture.h"
#include "tb/common/random.h"

namespace systolith::golden {
namespace {

using arch::Fault;
using arch::Opcode;

class XluTest : public ChipFixture<tb::RandomTest> {
 protected:
  static constexpr uint32_t kIn = 0, kOut = 0x4000;

  // A matrix of `rows` x `columns`, in tiles of Lanes x Lanes.
  arch::Transpose TransposeOf(uint32_t rows, uint32_t columns, uint32_t size_log2) const {
    const uint32_t lanes = static_cast<uint32_t>(config_.Lanes());
    const auto row_bytes = [&](uint32_t elements) {
      return static_cast<int32_t>((elements + 7) / 8 * 8 << size_log2);
    };
    arch::Transpose transpose;
    transpose.engine = Number(arch::Engine::kXlu);
    transpose.counts = {(rows + lanes - 1) / lanes, (columns + lanes - 1) / lanes, 1, 1, 1, 1};
    transpose.size_log2 = size_log2;
    transpose.rows_level = 0;
    transpose.cols_level = 1;
    transpose.rows_limit = rows;
    transpose.cols_limit = columns;
    transpose.in_base = kIn;
    transpose.in_row_stride = row_bytes(columns);
    transpose.in_strides = {static_cast<int32_t>(lanes) * row_bytes(columns),
                            static_cast<int32_t>(lanes << size_log2)};
    transpose.out_base = kOut;
    transpose.out_row_stride = row_bytes(rows);
    transpose.out_strides = {static_cast<int32_t>(lanes << size_log2),
                             static_cast<int32_t>(lanes) * row_bytes(rows)};
    return transpose;
  }
  std::vector<uint8_t> RunTranspose(const arch::Transpose& transpose) {
    ProgramWriter program;
    program.Append(Opcode::kLoad, Signalling(LoadOf(0, 0, 0x8000), 0));
    program.Append(Opcode::kTranspose, Signalling(Waiting(transpose, 0, 1), 1));
    program.Append(Opcode::kStore, Waiting(StoreOf(0x10000, kOut, 0x4000), 1, 1));
    program.Halt();
    MustRun(program);
    return ReadHbm<uint8_t>(0x10000, 0x4000);
  }
};

TEST_F(XluTest, TransposesMatricesOfAllSizes) {
  for (const uint32_t size_log2 : {0u, 1u, 2u}) {
    for (const auto& [rows, columns] :
         {std::pair{1u, 1u}, {8u, 8u}, {9u, 7u}, {3u, 25u}, {17u, 16u}}) {
      const size_t size = size_t{1} << size_log2;
      auto bytes = RandomBytes(0x8000);
      WriteHbm(0, bytes);
      const arch::Transpose transpose = TransposeOf(rows, columns, size_log2);
      const auto out = RunTranspose(transpose);
      std::vector<uint8_t> expected(bytes.begin() + kOut, bytes.end());
      const size_t padded = (rows + 7) / 8 * 8;
      for (size_t n = 0; n < columns; ++n) {
        for (size_t k = 0; k < padded; ++k) {
          for (size_t b = 0; b < size; ++b) {
            const size_t from = k * static_cast<size_t>(transpose.in_row_stride) + n * size + b;
            const size_t to = n * static_cast<size_t>(transpose.out_row_stride) + k * size + b;
            expected[to] = k < rows ? bytes[from] : 0;
          }
        }
      }
      ASSERT_EQ(out, expected) << rows << 'x' << columns << " of " << size;
    }
  }
}

TEST_F(XluTest, TilesWithoutRowsDoNothing) {
  arch::Transpose transpose = TransposeOf(8, 8, 0);
  transpose.counts[0] = 2;
  transpose.in_strides[0] = 3;  // would be misaligned
  EXPECT_NO_FATAL_FAILURE(RunTranspose(transpose));
}

TEST_F(XluTest, Faults) {
  const auto with = [&](auto change) {
    arch::Transpose transpose = TransposeOf(8, 8, 1);
    change(transpose);
    ProgramWriter program;
    program.Append(Opcode::kTranspose, transpose);
    program.Halt();
    const JobResult result = Run(program);
    if (result.fault != Fault::kNone) {
      EXPECT_EQ(result.engine, Number(arch::Engine::kXlu)) << result;
    }
    return std::pair{result.fault, result.address};
  };
  using T = arch::Transpose;
  using Result = std::pair<Fault, uint64_t>;
  EXPECT_EQ(with([](T&) {}), Result(Fault::kNone, 0));
  EXPECT_EQ(with([](T& t) { t.size_log2 = 3; }), Result(Fault::kIllegalField, 0));
  EXPECT_EQ(with([](T& t) { t.rows_level = 6; }), Result(Fault::kIllegalField, 0));
  EXPECT_EQ(with([](T& t) { t.cols_level = 6; }), Result(Fault::kIllegalField, 0));
  EXPECT_EQ(with([](T& t) { t.counts[3] = 0; }), Result(Fault::kIllegalField, 0));
  EXPECT_EQ(with([](T& t) { t.in_base = 8; }), Result(Fault::kMisaligned, 8));
  EXPECT_EQ(with([](T& t) { t.out_row_stride = 8; }), Result(Fault::kMisaligned, kOut + 8));
  EXPECT_EQ(with([](T& t) { t.in_base = 0x10000 - 32; }), Result(Fault::kBufferRange, 0x10000));
  EXPECT_EQ(with([](T& t) { t.in_row_stride = -16; }), Result(Fault::kBufferRange, 0xfffffff0));
  EXPECT_EQ(with([](T& t) { t.out_base = 0x10000; }), Result(Fault::kBufferRange, 0x10000));
}

}  // namespace
}  // namespace systolith::golden
