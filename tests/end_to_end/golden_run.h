#ifndef SYSTOLITH_TESTS_END_TO_END_GOLDEN_RUN_H_
#define SYSTOLITH_TESTS_END_TO_END_GOLDEN_RUN_H_

#include <random>
#include <string>
#include <vector>

#include "host/arch/chip_config.h"
#include "host/base/status.h"
#include "host/compiler/compile.h"
#include "host/evaluator/evaluator.h"
#include "host/graph/literal.h"
#include "host/isa/executable.h"

// Compiled programs on the golden model, without runtime and driver between.
namespace systolith::testing {

struct GoldenRun {
  std::vector<graph::Literal> results;
  std::vector<evaluator::CheckResult> checks;
};

// Runs an executable. Memory starts as 0xff everywhere; every allocation has guard bytes around
// it, and one that changed is an error, as is any hazard that the model sees.
Result<GoldenRun> RunOnGolden(const isa::Executable& executable, const arch::ChipConfig& chip,
                              const std::vector<graph::Literal>& arguments);

// A chip with arrays of `size` x `size`, both types, `mxu_count` units and a buffer of that size.
arch::ChipConfig ArrayChip(int64_t size, int64_t mxu_count = 1, int64_t buffer_bytes = 1 << 18,
                           int64_t accumulator_rows = 64);

// Standard normal floats, integers over their full range.
graph::Literal RandomLiteral(const graph::Shape& shape, std::mt19937& rng);
// Integers of small magnitude in any type: float sums of their products are exact.
graph::Literal SmallIntegers(const graph::Shape& shape, std::mt19937& rng);

std::vector<graph::Shape> ArgumentShapes(const graph::Module& module);

// Whether each result element is within 2^-20 * sum|a*b| + 1 ulp of its type of the evaluator's;
// integers must be equal; at precision HIGH 2^-13. Empty if so, else the first difference. The
// program's results must come straight from products where `magnitudes` has an entry.
std::string CompareWithEvaluator(const graph::Module& module,
                                 const std::vector<graph::Literal>& arguments,
                                 const std::vector<graph::Literal>& results,
                                 graph::Precision f32_precision);

}  // namespace systolith::testing

#endif  // SYSTOLITH_TESTS_END_TO_END_GOLDEN_RUN_H_
