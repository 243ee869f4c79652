// Tests rtl/vpu/vpu_lanes.sv: every operation on values of every kind against the host's
// arithmetic, lane operations at every kind of amount, and random kernels in four threads with
// stalled outputs.

#include <bit>
#include <deque>
#include <map>
#include <string>
#include <vector>

#include "Vpu_lanes_16_4.h"
#include "Vpu_lanes_256_2.h"
#include "Vpu_lanes_32_1.h"
#include "Vpu_lanes_8_2.h"
#include "tb/vpu/lane_model.h"
#include "tb/vpu/vpu_lanes_bench.h"

namespace systolith::tb {
namespace {

using arch::AluOp;
using arch::Bundle;
using arch::LaneOp;

constexpr uint32_t kIn0 = arch::kOperandInput;
constexpr uint32_t kOut0 = arch::kOperandOutput;

bool InSlot(const arch::OperationInfo& info, int slot) {
  return slot == 0 ? info.slot_a : info.slot_b;
}

Bundle SlotBundle(int slot, uint32_t op, uint32_t dst, uint32_t x, uint32_t y, uint32_t z) {
  Bundle bundle;
  (slot == 0 ? bundle.a_op : bundle.b_op) = op;
  (slot == 0 ? bundle.a_dst : bundle.b_dst) = dst;
  (slot == 0 ? bundle.a_x : bundle.b_x) = x;
  (slot == 0 ? bundle.a_y : bundle.b_y) = y;
  (slot == 0 ? bundle.a_z : bundle.b_z) = z;
  return bundle;
}

template <typename Size>
class VpuLanesTest : public RandomTest {
 protected:
  static constexpr GroupShape kShape = Size::kShape;
  static constexpr int kCount = kShape.lanes * kShape.sublanes;

  // One operation from in0, in1, in2 to out0.
  Group Run(int slot, AluOp op, const Group& x, const Group& y, const Group& z) {
    bench_.SetStream(0, x);
    bench_.SetStream(1, y);
    bench_.SetStream(2, z);
    bench_.Issue(SlotBundle(slot, static_cast<uint32_t>(op), kOut0, kIn0, kIn0 + 1, kIn0 + 2),
                 0, 0);
    return bench_.Take(0);
  }

  // Collects operands until a group is full, then compares it with the model.
  void Check(int slot, AluOp op, uint32_t x, uint32_t y, uint32_t z) {
    x_.push_back(x);
    y_.push_back(y);
    z_.push_back(z);
    if (x_.size() < static_cast<size_t>(kCount)) return;
    const Group got = Run(slot, op, x_, y_, z_);
    for (int i = 0; i < kCount && !HasFatalFailure(); ++i) {
      ASSERT_EQ(got[i], AluResult(op, x_[i], y_[i], z_[i]))
          << arch::Name(op) << std::hex << " of 0x" << x_[i] << " 0x" << y_[i] << " 0x" << z_[i];
    }
    x_.clear();
    y_.clear();
    z_.clear();
  }

  Group RandomGroup() {
    Group group(kCount);
    uint32_t other = rng_.U32();
    for (uint32_t& value : group) value = other = RandomValue(rng_, other);
    return group;
  }

  LanesBench<Size> bench_;
  Group x_, y_, z_;
};

using Sizes = testing::Types<LanesSize<Vpu_lanes_8_2, 8, 2>, LanesSize<Vpu_lanes_16_4, 16, 4>,
                             LanesSize<Vpu_lanes_32_1, 32, 1>, LanesSize<Vpu_lanes_256_2, 256, 2>>;
TYPED_TEST_SUITE(VpuLanesTest, Sizes);

TYPED_TEST(VpuLanesTest, OperationsAreTheHostsArithmetic) {
  const auto& specials = SpecialValues();
  const bool wide = this->kCount > 256;
  for (const arch::OperationInfo& info : arch::kAluOps) {
    const auto op = static_cast<AluOp>(info.code);
    if (op == AluOp::kLookup) continue;
    for (int slot = 0; slot < 2; ++slot) {
      if (!InSlot(info, slot)) continue;
      const auto check = [&](uint32_t x, uint32_t y, uint32_t z) {
        this->Check(slot, op, x, y, z);
      };
      // All pairs of special values; all triples once.
      for (const uint32_t x : specials) {
        for (const uint32_t y : specials) {
          if (info.sources < 3 || slot == 1 || !wide) {
            check(x, y, specials[this->rng_.Below(specials.size())]);
          } else {
            for (const uint32_t z : specials) check(x, y, z);
          }
          if (this->HasFatalFailure()) return;
        }
      }
      const bool requantize = op == AluOp::kRequantizeDouble || op == AluOp::kRequantizeSingle;
      for (int n = 0; n < (wide && slot == 0 ? 300000 : 10000); ++n) {
        const uint32_t x = RandomValue(this->rng_, this->rng_.U32());
        const uint32_t y = info.code >= 45 && info.code <= 48 && n % 2 == 0
                               ? static_cast<uint32_t>(this->rng_.Below(40))
                               : RandomValue(this->rng_, x);
        const uint32_t z = requantize ? static_cast<uint32_t>(this->rng_.Range(-35, 35))
                                      : RandomAddend(this->rng_, x, y);
        check(x, op == AluOp::kScaleF32 && n % 2 == 0
                     ? static_cast<uint32_t>(this->rng_.Range(-300, 300))
                     : y, z);
        if (this->HasFatalFailure()) return;
      }
    }
  }
}

// Integers close to the limits and to ties, where requantisation and conversions round.
TYPED_TEST(VpuLanesTest, RoundingOfIntegersIsExactAtTies) {
  for (int n = 0; n < 20000; ++n) {
    const int shift = static_cast<int>(this->rng_.Range(-31, 30));
    const uint32_t tie = uint32_t{1} << this->rng_.Below(32);
    const uint32_t x = tie * static_cast<uint32_t>(this->rng_.Range(-5, 5)) +
                       static_cast<uint32_t>(this->rng_.Range(-1, 1));
    const uint32_t m = (this->rng_.Chance(0.5) ? 0x40000000u : 0x80000000u) +
                       static_cast<uint32_t>(this->rng_.Range(-1, 1));
    for (const AluOp op : {AluOp::kRequantizeDouble, AluOp::kRequantizeSingle, AluOp::kS32ToF32,
                           AluOp::kU32ToF32, AluOp::kMultiplyHighS32}) {
      const Group x_group(this->kCount, x), m_group(this->kCount, m);
      const Group z_group(this->kCount, static_cast<uint32_t>(shift));
      ASSERT_EQ(this->Run(0, op, x_group, m_group, z_group)[n % this->kCount],
                AluResult(op, x, m, static_cast<uint32_t>(shift)))
          << arch::Name(op) << " " << x << " " << m << " " << shift;
    }
    if (this->kCount > 64 && n > 2000) break;
  }
}

// All 2^16 upper halves, each with the lower halves around the middle.
TYPED_TEST(VpuLanesTest, RoundingToNarrowFloatsIsExhaustive) {
  for (const AluOp op : {AluOp::kRoundBf16, AluOp::kRoundF16}) {
    for (const uint32_t low : {0x0000u, 0x0001u, 0x0fffu, 0x1000u, 0x1001u, 0x7fffu, 0x8000u,
                               0x8001u, 0xefffu, 0xf000u, 0xf001u, 0xffffu, 0x10000u}) {
      for (uint32_t high = 0; high < 0x10000; ++high) {
        this->Check(0, op, high << 16 | (low == 0x10000 ? this->rng_.U32() & 0xffff : low), 0, 0);
      }
      if (this->HasFatalFailure()) return;
    }
  }
}

TYPED_TEST(VpuLanesTest, FieldCases) {
  const auto run = [&](AluOp op, uint32_t x, uint32_t y, uint32_t z) {
    const Group result = this->Run(0, op, Group(this->kCount, x), Group(this->kCount, y),
                                   Group(this->kCount, z));
    return result[this->kCount - 1];
  };
  // B10: conversions of special values.
  for (const uint32_t nan : {0x7f800001u, 0x7fffffffu, 0xff800001u}) {
    EXPECT_EQ(run(AluOp::kRoundBf16, nan, 0, 0), 0x7fc00000u);
    EXPECT_EQ(run(AluOp::kRoundF16, nan, 0, 0), 0x7fc00000u);
    EXPECT_EQ(run(AluOp::kF32ToS32, nan, 0, 0), 0u);
    EXPECT_EQ(run(AluOp::kF32ToU32, nan, 0, 0), 0u);
  }
  EXPECT_EQ(run(AluOp::kRoundBf16, 0x7f7fffff, 0, 0), 0x7f800000u);
  EXPECT_EQ(run(AluOp::kRoundBf16, 0x7f7f7fff, 0, 0), 0x7f7f0000u);
  const std::map<float, int32_t> integers = {
      {INFINITY, INT32_MAX}, {-INFINITY, INT32_MIN}, {3e9f, INT32_MAX}, {-3e9f, INT32_MIN},
      {127.5f, 127},         {-128.6f, -128}};
  for (const auto& [value, expected] : integers) {
    EXPECT_EQ(run(AluOp::kF32ToS32, std::bit_cast<uint32_t>(value), 0, 0),
              static_cast<uint32_t>(expected));
  }
  // C13: requantisation rounded twice and once.
  struct Case { int32_t x, multiplier, shift, twice, once; };
  for (const Case& c : {Case{1154, 2143270065, -8, 5, 4}, Case{-7190, 2083534306, -7, -55, -54},
                        Case{3800, 1835530321, -5, 102, 101},
                        Case{-11226, 1518065413, -9, -16, -15}}) {
    EXPECT_EQ(run(AluOp::kRequantizeDouble, c.x, c.multiplier, c.shift),
              static_cast<uint32_t>(c.twice));
    EXPECT_EQ(run(AluOp::kRequantizeSingle, c.x, c.multiplier, c.shift),
              static_cast<uint32_t>(c.once));
  }
}

TYPED_TEST(VpuLanesTest, LaneOperationsAtEveryAmount) {
  const auto lanes = static_cast<uint32_t>(this->kShape.lanes);
  const auto count = static_cast<uint32_t>(this->kCount);
  std::vector<uint32_t> amounts = {0,         1,         2,         3,     7,         lanes - 1,
                                   lanes,     lanes + 1, count - 1, count, count + 1, 2 * count,
                                   127,       128,       129,       255,   0x7fffffff,
                                   0x80000000, 0xffffffff};
  for (int n = 0; n < 20; ++n) amounts.push_back(this->rng_.Below(2 * count));
  for (const arch::OperationInfo& info : arch::kLaneOps) {
    const auto op = static_cast<LaneOp>(info.code);
    for (const uint32_t amount : amounts) {
      Group x = this->RandomGroup(), y = this->RandomGroup();
      const uint64_t kind = this->rng_.Below(4);
      for (uint32_t& value : x) {
        if (kind == 0) value &= 0xff800000;                          // many equal values
        if (kind == 1) value &= 0xbfffffff;                          // no NaN
        if (kind == 2) value = static_cast<uint32_t>(this->rng_.Range(-1, 0)) << 31;  // zeros
      }
      auto& bench = this->bench_;
      bench.SetStream(0, x);
      bench.SetStream(1, y);
      const bool scalar = this->rng_.Chance(0.5);
      bench.SetScalar(5, amount);
      bench.WriteConstant(77, amount);
      const auto copy = static_cast<uint32_t>(AluOp::kCopy);
      bench.Issue(SlotBundle(0, copy, 3, kIn0, 0, 0), 1, 0);
      bench.Issue(SlotBundle(1, copy, 4, kIn0 + 1, 0, 0), 1, 0);
      for (int n = 0; n < 8; ++n) Cycle(bench.dut());
      Bundle bundle;
      bundle.lane_op = info.code;
      bundle.lane_dst = 4;
      bundle.lane_x = 3;
      bundle.lane_y = 4;
      bundle.lane_z = scalar ? arch::kOperandScalar + 5 : arch::kOperandConstant + 7;
      bench.Issue(bundle, 1, 70);
      for (int n = 0; n < 8; ++n) Cycle(bench.dut());
      bench.Issue(SlotBundle(0, copy, kOut0, 4, 0, 0), 1, 0);
      ASSERT_EQ(bench.Take(0), LaneResult(op, this->kShape, x, y, amount))
          << info.name << " amount " << amount;
    }
  }
}

// Random bundles in four threads, each thread's as far apart as the latencies say, with outputs
// that stall; all registers at the end.
TYPED_TEST(VpuLanesTest, RandomKernelsInFourThreads) {
  using Register = std::array<Group, 64>;  // v, then w
  auto& bench = this->bench_;
  Rng& rng = this->rng_;
  std::vector<Register> registers(arch::kVectorThreads);  // w of thread 0 only
  std::array<std::deque<Group>, 2> expected;
  std::array<Group, 4> streams;
  std::array<uint32_t, 16> scalars;
  std::vector<uint32_t> constants(arch::kKernelConstants);
  const auto at = [&](int thread, uint32_t code) -> Group& {
    return registers[code < arch::kOperandShared ? thread : 0][code];
  };
  for (uint32_t n = 0; n < constants.size(); ++n) {
    constants[n] = RandomValue(rng, rng.U32());
    bench.WriteConstant(n, constants[n]);
  }
  uint64_t taken = 0;
  // Advances one cycle; outputs are taken at random.
  const auto check_outputs = [&] {
    const uint32_t ready = rng.U32() & rng.U32() & 3;
    bench.dut().out_ready_i = ready;
    for (int q = 0; q < 2; ++q) {
      if (!bench.Valid(q) || !(ready >> q & 1)) continue;
      ASSERT_FALSE(expected[q].empty());
      ASSERT_EQ(bench.AtOutput(q), expected[q].front()) << "output " << q;
      expected[q].pop_front();
      ++taken;
    }
  };
  // Every register gets a value.
  for (int thread = 0; thread < arch::kVectorThreads; ++thread) {
    for (uint32_t code = 0; code < 64; ++code) {
      if (thread > 0 && code >= arch::kOperandShared) continue;
      at(thread, code) = this->RandomGroup();
      bench.SetStream(2, at(thread, code));
      bench.Issue(SlotBundle(0, static_cast<uint32_t>(AluOp::kCopy), code, kIn0 + 2, 0, 0), thread,
                  0);
    }
  }
  for (int n = 0; n < 4; ++n) Cycle(bench.dut());

  const auto value = [&](int thread, uint32_t code, uint32_t base) {
    if (code < 64) return at(thread, code);
    if (code < arch::kOperandScalar) return streams[code - kIn0];
    return Group(this->kCount,
                 code < arch::kOperandConstant
                     ? scalars[code - arch::kOperandScalar]
                     : constants[(base + code - arch::kOperandConstant) % constants.size()]);
  };
  const auto operand = [&]() -> uint32_t {
    switch (rng.Below(6)) {
      case 0: return kIn0 + rng.Below(4);
      case 1: return arch::kOperandScalar + rng.Below(16);
      case 2: return arch::kOperandConstant + rng.Below(128);
      default: return rng.Below(64);
    }
  };
  const int rounds = this->kCount > 256 ? 150 : 600;
  for (int round = 0; round < rounds; ++round) {
    // One bundle for all threads, as in a kernel; its latency is the largest of its operations.
    Bundle bundle;
    uint32_t latency = 4;
    const uint32_t dst = rng.Below(64), step = rng.Range(1, 31) | 1;
    const auto info = [&](auto& list) { return &list[rng.Below(list.size())]; };
    const arch::OperationInfo* slots[2] = {info(arch::kAluOps), info(arch::kAluOps)};
    const arch::OperationInfo* lane = info(arch::kLaneOps);
    bool stores = false;
    const bool prologue = rng.Chance(0.2);  // one thread, may write w
    for (int slot = 0; slot < 2; ++slot) {
      if (!InSlot(*slots[slot], slot) || rng.Chance(0.2)) {
        slots[slot] = nullptr;
        continue;
      }
      uint32_t target = (dst + slot * step) % (prologue ? 64 : 32);
      if (rng.Chance(0.3)) target = kOut0 + (slot + dst) % 2;
      stores |= target >= kOut0;
      const bool lookup = static_cast<AluOp>(slots[slot]->code) == AluOp::kLookup;
      const Bundle part = SlotBundle(slot, slots[slot]->code, target, operand(),
                                     lookup ? arch::kOperandConstant + rng.Below(128) : operand(),
                                     operand());
      (slot == 0 ? bundle.a_op : bundle.b_op) = slot == 0 ? part.a_op : part.b_op;
      (slot == 0 ? bundle.a_dst : bundle.b_dst) = slot == 0 ? part.a_dst : part.b_dst;
      (slot == 0 ? bundle.a_x : bundle.b_x) = slot == 0 ? part.a_x : part.b_x;
      (slot == 0 ? bundle.a_y : bundle.b_y) = slot == 0 ? part.a_y : part.b_y;
      (slot == 0 ? bundle.a_z : bundle.b_z) = slot == 0 ? part.a_z : part.b_z;
      latency = std::max(latency, slots[slot]->latency);
    }
    if (rng.Chance(0.5)) {
      bundle.lane_op = lane->code;
      bundle.lane_dst = (dst + 2 * step) % (prologue ? 64 : 32);
      bundle.lane_x = rng.Below(64);
      bundle.lane_y = rng.Below(64);
      bundle.lane_z = rng.Chance(0.5) ? arch::kOperandScalar + rng.Below(16)
                                      : arch::kOperandConstant + rng.Below(128);
      latency = std::max(latency, lane->latency);
    }
    const uint32_t base = rng.Below(constants.size());
    const int threads = prologue ? 1 : static_cast<int>(rng.Range(1, arch::kVectorThreads));
    uint32_t cycles = 0;
    for (int thread = 0; thread < threads; ++thread) {
      for (int q = 0; q < 4; ++q) bench.SetStream(q, streams[q] = this->RandomGroup());
      for (int n = 0; n < 16; ++n) {
        bench.SetScalar(n, scalars[n] = rng.Chance(0.5) ? rng.U32() : n * 9);
      }
      while ((stores && !bench.dut().can_store_o) || rng.Chance(0.1)) {
        ASSERT_NO_FATAL_FAILURE(check_outputs());
        Cycle(bench.dut());
      }
      // All results of the bundle, then all writes.
      std::vector<std::pair<uint32_t, Group>> writes;
      for (int slot = 0; slot < 2; ++slot) {
        if (slots[slot] == nullptr) continue;
        const auto op = static_cast<AluOp>(slots[slot]->code);
        const Group x = value(thread, slot == 0 ? bundle.a_x : bundle.b_x, base);
        const uint32_t y_code = slot == 0 ? bundle.a_y : bundle.b_y;
        const Group y = value(thread, y_code, base);
        const Group z = value(thread, slot == 0 ? bundle.a_z : bundle.b_z, base);
        Group result(this->kCount);
        for (int i = 0; i < this->kCount; ++i) {
          result[i] = op == AluOp::kLookup
                          ? constants[(base + y_code - arch::kOperandConstant + x[i] % 32) %
                                      constants.size()]
                          : AluResult(op, x[i], y[i], z[i]);
        }
        writes.emplace_back(slot == 0 ? bundle.a_dst : bundle.b_dst, result);
      }
      if (bundle.lane_op != 0) {
        writes.emplace_back(bundle.lane_dst,
                            LaneResult(static_cast<LaneOp>(bundle.lane_op), this->kShape,
                                       at(thread, bundle.lane_x), at(thread, bundle.lane_y),
                                       value(thread, bundle.lane_z, base)[0]));
      }
      for (auto& [code, group] : writes) {
        if (code >= kOut0) expected[code - kOut0].push_back(group);
        else at(thread, code) = group;
      }
      ASSERT_NO_FATAL_FAILURE(check_outputs());
      bench.Issue(bundle, thread, base);
      ++cycles;
    }
    for (; cycles < latency; ++cycles) {
      ASSERT_NO_FATAL_FAILURE(check_outputs());
      Cycle(bench.dut());
    }
  }
  for (int n = 0; n < 200; ++n) {
    ASSERT_NO_FATAL_FAILURE(check_outputs());
    Cycle(bench.dut());
  }
  EXPECT_TRUE(expected[0].empty() && expected[1].empty());
  EXPECT_GT(taken, 20u);
  bench.dut().out_ready_i = 0;
  for (int thread = 0; thread < arch::kVectorThreads; ++thread) {
    for (uint32_t code = 0; code < 64; ++code) {
      bench.Issue(SlotBundle(1, static_cast<uint32_t>(AluOp::kCopy), kOut0 + 1, code, 0, 0), thread,
                  0);
      ASSERT_EQ(bench.Take(1), at(thread, code)) << "thread " << thread << " register " << code;
    }
  }
}

// A store to both outputs in every cycle, none lost, while both are taken at once.
TYPED_TEST(VpuLanesTest, StoresFlowWithoutBubbles) {
  auto& bench = this->bench_;
  bench.dut().out_ready_i = 3;
  Bundle bundle = SlotBundle(0, static_cast<uint32_t>(AluOp::kCopy), kOut0 + 1, kIn0, 0, 0);
  bundle.b_op = static_cast<uint32_t>(AluOp::kCopy);
  bundle.b_dst = kOut0;
  bundle.b_x = kIn0 + 3;
  uint32_t seen[2] = {0, 0};
  for (uint32_t n = 0; n < 50; ++n) {
    bench.SetStream(0, Group(this->kCount, 1000 + n));
    bench.SetStream(3, Group(this->kCount, n));
    for (int q = 0; q < 2; ++q) {
      if (!bench.Valid(q)) continue;
      EXPECT_EQ(bench.AtOutput(q)[0], (q == 1 ? 1000 : 0) + seen[q]++);
    }
    ASSERT_TRUE(bench.dut().can_store_o);
    bench.Issue(bundle, static_cast<int>(n % 4), 0);
  }
  EXPECT_GE(seen[0], 45u);
  EXPECT_EQ(seen[0], seen[1]);
}

TYPED_TEST(VpuLanesTest, ClearForgetsWaitingStores) {
  auto& bench = this->bench_;
  for (uint32_t n = 0; bench.dut().can_store_o; ++n) {
    bench.SetStream(0, Group(this->kCount, n));
    bench.Issue(SlotBundle(0, static_cast<uint32_t>(AluOp::kCopy), kOut0, kIn0, 0, 0), 0, 0);
    ASSERT_LT(n, 20u);
  }
  bench.dut().clear_i = 1;
  Cycle(bench.dut());
  bench.dut().clear_i = 0;
  EXPECT_TRUE(bench.dut().can_store_o);
  for (int n = 0; n < 10; ++n) {
    EXPECT_FALSE(bench.Valid(0));
    Cycle(bench.dut());
  }
  bench.SetStream(0, Group(this->kCount, 12345));
  bench.Issue(SlotBundle(1, static_cast<uint32_t>(AluOp::kCopy), kOut0, kIn0, 0, 0), 0, 0);
  EXPECT_EQ(bench.Take(0), Group(this->kCount, 12345));
}

}  // namespace
}  // namespace systolith::tb
