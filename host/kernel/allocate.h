#ifndef SYSTOLITH_HOST_KERNEL_ALLOCATE_H_
#define SYSTOLITH_HOST_KERNEL_ALLOCATE_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "host/kernel/ir.h"
#include "host/kernel/pack.h"

namespace systolith::kernel {

struct Allocation {
  std::vector<uint32_t> registers;  // per variable
  uint32_t register_count = 0;      // may exceed what exists
  size_t fullest = 0;               // an instruction where most variables are alive
};

// Gives the variables registers such that no two that are alive at once share one. A variable is
// alive from the bundle that writes it to the last one that reads it, around loops too; a bundle
// may write a register that it reads for the last time. Where `too_many` or more are alive at once,
// it gives up: `register_count` is that number, `registers` are none.
Allocation AllocateRegisters(const Region& region, const std::vector<BundlePlan>& bundles,
                             size_t variable_count, uint32_t too_many = UINT32_MAX);

}  // namespace systolith::kernel

#endif  // SYSTOLITH_HOST_KERNEL_ALLOCATE_H_
