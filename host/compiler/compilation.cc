#include "host/compiler/compilation.h"

#include <fmt/format.h>

#include <array>
#include <set>

#include "host/graph/print.h"
#include "host/isa/disassembler.h"

namespace systolith::compiler {
namespace {

using graph::Value;

std::string SequenceText(const Compilation& compilation, const Sequence& sequence,
                         const std::string& indent);

std::string ControlText(const Compilation& compilation, const Control& control,
                        const std::string& indent) {
  std::string results;
  for (const Value result : control.results) results += fmt::format(" %{}", result.id);
  const View& scalar = control.Scalar();
  std::string text = fmt::format("{}{} (line {}) of %{}+{} makes{}\n", indent, control.operation,
                                 control.location.line, scalar.base.id, scalar.offset, results);
  const std::vector<const Sequence*> sequences = control.Sequences();
  const bool is_loop = std::holds_alternative<Loop>(control.body);
  constexpr std::array<const char*, 3> kLoopParts = {"entry", "condition", "body"};
  for (size_t i = 0; i < sequences.size(); ++i) {
    text += indent + "  " + (is_loop ? kLoopParts.at(i) : fmt::format("branch {}", i)) + ":\n";
    text += SequenceText(compilation, *sequences[i], indent + "    ");
  }
  return text;
}

std::string SequenceText(const Compilation& compilation, const Sequence& sequence,
                         const std::string& indent) {
  std::string text;
  for (const Item& item : sequence) {
    if (item.kind == Item::Kind::kControl) {
      text += ControlText(compilation, compilation.controls[item.index], indent);
      continue;
    }
    text += indent;
    for (const char c : ToString(compilation.kernels[item.index])) {
      text += c;
      if (c == '\n') text += indent;
    }
    text += "\n";
  }
  return text;
}

}  // namespace

void ForEachKernel(const Compilation& compilation, const Sequence& sequence,
                   const std::function<void(const Kernel&)>& visit) {
  for (const Item& item : sequence) {
    if (item.kind == Item::Kind::kKernel) {
      visit(compilation.kernels[item.index]);
      continue;
    }
    for (const Sequence* inner : compilation.controls[item.index].Sequences()) {
      ForEachKernel(compilation, *inner, visit);
    }
  }
}

Accesses AccessesOf(const Compilation& compilation, const Item& item) {
  if (item.kind == Item::Kind::kKernel) {
    const Kernel& kernel = compilation.kernels[item.index];
    return {kernel.Operands(), {kernel.out.base}};
  }
  Accesses accesses;
  accesses.writes = compilation.controls[item.index].results;
  std::set<Value> known(accesses.writes.begin(), accesses.writes.end());
  std::set<Value> written;
  std::vector<Value> read;
  const auto add_scalars = [&](const auto& self, const Item& at) -> void {
    if (at.kind == Item::Kind::kKernel) return;
    const Control& control = compilation.controls[at.index];
    if (control.Scalar().base.valid()) read.push_back(control.Scalar().base);
    for (const Sequence* sequence : control.Sequences()) {
      for (const Item& inner : *sequence) self(self, inner);
    }
  };
  add_scalars(add_scalars, item);
  ForEachKernel(compilation, {item}, [&](const Kernel& kernel) {
    written.insert(kernel.out.base);
    for (const Value value : kernel.Operands()) read.push_back(value);
  });
  for (const Value value : read) {
    if (!written.contains(value) && known.insert(value).second) accesses.reads.push_back(value);
  }
  return accesses;
}

std::string ToString(const Compilation& compilation) {
  if (!compilation.executable.steps.empty()) {
    std::string text;
    for (const Kernel& kernel : compilation.kernels) {
      text += fmt::format("; {} (line {}), about {:.0f} cycles\n", kernel.operation,
                          kernel.location.line, kernel.predicted_cycles);
    }
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
  if (compilation.groups.empty()) text += SequenceText(compilation, compilation.items, "");
  for (size_t i = 0; i < compilation.groups.size(); ++i) {
    const Group& group = compilation.groups[i];
    if (const auto* chip = std::get_if<ChipGroup>(&group)) {
      text += fmt::format("step {}: chip\n", i) + SequenceText(compilation, chip->items, "  ");
      continue;
    }
    const auto& host = std::get<HostGroup>(group);
    text += fmt::format("step {}: {}\n", i, host.is_check ? "checks" : "evaluator");
    for (const size_t index : host.operations) {
      text += "  " + graph::Describe(compilation.host_operations[index].op) + "\n";
    }
  }
  for (const auto& [value, tensor] : compilation.tensors) {
    const isa::Tensor& place = compilation.executable.tensors[tensor];
    text += fmt::format("%{}: tensor {} home {} index {} offset {} bytes {}\n", value.id, tensor,
                        static_cast<int>(place.home), place.index, place.offset, place.bytes);
  }
  return text;
}

}  // namespace systolith::compiler
