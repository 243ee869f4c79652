#ifndef SYSTOLITH_HOST_EVALUATOR_EVALUATOR_H_
#define SYSTOLITH_HOST_EVALUATOR_EVALUATOR_H_

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "host/base/status.h"
#include "host/graph/graph.h"

// The reference interpreter of the graph: the oracle for the compiler, and the fallback for what
// the chip cannot do. Plain arithmetic, written from StableHLO's specification and from the numeric
// rules in rtl/arch/README.md; nothing is shared with the golden model or the RTL.
namespace systolith::evaluator {

struct EvalOptions {
  // What DEFAULT means for f32 operands of dot_general and convolution: rounded to bf16
  // (kDefault) or kept (kHigh, kHighest). An operation that asks for HIGH or HIGHEST gets it.
  graph::Precision default_precision = graph::Precision::kDefault;

  // Keep |a*b| sums of dot_general and convolution operations in the report.
  bool keep_magnitudes = false;

  // A `while` that runs longer is an error.
  int64_t max_loop_iterations = int64_t{1} << 32;
};

// The outcome of one "check.*" operation.
struct CheckResult {
  std::string target;  // "check.expect_close"
  int line = 0;
  bool passed = false;
  std::string message;  // the first element that differs, and how many do; empty if passed
};

struct EvalReport {
  std::vector<CheckResult> checks;  // in the order of execution

  // With keep_magnitudes: per result value id of the entry function, sum over |a*b| of each element
  // of a float dot_general or convolution, in row-major order of the result.
  std::map<int32_t, std::vector<double>> magnitudes;

  bool AllChecksPassed() const;
};

// Runs the module's entry function. Argument and literal shapes must agree. A failed check is no
// error: it is in the report (which may be null). Unsupported names an operation that the
// evaluator cannot do.
Result<std::vector<graph::Literal>> Evaluate(const graph::Module& module,
                                             std::span<const graph::Literal> arguments,
                                             const EvalOptions& options, EvalReport* report);

// Computes one operation of `function` from its operands' values, followed by those of
// graph::Captures(op) where its regions use values from outside. Calls are looked up in `module`,
// which may be null when there are none.
Result<std::vector<graph::Literal>> EvaluateOp(const graph::Module* module,
                                               const graph::Function& function,
                                               const graph::Op& op,
                                               std::span<const graph::Literal* const> operands,
                                               const EvalOptions& options, EvalReport* report);

}  // namespace systolith::evaluator

#endif  // SYSTOLITH_HOST_EVALUATOR_EVALUATOR_H_
