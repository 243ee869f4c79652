#include "host/compiler/kernel.h"

#include <fmt/format.h>

namespace systolith::compiler {
namespace {

std::string ViewText(const View& view) {
  if (view.is_iota) {
    return fmt::format("iota+{} strides {}", view.offset, graph::DimsToString(view.strides));
  }
  const std::string shift = view.shift.valid() ? fmt::format("+%{}", view.shift.id) : "";
  return fmt::format("%{}+{}{} {} strides {}", view.base.id, view.offset, shift,
                     view.shape().ToString(), graph::DimsToString(view.strides));
}

struct BodyText {
  std::string operator()(const Contraction& c) const {
    return fmt::format(
        "contraction lhs %{}+{} [{},{},{},{}] rhs %{}+{} [{},{},{},{}] passes {}", c.lhs.base.id,
        c.lhs.offset, c.n.size, c.h.size, c.w.size, c.c.size, c.rhs.base.id, c.rhs.offset,
        c.kh.size, c.kw.size, c.c.size, c.o.size, c.passes.size());
  }
  std::string operator()(const Elementwise& e) const {
    return fmt::format("elementwise {}", ViewText(e.x));
  }
  std::string operator()(const Copy& c) const { return fmt::format("copy {}", ViewText(c.x)); }
  std::string operator()(const Gather& g) const {
    return fmt::format("gather of {} at {} times {}", ViewText(g.x), ViewText(g.indices), g.unit);
  }
  std::string operator()(const Scatter& s) const {
    return fmt::format("scatter of {} at {} into {} in tiles of {}", ViewText(s.updates),
                       ViewText(s.offsets), ViewText(s.operand), graph::DimsToString(s.box));
  }
  std::string operator()(const Reduction& r) const {
    return fmt::format("reduction {} of %{}+{} [{},{}]", Name(r.combine), r.x.base.id, r.x.offset,
                       r.reduced.size, r.kept.size);
  }
};

}  // namespace

std::vector<const View*> Kernel::Reads() const {
  std::vector<const View*> views;
  if (const auto* contraction = std::get_if<Contraction>(&body)) {
    views = {&contraction->lhs, &contraction->rhs};
  } else if (const auto* elementwise = std::get_if<Elementwise>(&body)) {
    views = {&elementwise->x};
  } else if (const auto* copy = std::get_if<Copy>(&body)) {
    views = {&copy->x};
  } else if (const auto* reduction = std::get_if<Reduction>(&body)) {
    views = {&reduction->x};
  } else if (const auto* gather = std::get_if<Gather>(&body)) {
    views = {&gather->x, &gather->indices};
  } else {
    const auto& scatter = std::get<Scatter>(body);
    views = {&scatter.updates, &scatter.offsets};
    if (!scatter.fill) views.push_back(&scatter.operand);
  }
  for (const View& stream : streams) views.push_back(&stream);
  return views;
}

std::vector<graph::Value> Kernel::Operands() const {
  std::vector<graph::Value> values;
  for (const View* view : Reads()) {
    values.push_back(view->base);
    values.push_back(view->shift);
  }
  values.push_back(out.shift);
  std::erase_if(values, [](graph::Value value) { return !value.valid(); });
  return values;
}

void Kernel::ReplaceOperand(graph::Value from, graph::Value to) {
  for (const View* read : Reads()) {
    View& view = const_cast<View&>(*read);  // of this kernel
    if (view.base == from) view.base = to;
    if (view.shift == from) view.shift = to;
  }
  if (out.shift == from) out.shift = to;
}

std::string ToString(const Kernel& kernel) {
  std::string text =
      fmt::format("{} = {} (line {}): {}", ViewText(kernel.out), kernel.operation,
                  kernel.location.line, std::visit(BodyText{}, kernel.body));
  for (size_t i = 0; i < kernel.steps.size(); ++i) {
    const VectorStep& step = kernel.steps[i];
    text += fmt::format("\n    [{}] {}", i, step.function.empty() ? Name(step.op) : step.function);
    for (const StepOperand& operand : step.operands) {
      if (operand.kind == StepOperand::Kind::kLane) text += " lane";
      if (operand.kind == StepOperand::Kind::kStep) text += fmt::format(" [{}]", operand.bits);
      if (operand.kind == StepOperand::Kind::kImmediate) {
        text += fmt::format(" {:#010x}", operand.bits);
      } else if (operand.kind == StepOperand::Kind::kStream) {
        text += fmt::format(" {}", ViewText(kernel.streams[operand.bits]));
      }
    }
  }
  return text;
}

}  // namespace systolith::compiler
