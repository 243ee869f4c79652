#ifndef SYSTOLITH_HOST_COMPILER_CODEGEN_CHAIN_KERNEL_H_
#define SYSTOLITH_HOST_COMPILER_CODEGEN_CHAIN_KERNEL_H_

#include <array>
#include <compare>
#include <cstdint>
#include <vector>

#include "host/arch/chip_config.h"
#include "host/base/status.h"
#include "host/compiler/kernel.h"
#include "host/kernel/kernel.h"

namespace systolith::compiler {

// The kernel that runs steps on row groups, from input streams to an output stream. Numbers are
// scalars of the instruction, so that jobs which differ in them share a kernel; those for which no
// scalar is left are constants.
struct ChainKernel {
  std::vector<VectorStep> steps;  // an immediate's `bits` is its place: a scalar, then a constant
  std::vector<uint32_t> constants;
  bool has_x = true;              // else the lane starts as the number at place `zero`
  uint32_t zero = 0;
  uint32_t shared = 0;            // bit s: the prologue reads stream s once for all instances
  uint32_t groups = 1;            // per instance: steps 0.. of the streams
  std::array<uint32_t, 1 + kMaxStreams> inputs{};  // in<q> of x, of each stream
  uint32_t output = 0;                             // out<q>

  // Takes steps whose immediates are numbers. `scalars` gets those that the instruction holds.
  void SetSteps(std::vector<VectorStep> with_numbers, std::vector<uint32_t>& scalars);

  auto operator<=>(const ChainKernel&) const = default;
};

// Unsupported if it does not fit the vector unit: too many registers, bundles, constants.
Result<kernel::Kernel> BuildChainKernel(const ChainKernel& chain, const arch::ChipConfig& chip);

}  // namespace systolith::compiler

#endif  // SYSTOLITH_HOST_COMPILER_CODEGEN_CHAIN_KERNEL_H_
