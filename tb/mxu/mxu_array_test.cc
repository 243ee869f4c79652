#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "arrays_under_test.h"
#include "tb/mxu/array_data.h"
#include "tb/mxu/array_driver.h"

namespace systolith::tb {
namespace {

template <typename Config>
class MxuArrayTest : public RandomTest {
 protected:
  static constexpr int kRows = Config::kRows, kCols = Config::kCols;
  static constexpr bool kInt8 = Config::kInt8;
  // The model limits the work per test to a few million multiplications.
  static constexpr int kTrials = std::max(2, 4000000 / (kRows * kCols * 40));

  TileOptions RandomOptions() {
    TileOptions options;
    options.transpose = rng_.Chance(0.3);
    options.absent = rng_.Chance(0.4) ? 0.3 : 0;
    options.specials = rng_.Chance(0.3);
    options.row_format = kInt8 ? Format::kInt8 : Format::kBf16;
    options.weight_format = options.row_format;
    if (!kInt8 && rng_.Chance(0.5)) {
      options.row_format = static_cast<Format>(rng_.Range(1, 6));
      options.weight_format = static_cast<Format>(rng_.Range(1, 6));
    }
    return options;
  }

  std::vector<ArrayTile> RandomTiles(int count, int min_rows, int max_rows) {
    std::vector<ArrayTile> tiles;
    for (int i = 0; i < count; i++) {
      tiles.push_back(RandomTile(
          rng_, kRows, kCols, static_cast<int>(rng_.Range(min_rows, max_rows)), RandomOptions()));
    }
    return tiles;
  }

  TileOptions Plain() const {
    TileOptions options;
    options.row_format = options.weight_format = kInt8 ? Format::kInt8 : Format::kBf16;
    return options;
  }

  ArrayDriver<typename Config::Dut, kRows, kCols> array_{rng_};
};

TYPED_TEST_SUITE(MxuArrayTest, ArraysUnderTest);

TYPED_TEST(MxuArrayTest, RandomTilesFollowTheContract) {
  for (int trial = 0; trial < this->kTrials && !this->HasFailure(); trial++) {
    this->array_.Check(this->RandomTiles(3, 1, 12), {});
  }
}

TYPED_TEST(MxuArrayTest, GapsChangeNoBit) {
  for (int trial = 0; trial < this->kTrials && !this->HasFailure(); trial++) {
    this->array_.Check(this->RandomTiles(3, 1, 12), {.row_gap = 0.4, .load_gap = 0.3, .hold = 0.3});
  }
}

TYPED_TEST(MxuArrayTest, AnArrayHeldBeforeItsWaveOvertakesTheLoadIsRight) {
  for (int trial = 0; trial < this->kTrials && !this->HasFailure(); trial++) {
    this->array_.Check(this->RandomTiles(4, 1, 8), {.rule = SwapRule::kHazard,
                                                    .row_gap = trial % 2 * 0.2,
                                                    .load_gap = trial % 3 * 0.25,
                                                    .hold = trial % 2 * 0.2});
  }
}

// The shortest tiles for which the README promises a row in every cycle.
TYPED_TEST(MxuArrayTest, ShortestTilesStreamWithoutABubble) {
  const int rows = std::max(this->kRows / 2, 3 * this->kRows / 8 + this->kCols / 8);
  std::vector<ArrayTile> tiles;
  for (int i = 0; i < 4; i++) {
    tiles.push_back(RandomTile(this->rng_, this->kRows, this->kCols, rows, this->Plain()));
  }
  this->array_.Check(tiles, {.rule = SwapRule::kEarliest});
  EXPECT_EQ(this->array_.bubbles(), 0);
}

// A pad lane may hold anything: Inf and NaN beside absent weights leave no trace.
TYPED_TEST(MxuArrayTest, AbsentLanesHideSpecialOperands) {
  if (this->kInt8) GTEST_SKIP() << "int8 has no special values";
  TileOptions options = this->Plain();
  ArrayTile tile = RandomTile(this->rng_, this->kRows, this->kCols, 4, options);
  const int used = this->kRows - 5;
  for (int r = used; r < this->kRows; r++) {
    for (int n = 0; n < this->kCols; n++) tile.present[r * this->kCols + n] = false;
    for (ArrayRow& row : tile.rows) row.elements[r] = r % 2 ? 0x7f80 : 0x7fc1;
  }
  ArrayTile zeros = tile;
  for (ArrayRow& row : zeros.rows) {
    for (int r = used; r < this->kRows; r++) row.elements[r] = 0;
  }
  EXPECT_EQ(this->array_.Run({tile}, {}), this->array_.Run({zeros}, {}));
  this->array_.Check({tile}, {});
}

// 0 x 1e35 has a large exponent and no value: the small sum beside it keeps its bits.
TYPED_TEST(MxuArrayTest, ZeroTimesALargeNumberHidesNothing) {
  if (this->kInt8) GTEST_SKIP() << "int8 has no exponents";
  ArrayTile tile = RandomTile(this->rng_, this->kRows, this->kCols, 3, this->Plain());
  for (ArrayRow& row : tile.rows) {
    for (int r = 0; r < this->kRows; r++) row.elements[r] = r % 8 == 3 ? 0 : 0x3380 + r;
    std::fill(row.partials.begin(), row.partials.end(), 0x33800001);
  }
  for (int r = 0; r < this->kRows; r++) {
    for (int n = 0; n < this->kCols; n++) {
      tile.weights[r * this->kCols + n] = r % 8 == 3 ? 0x79a0 : 0x3f80 + n % 64;
    }
  }
  this->array_.Check({tile}, {});
  for (const auto& row : this->array_.Run({tile}, {})) {
    for (uint32_t bits : row) EXPECT_GT(ToFloat(bits), 1e-7f);
  }
}

}  // namespace
}  // namespace systolith::tb
