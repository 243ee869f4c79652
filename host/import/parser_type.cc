// The types of parser.h.
#include <fmt/format.h>

#include "host/import/parser.h"

namespace systolith::import {

using graph::Opcode;

namespace {

constexpr int kMaxTypeDepth = 100;  // no program nests tuples deeper; protects the stack

}  // namespace

// tensor<...>, tuple<...> or !stablehlo.token
Result<Type> Parser::ParseType() {
  if (cursor_.TryConsume("!stablehlo.token")) return Type{Type::Kind::kToken, {}, {}};
  if (!cursor_.TryConsume("tuple")) {
    ASSIGN_OR_RETURN(graph::Shape shape, cursor_.TensorType());
    return Type::Tensor(std::move(shape));
  }
  if (type_depth_ >= kMaxTypeDepth) return cursor_.Error("tuples nest too deeply");
  Type tuple;
  tuple.kind = Type::Kind::kTuple;
  RETURN_IF_ERROR(cursor_.Expect("<"));
  if (cursor_.TryConsume(">")) return tuple;
  ++type_depth_;
  ASSIGN_OR_RETURN(tuple.elements, ParseTypeList());
  --type_depth_;
  RETURN_IF_ERROR(cursor_.Expect(">"));
  return tuple;
}

Result<std::vector<Type>> Parser::ParseTypeList() {
  std::vector<Type> types;
  do {
    ASSIGN_OR_RETURN(Type type, ParseType());
    types.push_back(std::move(type));
  } while (cursor_.TryConsume(","));
  return types;
}

// "(inputs) -> outputs", "inputs -> outputs", or one type for all.
Status Parser::ParseTypes(OpText& op) {
  std::vector<Type> listed;
  if (cursor_.TryConsume("(")) {
    if (!cursor_.TryConsume(")")) {
      ASSIGN_OR_RETURN(listed, ParseTypeList());
      RETURN_IF_ERROR(cursor_.Expect(")"));
    }
    RETURN_IF_ERROR(cursor_.Expect("->"));
  } else {
    ASSIGN_OR_RETURN(listed, ParseTypeList());
    if (!cursor_.TryConsume("->")) {
      switch (op.opcode) {
        case Opcode::kReturn: op.input_types = listed; break;
        case Opcode::kCustomCall: break;  // a check: no results
        case Opcode::kWhile: op.input_types = op.output_types = listed; break;
        case Opcode::kOptimizationBarrier:  // and what became one: a tuple has one result
          if (op.name == "stablehlo.optimization_barrier") {
            op.input_types = op.output_types = listed;
            break;
          }
          [[fallthrough]];
        default: op.output_types = {listed.back()}; break;
      }
      return OkStatus();
    }
  }
  op.input_types = std::move(listed);
  if (op.input_types.size() != op.operand_types.size()) {
    return cursor_.ErrorAt(op.dict.offset, fmt::format("{} has {} operands but types for {}",
                                                       op.name, op.operand_types.size(),
                                                       op.input_types.size()));
  }
  if (!cursor_.TryConsume("(")) {
    ASSIGN_OR_RETURN(Type type, ParseType());
    op.output_types = {std::move(type)};
    return OkStatus();
  }
  if (cursor_.TryConsume(")")) return OkStatus();
  ASSIGN_OR_RETURN(op.output_types, ParseTypeList());
  return cursor_.Expect(")");
}

}  // namespace systolith::import
