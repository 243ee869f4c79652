#ifndef SYSTOLITH_HOST_HAL_CHIP_BUILDER_H_
#define SYSTOLITH_HOST_HAL_CHIP_BUILDER_H_

#include <string>

#include "host/arch/chip_config.h"
#include "host/base/status.h"

namespace systolith::hal {

// The shared object of the verilated chip of that configuration. Runs scripts/build_chip, which
// builds a size that its cache does not hold yet (minutes for large ones; progress on stderr) and
// returns at once otherwise. Safe in several processes at a time.
Result<std::string> BuildChip(const arch::ChipConfig& config);

}  // namespace systolith::hal

#endif  // SYSTOLITH_HOST_HAL_CHIP_BUILDER_H_
