#ifndef SYSTOLITH_HOST_COMPILER_SCHEDULE_COST_MODEL_H_
#define SYSTOLITH_HOST_COMPILER_SCHEDULE_COST_MODEL_H_

#include <cstdint>

#include "host/arch/chip_config.h"
#include "host/compiler/kernel.h"

// What things take, in cycles. Estimates for choosing between programs: nothing else depends on
// them. `scripts/cost_model` compares them with the verilated chip.
namespace systolith::compiler {

// Of a kernel: until its first data are there, and from its last result to the next kernel.
inline constexpr double kKernelCycles = 450.0;

// What the DMA gets out of memory, one way.
double BytesPerCycle(const arch::ChipConfig& chip);

// To move so many bytes in runs of `run_bytes`, one way.
double TransferCycles(const arch::ChipConfig& chip, int64_t bytes, int64_t run_bytes);

// Of an elementwise kernel, a reduction or a copy. Contractions: Tiling::cost_cycles.
double EstimateCycles(const Kernel& kernel, const arch::ChipConfig& chip);

}  // namespace systolith::compiler

#endif  // SYSTOLITH_HOST_COMPILER_SCHEDULE_COST_MODEL_H_
