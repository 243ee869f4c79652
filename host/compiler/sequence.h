#ifndef SYSTOLITH_HOST_COMPILER_SEQUENCE_H_
#define SYSTOLITH_HOST_COMPILER_SEQUENCE_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <variant>
#include <vector>

#include "host/compiler/view.h"
#include "host/graph/graph.h"

// What the chip's sequencer runs: kernels one after another, and control flow around them.
namespace systolith::compiler {

struct Item {
  enum class Kind : uint8_t { kKernel, kControl };
  Kind kind = Kind::kKernel;
  size_t index = 0;  // of Compilation::kernels or Compilation::controls

  bool operator==(const Item&) const = default;
};
using Sequence = std::vector<Item>;

// entry; while (condition, predicate) body. What goes round lives in one place per value, named by
// the operation's results: `entry` writes the first values there, `body` the next ones.
struct Loop {
  Sequence entry, condition;
  View predicate;  // one i1
  Sequence body;
};

// One of the branches, all of which write the operation's results. An i1 takes the first if it is
// true, else the second; an s32 takes the branch of its number, the last one if there is none.
struct Choice {
  View index;
  std::vector<Sequence> branches;
};

// A while, if or case.
struct Control {
  std::variant<Loop, Choice> body;
  std::vector<graph::Value> results;
  graph::Location location;
  std::string operation;
  int64_t position = 0;  // among the kernels of the sequence that it stands in

  // In the order in which they run.
  std::vector<const Sequence*> Sequences() const;
  std::vector<Sequence*> Sequences();
  const View& Scalar() const;  // predicate or index
};

}  // namespace systolith::compiler

#endif  // SYSTOLITH_HOST_COMPILER_SEQUENCE_H_
