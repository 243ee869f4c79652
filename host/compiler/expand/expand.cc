#include "host/compiler/expand/expand.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <utility>

#include "host/compiler/expand/expansion.h"
#include "host/compiler/expand/wide_arithmetic.h"
#include "host/compiler/passes/support.h"
#include "host/graph/rewrite.h"

namespace systolith::compiler {
namespace {

const std::map<Opcode, Expander>& Expanders() {
  static const std::map<Opcode, Expander> expanders = {
      {Opcode::kBatchNormGrad, ExpandBatchNorm},
      {Opcode::kBatchNormInference, ExpandBatchNorm},
      {Opcode::kBatchNormTraining, ExpandBatchNorm},
      {Opcode::kBesselI1e, ExpandBesselI1e},
      {Opcode::kCholesky, ExpandCholesky},
      {Opcode::kConvert, ExpandConvert},          // to and from 64 bits
      {Opcode::kConvolution, ExpandConvolution},  // types, batch groups, 0 or 3 dimensions
      {Opcode::kDotGeneral, ExpandDotGeneral},    // types that the matrix unit lacks
      {Opcode::kMap, ExpandMap},
      {Opcode::kReduce, ExpandReduce},            // bodies that the reduction kernel lacks
      {Opcode::kReduceWindow, ExpandReduceWindow},
      {Opcode::kRngBitGenerator, ExpandRngBitGenerator},
      {Opcode::kScatter, ExpandScatter},  // what the kernel refuses
      {Opcode::kSelectAndScatter, ExpandSelectAndScatter},
      {Opcode::kSort, ExpandSort},
      {Opcode::kTriangularSolve, ExpandTriangularSolve},
  };
  return expanders;
}

bool IsControlFlow(Opcode opcode) {
  return opcode == Opcode::kWhile || opcode == Opcode::kIf || opcode == Opcode::kCase;
}

class Rewriter {
 public:
  Rewriter(graph::Function& function, const arch::ChipConfig& chip)
      : function_(function), chip_(chip) {}

  void Run(Region& region) {
    std::vector<Op> ops;
    Rewrite(std::move(region.ops), ops);
    region.ops = std::move(ops);
  }

 private:
  void Rewrite(std::vector<Op> from, std::vector<Op>& to) {
    for (Op& op : from) {
      Resolve(op.operands);
      for (Region& region : op.regions) {
        if (IsControlFlow(op.opcode)) {
          Run(region);
        } else {
          graph::ForEachOp(region, [this](Op& nested) { Resolve(nested.operands); });
        }
      }
      std::vector<Op> expanded;
      if (const std::optional<Values> values = Expand(op, expanded)) {
        Rewrite(std::move(expanded), to);
        for (size_t i = 0; i < op.results.size(); ++i) {
          Value value = values->at(i);
          if (const auto found = replaced_.find(value); found != replaced_.end()) {
            value = found->second;
          }
          replaced_[op.results[i]] = value;
        }
      } else {
        to.push_back(std::move(op));
      }
    }
  }

  std::optional<Values> Expand(const Op& op, std::vector<Op>& expanded) {
    const auto found = Expanders().find(op.opcode);
    if (found == Expanders().end()) return std::nullopt;
    // What the evaluator does anyway, it does best in one piece. 64 bits are pairs of words where
    // they are only moved, or random, or where a scatter's updates belong.
    const auto is_on_chip = [&](Value value) {
      const ElementType type = function_.shape(value).type;
      const bool is_index = op.opcode == Opcode::kScatter &&
                            value == op.operands[op.operands.size() / 2] && IsWide(type);
      return LaneTypeOf(type) || op.opcode == Opcode::kConvert || is_index ||
             (op.opcode == Opcode::kRngBitGenerator && type == ElementType::kU64);
    };
    if (!std::all_of(op.operands.begin(), op.operands.end(), is_on_chip) ||
        !std::all_of(op.results.begin(), op.results.end(), is_on_chip)) {
      return std::nullopt;
    }
    Expansion expansion(function_, expanded, op.location, chip_);
    return found->second(op, expansion);
  }

  void Resolve(Values& values) const {
    for (Value& value : values) {
      if (const auto found = replaced_.find(value); found != replaced_.end()) {
        value = found->second;
      }
    }
  }

  graph::Function& function_;
  const arch::ChipConfig& chip_;
  std::map<Value, Value> replaced_;
};

}  // namespace

void ExpandFunction(graph::Function& function, const arch::ChipConfig& chip) {
  Rewriter(function, chip).Run(function.body);
}

Status ExpandOperations(Compilation& compilation) {
  ExpandFunction(compilation.function(), compilation.chip);
  return OkStatus();
}

}  // namespace systolith::compiler
