#include "sim/golden/checker/access_history.h"

#include <iterator>
#include <utility>

namespace systolith::golden {
namespace {

bool Known(const VectorClock& known, const Access& access) {
  return known.moments[access.agent] >= access.moment;
}

void AddRead(std::vector<Access>& reads, const Access& access, const VectorClock& known) {
  // A read that is ordered before this one needs no memory of its own: what is ordered after
  // this one is ordered after both.
  std::erase_if(reads, [&](const Access& old) {
    return old.agent == access.agent || Known(known, old);
  });
  reads.push_back(access);
}

}  // namespace

void AccessHistory::SplitAt(uint64_t address) {
  auto next = ranges_.upper_bound(address);
  if (next == ranges_.begin()) return;
  const auto range = std::prev(next);
  if (range->first == address || range->second.end <= address) return;
  Range upper = range->second;
  range->second.end = address;
  ranges_.emplace_hint(next, address, std::move(upper));
}

void AccessHistory::MergeWithPrevious(Ranges::iterator range) {
  if (range == ranges_.end() || range == ranges_.begin()) return;
  const auto previous = std::prev(range);
  if (previous->second.end != range->first) return;
  if (!previous->second.SameHistory(range->second)) return;
  previous->second.end = range->second.end;
  ranges_.erase(range);
}

std::optional<Conflict> AccessHistory::Read(uint64_t begin, uint64_t end, const Access& access,
                                            const VectorClock& known) {
  std::optional<Conflict> conflict;
  SplitAt(begin);
  SplitAt(end);
  auto range = ranges_.lower_bound(begin);
  for (uint64_t at = begin; at < end;) {
    if (range == ranges_.end() || range->first > at) {
      const uint64_t gap_end = range == ranges_.end() ? end : std::min(end, range->first);
      range = ranges_.emplace_hint(range, at, Range{gap_end, {}, {access}});
    } else {
      Range& entry = range->second;
      const bool own = entry.write.moment != 0 && entry.write.agent == access.agent &&
                       entry.write.serial == access.serial;
      if (!conflict && (own || !Known(known, entry.write))) {
        conflict = Conflict{entry.write, true, range->first, entry.end};
      }
      AddRead(entry.reads, access, known);
    }
    at = range->second.end;
    const auto next = std::next(range);
    MergeWithPrevious(range);
    range = next;
  }
  MergeWithPrevious(range);
  return conflict;
}

std::optional<Conflict> AccessHistory::Write(uint64_t begin, uint64_t end, const Access& access,
                                             const VectorClock& known) {
  std::optional<Conflict> conflict;
  SplitAt(begin);
  SplitAt(end);
  auto range = ranges_.lower_bound(begin);
  while (range != ranges_.end() && range->first < end) {
    const Range& entry = range->second;
    if (!conflict && !Known(known, entry.write)) {
      conflict = Conflict{entry.write, true, range->first, entry.end};
    }
    for (const Access& read : entry.reads) {
      if (!conflict && !Known(known, read)) {
        conflict = Conflict{read, false, range->first, entry.end};
      }
    }
    range = ranges_.erase(range);
  }
  range = ranges_.emplace_hint(range, begin, Range{end, access, {}});
  const auto next = std::next(range);
  MergeWithPrevious(range);
  MergeWithPrevious(next);
  return conflict;
}

}  // namespace systolith::golden
