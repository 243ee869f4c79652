// Tests rtl/vpu/vpu_fetch.sv at its pins: groups of every kind against the model, under stalls of
// all partners; faults; what a cycle moves.

#include <algorithm>
#include <array>
#include <bit>
#include <deque>
#include <optional>
#include <utility>
#include <vector>

#include "Vpu_fetch_128_8.h"
#include "Vpu_fetch_16_4.h"
#include "Vpu_fetch_32_1.h"
#include "Vpu_fetch_8_2.h"
#include "tb/common/dut.h"
#include "tb/common/random.h"
#include "tb/common/stream.h"
#include "tb/vpu/stream_model.h"
#include "tb/vpu/stream_random.h"

namespace systolith::tb {
namespace {

using arch::LaneType;
using arch::Spread;
using arch::StreamSource;

constexpr int kStreams = 4;
constexpr int kAccumulatorRows = 16;
constexpr int kBufferBytes = 1 << 17;

template <typename DutType, int kLanes, int kSublanes, int kCols, int kMxus, int kWordBytes,
          int kReadWords>
struct Config {
  using Dut = DutType;
  static constexpr StreamSizes kSizes{kLanes, kSublanes,        kCols,
                                      kMxus,  kAccumulatorRows, kBufferBytes};
  static constexpr int kWord = kWordBytes, kReads = kReadWords;
};

template <typename Config>
class VpuFetchTest : public RandomTest {
 protected:
  static constexpr StreamSizes kSizes = Config::kSizes;

  VpuFetchTest() {
    for (uint8_t& byte : model_.memory) byte = static_cast<uint8_t>(rng_.U32());
    for (auto& unit : model_.accumulators) {
      for (uint32_t& value : unit) value = rng_.U32();
    }
    Reset(dut_);
  }

  void Stall(double probability) {
    const auto stalls = [&] { return Stalls(rng_, probability); };
    request_stalls_ = stalls();
    for (Stalls& port : port_stalls_) port = stalls();
    for (Stalls& unit : drain_stalls_) unit = stalls();
    for (Stalls& stream : group_stalls_) stream = stalls();
  }

  void Push(int stream, const StreamGroup& group) { requests_.push_back({stream, group}); }

  void Drive() {
    if (!offered_) offered_ = !requests_.empty() && request_stalls_.Go();
    dut_.req_valid_i = offered_;
    if (offered_) {
      const auto& [stream, group] = requests_.front();
      dut_.req_stream_i = stream;
      dut_.req_type_i = static_cast<uint32_t>(group.type);
      dut_.req_source_i = static_cast<uint32_t>(group.source);
      dut_.req_unit_i = group.unit;
      dut_.req_flat_i = group.flat;
      dut_.req_spread_i = static_cast<uint32_t>(group.spread);
      dut_.req_gather_i = group.gather;
      dut_.req_addr_i = group.addr;
      dut_.req_x_i = group.x;
      dut_.req_y_i = group.y;
      dut_.req_addr_step_i = group.addr_step;
      dut_.req_x_step_i = group.x_step;
      dut_.req_y_step_i = group.y_step;
      dut_.req_x_limit_i = group.x_limit;
      dut_.req_y_limit_i = group.y_limit;
      dut_.req_fill_i = group.fill;
      dut_.req_gather_base_i = group.gather_base;
      dut_.req_gather_stride_i = group.gather_stride;
      dut_.req_gather_limit_i = group.gather_limit;
    }
    uint32_t ready = 0;
    for (int q = 0; q < kStreams; ++q) ready |= group_stalls_[q].Go() ? 1u << q : 0;
    dut_.group_ready_i = ready;
    dut_.rd_ready_i = 0;
    dut_.drain_ready_i = 0;
    dut_.eval();
    uint32_t grants = 0, drains = 0;
    for (int p = 0; p < Config::kReads; ++p) {
      if (dut_.rd_valid_o >> p & 1 && port_stalls_[p].Go()) grants |= 1u << p;
    }
    for (int m = 0; m < kSizes.mxus; ++m) {
      if (dut_.drain_valid_o >> m & 1 && drain_stalls_[m].Go()) drains |= 1u << m;
    }
    dut_.rd_ready_i = grants;
    dut_.drain_ready_i = drains;
    dut_.eval();
  }

  // One cycle.
  void Step() {
    Drive();
    const uint32_t grants = dut_.rd_ready_i, drains = dut_.drain_ready_i;
    constexpr int kAddrWidth =
        std::bit_width(static_cast<unsigned>(kBufferBytes / Config::kWord)) - 1;
    std::array<uint64_t, Config::kReads> words{};
    for (int p = 0; p < Config::kReads; ++p) {
      words[p] = GetBits(dut_.rd_addr_o, p * kAddrWidth, kAddrWidth);
    }
    std::array<uint64_t, 8> rows{};
    for (int m = 0; m < kSizes.mxus; ++m) rows[m] = GetBits(dut_.drain_row_o, 16 * m, 16);
    if (offered_ && dut_.req_ready_o) {
      Accept();
      offered_ = false;
    }
    for (int q = 0; q < kStreams; ++q) {
      if (dut_.group_valid_o >> q & dut_.group_ready_i >> q & 1) Compare(q);
    }
    if (dut_.fault_valid_o) {
      faults_++;
      ASSERT_TRUE(fault_.has_value());
      EXPECT_EQ(dut_.fault_cause_o, static_cast<uint32_t>(fault_->cause));
      EXPECT_EQ(dut_.fault_address_o, fault_->address);
    }
    Cycle(dut_);
    cycle_++;
    dut_.rd_data_valid_i = grants;
    for (int p = 0; p < Config::kReads; ++p) {
      for (int i = 0; i < Config::kWord; i += 4) {
        const uint32_t value =
            grants >> p & 1 ? Word32(model_.memory, words[p] * Config::kWord + i) : rng_.U32();
        SetBits(dut_.rd_data_i, 8 * (p * Config::kWord + i), 32, value);
      }
    }
    dut_.drain_data_valid_i = drains;
    for (int m = 0; m < kSizes.mxus; ++m) {
      for (int c = 0; c < kSizes.cols; ++c) {
        SetBits(
            dut_.drain_data_i, 32 * (m * kSizes.cols + c), 32,
            drains >> m & 1 ? model_.accumulators[m].at(rows[m] * kSizes.cols + c) : 0xdeadbeef);
      }
    }
  }

  // The model fetches when the unit accepts; behind a fault nothing more comes.
  void Accept() {
    const auto [stream, group] = requests_.front();
    requests_.pop_front();
    if (fault_) return;
    std::vector<uint32_t> lanes;
    fault_ = model_.Fetch(group, &lanes);
    if (!fault_) expected_[stream].push_back(std::move(lanes));
  }

  void Compare(int stream) {
    ASSERT_FALSE(expected_[stream].empty()) << "a group that nobody asked for";
    const std::vector<uint32_t>& lanes = expected_[stream].front();
    for (int e = 0; e < kSizes.Elements(); ++e) {
      const size_t place = static_cast<size_t>(stream) * kSizes.Elements() + e;
      ASSERT_EQ(GetBits(dut_.group_o, 32 * place, 32), lanes[e])
          << "stream " << stream << " element " << e;
    }
    expected_[stream].pop_front();
    groups_++;
  }

  bool Waiting() const {
    return !requests_.empty() || std::any_of(expected_.begin(), expected_.end(),
                                             [](auto& queue) { return !queue.empty(); });
  }

  void Drain() {
    for (int64_t n = 0; Waiting(); ++n) {
      ASSERT_LT(n, 100000) << "the groups do not come";
      ASSERT_NO_FATAL_FAILURE(Step());
      ASSERT_FALSE(this->HasFailure());
    }
  }

  void Clear() {
    requests_.clear();
    for (auto& queue : expected_) queue.clear();
    fault_.reset();
    offered_ = false;
    dut_.clear_i = 1;
    dut_.req_valid_i = 0;
    dut_.eval();
    EXPECT_EQ(dut_.rd_valid_o, 0);
    EXPECT_EQ(dut_.drain_valid_o, 0);
    Cycle(dut_);  // with the data of what was granted before
    dut_.clear_i = 0;
    dut_.rd_data_valid_i = 0;
    dut_.drain_data_valid_i = 0;
    EXPECT_EQ(dut_.group_valid_o, 0);
  }

  // Of every source; `Fault` or none, as the model says.
  StreamGroup AnyGroup() {
    StreamGroup group = RandomGroup(rng_, kSizes);
    const uint64_t kind = rng_.Below(8);
    if (kind == 0) group.source = StreamSource::kIota;
    if (kind == 1 && !group.flat) {
      group.source = StreamSource::kAccumulator;
      group.spread = Spread::kNone;
      group.unit = static_cast<uint32_t>(rng_.Below(kSizes.mxus));
      group.addr = static_cast<uint32_t>(rng_.Range(0, 2 * kAccumulatorRows));
      group.addr_step = static_cast<uint32_t>(rng_.Range(-2, 2));
    }
    if ((kind == 2 || kind == 3) && !group.flat) {
      group.gather = true;
      group.gather_base = static_cast<uint32_t>(rng_.Below(kBufferBytes / 4)) * 4;
      group.gather_stride = static_cast<uint32_t>(rng_.Range(-4, 4) * 32);
      group.gather_limit = rng_.Chance(0.1) ? 3 : 200;
      const int indices = 4 * kSizes.sublanes;
      if (rng_.Chance(0.7)) group.gather_base %= 1024;  // where the indices are small
      if (rng_.Chance(0.05)) group.gather_base += static_cast<uint32_t>(rng_.Range(1, 3));
      if (rng_.Chance(0.3)) group.y_step = static_cast<uint32_t>(rng_.Range(-indices, indices));
    }
    return group;
  }

  StreamGroup GroupWithoutFault() {
    std::vector<uint32_t> lanes;
    for (;;) {
      const StreamGroup group = AnyGroup();
      if (!model_.Fetch(group, &lanes)) return group;
    }
  }

  void SmallIndices() {
    for (int i = 0; i < 4096; i += 4) {
      const auto index = static_cast<uint32_t>(rng_.Below(200));
      for (int b = 0; b < 4; ++b) model_.memory[i + b] = static_cast<uint8_t>(index >> 8 * b);
    }
  }

  static uint32_t Word32(const std::vector<uint8_t>& memory, uint64_t address) {
    return memory[address] | memory[address + 1] << 8 | memory[address + 2] << 16 |
           static_cast<uint32_t>(memory[address + 3]) << 24;
  }

  // Cycles per group of a long run of these groups, each a stream of its own, in steady state.
  double CyclesPerGroup(const std::vector<StreamGroup>& groups) {
    Stall(0);
    for (int n = 0; n < 30; ++n) {
      for (size_t stream = 0; stream < groups.size(); ++stream) {
        Push(static_cast<int>(stream), groups[stream]);
      }
    }
    const int64_t warm = 10 * static_cast<int64_t>(groups.size());
    const int64_t total = 30 * static_cast<int64_t>(groups.size());
    int64_t start = -1;
    groups_ = 0;
    while (groups_ < total && !this->HasFatalFailure()) {
      Step();
      if (start < 0 && groups_ >= warm) start = cycle_, start_groups_ = groups_;
    }
    return static_cast<double>(cycle_ - start) / static_cast<double>(groups_ - start_groups_);
  }

  StreamGroup DenseGroup(LaneType type) {
    StreamGroup group;
    group.type = type;
    group.addr_step = static_cast<uint32_t>(kSizes.lanes * ElementBytes(type));
    group.x_limit = group.y_limit = 1000000;
    return group;
  }

  struct Request {
    int stream;
    StreamGroup group;
  };

  typename Config::Dut dut_;
  StreamModel model_{kSizes};
  std::deque<Request> requests_;
  bool offered_ = false;
  std::array<std::deque<std::vector<uint32_t>>, kStreams> expected_;
  std::optional<StreamFault> fault_;
  int faults_ = 0;
  int64_t cycle_ = 0, groups_ = 0, start_groups_ = 0;
  Stalls request_stalls_{rng_, 0};
  std::vector<Stalls> port_stalls_{Config::kReads, Stalls(rng_, 0)};
  std::vector<Stalls> drain_stalls_{static_cast<size_t>(kSizes.mxus), Stalls(rng_, 0)};
  std::vector<Stalls> group_stalls_{kStreams, Stalls(rng_, 0)};
};

using Configs = testing::Types<
    Config<Vpu_fetch_8_2, 8, 2, 8, 1, 16, 2>, Config<Vpu_fetch_16_4, 16, 4, 8, 3, 16, 3>,
    Config<Vpu_fetch_32_1, 32, 1, 32, 1, 64, 1>, Config<Vpu_fetch_128_8, 128, 8, 128, 2, 256, 4>>;
TYPED_TEST_SUITE(VpuFetchTest, Configs);

TYPED_TEST(VpuFetchTest, GroupsOfEveryKindAreWhatTheModelSays) {
  this->SmallIndices();
  for (const double stall : {0.0, 0.5, 0.2}) {
    this->Stall(stall);
    for (int n = 0; n < 600; ++n) {
      this->Push(static_cast<int>(this->rng_.Below(kStreams)), this->GroupWithoutFault());
    }
    ASSERT_NO_FATAL_FAILURE(this->Drain());
  }
}

TYPED_TEST(VpuFetchTest, FirstFaultIsReported) {
  this->SmallIndices();
  for (int n = 0; n < 150; ++n) {
    this->Stall(n % 3 * 0.2);
    this->faults_ = 0;
    for (int i = 0; i < 200; ++i) {
      this->Push(static_cast<int>(this->rng_.Below(kStreams)), this->AnyGroup());
    }
    int cycles_after = 0;
    for (int i = 0; i < 20000 && cycles_after < 20; ++i) {
      ASSERT_NO_FATAL_FAILURE(this->Step());
      if (this->faults_ != 0) cycles_after++;
    }
    ASSERT_EQ(this->faults_, 1);
    this->Clear();
  }
}

// All elements of 16 bits, and with them all of 8.
TYPED_TEST(VpuFetchTest, EveryElementIsWidened) {
  for (uint32_t i = 0; i < 0x10000; ++i) {
    this->model_.memory[2 * i] = static_cast<uint8_t>(i);
    this->model_.memory[2 * i + 1] = static_cast<uint8_t>(i >> 8);
  }
  for (const LaneType type : {LaneType::kBf16, LaneType::kF16, LaneType::kS16, LaneType::kU16,
                              LaneType::kS8, LaneType::kU8}) {
    const auto bytes = static_cast<uint32_t>(this->kSizes.Elements() * ElementBytes(type));
    const uint32_t end = ElementBytes(type) == 1 ? 0x1000 : kBufferBytes;
    StreamGroup group = this->DenseGroup(type);
    for (uint32_t at = 0; at < end; at += bytes) {
      group.addr = at;
      this->Push(static_cast<int>(this->rng_.Below(kStreams)), group);
    }
    ASSERT_NO_FATAL_FAILURE(this->Drain());
  }
}

TYPED_TEST(VpuFetchTest, WordPortsAreFull) {
  constexpr int kWord = TypeParam::kWord, kReads = TypeParam::kReads;
  for (const LaneType type : {LaneType::kF32, LaneType::kBf16, LaneType::kS8}) {
    const StreamGroup group = this->DenseGroup(type);
    const int words = this->kSizes.Elements() * ElementBytes(type) / kWord;
    const double cycles = std::max(1, (words + kReads - 1) / kReads);
    EXPECT_LE(this->CyclesPerGroup({group}), 1.05 * cycles) << arch::Name(type);
  }
  StreamGroup row = this->DenseGroup(LaneType::kF32);
  row.x_limit = 4;  // a word per row
  EXPECT_LE(this->CyclesPerGroup({row}), (this->kSizes.sublanes + kReads - 1) / kReads + 0.05);
  StreamGroup iota = this->DenseGroup(LaneType::kF32);
  iota.source = StreamSource::kIota;
  EXPECT_NEAR(this->CyclesPerGroup({iota}), 1, 0.01);
  StreamGroup single = this->DenseGroup(LaneType::kF32);
  single.spread = Spread::kBoth;
  EXPECT_NEAR(this->CyclesPerGroup({single}), 1, 0.01);
  StreamGroup column = this->DenseGroup(LaneType::kBf16);
  column.spread = Spread::kLanes;  // of scalars side by side, all in one word
  column.addr_step = 2;
  EXPECT_NEAR(this->CyclesPerGroup({column}), 1, 0.01);
}

TYPED_TEST(VpuFetchTest, AccumulatorsTakeARowPerCycleBesideTheBuffer) {
  StreamGroup drain = this->DenseGroup(LaneType::kF32);
  drain.source = StreamSource::kAccumulator;
  drain.addr_step = 1;
  const double rows = this->kSizes.sublanes;
  EXPECT_NEAR(this->CyclesPerGroup({drain}), rows, 0.05 * rows);
  StreamGroup iota = this->DenseGroup(LaneType::kF32);
  iota.source = StreamSource::kIota;
  EXPECT_NEAR(this->CyclesPerGroup({drain, iota}), std::max(1.0, rows / 2), 0.05 * rows);
}

TYPED_TEST(VpuFetchTest, GatherIsPipelined) {
  for (uint32_t i = 0; i < kBufferBytes; ++i) this->model_.memory[i] = 0;
  StreamGroup group = this->DenseGroup(LaneType::kF32);
  group.gather = true;
  group.gather_limit = 10;
  group.x_limit = 4;
  group.y_step = TypeParam::kWord;  // every index in a word of its own
  EXPECT_LE(this->CyclesPerGroup({group}), this->kSizes.sublanes + 3);
}

}  // namespace
}  // namespace systolith::tb
