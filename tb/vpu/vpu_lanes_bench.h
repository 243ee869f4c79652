#ifndef SYSTOLITH_TB_VPU_VPU_LANES_BENCH_H_
#define SYSTOLITH_TB_VPU_VPU_LANES_BENCH_H_

#include <algorithm>
#include <array>
#include <cstdint>
#include <vector>

#include "host/arch/isa.h"
#include "tb/common/dut.h"
#include "tb/common/random.h"
#include "tb/vpu/lane_model.h"

namespace systolith::tb {

template <typename DutType, int lanes, int sublanes>
struct LanesSize {
  using Dut = DutType;
  static constexpr GroupShape kShape = {lanes, sublanes};
};

// One verilated vpu_lanes of some size at its pins.
template <typename Size>
class LanesBench {
 public:
  static constexpr GroupShape kShape = Size::kShape;
  static constexpr int kCount = kShape.lanes * kShape.sublanes;

  LanesBench() {
    dut_.clear_i = dut_.issue_i = dut_.constant_write_i = 0;
    dut_.out_ready_i = 0;
    Reset(dut_);
  }

  auto& dut() { return dut_; }

  void SetStream(int stream, const Group& group) {
    std::copy(group.begin(), group.end(), dut_.group_i.m_storage + stream * kCount);
  }
  void SetScalar(int number, uint32_t value) { dut_.scalars_i.m_storage[number] = value; }

  void WriteConstant(uint32_t address, uint32_t value) {
    dut_.constant_write_i = 1;
    dut_.constant_addr_i = address;
    dut_.constant_data_i = value;
    Cycle(dut_);
    dut_.constant_write_i = 0;
  }

  void Issue(const arch::Bundle& bundle, int thread, uint32_t constant_base) {
    std::array<uint32_t, arch::kBundleWords> words;
    arch::Encode(bundle, words);
    std::copy(words.begin(), words.end(), dut_.bundle_i.m_storage);
    dut_.thread_i = thread;
    dut_.constant_base_i = constant_base;
    dut_.issue_i = 1;
    Cycle(dut_);
    dut_.issue_i = 0;
  }

  bool Valid(int output) const { return dut_.out_valid_o >> output & 1; }
  Group AtOutput(int output) const {
    const uint32_t* first = dut_.out_group_o.m_storage + output * kCount;
    return Group(first, first + kCount);
  }

  // The next group of an output, which must come soon.
  Group Take(int output) {
    for (int n = 0; n < 32 && !Valid(output); ++n) Cycle(dut_);
    EXPECT_TRUE(Valid(output)) << "nothing comes out";
    Group group = AtOutput(output);
    dut_.out_ready_i = 1 << output;
    Cycle(dut_);
    dut_.out_ready_i = 0;
    return group;
  }

 private:
  typename Size::Dut dut_;
};

// Zeros, subnormals, ones, halves, ties, limits, infinities and NaNs of both signs.
inline const std::vector<uint32_t>& SpecialValues() {
  static const std::vector<uint32_t> values = [] {
    std::vector<uint32_t> list;
    for (const uint32_t magnitude :
         {0x00000000u, 0x00000001u, 0x0000001fu, 0x00400000u, 0x007fffffu, 0x00800000u, 0x00800001u,
          0x00ffffffu, 0x01000000u, 0x0c800000u, 0x1fffffffu, 0x20000000u, 0x33000000u, 0x33000001u,
          0x33800000u, 0x387fffffu, 0x3effffffu, 0x3f000000u, 0x3f000001u, 0x3f7fffffu, 0x3f800000u,
          0x3f800001u, 0x3fc00000u, 0x40200000u, 0x42fe0000u, 0x43008000u, 0x477fefffu, 0x477ff000u,
          0x4afffffeu, 0x4affffffu, 0x4b000000u, 0x4b000001u, 0x4b7fffffu, 0x4effffffu, 0x4f000000u,
          0x4f7fffffu, 0x4f800000u, 0x5f000000u, 0x7effffffu, 0x7f000000u, 0x7f7fffffu, 0x7f800000u,
          0x7f800001u, 0x7fc00000u, 0x7fffffffu}) {
      list.push_back(magnitude);
      list.push_back(magnitude | 0x80000000u);
    }
    return list;
  }();
  return values;
}

// Values of all strata. `other` is near in value or exponent half the time, so that sums cancel,
// round and carry, and products and quotients come out near both ends of the range.
inline uint32_t RandomValue(Rng& rng, uint32_t other) {
  const uint32_t bits = rng.U32();
  const auto with_exponent = [&](int64_t exponent) {
    return (bits & 0x807fffffu) | static_cast<uint32_t>(exponent & 0xff) << 23;
  };
  const int64_t exponent = other >> 23 & 0xff;
  switch (rng.Below(12)) {
    case 0: return SpecialValues()[rng.Below(SpecialValues().size())];
    case 1: return bits & 0xff800000u;                                  // powers of two
    case 2: return (bits & 0x80000fffu) | (rng.U32() & 0x7f800000u);    // sticky bits
    case 3: return other + static_cast<uint32_t>(rng.Range(-3, 3));     // neighbours
    case 4: return (other ^ 0x80000000u) + static_cast<uint32_t>(rng.Range(-3, 3));
    case 5: return with_exponent(exponent + rng.Range(-27, 27));
    case 6: return with_exponent(127 - exponent + rng.Range(-2, 2));    // product near 2^-126
    case 7: return with_exponent(381 - exponent + rng.Range(-2, 2));    // product near 2^128
    case 8: return with_exponent(exponent + 126 + rng.Range(-2, 2));    // quotient near 2^-126
    case 9: return with_exponent(exponent - 128 + rng.Range(-2, 2));    // quotient near 2^128
    case 10: return static_cast<uint32_t>(static_cast<int32_t>(bits) >> rng.Below(32));
    default: return bits;
  }
}

// An addend that matters to the product of two floats: near its exponent, often its negative.
inline uint32_t RandomAddend(Rng& rng, uint32_t x, uint32_t y) {
  const float product = std::bit_cast<float>(x) * std::bit_cast<float>(y);
  const uint32_t bits = std::bit_cast<uint32_t>(product);
  const int64_t exponent = static_cast<int64_t>(x >> 23 & 0xff) + (y >> 23 & 0xff) - 127;
  switch (rng.Below(4)) {
    case 0: return (bits ^ 0x80000000u) + static_cast<uint32_t>(rng.Range(-2, 2));
    case 1: {
      const uint32_t fraction = rng.Chance(0.5) ? 0 : rng.U32() & 0x807fffffu;
      const int64_t near = std::clamp<int64_t>(exponent + rng.Range(-50, 50), 0, 255);
      return fraction | static_cast<uint32_t>(near) << 23;
    }
    default: return RandomValue(rng, bits);
  }
}

}  // namespace systolith::tb

#endif  // SYSTOLITH_TB_VPU_VPU_LANES_BENCH_H_
