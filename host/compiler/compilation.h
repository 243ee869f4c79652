#ifndef SYSTOLITH_HOST_COMPILER_COMPILATION_H_
#define SYSTOLITH_HOST_COMPILER_COMPILATION_H_

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <variant>
#include <vector>

#include "host/arch/chip_config.h"
#include "host/base/status.h"
#include "host/compiler/buffer_plan.h"
#include "host/compiler/compile.h"
#include "host/compiler/kernel.h"
#include "host/compiler/sequence.h"
#include "host/graph/graph.h"
#include "host/isa/executable.h"

namespace systolith::compiler {

// Where an operation of the entry function runs.
enum class Unit : uint8_t { kChip, kEvaluator, kCheck, kNone };  // kNone: constants, return

struct Placement {
  Unit unit = Unit::kNone;
  std::string reason;  // why not the chip
};

// One operation that the evaluator runs.
struct HostOperation {
  graph::Op op;
  int64_t position = 0;
};

// What runs in one go, on one side.
struct ChipGroup {
  Sequence items;
};
struct HostGroup {
  std::vector<size_t> operations;  // of Compilation::host_operations, in order
  bool is_check = false;
};
using Group = std::variant<ChipGroup, HostGroup>;

// What the passes work on. Each pass fills in more; `executable` is the result.
struct Compilation {
  graph::Module module;  // one function from the pass inline-calls on
  arch::ChipConfig chip;
  CompileOptions options;
  graph::Precision f32_precision = graph::Precision::kDefault;

  std::vector<Placement> placements;  // by operation of the entry function's body
  std::vector<Kernel> kernels;
  std::vector<Control> controls;
  Sequence items;  // kernels and controls of the entry function
  std::vector<HostOperation> host_operations;
  std::map<graph::Value, graph::Value> same_storage;  // returned reshapes -> what they reshape
  std::vector<Group> groups;
  BufferPlan buffer_plan;
  std::map<graph::Value, uint32_t> tensors;  // values that are stored -> executable.tensors
  isa::Executable executable;

  graph::Function& function() { return *module.Entry(); }
  const graph::Function& function() const { return *module.Entry(); }
  int64_t Position(const Item& item) const {
    return item.kind == Item::Kind::kKernel ? kernels[item.index].position
                                            : controls[item.index].position;
  }
};

// Calls `visit` for every kernel of a sequence, in order, nested ones included.
void ForEachKernel(const Compilation& compilation, const Sequence& sequence,
                   const std::function<void(const Kernel&)>& visit);

// What an item reads and writes outside of itself, nested kernels included, each value once.
struct Accesses {
  std::vector<graph::Value> reads, writes;
};
Accesses AccessesOf(const Compilation& compilation, const Item& item);

struct Pass {
  std::string name;
  Status (*run)(Compilation&);
};

// All that the passes so far have made, as text.
std::string ToString(const Compilation& compilation);

// Checks the graph and the kernels: shapes, operand counts, what the vector unit can hold, and that
// every value is written, at least in part, before it is read.
Status VerifyCompilation(const Compilation& compilation);

}  // namespace systolith::compiler

#endif  // SYSTOLITH_HOST_COMPILER_COMPILATION_H_
