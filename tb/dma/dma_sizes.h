#ifndef SYSTOLITH_TB_DMA_DMA_SIZES_H_
#define SYSTOLITH_TB_DMA_DMA_SIZES_H_

#include <gtest/gtest.h>

#include "VDma_load_128_256_64.h"
#include "VDma_load_16_64_16.h"
#include "VDma_load_256_64_16.h"
#include "VDma_load_64_64_16.h"
#include "VDma_load_8_256_4.h"
#include "VDma_store_128_256_64.h"
#include "VDma_store_16_64_16.h"
#include "VDma_store_256_64_16.h"
#include "VDma_store_64_64_16.h"
#include "VDma_store_8_256_4.h"
#include "tb/dma/dma_bench.h"

namespace systolith::tb {

using DmaSizes = testing::Types<
    DmaSize<VDma_load_16_64_16, false, 16, 64, 16>, DmaSize<VDma_load_8_256_4, false, 8, 256, 4>,
    DmaSize<VDma_load_64_64_16, false, 64, 64, 16>,
    DmaSize<VDma_load_256_64_16, false, 256, 64, 16>,
    DmaSize<VDma_load_128_256_64, false, 128, 256, 64>,
    DmaSize<VDma_store_16_64_16, true, 16, 64, 16>, DmaSize<VDma_store_8_256_4, true, 8, 256, 4>,
    DmaSize<VDma_store_64_64_16, true, 64, 64, 16>,
    DmaSize<VDma_store_256_64_16, true, 256, 64, 16>,
    DmaSize<VDma_store_128_256_64, true, 128, 256, 64>>;

// A bench of random temper, and what memory and buffer must hold.
template <typename Size>
class DmaTest : public RandomTest {
 protected:
  using Bench = DmaBench<Size>;
  static constexpr bool kStore = Size::kStore;
  static constexpr int kWord = Size::kWordBytes, kLine = Size::kLineBytes;
  static constexpr int kSegment = 3;
  static constexpr int64_t kBase = 4096, kBytes = kMemoryBytes - 8192;

  std::unique_ptr<Bench> NewBench() {
    const double stall = rng_.Chance(0.5) ? 0.0 : 0.4;
    return std::make_unique<Bench>(
        rng_, stall,
        LinePortOptions{.stall = rng_.Chance(0.5) ? 0.0 : 0.4,
                        .latency = static_cast<int>(rng_.Range(1, 40)),
                        .jitter = rng_.Chance(0.5) ? 0 : static_cast<int>(rng_.Range(1, 60))});
  }

  arch::Dma Random() {
    arch::Dma dma = RandomDma(rng_, kStore, kBytes, kBufferBytes);
    dma.segment = kSegment;
    return dma;
  }

  // Applies one run to the images.
  static void Apply(const arch::Dma& dma, const DmaRun& run, std::vector<uint8_t>& memory,
                    std::vector<uint8_t>& buffer) {
    if (kStore) StoreRun(run, buffer, memory);
    else LoadRun(dma, run, memory, buffer);
  }
  static void Apply(const arch::Dma& dma, std::vector<uint8_t>& memory,
                    std::vector<uint8_t>& buffer, const std::vector<int64_t>& rows = {}) {
    for (const DmaRun& run : RunsOf(dma, kBase, rows)) Apply(dma, run, memory, buffer);
  }

  // True if no byte is written twice.
  static bool WritesOnce(const arch::Dma& dma) {
    std::vector<uint8_t> seen(kStore ? kMemoryBytes : kBufferBytes);
    for (const DmaRun& run : RunsOf(dma, kBase)) {
      for (uint32_t i = 0; i < run.image_bytes; i++) {
        if (seen[(kStore ? run.hbm : run.buffer) + i]++) return false;
      }
    }
    return true;
  }
};

}  // namespace systolith::tb

#endif  // SYSTOLITH_TB_DMA_DMA_SIZES_H_
