#include "sim/golden/checker/instance_accesses.h"

#include <algorithm>

namespace systolith::golden {

void InstanceAccesses::StartInstruction() {
  if (instance_ > kSeveral / 2) {
    for (auto& page : pages_) page.reset();
    instance_ = 0;
  }
  first_ = instance_ + 1;
}

template <typename Visit>
bool InstanceAccesses::ForPages(size_t begin, size_t end, Visit visit) {
  bool free = true;
  while (begin < end) {
    std::unique_ptr<Page>& page = pages_[begin / kPageBytes];
    if (page == nullptr) page = std::make_unique<Page>();
    const size_t stop = std::min(end, (begin / kPageBytes + 1) * kPageBytes);
    if (!visit(*page, begin % kPageBytes, begin % kPageBytes + (stop - begin))) free = false;
    begin = stop;
  }
  return free;
}

bool InstanceAccesses::Read(size_t begin, size_t end) {
  return ForPages(begin, end, [this](Page& page, size_t from, size_t to) {
    bool free = true;
    for (size_t i = from; i < to; ++i) {
      free &= page.writer[i] < first_;
      const uint32_t last = page.reader[i] & ~kSeveral;
      const bool several =
          last >= first_ && (last != instance_ || (page.reader[i] & kSeveral) != 0);
      page.reader[i] = instance_ | (several ? kSeveral : 0);
    }
    return free;
  });
}

bool InstanceAccesses::Write(size_t begin, size_t end) {
  return ForPages(begin, end, [this](Page& page, size_t from, size_t to) {
    bool free = true;
    for (size_t i = from; i < to; ++i) {
      const uint32_t last = page.reader[i] & ~kSeveral;
      free &= page.writer[i] < first_ && (last < first_ || page.reader[i] == instance_);
      page.writer[i] = instance_;
    }
    return free;
  });
}

}  // namespace systolith::golden
