#include "host/runtime/executable.h"

#include <fmt/format.h>

#include <algorithm>

#include "host/import/import.h"
#include "host/isa/disassembler.h"
#include "host/isa/instruction.h"
#include "host/isa/kernel_text.h"
#include "host/isa/vector_memory.h"
#include "host/runtime/host_step.h"
#include "host/runtime/memory_allocator.h"
#include "host/runtime/run_state.h"

namespace systolith::runtime {

std::string DescribeProgramOffset(const isa::Program& program, uint32_t offset) {
  std::string text;
  if (offset % 4 == 0 && offset < program.bytes()) {
    text = isa::DisassembleInstruction(program.words, offset);
  }
  const std::string kernel = program.KernelAt(offset);
  if (!kernel.empty()) text += " of kernel " + kernel;
  if (const isa::LineEntry* entry = program.LineOf(offset)) {
    text += fmt::format("{}of {}", text.empty() ? "" : "; ", entry->operation);
    if (entry->line != 0) text += fmt::format(" at line {}", entry->line);
  }
  return text;
}

std::string DescribeKernelBundle(const isa::Program& program, uint32_t offset, uint64_t bundle) {
  const Result<isa::Instruction> instruction = isa::Instruction::Decode(program.words, offset);
  if (!instruction.ok() || instruction->info->opcode != arch::Opcode::kVector) return "";
  const std::string name = program.KernelAt(offset);
  std::string text = fmt::format("{}, bundle {}", name.empty() ? "kernel" : "kernel " + name,
                                 bundle);
  const auto kernel = isa::MemoryBefore(program.words, offset)
                          .KernelOf(arch::DecodeVector(instruction->words));
  if (kernel && bundle < kernel->bundles.size()) {
    text += ": " + isa::BundleText(arch::DecodeBundle(kernel->bundles[bundle]), kernel->constants);
  }
  return text;
}

Result<graph::Shape> ShapeOf(const isa::Tensor& tensor) {
  const auto type = graph::ElementTypeFromName(tensor.element);
  if (!type || !graph::IsSupported(*type)) {
    return InvalidArgument(fmt::format("element type '{}' is not known", tensor.element));
  }
  return graph::Shape{*type, tensor.dims};
}

LoadedExecutable::LoadedExecutable(std::shared_ptr<Device> device, isa::Executable executable)
    : device_(std::move(device)),
      executable_(std::make_shared<const isa::Executable>(std::move(executable))) {}

Result<std::shared_ptr<LoadedExecutable>> LoadedExecutable::LoadFile(
    std::shared_ptr<Device> device, const std::string& path) {
  ASSIGN_OR_RETURN(isa::Executable executable, isa::ReadExecutable(path));
  Result<std::shared_ptr<LoadedExecutable>> loaded = Load(std::move(device), std::move(executable));
  if (!loaded.ok()) return loaded.status().WithContext(path);
  return loaded;
}

Result<std::shared_ptr<LoadedExecutable>> LoadedExecutable::Load(std::shared_ptr<Device> device,
                                                                 isa::Executable executable) {
  const arch::ChipConfig& config = device->config();
  if (executable.program_hash != config.ProgramHash()) {
    return InvalidArgument(fmt::format(
        "program '{}' was compiled for configuration '{}' (program hash {:016x}); this chip is "
        "'{}' (program hash {:016x}): compile it again for this chip",
        executable.name, executable.chip_name, executable.program_hash, config.name,
        config.ProgramHash()));
  }
  std::shared_ptr<LoadedExecutable> loaded(
      new LoadedExecutable(std::move(device), std::move(executable)));
  RETURN_IF_ERROR(loaded->Upload());
  return loaded;
}

Status LoadedExecutable::Upload() {
  const isa::Executable& executable = *executable_;
  const auto allocate = [&](uint64_t bytes, const char* what) {
    Result<Buffer> buffer = device_->Allocate(bytes);
    if (!buffer.ok()) {
      return Result<Buffer>(
          buffer.status().WithContext(fmt::format("program '{}', {}", executable.name, what)));
    }
    return buffer;
  };
  ASSIGN_OR_RETURN(const Buffer scratch, allocate(executable.scratch_bytes, "intermediate values"));
  ASSIGN_OR_RETURN(Buffer constants, allocate(executable.constants.size(), "constants"));
  RETURN_IF_ERROR(constants.Write(executable.constants));
  scratch_ = scratch.allocation();
  constants_ = constants.allocation();

  auto modules = std::make_shared<HostModules>();
  for (size_t i = 0; i < executable.steps.size(); ++i) {
    modules->by_step.emplace_back();
    programs_.emplace_back();
    if (const auto* chip = std::get_if<isa::ChipStep>(&executable.steps[i])) {
      ASSIGN_OR_RETURN(Buffer program, allocate(chip->program.bytes(), "instructions"));
      RETURN_IF_ERROR(program.Write(std::as_bytes(std::span(chip->program.words))));
      programs_.back() = program.allocation();
      continue;
    }
    const auto& host = std::get<isa::HostStep>(executable.steps[i]);
    Result<graph::Module> module = import::ImportText(host.module_text, executable.source_file);
    if (!module.ok()) {
      return module.status().WithContext(
          fmt::format("program '{}', step {} (runs on the host)", executable.name, i));
    }
    // Messages speak of lines of the source.
    std::vector<graph::Op>& ops = module->Entry()->body.ops;
    for (size_t k = 0; k < ops.size() && k < host.lines.size(); ++k) {
      ops[k].location = {.line = host.lines[k]};
    }
    modules->by_step.back() = std::make_unique<graph::Module>(std::move(*module));
  }
  host_modules_ = std::move(modules);
  return OkStatus();
}

const isa::Tensor& LoadedExecutable::argument(size_t index) const {
  return executable_->tensors.at(executable_->arguments.at(index));
}

const isa::Tensor& LoadedExecutable::result(size_t index) const {
  return executable_->tensors.at(executable_->results.at(index));
}

Result<Buffer> LoadedExecutable::AllocateFor(const isa::Tensor& tensor) const {
  return device_->Allocate(tensor.bytes);
}

Result<Buffer> LoadedExecutable::AllocateArgument(size_t index) const {
  return AllocateFor(argument(index));
}

Result<Buffer> LoadedExecutable::AllocateResult(size_t index) const {
  return AllocateFor(result(index));
}

Launch LoadedExecutable::LaunchOf(size_t step_index, const Run::State& run,
                                  const RunOptions& options) const {
  const auto& step = std::get<isa::ChipStep>(executable_->steps[step_index]);
  Launch launch;
  launch.label = fmt::format("program '{}', step {}", executable_->name, step_index);
  launch.program_address = programs_[step_index]->address();
  launch.program_bytes = step.program.bytes();
  launch.program_hash = executable_->program_hash;
  launch.keep_alive.push_back(programs_[step_index]);
  for (const isa::SegmentBinding& binding : step.segments) {
    const std::shared_ptr<Allocation>& allocation = run.AllocationOf(binding.home, binding.index);
    launch.segments.push_back({.base = allocation->address(),
                               .bytes = executable_->AllocationBytes(binding.home, binding.index),
                               .readable = binding.readable,
                               .writable = binding.writable});
    launch.keep_alive.push_back(allocation);
  }
  launch.collect_counters = options.collect_counters;
  launch.timeout_cycles = options.timeout_cycles;
  launch.describe = [executable = executable_, step_index](uint32_t offset) {
    return DescribeProgramOffset(
        std::get<isa::ChipStep>(executable->steps[step_index]).program, offset);
  };
  launch.describe_bundle = [executable = executable_, step_index](uint32_t offset,
                                                                  uint64_t bundle) {
    return DescribeKernelBundle(
        std::get<isa::ChipStep>(executable->steps[step_index]).program, offset, bundle);
  };
  return launch;
}

Result<Run> LoadedExecutable::Start(std::span<const Buffer> arguments,
                                    const RunOptions& options) const {
  const isa::Executable& executable = *executable_;
  if (arguments.size() != executable.arguments.size()) {
    return InvalidArgument(fmt::format("program '{}' takes {} arguments, {} were given",
                                       executable.name, executable.arguments.size(),
                                       arguments.size()));
  }
  auto state = std::make_shared<Run::State>();
  state->executable = executable_;
  state->constants = constants_;
  state->scratch = scratch_;
  state->device = device_;
  for (size_t i = 0; i < arguments.size(); ++i) {
    if (arguments[i].device() != device_) {
      return InvalidArgument(fmt::format("argument {} lies on another device", i));
    }
    if (arguments[i].bytes() < argument(i).bytes) {
      return InvalidArgument(fmt::format("argument {} needs {} bytes, its buffer has {}", i,
                                         argument(i).bytes, arguments[i].bytes()));
    }
    state->arguments.push_back(arguments[i].allocation());
  }
  for (size_t i = 0; i < executable.results.size(); ++i) {
    const auto alias = std::find_if(executable.aliases.begin(), executable.aliases.end(),
                                    [i](const auto& entry) { return entry.second == i; });
    if (alias != executable.aliases.end()) {
      state->results.push_back(state->arguments.at(alias->first));
      continue;
    }
    if (result(i).home != isa::Home::kResult) {  // an argument or a constant that is returned
      state->results.push_back(nullptr);
      continue;
    }
    ASSIGN_OR_RETURN(const Buffer buffer, AllocateResult(i));
    state->results.push_back(buffer.allocation());
  }

  const WorkGroup group = NewWorkGroup();
  for (size_t i = 0; i < executable.steps.size(); ++i) {
    if (std::holds_alternative<isa::ChipStep>(executable.steps[i])) {
      state->events.push_back(device_->Enqueue(LaunchOf(i, *state, options), group));
    } else {
      state->events.push_back(device_->Enqueue(
          [state, i, modules = host_modules_, evaluation = options.evaluation](
              hal::Transport& transport) {
            return RunHostStep(transport, *state, i, *modules->by_step[i], evaluation);
          },
          group));
    }
  }
  return Run(std::move(state));
}

Result<std::vector<graph::Literal>> LoadedExecutable::Call(
    std::span<const graph::Literal> arguments, const RunOptions& options) const {
  std::vector<Buffer> buffers;
  for (size_t i = 0; i < arguments.size() && i < executable_->arguments.size(); ++i) {
    if (arguments[i].bytes().size() != argument(i).bytes) {
      return InvalidArgument(fmt::format("argument {} has {} bytes instead of {}", i,
                                         arguments[i].bytes().size(), argument(i).bytes));
    }
    ASSIGN_OR_RETURN(Buffer buffer, AllocateArgument(i));
    RETURN_IF_ERROR(buffer.Write(arguments[i].bytes()));
    buffers.push_back(std::move(buffer));
  }
  if (buffers.size() != arguments.size()) {
    return InvalidArgument(fmt::format("program '{}' takes {} arguments, {} were given",
                                       executable_->name, executable_->arguments.size(),
                                       arguments.size()));
  }
  ASSIGN_OR_RETURN(const Run run, Start(buffers, options));
  RETURN_IF_ERROR(run.Wait());
  std::vector<graph::Literal> results;
  for (size_t i = 0; i < executable_->results.size(); ++i) {
    ASSIGN_OR_RETURN(graph::Literal literal, run.ReadResult(i));
    results.push_back(std::move(literal));
  }
  return results;
}

}  // namespace systolith::runtime
