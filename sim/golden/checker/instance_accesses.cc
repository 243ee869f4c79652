#include "sim/golden/checker/instance_accesses.h"

namespace systolith::golden {

bool InstanceAccesses::Read(size_t begin, size_t end) {
  bool free = true;
  for (size_t i = begin; i < end; ++i) {
    free &= writer_[i] < first_;
    const uint64_t last = reader_[i] & ~kSeveral;
    const bool several = last >= first_ && (last != instance_ || (reader_[i] & kSeveral) != 0);
    reader_[i] = instance_ | (several ? kSeveral : 0);
  }
  return free;
}

bool InstanceAccesses::Write(size_t begin, size_t end) {
  bool free = true;
  for (size_t i = begin; i < end; ++i) {
    const uint64_t last = reader_[i] & ~kSeveral;
    free &= writer_[i] < first_ && (last < first_ || reader_[i] == instance_);
    writer_[i] = instance_;
  }
  return free;
}

}  // namespace systolith::golden
