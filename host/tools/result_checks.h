#ifndef SYSTOLITH_HOST_TOOLS_RESULT_CHECKS_H_
#define SYSTOLITH_HOST_TOOLS_RESULT_CHECKS_H_

#include <span>
#include <string>
#include <vector>

#include "host/arch/chip_config.h"
#include "host/base/status.h"
#include "host/evaluator/evaluator.h"
#include "host/graph/literal.h"
#include "host/isa/executable.h"
#include "host/tools/error_bounds.h"

namespace systolith::tools {

// The outcome of one comparison.
struct Check {
  std::string name = {};  // "golden, result 0"
  bool passed = false;
  std::string message = {};  // what differs first and how much does; or how closely it was met

  // Against the evaluator only.
  double max_error = 0;           // largest |chip - reference| of the elements compared
  double max_error_of_bound = 0;  // largest share of its bound that an error takes
  int64_t unchecked = 0;          // elements for which no bound is known
};

// Bit equality.
Check CompareBits(const std::string& name, const graph::Literal& chip,
                  const graph::Literal& golden);

// |chip - reference| <= bound for every element; NaN must meet NaN and infinity the same infinity.
Check CompareWithin(const std::string& name, const graph::Literal& chip,
                    const BoundedValue& reference);

// Compares the chip's results with a run of the executable on the golden model.
Result<std::vector<Check>> CheckAgainstGolden(const isa::Executable& executable,
                                              const arch::ChipConfig& config,
                                              std::span<const graph::Literal> arguments,
                                              const evaluator::EvalOptions& evaluation,
                                              std::span<const graph::Literal> results);

// Compares the chip's results with the module's meaning; bounds as in error_bounds.h.
Result<std::vector<Check>> CheckAgainstEvaluator(const graph::Module& module,
                                                 graph::Precision precision,
                                                 std::span<const graph::Literal> arguments,
                                                 std::span<const graph::Literal> results);

}  // namespace systolith::tools

#endif  // SYSTOLITH_HOST_TOOLS_RESULT_CHECKS_H_
