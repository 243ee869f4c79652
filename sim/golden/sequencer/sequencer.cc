#include "sim/golden/sequencer/sequencer.h"

#include <fmt/format.h>

#include <span>

#include "sim/golden/checker/describe.h"

namespace systolith::golden {
namespace {

using arch::Opcode;

constexpr uint32_t kQuadBytes = 16;

bool HasLoops(Opcode opcode) {
  return opcode == Opcode::kLoad || opcode == Opcode::kStore || opcode == Opcode::kMatmul ||
         opcode == Opcode::kVector || opcode == Opcode::kTranspose;
}

int32_t Signed(uint32_t value) { return static_cast<int32_t>(value); }

}  // namespace

Sequencer::Sequencer(ChipState& state, const std::vector<std::unique_ptr<Engine>>& engines)
    : state_(state), engines_(engines) {}

void Sequencer::Start(uint64_t program_base, uint32_t program_bytes) {
  program_base_ = program_base;
  program_bytes_ = program_bytes;
  pc_ = 0;
  serial_ = 0;
  scalars_ = {};
  issued_raises_ = {};
  producers_.fill(-1);
  blocked_flag_ = kNoFlag;
  fault_ = {};
  if (program_bytes > 0) {
    state_.counters.read_bytes += state_.LinesOf(program_base, program_bytes) *
                                  static_cast<uint64_t>(state_.config.memory_line_bytes);
  }
}

Sequencer::Outcome Sequencer::Fail(arch::Fault cause, uint64_t address, uint32_t engine) {
  fault_ = {cause, engine, pc_, kNoFlag, address};
  return Outcome::kFault;
}

bool Sequencer::Fetch(uint32_t offset, std::span<uint32_t> words) {
  if (uint64_t{offset} + words.size_bytes() > program_bytes_) return false;
  state_.hbm.Read(program_base_ + offset, std::as_writable_bytes(words));
  return true;
}

bool Sequencer::LegalHeader(const arch::Header& header, const arch::InstructionInfo* info) const {
  if (info == nullptr || header.quads * kQuadBytes != info->words * sizeof(uint32_t)) return false;
  if (info->format == "scalar") return header.engine == 0;
  if (header.engine >= engines_.size() || engines_[header.engine] == nullptr) return false;
  const arch::Engine engine = static_cast<arch::Engine>(header.engine);
  switch (info->opcode) {
    case Opcode::kLoad: return engine == arch::Engine::kDmaLoad;
    case Opcode::kStore: return engine == arch::Engine::kDmaStore;
    case Opcode::kVector:
    case Opcode::kStream:
    case Opcode::kLoadKernel: return engine == arch::Engine::kVpu;
    case Opcode::kTranspose: return engine == arch::Engine::kXlu;
    case Opcode::kMatmul: return engine >= arch::Engine::kMxu0;
    default: return true;  // sync
  }
}

Sequencer::Outcome Sequencer::Step(uint32_t queue_depth) {
  blocked_flag_ = kNoFlag;
  Instruction instruction;
  const std::span<uint32_t> words = instruction.words;
  if (!Fetch(pc_, words.first(1))) return Fail(arch::Fault::kProgramBounds, pc_);
  const arch::Header header = arch::DecodeHeader(words);
  const arch::InstructionInfo* info = arch::FindInstruction(header.opcode);
  if (!LegalHeader(header, info)) return Fail(arch::Fault::kIllegalOpcode, words[0]);
  if (!Fetch(pc_, words.first(info->words))) return Fail(arch::Fault::kProgramBounds, pc_);

  Outcome outcome;
  if (header.engine == 0) {
    outcome = ExecuteScalar(arch::DecodeScalar(words));
  } else {
    Engine& engine = *engines_[header.engine];
    if (engine.used() >= queue_depth) return Outcome::kBlocked;
    instruction.opcode = info->opcode;
    instruction.engine = header.engine;
    outcome = Issue(instruction, engine);
  }
  if (outcome == Outcome::kWorking || outcome == Outcome::kHalted) {
    ++state_.counters.instructions;
    ++state_.counters.busy[0];
  }
  return outcome;
}

Access Sequencer::OwnAccess(Opcode opcode) const {
  return {kSequencerAgent, static_cast<uint8_t>(opcode), 0, pc_, serial_};
}

Sequencer::Outcome Sequencer::ExecuteScalar(const arch::Scalar& scalar) {
  switch (static_cast<Opcode>(scalar.opcode)) {
    case Opcode::kHalt: return AllIdle() ? Outcome::kHalted : Outcome::kBlocked;
    case Opcode::kAdd:
      SetScalar(scalar.rd, scalars_[scalar.rs] + scalars_[scalar.rt] +
                               static_cast<uint32_t>(scalar.imm));
      return Advance();
    case Opcode::kBranch: return ExecuteBranch(scalar);
    case Opcode::kLoadScalar: return ExecuteLoadScalar(scalar);
    default: return ExecuteAwait(scalar);
  }
}

Sequencer::Outcome Sequencer::ExecuteBranch(const arch::Scalar& scalar) {
  const int32_t left = Signed(scalars_[scalar.rs]);
  const int32_t right = Signed(scalars_[scalar.rt] + static_cast<uint32_t>(scalar.imm));
  bool taken = false;
  switch (static_cast<arch::Condition>(scalar.condition)) {
    case arch::Condition::kAlways: taken = true; break;
    case arch::Condition::kEq: taken = left == right; break;
    case arch::Condition::kNe: taken = left != right; break;
    case arch::Condition::kLt: taken = left < right; break;
    case arch::Condition::kGe: taken = left >= right; break;
    default: return Fail(arch::Fault::kIllegalField, scalar.condition);
  }
  if (!taken) return Advance();
  if (scalar.target % kQuadBytes != 0) return Fail(arch::Fault::kIllegalField, scalar.target);
  pc_ = scalar.target;
  return Outcome::kWorking;
}

Sequencer::Outcome Sequencer::ExecuteLoadScalar(const arch::Scalar& scalar) {
  const uint32_t address = scalars_[scalar.rs] + static_cast<uint32_t>(scalar.imm);
  if (address % 4 != 0) return Fail(arch::Fault::kMisaligned, address);
  if (const auto outside = state_.buffer.OutOfRange(address, 4)) {
    return Fail(arch::Fault::kBufferRange, *outside);
  }
  if (state_.checker) {
    ++serial_;
    state_.checker->Begin(kSequencerAgent, {}, OwnAccess(Opcode::kLoadScalar));
    state_.checker->Touch(kSequencerAgent, Port::kRead0, Space::kBuffer, address, address + 4);
    state_.checker->End(kSequencerAgent);
  }
  SetScalar(scalar.rd, state_.buffer.Word(address));
  return Advance();
}

Sequencer::Outcome Sequencer::ExecuteAwait(const arch::Scalar& scalar) {
  const uint32_t flag = scalar.target;
  if (flag >= arch::kFlags) return Fail(arch::Fault::kIllegalField, flag);
  const uint16_t target =
      static_cast<uint16_t>(scalars_[scalar.rs] + static_cast<uint32_t>(scalar.imm));
  const auto raise = state_.flags.Reached(flag, target);
  if (!raise) {
    blocked_flag_ = flag;
    return Outcome::kBlocked;
  }
  if (state_.checker && flag < arch::kRemoteFlagBase) {
    state_.checker->Acquire(kSequencerAgent, flag, *raise);
  }
  return Advance();
}

bool Sequencer::AllIdle() const {
  for (const auto& engine : engines_) {
    if (engine != nullptr && !engine->idle()) return false;
  }
  return true;
}

Sequencer::Outcome Sequencer::Issue(Instruction& instruction, Engine& engine) {
  const arch::Prefix prefix = arch::DecodePrefix(instruction.words);
  AddRegisters(instruction, prefix);
  bool legal = DecodeSync(instruction, prefix);
  if (HasLoops(instruction.opcode)) {
    for (int l = 0; l < arch::kLoops; ++l) {
      if (instruction.words[arch::kPrefixWords + l] == 0) legal = false;
    }
  }
  if (!legal) return Fail(arch::Fault::kIllegalField, 0, instruction.engine);
  instruction.pc = pc_;
  instruction.serial = ++serial_;
  if (state_.checker) {
    AccountSignals(instruction);
    instruction.issued = state_.checker->Issue();
  }
  engine.Push(instruction);
  pc_ += arch::DecodeHeader(instruction.words).quads * kQuadBytes;
  return Outcome::kWorking;
}

void Sequencer::AddRegisters(Instruction& instruction, const arch::Prefix& prefix) const {
  const auto add = [&](uint32_t word, uint32_t reg) {
    if (reg != 0 && word >= arch::kPrefixWords) instruction.words[word] += scalars_[reg];
  };
  add(prefix.patch0_word, prefix.patch0_reg);
  add(prefix.patch1_word, prefix.patch1_reg);
  add(prefix.patch2_word, prefix.patch2_reg);
  add(prefix.patch3_word, prefix.patch3_reg);
}

bool Sequencer::DecodeSync(Instruction& instruction, const arch::Prefix& prefix) const {
  bool legal = true;
  const auto wait = [&](int i, uint32_t valid, uint32_t flag, uint32_t level, uint32_t weights,
                        uint32_t reg, uint32_t target, uint32_t step) {
    if (valid == 0) return;
    if (flag >= arch::kFlags || level > arch::kLoops) {
      legal = false;
      return;
    }
    instruction.waits[i] = {true,
                            flag,
                            level,
                            weights != 0,
                            static_cast<uint16_t>(target + scalars_[reg]),
                            static_cast<uint16_t>(step),
                            issued_raises_[flag]};
  };
  wait(0, prefix.wait0_valid, prefix.wait0_flag, prefix.wait0_level, prefix.wait0_weights,
       prefix.wait0_reg, prefix.wait0_target, prefix.wait0_step);
  wait(1, prefix.wait1_valid, prefix.wait1_flag, prefix.wait1_level, prefix.wait1_weights,
       prefix.wait1_reg, prefix.wait1_target, prefix.wait1_step);
  wait(2, prefix.wait2_valid, prefix.wait2_flag, prefix.wait2_level, prefix.wait2_weights,
       prefix.wait2_reg, prefix.wait2_target, prefix.wait2_step);
  wait(3, prefix.wait3_valid, prefix.wait3_flag, prefix.wait3_level, prefix.wait3_weights,
       prefix.wait3_reg, prefix.wait3_target, prefix.wait3_step);
  const auto signal = [&](int i, uint32_t valid, uint32_t flag, uint32_t level) {
    if (valid == 0) return;
    if (flag >= arch::kRemoteFlagBase || level > arch::kLoops) legal = false;
    instruction.signals[i] = {true, flag, level};
  };
  signal(0, prefix.signal0_valid, prefix.signal0_flag, prefix.signal0_level);
  signal(1, prefix.signal1_valid, prefix.signal1_flag, prefix.signal1_level);
  return legal;
}

void Sequencer::AccountSignals(const Instruction& instruction) {
  for (const Signal& signal : instruction.signals) {
    if (!signal.valid) continue;
    uint64_t raises = 1;
    if (HasLoops(instruction.opcode)) {
      for (uint32_t l = 0; l < signal.level; ++l) {
        raises *= instruction.words[arch::kPrefixWords + l];
      }
    }
    issued_raises_[signal.flag] += raises;
    int& producer = producers_[signal.flag];
    if (producer >= 0 && producer != static_cast<int>(instruction.engine)) {
      state_.checker->Report(fmt::format(
          "flag rule: flag {} is raised by {} and, at pc {:#x}, by {}; a flag has one producer",
          signal.flag, EngineName(static_cast<Agent>(producer)), pc_,
          EngineName(static_cast<Agent>(instruction.engine))));
    }
    producer = static_cast<int>(instruction.engine);
  }
}

}  // namespace systolith::golden
