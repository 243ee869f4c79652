#include "host/kernel/pack.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <optional>
#include <utility>

namespace systolith::kernel {
namespace {

using Kind = Value::Kind;

constexpr int8_t kUnused = -1;

// Keeps accesses of one kind apart, and knows which other distances would have decided the same.
class Spacing {
 public:
  Spacing(size_t distance, size_t& least, size_t& most)
      : distance_(distance), least_(least), most_(most) {}

  bool Blocks(size_t bundle) {
    if (!last_ || bundle - *last_ >= distance_) return false;
    least_ = std::max(least_, bundle - *last_ + 1);
    return true;
  }
  // `holds`: whether distances were asked for.
  void Take(size_t bundle, bool holds) {
    if (holds && last_) most_ = std::min(most_, bundle - *last_);
    last_ = bundle;
  }

 private:
  size_t distance_;
  size_t& least_;
  size_t& most_;
  std::optional<size_t> last_;
};

}  // namespace

// What one bundle holds while it is filled.
class Packer::OpenBundle {
 public:
  OpenBundle() { steps_.fill(kUnused); }

  // Whether the instruction fits beside those that are here.
  bool Fits(const Node& node) const {
    for (size_t s = 0; s < kStreams; ++s) {
      if (node.steps[s] == kUnused || steps_[s] == kUnused) continue;
      if (s >= arch::kInputStreams || node.steps[s] != steps_[s]) return false;
    }
    if (node.is_lane) return plan_.lane == BundlePlan::kEmpty;
    if (plan_.a == BundlePlan::kEmpty && node.slot_a) return true;
    return plan_.b == BundlePlan::kEmpty && (node.slot_b || a_moves_);
  }

  // Of an instruction that fits.
  void Take(const Node& node, size_t number) {
    for (size_t s = 0; s < kStreams; ++s) {
      if (node.steps[s] != kUnused) steps_[s] = node.steps[s];
    }
    if (node.is_lane) {
      plan_.lane = number;
    } else if (plan_.a == BundlePlan::kEmpty && node.slot_a) {
      plan_.a = number;
      a_moves_ = node.slot_b;
    } else if (node.slot_b) {
      plan_.b = number;
    } else {
      plan_.b = std::exchange(plan_.a, number);
      a_moves_ = false;
    }
  }

  const BundlePlan& plan() const { return plan_; }
  bool IsEmpty() const {
    return plan_.a == BundlePlan::kEmpty && plan_.b == BundlePlan::kEmpty &&
           plan_.lane == BundlePlan::kEmpty;
  }

 private:
  BundlePlan plan_;
  bool a_moves_ = false;  // what slot a holds could run in slot b
  std::array<int8_t, kStreams> steps_;
};

Packer::Packer(const Region& region) : region_(region), boundaries_(BlockBoundaries(region)) {
  for (size_t i = 0; i + 1 < boundaries_.size(); ++i) {
    const size_t begin = boundaries_[i];
    Block& block = blocks_.emplace_back();
    block.nodes.resize(boundaries_[i + 1] - begin);
    for (size_t n = 0; n < block.nodes.size(); ++n) {
      const Instruction& instruction = region.instructions[begin + n];
      const arch::OperationInfo& info = instruction.info();
      Node& node = block.nodes[n];
      node.is_lane = instruction.is_lane;
      node.slot_a = info.slot_a;
      node.slot_b = info.slot_b;
      node.steps.fill(kUnused);
      for (const Value& operand : instruction.operands) {
        if (operand.kind != Kind::kInput) continue;
        node.is_load = true;
        node.steps[operand.index] = static_cast<int8_t>(operand.step);
      }
      const Value& target = instruction.target;
      node.is_store = target.kind == Kind::kOutput;
      if (node.is_store) {
        node.steps[arch::kInputStreams + target.index] = static_cast<int8_t>(target.step);
      }
    }
    FindDependences(block, begin);
    Rank(block, begin);
  }
}

void Packer::FindDependences(Block& block, size_t begin) const {
  std::vector<Node>& nodes = block.nodes;
  const auto add = [&](size_t from, size_t to, uint32_t distance) {
    nodes[from].successors.push_back({static_cast<uint32_t>(to), distance});
    ++nodes[to].predecessors;
  };
  using Place = std::pair<Kind, uint32_t>;
  std::map<Place, size_t> writer;
  std::map<Place, std::vector<size_t>> readers;
  std::vector<size_t> loads;
  std::map<std::pair<uint32_t, uint32_t>, size_t> stores;  // per output and step
  for (size_t n = 0; n < nodes.size(); ++n) {
    const Instruction& instruction = region_.instructions[begin + n];
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
}

void Packer::Rank(Block& block, size_t begin) const {
  const size_t count = block.nodes.size();
  // Cycles from here to the end of the block: what decides, and what it takes at least.
  std::vector<uint64_t> paths(count), least(count);
  for (size_t n = count; n-- > 0;) {
    const Node& node = block.nodes[n];
    const uint64_t latency = region_.instructions[begin + n].info().latency;
    paths[n] = least[n] = latency;
    // The writer takes several cycles for a group: stores keep the places that the program gives
    // them, spread over it, instead of gathering behind the last long path.
    if (node.is_store) paths[n] = std::max(latency, latency * (count - n) / 2);
    for (const Edge& edge : node.successors) {
      const uint64_t before = edge.distance == 0 ? 0 : latency;
      paths[n] = std::max(paths[n], paths[edge.to] + before);
      least[n] = std::max(least[n], least[edge.to] + before);
    }
    block.least_cycles = std::max(block.least_cycles, least[n]);
  }
  const auto lanes = static_cast<size_t>(std::count_if(
      block.nodes.begin(), block.nodes.end(), [](const Node& node) { return node.is_lane; }));
  const size_t bundles = std::max(lanes, (count - lanes + 1) / 2);
  block.least_cycles = std::max<uint64_t>(block.least_cycles, bundles * arch::kVectorThreads);
  block.by_rank.resize(count);
  std::iota(block.by_rank.begin(), block.by_rank.end(), 0u);
  std::stable_sort(block.by_rank.begin(), block.by_rank.end(),
                   [&](uint32_t a, uint32_t b) { return paths[a] > paths[b]; });
  for (uint32_t r = 0; r < count; ++r) block.nodes[block.by_rank[r]].rank = r;
}

uint64_t Packer::LeastCycles() const {
  return std::accumulate(
      blocks_.begin(), blocks_.end(), uint64_t{0},
      [](uint64_t sum, const Block& block) { return sum + block.least_cycles; });
}

void Packer::PackBlock(const Block& block, size_t begin, const Packing& packing,
                       PackedBundles& packed) {
  struct State {
    uint32_t waits_for;     // predecessors not yet placed
    uint32_t earliest = 0;  // bundle
    bool placed = false;
  };
  const std::vector<Node>& nodes = block.nodes;
  std::vector<State> states;
  std::vector<uint32_t> ready;  // ranks of those that wait for none, rising
  for (const Node& node : nodes) {
    states.push_back({node.predecessors});
    if (node.predecessors == 0) ready.push_back(node.rank);
  }
  std::sort(ready.begin(), ready.end());
  Spacing stores(packing.store_distance, packed.least.store_distance, packed.most.store_distance);
  Spacing loads(packing.load_distance, packed.least.load_distance, packed.most.load_distance);
  size_t oldest = 0;
  for (size_t bundle = 0; oldest < nodes.size(); ++bundle) {
    OpenBundle open;
    // An instruction may join the bundle of one that it only must not precede, so the candidates
    // are looked at again after each choice.
    bool holds = true;
    const auto may_come = [&](uint32_t rank) {
      const uint32_t n = block.by_rank[rank];
      const Node& node = nodes[n];
      if (states[n].earliest > bundle || n >= oldest + packing.window) return false;
      if (!open.Fits(node)) return false;
      return !holds || !((node.is_store && stores.Blocks(bundle)) ||
                         (node.is_load && loads.Blocks(bundle)));
    };
    while (true) {
      const auto chosen = std::find_if(ready.begin(), ready.end(), may_come);
      if (chosen == ready.end()) {
        if (!holds || !open.IsEmpty()) break;
        holds = false;  // nothing else to do
        continue;
      }
      const uint32_t n = block.by_rank[*chosen];
      const Node& node = nodes[n];
      ready.erase(chosen);
      open.Take(node, begin + n);
      states[n].placed = true;
      packed.least.window = std::max(packed.least.window, n - oldest + 1);
      if (node.is_store) stores.Take(bundle, holds);
      if (node.is_load) loads.Take(bundle, holds);
      for (const Edge& edge : node.successors) {
        State& state = states[edge.to];
        state.earliest = std::max(state.earliest, static_cast<uint32_t>(bundle) + edge.distance);
        if (--state.waits_for != 0) continue;
        const uint32_t rank = nodes[edge.to].rank;
        ready.insert(std::lower_bound(ready.begin(), ready.end(), rank), rank);
      }
    }
    while (oldest < nodes.size() && states[oldest].placed) ++oldest;
    packed.bundles.push_back(open.plan());
  }
}

PackedBundles Packer::Pack(const Packing& packing) const {
  PackedBundles packed;
  packed.least = {0, 0, 0};
  packed.most = {packing.window, SIZE_MAX, SIZE_MAX};
  std::map<size_t, size_t> bundle_at;  // boundary -> number of the bundle that begins there
  for (size_t i = 0; i < blocks_.size(); ++i) {
    bundle_at[boundaries_[i]] = packed.bundles.size();
    PackBlock(blocks_[i], boundaries_[i], packing, packed);
  }
  bundle_at[region_.instructions.size()] = packed.bundles.size();
  for (const Region::Loop& loop : region_.loops) {
    packed.bundles[bundle_at[loop.begin]].loop_start |= 1u << loop.number;
    packed.bundles[bundle_at[loop.end] - 1].loop_end |= 1u << loop.number;
  }
  return packed;
}

}  // namespace systolith::kernel
