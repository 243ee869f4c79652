#include "sim/golden/vpu/vpu.h"

#include <bit>

#include "sim/golden/testing/chip_fixture.h"
#include "tb/common/random.h"

namespace systolith::golden {
namespace {

using arch::Fault;
using arch::LaneType;
using arch::Opcode;
using arch::VectorOp;
using arch::VectorOperand;
using arch::XSource;

uint32_t StepOf(VectorOp op, VectorOperand operand = VectorOperand::kNone) {
  return static_cast<uint32_t>(op) | static_cast<uint32_t>(operand) << 8;
}
uint32_t Bits(float value) { return std::bit_cast<uint32_t>(value); }

class VpuTest : public ChipFixture<tb::RandomTest> {
 protected:
  static constexpr uint32_t kX = 0, kY = 0x1000, kZ = 0x2000, kOut = 0x4000;

  // x, y, z as f32 rows of 8 lanes.
  arch::Vector RowsOf(uint32_t rows) const {
    arch::Vector vector;
    vector.engine = Number(arch::Engine::kVpu);
    vector.counts = {rows, 1, 1, 1, 1, 1};
    vector.x_source = static_cast<uint32_t>(XSource::kBuffer);
    vector.x_base = kX;
    vector.y_base = kY;
    vector.z_base = kZ;
    vector.out_base = kOut;
    vector.x_strides[0] = vector.y_strides[0] = vector.z_strides[0] = vector.out_strides[0] = 32;
    vector.length_limit = 8;
    vector.length_level = arch::kNoLevel;
    return vector;
  }
  template <typename T>
  std::vector<T> RunVector(const arch::Vector& vector, size_t count) {
    ProgramWriter program;
    program.Append(Opcode::kLoad, Signalling(LoadOf(0, 0, 0x8000), 0));
    program.Append(Opcode::kVector, Signalling(Waiting(vector, 0, 1), 1));
    program.Append(Opcode::kStore, Waiting(StoreOf(0x10000, kOut, 0x1000), 1, 1));
    program.Halt();
    MustRun(program);
    return ReadHbm<T>(0x10000, count);
  }
  Fault FaultOf(const arch::Vector& vector) {
    ProgramWriter program;
    program.Append(Opcode::kVector, vector);
    program.Halt();
    return Run(program).fault;
  }
};

TEST_F(VpuTest, StepsFollowOneAnother) {
  WriteHbm(kX, std::vector<float>{1, -2, 3, -4, 5, -6, 7, -8});
  WriteHbm(kY, std::vector<float>{10});
  arch::Vector vector = RowsOf(1);
  vector.y_used = vector.y_splat = 1;
  vector.op_count = 3;
  vector.ops[0] = StepOf(VectorOp::kMultiplyF32, VectorOperand::kImmediate3);
  vector.ops[1] = StepOf(VectorOp::kAddF32, VectorOperand::kY);
  vector.ops[2] = StepOf(VectorOp::kMaximumF32, VectorOperand::kImmediate0);
  vector.immediates[3] = Bits(2.0f);
  vector.immediates[0] = Bits(0.0f);
  EXPECT_EQ(RunVector<float>(vector, 8), (std::vector<float>{12, 6, 16, 2, 20, 0, 24, 0}));
}

TEST_F(VpuTest, LanesBeyondTheLengthAreZeroUpToEight) {
  WriteHbm(kX, std::vector<float>(64, 1.0f));
  WriteHbm(kOut, std::vector<uint32_t>(32, 0xffffffff));
  arch::Vector vector = RowsOf(3);
  vector.length_limit = 11;  // rows of 8, 3 and none
  vector.length_level = 0;
  const auto out = RunVector<uint32_t>(vector, 24);
  for (int i = 0; i < 24; ++i) {
    EXPECT_EQ(out[i], i < 11 ? Bits(1.0f) : i < 16 ? 0 : 0xffffffff) << i;
  }
}

TEST_F(VpuTest, ConvertsTypesAtTheEdges) {
  WriteHbm(kX, std::vector<int8_t>{-128, -1, 0, 1, 127, 5, 6, 7});
  arch::Vector vector = RowsOf(1);
  vector.x_type = static_cast<uint32_t>(LaneType::kS8);
  vector.out_type = static_cast<uint32_t>(LaneType::kBf16);
  vector.op_count = 1;
  vector.ops[0] = StepOf(VectorOp::kS32ToF32);
  EXPECT_EQ(RunVector<uint16_t>(vector, 8),
            (std::vector<uint16_t>{0xc300, 0xbf80, 0, 0x3f80, 0x42fe, 0x40a0, 0x40c0, 0x40e0}));

  WriteHbm(kX, std::vector<int32_t>{300, -300, 1000, 5, 6, 7, 8, 9});
  vector.x_type = static_cast<uint32_t>(LaneType::kS32);
  vector.out_type = static_cast<uint32_t>(LaneType::kS8);
  vector.ops[0] = StepOf(VectorOp::kRequantize, VectorOperand::kImmediate0);
  vector.immediates[0] = Bits(0.25f);
  EXPECT_EQ(RunVector<int8_t>(vector, 8), (std::vector<int8_t>{75, -75, 127, 1, 2, 2, 2, 2}));
  vector.op_count = 0;  // the low eight bits
  EXPECT_EQ(RunVector<int8_t>(vector, 3), (std::vector<int8_t>{44, -44, -24}));
}

TEST_F(VpuTest, IntegersWrap) {
  WriteHbm(kX, std::vector<uint32_t>(8, 0x80000000));
  WriteHbm(kZ, std::vector<uint32_t>{1, 2, 3, 0x80000000, 0xffffffff, 0, 7, 8});
  arch::Vector vector = RowsOf(1);
  vector.x_type = vector.z_type = vector.out_type = static_cast<uint32_t>(LaneType::kS32);
  vector.z_used = 1;
  vector.op_count = 1;
  vector.ops[0] = StepOf(VectorOp::kSubtractS32, VectorOperand::kZ);
  EXPECT_EQ(RunVector<uint32_t>(vector, 4),
            (std::vector<uint32_t>{0x7fffffff, 0x7ffffffe, 0x7ffffffd, 0}));
  vector.ops[0] = StepOf(VectorOp::kReverseSubtractS32, VectorOperand::kZ);
  EXPECT_EQ(RunVector<uint32_t>(vector, 2), (std::vector<uint32_t>{0x80000001, 0x80000002}));
  vector.ops[0] = StepOf(VectorOp::kMaximumS32, VectorOperand::kZ);
  EXPECT_EQ(RunVector<uint32_t>(vector, 5),
            (std::vector<uint32_t>{1, 2, 3, 0x80000000, 0xffffffff}));
}

TEST_F(VpuTest, WorksInPlace) {
  WriteHbm(kX, std::vector<float>{1, 2, 3, 4, 5, 6, 7, 8});
  arch::Vector vector = RowsOf(1);
  vector.x_base = vector.out_base = kOut;
  WriteHbm(kOut, std::vector<float>{1, 2, 3, 4, 5, 6, 7, 8});
  vector.op_count = 1;
  vector.ops[0] = StepOf(VectorOp::kReverseSubtractF32, VectorOperand::kImmediate1);
  vector.immediates[1] = Bits(10.0f);
  EXPECT_EQ(RunVector<float>(vector, 8), (std::vector<float>{9, 8, 7, 6, 5, 4, 3, 2}));
}

TEST_F(VpuTest, Faults) {
  const auto with = [&](auto change) {
    arch::Vector vector = RowsOf(1);
    change(vector);
    return FaultOf(vector);
  };
  using V = arch::Vector;
  EXPECT_EQ(with([](V&) {}), Fault::kNone);
  EXPECT_EQ(with([](V& v) { v.x_base = 16; }), Fault::kMisaligned);
  EXPECT_EQ(with([](V& v) { v.x_base = 16, v.x_type = 1; }), Fault::kNone);  // bf16: 16 bytes
  EXPECT_EQ(with([](V& v) { v.out_base = 8; }), Fault::kMisaligned);
  EXPECT_EQ(with([](V& v) { v.x_base = 0x10000; }), Fault::kBufferRange);
  EXPECT_EQ(with([](V& v) { v.out_base = 0xffffffe0; }), Fault::kBufferRange);
  EXPECT_EQ(with([](V& v) { v.x_base = 1, v.length_limit = 0; }), Fault::kNone);
  EXPECT_EQ(with([](V& v) { v.x_source = 2, v.x_base = 64; }), Fault::kAccumulatorRange);
  EXPECT_EQ(with([](V& v) { v.x_source = 2, v.x_unit = 2; }), Fault::kIllegalField);
  EXPECT_EQ(with([](V& v) { v.op_count = 9; }), Fault::kIllegalField);
  EXPECT_EQ(with([](V& v) { v.op_count = 1, v.ops[0] = 99; }), Fault::kIllegalField);
}

}  // namespace
}  // namespace systolith::golden
