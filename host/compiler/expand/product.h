#ifndef SYSTOLITH_HOST_COMPILER_EXPAND_PRODUCT_H_
#define SYSTOLITH_HOST_COMPILER_EXPAND_PRODUCT_H_

#include <functional>
#include <optional>

#include "host/compiler/expand/expansion.h"

namespace systolith::compiler {

// The same product of other operands: a dot_general or convolution with operands and result of
// these types; `exact`: at the highest precision.
using ProductOf =
    std::function<Value(Value lhs, Value rhs, ElementType result, bool exact)>;

// A product of types that the matrix unit lacks, through products that it has. `terms`: how many
// products a result element sums. nullopt: it has none that would do.
std::optional<Value> ExpandProductTypes(Value lhs, Value rhs, ElementType result, int64_t terms,
                                        const ProductOf& product, Expansion& to);

// Whether the matrix unit takes these types as they are.
bool IsMatrixProduct(ElementType lhs, ElementType rhs, ElementType result,
                     const arch::ChipConfig& chip);

}  // namespace systolith::compiler

#endif  // SYSTOLITH_HOST_COMPILER_EXPAND_PRODUCT_H_
