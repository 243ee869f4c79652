#ifndef SYSTOLITH_HOST_KERNEL_KERNEL_MEMORY_H_
#define SYSTOLITH_HOST_KERNEL_KERNEL_MEMORY_H_

#include <array>
#include <cstdint>
#include <list>
#include <vector>

#include "host/base/status.h"
#include "host/kernel/kernel.h"

namespace systolith::kernel {

// Which kernels lie where in the vector unit's kernel and constant memory, at one place of a
// program in program order. Kernels are told apart by their contents, not their names.
//
//   ASSIGN_OR_RETURN(const auto place, memory.Use(kernel));
//   if (place.load) {
//     for (const auto& load : LoadInstructions(kernel, place.kernel_base, place.constant_base)) ...
//   }
class KernelMemory {
 public:
  struct Place {
    uint32_t kernel_base = 0;
    uint32_t constant_base = 0;
    bool load = false;  // it was not resident: write it before the `vector`
  };

  // Where the kernel is from now on; makes room by forgetting the kernels that were used longest
  // ago. Unsupported if it is larger than the memory.
  Result<Place> Use(const Kernel& kernel);

  // Forgets everything, as at a launch or where control flow joins.
  void Clear() { residents_.clear(); }

 private:
  struct Resident {
    std::vector<std::array<uint32_t, arch::kBundleWords>> bundles;
    std::vector<uint32_t> constants;
    Place place;
  };
  // The most recently used first.
  std::list<Resident> residents_;
};

}  // namespace systolith::kernel

#endif  // SYSTOLITH_HOST_KERNEL_KERNEL_MEMORY_H_
