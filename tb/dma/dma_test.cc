// Both DMA engines at their pins, against the byte-level model of dma_model.h.
#include <gtest/gtest.h>

#include "tb/dma/dma_sizes.h"

namespace systolith::tb {
namespace {

template <typename Size>
class DmaTransferTest : public DmaTest<Size> {};
TYPED_TEST_SUITE(DmaTransferTest, DmaSizes);

TYPED_TEST(DmaTransferTest, RandomInstructionsMoveTheBytesThatTheyName) {
  for (int trial = 0; trial < 30; trial++) {
    auto bench = this->NewBench();
    auto memory = bench->memory, buffer = bench->buffer;
    const int count = static_cast<int>(this->rng_.Range(1, 12));
    for (int i = 0; i < count; i++) {
      const arch::Dma dma = this->Random();
      bench->Push(dma);
      if (this->rng_.Chance(0.3)) {
        arch::Sync sync;
        sync.opcode = static_cast<uint32_t>(arch::Opcode::kSync);
        bench->Push(sync);
      }
      // Loads of one line by two instructions in flight are both reads; stores keep their order.
      this->Apply(dma, memory, buffer);
    }
    bench->Drain();
    ASSERT_TRUE(bench->faults.empty());
    ASSERT_EQ(bench->memory, memory) << trial;
    ASSERT_EQ(bench->buffer, buffer) << trial;
  }
}

// Addresses and lengths at which burst cutters of other designs went wrong.
TYPED_TEST(DmaTransferTest, NothingHappensBeyondARunAtAnyBoundary) {
  for (const uint32_t address : {0xfc0u, 0xfffu, 0x1000u}) {
    for (const uint32_t length : {1u, 63u, 64u, 4095u, 4096u, 4097u}) {
      for (const uint32_t place : {0u, 1u, 64u, 4093u, kBufferBytes - length}) {
        auto bench = this->NewBench();
        auto memory = bench->memory, buffer = bench->buffer;
        arch::Dma dma = PlainDma(this->kStore);
        dma.segment = this->kSegment;
        dma.offset_lo = address;
        dma.run_bytes = dma.buffer_run_bytes = length;
        dma.buffer_base = place;
        bench->Push(dma);
        this->Apply(dma, memory, buffer);
        bench->Drain();
        ASSERT_TRUE(bench->faults.empty()) << address << " " << length << " " << place;
        ASSERT_EQ(bench->memory, memory) << address << " " << length << " " << place;
        ASSERT_EQ(bench->buffer, buffer) << address << " " << length << " " << place;
        const uint64_t lines = (4096 + address + length - 1) / this->kLine -
                               (4096 + address) / this->kLine + 1;
        ASSERT_EQ(bench->port.reads() + bench->port.writes(), lines) << "an extra request";
      }
    }
  }
}

TYPED_TEST(DmaTransferTest, ASignalTellsThatItsIterationIsVisible) {
  for (int trial = 0; trial < 40; trial++) {
    auto bench = this->NewBench();
    arch::Dma dma = this->Random();
    for (int i = 0; i < 50 && !this->WritesOnce(dma); i++) dma = this->Random();
    if (!this->WritesOnce(dma)) continue;
    dma.signal0_valid = 1;
    dma.signal0_flag = 5;
    dma.signal0_level = static_cast<uint32_t>(this->rng_.Range(0, 6));
    dma.signal1_valid = this->rng_.Chance(0.5);
    dma.signal1_flag = this->rng_.Chance(0.5) ? 5 : 47;
    dma.signal1_level = static_cast<uint32_t>(this->rng_.Range(0, 6));
    const auto runs = RunsOf(dma, this->kBase);
    // What is visible at each signal at least, and the order of the signals.
    struct Event {
      int flag;
      size_t runs;
    };
    std::vector<Event> events;
    for (size_t i = 0; i < runs.size(); i++) {
      if (runs[i].last_levels >> dma.signal0_level & 1) events.push_back({5, i + 1});
      if (dma.signal1_valid && runs[i].last_levels >> dma.signal1_level & 1) {
        events.push_back({static_cast<int>(dma.signal1_flag), i + 1});
      }
    }
    auto memory = bench->memory, buffer = bench->buffer;
    size_t seen = 0, applied = 0;
    bench->on_signal = [&](int flag) {
      ASSERT_LT(seen, events.size());
      ASSERT_EQ(flag, events[seen].flag);
      for (; applied < events[seen].runs; applied++) {
        this->Apply(dma, runs[applied], memory, buffer);
        const DmaRun& run = runs[applied];
        for (uint32_t i = 0; i < run.image_bytes; i++) {
          if (this->kStore) {
            ASSERT_EQ(bench->memory[run.hbm + i], memory[run.hbm + i]) << "early signal";
          } else {
            ASSERT_EQ(bench->buffer[run.buffer + i], buffer[run.buffer + i]) << "early signal";
          }
        }
      }
      seen++;
    };
    bench->Push(dma);
    bench->Drain();
    ASSERT_EQ(seen, events.size()) << trial;
  }
}

// The source of an iteration gets its contents only when its flag is raised: whoever reads early,
// or uses a line again that was read before, moves the wrong bytes.
TYPED_TEST(DmaTransferTest, AWaitHoldsTheIterationThatItGuards) {
  for (int trial = 0; trial < 40; trial++) {
    auto bench = this->NewBench();
    arch::Dma dma = this->Random();
    const uint32_t level = static_cast<uint32_t>(this->rng_.Range(0, 6));
    const uint16_t start = static_cast<uint16_t>(this->rng_.U32());
    const uint16_t step = static_cast<uint16_t>(this->rng_.Range(1, 3));
    dma.wait2_valid = 1;
    dma.wait2_flag = 60;
    dma.wait2_level = level;
    dma.wait2_target = start;
    dma.wait2_step = step;
    bench->SetFlag(60, static_cast<uint16_t>(start - 1));
    const auto runs = RunsOf(dma, this->kBase);
    auto memory = bench->memory, buffer = bench->buffer;
    auto& source = this->kStore ? bench->buffer : bench->memory;
    bench->Push(dma);
    for (size_t first = 0; first < runs.size();) {
      size_t end = first + 1;
      while (end < runs.size() && !(runs[end].first_levels >> level & 1)) end++;
      // New contents only once everything earlier has left the engine.
      const bool quiet = this->rng_.Chance(0.3);
      if (quiet) bench->Step();
      for (int i = 0; i < 20000 && quiet && !bench->stalled; i++) bench->Step();
      for (uint64_t i = this->rng_.Below(4); i > 0; i--) bench->Step();
      if (quiet) {
        ASSERT_TRUE(bench->waiting && bench->stalled);
        ASSERT_EQ(bench->wait_flag, 60u);
      }
      if (quiet || first == 0) {
        for (size_t i = first; i < end; i++) {
          for (uint32_t byte = 0; byte < runs[i].bytes; byte++) {
            source[(this->kStore ? runs[i].buffer : runs[i].hbm) + byte] =
                static_cast<uint8_t>(this->rng_.U32());
          }
        }
        (this->kStore ? buffer : memory) = source;
      }
      for (size_t i = first; i < end; i++) this->Apply(dma, runs[i], memory, buffer);
      bench->SetFlag(60, static_cast<uint16_t>(bench->flags[60] + (first == 0 ? 1 : step)));
      first = end;
    }
    bench->Drain();
    ASSERT_EQ(bench->memory, memory) << trial;
    ASSERT_EQ(bench->buffer, buffer) << trial;
  }
}

TYPED_TEST(DmaTransferTest, ASyncWaitsAndSignalsInOrder) {
  auto bench = this->NewBench();
  const arch::Dma dma = this->Random();
  auto memory = bench->memory, buffer = bench->buffer;
  this->Apply(dma, memory, buffer);
  arch::Sync sync;
  sync.opcode = static_cast<uint32_t>(arch::Opcode::kSync);
  sync.signal0_valid = sync.signal1_valid = 1;
  sync.signal0_flag = 1;
  sync.signal1_flag = 2;
  sync.wait0_valid = 1;
  sync.wait0_flag = 9;
  sync.wait0_target = 1;
  std::vector<int> raised;
  bench->on_signal = [&](int flag) {
    raised.push_back(flag);
    ASSERT_EQ(bench->memory, memory);
    ASSERT_EQ(bench->buffer, buffer);
  };
  bench->Push(dma);
  bench->Push(sync);
  bench->Push(sync);
  for (int i = 0; i < 20000 && !bench->waiting; i++) bench->Step();
  for (int i = 0; i < 500; i++) bench->Step();
  ASSERT_TRUE(raised.empty());
  bench->SetFlag(9, 1);
  bench->Drain();
  ASSERT_EQ(raised, (std::vector<int>{1, 2, 1, 2}));
}

TYPED_TEST(DmaTransferTest, AlignedRunsMoveAWordPerCycle) {
  DmaBench<TypeParam> bench(this->rng_, 0, {.latency = 2});
  arch::Dma dma = PlainDma(this->kStore);
  dma.segment = this->kSegment;
  dma.run_bytes = dma.buffer_run_bytes = 8192;
  bench.Push(dma);
  bench.Push(dma);
  bench.Push(dma);
  const uint64_t cycles = bench.Drain();
  const uint64_t pieces = 3 * 8192 / std::min(this->kWord, this->kLine);
  std::cout << "word " << this->kWord << ", line " << this->kLine << ": " << pieces
            << " pieces in " << cycles << " cycles\n";
  if (TypeParam::kOutstanding >= 16) {
    EXPECT_LE(cycles, pieces + 45);
  }
}

// The inner loop of a transposition: 2-byte runs that are neighbours on the memory side only.
TYPED_TEST(DmaTransferTest, NeighbouringRunsShareTheirLine) {
  DmaBench<TypeParam> bench(this->rng_, 0, {.latency = 2});
  arch::Dma dma = PlainDma(this->kStore);
  dma.segment = this->kSegment;
  dma.counts = {1, 1, 1, 1, 4, 512};
  dma.hbm_strides = {0, 0, 0, 0, 1024, 2};
  dma.buffer_strides = {0, 0, 0, 0, 2, 24};
  dma.run_bytes = dma.buffer_run_bytes = 2;
  bench.Push(dma);
  auto memory = bench.memory, buffer = bench.buffer;
  this->Apply(dma, memory, buffer);
  const uint64_t cycles = bench.Drain();
  EXPECT_EQ(bench.memory, memory);
  EXPECT_EQ(bench.buffer, buffer);
  EXPECT_EQ(bench.port.reads() + bench.port.writes(), 4096u / this->kLine);
  EXPECT_LE(cycles, 2048u + 60u);
}

TYPED_TEST(DmaTransferTest, FillGoesWithTheDataOfItsWord) {
  if (this->kStore) return;
  DmaBench<TypeParam> bench(this->rng_, 0, {.latency = 2});
  arch::Dma dma = PlainDma(false);
  dma.segment = this->kSegment;
  dma.counts[5] = 100;
  dma.hbm_strides[5] = 3;
  dma.buffer_strides[5] = 8;
  dma.run_bytes = 3;
  dma.buffer_run_bytes = 8;
  dma.fill = 0x04030201;
  bench.Push(dma);
  auto memory = bench.memory, buffer = bench.buffer;
  this->Apply(dma, memory, buffer);
  bench.Drain();
  EXPECT_EQ(bench.buffer, buffer);
  EXPECT_LE(bench.buffer_writes, 100u + 300 / this->kLine + 1);
}

}  // namespace
}  // namespace systolith::tb
