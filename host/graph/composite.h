#ifndef SYSTOLITH_HOST_GRAPH_COMPOSITE_H_
#define SYSTOLITH_HOST_GRAPH_COMPOSITE_H_

#include <optional>
#include <vector>

#include "host/graph/builder.h"

// Composites whose name says more than their decomposition.
namespace systolith::graph {

// Appends what the composite is by its name: "chlo.erf" and the like become that operation,
// "chlo.top_k" becomes AppendTopK. Returns the values of its results, or nullopt, with nothing
// appended, if the name is unknown or does not fit the operands; then the decomposition counts.
std::optional<std::vector<Value>> AppendKnownComposite(Function& function, const Op& composite,
                                                       std::vector<Op>& ops);

// The k largest elements along the last dimension, in falling order, and their positions as s32;
// equal elements keep their order. `operand` has a last dimension of at least `k`.
std::vector<Value> AppendTopK(Builder& builder, Value operand, int64_t k);

}  // namespace systolith::graph

#endif  // SYSTOLITH_HOST_GRAPH_COMPOSITE_H_
