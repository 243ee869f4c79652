#ifndef SYSTOLITH_HOST_TOOLS_ERROR_BOUNDS_H_
#define SYSTOLITH_HOST_TOOLS_ERROR_BOUNDS_H_

#include <span>
#include <string>
#include <vector>

#include "host/base/status.h"
#include "host/graph/graph.h"
#include "host/graph/literal.h"

namespace systolith::tools {

// A reference value and how far a correct chip may be from it, element by element.
struct BoundedValue {
  graph::Literal value;
  // In row-major order; empty: every element is exact. Infinite: unknown.
  std::vector<double> bound;

  double BoundAt(int64_t i) const { return bound.empty() ? 0.0 : bound[static_cast<size_t>(i)]; }
  bool IsExact() const;
};

// Evaluates the module's entry function on exact arguments, operation by operation in the reference
// evaluator, and carries an error bound along:
//   dot_general, convolution of floats   2^-20 * sum |a*b| + 1 ulp of f32 (2^-13 for HIGH, whose
//                                        three passes drop products below that), plus what the
//                                        operands' own bounds make of it
//   other float arithmetic               the operands' bounds through the operation's derivative or
//                                        monotonicity, + 1 ulp
//   functions (exp, erf ...)             their values at the ends of the operands' intervals, + 4
//                                        ulp (docs/functions.md has what the chip keeps)
//   sums of n elements                   + n * half an ulp of the sum of magnitudes; windows and
//                                        scatters likewise
//   while, if, case                      as what they run, as long as the condition is known
//   rounding, conversions                what the operand's interval rounds to: often one value
//   maximum, minimum, clamp, movement    the operands' bounds
//   integers                             exact as long as their operands are
// Results narrower than f32 are computed as f32 and rounded: their bound is what the f32 interval
// rounds to. For a single product this implies the promise of the numeric contract, 2^-20 * sum
// |a*b| + 1 ulp of the result type; for longer programs it is a worst case, which grows with depth.
// What has no rule gets an infinite bound unless its operands are exact; `notes` then says where.
Result<std::vector<BoundedValue>> EvaluateWithBounds(const graph::Module& module,
                                                     std::span<const graph::Literal> arguments,
                                                     graph::Precision default_precision,
                                                     std::vector<std::string>* notes);

// The distance of neighbouring numbers of a float type around |x|; that of the smallest normal
// number below it.
double UlpOf(graph::ElementType type, double x);

}  // namespace systolith::tools

#endif  // SYSTOLITH_HOST_TOOLS_ERROR_BOUNDS_H_
