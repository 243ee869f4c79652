#ifndef SYSTOLITH_HOST_GRAPH_REWRITE_H_
#define SYSTOLITH_HOST_GRAPH_REWRITE_H_

#include <functional>
#include <vector>

#include "host/base/status.h"
#include "host/graph/graph.h"

// What passes need to look at a graph and to change it.
namespace systolith::graph {

// Calls `visit` for every operation, outer before nested, in program order.
void ForEachOp(const Region& region, const std::function<void(const Op&)>& visit);
void ForEachOp(Region& region, const std::function<void(Op&)>& visit);

// How often each value (by id) is an operand, returns and nested regions included.
std::vector<int> CountUses(const Function& function);

// The operations that use each value (by id), once per operation, in program order; a use inside
// a nested region counts for the nested operation. Pointers last until the function changes.
std::vector<std::vector<const Op*>> Users(const Function& function);

// The operation that defines each value (by id); null for arguments. Same lifetime.
std::vector<const Op*> Definitions(const Function& function);

// Every operand `from` becomes `to`, in nested regions too.
void ReplaceAllUses(Region& region, Value from, Value to);

// The values that a region uses and that stand outside of it, in order of first use.
std::vector<Value> Captures(const Region& region);

// The same for all regions of an operation together; its operands are listed only if a region
// uses them by name.
std::vector<Value> Captures(const Op& op);

// Orders a region's operations so that definitions stand before uses, and keeps their order where
// that does not matter. An error if there is a cycle.
Status SortTopologically(Region& region);

// Drops operations without an effect whose results nobody uses, in nested regions too. Custom calls with side effects,
// `while` and returns stay.
void EraseDeadOps(Function& function);

// Replaces every call by the body it calls, and every composite by what its name says
// (composite.h) or by its decomposition; afterwards the entry function is the only one. An
// error if a callee is missing or functions call each other in a circle.
Status InlineCalls(Module& module);

}  // namespace systolith::graph

#endif  // SYSTOLITH_HOST_GRAPH_REWRITE_H_
