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

// Operations that become steps of the vector unit.
bool IsVectorOperation(graph::Opcode opcode);

// The vector unit's name of an element type; nullopt for one that it does not have.
std::optional<arch::LaneType> LaneTypeOf(graph::ElementType type);

// The operation that a reduction's region applies to its two arguments, if it is one of the chip's
// (add, maximum, minimum, multiply) and nothing else.
std::optional<graph::Opcode> ReductionOperation(const graph::Op& reduce);

// nullopt if the chip can do the operation, else the reason why not.
std::optional<std::string> WhyNotOnChip(const graph::Op& op, const graph::Function& function,
                                        const arch::ChipConfig& chip);

}  // namespace systolith::compiler

#endif  // SYSTOLITH_HOST_COMPILER_PASSES_SUPPORT_H_
