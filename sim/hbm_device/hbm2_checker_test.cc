#include "sim/hbm_device/hbm2_checker.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <functional>

namespace systolith::hbm_device {
namespace {

using arch::HbmTiming;

// Distances that are all different, so that no rule hides behind another.
constexpr std::array<uint32_t, 18> kTiming = {
    /*CL*/ 14, /*CWL*/ 5, /*tRCD_RD*/ 14, /*tRCD_WR*/ 12, /*tRP*/ 15, /*tRAS*/ 34, /*tRC*/ 52,
    /*tCCD_S*/ 2, /*tCCD_L*/ 4, /*tRRD_S*/ 4, /*tRRD_L*/ 6, /*tFAW*/ 30, /*tWTR_S*/ 6,
    /*tWTR_L*/ 8, /*tWR*/ 16, /*tRTP*/ 5, /*tRFC*/ 260, /*tREFI*/ 3900};

// Bank b of group g.
constexpr uint32_t Bank(uint32_t group, uint32_t b) { return b << 2 | group; }

// A sequence whose last command keeps `constraint` exactly if it comes `distance` cycles after the
// one that it is measured from, and violates it one cycle earlier.
struct Rule {
  std::string constraint;
  int64_t distance;
  uint32_t channel, bank;
  std::function<void(Hbm2Checker&)> before;            // ends at cycle 1000
  std::function<bool(Hbm2Checker&, int64_t)> command;  // at this cycle
};

class Hbm2CheckerTest : public testing::TestWithParam<Rule> {};

TEST_P(Hbm2CheckerTest, HoldsAtTheLimitAndFiresOneCycleBefore) {
  const Rule& rule = GetParam();
  Hbm2Checker good(kTiming, 4, 64);
  rule.before(good);
  ASSERT_EQ(good.violation(), "");
  EXPECT_TRUE(rule.command(good, 1000 + rule.distance)) << good.violation();

  Hbm2Checker bad(kTiming, 4, 64);
  rule.before(bad);
  EXPECT_FALSE(rule.command(bad, 1000 + rule.distance - 1));
  const std::string expected = fmt::format("hbm2: {} violated: channel {}", rule.constraint,
                                           rule.channel);
  EXPECT_EQ(bad.violation().substr(0, expected.size()), expected);
  EXPECT_NE(bad.violation().find(fmt::format("cycle {}", 1000 + rule.distance - 1)),
            std::string::npos);
}

constexpr uint32_t kChannel = 2;
using C = Hbm2Checker;
const auto kAct = [](uint32_t bank, uint32_t row = 1) {
  return [=](C& c, int64_t at) { return c.Activate(at, kChannel, bank, row); };
};
const auto kRd = [](uint32_t bank) {
  return [=](C& c, int64_t at) { return c.Read(at, kChannel, bank, 3); };
};
const auto kWr = [](uint32_t bank) {
  return [=](C& c, int64_t at) { return c.Write(at, kChannel, bank, 3); };
};
const auto kPre = [](uint32_t bank) {
  return [=](C& c, int64_t at) { return c.Precharge(at, kChannel, bank); };
};
const auto kPreAll = [](C& c, int64_t at) { return c.PrechargeAll(at, kChannel); };
const auto kRef = [](C& c, int64_t at) { return c.Refresh(at, kChannel); };

// Opens bank 0 and, in another group, bank 1, long before cycle 1000.
void Open(C& c) {
  c.Activate(500, kChannel, Bank(0, 0), 1);
  c.Activate(600, kChannel, Bank(1, 0), 1);
}

std::vector<Rule> Rules() {
  const uint32_t b = Bank(0, 0), other = Bank(1, 0), same_group = Bank(0, 1);
  const auto after = [](auto command) {
    return [=](C& c) {
      Open(c);
      command(c, 1000);
    };
  };
  const auto fresh = [](auto command) { return [=](C& c) { command(c, 1000); }; };
  const auto open_same = [=](auto command) {
    return [=](C& c) {
      Open(c);
      c.Activate(700, kChannel, Bank(0, 1), 1);
      command(c, 1000);
    };
  };
  return {
      {"tRCD_RD", 14, kChannel, b, fresh(kAct(b)), kRd(b)},
      {"tRCD_WR", 12, kChannel, b, fresh(kAct(b)), kWr(b)},
      {"tRP", 15, kChannel, b, after(kPre(b)), kAct(b, 2)},
      {"tRP", 15, kChannel, b, after(kPreAll), kAct(b, 2)},
      {"tRP", 15, kChannel, b, after(kPreAll), kRef},
      {"tRAS", 34, kChannel, b, fresh(kAct(b)), kPre(b)},
      {"tRAS", 34, kChannel, b, fresh(kAct(b)), kPreAll},
      {"tRC", 52, kChannel, b,
       [=](C& c) {
         c.Activate(1000, kChannel, b, 1);
         c.Precharge(1035, kChannel, b);
       },
       kAct(b, 2)},
      {"tCCD_S", 2, kChannel, other, after(kRd(b)), kRd(other)},
      {"tCCD_S", 2, kChannel, other, after(kWr(b)), kWr(other)},
      {"tCCD_L", 4, kChannel, same_group, open_same(kRd(b)), kRd(same_group)},
      {"tCCD_L", 4, kChannel, b, after(kWr(b)), kWr(b)},
      {"tRRD_S", 4, kChannel, other, fresh(kAct(b)), kAct(other)},
      {"tRRD_L", 6, kChannel, same_group, fresh(kAct(b)), kAct(same_group)},
      {"tFAW", 30, kChannel, Bank(0, 1),
       [=](C& c) {
         for (uint32_t i = 0; i < 4; i++) c.Activate(1000 + 5 * i, kChannel, Bank(i, 0), 1);
       },
       kAct(Bank(0, 1))},
      {"tWTR_S", 5 + 2 + 6, kChannel, other, after(kWr(b)), kRd(other)},
      {"tWTR_L", 5 + 2 + 8, kChannel, b, after(kWr(b)), kRd(b)},
      {"tWR", 5 + 2 + 16, kChannel, b, after(kWr(b)), kPre(b)},
      {"tWR", 5 + 2 + 16, kChannel, b, after(kWr(b)), kPreAll},
      {"tRTP", 5, kChannel, b, after(kRd(b)), kPre(b)},
      {"read to write turnaround", 14 + 2 + 2 - 5, kChannel, other, after(kRd(b)), kWr(other)},
      {"tRFC", 260, kChannel, b, fresh(kRef), kAct(b)},
      {"tRFC", 260, kChannel, b, fresh(kRef), kRef},
      {"tRFC", 260, kChannel, b, fresh(kRef), kPre(b)},
      {"row command bus", 2, 3, b, fresh(kAct(b)),
       [=](C& c, int64_t at) { return c.Activate(at, 3, b, 1); }},
      {"row command bus", 1, 3, b, after(kPre(b)),
       [=](C& c, int64_t at) { return c.Refresh(at, 3); }},
      {"column command bus", 1, 3, b,
       [=](C& c) {
         Open(c);
         c.Activate(700, 3, b, 1);
         c.Read(1000, kChannel, b, 0);
       },
       [=](C& c, int64_t at) { return c.Read(at, 3, b, 0); }},
  };
}
INSTANTIATE_TEST_SUITE_P(Constraints, Hbm2CheckerTest, testing::ValuesIn(Rules()));

TEST(Hbm2CheckerStateTest, OverlapOnTheDataBusIsItsOwnRule) {
  auto timing = kTiming;
  timing[static_cast<uint32_t>(HbmTiming::kTccdS)] = 1;
  Hbm2Checker checker(timing, 4, 64);
  Open(checker);
  EXPECT_TRUE(checker.Read(1000, kChannel, Bank(0, 0), 0));
  EXPECT_FALSE(checker.Read(1001, kChannel, Bank(1, 0), 0));
  EXPECT_NE(checker.violation().find("data bus"), std::string::npos);
}

TEST(Hbm2CheckerStateTest, BanksMustBeInTheRightState) {
  const std::vector<std::pair<std::string, std::function<bool(C&)>>> cases = {
      {"activate of an open bank", [](C& c) { return kAct(Bank(0, 0), 1)(c, 2000); }},
      {"read of a closed bank", [](C& c) { return kRd(Bank(2, 0))(c, 2000); }},
      {"write to a closed bank", [](C& c) { return kWr(Bank(2, 3))(c, 2000); }},
      {"refresh of an open bank", [](C& c) { return kRef(c, 2000); }},
      {"row 64 of 64", [](C& c) { return kAct(Bank(2, 0), 64)(c, 2000); }},
      {"column 32 of 32", [](C& c) { return c.Read(2000, kChannel, Bank(0, 0), 32); }},
      {"4 are fitted", [](C& c) { return c.Read(2000, 4, Bank(0, 0), 0); }},
  };
  for (const auto& [message, command] : cases) {
    Hbm2Checker checker(kTiming, 4, 64);
    Open(checker);
    EXPECT_FALSE(command(checker));
    EXPECT_NE(checker.violation().find(message), std::string::npos) << checker.violation();
  }
  Hbm2Checker checker(kTiming, 4, 64);
  EXPECT_TRUE(checker.Precharge(10, 0, 3)) << "a closed bank may be precharged";
}

TEST(Hbm2CheckerStateTest, RefreshesMayBeNineIntervalsApart) {
  Hbm2Checker checker(kTiming, 1, 64);
  EXPECT_TRUE(checker.CheckRefreshDebt(9 * 3900));
  EXPECT_TRUE(checker.Refresh(9 * 3900, 0));
  EXPECT_TRUE(checker.CheckRefreshDebt(10 * 3900));
  EXPECT_FALSE(checker.CheckRefreshDebt(10 * 3900 + 1));
  EXPECT_NE(checker.violation().find("tREFI violated: channel 0"), std::string::npos);
  EXPECT_NE(checker.violation().find("required 2 refreshes"), std::string::npos)
      << checker.violation();
}

TEST(Hbm2CheckerStateTest, RefreshesAheadOfTimeCountForEightIntervals) {
  Hbm2Checker checker(kTiming, 1, 64);
  for (int i = 0; i < 20; i++) EXPECT_TRUE(checker.Refresh(1000 + 260 * i, 0));
  EXPECT_FALSE(checker.CheckRefreshDebt(19 * 3900));
}

TEST(Hbm2AddressTest, PlaceAndAddressAreInverse) {
  for (const uint32_t channels : {1u, 2u, 8u, 64u}) {
    for (uint64_t address = 0; address < uint64_t{1} << 33; address = address * 3 / 2 + 32) {
      const uint64_t burst = address / kBurstBytes * kBurstBytes;
      const Hbm2Place place = PlaceOf(burst, channels);
      ASSERT_EQ(AddressOf(place, channels), burst);
      ASSERT_LT(place.channel, channels);
      ASSERT_LT(place.bank, static_cast<uint32_t>(kBanks));
    }
  }
}

}  // namespace
}  // namespace systolith::hbm_device
