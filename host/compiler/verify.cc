// What holds between any two passes.
#include <fmt/format.h>

#include <set>

#include "host/compiler/compilation.h"
#include "host/compiler/passes/host_fragment.h"
#include "host/graph/rewrite.h"
#include "host/graph/verify.h"

namespace systolith::compiler {
namespace {

using graph::Value;

Status VerifyKernel(const Kernel& kernel, const graph::Function& function) {
  const auto fault = [&](const std::string& what) {
    return Internal(fmt::format("{} at line {}: {}", kernel.operation, kernel.location.line, what));
  };
  const View& out = kernel.out;
  const graph::Shape& stored = function.shape(out.base);
  if (stored.type != out.type) return fault("result type differs");
  if (!out.IsWithin(stored.ElementCount())) return fault("the result does not fit its tensor");
  if (kernel.streams.size() > kMaxStreams) return fault("too many streams");
  for (size_t i = 0; i < kernel.steps.size(); ++i) {
    for (const StepOperand& operand : kernel.steps[i].operands) {
      if (operand.kind == StepOperand::Kind::kStep && operand.bits >= i) {
        return fault("a step names a later one");
      }
      if (operand.kind == StepOperand::Kind::kStream && operand.bits >= kernel.streams.size()) {
        return fault("a step names a stream that does not exist");
      }
    }
  }
  for (const View& stream : kernel.streams) {
    if (stream.dims != out.dims) return fault("a stream has other dimensions");
  }
  return OkStatus();
}

// Follows the kernels in the order in which they run: what is read has been written on every path
// that leads there, at least in part.
class Order {
 public:
  explicit Order(const Compilation& compilation)
      : compilation_(compilation) {
    for (const Value argument : compilation.function().arguments()) Write(argument);
    graph::ForEachOp(compilation.function().body, [this](const graph::Op& op) {
      if (op.opcode == graph::Opcode::kConstant) Write(op.result());
    });
  }

  // As planned: the evaluator's operations may run at any time.
  Status VisitItems() {
    for (const HostOperation& host : compilation_.host_operations) {
      for (const Value result : host.op.results) Write(result);
    }
    return VisitSequence(compilation_.items);
  }

  Status VisitGroups() {
    const StoredValueFinder finder(compilation_);
    for (const Group& group : compilation_.groups) {
      if (const auto* chip = std::get_if<ChipGroup>(&group)) {
        RETURN_IF_ERROR(VisitSequence(chip->items));
        continue;
      }
      for (const size_t index : std::get<HostGroup>(group).operations) {
        const graph::Op& op = compilation_.host_operations[index].op;
        for (const Value value : finder.Inputs(op)) RETURN_IF_ERROR(Read(value, graph::Describe(op)));
        for (const Value result : op.results) Write(result);
      }
    }
    return OkStatus();
  }

 private:
  void Write(Value value) {
    if (written_.insert(value).second) history_.push_back(value);
  }
  Status Read(Value value, const std::string& reader) const {
    if (!value.valid() || written_.contains(value)) return OkStatus();
    return Internal(fmt::format("{} reads %{}, which nothing has written", reader, value.id));
  }

  Status VisitSequence(const Sequence& sequence) {
    for (const Item& item : sequence) {
      RETURN_IF_ERROR(item.kind == Item::Kind::kKernel
                          ? VisitKernel(compilation_.kernels[item.index])
                          : VisitControl(compilation_.controls[item.index]));
    }
    return OkStatus();
  }

  Status VisitKernel(const Kernel& kernel) {
    const std::string name = fmt::format("{} at line {}", kernel.operation, kernel.location.line);
    for (const Value value : kernel.Operands()) RETURN_IF_ERROR(Read(value, name));
    Write(kernel.out.base);
    return OkStatus();
  }

  // What a path makes is known only on it.
  Status VisitPath(const Control& control, const Sequence& path) {
    const size_t before = history_.size();
    RETURN_IF_ERROR(VisitSequence(path));
    for (const Value result : control.results) {
      RETURN_IF_ERROR(Read(result, control.operation + " itself"));
    }
    Forget(before);
    return OkStatus();
  }

  Status VisitControl(const Control& control) {
    if (const auto* loop = std::get_if<Loop>(&control.body)) {
      RETURN_IF_ERROR(VisitSequence(loop->entry));
      const size_t before = history_.size();
      RETURN_IF_ERROR(VisitSequence(loop->condition));
      RETURN_IF_ERROR(Read(loop->predicate.base, control.operation));
      RETURN_IF_ERROR(VisitPath(control, loop->body));
      Forget(before);
    } else {
      const auto& choice = std::get<Choice>(control.body);
      RETURN_IF_ERROR(Read(choice.index.base, control.operation));
      for (const Sequence& branch : choice.branches) RETURN_IF_ERROR(VisitPath(control, branch));
    }
    for (const Value result : control.results) Write(result);
    return OkStatus();
  }

  void Forget(size_t before) {
    for (; history_.size() > before; history_.pop_back()) written_.erase(history_.back());
  }

  const Compilation& compilation_;
  std::set<Value> written_;
  std::vector<Value> history_;  // of written_
};

}  // namespace

Status VerifyCompilation(const Compilation& compilation) {
  RETURN_IF_ERROR(graph::Verify(compilation.module));
  for (const Kernel& kernel : compilation.kernels) {
    RETURN_IF_ERROR(VerifyKernel(kernel, compilation.function()));
  }
  Order order(compilation);
  return compilation.groups.empty() ? order.VisitItems() : order.VisitGroups();
}

}  // namespace systolith::compiler
