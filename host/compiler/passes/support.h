#ifndef SYSTOLITH_HOST_COMPILER_PASSES_SUPPORT_H_
#define SYSTOLITH_HOST_COMPILER_PASSES_SUPPORT_H_

#include <optional>
#include <string>

#include "host/arch/chip_config.h"
#include "host/arch/isa.h"
#include "host/graph/graph.h"

// What the chip can do, operation by operation.
namespace systolith::compiler {

// Operations that are nothing but a view of their operand.
bool IsViewOperation(graph::Opcode opcode);

// Operations that place their operands in a tensor: copies, unless whoever makes the operands
// writes them there.
bool IsMovementOperation(graph::Opcode opcode);

// A bitcast_convert between a 64-bit type and pairs of 32-bit words: a view, too.
bool IsPairs(const graph::Op& op, const graph::Function& function);

// while, if, case: the sequencer runs them.
bool IsControl(graph::Opcode opcode);

// Operations that become steps of the vector unit, or streams that it makes itself.
bool IsVectorOperation(graph::Opcode opcode);

// Whether a bitcast_convert can be a step. Any is a view of its operand's bytes.
bool IsBitcastOnLanes(const graph::Op& op, const graph::Function& function);

// The vector unit's name of an element type; nullopt for one that it does not have.
std::optional<arch::LaneType> LaneTypeOf(graph::ElementType type);

// Why the vector unit does not have a type.
std::string TypeReason(graph::ElementType type);

// The step by which a reduction joins two elements of this type, if its region applies one of the
// chip's operations (add, multiply, maximum, minimum, and, or, xor) to its two arguments and nothing else.
std::optional<arch::AluOp> ReductionStep(const graph::Op& reduce, graph::ElementType type);

// How a dot_general or convolution of f32 is computed, where DEFAULT means `default_precision`.
graph::Precision ProductPrecision(const graph::Op& op, graph::Precision default_precision);
// nullopt if the vector unit can do one of its operations, else the reason why not.
std::optional<std::string> WhyNotVector(const graph::Op& op, const graph::Function& function);

// The same of a scatter.
std::optional<std::string> WhyNotScatter(const graph::Op& op, const graph::Function& function,
                                         const arch::ChipConfig& chip);

// nullopt if the chip can do the operation, else the reason why not.
std::optional<std::string> WhyNotOnChip(const graph::Op& op, const graph::Function& function,
                                        const arch::ChipConfig& chip);

}  // namespace systolith::compiler

#endif  // SYSTOLITH_HOST_COMPILER_PASSES_SUPPORT_H_
