#ifndef SYSTOLITH_HOST_KERNEL_SCHEDULE_H_
#define SYSTOLITH_HOST_KERNEL_SCHEDULE_H_

#include <cstdint>
#include <string>
#include <vector>

#include "host/base/status.h"
#include "host/kernel/ir.h"
#include "host/kernel/pack.h"

namespace systolith::kernel {

struct Schedule {
  std::vector<BundlePlan> bundles;
  std::vector<uint32_t> registers;  // v register of each variable that the region knows
  uint32_t register_count = 0;
};

// The densest packing whose variables fit into the v registers. If there is none: Unsupported with
// the number of registers that the kernel needs, and where.
Result<Schedule> ScheduleAndAllocate(const std::string& kernel, const Region& region,
                                     const Symbols& symbols);

}  // namespace systolith::kernel

#endif  // SYSTOLITH_HOST_KERNEL_SCHEDULE_H_
