// What stops a kernel, a stream or a transpose: told alike by every backend, with the place, and
// the vector unit works afterwards.
#include <gtest/gtest.h>

#include <cstring>
#include <functional>

#include "tests/backends/backend_fixture.h"

namespace systolith::backends {
namespace {

using arch::AluOp;
using arch::Bundle;
using arch::Engine;
using arch::Fault;
using arch::LaneOp;
using arch::LaneType;
using arch::Opcode;
using golden::BundleOf;
using golden::Exit;
using golden::In;
using golden::K;
using golden::Out;
using golden::S;
using golden::V;
using golden::W;

constexpr uint32_t kOut0 = arch::kInputStreams;

class KernelFaultsTest : public BackendFixture {
 protected:
  // A kernel of three bundles: two instances add a constant to groups of f32 at 0x100.
  struct Kernel {
    std::vector<Bundle> bundles;
    arch::Stream in, out;
    arch::Vector vector;
  };
  Kernel Good() const {
    Kernel kernel;
    kernel.bundles = {BundleOf(AluOp::kCopy, V(0), In(0)),
                      BundleOf(AluOp::kAddF32, V(1), V(0), S(2)),
                      Exit(BundleOf(AluOp::kCopy, Out(0), V(1)))};
    kernel.in = golden::FlatStream(config_, 0, LaneType::kF32);
    kernel.out = golden::FlatStream(config_, kOut0, LaneType::kF32);
    kernel.vector = golden::VectorOf(2);
    kernel.vector.counts[5] = 3;
    kernel.vector.bases[0] = 0x100;
    kernel.vector.bases[kOut0] = 0x400;
    kernel.vector.scalars[2] = 0x3f800000;
    return kernel;
  }
  JobResult RunKernel(const Kernel& kernel, uint32_t& pc) {
    ProgramWriter program;
    golden::AppendBundles(program, kernel.bundles, 3);
    program.Append(Opcode::kStream, kernel.in);
    program.Append(Opcode::kStream, kernel.out);
    program.Append(Opcode::kLoad, Signalling(Load(0, 0, 0x400), 0));
    pc = program.pc();
    arch::Vector vector = kernel.vector;
    vector.kernel_base += 3;
    program.Append(Opcode::kVector, Signalling(Waiting(vector, 0, 1), 1));
    program.Append(Opcode::kStore, Waiting(Store(0x1000, 0x400, 128), 1, 1));
    program.Halt();
    return Run(program);
  }
  void ExpectKernelsWork() {
    WriteHbm(golden::kDataAddress, std::vector<uint8_t>(0x400));
    uint32_t pc = 0;
    const JobResult result = RunKernel(Good(), pc);
    ASSERT_TRUE(result.status.ok() && result.completed) << result;
    const std::vector<uint8_t> bytes = ReadHbm(golden::kDataAddress + 0x1000, 128);
    for (size_t i = 0; i < bytes.size(); i += 4) {
      uint32_t word;
      std::memcpy(&word, &bytes[i], 4);
      ASSERT_EQ(word, 0x3f800000u) << i;
    }
  }
  void ExpectFault(const char* name, Fault fault, uint64_t address,
                   const std::function<void(Kernel&)>& spoil) {
    SCOPED_TRACE(name);
    Kernel kernel = Good();
    spoil(kernel);
    uint32_t pc = 0;
    const JobResult result = RunKernel(kernel, pc);
    ASSERT_TRUE(result.status.ok()) << result;
    EXPECT_EQ(result.fault, fault) << result;
    EXPECT_EQ(result.address, address) << result;
    EXPECT_EQ(result.engine, static_cast<uint32_t>(Engine::kVpu)) << result;
    EXPECT_EQ(result.pc, pc) << result;
    ExpectKernelsWork();
  }
  // A single instruction behind a load.
  template <typename T>
  void ExpectFault(const char* name, Fault fault, uint64_t address, Engine engine, Opcode opcode,
                   const T& instruction) {
    SCOPED_TRACE(name);
    ProgramWriter program;
    program.Append(Opcode::kLoad, Load(0, 0, 64));
    const uint32_t pc = program.pc();
    program.Append(opcode, instruction);
    program.Halt();
    const JobResult result = Run(program);
    ASSERT_TRUE(result.status.ok()) << result;
    EXPECT_EQ(result.fault, fault) << result;
    EXPECT_EQ(result.address, address) << result;
    EXPECT_EQ(result.engine, static_cast<uint32_t>(engine)) << result;
    EXPECT_EQ(result.pc, pc) << result;
    ExpectKernelsWork();
  }
};

TEST_P(KernelFaultsTest, BundlesThatAreNone) {
  ExpectKernelsWork();
  ExpectFault("operation", Fault::kKernelOpcode, 1, [](Kernel& k) { k.bundles[1].a_op = 200; });
  ExpectFault("not in slot b", Fault::kKernelOpcode, 1, [](Kernel& k) {
    k.bundles[1] = golden::WithSlotB({}, AluOp::kDivideF32, V(1), V(0), V(0));
  });
  ExpectFault("lane operation", Fault::kKernelOpcode, 2,
              [](Kernel& k) { k.bundles[2].lane_op = 13; });
  ExpectFault("operand code", Fault::kKernelRegister, 1, [](Kernel& k) { k.bundles[1].a_y = 100; });
  ExpectFault("input 4", Fault::kKernelRegister, 0, [](Kernel& k) { k.bundles[0].a_x = 68; });
  ExpectFault("destination code", Fault::kKernelRegister, 0,
              [](Kernel& k) { k.bundles[0].a_dst = In(0); });
  ExpectFault("w in a body", Fault::kKernelRegister, 0,
              [](Kernel& k) { k.bundles[0].a_dst = W(0); });
  ExpectFault("one destination", Fault::kKernelRegister, 1, [](Kernel& k) {
    k.bundles[1] = golden::WithSlotB(k.bundles[1], AluOp::kCopy, V(1), S(0));
  });
  ExpectFault("lookup without table", Fault::kKernelRegister, 1,
              [](Kernel& k) { k.bundles[1].a_op = static_cast<uint32_t>(AluOp::kLookup); });
  ExpectFault("lane slot reads a stream", Fault::kKernelRegister, 1, [](Kernel& k) {
    k.bundles[1] = golden::WithLaneSlot({}, LaneOp::kReduceAddF32, V(1), In(0));
  });
  ExpectFault("amount in a register", Fault::kKernelRegister, 1, [](Kernel& k) {
    k.bundles[1] = golden::WithLaneSlot({}, LaneOp::kBroadcastLane, V(1), V(0), 0, V(0));
  });
}

TEST_P(KernelFaultsTest, LoopsThatAreNone) {
  ExpectFault("below the level", Fault::kKernelLoop, 1,
              [](Kernel& k) { k.bundles[1].loop_start = 1; });
  ExpectFault("end without start", Fault::kKernelLoop, 1,
              [](Kernel& k) { k.bundles[1].loop_end = 1 << 5; });
  ExpectFault("exit inside", Fault::kKernelLoop, 2,
              [](Kernel& k) { k.bundles[1].loop_start = 1 << 5; });
  ExpectFault("never exits", Fault::kKernelLoop, 512 - 3, [](Kernel& k) {
    k.bundles.assign(512 - 3, BundleOf(AluOp::kCopy, V(0), S(0)));
  });
  ExpectFault("body beyond the memory", Fault::kKernelLoop, 1000,
              [](Kernel& k) { k.vector.body = 1000; });
  ExpectFault("too many bundles", Fault::kKernelLoop, 0, [](Kernel& k) {
    k.bundles[0].loop_start = k.bundles[1].loop_end = 1 << 5;
    k.vector.bundle_limit = 4;
  });
  ExpectFault("in the prologue", Fault::kKernelLoop, 0, [](Kernel& k) {
    k.bundles.insert(k.bundles.begin(), Exit(BundleOf(AluOp::kCopy, W(0), S(0))));
    k.bundles[0].loop_start = 1 << 5;
    k.vector.prologue_level = 0;
    k.vector.body = 1;
  });
}

TEST_P(KernelFaultsTest, StreamsThatAreNone) {
  ExpectFault("not described", Fault::kKernelStream, 0,
              [](Kernel& k) { k.bundles[0].a_x = In(2); });
  ExpectFault("output not described", Fault::kKernelStream, 2,
              [](Kernel& k) { k.bundles[2].a_dst = Out(1); });
  ExpectFault("unequal steps", Fault::kKernelStream, 0, [](Kernel& k) {
    k.bundles[0] = golden::WithSlotB(k.bundles[0], AluOp::kCopy, V(3), In(0));
    k.bundles[0].b_step = 1;
  });
  ExpectFault("shorter than the kernel reads", Fault::kKernelStream, 0, [](Kernel& k) {
    k.bundles[0].loop_start = k.bundles[1].loop_end = 1 << 5;
    k.in.groups_limit = 2;
  });
  ExpectFault("shorter than the kernel writes", Fault::kKernelStream, 2, [](Kernel& k) {
    k.bundles[2].loop_start = k.bundles[2].loop_end = 1 << 5;
    k.out.strides[5] = 0x100;
    k.out.groups_limit = 2;
  });
}

TEST_P(KernelFaultsTest, RowsThatAreNotThere) {
  const int32_t end = static_cast<int32_t>(config_.buffer_bytes);
  const uint32_t limit = static_cast<uint32_t>(2 * config_.mxu_accumulator_rows);
  ExpectFault("input misaligned", Fault::kMisaligned, 0x104,
              [](Kernel& k) { k.vector.bases[0] = 0x104; });
  ExpectFault("input past the buffer", Fault::kBufferRange, static_cast<uint64_t>(end),
              [&](Kernel& k) { k.vector.bases[0] = end - 64; });
  ExpectFault("input before the buffer", Fault::kBufferRange, 0xffffffc0,
              [](Kernel& k) { k.vector.bases[0] = -64; });
  ExpectFault("output misaligned", Fault::kMisaligned, 0x408,
              [](Kernel& k) { k.vector.bases[kOut0] = 0x408; });
  ExpectFault("output past the buffer", Fault::kBufferRange, static_cast<uint64_t>(end),
              [&](Kernel& k) { k.vector.bases[kOut0] = end - 64; });
  ExpectFault("output before the buffer", Fault::kBufferRange, 0xffffffc8, [](Kernel& k) {
    k.vector.bases[kOut0] = -64;
    k.out.x_base = -2;
  });
  ExpectFault("no such accumulator row", Fault::kAccumulatorRange, limit, [&](Kernel& k) {
    k.in = golden::RowStream(config_, 0, LaneType::kF32, 1000, 8, 1);
    k.in.source = static_cast<uint32_t>(arch::StreamSource::kAccumulator);
    k.vector.bases[0] = static_cast<int32_t>(limit);
  });
  const auto gather = [&](Kernel& k) {
    k.in = golden::RowStream(config_, 0, LaneType::kS8, 8, 8, 0);
    k.in.gather = 1;
    k.in.gather_stride = 8;
    k.in.gather_limit = 5;
  };
  ExpectFault("index misaligned", Fault::kMisaligned, 0x82, [&](Kernel& k) {
    gather(k);
    k.in.gather_base = 0x82;
  });
  ExpectFault("index past the buffer", Fault::kBufferRange, static_cast<uint64_t>(end),
              [&](Kernel& k) {
                gather(k);
                k.in.gather_base = static_cast<uint32_t>(end);
              });
  WriteHbm(golden::kDataAddress + 0x80, {4, 0, 0, 0, 5, 0, 0, 0});
  ExpectFault("index", Fault::kGatherIndex, 5, [&](Kernel& k) {
    gather(k);
    k.in.gather_base = 0x80;
  });
  WriteHbm(golden::kDataAddress + 0x80, {0xff, 0xff, 0xff, 0xff});
  ExpectFault("negative index", Fault::kGatherIndex, 0xffffffff, [&](Kernel& k) {
    gather(k);
    k.in.gather_base = 0x80;
  });
}

TEST_P(KernelFaultsTest, FieldsThatContradict) {
  const auto vector = [&](const char* name, const std::function<void(arch::Vector&)>& spoil) {
    arch::Vector bad = Good().vector;
    spoil(bad);
    ExpectFault(name, Fault::kIllegalField, 0, Engine::kVpu, Opcode::kVector, bad);
  };
  vector("kernel level", [](arch::Vector& v) { v.kernel_level = 7; });
  vector("prologue level", [](arch::Vector& v) { v.prologue_level = 2; });
  vector("signal in the kernel", [](arch::Vector& v) {
    v.signal0_valid = 1;
    v.signal0_level = 2;
  });
  vector("wait in the kernel", [](arch::Vector& v) {
    v.wait1_valid = 1;
    v.wait1_level = 2;
  });
  vector("count", [](arch::Vector& v) { v.counts[4] = 0; });

  const auto stream = [&](const char* name, const std::function<void(arch::Stream&)>& spoil) {
    arch::Stream bad = golden::RowStream(config_, 0, LaneType::kF32, 2, 8, 32);
    spoil(bad);
    ExpectFault(name, Fault::kIllegalField, 0, Engine::kVpu, Opcode::kStream, bad);
  };
  stream("stream number", [](arch::Stream& s) { s.index = 6; });
  stream("type", [](arch::Stream& s) { s.type = 9; });
  stream("source", [](arch::Stream& s) { s.source = 3; });
  stream("accumulators of no unit", [](arch::Stream& s) { s.source = s.unit = 1; });
  stream("output from an accumulator", [](arch::Stream& s) { s.index = 4, s.source = 1; });
  stream("flat with spread", [](arch::Stream& s) { s.flat = s.spread = 1; });
  stream("flat with gather", [](arch::Stream& s) { s.flat = s.gather = 1; });
  stream("output with gather", [](arch::Stream& s) { s.index = 5, s.gather = 1; });
  stream("iota with gather", [](arch::Stream& s) { s.source = 2, s.gather = 1; });
  stream("flat accumulators", [](arch::Stream& s) { s.source = s.flat = 1; });

  const auto load = [&](const char* name, uint32_t part, uint32_t first, uint32_t count) {
    arch::LoadKernel bad;
    bad.engine = static_cast<uint32_t>(Engine::kVpu);
    bad.part = part, bad.first = first, bad.count = count;
    ExpectFault(name, Fault::kIllegalField, 0, Engine::kVpu, Opcode::kLoadKernel, bad);
  };
  load("bundles past the memory", 0, 510, 3);
  load("eleven bundles", 0, 0, 11);
  load("no bundles", 0, 0, 0);
  load("constants past the memory", 1, 1023, 2);
  load("51 constants", 1, 0, 51);
}

TEST_P(KernelFaultsTest, TransposesThatAreNone) {
  const uint32_t end = static_cast<uint32_t>(config_.buffer_bytes);
  const auto transpose = [&](const char* name, Fault fault, uint64_t address,
                             const std::function<void(arch::Transpose&)>& spoil) {
    arch::Transpose bad;
    bad.engine = static_cast<uint32_t>(Engine::kXlu);
    bad.counts.fill(1);
    bad.size_log2 = 1;
    bad.rows_level = bad.cols_level = arch::kNoLevel;
    bad.rows_limit = bad.cols_limit = 8;
    bad.in_row_stride = bad.out_row_stride = 16;
    bad.out_base = 0x400;
    spoil(bad);
    ExpectFault(name, fault, address, Engine::kXlu, Opcode::kTranspose, bad);
  };
  using T = arch::Transpose;
  transpose("element size", Fault::kIllegalField, 0, [](T& t) { t.size_log2 = 3; });
  transpose("rows level", Fault::kIllegalField, 0, [](T& t) { t.rows_level = 6; });
  transpose("columns level", Fault::kIllegalField, 0, [](T& t) { t.cols_level = 6; });
  transpose("input misaligned", Fault::kMisaligned, 8, [](T& t) { t.in_base = 8; });
  transpose("output misaligned", Fault::kMisaligned, 0x408, [](T& t) { t.out_row_stride = 8; });
  transpose("input past the buffer", Fault::kBufferRange, end, [&](T& t) { t.in_base = end - 64; });
  transpose("input before the buffer", Fault::kBufferRange, 0xfffffff0,
            [](T& t) { t.in_row_stride = -16; });
  transpose("output past the buffer", Fault::kBufferRange, end, [&](T& t) { t.out_base = end; });
}

// The reset pin, or an abort, in the middle of kernels and transposes.
TEST_P(KernelFaultsTest, AResetAtAnyCycleLeavesUnitsUsable) {
  Kernel kernel = Good();
  kernel.bundles[0].loop_start = kernel.bundles[1].loop_end = 1 << 5;
  kernel.vector.counts = {8, 1, 1, 1, 1, 4};
  arch::Transpose transpose;
  transpose.engine = static_cast<uint32_t>(Engine::kXlu);
  transpose.counts = {20, 1, 1, 1, 1, 1};
  transpose.rows_level = transpose.cols_level = arch::kNoLevel;
  transpose.rows_limit = transpose.cols_limit = 8;
  transpose.in_row_stride = transpose.out_row_stride = 8;
  transpose.out_base = 0x2000;
  ProgramWriter program;
  golden::AppendBundles(program, kernel.bundles);
  program.Append(Opcode::kStream, kernel.in);
  program.Append(Opcode::kStream, kernel.out);
  for (int i = 0; i < 4; ++i) program.Append(Opcode::kTranspose, transpose);
  for (int i = 0; i < 4; ++i) program.Append(Opcode::kVector, kernel.vector);
  program.Halt();
  for (int trial = 0; trial < 100; ++trial) {
    ASSERT_TRUE(golden::StartJob(*chip_, config_, program.words()).ok());
    ASSERT_TRUE(chip_->RunCycles(rng_.Below(1500)).ok());
    if (rng_.Chance(0.5)) {
      ASSERT_TRUE(chip_->Reset().ok());
    } else {
      Write(arch::Csr::kControl,
            1u << arch::kControlAbortLsb | 1u << arch::kControlResetLsb);
      for (int i = 0; i < 1000 && State() != 0; ++i) ASSERT_TRUE(chip_->RunCycles(50).ok());
      Write(arch::Csr::kInterruptStatus, 3);
    }
    ASSERT_EQ(State(), 0u);
    ExpectKernelsWork();
    if (HasFailure()) FAIL() << "trial " << trial;
  }
}

INSTANTIATE_TEST_SUITE_P(Backends, KernelFaultsTest,
                         testing::Values(Backend{"Golden", "golden"}, Backend{"Rtl", "rtl"}),
                         [](const auto& info) { return info.param.name; });

}  // namespace
}  // namespace systolith::backends
