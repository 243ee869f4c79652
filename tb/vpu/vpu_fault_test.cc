// Every fault of rtl/vpu/vpu.sv, at its pins: cause, pc and address as the golden model has them, and
// the unit works afterwards.

#include <functional>
#include <string>

#include "tb/vpu/vpu_fixture.h"

namespace systolith::tb {
namespace {

using arch::AluOp;
using arch::Fault;
using arch::LaneOp;
using arch::LaneType;

// A legal program that a case spoils: two instances copy in0 and in1 to out0 and out1.
struct Spoiled {
  arch::Vector vector = EmptyVector();
  std::vector<arch::Stream> streams;
  std::vector<arch::Bundle> bundles{3};
  std::optional<arch::LoadKernel> load;
};

struct FaultCase {
  const char* name;
  Fault cause;
  std::function<void(Spoiled&)> spoil;
};

uint32_t Code(AluOp op) { return static_cast<uint32_t>(op); }
uint32_t Code(LaneOp op) { return static_cast<uint32_t>(op); }

Spoiled LegalProgram(const VpuSizes& sizes) {
  Spoiled program;
  program.vector.counts = {1, 1, 1, 2, 3, 1};
  program.vector.kernel_level = 4;
  for (const uint32_t q : {0u, 1u, 4u, 5u}) {
    arch::Stream stream = OpenStream(q, LaneType::kF32);
    stream.strides[3] = 4096;
    stream.strides[4] = 1024;
    stream.strides[6] = sizes.Elements() * 4;
    stream.strides[7] = sizes.lanes * 4;
    program.streams.push_back(stream);
    program.vector.bases[q] = static_cast<int32_t>(q * 32768);
  }
  arch::Bundle& first = program.bundles[0];
  first.a_op = first.b_op = Code(AluOp::kCopy);
  first.a_x = arch::kOperandInput;
  first.b_x = arch::kOperandInput + 1;
  first.b_dst = 1;
  first.loop_start = 1 << 4;
  arch::Bundle& second = program.bundles[1];
  second = first;
  second.loop_start = 0;
  second.loop_end = 1 << 4;
  second.a_x = 0;
  second.a_dst = arch::kOperandOutput;
  second.b_x = 1;
  second.b_dst = arch::kOperandOutput + 1;
  program.bundles[2].exit = 1;
  return program;
}

arch::LoadKernel LoadOf(arch::KernelPart part, uint32_t first, uint32_t count) {
  auto load = VpuFormat<arch::LoadKernel>(arch::Opcode::kLoadKernel);
  load.quads = arch::kLoadKernelWords / 4;
  load.part = static_cast<uint32_t>(part);
  load.first = first;
  load.count = count;
  return load;
}

const std::vector<FaultCase>& Cases() {
  using P = Spoiled&;
  constexpr uint32_t kAccumulator = static_cast<uint32_t>(arch::StreamSource::kAccumulator);
  constexpr uint32_t kLastByte = VpuSizes::kBufferBytes - 1;
  static const std::vector<FaultCase> cases = {
      {"opcode", Fault::kIllegalOpcode, [](P p) { p.vector.opcode = 17; }},
      {"kernel level", Fault::kIllegalField, [](P p) { p.vector.kernel_level = 7; }},
      {"prologue level", Fault::kIllegalField, [](P p) { p.vector.prologue_level = 5; }},
      {"wait level", Fault::kIllegalField,
       [](P p) { p.vector.wait3_valid = 1, p.vector.wait3_level = 5; }},
      {"signal level", Fault::kIllegalField,
       [](P p) { p.vector.signal1_valid = 1, p.vector.signal1_level = 5; }},
      {"stream index", Fault::kIllegalField, [](P p) { p.streams[3].index = 6; }},
      {"stream type", Fault::kIllegalField, [](P p) { p.streams[1].type = 9; }},
      {"stream source", Fault::kIllegalField, [](P p) { p.streams[1].source = 3; }},
      {"output with source", Fault::kIllegalField, [](P p) { p.streams[2].source = 2; }},
      {"unit", Fault::kIllegalField,
       [](P p) { p.streams[0].source = kAccumulator, p.streams[0].unit = 2; }},
      {"accumulator flat", Fault::kIllegalField,
       [](P p) { p.streams[0].source = kAccumulator, p.streams[0].flat = 1; }},
      {"accumulator spread", Fault::kIllegalField,
       [](P p) { p.streams[0].source = kAccumulator, p.streams[0].spread = 2; }},
      {"accumulator gather", Fault::kIllegalField,
       [](P p) { p.streams[0].source = kAccumulator, p.streams[0].gather = 1; }},
      {"flat spread", Fault::kIllegalField,
       [](P p) { p.streams[3].flat = 1, p.streams[3].spread = 3; }},
      {"flat gather", Fault::kIllegalField,
       [](P p) { p.streams[0].flat = 1, p.streams[0].gather = 1; }},
      {"gather of an output", Fault::kIllegalField, [](P p) { p.streams[2].gather = 1; }},
      {"gather of iota", Fault::kIllegalField,
       [](P p) { p.streams[0].source = 2, p.streams[0].gather = 1; }},
      {"bundles beyond memory", Fault::kIllegalField,
       [](P p) { p.load = LoadOf(arch::KernelPart::kBundles, 510, 3); }},
      {"constants beyond memory", Fault::kIllegalField,
       [](P p) { p.load = LoadOf(arch::KernelPart::kConstants, 1000, 25); }},
      {"too many bundles", Fault::kIllegalField,
       [](P p) { p.load = LoadOf(arch::KernelPart::kBundles, 0, 11); }},
      {"too many constants", Fault::kIllegalField,
       [](P p) { p.load = LoadOf(arch::KernelPart::kConstants, 0, 51); }},
      {"no constants", Fault::kIllegalField,
       [](P p) { p.load = LoadOf(arch::KernelPart::kConstants, 0, 0); }},

      {"unknown operation", Fault::kKernelOpcode, [](P p) { p.bundles[1].a_op = 200; }},
      {"unknown operation b", Fault::kKernelOpcode, [](P p) { p.bundles[2].b_op = 99; }},
      {"operation of slot a", Fault::kKernelOpcode,
       [](P p) { p.bundles[1].b_op = Code(AluOp::kDivideF32); }},
      {"unknown lane operation", Fault::kKernelOpcode, [](P p) { p.bundles[0].lane_op = 11; }},
      {"operation and register", Fault::kKernelOpcode,
       [](P p) { p.bundles[1].a_dst = 100, p.bundles[1].lane_op = 40; }},

      {"operand 68", Fault::kKernelRegister, [](P p) { p.bundles[1].a_x = 68; }},
      {"operand 79", Fault::kKernelRegister, [](P p) { p.bundles[1].a_x = 79; }},
      {"operand 96", Fault::kKernelRegister, [](P p) { p.bundles[1].b_x = 96; }},
      {"operand y", Fault::kKernelRegister,
       [](P p) { p.bundles[1].a_op = Code(AluOp::kAddF32), p.bundles[1].a_y = 127; }},
      {"operand z", Fault::kKernelRegister,
       [](P p) { p.bundles[1].a_op = Code(AluOp::kSelect), p.bundles[1].a_z = 72; }},
      {"destination in0", Fault::kKernelRegister, [](P p) { p.bundles[1].a_dst = 64; }},
      {"destination 74", Fault::kKernelRegister, [](P p) { p.bundles[1].b_dst = 74; }},
      {"w in a body", Fault::kKernelRegister, [](P p) { p.bundles[0].a_dst = 40; }},
      {"one destination", Fault::kKernelRegister, [](P p) { p.bundles[0].b_dst = 0; }},
      {"one output", Fault::kKernelRegister,
       [](P p) { p.bundles[1].b_dst = arch::kOperandOutput; }},
      {"lane destination", Fault::kKernelRegister,
       [](P p) { p.bundles[1].lane_op = 1, p.bundles[1].lane_dst = 72; }},
      {"lane and slot destination", Fault::kKernelRegister,
       [](P p) { p.bundles[0].lane_op = 1, p.bundles[0].lane_dst = 1; }},
      {"lane operand", Fault::kKernelRegister,
       [](P p) { p.bundles[1].lane_op = 1, p.bundles[1].lane_x = 64; }},
      {"lane amount", Fault::kKernelRegister,
       [](P p) { p.bundles[1].lane_op = Code(LaneOp::kRotateLanes), p.bundles[1].lane_z = 1; }},
      {"table", Fault::kKernelRegister,
       [](P p) { p.bundles[1].a_op = Code(AluOp::kLookup), p.bundles[1].a_y = 80; }},

      {"loop of instances", Fault::kKernelLoop, [](P p) { p.bundles[0].loop_start |= 1 << 3; }},
      {"end of no loop", Fault::kKernelLoop, [](P p) { p.bundles[1].loop_end |= 1 << 5; }},
      {"exit inside a loop", Fault::kKernelLoop, [](P p) { p.bundles[0].exit = 1; }},
      {"no exit", Fault::kKernelLoop,
       [](P p) { p.vector.kernel_base = 509, p.bundles[2].exit = 0; }},
      {"body beyond memory", Fault::kKernelLoop, [](P p) { p.vector.body = 0xffff; }},
      {"too many", Fault::kKernelLoop, [](P p) { p.vector.bundle_limit = 6; }},

      {"stream not described", Fault::kKernelStream,
       [](P p) { p.bundles[1].a_x = arch::kOperandInput + 3; }},
      {"steps differ", Fault::kKernelStream,
       [](P p) { p.bundles[0].b_x = arch::kOperandInput, p.bundles[0].b_step = 1; }},
      {"too many groups in", Fault::kKernelStream, [](P p) { p.streams[1].groups_limit = 2; }},
      {"too many groups out", Fault::kKernelStream, [](P p) { p.streams[2].groups_limit = 1; }},

      {"in0 misaligned", Fault::kMisaligned, [](P p) { p.vector.bases[0] = 36; }},
      {"in0 before the buffer", Fault::kBufferRange, [](P p) { p.vector.bases[0] = -4096; }},
      {"in1 behind the buffer", Fault::kBufferRange,
       [](P p) { p.vector.bases[1] = kLastByte + 1 - 4096 - 1024; }},
      {"out0 misaligned", Fault::kMisaligned, [](P p) { p.vector.bases[4] += 8; }},
      {"out1 behind the buffer", Fault::kBufferRange,
       [](P p) { p.vector.bases[5] = kLastByte + 1; }},
      {"accumulator row", Fault::kAccumulatorRange,
       [](P p) {
         p.streams[0].source = kAccumulator;
         p.streams[0].strides = {0, 0, 0, 1, 1, 0, 0, 0};
         p.vector.bases[0] = 2 * VpuSizes::kAccumulatorRows - 3;
       }},
      {"index", Fault::kGatherIndex,
       [](P p) { p.streams[0].gather = 1, p.streams[0].gather_base = 131072; }},
      {"index misaligned", Fault::kMisaligned,
       [](P p) { p.streams[0].gather = 1, p.streams[0].gather_base = 2; }},
      {"index outside", Fault::kBufferRange,
       [](P p) { p.streams[0].gather = 1, p.streams[0].gather_base = kLastByte + 1; }},
  };
  return cases;
}

template <typename Bench>
class VpuFaultTest : public VpuTest<Bench> {
 protected:
  std::vector<VpuInstruction> Encode(const Spoiled& from) {
    std::vector<VpuInstruction> program;
    AppendBundles(program, from.bundles, from.vector.kernel_base);
    const auto pc = [&] { return static_cast<uint32_t>(0x1000 + 0x10 * program.size()); };
    if (from.load) program.emplace_back(*from.load, pc());
    for (const arch::Stream& stream : from.streams) program.emplace_back(stream, pc());
    program.emplace_back(from.vector, pc());
    return program;
  }
};
TYPED_TEST_SUITE(VpuFaultTest, Benches);

TYPED_TEST(VpuFaultTest, LegalProgramRuns) {
  TypeParam bench(this->rng_, 0.3);
  VpuModel model(this->kSizes);
  this->CopyState(bench, model);
  this->Compare(bench, model, this->Encode(LegalProgram(this->kSizes)));
}

TYPED_TEST(VpuFaultTest, FaultsAsTheContractSays) {
  for (const double stall : {0.0, 0.4}) {
    TypeParam bench(this->rng_, stall);
    VpuModel model(this->kSizes);
    for (const FaultCase& fault_case : Cases()) {
      SCOPED_TRACE(fault_case.name);
      this->CopyState(bench, model);
      Spoiled spoiled = LegalProgram(this->kSizes);
      fault_case.spoil(spoiled);
      bool faulted = false;
      for (const VpuInstruction& instruction : this->Encode(spoiled)) {
        faulted = faulted || !model.Execute(instruction);
        bench.Push(instruction);
      }
      // An opcode of another engine never reaches the model's unit.
      const bool foreign = fault_case.cause == Fault::kIllegalOpcode;
      ASSERT_TRUE(faulted || foreign);
      if (foreign) model.fault = {.cause = fault_case.cause, .pc = bench.LastPc()};
      ASSERT_EQ(model.fault.cause, fault_case.cause);
      ASSERT_NO_FATAL_FAILURE(this->Run(bench));
      ASSERT_TRUE(bench.fault.has_value());
      EXPECT_EQ(bench.fault->cause, fault_case.cause);
      EXPECT_EQ(bench.fault->pc, model.fault.pc);
      EXPECT_EQ(bench.fault->address, model.fault.address);
      for (int i = 0; i < 50; ++i) bench.Step();  // nothing more happens
      bench.Abort();
      ASSERT_TRUE(bench.dut.idle_o);
      model.Clear();
      this->CopyState(bench, model);
      ASSERT_NO_FATAL_FAILURE(
          this->Compare(bench, model, this->CopyProgram({1, 1, 1, 1, 3, 2}, 0, 131072)));
      if (this->HasFailure()) return;
    }
  }
}

// Random bits in a kernel: the unit agrees that it is legal, or which fault it has.
TYPED_TEST(VpuFaultTest, SpoiledKernels) {
  TypeParam bench(this->rng_, 0.2);
  VpuModel model(this->kSizes);
  VpuProgramWriter writer(this->rng_, this->kSizes);
  int faults = 0;
  for (int round = 0; round < 60; ++round) {
    writer.PlaceIndices(this->rng_, bench.memory);
    this->CopyState(bench, model);
    std::vector<VpuInstruction> program = writer.Write(round % 2);
    const int flips = static_cast<int>(this->rng_.Range(1, 2));
    for (int i = 0; i < flips; ++i) {
      // The first instruction loads the first bundles.
      arch::LoadKernel load = arch::DecodeLoadKernel(program.front().words);
      const uint64_t word = this->rng_.Below(load.count * arch::kBundleWords);
      const uint32_t bits = word % arch::kBundleWords == 4 ? 22 : 32;
      load.data[word] ^= 1u << this->rng_.Below(bits);
      program.front() = VpuInstruction(load);
    }
    bool faulted = false;
    for (const VpuInstruction& instruction : program) {
      faulted = faulted || !model.Execute(instruction);
      bench.Push(instruction);
    }
    ASSERT_NO_FATAL_FAILURE(this->Run(bench));
    ASSERT_EQ(bench.fault.has_value(), faulted);
    const bool of_kernel = faulted && model.fault.cause >= Fault::kKernelOpcode;
    // Instances run in lockstep here: a later one may reach an address outside first.
    if (of_kernel && bench.fault->cause >= Fault::kKernelOpcode) {
      faults++;
      EXPECT_EQ(bench.fault->cause, model.fault.cause);
      EXPECT_EQ(bench.fault->address, model.fault.address);
      EXPECT_EQ(bench.fault->pc, model.fault.pc);
    }
    bench.Abort();
    model.Clear();
    if (this->HasFailure()) return;
  }
  EXPECT_GT(faults, 5);
}

}  // namespace
}  // namespace systolith::tb
