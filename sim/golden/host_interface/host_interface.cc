#include "sim/golden/host_interface/host_interface.h"

#include <algorithm>
#include <span>
#include <utility>

namespace systolith::golden {
namespace {

using arch::Csr;

constexpr uint32_t kChipMagic = 0x54535953;
constexpr uint32_t kLaunchMagic = 0x48435453;
constexpr uint64_t kLaunchAlignment = 64;
constexpr uint32_t kQuadBytes = 16;
constexpr uint32_t kCompletion = 1u << arch::kInterruptStatusCompletionLsb;
constexpr uint32_t kFaulted = 1u << arch::kInterruptStatusFaultLsb;

uint64_t Join(uint32_t low, uint32_t high) { return uint64_t{high} << 32 | low; }
uint32_t Low(uint64_t value) { return static_cast<uint32_t>(value); }
uint32_t High(uint64_t value) { return static_cast<uint32_t>(value >> 32); }

// The index of a register in an array of registers, if it is one of them.
std::optional<uint32_t> IndexIn(Csr csr, Csr first, uint32_t count) {
  const uint32_t offset = static_cast<uint32_t>(csr) - static_cast<uint32_t>(first);
  if (offset % 4 != 0 || offset / 4 >= count) return std::nullopt;
  return offset / 4;
}

FaultRecord LaunchFault(arch::Fault cause, uint64_t address) {
  return {cause, 0, 0, kNoFlag, address};
}

}  // namespace

HostInterface::HostInterface(const arch::ChipConfig& config, bool check_hazards)
    : config_(config), chip_(config, check_hazards) {
  Reset();
}

void HostInterface::Reset() {
  chip_.Stop();
  chip_.state().flags.Clear();
  chip_.state().counters = {};
  chip_.state().hbm.set_bytes(static_cast<uint64_t>(config_.memory_bytes));
  state_ = State::kIdle;
  queue_.clear();
  fault_ = {};
  blocked_cycles_ = 0;
  violation_.clear();
  interrupt_status_ = interrupt_enable_ = 0;
  doorbell_hi_ = completed_ = flag_select_ = 0;
  watchdog_cycles_ = static_cast<uint32_t>(config_.sequencer_watchdog_cycles);
  queue_depth_ = static_cast<uint32_t>(config_.sequencer_queue_depth);
  memory_channels_ = static_cast<uint32_t>(config_.memory_channels);
  timing_ = config_.timing_cycles;
}

std::optional<uint32_t> HostInterface::ReadIdentity(Csr csr) const {
  const uint64_t memory_bytes = chip_.state().hbm.bytes();
  switch (csr) {
    case Csr::kMagic: return kChipMagic;
    case Csr::kIsaVersion: return arch::kIsaVersion;
    case Csr::kProgramHashLo: return Low(config_.ProgramHash());
    case Csr::kProgramHashHi: return High(config_.ProgramHash());
    case Csr::kVpuSublanes: return static_cast<uint32_t>(config_.vpu_sublanes);
    case Csr::kMxuCount: return static_cast<uint32_t>(config_.mxu_count);
    case Csr::kMxuRows: return static_cast<uint32_t>(config_.mxu_rows);
    case Csr::kMxuCols: return static_cast<uint32_t>(config_.mxu_cols);
    case Csr::kFeatures:
      return (config_.mxu_bf16 ? 1u : 0u) | (config_.mxu_int8 ? 2u : 0u) |
             (config_.IsHbm2() ? 4u : 0u);
    case Csr::kAccumulatorRows: return static_cast<uint32_t>(config_.mxu_accumulator_rows);
    case Csr::kBufferBytes: return static_cast<uint32_t>(config_.buffer_bytes);
    case Csr::kLineBytes: return static_cast<uint32_t>(config_.memory_line_bytes);
    case Csr::kMemoryBytesLo: return Low(memory_bytes);
    case Csr::kMemoryBytesHi: return High(memory_bytes);
    case Csr::kQueueCapacity: return static_cast<uint32_t>(kQueueCapacity);
    default: return std::nullopt;
  }
}

uint32_t HostInterface::ReadCounter(uint32_t offset) const {
  const Csr csr = static_cast<Csr>(offset);
  const Counters& counters = chip_.state().counters;
  const uint64_t cycles = chip_.Cycles();
  switch (csr) {
    case Csr::kCyclesLo: return Low(cycles);
    case Csr::kCyclesHi: return High(cycles);
    case Csr::kReadBytesLo: return Low(counters.read_bytes);
    case Csr::kReadBytesHi: return High(counters.read_bytes);
    case Csr::kWriteBytesLo: return Low(counters.write_bytes);
    case Csr::kWriteBytesHi: return High(counters.write_bytes);
    case Csr::kInstructions: return counters.instructions;
    default: break;
  }
  if (const auto i = IndexIn(csr, Csr::kBusy, arch::kBusyCount)) {
    const uint64_t busy = counters.busy[*i / 2];
    return *i % 2 == 0 ? Low(busy) : High(busy);
  }
  return 0;  // stalls and bank conflicts are not modelled
}

uint32_t HostInterface::ReadCsr(Csr csr) const {
  if (const auto identity = ReadIdentity(csr)) return *identity;
  if (const auto i = IndexIn(csr, Csr::kHbmTiming, arch::kHbmTimingCount)) return timing_[*i];
  switch (csr) {
    case Csr::kStatus:
      return static_cast<uint32_t>(state_) << arch::kStatusStateLsb |
             static_cast<uint32_t>(queue_.size()) << arch::kStatusQueueUsedLsb;
    case Csr::kInterruptStatus: return interrupt_status_;
    case Csr::kInterruptEnable: return interrupt_enable_;
    case Csr::kDoorbellHi: return doorbell_hi_;
    case Csr::kCompleted: return completed_;
    case Csr::kFlagSelect: return flag_select_;
    case Csr::kFlagValue:
      return flag_select_ < arch::kFlags ? chip_.state().flags.Value(flag_select_) : 0;
    case Csr::kFaultCause: return static_cast<uint32_t>(fault_.cause);
    case Csr::kFaultEngine: return fault_.engine;
    case Csr::kFaultPc: return fault_.pc;
    case Csr::kFaultFlag: return fault_.flag;
    case Csr::kFaultAddressLo: return Low(fault_.address);
    case Csr::kFaultAddressHi: return High(fault_.address);
    case Csr::kWatchdogCycles: return watchdog_cycles_;
    case Csr::kQueueDepth: return queue_depth_;
    case Csr::kMemoryChannels: return memory_channels_;
    default: return ReadCounter(static_cast<uint32_t>(csr));
  }
}

void HostInterface::WriteCsr(Csr csr, uint32_t value) {
  Hbm& hbm = chip_.state().hbm;
  if (const auto i = IndexIn(csr, Csr::kHbmTiming, arch::kHbmTimingCount)) timing_[*i] = value;
  switch (csr) {
    case Csr::kMemoryBytesLo: hbm.set_bytes(Join(value, High(hbm.bytes()))); break;
    case Csr::kMemoryBytesHi: hbm.set_bytes(Join(Low(hbm.bytes()), value)); break;
    case Csr::kControl: WriteControl(value); break;
    case Csr::kInterruptStatus: interrupt_status_ &= ~value; break;
    case Csr::kInterruptEnable: interrupt_enable_ = value & (kCompletion | kFaulted); break;
    case Csr::kDoorbellHi: doorbell_hi_ = value; break;
    case Csr::kDoorbellLo:
      if (state_ == State::kHalted || queue_.size() >= kQueueCapacity) break;
      queue_.push_back(Join(value, doorbell_hi_));
      StartNextJob();
      break;
    case Csr::kHostFlag: RaiseHostFlag(value); break;
    case Csr::kFlagSelect: flag_select_ = value; break;
    case Csr::kWatchdogCycles: watchdog_cycles_ = value; break;
    case Csr::kQueueDepth: queue_depth_ = std::clamp<uint32_t>(value, 1, 8); break;
    case Csr::kMemoryChannels: memory_channels_ = value; break;
    default: break;  // read-only
  }
}

void HostInterface::WriteControl(uint32_t value) {
  if ((value >> arch::kControlAbortLsb & 1) != 0 && state_ == State::kRunning) {
    Halt(chip_.AbortFault());
  }
  if ((value >> arch::kControlResetLsb & 1) != 0 && state_ == State::kHalted) {
    chip_.Stop();
    chip_.state().flags.Clear();
    queue_.clear();
    fault_ = {};
    state_ = State::kIdle;
  }
}

void HostInterface::RaiseHostFlag(uint32_t value) {
  const uint32_t flag = value >> arch::kHostFlagFlagLsb & 0xff;
  const uint32_t increment = value >> arch::kHostFlagIncrementLsb & 0xffff;
  if (flag < arch::kHostFlagBase || flag >= arch::kFlags) return;
  chip_.state().flags.Raise(flag, increment);
}

HostInterface::Outcome HostInterface::Advance() {
  if (state_ != State::kRunning) return Outcome::kIdle;
  switch (chip_.Work(queue_depth_)) {
    case Chip::Outcome::kWorking: blocked_cycles_ = 0; return Outcome::kWorking;
    case Chip::Outcome::kBlocked: return Outcome::kBlocked;
    case Chip::Outcome::kFault: Halt(chip_.fault()); return Outcome::kWorking;
    case Chip::Outcome::kCompleted: break;
  }
  if (violation_.empty()) violation_ = chip_.violation();
  ++completed_;
  interrupt_status_ |= kCompletion;
  state_ = State::kIdle;
  StartNextJob();
  return Outcome::kWorking;
}

uint64_t HostInterface::PassTime(uint64_t cycles) {
  if (watchdog_cycles_ == 0 || blocked_cycles_ + cycles < watchdog_cycles_) {
    blocked_cycles_ += cycles;
    return cycles;
  }
  const uint64_t passed = watchdog_cycles_ - std::min<uint64_t>(blocked_cycles_, watchdog_cycles_);
  Halt(chip_.WatchdogFault());
  return passed;
}

void HostInterface::StartNextJob() {
  while (state_ == State::kIdle && !queue_.empty()) {
    const uint64_t descriptor = queue_.front();
    queue_.pop_front();
    blocked_cycles_ = 0;
    const auto fault = Launch(descriptor);
    if (fault) {
      Halt(*fault);
    } else {
      state_ = State::kRunning;
    }
  }
}

std::optional<FaultRecord> HostInterface::Launch(uint64_t descriptor) {
  const Hbm& hbm = chip_.state().hbm;
  std::array<uint32_t, arch::kLaunchWords> words;
  const std::span<std::byte> bytes = std::as_writable_bytes(std::span(words));
  if (descriptor % kLaunchAlignment != 0) {
    return LaunchFault(arch::Fault::kBadDescriptor, descriptor);
  }
  if (!hbm.Contains(descriptor, bytes.size())) {
    return LaunchFault(arch::Fault::kMemoryRange, descriptor);
  }
  hbm.Read(descriptor, bytes);
  const arch::Launch launch = arch::DecodeLaunch(words);
  const uint64_t program = Join(launch.program_base_lo, launch.program_base_hi);
  if (launch.magic != kLaunchMagic || launch.version != arch::kIsaVersion ||
      launch.segment_count > arch::kSegments || program % kLaunchAlignment != 0 ||
      launch.program_bytes % kQuadBytes != 0) {
    return LaunchFault(arch::Fault::kBadDescriptor, descriptor);
  }
  if (Join(launch.program_hash_lo, launch.program_hash_hi) != config_.ProgramHash()) {
    return LaunchFault(arch::Fault::kHashMismatch, descriptor);
  }
  if (!hbm.Contains(program, launch.program_bytes)) {
    return LaunchFault(arch::Fault::kMemoryRange, program);
  }
  if (const auto fault = BindSegments(descriptor, launch)) return fault;
  chip_.Start(program, launch.program_bytes);
  return std::nullopt;
}

std::optional<FaultRecord> HostInterface::BindSegments(uint64_t descriptor,
                                                       const arch::Launch& launch) {
  ChipState& state = chip_.state();
  state.segments = {};
  uint64_t address = descriptor + sizeof(uint32_t) * arch::kLaunchWords;
  for (uint32_t i = 0; i < launch.segment_count; ++i) {
    std::array<uint32_t, arch::kSegmentWords> words;
    const std::span<std::byte> bytes = std::as_writable_bytes(std::span(words));
    if (!state.hbm.Contains(address, bytes.size())) {
      return LaunchFault(arch::Fault::kMemoryRange, address);
    }
    state.hbm.Read(address, bytes);
    address += bytes.size();
    const arch::Segment segment = arch::DecodeSegment(words);
    if (segment.chip != 0) return LaunchFault(arch::Fault::kBadDescriptor, descriptor);
    BoundSegment& bound = state.segments[i];
    bound.base = Join(segment.base_lo, segment.base_hi);
    bound.bytes = Join(segment.bytes_lo, segment.bytes_hi);
    if (!state.hbm.Contains(bound.base, bound.bytes)) {
      return LaunchFault(arch::Fault::kMemoryRange, bound.base);
    }
    const bool own = segment.owner == launch.owner;
    bound.readable = own && segment.readable != 0;
    bound.writable = own && segment.writable != 0;
  }
  return std::nullopt;
}

void HostInterface::Halt(const FaultRecord& fault) {
  chip_.Stop();
  queue_.clear();
  fault_ = fault;
  state_ = State::kHalted;
  interrupt_status_ |= kFaulted;
}

std::string HostInterface::TakeViolation() { return std::exchange(violation_, std::string()); }

}  // namespace systolith::golden
