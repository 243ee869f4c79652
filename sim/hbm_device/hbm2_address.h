#ifndef SYSTOLITH_SIM_HBM_DEVICE_HBM2_ADDRESS_H_
#define SYSTOLITH_SIM_HBM_DEVICE_HBM2_ADDRESS_H_

#include <cstdint>

namespace systolith::hbm_device {

inline constexpr uint64_t kBurstBytes = 32;
inline constexpr uint64_t kChunkBytes = 256;  // interleave of the channels
inline constexpr int kBanks = 16;
inline constexpr int kColumns = 32;  // bursts in a row of 1 KiB

// Where a burst lies in an HBM2 memory.
struct Hbm2Place {
  uint32_t channel = 0, bank = 0, row = 0, column = 0;
  bool operator==(const Hbm2Place&) const = default;
};

// What the higher address bits add to the order in which the chunks of one round meet the channels:
// rows of a matrix, a power of two apart, must not all lie in a few channels.
constexpr uint64_t ChannelTurn(uint64_t round, uint32_t channels) {
  return (round ^ round / channels) % channels;
}

// The address map of rtl/hbm/hbm_controller.sv for `channels` (a power of two): chunks of 256 bytes
// go round the channels, each round in its own order; the bursts of a channel count through bank
// groups (bank bits 1:0), columns, banks of a group (bits 3:2, XORed with the low bits of the row),
// rows.
constexpr Hbm2Place PlaceOf(uint64_t address, uint32_t channels) {
  const uint64_t chunk = address / kChunkBytes;
  const uint64_t burst = chunk / channels * (kChunkBytes / kBurstBytes) +
                         address % kChunkBytes / kBurstBytes;
  Hbm2Place place;
  place.channel =
      static_cast<uint32_t>(chunk % channels ^ ChannelTurn(chunk / channels, channels));
  place.column = static_cast<uint32_t>(burst / 4 % kColumns);
  place.row = static_cast<uint32_t>(burst / (4 * kColumns * 4));
  place.bank = static_cast<uint32_t>(burst % 4 | ((burst / (4 * kColumns) ^ place.row) % 4) << 2);
  return place;
}

// The address of the first byte of the burst at `place`.
constexpr uint64_t AddressOf(const Hbm2Place& place, uint32_t channels) {
  const uint64_t bank_of_group = (place.bank >> 2 ^ place.row) & 3;
  const uint64_t burst =
      ((uint64_t{place.row} * 4 + bank_of_group) * kColumns + place.column) * 4 + place.bank % 4;
  const uint64_t bursts = kChunkBytes / kBurstBytes;
  const uint64_t round = burst / bursts;
  const uint64_t chunk = round * channels + (place.channel ^ ChannelTurn(round, channels));
  return chunk * kChunkBytes + burst % bursts * kBurstBytes;
}

}  // namespace systolith::hbm_device

#endif  // SYSTOLITH_SIM_HBM_DEVICE_HBM2_ADDRESS_H_
