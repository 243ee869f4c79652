#ifndef SYSTOLITH_HOST_GRAPH_VERIFY_H_
#define SYSTOLITH_HOST_GRAPH_VERIFY_H_

#include "host/base/status.h"
#include "host/graph/graph.h"

namespace systolith::graph {

// Checks everything that the rest of the code relies on: definitions before uses, each value
// defined once, number and shapes of operands, attributes in range, result shapes equal to the
// inferred ones, regions that end in a return of the right shapes, calls that fit their callee and
// are not recursive. The message names the operation, its line and the reason.
Status Verify(const Module& module);
Status Verify(const Module& module, const Function& function);

}  // namespace systolith::graph

#endif  // SYSTOLITH_HOST_GRAPH_VERIFY_H_
