#include "sim/golden/checker/hazard_checker.h"

#include <fmt/format.h>

#include "sim/golden/checker/describe.h"

namespace systolith::golden {
namespace {

constexpr size_t kLongestWait = 1 << 15;  // raises that 16-bit serial arithmetic can tell apart

std::string RowName(int mxu, uint32_t row) {
  return fmt::format("accumulator row {} of mxu{}", row, mxu);
}

}  // namespace

HazardChecker::HazardChecker(int mxu_count, int accumulator_rows)
    : mxu_count_(mxu_count), accumulator_rows_(accumulator_rows) {
  StartJob(0, 0);
}

void HazardChecker::StartJob(uint64_t program_begin, uint64_t program_end) {
  for (int a = 0; a < kAgents; ++a) {
    agents_[a] = {};
    agents_[a].instruction.agent = static_cast<Agent>(a);
    agents_[a].clock.moments[a] = 1;
  }
  buffer_.Clear();
  hbm_.Clear();
  accumulators_.assign(static_cast<size_t>(mxu_count_) * accumulator_rows_, {});
  raises_ = {};
  program_begin_ = program_begin;
  program_end_ = program_end;
  violation_.clear();
}

void HazardChecker::Report(const std::string& violation) {
  if (violation_.empty()) violation_ = violation;
}

VectorClock HazardChecker::Issue() {
  AgentState& sequencer = agents_[kSequencerAgent];
  Flush(sequencer);
  const VectorClock issued = sequencer.clock;
  ++sequencer.clock.moments[kSequencerAgent];
  return issued;
}

void HazardChecker::Begin(Agent agent, const VectorClock& issued, const Access& instruction) {
  AgentState& state = agents_[agent];
  state.clock.Join(issued);
  state.instruction = instruction;
  state.instruction.agent = agent;
}

void HazardChecker::End(Agent agent) { Flush(agents_[agent]); }

void HazardChecker::Acquire(Agent agent, uint32_t flag, uint64_t raise) {
  const RaiseLog& log = raises_[flag];
  if (raise <= log.dropped || raise > log.dropped + log.clocks.size()) return;
  Flush(agents_[agent]);
  agents_[agent].clock.Join(log.clocks[raise - log.dropped - 1]);
}

void HazardChecker::Raise(Agent agent, Agent weights, uint32_t flag) {
  if (weights != agent) JoinWeights(agent, weights);
  AgentState& state = agents_[agent];
  Flush(state);
  RaiseLog& log = raises_[flag];
  log.clocks.push_back(state.clock);
  if (log.clocks.size() > kLongestWait) {
    log.clocks.pop_front();
    ++log.dropped;
  }
  ++state.clock.moments[agent];
}

void HazardChecker::JoinWeights(Agent activations, Agent weights) {
  AgentState& stream = agents_[weights];
  Flush(stream);
  Flush(agents_[activations]);
  agents_[activations].clock.Join(stream.clock);
  ++stream.clock.moments[weights];
}

Access HazardChecker::Current(const AgentState& agent) const {
  Access access = agent.instruction;
  access.moment = agent.clock.moments[access.agent];
  return access;
}

void HazardChecker::Touch(Agent agent, Port port, Space space, uint64_t begin, uint64_t end) {
  AgentState& state = agents_[agent];
  Pending& pending = state.pending[static_cast<int>(port)];
  const Pending& writes = state.pending[static_cast<int>(Port::kWrite)];
  if (port != Port::kWrite && writes.active && writes.space == space && begin < writes.end &&
      writes.begin < end) {
    ReportConflict(state, false, fmt::format("buffer bytes [{:#x}, {:#x})", begin, end),
                   Current(state), true);
  }
  if (pending.active && pending.space == space) {
    if (begin == pending.end) {
      pending.end = end;
      return;
    }
    if (begin >= pending.begin && end <= pending.end) return;
  }
  FlushPort(state, port);
  pending = {true, space, begin, end};
}

void HazardChecker::Flush(AgentState& agent) { FlushPort(agent, Port::kWrite); }

void HazardChecker::FlushPort(AgentState& agent, Port port) {
  // Reads go first: those after the write were compared with it when they happened.
  if (port == Port::kWrite) {
    for (int read = 0; read < static_cast<int>(Port::kWrite); ++read) {
      FlushPort(agent, static_cast<Port>(read));
    }
  }
  Pending& pending = agent.pending[static_cast<int>(port)];
  if (!pending.active) return;
  pending.active = false;
  AccessHistory& history = pending.space == Space::kBuffer ? buffer_ : hbm_;
  const bool writes = port == Port::kWrite;
  const Access access = Current(agent);
  const auto conflict = writes ? history.Write(pending.begin, pending.end, access, agent.clock)
                               : history.Read(pending.begin, pending.end, access, agent.clock);
  const char* name = pending.space == Space::kBuffer ? "buffer" : "HBM";
  if (conflict) {
    ReportConflict(agent, writes,
                   fmt::format("{} bytes [{:#x}, {:#x})", name, conflict->begin, conflict->end),
                   conflict->earlier, conflict->earlier_wrote);
  }
  if (writes && pending.space == Space::kHbm && pending.begin < program_end_ &&
      program_begin_ < pending.end) {
    Report(fmt::format("hazard: {} writes HBM bytes [{:#x}, {:#x}), where the running program lies",
                       Describe(access), pending.begin, pending.end));
  }
}

HazardChecker::AccumulatorRow& HazardChecker::Row(int mxu, uint32_t row) {
  return accumulators_[static_cast<size_t>(mxu) * accumulator_rows_ + row];
}

void HazardChecker::ReadAccumulator(Agent agent, int mxu, uint32_t row) {
  AgentState& state = agents_[agent];
  AccumulatorRow& history = Row(mxu, row);
  if (history.write.moment == 0) {
    Report(fmt::format("{} reads {}, which no instruction of this job wrote",
                       Describe(Current(state)), RowName(mxu, row)));
  } else if (state.clock.moments[history.write.agent] < history.write.moment) {
    ReportConflict(state, false, RowName(mxu, row), history.write, true);
  }
  if (agent < kFirstMxuAgent) history.vpu_read = Current(state);
}

void HazardChecker::WriteAccumulator(Agent agent, int mxu, uint32_t row) {
  AgentState& state = agents_[agent];
  AccumulatorRow& history = Row(mxu, row);
  if (state.clock.moments[history.vpu_read.agent] < history.vpu_read.moment) {
    ReportConflict(state, true, RowName(mxu, row), history.vpu_read, false);
  }
  history.write = Current(state);
}

void HazardChecker::ReportConflict(const AgentState& agent, bool writes, const std::string& place,
                                   const Access& earlier, bool earlier_wrote) {
  if (!violation_.empty()) return;
  const Access access = Current(agent);
  if (earlier.serial == access.serial && earlier.agent == access.agent) {
    Report(fmt::format("hazard: {} reads {}, which an earlier iteration of the same instruction "
                       "wrote; that write need not be visible yet: split the instruction",
                       Describe(access), place));
    return;
  }
  Report(fmt::format(
      "hazard: {} {} {}, which {} {}, and nothing orders the two: {} has to signal a flag after "
      "that, and {} has to wait for it{}",
      Describe(access), writes ? "writes" : "reads", place, Describe(earlier),
      earlier_wrote ? "wrote" : "read", EngineName(earlier.agent), EngineName(access.agent),
      access.agent >= kFirstWeightsAgent ? " with `weights`" : ""));
}

}  // namespace systolith::golden
