#include "sim/golden/prim/engine.h"

#include <fmt/format.h>

#include <algorithm>

#include "sim/golden/checker/describe.h"

namespace systolith::golden {
namespace {

// Iterations after which Run() returns, so that a host can stop a very long instruction.
constexpr int kSlice = 4096;

// The outermost `loops` of an instruction; the others are as if they did not exist.
std::array<uint32_t, arch::kLoops> Counts(const Instruction& instruction, uint32_t loops) {
  std::array<uint32_t, arch::kLoops> counts;
  counts.fill(1);
  // All loop nests have their counts in the same words, behind the prefix.
  std::copy_n(instruction.words.begin() + arch::kPrefixWords, loops, counts.begin());
  return counts;
}

Access AccessOf(const Instruction& instruction) {
  return {static_cast<Agent>(instruction.engine), static_cast<uint8_t>(instruction.opcode), 0,
          instruction.pc, instruction.serial};
}

}  // namespace

Engine::Outcome Engine::Run() {
  if (queue_.empty()) return Outcome::kIdle;
  if (!started_) {
    if (const Outcome outcome = Begin(); outcome != Outcome::kWorking) return outcome;
  }
  const bool sync = queue_.front().opcode == arch::Opcode::kSync;
  for (int iteration = 0; iteration < kSlice; ++iteration) {
    const Outcome blocked = iteration > 0 ? Outcome::kWorking : Outcome::kBlocked;
    if (HasWeightStream() && !PassWaits(true)) return blocked;
    if (!sync && !weights_loaded_) {
      if (const MaybeFault fault = LoadWeights()) return Fail(*fault);
      weights_loaded_ = true;
    }
    if (!PassWaits(false)) return blocked;
    if (!sync) {
      if (const MaybeFault fault = Iterate()) return Fail(*fault);
    }
    RaiseSignals();
    passed_ = {};
    weights_loaded_ = false;
    nest_.Step();
    if (nest_.done()) return Finish();
  }
  return Outcome::kWorking;
}

void Engine::Clear() {
  queue_.clear();
  started_ = false;
  passed_ = {};
  weights_loaded_ = false;
  blocked_flag_ = kNoFlag;
  fault_ = {};
}

Engine::Outcome Engine::Begin() {
  const Instruction& instruction = queue_.front();
  if (state_.checker) {
    state_.checker->Begin(agent(), instruction.issued, AccessOf(instruction));
    if (HasWeightStream()) {
      state_.checker->Begin(weights_agent(), instruction.issued, AccessOf(instruction));
    }
  }
  if (instruction.opcode != arch::Opcode::kSync) {
    if (const MaybeFault fault = Start(instruction)) return Fail(*fault);
  }
  const bool sync = instruction.opcode == arch::Opcode::kSync;
  nest_ = LoopNest(Counts(instruction, sync ? 0 : Loops()));
  started_ = true;
  return Outcome::kWorking;
}

Engine::Outcome Engine::Finish() {
  if (state_.checker) {
    state_.checker->End(agent());
    if (HasWeightStream()) state_.checker->End(weights_agent());
  }
  queue_.pop_front();
  started_ = false;
  Spend(1);
  return Outcome::kWorking;
}

bool Engine::PassWaits(bool weights) {
  Instruction& instruction = queue_.front();
  const bool sync = instruction.opcode == arch::Opcode::kSync;  // holds the whole engine
  for (size_t i = 0; i < instruction.waits.size(); ++i) {
    Wait& wait = instruction.waits[i];
    const bool of_weights = HasWeightStream() && wait.weights && !sync;
    if (!wait.valid || of_weights != weights || passed_[i] || !nest_.Starts(wait.level)) continue;
    const bool checked = state_.checker && wait.flag < arch::kRemoteFlagBase;
    if (checked && !Flags::Reached(wait.issued_raises, wait.target)) {
      state_.checker->Report(fmt::format(
          "wait rule: {} waits until flag {} reaches {}, but the instructions before it in program "
          "order raise it only {} times",
          Describe(AccessOf(instruction)), wait.flag, wait.target, wait.issued_raises));
    }
    const auto raise = state_.flags.Reached(wait.flag, wait.target);
    if (!raise) {
      blocked_flag_ = wait.flag;
      return false;
    }
    if (checked) {
      if (weights || sync) state_.checker->Acquire(weights_agent(), wait.flag, *raise);
      if (!weights) state_.checker->Acquire(agent(), wait.flag, *raise);
    }
    passed_[i] = true;
    wait.target = static_cast<uint16_t>(wait.target + wait.step);
  }
  blocked_flag_ = kNoFlag;
  return true;
}

void Engine::RaiseSignals() {
  for (const Signal& signal : queue_.front().signals) {
    if (!signal.valid || !nest_.Ends(signal.level)) continue;
    state_.flags.Raise(signal.flag);
    if (state_.checker) state_.checker->Raise(agent(), weights_agent(), signal.flag);
  }
}

Engine::Outcome Engine::Fail(const EngineFault& fault) {
  fault_ = {fault.cause, number_, queue_.front().pc, kNoFlag, fault.address};
  return Outcome::kFault;
}

}  // namespace systolith::golden
