#include "host/isa/assembler.h"

#include <gmock/gmock.h>

#include "host/isa/check.h"
#include "host/isa/disassembler.h"

namespace systolith::isa {
namespace {

using ::testing::HasSubstr;

constexpr auto kLoadEngine = static_cast<uint32_t>(arch::Engine::kDmaLoad);
constexpr auto kMxu0 = static_cast<uint32_t>(arch::Engine::kMxu0);

arch::Dma Load() {
  arch::Dma load;
  load.engine = kLoadEngine;
  load.counts = {1, 1, 1, 1, 2, 3};
  load.run_bytes = load.buffer_run_bytes = 64;
  load.hbm_strides[5] = -64;
  load.signal0_valid = 1;
  load.signal0_flag = 5;
  load.signal0_level = 5;
  return load;
}

arch::Matmul MatmulAfter(uint32_t target) {
  arch::Matmul matmul;
  matmul.engine = kMxu0;
  matmul.counts.fill(1);
  matmul.wait0_valid = 1;
  matmul.wait0_flag = 5;
  matmul.wait0_target = target;
  return matmul;
}

TEST(AssemblerTest, ListsWhatItEncoded) {
  Assembler assembler;
  assembler.SetLine("dot_general", 7);
  ASSERT_TRUE(assembler.Append(arch::Opcode::kLoad, Load()).ok());
  assembler.SetLine("add", 9);
  ASSERT_TRUE(assembler.Append(arch::Opcode::kMatmul, MatmulAfter(2)).ok());
  Result<Program> program = assembler.Finish();
  ASSERT_TRUE(program.ok()) << program.status().message();
  const std::string text = Disassemble(*program);
  EXPECT_THAT(text, HasSubstr("; dot_general at line 7"));
  EXPECT_THAT(text, HasSubstr("dma_load  load counts=[1,1,1,1,2,3]"));
  EXPECT_THAT(text, HasSubstr("hbm_strides=[0,0,0,0,0,-64]"));
  EXPECT_THAT(text, HasSubstr("signal f5@5"));
  EXPECT_THAT(text, HasSubstr("mxu0      matmul wait f5>=2@0"));
  EXPECT_EQ(program->LineOf(arch::kDmaWords * 4)->line, 9);
  EXPECT_EQ(program->LineOf(arch::kDmaWords * 4 - 16)->line, 7);
}

TEST(AssemblerTest, AValueThatDoesNotFitIsAnErrorThatNamesTheField) {
  Assembler assembler;
  arch::Dma load = Load();
  load.segment = 256;
  const Status status = assembler.Append(arch::Opcode::kLoad, load);
  EXPECT_FALSE(status.ok());
  EXPECT_THAT(status.message(), HasSubstr("segment"));
  EXPECT_FALSE(assembler.Finish().ok());
}

TEST(AssemblerTest, RefusesAWaitForASignalThatComesLater) {
  Assembler assembler;
  ASSERT_TRUE(assembler.Append(arch::Opcode::kLoad, Load()).ok());  // raises flag 5 twice
  ASSERT_TRUE(assembler.Append(arch::Opcode::kMatmul, MatmulAfter(3)).ok());
  ASSERT_TRUE(assembler.Append(arch::Opcode::kLoad, Load()).ok());
  Result<Program> program = assembler.Finish();
  ASSERT_FALSE(program.ok());
  EXPECT_THAT(program.status().message(), HasSubstr("flag 5 reaches 3"));
}

TEST(AssemblerTest, CountsTheStepsOfAWait) {
  arch::Matmul matmul = MatmulAfter(1);
  matmul.counts[0] = 2;
  matmul.wait0_level = 1;
  matmul.wait0_step = 1;
  for (const uint32_t count : {2u, 3u}) {
    Assembler assembler;
    ASSERT_TRUE(assembler.Append(arch::Opcode::kLoad, Load()).ok());
    matmul.counts[0] = count;
    ASSERT_TRUE(assembler.Append(arch::Opcode::kMatmul, matmul).ok());
    EXPECT_EQ(assembler.Finish().ok(), count == 2);
  }
}

TEST(AssemblerTest, RefusesAFlagOfTwoEngines) {
  Assembler assembler;
  arch::Matmul matmul = MatmulAfter(0);
  matmul.signal0_valid = 1;
  matmul.signal0_flag = 5;
  ASSERT_TRUE(assembler.Append(arch::Opcode::kLoad, Load()).ok());
  ASSERT_TRUE(assembler.Append(arch::Opcode::kMatmul, matmul).ok());
  Result<Program> program = assembler.Finish();
  ASSERT_FALSE(program.ok());
  EXPECT_THAT(program.status().message(), HasSubstr("two engines"));
}

TEST(AssemblerTest, HasFortyEightFlags) {
  Assembler assembler;
  for (uint32_t flag = 0; flag < 48; ++flag) EXPECT_EQ(*assembler.AllocateFlag(), flag);
  EXPECT_FALSE(assembler.AllocateFlag().ok());
}

TEST(CheckTest, NamesWhatIsNoInstruction) {
  Assembler assembler;
  ASSERT_TRUE(assembler.Append(arch::Opcode::kLoad, Load()).ok());
  Result<Program> program = assembler.Finish();
  ASSERT_TRUE(program.ok());
  std::vector<uint32_t> words = program->words;
  words[0] ^= 0x80;
  EXPECT_THAT(CheckProgram(words).message(), HasSubstr("unknown opcode"));
  words = program->words;
  words[0] ^= 1u << 8;
  EXPECT_THAT(CheckProgram(words).message(), HasSubstr("does not execute load"));
  words = program->words;
  words.resize(20);
  EXPECT_THAT(CheckProgram(words).message(), HasSubstr("beyond the program"));
}

}  // namespace
}  // namespace systolith::isa
