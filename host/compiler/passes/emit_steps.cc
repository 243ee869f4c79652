#include "host/compiler/codegen/generator.h"
#include "host/compiler/passes/host_fragment.h"
#include "host/compiler/passes/passes.h"

namespace systolith::compiler {
namespace {

Result<isa::ChipStep> EmitChipStep(const Compilation& compilation, const ChipGroup& group) {
  HbmMap hbm(compilation.executable.tensors, compilation.tensors);
  Generator generator(compilation.chip, hbm);
  for (const size_t index : group.kernels) {
    RETURN_IF_ERROR(generator.Emit(compilation.kernels[index]));
  }
  isa::ChipStep step;
  ASSIGN_OR_RETURN(step.program, generator.Finish());
  step.segments = hbm.TakeSegments();
  return step;
}

isa::HostStep EmitHostStep(const Compilation& compilation, const HostGroup& group) {
  const Fragment fragment = MakeFragment(compilation, group);
  isa::HostStep step;
  step.module_text = fragment.text;
  step.lines = fragment.lines;
  step.is_check = group.is_check;
  for (const graph::Value value : fragment.inputs) {
    step.inputs.push_back(compilation.tensors.at(value));
  }
  for (const graph::Value value : fragment.outputs) {
    step.outputs.push_back(compilation.tensors.at(value));
  }
  return step;
}

}  // namespace

Status EmitSteps(Compilation& compilation) {
  isa::Executable& executable = compilation.executable;
  executable.name = compilation.module.name;
  executable.source_file = compilation.module.file_name;
  executable.chip_name = compilation.chip.name;
  executable.program_hash = compilation.chip.ProgramHash();
  for (const Group& group : compilation.groups) {
    if (const auto* chip = std::get_if<ChipGroup>(&group)) {
      ASSIGN_OR_RETURN(isa::ChipStep step, EmitChipStep(compilation, *chip));
      executable.steps.push_back(std::move(step));
    } else {
      executable.steps.push_back(EmitHostStep(compilation, std::get<HostGroup>(group)));
    }
  }
  return OkStatus();
}

}  // namespace systolith::compiler
