#include <gtest/gtest.h>

#include <vector>

#include "arrays_under_test.h"
#include "tb/mxu/array_data.h"
#include "tb/mxu/array_driver.h"

namespace systolith::tb {
namespace {

constexpr int kDepth = 256, kWidth = 64, kStreamRows = 5;

struct Product {
  Format format;
  std::vector<uint32_t> a, w, c;  // row-major
};

// The product on an array of any size: tiles of K from the first to the last, each starting from
// the sums of the one before.
template <typename Config>
std::vector<uint32_t> RunOn(Rng& rng, const Product& product) {
  constexpr int kRows = Config::kRows, kCols = Config::kCols;
  ArrayDriver<typename Config::Dut, kRows, kCols> array(rng);
  std::vector<uint32_t> sums = product.c;
  for (int k0 = 0; k0 < kDepth; k0 += kRows) {
    for (int n0 = 0; n0 < kWidth; n0 += kCols) {
      ArrayTile tile;
      tile.format = product.format;
      for (int r = 0; r < kRows; r++) {
        for (int n = 0; n < kCols; n++) {
          const bool inside = k0 + r < kDepth && n0 + n < kWidth;
          tile.weights.push_back(inside ? product.w[(k0 + r) * kWidth + n0 + n]
                                        : rng.U32() & 0xffff);
          tile.present.push_back(inside);
        }
      }
      for (int i = 0; i < kStreamRows; i++) {
        ArrayRow row;
        row.format = product.format;
        for (int r = 0; r < kRows; r++) {
          row.elements.push_back(k0 + r < kDepth ? product.a[i * kDepth + k0 + r] : 0x7fff);
        }
        for (int n = 0; n < kCols; n++) {
          row.partials.push_back(n0 + n < kWidth ? sums[i * kWidth + n0 + n] : 0);
        }
        tile.rows.push_back(row);
      }
      const auto results = array.Run({tile}, {.row_gap = 0.1});
      for (int i = 0; i < kStreamRows; i++) {
        for (int n = 0; n < kCols && n0 + n < kWidth; n++) {
          sums[i * kWidth + n0 + n] = results[i][n];
        }
      }
    }
  }
  return sums;
}

template <typename... Configs>
void CheckOn(testing::Types<Configs...>, Rng& rng, const Product& product,
             const std::vector<uint32_t>& expected) {
  const auto check = [&](const std::vector<uint32_t>& sums) { EXPECT_EQ(sums, expected); };
  (..., check(RunOn<Configs>(rng, product)));
}

class SameBitsTest : public RandomTest {};

TEST_F(SameBitsTest, OneProductHasTheSameBitsOnEveryArray) {
  for (int trial = 0; trial < 4 && !HasFailure(); trial++) {
    ElementSource source(rng_, trial % 2 == 1);
    Product product;
    product.format = Format::kBf16;
    for (int i = 0; i < kStreamRows * kDepth; i++)
      product.a.push_back(source.Element(Format::kBf16));
    for (int i = 0; i < kDepth * kWidth; i++) product.w.push_back(source.Element(Format::kBf16));
    for (int i = 0; i < kStreamRows * kWidth; i++)
      product.c.push_back(source.Partial(Format::kBf16));

    std::vector<uint32_t> expected;
    for (int i = 0; i < kStreamRows; i++) {
      for (int n = 0; n < kWidth; n++) {
        std::vector<Operand> a, w;
        for (int k = 0; k < kDepth; k++) {
          a.push_back(ReadOperand(product.a[i * kDepth + k], Format::kBf16));
          w.push_back(ReadOperand(product.w[k * kWidth + n], Format::kBf16));
        }
        expected.push_back(Fold(product.c[i * kWidth + n], a, w));
      }
    }
    CheckOn(ArraysUnderTest(), rng_, product, expected);
  }
}

}  // namespace
}  // namespace systolith::tb
