#ifndef SYSTOLITH_HOST_COMPILER_COMPILE_H_
#define SYSTOLITH_HOST_COMPILER_COMPILE_H_

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "host/arch/chip_config.h"
#include "host/base/status.h"
#include "host/graph/graph.h"
#include "host/isa/executable.h"

namespace systolith::compiler {

struct CompileOptions {
  // What DEFAULT means for f32 operands of dot_general and convolution: kDefault rounds them to
  // bf16 (one pass), kHigh is three passes over byte slices, kHighest six. Unset: kHighest for a
  // module that checks its own results, else kDefault. Operations that ask for more get it.
  std::optional<graph::Precision> f32_precision;

  // An operation that would run in the evaluator is an error instead.
  bool no_fallback = false;

  // Operations on constants are not computed by the compiler: what runs shows what the chip can do.
  bool no_fold = false;

  // After the pass of this name ("all": after each) `dump` gets what there is, as text.
  std::string dump_after;
  std::function<void(const std::string& pass, const std::string& text)> dump;
};

// Translates the module's entry function for one chip. Deterministic: equal input gives equal
// bytes. An operation that neither chip nor evaluator knows and any fallback under `no_fallback`
// are Unsupported; the message names operation, line and reason.
Result<isa::Executable> Compile(graph::Module module, const arch::ChipConfig& chip,
                                const CompileOptions& options);

// Names of the passes, in order; for --dump-after.
std::vector<std::string> PassNames();

}  // namespace systolith::compiler

#endif  // SYSTOLITH_HOST_COMPILER_COMPILE_H_
