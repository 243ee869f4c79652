#ifndef SYSTOLITH_SIM_GOLDEN_FLOAT_FUSED8_H_
#define SYSTOLITH_SIM_GOLDEN_FLOAT_FUSED8_H_

#include <cstddef>
#include <cstdint>

#include "sim/golden/float/operand.h"

namespace systolith::golden {

inline constexpr int kFusedTerms = 8;

// The eight weights that meet one group of activations, for `columns` columns: weight k of column
// n lies at index k * stride + n. Structure of arrays, so that columns are done side by side.
struct FusedWeights {
  const int16_t* significands = nullptr;
  const int16_t* exponents = nullptr;
  const OperandKind* kinds = nullptr;
  size_t stride = 0;
  bool any_special = false;  // whether an Inf or NaN is among them

  Operand At(size_t k, size_t column) const {
    const size_t i = k * stride + column;
    return {significands[i], exponents[i], kinds[i]};
  }
};

// fused8 of rtl/float/README.md on one column. `weights` may be any column of a FusedWeights.
uint32_t Fused8(uint32_t c, const Operand a[kFusedTerms], const Operand w[kFusedTerms]);

// out[n] = Fused8(c[n], a, column n of w) for all columns. `c` and `out` do not overlap.
void Fused8Columns(const uint32_t* c, const Operand a[kFusedTerms], const FusedWeights& w,
                   size_t columns, uint32_t* out);

}  // namespace systolith::golden

#endif  // SYSTOLITH_SIM_GOLDEN_FLOAT_FUSED8_H_
