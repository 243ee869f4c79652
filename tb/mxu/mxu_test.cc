#include <gtest/gtest.h>

#include <vector>

#include "mxu_under_test.h"
#include "tb/mxu/matmul_data.h"
#include "tb/mxu/matmul_model.h"
#include "tb/mxu/mxu_driver.h"

namespace systolith::tb {
namespace {

template <typename Config>
class MxuTest : public RandomTest {
 protected:
  static constexpr int kRows = Config::kRows, kCols = Config::kCols;
  static constexpr int kAccumulatorRows = 64;
  static constexpr MxuShape kShape = {kRows, kCols, kAccumulatorRows, Config::kBf16, Config::kInt8};
  static constexpr int kIterations = kRows * kCols <= 256 ? 60 : 20;

  MxuTest() : model_(kRows, kCols, kAccumulatorRows, mxu_.memory) {
    // Ordinary exponents beside the specials that random bytes hold anyway.
    for (size_t i = 1; i < mxu_.memory.size(); i += 2) {
      if (rng_.Chance(0.9)) mxu_.memory[i] = (mxu_.memory[i] & 0x83) | 0x3c;
    }
    // The accumulators power up with anything: write every row once.
    arch::Matmul clear = EmptyMatmul();
    clear.a_type = clear.w_type = Config::kInt8 ? 1 : 0;
    clear.counts[5] = 2 * kAccumulatorRows;
    clear.acc_strides[5] = 1;
    clear.a_length = kRows;
    clear.k_limit = 0;
    Run(clear);
  }

  void Run(const arch::Matmul& m) {
    mxu_.Push(m, 0x40);
    model_.Execute(m);
    ASSERT_TRUE(mxu_.RunUntilIdle());
  }

  void CheckAccumulators() {
    for (int row = 0; row < 2 * kAccumulatorRows; row++) {
      ASSERT_EQ(mxu_.ReadAccumulator(row), model_.accumulators[row]) << "row " << row;
    }
  }

  arch::Matmul Random() {
    return RandomMatmul(rng_, kShape, static_cast<int>(mxu_.memory.size()), kIterations);
  }

  // A matmul of `tiles` weight tiles in which `rows` rows meet each.
  arch::Matmul Tiles(uint32_t tiles, uint32_t rows, uint32_t type) {
    arch::Matmul m = EmptyMatmul();
    m.a_type = m.w_type = type;
    m.counts = {1, 1, 1, 1, tiles, rows};
    m.weight_level = 5;
    m.a_length = kRows;
    const int size = MatmulModel::Size(type);
    m.a_strides[5] = kRows * size;
    m.w_row_stride = kCols * size;
    m.acc_strides[5] = 1;
    m.fresh_mask = 1 << 4;
    return m;
  }

  void ExpectFault(arch::Fault cause, uint32_t pc, uint64_t address) {
    for (int i = 0; i < 2000 && mxu_.faults.empty(); i++) mxu_.Cycle();
    ASSERT_EQ(mxu_.faults.size(), 1u);
    EXPECT_EQ(mxu_.faults[0].cause, static_cast<uint32_t>(cause));
    EXPECT_EQ(mxu_.faults[0].pc, pc);
    EXPECT_EQ(mxu_.faults[0].address, address);
    for (int i = 0; i < 100; i++) mxu_.Cycle();
    EXPECT_EQ(mxu_.faults.size(), 1u) << "one pulse per stop";
    mxu_.Abort();
    EXPECT_TRUE(mxu_.idle());
  }

  MxuDriver<typename Config::Dut, kRows, kCols, kAccumulatorRows> mxu_{rng_};
  MatmulModel model_;
};

TYPED_TEST_SUITE(MxuTest, MxusUnderTest);

TYPED_TEST(MxuTest, RandomInstructionsFillTheAccumulatorsByTheContract) {
  for (int trial = 0; trial < 60 && !this->HasFailure(); trial++) {
    this->mxu_.SetStalls(trial % 3 == 0 ? 0 : 0.3);
    this->mxu_.SetQueueDepth(trial % 4 == 0 ? 1 : 8);
    const int count = static_cast<int>(this->rng_.Range(1, 8));
    for (int i = 0; i < count; i++) {
      const arch::Matmul m = this->Random();
      this->mxu_.Push(m, 0x100 * i);
      this->model_.Execute(m);
    }
    ASSERT_TRUE(this->mxu_.RunUntilIdle()) << "trial " << trial;
    this->CheckAccumulators();
  }
}

// Precision passes: smallest products first, all over the same accumulators.
TYPED_TEST(MxuTest, SixPassesOverBytesAreCloserThanFp32) {
  if (!TypeParam::kBf16) GTEST_SKIP() << "no floating point here";
  const int rows = 9;
  std::vector<float> a(rows * this->kRows), w(this->kRows * this->kCols);
  for (float& x : a) x = static_cast<float>(this->rng_.Range(-1 << 23, 1 << 23)) * 0x1p-20f;
  for (float& x : w) x = static_cast<float>(this->rng_.Range(-1 << 23, 1 << 23)) * 0x1p-20f;
  const uint32_t w_base = 32768;
  std::memcpy(this->mxu_.memory.data(), a.data(), a.size() * 4);
  std::memcpy(this->mxu_.memory.data() + w_base, w.data(), w.size() * 4);
  const uint32_t slices = static_cast<uint32_t>(arch::OperandType::kF32Slice);
  const int order[6][2] = {{2, 0}, {1, 1}, {0, 2}, {1, 0}, {0, 1}, {0, 0}};
  for (int pass = 0; pass < 6; pass++) {
    arch::Matmul m = this->Tiles(1, rows, slices);
    m.w_base = w_base;
    m.a_slice = order[pass][0];
    m.w_slice = order[pass][1];
    m.accumulate = pass > 0;
    this->mxu_.Push(m, 0);
    this->model_.Execute(m);
  }
  ASSERT_TRUE(this->mxu_.RunUntilIdle());
  this->CheckAccumulators();
  for (int i = 0; i < rows; i++) {
    const auto sums = this->mxu_.ReadAccumulator(i);
    for (int n = 0; n < this->kCols; n++) {
      double exact = 0, magnitude = 0;
      for (int k = 0; k < this->kRows; k++) {
        const double product = double(a[i * this->kRows + k]) * w[k * this->kCols + n];
        exact += product;
        magnitude += std::fabs(product);
      }
      EXPECT_NEAR(ToFloat(sums[n]), exact, magnitude * 0x1p-21);
    }
  }
}

// Weight tiles and instructions follow one another without a gap between their rows.
TYPED_TEST(MxuTest, RowsStreamWithoutABubbleBetweenTilesAndInstructions) {
  std::vector<uint32_t> types;
  if (TypeParam::kInt8) types.push_back(1);
  if (TypeParam::kBf16) types.push_back(0), types.push_back(3);
  for (const uint32_t type : types) {
    // One row more than Latency + 1 keeps accumulating rows out of each other's way.
    const uint32_t latency = this->kRows / 8 + this->kCols / 8 + 3;
    const uint32_t least = std::max<uint32_t>(
        this->kRows, type == 3 ? this->kRows * 7 / 8 + this->kCols / 8 + 4 : latency + 2);
    const uint32_t rows = std::min<uint32_t>(least, 2 * this->kAccumulatorRows);
    this->mxu_.row_cycles.clear();
    for (int i = 0; i < 3; i++) {
      const arch::Matmul m = this->Tiles(4, rows, type);
      this->mxu_.Push(m, 0x100 * i);
      this->model_.Execute(m);
    }
    ASSERT_TRUE(this->mxu_.RunUntilIdle());
    this->CheckAccumulators();
    const auto& cycles = this->mxu_.row_cycles;
    ASSERT_EQ(cycles.size(), 12 * rows);
    EXPECT_EQ(cycles.back() - cycles.front() + 1, 12 * rows) << "type " << type;
  }
}

// A flag is raised only when the rows before it can be drained, and as often as its level says.
TYPED_TEST(MxuTest, SignalsFollowTheRowsTheySpeakOf) {
  for (int trial = 0; trial < 8 && !this->HasFailure(); trial++) {
    this->mxu_.SetStalls(trial % 2 ? 0.3 : 0);
    this->mxu_.raised = {};
    std::array<int64_t, 256> expected{};
    // Signal 0 speaks of every row, and no row is written twice.
    arch::Matmul m = this->Random();
    m.counts = {1, 2, 1, 3, 2, 5};
    m.acc_strides = {0, 30, 0, 10, 5, 1};
    m.acc_base = this->rng_.Below(60);
    m.weight_level = trial % 7;
    m.k_level = m.n_level = 7;
    m.signal0_valid = m.signal1_valid = 1;
    m.signal0_flag = 3, m.signal0_level = 6;
    m.signal1_flag = 47, m.signal1_level = trial % 7;
    std::vector<int> order;
    std::array<uint32_t, 6> i{};
    do {
      order.push_back(static_cast<int>(MatmulModel::Linear(m.acc_base, m.acc_strides, i)));
    } while (MatmulModel::Step(m, i));
    const int64_t per_level[] = {1, 1, 2, 2, 6, 12, 60};
    expected[3] = 60, expected[47] = per_level[trial % 7];
    this->model_.Execute(m);
    this->mxu_.Push(m, 0);
    size_t checked = 0;
    this->mxu_.OnDrain = [&](int row, const std::vector<uint32_t>& sums) {
      const auto at = std::find(order.begin(), order.end(), row);
      if (at == order.end() || at - order.begin() >= this->mxu_.raised[3]) return;
      checked++;
      ASSERT_EQ(sums, this->model_.accumulators[row]);
    };
    ASSERT_TRUE(this->mxu_.RunUntilIdle());
    for (int c = 0; c < 200; c++) this->mxu_.Cycle();
    this->mxu_.OnDrain = nullptr;
    EXPECT_EQ(this->mxu_.raised, expected);
    if (trial % 2) {
      EXPECT_GT(checked, 0u);
    }
    this->CheckAccumulators();
  }
}

TYPED_TEST(MxuTest, WaitsHoldRowsAndWeightsBackUntilTheirFlags) {
  for (int trial = 0; trial < 8 && !this->HasFailure(); trial++) {
    this->mxu_.SetStalls(trial % 2 ? 0.3 : 0);
    arch::Matmul m = this->Tiles(3, 4, TypeParam::kInt8 ? 1 : 0);
    const uint16_t start = this->rng_.U32();  // targets wrap around
    this->mxu_.flags[8] = this->mxu_.flags[9] = start;
    m.wait0_valid = 1, m.wait0_flag = 8, m.wait0_level = 6;
    m.wait0_target = static_cast<uint16_t>(start + 1), m.wait0_step = 2;
    m.wait2_valid = 1, m.wait2_flag = 9, m.wait2_level = 5, m.wait2_weights = 1;
    m.wait2_target = static_cast<uint16_t>(start + 5), m.wait2_step = 7;
    int64_t rows = 0, lines = 0;
    this->mxu_.OnWindow = [&](int64_t) {
      EXPECT_GE(static_cast<uint16_t>(this->mxu_.flags[8] - start), 1 + 2 * rows++);
    };
    this->mxu_.OnEvenLine = [&](int64_t) {
      EXPECT_GE(static_cast<uint16_t>(this->mxu_.flags[9] - start),
                5 + 7 * (lines++ / (this->kRows / 2)));
    };
    this->mxu_.Push(m, 0x80);
    this->model_.Execute(m);
    for (int c = 0; c < 20; c++) this->mxu_.Cycle();
    EXPECT_TRUE(this->mxu_.dut().stall_o);
    EXPECT_TRUE(this->mxu_.dut().waiting_o);
    EXPECT_EQ(this->mxu_.dut().wait_flag_o, 8);
    EXPECT_EQ(this->mxu_.dut().pc_o, 0x80u);
    for (int c = 0; c < 20000 && !this->mxu_.idle(); c++) {
      if (this->rng_.Chance(0.1)) this->mxu_.flags[8]++;
      if (this->rng_.Chance(0.1)) this->mxu_.flags[9]++;
      this->mxu_.Cycle();
    }
    EXPECT_TRUE(this->mxu_.idle());
    this->mxu_.OnWindow = this->mxu_.OnEvenLine = [](int64_t) {};
    EXPECT_EQ(rows, 12);
    this->CheckAccumulators();
  }
}

// Before a sync is done nothing behind it begins, weights included; its flags come after the rows
// in front of it.
TYPED_TEST(MxuTest, SyncStandsBetweenInstructions) {
  for (int trial = 0; trial < 6 && !this->HasFailure(); trial++) {
    this->mxu_.SetStalls(trial % 2 ? 0.3 : 0);
    this->mxu_.raised = {};
    const arch::Matmul before = this->Tiles(2, 5, TypeParam::kInt8 ? 1 : 0);
    arch::Matmul counted = before;
    counted.signal0_valid = 1, counted.signal0_flag = 1, counted.signal0_level = 6;
    arch::Sync sync;
    sync.opcode = static_cast<uint32_t>(arch::Opcode::kSync);
    sync.quads = 3;
    sync.wait1_valid = 1, sync.wait1_flag = 20;
    sync.wait1_target = static_cast<uint16_t>(this->mxu_.flags[20] + 1);
    sync.signal0_valid = 1, sync.signal0_flag = 2;
    sync.signal1_valid = 1, sync.signal1_flag = 2;
    this->mxu_.Push(counted, 0);
    this->mxu_.Push(sync, 0x100);
    this->mxu_.Push(before, 0x130);
    this->model_.Execute(before);
    int64_t windows = 0;
    this->mxu_.OnWindow = [&](int64_t) {
      if (++windows > 10) {
        EXPECT_EQ(this->mxu_.raised[2], 2);
      }
    };
    this->mxu_.OnEvenLine = [&, lines = 0](int64_t) mutable {
      if (++lines > this->kRows) {
        EXPECT_EQ(this->mxu_.raised[2], 2);
      }
    };
    for (int c = 0; c < 1500; c++) this->mxu_.Cycle();
    EXPECT_EQ(this->mxu_.raised[1], 10);
    EXPECT_EQ(this->mxu_.raised[2], 0);
    EXPECT_EQ(windows, 10);
    EXPECT_EQ(this->mxu_.dut().wait_flag_o, 20);
    this->mxu_.flags[20]++;
    ASSERT_TRUE(this->mxu_.RunUntilIdle());
    EXPECT_EQ(this->mxu_.raised[2], 2);
    EXPECT_EQ(windows, 20);
    this->mxu_.OnWindow = this->mxu_.OnEvenLine = [](int64_t) {};
    this->CheckAccumulators();
  }
}

TYPED_TEST(MxuTest, FaultsNameTheirCauseAndTheUnitIsUsableAfterAnAbort) {
  const uint32_t type = TypeParam::kInt8 ? 1 : 0;
  const arch::Matmul good = this->Tiles(2, 6, type);
  const auto expect = [&](const arch::Matmul& bad, arch::Fault cause, uint64_t address) {
    this->mxu_.Push(good, 0x10);
    this->mxu_.Push(bad, 0x20);
    this->mxu_.Push(good, 0x30);
    this->ExpectFault(cause, 0x20, address);
    this->Run(good);
    for (int row = 0; row < 6; row++) {
      EXPECT_EQ(this->mxu_.ReadAccumulator(row), this->model_.accumulators[row]);
    }
  };
  arch::Matmul bad = good;
  bad.a_base = 4;
  expect(bad, arch::Fault::kMisaligned, 4);
  bad = good;
  bad.w_base = 12;
  expect(bad, arch::Fault::kMisaligned, 12);
  bad = good;
  bad.acc_base = 2 * this->kAccumulatorRows - 3;
  expect(bad, arch::Fault::kAccumulatorRange, 2 * this->kAccumulatorRows);
  bad = good;
  bad.a_base = static_cast<int32_t>(this->mxu_.memory.size());
  expect(bad, arch::Fault::kBufferRange, this->mxu_.memory.size());
  bad = good;
  bad.w_base = static_cast<uint32_t>(this->mxu_.memory.size());
  expect(bad, arch::Fault::kBufferRange, this->mxu_.memory.size());

  std::vector<arch::Matmul> illegal(12, good);
  illegal[0].counts[3] = 0;
  illegal[1].weight_level = 7;
  illegal[2].k_level = 5;  // not outside weight_level
  illegal[3].n_level = 6;
  illegal[4].a_length = 0;
  illegal[5].a_length = this->kRows + 1;
  illegal[6].a_type = type == 1 ? 0 : 1;  // int8 beside bf16
  illegal[7].signal0_valid = 1, illegal[7].signal0_flag = 48;
  illegal[8].wait3_valid = 1, illegal[8].wait3_flag = 64;
  illegal[9].wait3_valid = 1, illegal[9].wait3_weights = 1, illegal[9].wait3_level = 6;
  illegal[10].signal1_valid = 1, illegal[10].signal1_level = 7;
  illegal[11].a_type = illegal[11].w_type = 3, illegal[11].w_slice = 3;
  for (const arch::Matmul& m : illegal) expect(m, arch::Fault::kIllegalField, 0);
  if (!TypeParam::kBf16 || !TypeParam::kInt8) {
    bad = good;
    bad.a_type = bad.w_type = TypeParam::kBf16 ? 1 : 0;
    expect(bad, arch::Fault::kIllegalField, 0);
  }
}

}  // namespace
}  // namespace systolith::tb
