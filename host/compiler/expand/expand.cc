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

// It holds back a compiler that would rather compute twice; this one never does.
std::optional<Values> ExpandOptimizationBarrier(const Op& op, Expansion&) { return op.operands; }

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
      {Opcode::kOptimizationBarrier, ExpandOptimizationBarrier},
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

// Those that pairs of words know nothing of, but what they become.
bool IsExpandedWide(Opcode opcode) {
  return opcode == Opcode::kDotGeneral || opcode == Opcode::kMap ||
         opcode == Opcode::kSelectAndScatter;
}

bool IsControlFlow(Opcode opcode) {
  return opcode == Opcode::kWhile || opcode == Opcode::kIf || opcode == Opcode::kCase;
}

class Rewriter {
 public:
  // `is_wide`: operations on 64-bit integers, before these become words; else all others.
  Rewriter(graph::Function& function, const arch::ChipConfig& chip, bool is_wide)
      : function_(function), chip_(chip), is_wide_(is_wide) {}

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
    if (!(is_wide_ ? IsForWords(op) : IsForChip(op))) return std::nullopt;
    Expansion expansion(function_, expanded, op.location, chip_);
    return found->second(op, expansion);
  }

  bool IsForWords(const Op& op) const {
    const auto is_wide = [&](Value value) { return IsWide(function_.shape(value).type); };
    return IsExpandedWide(op.opcode) &&
           std::any_of(op.results.begin(), op.results.end(), is_wide);
  }

  // What the evaluator does anyway, it does best in one piece. 64 bits are pairs of words where
  // they are only moved, or random, or where a scatter's updates belong.
  bool IsForChip(const Op& op) const {
    const auto is_on_chip = [&](Value value) {
      const ElementType type = function_.shape(value).type;
      const bool is_index = op.opcode == Opcode::kScatter &&
                            value == op.operands[op.operands.size() / 2] && IsWide(type);
      return LaneTypeOf(type) || op.opcode == Opcode::kConvert || is_index ||
             (op.opcode == Opcode::kRngBitGenerator && type == ElementType::kU64);
    };
    return std::all_of(op.operands.begin(), op.operands.end(), is_on_chip) &&
           std::all_of(op.results.begin(), op.results.end(), is_on_chip);
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
  const bool is_wide_;
  std::map<Value, Value> replaced_;
};

// The vector unit does not round operands to bf16 as the matrix unit does at DEFAULT: operations do.
void RoundOperands(graph::Function& function, graph::Region& region,
                   graph::Precision default_precision) {
  const auto is_f32 = [&](Value value) { return function.shape(value).type == ElementType::kF32; };
  std::vector<Op> ops;
  graph::Builder builder(function, ops);
  for (Op& op : region.ops) {
    for (Region& nested : op.regions) {
      if (IsControlFlow(op.opcode)) RoundOperands(function, nested, default_precision);
    }
    const bool is_product = op.opcode == Opcode::kDotGeneral || op.opcode == Opcode::kConvolution;
    if (is_product &&
        ProductPrecision(op, default_precision) == graph::Precision::kDefault) {
      builder.SetLocation(op.location);
      for (Value& operand : op.operands) {
        if (!is_f32(operand)) continue;
        operand = builder.Convert(builder.Convert(operand, ElementType::kBF16), ElementType::kF32);
      }
    }
    ops.push_back(std::move(op));
  }
  region.ops = std::move(ops);
}

}  // namespace

void ExpandFunction(graph::Function& function, const arch::ChipConfig& chip) {
  Rewriter(function, chip, false).Run(function.body);
}

void ExpandWideOperations(graph::Function& function, const arch::ChipConfig& chip) {
  Rewriter(function, chip, true).Run(function.body);
}

Status ExpandOperations(Compilation& compilation) {
  graph::Function& function = compilation.function();
  if (!compilation.chip.mxu_bf16) {
    RoundOperands(function, function.body, compilation.f32_precision);
  }
  ExpandFunction(function, compilation.chip);
  return OkStatus();
}

}  // namespace systolith::compiler
