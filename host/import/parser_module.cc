// Modules and functions of parser.h, in the pretty form and in the generic one.
#include <fmt/format.h>

#include "host/import/parser.h"

namespace systolith::import {

using graph::Shape;
using graph::Value;

// A module, a function, or an alias such as `#loc1 = loc("x")`.
Status Parser::ParseTopLevel() {
  if (cursor_.TryConsume("#")) {
    RETURN_IF_ERROR(cursor_.Identifier("an alias").status());
    RETURN_IF_ERROR(cursor_.Expect("="));
    return attributes_.Parse(true).status();
  }
  if (cursor_.TryConsume("module")) {
    if (cursor_.Peek() == '@') {
      ASSIGN_OR_RETURN(module_.name, cursor_.Symbol());
    }
    if (cursor_.TryConsume("attributes")) RETURN_IF_ERROR(attributes_.ParseDict().status());
    return ParseModuleBody();
  }
  if (cursor_.TryConsume("\"builtin.module\"")) {
    Attribute dict;
    RETURN_IF_ERROR(ParseGenericHead(dict));
    RETURN_IF_ERROR(ParseModuleBody());
    RETURN_IF_ERROR(ParseGenericTail(dict));
    if (const Attribute* name = dict.Find({"sym_name"})) module_.name = name->text;
    return OkStatus();
  }
  return ParseSymbol();
}

Status Parser::ParseModuleBody() {
  RETURN_IF_ERROR(cursor_.Expect("{"));
  if (cursor_.TryConsume("^")) {
    RETURN_IF_ERROR(cursor_.Identifier("a block's name").status());
    RETURN_IF_ERROR(cursor_.Expect(":"));
  }
  while (!cursor_.TryConsume("}")) RETURN_IF_ERROR(ParseSymbol());
  return SkipLocation();
}

// () <{properties}> (
Status Parser::ParseGenericHead(Attribute& dict) {
  dict.kind = Attribute::Kind::kDict;
  RETURN_IF_ERROR(cursor_.Expect("("));
  RETURN_IF_ERROR(cursor_.Expect(")"));
  if (cursor_.TryConsume("<")) {
    ASSIGN_OR_RETURN(dict, attributes_.ParseDict());
    RETURN_IF_ERROR(cursor_.Expect(">"));
  }
  return cursor_.Expect("(");
}

// ) {attributes} : () -> ()
Status Parser::ParseGenericTail(Attribute& dict) {
  RETURN_IF_ERROR(cursor_.Expect(")"));
  if (cursor_.Peek() == '{') {
    ASSIGN_OR_RETURN(Attribute more, attributes_.ParseDict());
    for (Attribute::Entry& entry : more.entries) dict.entries.push_back(std::move(entry));
  }
  RETURN_IF_ERROR(cursor_.Expect(":"));
  RETURN_IF_ERROR(cursor_.SkipType());
  return SkipLocation();
}

// A function, or a mesh, of which one chip makes nothing.
Status Parser::ParseSymbol() {
  cursor_.Peek();
  const size_t offset = cursor_.offset();
  if (cursor_.TryConsume("func.func")) return ParseFunction();
  if (cursor_.TryConsume("\"func.func\"")) return ParseGenericFunction();
  if (cursor_.TryConsume("sdy.mesh")) {  // @mesh = <["x"=2]>
    RETURN_IF_ERROR(cursor_.Symbol().status());
    RETURN_IF_ERROR(cursor_.Expect("="));
    RETURN_IF_ERROR(cursor_.SkipBalanced());
    if (cursor_.Peek() == '{') RETURN_IF_ERROR(cursor_.SkipBalanced());
    return SkipLocation();
  }
  if (cursor_.Peek() == '"') {
    ASSIGN_OR_RETURN(const std::string name, cursor_.String());
    if (name != "sdy.mesh") {
      return cursor_.RefuseAt(offset, fmt::format("operation {} is not supported outside of a "
                                                  "function", name));
    }
    RETURN_IF_ERROR(cursor_.SkipBalanced());  // ()
    RETURN_IF_ERROR(cursor_.SkipBalanced());  // <{...}>
    RETURN_IF_ERROR(cursor_.Expect(":"));
    RETURN_IF_ERROR(cursor_.SkipType());
    return SkipLocation();
  }
  if (!cursor_.SeesIdentifier()) return cursor_.Expect("func.func");
  ASSIGN_OR_RETURN(const std::string_view name, cursor_.Identifier("func.func"));
  if (name.find('.') != std::string_view::npos) {
    return cursor_.RefuseAt(offset, fmt::format("operation {} is not supported outside of a "
                                                "function", name));
  }
  return cursor_.ErrorAt(offset, fmt::format("expected func.func but found '{}'", name));
}

Status Parser::ParseFunction() {
  graph::Function& function = module_.functions.emplace_back();
  function_ = &function;
  if (cursor_.TryConsume("private")) {
    function.is_private = true;
  } else {
    cursor_.TryConsume("public");
  }
  ASSIGN_OR_RETURN(function.name, cursor_.Symbol());
  scopes_.assign(1, {});
  probes_.clear();
  RETURN_IF_ERROR(cursor_.Expect("("));
  if (!cursor_.TryConsume(")")) {
    do {
      RETURN_IF_ERROR(ParseArgument(true, function.body));
    } while (cursor_.TryConsume(","));
    RETURN_IF_ERROR(cursor_.Expect(")"));
  }
  std::vector<Type> results;
  RETURN_IF_ERROR(ParseFunctionType(results));
  if (cursor_.TryConsume("attributes")) RETURN_IF_ERROR(attributes_.ParseDict().status());
  if (cursor_.Peek() != '{') {
    return cursor_.Refuse(fmt::format("function @{} has no body", function.name));
  }
  const size_t body = cursor_.offset();
  RETURN_IF_ERROR(cursor_.Expect("{"));
  RETURN_IF_ERROR(ParseOps(function.body));
  RETURN_IF_ERROR(cursor_.Expect("}"));
  RETURN_IF_ERROR(CheckReturns(body));
  std::vector<Shape> returned;
  for (const Value value : function.results()) returned.push_back(function.shape(value));
  if (returned != ShapesOf(results)) {
    return cursor_.ErrorAt(body, fmt::format("@{} does not return what it declares",
                                             function.name));
  }
  return SkipLocation();
}

// "func.func"() <{sym_name = "f", function_type = ...}> ({...}) : () -> (). The type of the
// function repeats what its block and its return say.
Status Parser::ParseGenericFunction() {
  graph::Function& function = module_.functions.emplace_back();
  function_ = &function;
  scopes_.assign(1, {});
  probes_.clear();
  Attribute dict;
  RETURN_IF_ERROR(ParseGenericHead(dict));
  cursor_.Peek();
  const size_t body = cursor_.offset();
  ASSIGN_OR_RETURN(function.body, ParseRegion());
  RETURN_IF_ERROR(ParseGenericTail(dict));
  const Attribute* name = dict.Find({"sym_name"});
  if (name == nullptr) return cursor_.ErrorAt(body, "the function has no name");
  function.name = name->text;
  const Attribute* visibility = dict.Find({"sym_visibility"});
  function.is_private = visibility != nullptr && visibility->text == "private";
  if (function.body.ops.empty()) {
    return cursor_.RefuseAt(body, fmt::format("function @{} has no body", function.name));
  }
  return CheckReturns(body);
}

Status Parser::CheckReturns(size_t body) {
  const std::vector<graph::Op>& ops = function_->body.ops;
  if (!ops.empty() && ops.back().opcode == graph::Opcode::kReturn) return OkStatus();
  return cursor_.ErrorAt(body, fmt::format("@{} does not return", function_->name));
}

}  // namespace systolith::import
