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

// What the sequencer and the engines do: engines at once, in program order.
class Execution {
 public:
  explicit Execution(const isa::Program& program) {
    for (uint32_t pc = 0;;) {
      const isa::Instruction instruction = *isa::Instruction::Decode(program.words, pc);
      pc += instruction.info->words * 4;
      if (instruction.engine != 0) {
        for (const isa::Instruction::Wait& wait : instruction.waits) {
          Expect(wait.flag, wait.target + scalars_[wait.reg], instruction.pc);
        }
        for (const isa::Instruction::Signal& signal : instruction.signals) ++flags_[signal.flag];
        continue;
      }
      const arch::Scalar scalar = arch::DecodeScalar(instruction.words);
      const auto imm = static_cast<uint32_t>(scalar.imm);
      const auto left = static_cast<int32_t>(scalars_[scalar.rs]);
      switch (instruction.info->opcode) {
        case arch::Opcode::kHalt: return;
        case arch::Opcode::kAdd: scalars_[scalar.rd] = scalars_[scalar.rs] + imm; break;
        case arch::Opcode::kAwait:
          Expect(scalar.target, imm + scalars_[scalar.rs], instruction.pc);
          break;
        case arch::Opcode::kLoadScalar:
          scalars_[scalar.rd] = loaded_++ % 5 == 4 ? 0 : 1;  // four times round, then out
          break;
        default: {
          const auto condition = static_cast<arch::Condition>(scalar.condition);
          const bool equal = left == scalar.imm;
          if (condition == arch::Condition::kAlways ||
              equal == (condition == arch::Condition::kEq)) {
            pc = scalar.target;
          }
        }
      }
    }
  }
  uint32_t flag(size_t number) const { return flags_[number]; }

 private:
  // Everything in front has been done, so a wait must hold, and never for more than there is.
  void Expect(uint32_t flag, uint32_t target, uint32_t pc) const {
    const auto ahead = static_cast<int16_t>(static_cast<uint16_t>(flags_[flag] - target));
    EXPECT_GE(ahead, 0) << "pc " << pc;
    EXPECT_LE(ahead, 1 << 14) << "pc " << pc;
  }

  std::array<uint32_t, arch::kFlags> flags_{};
  std::array<uint32_t, arch::kScalars> scalars_{};
  uint32_t loaded_ = 0;
};

TEST(EmitterTest, CountsGoOnBehindLoopsAndBranches) {
  Emitter emitter(Chip());
  AccessLog a, b;
  const auto load_and_store = [&](int loads) {
    for (int i = 0; i < loads; ++i) emitter.Load(OneRun(), {{&b}, {}, {&a}});
    emitter.Store(OneRun(), {{&a}, {}, {&b}});
  };
  load_and_store(2);
  Emitter::Loop loop = emitter.BeginLoop();
  load_and_store(1);
  emitter.LeaveLoopIfZero(loop, emitter.LoadScalarFromBuffer(0, a));
  Emitter::Branches branches =
      emitter.BeginBranches(Emitter::Choice::kIf, 2, emitter.LoadScalarFromBuffer(0, a));
  for (int loads = 3; loads < 5; ++loads) {
    emitter.BeginBranch(branches);
    load_and_store(loads);
  }
  emitter.EndBranches(branches);
  load_and_store(1);
  emitter.EndLoop(loop, 0);
  load_and_store(1);
  Result<isa::Program> program = emitter.Finish();
  ASSERT_TRUE(program.ok()) << program.status().message();
  const Execution run(*program);
  // Loads are numbered 0 ...: the condition takes 0, 2 and 4, the if 1 and 3.
  EXPECT_EQ(run.flag(0), 2u + 3 * 1 + 2 * (3 + 1) + 1);
  EXPECT_EQ(run.flag(1), 1u + 3 * 1 + 2 * (1 + 1) + 1);
}

TEST(EmitterTest, ALoopGoesOnWithItsSecondTurn) {
  Emitter emitter(Chip());
  AccessLog a, b;
  const auto turn = [&](Emitter::Loop& loop, int first, int second) {
    for (int i = 0; i < first; ++i) emitter.Load(OneRun(), {{&b}, {}, {&a}});
    emitter.LeaveLoopIfZero(loop, emitter.LoadScalarFromBuffer(0, a));
    for (int i = 0; i < second; ++i) emitter.Load(OneRun(), {{}, {}, {&a}});
    emitter.Store(OneRun(), {{&a}, {}, {&b}});
  };
  Emitter::Loop loop = emitter.BeginLoop();
  turn(loop, 2, 3);
  emitter.NextTurn(loop);
  turn(loop, 1, 1);
  emitter.EndLoop(loop, 1);
  emitter.Load(OneRun(), {{&b}, {}, {&a}});
  emitter.Store(OneRun(), {{&a}, {}, {&b}});
  Result<isa::Program> program = emitter.Finish();
  ASSERT_TRUE(program.ok()) << program.status().message();
  const Execution run(*program);
  EXPECT_EQ(run.flag(1) > 1, true) << "no turn at all";
  // Each turn stores once; the condition runs once more.
  const uint32_t turns = run.flag(1) - 1;
  EXPECT_EQ(run.flag(0), 5u + 2 * (turns - 1) + 1 + 1);
}

TEST(EmitterTest, LongProgramsWaitOnlyForWhatFlagsCanTell) {
  Emitter emitter(Chip());
  emitter.LoadKernel(EmptyKernel());
  AccessLog first, other;
  emitter.Vector(Row(), {{}, {}, {&first}});
  for (int i = 0; i < 100000; ++i) emitter.Load(OneRun(), {{}, {}, {&other}});
  emitter.Vector(Row(), {{&other}, {}, {}});
  emitter.Load(OneRun(), {{&first}, {}, {}});
  emitter.Store(OneRun(), {{&first, &other}, {}, {}});
  Result<isa::Program> program = emitter.Finish();
  ASSERT_TRUE(program.ok()) << program.status().message();
  const Execution run(*program);
  EXPECT_EQ(run.flag(0), 100001u);
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
