// Streams element by element, as the contract states them, against whole groups of the model.
#include <algorithm>
#include <cmath>
#include <cstring>
#include <optional>

#include "sim/golden/float/lane_arithmetic.h"
#include "sim/golden/vpu/kernel_fixture.h"
#include "tb/common/random.h"

namespace systolith::golden {
namespace {

using arch::AluOp;
using arch::Fault;
using arch::LaneType;
using arch::Opcode;
using arch::Spread;
using arch::StreamSource;

constexpr int64_t kLanes = 8, kSublanes = 2;
constexpr uint32_t kTypes = 9;

int64_t SizeOf(uint32_t type) {
  static constexpr int64_t kSizes[kTypes] = {4, 2, 4, 1, 2, 2, 1, 2, 4};
  return kSizes[type];
}

uint32_t Value(uint32_t type, const uint8_t* bytes) {
  uint32_t bits = 0;
  std::memcpy(&bits, bytes, static_cast<size_t>(SizeOf(type)));
  switch (static_cast<LaneType>(type)) {
    case LaneType::kBf16: return bits << 16;
    case LaneType::kF16: return F16ToF32(static_cast<uint16_t>(bits));
    case LaneType::kS8: return bits ^ ((bits & 0x80) != 0 ? 0xffffff00 : 0);
    case LaneType::kS16: return bits ^ ((bits & 0x8000) != 0 ? 0xffff0000 : 0);
    default: return bits;
  }
}

class VpuStreamTest : public KernelFixture<tb::RandomTest> {
 protected:
  struct Element {
    int64_t address = 0;
    int64_t x = 0;
    bool inside = false;
  };
  // Element (row, lane) of the group of an instance: where it is, before any gather.
  static Element ElementOf(const arch::Stream& stream, int64_t base, int64_t instance, int64_t row,
                           int64_t lane) {
    const auto at = [&](int64_t start, const std::array<int32_t, 8>& steps) {
      return start + instance * steps[0] + row * steps[7];
    };
    const int64_t y = at(stream.y_base, stream.y_steps);
    Element element;
    element.x = at(stream.x_base, stream.x_steps) + lane;
    element.address = at(base, stream.strides) + lane * SizeOf(stream.type);
    element.inside =
        y >= 0 && y < stream.y_limit && element.x >= 0 && element.x < int64_t{stream.x_limit};
    return element;
  }
  // Which element of the group stands for this one.
  static std::pair<int64_t, int64_t> Source(const arch::Stream& stream, int64_t e) {
    if (stream.flat != 0) return {0, e};
    const int64_t row = (stream.spread & 2) != 0 ? 0 : e / kLanes;
    return {row, (stream.spread & 1) != 0 ? 0 : e % kLanes};
  }

  // A stream with clipped edges whose rows lie inside [0, 0x3000) from base 0x1000 on.
  arch::Stream RandomStream(uint32_t index, bool may_spread) {
    arch::Stream stream = FlatStream(config_, index, LaneType::kF32);
    stream.type = static_cast<uint32_t>(rng_.Below(kTypes));
    stream.flat = rng_.Chance(0.3);
    if (stream.flat == 0 && may_spread) stream.spread = static_cast<uint32_t>(rng_.Below(4));
    const int64_t unit = SizeOf(stream.type) * ((stream.spread & 1) != 0 ? 1 : 8);
    stream.strides[0] = static_cast<int32_t>(rng_.Range(-8, 8) * unit);
    stream.strides[7] = static_cast<int32_t>(rng_.Range(-8, 8) * unit);
    for (auto* steps : {&stream.x_steps, &stream.y_steps}) {
      (*steps)[0] = static_cast<int32_t>(rng_.Range(-3, 3));
      (*steps)[7] = static_cast<int32_t>(rng_.Range(-3, 3));
    }
    stream.x_base = static_cast<int32_t>(rng_.Range(-12, 6));
    stream.y_base = static_cast<int32_t>(rng_.Range(-3, 3));
    stream.x_limit = static_cast<uint32_t>(rng_.Below(20));
    stream.y_limit = static_cast<uint32_t>(rng_.Below(8));
    stream.fill = rng_.U32();
    return stream;
  }
  static constexpr int64_t kBase = 0x1000;
};

TEST_F(VpuStreamTest, InputsAreWindows) {
  for (int trial = 0; trial < 300; ++trial) {
    const auto bytes = RandomBytes(0x4000);
    WriteHbm(0, bytes);
    const uint32_t instances = 5;
    Kernel kernel = KernelOf({CopyBundle()}, instances);
    arch::Stream& stream = kernel.streams[0];
    stream = RandomStream(0, true);
    kernel.vector.bases[0] = kBase;
    const auto out = RunKernel<uint32_t>(kernel, instances * kGroup);
    for (uint32_t i = 0; i < instances * kGroup; ++i) {
      const auto [row, lane] = Source(stream, i % kGroup);
      const Element element = ElementOf(stream, kBase, i / kGroup, row, lane);
      const uint32_t expected =
          element.inside ? Value(stream.type, &bytes[static_cast<size_t>(element.address)])
                         : stream.fill;
      ASSERT_EQ(out[i], expected) << trial << ' ' << i << " type " << stream.type << " spread "
                                  << stream.spread << " flat " << stream.flat;
    }
  }
}

TEST_F(VpuStreamTest, OutputsWriteOnlyWhatIsInside) {
  for (int trial = 0; trial < 300; ++trial) {
    const auto bytes = RandomBytes(0x5000);
    WriteHbm(0, bytes);
    Kernel kernel = KernelOf({CopyBundle()});  // one instance: rows may overlap
    arch::Stream& stream = kernel.streams[2];
    stream = RandomStream(kOutStream, true);
    if (rng_.Chance(0.8)) stream.strides[7] = 128;
    kernel.vector.bases[4] = kOut + 0x100;
    UseConfig(config_, stream.strides[7] == 128);  // two writes of one byte are a hazard
    WriteHbm(0, bytes);
    const auto out = RunKernel<uint8_t>(kernel, 0x400);
    std::vector<uint8_t> expected(bytes.begin() + kOut, bytes.begin() + kOut + 0x400);
    for (uint32_t e = 0; e < kGroup; ++e) {
      const auto [row, lane] = Source(stream, e);
      if (stream.flat == 0 && (row != e / kLanes || lane != e % kLanes)) continue;
      const Element element = ElementOf(stream, 0x100, 0, row, lane);
      if (!element.inside) continue;
      uint32_t value = Value(0, &bytes[kX + 4 * e]);
      if (stream.type == static_cast<uint32_t>(LaneType::kBf16)) value = F32ToBf16(value);
      if (stream.type == static_cast<uint32_t>(LaneType::kF16)) value = F32ToF16(value);
      std::memcpy(&expected[static_cast<size_t>(element.address)], &value,
                  static_cast<size_t>(SizeOf(stream.type)));
    }
    ASSERT_EQ(out, expected) << trial << " type " << stream.type << " spread " << stream.spread;
  }
}

TEST_F(VpuStreamTest, IotaCountsFromX) {
  Kernel kernel = KernelOf({CopyBundle()}, 2);
  arch::Stream& stream = kernel.streams[0];
  stream.source = static_cast<uint32_t>(StreamSource::kIota);
  stream.x_base = -2;
  stream.x_steps[0] = 100;
  stream.x_limit = 106;
  stream.fill = 7;
  kernel.vector.bases[0] = 1;  // no memory is touched
  auto out = RunKernel<uint32_t>(kernel, 2 * kGroup);
  for (uint32_t i = 0; i < 2 * kGroup; ++i) {
    const uint32_t x = i % kGroup + (i / kGroup) * 100 - 2;
    EXPECT_EQ(out[i], x < 106 ? x : 7) << i;
  }
  stream.flat = 0;
  stream.x_steps[7] = 10;
  stream.spread = static_cast<uint32_t>(Spread::kLanes);
  out = RunKernel<uint32_t>(kernel, 2 * kGroup);
  EXPECT_EQ(out[0], 7u);  // element 0 is at -2
  EXPECT_EQ(out[15], 8u);
  EXPECT_EQ(out[16], 98u);
  EXPECT_EQ(out[31], 7u);  // 108
}

TEST_F(VpuStreamTest, GatherMovesRowsByAnIndexVector) {
  constexpr uint32_t kIndices = 0x2000;
  auto table = RandomBytes(40 * 16);
  const std::vector<int32_t> indices = {3, 39, 0, 17, 17};
  WriteHbm(kX, table);
  WriteHbm(kIndices, indices);
  Kernel kernel = KernelOf({CopyBundle()}, 3);
  arch::Stream& stream = kernel.streams[0];
  stream = RowStream(config_, 0, LaneType::kS16, 5, 7, 0);
  stream.gather = 1;
  stream.gather_base = kIndices;
  stream.gather_stride = 16;
  stream.gather_limit = 40;
  stream.fill = 1234;
  const auto out = RunKernel<int32_t>(kernel, 3 * kGroup);
  for (uint32_t i = 0; i < 3 * kGroup; ++i) {
    const uint32_t y = i / kLanes, j = i % kLanes;
    int16_t value = 1234;
    if (y < 5 && j < 7) {
      std::memcpy(&value, &table[static_cast<size_t>(indices[y]) * 16 + 2 * j], 2);
    }
    EXPECT_EQ(out[i], value) << i;
  }
  stream.gather_limit = 39;
  WriteHbm(kIndices, indices);
  ProgramWriter program;
  Append(program, kernel);
  program.Append(Opcode::kLoad, Signalling(LoadOf(0, 0, 0x8000), 0));
  program.Append(Opcode::kVector, Waiting(kernel.vector, 0, 1));
  program.Halt();
  const JobResult result = Run(program);
  EXPECT_EQ(result.fault, Fault::kGatherIndex) << result;
  EXPECT_EQ(result.address, 39u);
}

TEST_F(VpuStreamTest, AccumulatorsHaveZerosBeyondTheirColumns) {
  arch::ChipConfig config = SmallConfig(16, 8);
  UseConfig(config);
  std::vector<uint16_t> ones(64 * 16, 0x3f80);
  WriteHbm(0, ones);
  ProgramWriter program;
  program.Append(Opcode::kLoad, Signalling(LoadOf(0, 0, 0x800), 0));
  arch::Matmul matmul = TileOf(5, 3, 8, 0, 0);
  matmul.engine = Number(arch::Engine::kMxu1);
  program.Append(Opcode::kMatmul, Signalling(WaitingForWeights(Waiting(matmul, 0, 1), 0, 1), 1));
  AppendDrainKernel(program, config_, 5, 1);
  program.Append(Opcode::kVector, Signalling(Waiting(DrainVector(config_, 5, kOut), 1, 1), 2));
  program.Append(Opcode::kStore, Waiting(StoreOf(0x10000, kOut, 0x4000), 2, 1));
  program.Halt();
  MustRun(program);
  const auto out = ReadHbm<float>(0x10000, 6 * 16);
  for (int i = 0; i < 6 * 16; ++i) EXPECT_EQ(out[i], i < 5 * 16 && i % 16 < 8 ? 3 : 0) << i;
}

TEST_F(VpuStreamTest, RefusesFieldsThatContradict) {
  const auto with = [&](auto change) {
    arch::Stream stream = FlatStream(config_, 0, LaneType::kF32);
    stream.flat = 0;
    change(stream);
    ProgramWriter program;
    program.Append(Opcode::kStream, stream);
    program.Halt();
    return Run(program).fault;
  };
  using Stream = arch::Stream;
  EXPECT_EQ(with([](Stream&) {}), Fault::kNone);
  EXPECT_EQ(with([](Stream& s) { s.index = 5; }), Fault::kNone);
  EXPECT_EQ(with([](Stream& s) { s.index = 6; }), Fault::kIllegalField);
  EXPECT_EQ(with([](Stream& s) { s.type = 9; }), Fault::kIllegalField);
  EXPECT_EQ(with([](Stream& s) { s.source = 3; }), Fault::kIllegalField);
  EXPECT_EQ(with([](Stream& s) { s.source = 1, s.unit = 1; }), Fault::kNone);
  EXPECT_EQ(with([](Stream& s) { s.source = 1, s.unit = 2; }), Fault::kIllegalField);
  EXPECT_EQ(with([](Stream& s) { s.index = 4, s.source = 2; }), Fault::kIllegalField);
  EXPECT_EQ(with([](Stream& s) { s.flat = 1, s.spread = 1; }), Fault::kIllegalField);
  EXPECT_EQ(with([](Stream& s) { s.gather = 1; }), Fault::kNone);
  EXPECT_EQ(with([](Stream& s) { s.gather = s.flat = 1; }), Fault::kIllegalField);
  EXPECT_EQ(with([](Stream& s) { s.gather = 1, s.source = 2; }), Fault::kIllegalField);
  EXPECT_EQ(with([](Stream& s) { s.gather = 1, s.index = 4; }), Fault::kIllegalField);
  EXPECT_EQ(with([](Stream& s) { s.source = 1, s.spread = 2; }), Fault::kIllegalField);
  EXPECT_EQ(with([](Stream& s) { s.source = s.flat = 1; }), Fault::kIllegalField);
}

TEST_F(VpuStreamTest, RowsMustBeAlignedAndInTheBuffer) {
  // One row of eight elements is inside, element 2 on.
  const auto with = [&](auto change, size_t q = 0) {
    Kernel kernel = KernelOf({CopyBundle()});
    kernel.streams[q].flat = 0;
    kernel.streams[q].y_steps[7] = 1;
    kernel.streams[q].x_base = -2;
    change(kernel.streams[q], kernel.vector);
    const JobResult result = ResultOf(kernel);
    return std::pair{result.fault, result.address};
  };
  using Stream = arch::Stream;
  using Vector = arch::Vector;
  using Result = std::pair<Fault, uint64_t>;
  const Result none{Fault::kNone, 0};
  EXPECT_EQ(with([](Stream&, Vector&) {}), none);
  EXPECT_EQ(with([](Stream&, Vector& v) { v.bases[0] = 48; }), Result(Fault::kMisaligned, 48));
  EXPECT_EQ(with([](Stream& s, Vector& v) { v.bases[0] = 48, s.type = 1; }), none);
  EXPECT_EQ(with([](Stream& s, Vector& v) { v.bases[0] = 48, s.y_base = 5; }), none);
  EXPECT_EQ(with([](Stream& s, Vector& v) { v.bases[0] = 44, s.spread = 1, s.x_base = 0; }), none);
  EXPECT_EQ(with([](Stream& s, Vector& v) { v.bases[0] = 42, s.spread = 1, s.x_base = 0; }),
            Result(Fault::kMisaligned, 42));
  EXPECT_EQ(with([](Stream& s, Vector& v) { v.bases[0] = 42, s.spread = 1; }), none);  // outside
  EXPECT_EQ(with([](Stream&, Vector& v) { v.bases[0] = 0x10000; }),
            Result(Fault::kBufferRange, 0x10008));
  EXPECT_EQ(with([](Stream&, Vector& v) { v.bases[0] = -32; }),
            Result(Fault::kBufferRange, 0xffffffe8));
  EXPECT_EQ(with([](Stream& s, Vector& v) { v.bases[0] = -32, s.x_base = -8; }), none);
  EXPECT_EQ(with([](Stream& s, Vector& v) { s.source = 1, v.bases[0] = 64; }),
            Result(Fault::kAccumulatorRange, 64));
  EXPECT_EQ(with([](Stream& s, Vector&) { s.gather = 1, s.gather_base = 2; }),
            Result(Fault::kMisaligned, 2));
  EXPECT_EQ(with([](Stream& s, Vector&) { s.gather = 1, s.gather_base = 0x10000; }),
            Result(Fault::kBufferRange, 0x10000));
  EXPECT_EQ(with([](Stream&, Vector& v) { v.bases[4] = 8; }, 2), Result(Fault::kMisaligned, 8));
  EXPECT_EQ(with([](Stream&, Vector& v) { v.bases[4] = 0x10000 - 32; }, 2), none);
  EXPECT_EQ(with([](Stream& s, Vector& v) { s.flat = 1, v.bases[4] = 0x10000 - 32; }, 2),
            Result(Fault::kBufferRange, 0x10000));
}

}  // namespace
}  // namespace systolith::golden
