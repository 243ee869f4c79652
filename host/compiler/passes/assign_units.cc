#include <fmt/format.h>

#include <algorithm>

#include "host/compiler/passes/passes.h"
#include "host/compiler/passes/support.h"
#include "host/graph/rewrite.h"

namespace systolith::compiler {
namespace {

using graph::Op;
using graph::Opcode;

uint64_t MultiplyAccumulates(const Op& op, const graph::Function& function) {
  const auto results = static_cast<uint64_t>(function.shape(op.result()).ElementCount());
  if (op.opcode == Opcode::kDotGeneral) {
    uint64_t k = 1;
    for (const int64_t dimension : op.As<graph::DotGeneralAttributes>().lhs_contracting) {
      k *= static_cast<uint64_t>(
          function.shape(op.operands[0]).dims[static_cast<size_t>(dimension)]);
    }
    return results * k;
  }
  if (op.opcode == Opcode::kConvolution) {
    const auto& conv = op.As<graph::ConvolutionAttributes>();
    const graph::Shape& kernel = function.shape(op.operands[1]);
    const int64_t outputs = kernel.dims[static_cast<size_t>(conv.kernel_output_feature)];
    return outputs == 0 ? 0 : results * static_cast<uint64_t>(kernel.ElementCount() / outputs);
  }
  return 0;
}

isa::OperationReport Report(const Op& op, const graph::Function& function,
                            const Placement& placement) {
  isa::OperationReport report;
  report.operation = graph::OpcodeName(op.opcode);
  report.line = op.location.line;
  report.on_chip = placement.unit == Unit::kChip;
  report.reason = placement.reason;
  for (const graph::Value value : op.operands) {
    report.bytes += static_cast<uint64_t>(function.shape(value).ByteCount());
  }
  for (const graph::Value value : op.results) {
    report.bytes += static_cast<uint64_t>(function.shape(value).ByteCount());
  }
  const bool is_product = op.opcode == Opcode::kDotGeneral || op.opcode == Opcode::kConvolution;
  if (is_product) {
    report.macs = MultiplyAccumulates(op, function);
    report.flops = 2 * report.macs;
  } else if (op.opcode == Opcode::kReduce) {
    report.flops = static_cast<uint64_t>(function.shape(op.operands[0]).ElementCount());
  } else if (!op.results.empty() && !IsViewOperation(op.opcode) &&
             !IsMovementOperation(op.opcode)) {
    report.flops = static_cast<uint64_t>(function.shape(op.result()).ElementCount());
  }
  return report;
}

// The operation, and those in it that the sequencer would run one by one; each as if it ran once.
void AddReports(const Op& op, const graph::Function& function, const Placement& placement,
                std::vector<isa::OperationReport>& reports) {
  reports.push_back(Report(op, function, placement));
  if (!IsControl(op.opcode)) return;
  for (const graph::Region& region : op.regions) {
    for (const Op& inner : region.ops) {
      if (inner.opcode == Opcode::kConstant || inner.opcode == Opcode::kReturn) continue;
      AddReports(inner, function, placement, reports);
    }
  }
}

// Numbers of 64 bits would be more exact in the evaluator than anything on the chip: a program that
// asks for them is not one for this machine.
Status RefuseF64(const graph::Function& function) {
  Status status;
  graph::ForEachOp(function.body, [&](const Op& op) {
    for (const graph::Value value : op.results) {
      if (!status.ok() || function.shape(value).type != graph::ElementType::kF64) continue;
      status = Unsupported(fmt::format(
          "{}: its result has type f64; the chip's widest float is f32 (JAX: jax_enable_x64 off)",
          graph::Describe(op)));
    }
  });
  return status;
}

}  // namespace

Status AssignUnits(Compilation& compilation) {
  const graph::Function& function = compilation.function();
  RETURN_IF_ERROR(RefuseF64(function));
  std::string first_reason;  // "; OPERATION: why" of the first in the evaluator
  for (const Op& op : function.body.ops) {
    Placement placement;
    if (graph::IsCheck(op)) {
      placement.unit = Unit::kCheck;
    } else if (op.opcode == Opcode::kCustomCall) {
      return Unsupported(fmt::format("{}: custom call to \"{}\", which nobody here knows",
                                     graph::Describe(op),
                                     op.As<graph::CustomCallAttributes>().target));
    } else if (op.opcode != Opcode::kConstant && op.opcode != Opcode::kReturn) {
      const auto reason = WhyNotOnChip(op, function, compilation.chip);
      placement.unit = reason ? Unit::kEvaluator : Unit::kChip;
      placement.reason = reason.value_or("");
      if (reason && compilation.options.no_fallback) {
        return Unsupported(fmt::format("{}: not on the chip: {} (fallback is not allowed)",
                                       graph::Describe(op), *reason));
      }
      if (reason && first_reason.empty()) {
        first_reason = fmt::format("; {}: {}", graph::Describe(op), *reason);
      }
      AddReports(op, function, placement, compilation.executable.operations);
    }
    compilation.placements.push_back(std::move(placement));
  }
  std::vector<std::string>& notes = compilation.executable.notes;
  if (const double share = compilation.executable.FallbackShare(); share > 0.0) {
    notes.push_back(
        fmt::format("{:.1f} % of the operations, {:.1f} % of their bytes, run in the evaluator{}",
                    100.0 * share, 100.0 * compilation.executable.FallbackByteShare(),
                    first_reason));
  }
  return OkStatus();
}

}  // namespace systolith::compiler
