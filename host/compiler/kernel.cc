#include "host/compiler/kernel.h"

#include <fmt/format.h>

namespace systolith::compiler {
namespace {

std::string ViewText(const View& view) {
  return fmt::format("%{}+{} {} strides {}", view.base.id, view.offset, view.shape().ToString(),
                     graph::DimsToString(view.strides));
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
  std::string operator()(const Reduction& r) const {
    return fmt::format("reduction {} of %{}+{} [{},{}]", Name(r.combine), r.x.base.id, r.x.offset,
                       r.reduced.size, r.kept.size);
  }
};

}  // namespace

std::vector<graph::Value> Kernel::Operands() const {
  std::vector<graph::Value> values;
  if (const auto* contraction = std::get_if<Contraction>(&body)) {
    values = {contraction->lhs.base, contraction->rhs.base};
  } else if (const auto* elementwise = std::get_if<Elementwise>(&body)) {
    values = {elementwise->x.base};
  } else if (const auto* copy = std::get_if<Copy>(&body)) {
    values = {copy->x.base};
  } else {
    values = {std::get<Reduction>(body).x.base};
  }
  for (const View& stream : streams) values.push_back(stream.base);
  std::erase_if(values, [](graph::Value value) { return !value.valid(); });  // constant lanes
  return values;
}

std::string ToString(const Kernel& kernel) {
  std::string text =
      fmt::format("{} = {} (line {}): {}", ViewText(kernel.out), kernel.operation,
                  kernel.location.line, std::visit(BodyText{}, kernel.body));
  for (const VectorStep& step : kernel.steps) {
    text += fmt::format("\n    {}", Name(step.op));
    for (const StepOperand& operand : step.operands) {
      if (operand.kind == StepOperand::Kind::kLane) text += " lane";
      if (operand.kind == StepOperand::Kind::kSaved) text += " saved";
      if (operand.kind == StepOperand::Kind::kImmediate) {
        text += fmt::format(" {:#010x}", operand.bits);
      } else if (operand.kind == StepOperand::Kind::kStream) {
        text += fmt::format(" {}", ViewText(kernel.streams[operand.bits]));
      }
    }
    if (step.saves) text += " and saves";
  }
  return text;
}

}  // namespace systolith::compiler
