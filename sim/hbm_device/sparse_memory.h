#ifndef SYSTOLITH_SIM_HBM_DEVICE_SPARSE_MEMORY_H_
#define SYSTOLITH_SIM_HBM_DEVICE_SPARSE_MEMORY_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

namespace systolith::hbm_device {

// Bytes of a memory of any size; pages come into being when they are written. What was never
// written reads as zero. Addresses and lengths must lie inside.
class SparseMemory {
 public:
  explicit SparseMemory(uint64_t bytes);

  uint64_t bytes() const { return bytes_; }
  uint64_t AllocatedBytes() const { return allocated_pages_ * kPageBytes; }

  void Read(uint64_t address, std::span<std::byte> destination) const;
  void Write(uint64_t address, std::span<const std::byte> source);
  // Writes the bytes of `source` whose bit in `strobe` (bit i of byte i / 8) is set.
  void WriteStrobed(uint64_t address, std::span<const std::byte> source, const uint8_t* strobe);

 private:
  static constexpr uint64_t kPageBytes = 64 << 10;
  using Page = std::array<std::byte, kPageBytes>;

  std::byte* WritablePage(uint64_t address);

  uint64_t bytes_;
  uint64_t allocated_pages_ = 0;
  std::vector<std::unique_ptr<Page>> pages_;
};

}  // namespace systolith::hbm_device

#endif  // SYSTOLITH_SIM_HBM_DEVICE_SPARSE_MEMORY_H_
