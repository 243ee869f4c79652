#include "sim/hbm_device/hbm2_checker.h"

#include <fmt/format.h>

#include <algorithm>

namespace systolith::hbm_device {

using arch::HbmTiming;

Hbm2Checker::Hbm2Checker(const std::array<uint32_t, arch::kTimingFields.size()>& timing_cycles,
                         uint32_t channels, uint32_t rows)
    : timing_(timing_cycles), rows_(rows), channels_(channels), pairs_((channels + 1) / 2) {
  Clear(0);
}

void Hbm2Checker::Clear(int64_t cycle) {
  for (Channel& channel : channels_) {
    channel = Channel();
    channel.refresh_origin = cycle;
  }
  for (Pair& pair : pairs_) pair = Pair();
  UpdateDeadline();
}

bool Hbm2Checker::Fail(std::string_view constraint, int64_t cycle, uint32_t channel, int bank,
                       std::string_view what) {
  if (violation_.empty()) {
    const std::string where = bank < 0 ? "all banks" : fmt::format("bank {}", bank);
    violation_ = fmt::format("hbm2: {} violated: channel {}, {}, cycle {}: {}", constraint, channel,
                             where, cycle, what);
  }
  return false;
}

bool Hbm2Checker::Distance(std::string_view constraint, int64_t cycle, uint32_t channel, int bank,
                           int64_t earlier, int64_t required) {
  if (cycle - earlier >= required) return true;
  return Fail(constraint, cycle, channel, bank,
              fmt::format("required {} cycles, actual {}", required, cycle - earlier));
}

bool Hbm2Checker::Known(int64_t cycle, uint32_t channel) {
  if (!violation_.empty()) return false;
  if (channel < channels_.size()) return true;
  return Fail("channel", cycle, channel, -1, fmt::format("{} are fitted", channels_.size()));
}

bool Hbm2Checker::RowBus(int64_t cycle, uint32_t channel, int64_t cycles) {
  Pair& pair = pairs_[channel / 2];
  if (cycle < pair.row_bus_free) {
    return Fail("row command bus", cycle, channel, -1,
                fmt::format("the pair uses it until cycle {}", pair.row_bus_free - 1));
  }
  pair.row_bus_free = cycle + cycles;
  return true;
}

bool Hbm2Checker::ColumnBus(int64_t cycle, uint32_t channel) {
  Pair& pair = pairs_[channel / 2];
  if (pair.column_bus == cycle) {
    return Fail("column command bus", cycle, channel, -1, "the pair uses it in the same cycle");
  }
  pair.column_bus = cycle;
  return true;
}

bool Hbm2Checker::Activate(int64_t cycle, uint32_t channel, uint32_t bank, uint32_t row) {
  if (!Known(cycle, channel) || !RowBus(cycle, channel, 2)) return false;
  Channel& c = channels_[channel];
  Bank& b = c.banks[bank];
  const int n = static_cast<int>(bank);
  if (b.open) return Fail("bank state", cycle, channel, n, "activate of an open bank");
  if (row >= rows_) {
    return Fail("row", cycle, channel, n, fmt::format("row {} of {}", row, rows_));
  }
  if (!Distance("tRP", cycle, channel, n, b.precharge, Time(HbmTiming::kTrp)) ||
      !Distance("tRC", cycle, channel, n, b.activate, Time(HbmTiming::kTrc)) ||
      !Distance("tRFC", cycle, channel, n, c.refresh, Time(HbmTiming::kTrfc)) ||
      !Distance("tFAW", cycle, channel, n, c.last_activates[c.next_activate],
                Time(HbmTiming::kTfaw))) {
    return false;
  }
  for (uint32_t group = 0; group < kGroups; group++) {
    const bool same = group == bank % kGroups;
    if (!Distance(same ? "tRRD_L" : "tRRD_S", cycle, channel, n, c.activate[group],
                  Time(same ? HbmTiming::kTrrdL : HbmTiming::kTrrdS))) {
      return false;
    }
  }
  b.open = true;
  b.row = row;
  b.activate = c.activate[bank % kGroups] = c.last_activates[c.next_activate] = cycle;
  c.next_activate = (c.next_activate + 1) % 4;
  return true;
}

bool Hbm2Checker::ClosesBank(int64_t cycle, uint32_t channel, uint32_t bank) {
  Bank& b = channels_[channel].banks[bank];
  if (!b.open) return true;  // allowed, does nothing
  const int n = static_cast<int>(bank);
  if (!Distance("tRAS", cycle, channel, n, b.activate, Time(HbmTiming::kTras)) ||
      !Distance("tRTP", cycle, channel, n, b.read, Time(HbmTiming::kTrtp)) ||
      !Distance("tWR", cycle, channel, n, b.write + Time(HbmTiming::kCwl) + kBurstCycles,
                Time(HbmTiming::kTwr))) {
    return false;
  }
  b.open = false;
  b.precharge = cycle;
  return true;
}

bool Hbm2Checker::Precharge(int64_t cycle, uint32_t channel, uint32_t bank) {
  return Known(cycle, channel) && RowBus(cycle, channel, 1) &&
         Distance("tRFC", cycle, channel, static_cast<int>(bank), channels_[channel].refresh,
                  Time(HbmTiming::kTrfc)) &&
         ClosesBank(cycle, channel, bank);
}

bool Hbm2Checker::PrechargeAll(int64_t cycle, uint32_t channel) {
  if (!Known(cycle, channel) || !RowBus(cycle, channel, 1) ||
      !Distance("tRFC", cycle, channel, -1, channels_[channel].refresh, Time(HbmTiming::kTrfc))) {
    return false;
  }
  for (uint32_t bank = 0; bank < kBanks; bank++) {
    if (!ClosesBank(cycle, channel, bank)) return false;
  }
  return true;
}

bool Hbm2Checker::Refresh(int64_t cycle, uint32_t channel) {
  if (!Known(cycle, channel) || !RowBus(cycle, channel, 1)) return false;
  Channel& c = channels_[channel];
  for (int bank = 0; bank < kBanks; bank++) {
    const Bank& b = c.banks[bank];
    if (b.open) return Fail("bank state", cycle, channel, bank, "refresh of an open bank");
    if (!Distance("tRP", cycle, channel, bank, b.precharge, Time(HbmTiming::kTrp)) ||
        !Distance("tRC", cycle, channel, bank, b.activate, Time(HbmTiming::kTrc))) {
      return false;
    }
  }
  if (!Distance("tRFC", cycle, channel, -1, c.refresh, Time(HbmTiming::kTrfc))) return false;
  c.refresh = cycle;
  c.refreshes++;
  // At most 8 refreshes count ahead of their time.
  const int64_t interval = std::max<int64_t>(Time(HbmTiming::kTrefi), 1);
  c.refreshes = std::min(c.refreshes, (cycle - c.refresh_origin) / interval + kMaxIntervals - 1);
  UpdateDeadline();
  return true;
}

bool Hbm2Checker::Column(int64_t cycle, uint32_t channel, uint32_t bank, uint32_t column,
                         bool write) {
  if (!Known(cycle, channel) || !ColumnBus(cycle, channel)) return false;
  Channel& c = channels_[channel];
  Bank& b = c.banks[bank];
  const int n = static_cast<int>(bank);
  if (!b.open) {
    return Fail("bank state", cycle, channel, n, write ? "write to a closed bank"
                                                       : "read of a closed bank");
  }
  if (column >= kColumns) {
    return Fail("column", cycle, channel, n, fmt::format("column {} of {}", column, kColumns));
  }
  if (!Distance(write ? "tRCD_WR" : "tRCD_RD", cycle, channel, n, b.activate,
                Time(write ? HbmTiming::kTrcdWr : HbmTiming::kTrcdRd))) {
    return false;
  }
  const int64_t cwl = Time(HbmTiming::kCwl), cl = Time(HbmTiming::kCl);
  for (uint32_t group = 0; group < kGroups; group++) {
    const bool same = group == bank % kGroups;
    const int64_t same_kind = write ? c.write[group] : c.read[group];
    if (!Distance(same ? "tCCD_L" : "tCCD_S", cycle, channel, n, same_kind,
                  Time(same ? HbmTiming::kTccdL : HbmTiming::kTccdS))) {
      return false;
    }
    // The data bus carries one burst at a time, and turns round between read and write data.
    if (!Distance("data bus", cycle, channel, n, same_kind, kBurstCycles)) return false;
    if (write) {
      if (!Distance("read to write turnaround", cycle, channel, n, c.read[group],
                    cl + kBurstCycles + kTurnaroundCycles - cwl)) {
        return false;
      }
    } else if (!Distance(same ? "tWTR_L" : "tWTR_S", cycle, channel, n,
                         c.write[group] + cwl + kBurstCycles,
                         Time(same ? HbmTiming::kTwtrL : HbmTiming::kTwtrS))) {
      return false;
    }
  }
  (write ? b.write : b.read) = cycle;
  (write ? c.write : c.read)[bank % kGroups] = cycle;
  return true;
}

bool Hbm2Checker::Read(int64_t cycle, uint32_t channel, uint32_t bank, uint32_t column) {
  return Column(cycle, channel, bank, column, false);
}

bool Hbm2Checker::Write(int64_t cycle, uint32_t channel, uint32_t bank, uint32_t column) {
  return Column(cycle, channel, bank, column, true);
}

int64_t Hbm2Checker::Deadline(const Channel& channel) const {
  return channel.refresh_origin +
         (channel.refreshes + kMaxIntervals) * Time(HbmTiming::kTrefi);
}

void Hbm2Checker::UpdateDeadline() {
  next_deadline_ = Deadline(channels_[0]);
  for (const Channel& channel : channels_) {
    next_deadline_ = std::min(next_deadline_, Deadline(channel));
  }
}

bool Hbm2Checker::CheckRefreshDebt(int64_t cycle) {
  if (!violation_.empty()) return false;
  if (cycle <= next_deadline_) return true;
  for (uint32_t i = 0; i < channels_.size(); i++) {
    const Channel& c = channels_[i];
    if (cycle > Deadline(c)) {
      return Fail("tREFI", cycle, i, -1,
                  fmt::format("required {} refreshes since cycle {}, actual {}",
                              (cycle - c.refresh_origin) / Time(HbmTiming::kTrefi) -
                                  kMaxIntervals + 1,
                              c.refresh_origin, c.refreshes));
    }
  }
  return true;
}

}  // namespace systolith::hbm_device
