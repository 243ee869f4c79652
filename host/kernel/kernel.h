#ifndef SYSTOLITH_HOST_KERNEL_KERNEL_H_
#define SYSTOLITH_HOST_KERNEL_KERNEL_H_

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "host/arch/isa.h"

namespace systolith::kernel {

// Where something stands in a kernel's source text; line 0: unknown.
struct Location {
  std::string file;
  int line = 0;
  int column = 0;

  bool operator==(const Location&) const = default;
};

// An assembled kernel: what load_kernel writes, and what a `vector` that runs it must know. A
// plain value.
struct Kernel {
  std::string name;
  std::vector<std::array<uint32_t, arch::kBundleWords>> bundles;  // the prologue, then the body
  std::vector<uint32_t> constants;  // scalars, then lookup tables of 32 entries each
  uint32_t body = 0;                // number of the body's first bundle
  bool has_prologue = false;
  std::vector<std::vector<Location>> sources;  // per bundle: of its operations

  // What it uses, for whoever writes the `vector` instruction.
  uint32_t first_loop = arch::kLoops;  // its lowest hardware loop: kernel_level is at most this
  uint32_t input_streams = 0;          // bit q: in<q>
  uint32_t output_streams = 0;         // bit q: out<q>
  uint32_t scalars = 0;                // bit i: s<i>
  uint32_t vector_registers = 0;       // v registers allocated
  uint32_t shared_registers = 0;       // w registers allocated

  // Bundles that one instance's body executes, with the counts of the `vector` instruction.
  uint64_t BodyBundles(const std::array<uint32_t, arch::kLoops>& counts) const;
  // The larger of a body and a run of the prologue: what bundle_limit must allow.
  uint64_t MostBundles(const std::array<uint32_t, arch::kLoops>& counts) const;
  // Cycles that a body takes when four instances run: the bundles' latencies, streams never late.
  uint64_t BodyCycles(const std::array<uint32_t, arch::kLoops>& counts) const;

  bool operator==(const Kernel&) const = default;
};

// The instructions that write the kernel to these places of the vector unit's memories, engine
// set, without waits and signals. Both places must leave room: the caller has asked KernelMemory.
std::vector<arch::LoadKernel> LoadInstructions(const Kernel& kernel, uint32_t kernel_base,
                                               uint32_t constant_base);

// The kernel as a person reads it (host/isa/kernel_text.h), each bundle with the lines that it
// comes from.
std::string Listing(const Kernel& kernel);

// Cycles of a bundle with four instances in the pipeline: the largest latency of its operations.
uint32_t BundleCycles(const arch::Bundle& bundle);

const arch::OperationInfo& Info(arch::AluOp op);
const arch::OperationInfo& Info(arch::LaneOp op);

}  // namespace systolith::kernel

#endif  // SYSTOLITH_HOST_KERNEL_KERNEL_H_
