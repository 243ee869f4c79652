// Controller and device model together: contents, constraints, bandwidth.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <tuple>

#include "VHbm_0_256_2.h"
#include "VHbm_0_64_2.h"
#include "VHbm_1_128_8.h"
#include "VHbm_1_256_64.h"
#include "VHbm_1_64_2.h"
#include "tb/hbm/hbm_bench.h"

namespace systolith::tb {
namespace {

using arch::HbmTiming;

// Timing in cycles, in the order of the CSRs: usual values at 1 ns, the same at 500 MHz, a strap
// set of another vendor, and one with everything long.
const std::array<std::array<uint32_t, 18>, 4> kProfiles = {{
    {14, 5, 14, 12, 14, 34, 48, 2, 4, 4, 4, 15, 6, 8, 16, 5, 260, 3900},
    {14, 5, 7, 6, 7, 17, 24, 2, 4, 2, 2, 8, 3, 4, 8, 3, 130, 1950},
    {18, 7, 12, 6, 14, 28, 42, 2, 3, 4, 6, 16, 4, 9, 14, 5, 220, 3900},
    {28, 10, 31, 29, 27, 61, 97, 3, 7, 9, 13, 55, 11, 17, 33, 13, 410, 2100},
}};

template <typename Size>
class HbmTest : public RandomTest {
 protected:
  using Bench = HbmBench<Size>;
  static constexpr int kLine = Size::kLineBytes;

  arch::ChipConfig Config(int profile = 0, int channels = Size::kMaxChannels) {
    arch::ChipConfig config;
    config.memory_kind = Size::kHbm2 ? "hbm2" : "fixed";
    config.memory_line_bytes = kLine;
    config.memory_max_channels = Size::kMaxChannels;
    config.memory_channels = channels;
    config.memory_bytes = std::min(int64_t{channels} << 30, int64_t{1} << 32);
    config.memory_bytes_per_cycle = 40;
    config.memory_jitter_cycles = Size::kHbm2 ? 0 : 30;
    config.timing_cycles = kProfiles[profile];
    return config;
  }

  // Writes at random, then reads what was written mixed with writes elsewhere. Lines of a port are
  // congruent to it modulo 8, so ports never meet; some lines are close together, some far apart,
  // some written again and again.
  void WriteThenRead(Bench& bench, int requests) {
    for (int i = 0; i < requests; i++) {
      const int port = static_cast<int>(rng_.Below(5));
      Push(bench, port, RandomWrite(bench, port));
    }
    bench.Drain();
    if (this->HasFatalFailure()) return;
    // Reads of what was written mixed with writes of other lines.
    std::vector<uint64_t> written;
    for (const auto& [addr, line] : bench.image) written.push_back(addr);
    for (int i = 0; i < requests; i++) {
      const uint64_t addr = written[rng_.Below(written.size())];
      typename Bench::Request read;
      read.addr = addr;
      bench.Push(static_cast<int>(addr / kLine % 8), std::move(read));
      if (!rng_.Chance(0.3)) continue;
      const int port = static_cast<int>(rng_.Below(5));
      typename Bench::Request request = RandomWrite(bench, port);
      if (std::binary_search(written.begin(), written.end(), request.addr)) continue;
      Push(bench, port, std::move(request));
    }
    bench.Drain();
  }

  void Push(Bench& bench, int port, typename Bench::Request request) {
    auto& line = bench.Line(request.addr);
    for (int byte = 0; byte < kLine; byte++) {
      if (request.strobe[byte]) line[byte] = request.data[byte];
    }
    bench.Push(port, std::move(request));
  }

  typename Bench::Request RandomWrite(Bench& bench, int port) {
    const uint64_t lines = bench.config_.memory_bytes / kLine / 8;
    const uint64_t line = rng_.Chance(0.4)   ? rng_.Below(20)
                          : rng_.Chance(0.5) ? cursor_[port]++
                                             : rng_.Below(lines);
    typename Bench::Request request;
    request.addr = (line * 8 + port) * kLine;
    request.write = true;
    const bool whole = rng_.Chance(0.5);
    for (int byte = 0; byte < kLine; byte++) {
      request.data.push_back(static_cast<uint8_t>(rng_.U32()));
      request.strobe.push_back(whole || rng_.Chance(0.5));
    }
    return request;
  }

  // Cycles for `lines` lines from address 0 with the given stride, port 0.
  uint64_t Stream(const arch::ChipConfig& config, int lines, uint64_t stride, double writes = 0,
                  hbm_device::DeviceCounters* counters = nullptr) {
    Bench bench(rng_, config, 0);
    bench.window = 200;
    for (int i = 0; i < lines; i++) {
      typename Bench::Request request;
      request.addr = i * stride % (bench.config_.memory_bytes);
      request.write = rng_.Chance(writes);
      if (request.write) {
        request.addr += bench.config_.memory_bytes / 2;
        request.data.resize(kLine);
        request.strobe.assign(kLine, 1);
      }
      bench.Push(request.write ? 1 : 0, std::move(request));
    }
    bench.Drain();
    if (counters) *counters = bench.device_->counters();
    return bench.cycles;
  }

  std::array<uint64_t, 5> cursor_{1000, 2000, 3000, 4000, 5000};
};

using Sizes = testing::Types<HbmSize<VHbm_1_64_2, true, 64, 2>, HbmSize<VHbm_1_128_8, true, 128, 8>,
                             HbmSize<VHbm_1_256_64, true, 256, 64>,
                             HbmSize<VHbm_0_64_2, false, 64, 2>,
                             HbmSize<VHbm_0_256_2, false, 256, 2>>;
TYPED_TEST_SUITE(HbmTest, Sizes);

TYPED_TEST(HbmTest, ContentsSurviveRandomTrafficWithoutAViolation) {
  for (int profile = 0; profile < 4; profile++) {
    for (int channels = TypeParam::kMaxChannels; channels >= 2; channels /= 4) {
      HbmBench<TypeParam> bench(this->rng_, this->Config(profile, channels),
                                this->rng_.Chance(0.5) ? 0 : 0.5);
      this->WriteThenRead(bench, 1500);
      ASSERT_FALSE(this->HasFatalFailure()) << "profile " << profile << " channels " << channels;
      ASSERT_EQ(bench.dut_->read_bytes_o, bench.reads * this->kLine);
      // The backend's view is the chip's.
      std::vector<std::byte> line(this->kLine);
      for (const auto& [addr, expected] : bench.image) {
        bench.device_->ReadMemory(addr, line);
        ASSERT_EQ(std::memcmp(line.data(), expected.data(), line.size()), 0) << addr;
      }
    }
  }
}

TYPED_TEST(HbmTest, RefreshGoesOnWhileNothingElseHappens) {
  if (!TypeParam::kHbm2) return;
  HbmBench<TypeParam> bench(this->rng_, this->Config(), 0);
  for (int i = 0; i < 40000; i++) ASSERT_TRUE(bench.Step()) << bench.device_->violation();
  EXPECT_NEAR(static_cast<double>(bench.device_->counters().refreshes),
              40000.0 / 3900 * TypeParam::kMaxChannels, TypeParam::kMaxChannels);
  this->WriteThenRead(bench, 100);
}

TYPED_TEST(HbmTest, AResetDropsWhatIsInFlight) {
  HbmBench<TypeParam> bench(this->rng_, this->Config(), 0.3);
  this->WriteThenRead(bench, 200);
  for (int trial = 0; trial < 30; trial++) {
    for (const auto& [addr, line] : bench.image) {
      typename HbmBench<TypeParam>::Request read;
      read.addr = addr;
      bench.Push(static_cast<int>(addr / this->kLine % 8), std::move(read));
    }
    for (uint64_t i = this->rng_.Below(200); i > 0; i--) ASSERT_TRUE(bench.Step());
    bench.ResetAll();
    this->WriteThenRead(bench, 20);
    ASSERT_FALSE(this->HasFatalFailure()) << trial;
  }
}

TYPED_TEST(HbmTest, TimingIsHonouredAndMoreOfItCostsCycles) {
  if (!TypeParam::kHbm2) return;
  const auto with = [&](HbmTiming which, uint32_t factor) {
    arch::ChipConfig config = this->Config();
    config.timing_cycles[static_cast<uint32_t>(which)] *= factor;
    config.memory_bytes = int64_t{1} << 31;
    config.memory_channels = 2;  // more would hide a bank's timing behind the one line port
    return config;
  };
  const int kLines = 4000;
  const uint64_t far = 1 << 18;  // every line in another row
  const uint64_t base = this->Stream(with(HbmTiming::kTrp, 1), kLines, far);
  EXPECT_GT(this->Stream(with(HbmTiming::kTrcdRd, 2), kLines, far), base);
  EXPECT_GT(this->Stream(with(HbmTiming::kTrp, 2), kLines, far), base);
  const uint64_t dense = this->Stream(this->Config(), 30000, this->kLine);
  EXPECT_GT(this->Stream(with(HbmTiming::kTrfc, 2), 30000, this->kLine), dense);
  arch::ChipConfig rare = this->Config();
  rare.timing_cycles[static_cast<uint32_t>(HbmTiming::kTrefi)] *= 2;
  EXPECT_LT(this->Stream(rare, 30000, this->kLine), dense);
}

TYPED_TEST(HbmTest, BandwidthStaysBelowThePins) {
  const int kLines = 20000;
  for (const auto& [name, stride, writes] :
       {std::tuple<const char*, uint64_t, double>{"sequential read", this->kLine, 0.0},
        {"sequential write", this->kLine, 1.0},
        {"read and write", this->kLine, 0.5},
        {"stride 4 KiB", 4096, 0.0},
        {"stride 64 KiB", 65536, 0.0}}) {
    arch::ChipConfig config = this->Config();
    config.memory_jitter_cycles = 0;
    const int lines = stride > 4000 ? kLines / 8 : kLines;
    hbm_device::DeviceCounters counters;
    const uint64_t cycles = this->Stream(config, lines, stride, writes, &counters);
    const double bytes = static_cast<double>(lines) * this->kLine;
    EXPECT_EQ(counters.read_bytes + counters.written_bytes, static_cast<uint64_t>(bytes));
    const double peak = TypeParam::kHbm2 ? 16.0 * TypeParam::kMaxChannels : 40.0;
    // The line port takes one line per cycle, whatever stands behind it.
    const double limit = std::min<double>(peak, this->kLine);
    std::printf("%s: line %d, channels %d: %.1f B/cycle, %.1f %% of %.0f\n", name, this->kLine,
                TypeParam::kHbm2 ? TypeParam::kMaxChannels : 1, bytes / cycles,
                100 * bytes / cycles / limit, limit);
    EXPECT_LE(bytes / cycles, limit * 1.001);
  }
}

}  // namespace
}  // namespace systolith::tb
