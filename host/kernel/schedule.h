#ifndef SYSTOLITH_HOST_KERNEL_SCHEDULE_H_
#define SYSTOLITH_HOST_KERNEL_SCHEDULE_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "host/base/status.h"
#include "host/kernel/ir.h"

namespace systolith::kernel {

// Which instructions of a region run in one bundle, by their numbers.
struct BundlePlan {
  static constexpr size_t kEmpty = SIZE_MAX;
  size_t a = kEmpty, b = kEmpty, lane = kEmpty;
  uint32_t loop_start = 0, loop_end = 0;
};

struct Schedule {
  std::vector<BundlePlan> bundles;
  std::vector<uint32_t> registers;  // v register of each variable that the region knows
  uint32_t register_count = 0;
};

struct Packing {
  size_t window = 512;        // instructions that compete for a bundle
  // Bundles from one store (load) to the next, at least, if others fill them.
  size_t store_distance = 0;
  size_t load_distance = 0;
};

// Packs the instructions of each basic block into bundles. Only the next `window` instructions in
// program order compete for a bundle, those on the longest path to the block's end first: a small
// window keeps fewer values alive. The region is in the form that Normalise leaves.
std::vector<BundlePlan> PackBundles(const Region& region, const Packing& packing);

// The densest packing whose variables fit into the v registers. If there is none: Unsupported with
// the number of registers that the kernel needs, and where.
Result<Schedule> ScheduleAndAllocate(const std::string& kernel, const Region& region,
                                     const Symbols& symbols);

}  // namespace systolith::kernel

#endif  // SYSTOLITH_HOST_KERNEL_SCHEDULE_H_
