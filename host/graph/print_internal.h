#ifndef SYSTOLITH_HOST_GRAPH_PRINT_INTERNAL_H_
#define SYSTOLITH_HOST_GRAPH_PRINT_INTERNAL_H_

#include <string>

#include "host/graph/graph.h"

// Shared by the files that implement print.h.
namespace systolith::graph {

// An operation without regions, behind its " = ": name, operands, attributes and type.
std::string PlainOpText(const Op& op, const std::string& operands, const std::string& type);

// What stands between <{ and }> in the generic form of an operation with regions.
std::string RegionOpAttributes(const Op& op);

// "@name", in quotes where the name is no plain word.
std::string SymbolText(const std::string& name);

}  // namespace systolith::graph

#endif  // SYSTOLITH_HOST_GRAPH_PRINT_INTERNAL_H_
