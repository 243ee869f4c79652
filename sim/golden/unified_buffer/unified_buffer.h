#ifndef SYSTOLITH_SIM_GOLDEN_UNIFIED_BUFFER_UNIFIED_BUFFER_H_
#define SYSTOLITH_SIM_GOLDEN_UNIFIED_BUFFER_UNIFIED_BUFFER_H_

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <span>
#include <vector>

namespace systolith::golden {

// The byte-linear memory that all engines share.
class UnifiedBuffer {
 public:
  explicit UnifiedBuffer(size_t bytes) : bytes_(bytes) {}

  int64_t size() const { return static_cast<int64_t>(bytes_.size()); }

  // The address that a `buffer_range` fault names if [address, address + count) does not lie in
  // the buffer: the lowest byte if that is outside, else the highest. Nothing if it lies inside.
  std::optional<uint64_t> OutOfRange(int64_t address, int64_t count) const {
    if (address < 0 || address >= size()) return static_cast<uint64_t>(address);
    if (address + count > size()) return static_cast<uint64_t>(address + count - 1);
    return std::nullopt;
  }

  // The lowest byte of [address, address + count) outside of the buffer, in the 32 bits of the
  // chip's address, as the engines that work row by row name it. Nothing if there is none.
  std::optional<uint32_t> FirstOutside(int64_t address, int64_t count) const {
    if (address < 0 || address >= size()) return static_cast<uint32_t>(address);
    if (address + count > size()) return static_cast<uint32_t>(size());
    return std::nullopt;
  }

  // The range must lie inside.
  std::span<std::byte> At(int64_t address, int64_t count) {
    return std::span(bytes_).subspan(static_cast<size_t>(address), static_cast<size_t>(count));
  }

  uint32_t Word(int64_t address) const {
    uint32_t word;
    std::memcpy(&word, bytes_.data() + address, sizeof(word));
    return word;
  }

 private:
  std::vector<std::byte> bytes_;
};

}  // namespace systolith::golden

#endif  // SYSTOLITH_SIM_GOLDEN_UNIFIED_BUFFER_UNIFIED_BUFFER_H_
