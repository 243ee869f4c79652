#ifndef SYSTOLITH_TB_VPU_LANE_MODEL_H_
#define SYSTOLITH_TB_VPU_LANE_MODEL_H_

#include <cstdint>
#include <vector>

#include "host/arch/isa.h"

// What the vector unit computes, by rtl/arch/README.md and the host's own arithmetic.
namespace systolith::tb {

// An operation of an ALU slot on one lane; all but lookup.
uint32_t AluResult(arch::AluOp op, uint32_t x, uint32_t y, uint32_t z);

// A row group: `lanes` elements of row 0, then row 1, ...
struct GroupShape {
  int lanes;
  int sublanes;
  int Count() const { return lanes * sublanes; }
};
using Group = std::vector<uint32_t>;

// An operation of the lane slot.
Group LaneResult(arch::LaneOp op, GroupShape shape, const Group& x, const Group& y,
                 uint32_t amount);

}  // namespace systolith::tb

#endif  // SYSTOLITH_TB_VPU_LANE_MODEL_H_
