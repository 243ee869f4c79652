#ifndef SYSTOLITH_SIM_HBM_DEVICE_HBM2_CHECKER_H_
#define SYSTOLITH_SIM_HBM_DEVICE_HBM2_CHECKER_H_

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "host/arch/chip_config.h"
#include "sim/hbm_device/hbm2_address.h"

namespace systolith::hbm_device {

// Judges the commands of all pseudo-channels of an HBM2 memory against every constraint that a
// controller must keep. The first violation is kept as a message that names constraint, channel,
// bank, cycle, required and actual distance.
//
// Commands come in the order of their cycles. A rule is written once, where its later command
// comes.
class Hbm2Checker {
 public:
  // `rows`: rows that are fitted per bank.
  Hbm2Checker(const std::array<uint32_t, arch::kTimingFields.size()>& timing_cycles,
              uint32_t channels, uint32_t rows);

  // Each returns whether no constraint was ever violated.
  bool Activate(int64_t cycle, uint32_t channel, uint32_t bank, uint32_t row);
  bool Precharge(int64_t cycle, uint32_t channel, uint32_t bank);
  bool PrechargeAll(int64_t cycle, uint32_t channel);
  bool Refresh(int64_t cycle, uint32_t channel);
  bool Read(int64_t cycle, uint32_t channel, uint32_t bank, uint32_t column);
  bool Write(int64_t cycle, uint32_t channel, uint32_t bank, uint32_t column);

  // Refreshes may be postponed by at most 8 intervals: whether none is later than that.
  bool CheckRefreshDebt(int64_t cycle);
  // The first cycle in which CheckRefreshDebt could fail.
  int64_t NextDeadline() const { return next_deadline_; }

  // All banks closed, nothing in the past (reset).
  void Clear(int64_t cycle);

  uint32_t OpenRow(uint32_t channel, uint32_t bank) const {
    return channels_[channel].banks[bank].row;
  }
  const std::string& violation() const { return violation_; }

 private:
  static constexpr int64_t kNever = -(int64_t{1} << 40);
  static constexpr int kGroups = 4;
  static constexpr int64_t kBurstCycles = 2;     // data bus cycles of a burst
  static constexpr int64_t kTurnaroundCycles = 2;  // data bus from read to write data
  static constexpr int64_t kMaxIntervals = 9;    // between refreshes, 8 of them postponed

  struct Bank {
    bool open = false;
    uint32_t row = 0;
    int64_t activate = kNever, precharge = kNever, read = kNever, write = kNever;
  };
  struct Channel {
    std::array<Bank, kBanks> banks;
    std::array<int64_t, 4> last_activates{kNever, kNever, kNever, kNever};  // a ring
    int next_activate = 0;
    std::array<int64_t, kGroups> activate{kNever, kNever, kNever, kNever};
    std::array<int64_t, kGroups> read{kNever, kNever, kNever, kNever};
    std::array<int64_t, kGroups> write{kNever, kNever, kNever, kNever};
    int64_t refresh = kNever;
    int64_t refresh_origin = 0, refreshes = 0;  // refreshes since the origin
  };
  struct Pair {  // two pseudo-channels share these
    int64_t row_bus_free = kNever, column_bus = kNever;
  };

  int64_t Time(arch::HbmTiming which) const { return timing_[static_cast<uint32_t>(which)]; }
  // Fails if fewer than `required` cycles lie between `earlier` and `cycle`.
  bool Distance(std::string_view constraint, int64_t cycle, uint32_t channel, int bank,
                int64_t earlier, int64_t required);
  bool Fail(std::string_view constraint, int64_t cycle, uint32_t channel, int bank,
            std::string_view what);
  bool RowBus(int64_t cycle, uint32_t channel, int64_t cycles);
  bool ColumnBus(int64_t cycle, uint32_t channel);
  bool Known(int64_t cycle, uint32_t channel);
  bool ClosesBank(int64_t cycle, uint32_t channel, uint32_t bank);
  bool Column(int64_t cycle, uint32_t channel, uint32_t bank, uint32_t column, bool write);
  void UpdateDeadline();
  int64_t Deadline(const Channel& channel) const;

  const std::array<uint32_t, arch::kTimingFields.size()> timing_;
  const uint32_t rows_;
  std::vector<Channel> channels_;
  std::vector<Pair> pairs_;
  int64_t next_deadline_ = 0;
  std::string violation_;
};

}  // namespace systolith::hbm_device

#endif  // SYSTOLITH_SIM_HBM_DEVICE_HBM2_CHECKER_H_
