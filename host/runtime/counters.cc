#include "host/runtime/counters.h"

#include <algorithm>

namespace systolith::runtime {

Counters& Counters::operator+=(const Counters& other) {
  cycles += other.cycles;
  hbm_bytes_read += other.hbm_bytes_read;
  hbm_bytes_written += other.hbm_bytes_written;
  instructions += other.instructions;
  for (const EngineCycles& theirs : other.engines) {
    const auto mine = std::find_if(engines.begin(), engines.end(), [&](const EngineCycles& e) {
      return e.engine == theirs.engine;
    });
    if (mine == engines.end()) {
      engines.push_back(theirs);
      continue;
    }
    mine->busy += theirs.busy;
    mine->stall += theirs.stall;
    mine->idle += theirs.idle;
    mine->conflicts += theirs.conflicts;
  }
  return *this;
}

}  // namespace systolith::runtime
