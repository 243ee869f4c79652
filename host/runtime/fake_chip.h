#ifndef SYSTOLITH_HOST_RUNTIME_FAKE_CHIP_H_
#define SYSTOLITH_HOST_RUNTIME_FAKE_CHIP_H_

#include <atomic>
#include <cstring>
#include <deque>
#include <map>
#include <thread>
#include <vector>

#include "host/arch/isa.h"
#include "host/hal/transport.h"

namespace systolith::runtime {

// A chip for tests: it keeps the register protocol of launches and faults, and a "program" is three
// words that say how its job ends.
class FakeChip : public hal::Transport {
 public:
  enum Behaviour : uint32_t { kComplete = 1, kFault = 2, kHang = 3 };
  struct FakeProgram {
    uint32_t behaviour = kComplete;
    uint32_t cycles = 100;
    uint32_t cause = 0;  // kFault
  };

  explicit FakeChip(const arch::ChipConfig& config)
      : config_(config), memory_(static_cast<size_t>(config.memory_bytes)) {
    csrs_[arch::Csr::kMagic] = 0x54535953;
    csrs_[arch::Csr::kIsaVersion] = arch::kIsaVersion;
    csrs_[arch::Csr::kProgramHashLo] = static_cast<uint32_t>(config.ProgramHash());
    csrs_[arch::Csr::kProgramHashHi] = static_cast<uint32_t>(config.ProgramHash() >> 32);
    csrs_[arch::Csr::kQueueCapacity] = 4;
  }

  Result<uint32_t> ReadCsr(arch::Csr csr) override { return csrs_[csr]; }

  Status WriteCsr(arch::Csr csr, uint32_t value) override {
    switch (csr) {
      case arch::Csr::kInterruptStatus: csrs_[csr] &= ~value; break;
      case arch::Csr::kDoorbellLo:
        if (csrs_[arch::Csr::kStatus] != kHalted) {
          jobs_.push_back(static_cast<uint64_t>(csrs_[arch::Csr::kDoorbellHi]) << 32 | value);
        }
        break;
      case arch::Csr::kControl:
        if ((value & 1) != 0 && !jobs_.empty()) Halt(arch::Fault::kAborted);
        if ((value & 2) != 0) csrs_[arch::Csr::kStatus] = 0;
        break;
      default: csrs_[csr] = value;
    }
    if (csr == arch::Csr::kDoorbellLo && !jobs_.empty()) csrs_[arch::Csr::kStatus] = kRunning;
    return OkStatus();
  }

  Status ReadMemory(hal::DeviceAddress source, std::span<std::byte> destination) override {
    std::memcpy(destination.data(), memory_.data() + source, destination.size());
    return OkStatus();
  }
  Status WriteMemory(hal::DeviceAddress destination, std::span<const std::byte> source) override {
    std::memcpy(memory_.data() + destination, source.data(), source.size());
    return OkStatus();
  }

  Status WaitForInterrupt(uint64_t max_cycles) override {
    const uint64_t end = cycle_ + max_cycles;
    for (;;) {
      if (stop_.exchange(false)) return Cancelled("stop");
      if ((csrs_[arch::Csr::kInterruptStatus] & csrs_[arch::Csr::kInterruptEnable]) != 0) {
        return OkStatus();
      }
      if (cycle_ >= end) return Timeout("no interrupt");
      cycle_ += 50;
      Step();
    }
  }
  Status RunCycles(uint64_t cycles) override {
    cycle_ += cycles;
    return OkStatus();
  }
  Status Reset() override { return OkStatus(); }
  uint64_t Cycle() const override { return cycle_; }
  void RequestStop() override { stop_ = true; }
  Status CloseTrace() override { return OkStatus(); }

 private:
  static constexpr uint32_t kRunning = 2, kHalted = 4;

  void Step() {
    if (jobs_.empty()) return;
    arch::Launch launch;
    std::vector<uint32_t> words(arch::kLaunchWords);
    std::memcpy(words.data(), memory_.data() + jobs_.front(), 64);
    launch = arch::DecodeLaunch(words);
    FakeProgram program;
    std::memcpy(&program, memory_.data() + launch.program_base_lo, sizeof program);
    job_cycles_ += 50;
    if (program.behaviour == kHang) {
      std::this_thread::sleep_for(std::chrono::microseconds(10));
      return;
    }
    if (job_cycles_ < program.cycles) return;
    csrs_[arch::Csr::kCyclesLo] = program.cycles;
    csrs_[arch::At(arch::Csr::kBusy, 2)] = program.cycles / 2;
    csrs_[arch::At(arch::Csr::kStall, 2)] = program.cycles / 4;
    job_cycles_ = 0;
    if (program.behaviour == kFault) {
      Halt(static_cast<arch::Fault>(program.cause));
      return;
    }
    jobs_.pop_front();
    csrs_[arch::Csr::kStatus] = jobs_.empty() ? 0 : kRunning;
    ++csrs_[arch::Csr::kCompleted];
    csrs_[arch::Csr::kInterruptStatus] |= 1;
  }

  void Halt(arch::Fault cause) {
    jobs_.clear();
    job_cycles_ = 0;
    csrs_[arch::Csr::kStatus] = kHalted;
    csrs_[arch::Csr::kFaultCause] = static_cast<uint32_t>(cause);
    csrs_[arch::Csr::kFaultEngine] = static_cast<uint32_t>(arch::Engine::kDmaLoad);
    csrs_[arch::Csr::kFaultPc] = 0x40;
    csrs_[arch::Csr::kFaultFlag] = 57;
    csrs_[arch::Csr::kFaultAddressLo] = 0x1234;
    csrs_[arch::Csr::kInterruptStatus] |= 2;
  }

  arch::ChipConfig config_;
  std::vector<std::byte> memory_;
  std::map<arch::Csr, uint32_t> csrs_;
  std::deque<uint64_t> jobs_;
  uint64_t cycle_ = 0;
  uint32_t job_cycles_ = 0;
  std::atomic<bool> stop_{false};
};

}  // namespace systolith::runtime

#endif  // SYSTOLITH_HOST_RUNTIME_FAKE_CHIP_H_
