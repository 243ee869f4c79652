// The operations of parser.h.
#include <fmt/format.h>

#include "host/import/op_emitter.h"
#include "host/import/parser.h"

namespace systolith::import {

using graph::Opcode;
using graph::Region;
using graph::Value;
using Kind = Attribute::Kind;

namespace {

constexpr int64_t kMaxResults = 10000;

Attribute Text(Kind kind, std::string_view text) {
  Attribute value;
  value.kind = kind;
  value.text = text;
  return value;
}

}  // namespace

Status Parser::ParseOp(Region& region) {
  OpText op;
  op.dict.kind = Kind::kDict;
  cursor_.Peek();
  op.offset = cursor_.offset();
  RETURN_IF_ERROR(ParseResultNames(op));
  const bool generic = cursor_.Peek() == '"';
  op.dict.offset = cursor_.offset();
  if (generic) {
    ASSIGN_OR_RETURN(op.name, cursor_.String());
  } else {
    ASSIGN_OR_RETURN(const std::string_view name, cursor_.Identifier("an operation"));
    op.name = name;
  }
  ASSIGN_OR_RETURN(op.opcode, ChooseOpcode(cursor_, op.name, op.dict.offset));
  if (generic) {
    RETURN_IF_ERROR(ParseGeneric(op));
  } else if (op.opcode == Opcode::kWhile) {
    RETURN_IF_ERROR(ParseWhile(op));
  } else if (op.opcode == Opcode::kReduce) {
    RETURN_IF_ERROR(ParseReduce(op));
  } else {
    RETURN_IF_ERROR(ParsePretty(op));
  }
  RETURN_IF_ERROR(SkipLocation());
  return Emit(op, region);
}

// "%a, %b:2 = "
Status Parser::ParseResultNames(OpText& op) {
  if (cursor_.Peek() != '%') return OkStatus();
  do {
    ASSIGN_OR_RETURN(const std::string_view name, cursor_.ValueName());
    int64_t count = 1;
    if (cursor_.TryConsume(":")) {
      ASSIGN_OR_RETURN(count, cursor_.Integer());
      if (count < 1 || count > kMaxResults) return cursor_.Error("so many results can't be");
    }
    if (name.find('#') != std::string_view::npos) return cursor_.Error("a result's name has a '#'");
    op.results.emplace_back(name, count);
  } while (cursor_.TryConsume(","));
  return cursor_.Expect("=");
}

// (%a, %b) <{properties}> ({regions}) {attributes} : (types) -> types
Status Parser::ParseGeneric(OpText& op) {
  RETURN_IF_ERROR(ParseOperandList(op));
  const auto merge = [&](Attribute dict) {
    for (Attribute::Entry& entry : dict.entries) op.dict.entries.push_back(std::move(entry));
  };
  if (cursor_.TryConsume("<")) {
    ASSIGN_OR_RETURN(Attribute properties, attributes_.ParseDict());
    merge(std::move(properties));
    RETURN_IF_ERROR(cursor_.Expect(">"));
  }
  if (cursor_.TryConsume("(")) {
    do {
      ASSIGN_OR_RETURN(Region region, ParseRegion());
      op.regions.push_back(std::move(region));
    } while (cursor_.TryConsume(","));
    RETURN_IF_ERROR(cursor_.Expect(")"));
  }
  if (cursor_.Peek() == '{') {
    ASSIGN_OR_RETURN(Attribute dict, attributes_.ParseDict());
    merge(std::move(dict));
  }
  RETURN_IF_ERROR(cursor_.Expect(":"));
  return ParseTypes(op);
}

Status Parser::ParseOperandList(OpText& op) {
  RETURN_IF_ERROR(cursor_.Expect("("));
  if (cursor_.TryConsume(")")) return OkStatus();
  do {
    ASSIGN_OR_RETURN(const TypedValue operand, ParseOperand());
    op.AddOperand(operand);
  } while (cursor_.TryConsume(","));
  return cursor_.Expect(")");
}

// The pretty forms differ in order and punctuation only: operands, words, `name = value` entries,
// dictionaries, and the type at the end.
Status Parser::ParsePretty(OpText& op) {
  bool in_parentheses = false;
  while (true) {
    switch (cursor_.Peek()) {
      case ':': {
        RETURN_IF_ERROR(cursor_.Expect(":"));
        RETURN_IF_ERROR(ParseTypes(op));
        return OkStatus();
      }
      case '%': {
        ASSIGN_OR_RETURN(const TypedValue operand, ParseOperand());
        op.AddOperand(operand);
        break;
      }
      case '@': {
        ASSIGN_OR_RETURN(const std::string symbol, cursor_.Symbol());
        op.SetEntry(op.opcode == Opcode::kCall ? "callee" : "call_target_name",
                 Text(Kind::kSymbol, symbol));
        break;
      }
      case '"': {
        ASSIGN_OR_RETURN(const std::string text, cursor_.String());
        op.SetEntry("name", Text(Kind::kString, text));
        break;
      }
      case '(':
        if (in_parentheses) return cursor_.Error("a parenthesis too many");
        RETURN_IF_ERROR(cursor_.Expect("("));
        in_parentheses = true;
        continue;
      case ')':
        if (!in_parentheses) return cursor_.Error("the parenthesis closes nothing");
        RETURN_IF_ERROR(cursor_.Expect(")"));
        in_parentheses = false;
        break;
      case '[': RETURN_IF_ERROR(ParseBrackets(op)); break;
      case '<':  // where a sharding constraint shards
        RETURN_IF_ERROR(cursor_.SkipBalanced());
        break;
      case '{': {
        ASSIGN_OR_RETURN(const Attribute dict, attributes_.ParseDict());
        op.dict.entries.insert(op.dict.entries.end(), dict.entries.begin(), dict.entries.end());
        continue;
      }
      default:
        if (op.opcode == Opcode::kReturn && op.operands.empty()) return OkStatus();
        RETURN_IF_ERROR(ParsePrettyWord(op));
        if (op.dict.Find({"value"}) != nullptr) {  // a constant carries its type itself
          if (cursor_.Peek() == '{') {
            ASSIGN_OR_RETURN(const Attribute dict, attributes_.ParseDict());
            op.dict.entries.insert(op.dict.entries.end(), dict.entries.begin(),
                                   dict.entries.end());
          }
          return OkStatus();
        }
        break;
    }
    cursor_.TryConsume(",");
  }
}

// A keyword, an entry `name = value`, or the value of a constant.
Status Parser::ParsePrettyWord(OpText& op) {
  if (!cursor_.SeesIdentifier()) {
    return cursor_.Error(fmt::format("expected ':' and the type of {}", op.name));
  }
  if (cursor_.Sees("dense") || cursor_.Sees("dense_resource")) {
    ASSIGN_OR_RETURN(Attribute value, attributes_.Parse(true));
    op.SetEntry("value", std::move(value));
    return OkStatus();
  }
  const size_t offset = cursor_.offset();
  ASSIGN_OR_RETURN(const std::string_view word, cursor_.Identifier("a word"));
  const std::string name(word);
  if (!cursor_.TryConsume("=")) {
    if (op.opcode != Opcode::kCompare) {
      return cursor_.ErrorAt(offset, fmt::format("'{}' has no place in {}", name, op.name));
    }
    op.SetEntry(op.operands.empty() ? "comparison_direction" : "compare_type",
             Text(Kind::kKeyword, name));
    return OkStatus();
  }
  Attribute value;
  if (name == "dim_numbers") {
    ASSIGN_OR_RETURN(value, attributes_.ParseConvolutionDimensions());
  } else if (name == "batching_dims" || name == "contracting_dims") {
    value.kind = Kind::kArray;
    ASSIGN_OR_RETURN(Attribute lhs, attributes_.Parse(false));
    RETURN_IF_ERROR(cursor_.Expect("x"));
    ASSIGN_OR_RETURN(Attribute rhs, attributes_.Parse(false));
    value.items = {std::move(lhs), std::move(rhs)};
  } else {
    ASSIGN_OR_RETURN(value, attributes_.Parse(false));
  }
  value.offset = offset;
  op.dict.entries.emplace_back(name, std::move(value));
  return OkStatus();
}

// [0:10, 2:3:1] of a slice, [2] of get_tuple_element.
Status Parser::ParseBrackets(OpText& op) {
  const bool is_slice = op.opcode == Opcode::kSlice;
  if (!is_slice && op.name != "stablehlo.get_tuple_element") {
    return cursor_.Error("'[' has no place here");
  }
  RETURN_IF_ERROR(cursor_.Expect("["));
  if (!is_slice) {
    Attribute index;
    index.kind = Kind::kInteger;
    ASSIGN_OR_RETURN(index.integer, cursor_.Integer());
    op.SetEntry("index", std::move(index));
    return cursor_.Expect("]");
  }
  Attribute start, limit, stride;
  start.kind = limit.kind = stride.kind = Kind::kArray;
  const auto append = [&](Attribute& list, int64_t number) {
    Attribute item;
    item.kind = Kind::kInteger;
    item.integer = number;
    list.items.push_back(std::move(item));
  };
  if (!cursor_.TryConsume("]")) {
    do {
      ASSIGN_OR_RETURN(const int64_t first, cursor_.Integer());
      RETURN_IF_ERROR(cursor_.Expect(":"));
      ASSIGN_OR_RETURN(const int64_t end, cursor_.Integer());
      int64_t step = 1;
      if (cursor_.TryConsume(":")) {
        ASSIGN_OR_RETURN(step, cursor_.Integer());
      }
      append(start, first);
      append(limit, end);
      append(stride, step);
    } while (cursor_.TryConsume(","));
    RETURN_IF_ERROR(cursor_.Expect("]"));
  }
  op.SetEntry("start_indices", std::move(start));
  op.SetEntry("limit_indices", std::move(limit));
  op.SetEntry("strides", std::move(stride));
  return OkStatus();
}

Status Parser::Emit(OpText& op, Region& region) {
  RETURN_IF_ERROR(ResolveProbe(op));
  op.inputs = ShapesOf(op.input_types);
  op.outputs = ShapesOf(op.output_types);
  ASSIGN_OR_RETURN(const std::vector<Value> values,
                   OpEmitter(cursor_, *function_).Emit(op, region));
  std::vector<Type> types = std::move(op.output_types);
  if (types.empty()) {
    for (const Value value : values) types.push_back(Type::Tensor(function_->shape(value)));
  }
  if (ShapesOf(types).size() != values.size()) {
    return cursor_.ErrorAt(op.offset, fmt::format("{} has {} results where its type says {}",
                                                  op.name, values.size(), types.size()));
  }
  const std::vector<TypedValue> results = Group(types, values);
  size_t next = 0;
  for (const auto& [name, count] : op.results) {
    const size_t end = next + static_cast<size_t>(count);
    if (end > results.size()) {
      return cursor_.ErrorAt(op.offset, fmt::format("{} has only {} results", op.name,
                                                    results.size()));
    }
    RETURN_IF_ERROR(Define(name, {results.begin() + static_cast<int64_t>(next),
                                  results.begin() + static_cast<int64_t>(end)}, op.offset));
    next = end;
  }
  if (!op.results.empty() && next != results.size()) {
    return cursor_.ErrorAt(op.offset, fmt::format("{} has {} results but names for {}", op.name,
                                                  results.size(), next));
  }
  return OkStatus();
}

}  // namespace systolith::import
