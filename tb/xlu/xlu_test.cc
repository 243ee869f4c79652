// Tests rtl/xlu/xlu.sv at its pins against tb/xlu/transpose_model.h.

#include "Vxlu_128.h"
#include "Vxlu_32.h"
#include "Vxlu_8.h"
#include "tb/xlu/transpose_programs.h"

namespace systolith::tb {
namespace {

using arch::Transpose;

template <typename Bench>
class XluTransposeTest : public XluTest<Bench> {
 protected:
  void RandomPrograms(double stall, int programs) {
    for (int n = 0; n < programs && !this->HasFailure(); ++n) {
      Bench bench(this->rng_, stall);
      bench.dut.queue_depth_i = this->rng_.Chance(0.3) ? 1 : this->rng_.Range(1, 8);
      const int instructions = static_cast<int>(this->rng_.Range(1, 6));
      for (int i = 0; i < instructions; ++i) {
        const Transpose t =
            this->rng_.Chance(0.2) ? this->RandomSync(bench) : this->RandomTranspose(bench);
        ASSERT_FALSE(bench.model.Run(t).has_value());
        bench.Push(t, 16 * i);
      }
      this->RunToIdle(bench);
      bench.ExpectComplete();
    }
  }
};

using Benches =
    testing::Types<XluBench<Vxlu_8, 8>, XluBench<Vxlu_32, 32>, XluBench<Vxlu_128, 128>>;
TYPED_TEST_SUITE(XluTransposeTest, Benches);

TYPED_TEST(XluTransposeTest, RandomProgramsWithoutStalls) {
  this->RandomPrograms(0.0, 1600 / TypeParam::kLanes);
}
TYPED_TEST(XluTransposeTest, RandomProgramsWithStalls) {
  this->RandomPrograms(0.4, 1600 / TypeParam::kLanes);
}

TYPED_TEST(XluTransposeTest, TakesAndGivesARowPerCycle) {
  for (const uint32_t size_log2 : {0u, 1u}) {
    const uint32_t tiles = 4, n = TypeParam::kLanes;
    TypeParam bench(this->rng_, 0.0);
    Transpose t = this->PlainTranspose(tiles * n, n, size_log2);
    t.signal0_valid = 1;  // of every tile, and it costs nothing
    t.signal0_level = 6;
    ASSERT_FALSE(bench.model.Run(t).has_value());
    bench.Push(t, 0);
    this->RunToIdle(bench);
    bench.ExpectComplete();
    EXPECT_EQ(bench.last_read_cycle - bench.first_read_cycle, tiles * n - 1);
    EXPECT_EQ(bench.last_write_cycle - bench.first_write_cycle, tiles * n - 1);
    EXPECT_LE(bench.first_write_cycle - bench.first_read_cycle, n + 4);
  }
}

TYPED_TEST(XluTransposeTest, FlatTilesTakeTheLongerSideOfCycles) {
  TypeParam bench(this->rng_, 0.0);
  const uint32_t tiles = 6, n = TypeParam::kLanes;
  Transpose t = this->PlainTranspose(3, tiles * n, 1);
  ASSERT_FALSE(bench.model.Run(t).has_value());
  bench.Push(t, 0);
  this->RunToIdle(bench);
  bench.ExpectComplete();
  EXPECT_EQ(bench.last_write_cycle - bench.first_write_cycle, tiles * n - 1);
}

TYPED_TEST(XluTransposeTest, WaitingForAFlagIsAStallThatNamesIt) {
  TypeParam bench(this->rng_, 0.0);
  Transpose t = this->PlainTranspose(4 * TypeParam::kLanes, TypeParam::kLanes, 0);
  t.wait2_valid = 1;
  t.wait2_flag = 60;
  t.wait2_level = 6;
  t.wait2_target = (bench.flags[60] - 1) & 0xffff;  // the first two tiles pass
  t.wait2_step = 1;
  bench.flag_rate = 0;
  bench.flags_planned[60] = (bench.flags[60] + 2) & 0xffff;
  ASSERT_FALSE(bench.model.Run(t).has_value());
  bench.Push(t, 0x80);
  for (uint32_t i = 0; i < 4 * TypeParam::kLanes + 50; ++i) bench.Step();
  EXPECT_EQ(bench.writes_visible, 2 * TypeParam::kLanes);
  EXPECT_EQ(bench.dut.waiting_o, 1);
  EXPECT_EQ(bench.dut.wait_flag_o, 60);
  EXPECT_EQ(bench.dut.pc_o, 0x80u);
  EXPECT_EQ(bench.dut.stall_o, 1);
  EXPECT_EQ(bench.dut.progress_o, 0);
  bench.flag_rate = 1;
  this->RunToIdle(bench);
  bench.ExpectComplete();
}

}  // namespace
}  // namespace systolith::tb
