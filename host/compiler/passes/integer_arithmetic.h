#ifndef SYSTOLITH_HOST_COMPILER_PASSES_INTEGER_ARITHMETIC_H_
#define SYSTOLITH_HOST_COMPILER_PASSES_INTEGER_ARITHMETIC_H_

#include <optional>
#include <vector>

#include "host/compiler/passes/integer_ranges.h"

namespace systolith::compiler {

struct IntegerOperand {
  graph::Shape shape;
  IntegerRange range;
};

// What the one result of an operation without regions can be if nothing wraps; nullopt: anything.
// The caller sees to it that what exceeds the type counts as anything, too.
std::optional<IntegerRange> RangeOfResult(const graph::Op& op,
                                          const std::vector<IntegerOperand>& operands,
                                          const graph::Shape& result);

}  // namespace systolith::compiler

#endif  // SYSTOLITH_HOST_COMPILER_PASSES_INTEGER_ARITHMETIC_H_
