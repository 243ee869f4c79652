#include "host/import/parser.h"

#include <fmt/format.h>

#include <charconv>

namespace systolith::import {

using graph::Region;
using graph::Shape;
using graph::Value;

namespace {

constexpr size_t kMaxRegionDepth = 100;  // no program nests deeper; protects the stack

}  // namespace

Parser::Parser(std::string_view text, const std::string& file_name, int first_line)
    : cursor_(text, file_name, first_line), attributes_(cursor_) {
  module_.file_name = file_name;
}

Result<graph::Module> Parser::ParseModule() {
  while (!cursor_.AtEnd()) RETURN_IF_ERROR(ParseTopLevel());
  if (module_.functions.empty()) return cursor_.Error("the text has no function");
  return std::move(module_);
}

Status Parser::ParseArgument(bool attributes, Region& region) {
  cursor_.Peek();
  const size_t offset = cursor_.offset();
  ASSIGN_OR_RETURN(const std::string_view name, cursor_.ValueName());
  RETURN_IF_ERROR(cursor_.Expect(":"));
  ASSIGN_OR_RETURN(const Type type, ParseType());
  if (attributes && cursor_.Peek() == '{') RETURN_IF_ERROR(attributes_.ParseDict().status());
  RETURN_IF_ERROR(SkipLocation());
  return DefineArgument(name, type, offset, region);
}

Status Parser::DefineArgument(std::string_view name, const Type& type, size_t offset,
                              Region& region) {
  std::vector<Value> values;
  for (Shape& shape : ShapesOf({type})) values.push_back(function_->NewValue(std::move(shape)));
  region.arguments.insert(region.arguments.end(), values.begin(), values.end());
  return Define(name, {{type, std::move(values)}}, offset);
}

// "-> tensor<...>" or "-> (tensor<...> {...}, ...)" or nothing.
Status Parser::ParseFunctionType(std::vector<Type>& results) {
  if (!cursor_.TryConsume("->")) return OkStatus();
  if (!cursor_.TryConsume("(")) {
    ASSIGN_OR_RETURN(Type type, ParseType());
    results.push_back(std::move(type));
    return OkStatus();
  }
  if (cursor_.TryConsume(")")) return OkStatus();
  do {
    ASSIGN_OR_RETURN(Type type, ParseType());
    results.push_back(std::move(type));
    if (cursor_.Peek() == '{') RETURN_IF_ERROR(attributes_.ParseDict().status());
  } while (cursor_.TryConsume(","));
  return cursor_.Expect(")");
}

Status Parser::ParseOps(Region& region) {
  while (!cursor_.Sees("}")) {
    if (cursor_.AtEnd()) return cursor_.Error("the text ends inside of a region");
    if (cursor_.Peek() == '^') return cursor_.Refuse("branches between blocks are not supported");
    RETURN_IF_ERROR(ParseOp(region));
  }
  return OkStatus();
}

// { ^bb0(%a: tensor<f32>, ...): operations }
Result<Region> Parser::ParseRegion() {
  if (scopes_.size() > kMaxRegionDepth) return cursor_.Error("regions nest too deeply");
  Region region;
  scopes_.emplace_back();
  RETURN_IF_ERROR(cursor_.Expect("{"));
  if (cursor_.TryConsume("^")) {
    RETURN_IF_ERROR(cursor_.Identifier("a block's name").status());
    if (cursor_.TryConsume("(") && !cursor_.TryConsume(")")) {
      do {
        RETURN_IF_ERROR(ParseArgument(false, region));
      } while (cursor_.TryConsume(","));
      RETURN_IF_ERROR(cursor_.Expect(")"));
    }
    RETURN_IF_ERROR(cursor_.Expect(":"));
  }
  RETURN_IF_ERROR(ParseOps(region));
  RETURN_IF_ERROR(cursor_.Expect("}"));
  scopes_.pop_back();
  return region;
}

Result<Region> Parser::ParseRegionOf(const std::vector<std::string_view>& names,
                                     const std::vector<Type>& types) {
  if (scopes_.size() > kMaxRegionDepth) return cursor_.Error("regions nest too deeply");
  Region region;
  scopes_.emplace_back();
  RETURN_IF_ERROR(cursor_.Expect("{"));
  for (size_t i = 0; i < names.size(); ++i) {
    RETURN_IF_ERROR(DefineArgument(names[i], types[i], cursor_.offset(), region));
  }
  RETURN_IF_ERROR(ParseOps(region));
  RETURN_IF_ERROR(cursor_.Expect("}"));
  scopes_.pop_back();
  return region;
}

Status Parser::Define(std::string_view name, std::vector<TypedValue> values, size_t offset) {
  if (!scopes_.back().emplace(name, std::move(values)).second) {
    return cursor_.ErrorAt(offset, fmt::format("{} is defined twice", name));
  }
  return OkStatus();
}

Result<TypedValue> Parser::ParseOperand() {
  cursor_.Peek();
  const size_t offset = cursor_.offset();
  ASSIGN_OR_RETURN(const std::string_view text, cursor_.ValueName());
  const size_t hash = text.find('#');
  const std::string_view name = text.substr(0, hash);
  size_t index = 0;
  if (hash != std::string_view::npos) {
    const char* end = text.data() + text.size();
    if (std::from_chars(text.data() + hash + 1, end, index).ec != std::errc()) {
      return cursor_.ErrorAt(offset, fmt::format("{} has no valid number", text));
    }
  }
  for (size_t i = scopes_.size(); i-- > 0;) {
    const auto found = scopes_[i].find(name);
    if (found == scopes_[i].end()) continue;
    if (index >= found->second.size()) {
      return cursor_.ErrorAt(offset, fmt::format("{} has only {} values", name,
                                                 found->second.size()));
    }
    return found->second[index];
  }
  return cursor_.ErrorAt(offset, fmt::format("{} is used before its definition", name));
}

Status Parser::SkipLocation() {
  if (!cursor_.TryConsume("loc")) return OkStatus();
  return cursor_.SkipBalanced();
}

}  // namespace systolith::import
