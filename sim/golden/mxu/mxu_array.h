#ifndef SYSTOLITH_SIM_GOLDEN_MXU_MXU_ARRAY_H_
#define SYSTOLITH_SIM_GOLDEN_MXU_MXU_ARRAY_H_

#include <cstdint>
#include <vector>

#include "sim/golden/float/fused8.h"
#include "sim/golden/float/operand.h"

namespace systolith::golden {

// The stationary weights of one array, and what a row of activations makes of them. Floating
// point and int8 weights are separate arrays; a tile is one or the other.
class MxuArray {
 public:
  MxuArray(int rows, int columns);

  int rows() const { return rows_; }
  int columns() const { return columns_; }

  // Makes all weights absent.
  void Clear();
  void Set(int row, int column, const Operand& weight);
  void SetInt8(int row, int column, int8_t weight);

  // c <- the fold of fused8 over the array's rows, for every column. `activations` has `rows`
  // elements; those whose weights are all absent are not looked at.
  void Fold(const Operand* activations, uint32_t* c) const;
  // c <- c + sum of activation * weight, modulo 2^32.
  void MultiplyInt8(const int8_t* activations, uint32_t* c) const;

 private:
  const int rows_, columns_;
  std::vector<int16_t> significands_, exponents_;
  std::vector<OperandKind> kinds_;
  std::vector<int8_t> int8_;
  std::vector<uint8_t> special_groups_;  // whether a group of eight rows holds an Inf or NaN
  int used_rows_ = 0;                    // rows from here on are absent
};

}  // namespace systolith::golden

#endif  // SYSTOLITH_SIM_GOLDEN_MXU_MXU_ARRAY_H_
