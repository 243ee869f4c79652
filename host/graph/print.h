#ifndef SYSTOLITH_HOST_GRAPH_PRINT_H_
#define SYSTOLITH_HOST_GRAPH_PRINT_H_

#include <string>

#include "host/graph/graph.h"

namespace systolith::graph {

// StableHLO text that host/import reads back to an equal module. Values are numbered anew.
std::string Print(const Module& module);

// One operation on one line, for messages and listings; values print as %<id>, regions as {...}.
std::string PrintOp(const Function& function, const Op& op);

// `dense<...> : tensor<...>`; short tensors as decimal or hex elements, long ones as a hex blob.
std::string PrintLiteral(const Literal& literal);

}  // namespace systolith::graph

#endif  // SYSTOLITH_HOST_GRAPH_PRINT_H_
