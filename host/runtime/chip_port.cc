#include "host/runtime/chip_port.h"

#include <fmt/format.h>

#include <algorithm>

namespace systolith::runtime {
namespace {

using arch::Csr;

constexpr uint32_t kMagic = 0x54535953;
constexpr uint32_t kCompletion = 1u << arch::kInterruptStatusCompletionLsb;
constexpr uint32_t kFault = 1u << arch::kInterruptStatusFaultLsb;
enum State : uint32_t { kIdle = 0, kLaunching = 1, kRunning = 2, kDraining = 3, kHalted = 4 };

// An abort drains what is on the memory and buffer ports: far shorter than this.
constexpr uint64_t kDrainCycles = 1'000'000;
constexpr int kStopAttempts = 4;
// Cycles in which control.reset takes effect.
constexpr uint64_t kResetCycles = 64;

uint32_t Low(uint64_t value) { return static_cast<uint32_t>(value); }
uint32_t High(uint64_t value) { return static_cast<uint32_t>(value >> 32); }

}  // namespace

ChipPort::ChipPort(std::unique_ptr<hal::Transport> transport, const arch::ChipConfig& config)
    : transport_(std::move(transport)), config_(config) {}

Result<uint64_t> ChipPort::ReadPair(Csr low) {
  ASSIGN_OR_RETURN(const uint64_t low_word, transport_->ReadCsr(low));
  ASSIGN_OR_RETURN(const uint64_t high_word, transport_->ReadCsr(arch::At(low, 1)));
  return high_word << 32 | low_word;
}

Status ChipPort::Configure() {
  ASSIGN_OR_RETURN(const uint32_t magic, transport_->ReadCsr(Csr::kMagic));
  if (magic != kMagic) {
    return DeviceFault(fmt::format("no chip answers: magic is {:#010x} instead of {:#010x}", magic,
                                   kMagic));
  }
  ASSIGN_OR_RETURN(const uint32_t version, transport_->ReadCsr(Csr::kIsaVersion));
  if (version != arch::kIsaVersion) {
    return InvalidArgument(fmt::format(
        "the chip has instruction set version {}, this software {}; rebuild the chip", version,
        arch::kIsaVersion));
  }
  ASSIGN_OR_RETURN(const uint64_t hash, ReadPair(Csr::kProgramHashLo));
  if (hash != config_.ProgramHash()) {
    return InvalidArgument(fmt::format(
        "the chip has program hash {:016x}, configuration '{}' has {:016x}; open the chip with the "
        "configuration that it was built for",
        hash, config_.name, config_.ProgramHash()));
  }
  const uint64_t memory_bytes = static_cast<uint64_t>(config_.memory_bytes);
  RETURN_IF_ERROR(transport_->WriteCsr(Csr::kMemoryBytesLo, Low(memory_bytes)));
  RETURN_IF_ERROR(transport_->WriteCsr(Csr::kMemoryBytesHi, High(memory_bytes)));
  if (config_.IsHbm2()) {
    RETURN_IF_ERROR(transport_->WriteCsr(Csr::kMemoryChannels,
                                         static_cast<uint32_t>(config_.memory_channels)));
    for (uint32_t i = 0; i < config_.timing_cycles.size(); ++i) {
      RETURN_IF_ERROR(
          transport_->WriteCsr(arch::At(Csr::kHbmTiming, i), config_.timing_cycles[i]));
    }
  }
  RETURN_IF_ERROR(transport_->WriteCsr(Csr::kQueueDepth,
                                       static_cast<uint32_t>(config_.sequencer_queue_depth)));
  RETURN_IF_ERROR(transport_->WriteCsr(Csr::kWatchdogCycles,
                                       static_cast<uint32_t>(config_.sequencer_watchdog_cycles)));
  ASSIGN_OR_RETURN(const uint32_t capacity, transport_->ReadCsr(Csr::kQueueCapacity));
  queue_capacity_ = std::max<uint32_t>(capacity, 1);
  return EnableInterrupts();
}

Status ChipPort::EnableInterrupts() {
  RETURN_IF_ERROR(transport_->WriteCsr(Csr::kInterruptStatus, kCompletion | kFault));
  RETURN_IF_ERROR(transport_->WriteCsr(Csr::kInterruptEnable, kCompletion | kFault));
  ASSIGN_OR_RETURN(completed_, transport_->ReadCsr(Csr::kCompleted));
  return OkStatus();
}

Status ChipPort::RingDoorbell(hal::DeviceAddress descriptor) {
  RETURN_IF_ERROR(transport_->WriteCsr(Csr::kDoorbellHi, High(descriptor)));
  return transport_->WriteCsr(Csr::kDoorbellLo, Low(descriptor));
}

Result<ChipPort::Progress> ChipPort::AcknowledgeInterrupt() {
  ASSIGN_OR_RETURN(const uint32_t reasons, transport_->ReadCsr(Csr::kInterruptStatus));
  // Cleared before the counter is read: a job that completes in between raises the pin anew.
  RETURN_IF_ERROR(transport_->WriteCsr(Csr::kInterruptStatus, reasons));
  ASSIGN_OR_RETURN(const uint32_t completed, transport_->ReadCsr(Csr::kCompleted));
  const Progress progress = {.completed = completed - completed_, .fault = (reasons & kFault) != 0};
  completed_ = completed;
  return progress;
}

Result<Counters> ChipPort::ReadCounters() {
  Counters counters;
  ASSIGN_OR_RETURN(counters.cycles, ReadPair(Csr::kCyclesLo));
  ASSIGN_OR_RETURN(counters.hbm_bytes_read, ReadPair(Csr::kReadBytesLo));
  ASSIGN_OR_RETURN(counters.hbm_bytes_written, ReadPair(Csr::kWriteBytesLo));
  ASSIGN_OR_RETURN(counters.instructions, transport_->ReadCsr(Csr::kInstructions));
  const uint32_t engines =
      static_cast<uint32_t>(arch::Engine::kMxu0) + static_cast<uint32_t>(config_.mxu_count);
  for (uint32_t e = 0; e < engines; ++e) {
    EngineCycles engine{.engine = std::string(arch::Name(static_cast<arch::Engine>(e)))};
    ASSIGN_OR_RETURN(engine.busy, ReadPair(arch::At(Csr::kBusy, 2 * e)));
    ASSIGN_OR_RETURN(engine.stall, ReadPair(arch::At(Csr::kStall, 2 * e)));
    ASSIGN_OR_RETURN(engine.conflicts, transport_->ReadCsr(arch::At(Csr::kConflict, e)));
    if (engine.busy + engine.stall > counters.cycles) {
      return Internal(fmt::format("counters of {} exceed the job: busy {} + stall {} > cycles {}",
                                  engine.engine, engine.busy, engine.stall, counters.cycles));
    }
    engine.idle = counters.cycles - engine.busy - engine.stall;
    counters.engines.push_back(std::move(engine));
  }
  return counters;
}

Result<FaultRecord> ChipPort::ReadFault() {
  FaultRecord fault;
  ASSIGN_OR_RETURN(const uint32_t cause, transport_->ReadCsr(Csr::kFaultCause));
  ASSIGN_OR_RETURN(const uint32_t engine, transport_->ReadCsr(Csr::kFaultEngine));
  ASSIGN_OR_RETURN(fault.program_offset, transport_->ReadCsr(Csr::kFaultPc));
  ASSIGN_OR_RETURN(fault.flag, transport_->ReadCsr(Csr::kFaultFlag));
  ASSIGN_OR_RETURN(fault.address, ReadPair(Csr::kFaultAddressLo));
  fault.cause = static_cast<arch::Fault>(cause);
  fault.engine = static_cast<arch::Engine>(engine);
  return fault;
}

Result<uint32_t> ChipPort::ReadState() {
  ASSIGN_OR_RETURN(const uint32_t status, transport_->ReadCsr(Csr::kStatus));
  return (status >> arch::kStatusStateLsb) & ((1u << arch::kStatusStateWidth) - 1);
}

Status ChipPort::LeaveHaltedState() {
  RETURN_IF_ERROR(transport_->WriteCsr(Csr::kControl, 1u << arch::kControlResetLsb));
  RETURN_IF_ERROR(transport_->RunCycles(kResetCycles));
  ASSIGN_OR_RETURN(const uint32_t state, ReadState());
  if (state != kIdle) {
    RETURN_IF_ERROR(transport_->Reset());
    return Configure();
  }
  return EnableInterrupts();
}

Status ChipPort::StopAndRecover() {
  ASSIGN_OR_RETURN(uint32_t state, ReadState());
  if (state != kIdle && state != kHalted) {
    RETURN_IF_ERROR(transport_->WriteCsr(Csr::kControl, 1u << arch::kControlAbortLsb));
    // A stop request or a completion may end a wait early, but not more than a few of them.
    for (int attempt = 0; attempt < kStopAttempts && state != kHalted && state != kIdle;
         ++attempt) {
      const Status status = transport_->WaitForInterrupt(kDrainCycles);
      if (!status.ok() && status.code() != StatusCode::kTimeout &&
          status.code() != StatusCode::kCancelled) {
        return status;
      }
      RETURN_IF_ERROR(transport_->WriteCsr(Csr::kInterruptStatus, kCompletion));
      ASSIGN_OR_RETURN(state, ReadState());
    }
  }
  return LeaveHaltedState();
}

}  // namespace systolith::runtime
