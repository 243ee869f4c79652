#ifndef SYSTOLITH_SIM_GOLDEN_TESTING_KERNEL_H_
#define SYSTOLITH_SIM_GOLDEN_TESTING_KERNEL_H_

#include <cstdint>
#include <span>

#include "host/arch/chip_config.h"
#include "sim/golden/testing/job.h"

// Programs for the vector unit, bundle by bundle.
namespace systolith::golden {

// Operand and destination codes.
constexpr uint32_t V(uint32_t number) { return number; }
constexpr uint32_t W(uint32_t number) { return arch::kOperandShared + number; }
constexpr uint32_t In(uint32_t number) { return arch::kOperandInput + number; }
constexpr uint32_t Out(uint32_t number) { return arch::kOperandOutput + number; }
constexpr uint32_t S(uint32_t number) { return arch::kOperandScalar + number; }
constexpr uint32_t K(uint32_t number) { return arch::kOperandConstant + number; }

// A bundle with an operation in slot a.
arch::Bundle BundleOf(arch::AluOp op, uint32_t destination, uint32_t x, uint32_t y = 0,
                      uint32_t z = 0);
// The same in slot b, or in the lane slot, of a bundle that has it free.
arch::Bundle WithSlotB(arch::Bundle bundle, arch::AluOp op, uint32_t destination, uint32_t x,
                       uint32_t y = 0, uint32_t z = 0);
arch::Bundle WithLaneSlot(arch::Bundle bundle, arch::LaneOp op, uint32_t destination, uint32_t x,
                          uint32_t y = 0, uint32_t z = 0);
arch::Bundle Exit(arch::Bundle bundle);

// As many `load_kernel` as it takes.
void AppendBundles(ProgramWriter& program, std::span<const arch::Bundle> bundles,
                   uint32_t first = 0);
void AppendConstants(ProgramWriter& program, std::span<const uint32_t> constants,
                     uint32_t first = 0);

// Stream `index`, all of it inside. Flat: groups of Lanes * Sublanes elements lie one after the
// other, loop 0 steps from one to the next.
arch::Stream FlatStream(const arch::ChipConfig& config, uint32_t index, arch::LaneType type);
// Rows of `row_bytes` (accumulator: rows) one after the other, of which `rows` with the first
// `length` elements are inside; loop 0 steps by Sublanes rows.
arch::Stream RowStream(const arch::ChipConfig& config, uint32_t index, arch::LaneType type,
                       uint32_t rows, uint32_t length, int32_t row_bytes);

// One instance per iteration of loop 0, of the kernel at bundle 0.
arch::Vector VectorOf(uint32_t instances);

int64_t GroupElements(const arch::ChipConfig& config);
uint32_t GroupsOf(const arch::ChipConfig& config, uint32_t rows);

// Kernel and streams that copy `rows` accumulator rows of a unit to f32 rows of Lanes, and the
// `vector` that does it, to be appended after them.
void AppendDrainKernel(ProgramWriter& program, const arch::ChipConfig& config, uint32_t rows,
                       uint32_t unit = 0);
arch::Vector DrainVector(const arch::ChipConfig& config, uint32_t rows, uint32_t out,
                         uint32_t first_row = 0);

}  // namespace systolith::golden

#endif  // SYSTOLITH_SIM_GOLDEN_TESTING_KERNEL_H_
