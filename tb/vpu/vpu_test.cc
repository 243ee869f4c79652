// Tests rtl/vpu/vpu.sv at its pins against tb/vpu/vector_model.h.

#include <string>

#include "Vpu_24_8_3.h"
#include "Vpu_64_64_2.h"
#include "Vpu_8_8_1.h"
#include "tb/vpu/lane_model.h"
#include "tb/vpu/vpu_bench.h"

namespace systolith::tb {
namespace {

using arch::Fault;
using arch::LaneType;
using arch::Vector;
using arch::VectorOp;

constexpr std::array kOps = {
    VectorOp::kCopy, VectorOp::kAddF32, VectorOp::kSubtractF32, VectorOp::kReverseSubtractF32,
    VectorOp::kMultiplyF32, VectorOp::kMaximumF32, VectorOp::kMinimumF32, VectorOp::kRoundEvenF32,
    VectorOp::kAddS32, VectorOp::kSubtractS32, VectorOp::kReverseSubtractS32,
    VectorOp::kMultiplyS32, VectorOp::kMaximumS32, VectorOp::kMinimumS32, VectorOp::kS32ToF32,
    VectorOp::kF32ToS32, VectorOp::kRoundBf16, VectorOp::kRequantize};
constexpr std::array<uint32_t, 7> kOperands = {0, 1, 2, 4, 5, 6, 7};

uint32_t OpWord(VectorOp op, uint32_t operand) { return static_cast<uint32_t>(op) | operand << 8; }

Vector EmptyVector() {
  Vector v;
  v.opcode = static_cast<uint32_t>(arch::Opcode::kVector);
  v.engine = static_cast<uint32_t>(arch::Engine::kVpu);
  v.quads = arch::kMaxWords / 4;
  v.counts.fill(1);
  v.length_level = arch::kNoLevel;
  return v;
}

template <typename Bench>
class VpuTest : public RandomTest {
 protected:
  static constexpr VectorSizes kSizes = Bench::kSizes;
  static constexpr uint32_t kRegionBytes = 4096;

  // A linear form whose values are multiples of `unit` in [low, high], for these counts.
  void Place(const std::array<uint32_t, 6>& counts, int64_t unit, int64_t low, int64_t high,
             uint32_t& base, std::array<int32_t, 6>& strides) {
    const int64_t slots = (high - low) / unit;  // steps available
    int64_t down = 0, up = 0;                   // reached so far, in steps
    strides.fill(0);
    for (int l = 0; l < 6; ++l) {
      const int64_t room = slots - (up - down);
      const int64_t span = counts[l] - 1;
      if (span == 0) {
        strides[l] = static_cast<int32_t>(rng_.U32());  // never used
        continue;
      }
      const int64_t most = std::min<int64_t>(room / span, 6);
      const int64_t step = rng_.Range(-most, most);
      strides[l] = static_cast<int32_t>(step * unit);
      (step < 0 ? down : up) += step * span;
    }
    base = static_cast<uint32_t>(low + unit * rng_.Range(-down, slots - up));
  }

  // Reads from any regions of the buffer but one, to which it writes: within an instruction, reads
  // of its own writes are a hazard.
  Vector RandomVector(Bench& bench) {
    Vector v = EmptyVector();
    int64_t rows = 1;
    for (int l = 5; l >= 0; --l) {
      v.counts[l] = rng_.Chance(0.5) ? 1 : static_cast<uint32_t>(rng_.Range(1, 4));
      if (rows * v.counts[l] > 40) v.counts[l] = 1;
      rows *= v.counts[l];
    }
    v.x_source = static_cast<uint32_t>(rng_.Below(3));
    v.x_unit = static_cast<uint32_t>(rng_.Below(kSizes.mxus));
    for (uint32_t* type : {&v.x_type, &v.y_type, &v.z_type, &v.out_type}) *type = rng_.Below(4);
    for (uint32_t* flag : {&v.y_used, &v.z_used, &v.y_splat, &v.z_splat}) *flag = rng_.Below(2);
    v.op_count = static_cast<uint32_t>(rng_.Below(9));
    for (uint32_t i = 0; i < 8; ++i) {
      v.ops[i] = i < v.op_count ? OpWord(kOps[rng_.Below(kOps.size())],
                                         kOperands[rng_.Below(kOperands.size())])
                                : rng_.U32();  // not looked at
    }
    for (uint32_t& immediate : v.immediates) {
      immediate = rng_.Chance(0.5) ? rng_.U32() : 0x3f000000 + (rng_.U32() & 0x1ffffff);
    }
    v.length_limit = static_cast<uint32_t>(rng_.Range(0, kSizes.lanes * 5 / 2));
    if (rng_.Chance(0.1)) v.length_limit = 0xffffffff;
    v.length_level = rng_.Chance(0.3) ? arch::kNoLevel : static_cast<uint32_t>(rng_.Below(6));

    const int64_t out_region = rng_.Range(0, 3);
    const auto place = [&](uint32_t type, int64_t region, uint32_t& base, auto& strides) {
      const int size = ElementBytes(static_cast<LaneType>(type));
      Place(v.counts, 8 * size, region * kRegionBytes,
            (region + 1) * kRegionBytes - kSizes.lanes * size, base, strides);
    };
    const auto in_region = [&] { return (out_region + rng_.Range(1, 3)) % 4; };
    if (v.x_source == static_cast<uint32_t>(arch::XSource::kAccumulator)) {
      Place(v.counts, 1, 0, kSizes.accumulator_rows - 1, v.x_base, v.x_strides);
    } else {
      place(v.x_type, in_region(), v.x_base, v.x_strides);
    }
    place(v.y_type, in_region(), v.y_base, v.y_strides);
    place(v.z_type, in_region(), v.z_base, v.z_strides);
    place(v.out_type, out_region, v.out_base, v.out_strides);
    AddSync(bench, v, 6);
    return v;
  }

  // Random waits, which the bench will let pass, and signals, of levels up to `top`.
  void AddSync(Bench& bench, Vector& v, uint32_t top) {
    const auto wait = [&](uint32_t& valid, uint32_t& flag, uint32_t& level, uint32_t& target,
                          uint32_t& step) {
      valid = rng_.Chance(0.3);
      flag = static_cast<uint32_t>(rng_.Below(64));
      level = static_cast<uint32_t>(rng_.Range(0, top));
      step = static_cast<uint32_t>(rng_.Range(0, 2));
      uint32_t& planned = bench.flags_planned[flag];
      target = (planned + static_cast<uint32_t>(rng_.Range(-3, 3))) & 0xffff;
      if (valid == 0) return;
      uint32_t passes = 1;
      for (uint32_t l = 0; l < level; ++l) passes *= v.counts[l];
      const uint32_t last = (target + step * (passes - 1)) & 0xffff;
      if (static_cast<int16_t>(last - planned) > 0) planned = last;
    };
    wait(v.wait0_valid, v.wait0_flag, v.wait0_level, v.wait0_target, v.wait0_step);
    wait(v.wait1_valid, v.wait1_flag, v.wait1_level, v.wait1_target, v.wait1_step);
    wait(v.wait2_valid, v.wait2_flag, v.wait2_level, v.wait2_target, v.wait2_step);
    wait(v.wait3_valid, v.wait3_flag, v.wait3_level, v.wait3_target, v.wait3_step);
    v.signal0_valid = rng_.Chance(0.6);
    v.signal0_flag = static_cast<uint32_t>(rng_.Below(48));
    v.signal0_level = static_cast<uint32_t>(rng_.Range(0, top));
    v.signal1_valid = rng_.Chance(0.4);
    v.signal1_flag = static_cast<uint32_t>(rng_.Below(48));
    v.signal1_level = static_cast<uint32_t>(rng_.Range(0, top));
  }

  Vector RandomSync(Bench& bench) {
    Vector v = EmptyVector();
    v.opcode = static_cast<uint32_t>(arch::Opcode::kSync);
    AddSync(bench, v, 0);
    // The words behind a sync instruction are not its own.
    for (uint32_t& count : v.counts) count = rng_.U32();
    v.x_source = 1;
    v.length_limit = 1000;
    return v;
  }

  void RunToIdle(Bench& bench, int64_t limit = 200000) {
    int64_t cycles = 0;
    do bench.Step();
    while (bench.Busy() && ++cycles < limit && !HasFailure());
    ASSERT_LT(cycles, limit) << "hangs";
    ASSERT_EQ(bench.dut.fault_valid_o, 0);
  }

  // A plain instruction of `rows` full f32 rows from region 0 to region 1.
  Vector PlainVector(uint32_t rows, uint32_t op_count) {
    Vector v = EmptyVector();
    v.counts[5] = rows;
    v.x_source = static_cast<uint32_t>(arch::XSource::kBuffer);
    v.x_strides[5] = v.out_strides[5] = 32;
    v.out_base = kRegionBytes;
    v.length_limit = 0xffffffff;
    v.op_count = op_count;
    for (uint32_t& op : v.ops) op = OpWord(VectorOp::kAddS32, 4);
    v.immediates[0] = 17;
    return v;
  }

  void RandomPrograms(double stall, int programs) {
    for (int n = 0; n < programs && !HasFailure(); ++n) {
      Bench bench(rng_, stall);
      bench.flags_planned = bench.flags;
      bench.dut.queue_depth_i = static_cast<uint32_t>(rng_.Chance(0.3) ? 1 : rng_.Range(1, 8));
      const int instructions = static_cast<int>(rng_.Range(1, 12));
      for (int i = 0; i < instructions; ++i) {
        const Vector v = rng_.Chance(0.2) ? RandomSync(bench) : RandomVector(bench);
        ASSERT_FALSE(bench.model.Run(v).has_value());
        bench.Push(v, 16 * i);
      }
      RunToIdle(bench);
      bench.ExpectComplete();
    }
  }

  // Runs until the fault comes (by default the model's), checks it, aborts, and finds the unit
  // working again.
  void ExpectFault(const Vector& v, std::optional<VectorFault> expected) {
    Bench bench(rng_, 0.3);
    bench.flags_planned = bench.flags;
    const Vector first = PlainVector(3, 1);
    ASSERT_FALSE(bench.model.Run(first).has_value());
    if (!expected) expected = bench.model.Run(v);
    ASSERT_TRUE(expected.has_value());
    bench.Push(first, 0x40);
    bench.Push(v, 0x140);
    bench.Push(first, 0x240);
    int cycles = 0;
    while (!bench.dut.fault_valid_o && ++cycles < 5000) bench.Step();
    ASSERT_LT(cycles, 5000);
    EXPECT_EQ(bench.dut.fault_cause_o, static_cast<uint32_t>(expected->cause));
    EXPECT_EQ(bench.dut.fault_pc_o, 0x140u);
    EXPECT_EQ(bench.dut.fault_address_o, expected->address);
    for (int i = 0; i < 20; ++i) {
      bench.DropStep();
      EXPECT_EQ(bench.dut.fault_valid_o, 0) << "a pulse of one cycle, once";
      EXPECT_EQ(bench.dut.idle_o, 0) << "stopped is not idle";
    }
    AbortAndWorkAgain(bench);
  }

  void AbortAndWorkAgain(Bench& bench) {
    bench.dut.abort_i = 1;
    for (int i = 0; i < 3; ++i) bench.DropStep();
    EXPECT_EQ(bench.dut.idle_o, 1);
    bench.dut.abort_i = 0;
    bench.flags_planned = bench.flags;
    const Vector v = RandomVector(bench);
    ASSERT_FALSE(bench.model.Run(v).has_value());
    bench.Push(v, 0);
    RunToIdle(bench);
    bench.ExpectComplete();
  }
};

using Benches = testing::Types<VpuBench<Vpu_8_8_1, 8, 8, 1>, VpuBench<Vpu_24_8_3, 24, 8, 3>,
                               VpuBench<Vpu_64_64_2, 64, 64, 2>>;
TYPED_TEST_SUITE(VpuTest, Benches);

TYPED_TEST(VpuTest, RandomProgramsWithoutStalls) { this->RandomPrograms(0.0, 400); }
TYPED_TEST(VpuTest, RandomProgramsWithStalls) { this->RandomPrograms(0.4, 400); }

TYPED_TEST(VpuTest, RowTakesAsManyCyclesAsItHasSteps) {
  for (const uint32_t op_count : {0u, 1u, 2u, 5u, 8u}) {
    TypeParam bench(this->rng_, 0.0);
    bench.flags_planned = bench.flags;
    Vector v = this->PlainVector(50, op_count);
    v.signal0_valid = 1;  // at every row, and it costs nothing
    v.signal0_level = 6;
    ASSERT_FALSE(bench.model.Run(v).has_value());
    bench.Push(v, 0);
    this->RunToIdle(bench);
    bench.ExpectComplete();
    EXPECT_EQ(bench.last_write_cycle - bench.first_write_cycle,
              49 * static_cast<int64_t>(std::max(1u, op_count)));
  }
}

TYPED_TEST(VpuTest, WaitingForAFlagIsAStallThatNamesIt) {
  TypeParam bench(this->rng_, 0.0);
  bench.flags_planned = bench.flags;
  Vector v = this->PlainVector(4, 1);
  v.wait2_valid = 1;
  v.wait2_flag = 60;
  v.wait2_level = 6;
  v.wait2_target = (bench.flags[60] - 1) & 0xffff;  // the first two rows pass
  v.wait2_step = 1;
  bench.flag_rate = 0;
  bench.flags_planned[60] = (bench.flags[60] + 2) & 0xffff;
  ASSERT_FALSE(bench.model.Run(v).has_value());
  bench.Push(v, 0x80);
  for (int i = 0; i < 100; ++i) bench.Step();
  EXPECT_EQ(bench.writes_visible, 2u);
  EXPECT_EQ(bench.dut.waiting_o, 1);
  EXPECT_EQ(bench.dut.wait_flag_o, 60);
  EXPECT_EQ(bench.dut.pc_o, 0x80u);
  EXPECT_EQ(bench.dut.stall_o, 1);
  EXPECT_EQ(bench.dut.progress_o, 0);
  bench.flag_rate = 1;
  this->RunToIdle(bench);
  bench.ExpectComplete();
}

TYPED_TEST(VpuTest, UnknownFieldsAreIllegal) {
  using Change = void (*)(Vector&);
  const std::vector<Change> changes = {
      [](Vector& v) { v.x_source = 3; },
      [](Vector& v) { v.length_level = 6; },
      [](Vector& v) { v.op_count = 9; },
      [](Vector& v) { v.ops[1] = 0x08; },     // no such step
      [](Vector& v) { v.ops[1] = 0x24; },
      [](Vector& v) { v.ops[1] = 0x301; },    // no such operand
      [](Vector& v) { v.ops[1] = 0xf01; },
      [](Vector& v) {
        v.x_source = static_cast<uint32_t>(arch::XSource::kAccumulator);
        v.x_unit = TypeParam::kSizes.mxus;
      },
  };
  for (const Change change : changes) {
    Vector v = this->PlainVector(2, 2);
    change(v);
    this->ExpectFault(v, VectorFault{Fault::kIllegalField, 0});
  }
  Vector v = this->PlainVector(2, 2);
  v.opcode = static_cast<uint32_t>(arch::Opcode::kMatmul);
  this->ExpectFault(v, VectorFault{Fault::kIllegalOpcode, 0});
}

TYPED_TEST(VpuTest, RowsOutsideOrOffTheGridFault) {
  const uint32_t end = TypeParam::kSizes.buffer_bytes;
  const int32_t row_bytes = TypeParam::kSizes.lanes * 4;
  for (int n = 0; n < 40; ++n) {
    Vector v = this->PlainVector(5, 1);
    v.y_used = v.z_used = 1;
    v.x_base = 3 * this->kRegionBytes;
    v.y_base = v.z_base = 2 * this->kRegionBytes;
    const bool misaligned = n % 4 == 3;
    uint32_t base = end - row_bytes;  // the first row fits, or two
    int32_t stride = static_cast<int32_t>(32 * this->rng_.Range(1, 8));
    if (n % 4 == 1) base = 64, stride = -32;
    if (n % 4 == 2) stride = 0x40000000;
    if (misaligned) base = 32 * 20, stride = 8;
    switch (this->rng_.Below(4)) {
      case 0: v.x_base = base, v.x_strides[5] = stride; break;
      case 1: v.y_base = base, v.y_strides[5] = stride, v.y_splat = this->rng_.Below(2); break;
      case 2: v.z_base = base, v.z_strides[5] = stride; break;
      default: v.out_base = base, v.out_strides[5] = stride; break;
    }
    if (v.y_splat != 0 && n % 4 == 0) v.y_strides[5] = row_bytes;
    this->ExpectFault(v, std::nullopt);
    if (this->HasFailure()) return;
  }
}

TYPED_TEST(VpuTest, AccumulatorRowsOutsideFault) {
  for (const uint32_t base : {0u, 62u}) {
    Vector v = this->PlainVector(4, 1);
    v.x_source = static_cast<uint32_t>(arch::XSource::kAccumulator);
    v.x_unit = TypeParam::kSizes.mxus - 1;
    v.x_base = base;
    v.x_strides[5] = base == 0 ? -1 : 1;
    this->ExpectFault(v, std::nullopt);
  }
}

TYPED_TEST(VpuTest, AbortInAnyStateLeavesAnIdleUnitThatWorks) {
  for (int n = 0; n < 200 && !this->HasFailure(); ++n) {
    TypeParam bench(this->rng_, n % 2 == 0 ? 0.0 : 0.4);
    bench.flags_planned = bench.flags;
    for (int i = 0; i < 4; ++i) {
      const Vector v = this->RandomVector(bench);
      ASSERT_FALSE(bench.model.Run(v).has_value());
      bench.Push(v, 0);
    }
    const int64_t cycles = this->rng_.Range(1, 200);
    for (int64_t i = 0; i < cycles; ++i) bench.Step();
    this->AbortAndWorkAgain(bench);
  }
}

}  // namespace
}  // namespace systolith::tb
