#include "sim/golden/dma/dma_transfer.h"

#include "sim/golden/testing/chip_fixture.h"
#include "tb/common/random.h"

namespace systolith::golden {
namespace {

using arch::Fault;
using arch::Opcode;

class DmaTransferTest : public ChipFixture<tb::RandomTest> {
 protected:
  JobResult RunOne(Opcode opcode, const arch::Dma& dma, const JobOptions& options = {}) {
    ProgramWriter program;
    program.Append(opcode, dma);
    program.Halt();
    return Run(program, options);
  }
};

TEST_F(DmaTransferTest, MovesRunsOfAnyAlignment) {
  for (uint32_t bytes : {1u, 63u, 64u, 65u, 4095u, 4096u, 4097u}) {
    for (uint32_t start : {0xfc0u, 0xfffu, 0x1000u}) {
      WriteHbm(0, RandomBytes(0x4000));
      WriteHbm(0x8000, std::vector<uint8_t>(0x4000, 0xa5));
      ProgramWriter program;
      program.Append(Opcode::kLoad, Signalling(LoadOf(start, 0x123, bytes), 0));
      program.Append(Opcode::kStore, Waiting(StoreOf(0x8000 + start, 0x123, bytes), 0, 1));
      program.Halt();
      MustRun(program);
      auto expected = std::vector<uint8_t>(0x4000, 0xa5);
      const auto source = ReadHbm<uint8_t>(0, 0x4000);
      std::copy_n(source.begin() + start, bytes, expected.begin() + start);
      EXPECT_EQ(ReadHbm<uint8_t>(0x8000, 0x4000), expected);  // nothing beside the run
    }
  }
}

TEST_F(DmaTransferTest, FillsBehindTheRun) {
  WriteHbm(0, std::vector<uint8_t>{1, 2, 3, 4, 5, 6});
  arch::Dma load = LoadOf(0, 7, 3);
  load.counts[5] = 2;
  load.hbm_strides[5] = 3;
  load.buffer_strides[5] = 8;
  load.buffer_run_bytes = 8;
  load.fill = 0xddccbbaa;
  ProgramWriter program;
  program.Append(Opcode::kLoad, Signalling(load, 3));
  program.Append(Opcode::kStore, Waiting(StoreOf(0x100, 7, 16), 3, 1));
  program.Halt();
  MustRun(program);
  EXPECT_EQ(ReadHbm<uint8_t>(0x100, 16),
            (std::vector<uint8_t>{1, 2, 3, 0xdd, 0xaa, 0xbb, 0xcc, 0xdd,  //
                                  4, 5, 6, 0xdd, 0xaa, 0xbb, 0xcc, 0xdd}));
}

TEST_F(DmaTransferTest, LaterRunsWinWhereRunsOverlap) {
  const auto source = RandomBytes(64);
  WriteHbm(0, source);
  arch::Dma store = StoreOf(0x100, 0, 4);
  store.counts[3] = 5;
  store.buffer_strides[3] = 4;
  store.hbm_strides[3] = -1;
  store.offset_lo = 0x110;
  ProgramWriter program;
  program.Append(Opcode::kLoad, Signalling(LoadOf(0, 0, 64), 0));
  program.Append(Opcode::kStore, Waiting(store, 0, 1));
  program.Halt();
  MustRun(program);
  // Bytes 0x10c.. come from the first byte of the last run, and so on.
  EXPECT_EQ(ReadHbm<uint8_t>(0x10c, 8),
            (std::vector<uint8_t>{source[16], source[17], source[18], source[19], source[15],
                                  source[11], source[7], source[3]}));
}

TEST_F(DmaTransferTest, GathersRows) {
  const auto rows = RandomBytes(16 * 10);
  WriteHbm(0, rows);
  WriteHbm(0x1000, std::vector<int32_t>{7, 0, 9, 7, 2});
  arch::Dma gather = LoadOf(0, 0x800, 10);
  gather.counts[0] = 5;
  gather.hbm_strides[0] = 10;
  gather.buffer_strides[0] = 10;
  gather.gather = 1;
  gather.gather_base = 0x40;
  gather.gather_limit = 10;
  ProgramWriter program;
  program.Append(Opcode::kLoad, LoadOf(0x1000, 0x40, 20));
  program.Append(Opcode::kLoad, Signalling(gather, 1));
  program.Append(Opcode::kStore, Waiting(StoreOf(0x2000, 0x800, 50), 1, 1));
  program.Halt();
  MustRun(program);
  const auto out = ReadHbm<uint8_t>(0x2000, 50);
  const int order[] = {7, 0, 9, 7, 2};
  for (int r = 0; r < 5; ++r) {
    for (int b = 0; b < 10; ++b) EXPECT_EQ(out[r * 10 + b], rows[order[r] * 10 + b]);
  }
}

TEST_F(DmaTransferTest, ChecksIndicesOneByOne) {
  WriteHbm(0x1000, std::vector<int32_t>{1, -1});
  arch::Dma gather = LoadOf(0, 0x800, 10);
  gather.counts[0] = 2;
  gather.hbm_strides[0] = 10;
  gather.gather = 1;
  gather.gather_limit = 10;
  ProgramWriter program;
  program.Append(Opcode::kLoad, LoadOf(0x1000, 0, 8));
  program.Append(Opcode::kLoad, gather);
  program.Halt();
  const JobResult result = Run(program);
  EXPECT_EQ(result.fault, Fault::kGatherIndex);
  EXPECT_EQ(result.engine, Number(arch::Engine::kDmaLoad));
  EXPECT_EQ(result.pc, 160u);
}

TEST_F(DmaTransferTest, ChecksTheWholeExtentBeforeTheFirstByte) {
  const auto before = RandomBytes(256);
  WriteHbm(0, before);
  arch::Dma store = StoreOf(0, 0, 16);
  store.counts[0] = 3;
  store.hbm_strides[0] = 1 << 19;  // the third run lies at the segment's end
  JobResult result = RunOne(Opcode::kStore, store);
  EXPECT_EQ(result.fault, Fault::kSegmentBounds);
  EXPECT_EQ(result.address, (2u << 19) + 15);
  EXPECT_EQ(result.engine, Number(arch::Engine::kDmaStore));
  EXPECT_EQ(ReadHbm<uint8_t>(0, 256), before);

  store.hbm_strides[0] = -8;
  result = RunOne(Opcode::kStore, store);
  EXPECT_EQ(result.fault, Fault::kSegmentBounds);
  EXPECT_EQ(static_cast<int64_t>(result.address), -16);

  arch::Dma load = LoadOf(0, 0xfff0, 16);
  EXPECT_TRUE(RunOne(Opcode::kLoad, load).completed);
  load.buffer_run_bytes = 17;
  result = RunOne(Opcode::kLoad, load);
  EXPECT_EQ(result.fault, Fault::kBufferRange);
  EXPECT_EQ(result.address, 0x10000u);

  // With gather, the extent is that of all legal indices.
  load = LoadOf(0, 0, 16);
  load.gather = 1;
  load.gather_limit = 1 << 16;
  load.hbm_strides[0] = 16;
  EXPECT_TRUE(RunOne(Opcode::kLoad, load).completed);
  load.gather_limit += 1;
  EXPECT_EQ(RunOne(Opcode::kLoad, load).fault, Fault::kSegmentBounds);
}

TEST_F(DmaTransferTest, KeepsRightsAndOwners) {
  JobOptions options;
  options.owner = 5;
  options.segments = {{kDataAddress, 4096, true, true, 5},
                      {kDataAddress, 4096, true, false, 5},
                      {kDataAddress, 4096, false, true, 5},
                      {kDataAddress, 4096, true, true, 6}};
  const auto load = [&](uint32_t segment) {
    arch::Dma dma = LoadOf(0, 0, 8);
    dma.segment = segment;
    return RunOne(Opcode::kLoad, dma, options).fault;
  };
  const auto store = [&](uint32_t segment) {
    arch::Dma dma = StoreOf(0, 0, 8);
    dma.segment = segment;
    return RunOne(Opcode::kStore, dma, options).fault;
  };
  EXPECT_EQ(load(0), Fault::kNone);
  EXPECT_EQ(store(0), Fault::kNone);
  EXPECT_EQ(load(1), Fault::kNone);
  EXPECT_EQ(store(1), Fault::kSegmentRights);
  EXPECT_EQ(load(2), Fault::kSegmentRights);
  EXPECT_EQ(store(2), Fault::kNone);
  EXPECT_EQ(load(3), Fault::kSegmentRights);
  EXPECT_EQ(store(3), Fault::kSegmentRights);
  EXPECT_EQ(load(4), Fault::kSegmentRights);  // not bound
}

TEST_F(DmaTransferTest, RefusesFieldsThatMeanNothing) {
  arch::Dma dma = LoadOf(0, 0, 0);
  EXPECT_EQ(RunOne(Opcode::kLoad, dma).fault, Fault::kIllegalField);
  dma = LoadOf(0, 0, 8);
  dma.buffer_run_bytes = 7;
  EXPECT_EQ(RunOne(Opcode::kLoad, dma).fault, Fault::kIllegalField);
  dma = StoreOf(0, 0, 8);
  dma.buffer_run_bytes = 9;
  EXPECT_EQ(RunOne(Opcode::kStore, dma).fault, Fault::kIllegalField);
  dma = StoreOf(0, 0, 8);
  dma.gather = 1;
  EXPECT_EQ(RunOne(Opcode::kStore, dma).fault, Fault::kIllegalField);
  dma = LoadOf(0, 0, 8);
  dma.counts[2] = 0;
  EXPECT_EQ(RunOne(Opcode::kLoad, dma).fault, Fault::kIllegalField);
}

}  // namespace
}  // namespace systolith::golden
