#ifndef SYSTOLITH_HOST_COMPILER_CODEGEN_CHAIN_KERNEL_H_
#define SYSTOLITH_HOST_COMPILER_CODEGEN_CHAIN_KERNEL_H_

#include <array>
#include <compare>
#include <cstdint>
#include <vector>

#include "host/base/status.h"
#include "host/compiler/kernel.h"
#include "host/kernel/kernel.h"

namespace systolith::compiler {

// The kernel that runs steps on row groups, from input streams to an output stream. Numbers are
// scalars of the instruction, so that jobs which differ in them share a kernel.
struct ChainKernel {
  std::vector<VectorStep> steps;  // an immediate's `bits` is the number of its scalar
  bool has_x = true;              // else the lane starts as scalar `zero`
  uint32_t zero = 0;
  uint32_t shared = 0;            // bit s: the prologue reads stream s once for all instances
  uint32_t groups = 1;            // per instance: steps 0.. of the streams
  std::array<uint32_t, 1 + kMaxStreams> inputs{};  // in<q> of x, of each stream
  uint32_t output = 0;                             // out<q>

  auto operator<=>(const ChainKernel&) const = default;
};

Result<kernel::Kernel> BuildChainKernel(const ChainKernel& chain);

}  // namespace systolith::compiler

#endif  // SYSTOLITH_HOST_COMPILER_CODEGEN_CHAIN_KERNEL_H_
