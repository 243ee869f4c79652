#ifndef SYSTOLITH_SIM_GOLDEN_PRIM_LOOP_NEST_H_
#define SYSTOLITH_SIM_GOLDEN_PRIM_LOOP_NEST_H_

#include <array>
#include <cstdint>

#include "host/arch/isa.h"

namespace systolith::golden {

// Walks the six loops of an engine instruction, loop 0 outermost. An iteration of level L is one
// iteration of loops 0..L-1 together.
class LoopNest {
 public:
  // Every count is at least 1.
  explicit LoopNest(const std::array<uint32_t, arch::kLoops>& counts) : counts_(counts) {
    FindLast();
  }
  LoopNest() : LoopNest({1, 1, 1, 1, 1, 1}) {}

  bool done() const { return done_; }
  const std::array<uint32_t, arch::kLoops>& index() const { return index_; }

  // Whether an iteration of that level starts, or ends, with this innermost iteration.
  bool Starts(uint32_t level) const { return level >= first_level_; }
  bool Ends(uint32_t level) const { return level >= last_level_; }

  void Step() {
    int loop = arch::kLoops - 1;
    while (loop >= 0 && ++index_[loop] == counts_[loop]) index_[loop--] = 0;
    done_ = loop < 0;
    first_level_ = static_cast<uint32_t>(loop + 1);
    FindLast();
  }

 private:
  void FindLast() {
    uint32_t level = arch::kLoops;
    while (level > 0 && index_[level - 1] + 1 == counts_[level - 1]) --level;
    last_level_ = level;
  }

  std::array<uint32_t, arch::kLoops> counts_;
  std::array<uint32_t, arch::kLoops> index_{};
  uint32_t first_level_ = 0, last_level_ = 0;
  bool done_ = false;
};

// base + sum(index * stride) over the first `loops` loops, modulo 2^32.
inline uint32_t LinearForm(uint32_t base, const std::array<int32_t, arch::kLoops>& strides,
                           const LoopNest& nest, int loops = arch::kLoops) {
  uint32_t value = base;
  for (int l = 0; l < loops; ++l) value += static_cast<uint32_t>(strides[l]) * nest.index()[l];
  return value;
}

}  // namespace systolith::golden

#endif  // SYSTOLITH_SIM_GOLDEN_PRIM_LOOP_NEST_H_
