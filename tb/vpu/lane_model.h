#ifndef SYSTOLITH_TB_VPU_LANE_MODEL_H_
#define SYSTOLITH_TB_VPU_LANE_MODEL_H_

#include <cstdint>

#include "host/arch/isa.h"

// What a lane of the vector unit computes, by rtl/arch/README.md and the host's own IEEE
// arithmetic.
namespace systolith::tb {

// x <- op(x, operand).
uint32_t LaneStep(arch::VectorOp op, uint32_t x, uint32_t operand);

// An element of a buffer row as a lane, and back.
uint32_t LaneFromElement(arch::LaneType type, uint32_t element);
uint32_t ElementFromLane(arch::LaneType type, uint32_t lane);
int ElementBytes(arch::LaneType type);

}  // namespace systolith::tb

#endif  // SYSTOLITH_TB_VPU_LANE_MODEL_H_
