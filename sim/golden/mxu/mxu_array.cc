#include "sim/golden/mxu/mxu_array.h"

#include <algorithm>

namespace systolith::golden {

MxuArray::MxuArray(int rows, int columns)
    : rows_(rows),
      columns_(columns),
      significands_(static_cast<size_t>(rows) * columns),
      exponents_(significands_.size()),
      kinds_(significands_.size()),
      int8_(significands_.size()),
      special_groups_(static_cast<size_t>(rows) / kFusedTerms) {
  Clear();
}

void MxuArray::Clear() {
  const Operand absent;
  std::fill(significands_.begin(), significands_.end(), absent.significand);
  std::fill(exponents_.begin(), exponents_.end(), absent.exponent);
  std::fill(kinds_.begin(), kinds_.end(), absent.kind);
  std::fill(int8_.begin(), int8_.end(), int8_t{0});
  std::fill(special_groups_.begin(), special_groups_.end(), uint8_t{0});
  used_rows_ = 0;
}

void MxuArray::Set(int row, int column, const Operand& weight) {
  const size_t i = static_cast<size_t>(row) * columns_ + column;
  significands_[i] = weight.significand;
  exponents_[i] = weight.exponent;
  kinds_[i] = weight.kind;
  if (weight.IsSpecial()) special_groups_[row / kFusedTerms] = 1;
  used_rows_ = std::max(used_rows_, row + 1);
}

void MxuArray::SetInt8(int row, int column, int8_t weight) {
  int8_[static_cast<size_t>(row) * columns_ + column] = weight;
  used_rows_ = std::max(used_rows_, row + 1);
}

void MxuArray::Fold(const Operand* activations, uint32_t* c) const {
  // One group at least, even if all is absent: it makes c canonical. Further groups without a
  // weight would change nothing.
  const int groups = std::max((used_rows_ + kFusedTerms - 1) / kFusedTerms, 1);
  std::vector<uint32_t> in(c, c + columns_), out(columns_);
  for (int g = 0; g < groups; ++g) {
    const size_t first = static_cast<size_t>(g) * kFusedTerms * columns_;
    const FusedWeights weights = {significands_.data() + first, exponents_.data() + first,
                                  kinds_.data() + first, static_cast<size_t>(columns_),
                                  special_groups_[g] != 0};
    Fused8Columns(in.data(), activations + g * kFusedTerms, weights,
                  static_cast<size_t>(columns_), out.data());
    in.swap(out);
  }
  std::copy(in.begin(), in.end(), c);
}

void MxuArray::MultiplyInt8(const int8_t* activations, uint32_t* __restrict c) const {
  for (int k = 0; k < used_rows_; ++k) {
    const int32_t a = activations[k];
    const int8_t* __restrict weights = int8_.data() + static_cast<size_t>(k) * columns_;
    for (int n = 0; n < columns_; ++n) c[n] += static_cast<uint32_t>(a * weights[n]);
  }
}

}  // namespace systolith::golden
