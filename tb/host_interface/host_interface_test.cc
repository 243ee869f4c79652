// Tests rtl/host_interface/host_interface.sv at its pins: registers, jobs, launch, faults,
// counters. The sequencer and the engines are played by the test.
#include <gtest/gtest.h>

#include <array>
#include <utility>
#include <vector>

#include "Vhost_interface.h"
#include "host/arch/csr.h"
#include "host/arch/isa.h"
#include "tb/common/dut.h"
#include "tb/common/random.h"
#include "tb/common/stream.h"
#include "tb/host_interface/line_memory.h"

namespace systolith::tb {
namespace {

using arch::Csr;
using arch::Fault;

constexpr uint64_t kHash = 0x0123456789abcdef;
constexpr uint64_t kMemoryBytes = 65536;
constexpr int kEngines = 6;
constexpr uint32_t kAllIdle = 0x3f;
constexpr uint32_t kIdle = 0, kLaunching = 1, kRunning = 2, kDraining = 3, kHalted = 4;

class HostInterfaceTest : public RandomTestWithParam<double> {
 protected:
  HostInterfaceTest() : launch_memory_(rng_, GetParam(), 64, kMemoryBytes) {
    dut_.idle_i = kAllIdle;
    PowerUp();
    Write(Csr::kMemoryBytesLo, kMemoryBytes);
    Write(Csr::kInterruptEnable, 3);
  }

  void PowerUp() {
    dut_.csr_awvalid_i = dut_.csr_wvalid_i = dut_.csr_arvalid_i = 0;
    dut_.axi_awvalid_i = dut_.axi_wvalid_i = dut_.axi_arvalid_i = 0;
    dut_.sequencer_done_i = dut_.watchdog_valid_i = 0;
    dut_.fault_valid_i = 0;
    dut_.conflict_i = 0;
    Reset(dut_);
  }

  void Step() {
    launch_memory_.Drive(dut_.launch_mem_req_ready_i, dut_.launch_mem_rsp_valid_i,
                         dut_.launch_mem_rsp_tag_i, dut_.launch_mem_rsp_data_i);
    dut_.eval();
    launch_memory_.Take(dut_.launch_mem_req_valid_o, false, dut_.launch_mem_req_addr_o,
                        dut_.launch_mem_req_tag_o, dut_.launch_mem_rsp_data_i, uint64_t{0});
    Cycle(dut_);
    starts_ += dut_.sequencer_start_o;
  }
  void Steps(int count) {
    for (int i = 0; i < count; ++i) Step();
  }

  int WriteResponse(uint32_t address, uint32_t value, uint32_t strobe = 15) {
    Stalls stalls(rng_, GetParam());
    bool taken = false;
    bool address_offered = false, data_offered = false;
    for (int cycle = 0; cycle < 2000; ++cycle) {
      address_offered |= stalls.Go();
      data_offered |= stalls.Go();
      dut_.csr_awvalid_i = address_offered && !taken;
      dut_.csr_wvalid_i = data_offered && !taken;
      dut_.csr_awaddr_i = static_cast<uint16_t>(address);
      dut_.csr_wdata_i = value;
      dut_.csr_wstrb_i = static_cast<uint8_t>(strobe);
      dut_.csr_bready_i = stalls.Go();
      dut_.eval();
      taken |= dut_.csr_awready_o && dut_.csr_wready_o;
      const bool answered = dut_.csr_bvalid_o && dut_.csr_bready_i;
      const int response = dut_.csr_bresp_o;
      Step();
      dut_.csr_awvalid_i = dut_.csr_wvalid_i = 0;
      if (answered) {
        dut_.csr_bready_i = 0;
        return response;
      }
    }
    ADD_FAILURE() << "write not answered";
    return -1;
  }
  void Write(Csr csr, uint64_t value) {
    EXPECT_EQ(WriteResponse(static_cast<uint32_t>(csr), static_cast<uint32_t>(value)), 0);
  }

  uint32_t ReadAddress(uint32_t address, int expected_response) {
    Stalls stalls(rng_, GetParam());
    bool taken = false;
    for (int cycle = 0; cycle < 2000; ++cycle) {
      dut_.csr_arvalid_i = !taken;
      dut_.csr_araddr_i = static_cast<uint16_t>(address);
      dut_.csr_rready_i = stalls.Go();
      dut_.eval();
      taken |= dut_.csr_arready_o;
      const bool answered = dut_.csr_rvalid_o && dut_.csr_rready_i;
      const uint32_t data = dut_.csr_rdata_o;
      EXPECT_TRUE(!answered || dut_.csr_rresp_o == expected_response) << address;
      Step();
      dut_.csr_arvalid_i = 0;
      if (answered) {
        dut_.csr_rready_i = 0;
        return data;
      }
    }
    ADD_FAILURE() << "read not answered";
    return 0;
  }
  uint32_t Read(Csr csr) { return ReadAddress(static_cast<uint32_t>(csr), 0); }
  uint64_t Read64(Csr low) {
    return Read(low) | uint64_t{ReadAddress(static_cast<uint32_t>(low) + 4, 0)} << 32;
  }
  uint32_t State() { return Read(Csr::kStatus) & 7; }

  void Put(uint64_t address, std::span<const uint32_t> words) {
    for (size_t w = 0; w < words.size(); ++w) {
      for (uint32_t b = 0; b < 4; ++b) {
        launch_memory_.data[address + w * 4 + b] = static_cast<uint8_t>(words[w] >> (8 * b));
      }
    }
  }
  void PutLaunch(uint64_t address, const arch::Launch& launch,
                 const std::vector<arch::Segment>& segments = {}) {
    std::array<uint32_t, 16> header;
    arch::Encode(launch, header);
    Put(address, header);
    for (size_t i = 0; i < segments.size(); ++i) {
      std::array<uint32_t, 8> words;
      arch::Encode(segments[i], words);
      Put(address + 64 + i * 32, words);
    }
  }
  static arch::Launch GoodLaunch() {
    return {.magic = 0x48435453, .version = arch::kIsaVersion,
            .program_hash_lo = static_cast<uint32_t>(kHash),
            .program_hash_hi = static_cast<uint32_t>(kHash >> 32), .program_base_lo = 0x2000,
            .program_bytes = 0x130};
  }
  void Ring(uint64_t descriptor) {
    Write(Csr::kDoorbellHi, descriptor >> 32);
    Write(Csr::kDoorbellLo, descriptor);
  }
  // Until the sequencer is started; its part is then the test's.
  bool WaitForStart() {
    for (int i = 0; i < 4000 && starts_ == starts_seen_; ++i) Step();
    return starts_ != std::exchange(starts_seen_, starts_);
  }
  void FinishJob() {
    dut_.idle_i = kAllIdle;
    dut_.sequencer_done_i = 1;
    Step();
    dut_.sequencer_done_i = 0;
    Step();
  }
  void ExpectFault(Fault cause, uint32_t engine, uint32_t pc, uint64_t address) {
    for (int i = 0; i < 4000 && !dut_.interrupt_o; ++i) Step();
    EXPECT_TRUE(dut_.interrupt_o);
    EXPECT_EQ(State(), kHalted);
    EXPECT_EQ(Read(Csr::kInterruptStatus), 2u);
    EXPECT_EQ(static_cast<Fault>(Read(Csr::kFaultCause)), cause);
    EXPECT_EQ(Read(Csr::kFaultEngine), engine);
    EXPECT_EQ(Read(Csr::kFaultPc), pc);
    EXPECT_EQ(Read64(Csr::kFaultAddressLo), address);
  }
  void ExpectUsable() {
    const uint32_t completed = Read(Csr::kCompleted);
    Write(Csr::kInterruptStatus, 3);
    Write(Csr::kControl, 2);
    EXPECT_EQ(State(), kIdle);
    EXPECT_EQ(Read(Csr::kFaultCause), 0u);
    PutLaunch(0x400, GoodLaunch());
    starts_seen_ = starts_;
    Ring(0x400);
    ASSERT_TRUE(WaitForStart());
    FinishJob();
    EXPECT_EQ(Read(Csr::kCompleted), completed + 1);
    EXPECT_EQ(Read(Csr::kInterruptStatus), 1u);
    Write(Csr::kInterruptStatus, 1);
    EXPECT_EQ(Read(Csr::kInterruptStatus), 0u);
    Step();
    EXPECT_FALSE(dut_.interrupt_o);
  }

  LineMemory launch_memory_;
  int starts_ = 0, starts_seen_ = 0;
  Vhost_interface dut_;
};

TEST_P(HostInterfaceTest, RegistersHaveTheirResetValues) {
  PowerUp();
  EXPECT_EQ(Read(Csr::kMagic), 0x54535953u);
  EXPECT_EQ(Read(Csr::kIsaVersion), static_cast<uint32_t>(arch::kIsaVersion));
  EXPECT_EQ(Read64(Csr::kProgramHashLo), kHash);
  EXPECT_EQ(Read(Csr::kMxuRows), 8u);
  EXPECT_EQ(Read(Csr::kVpuSublanes), 4u);
  EXPECT_EQ(Read(Csr::kFeatures), 3u);
  EXPECT_EQ(Read64(Csr::kMemoryBytesLo), 0u);
  EXPECT_EQ(Read(Csr::kWatchdogCycles), 1000000u);
  EXPECT_EQ(Read(Csr::kQueueDepth), 8u);
  EXPECT_EQ(Read(Csr::kFaultFlag), 0xffu);
  EXPECT_EQ(State(), kIdle);
}

TEST_P(HostInterfaceTest, WrongAccessesAnswerAnErrorAndChangeNothing) {
  EXPECT_EQ(WriteResponse(static_cast<uint32_t>(Csr::kMagic), 1), 2);
  EXPECT_EQ(WriteResponse(0xffc, 1), 2);
  ReadAddress(0xffc, 3);
  EXPECT_EQ(WriteResponse(static_cast<uint32_t>(Csr::kWatchdogCycles), 5, 3), 2);
  EXPECT_EQ(Read(Csr::kWatchdogCycles), 1000000u);
  for (const auto& [written, read] : {std::pair{0u, 1u}, {3u, 3u}, {9u, 8u}, {0x101u, 8u}}) {
    Write(Csr::kQueueDepth, written);
    EXPECT_EQ(Read(Csr::kQueueDepth), read);
  }
  EXPECT_EQ(WriteResponse(static_cast<uint32_t>(Csr::kMemoryChannels), 3), 2);
  EXPECT_EQ(WriteResponse(static_cast<uint32_t>(Csr::kHostFlag), 55 | 1 << 16), 2);
  for (uint32_t i = 0; i < 18; ++i) {
    EXPECT_EQ(WriteResponse(static_cast<uint32_t>(Csr::kHbmTiming) + i * 4, 1000 + i), 0);
  }
  for (uint32_t i = 0; i < 18; ++i) {
    EXPECT_EQ(ReadAddress(static_cast<uint32_t>(Csr::kHbmTiming) + i * 4, 0), 1000 + i);
    EXPECT_EQ(GetBits(dut_.hbm_timing_o, i * 32, 32), 1000 + i);
  }
}

TEST_P(HostInterfaceTest, ALaunchBindsTheSegmentsOfItsOwnerOnly) {
  for (const int count : {0, 1, 2, 7, 64}) {
    std::vector<arch::Segment> segments;
    for (int i = 0; i < count; ++i) {
      const auto bytes = static_cast<uint32_t>(rng_.Below(4096));
      segments.push_back({.base_lo = static_cast<uint32_t>(rng_.Below(kMemoryBytes - bytes + 1)),
                          .bytes_lo = bytes,
                          .readable = static_cast<uint32_t>(rng_.Below(2)),
                          .writable = static_cast<uint32_t>(rng_.Below(2)),
                          .owner = static_cast<uint32_t>(rng_.Below(2) + 6)});
    }
    arch::Launch launch = GoodLaunch();
    launch.segment_count = static_cast<uint32_t>(count);
    launch.owner = 6;
    PutLaunch(0x1000, launch, segments);
    Ring(0x1000);
    ASSERT_TRUE(WaitForStart());
    EXPECT_EQ(dut_.program_base_o, 0x2000u);
    EXPECT_EQ(dut_.program_bytes_o, 0x130u);
    for (int i = 0; i < 64; ++i) {
      const int port = static_cast<int>(rng_.Below(2));
      dut_.seg_index_i = static_cast<uint16_t>(i << (port * 6));
      Step();
      const bool bound = i < count && segments[static_cast<size_t>(i)].owner == 6;
      const arch::Segment segment = bound ? segments[static_cast<size_t>(i)] : arch::Segment{};
      EXPECT_EQ(port == 0 ? dut_.seg_readable_o : dut_.seg_writable_o,
                port == 0 ? segment.readable : segment.writable) << i;
      if (!bound) continue;
      EXPECT_EQ(GetBits(dut_.seg_base_o, port * 40, 40), segment.base_lo);
      EXPECT_EQ(GetBits(dut_.seg_bytes_o, port * 40, 40), segment.bytes_lo);
    }
    FinishJob();
    EXPECT_EQ(State(), kIdle);
  }
}

TEST_P(HostInterfaceTest, EveryBadDescriptorFaultsAndTheChipIsUsableAfterwards) {
  struct Case {
    uint64_t descriptor;
    void (*damage)(arch::Launch&);
    Fault cause;
    uint64_t address;
  };
  const std::vector<Case> cases = {
      {0x1000, [](arch::Launch& l) { l.magic = 7; }, Fault::kBadDescriptor, 0x1000},
      {0x1000, [](arch::Launch& l) { l.version = 9; }, Fault::kBadDescriptor, 0x1000},
      {0x1000, [](arch::Launch& l) { l.program_hash_hi = 0; }, Fault::kHashMismatch, 0x1000},
      {0x1000, [](arch::Launch& l) { l.program_bytes = 8; }, Fault::kBadDescriptor, 0x1000},
      {0x1000, [](arch::Launch& l) { l.segment_count = 65; }, Fault::kBadDescriptor, 0x1000},
      {0x1000, [](arch::Launch& l) { l.program_base_hi = 1; }, Fault::kMemoryRange, 0x100002000},
      {0x1000, [](arch::Launch& l) { l.program_bytes = 0xf000; }, Fault::kMemoryRange, 0x2000},
      {0x1010, [](arch::Launch&) {}, Fault::kBadDescriptor, 0x1010},
      {kMemoryBytes, [](arch::Launch&) {}, Fault::kMemoryRange, kMemoryBytes},
      {kMemoryBytes - 64, [](arch::Launch& l) { l.segment_count = 1; }, Fault::kMemoryRange,
       kMemoryBytes},
      {uint64_t{1} << 45, [](arch::Launch&) {}, Fault::kMemoryRange, uint64_t{1} << 45},
  };
  for (const Case& c : cases) {
    arch::Launch launch = GoodLaunch();
    c.damage(launch);
    PutLaunch(c.descriptor < kMemoryBytes ? c.descriptor : 0x1000, launch);
    Ring(c.descriptor);
    ExpectFault(c.cause, 0, 0, c.address);
    EXPECT_TRUE(launch_memory_.idle());
    ExpectUsable();
  }
  arch::Launch launch = GoodLaunch();
  launch.segment_count = 3;
  PutLaunch(0x1000, launch, {{}, {}, {.base_lo = 0xfff0, .bytes_lo = 17}});
  Ring(0x1000);
  ExpectFault(Fault::kMemoryRange, 0, 0, 0xfff0);
  ExpectUsable();
  PutLaunch(0x1000, launch, {{}, {.chip = 1}, {}});  // memory of another chip
  Ring(0x1000);
  ExpectFault(Fault::kBadDescriptor, 0, 0, 0x1000);
  ExpectUsable();
  PutLaunch(0x1000, launch, {{.base_lo = 0xfff0, .bytes_lo = 17}, {.chip = 1}, {}});
  Ring(0x1000);
  ExpectFault(Fault::kMemoryRange, 0, 0, 0xfff0);  // the first of two
  ExpectUsable();
}

TEST_P(HostInterfaceTest, TheFirstFaultIsKeptAndTheChipDrainsBeforeItHalts) {
  PutLaunch(0x1000, GoodLaunch());
  Ring(0x1000);
  Ring(0x1000);  // this one will never run
  ASSERT_TRUE(WaitForStart());
  dut_.idle_i = 0;
  for (int e = 0; e < kEngines; ++e) {
    SetBits(dut_.fault_cause_i, e * 8, 8, 3 + e);
    SetBits(dut_.fault_pc_i, e * 32, 32, 0x100u * e);
    SetBits(dut_.fault_address_i, e * 64, 64, 0x1000000000u + e);
  }
  dut_.fault_valid_i = 0b10100;  // engines 2 and 4 in one cycle
  Step();
  dut_.fault_valid_i = 0b00010;  // too late
  Step();
  dut_.fault_valid_i = 0;
  EXPECT_TRUE(dut_.abort_o);
  Steps(50);
  EXPECT_EQ(State(), kDraining);
  EXPECT_FALSE(dut_.interrupt_o);
  dut_.idle_i = kAllIdle;
  ExpectFault(Fault::kBufferRange, 2, 0x200, 0x1000000002);
  EXPECT_TRUE(dut_.abort_o);
  EXPECT_EQ(Read(Csr::kStatus) >> 8 & 255, 0u);
  Ring(0x1000);  // ignored while halted
  EXPECT_EQ(Read(Csr::kStatus) >> 8 & 255, 0u);
  ExpectUsable();
  EXPECT_FALSE(dut_.abort_o);
}

TEST_P(HostInterfaceTest, AbortAndResetTakeEffectAtAnyMoment) {
  PutLaunch(0x1000, GoodLaunch());
  Write(Csr::kControl, 1);
  Steps(5);
  EXPECT_EQ(State(), kIdle);  // nothing to abort
  Ring(0x1000);
  ASSERT_TRUE(WaitForStart());
  Write(Csr::kControl, 2);  // not halted: ignored
  Steps(5);
  EXPECT_EQ(State(), kRunning);
  FinishJob();
  for (int trial = 0; trial < 60; ++trial) {
    Ring(0x1000);
    Steps(static_cast<int>(rng_.Below(30)));
    const bool reset = rng_.Chance(0.5);
    Write(Csr::kControl, reset ? 3 : 1);
    for (int i = 0; i < 2000 && State() != (reset ? kIdle : kHalted); ++i) Step();
    if (!reset) {
      EXPECT_EQ(static_cast<Fault>(Read(Csr::kFaultCause)), Fault::kAborted);
    }
    ExpectUsable();
    if (HasFailure()) return;
  }
}

TEST_P(HostInterfaceTest, JobsRunInOrderAndTheQueueHoldsItsCapacity) {
  const uint32_t capacity = Read(Csr::kQueueCapacity);
  PutLaunch(0x1000, GoodLaunch());
  Ring(0x1000);
  ASSERT_TRUE(WaitForStart());
  for (uint32_t i = 0; i < capacity + 2; ++i) {  // two too many
    arch::Launch launch = GoodLaunch();
    launch.program_base_lo = 0x3000 + 0x40 * i;
    PutLaunch(0x4000 + i * 0x40, launch);
    Ring(0x4000 + i * 0x40);
  }
  EXPECT_EQ(Read(Csr::kStatus) >> 8 & 255, capacity);
  for (uint32_t i = 0; i < capacity; ++i) {
    FinishJob();
    ASSERT_TRUE(WaitForStart());
    EXPECT_EQ(dut_.program_base_o, 0x3000 + 0x40 * i);
  }
  FinishJob();
  Steps(200);
  EXPECT_EQ(Read(Csr::kCompleted), capacity + 1);
  EXPECT_EQ(State(), kIdle);
}

TEST_P(HostInterfaceTest, CountersAddUpToTheCyclesOfTheJob) {
  PutLaunch(0x1000, GoodLaunch());
  Ring(0x1000);
  ASSERT_TRUE(WaitForStart());
  std::array<uint64_t, kEngines> busy{}, stall{}, conflicts{};
  uint64_t reads = 0, writes = 0, issued = 0;
  for (int cycle = 0; cycle < 500; ++cycle) {
    dut_.busy_i = static_cast<uint8_t>(rng_.Below(64));
    dut_.stall_i = static_cast<uint8_t>(rng_.Below(64)) & ~dut_.busy_i;
    dut_.conflict_i = rng_.Chance(0.5) ? 0 : rng_.U32() & 0xffffff;
    dut_.issued_i = rng_.Below(2);
    dut_.line_read_i = static_cast<uint8_t>(rng_.Below(8));
    dut_.line_write_i = rng_.Below(2);
    dut_.write_strobe_i = rng_.U64();
    for (size_t e = 0; e < kEngines; ++e) {
      conflicts[e] += dut_.conflict_i >> (4 * e) & 15;
      busy[e] += dut_.busy_i >> e & 1;
      stall[e] += dut_.stall_i >> e & 1;
    }
    reads += 64 * static_cast<uint64_t>(__builtin_popcount(dut_.line_read_i));
    if (dut_.line_write_i) {
      writes += static_cast<uint64_t>(__builtin_popcountll(dut_.write_strobe_i));
    }
    issued += dut_.issued_i;
    Step();
  }
  dut_.busy_i = dut_.stall_i = 0;
  dut_.conflict_i = 0;
  dut_.issued_i = dut_.line_read_i = dut_.line_write_i = 0;
  FinishJob();
  const uint64_t cycles = Read64(Csr::kCyclesLo);
  EXPECT_GE(cycles, 501u);
  EXPECT_EQ(Read64(Csr::kReadBytesLo), reads);
  EXPECT_EQ(Read64(Csr::kWriteBytesLo), writes);
  EXPECT_EQ(Read(Csr::kInstructions), issued);
  for (uint32_t e = 0; e < kEngines; ++e) {
    const auto at = [&](Csr base) {
      const uint32_t address = static_cast<uint32_t>(base) + e * 8;
      return ReadAddress(address, 0) | uint64_t{ReadAddress(address + 4, 0)} << 32;
    };
    EXPECT_EQ(at(Csr::kBusy), busy[e]);
    EXPECT_EQ(at(Csr::kStall), stall[e]);
    EXPECT_EQ(ReadAddress(static_cast<uint32_t>(arch::At(Csr::kConflict, e)), 0), conflicts[e]);
  }
  Steps(20);
  EXPECT_EQ(Read64(Csr::kCyclesLo), cycles);  // nothing counts without a job
}

INSTANTIATE_TEST_SUITE_P(Stalls, HostInterfaceTest, testing::Values(0.0, 0.4));

}  // namespace
}  // namespace systolith::tb
