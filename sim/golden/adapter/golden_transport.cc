#include "sim/golden/adapter/golden_transport.h"

#include <fmt/format.h>

#include <algorithm>

namespace systolith::golden {
namespace {

constexpr uint64_t kCyclesPerRead = 100;  // that pass with a register read

Status OutsideMemory(uint64_t address, size_t bytes, uint64_t fitted) {
  return InvalidArgument(fmt::format(
      "HBM bytes [{:#x}, {:#x}) do not lie in the {} bytes of fitted memory; use a lower address "
      "or a configuration with a larger memory.bytes",
      address, address + bytes, fitted));
}

}  // namespace

uint64_t GoldenTransport::Work(uint64_t cycles, bool until_interrupt) {
  while (cycles > 0 && !stop_ && !(until_interrupt && chip_.interrupt())) {
    const uint64_t before = chip_.chip().Cycles();
    switch (chip_.Advance()) {
      case HostInterface::Outcome::kIdle: return cycles;
      case HostInterface::Outcome::kBlocked: cycles -= chip_.PassTime(cycles); break;
      case HostInterface::Outcome::kWorking: {
        const uint64_t after = chip_.chip().Cycles();  // starts anew with the next job
        const uint64_t passed = after > before ? after - before : 0;
        cycles -= std::min(cycles, passed);
        break;
      }
    }
  }
  return cycles;
}

Status GoldenTransport::Violation() {
  const std::string violation = chip_.TakeViolation();
  if (violation.empty()) return OkStatus();
  return Internal("golden model: the program breaks a rule: " + violation);
}

Result<uint32_t> GoldenTransport::ReadCsr(arch::Csr csr) {
  Work(kCyclesPerRead, false);
  RETURN_IF_ERROR(Violation());
  return chip_.ReadCsr(csr);
}

Status GoldenTransport::WriteCsr(arch::Csr csr, uint32_t value) {
  chip_.WriteCsr(csr, value);
  return OkStatus();
}

Status GoldenTransport::ReadMemory(hal::DeviceAddress source, std::span<std::byte> destination) {
  const Hbm& hbm = chip_.chip().state().hbm;
  if (!hbm.Contains(source, destination.size())) {
    return OutsideMemory(source, destination.size(), hbm.bytes());
  }
  hbm.Read(source, destination);
  return OkStatus();
}

Status GoldenTransport::WriteMemory(hal::DeviceAddress destination,
                                    std::span<const std::byte> source) {
  Hbm& hbm = chip_.chip().state().hbm;
  if (!hbm.Contains(destination, source.size())) {
    return OutsideMemory(destination, source.size(), hbm.bytes());
  }
  hbm.Write(destination, source);
  return OkStatus();
}

Status GoldenTransport::WaitForInterrupt(uint64_t max_cycles) {
  Work(max_cycles, true);
  RETURN_IF_ERROR(Violation());
  if (chip_.interrupt()) return OkStatus();
  if (stop_.exchange(false)) return Cancelled("the wait for the chip was stopped");
  return Timeout(fmt::format("no interrupt after {} cycles", max_cycles));
}

Status GoldenTransport::RunCycles(uint64_t cycles) {
  Work(cycles, false);
  return Violation();
}

Status GoldenTransport::Reset() {
  chip_.Reset();
  return OkStatus();
}

}  // namespace systolith::golden
