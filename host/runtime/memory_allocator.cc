#include "host/runtime/memory_allocator.h"

#include <fmt/format.h>

#include <algorithm>
#include <cassert>
#include <iterator>

namespace systolith::runtime {
namespace {

uint64_t RoundUp(uint64_t value) {
  return (value + kAllocationAlignment - 1) / kAllocationAlignment * kAllocationAlignment;
}

}  // namespace

MemoryAllocator::MemoryAllocator(hal::DeviceAddress base, uint64_t bytes) : total_bytes_(bytes) {
  const hal::DeviceAddress first = RoundUp(base);
  if (bytes > first - base) free_[first] = bytes - (first - base);
}

Result<hal::DeviceAddress> MemoryAllocator::Allocate(uint64_t bytes) {
  const std::lock_guard lock(mutex_);
  if (bytes <= total_bytes_) {
    const uint64_t size = RoundUp(std::max<uint64_t>(bytes, 1));
    for (auto block = free_.begin(); block != free_.end(); ++block) {
      if (block->second < size) continue;
      const auto [address, available] = *block;
      free_.erase(block);
      if (available > size) free_[address + size] = available - size;
      used_[address] = size;
      return address;
    }
  }
  return InvalidArgument(fmt::format(
      "out of device memory: {} asked for; {} of {} are free, the largest free block has {}, {} "
      "blocks are in use",
      FormatBytes(bytes), FormatBytes(FreeBytesLocked()), FormatBytes(total_bytes_),
      FormatBytes(LargestLocked()), used_.size()));
}

void MemoryAllocator::Free(hal::DeviceAddress address) {
  const std::lock_guard lock(mutex_);
  const auto block = used_.find(address);
  assert(block != used_.end());
  uint64_t size = block->second;
  used_.erase(block);
  auto next = free_.lower_bound(address);
  if (next != free_.end() && next->first == address + size) {
    size += next->second;
    next = free_.erase(next);
  }
  if (next != free_.begin()) {
    const auto previous = std::prev(next);
    if (previous->first + previous->second == address) {
      previous->second += size;
      return;
    }
  }
  free_[address] = size;
}

uint64_t MemoryAllocator::FreeBytesLocked() const {
  uint64_t sum = 0;
  for (const auto& [address, bytes] : free_) sum += bytes;
  return sum;
}

uint64_t MemoryAllocator::LargestLocked() const {
  uint64_t largest = 0;
  for (const auto& [address, bytes] : free_) largest = std::max(largest, bytes);
  return largest;
}

uint64_t MemoryAllocator::FreeBytes() const {
  const std::lock_guard lock(mutex_);
  return FreeBytesLocked();
}

uint64_t MemoryAllocator::LargestFreeBlockBytes() const {
  const std::lock_guard lock(mutex_);
  return LargestLocked();
}

uint64_t MemoryAllocator::BlocksInUse() const {
  const std::lock_guard lock(mutex_);
  return used_.size();
}

Result<std::shared_ptr<Allocation>> Allocation::Create(std::shared_ptr<MemoryAllocator> allocator,
                                                       uint64_t bytes) {
  ASSIGN_OR_RETURN(const hal::DeviceAddress address, allocator->Allocate(bytes));
  return std::make_shared<Allocation>(std::move(allocator), address, bytes);
}

std::string FormatBytes(uint64_t bytes) {
  constexpr const char* kUnits[] = {"KiB", "MiB", "GiB", "TiB"};
  if (bytes < 1024) return fmt::format("{} bytes", bytes);
  double scaled = static_cast<double>(bytes) / 1024;
  size_t unit = 0;
  while (scaled >= 1024 && unit + 1 < std::size(kUnits)) {
    scaled /= 1024;
    ++unit;
  }
  return fmt::format("{:.4g} {}", scaled, kUnits[unit]);
}

}  // namespace systolith::runtime
