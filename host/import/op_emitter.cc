#include "host/import/op_emitter.h"

#include <fmt/format.h>

#include <algorithm>

#include "host/graph/composite.h"
#include "host/import/op_attributes.h"

namespace systolith::import {

using graph::Opcode;
using graph::Region;
using graph::Shape;
using graph::Value;

Result<Opcode> ChooseOpcode(const Source& source, const std::string& name, size_t offset) {
  if (name == "return" || name == "func.return" || name == "stablehlo.return") {
    return Opcode::kReturn;
  }
  if (name == "call" || name == "func.call") return Opcode::kCall;
  if (name == "stablehlo.dot") return Opcode::kDotGeneral;
  if (name == "chlo.square") return Opcode::kMultiply;
  if (name == "chlo.tan") return Opcode::kTan;  // the same operation under an older name
  if (name == "chlo.top_k") return Opcode::kSort;
  if (name == "check.expect_eq" || name == "check.expect_eq_const" ||
      name == "check.expect_almost_eq" || name == "check.expect_almost_eq_const" ||
      name == "check.expect_close") {
    return Opcode::kCustomCall;
  }
  const size_t dot = name.find('.');
  if (dot != std::string::npos) {
    const auto opcode = graph::OpcodeFromName(std::string_view(name).substr(dot + 1));
    if (opcode && graph::OpcodeDialect(*opcode) == std::string_view(name).substr(0, dot)) {
      return *opcode;
    }
    return source.RefuseAt(offset, fmt::format("operation {} is not supported", name));
  }
  return source.ErrorAt(offset, fmt::format("expected an operation but found '{}'", name));
}

Result<std::vector<Value>> OpEmitter::Emit(ImportedOp& op, Region& region) {
  std::vector<Shape> operands;
  for (const Value operand : op.operands) operands.push_back(function_.shape(operand));
  if (op.inputs.size() > operands.size()) {
    return source_.ErrorAt(op.dict.offset,
                           fmt::format("{} has fewer operands than types", op.name));
  }
  for (size_t i = 0; i < op.inputs.size(); ++i) {
    if (op.inputs[i] != operands[i]) {
      return source_.ErrorAt(op.dict.offset,
                             fmt::format("operand {} of {} is {} but its type says {}", i, op.name,
                                         operands[i].ToString(), op.inputs[i].ToString()));
    }
  }
  if (op.name.starts_with("check.")) return EmitCheck(op, region);
  if (op.name == "chlo.top_k") return EmitTopK(op, region);
  if (op.name == "chlo.square") {
    if (op.operands.size() != 1) return source_.ErrorAt(op.offset, "chlo.square takes one operand");
    op.operands.push_back(op.operands[0]);
  }
  if (op.name == "stablehlo.dot" && operands.size() == 2) {
    graph::DotGeneralAttributes dot;
    ASSIGN_OR_RETURN(graph::Attributes general, BuildAttributes(source_, op.opcode, op.dict, {}));
    dot.precision = std::get<graph::DotGeneralAttributes>(general).precision;
    dot.lhs_contracting = {std::max(operands[0].rank() - 1, 0)};
    dot.rhs_contracting = {0};
    return Append(op, std::move(dot), region);
  }
  ASSIGN_OR_RETURN(graph::Attributes attributes,
                   BuildAttributes(source_, op.opcode, op.dict, operands));
  if (op.opcode == Opcode::kConstant && op.outputs.empty()) {
    op.outputs = {std::get<graph::ConstantAttributes>(attributes).value->shape()};
  }
  return Append(op, std::move(attributes), region);
}

std::vector<Value> OpEmitter::Append(ImportedOp& op, graph::Attributes attributes, Region& region) {
  graph::Op appended;
  appended.opcode = op.opcode;
  appended.operands = std::move(op.operands);
  appended.attributes = std::move(attributes);
  appended.regions = std::move(op.regions);
  appended.location = source_.LocationOf(op.offset);
  for (Shape& shape : op.outputs) appended.results.push_back(function_.NewValue(std::move(shape)));
  std::vector<Value> results = appended.results;
  region.ops.push_back(std::move(appended));
  return results;
}

// check.* becomes a custom call; an expected constant becomes its second operand.
Result<std::vector<Value>> OpEmitter::EmitCheck(ImportedOp& op, Region& region) {
  graph::CustomCallAttributes call;
  call.target = op.name;
  call.has_side_effect = true;
  if (const Attribute* tolerance = op.dict.Find({"tolerance"})) call.tolerance = tolerance->real;
  if (const Attribute* bound = op.dict.Find({"min_ulp_difference"})) {
    call.min_ulp_difference = static_cast<uint64_t>(bound->integer);
  }
  if (const Attribute* bound = op.dict.Find({"max_ulp_difference"})) {
    call.max_ulp_difference = static_cast<uint64_t>(bound->integer);
  }
  if (const Attribute* value = op.dict.Find({"value"})) {
    if (value->literal == nullptr) {
      return source_.ErrorAt(value->offset, "expected dense<...>");
    }
    graph::Op constant;
    constant.opcode = Opcode::kConstant;
    constant.attributes = graph::ConstantAttributes{value->literal};
    constant.results = {function_.NewValue(value->literal->shape())};
    constant.location = source_.LocationOf(op.offset);
    op.operands.push_back(constant.result());
    region.ops.push_back(std::move(constant));
  }
  return Append(op, std::move(call), region);
}

// The k largest elements of each row, in falling order, with their positions: a stable sort.
Result<std::vector<Value>> OpEmitter::EmitTopK(ImportedOp& op, Region& region) {
  const Attribute* k = op.dict.Find({"k"});
  if (k == nullptr || op.operands.size() != 1 || op.outputs.size() != 2) {
    return source_.ErrorAt(op.dict.offset, "chlo.top_k takes one operand and k");
  }
  const Shape shape = function_.shape(op.operands[0]);
  if (shape.rank() < 1 || k->integer < 0 || k->integer > shape.dims.back()) {
    return source_.ErrorAt(op.dict.offset, fmt::format("k = {} does not fit {}", k->integer,
                                                       shape.ToString()));
  }
  graph::Builder builder(function_, region.ops);
  builder.SetLocation(source_.LocationOf(op.offset));
  std::vector<Value> results = graph::AppendTopK(builder, op.operands[0], k->integer);
  for (size_t i = 0; i < results.size(); ++i) {
    if (function_.shape(results[i]) != op.outputs[i]) {
      return source_.ErrorAt(op.dict.offset, fmt::format("result {} of chlo.top_k is {}", i,
                                                         function_.shape(results[i]).ToString()));
    }
  }
  return results;
}

}  // namespace systolith::import
