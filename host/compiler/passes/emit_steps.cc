#include <algorithm>

#include "host/compiler/codegen/generator.h"
#include "host/compiler/passes/host_fragment.h"
#include "host/compiler/passes/passes.h"

namespace systolith::compiler {
namespace {

// Writes one chip step, item by item.
class SequenceEmitter {
 public:
  SequenceEmitter(Compilation& compilation, Generator& generator)
      : compilation_(compilation), generator_(generator), emitter_(generator.emitter()) {}

  Status Emit(const Sequence& sequence) {
    for (const Item& item : sequence) {
      if (item.kind == Item::Kind::kKernel) {
        RETURN_IF_ERROR(generator_.Emit(compilation_.kernels[item.index], item.index));
        compilation_.kernels[item.index].predicted_cycles = generator_.predicted_cycles();
        continue;
      }
      const Control& control = compilation_.controls[item.index];
      const auto* loop = std::get_if<Loop>(&control.body);
      RETURN_IF_ERROR(loop != nullptr ? EmitLoop(item.index, control, *loop)
                                      : EmitChoice(control, std::get<Choice>(control.body)));
    }
    return OkStatus();
  }

 private:
  // What follows belongs to the operation itself, not to the kernels around it.
  void Start(const Control& control) {
    emitter_.SetLine(control.operation, control.location.line);
  }

  Status EmitLoop(size_t index, const Control& control, const Loop& loop) {
    RETURN_IF_ERROR(Emit(loop.entry));
    Start(control);
    generator_.EnterLoop(index);
    Emitter::Loop at = emitter_.BeginLoop();
    generator_.ForgetVectorUnit();
    RETURN_IF_ERROR(EmitTurn(control, loop, at));
    size_t again = 0;
    if (IsShort(loop)) {
      // The first turn brings kernels and descriptions of streams in; if they all stay, the turns
      // behind it find them there.
      emitter_.NextTurn(at);
      generator_.ForgetLogs();
      const uint64_t before = generator_.vector_unit().changes();
      RETURN_IF_ERROR(EmitTurn(control, loop, at));
      if (generator_.vector_unit().changes() == before) again = 1;
    }
    emitter_.EndLoop(at, again);
    generator_.ForgetVectorUnit();
    generator_.LeaveLoop(index);
    return OkStatus();
  }

  Status EmitTurn(const Control& control, const Loop& loop, Emitter::Loop& at) {
    RETURN_IF_ERROR(Emit(loop.condition));
    Start(control);
    emitter_.LeaveLoopIfZero(at, generator_.LoadScalarOfControl(loop.predicate));
    RETURN_IF_ERROR(Emit(loop.body));
    Start(control);
    return OkStatus();
  }

  // Innermost, and cheap to write twice.
  static bool IsShort(const Loop& loop) {
    constexpr size_t kMostKernels = 64;
    const auto is_kernel = [](const Item& item) { return item.kind == Item::Kind::kKernel; };
    return loop.condition.size() + loop.body.size() <= kMostKernels &&
           std::all_of(loop.condition.begin(), loop.condition.end(), is_kernel) &&
           std::all_of(loop.body.begin(), loop.body.end(), is_kernel);
  }

  Status EmitChoice(const Control& control, const Choice& choice) {
    Start(control);
    const bool is_if = choice.index.type == graph::ElementType::kI1;
    Emitter::Branches at =
        emitter_.BeginBranches(is_if ? Emitter::Choice::kIf : Emitter::Choice::kCase,
                               choice.branches.size(),
                               generator_.LoadScalarOfControl(choice.index));
    for (const Sequence& branch : choice.branches) {
      Start(control);
      emitter_.BeginBranch(at);
      generator_.ForgetVectorUnit();
      RETURN_IF_ERROR(Emit(branch));
    }
    Start(control);
    emitter_.EndBranches(at);
    generator_.ForgetVectorUnit();
    return OkStatus();
  }

  Compilation& compilation_;
  Generator& generator_;
  Emitter& emitter_;
};

Result<isa::ChipStep> EmitChipStep(Compilation& compilation, const ChipGroup& group) {
  HbmMap hbm(compilation.executable.tensors, compilation.tensors);
  Generator generator(compilation.chip, hbm, compilation.buffer_plan);
  RETURN_IF_ERROR(SequenceEmitter(compilation, generator).Emit(group.items));
  isa::ChipStep step;
  ASSIGN_OR_RETURN(step.program, generator.Finish());
  step.segments = hbm.TakeSegments();
  return step;
}

isa::HostStep EmitHostStep(const Compilation& compilation, const StoredValueFinder& finder,
                           const HostGroup& group) {
  const Fragment fragment = MakeFragment(compilation, finder, group);
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
  const StoredValueFinder finder(compilation);
  for (const Group& group : compilation.groups) {
    if (const auto* chip = std::get_if<ChipGroup>(&group)) {
      ASSIGN_OR_RETURN(isa::ChipStep step, EmitChipStep(compilation, *chip));
      executable.steps.push_back(std::move(step));
    } else {
      executable.steps.push_back(EmitHostStep(compilation, finder, std::get<HostGroup>(group)));
    }
  }
  return OkStatus();
}

}  // namespace systolith::compiler
