#include "host/runtime/device.h"

#include <fmt/format.h>

#include "host/runtime/chip_port.h"
#include "host/runtime/device_work.h"
#include "host/runtime/event_state.h"
#include "host/runtime/memory_allocator.h"

namespace systolith::runtime {

WorkGroup NewWorkGroup() { return std::make_shared<std::atomic<bool>>(false); }

Result<std::shared_ptr<Device>> Device::Open(const std::string& target,
                                             const arch::ChipConfig& config,
                                             const hal::TransportOptions& options) {
  ASSIGN_OR_RETURN(std::unique_ptr<hal::Transport> transport,
                   hal::OpenTransport(target, config, options));
  return Open(std::move(transport), target, config);
}

Result<std::shared_ptr<Device>> Device::Open(std::unique_ptr<hal::Transport> transport,
                                             const std::string& target,
                                             const arch::ChipConfig& config) {
  auto port = std::make_unique<ChipPort>(std::move(transport), config);
  if (Status status = port->Configure(); !status.ok()) {
    return status.WithContext(fmt::format("chip '{}' ({})", config.name, target));
  }
  return std::shared_ptr<Device>(new Device(std::move(port), target, config));
}

Device::Device(std::unique_ptr<ChipPort> port, const std::string& target,
               const arch::ChipConfig& config)
    : config_(config),
      target_(target),
      allocator_(std::make_shared<MemoryAllocator>(0, static_cast<uint64_t>(config.memory_bytes))),
      port_(std::move(port)),
      slice_cycles_(kFirstSliceCycles),
      worker_([this] { RunWorker(); }) {}

Device::~Device() { (void)Close(); }

Status Device::Close() {
  const std::lock_guard close_lock(close_mutex_);
  if (!worker_.joinable()) return close_status_;
  {
    const std::lock_guard lock(mutex_);
    closing_ = true;
  }
  work_arrived_.notify_all();
  port_->transport().RequestStop();
  worker_.join();
  close_status_ = port_->transport().CloseTrace();
  return close_status_;
}

Device::MemoryInfo Device::memory() const {
  return {allocator_->total_bytes(), allocator_->FreeBytes(), allocator_->LargestFreeBlockBytes(),
          allocator_->BlocksInUse()};
}

Result<Buffer> Device::Allocate(uint64_t bytes) {
  Result<std::shared_ptr<Allocation>> allocation = Allocation::Create(allocator_, bytes);
  if (!allocation.ok()) {
    return allocation.status().WithContext(fmt::format("chip '{}' ({})", config_.name, target_));
  }
  return Buffer(shared_from_this(), std::move(*allocation));
}

Status Device::CheckLaunch(const Launch& launch) const {
  if (launch.segments.size() > static_cast<size_t>(arch::kSegments)) {
    return InvalidArgument(fmt::format("{}: {} segments; the chip binds at most {}", launch.label,
                                       launch.segments.size(), arch::kSegments));
  }
  if (launch.program_address % 64 != 0) {
    return InvalidArgument(fmt::format("{}: program address {:#x} is not a multiple of 64",
                                       launch.label, launch.program_address));
  }
  if (launch.program_hash != config_.ProgramHash()) {
    return InvalidArgument(fmt::format(
        "{}: was compiled for a chip of program hash {:016x}; chip '{}' has {:016x}", launch.label,
        launch.program_hash, config_.name, config_.ProgramHash()));
  }
  return OkStatus();
}

Event Device::Enqueue(Launch launch, WorkGroup group) {
  if (Status status = CheckLaunch(launch); !status.ok()) {
    if (group) group->store(true);
    return Event::Ended(std::move(status));
  }
  auto work = std::make_unique<Work>();
  work->launch = std::move(launch);
  work->group = std::move(group);
  return EnqueueWork(std::move(work));
}

Event Device::Enqueue(HostWork host, WorkGroup group) {
  auto work = std::make_unique<Work>();
  work->host = std::move(host);
  work->group = std::move(group);
  return EnqueueWork(std::move(work));
}

Event Device::EnqueueWork(std::unique_ptr<Work> work) {
  const std::shared_ptr<EventState> event = work->event;
  {
    const std::lock_guard lock(mutex_);
    if (closing_) {
      return Event::Ended(
          InvalidArgument(fmt::format("chip '{}' ({}) is closed", config_.name, target_)));
    }
    (work->urgent ? urgent_ : queue_).push_back(std::move(work));
  }
  work_arrived_.notify_all();
  return Event(event);
}

Status Device::RaiseHostFlag(uint32_t flag, uint16_t increment) {
  if (flag < arch::kHostFlagBase || flag >= static_cast<uint32_t>(arch::kFlags)) {
    return InvalidArgument(fmt::format("flag {} is no host flag; they are {} to {}", flag,
                                       arch::kHostFlagBase, arch::kFlags - 1));
  }
  auto work = std::make_unique<Work>();
  work->urgent = true;
  work->host = [flag, increment](hal::Transport& transport) {
    return transport.WriteCsr(arch::Csr::kHostFlag,
                              flag << arch::kHostFlagFlagLsb |
                                  static_cast<uint32_t>(increment) << arch::kHostFlagIncrementLsb);
  };
  return EnqueueWork(std::move(work)).Wait();
}

void Device::RequestStop() {
  stop_requested_.store(true);
  port_->transport().RequestStop();
}

}  // namespace systolith::runtime
