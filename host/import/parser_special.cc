// Operations with a text form of their own.
#include <fmt/format.h>

#include "host/import/parser.h"

namespace systolith::import {

using graph::Region;
using graph::Shape;
using graph::Value;

// while(%i = %a, ...) : types cond {...} do {...}
Status Parser::ParseWhile(OpText& op) {
  std::vector<std::string_view> names;
  RETURN_IF_ERROR(cursor_.Expect("("));
  if (!cursor_.TryConsume(")")) {
    do {
      ASSIGN_OR_RETURN(const std::string_view name, cursor_.ValueName());
      names.push_back(name);
      RETURN_IF_ERROR(cursor_.Expect("="));
      ASSIGN_OR_RETURN(const TypedValue operand, ParseOperand());
      op.AddOperand(operand);
    } while (cursor_.TryConsume(","));
    RETURN_IF_ERROR(cursor_.Expect(")"));
  }
  if (cursor_.TryConsume(":")) RETURN_IF_ERROR(ParseTypes(op));
  if (op.output_types.size() != names.size()) {
    return cursor_.ErrorAt(op.dict.offset, fmt::format("{} values but {} types", names.size(),
                                                       op.output_types.size()));
  }
  if (cursor_.TryConsume("attributes")) RETURN_IF_ERROR(attributes_.ParseDict().status());
  RETURN_IF_ERROR(cursor_.Expect("cond"));
  ASSIGN_OR_RETURN(Region condition, ParseRegionOf(names, op.output_types));
  RETURN_IF_ERROR(cursor_.Expect("do"));
  ASSIGN_OR_RETURN(Region body, ParseRegionOf(names, op.output_types));
  op.regions.push_back(std::move(condition));
  op.regions.push_back(std::move(body));
  return OkStatus();
}

// reduce(%a init: %b), (%c init: %d) ... with `applies OP` or with a reducer region.
Status Parser::ParseReduce(OpText& op) {
  std::vector<TypedValue> initial;
  do {
    RETURN_IF_ERROR(cursor_.Expect("("));
    ASSIGN_OR_RETURN(const TypedValue operand, ParseOperand());
    RETURN_IF_ERROR(cursor_.Expect("init"));
    RETURN_IF_ERROR(cursor_.Expect(":"));
    ASSIGN_OR_RETURN(const TypedValue init, ParseOperand());
    RETURN_IF_ERROR(cursor_.Expect(")"));
    op.AddOperand(operand);
    initial.push_back(init);
  } while (cursor_.TryConsume(","));
  const size_t inputs = initial.size();
  for (const TypedValue& init : initial) op.AddOperand(init);
  std::string_view applied;
  if (cursor_.TryConsume("applies")) {
    ASSIGN_OR_RETURN(applied, cursor_.Identifier("an operation"));
  }
  RETURN_IF_ERROR(cursor_.Expect("across"));
  RETURN_IF_ERROR(cursor_.Expect("dimensions"));
  RETURN_IF_ERROR(cursor_.Expect("="));
  ASSIGN_OR_RETURN(Attribute dimensions, attributes_.Parse(false));
  op.SetEntry("dimensions", std::move(dimensions));
  if (cursor_.Peek() == '{') RETURN_IF_ERROR(attributes_.ParseDict().status());
  RETURN_IF_ERROR(cursor_.Expect(":"));
  RETURN_IF_ERROR(ParseTypes(op));
  return applied.empty() ? ParseReducer(op, inputs) : BuildAppliedRegion(op, applied);
}

// reducer(%a: t, %b: t) (%c: u, %d: u) {...}: the arguments come in pairs of accumulator and
// element, the region takes all accumulators first.
Status Parser::ParseReducer(OpText& op, size_t inputs) {
  RETURN_IF_ERROR(cursor_.Expect("reducer"));
  std::vector<std::string_view> accumulators, elements;
  std::vector<Type> accumulator_types, element_types;
  const auto argument = [&](std::vector<std::string_view>& names,
                            std::vector<Type>& types) -> Status {
    ASSIGN_OR_RETURN(const std::string_view name, cursor_.ValueName());
    RETURN_IF_ERROR(cursor_.Expect(":"));
    ASSIGN_OR_RETURN(Type type, ParseType());
    names.push_back(name);
    types.push_back(std::move(type));
    return SkipLocation();
  };
  for (size_t i = 0; i < inputs; ++i) {
    RETURN_IF_ERROR(cursor_.Expect("("));
    RETURN_IF_ERROR(argument(accumulators, accumulator_types));
    RETURN_IF_ERROR(cursor_.Expect(","));
    RETURN_IF_ERROR(argument(elements, element_types));
    RETURN_IF_ERROR(cursor_.Expect(")"));
  }
  accumulators.insert(accumulators.end(), elements.begin(), elements.end());
  accumulator_types.insert(accumulator_types.end(), element_types.begin(), element_types.end());
  ASSIGN_OR_RETURN(Region region, ParseRegionOf(accumulators, accumulator_types));
  op.regions.push_back(std::move(region));
  return OkStatus();
}

// The region that `applies stablehlo.add` stands for.
Status Parser::BuildAppliedRegion(OpText& op, std::string_view applied) {
  const size_t dot = applied.find('.');
  const auto opcode = dot == std::string_view::npos
                          ? std::nullopt
                          : graph::OpcodeFromName(applied.substr(dot + 1));
  if (!opcode || !graph::IsElementwiseBinary(*opcode)) {
    return cursor_.RefuseAt(op.dict.offset,
                            fmt::format("a reduction that applies {} is not supported", applied));
  }
  if (op.operands.size() != 2) {
    return cursor_.ErrorAt(op.dict.offset, "'applies' is for one operand only");
  }
  const Shape scalar{function_->shape(op.operands[0]).type, {}};
  Region region;
  region.arguments = {function_->NewValue(scalar), function_->NewValue(scalar)};
  graph::Op step, end;
  step.opcode = *opcode;
  step.operands = region.arguments;
  step.results = {function_->NewValue(scalar)};
  end.operands = step.results;
  step.location = end.location = cursor_.LocationOf(op.offset);
  region.ops = {std::move(step), std::move(end)};
  op.regions.push_back(std::move(region));
  return OkStatus();
}

// interpreter.probe names a value, check.expect_serialized_eq compares another one with it.
Status Parser::ResolveProbe(OpText& op) {
  const bool is_probe = op.name == "interpreter.probe";
  if (!is_probe && op.name != "check.expect_serialized_eq") return OkStatus();
  const Attribute* id = op.dict.Find({"probe_id"});
  if (id == nullptr || op.operand_types.size() != 1 || op.operands.size() != 1) {
    return cursor_.ErrorAt(op.dict.offset, fmt::format("{} takes a tensor and a probe_id",
                                                       op.name));
  }
  if (is_probe) {
    probes_[id->text] = {{op.operand_types[0], op.operands}, scopes_.size()};
    return OkStatus();
  }
  const auto found = probes_.find(id->text);
  if (found == probes_.end() || found->second.depth > scopes_.size()) {
    return cursor_.RefuseAt(op.dict.offset,
                            fmt::format("no probe '{}' outside of regions; what one sees in a "
                                        "region is not kept", id->text));
  }
  op.name = "check.expect_eq";
  op.AddOperand(found->second.value);
  return OkStatus();
}

}  // namespace systolith::import
