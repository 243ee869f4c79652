#include "tests/cosim/random_kernel.h"

#include <algorithm>

#include "sim/golden/testing/kernel.h"
#include "sim/golden/vpu/kernel_loops.h"

namespace systolith::cosim {

using arch::AluOp;
using golden::In;
using golden::K;
using golden::KernelLoops;
using golden::Out;
using golden::S;
using golden::V;
using golden::W;

namespace {

constexpr uint32_t kFirstOutput = arch::kInputStreams;
constexpr uint32_t kInPlaceInput = 3;
constexpr uint32_t kMostSteps = 6;          // of one output
constexpr uint64_t kMostBundles = 10'000;   // of one instance
constexpr uint32_t kRegisters = 8;          // few, so that they are read before overwritten

bool IsStream(uint32_t code) { return code >= In(0) && code < S(0); }
size_t StreamOf(uint32_t code) {
  return code < Out(0) ? code - In(0) : kFirstOutput + code - Out(0);
}

// Streams that the bundle names, each once.
std::bitset<kStreams> NamedBy(const arch::Bundle& bundle) {
  std::bitset<kStreams> named;
  const auto slot = [&](uint32_t op, uint32_t destination, std::array<uint32_t, 3> operands) {
    if (op == 0) return;
    if (IsStream(destination)) named.set(StreamOf(destination));
    for (const arch::OperationInfo& info : arch::kAluOps) {
      for (uint32_t i = 0; info.code == op && i < info.sources; ++i) {
        if (IsStream(operands[i])) named.set(StreamOf(operands[i]));
      }
    }
  };
  slot(bundle.a_op, bundle.a_dst, {bundle.a_x, bundle.a_y, bundle.a_z});
  slot(bundle.b_op, bundle.b_dst, {bundle.b_x, bundle.b_y, bundle.b_z});
  return named;
}

}  // namespace

Kernel::Work Kernel::WorkOf(const std::array<uint32_t, arch::kLoops>& counts,
                            uint32_t kernel_level) const {
  Work most;
  for (const uint32_t first : {uint32_t{0}, body}) {
    Work work;
    KernelLoops loops(counts, {}, kernel_level, first);
    for (KernelLoops::Outcome outcome = KernelLoops::Outcome::kNext;
         outcome == KernelLoops::Outcome::kNext;) {
      if (loops.bundle() >= bundles.size() || ++work.bundles > kMostBundles) return {};
      const arch::Bundle& bundle = bundles[loops.bundle()];
      const std::bitset<kStreams> named = NamedBy(bundle);
      for (size_t q = 0; q < kStreams; ++q) work.groups[q] += named[q] ? 1 : 0;
      if (!loops.Enter(bundle)) return {};
      outcome = loops.Leave(bundle);
      if (outcome == KernelLoops::Outcome::kExitInLoop) return {};
    }
    most.bundles = std::max(most.bundles, work.bundles);
    for (size_t q = 0; q < kStreams; ++q) most.groups[q] = std::max(most.groups[q], work.groups[q]);
  }
  most.legal = true;
  return most;
}

Kernel RandomKernel::Generate(bool prologue, uint32_t kernel_level) {
  kernel_ = {};
  const int64_t constants = rng_.Chance(0.3) ? rng_.Range(51, 128) : rng_.Range(1, 50);
  for (int64_t i = 0; i < constants; ++i) {
    // Half of them f32 of middling size.
    kernel_.constants.push_back(rng_.Chance(0.5) ? rng_.U32()
                                                 : 0x3e000000 + (rng_.U32() & 0x83ffffff));
  }
  if (prologue) Append(static_cast<int>(rng_.Range(1, 5)), true);
  kernel_.body = static_cast<uint32_t>(kernel_.bundles.size());
  Append(static_cast<int>(rng_.Range(1, 12)), false);
  AddLoops(kernel_level);
  return kernel_;
}

void RandomKernel::Append(int bundles, bool prologue) {
  written_.reset();
  for (int i = 0; i < bundles; ++i) {
    kernel_.bundles.push_back(Bundle(prologue, !prologue && i + 1 == bundles));
  }
  kernel_.bundles.back().exit = 1;
}

uint32_t RandomKernel::Register() {
  std::vector<uint32_t> candidates;
  for (uint32_t r = 0; r < arch::kVectorRegisters; ++r) {
    if (written_[r]) candidates.push_back(V(r));
  }
  const size_t own = candidates.size();
  for (uint32_t r = 0; r < arch::kSharedRegisters; ++r) {
    if (shared_[r] && (own == 0 || rng_.Chance(0.3))) candidates.push_back(W(r));
  }
  if (candidates.empty()) return ScalarOrConstant();
  return candidates[rng_.Below(candidates.size())];
}

uint32_t RandomKernel::ScalarOrConstant() {
  if (rng_.Chance(0.5)) return S(static_cast<uint32_t>(rng_.Below(arch::kVectorScalars)));
  return K(static_cast<uint32_t>(rng_.Below(kernel_.constants.size())));
}

uint32_t RandomKernel::Operand(const Slot& slot) {
  if (in_place_ && slot.destination == Out(0) && rng_.Chance(0.4)) return In(kInPlaceInput);
  const uint64_t kind = rng_.Below(10);
  if (kind < 3) {
    return In(static_cast<uint32_t>(rng_.Below(arch::kInputStreams - (in_place_ ? 1 : 0))));
  }
  if (kind < 5) return ScalarOrConstant();
  return Register();
}

uint32_t RandomKernel::Destination(bool prologue) {
  if (prologue && rng_.Chance(0.5)) return W(static_cast<uint32_t>(rng_.Below(kRegisters)));
  // Some registers at the far end, too.
  return V(static_cast<uint32_t>(rng_.Chance(0.2) ? rng_.Range(24, 31) : rng_.Below(kRegisters)));
}

bool RandomKernel::NamesStreamOf(const Slot& slot, const Slot& other) const {
  const auto names = [](const Slot& s, uint32_t code) {
    return std::find(s.operands.begin(), s.operands.end(), code) != s.operands.end();
  };
  for (const uint32_t code : slot.operands) {
    if (IsStream(code) && names(other, code)) return true;
  }
  return false;
}

RandomKernel::Slot RandomKernel::AluSlot(bool a, bool prologue, bool must_write) {
  Slot slot;
  const arch::OperationInfo* info = nullptr;
  do {
    info = &arch::kAluOps[rng_.Below(arch::kAluOps.size())];
  } while (!(a ? info->slot_a : info->slot_b) ||
           (info->code == static_cast<uint32_t>(AluOp::kLookup) &&
            kernel_.constants.size() < arch::kLookupEntries));
  slot.op = info->code;
  slot.destination = Destination(prologue);
  slot.step = static_cast<uint32_t>(rng_.Chance(0.1) ? rng_.Below(32) : rng_.Below(3));
  if (must_write || rng_.Chance(0.3)) {
    const uint32_t output = static_cast<uint32_t>(rng_.Below(arch::kOutputStreams));
    uint32_t& steps = kernel_.steps[kFirstOutput + output];
    if (steps < kMostSteps) {
      slot.destination = Out(output);
      slot.step = steps++;
    }
  }
  for (uint32_t i = 0; i < 3; ++i) {
    // What the operation does not read is ignored, whatever it is.
    slot.operands[i] = i < info->sources ? Operand(slot) : static_cast<uint32_t>(rng_.Below(256));
  }
  if (slot.op == static_cast<uint32_t>(AluOp::kLookup)) {
    slot.operands[1] = K(static_cast<uint32_t>(
        rng_.Below(kernel_.constants.size() - arch::kLookupEntries + 1)));
  }
  return slot;
}

RandomKernel::Slot RandomKernel::LaneSlot(bool prologue) {
  Slot slot;
  const arch::OperationInfo& info = arch::kLaneOps[rng_.Below(arch::kLaneOps.size())];
  for (uint32_t i = 0; i < info.sources; ++i) {
    slot.operands[i] = Register();
    if (slot.operands[i] >= In(0)) return {};  // there is no register to read
  }
  slot.op = info.code;
  slot.destination = Destination(prologue);
  slot.operands[2] = info.amount ? ScalarOrConstant() : static_cast<uint32_t>(rng_.Below(256));
  return slot;
}

void RandomKernel::Name(const Slot& slot, uint32_t sources) {
  for (uint32_t i = 0; i < sources; ++i) {
    if (!IsStream(slot.operands[i])) continue;
    uint32_t& steps = kernel_.steps[StreamOf(slot.operands[i])];
    steps = std::max(steps, slot.step + 1);
  }
}

arch::Bundle RandomKernel::Bundle(bool prologue, bool must_write) {
  const auto sources = [](const Slot& slot) {
    uint32_t count = 0;
    for (const arch::OperationInfo& info : arch::kAluOps) {
      if (info.code == slot.op) count = info.sources;
    }
    return count;
  };
  Slot a, b, lane;
  if (must_write || rng_.Chance(0.85)) a = AluSlot(true, prologue, must_write);
  if (rng_.Chance(0.8)) b = AluSlot(false, prologue, false);
  if (rng_.Chance(0.4)) lane = LaneSlot(prologue);
  // Slots must not share a destination, nor a stream at different steps.
  if (b.op != 0 && (b.destination == a.destination ||
                    (b.step != a.step && NamesStreamOf(a, b)))) {
    b = {};
  }
  if (lane.op != 0 && ((a.op != 0 && lane.destination == a.destination) ||
                       (b.op != 0 && lane.destination == b.destination))) {
    lane = {};
  }
  Name(a, sources(a));
  Name(b, sources(b));
  for (const Slot* slot : {&a, &b, &lane}) {
    if (slot->op == 0) continue;
    if (slot->destination < W(0)) written_.set(slot->destination);
    else if (slot->destination < In(0)) shared_.set(slot->destination - W(0));
  }
  arch::Bundle bundle;
  bundle.a_op = a.op, bundle.a_dst = a.destination, bundle.a_step = a.step;
  bundle.a_x = a.operands[0], bundle.a_y = a.operands[1], bundle.a_z = a.operands[2];
  bundle.b_op = b.op, bundle.b_dst = b.destination, bundle.b_step = b.step;
  bundle.b_x = b.operands[0], bundle.b_y = b.operands[1], bundle.b_z = b.operands[2];
  bundle.lane_op = lane.op, bundle.lane_dst = lane.destination;
  bundle.lane_x = lane.operands[0], bundle.lane_y = lane.operands[1];
  bundle.lane_z = lane.operands[2];
  return bundle;
}

// Intervals of bundles, within the prologue or the body, that nest or lie apart.
void RandomKernel::AddLoops(uint32_t kernel_level) {
  struct Interval {
    size_t first, last;
    uint32_t loop;
  };
  std::vector<Interval> intervals;
  for (int tries = static_cast<int>(rng_.Below(5)); tries > 0 && kernel_level < 6; --tries) {
    const bool prologue = rng_.Chance(0.3) && kernel_.body > 0;
    const size_t begin = prologue ? 0 : kernel_.body;
    const size_t end = prologue ? kernel_.body : kernel_.bundles.size();
    size_t first = begin + rng_.Below(end - begin), last = begin + rng_.Below(end - begin);
    if (first > last) std::swap(first, last);
    const uint32_t loop = static_cast<uint32_t>(rng_.Range(kernel_level, 5));
    const bool fits = std::all_of(intervals.begin(), intervals.end(), [&](const Interval& other) {
      const bool apart = last < other.first || other.last < first;
      const bool inside = other.first <= first && last <= other.last && loop > other.loop;
      const bool around = first <= other.first && other.last <= last && loop < other.loop;
      // Where bodies do not begin or end together, loops may nest in any order.
      const bool strictly = loop != other.loop && ((other.first < first && last < other.last) ||
                                                   (first < other.first && other.last < last));
      return apart || inside || around || strictly;
    });
    if (!fits) continue;
    intervals.push_back({first, last, loop});
    kernel_.bundles[first].loop_start |= 1u << loop;
    kernel_.bundles[last].loop_end |= 1u << loop;
  }
}

}  // namespace systolith::cosim
