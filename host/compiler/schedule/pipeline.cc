#include "host/compiler/schedule/pipeline.h"

#include <algorithm>
#include <cassert>
#include <limits>

namespace systolith::compiler {
namespace {

// So many tiles are loaded ahead of their unit. More would fill the DMA's queue, and what follows
// in the program would have to wait for a place in it.
constexpr size_t kTilesAhead = 6;
constexpr size_t kNever = std::numeric_limits<size_t>::max();

}  // namespace

std::vector<AccessLog*> TileSlot::Logs() {
  std::vector<AccessLog*> logs;
  for (AccessLog& piece : pieces) logs.push_back(&piece);
  return logs;
}

size_t Pipeline::AddPool(std::vector<TileSlot> slots, Loader loader) {
  Pool pool;
  pool.keys.assign(slots.size(), -1);
  pool.next_uses.assign(slots.size(), kNever);
  for (size_t s = 0; s < slots.size(); ++s) pool.candidates.insert({kNever, false, s});
  pool.slots = std::move(slots);
  pool.loader = std::move(loader);
  pools_.push_back(std::move(pool));
  return pools_.size() - 1;
}

void Pipeline::AddUnit(std::vector<Need> needs, Work work) {
  for (const Need& need : needs) {
    std::vector<size_t>& uses = pools_[need.pool].uses[need.key];
    if (uses.empty() || uses.back() != units_.size()) uses.push_back(units_.size());
  }
  units_.push_back({std::move(needs), std::move(work)});
}

void Pipeline::SetNextUse(Pool& pool, size_t slot, size_t from) {
  const std::vector<size_t>& uses = pool.uses.at(pool.keys[slot]);
  const auto next = std::lower_bound(uses.begin(), uses.end(), from);
  pool.candidates.erase({pool.next_uses[slot], true, slot});
  pool.next_uses[slot] = next == uses.end() ? kNever : *next;
  pool.candidates.insert({pool.next_uses[slot], true, slot});
}

bool Pipeline::BringIn(const Need& need, size_t current, size_t user) {
  Pool& pool = pools_[need.pool];
  if (pool.where.contains(need.key)) return true;
  const Candidate best = *pool.candidates.begin();
  if (best.next_use <= user) return false;
  const size_t victim = best.slot;
  pool.candidates.erase(pool.candidates.begin());
  if (pool.keys[victim] >= 0) pool.where.erase(pool.keys[victim]);
  pool.keys[victim] = need.key;
  pool.where[need.key] = victim;
  SetNextUse(pool, victim, current);
  pool.loader(need.key, pool.slots[victim]);
  return true;
}

void Pipeline::Run() {
  size_t ahead_unit = 0;  // the first need that is not brought in yet
  size_t ahead_need = 0;
  for (size_t current = 0; current < units_.size(); ++current) {
    for (const Need& need : units_[current].needs) {
      [[maybe_unused]] const bool done = BringIn(need, current, current);
      assert(done);
    }
    if (ahead_unit <= current) {
      ahead_unit = current + 1;
      ahead_need = 0;
    }
    for (size_t tiles = 0; ahead_unit < units_.size() && tiles < kTilesAhead;) {
      if (ahead_need == units_[ahead_unit].needs.size()) {
        ++ahead_unit;
        ahead_need = 0;
        continue;
      }
      if (!BringIn(units_[ahead_unit].needs[ahead_need], current, ahead_unit)) break;
      ++ahead_need;
      ++tiles;
    }
    std::vector<TileSlot*> tiles;
    for (const Need& need : units_[current].needs) {
      Pool& pool = pools_[need.pool];
      tiles.push_back(&pool.slots[pool.where.at(need.key)]);
    }
    units_[current].work(tiles);
    for (const Need& need : units_[current].needs) {
      SetNextUse(pools_[need.pool], pools_[need.pool].where.at(need.key), current + 1);
    }
  }
}

}  // namespace systolith::compiler
