#ifndef SYSTOLITH_TESTS_RANDOM_GRAPHS_GRAPH_GENERATOR_H_
#define SYSTOLITH_TESTS_RANDOM_GRAPHS_GRAPH_GENERATOR_H_

#include <cstdint>

#include "host/graph/graph.h"

namespace systolith::testing {

struct GraphSize {
  int operations = 8;
  int64_t elements = 400;  // of a tensor, at most
};

// A random program: typed operations of every kind on arguments, constants and each other's results,
// with odd and empty dimensions. A function of seed and size alone. What nobody uses is returned.
graph::Module RandomGraph(uint32_t seed, const GraphSize& size);

}  // namespace systolith::testing

#endif  // SYSTOLITH_TESTS_RANDOM_GRAPHS_GRAPH_GENERATOR_H_
