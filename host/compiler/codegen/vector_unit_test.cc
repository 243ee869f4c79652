#include "host/compiler/codegen/vector_unit.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <span>

#include "host/isa/instruction.h"

namespace systolith::compiler {
namespace {

class VectorUnitTest : public ::testing::Test {
 protected:
  static arch::ChipConfig Chip() {
    arch::ChipConfig chip;
    chip.mxu_rows = chip.mxu_cols = 8;
    chip.buffer_bytes = 1 << 16;
    return chip;
  }

  void EmitCopy(int64_t length, int64_t base, std::vector<VectorStep> steps = {}) {
    RowJob job;
    job.length = length;
    job.x = RowOperand{arch::LaneType::kF32, std::nullopt, base, {}, false};
    job.result = {arch::LaneType::kF32, std::nullopt, base + 4096, {}, false};
    job.steps = std::move(steps);
    unit_.Emit(job, {});
  }

  // How often the program has the instruction.
  int64_t Count(std::string_view name) {
    if (names_.empty()) {
      Result<isa::Program> program = emitter_.Finish();
      EXPECT_TRUE(program.ok()) << program.status().message();
      for (uint32_t pc = 0; program.ok() && pc < program->bytes();) {
        const auto info = isa::Instruction::Decode(program->words, pc)->info;
        names_.emplace_back(info->name);
        pc += info->words * 4;
      }
    }
    return std::count(names_.begin(), names_.end(), name);
  }

  const arch::ChipConfig chip_ = Chip();
  Emitter emitter_{chip_};
  VectorUnit unit_{chip_, emitter_};
  std::vector<std::string> names_;
};

TEST_F(VectorUnitTest, WhatIsThereIsNotWrittenAgain) {
  for (const int64_t base : {0, 1024, 2048}) EmitCopy(100, base);
  EXPECT_EQ(Count("vector"), 3);
  EXPECT_EQ(Count("load_kernel"), 1);
  EXPECT_EQ(Count("stream"), 2);
}

TEST_F(VectorUnitTest, NumbersDoNotMakeAnotherKernel) {
  for (const uint32_t number : {1u, 2u, 3u}) {
    EmitCopy(100, 0, {{arch::AluOp::kAddS32, {StepOperand{StepOperand::Kind::kLane, 0},
                                              {StepOperand::Kind::kImmediate, number}}}});
  }
  EXPECT_EQ(Count("load_kernel"), 1);
}

// A loop of a kernel that doesn't end is a fault: the limit is what the instance needs.
TEST_F(VectorUnitTest, KernelsRunWithALimit) {
  EmitCopy(100, 0);
  TreeJob tree;
  tree.type = arch::LaneType::kS32;
  tree.combine = arch::AluOp::kAddS32;
  tree.partials = 5;
  tree.length = 40;
  tree.pitch = 160;
  tree.result = 4096;
  unit_.Emit(tree, {});
  const Result<isa::Program> program = emitter_.Finish();
  ASSERT_TRUE(program.ok()) << program.status().message();
  std::vector<uint32_t> loaded;
  std::vector<uint32_t> limits;
  for (uint32_t pc = 0; pc < program->bytes();) {
    const arch::InstructionInfo* info = isa::Instruction::Decode(program->words, pc)->info;
    const auto words = std::span(program->words).subspan(pc / 4, info->words);
    if (info->opcode == arch::Opcode::kLoadKernel &&
        arch::DecodeLoadKernel(words).part == static_cast<uint32_t>(arch::KernelPart::kBundles)) {
      loaded.push_back(arch::DecodeLoadKernel(words).count);
    }
    if (info->opcode == arch::Opcode::kVector) {
      limits.push_back(arch::DecodeVector(words).bundle_limit);
    }
    pc += info->words * 4;
  }
  // Neither kernel has a loop of its own, and each comes in one load.
  EXPECT_EQ(limits.size(), 2u);
  EXPECT_EQ(limits, loaded);
}

// Two jobs take turns: from the second turn on each has streams (and so a kernel) of its own.
TEST_F(VectorUnitTest, DescriptionsThatTakeTurnsBothStay) {
  for (int turn = 0; turn < 10; ++turn) {
    EmitCopy(100, 0);
    EmitCopy(50, 0);
  }
  EXPECT_EQ(Count("stream"), 6);
  EXPECT_EQ(Count("load_kernel"), 2);
}

}  // namespace
}  // namespace systolith::compiler
