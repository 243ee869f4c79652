#ifndef SYSTOLITH_HOST_COMPILER_BUFFER_PLAN_H_
#define SYSTOLITH_HOST_COMPILER_BUFFER_PLAN_H_

#include <cstddef>
#include <cstdint>
#include <limits>
#include <map>
#include <vector>

#include "host/compiler/view.h"
#include "host/graph/graph.h"

namespace systolith::compiler {

// In place of a kernel: the control that stands behind the kernels and reads the value as its scalar.
inline constexpr size_t kControl = std::numeric_limits<size_t>::max();

// A value that stays in the unified buffer from the kernel that makes it to the last one that reads
// it, dense as it would be in HBM.
struct Resident {
  int64_t address = 0;  // bytes
  int64_t bytes = 0;
  size_t last = 0;         // of Compilation::kernels: the last that reads it; or kControl
  bool is_stored = false;  // goes to HBM as well, for kernels that read it there
};

// A value that goes round a loop in the buffer: it is loaded in front of the loop, and stored behind it
// if somebody reads it there.
struct Carried {
  graph::Value value;
  int64_t address = 0, bytes = 0;
  View whole;
  bool is_stored = false;
};

// What lies where in the buffer while kernels run. Residents stand at its end; what is in front of
// those that a kernel sees is for its tiles.
struct BufferPlan {
  std::map<graph::Value, Resident> residents;
  std::map<size_t, std::vector<Carried>> carried;  // by loop, of Compilation::controls
  std::map<size_t, int64_t> tile_bytes;  // by kernel; one that is not here has the whole buffer
};

// Rows in the buffer start at multiples of 8 elements.
inline constexpr int64_t kRowElements = 8;
inline bool StartsRow(int64_t element) { return element % kRowElements == 0; }

// Whether rows of the view can be streamed where they lie in the buffer: elements next to each
// other (or, if `may_repeat`, one for a whole row), every row at a multiple of 8 elements.
bool StreamsInPlace(const View& view, bool may_repeat);

// Whether the sequencer can load the view's first element where it lies in the buffer: a word, or a
// single i1, which lies there as a word (IsWordOfI1).
bool IsWordInPlace(const View& view, int64_t base_bytes);
bool IsWordOfI1(const View& view, int64_t base_bytes);

}  // namespace systolith::compiler

#endif  // SYSTOLITH_HOST_COMPILER_BUFFER_PLAN_H_
