#include "host/runtime/buffer.h"

#include <fmt/format.h>

#include "host/runtime/device.h"
#include "host/runtime/memory_allocator.h"

namespace systolith::runtime {

Buffer::Buffer(std::shared_ptr<Device> device, std::shared_ptr<Allocation> allocation)
    : device_(std::move(device)), allocation_(std::move(allocation)) {}

hal::DeviceAddress Buffer::address() const { return allocation_->address(); }
uint64_t Buffer::bytes() const { return allocation_->bytes(); }

Status Buffer::CheckRange(uint64_t offset, uint64_t bytes) const {
  if (offset <= this->bytes() && bytes <= this->bytes() - offset) return OkStatus();
  return InvalidArgument(
      fmt::format("a copy of {} bytes at offset {} leaves the buffer of {} bytes", bytes, offset,
                  this->bytes()));
}

Status Buffer::Write(std::span<const std::byte> source, uint64_t offset) {
  RETURN_IF_ERROR(CheckRange(offset, source.size()));
  return device_
      ->Enqueue([&](hal::Transport& transport) {
        return transport.WriteMemory(address() + offset, source);
      })
      .Wait();
}

Status Buffer::Read(std::span<std::byte> destination, uint64_t offset) const {
  RETURN_IF_ERROR(CheckRange(offset, destination.size()));
  return device_
      ->Enqueue([&](hal::Transport& transport) {
        return transport.ReadMemory(address() + offset, destination);
      })
      .Wait();
}

}  // namespace systolith::runtime
