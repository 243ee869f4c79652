#include "sim/golden/hbm/hbm.h"

#include <algorithm>
#include <cstring>

namespace systolith::golden {

void Hbm::Read(uint64_t address, std::span<std::byte> destination) const {
  while (!destination.empty()) {
    const uint64_t offset = address % kPageBytes;
    const size_t count = std::min<uint64_t>(destination.size(), kPageBytes - offset);
    const auto page = pages_.find(address / kPageBytes);
    if (page == pages_.end()) {
      std::memset(destination.data(), 0, count);
    } else {
      std::memcpy(destination.data(), page->second->data() + offset, count);
    }
    destination = destination.subspan(count);
    address += count;
  }
}

void Hbm::Write(uint64_t address, std::span<const std::byte> source) {
  while (!source.empty()) {
    const uint64_t offset = address % kPageBytes;
    const size_t count = std::min<uint64_t>(source.size(), kPageBytes - offset);
    std::unique_ptr<Page>& page = pages_[address / kPageBytes];
    if (page == nullptr) page = std::make_unique<Page>();
    std::memcpy(page->data() + offset, source.data(), count);
    source = source.subspan(count);
    address += count;
  }
}

}  // namespace systolith::golden
