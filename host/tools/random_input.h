#ifndef SYSTOLITH_HOST_TOOLS_RANDOM_INPUT_H_
#define SYSTOLITH_HOST_TOOLS_RANDOM_INPUT_H_

#include <cstdint>

#include "host/graph/literal.h"

namespace systolith::tools {

// Random contents of argument `index` under that seed: floats from N(0, 1), rounded to their type,
// integers over their full range. A function of seed, index and shape alone: the same on every
// platform, because it uses only IEEE additions, multiplications, divisions and square roots.
graph::Literal RandomLiteral(const graph::Shape& shape, uint64_t seed, uint64_t index);

}  // namespace systolith::tools

#endif  // SYSTOLITH_HOST_TOOLS_RANDOM_INPUT_H_
