// Tests rtl/host_interface/host_interface_axi.sv at its pins against a plain array of bytes.
#include <gtest/gtest.h>

#include <vector>

#include "Vhost_interface_axi.h"
#include "tb/common/dut.h"
#include "tb/common/random.h"
#include "tb/common/stream.h"
#include "tb/host_interface/line_memory.h"

namespace systolith::tb {
namespace {

constexpr uint32_t kLineBytes = 64;
constexpr uint64_t kMemoryBytes = 16384;
constexpr int kOkay = 0, kSlverr = 2, kDecerr = 3;

struct Burst {
  bool write = false;
  uint64_t address = 0;
  int beats = 1;
  int size = 3, kind = 1, id = 0;
  std::vector<uint64_t> data;     // one per beat
  std::vector<uint8_t> strobes;
};

class HostInterfaceAxiTest : public RandomTestWithParam<double> {
 protected:
  HostInterfaceAxiTest() : memory_(rng_, GetParam(), kLineBytes, kMemoryBytes) {
    for (uint8_t& byte : memory_.data) byte = static_cast<uint8_t>(rng_.U32());
    dut_.axi_awvalid_i = dut_.axi_wvalid_i = dut_.axi_arvalid_i = 0;
    dut_.axi_bready_i = dut_.axi_rready_i = 0;
    dut_.mem_req_ready_i = dut_.mem_rsp_valid_i = 0;
    dut_.memory_bytes_i = kMemoryBytes;
    Reset(dut_);
  }

  void Step() {
    memory_.Drive(dut_.mem_req_ready_i, dut_.mem_rsp_valid_i, dut_.mem_rsp_tag_i,
                  dut_.mem_rsp_data_i);
    dut_.eval();
    memory_.Take(dut_.mem_req_valid_o, dut_.mem_req_write_o, dut_.mem_req_addr_o,
                 dut_.mem_req_tag_o, dut_.mem_req_data_o, dut_.mem_req_strobe_o);
  }

  // Carries out a burst; fills `data` of a read. Returns its response.
  int Run(Burst& burst) {
    Stalls stalls(rng_, GetParam());
    int beat = 0, response = -1;
    bool addressed = false, answered = false;
    for (int cycle = 0; cycle < 20000 && !answered; ++cycle) {
      dut_.axi_awvalid_i = burst.write && !addressed;
      dut_.axi_arvalid_i = !burst.write && !addressed;
      dut_.axi_awaddr_i = dut_.axi_araddr_i = burst.address;
      dut_.axi_awlen_i = dut_.axi_arlen_i = static_cast<uint8_t>(burst.beats - 1);
      dut_.axi_awsize_i = dut_.axi_arsize_i = static_cast<uint8_t>(burst.size);
      dut_.axi_awburst_i = dut_.axi_arburst_i = static_cast<uint8_t>(burst.kind);
      dut_.axi_awid_i = dut_.axi_arid_i = static_cast<uint8_t>(burst.id);
      const bool wants_beat = burst.write && beat < burst.beats;
      if (wants_beat && !dut_.axi_wvalid_i) dut_.axi_wvalid_i = stalls.Go();
      if (!wants_beat) dut_.axi_wvalid_i = 0;
      if (dut_.axi_wvalid_i) {
        dut_.axi_wdata_i = burst.data[static_cast<size_t>(beat)];
        dut_.axi_wstrb_i = burst.strobes[static_cast<size_t>(beat)];
        dut_.axi_wlast_i = beat + 1 == burst.beats;
      }
      dut_.axi_bready_i = stalls.Go();
      dut_.axi_rready_i = stalls.Go();
      Step();
      addressed |= (dut_.axi_awvalid_i && dut_.axi_awready_o) ||
                   (dut_.axi_arvalid_i && dut_.axi_arready_o);
      if (dut_.axi_wvalid_i && dut_.axi_wready_o) {
        ++beat;
        wvalid_done_ = true;
      }
      if (dut_.axi_bvalid_o && dut_.axi_bready_i) {
        EXPECT_TRUE(burst.write);
        EXPECT_EQ(beat, burst.beats);
        EXPECT_EQ(dut_.axi_bid_o, burst.id);
        response = dut_.axi_bresp_o;
        answered = true;
      }
      if (dut_.axi_rvalid_o && dut_.axi_rready_i) {
        EXPECT_FALSE(burst.write);
        burst.data.push_back(dut_.axi_rdata_o);
        ++beat;
        EXPECT_EQ(dut_.axi_rlast_o, beat == burst.beats);
        EXPECT_EQ(dut_.axi_rid_o, burst.id);
        response = dut_.axi_rresp_o;
        answered = beat == burst.beats;
      }
      Cycle(dut_);
      if (wvalid_done_) dut_.axi_wvalid_i = 0, wvalid_done_ = false;
    }
    dut_.axi_awvalid_i = dut_.axi_arvalid_i = dut_.axi_wvalid_i = 0;
    EXPECT_TRUE(answered);
    return response;
  }

  Burst RandomBurst(uint64_t address, int beats, bool write) {
    Burst burst{.write = write, .address = address, .beats = beats,
                .id = static_cast<int>(rng_.Below(16)), .data = {}, .strobes = {}};
    for (int i = 0; i < beats && write; ++i) {
      burst.data.push_back(rng_.U64());
      burst.strobes.push_back(rng_.Chance(0.5) ? 0xff : static_cast<uint8_t>(rng_.U32()));
    }
    return burst;
  }

  LineMemory memory_;
  bool wvalid_done_ = false;
  Vhost_interface_axi dut_;
};

TEST_P(HostInterfaceAxiTest, BurstsOfEveryKindMoveExactlyTheirBytes) {
  std::vector<uint8_t> expected = memory_.data;
  for (int trial = 0; trial < 150; ++trial) {
    const uint64_t page = rng_.Below(kMemoryBytes / 4096) * 4096;
    const uint64_t offset = rng_.Below(4096);
    const int room = static_cast<int>((4096 - offset / 8 * 8) / 8);
    const int longest = room < 256 ? room : 256;
    const int beats = rng_.Chance(0.3) ? longest : static_cast<int>(rng_.Range(1, longest));
    Burst burst = RandomBurst(page + offset, beats, rng_.Chance(0.5));
    EXPECT_EQ(Run(burst), kOkay);
    for (int i = 0; i < beats; ++i) {
      const uint64_t at = burst.address / 8 * 8 + static_cast<uint64_t>(i) * 8;
      for (uint64_t b = 0; b < 8; ++b) {
        const auto byte = static_cast<uint8_t>(burst.data[static_cast<size_t>(i)] >> (8 * b));
        if (!burst.write) {
          ASSERT_EQ(byte, expected[at + b]) << at + b;
        } else if (burst.strobes[static_cast<size_t>(i)] >> b & 1) {
          expected[at + b] = byte;
        }
      }
    }
    if (burst.write) {
      ASSERT_EQ(memory_.data, expected);  // visible once it was answered
    }
  }
}

TEST_P(HostInterfaceAxiTest, ARefusedBurstMovesNothingAndTheNextOneWorks) {
  const std::vector<uint8_t> before = memory_.data;
  struct Case {
    uint64_t address;
    int beats, size, kind, response;
  };
  for (const Case& c : std::vector<Case>{{kMemoryBytes, 1, 3, 1, kDecerr},
                                         {uint64_t{1} << 39, 4, 3, 1, kDecerr},
                                         {64, 4, 2, 1, kSlverr},
                                         {64, 4, 3, 0, kSlverr},
                                         {64, 4, 3, 2, kSlverr},
                                         {4096 - 8, 2, 3, 1, kSlverr}}) {
    for (const bool write : {true, false}) {
      Burst burst = RandomBurst(c.address, c.beats, write);
      burst.size = c.size;
      burst.kind = c.kind;
      const uint64_t requests = memory_.requests;
      EXPECT_EQ(Run(burst), c.response);
      EXPECT_EQ(memory_.requests, requests);
      Burst good = RandomBurst(4096 - 8, 1, false);
      EXPECT_EQ(Run(good), kOkay);
    }
  }
  EXPECT_EQ(memory_.data, before);
}

TEST_P(HostInterfaceAxiTest, NoLineIsTouchedTwiceByOneBurst) {
  Burst burst = RandomBurst(64 + 8, 64, true);
  EXPECT_EQ(Run(burst), kOkay);
  EXPECT_EQ(memory_.requests, 9u);  // 64 beats from the second of a line: 9 lines
  Burst exact = RandomBurst(1024, 16, false);
  EXPECT_EQ(Run(exact), kOkay);
  EXPECT_EQ(memory_.requests, 11u);
}

INSTANTIATE_TEST_SUITE_P(Stalls, HostInterfaceAxiTest, testing::Values(0.0, 0.3, 0.8));

}  // namespace
}  // namespace systolith::tb
