#ifndef SYSTOLITH_HOST_TOOLS_CONFORMANCE_WORKER_POOL_H_
#define SYSTOLITH_HOST_TOOLS_CONFORMANCE_WORKER_POOL_H_

#include <functional>
#include <string>
#include <vector>

#include "host/base/status.h"

namespace systolith::tools {

// What one piece of work gave: its answer, or why there is none.
struct Answer {
  bool ok = false;
  std::string text;  // the answer; or "crashed: Segmentation fault", "no answer within 60 s"
};

struct PoolOptions {
  int jobs = 1;
  double seconds = 60;  // what one piece may take
};

// Does `count` pieces of work in child processes. Each child calls `start` once and its result for
// each piece that it is given; an answer is text without line breaks. A child that dies or takes too
// long costs its piece only: another child goes on. `done` is called in this process, in any order.
// The caller may have no other thread. Cancelled on an interrupt; what `start` could not do ends it.
using Work = std::function<std::string(size_t piece)>;
Status DoInChildren(size_t count, const PoolOptions& options,
                    const std::function<Result<Work>()>& start,
                    const std::function<void(size_t piece, const Answer& answer)>& done);

}  // namespace systolith::tools

#endif  // SYSTOLITH_HOST_TOOLS_CONFORMANCE_WORKER_POOL_H_
