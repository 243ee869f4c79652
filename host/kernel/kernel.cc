#include "host/kernel/kernel.h"

#include <fmt/format.h>

#include <algorithm>
#include <cassert>

#include "host/isa/kernel_text.h"
#include "host/kernel/ir.h"

namespace systolith::kernel {
namespace {

constexpr uint32_t kBundlesPerLoad = 10;
constexpr uint32_t kConstantsPerLoad = 50;

arch::LoadKernel Load(arch::KernelPart part, uint32_t first, uint32_t count) {
  arch::LoadKernel load;
  load.opcode = static_cast<uint32_t>(arch::Opcode::kLoadKernel);
  load.engine = static_cast<uint32_t>(arch::Engine::kVpu);
  load.quads = arch::kLoadKernelWords / 4;
  load.part = static_cast<uint32_t>(part);
  load.first = first;
  load.count = count;
  return load;
}

// Calls visit(bundle, times) for the bundles first..end-1: a prologue or a body.
template <typename Visit>
void Walk(const Kernel& kernel, size_t first, size_t end,
          const std::array<uint32_t, arch::kLoops>& counts, Visit visit) {
  uint64_t times = 1;
  uint32_t active = 0;
  for (size_t n = first; n < end; ++n) {
    const arch::Bundle bundle = arch::DecodeBundle(kernel.bundles[n]);
    for (int loop = 0; loop < arch::kLoops; ++loop) {
      const auto l = static_cast<size_t>(loop);
      if ((bundle.loop_start >> loop & 1) != 0 && (active >> loop & 1) == 0) {
        active |= 1u << loop;
        times *= counts[l];
      }
    }
    visit(bundle, times);
    for (int loop = arch::kLoops - 1; loop >= 0; --loop) {
      if ((bundle.loop_end >> loop & 1) == 0) continue;
      active &= ~(1u << loop);
      times /= std::max(counts[static_cast<size_t>(loop)], 1u);
    }
  }
}

}  // namespace

const arch::OperationInfo& Info(arch::AluOp op) {
  const auto found = std::find_if(arch::kAluOps.begin(), arch::kAluOps.end(), [&](const auto& o) {
    return o.code == static_cast<uint32_t>(op);
  });
  assert(found != arch::kAluOps.end());
  return *found;
}

const arch::OperationInfo& Info(arch::LaneOp op) {
  const auto found =
      std::find_if(arch::kLaneOps.begin(), arch::kLaneOps.end(),
                   [&](const auto& o) { return o.code == static_cast<uint32_t>(op); });
  assert(found != arch::kLaneOps.end());
  return *found;
}

const arch::OperationInfo& Instruction::info() const {
  return is_lane ? Info(static_cast<arch::LaneOp>(code)) : Info(static_cast<arch::AluOp>(code));
}

uint32_t BundleCycles(const arch::Bundle& bundle) {
  uint32_t cycles = arch::kVectorThreads;
  for (const uint32_t code : {bundle.a_op, bundle.b_op}) {
    if (code != 0) cycles = std::max(cycles, Info(static_cast<arch::AluOp>(code)).latency);
  }
  if (bundle.lane_op != 0) {
    cycles = std::max(cycles, Info(static_cast<arch::LaneOp>(bundle.lane_op)).latency);
  }
  return cycles;
}

uint64_t Kernel::BodyBundles(const std::array<uint32_t, arch::kLoops>& counts) const {
  uint64_t total = 0;
  Walk(*this, body, bundles.size(), counts,
       [&](const arch::Bundle&, uint64_t times) { total += times; });
  return total;
}

uint64_t Kernel::MostBundles(const std::array<uint32_t, arch::kLoops>& counts) const {
  uint64_t prologue = 0;
  if (has_prologue) {
    Walk(*this, 0, body, counts, [&](const arch::Bundle&, uint64_t times) { prologue += times; });
  }
  return std::max(prologue, BodyBundles(counts));
}

uint64_t Kernel::BodyCycles(const std::array<uint32_t, arch::kLoops>& counts) const {
  uint64_t total = 0;
  Walk(*this, body, bundles.size(), counts, [&](const arch::Bundle& bundle, uint64_t times) {
    total += times * BundleCycles(bundle);
  });
  return total;
}

std::vector<arch::LoadKernel> LoadInstructions(const Kernel& kernel, uint32_t kernel_base,
                                               uint32_t constant_base) {
  std::vector<arch::LoadKernel> loads;
  const auto bundle_count = static_cast<uint32_t>(kernel.bundles.size());
  for (uint32_t first = 0; first < bundle_count; first += kBundlesPerLoad) {
    const uint32_t count = std::min(kBundlesPerLoad, bundle_count - first);
    arch::LoadKernel load = Load(arch::KernelPart::kBundles, kernel_base + first, count);
    for (uint32_t i = 0; i < count; ++i) {
      std::copy(kernel.bundles[first + i].begin(), kernel.bundles[first + i].end(),
                load.data.begin() + i * arch::kBundleWords);
    }
    loads.push_back(load);
  }
  const auto constant_count = static_cast<uint32_t>(kernel.constants.size());
  for (uint32_t first = 0; first < constant_count; first += kConstantsPerLoad) {
    const uint32_t count = std::min(kConstantsPerLoad, constant_count - first);
    arch::LoadKernel load = Load(arch::KernelPart::kConstants, constant_base + first, count);
    std::copy_n(kernel.constants.begin() + first, count, load.data.begin());
    loads.push_back(load);
  }
  return loads;
}

std::string Listing(const Kernel& kernel) {
  std::vector<std::string> notes;
  for (const std::vector<Location>& locations : kernel.sources) {
    std::string note;
    for (const Location& location : locations) {
      const std::string place = fmt::format("{}:{}", location.file, location.line);
      if (location.line == 0 || note.find(place) != std::string::npos) continue;
      note += (note.empty() ? "" : ", ") + place;
    }
    notes.push_back(std::move(note));
  }
  return isa::KernelListing(
      {kernel.bundles, kernel.constants, kernel.body, kernel.has_prologue}, notes);
}

}  // namespace systolith::kernel
