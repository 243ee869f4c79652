#ifndef SYSTOLITH_SIM_GOLDEN_CHIP_CHIP_STATE_H_
#define SYSTOLITH_SIM_GOLDEN_CHIP_CHIP_STATE_H_

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "host/arch/chip_config.h"
#include "host/arch/isa.h"
#include "sim/golden/checker/hazard_checker.h"
#include "sim/golden/hbm/hbm.h"
#include "sim/golden/prim/flags.h"
#include "sim/golden/unified_buffer/unified_buffer.h"

namespace systolith::golden {

inline constexpr uint32_t kNoFlag = 0xff;
inline constexpr int kEngines = 13;  // of the encoding; a chip has 5 + mxu.count of them

// Why a job stopped, as the fault registers show it.
struct FaultRecord {
  arch::Fault cause = arch::Fault::kNone;
  uint32_t engine = 0;
  uint32_t pc = 0;
  uint32_t flag = kNoFlag;
  uint64_t address = 0;
};

// A segment of the running job; one that the job may not use at all has no rights.
struct BoundSegment {
  uint64_t base = 0, bytes = 0;
  bool readable = false, writable = false;
};

// What the performance registers show. The model has no clock: it counts one cycle per row of an
// engine and per memory line, and for a bundle its latency, as if engines never waited.
struct Counters {
  uint64_t read_bytes = 0, write_bytes = 0;
  uint32_t instructions = 0;
  std::array<uint64_t, kEngines> busy{};
};

// Everything that the engines of one chip share.
struct ChipState {
  explicit ChipState(const arch::ChipConfig& chip_config, bool check_hazards)
      : config(chip_config),
        hbm(static_cast<uint64_t>(config.memory_bytes)),
        buffer(static_cast<size_t>(config.buffer_bytes)),
        accumulators(static_cast<size_t>(config.mxu_count),
                     std::vector<uint32_t>(static_cast<size_t>(AccumulatorRows() *
                                                               config.mxu_cols))) {
    if (check_hazards) {
      checker.emplace(static_cast<int>(config.mxu_count), static_cast<int>(AccumulatorRows()));
    }
  }

  int64_t AccumulatorRows() const { return 2 * config.mxu_accumulator_rows; }
  uint32_t* AccumulatorRow(uint32_t mxu, uint32_t row) {
    return accumulators[mxu].data() + size_t{row} * static_cast<size_t>(config.mxu_cols);
  }
  uint64_t LinesOf(uint64_t address, uint64_t bytes) const {
    const uint64_t line = static_cast<uint64_t>(config.memory_line_bytes);
    return (address + bytes - 1) / line - address / line + 1;
  }

  const arch::ChipConfig config;
  Hbm hbm;
  UnifiedBuffer buffer;
  std::vector<std::vector<uint32_t>> accumulators;  // of each MXU, row by row
  Flags flags;
  std::array<BoundSegment, arch::kSegments> segments{};
  Counters counters;
  std::optional<HazardChecker> checker;
};

}  // namespace systolith::golden

#endif  // SYSTOLITH_SIM_GOLDEN_CHIP_CHIP_STATE_H_
