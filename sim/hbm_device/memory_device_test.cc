#include "sim/hbm_device/memory_device.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>

#include "sim/hbm_device/hbm2_address.h"
#include "tb/common/random.h"

namespace systolith::hbm_device {
namespace {

using MemoryDeviceTest = tb::RandomTest;

TEST_F(MemoryDeviceTest, ContentsReadBackAndOnlyWhatIsWrittenTakesSpace) {
  SparseMemory memory(uint64_t{16} << 30);
  std::vector<std::byte> zero(1000), back(1000);
  memory.Read((uint64_t{16} << 30) - 1000, back);
  EXPECT_EQ(back, zero);
  EXPECT_EQ(memory.AllocatedBytes(), 0u);
  std::vector<std::byte> data(200000);
  for (auto& byte : data) byte = static_cast<std::byte>(rng_.U32());
  memory.Write(65535, data);
  std::vector<std::byte> all(200002);
  memory.Read(65534, all);
  EXPECT_EQ(all.front(), std::byte{0});
  EXPECT_EQ(all.back(), std::byte{0});
  EXPECT_EQ(std::memcmp(all.data() + 1, data.data(), data.size()), 0);
  EXPECT_LE(memory.AllocatedBytes(), 400000u);
}

// Pins of a chip that a test drives by hand.
struct Chip {
  uint8_t valid = 0, write = 0, ready = 0, rsp_valid = 0;
  uint64_t addr = 0;
  uint16_t tag = 0, rsp_tag = 0;
  uint8_t data[64] = {}, strobe[8] = {}, rsp_data[64] = {};
  uint8_t row_valid = 0, row_op = 0, row_bank = 0, col_valid = 0, col_write = 0, col_bank = 0;
  uint8_t row_row[4] = {}, col_col[2] = {}, wr_data[64] = {}, wr_strobe[8] = {};
  uint8_t rd_valid = 0, rd_data[64] = {};

  MemoryPins Pins() {
    MemoryPins pins;
    pins.mem_req_valid = &valid;
    pins.mem_req_write = &write;
    pins.mem_req_addr = reinterpret_cast<uint8_t*>(&addr);
    pins.mem_req_tag = reinterpret_cast<uint8_t*>(&tag);
    pins.mem_req_data = data;
    pins.mem_req_strobe = strobe;
    pins.mem_req_ready = &ready;
    pins.mem_rsp_valid = &rsp_valid;
    pins.mem_rsp_tag = reinterpret_cast<uint8_t*>(&rsp_tag);
    pins.mem_rsp_data = rsp_data;
    pins.row_valid = &row_valid;
    pins.row_op = &row_op;
    pins.row_bank = &row_bank;
    pins.row_row = row_row;
    pins.col_valid = &col_valid;
    pins.col_write = &col_write;
    pins.col_bank = &col_bank;
    pins.col_col = col_col;
    pins.wr_data = wr_data;
    pins.wr_strobe = wr_strobe;
    pins.rd_valid = &rd_valid;
    pins.rd_data = rd_data;
    return pins;
  }
};

arch::ChipConfig Config(std::string kind) {
  arch::ChipConfig config;
  config.memory_kind = std::move(kind);
  config.memory_bytes = 1 << 20;
  config.timing_cycles = {14, 5, 14, 12, 14, 34, 48, 2, 4, 4, 4, 15, 6, 8, 16, 5, 260, 3900};
  return config;
}

TEST_F(MemoryDeviceTest, FixedMemoryKeepsItsLatencyAndBandwidth) {
  arch::ChipConfig config = Config("fixed");
  config.memory_bytes_per_cycle = 24;
  config.memory_latency_cycles = 37;
  Chip chip;
  const auto device = MakeMemoryDevice(config, chip.Pins());
  std::vector<int> sent, received;
  chip.valid = 1;
  for (int cycle = 0; cycle < 1000; cycle++) {
    chip.tag = static_cast<uint16_t>(sent.size());
    chip.addr = sent.size() * 64;
    ASSERT_TRUE(device->Step());
    if (chip.ready) sent.push_back(cycle);
    if (chip.rsp_valid) {
      EXPECT_EQ(chip.rsp_tag, received.size());
      received.push_back(cycle);
    }
  }
  ASSERT_FALSE(received.empty());
  EXPECT_EQ(received[0] - sent[0], 37);
  EXPECT_NEAR(static_cast<double>(sent.size()), 1000 * 24 / 64.0, 2);
  for (size_t i = 0; i < received.size(); i++) EXPECT_LE(received[i] - sent[i], 38);
}

TEST_F(MemoryDeviceTest, JitterReordersAnswersAndASeedRepeatsThem) {
  std::vector<std::vector<int>> orders;
  for (const int seed : {1, 1, 2}) {
    arch::ChipConfig config = Config("fixed");
    config.memory_bytes_per_cycle = 64;
    config.memory_jitter_cycles = 50;
    config.memory_jitter_seed = seed;
    Chip chip;
    const auto device = MakeMemoryDevice(config, chip.Pins());
    std::vector<int> order;
    for (int cycle = 0; cycle < 400; cycle++) {
      chip.valid = cycle < 100;
      chip.tag = static_cast<uint16_t>(cycle);
      ASSERT_TRUE(device->Step());
      if (chip.rsp_valid) order.push_back(chip.rsp_tag);
    }
    EXPECT_EQ(order.size(), 100u);
    EXPECT_FALSE(std::is_sorted(order.begin(), order.end()));
    orders.push_back(order);
  }
  EXPECT_EQ(orders[0], orders[1]);
  EXPECT_NE(orders[0], orders[2]);
}

TEST_F(MemoryDeviceTest, AnAddressBeyondTheMemoryStopsTheRun) {
  Chip chip;
  const auto device = MakeMemoryDevice(Config("fixed"), chip.Pins());
  chip.valid = 1;
  chip.addr = 1 << 20;
  EXPECT_FALSE(device->Step());
  EXPECT_NE(device->violation().find("0x100000"), std::string::npos) << device->violation();
}

TEST_F(MemoryDeviceTest, CommandsAtThePinsReachTheContents) {
  Chip chip;
  const arch::ChipConfig config = Config("hbm2");
  const auto device = MakeMemoryDevice(config, chip.Pins());
  const Hbm2Place place = PlaceOf(0x12345 / 32 * 32, 2);
  std::vector<std::byte> contents(32, std::byte{0x77});
  device->WriteMemory(AddressOf(place, 2), contents);
  const auto step = [&](int cycles) {
    for (int i = 0; i < cycles; i++) {
      ASSERT_TRUE(device->Step()) << device->violation();
      chip.row_valid = chip.col_valid = 0;
    }
  };
  const auto column = [&](bool write) {
    chip.col_valid = static_cast<uint8_t>(1 << place.channel);
    chip.col_write = static_cast<uint8_t>(write << place.channel);
    chip.col_bank = static_cast<uint8_t>(place.bank << 4 * place.channel);
    const uint32_t col = place.column << 6 * place.channel;
    std::memcpy(chip.col_col, &col, 2);
  };
  chip.row_valid = static_cast<uint8_t>(1 << place.channel);
  chip.row_bank = static_cast<uint8_t>(place.bank << 4 * place.channel);
  chip.row_row[2 * place.channel] = static_cast<uint8_t>(place.row);
  step(20);
  std::memset(chip.wr_data + 32 * place.channel, 0x11, 32);
  chip.wr_strobe[4 * place.channel] = 2;  // byte 1 only
  column(true);
  step(20);
  column(false);
  int latency = 0;
  step(1);
  for (; !chip.rd_valid && latency < 100; latency++) step(1);
  EXPECT_EQ(latency, 14 + 2);
  EXPECT_EQ(chip.rd_valid, 1 << place.channel);
  EXPECT_EQ(chip.rd_data[32 * place.channel], 0x77);
  EXPECT_EQ(chip.rd_data[32 * place.channel + 1], 0x11);
  step(1);
  EXPECT_EQ(chip.rd_valid, 0);

  column(false);  // in flight at reset: dropped, and the bank is closed
  step(3);
  device->Reset();
  step(40);
  EXPECT_EQ(chip.rd_valid, 0);
  column(false);
  EXPECT_FALSE(device->Step());
  EXPECT_NE(device->violation().find("read of a closed bank"), std::string::npos);
}

}  // namespace
}  // namespace systolith::hbm_device
