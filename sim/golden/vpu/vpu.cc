#include "sim/golden/vpu/vpu.h"

#include <fmt/format.h>

#include <algorithm>
#include <span>

#include "sim/golden/float/lane_operations.h"

namespace systolith::golden {
namespace {

using arch::Fault;
using arch::Opcode;
using arch::StreamSource;

constexpr uint32_t kFirstOutput = arch::kInputStreams;

EngineFault BundleFault(Fault cause, uint32_t bundle) { return {cause, bundle}; }

}  // namespace

Vpu::Vpu(ChipState& state)
    : Engine(state, static_cast<uint32_t>(arch::Engine::kVpu)),
      lanes_(static_cast<uint32_t>(state.config.Lanes())),
      sublanes_(static_cast<uint32_t>(state.config.vpu_sublanes)),
      access_(state, static_cast<Agent>(arch::Engine::kVpu)) {
  const auto resize = [this](auto& groups) {
    for (Group& group : groups) group.resize(size_t{lanes_} * sublanes_);
  };
  resize(registers_);
  resize(shared_);
  resize(inputs_);
  resize(outputs_);
  resize(results_);
  resize(splats_);
}

void Vpu::Clear() {
  Engine::Clear();
  bundles_written_.reset();
  constants_written_.reset();
  shared_written_.reset();
  described_.reset();
}

void Vpu::ReportUnwritten(std::string_view what, uint32_t number) {
  if (!state_.checker) return;
  state_.checker->Report(fmt::format(
      "kernel rule: vector at pc {:#x} uses {} {}, which {} has not written", pc(), what, number,
      what == "register v" ? "the instance" : "this job"));
}

MaybeFault Vpu::Start(const Instruction& instruction) {
  opcode_ = instruction.opcode;
  switch (opcode_) {
    case Opcode::kLoadKernel:
      load_kernel_ = arch::DecodeLoadKernel(instruction.words);
      return StartLoadKernel();
    case Opcode::kStream:
      stream_ = arch::DecodeStream(instruction.words);
      return StartStream(stream_);
    default: break;
  }
  vector_ = arch::DecodeVector(instruction.words);
  instances_ = 0;
  access_.StartInstruction(pc());
  return StartVector(instruction);
}

uint32_t Vpu::Loops() const { return opcode_ == Opcode::kVector ? vector_.kernel_level : 0; }

MaybeFault Vpu::StartLoadKernel() {
  const bool bundles = load_kernel_.part == static_cast<uint32_t>(arch::KernelPart::kBundles);
  const uint32_t room = static_cast<uint32_t>(load_kernel_.data.size());
  const uint32_t most = bundles ? room / arch::kBundleWords : room;
  const uint32_t size = bundles ? arch::kKernelBundles : arch::kKernelConstants;
  if (load_kernel_.count < 1 || load_kernel_.count > most ||
      load_kernel_.first + load_kernel_.count > size) {
    return EngineFault{Fault::kIllegalField};
  }
  return std::nullopt;
}

MaybeFault Vpu::StartStream(const arch::Stream& stream) const {
  const bool output = stream.index >= kFirstOutput;
  const bool buffer = stream.source == static_cast<uint32_t>(StreamSource::kBuffer);
  const bool accumulator = stream.source == static_cast<uint32_t>(StreamSource::kAccumulator);
  bool legal = stream.index < kStreams &&
               stream.type <= static_cast<uint32_t>(arch::LaneType::kU32) &&
               stream.source <= static_cast<uint32_t>(StreamSource::kIota);
  if (accumulator && stream.unit >= state_.accumulators.size()) legal = false;
  if (output && !buffer) legal = false;
  if (stream.flat != 0 && stream.spread != 0) legal = false;
  if (stream.gather != 0 && (output || !buffer || stream.flat != 0)) legal = false;
  if (accumulator && (stream.flat != 0 || stream.spread != 0)) legal = false;
  if (!legal) return EngineFault{Fault::kIllegalField};
  return std::nullopt;
}

MaybeFault Vpu::StartVector(const Instruction& instruction) const {
  bool legal = vector_.kernel_level <= arch::kLoops &&
               (vector_.prologue_level <= vector_.kernel_level ||
                vector_.prologue_level == arch::kNoLevel);
  for (const Wait& wait : instruction.waits) {
    if (wait.valid && wait.level > vector_.kernel_level) legal = false;
  }
  for (const Signal& signal : instruction.signals) {
    if (signal.valid && signal.level > vector_.kernel_level) legal = false;
  }
  if (!legal) return EngineFault{Fault::kIllegalField};
  return std::nullopt;
}

MaybeFault Vpu::Iterate() {
  switch (opcode_) {
    case Opcode::kLoadKernel: LoadKernel(); return std::nullopt;
    case Opcode::kStream:
      streams_[stream_.index] = stream_;
      described_.set(stream_.index);
      return std::nullopt;
    default: break;
  }
  if (vector_.prologue_level != arch::kNoLevel && nest_.Starts(vector_.prologue_level)) {
    if (const MaybeFault fault = RunInstance(true)) return fault;
  }
  return RunInstance(false);
}

void Vpu::LoadKernel() {
  const std::span<const uint32_t> data = load_kernel_.data;
  const bool bundles = load_kernel_.part == static_cast<uint32_t>(arch::KernelPart::kBundles);
  for (uint32_t i = 0; i < load_kernel_.count; ++i) {
    const uint32_t at = load_kernel_.first + i;
    if (bundles) {
      bundles_[at] = arch::DecodeBundle(data.subspan(i * arch::kBundleWords));
      bundles_written_.set(at);
    } else {
      constants_[at] = data[i];
      constants_written_.set(at);
    }
  }
}

MaybeFault Vpu::RunInstance(bool prologue) {
  access_.StartInstance();
  Instance instance{prologue,
                    KernelLoops(vector_.counts, nest_.index(), vector_.kernel_level,
                                prologue ? 0 : vector_.body)};
  const uint64_t limit =
      vector_.bundle_limit == 0 ? uint64_t{1} << 32 : uint64_t{vector_.bundle_limit};
  for (;;) {
    const uint32_t number = instance.loops.bundle();
    if (vector_.kernel_base + number >= bundles_.size()) {
      return BundleFault(Fault::kKernelLoop, number);
    }
    const arch::Bundle& bundle = bundles_[vector_.kernel_base + number];
    if (!bundles_written_[vector_.kernel_base + number]) ReportUnwritten("bundle", number);
    const Slots slots = SlotsOf(bundle);
    if (const Fault fault = CheckBundle(slots, prologue); fault != Fault::kNone) {
      return BundleFault(fault, number);
    }
    if (!instance.loops.Enter(bundle) || ++instance.bundles > limit) {
      return BundleFault(Fault::kKernelLoop, number);
    }
    KernelLoops next = instance.loops;
    const KernelLoops::Outcome outcome = next.Leave(bundle);
    if (outcome == KernelLoops::Outcome::kExitInLoop) {
      return BundleFault(Fault::kKernelLoop, number);
    }
    if (const MaybeFault fault = RunBundle(instance, slots)) return fault;
    instance.latency += LatencyOf(slots);
    if (outcome == KernelLoops::Outcome::kExit) break;
    instance.loops = next;
  }
  // Instances that run in lockstep share the time of their bundles.
  if (prologue || instances_++ % arch::kVectorThreads == 0) Spend(instance.latency);
  return std::nullopt;
}

Fault Vpu::NameStreams(Instance& instance, const Slots& slots,
                       std::array<int, kStreams>& steps) const {
  steps.fill(-1);
  bool legal = true;
  const auto name = [&](uint32_t stream, uint32_t step) {
    if (!described_[stream]) legal = false;
    if (steps[stream] >= 0 && steps[stream] != static_cast<int>(step)) legal = false;
    steps[stream] = static_cast<int>(step);
  };
  for (const Slot& slot : slots) {
    for (int operand = 0; operand < 3; ++operand) {
      const uint32_t code = slot.operands[operand];
      if (slot.Reads(operand) && IsInput(code)) name(code - arch::kOperandInput, slot.step);
    }
    if (slot.op != 0 && IsOutput(slot.destination)) {
      name(kFirstOutput + slot.destination - arch::kOperandOutput, slot.step);
    }
  }
  for (int stream = 0; stream < kStreams; ++stream) {
    if (steps[stream] < 0) continue;
    const uint64_t limit = streams_[stream].groups_limit;
    if (++instance.groups[stream] > limit && limit != 0) legal = false;
  }
  return legal ? Fault::kNone : Fault::kKernelStream;
}

MaybeFault Vpu::RunBundle(Instance& instance, const Slots& slots) {
  std::array<int, kStreams> steps;
  if (const Fault fault = NameStreams(instance, slots, steps); fault != Fault::kNone) {
    return BundleFault(fault, instance.loops.bundle());
  }
  const auto base = [this](int stream) { return static_cast<uint32_t>(vector_.bases[stream]); };
  for (int stream = 0; stream < arch::kInputStreams; ++stream) {
    if (steps[stream] < 0) continue;
    if (const MaybeFault fault =
            access_.Read(streams_[stream], base(stream), instance.loops.index(),
                         static_cast<uint32_t>(steps[stream]), inputs_[stream])) {
      return fault;
    }
  }
  for (size_t i = 0; i < slots.size(); ++i) {
    if (slots[i].op != 0) Evaluate(instance, slots[i], i == kLaneSlot, results_[i]);
  }
  for (size_t i = 0; i < slots.size(); ++i) {
    if (slots[i].op != 0) std::swap(Destination(instance, slots[i].destination), results_[i]);
  }
  for (int stream = kFirstOutput; stream < kStreams; ++stream) {
    if (steps[stream] < 0) continue;
    if (const MaybeFault fault =
            access_.Write(streams_[stream], base(stream), instance.loops.index(),
                          static_cast<uint32_t>(steps[stream]),
                          outputs_[static_cast<size_t>(stream) - kFirstOutput])) {
      return fault;
    }
  }
  return std::nullopt;
}

uint32_t Vpu::Constant(uint32_t number) {
  const uint32_t at = (vector_.constant_base + number) % arch::kKernelConstants;
  if (!constants_written_[at]) ReportUnwritten("constant", number);
  return constants_[at];
}

uint32_t Vpu::Amount(uint32_t code) {
  if (IsScalar(code)) return vector_.scalars[code - arch::kOperandScalar];
  return Constant(code - arch::kOperandConstant);
}

const uint32_t* Vpu::Operand(Instance& instance, uint32_t code, Group& splat) {
  if (IsVectorRegister(code)) {
    if (!instance.written[code]) ReportUnwritten("register v", code);
    return registers_[code].data();
  }
  if (IsSharedRegister(code)) {
    const uint32_t number = code - arch::kOperandShared;
    if (!shared_written_[number]) ReportUnwritten("register w", number);
    return shared_[number].data();
  }
  if (IsInput(code)) return inputs_[code - arch::kOperandInput].data();
  std::fill(splat.begin(), splat.end(), Amount(code));
  return splat.data();
}

void Vpu::Lookup(const uint32_t* entries, uint32_t table, Group& result) {
  for (size_t i = 0; i < result.size(); ++i) {
    result[i] = Constant(table + entries[i] % arch::kLookupEntries);
  }
}

void Vpu::Evaluate(Instance& instance, const Slot& slot, bool lane_slot, Group& result) {
  const bool lookup = !lane_slot && static_cast<arch::AluOp>(slot.op) == arch::AluOp::kLookup;
  const int groups = lane_slot ? 2 : lookup ? 1 : 3;  // operands that are groups of lanes
  std::array<const uint32_t*, 3> operands{};
  for (int operand = 0; operand < groups; ++operand) {
    if (!slot.Reads(operand)) continue;
    operands[operand] = Operand(instance, slot.operands[operand], splats_[operand]);
  }
  if (lookup) return Lookup(operands[0], slot.operands[1] - arch::kOperandConstant, result);
  if (!lane_slot) {
    return EvaluateAluOnLanes(static_cast<arch::AluOp>(slot.op), operands[0], operands[1],
                              operands[2], result.data(), result.size());
  }
  const auto group = [&](const uint32_t* lanes) {
    return lanes == nullptr ? std::span<const uint32_t>() : std::span(lanes, result.size());
  };
  EvaluateLaneOp(static_cast<arch::LaneOp>(slot.op), group(operands[0]), group(operands[1]),
                 slot.Reads(2) ? Amount(slot.operands[2]) : 0, lanes_, sublanes_, result);
}

Vpu::Group& Vpu::Destination(Instance& instance, uint32_t code) {
  if (IsVectorRegister(code)) {
    instance.written.set(code);
    return registers_[code];
  }
  if (IsSharedRegister(code)) {
    shared_written_.set(code - arch::kOperandShared);
    return shared_[code - arch::kOperandShared];
  }
  return outputs_[code - arch::kOperandOutput];
}

}  // namespace systolith::golden
