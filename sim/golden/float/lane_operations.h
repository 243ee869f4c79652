#ifndef SYSTOLITH_SIM_GOLDEN_FLOAT_LANE_OPERATIONS_H_
#define SYSTOLITH_SIM_GOLDEN_FLOAT_LANE_OPERATIONS_H_

#include <cstdint>
#include <span>

#include "host/arch/isa.h"

namespace systolith::golden {

// One operation of the lane slot on a row group of `sublanes` rows of `lanes` lanes (a power of
// two); `x`, `y` and `result` have one element per lane of the group, and `result` may not overlap
// them. An operation that does not exist gives 0.
void EvaluateLaneOp(arch::LaneOp op, std::span<const uint32_t> x, std::span<const uint32_t> y,
                    uint32_t amount, uint32_t lanes, uint32_t sublanes,
                    std::span<uint32_t> result);

}  // namespace systolith::golden

#endif  // SYSTOLITH_SIM_GOLDEN_FLOAT_LANE_OPERATIONS_H_
