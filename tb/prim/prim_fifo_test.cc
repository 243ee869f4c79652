// Tests rtl/prim/prim_fifo.sv.

#include <deque>

#include "Prim_fifo_1_1.h"
#include "Prim_fifo_70_8.h"
#include "Prim_fifo_7_3.h"
#include "tb/common/dut.h"
#include "tb/common/random.h"
#include "tb/common/stream.h"

namespace systolith::tb {
namespace {

template <typename Dut, int kWidth, int kDepth>
struct Fifo {
  using Type = Dut;
  static constexpr int width = kWidth, depth = kDepth;
};

template <typename F>
class PrimFifoTest : public RandomTest {};
using Fifos = testing::Types<Fifo<Prim_fifo_1_1, 1, 1>, Fifo<Prim_fifo_7_3, 7, 3>,
                             Fifo<Prim_fifo_70_8, 70, 8>>;
TYPED_TEST_SUITE(PrimFifoTest, Fifos);

TYPED_TEST(PrimFifoTest, KeepsOrderWithinItsLimit) {
  constexpr int kLow = TypeParam::width < 64 ? TypeParam::width : 64;
  for (const double stall : {0.0, 0.3, 0.7}) {
    typename TypeParam::Type dut;
    dut.limit_i = TypeParam::depth;
    Reset(dut);
    Stalls in(this->rng_, stall), out(this->rng_, stall);
    std::deque<uint64_t> model;
    for (int cycle = 0; cycle < 20000; ++cycle) {
      dut.clear_i = this->rng_.Chance(0.002);
      if (this->rng_.Chance(0.01)) dut.limit_i = this->rng_.Range(1, TypeParam::depth);
      dut.in_valid_i = in.Go();
      const uint64_t word = this->rng_.U64() & (kLow == 64 ? ~0ull : (1ull << kLow) - 1);
      SetBits(dut.in_i, 0, kLow, word);
      dut.out_ready_i = out.Go();
      dut.eval();
      ASSERT_EQ(dut.used_o, model.size());
      ASSERT_EQ(dut.in_ready_o, model.size() < dut.limit_i ? 1 : 0);
      ASSERT_EQ(dut.out_valid_o, model.empty() ? 0 : 1);
      if (!model.empty()) {
        ASSERT_EQ(GetBits(dut.out_o, 0, kLow), model.front());
      }
      const bool push = dut.in_valid_i && dut.in_ready_o;
      const bool pop = dut.out_valid_o && dut.out_ready_i;
      if (pop) model.pop_front();
      if (push) model.push_back(word);
      if (dut.clear_i) model.clear();
      Cycle(dut);
    }
  }
}

}  // namespace
}  // namespace systolith::tb
