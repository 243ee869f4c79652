#include "host/compiler/schedule/hoist_loads.h"

#include <algorithm>

namespace systolith::compiler {
namespace {

// How far ahead of a load that waits others are looked for, in loads. More would only fill the
// engine's queue.
constexpr size_t kWindow = 12;

}  // namespace

std::vector<size_t> HoistLoads(const std::vector<Dependence>& instructions) {
  const size_t count = instructions.size();
  std::vector<size_t> loads;  // positions
  for (size_t i = 0; i < count; ++i) {
    if (instructions[i].is_load) loads.push_back(i);
  }
  std::vector<size_t> order;
  order.reserve(count);
  std::vector<bool> is_placed(count, false);
  const auto place = [&](size_t i) {
    is_placed[i] = true;
    order.push_back(i);
  };
  size_t next_load = 0;  // all loads in front of it are placed
  for (size_t i = 0; i < count; ++i) {
    if (is_placed[i]) continue;
    const Dependence& self = instructions[i];
    if (!self.is_load) {
      place(i);
      continue;
    }
    while (next_load < loads.size() && is_placed[loads[next_load]]) ++next_load;
    // From the first load that stays behind, none that depends on it may pass.
    size_t seen = 0;
    for (size_t l = next_load; l < loads.size() && seen < kWindow; ++l) {
      const size_t other = loads[l];
      if (is_placed[other] || other == i) continue;
      ++seen;
      const Dependence& d = instructions[other];
      const bool is_earlier = d.after < self.after && d.after < static_cast<int64_t>(i);
      const bool is_free = d.after_load < static_cast<int64_t>(loads[next_load]);
      if (is_earlier && is_free) place(other);
    }
    place(i);
  }
  return order;
}

}  // namespace systolith::compiler
