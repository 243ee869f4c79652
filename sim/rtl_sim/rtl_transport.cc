#include "sim/rtl_sim/rtl_transport.h"

#include <fmt/format.h>

namespace systolith::rtl_sim {
namespace {

using arch::Csr;

constexpr uint32_t kStateMask = (1u << 3) - 1;
constexpr uint32_t kIdle = 0, kHalted = 4;

}  // namespace

RtlTransport::RtlTransport(const arch::ChipConfig& config, const hal::TransportOptions& options)
    : config_(config), load_by_bus_(options.load_by_bus), chip_(config, options), bus_(chip_) {
  bus_.Idle();
}

Status RtlTransport::SetUp() {
  const auto memory_bytes = static_cast<uint64_t>(config_.memory_bytes);
  RETURN_IF_ERROR(WriteCsr(Csr::kMemoryBytesLo, static_cast<uint32_t>(memory_bytes)));
  RETURN_IF_ERROR(WriteCsr(Csr::kMemoryBytesHi, static_cast<uint32_t>(memory_bytes >> 32)));
  if (config_.IsHbm2()) {
    RETURN_IF_ERROR(WriteCsr(Csr::kMemoryChannels, static_cast<uint32_t>(config_.memory_channels)));
  }
  for (uint32_t i = 0; i < arch::kHbmTimingCount; ++i) {
    RETURN_IF_ERROR(WriteCsr(static_cast<Csr>(static_cast<uint32_t>(Csr::kHbmTiming) + 4 * i),
                             config_.timing_cycles[i]));
  }
  RETURN_IF_ERROR(WriteCsr(Csr::kQueueDepth, static_cast<uint32_t>(config_.sequencer_queue_depth)));
  return WriteCsr(Csr::kWatchdogCycles, static_cast<uint32_t>(config_.sequencer_watchdog_cycles));
}

Result<uint32_t> RtlTransport::ReadCsr(Csr csr) {
  RETURN_IF_ERROR(chip_.status());
  return bus_.ReadRegister(static_cast<uint32_t>(csr));
}

Status RtlTransport::WriteCsr(Csr csr, uint32_t value) {
  RETURN_IF_ERROR(chip_.status());
  return bus_.WriteRegister(static_cast<uint32_t>(csr), value);
}

Status RtlTransport::CheckRange(hal::DeviceAddress address, size_t bytes) const {
  const auto fitted = static_cast<uint64_t>(config_.memory_bytes);
  if (bytes <= fitted && address <= fitted - bytes) return OkStatus();
  return InvalidArgument(fmt::format(
      "HBM bytes [{:#x}, {:#x}) do not lie in the {} bytes of fitted memory; use a lower address "
      "or a configuration with a larger memory.bytes",
      address, address + bytes, fitted));
}

Result<bool> RtlTransport::UsesBus() {
  if (load_by_bus_) return true;
  ASSIGN_OR_RETURN(const uint32_t status, ReadCsr(Csr::kStatus));
  const uint32_t state = status & kStateMask;
  return (state != kIdle && state != kHalted) || status >> arch::kStatusQueueUsedLsb != 0;
}

Status RtlTransport::ReadMemory(hal::DeviceAddress source, std::span<std::byte> destination) {
  RETURN_IF_ERROR(CheckRange(source, destination.size()));
  ASSIGN_OR_RETURN(const bool bus, UsesBus());
  if (bus) return bus_.Read(source, destination);
  chip_.memory().ReadMemory(source, destination);
  return OkStatus();
}

Status RtlTransport::WriteMemory(hal::DeviceAddress destination,
                                 std::span<const std::byte> source) {
  RETURN_IF_ERROR(CheckRange(destination, source.size()));
  ASSIGN_OR_RETURN(const bool bus, UsesBus());
  if (bus) return bus_.Write(destination, source);
  chip_.memory().WriteMemory(destination, source);
  return OkStatus();
}

Status RtlTransport::WaitForInterrupt(uint64_t max_cycles) {
  const Vchip_top& pins = chip_.pins();
  for (uint64_t i = 0; !pins.interrupt_o; ++i) {
    RETURN_IF_ERROR(chip_.status());
    if (stop_.exchange(false)) return Cancelled("the wait for the chip was stopped");
    if (i >= max_cycles) return Timeout(fmt::format("no interrupt after {} cycles", max_cycles));
    chip_.Cycle();
  }
  return chip_.status();
}

Status RtlTransport::RunCycles(uint64_t cycles) {
  for (uint64_t i = 0; i < cycles && chip_.status().ok() && !stop_; ++i) chip_.Cycle();
  return chip_.status();
}

Status RtlTransport::Reset() {
  bus_.Idle();
  chip_.Reset();
  return SetUp();
}

Status RtlTransport::CloseTrace() {
  chip_.CloseTrace();
  return OkStatus();
}

}  // namespace systolith::rtl_sim
