#ifndef SYSTOLITH_HOST_COMPILER_PASSES_INTEGER_RANGES_H_
#define SYSTOLITH_HOST_COMPILER_PASSES_INTEGER_RANGES_H_

#include <vector>

#include "host/graph/graph.h"

namespace systolith::compiler {

// Every element of a value lies in lo..hi, both included. Wide enough for sums and products of
// 64-bit numbers.
struct IntegerRange {
  __int128 lo = 0, hi = 0;

  bool Holds(const IntegerRange& other) const { return lo <= other.lo && other.hi <= hi; }
  bool operator==(const IntegerRange&) const = default;
};

// What the type can hold; 0..1 for i1, 0..0 for what is no integer.
IntegerRange RangeOfType(graph::ElementType type);

// What the function's integers can be, by value id, nested regions included: constants and iotas
// are known, operations follow, loops are bounded where a comparison bounds them. Where nothing is
// known, the type's range. Linear in operations, but for nested loops (a factor per level).
std::vector<IntegerRange> IntegerRanges(const graph::Function& function);

}  // namespace systolith::compiler

#endif  // SYSTOLITH_HOST_COMPILER_PASSES_INTEGER_RANGES_H_
