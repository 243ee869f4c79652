#include "tests/cosim/ordered_program.h"

#include <algorithm>

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
  return needs;
}

void OrderedProgram::AppendSyncs(uint32_t engine, std::vector<Need>& needs, size_t room) {
  constexpr size_t kWaits = 4;
  while (needs.size() > room) {
    arch::Sync sync;
    sync.engine = engine;
    for (uint32_t slot = 0; slot < kWaits && !needs.empty(); ++slot) {
      SetWait(sync, slot, needs.back());
      needs.pop_back();
    }
    AddSignal(sync);
    writer_.Append(arch::Opcode::kSync, sync);
    Record(engine, {});
  }
}

void OrderedProgram::OrderAll(uint32_t engine, const std::vector<Extent>& extents) {
  std::vector<Need> needs = NeedsOf(engine, extents, -1);
  AppendSyncs(engine, needs, 0);
}

}  // namespace systolith::cosim
