#ifndef SYSTOLITH_HOST_RUNTIME_MEMORY_ALLOCATOR_H_
#define SYSTOLITH_HOST_RUNTIME_MEMORY_ALLOCATOR_H_

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>

#include "host/base/status.h"
#include "host/hal/transport.h"

namespace systolith::runtime {

// Every block starts at a multiple of this many bytes: no two buffers share a memory line, whatever
// the chip's line size, and each starts a new interleave of the memory channels.
inline constexpr uint64_t kAllocationAlignment = 256;

// Hands out blocks of one chip's HBM: first fit, neighbouring free blocks merge. Only bookkeeping
// on the host; the chip is not touched. Any thread.
class MemoryAllocator {
 public:
  // Manages the addresses [base, base + bytes).
  MemoryAllocator(hal::DeviceAddress base, uint64_t bytes);

  // A block of at least `bytes` (0 counts as 1). InvalidArgument with the sizes asked for, free and
  // largest when no block is left that is large enough.
  Result<hal::DeviceAddress> Allocate(uint64_t bytes);

  // Returns a block; `address` must come from Allocate and not have been freed since.
  void Free(hal::DeviceAddress address);

  uint64_t total_bytes() const { return total_bytes_; }
  uint64_t FreeBytes() const;
  uint64_t LargestFreeBlockBytes() const;
  uint64_t BlocksInUse() const;

 private:
  uint64_t FreeBytesLocked() const;
  uint64_t LargestLocked() const;

  const uint64_t total_bytes_;
  mutable std::mutex mutex_;
  std::map<hal::DeviceAddress, uint64_t> free_;  // address -> bytes, never adjacent
  std::map<hal::DeviceAddress, uint64_t> used_;
};

// One block of device memory, freed by the destructor. Independent of the device's lifetime.
class Allocation {
 public:
  static Result<std::shared_ptr<Allocation>> Create(std::shared_ptr<MemoryAllocator> allocator,
                                                    uint64_t bytes);
  Allocation(std::shared_ptr<MemoryAllocator> allocator, hal::DeviceAddress address,
             uint64_t bytes)
      : allocator_(std::move(allocator)), address_(address), bytes_(bytes) {}
  ~Allocation() { allocator_->Free(address_); }
  Allocation(const Allocation&) = delete;
  Allocation& operator=(const Allocation&) = delete;

  hal::DeviceAddress address() const { return address_; }
  uint64_t bytes() const { return bytes_; }  // as asked for, without padding

 private:
  const std::shared_ptr<MemoryAllocator> allocator_;
  const hal::DeviceAddress address_;
  const uint64_t bytes_;
};

// "1.5 GiB", "640 bytes": sizes in messages.
std::string FormatBytes(uint64_t bytes);

}  // namespace systolith::runtime

#endif  // SYSTOLITH_HOST_RUNTIME_MEMORY_ALLOCATOR_H_
