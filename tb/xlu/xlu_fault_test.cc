// What rtl/xlu/xlu.sv refuses, and that it works again after the abort which follows.

#include <string>

#include "Vxlu_32.h"
#include "Vxlu_8.h"
#include "tb/xlu/transpose_programs.h"

namespace systolith::tb {
namespace {

using arch::Fault;
using arch::Transpose;

template <typename Bench>
class XluFaultTest : public XluTest<Bench> {
 protected:
  // Runs until the fault comes (by default the model's), checks it, aborts, and finds the unit
  // working again.
  void ExpectFault(const Transpose& t, std::optional<TransposeFault> expected) {
    Bench bench(this->rng_, 0.3);
    const Transpose first = this->PlainTranspose(3, 5, 1);
    ASSERT_FALSE(bench.model.Run(first).has_value());
    if (!expected) expected = bench.model.Run(t);
    ASSERT_TRUE(expected.has_value());
    bench.Push(first, 0x40);
    bench.Push(t, 0x140);
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
    const Transpose t = this->RandomTranspose(bench);
    ASSERT_FALSE(bench.model.Run(t).has_value());
    bench.Push(t, 0);
    this->RunToIdle(bench);
    bench.ExpectComplete();
  }
};

using Benches = testing::Types<XluBench<Vxlu_8, 8>, XluBench<Vxlu_32, 32>>;
TYPED_TEST_SUITE(XluFaultTest, Benches);

TYPED_TEST(XluFaultTest, UnknownFieldsAreIllegal) {
  using Change = void (*)(Transpose&);
  const std::vector<Change> changes = {
      [](Transpose& t) { t.size_log2 = 3; },
      [](Transpose& t) { t.rows_level = 6; },
      [](Transpose& t) { t.cols_level = 6; },
  };
  for (const Change change : changes) {
    Transpose t = this->PlainTranspose(4, 9, 1);
    change(t);
    this->ExpectFault(t, TransposeFault{Fault::kIllegalField, 0});
  }
  Transpose t = this->PlainTranspose(4, 9, 1);
  t.opcode = static_cast<uint32_t>(arch::Opcode::kMatmul);
  this->ExpectFault(t, TransposeFault{Fault::kIllegalOpcode, 0});
}

// A row read or written, of any tile, is misaligned or outside; or both kinds are.
TYPED_TEST(XluFaultTest, RowsOutsideOrOffTheGridFault) {
  const uint32_t n = TypeParam::kLanes, end = TypeParam::kBufferBytes;
  for (int faults = 0; faults < 120 && !this->HasFailure();) {
    const uint32_t size_log2 = static_cast<uint32_t>(this->rng_.Below(3));
    Transpose t = this->PlainTranspose(this->rng_.Range(2, 2 * n), this->rng_.Range(2, 2 * n),
                                       size_log2);
    const uint32_t grid = 8u << size_log2;
    const auto spoil = [&](uint32_t& base, int32_t& row_stride, int32_t& stride) {
      const uint32_t rows = static_cast<uint32_t>(this->rng_.Range(0, 3));
      switch (this->rng_.Below(6)) {
        case 0: base = end - grid * rows, row_stride = static_cast<int32_t>(grid); break;
        case 1: base = grid * rows, row_stride = -static_cast<int32_t>(grid); break;
        case 2: row_stride = 0x40000000; break;
        case 3: row_stride += 4; break;
        case 4: base += grid / 2; break;
        default:  // the second tile is outside, if there is one; else the first
          stride = static_cast<int32_t>(end);
          if (t.counts[4] == 1) base = end;
      }
    };
    const uint64_t what = this->rng_.Below(3);
    if (what != 1) spoil(t.in_base, t.in_row_stride, t.in_strides[4]);
    if (what != 0) spoil(t.out_base, t.out_row_stride, t.out_strides[4]);
    if (!TransposeModel(n, end).Run(t)) continue;  // its few rows are inside
    this->ExpectFault(t, std::nullopt);
    ++faults;
  }
}

TYPED_TEST(XluFaultTest, AbortAtAnyTimeLeavesAWorkingUnit) {
  for (int n = 0; n < 60 && !this->HasFailure(); ++n) {
    TypeParam bench(this->rng_, 0.3);
    for (int i = 0; i < 3; ++i) {
      const Transpose t = this->RandomTranspose(bench);
      ASSERT_FALSE(bench.model.Run(t).has_value());
      bench.Push(t, 16 * i);
    }
    const int64_t cycles = this->rng_.Range(1, 300);
    for (int64_t i = 0; i < cycles; ++i) bench.Step();
    this->AbortAndWorkAgain(bench);
  }
}

}  // namespace
}  // namespace systolith::tb
