#ifndef SYSTOLITH_HOST_COMPILER_PASSES_MEMORY_REPORT_H_
#define SYSTOLITH_HOST_COMPILER_PASSES_MEMORY_REPORT_H_

#include <cstdint>
#include <string>
#include <vector>

#include "host/arch/chip_config.h"
#include "host/base/status.h"

namespace systolith::compiler {

// A tensor in the chip's memory at the moment when most is in use.
struct ResidentTensor {
  uint64_t bytes = 0;
  std::string type;          // "tensor<8x128xf32>"
  std::string made_by;       // "argument 2", "dot_general (line 7)"
  std::string needed_until;  // "reduce (line 12)"; empty: it stays
};

// Why a program does not fit: `needed_bytes` at that moment, and the largest tensors of it.
Status OutOfMemory(const arch::ChipConfig& chip, uint64_t needed_bytes, const std::string& moment,
                   std::vector<ResidentTensor> tensors);

}  // namespace systolith::compiler

#endif  // SYSTOLITH_HOST_COMPILER_PASSES_MEMORY_REPORT_H_
