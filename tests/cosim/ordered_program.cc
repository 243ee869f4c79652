#include "tests/cosim/ordered_program.h"

#include <algorithm>
#include <cassert>

namespace systolith::cosim {

void OrderedProgram::Record(uint32_t engine, const std::vector<Extent>& extents,
                            uint32_t executions) {
  executed_[engine] += executions;
  for (const Extent& extent : extents) past_[engine].push_back({extent, executed_[engine]});
}

std::vector<OrderedProgram::Need> OrderedProgram::NeedsOf(uint32_t engine,
                                                          const std::vector<Extent>& extents,
                                                          int chased_engine) const {
  std::vector<Need> needs;
  for (uint32_t other = 1; other < kEngines; ++other) {
    if (other == engine) continue;  // a queue is executed in order
    std::array<uint32_t, 2> target{};
    for (const Past& past : past_[other]) {
      if (static_cast<int>(other) == chased_engine && past.executed == executed_[other]) continue;
      for (const Extent& extent : extents) {
        uint32_t& last = target[extent.weights ? 1 : 0];
        if (extent.ConflictsWith(past.extent)) last = std::max(last, past.executed);
      }
    }
    for (uint32_t weights : {0u, 1u}) {
      if (target[weights] > 0) needs.push_back({other, target[weights], weights != 0});
    }
  }
  assert(needs.size() <= 4);
  return needs;
}

}  // namespace systolith::cosim
