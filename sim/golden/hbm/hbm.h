#ifndef SYSTOLITH_SIM_GOLDEN_HBM_HBM_H_
#define SYSTOLITH_SIM_GOLDEN_HBM_HBM_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <unordered_map>

namespace systolith::golden {

// The chip's memory: bytes at 40-bit addresses, zero where nobody wrote. Only pages that were
// written take host memory.
class Hbm {
 public:
  explicit Hbm(uint64_t bytes) : bytes_(bytes) {}

  // Bytes fitted. Callers check with Contains() before they read or write.
  uint64_t bytes() const { return bytes_; }
  void set_bytes(uint64_t bytes) { bytes_ = bytes; }
  bool Contains(uint64_t address, uint64_t count) const {
    return address <= bytes_ && count <= bytes_ - address;
  }

  void Read(uint64_t address, std::span<std::byte> destination) const;
  void Write(uint64_t address, std::span<const std::byte> source);

 private:
  static constexpr uint64_t kPageBytes = 1 << 16;
  using Page = std::array<std::byte, kPageBytes>;

  uint64_t bytes_;
  std::unordered_map<uint64_t, std::unique_ptr<Page>> pages_;
};

}  // namespace systolith::golden

#endif  // SYSTOLITH_SIM_GOLDEN_HBM_HBM_H_
