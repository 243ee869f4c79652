#ifndef SYSTOLITH_HOST_COMPILER_SCHEDULE_PIPELINE_H_
#define SYSTOLITH_HOST_COMPILER_SCHEDULE_PIPELINE_H_

#include <cstdint>
#include <functional>
#include <map>
#include <set>
#include <vector>

#include "host/compiler/codegen/emitter.h"

namespace systolith::compiler {

// A place in the unified buffer for one tile. A tile may arrive in pieces, each with its own log,
// so that work on the first need not wait for the last.
struct TileSlot {
  int64_t address = 0;
  std::vector<AccessLog> pieces;

  // All pieces, for instructions that touch the whole tile.
  std::vector<AccessLog*> Logs();
};

// Orders loads and work. A kernel is a list of units; each needs some tiles in the buffer and then
// emits its instructions. Loads are emitted in the order of need and as early as there is a free
// slot: before a unit come its own tiles and those of the units after it, as far as no tile is
// thrown out that a unit in between still needs. A tile that is in the buffer is not loaded again;
// the one thrown out is the one whose next use is farthest away.
class Pipeline {
 public:
  using Loader = std::function<void(int64_t key, TileSlot& slot)>;
  using Work = std::function<void(const std::vector<TileSlot*>& tiles)>;

  struct Need {
    size_t pool;
    int64_t key;
  };

  // A pool of equal slots; `loader` emits the loads of the tile `key` into a slot.
  size_t AddPool(std::vector<TileSlot> slots, Loader loader);

  // `work` gets the slots in the order of `needs`.
  void AddUnit(std::vector<Need> needs, Work work);

  // Emits everything. Every unit's needs must fit the slots of their pools.
  void Run();

  // A pool's slots, for their logs.
  const std::vector<TileSlot>& slots(size_t pool) const { return pools_[pool].slots; }

 private:
  // How fit a slot is for another tile. The best comes first: the one whose tile is needed last,
  // if at all; among slots that nobody needs an empty one, as the others may still be in use.
  struct Candidate {
    size_t next_use;
    bool is_full;
    size_t slot;
    bool operator<(const Candidate& other) const {
      if (next_use != other.next_use) return next_use > other.next_use;
      if (is_full != other.is_full) return !is_full;
      return slot < other.slot;
    }
  };
  struct Pool {
    std::vector<TileSlot> slots;
    std::set<Candidate> candidates;                   // one for each slot
    std::vector<size_t> next_uses;                    // of each slot's tile
    std::vector<int64_t> keys;                        // tile in each slot; -1: none
    std::map<int64_t, size_t> where;                  // tile -> slot
    std::map<int64_t, std::vector<size_t>> uses;      // tile -> units that need it, rising
    Loader loader;
  };
  struct Unit {
    std::vector<Need> needs;
    Work work;
  };

  // Brings the tile in, for unit `user`, without throwing out what units [current, user] need.
  bool BringIn(const Need& need, size_t current, size_t user);
  // The slot's tile is needed by the first of its units that is not before `from`.
  static void SetNextUse(Pool& pool, size_t slot, size_t from);

  std::vector<Pool> pools_;
  std::vector<Unit> units_;
};

}  // namespace systolith::compiler

#endif  // SYSTOLITH_HOST_COMPILER_SCHEDULE_PIPELINE_H_
