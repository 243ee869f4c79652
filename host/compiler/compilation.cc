#include "host/compiler/compilation.h"

#include <fmt/format.h>

#include <set>

#include "host/graph/print.h"
#include "host/graph/verify.h"
#include "host/isa/disassembler.h"

namespace systolith::compiler {
namespace {

Status VerifyKernel(const Kernel& kernel, const graph::Function& function) {
  const auto fault = [&](const std::string& what) {
    return Internal(fmt::format("{} at line {}: {}", kernel.operation, kernel.location.line, what));
  };
  const View& out = kernel.out;
  const graph::Shape& stored = function.shape(out.base);
  if (stored.type != out.type) return fault("result type differs");
  if (!out.IsWithin(stored.ElementCount())) return fault("the result does not fit its tensor");
  if (kernel.steps.size() > kMaxSteps) return fault("too many steps");
  if (kernel.streams.size() > kMaxStreams) return fault("too many streams");
  std::set<uint32_t> immediates;
  for (const VectorStep& step : kernel.steps) {
    for (const StepOperand& operand : step.operands) {
      if (operand.kind == StepOperand::Kind::kImmediate) immediates.insert(operand.bits);
      if (operand.kind == StepOperand::Kind::kStream && operand.bits >= kernel.streams.size()) {
        return fault("a step names a stream that does not exist");
      }
    }
  }
  if (immediates.size() > kMaxImmediates) return fault("too many immediates");
  for (const View& stream : kernel.streams) {
    if (stream.dims != out.dims) return fault("a stream has other dimensions");
  }
  return OkStatus();
}

}  // namespace

Status VerifyCompilation(const Compilation& compilation) {
  RETURN_IF_ERROR(graph::Verify(compilation.module));
  for (const Kernel& kernel : compilation.kernels) {
    RETURN_IF_ERROR(VerifyKernel(kernel, compilation.function()));
  }
  return OkStatus();
}

std::string ToString(const Compilation& compilation) {
  if (!compilation.executable.steps.empty()) {
    std::string text;
    for (const isa::Step& step : compilation.executable.steps) {
      if (const auto* chip = std::get_if<isa::ChipStep>(&step)) {
        text += isa::Disassemble(chip->program);
      } else {
        text += std::get<isa::HostStep>(step).module_text;
      }
    }
    return text;
  }
  std::string text = graph::Print(compilation.module);
  for (const Kernel& kernel : compilation.kernels) text += ToString(kernel) + "\n";
  for (size_t i = 0; i < compilation.groups.size(); ++i) {
    const auto* chip = std::get_if<ChipGroup>(&compilation.groups[i]);
    text += fmt::format("step {}: {}\n", i,
                        chip != nullptr ? fmt::format("{} kernels", chip->kernels.size())
                                        : std::string("evaluator"));
  }
  for (const auto& [value, tensor] : compilation.tensors) {
    const isa::Tensor& place = compilation.executable.tensors[tensor];
    text += fmt::format("%{}: tensor {} home {} index {} offset {} bytes {}\n", value.id, tensor,
                        static_cast<int>(place.home), place.index, place.offset, place.bytes);
  }
  return text;
}

}  // namespace systolith::compiler
