#include "host/kernel/schedule.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <optional>
#include <utility>

#include "host/kernel/allocate.h"

namespace systolith::kernel {
namespace {

using Kind = Value::Kind;

// What running an instruction means for the cycles.
struct Timing {
  uint32_t latency = 0;
  uint32_t inputs = 0;  // streams that it reads, a bit for each
  bool is_store = false;
};

std::vector<Timing> TimingsOf(const Region& region) {
  std::vector<Timing> timings;
  for (const Instruction& instruction : region.instructions) {
    Timing timing;
    timing.latency = instruction.info().latency;
    timing.is_store = instruction.target.kind == Kind::kOutput;
    for (const Value& operand : instruction.operands) {
      if (operand.kind == Kind::kInput) timing.inputs |= 1u << operand.index;
    }
    timings.push_back(timing);
  }
  return timings;
}

// Cycles that another run over all bundles adds, if a group takes as long to read and to write as
// one of bf16 on v2.
uint64_t CyclesOf(const std::vector<Timing>& timings, const std::vector<BundlePlan>& bundles) {
  constexpr uint64_t kStoreCycles = 4 * arch::kVectorThreads;
  constexpr uint64_t kLoadCycles = 2 * arch::kVectorThreads;
  constexpr size_t kAhead = 2;  // bundles whose groups a stream's queue holds
  uint64_t cycles = 0, first_run = 0, writer_free = 0, reader_free = 0;
  // When each stream's last groups were taken, oldest first.
  std::array<std::array<uint64_t, kAhead>, arch::kInputStreams> taken{};
  for (size_t i = 0; i < 2 * bundles.size(); ++i) {
    if (i == bundles.size()) first_run = cycles;
    const BundlePlan& plan = bundles[i % bundles.size()];
    uint32_t latency = arch::kVectorThreads;
    uint32_t streams = 0;
    for (const size_t n : {plan.a, plan.b, plan.lane}) {
      if (n == BundlePlan::kEmpty) continue;
      latency = std::max(latency, timings[n].latency);
      streams |= timings[n].inputs;
      if (!timings[n].is_store) continue;
      cycles = std::max(cycles, writer_free);
      writer_free = cycles + kStoreCycles;
    }
    for (; streams != 0; streams &= streams - 1) {
      std::array<uint64_t, kAhead>& times = taken[static_cast<size_t>(std::countr_zero(streams))];
      reader_free = std::max(reader_free, times.front()) + kLoadCycles;
      // The last of the group's instances may come a little later than the first.
      cycles = std::max(cycles, reader_free - std::min<uint64_t>(reader_free, latency));
      std::rotate(times.begin(), times.begin() + 1, times.end());
      times.back() = cycles;
    }
    cycles += latency;
  }
  return cycles - first_run;
}

bool IsBetween(const Packing& packing, const Packing& least, const Packing& most) {
  const auto holds = [&](size_t Packing::* member) {
    return least.*member <= packing.*member && packing.*member <= most.*member;
  };
  return holds(&Packing::window) && holds(&Packing::store_distance) &&
         holds(&Packing::load_distance);
}

std::vector<Packing> Packings() {
  std::vector<Packing> packings;
  for (const size_t window : {512, 192, 96, 64, 48, 32, 24, 16, 12, 8, 6, 4, 3, 2, 1}) {
    for (const size_t store_distance : {0, 2, 4, 8}) {
      for (const size_t load_distance : {0, 1, 2, 3, 4}) {
        packings.push_back({window, store_distance, load_distance});
      }
    }
  }
  return packings;
}

}  // namespace

Result<Schedule> ScheduleAndAllocate(const std::string& kernel, const Region& region,
                                     const Symbols& symbols) {
  static const std::vector<Packing> packings = Packings();
  const Packer packer(region);
  const std::vector<Timing> timings = TimingsOf(region);
  const uint64_t least_cycles = packer.LeastCycles();
  std::optional<Schedule> best;
  uint64_t best_cycles = 0;
  std::optional<Allocation> closest;
  std::vector<std::pair<Packing, Packing>> known;  // packings that give what was seen
  for (const Packing& packing : packings) {
    if (best && best_cycles <= least_cycles) break;
    const bool is_known = std::any_of(known.begin(), known.end(), [&](const auto& range) {
      return IsBetween(packing, range.first, range.second);
    });
    if (is_known) continue;
    PackedBundles packed = packer.Pack(packing);
    known.emplace_back(packed.least, packed.most);
    const uint64_t cycles = CyclesOf(timings, packed.bundles);
    if (best && cycles >= best_cycles) continue;
    const uint32_t too_many = best      ? arch::kVectorRegisters + 1
                              : closest ? closest->register_count
                                        : UINT32_MAX;
    Allocation allocation =
        AllocateRegisters(region, packed.bundles, symbols.variables.size(), too_many);
    if (allocation.register_count > arch::kVectorRegisters) {
      if (!closest || allocation.register_count < closest->register_count) {
        closest = std::move(allocation);
      }
      continue;
    }
    best_cycles = cycles;
    best = Schedule{std::move(packed.bundles), std::move(allocation.registers),
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
