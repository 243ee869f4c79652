#include "host/runtime/launch.h"

#include <array>
#include <cassert>
#include <cstring>
#include <span>

#include "host/arch/isa.h"

namespace systolith::runtime {
namespace {

constexpr uint32_t kLaunchMagic = 0x48435453;  // the contract's value of launch.magic

uint32_t Low(uint64_t value) { return static_cast<uint32_t>(value); }
uint32_t High(uint64_t value) { return static_cast<uint32_t>(value >> 32); }

}  // namespace

std::vector<std::byte> EncodeLaunch(const Launch& launch) {
  assert(launch.segments.size() <= static_cast<size_t>(arch::kSegments));
  std::vector<uint32_t> words(arch::kLaunchWords + launch.segments.size() * arch::kSegmentWords);
  const arch::Launch header = {
      .magic = kLaunchMagic,
      .version = arch::kIsaVersion,
      .program_hash_lo = Low(launch.program_hash),
      .program_hash_hi = High(launch.program_hash),
      .program_base_lo = Low(launch.program_address),
      .program_base_hi = High(launch.program_address),
      .program_bytes = launch.program_bytes,
      .segment_count = static_cast<uint32_t>(launch.segments.size()),
      .owner = launch.owner,
  };
  arch::Encode(header, std::span(words).first(arch::kLaunchWords));
  for (size_t i = 0; i < launch.segments.size(); ++i) {
    const SegmentBinding& binding = launch.segments[i];
    const arch::Segment segment = {
        .base_lo = Low(binding.base),
        .base_hi = High(binding.base),
        .bytes_lo = Low(binding.bytes),
        .bytes_hi = High(binding.bytes),
        .readable = binding.readable,
        .writable = binding.writable,
        .owner = binding.owner,
    };
    arch::Encode(segment, std::span(words).subspan(arch::kLaunchWords + i * arch::kSegmentWords,
                                                   arch::kSegmentWords));
  }
  std::vector<std::byte> bytes(words.size() * sizeof(uint32_t));
  std::memcpy(bytes.data(), words.data(), bytes.size());  // the host is little-endian
  return bytes;
}

}  // namespace systolith::runtime
