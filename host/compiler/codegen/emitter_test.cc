#include "host/compiler/codegen/emitter.h"

#include <gtest/gtest.h>

#include "host/compiler/codegen/transfer.h"
#include "host/isa/instruction.h"

namespace systolith::compiler {
namespace {

arch::ChipConfig Chip() {
  arch::ChipConfig chip;
  chip.mxu_rows = chip.mxu_cols = 8;
  chip.mxu_count = 8;
  chip.buffer_bytes = 1 << 16;
  return chip;
}

arch::Dma OneRun() {
  arch::Dma dma;
  dma.counts.fill(1);
  dma.run_bytes = dma.buffer_run_bytes = 64;
  return dma;
}
arch::Matmul Product() {
  arch::Matmul matmul;
  matmul.counts.fill(1);
  return matmul;
}
arch::Vector Row() {
  arch::Vector vector;
  vector.counts.fill(1);
  return vector;
}

arch::LoadKernel EmptyKernel() {
  arch::LoadKernel load;
  load.count = 1;
  arch::Bundle bundle;
  bundle.exit = 1;
  arch::Encode(bundle, load.data);
  return load;
}

std::vector<isa::Instruction> Decode(const isa::Program& program) {
  std::vector<isa::Instruction> instructions;
  for (uint32_t pc = 0; pc < program.bytes();) {
    instructions.push_back(*isa::Instruction::Decode(program.words, pc));
    pc += instructions.back().info->words * 4;
  }
  return instructions;
}

TEST(EmitterTest, WaitsForWhatConflictsAndIsNotKnown) {
  Emitter emitter(Chip());
  emitter.LoadKernel(EmptyKernel());
  AccessLog a, b, accumulator;
  emitter.Load(OneRun(), {{}, {}, {&a}});
  emitter.Load(OneRun(), {{}, {}, {&b}});
  emitter.Matmul(arch::Engine::kMxu0, Product(), {{&a}, {&b}, {&accumulator}});
  emitter.Vector(Row(), {{&accumulator}, {}, {}});
  emitter.Vector(Row(), {{&a, &accumulator}, {}, {}});  // known through the product
  emitter.Load(OneRun(), {{}, {}, {&a}});                  // read by product and vector
  Result<isa::Program> program = emitter.Finish();
  ASSERT_TRUE(program.ok()) << program.status().message();
  const std::vector<isa::Instruction> instructions = Decode(*program);
  EXPECT_TRUE(instructions[1].waits.empty());
  ASSERT_EQ(instructions[3].waits.size(), 2u);
  EXPECT_EQ(instructions[3].waits[0].target, 1u);
  EXPECT_EQ(instructions[3].waits[0].weights, 0u);
  EXPECT_EQ(instructions[3].waits[1].target, 2u);
  EXPECT_EQ(instructions[3].waits[1].weights, 1u);
  EXPECT_EQ(instructions[4].waits.size(), 1u);
  EXPECT_TRUE(instructions[5].waits.empty());
  // The last vector knows of the product: one wait would do, the emitter takes at most two.
  EXPECT_GE(instructions[6].waits.size(), 1u);
  EXPECT_LE(instructions[6].waits.size(), 2u);
}

TEST(EmitterTest, MoreThanFourWaitsTakeASync) {
  Emitter emitter(Chip());
  AccessLog place;
  for (uint32_t mxu = 0; mxu < 6; ++mxu) {
    emitter.Matmul(static_cast<arch::Engine>(static_cast<uint32_t>(arch::Engine::kMxu0) + mxu),
                   Product(), {{&place}, {}, {}});
  }
  emitter.Load(OneRun(), {{}, {}, {&place}});
  Result<isa::Program> program = emitter.Finish();
  ASSERT_TRUE(program.ok()) << program.status().message();
  const std::vector<isa::Instruction> instructions = Decode(*program);
  EXPECT_EQ(instructions[6].info->name, "sync");
  EXPECT_EQ(instructions[6].waits.size(), 4u);
  EXPECT_EQ(instructions[7].info->name, "load");
  EXPECT_EQ(instructions[7].waits.size(), 2u);
}

TEST(EmitterTest, AStrideThatDoesNotFitIsAnError) {
  Emitter emitter(Chip());
  EXPECT_EQ(emitter.Stride(-5), -5);
  emitter.Stride(int64_t{1} << 31);
  EXPECT_EQ(emitter.Finish().status().code(), StatusCode::kUnsupported);
}

arch::Dma OnlyLoad(const Transfer& transfer) {
  Emitter emitter(Chip());
  EmitLoad(emitter, transfer, {});
  Result<isa::Program> program = emitter.Finish();
  EXPECT_TRUE(program.ok()) << program.status().message();
  return arch::DecodeDma(program->words);
}

TEST(TransferTest, JoinsWhatIsContiguousAndPadsTheRest) {
  Transfer transfer;
  transfer.element_bytes = 2;
  transfer.pad_bytes = 16;
  transfer.dimensions = {{4, 200, 200}, {10, 20, 20}, {10, 2, 2}};  // all dense
  EXPECT_EQ(OnlyLoad(transfer).run_bytes, 800u);
  transfer.dimensions = {{4, 200, 320}, {10, 20, 32}, {10, 2, 2}};  // rows of 10 padded to 16
  const arch::Dma rows = OnlyLoad(transfer);
  EXPECT_EQ(rows.run_bytes, 20u);
  EXPECT_EQ(rows.buffer_run_bytes, 32u);
  EXPECT_EQ(rows.counts[5], 40u);
  EXPECT_TRUE(FillsPadding(transfer));
}

TEST(TransferTest, ElementsOfATransposeGetNoPadding) {
  Transfer transfer;
  transfer.element_bytes = 2;
  transfer.pad_bytes = 16;
  transfer.dimensions = {{5, 2, 16}, {3, 10, 2}};
  const arch::Dma load = OnlyLoad(transfer);
  EXPECT_EQ(load.run_bytes, 2u);
  EXPECT_EQ(load.buffer_run_bytes, 2u);
  EXPECT_FALSE(FillsPadding(transfer));
}

}  // namespace
}  // namespace systolith::compiler
