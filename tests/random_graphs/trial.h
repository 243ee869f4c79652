#ifndef SYSTOLITH_TESTS_RANDOM_GRAPHS_TRIAL_H_
#define SYSTOLITH_TESTS_RANDOM_GRAPHS_TRIAL_H_

#include <cstdint>
#include <string>

#include "host/graph/graph.h"

namespace systolith::testing {

// How a program is compared.
struct Trial {
  uint64_t input_seed = 0;  // of random arguments, as `systolith run --seed` takes it
  std::string chip = "tiny";
  std::string target = "golden";  // "rtl": both, with equal bits
  graph::Precision precision = graph::Precision::kDefault;
  bool no_fold = false;
};

// What went wrong: a kind ("compile", "result", "crash" ...), ": " and a message; empty: nothing.
// In this process.
std::string Compare(const graph::Module& module, const Trial& trial);

// The same in a child process, which may crash or hang.
std::string CompareInChild(const graph::Module& module, const Trial& trial);

// The kind of a failure.
std::string KindOf(const std::string& failure);

// A smaller program that fails in the same way: operations are dropped or become arguments, then
// dimensions shrink.
graph::Module Minimise(const graph::Module& module, const Trial& trial, const std::string& failure);

// The command that runs a program's file in the same way.
std::string CommandFor(const Trial& trial, const std::string& file);

}  // namespace systolith::testing

#endif  // SYSTOLITH_TESTS_RANDOM_GRAPHS_TRIAL_H_
