#ifndef SYSTOLITH_SIM_GOLDEN_VPU_KERNEL_LOOPS_H_
#define SYSTOLITH_SIM_GOLDEN_VPU_KERNEL_LOOPS_H_

#include <array>
#include <cstdint>

#include "host/arch/isa.h"

namespace systolith::golden {

// The hardware loops of a kernel: indices of all six loops, and which bundle comes next.
class KernelLoops {
 public:
  using Indices = std::array<uint32_t, arch::kLoops>;

  // Loops below `level` step instances and keep the given index.
  KernelLoops(const Indices& counts, const Indices& instance, uint32_t level, uint32_t first_bundle)
      : counts_(counts), index_(instance), level_(level), bundle_(first_bundle) {}

  uint32_t bundle() const { return bundle_; }
  const Indices& index() const { return index_; }

  // The loops whose body starts at this bundle become active. False: a bit below the level, or the
  // end of a loop that is not active.
  bool Enter(const arch::Bundle& bundle) {
    if (((bundle.loop_start | bundle.loop_end) & ((1u << level_) - 1)) != 0) return false;
    for (uint32_t l = 0; l < arch::kLoops; ++l) {
      if ((bundle.loop_start >> l & 1) == 0 || (active_ >> l & 1) != 0) continue;
      active_ |= 1u << l;
      start_[l] = bundle_;
    }
    return (bundle.loop_end & ~active_) == 0;
  }

  enum class Outcome { kNext, kExit, kExitInLoop };
  // Goes on to the next bundle.
  Outcome Leave(const arch::Bundle& bundle) {
    for (int l = arch::kLoops - 1; l >= 0; --l) {
      if ((bundle.loop_end >> l & 1) == 0) continue;
      if (++index_[l] < counts_[l]) {
        bundle_ = start_[l];
        return Outcome::kNext;
      }
      index_[l] = 0;
      active_ &= ~(1u << l);
    }
    if (bundle.exit != 0) return active_ == 0 ? Outcome::kExit : Outcome::kExitInLoop;
    ++bundle_;
    return Outcome::kNext;
  }

 private:
  Indices counts_, index_;
  Indices start_{};
  uint32_t active_ = 0;  // a bit per loop
  uint32_t level_, bundle_;
};

}  // namespace systolith::golden

#endif  // SYSTOLITH_SIM_GOLDEN_VPU_KERNEL_LOOPS_H_
