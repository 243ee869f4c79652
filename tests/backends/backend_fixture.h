#ifndef SYSTOLITH_TESTS_BACKENDS_BACKEND_FIXTURE_H_
#define SYSTOLITH_TESTS_BACKENDS_BACKEND_FIXTURE_H_

#include <gtest/gtest.h>

#include <memory>
#include <ostream>
#include <span>
#include <string>
#include <vector>

#include "host/arch/chip_config.h"
#include "host/arch/csr.h"
#include "host/arch/isa.h"
#include "host/hal/transport.h"
#include "sim/golden/testing/job.h"
#include "sim/golden/testing/kernel.h"
#include "tb/common/random.h"

namespace systolith::backends {

using golden::JobOptions;
using golden::JobResult;
using golden::ProgramWriter;

// A backend as the conformance suite sees it.
struct Backend {
  std::string name;
  std::string target;
  bool load_by_bus = false;
  bool fixed_memory = false;  // memory.kind = fixed instead of hbm2, with jitter
};
inline void PrintTo(const Backend& backend, std::ostream* out) { *out << backend.name; }

// The configuration `tiny`, with the memory that the backend asks for.
inline arch::ChipConfig ConfigOf(const Backend& backend) {
  arch::ChipConfig config = arch::LoadChipConfig("tiny").value();
  if (backend.fixed_memory) {
    config.memory_kind = "fixed";
    config.memory_latency_cycles = 40;
    config.memory_jitter_cycles = 30;
  }
  return config;
}

// One chip of `tiny`, opened through hal, and small programs for it.
class BackendFixture : public tb::RandomTestWithParam<Backend> {
 protected:
  void SetUp() override {
    hal::TransportOptions options;
    options.load_by_bus = GetParam().load_by_bus;
    chip_ = Open(options);
    ASSERT_NE(chip_, nullptr);
  }

  std::unique_ptr<hal::Transport> Open(const hal::TransportOptions& options) const {
    auto chip = hal::OpenTransport(GetParam().target, config_, options);
    EXPECT_TRUE(chip.ok()) << chip.status().message();
    return chip.ok() ? std::move(chip).value() : nullptr;
  }

  JobResult Run(const ProgramWriter& program, const JobOptions& options = {}) {
    return golden::RunJob(*chip_, config_, program.words(), options);
  }
  void MustRun(const ProgramWriter& program, const JobOptions& options = {}) {
    const JobResult result = Run(program, options);
    ASSERT_TRUE(result.status.ok() && result.completed) << result;
    ASSERT_EQ(result.fault, arch::Fault::kNone) << result;
  }
  uint32_t Read(arch::Csr csr) {
    const auto value = chip_->ReadCsr(csr);
    EXPECT_TRUE(value.ok()) << value.status().message();
    return value.ok() ? *value : ~0u;
  }
  uint64_t Read64(arch::Csr low) {
    return Read(low) |
           uint64_t{Read(static_cast<arch::Csr>(static_cast<uint32_t>(low) + 4))} << 32;
  }
  void Write(arch::Csr csr, uint32_t value) { ASSERT_TRUE(chip_->WriteCsr(csr, value).ok()); }
  uint32_t State() { return Read(arch::Csr::kStatus) & 7; }

  std::vector<uint8_t> RandomBytes(size_t count) {
    std::vector<uint8_t> bytes(count);
    for (uint8_t& byte : bytes) byte = static_cast<uint8_t>(rng_.U32());
    return bytes;
  }
  void WriteHbm(uint64_t address, const std::vector<uint8_t>& data) {
    const Status status = chip_->WriteMemory(address, std::as_bytes(std::span(data)));
    ASSERT_TRUE(status.ok()) << status.message();
  }
  std::vector<uint8_t> ReadHbm(uint64_t address, size_t count) {
    std::vector<uint8_t> data(count);
    const Status status = chip_->ReadMemory(address, std::as_writable_bytes(std::span(data)));
    EXPECT_TRUE(status.ok()) << status.message();
    return data;
  }

  static arch::Dma Transfer(arch::Engine engine, uint32_t hbm, uint32_t buffer, uint32_t bytes) {
    arch::Dma dma;
    dma.engine = static_cast<uint32_t>(engine);
    dma.counts.fill(1);
    dma.offset_lo = hbm;
    dma.buffer_base = buffer;
    dma.run_bytes = dma.buffer_run_bytes = bytes;
    return dma;
  }
  static arch::Dma Load(uint32_t hbm, uint32_t buffer, uint32_t bytes) {
    return Transfer(arch::Engine::kDmaLoad, hbm, buffer, bytes);
  }
  static arch::Dma Store(uint32_t hbm, uint32_t buffer, uint32_t bytes) {
    return Transfer(arch::Engine::kDmaStore, hbm, buffer, bytes);
  }
  template <typename T>
  static T Signalling(T instruction, uint32_t flag) {
    instruction.signal0_valid = 1;
    instruction.signal0_flag = flag;
    return instruction;
  }
  template <typename T>
  static T Waiting(T instruction, uint32_t flag, uint32_t target) {
    instruction.wait0_valid = 1;
    instruction.wait0_flag = flag;
    instruction.wait0_target = target;
    return instruction;
  }

  // HBM [from, +bytes) to [to, +bytes) of segment 0, through the buffer.
  static ProgramWriter CopyProgram(uint32_t from, uint32_t to, uint32_t bytes) {
    ProgramWriter program;
    program.Append(arch::Opcode::kLoad, Signalling(Load(from, 0x100, bytes), 0));
    program.Append(arch::Opcode::kStore, Waiting(Store(to, 0x100, bytes), 0, 1));
    program.Halt();
    return program;
  }
  // A job that touches every part of the way, with its check: the chip is usable.
  void ExpectUsable() {
    const std::vector<uint8_t> data = RandomBytes(777);
    WriteHbm(golden::kDataAddress + 0x5003, data);
    MustRun(CopyProgram(0x5003, 0x9011, 777));
    EXPECT_EQ(ReadHbm(golden::kDataAddress + 0x9011, 777), data);
    EXPECT_EQ(Read(arch::Csr::kFaultCause), 0u);
    EXPECT_EQ(State(), 0u);
  }

  const arch::ChipConfig config_ = ConfigOf(GetParam());
  std::unique_ptr<hal::Transport> chip_;
};

}  // namespace systolith::backends

#endif  // SYSTOLITH_TESTS_BACKENDS_BACKEND_FIXTURE_H_
