#ifndef SYSTOLITH_TB_DMA_DMA_MODEL_H_
#define SYSTOLITH_TB_DMA_DMA_MODEL_H_

#include <cstdint>
#include <vector>

#include "host/arch/isa.h"
#include "tb/common/random.h"

namespace systolith::tb {

// One innermost iteration of a dma instruction, as rtl/arch/README.md defines it.
struct DmaRun {
  int64_t hbm = 0;     // byte address in memory
  int64_t buffer = 0;  // byte address in the buffer
  uint32_t bytes = 0, image_bytes = 0;
  std::array<uint32_t, 6> index{};
  // Bit L: an iteration of level L begins or ends with this run.
  uint32_t first_levels = 0, last_levels = 0;
};

// The runs of `dma` in order. `row_of` maps an iteration of loop 0 to the row it stands for (the
// identity unless the instruction gathers).
inline std::vector<DmaRun> RunsOf(const arch::Dma& dma, int64_t segment_base,
                                  const std::vector<int64_t>& rows = {}) {
  std::vector<DmaRun> runs;
  std::array<uint32_t, 6> index{};
  for (;;) {
    DmaRun run;
    run.index = index;
    run.hbm = segment_base + dma.offset_lo + (int64_t{dma.offset_hi} << 32);
    run.buffer = dma.buffer_base;
    for (int loop = 0; loop < 6; loop++) {
      const int64_t at = loop == 0 && !rows.empty() ? rows[index[0]] : index[loop];
      run.hbm += at * dma.hbm_strides[loop];
      run.buffer += int64_t{index[loop]} * dma.buffer_strides[loop];
    }
    run.bytes = dma.run_bytes;
    run.image_bytes = dma.buffer_run_bytes;
    bool all_first = true, all_last = true;
    run.first_levels = run.last_levels = 1u << 6;
    for (int loop = 5; loop >= 0; loop--) {
      all_first = all_first && index[loop] == 0;
      all_last = all_last && index[loop] + 1 == dma.counts[loop];
      run.first_levels |= static_cast<uint32_t>(all_first) << loop;
      run.last_levels |= static_cast<uint32_t>(all_last) << loop;
    }
    runs.push_back(run);
    int loop = 5;
    while (loop >= 0 && ++index[loop] == dma.counts[loop]) index[loop--] = 0;
    if (loop < 0) return runs;
  }
}

inline void LoadRun(const arch::Dma& dma, const DmaRun& run, const std::vector<uint8_t>& memory,
                    std::vector<uint8_t>& buffer) {
  for (uint32_t i = 0; i < run.image_bytes; i++) {
    buffer[run.buffer + i] = i < run.bytes ? memory[run.hbm + i]
                                           : static_cast<uint8_t>(dma.fill >> (i % 4 * 8));
  }
}

inline void StoreRun(const DmaRun& run, const std::vector<uint8_t>& buffer,
                     std::vector<uint8_t>& memory) {
  for (uint32_t i = 0; i < run.bytes; i++) memory[run.hbm + i] = buffer[run.buffer + i];
}

// An empty but legal instruction: one run of one byte.
inline arch::Dma PlainDma(bool store) {
  arch::Dma dma;
  dma.opcode = static_cast<uint32_t>(store ? arch::Opcode::kStore : arch::Opcode::kLoad);
  dma.engine = static_cast<uint32_t>(store ? arch::Engine::kDmaStore : arch::Engine::kDmaLoad);
  dma.quads = arch::kDmaWords / 4;
  dma.counts.fill(1);
  dma.run_bytes = dma.buffer_run_bytes = 1;
  return dma;
}

// A random legal instruction. Memory side inside [0, memory_bytes) relative to the segment, buffer
// side inside [0, buffer_bytes). Strides of both signs, dense runs, repeated and overlapping ones.
inline arch::Dma RandomDma(Rng& rng, bool store, int64_t memory_bytes, int64_t buffer_bytes) {
  arch::Dma dma = PlainDma(store);
  const bool tiny_runs = rng.Chance(0.5);
  dma.run_bytes = static_cast<uint32_t>(tiny_runs ? rng.Range(1, 9) : rng.Range(1, 700));
  dma.buffer_run_bytes = dma.run_bytes;
  if (!store && rng.Chance(0.4)) dma.buffer_run_bytes += static_cast<uint32_t>(rng.Range(1, 40));
  dma.fill = rng.U32();
  int64_t budget = tiny_runs ? 300 : 12;
  const int64_t span = dma.buffer_run_bytes;
  int64_t hbm_low = 0, hbm_high = dma.run_bytes, buffer_low = 0, buffer_high = span;
  int64_t dense_hbm = dma.run_bytes, dense_buffer = span;
  for (int loop = 5; loop >= 0; loop--) {
    const int64_t count = rng.Chance(0.4) ? 1 : rng.Range(1, std::min<int64_t>(budget, 7));
    budget /= count;
    dma.counts[loop] = static_cast<uint32_t>(count);
    const auto stride = [&](int64_t dense, int64_t room) {
      if (count == 1) return static_cast<int64_t>(static_cast<int32_t>(rng.U32()));
      const int64_t limit = std::max<int64_t>(room / (count * 3), 1);
      int64_t value = rng.Chance(0.5) ? dense : rng.Range(-limit, limit);
      return rng.Chance(0.2) ? -value : value;
    };
    const int64_t hbm = stride(dense_hbm, memory_bytes - (hbm_high - hbm_low));
    const int64_t buffer = stride(dense_buffer, buffer_bytes - (buffer_high - buffer_low));
    const int64_t hbm_reach = (count - 1) * hbm, buffer_reach = (count - 1) * buffer;
    const bool fits =
        hbm_high - hbm_low + std::abs(hbm_reach) <= memory_bytes &&
        buffer_high - buffer_low + std::abs(buffer_reach) <= buffer_bytes;
    if (!fits && count > 1) {
      dma.counts[loop] = 1;
      continue;
    }
    dma.hbm_strides[loop] = static_cast<int32_t>(hbm);
    dma.buffer_strides[loop] = static_cast<int32_t>(buffer);
    (hbm_reach < 0 ? hbm_low : hbm_high) += hbm_reach;
    (buffer_reach < 0 ? buffer_low : buffer_high) += buffer_reach;
    dense_hbm *= count;
    dense_buffer *= count;
  }
  dma.offset_lo = static_cast<uint32_t>(
      rng.Range(-hbm_low, memory_bytes - hbm_high));
  dma.buffer_base = static_cast<uint32_t>(
      rng.Range(-buffer_low, buffer_bytes - buffer_high));
  return dma;
}

}  // namespace systolith::tb

#endif  // SYSTOLITH_TB_DMA_DMA_MODEL_H_
