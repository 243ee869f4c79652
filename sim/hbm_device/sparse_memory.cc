#include "sim/hbm_device/sparse_memory.h"

#include <algorithm>
#include <cassert>
#include <cstring>

namespace systolith::hbm_device {

SparseMemory::SparseMemory(uint64_t bytes)
    : bytes_(bytes), pages_((bytes + kPageBytes - 1) / kPageBytes) {}

std::byte* SparseMemory::WritablePage(uint64_t address) {
  std::unique_ptr<Page>& page = pages_[address / kPageBytes];
  if (!page) {
    page = std::make_unique<Page>();  // zero
    allocated_pages_++;
  }
  return page->data();
}

void SparseMemory::Read(uint64_t address, std::span<std::byte> destination) const {
  assert(address <= bytes_ && destination.size() <= bytes_ - address);
  while (!destination.empty()) {
    const uint64_t offset = address % kPageBytes;
    const size_t count = std::min<uint64_t>(destination.size(), kPageBytes - offset);
    const std::unique_ptr<Page>& page = pages_[address / kPageBytes];
    if (page) std::memcpy(destination.data(), page->data() + offset, count);
    else std::memset(destination.data(), 0, count);
    address += count;
    destination = destination.subspan(count);
  }
}

void SparseMemory::Write(uint64_t address, std::span<const std::byte> source) {
  assert(address <= bytes_ && source.size() <= bytes_ - address);
  while (!source.empty()) {
    const uint64_t offset = address % kPageBytes;
    const size_t count = std::min<uint64_t>(source.size(), kPageBytes - offset);
    std::memcpy(WritablePage(address) + offset, source.data(), count);
    address += count;
    source = source.subspan(count);
  }
}

void SparseMemory::WriteStrobed(uint64_t address, std::span<const std::byte> source,
                                const uint8_t* strobe) {
  for (size_t i = 0; i < source.size();) {
    if (!(strobe[i / 8] >> (i % 8) & 1)) {
      i++;
      continue;
    }
    size_t end = i + 1;  // whole runs at once
    while (end < source.size() && strobe[end / 8] >> (end % 8) & 1) end++;
    Write(address + i, source.subspan(i, end - i));
    i = end;
  }
}

}  // namespace systolith::hbm_device
