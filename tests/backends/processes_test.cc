// Several chips in one process, one after another and at once, with waveforms.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <thread>

#include "tests/backends/backend_fixture.h"

namespace systolith::backends {
namespace {

using golden::kDataAddress;

class SeveralChipsTest : public BackendFixture {
 protected:
  std::string TracePath(const std::string& name) const {
    return testing::TempDir() + "systolith_" + GetParam().name + "_" + name + ".fst";
  }
  bool traces() const { return GetParam().target == "rtl"; }

  // A copy job of a chip of its own. Returns the cycles that it took.
  uint64_t CopyOnNewChip(const std::string& trace, uint64_t seed) {
    hal::TransportOptions options;
    if (traces()) options.trace_path = trace;
    auto chip = Open(options);
    if (chip == nullptr) return 0;
    tb::Rng rng(seed);
    std::vector<uint8_t> data(1 + rng.Below(2000));
    for (uint8_t& byte : data) byte = static_cast<uint8_t>(rng.U32());
    EXPECT_TRUE(chip->WriteMemory(kDataAddress, std::as_bytes(std::span(data))).ok());
    const auto program = CopyProgram(0, 0x8000, static_cast<uint32_t>(data.size()));
    const JobResult result = golden::RunJob(*chip, config_, program.words());
    EXPECT_TRUE(result.status.ok() && result.completed) << result;
    std::vector<uint8_t> copy(data.size());
    EXPECT_TRUE(
        chip->ReadMemory(kDataAddress + 0x8000, std::as_writable_bytes(std::span(copy))).ok());
    EXPECT_EQ(copy, data);
    return chip->Cycle();
  }

  // The file is there and was closed: an FST ends its header block with the time of its end.
  void ExpectWaveform(const std::string& path, uint64_t cycles) {
    if (!traces()) return;
    std::ifstream file(path, std::ios::binary);
    std::string text((std::istreambuf_iterator<char>(file)), {});
    ASSERT_GT(text.size(), 1000u) << path;
    ASSERT_EQ(text[0], 0) << path;  // block type of a complete header
    const auto big_endian = [&](size_t at) {
      uint64_t value = 0;
      for (size_t i = 0; i < 8; ++i) value = value << 8 | static_cast<uint8_t>(text[at + i]);
      return value;
    };
    EXPECT_EQ(big_endian(9), 0u);  // starts at 0
    const auto period = static_cast<uint64_t>(1000000 / config_.clock_mhz);
    EXPECT_GE(big_endian(17), (cycles - 1) * period);
    EXPECT_LE(big_endian(17), (cycles + 1) * period);
  }
};

TEST_P(SeveralChipsTest, TwoAtOnceInTwoThreadsDoNotDisturbEachOther) {
  uint64_t cycles[2] = {};
  std::thread first([&] { cycles[0] = CopyOnNewChip(TracePath("first"), 1); });
  std::thread second([&] { cycles[1] = CopyOnNewChip(TracePath("second"), 2); });
  first.join();
  second.join();
  ExpectWaveform(TracePath("first"), cycles[0]);
  ExpectWaveform(TracePath("second"), cycles[1]);
}

TEST_P(SeveralChipsTest, FiftyOneAfterAnotherEachWithItsOwnWaveform) {
  for (int i = 0; i < 50; ++i) {
    const std::string path = TracePath("run" + std::to_string(i % 2));
    const uint64_t cycles = CopyOnNewChip(path, static_cast<uint64_t>(i));
    ExpectWaveform(path, cycles);
    std::filesystem::remove(path);
  }
}

TEST_P(SeveralChipsTest, AWaveformCoversTheCyclesThatWereAskedFor) {
  if (!traces()) GTEST_SKIP() << "a model without a clock has no waveform";
  hal::TransportOptions options;
  options.trace_path = TracePath("window");
  options.trace_start_cycle = 300;
  options.trace_end_cycle = 400;
  auto chip = Open(options);
  ASSERT_TRUE(chip->RunCycles(1000).ok());
  std::ifstream file(options.trace_path, std::ios::binary);  // closed at its end, not at the chip's
  std::string text((std::istreambuf_iterator<char>(file)), {});
  ASSERT_GT(text.size(), 1000u);
  EXPECT_EQ(text[0], 0);
}

INSTANTIATE_TEST_SUITE_P(Backends, SeveralChipsTest,
                         testing::Values(Backend{"Golden", "golden"}, Backend{"Rtl", "rtl"}),
                         [](const auto& info) { return info.param.name; });

}  // namespace
}  // namespace systolith::backends
