#ifndef SYSTOLITH_TB_MXU_ARRAY_DRIVER_H_
#define SYSTOLITH_TB_MXU_ARRAY_DRIVER_H_

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <deque>
#include <memory>
#include <vector>

#include "tb/common/dut.h"
#include "tb/common/stream.h"
#include "tb/float/contract_model.h"

namespace systolith::tb {

// One activation row: raw elements in the row's format, and the partial sums that enter with it.
struct ArrayRow {
  Format format = Format::kBf16;
  std::vector<uint32_t> elements;
  std::vector<uint32_t> partials;
};

// One weight tile and the rows that stream through it, at least one.
struct ArrayTile {
  Format format = Format::kBf16;
  bool transpose = false;         // loaded by columns
  std::vector<uint32_t> weights;  // Rows x Cols, row-major
  std::vector<bool> present;
  std::vector<ArrayRow> rows;
};

// When the first row of a tile may enter, relative to the load of its weights.
enum class SwapRule {
  kAfterLoad,  // with the last pair or later
  kEarliest,   // 3/8 Rows after the first pair; only for loads without gaps
  kHazard,     // with any pair, where the array is held while its wave would overtake the load
};

struct ArrayTiming {
  SwapRule rule = SwapRule::kAfterLoad;
  double row_gap = 0, load_gap = 0, hold = 0;
};

inline int ElementBits(Format format) {
  return format == Format::kInt8 ? 8 : format == Format::kBf16 ? 16 : 32;
}

// What a row must give by the contract.
inline std::vector<uint32_t> ExpectedRow(const ArrayTile& tile, const ArrayRow& row, int cols) {
  const int rows = static_cast<int>(row.elements.size());
  std::vector<uint32_t> result(cols);
  std::vector<Operand> a(rows), w(rows);
  for (int r = 0; r < rows; r++) a[r] = ReadOperand(row.elements[r], row.format);
  for (int n = 0; n < cols; n++) {
    if (tile.format == Format::kInt8) {
      uint32_t sum = row.partials[n];
      for (int r = 0; r < rows; r++) {
        const int weight = static_cast<int8_t>(tile.weights[r * cols + n]);
        if (tile.present[r * cols + n]) sum += static_cast<int8_t>(row.elements[r]) * weight;
      }
      result[n] = sum;
      continue;
    }
    for (int r = 0; r < rows; r++) {
      w[r] = tile.present[r * cols + n] ? ReadOperand(tile.weights[r * cols + n], tile.format)
                                        : Operand{};
    }
    result[n] = Fold(row.partials[n], a, w);
  }
  return result;
}

// Drives the pins of one array by the schedule of rtl/mxu/README.md.
template <typename Dut, int kRows, int kCols>
class ArrayDriver {
 public:
  static constexpr int kLine = std::max(kRows, kCols);
  static constexpr int kLatency = kRows / 8 + kCols / 8 + 3;

  explicit ArrayDriver(Rng& rng) : rng_(rng), dut_(std::make_unique<Dut>()) {
    dut_->row_valid_i = dut_->weight_valid_i = 0;
    Reset(*dut_);
  }

  // Streams all tiles; the result rows in order. Checks that each leaves `kLatency` enabled cycles
  // after it entered and that nothing else leaves.
  std::vector<std::vector<uint32_t>> Run(const std::vector<ArrayTile>& tiles,
                                         const ArrayTiming& timing) {
    Stalls row_go(rng_, timing.row_gap), load_go(rng_, timing.load_gap), hold(rng_, timing.hold);
    std::vector<std::vector<uint32_t>> results;
    std::deque<int64_t> due;
    std::vector<int64_t> swap_edge(tiles.size(), -1), first_pair_cycle(tiles.size(), -1);
    size_t row_tile = 0, row = 0, load_tile = 0;
    int load_pair = 0;
    const auto loaded_pairs = [&](size_t t) {
      return t < load_tile ? Pairs(tiles[t]) : t == load_tile ? load_pair : 0;
    };
    bubbles_ = 0;
    int64_t edge = 0;  // the number of the next enabled edge
    for (int64_t cycle = 0; row_tile < tiles.size() || !due.empty(); cycle++) {
      // A swap row that entered at edge s exchanges group g of column tile t at edge s + 1 + g + t.
      bool enable = hold.Go();
      for (size_t t = 0; t < tiles.size(); t++) {
        const int64_t group = edge - swap_edge[t] - 1;
        if (swap_edge[t] < 0 || group < 0 || group >= kRows / 8 || tiles[t].transpose) continue;
        if (loaded_pairs(t) < 4 * (group + 1)) enable = false;
      }

      dut_->weight_valid_i = 0;
      if (load_tile < tiles.size() && load_go.Go()) {
        const ArrayTile& tile = tiles[load_tile];
        const int behind = (tile.transpose ? kRows : kCols) / 8 + load_pair / 4;
        const int64_t last_edge = edge - 1 + enable;
        if (load_tile == 0 ||
            (swap_edge[load_tile - 1] >= 0 && last_edge - swap_edge[load_tile - 1] >= behind)) {
          Drive(tile, load_pair);
          if (load_pair == 0) first_pair_cycle[load_tile] = cycle;
          if (++load_pair == Pairs(tile)) load_pair = 0, load_tile++;
        }
      }

      dut_->row_valid_i = dut_->row_swap_i = 0;
      if (enable && row_tile < tiles.size()) {
        bool allowed = row > 0 || loaded_pairs(row_tile) == Pairs(tiles[row_tile]);
        if (!allowed && loaded_pairs(row_tile) > 0 && !tiles[row_tile].transpose) {
          allowed = timing.rule == SwapRule::kHazard ? rng_.Chance(0.2)
                    : timing.rule == SwapRule::kEarliest
                        ? cycle - first_pair_cycle[row_tile] >= 3 * kRows / 8
                        : false;
        }
        if (allowed && row_go.Go()) {
          Drive(tiles[row_tile].rows[row]);
          dut_->row_swap_i = row == 0;
          if (row == 0) swap_edge[row_tile] = edge;
          due.push_back(edge + kLatency);
          if (++row == tiles[row_tile].rows.size()) row = 0, row_tile++;
        } else if (!due.empty()) {
          bubbles_++;
        }
      }

      dut_->enable_i = enable;
      Cycle(*dut_);
      if (!enable) continue;
      edge++;
      const bool expected = !due.empty() && due.front() == edge;
      EXPECT_EQ(dut_->result_valid_o, expected) << "cycle " << cycle;
      if (expected) {
        due.pop_front();
        std::vector<uint32_t> result(kCols);
        for (int n = 0; n < kCols; n++) result[n] = GetBits(dut_->result_o, n * 32, 32);
        results.push_back(std::move(result));
      }
      if (testing::Test::HasFailure()) break;
    }
    return results;
  }

  // Runs the tiles and compares with the contract.
  void Check(const std::vector<ArrayTile>& tiles, const ArrayTiming& timing) {
    const auto results = Run(tiles, timing);
    size_t next = 0;
    for (size_t t = 0; t < tiles.size(); t++) {
      for (size_t r = 0; r < tiles[t].rows.size(); r++, next++) {
        ASSERT_LT(next, results.size());
        const auto expected = ExpectedRow(tiles[t], tiles[t].rows[r], kCols);
        for (int n = 0; n < kCols; n++) {
          ASSERT_EQ(results[next][n], expected[n])
              << std::hex << "tile " << t << " row " << r << " column " << n;
        }
      }
    }
  }

  // Enabled cycles of the last run without a row, between the first row and the last.
  int64_t bubbles() const { return bubbles_; }

 private:
  static int Pairs(const ArrayTile& tile) { return (tile.transpose ? kCols : kRows) / 2; }

  void Drive(const ArrayRow& row) {
    const int bits = ElementBits(row.format);
    dut_->row_valid_i = 1;
    if constexpr (requires { dut_->row_format_i; }) dut_->row_format_i = int(row.format);
    for (int r = 0; r < kRows; r++) SetBits(dut_->row_i, r * bits, bits, row.elements[r]);
    for (int n = 0; n < kCols; n++) SetBits(dut_->partial_i, n * 32, 32, row.partials[n]);
  }

  void Drive(const ArrayTile& tile, int pair) {
    dut_->weight_valid_i = 1;
    dut_->weight_transpose_i = tile.transpose;
    dut_->weight_pair_i = pair;
    if constexpr (requires { dut_->weight_format_i; }) dut_->weight_format_i = int(tile.format);
    DriveLine(tile, 2 * pair, dut_->weight_even_i, dut_->weight_even_present_i);
    DriveLine(tile, 2 * pair + 1, dut_->weight_odd_i, dut_->weight_odd_present_i);
  }

  // Lanes beyond the tile carry garbage.
  template <typename Line, typename Present>
  void DriveLine(const ArrayTile& tile, int line, Line& port, Present& present) {
    const int bits = ElementBits(tile.format);
    const int length = tile.transpose ? kRows : kCols;
    for (int n = 0; n < kLine; n++) {
      const int index = tile.transpose ? n * kCols + line : line * kCols + n;
      SetBits(port, n * bits, bits, n < length ? tile.weights[index] : rng_.U32());
      SetBits(present, n, 1, n < length ? tile.present[index] : rng_.Chance(0.5));
    }
  }

  Rng& rng_;
  std::unique_ptr<Dut> dut_;
  int64_t bubbles_ = 0;
};

}  // namespace systolith::tb

#endif  // SYSTOLITH_TB_MXU_ARRAY_DRIVER_H_
