#ifndef SYSTOLITH_SIM_GOLDEN_XLU_XLU_H_
#define SYSTOLITH_SIM_GOLDEN_XLU_XLU_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "sim/golden/prim/engine.h"

namespace systolith::golden {

// Executes `transpose`, one tile per iteration.
class Xlu : public Engine {
 public:
  explicit Xlu(ChipState& state);

 protected:
  MaybeFault Start(const Instruction& instruction) override;
  MaybeFault Iterate() override;

 private:
  // Of `limit` rows or columns, those in this iteration's tile; at most Lanes.
  int64_t Extent(uint32_t limit, uint32_t level) const;
  // Row `row` of a block; the fault that it meets if it is not aligned or not in the buffer.
  int64_t RowAddress(uint32_t base, const std::array<int32_t, arch::kLoops>& strides,
                     int32_t row_stride, int64_t row) const;
  MaybeFault CheckRow(int64_t address, int64_t elements) const;

  arch::Transpose transpose_;
  std::vector<std::byte> tile_;  // Lanes rows of Lanes elements, as read
};

}  // namespace systolith::golden

#endif  // SYSTOLITH_SIM_GOLDEN_XLU_XLU_H_
