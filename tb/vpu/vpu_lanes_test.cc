// Tests rtl/vpu/vpu_lanes.sv: every step and conversion on values of every kind against the host's
// IEEE arithmetic, and the three stages working at once.

#include <array>
#include <bit>
#include <vector>

#include "Vpu_lanes_128.h"
#include "tb/common/dut.h"
#include "tb/common/random.h"
#include "tb/vpu/lane_model.h"

namespace systolith::tb {
namespace {

using arch::LaneType;
using arch::VectorOp;

constexpr int kLanes = 128;
using Row = std::vector<uint32_t>;  // one word per lane

// Zeros, subnormals, ones, halves, ties, limits, infinities and NaNs of both signs.
const std::vector<uint32_t>& SpecialValues() {
  static const std::vector<uint32_t> values = [] {
    std::vector<uint32_t> list;
    for (const uint32_t magnitude :
         {0x00000000u, 0x00000001u, 0x00400000u, 0x007fffffu, 0x00800000u, 0x00800001u, 0x00ffffffu,
          0x01000000u, 0x0c800000u, 0x1fffffffu, 0x20000000u, 0x33800000u, 0x3effffffu, 0x3f000000u,
          0x3f000001u, 0x3f7fffffu, 0x3f800000u, 0x3f800001u, 0x3fc00000u, 0x40200000u, 0x42fe0000u,
          0x42ff0000u, 0x43000000u, 0x43008000u, 0x4afffffeu, 0x4affffffu, 0x4b000000u, 0x4b000001u,
          0x4b7fffffu, 0x4effffffu, 0x4f000000u, 0x4f000001u, 0x5f000000u, 0x7effffffu, 0x7f000000u,
          0x7f7fffffu, 0x7f800000u, 0x7f800001u, 0x7fc00000u, 0x7fffffffu}) {
      list.push_back(magnitude);
      list.push_back(magnitude | 0x80000000u);
    }
    return list;
  }();
  return values;
}

class VpuLanesTest : public RandomTest {
 protected:
  // A number whose exponent is near that of `other` half the time, so that additions cancel, round
  // and carry, and products come out near both ends of the range.
  uint32_t Value(uint32_t other) {
    const uint32_t bits = rng_.U32();
    switch (rng_.Below(8)) {
      case 0: return SpecialValues()[rng_.Below(SpecialValues().size())];
      case 1: return bits & 0xff800000u;                                    // powers of two
      case 2: return (bits & 0x80000fffu) | (rng_.U32() & 0x7f800000u);     // sticky bits
      case 3: return other + static_cast<uint32_t>(rng_.Range(-3, 3));      // neighbours
      case 4: return (other ^ 0x80000000u) + static_cast<uint32_t>(rng_.Range(-3, 3));
      case 5: {
        const int64_t exponent = static_cast<int64_t>(other >> 23 & 0xff) + rng_.Range(-27, 27);
        return (bits & 0x807fffffu) | static_cast<uint32_t>(exponent & 0xff) << 23;
      }
      case 6: {  // the product is near 2^-126 or 2^128
        const int64_t sum = rng_.Chance(0.5) ? 127 : 381;
        const int64_t exponent = sum - static_cast<int64_t>(other >> 23 & 0xff) + rng_.Range(-2, 2);
        return (bits & 0x807fffffu) | static_cast<uint32_t>(exponent & 0xff) << 23;
      }
      default: return bits;
    }
  }

  void SetRow(WData* port, const Row& row) {
    for (int i = 0; i < kLanes; ++i) port[i] = row[i];
  }

  // One row all the way through; the three stages one after the other.
  Row Run(VectorOp op, const Row& x, const Row& y) {
    dut_.x_source_i = static_cast<uint32_t>(arch::XSource::kBuffer);
    dut_.x_type_i = dut_.y_type_i = dut_.out_type_i = static_cast<uint32_t>(LaneType::kF32);
    dut_.y_used_i = 1;
    dut_.op_i = static_cast<uint32_t>(op);
    dut_.operand_i = static_cast<uint32_t>(arch::VectorOperand::kY);
    dut_.step_first_i = 1;
    dut_.step_pass_i = 0;
    dut_.convert_count_i = kLanes;
    SetRow(dut_.x_row_i.m_storage, x);
    SetRow(dut_.y_row_i.m_storage, y);
    Enable(1, 0, 0);
    Enable(0, 1, 0);
    Enable(0, 0, 1);
    return Row(dut_.row_o.m_storage, dut_.row_o.m_storage + kLanes);
  }

  void Enable(int load, int step, int convert) {
    dut_.load_i = load;
    dut_.step_i = step;
    dut_.convert_i = convert;
    Cycle(dut_);
  }

  Vpu_lanes_128 dut_;
};

class VpuLanesOpTest : public VpuLanesTest, public testing::WithParamInterface<VectorOp> {};

TEST_P(VpuLanesOpTest, StepIsTheHostsArithmetic) {
  const auto check = [&](const Row& x, const Row& y) {
    const Row got = Run(GetParam(), x, y);
    for (int i = 0; i < kLanes; ++i) {
      ASSERT_EQ(got[i], LaneStep(GetParam(), x[i], y[i]))
          << std::hex << "x 0x" << x[i] << " operand 0x" << y[i];
    }
  };
  // Every pair of special values.
  Row x, y;
  for (const uint32_t a : SpecialValues()) {
    for (const uint32_t b : SpecialValues()) {
      x.push_back(a);
      y.push_back(b);
      if (x.size() == kLanes) {
        ASSERT_NO_FATAL_FAILURE(check(x, y));
        x.clear();
        y.clear();
      }
    }
  }
  for (int n = 0; n < 6000; ++n) {
    x.assign(kLanes, 0);
    y.assign(kLanes, 0);
    for (int i = 0; i < kLanes; ++i) {
      x[i] = Value(rng_.U32());
      y[i] = Value(x[i]);
      if (n % 3 == 0) x[i] = static_cast<uint32_t>(static_cast<int32_t>(x[i]) >> rng_.Below(31));
    }
    ASSERT_NO_FATAL_FAILURE(check(x, y));
  }
}

INSTANTIATE_TEST_SUITE_P(
    Ops, VpuLanesOpTest,
    testing::Values(VectorOp::kCopy, VectorOp::kAddF32, VectorOp::kSubtractF32,
                    VectorOp::kReverseSubtractF32, VectorOp::kMultiplyF32, VectorOp::kMaximumF32,
                    VectorOp::kMinimumF32, VectorOp::kRoundEvenF32, VectorOp::kAddS32,
                    VectorOp::kSubtractS32, VectorOp::kReverseSubtractS32, VectorOp::kMultiplyS32,
                    VectorOp::kMaximumS32, VectorOp::kMinimumS32, VectorOp::kS32ToF32,
                    VectorOp::kF32ToS32, VectorOp::kRoundBf16, VectorOp::kRequantize),
    [](const auto& info) { return std::string(arch::Name(info.param)); });

// All 2^16 upper halves, each with the lower halves around the middle.
TEST_F(VpuLanesTest, RoundingToBf16IsExhaustive) {
  Row x(kLanes), y(kLanes);
  for (const uint32_t low : {0x0000u, 0x0001u, 0x7fffu, 0x8000u, 0x8001u, 0xffffu, 0x10000u}) {
    for (uint32_t high = 0; high < 0x10000; high += kLanes) {
      for (int i = 0; i < kLanes; ++i) {
        x[i] = (high + i) << 16 | (low == 0x10000 ? rng_.U32() & 0xffff : low);
      }
      const Row got = Run(VectorOp::kRoundBf16, x, y);
      for (int i = 0; i < kLanes; ++i) {
        ASSERT_EQ(got[i], LaneStep(VectorOp::kRoundBf16, x[i], 0)) << std::hex << x[i];
      }
    }
  }
}

// Elements of every type in, of every type out, with lanes beyond the count as zero.
TEST_F(VpuLanesTest, ElementsOfAllTypesComeInAndGoOut) {
  for (int n = 0; n < 4000; ++n) {
    const auto in = static_cast<LaneType>(rng_.Below(4));
    const auto out = static_cast<LaneType>(rng_.Below(4));
    const int count = static_cast<int>(rng_.Range(1, kLanes));
    const bool splat = rng_.Chance(0.3);  // of y, which a copy step makes the result
    Row row(kLanes);
    for (uint32_t& word : row) word = Value(rng_.U32());
    SetRow(dut_.x_row_i.m_storage, row);
    SetRow(dut_.y_row_i.m_storage, row);
    dut_.x_source_i = static_cast<uint32_t>(arch::XSource::kBuffer);
    dut_.x_type_i = dut_.y_type_i = static_cast<uint32_t>(in);
    dut_.out_type_i = static_cast<uint32_t>(out);
    dut_.y_used_i = 1;
    dut_.y_splat_i = splat;
    dut_.op_i = static_cast<uint32_t>(VectorOp::kCopy);
    dut_.operand_i = static_cast<uint32_t>(arch::VectorOperand::kY);
    dut_.step_first_i = 1;
    dut_.step_pass_i = !splat;
    dut_.convert_count_i = count;
    Enable(1, 0, 0);
    Enable(0, 1, 0);
    Enable(0, 0, 1);
    dut_.y_splat_i = 0;
    const int in_bits = ElementBytes(in) * 8, out_bits = ElementBytes(out) * 8;
    for (int i = 0; i < kLanes; ++i) {
      const uint32_t element = GetBits(dut_.x_row_i, (splat ? 0 : i) * in_bits, in_bits);
      const uint32_t expected = i < count ? ElementFromLane(out, LaneFromElement(in, element)) : 0;
      ASSERT_EQ(GetBits(dut_.row_o, i * out_bits, out_bits), expected) << "lane " << i;
    }
  }
}

// Load, step and convert in one cycle work on three consecutive rows.
TEST_F(VpuLanesTest, StagesWorkOnConsecutiveRows) {
  std::vector<Row> rows;
  const Row ones(kLanes, 1);
  Run(VectorOp::kAddS32, ones, ones);  // sets every control input
  for (int n = 0; n < 20; ++n) {
    Row row(kLanes);
    for (uint32_t& word : row) word = rng_.U32();
    rows.push_back(row);
    SetRow(dut_.x_row_i.m_storage, row);
    Enable(1, 1, 1);
    if (n < 2) continue;
    for (int i = 0; i < kLanes; ++i) ASSERT_EQ(dut_.row_o.m_storage[i], rows[n - 2][i] + 1);
  }
}

}  // namespace
}  // namespace systolith::tb
