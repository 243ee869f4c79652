#include "host/kernel/schedule.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include "host/kernel/allocate.h"

namespace systolith::kernel {
namespace {

using Kind = Value::Kind;

// A later instruction that must wait: `distance` bundles at least (0: the same bundle will do).
struct Edge {
  size_t to;
  uint32_t distance;
};

// One instruction of a block.
struct Node {
  std::vector<Edge> successors;
  size_t waits_for = 0;   // predecessors not yet placed
  size_t earliest = 0;    // bundle
  uint64_t path = 0;      // cycles from here to the end of the block
  bool placed = false;
};

// The dependences between the instructions [begin, end).
std::vector<Node> Dependences(const Region& region, size_t begin, size_t end) {
  std::vector<Node> nodes(end - begin);
  const auto add = [&](size_t from, size_t to, uint32_t distance) {
    nodes[from].successors.push_back({to, distance});
    ++nodes[to].waits_for;
  };
  using Place = std::pair<Kind, uint32_t>;
  std::map<Place, size_t> writer;
  std::map<Place, std::vector<size_t>> readers;
  std::vector<size_t> loads;
  std::map<std::pair<uint32_t, uint32_t>, size_t> stores;  // per output and step
  for (size_t n = 0; n < nodes.size(); ++n) {
    const Instruction& instruction = region.instructions[begin + n];
    bool reads_stream = false;
    for (const Value& operand : instruction.operands) {
      reads_stream |= operand.kind == Kind::kInput;
      if (operand.kind != Kind::kVariable && operand.kind != Kind::kShared) continue;
      const Place place = {operand.kind, operand.index};
      const auto found = writer.find(place);
      if (found != writer.end()) add(found->second, n, 1);
      readers[place].push_back(n);
    }
    const Value& target = instruction.target;
    if (target.kind == Kind::kOutput) {
      // A place is read before it is overwritten.
      for (const size_t load : loads) add(load, n, 0);
      const auto [found, first] = stores.try_emplace({target.index, target.step}, n);
      if (!first) {
        add(found->second, n, 1);
        found->second = n;
      }
    } else {
      const Place place = {target.kind, target.index};
      for (const size_t reader : readers[place]) {
        if (reader != n) add(reader, n, 0);
      }
      const auto found = writer.find(place);
      if (found != writer.end()) add(found->second, n, 1);
      writer[place] = n;
      readers[place].clear();
    }
    if (reads_stream) loads.push_back(n);
  }
  for (size_t n = nodes.size(); n-- > 0;) {
    const uint64_t latency = region.instructions[begin + n].info().latency;
    nodes[n].path = latency;
    // The writer takes several cycles for a group: stores keep the places that the program gives
    // them, spread over it, instead of gathering behind the last long path.
    if (region.instructions[begin + n].target.kind == Kind::kOutput) {
      nodes[n].path = std::max(latency, latency * (nodes.size() - n) / 2);
    }
    for (const Edge& edge : nodes[n].successors) {
      nodes[n].path = std::max(nodes[n].path,
                               nodes[edge.to].path + (edge.distance == 0 ? 0 : latency));
    }
  }
  return nodes;
}

// What one bundle holds while it is filled.
class OpenBundle {
 public:
  // Takes the instruction if it fits beside those that are here.
  bool Take(const Instruction& instruction, size_t number) {
    const auto streams = StreamsOf(instruction);
    for (const auto& [stream, step] : streams) {
      const auto found = streams_.find(stream);
      if (found == streams_.end()) continue;
      if (stream.first == Kind::kOutput || found->second != step) return false;
    }
    if (instruction.is_lane) {
      if (plan_.lane != BundlePlan::kEmpty) return false;
      plan_.lane = number;
    } else if (!TakeAlu(instruction.info(), number)) {
      return false;
    }
    for (const auto& [stream, step] : streams) streams_[stream] = step;
    return true;
  }
  const BundlePlan& plan() const { return plan_; }
  bool IsEmpty() const {
    return plan_.a == BundlePlan::kEmpty && plan_.b == BundlePlan::kEmpty &&
           plan_.lane == BundlePlan::kEmpty;
  }

 private:
  using Stream = std::pair<Kind, uint32_t>;
  static std::map<Stream, uint32_t> StreamsOf(const Instruction& instruction) {
    std::map<Stream, uint32_t> streams;
    const auto add = [&](const Value& value) {
      if (value.is_stream()) streams[{value.kind, value.index}] = value.step;
    };
    add(instruction.target);
    for (const Value& operand : instruction.operands) add(operand);
    return streams;
  }

  bool TakeAlu(const arch::OperationInfo& info, size_t number) {
    if (plan_.a == BundlePlan::kEmpty && info.slot_a) {
      plan_.a = number;
      a_moves_ = info.slot_b;
      return true;
    }
    if (plan_.b != BundlePlan::kEmpty) return false;
    if (info.slot_b) {
      plan_.b = number;
      return true;
    }
    if (!a_moves_) return false;
    plan_.b = std::exchange(plan_.a, number);
    a_moves_ = false;
    return true;
  }

  BundlePlan plan_;
  bool a_moves_ = false;  // what slot a holds could run in slot b
  std::map<Stream, uint32_t> streams_;
};

bool IsStore(const Instruction& instruction) { return instruction.target.kind == Kind::kOutput; }
bool IsLoad(const Instruction& instruction) {
  return std::any_of(instruction.operands.begin(), instruction.operands.end(),
                     [](const Value& operand) { return operand.kind == Kind::kInput; });
}

void PackBlock(const Region& region, size_t begin, size_t end, const Packing& packing,
               std::vector<BundlePlan>& bundles) {
  std::vector<Node> nodes = Dependences(region, begin, end);
  const size_t first_bundle = bundles.size();
  size_t oldest = 0;
  size_t next_store = 0, next_load = 0;  // bundles
  while (oldest < nodes.size()) {
    const size_t bundle = bundles.size() - first_bundle;
    OpenBundle open;
    // An instruction may join the bundle of one that it only must not precede, so the candidates
    // are looked at again after each choice.
    bool holds = true;
    for (bool found = true; found;) {
      found = false;
      std::vector<size_t> candidates;
      for (size_t n = oldest; n < std::min(nodes.size(), oldest + packing.window); ++n) {
        const Node& node = nodes[n];
        if (node.placed || node.waits_for != 0 || node.earliest > bundle) continue;
        const Instruction& instruction = region.instructions[begin + n];
        if (holds && bundle < next_store && IsStore(instruction)) continue;
        if (holds && bundle < next_load && IsLoad(instruction)) continue;
        candidates.push_back(n);
      }
      std::stable_sort(candidates.begin(), candidates.end(), [&](size_t a, size_t b) {
        return nodes[a].path > nodes[b].path;
      });
      for (const size_t n : candidates) {
        if (!open.Take(region.instructions[begin + n], begin + n)) continue;
        found = nodes[n].placed = true;
        if (IsStore(region.instructions[begin + n])) next_store = bundle + packing.store_distance;
        if (IsLoad(region.instructions[begin + n])) next_load = bundle + packing.load_distance;
        for (const Edge& edge : nodes[n].successors) {
          --nodes[edge.to].waits_for;
          nodes[edge.to].earliest = std::max(nodes[edge.to].earliest, bundle + edge.distance);
        }
        break;
      }
      if (!found && holds && open.IsEmpty()) {  // nothing else to do
        holds = false;
        found = true;
      }
    }
    while (oldest < nodes.size() && nodes[oldest].placed) ++oldest;
    bundles.push_back(open.plan());
  }
}

// Cycles that another run over all bundles adds, if a group takes as long to read and to write as
// one of bf16 on v2.
uint64_t CyclesOf(const Region& region, const std::vector<BundlePlan>& bundles) {
  constexpr uint64_t kStoreCycles = 4 * arch::kVectorThreads;
  constexpr uint64_t kLoadCycles = 2 * arch::kVectorThreads;
  constexpr size_t kAhead = 2;  // bundles whose groups a stream's queue holds
  uint64_t cycles = 0, first_run = 0, writer_free = 0, reader_free = 0;
  std::map<uint32_t, std::vector<uint64_t>> taken;  // when each stream's groups were
  for (size_t i = 0; i < 2 * bundles.size(); ++i) {
    if (i == bundles.size()) first_run = cycles;
    const BundlePlan& plan = bundles[i % bundles.size()];
    uint32_t latency = arch::kVectorThreads;
    std::set<uint32_t> streams;
    for (const size_t n : {plan.a, plan.b, plan.lane}) {
      if (n == BundlePlan::kEmpty) continue;
      const Instruction& instruction = region.instructions[n];
      latency = std::max(latency, instruction.info().latency);
      for (const Value& operand : instruction.operands) {
        if (operand.kind == Kind::kInput) streams.insert(operand.index);
      }
      if (!IsStore(instruction)) continue;
      cycles = std::max(cycles, writer_free);
      writer_free = cycles + kStoreCycles;
    }
    for (const uint32_t stream : streams) {
      std::vector<uint64_t>& times = taken[stream];
      const uint64_t space = times.size() < kAhead ? 0 : times[times.size() - kAhead];
      reader_free = std::max(reader_free, space) + kLoadCycles;
      // The last of the group's instances may come a little later than the first.
      cycles = std::max(cycles, reader_free - std::min<uint64_t>(reader_free, latency));
      times.push_back(cycles);
    }
    cycles += latency;
  }
  return cycles - first_run;
}

}  // namespace

std::vector<BundlePlan> PackBundles(const Region& region, const Packing& packing) {
  std::vector<BundlePlan> bundles;
  const std::vector<size_t> boundaries = BlockBoundaries(region);
  std::map<size_t, size_t> bundle_at;  // boundary -> number of the bundle that begins there
  for (size_t block = 0; block + 1 < boundaries.size(); ++block) {
    bundle_at[boundaries[block]] = bundles.size();
    PackBlock(region, boundaries[block], boundaries[block + 1], packing, bundles);
  }
  bundle_at[region.instructions.size()] = bundles.size();
  for (const Region::Loop& loop : region.loops) {
    bundles[bundle_at[loop.begin]].loop_start |= 1u << loop.number;
    bundles[bundle_at[loop.end] - 1].loop_end |= 1u << loop.number;
  }
  return bundles;
}

Result<Schedule> ScheduleAndAllocate(const std::string& kernel, const Region& region,
                                     const Symbols& symbols) {
  std::optional<Schedule> best;
  uint64_t best_cycles = 0;
  std::optional<Allocation> closest;
  std::vector<Packing> packings;
  for (const size_t window : {512, 192, 96, 64, 48, 32, 24, 16, 12, 8, 6, 4, 3, 2, 1}) {
    for (const size_t store_distance : {0, 2, 4, 8}) {
      for (const size_t load_distance : {0, 1, 2, 3, 4}) {
        packings.push_back({window, store_distance, load_distance});
      }
    }
  }
  for (const Packing& packing : packings) {
    std::vector<BundlePlan> bundles = PackBundles(region, packing);
    Allocation allocation = AllocateRegisters(region, bundles, symbols.variables.size());
    if (allocation.register_count > arch::kVectorRegisters) {
      if (!closest || allocation.register_count < closest->register_count) {
        closest = std::move(allocation);
      }
      continue;
    }
    const uint64_t cycles = CyclesOf(region, bundles);
    if (best && cycles >= best_cycles) continue;
    best_cycles = cycles;
    best = Schedule{std::move(bundles), std::move(allocation.registers),
                    allocation.register_count};
  }
  if (best) return std::move(*best);
  return Unsupported(fmt::format(
      "{}: the kernel needs {} vector registers here, {} exist; keep fewer values at once: split "
      "the kernel, handle fewer steps per pass, read a stream again, or keep what all instances "
      "share in shared registers",
      Where(kernel, region.instructions[closest->fullest].location), closest->register_count,
      arch::kVectorRegisters));
}

}  // namespace systolith::kernel
