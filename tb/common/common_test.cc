#include <gtest/gtest.h>

#include <array>

#include "tb/common/dut.h"
#include "tb/common/random.h"
#include "tb/common/stream.h"

namespace systolith::tb {
namespace {

class CommonTest : public RandomTest {};

TEST_F(CommonTest, BitsOfAWidePortComeBackAndNeighboursStay) {
  for (int trial = 0; trial < 2000; trial++) {
    std::array<uint32_t, 6> port, before;
    for (auto& word : port) word = rng_.U32();
    before = port;
    const size_t width = rng_.Range(1, 64), low = rng_.Below(port.size() * 32 - width + 1);
    const uint64_t value = rng_.U64();
    SetBits(port, low, width, value);
    for (size_t bit = 0; bit < port.size() * 32; bit++) {
      const bool inside = bit >= low && bit < low + width;
      const uint64_t expected = inside ? value >> (bit - low) & 1 : GetBits(before, bit, 1);
      ASSERT_EQ(GetBits(port, bit, 1), expected) << low << " " << width;
    }
    ASSERT_EQ(GetBits(port, low, width), width == 64 ? value : value & ((1ull << width) - 1));
  }
}

TEST_F(CommonTest, BitsOfAnIntegerPortComeBack) {
  uint16_t port = 0xffff;
  SetBits(port, 4, 8, 0x5a);
  EXPECT_EQ(port, 0xf5af);
  EXPECT_EQ(GetBits(port, 4, 8), 0x5au);
}

TEST_F(CommonTest, AStreamKeepsOrderAndHoldsAnOfferThatWaits) {
  StreamSource<int> source(rng_, 0.4);
  StreamSink<int> sink(rng_, 0.4);
  for (int i = 0; i < 500; i++) source.Push(i);
  const int* waiting = nullptr;
  for (int cycle = 0; cycle < 100000 && sink.items().size() < 500; cycle++) {
    const int* offer = source.Offer();
    if (waiting) {
      ASSERT_EQ(offer, waiting);
    }
    const bool ready = sink.Ready();
    waiting = offer && !ready ? offer : nullptr;
    sink.Edge(offer != nullptr, offer ? *offer : -1);
    source.Edge(ready);
  }
  ASSERT_EQ(sink.items().size(), 500u);
  for (int i = 0; i < 500; i++) EXPECT_EQ(sink.items()[i], i);
}

}  // namespace
}  // namespace systolith::tb
