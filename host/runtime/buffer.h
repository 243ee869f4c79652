#ifndef SYSTOLITH_HOST_RUNTIME_BUFFER_H_
#define SYSTOLITH_HOST_RUNTIME_BUFFER_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

#include "host/base/status.h"
#include "host/hal/transport.h"

namespace systolith::runtime {

class Allocation;
class Device;

// A block of a device's HBM. A handle: copies mean the same block, which is freed when the last
// handle is gone and the last job that uses it has ended. Keeps the device open. Any thread.
class Buffer {
 public:
  // Use Device::Allocate.
  Buffer(std::shared_ptr<Device> device, std::shared_ptr<Allocation> allocation);

  hal::DeviceAddress address() const;
  uint64_t bytes() const;
  const std::shared_ptr<Device>& device() const { return device_; }
  const std::shared_ptr<Allocation>& allocation() const { return allocation_; }

  // Copies after everything that was queued on the device before, and return when the copy is
  // done. [offset, offset + span size) must lie inside the buffer, else InvalidArgument.
  Status Write(std::span<const std::byte> source, uint64_t offset = 0);
  Status Read(std::span<std::byte> destination, uint64_t offset = 0) const;

 private:
  Status CheckRange(uint64_t offset, uint64_t bytes) const;

  std::shared_ptr<Device> device_;
  std::shared_ptr<Allocation> allocation_;
};

}  // namespace systolith::runtime

#endif  // SYSTOLITH_HOST_RUNTIME_BUFFER_H_
