#ifndef SYSTOLITH_HOST_ISA_KERNEL_TEXT_H_
#define SYSTOLITH_HOST_ISA_KERNEL_TEXT_H_

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "host/arch/isa.h"

// Kernels of the vector unit as a person reads them, in the notation of the kernel language.
namespace systolith::isa {

using BundleWords = std::array<uint32_t, arch::kBundleWords>;

// The operations of a bundle, one per slot in use:
//   {"v2 = multiply_add_f32 v0, 1.5, v1", "out0[3] = copy in0[3]", "v4 = reduce_add_f32 v2"}
// `constants` are the words that the kernel names from its constant 0 on; a constant beyond them is
// shown as c7. Codes without meaning are shown as such.
std::vector<std::string> BundleOperations(const arch::Bundle& bundle,
                                          std::span<const uint32_t> constants);

// The same on one line, separated by " | ", with loop begins, loop ends and exit; for messages.
std::string BundleText(const arch::Bundle& bundle, std::span<const uint32_t> constants);

struct KernelView {
  std::vector<BundleWords> bundles;  // the prologue, then the body
  std::vector<uint32_t> constants;
  uint32_t body = 0;
  bool has_prologue = false;
};

// All bundles with their numbers in columns, loops indented, then the lookup tables. `notes` are
// appended to the bundles' lines; there may be none.
std::string KernelListing(const KernelView& kernel, std::span<const std::string> notes = {});

// The nearest short notation of 32 bits: 1.5 if they are meant as f32, else 12 or 0x7fffffff.
std::string LaneText(uint32_t bits, bool is_f32);

}  // namespace systolith::isa

#endif  // SYSTOLITH_HOST_ISA_KERNEL_TEXT_H_
