#ifndef SYSTOLITH_HOST_EVALUATOR_PRODUCT_H_
#define SYSTOLITH_HOST_EVALUATOR_PRODUCT_H_

#include <cstdint>
#include <type_traits>

#include "host/graph/attributes.h"
#include "host/graph/literal.h"

// What dot_general and convolution share: operands as the multipliers see them, and the one
// rounding of their sums.
//
// Float operands are exact doubles after the rounding that the precision asks for: f32 becomes bf16
// at DEFAULT and stays at HIGH and HIGHEST. Subnormal bf16 and f32 operands count as zero. Sums run
// in double in rising order from +0; a result below the normal range of f32 or bf16 is +0.
// Integers multiply and add modulo 2^64, which holds every narrower result.
namespace systolith::evaluator {

// A float operand element, ready to multiply.
double OperandValue(const graph::Literal& literal, int64_t i, graph::Precision precision);

// Stores a sum of float products, rounded once.
void StoreSum(graph::Literal& result, int64_t i, double sum);

// Stores a sum of integer products, wrapped; for i1, where adding is `or`, whether it is not zero.
void StoreSum(graph::Literal& result, int64_t i, uint64_t sum);

// One type of accumulator per kind of operands.
template <typename T>
T LoadOperand(const graph::Literal& literal, int64_t i, graph::Precision precision) {
  if constexpr (std::is_same_v<T, double>) {
    return OperandValue(literal, i, precision);
  } else {
    return static_cast<uint64_t>(literal.GetInt(i));
  }
}

// sums[j] += factor * row[j], and the same of magnitudes where they are wanted.
template <typename T>
void MultiplyAdd(T factor, const T* row, int64_t count, T* sums, double* magnitudes) {
  for (int64_t j = 0; j < count; ++j) sums[j] += factor * row[j];
  if constexpr (std::is_same_v<T, double>) {
    if (magnitudes == nullptr) return;
    for (int64_t j = 0; j < count; ++j) {
      const double product = factor * row[j];
      magnitudes[j] += product < 0 ? -product : product;
    }
  }
}

}  // namespace systolith::evaluator

#endif  // SYSTOLITH_HOST_EVALUATOR_PRODUCT_H_
