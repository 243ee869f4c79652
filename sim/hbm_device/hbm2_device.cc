#include "sim/hbm_device/hbm2_device.h"

#include <fmt/format.h>

#include <bit>
#include <cstring>

namespace systolith::hbm_device {
namespace {

enum RowOp : uint32_t { kActivate, kPrecharge, kPrechargeAll, kRefreshAll };

constexpr uint32_t kMaxRows = 1 << 16;  // row addresses have 16 bits

// `width` bits (at most 16) from bit `low` of a port.
uint32_t Bits(const uint8_t* port, size_t low, size_t width) {
  uint32_t value = 0;
  for (size_t byte = low / 8, shift = 0; byte <= (low + width - 1) / 8; byte++, shift += 8) {
    value |= static_cast<uint32_t>(port[byte]) << shift;
  }
  return value >> (low % 8) & ((1u << width) - 1);
}

// The valid bits of all channels, at most 64.
uint64_t Mask(const uint8_t* port, uint32_t channels) {
  uint64_t mask = 0;
  std::memcpy(&mask, port, (channels + 7) / 8);
  return mask;
}

uint32_t RowsFitted(const arch::ChipConfig& config) {
  const uint64_t row_bytes = uint64_t{kColumns} * kBurstBytes * kBanks * config.memory_channels;
  return static_cast<uint32_t>((config.memory_bytes + row_bytes - 1) / row_bytes);
}

}  // namespace

Hbm2Device::Hbm2Device(const arch::ChipConfig& config, const MemoryPins& pins)
    : MemoryDevice(config.memory_bytes), pins_(pins),
      pin_channels_(static_cast<uint32_t>(config.memory_max_channels)),
      channels_(static_cast<uint32_t>(config.memory_channels)),
      read_cycles_(config.Timing(arch::HbmTiming::kCl) + 2),
      checker_(config.timing_cycles, channels_, RowsFitted(config)) {
  Reset();
  if (RowsFitted(config) > kMaxRows) {
    violation_ = fmt::format("hbm2: {} bytes of memory: {} channels hold at most {}",
                             config.memory_bytes, channels_,
                             uint64_t{kMaxRows} * kColumns * kBurstBytes * kBanks * channels_);
  }
}

void Hbm2Device::Reset() {
  bursts_.clear();
  std::memset(pins_.rd_valid, 0, (pin_channels_ + 7) / 8);
  answered_ = false;
  checker_.Clear(cycle_);
}

void Hbm2Device::RowCommand(uint32_t channel) {
  const uint32_t bank = Bits(pins_.row_bank, channel * 4, 4);
  switch (Bits(pins_.row_op, channel * 2, 2)) {
    case kActivate:
      checker_.Activate(cycle_, channel, bank, Bits(pins_.row_row, channel * 16, 16));
      counters_.activates++;
      break;
    case kPrecharge:
      checker_.Precharge(cycle_, channel, bank);
      counters_.precharges++;
      break;
    case kPrechargeAll:
      checker_.PrechargeAll(cycle_, channel);
      counters_.precharges++;
      break;
    case kRefreshAll:
      checker_.Refresh(cycle_, channel);
      counters_.refreshes++;
      break;
  }
}

void Hbm2Device::ColumnCommand(uint32_t channel) {
  const uint32_t bank = Bits(pins_.col_bank, channel * 4, 4);
  const uint32_t column = Bits(pins_.col_col, channel * 6, 6);
  const bool write = Bits(pins_.col_write, channel, 1);
  if (!(write ? checker_.Write(cycle_, channel, bank, column)
              : checker_.Read(cycle_, channel, bank, column))) {
    return;
  }
  const uint64_t address =
      AddressOf({channel, bank, checker_.OpenRow(channel, bank), column}, channels_);
  if (address + kBurstBytes > memory_.bytes()) {
    violation_ = fmt::format("hbm2: {} at {:#x}, cycle {}: {:#x} bytes are fitted",
                             write ? "write" : "read", address, cycle_, memory_.bytes());
    return;
  }
  if (write) {
    const auto* data = reinterpret_cast<const std::byte*>(pins_.wr_data + channel * kBurstBytes);
    memory_.WriteStrobed(address, {data, kBurstBytes},
                         pins_.wr_strobe + channel * kBurstBytes / 8);
    counters_.written_bytes += kBurstBytes;
  } else {
    Burst& burst = bursts_.emplace_back();
    burst.due = cycle_ + read_cycles_;
    burst.channel = channel;
    memory_.Read(address, burst.data);
    counters_.read_bytes += kBurstBytes;
  }
}

void Hbm2Device::Answer() {
  if (answered_) std::memset(pins_.rd_valid, 0, (pin_channels_ + 7) / 8);
  answered_ = false;
  while (!bursts_.empty() && bursts_.front().due <= cycle_) {
    const Burst& burst = bursts_.front();
    pins_.rd_valid[burst.channel / 8] |= static_cast<uint8_t>(1u << burst.channel % 8);
    std::memcpy(pins_.rd_data + burst.channel * kBurstBytes, burst.data.data(), kBurstBytes);
    bursts_.pop_front();
    answered_ = true;
  }
}

bool Hbm2Device::Step() {
  if (!violation_.empty()) return false;
  const uint64_t rows = Mask(pins_.row_valid, pin_channels_);
  const uint64_t columns = Mask(pins_.col_valid, pin_channels_);
  for (uint64_t left = columns; left; left &= left - 1) ColumnCommand(std::countr_zero(left));
  for (uint64_t left = rows; left; left &= left - 1) RowCommand(std::countr_zero(left));
  if (answered_ || !bursts_.empty()) Answer();
  if (cycle_ > checker_.NextDeadline()) checker_.CheckRefreshDebt(cycle_);
  if (violation_.empty()) violation_ = checker_.violation();
  cycle_++;
  return violation_.empty();
}

}  // namespace systolith::hbm_device
