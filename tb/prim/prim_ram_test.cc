// Tests rtl/prim/prim_ram.sv.

#include <vector>

#include "Prim_ram.h"
#include "tb/common/dut.h"
#include "tb/common/random.h"

namespace systolith::tb {
namespace {

class PrimRamTest : public RandomTest {};

TEST_F(PrimRamTest, MasksBytesAndReadsTheOldWordInTheCycleOfAWrite) {
  constexpr int kDepth = 40, kBytes = 12;
  Prim_ram dut;
  std::vector<std::vector<uint8_t>> model(kDepth, std::vector<uint8_t>(kBytes));
  std::vector<uint8_t> shown;
  for (int cycle = 0; cycle < 40000; ++cycle) {
    const bool filling = cycle < kDepth;
    dut.write_i = filling || rng_.Chance(0.6);
    dut.write_addr_i = filling ? cycle : rng_.Below(kDepth);
    dut.write_mask_i = filling || rng_.Chance(0.3) ? 0xfff : rng_.U32() & 0xfff;
    dut.read_i = !filling && rng_.Chance(0.6);
    dut.read_addr_i = rng_.Chance(0.3) ? dut.write_addr_i : rng_.Below(kDepth);
    if (dut.read_i) shown = model[dut.read_addr_i];
    for (int b = 0; b < kBytes; ++b) {
      const uint8_t byte = static_cast<uint8_t>(rng_.U32());
      SetBits(dut.write_data_i, b * 8, 8, byte);
      if (dut.write_i && (dut.write_mask_i >> b & 1) != 0) model[dut.write_addr_i][b] = byte;
    }
    Cycle(dut);
    for (size_t b = 0; b < shown.size(); ++b) {
      ASSERT_EQ(GetBits(dut.read_data_o, b * 8, 8), shown[b]);
    }
  }
}

}  // namespace
}  // namespace systolith::tb
