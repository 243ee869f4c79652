#ifndef SYSTOLITH_TB_COMMON_DUT_H_
#define SYSTOLITH_TB_COMMON_DUT_H_

#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace systolith::tb {

// One cycle of a verilated block: inputs set before this call are seen by the rising edge, outputs
// read after it are those of the new cycle. Combinational outputs of the old cycle: call
// `dut.eval()` after setting inputs and read before `Cycle`.
template <typename Dut>
void Cycle(Dut& dut) {
  dut.clk_i = 0;
  dut.eval();
  dut.clk_i = 1;
  dut.eval();
}

template <typename Dut>
void Reset(Dut& dut) {
  dut.rst_ni = 0;
  Cycle(dut);
  Cycle(dut);
  dut.rst_ni = 1;
}

// Bits [low, low + width) of a port of any width (Verilator makes integers up to 64 bits and an
// array of 32-bit words above that); `width` is at most 64.
template <typename Port>
uint64_t GetBits(const Port& port, size_t low, size_t width) {
  const uint64_t mask = width >= 64 ? ~uint64_t{0} : (uint64_t{1} << width) - 1;
  if constexpr (std::is_integral_v<Port>) {
    return (static_cast<uint64_t>(port) >> low) & mask;
  } else {
    uint64_t value = 0;
    for (size_t done = 0; done < width;) {
      const size_t offset = (low + done) % 32;
      value |= (static_cast<uint64_t>(port[(low + done) / 32]) >> offset) << done;
      done += 32 - offset;
    }
    return value & mask;
  }
}

template <typename Port>
void SetBits(Port& port, size_t low, size_t width, uint64_t value) {
  const uint64_t mask = width >= 64 ? ~uint64_t{0} : (uint64_t{1} << width) - 1;
  if constexpr (std::is_integral_v<Port>) {
    const uint64_t old = static_cast<uint64_t>(port);
    port = static_cast<Port>((old & ~(mask << low)) | ((value & mask) << low));
  } else {
    for (size_t done = 0; done < width;) {
      const size_t offset = (low + done) % 32;
      const size_t count = 32 - offset < width - done ? 32 - offset : width - done;
      const uint32_t part_mask = (count >= 32 ? ~uint32_t{0} : (uint32_t{1} << count) - 1)
                                 << offset;
      auto& word = port[(low + done) / 32];
      word = (word & ~part_mask) | (static_cast<uint32_t>(value >> done) << offset & part_mask);
      done += count;
    }
  }
}

}  // namespace systolith::tb

#endif  // SYSTOLITH_TB_COMMON_DUT_H_
