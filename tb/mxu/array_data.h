#ifndef SYSTOLITH_TB_MXU_ARRAY_DATA_H_
#define SYSTOLITH_TB_MXU_ARRAY_DATA_H_

#include "tb/common/random.h"
#include "tb/mxu/array_driver.h"

namespace systolith::tb {

// Elements of every kind: sums that cancel, operands far apart, zeros, subnormals and, where
// `specials`, infinities, NaN and products beyond 2^128.
class ElementSource {
 public:
  ElementSource(Rng& rng, bool specials)
      : rng_(rng), specials_(specials), middle_(rng.Range(20, 230)), spread_(rng.Range(0, 20)) {}

  uint32_t Element(Format format) {
    if (format == Format::kInt8) return rng_.Chance(0.1) ? 0x80 : rng_.U32() & 0xff;
    const uint32_t bits = Fp32();
    return format == Format::kBf16 ? bits >> 16 : bits;
  }
  uint32_t Partial(Format format) {
    if (format == Format::kInt8) return rng_.U32();
    return rng_.Chance(0.3) ? 0 : Fp32();
  }

 private:
  uint32_t Fp32() {
    const uint32_t bits = rng_.U32(), sign_fraction = bits & 0x807fffff;
    if (rng_.Chance(0.05)) return bits & 0x80000000;
    if (rng_.Chance(0.03)) return sign_fraction;
    if (specials_ && rng_.Chance(0.02)) {
      const uint64_t kind = rng_.Below(4);
      if (kind == 0) return sign_fraction | 0x7f800000;
      if (kind == 1) return sign_fraction | 0x7f000000;
      return (bits & 0x80000000) | 0x7f800000;
    }
    const int64_t exponent = middle_ + rng_.Range(-spread_, spread_);
    return sign_fraction | static_cast<uint32_t>(exponent < 0     ? 0
                                                 : exponent > 254 ? 254
                                                                  : exponent)
                               << 23;
  }

  Rng& rng_;
  const bool specials_;
  const int64_t middle_, spread_;
};

struct TileOptions {
  Format row_format = Format::kBf16, weight_format = Format::kBf16;
  bool transpose = false, specials = false;
  double absent = 0;
};

inline ArrayTile RandomTile(Rng& rng, int rows, int cols, int stream_rows, const TileOptions& o) {
  ElementSource source(rng, o.specials);
  ArrayTile tile;
  tile.format = o.weight_format;
  tile.transpose = o.transpose;
  // Absent weights come as a tail of rows or columns, or scattered.
  const bool scattered = rng.Chance(0.5);
  const int used_rows = o.absent > 0 ? rng.Range(0, rows) : rows;
  const int used_cols = o.absent > 0 ? rng.Range(0, cols) : cols;
  for (int r = 0; r < rows; r++) {
    for (int n = 0; n < cols; n++) {
      tile.weights.push_back(source.Element(o.weight_format));
      tile.present.push_back(scattered ? !rng.Chance(o.absent) : r < used_rows && n < used_cols);
    }
  }
  for (int i = 0; i < stream_rows; i++) {
    ArrayRow row;
    row.format = o.row_format;
    for (int r = 0; r < rows; r++) row.elements.push_back(source.Element(o.row_format));
    for (int n = 0; n < cols; n++) row.partials.push_back(source.Partial(o.row_format));
    tile.rows.push_back(std::move(row));
  }
  return tile;
}

}  // namespace systolith::tb

#endif  // SYSTOLITH_TB_MXU_ARRAY_DATA_H_
