#ifndef SYSTOLITH_HOST_COMPILER_PASSES_HOST_FRAGMENT_H_
#define SYSTOLITH_HOST_COMPILER_PASSES_HOST_FRAGMENT_H_

#include <string>
#include <vector>

#include "host/compiler/compilation.h"

namespace systolith::compiler {

// The values that must be in memory for an operation to run in the evaluator: its operands and what
// its regions use; views and constants are followed to the values that they come from.
std::vector<graph::Value> StoredInputs(const Compilation& compilation, const graph::Op& op);

// A module of some operations of the function, as StableHLO text: what the evaluator runs.
struct Fragment {
  std::string text;
  std::vector<int> lines;             // of the source, by operation of the module
  std::vector<graph::Value> inputs;   // of the function; arguments of the module in this order
  std::vector<graph::Value> outputs;  // results of the module
};
Fragment MakeFragment(const Compilation& compilation, const HostGroup& group);

}  // namespace systolith::compiler

#endif  // SYSTOLITH_HOST_COMPILER_PASSES_HOST_FRAGMENT_H_
