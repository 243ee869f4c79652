#include "sim/rtl_sim/bus.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

namespace systolith::rtl_sim {
namespace {

constexpr uint64_t kTimeoutCycles = 1000000;
constexpr uint64_t kPageBytes = 4096;
constexpr uint64_t kBeatBytes = 8;
constexpr uint64_t kMaxBeats = 256;
constexpr uint8_t kSizeOfBeat = 3;  // log2 of its bytes
constexpr uint8_t kIncr = 1;
constexpr uint8_t kOkay = 0;

Status NoAnswer(const char* bus, uint64_t address) {
  return Timeout(fmt::format("{}: no answer to an access at {:#x} within {} cycles", bus, address,
                             kTimeoutCycles));
}

Status Refused(const char* bus, const char* access, uint64_t address, int response) {
  return InvalidArgument(fmt::format("{}: the chip refused a {} at {:#x} ({})", bus, access,
                                     address, response == 3 ? "DECERR: nothing there" : "SLVERR"));
}

// Bytes of the burst that starts at `address`, when `left` are to be moved.
uint64_t BurstBytes(uint64_t address, uint64_t left) {
  const uint64_t to_page = kPageBytes - address % kPageBytes;
  const uint64_t to_longest = kMaxBeats * kBeatBytes - address % kBeatBytes;
  return std::min({left, to_page, to_longest});
}

uint8_t LengthField(uint64_t address, uint64_t bytes) {
  const uint64_t beats = (address % kBeatBytes + bytes + kBeatBytes - 1) / kBeatBytes;
  return static_cast<uint8_t>(beats - 1);
}

}  // namespace

void Bus::Idle() {
  Vchip_top& pins = chip_.pins();
  pins.csr_awvalid_i = pins.csr_wvalid_i = pins.csr_arvalid_i = 0;
  pins.csr_bready_i = pins.csr_rready_i = 0;
  pins.axi_awvalid_i = pins.axi_wvalid_i = pins.axi_arvalid_i = 0;
  pins.axi_bready_i = pins.axi_rready_i = 0;
  pins.axi_awsize_i = pins.axi_arsize_i = kSizeOfBeat;
  pins.axi_awburst_i = pins.axi_arburst_i = kIncr;
  pins.axi_awid_i = pins.axi_arid_i = 0;
}

Result<uint32_t> Bus::ReadRegister(uint32_t offset) {
  Vchip_top& pins = chip_.pins();
  pins.csr_arvalid_i = 1;
  pins.csr_rready_i = 1;
  pins.csr_araddr_i = static_cast<uint16_t>(offset);
  for (uint64_t i = 0; i < kTimeoutCycles; ++i) {
    chip_.Settle();
    const bool taken = pins.csr_arvalid_i && pins.csr_arready_o;
    const bool answered = pins.csr_rvalid_o;
    const uint32_t data = pins.csr_rdata_o;
    const int response = pins.csr_rresp_o;
    chip_.Edge();
    if (taken) pins.csr_arvalid_i = 0;
    if (answered) {
      pins.csr_rready_i = 0;
      if (response != kOkay) return Refused("AXI4-Lite", "read", offset, response);
      return data;
    }
  }
  Idle();
  return NoAnswer("AXI4-Lite", offset);
}

Status Bus::WriteRegister(uint32_t offset, uint32_t value) {
  Vchip_top& pins = chip_.pins();
  pins.csr_awvalid_i = pins.csr_wvalid_i = 1;
  pins.csr_bready_i = 1;
  pins.csr_awaddr_i = static_cast<uint16_t>(offset);
  pins.csr_wdata_i = value;
  pins.csr_wstrb_i = 0xf;
  for (uint64_t i = 0; i < kTimeoutCycles; ++i) {
    chip_.Settle();
    const bool address_taken = pins.csr_awready_o, data_taken = pins.csr_wready_o;
    const bool answered = pins.csr_bvalid_o;
    const int response = pins.csr_bresp_o;
    chip_.Edge();
    if (address_taken) pins.csr_awvalid_i = 0;
    if (data_taken) pins.csr_wvalid_i = 0;
    if (answered) {
      pins.csr_bready_i = 0;
      return response == kOkay ? OkStatus() : Refused("AXI4-Lite", "write", offset, response);
    }
  }
  Idle();
  return NoAnswer("AXI4-Lite", offset);
}

Status Bus::Read(uint64_t address, std::span<std::byte> destination) {
  while (!destination.empty()) {
    const uint64_t bytes = BurstBytes(address, destination.size());
    RETURN_IF_ERROR(ReadBurst(address, destination.first(bytes)));
    address += bytes;
    destination = destination.subspan(bytes);
  }
  return chip_.status();
}

Status Bus::ReadBurst(uint64_t address, std::span<std::byte> destination) {
  Vchip_top& pins = chip_.pins();
  pins.axi_araddr_i = address;
  pins.axi_arlen_i = LengthField(address, destination.size());
  pins.axi_arvalid_i = 1;
  pins.axi_rready_i = 1;
  uint64_t skip = address % kBeatBytes;  // bytes of the first beat before `address`
  int response = kOkay;
  for (uint64_t i = 0; i < kTimeoutCycles; ++i) {
    chip_.Settle();
    const bool taken = pins.axi_arvalid_i && pins.axi_arready_o;
    const bool beat = pins.axi_rvalid_o;
    const uint64_t data = pins.axi_rdata_o;
    const bool last = pins.axi_rlast_o;
    if (beat && pins.axi_rresp_o != kOkay) response = pins.axi_rresp_o;
    chip_.Edge();
    if (taken) pins.axi_arvalid_i = 0;
    if (!beat) continue;
    const uint64_t bytes = std::min<uint64_t>(kBeatBytes - skip, destination.size());
    std::memcpy(destination.data(), reinterpret_cast<const std::byte*>(&data) + skip, bytes);
    destination = destination.subspan(bytes);
    skip = 0;
    i = 0;
    if (last) {
      pins.axi_rready_i = 0;
      return response == kOkay ? OkStatus() : Refused("AXI4", "read", address, response);
    }
  }
  Idle();
  return NoAnswer("AXI4", address);
}

Status Bus::Write(uint64_t address, std::span<const std::byte> source) {
  while (!source.empty()) {
    const uint64_t bytes = BurstBytes(address, source.size());
    RETURN_IF_ERROR(WriteBurst(address, source.first(bytes)));
    address += bytes;
    source = source.subspan(bytes);
  }
  return chip_.status();
}

Status Bus::WriteBurst(uint64_t address, std::span<const std::byte> source) {
  Vchip_top& pins = chip_.pins();
  pins.axi_awaddr_i = address;
  pins.axi_awlen_i = LengthField(address, source.size());
  pins.axi_awvalid_i = 1;
  pins.axi_bready_i = 1;
  uint64_t skip = address % kBeatBytes;
  const auto offer_beat = [&] {
    pins.axi_wvalid_i = !source.empty();
    if (source.empty()) return;
    const uint64_t bytes = std::min<uint64_t>(kBeatBytes - skip, source.size());
    uint64_t data = 0;
    std::memcpy(reinterpret_cast<std::byte*>(&data) + skip, source.data(), bytes);
    pins.axi_wdata_i = data;
    pins.axi_wstrb_i = static_cast<uint8_t>(((1u << bytes) - 1) << skip);
    source = source.subspan(bytes);
    pins.axi_wlast_i = source.empty();
    skip = 0;
  };
  offer_beat();
  for (uint64_t i = 0; i < kTimeoutCycles; ++i) {
    chip_.Settle();
    const bool address_taken = pins.axi_awvalid_i && pins.axi_awready_o;
    const bool beat_taken = pins.axi_wvalid_i && pins.axi_wready_o;
    const bool answered = pins.axi_bvalid_o;
    const int response = pins.axi_bresp_o;
    chip_.Edge();
    if (address_taken) pins.axi_awvalid_i = 0;
    if (beat_taken) {
      offer_beat();
      i = 0;
    }
    if (answered) {
      pins.axi_bready_i = 0;
      return response == kOkay ? OkStatus() : Refused("AXI4", "write", address, response);
    }
  }
  Idle();
  return NoAnswer("AXI4", address);
}

}  // namespace systolith::rtl_sim
