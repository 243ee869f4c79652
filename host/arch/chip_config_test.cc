#include "host/arch/chip_config.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "host/arch/isa.h"

namespace systolith::arch {
namespace {

constexpr char kSmall[] = R"(
name = "small"
[mxu]
rows = 8
cols = 8
[buffer]
bytes = 65536
)";

TEST(ChipConfigTest, EveryNamedConfigurationLoads) {
  const auto names = ChipConfigNames();
  EXPECT_THAT(names, testing::IsSupersetOf({"tiny", "gemm16", "edge", "v1", "v2"}));
  for (const std::string& name : names) {
    const auto config = LoadChipConfig(name);
    ASSERT_TRUE(config.ok()) << config.status().message();
    EXPECT_EQ(config->name, name);
  }
}

TEST(ChipConfigTest, UnknownKeysNameTheNearestOne) {
  const auto config = ParseChipConfig(std::string(kSmall) + "[memory]\nlatency_cycle = 3\n", "f");
  ASSERT_FALSE(config.ok());
  EXPECT_EQ(config.status().code(), StatusCode::kInvalidArgument);
  EXPECT_THAT(config.status().message(), testing::HasSubstr("f:9"));
  EXPECT_THAT(config.status().message(), testing::HasSubstr("'memory.latency_cycles'"));
}

TEST(ChipConfigTest, UnknownChipsNameTheNearestOne) {
  const auto config = LoadChipConfig("tinny");
  ASSERT_FALSE(config.ok());
  EXPECT_THAT(config.status().message(), testing::HasSubstr("did you mean 'tiny'"));
}

TEST(ChipConfigTest, OutOfRangeAndMissingValuesAreErrors) {
  EXPECT_FALSE(ParseChipConfig("name = \"x\"\nmxu.rows = 8\n", "f").ok());
  EXPECT_FALSE(ParseChipConfig(std::string(kSmall) + "banks = 3\n", "f").ok());
  EXPECT_FALSE(ParseChipConfig(std::string(kSmall) + "[memory]\nkind = \"ddr\"\n", "f").ok());
  EXPECT_FALSE(ParseChipConfig(std::string(kSmall) + "[memory.timing]\ntrpp = 1\n", "f").ok());
  EXPECT_FALSE(ParseChipConfig("name = [", "f").ok());
}

TEST(ChipConfigTest, RefreshesMustLeaveTimeForWork) {
  for (const char* trefi : {"0.0", "300.0"}) {
    const auto config =
        ParseChipConfig(std::string(kSmall) + "[memory.timing]\ntrefi = " + trefi + "\n", "f");
    ASSERT_FALSE(config.ok());
    EXPECT_THAT(config.status().message(), testing::HasSubstr("memory.timing.trefi"));
  }
  EXPECT_TRUE(ParseChipConfig(std::string(kSmall) + "[memory.timing]\ntrefi = 975.0\n", "f").ok());
}

TEST(ChipConfigTest, TimingChangesNeitherHashAndSizeChangesBoth) {
  const auto base = ParseChipConfig(kSmall, "f").value();
  const auto timing =
      ParseChipConfig(std::string(kSmall) + "[memory.timing]\ntrp = 99\n", "f").value();
  EXPECT_EQ(base.BuildHash(), timing.BuildHash());
  EXPECT_EQ(base.ProgramHash(), timing.ProgramHash());
  EXPECT_NE(base.Timing(HbmTiming::kTrp), timing.Timing(HbmTiming::kTrp));
  auto larger = base;
  larger.mxu_rows = 16;
  EXPECT_NE(base.BuildHash(), larger.BuildHash());
  EXPECT_NE(base.ProgramHash(), larger.ProgramHash());
}

TEST(ChipConfigTest, ProgramsDependOnSublanesButNotOnPortsOfTheVectorUnit) {
  const auto with = [](const std::string& vpu) {
    return ParseChipConfig(std::string(kSmall) + "[vpu]\n" + vpu + "\n", "f");
  };
  const auto base = with("").value();
  for (const char* ports : {"read_words = 4", "write_words = 2"}) {
    EXPECT_EQ(with(ports)->ProgramHash(), base.ProgramHash()) << ports;
    EXPECT_NE(with(ports)->BuildHash(), base.BuildHash()) << ports;
  }
  EXPECT_NE(with("sublanes = 4")->ProgramHash(), base.ProgramHash());
  EXPECT_NE(with("sublanes = 4")->BuildHash(), base.BuildHash());
  for (const char* wrong : {"sublanes = 3", "sublanes = 16", "read_words = 3", "write_words = 4"}) {
    EXPECT_FALSE(with(wrong).ok()) << wrong;
  }
}

TEST(ChipConfigTest, ToTomlLoadsToAnEqualConfiguration) {
  const auto config = LoadChipConfig("v2").value();
  const auto again = ParseChipConfig(config.ToToml(), "again");
  ASSERT_TRUE(again.ok()) << again.status().message();
  EXPECT_EQ(again->ToToml(), config.ToToml());
  EXPECT_EQ(again->timing_cycles, config.timing_cycles);
}

TEST(IsaTest, EncodedInstructionsDecodeToThemselves) {
  Matmul matmul;
  matmul.a_base = -64;
  matmul.counts = {1, 2, 3, 4, 5, 6};
  matmul.acc_strides[5] = 1;
  matmul.n_level = kNoLevel;
  std::array<uint32_t, kMatmulWords> words;
  Encode(matmul, words);
  EXPECT_EQ(DecodeMatmul(words), matmul);
}

}  // namespace
}  // namespace systolith::arch
