#include "sim/golden/chip/chip.h"

#include <algorithm>

#include "sim/golden/dma/dma_transfer.h"
#include "sim/golden/mxu/mxu.h"
#include "sim/golden/vpu/vpu.h"
#include "sim/golden/xlu/xlu.h"

namespace systolith::golden {

Chip::Chip(const arch::ChipConfig& config, bool check_hazards)
    : state_(config, check_hazards), sequencer_(state_, engines_) {
  engines_.push_back(nullptr);  // the sequencer is no engine with a queue
  engines_.push_back(std::make_unique<DmaLoad>(state_));
  engines_.push_back(std::make_unique<DmaStore>(state_));
  engines_.push_back(std::make_unique<Vpu>(state_));
  engines_.push_back(std::make_unique<Xlu>(state_));
  for (uint32_t unit = 0; unit < config.mxu_count; ++unit) {
    engines_.push_back(std::make_unique<Mxu>(state_, unit));
  }
}

void Chip::Start(uint64_t program_base, uint32_t program_bytes) {
  Stop();
  state_.flags.Clear();
  state_.counters = {};
  fault_ = {};
  if (state_.checker) state_.checker->StartJob(program_base, program_base + program_bytes);
  sequencer_.Start(program_base, program_bytes);
}

Chip::Outcome Chip::Work(uint32_t queue_depth) {
  for (const auto& engine : engines_) {
    if (engine == nullptr) continue;
    switch (engine->Run()) {
      case Engine::Outcome::kIdle:
      case Engine::Outcome::kBlocked: break;
      case Engine::Outcome::kWorking: return Outcome::kWorking;
      case Engine::Outcome::kFault: fault_ = engine->fault(); return Outcome::kFault;
    }
  }
  switch (sequencer_.Step(queue_depth)) {
    case Sequencer::Outcome::kWorking: return Outcome::kWorking;
    case Sequencer::Outcome::kBlocked: return Outcome::kBlocked;
    case Sequencer::Outcome::kHalted: return Outcome::kCompleted;
    case Sequencer::Outcome::kFault: break;
  }
  fault_ = sequencer_.fault();
  return Outcome::kFault;
}

void Chip::Stop() {
  for (const auto& engine : engines_) {
    if (engine != nullptr) engine->Clear();
  }
}

FaultRecord Chip::WatchdogFault() const {
  if (sequencer_.blocked_flag() != kNoFlag) {
    return {arch::Fault::kWatchdog, 0, sequencer_.pc(), sequencer_.blocked_flag(), 0};
  }
  for (const auto& engine : engines_) {
    if (engine == nullptr || engine->blocked_flag() == kNoFlag) continue;
    return {arch::Fault::kWatchdog, engine->number(), engine->pc(), engine->blocked_flag(), 0};
  }
  return {arch::Fault::kWatchdog, 0, sequencer_.pc(), kNoFlag, 0};
}

FaultRecord Chip::AbortFault() const {
  return {arch::Fault::kAborted, 0, sequencer_.pc(), kNoFlag, 0};
}

std::string Chip::violation() const {
  return state_.checker ? state_.checker->violation() : std::string();
}

uint64_t Chip::Cycles() const {
  return *std::max_element(state_.counters.busy.begin(), state_.counters.busy.end());
}

}  // namespace systolith::golden
