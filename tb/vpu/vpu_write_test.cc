// Tests rtl/vpu/vpu_write.sv at its pins: items of every kind against the model, under stalls of
// both partners; what is visible when an item ends; faults; words per cycle.

#include <algorithm>
#include <array>
#include <bit>
#include <deque>
#include <optional>
#include <unordered_set>
#include <utility>
#include <vector>

#include "Vpu_write_128_8.h"
#include "Vpu_write_16_4.h"
#include "Vpu_write_32_1.h"
#include "Vpu_write_8_2.h"
#include "tb/common/dut.h"
#include "tb/common/random.h"
#include "tb/common/stream.h"
#include "tb/vpu/stream_model.h"
#include "tb/vpu/stream_random.h"

namespace systolith::tb {
namespace {

using arch::LaneType;
using arch::Spread;

constexpr int kBufferBytes = 1 << 17;

template <typename DutType, int kLanes, int kSublanes, int kWordBytes, int kWriteWords>
struct Config {
  using Dut = DutType;
  static constexpr StreamSizes kSizes{kLanes, kSublanes, kLanes, 0, 1, kBufferBytes};
  static constexpr int kWord = kWordBytes, kWrites = kWriteWords;
};

template <typename Config>
class VpuWriteTest : public RandomTest {
 protected:
  static constexpr StreamSizes kSizes = Config::kSizes;
  static constexpr int kAddrWidth =
      std::bit_width(static_cast<unsigned>(kBufferBytes / Config::kWord)) - 1;

  struct Item {
    bool store = true, end = true;
    StreamGroup group;
    std::vector<uint32_t> lanes;
    std::vector<ByteWrite> writes;
  };

  VpuWriteTest() {
    for (uint8_t& byte : memory_) byte = static_cast<uint8_t>(rng_.U32());
    Reset(dut_);
  }

  void Stall(double probability) {
    item_stalls_ = Stalls(rng_, probability);
    for (Stalls& port : port_stalls_) port = Stalls(rng_, probability);
  }

  void Step() {
    if (!offered_ && !items_.empty() && item_stalls_.Go()) Offer(items_.front());
    dut_.item_valid_i = offered_;
    dut_.wr_ready_i = 0;
    dut_.eval();
    uint32_t grants = 0;
    for (int p = 0; p < Config::kWrites; ++p) {
      if (dut_.wr_valid_o >> p & 1 && port_stalls_[p].Go()) grants |= 1u << p;
    }
    dut_.wr_ready_i = grants;
    dut_.eval();
    // An end is seen by reads of the cycle in which it is shown.
    if (dut_.end_o) End();
    if (dut_.fault_valid_o) {
      faults_++;
      ASSERT_TRUE(fault_.has_value());
      EXPECT_EQ(dut_.fault_cause_o, static_cast<uint32_t>(fault_->cause));
      EXPECT_EQ(dut_.fault_address_o, fault_->address);
    }
    for (int p = 0; p < Config::kWrites; ++p) {
      if (grants >> p & 1) Store(p);
    }
    if (offered_ && dut_.item_ready_o) Accept();
    Cycle(dut_);
    cycle_++;
  }

  void Offer(const Item& item) {
    offered_ = true;
    dut_.item_store_i = item.store;
    dut_.item_end_i = item.end;
    dut_.item_type_i = static_cast<uint32_t>(item.group.type);
    dut_.item_flat_i = item.group.flat;
    dut_.item_spread_i = static_cast<uint32_t>(item.group.spread);
    dut_.item_addr_i = item.group.addr;
    dut_.item_x_i = item.group.x;
    dut_.item_y_i = item.group.y;
    dut_.item_addr_step_i = item.group.addr_step;
    dut_.item_x_step_i = item.group.x_step;
    dut_.item_y_step_i = item.group.y_step;
    dut_.item_x_limit_i = item.group.x_limit;
    dut_.item_y_limit_i = item.group.y_limit;
    for (int e = 0; e < kSizes.Elements(); ++e) {
      SetBits(dut_.item_group_i, 32 * static_cast<size_t>(e), 32, item.lanes[e]);
    }
  }

  void Accept() {
    offered_ = false;
    Item item = std::move(items_.front());
    items_.pop_front();
    if (fault_) return;
    if (item.store) fault_ = model_.Write(item.group, item.lanes, &item.writes);
    if (!fault_) under_way_.push_back(std::move(item));
  }

  void Store(int port) {
    words_++;
    const uint64_t word =
        GetBits(dut_.wr_addr_o, kAddrWidth * static_cast<size_t>(port), kAddrWidth);
    for (size_t i = 0; i < Config::kWord; ++i) {
      const size_t place = static_cast<size_t>(port) * Config::kWord + i;
      if (GetBits(dut_.wr_mask_o, place, 1)) {
        memory_[word * Config::kWord + i] =
            static_cast<uint8_t>(GetBits(dut_.wr_data_o, 8 * place, 8));
      }
    }
  }

  // Every item up to the first that ends is in the memory.
  void End() {
    for (bool ended = false; !ended;) {
      ASSERT_FALSE(under_way_.empty()) << "an end that nobody asked for";
      Retire();
      ended = last_ended_;
    }
    ends_++;
  }

  void Retire() {
    const Item& item = under_way_.front();
    for (const ByteWrite& write : item.writes) {
      ASSERT_EQ(memory_[write.address], write.value) << std::hex << write.address;
      model_.memory[write.address] = write.value;
    }
    last_ended_ = item.end;
    under_way_.pop_front();
  }

  void Drain() {
    for (int64_t n = 0; !items_.empty() || !under_way_.empty(); ++n) {
      ASSERT_LT(n, 100000) << "the items do not end";
      ASSERT_NO_FATAL_FAILURE(Step());
      if (items_.empty() && !std::any_of(under_way_.begin(), under_way_.end(),
                                         [](const Item& item) { return item.end; })) {
        for (int i = 0; i < 200; ++i) Step();
        while (!under_way_.empty()) Retire();
      }
    }
  }

  void Clear() {
    items_.clear();
    under_way_.clear();
    fault_.reset();
    offered_ = false;
    dut_.item_valid_i = 0;
    dut_.wr_ready_i = 0;
    dut_.clear_i = 1;
    Cycle(dut_);
    dut_.clear_i = 0;
  }

  Item AnyItem() {
    Item item;
    item.store = rng_.Chance(0.9);
    item.end = rng_.Chance(0.6);
    item.group = RandomGroup(rng_, kSizes);
    item.lanes.resize(kSizes.Elements());
    for (uint32_t& lane : item.lanes) {
      lane = rng_.U32();
      if (rng_.Chance(0.5))
        lane = (lane & 0x807fffffu) | static_cast<uint32_t>(rng_.Range(95, 150)) << 23;
    }
    return item;
  }

  // Without a fault, and without a byte that it or one of the last items writes: two writes of one
  // place are a hazard.
  Item ItemWithoutHazard() {
    for (;;) {
      Item item = AnyItem();
      std::vector<ByteWrite> writes;
      if (item.store && model_.Write(item.group, item.lanes, &writes)) continue;
      std::unordered_set<uint32_t> bytes;
      bool hazard = false;
      for (const ByteWrite& write : writes) {
        hazard = hazard || !bytes.insert(write.address).second;
        for (const auto& other : recent_) hazard = hazard || other.contains(write.address);
      }
      if (hazard) continue;
      recent_.push_back(std::move(bytes));
      if (recent_.size() > 8) recent_.pop_front();
      return item;
    }
  }

  typename Config::Dut dut_;
  StreamModel model_{kSizes};  // its memory holds the items that ended
  std::vector<uint8_t> memory_ = std::vector<uint8_t>(kBufferBytes);
  std::deque<Item> items_, under_way_;
  std::deque<std::unordered_set<uint32_t>> recent_;
  std::optional<StreamFault> fault_;
  bool offered_ = false, last_ended_ = false;
  int faults_ = 0;
  int64_t cycle_ = 0, words_ = 0, ends_ = 0;
  Stalls item_stalls_{rng_, 0};
  std::vector<Stalls> port_stalls_{Config::kWrites, Stalls(rng_, 0)};
};

using Configs =
    testing::Types<Config<Vpu_write_8_2, 8, 2, 16, 1>, Config<Vpu_write_16_4, 16, 4, 16, 2>,
                   Config<Vpu_write_32_1, 32, 1, 64, 1>, Config<Vpu_write_128_8, 128, 8, 256, 2>>;
TYPED_TEST_SUITE(VpuWriteTest, Configs);

TYPED_TEST(VpuWriteTest, ItemsOfEveryKindAreWhatTheModelSays) {
  for (const double stall : {0.0, 0.5, 0.2}) {
    this->Stall(stall);
    this->model_.memory = this->memory_;
    for (int n = 0; n < 400; ++n) this->items_.push_back(this->ItemWithoutHazard());
    ASSERT_NO_FATAL_FAILURE(this->Drain());
    EXPECT_EQ(this->memory_, this->model_.memory);  // and nothing else was written
    this->recent_.clear();
  }
}

TYPED_TEST(VpuWriteTest, FirstFaultIsReported) {
  for (int n = 0; n < 60; ++n) {
    this->Stall(n % 3 * 0.2);
    this->faults_ = 0;
    for (int i = 0; i < 30; ++i) this->items_.push_back(this->ItemWithoutHazard());
    auto item = this->AnyItem();
    std::vector<ByteWrite> writes;
    while (!item.store || !this->model_.Write(item.group, item.lanes, &writes)) {
      item = this->AnyItem();
    }
    this->items_[this->rng_.Below(20)] = item;
    int cycles_after = 0;
    for (int i = 0; i < 20000 && cycles_after < 20; ++i) {
      ASSERT_NO_FATAL_FAILURE(this->Step());
      if (this->faults_ != 0) cycles_after++;
    }
    ASSERT_EQ(this->faults_, 1);
    this->Clear();
  }
}

// All upper halves of f32, with the lower halves around the middle, and all f16 with what is around
// the middle between two of them.
TYPED_TEST(VpuWriteTest, EveryValueIsNarrowed) {
  const int elements = this->kSizes.Elements();
  typename VpuWriteTest<TypeParam>::Item item;
  item.group.x_limit = item.group.y_limit = 1000000;
  item.group.flat = true;
  item.lanes.resize(elements);
  int filled = 0;
  const auto push = [&](uint32_t lane) {
    item.lanes[filled++] = lane;
    if (filled < elements) return;
    filled = 0;
    const uint32_t span = static_cast<uint32_t>(4 * elements);
    item.group.addr = (item.group.addr + span) % (8 * span);
    this->items_.push_back(item);
  };
  for (const LaneType type : {LaneType::kBf16, LaneType::kF16}) {
    item.group.type = type;
    const uint32_t step = TypeParam::kSizes.lanes >= 128 ? 1 : 13;
    for (uint32_t high = 0; high < 0x10000; high += step) {
      for (const uint32_t low : {0u, 1u, 0x7fffu, 0x8000u, 0x8001u, 0xffffu})
        push(high << 16 | low);
    }
    for (uint32_t half = 0; half < 0x10000; half += step) {
      const uint32_t lane = LaneFromElement(LaneType::kF16, half);
      for (const uint32_t offset : {0u, 1u, 0xfffu, 0x1000u, 0x1001u, 0x1fffu}) push(lane + offset);
    }
    for (int n = 0; n < 20 * elements; ++n) push(this->rng_.U32());
  }
  ASSERT_NO_FATAL_FAILURE(this->Drain());
}

TYPED_TEST(VpuWriteTest, WordPortsAreFull) {
  for (const LaneType type : {LaneType::kF32, LaneType::kBf16, LaneType::kS8}) {
    typename VpuWriteTest<TypeParam>::Item item;
    item.group.type = type;
    item.group.x_limit = item.group.y_limit = 1000000;
    item.group.addr_step = static_cast<uint32_t>(this->kSizes.lanes * ElementBytes(type));
    item.lanes.resize(this->kSizes.Elements());
    for (int n = 0; n < 60; ++n) {
      item.group.addr = static_cast<uint32_t>(n % 8 * 4 * this->kSizes.Elements());
      this->items_.push_back(item);
    }
    while (this->ends_ % 60 < 10) ASSERT_NO_FATAL_FAILURE(this->Step());
    const int64_t start = this->cycle_, start_ends = this->ends_;
    while (this->ends_ % 60 < 50) ASSERT_NO_FATAL_FAILURE(this->Step());
    const double cycles =
        static_cast<double>(this->cycle_ - start) / static_cast<double>(this->ends_ - start_ends);
    const int words = this->kSizes.Elements() * ElementBytes(type) / TypeParam::kWord;
    const int expected = std::max(1, (words + TypeParam::kWrites - 1) / TypeParam::kWrites);
    EXPECT_LE(cycles, 1.05 * expected) << arch::Name(type);
    ASSERT_NO_FATAL_FAILURE(this->Drain());
  }
}

}  // namespace
}  // namespace systolith::tb
