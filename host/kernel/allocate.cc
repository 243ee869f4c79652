#include "host/kernel/allocate.h"

#include <algorithm>
#include <array>
#include <bit>
#include <map>
#include <numeric>
#include <span>
#include <utility>

namespace systolith::kernel {
namespace {

using Kind = Value::Kind;

// A set of variables.
class Set {
 public:
  explicit Set(size_t count) : words_((count + 63) / 64) {}
  void Add(size_t i) { words_[i / 64] |= uint64_t{1} << i % 64; }
  void Remove(size_t i) { words_[i / 64] &= ~(uint64_t{1} << i % 64); }
  // Whether anything is new.
  bool Join(const Set& other) {
    bool changed = false;
    for (size_t w = 0; w < words_.size(); ++w) {
      changed |= (other.words_[w] & ~words_[w]) != 0;
      words_[w] |= other.words_[w];
    }
    return changed;
  }
  size_t Count() const {
    return std::accumulate(words_.begin(), words_.end(), size_t{0}, [](size_t sum, uint64_t w) {
      return sum + static_cast<size_t>(std::popcount(w));
    });
  }
  template <typename Visit>
  void ForEach(Visit visit) const {
    for (size_t w = 0; w < words_.size(); ++w) {
      for (uint64_t rest = words_[w]; rest != 0; rest &= rest - 1) {
        visit(w * 64 + static_cast<size_t>(std::countr_zero(rest)));
      }
    }
  }

 private:
  std::vector<uint64_t> words_;
};

// The dense numbers of the variables that a region really has, and what each bundle does to them.
struct Bundles {
  static constexpr size_t kMost = 3 * 3;  // operands of a bundle's instructions

  struct Accesses {
    std::array<size_t, kMost> read;
    std::array<size_t, 3> written;
    size_t read_count = 0, written_count = 0;

    std::span<const size_t> reads() const { return std::span(read).first(read_count); }
    std::span<const size_t> writes() const { return std::span(written).first(written_count); }
  };

  std::vector<std::pair<uint32_t, size_t>> numbers;  // variable, number
  std::vector<Accesses> accesses;                    // per bundle
};

Bundles Collect(const Region& region, const std::vector<BundlePlan>& plans,
                size_t variable_count) {
  Bundles result;
  std::vector<size_t> known(variable_count, SIZE_MAX);
  const auto number = [&](uint32_t variable) {
    if (known[variable] == SIZE_MAX) {
      known[variable] = result.numbers.size();
      result.numbers.emplace_back(variable, known[variable]);
    }
    return known[variable];
  };
  result.accesses.resize(plans.size());
  for (size_t b = 0; b < plans.size(); ++b) {
    Bundles::Accesses& accesses = result.accesses[b];
    for (const size_t n : {plans[b].a, plans[b].b, plans[b].lane}) {
      if (n == BundlePlan::kEmpty) continue;
      const Instruction& instruction = region.instructions[n];
      for (const Value& operand : instruction.operands) {
        if (operand.kind != Kind::kVariable) continue;
        accesses.read[accesses.read_count++] = number(operand.index);
      }
      if (instruction.target.kind == Kind::kVariable) {
        accesses.written[accesses.written_count++] = number(instruction.target.index);
      }
    }
  }
  return result;
}

// Per bundle, the variables that are needed after it.
std::vector<Set> LiveAfter(const std::vector<BundlePlan>& plans, const Bundles& bundles) {
  const size_t count = bundles.numbers.size();
  std::vector<std::vector<size_t>> next(plans.size());
  std::map<uint32_t, size_t> start;
  for (size_t b = 0; b < plans.size(); ++b) {
    for (uint32_t loop = 0; loop < arch::kLoops; ++loop) {
      if ((plans[b].loop_start >> loop & 1) != 0) start[loop] = b;
      if ((plans[b].loop_end >> loop & 1) != 0) next[b].push_back(start[loop]);
    }
    if (b + 1 < plans.size()) next[b].push_back(b + 1);
  }
  std::vector<Set> before(plans.size(), Set(count)), after(plans.size(), Set(count));
  // Once is enough if nothing leads back.
  const bool has_loops = !start.empty();
  for (bool changed = true; changed;) {
    changed = false;
    for (size_t b = plans.size(); b-- > 0;) {
      for (const size_t successor : next[b]) changed |= after[b].Join(before[successor]);
      Set alive = after[b];
      for (const size_t variable : bundles.accesses[b].writes()) alive.Remove(variable);
      for (const size_t variable : bundles.accesses[b].reads()) alive.Add(variable);
      changed |= before[b].Join(alive);
    }
    changed &= has_loops;
  }
  return after;
}

// First fit in the given order; the number of registers used.
uint32_t Colour(const std::vector<Set>& conflicts, const std::vector<size_t>& order,
                std::vector<uint32_t>& registers) {
  constexpr uint32_t kNone = UINT32_MAX;
  registers.assign(conflicts.size(), kNone);
  uint32_t count = 0;
  std::vector<size_t> taken_by(conflicts.size() + 1, SIZE_MAX);  // whose neighbour has a register
  for (const size_t variable : order) {
    conflicts[variable].ForEach([&](size_t other) {
      if (registers[other] != kNone) taken_by[registers[other]] = variable;
    });
    uint32_t free = 0;
    while (taken_by[free] == variable) ++free;
    registers[variable] = free;
    count = std::max(count, registers[variable] + 1);
  }
  return count;
}

}  // namespace

Allocation AllocateRegisters(const Region& region, const std::vector<BundlePlan>& plans,
                             size_t variable_count, uint32_t too_many) {
  const Bundles bundles = Collect(region, plans, variable_count);
  const size_t count = bundles.numbers.size();
  std::vector<Set> alive_in = LiveAfter(plans, bundles);  // after it, or written by it
  Allocation allocation;
  size_t most = 0;
  for (size_t b = 0; b < plans.size(); ++b) {
    for (const size_t variable : bundles.accesses[b].writes()) alive_in[b].Add(variable);
    const size_t alive = alive_in[b].Count();
    if (alive <= most) continue;
    most = alive;
    for (const size_t n : {plans[b].a, plans[b].b, plans[b].lane}) {
      if (n != BundlePlan::kEmpty) allocation.fullest = n;
    }
  }
  allocation.register_count = static_cast<uint32_t>(most);
  if (most >= too_many) return allocation;

  std::vector<Set> conflicts(count, Set(count));
  std::vector<size_t> first_write(count, SIZE_MAX), lifetime(count, 0);
  for (size_t b = 0; b < plans.size(); ++b) {
    const Set& alive = alive_in[b];
    for (const size_t variable : bundles.accesses[b].writes()) {
      conflicts[variable].Join(alive);
      alive.ForEach([&](size_t other) { conflicts[other].Add(variable); });
      first_write[variable] = std::min(first_write[variable], b);
    }
    alive.ForEach([&](size_t variable) { ++lifetime[variable]; });
  }
  for (size_t variable = 0; variable < count; ++variable) conflicts[variable].Remove(variable);

  // Rising first writes are the best order of straight-line code; where variables live around
  // loops, long lives first may be better.
  std::vector<size_t> order(count);
  std::iota(order.begin(), order.end(), size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](size_t a, size_t b) { return first_write[a] < first_write[b]; });
  std::vector<uint32_t> registers, others;
  allocation.register_count = Colour(conflicts, order, registers);
  std::stable_sort(order.begin(), order.end(),
                   [&](size_t a, size_t b) { return lifetime[a] > lifetime[b]; });
  if (const uint32_t colours = Colour(conflicts, order, others);
      colours < allocation.register_count) {
    allocation.register_count = colours;
    registers = std::move(others);
  }
  allocation.registers.assign(variable_count, 0);
  for (const auto& [variable, number] : bundles.numbers) {
    allocation.registers[variable] = registers[number];
  }
  return allocation;
}

}  // namespace systolith::kernel
