#ifndef SYSTOLITH_SIM_GOLDEN_PRIM_FLAGS_H_
#define SYSTOLITH_SIM_GOLDEN_PRIM_FLAGS_H_

#include <array>
#include <cstdint>
#include <optional>

#include "host/arch/isa.h"

namespace systolith::golden {

// The sync flags. The chip sees 16 bits of each count; the model keeps all of it, so that it knows
// which raise a wait stood for.
class Flags {
 public:
  void Raise(uint32_t flag, uint32_t increment = 1) { counts_[flag] += increment; }
  uint16_t Value(uint32_t flag) const { return static_cast<uint16_t>(counts_[flag]); }
  void Clear() { counts_ = {}; }

  // The number of the raise that satisfies a wait for `target` (0: it needs none); nothing if the
  // flag has not reached it.
  std::optional<uint64_t> Reached(uint32_t flag, uint16_t target) const {
    return Reached(counts_[flag], target);
  }
  static std::optional<uint64_t> Reached(uint64_t count, uint16_t target) {
    const int16_t ahead = static_cast<int16_t>(static_cast<uint16_t>(count) - target);
    if (ahead < 0) return std::nullopt;
    return count >= static_cast<uint64_t>(ahead) ? count - static_cast<uint64_t>(ahead) : 0;
  }

 private:
  std::array<uint64_t, arch::kFlags> counts_{};
};

}  // namespace systolith::golden

#endif  // SYSTOLITH_SIM_GOLDEN_PRIM_FLAGS_H_
