// Faults, gathers, aborts and resets of both DMA engines.
#include <gtest/gtest.h>

#include "tb/dma/dma_sizes.h"

namespace systolith::tb {
namespace {

template <typename Size>
class DmaFaultTest : public DmaTest<Size> {
 protected:
  // A legal transfer with room on every side.
  arch::Dma Legal() {
    arch::Dma dma = PlainDma(this->kStore);
    dma.segment = this->kSegment;
    dma.offset_lo = 1000;
    dma.buffer_base = 1000;
    dma.run_bytes = dma.buffer_run_bytes = 20;
    return dma;
  }

  // After `dma`, which comes after a good instruction, the fault is told, the good one is done, and
  // nothing of `dma` has happened; then the engine is usable again.
  void ExpectFault(const arch::Dma& dma, arch::Fault cause, uint64_t address,
                   const std::function<void(DmaBench<Size>&)>& prepare = nullptr) {
    auto bench = this->NewBench();
    if (prepare) prepare(*bench);
    const arch::Dma good = this->Random();
    auto memory = bench->memory, buffer = bench->buffer;
    this->Apply(good, memory, buffer);
    if (prepare) {  // what `prepare` has put into the buffer must survive
      memory = bench->memory;
      buffer = bench->buffer;
    } else {
      bench->Push(good, 0x100);
    }
    bench->Push(dma, 0x1230);
    bench->Push(good, 0x1300);
    bench->Drain();
    for (int i = 0; i < 100; i++) bench->Step();
    ASSERT_EQ(bench->faults.size(), 1u);
    EXPECT_EQ(bench->faults[0].cause, static_cast<uint32_t>(cause));
    EXPECT_EQ(bench->faults[0].pc, 0x1230u);
    EXPECT_EQ(bench->faults[0].address, address);
    EXPECT_FALSE(bench->idle);
    EXPECT_EQ(bench->memory, memory);
    EXPECT_EQ(bench->buffer, buffer);
    bench->Abort();
    bench->faults.clear();
    const arch::Dma next = this->Random();
    bench->Push(next);
    this->Apply(next, memory, buffer);
    bench->Drain();
    EXPECT_TRUE(bench->faults.empty());
    EXPECT_EQ(bench->memory, memory);
    EXPECT_EQ(bench->buffer, buffer);
  }
};
TYPED_TEST_SUITE(DmaFaultTest, DmaSizes);

TYPED_TEST(DmaFaultTest, TheWholeExtentIsCheckedInMemory) {
  const int64_t bytes = this->kBytes;
  arch::Dma dma = this->Legal();
  dma.offset_lo = static_cast<uint32_t>(bytes - 19);
  this->ExpectFault(dma, arch::Fault::kSegmentBounds, bytes);
  dma = this->Legal();  // the last of many
  dma.counts = {3, 1, 7, 1, 1, 2};
  dma.hbm_strides = {10000, 0, 4000, 0, 0, static_cast<int32_t>(bytes - 1000 - 44000 - 19)};
  this->ExpectFault(dma, arch::Fault::kSegmentBounds, bytes);
  dma.hbm_strides[5]--;
  dma.hbm_strides[0] = -501;  // the lowest is negative, the highest inside
  this->ExpectFault(dma, arch::Fault::kSegmentBounds, static_cast<uint64_t>(-2));
  dma = this->Legal();  // would wrap to a legal address in 40 or 64 bits
  dma.offset_hi = 0xff;
  dma.offset_lo = 0xffffffff;
  this->ExpectFault(dma, arch::Fault::kSegmentBounds, 0xffffffffffull + 19);
  dma = this->Legal();
  dma.counts = {0xffffffff, 0xffffffff, 0xffffffff, 1, 1, 1};
  dma.hbm_strides = {0x7fffffff, 0x7fffffff, 0x7fffffff, 0, 0, 0};
  this->ExpectFault(dma, arch::Fault::kSegmentBounds,
                    1019 + 3 * 0xfffffffeull * 0x7fffffffull);
}

TYPED_TEST(DmaFaultTest, TheWholeExtentIsCheckedInTheBuffer) {
  arch::Dma dma = this->Legal();
  dma.buffer_base = kBufferBytes - 19;
  this->ExpectFault(dma, arch::Fault::kBufferRange, kBufferBytes);
  dma.buffer_base = 100;
  dma.counts[3] = 5;
  dma.buffer_strides[3] = -26;
  this->ExpectFault(dma, arch::Fault::kBufferRange, static_cast<uint64_t>(-4));
  dma = this->Legal();
  dma.buffer_base = 0xffffffff;
  this->ExpectFault(dma, arch::Fault::kBufferRange, 0xffffffffull + 19);
}

TYPED_TEST(DmaFaultTest, ASegmentGivesRights) {
  arch::Dma dma = this->Legal();
  dma.segment = 4;  // not bound
  this->ExpectFault(dma, arch::Fault::kSegmentRights, 4);
  dma.segment = 64 + this->kSegment;
  this->ExpectFault(dma, arch::Fault::kSegmentRights, 64 + this->kSegment);
  dma.segment = 5;
  this->ExpectFault(dma, arch::Fault::kSegmentRights, 5, [&](DmaBench<TypeParam>& bench) {
    bench.segments[5] = {4096, 4096, this->kStore, !this->kStore};
  });
}

TYPED_TEST(DmaFaultTest, IllegalFieldsAreRefused) {
  std::vector<arch::Dma> bad(8, this->Legal());
  bad[0].counts[4] = 0;
  bad[1].run_bytes = bad[1].buffer_run_bytes = 0;
  bad[2].buffer_run_bytes = 19;
  bad[3].wait3_valid = 1, bad[3].wait3_level = 7;
  bad[4].signal1_valid = 1, bad[4].signal1_level = 7;
  bad[5].wait0_valid = 1, bad[5].wait0_flag = 64;
  bad[6].signal0_valid = 1, bad[6].signal0_flag = 48;
  bad[7].wait1_valid = 1, bad[7].wait1_flag = 200;
  if (this->kStore) {
    bad.push_back(this->Legal());
    bad.back().gather = 1;
    bad.push_back(this->Legal());
    bad.back().buffer_run_bytes = 21;
  }
  for (const arch::Dma& dma : bad) this->ExpectFault(dma, arch::Fault::kIllegalField, 0);
  arch::Dma other = this->Legal();
  other.opcode = static_cast<uint32_t>(this->kStore ? arch::Opcode::kLoad : arch::Opcode::kStore);
  this->ExpectFault(other, arch::Fault::kIllegalOpcode, 0);
}

TYPED_TEST(DmaFaultTest, AGatherFetchesTheRowsThatItsIndicesName) {
  if (this->kStore) return;
  for (int trial = 0; trial < 25; trial++) {
    auto bench = this->NewBench();
    arch::Dma dma = this->Legal();
    const int rows = static_cast<int>(this->rng_.Range(1, 40));
    const int limit = static_cast<int>(this->rng_.Range(1, 50));
    dma.gather = 1;
    dma.gather_limit = static_cast<uint32_t>(limit);
    dma.gather_base = static_cast<uint32_t>(4 * this->rng_.Range(0, 75));
    dma.counts = {static_cast<uint32_t>(rows), 1, 1, 2, 1, 3};
    const int32_t stride = static_cast<int32_t>(this->rng_.Range(-500, 500));
    dma.offset_lo = 30000;
    dma.hbm_strides = {stride, 0, 0, 300, 0, 15};
    dma.run_bytes = static_cast<uint32_t>(this->rng_.Range(1, 30));
    dma.buffer_run_bytes = 32;
    dma.buffer_base = 2001;
    dma.buffer_strides = {192, 0, 0, 96, 0, 32};
    std::vector<int64_t> indices;
    for (int i = 0; i < rows; i++) {
      const int32_t index = static_cast<int32_t>(this->rng_.Below(limit));
      indices.push_back(index);
      std::memcpy(&bench->buffer[dma.gather_base + 4 * i], &index, 4);
    }
    auto memory = bench->memory, buffer = bench->buffer;
    bench->Push(dma);
    this->Apply(dma, memory, buffer, indices);
    bench->Drain();
    ASSERT_TRUE(bench->faults.empty());
    ASSERT_EQ(bench->buffer, buffer) << trial;
  }
}

TYPED_TEST(DmaFaultTest, AGatherIndexMustLieBelowItsLimit) {
  if (this->kStore) return;
  for (const int32_t index : {10, -1, 0x7fffffff, static_cast<int32_t>(0x80000000)}) {
    arch::Dma dma = this->Legal();
    dma.gather = 1;
    dma.gather_limit = 10;
    dma.gather_base = 8;
    dma.hbm_strides[0] = 64;
    this->ExpectFault(dma, arch::Fault::kGatherIndex, static_cast<uint32_t>(index),
                      [&](DmaBench<TypeParam>& bench) {
                        std::memcpy(&bench.buffer[8], &index, 4);
                      });
  }
  arch::Dma dma = this->Legal();  // the extent counts the limit, not the indices
  dma.gather = 1;
  dma.gather_limit = 1000;
  dma.hbm_strides[0] = 64;
  this->ExpectFault(dma, arch::Fault::kSegmentBounds, 1000 + 999 * 64 + 19);
  dma.gather_limit = 10;
  dma.gather_base = kBufferBytes - 4;
  dma.counts[0] = 2;
  this->ExpectFault(dma, arch::Fault::kBufferRange, kBufferBytes + 3);
  dma.gather_base = 6;
  this->ExpectFault(dma, arch::Fault::kMisaligned, 6);
}

TYPED_TEST(DmaFaultTest, AnAbortAtAnyCycleDrainsAndTheNextJobIsWhole) {
  auto bench = this->NewBench();
  for (int trial = 0; trial < 60; trial++) {
    for (int i = 0; i < 4; i++) bench->Push(this->Random());
    const uint64_t run = this->rng_.Below(300);
    for (uint64_t i = 0; i < run; i++) bench->Step();
    const bool reset = this->rng_.Chance(0.4);
    if (reset) bench->ResetDut();
    else bench->Abort();
    auto memory = bench->memory, buffer = bench->buffer;
    const arch::Dma dma = this->Random();
    bench->Push(dma);
    this->Apply(dma, memory, buffer);
    bench->Drain();
    ASSERT_TRUE(bench->faults.empty());
    ASSERT_EQ(bench->memory, memory) << trial;
    ASSERT_EQ(bench->buffer, buffer) << trial;
  }
}

}  // namespace
}  // namespace systolith::tb
