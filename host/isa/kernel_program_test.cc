#include <gmock/gmock.h>

#include "host/isa/assembler.h"
#include "host/isa/check.h"
#include "host/isa/disassembler.h"
#include "host/isa/kernel_text.h"

namespace systolith::isa {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

constexpr auto kVpu = static_cast<uint32_t>(arch::Engine::kVpu);
constexpr uint32_t kBase = 30;

// w0 = copy in1; then v1 = add_f32 in0, 2.5 in loop 5; then out1[3] = reduced.
KernelView Sample() {
  arch::Bundle prologue;
  prologue.a_op = static_cast<uint32_t>(arch::AluOp::kCopy);
  prologue.a_dst = arch::kOperandShared;
  prologue.a_x = arch::kOperandInput + 1;
  prologue.exit = 1;
  arch::Bundle looped;
  looped.b_op = static_cast<uint32_t>(arch::AluOp::kAddF32);
  looped.b_dst = 1;
  looped.b_x = arch::kOperandInput;
  looped.b_y = arch::kOperandConstant;
  looped.lane_op = static_cast<uint32_t>(arch::LaneOp::kRotateLanes);
  looped.lane_dst = 2;
  looped.lane_x = 1;
  looped.lane_z = arch::kOperandScalar + 4;
  looped.loop_start = looped.loop_end = 1u << 5;
  arch::Bundle last;
  last.a_op = static_cast<uint32_t>(arch::AluOp::kLookup);
  last.a_dst = arch::kOperandOutput + 1;
  last.a_x = 2;
  last.a_y = arch::kOperandConstant + 1;
  last.a_step = 3;
  last.exit = 1;
  KernelView kernel;
  for (const arch::Bundle& bundle : {prologue, looped, last}) {
    Encode(bundle, kernel.bundles.emplace_back());
  }
  kernel.constants = {0x40200000, 7, 0x3f800000};
  kernel.body = 1;
  kernel.has_prologue = true;
  return kernel;
}

struct Parts {
  bool bundles = true, constants = true;
  uint32_t streams = 0b100011;
};

// A program that runs the sample.
Result<Program> Write(const Parts& parts, arch::Vector vector) {
  const KernelView kernel = Sample();
  Assembler assembler;
  assembler.SetLine("softmax", 12);
  arch::LoadKernel load;
  load.engine = kVpu;
  load.first = kBase;
  load.count = 3;
  for (uint32_t i = 0; i < 3; ++i) {
    std::copy(kernel.bundles[i].begin(), kernel.bundles[i].end(),
              load.data.begin() + i * arch::kBundleWords);
  }
  if (parts.bundles) (void)assembler.Append(arch::Opcode::kLoadKernel, load);
  load.part = static_cast<uint32_t>(arch::KernelPart::kConstants);
  std::copy(kernel.constants.begin(), kernel.constants.end(), load.data.begin());
  if (parts.constants) (void)assembler.Append(arch::Opcode::kLoadKernel, load);
  for (uint32_t stream = 0; stream < 6; ++stream) {
    arch::Stream description;
    description.engine = kVpu;
    description.index = stream;
    description.type = static_cast<uint32_t>(arch::LaneType::kBf16);
    if ((parts.streams >> stream & 1) != 0) {
      (void)assembler.Append(arch::Opcode::kStream, description);
    }
  }
  assembler.SetKernel("sample");
  (void)assembler.Append(arch::Opcode::kVector, vector);
  return assembler.Finish();
}

arch::Vector Vector() {
  arch::Vector vector;
  vector.engine = kVpu;
  vector.counts = {4, 1, 1, 1, 1, 9};
  vector.kernel_level = 1;
  vector.body = 1;
  vector.kernel_base = vector.constant_base = kBase;
  return vector;
}

TEST(KernelProgramTest, IsListedWithItsKernel) {
  const Result<Program> program = Write({}, Vector());
  ASSERT_TRUE(program.ok()) << program.status().message();
  const std::string text = Disassemble(*program);
  EXPECT_THAT(text, HasSubstr("vpu       load_kernel part=bundles first=30 count=3\n"
                              ";    30  w0 = copy in1 | exit\n"));
  EXPECT_THAT(text, HasSubstr("vpu       load_kernel part=constants first=30 count=3\n"
                              ";   0x40200000 0x7 0x3f800000\n"));
  EXPECT_THAT(text, HasSubstr("vpu       stream index=1 type=bf16\n"));
  EXPECT_THAT(text, HasSubstr("vpu       vector counts=[4,1,1,1,1,9] kernel_level=1"));
  EXPECT_THAT(text, HasSubstr("; runs kernel sample\n"
                              ";   prologue\n"
                              ";       0  w0 = copy in1\n"
                              ";   end\n"
                              ";   body\n"
                              ";     loop 5\n"
                              ";         1  v1 = add_f32 in0, 2.5   | v2 = rotate_lanes v1, s4\n"
                              ";     end\n"
                              ";       2  out1[3] = lookup v2, c1\n"
                              ";   end\n"
                              ";   table c1 = 7, 1.0\n"));
  EXPECT_EQ(program->KernelAt(program->kernels.at(0).pc), "sample");
  EXPECT_EQ(program->KernelAt(0), "");
}

TEST(KernelProgramTest, AKernelOrStreamThatIsMissingIsAnError) {
  EXPECT_THAT(Write({.bundles = false}, Vector()).status().message(),
              AllOf(HasSubstr("kernel at bundle 30"), HasSubstr("load_kernel")));
  EXPECT_THAT(Write({.streams = 0b100001}, Vector()).status().message(),
              HasSubstr("names in1, which no stream"));
  EXPECT_THAT(Write({.streams = 0b000011}, Vector()).status().message(),
              HasSubstr("names out1, which no stream"));
  arch::Vector elsewhere = Vector();
  elsewhere.kernel_base = kBase + 2;
  EXPECT_FALSE(Write({}, elsewhere).ok());
}

TEST(KernelProgramTest, WithoutAPrologueItsBundlesAndStreamsAreNotNeeded) {
  arch::Vector vector = Vector();
  vector.prologue_level = arch::kNoLevel;
  EXPECT_TRUE(Write({.streams = 0b100001}, vector).ok());
}

TEST(KernelProgramTest, AKernelWhosePlaceIsPatchedIsNotChecked) {
  arch::Vector vector = Vector();
  vector.patch0_word = 19;
  vector.patch0_reg = 3;
  EXPECT_TRUE(Write({.bundles = false}, vector).ok());
}

TEST(KernelProgramTest, LevelsEndAtTheKernels) {
  arch::Vector vector = Vector();
  vector.signal0_valid = 1;
  vector.signal0_level = 1;
  EXPECT_TRUE(Write({}, vector).ok());
  vector.signal0_level = 2;
  EXPECT_THAT(Write({}, vector).status().message(), HasSubstr("signal of level 2"));
}

TEST(KernelProgramTest, EnginesExecuteTheirOwnInstructionsOnly) {
  arch::Transpose transpose;
  transpose.counts.fill(1);
  for (const auto& [engine, fits] : {std::pair(arch::Engine::kXlu, true),
                                     std::pair(arch::Engine::kVpu, false)}) {
    Assembler assembler;
    transpose.engine = static_cast<uint32_t>(engine);
    ASSERT_TRUE(assembler.Append(arch::Opcode::kTranspose, transpose).ok());
    EXPECT_EQ(assembler.Finish().ok(), fits);
  }
}

TEST(KernelTextTest, CodesWithoutMeaningAreShown) {
  arch::Bundle bundle;
  bundle.a_op = 200;
  bundle.a_dst = 75;
  bundle.b_op = static_cast<uint32_t>(arch::AluOp::kCopy);
  bundle.b_x = 70;
  EXPECT_EQ(BundleText(bundle, {}), "?75 = unknown operation 200 | v0 = copy ?70");
  EXPECT_EQ(BundleText({}, {}), "nothing");
}

TEST(KernelTextTest, NumbersAreShort) {
  EXPECT_EQ(LaneText(0x3f800000, true), "1.0");
  EXPECT_EQ(LaneText(0x80000000, true), "-0.0");
  EXPECT_EQ(LaneText(0x7fc00001, true), "0x7fc00001");
  EXPECT_EQ(LaneText(0x3dcccccd, true), "0.1");
  EXPECT_EQ(LaneText(0xffffffff, false), "-1");
  EXPECT_EQ(LaneText(0x3f800000, false), "0x3f800000");
}

}  // namespace
}  // namespace systolith::isa
