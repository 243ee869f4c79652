#ifndef SYSTOLITH_SIM_GOLDEN_FLOAT_LANE_OPERATIONS_H_
#define SYSTOLITH_SIM_GOLDEN_FLOAT_LANE_OPERATIONS_H_

#include <cstddef>
#include <cstdint>
#include <span>

#include "host/arch/isa.h"

namespace systolith::golden {

// One operation of an ALU slot on `count` lanes, lane by lane; `lookup` is not among them. An
// operand that the operation does not read is not accessed.
void EvaluateAluOnLanes(arch::AluOp op, const uint32_t* x, const uint32_t* y, const uint32_t* z,
                        uint32_t* result, size_t count);

// One operation of the lane slot on a row group of `sublanes` rows of `lanes` lanes (a power of
// two); `x`, `y` and `result` have one element per lane of the group, but that an operand that the
// operation does not read may be empty; `result` overlaps neither. An operation that does not
// exist gives 0.
void EvaluateLaneOp(arch::LaneOp op, std::span<const uint32_t> x, std::span<const uint32_t> y,
                    uint32_t amount, uint32_t lanes, uint32_t sublanes,
                    std::span<uint32_t> result);

}  // namespace systolith::golden

#endif  // SYSTOLITH_SIM_GOLDEN_FLOAT_LANE_OPERATIONS_H_
