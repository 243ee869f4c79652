// The passes that change the graph itself.
#include <algorithm>
#include <functional>
#include <vector>

#include "host/compiler/passes/passes.h"
#include "host/compiler/passes/support.h"
#include "host/evaluator/evaluator.h"
#include "host/graph/builder.h"
#include "host/graph/rewrite.h"

namespace systolith::compiler {
namespace {

using graph::Op;
using graph::Opcode;
using graph::Value;

// A folded constant costs file size and a load, a folded operation saves a kernel.
constexpr int64_t kMaxFoldedBytes = 1 << 16;

// Only what moves or converts data is folded. Arithmetic stays, so that a module that computes
// with its own constants (and checks the result) still runs on the chip.
bool IsFoldable(Opcode opcode) {
  switch (opcode) {
    case Opcode::kConvert:
    case Opcode::kReshape:
    case Opcode::kTranspose:
    case Opcode::kSlice:
    case Opcode::kReverse:
    case Opcode::kIota:
      return true;
    default:
      return false;
  }
}

// Whether every user computes: data that only passes through to a result or a check stays.
bool FeedsArithmetic(const std::vector<const Op*>& users) {
  return !users.empty() && std::all_of(users.begin(), users.end(), [](const Op* user) {
    return user->opcode != Opcode::kReturn && user->opcode != Opcode::kCustomCall;
  });
}

bool IsProduct(const Op& op) {
  return op.opcode == Opcode::kDotGeneral || op.opcode == Opcode::kConvolution;
}

// Calls `visit` for a region and for all regions of while, if and case in it, the outer one first.
void ForEachBlock(graph::Region& region, const std::function<void(graph::Region&)>& visit) {
  visit(region);
  for (Op& op : region.ops) {
    if (!IsControl(op.opcode)) continue;
    for (graph::Region& nested : op.regions) ForEachBlock(nested, visit);
  }
}

void FoldBlock(const graph::Module& module, const graph::Function& function,
               const std::vector<std::vector<const Op*>>& users,
               const std::vector<const Op*>& definitions, graph::Region& block) {
  for (Op& op : block.ops) {  // in order, so that chains fold
    if (!IsFoldable(op.opcode) || op.results.size() != 1) continue;
    const graph::Shape& shape = function.shape(op.result());
    if (!graph::IsSupported(shape.type) || shape.ByteCount() > kMaxFoldedBytes) continue;
    if (!FeedsArithmetic(users[static_cast<size_t>(op.result().id)])) continue;
    std::vector<const graph::Literal*> operands;
    for (const Value operand : op.operands) {
      const Op* definition = definitions[static_cast<size_t>(operand.id)];
      if (definition == nullptr || definition->opcode != Opcode::kConstant) break;
      operands.push_back(definition->As<graph::ConstantAttributes>().value.get());
    }
    if (operands.size() != op.operands.size()) continue;
    Result<std::vector<graph::Literal>> folded = evaluator::EvaluateOp(
        &module, function, op, operands, evaluator::EvalOptions{}, nullptr);
    if (!folded.ok()) continue;
    op.opcode = Opcode::kConstant;
    op.operands.clear();
    op.attributes =
        graph::ConstantAttributes{std::make_shared<graph::Literal>(std::move((*folded)[0]))};
  }
}

void MatchBlock(const Compilation& compilation, graph::Function& function, graph::Region& block) {
  std::vector<Op> ops;
  graph::Builder builder(function, ops);
  for (Op& op : block.ops) {
    if (IsProduct(op)) {
      const graph::Precision asked = ProductPrecision(op, compilation.f32_precision);
      const auto type = [&](size_t i) { return function.shape(op.operands[i]).type; };
      if (asked != graph::Precision::kDefault && type(0) != type(1)) {
        builder.SetLocation(op.location);
        for (size_t i = 0; i < 2; ++i) {
          if (type(i) == graph::ElementType::kBF16 && type(1 - i) == graph::ElementType::kF32) {
            op.operands[i] = builder.Convert(op.operands[i], graph::ElementType::kF32);
          }
        }
      }
    }
    ops.push_back(std::move(op));
  }
  block.ops = std::move(ops);
}

}  // namespace

Status InlineCalls(Compilation& compilation) {
  RETURN_IF_ERROR(graph::InlineCalls(compilation.module));
  if (compilation.module.Entry() == nullptr) return InvalidArgument("the module has no function");
  return OkStatus();
}

Status FoldConstants(Compilation& compilation) {
  if (compilation.options.no_fold) return OkStatus();
  graph::Function& function = compilation.function();
  const auto users = graph::Users(function);
  const auto definitions = graph::Definitions(function);
  ForEachBlock(function.body, [&](graph::Region& block) {
    FoldBlock(compilation.module, function, users, definitions, block);
  });
  return OkStatus();
}
// A bf16 operand beside an f32 one is converted where the f32 one is cut into slices.
Status MatchOperandTypes(Compilation& compilation) {
  graph::Function& function = compilation.function();
  ForEachBlock(function.body,
               [&](graph::Region& block) { MatchBlock(compilation, function, block); });
  return OkStatus();
}

Status EraseDeadOperations(Compilation& compilation) {
  graph::EraseDeadOps(compilation.function());
  return OkStatus();
}

}  // namespace systolith::compiler
