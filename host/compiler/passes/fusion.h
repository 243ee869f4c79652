#ifndef SYSTOLITH_HOST_COMPILER_PASSES_FUSION_H_
#define SYSTOLITH_HOST_COMPILER_PASSES_FUSION_H_

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string_view>
#include <vector>

#include "host/arch/chip_config.h"
#include "host/graph/graph.h"

namespace systolith::compiler {

// What an operation may be in a kernel of the vector unit.
enum class FusionRole : uint8_t {
  kNone,
  kStep,  // an elementwise operation
  kIota,  // a stream that lies nowhere
  kBody,  // a contraction, whose accumulators the kernel reads
};

// Operations that run in one kernel. Only the last one's result is stored.
struct VectorGroup {
  std::vector<size_t> members;  // numbers of kStep operations in their order
  std::optional<size_t> body;   // number of the contraction

  size_t root() const { return members.back(); }
};

// Which elementwise operations of a block share a kernel. An operation joins the group of those
// that use its result if that is one group, which then is the only place where its result is
// needed; so groups have one result and never wait for each other. Conversions join several groups
// and are computed in each.
class FusionPlan {
 public:
  // `roles` of `ops`, which must live as long as the plan. `is_number`: whether a value from
  // outside of the block is the same number everywhere.
  FusionPlan(const graph::Function& function, const std::vector<graph::Op>& ops,
             std::vector<FusionRole> roles,
             const std::function<bool(graph::Value)>& is_number, const arch::ChipConfig& chip);

  // The group of which the operation is the root; null if its result is never stored.
  const VectorGroup* GroupOf(size_t root) const;
  // Whether an operation uses the result that is none of the vector unit's.
  bool Escapes(size_t op) const { return escapes_[op]; }
  bool IsIota(graph::Value value) const;
  // The group's operations in two groups or more, each after those that it needs.
  std::vector<VectorGroup> Split(const VectorGroup& group) const;

 private:
  struct Draft {
    size_t root = 0;
    std::vector<size_t> members;  // from the root back
    std::optional<size_t> body;
    std::set<graph::Value> inputs;  // what it reads, but numbers
    std::set<std::string_view> functions;
    int64_t slots = 0, constants = 0;
  };

  bool IsUniform(const graph::Op& op) const;
  bool CanJoin(const Draft& draft, size_t op) const;
  void Join(Draft& draft, size_t op) const;
  int64_t Slots(size_t op) const;
  std::string_view FunctionOf(size_t op) const;
  std::optional<size_t> Definition(graph::Value value) const;
  // Groups of the operations `numbers` (rising); those in `roots` are stored whoever uses them.
  std::vector<VectorGroup> Assign(const std::vector<size_t>& numbers,
                                  const std::set<size_t>& roots) const;

  const graph::Function& function_;
  const std::vector<graph::Op>& ops_;
  const std::vector<FusionRole> roles_;
  const arch::ChipConfig& chip_;
  std::vector<int32_t> definitions_;         // by value: operation, or -1
  std::vector<bool> is_uniform_;             // by value: a number, the same everywhere
  std::vector<std::vector<size_t>> users_;   // by operation: kStep operations, rising
  std::vector<bool> escapes_;                // by operation: others use its result
  std::map<size_t, VectorGroup> groups_;     // by root
};

}  // namespace systolith::compiler

#endif  // SYSTOLITH_HOST_COMPILER_PASSES_FUSION_H_
