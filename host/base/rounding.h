#ifndef SYSTOLITH_HOST_BASE_ROUNDING_H_
#define SYSTOLITH_HOST_BASE_ROUNDING_H_

#include <cstdint>

namespace systolith {

// Both for value >= 0 and a positive second operand.
constexpr int64_t CeilDivide(int64_t value, int64_t divisor) {
  return (value + divisor - 1) / divisor;
}
constexpr int64_t RoundUp(int64_t value, int64_t multiple) {
  return CeilDivide(value, multiple) * multiple;
}

}  // namespace systolith

#endif  // SYSTOLITH_HOST_BASE_ROUNDING_H_
