#ifndef SYSTOLITH_SIM_GOLDEN_CHECKER_ACCESS_HISTORY_H_
#define SYSTOLITH_SIM_GOLDEN_CHECKER_ACCESS_HISTORY_H_

#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "sim/golden/checker/vector_clock.h"

namespace systolith::golden {

// Who touched something, and when.
struct Access {
  Agent agent = 0;
  uint8_t opcode = 0;
  uint32_t moment = 0;  // of the agent's own clock; 0: nobody yet
  uint32_t pc = 0;
  uint32_t serial = 0;  // of the instruction, in program order of execution

  bool operator==(const Access&) const = default;
};

// Two accesses to the same bytes, at least one a write, that nothing orders.
struct Conflict {
  Access earlier;
  bool earlier_wrote = false;
  uint64_t begin = 0, end = 0;
};

// Remembers for every byte of an address space the last write and the reads since. Ranges with
// the same history share one entry, so that the cost depends on the number of rows, not bytes.
class AccessHistory {
 public:
  // Records the access and returns the first conflict with what is recorded already. `known` is
  // the accessing agent's clock. A read of bytes that the same instruction wrote conflicts, too.
  std::optional<Conflict> Read(uint64_t begin, uint64_t end, const Access& access,
                               const VectorClock& known);
  std::optional<Conflict> Write(uint64_t begin, uint64_t end, const Access& access,
                                const VectorClock& known);
  void Clear() { ranges_.clear(); }

 private:
  struct Range {
    uint64_t end = 0;
    Access write;
    std::vector<Access> reads;  // of different agents, none known to another's access

    bool SameHistory(const Range& other) const {
      return write == other.write && reads == other.reads;
    }
  };
  using Ranges = std::map<uint64_t, Range>;

  // Makes `address` a border between entries, if an entry spans it.
  void SplitAt(uint64_t address);
  // Joins the entry with the one before it if that one ends there with the same history.
  void MergeWithPrevious(Ranges::iterator range);

  Ranges ranges_;  // by first byte; disjoint
};

}  // namespace systolith::golden

#endif  // SYSTOLITH_SIM_GOLDEN_CHECKER_ACCESS_HISTORY_H_
