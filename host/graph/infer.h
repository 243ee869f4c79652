#ifndef SYSTOLITH_HOST_GRAPH_INFER_H_
#define SYSTOLITH_HOST_GRAPH_INFER_H_

#include <vector>

#include "host/base/status.h"
#include "host/graph/graph.h"

namespace systolith::graph {

// Shapes of an operation's results, from its operands' shapes and its attributes; an error says
// what does not fit. Where the operands leave a choice open - the result type of dot_general,
// convolution, convert and bitcast_convert, the dimensions of reshape, broadcast_in_dim and iota,
// all of custom_call, call and constant - `declared` decides and is checked; elsewhere it may be
// empty.
Result<std::vector<Shape>> InferShapes(const Op& op, const std::vector<Shape>& operands,
                                       const std::vector<Shape>& declared);

}  // namespace systolith::graph

#endif  // SYSTOLITH_HOST_GRAPH_INFER_H_
