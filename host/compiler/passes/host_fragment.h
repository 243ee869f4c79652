#ifndef SYSTOLITH_HOST_COMPILER_PASSES_HOST_FRAGMENT_H_
#define SYSTOLITH_HOST_COMPILER_PASSES_HOST_FRAGMENT_H_

#include <set>
#include <string>
#include <vector>

#include "host/compiler/compilation.h"

namespace systolith::compiler {

// The values that must be in memory for an operation to run in the evaluator: its operands and what
// its regions use; views and constants are followed to the values that they come from. Use it while
// the compilation does not change.
class StoredValueFinder {
 public:
  explicit StoredValueFinder(const Compilation& compilation);

  std::vector<graph::Value> Inputs(const graph::Op& op) const;
  // Adds the stored values behind a value, in order.
  void Collect(graph::Value value, std::vector<graph::Value>& inputs) const;
  const graph::Op& Definition(graph::Value value) const {
    return *definitions_[static_cast<size_t>(value.id)];
  }

 private:
  std::vector<const graph::Op*> definitions_;
  std::set<graph::Value> stored_;
};

// A module of some operations of the function, as StableHLO text: what the evaluator runs.
struct Fragment {
  std::string text;
  std::vector<int> lines;             // of the source, by operation of the module
  std::vector<graph::Value> inputs;   // of the function; arguments of the module in this order
  std::vector<graph::Value> outputs;  // results of the module
};
Fragment MakeFragment(const Compilation& compilation, const StoredValueFinder& finder,
                      const HostGroup& group);

}  // namespace systolith::compiler

#endif  // SYSTOLITH_HOST_COMPILER_PASSES_HOST_FRAGMENT_H_
