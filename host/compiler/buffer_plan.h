#ifndef SYSTOLITH_HOST_COMPILER_BUFFER_PLAN_H_
#define SYSTOLITH_HOST_COMPILER_BUFFER_PLAN_H_

#include <cstddef>
#include <cstdint>
#include <map>
#include <vector>

#include "host/compiler/view.h"
#include "host/graph/graph.h"

namespace systolith::compiler {

// A value that stays in the unified buffer from the kernel that makes it to the last one that reads
// it, dense as it would be in HBM.
struct Resident {
  int64_t address = 0;  // bytes
  int64_t bytes = 0;
  size_t last = 0;         // of Compilation::kernels: the last that reads it
  bool is_stored = false;  // goes to HBM as well, for kernels that read it there
};

// What lies where in the buffer while kernels run. Residents stand at its end; what is in front of
// those that a kernel sees is for its tiles.
struct BufferPlan {
  std::map<graph::Value, Resident> residents;
  std::map<size_t, int64_t> tile_bytes;  // by kernel; one that is not here has the whole buffer
};

// Whether rows of the view can be streamed where they lie in the buffer: elements next to each
// other (or, if `may_repeat`, one for a whole row), every row at a multiple of 8 elements.
bool StreamsInPlace(const View& view, bool may_repeat);

}  // namespace systolith::compiler

#endif  // SYSTOLITH_HOST_COMPILER_BUFFER_PLAN_H_
