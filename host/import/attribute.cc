#include "host/import/attribute.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

namespace systolith::import {
namespace {

constexpr int kMaxDepth = 100;  // no real attribute nests deeper; protects the stack

using Kind = Attribute::Kind;

Attribute Integers(const graph::Dims& values) {
  Attribute list;
  list.kind = Kind::kArray;
  for (const int64_t value : values) {
    Attribute item;
    item.kind = Kind::kInteger;
    item.integer = value;
    list.items.push_back(std::move(item));
  }
  return list;
}

}  // namespace

const Attribute* Attribute::Find(std::initializer_list<std::string_view> names) const {
  for (const Entry& entry : entries) {
    if (std::find(names.begin(), names.end(), entry.first) != names.end()) return &entry.second;
  }
  return nullptr;
}

Result<Attribute> AttributeParser::Parse(bool typed) {
  if (depth_ >= kMaxDepth) return cursor_.Error("attributes nest too deeply");
  ++depth_;
  cursor_.Peek();
  const size_t offset = cursor_.offset();
  auto value = ParseValue(typed);
  --depth_;
  if (value.ok()) value->offset = offset;
  return value;
}

Result<Attribute> AttributeParser::ParseValue(bool typed) {
  Attribute value;
  const char c = cursor_.Peek();
  switch (c) {
    case '"': {
      ASSIGN_OR_RETURN(value.text, cursor_.String());
      value.kind = Kind::kString;
      if (typed && cursor_.TryConsume(":")) RETURN_IF_ERROR(cursor_.SkipType());
      return value;
    }
    case '@': {
      ASSIGN_OR_RETURN(value.text, cursor_.Symbol());
      while (cursor_.TryConsume("::")) RETURN_IF_ERROR(cursor_.Symbol().status());
      value.kind = Kind::kSymbol;
      return value;
    }
    case '[': return ParseArray();
    case '{': return ParseDict();
    case '#': return ParseDialect();
    case '<':
      RETURN_IF_ERROR(cursor_.Expect("<"));
      value.kind = Kind::kDict;
      RETURN_IF_ERROR(ParseEntries(">", value));
      return value;
    case '(':
    case '!':
      RETURN_IF_ERROR(cursor_.SkipType());
      value.kind = Kind::kOther;
      return value;
    default: break;
  }
  if (c == '-' || c == '+' || (c >= '0' && c <= '9')) return ParseNumber(typed);
  return ParseWord(typed);
}

Result<Attribute> AttributeParser::ParseNumber(bool typed) {
  Attribute value;
  const size_t offset = cursor_.offset();
  ASSIGN_OR_RETURN(const std::string_view text, cursor_.Number());
  const char* end = text.data() + text.size();
  if (text.find_first_of(".eE") != std::string_view::npos && !text.starts_with("0x")) {
    value.kind = Kind::kFloat;
    if (std::from_chars(text.data(), end, value.real).ptr != end) {
      return cursor_.ErrorAt(offset, fmt::format("'{}' is no number", text));
    }
  } else {
    value.kind = Kind::kInteger;
    const bool hex = text.starts_with("0x");
    uint64_t bits = 0;
    const auto parsed = hex ? std::from_chars(text.data() + 2, end, bits, 16)
                            : std::from_chars(text.data(), end, value.integer);
    if (parsed.ptr != end || parsed.ec != std::errc()) {
      return cursor_.ErrorAt(offset, fmt::format("'{}' is no integer of 64 bits", text));
    }
    if (hex) value.integer = static_cast<int64_t>(bits);
    value.real = static_cast<double>(value.integer);
  }
  if (typed && cursor_.TryConsume(":")) RETURN_IF_ERROR(cursor_.SkipType());
  return value;
}

Result<Attribute> AttributeParser::ParseArray() {
  Attribute value;
  value.kind = Kind::kArray;
  RETURN_IF_ERROR(cursor_.Expect("["));
  if (cursor_.TryConsume("]")) return value;
  do {
    ASSIGN_OR_RETURN(Attribute item, Parse(true));
    value.items.push_back(std::move(item));
  } while (cursor_.TryConsume(","));
  RETURN_IF_ERROR(cursor_.Expect("]"));
  return value;
}

Result<Attribute> AttributeParser::ParseTypedArray() {
  Attribute value;
  value.kind = Kind::kArray;
  RETURN_IF_ERROR(cursor_.Expect("<"));
  RETURN_IF_ERROR(cursor_.SkipType());
  if (cursor_.TryConsume(":")) {
    do {
      ASSIGN_OR_RETURN(Attribute item, Parse(false));
      value.items.push_back(std::move(item));
    } while (cursor_.TryConsume(","));
  }
  RETURN_IF_ERROR(cursor_.Expect(">"));
  return value;
}

Result<Attribute> AttributeParser::ParseDict() {
  Attribute value;
  value.kind = Kind::kDict;
  RETURN_IF_ERROR(cursor_.Expect("{"));
  RETURN_IF_ERROR(ParseEntries("}", value));
  return value;
}

Status AttributeParser::ParseEntries(std::string_view close, Attribute& dict) {
  if (cursor_.TryConsume(close)) return OkStatus();
  do {
    std::string name;
    if (cursor_.Peek() == '"') {
      ASSIGN_OR_RETURN(name, cursor_.String());
    } else {
      ASSIGN_OR_RETURN(const std::string_view word, cursor_.Identifier("an attribute's name"));
      name = word;
    }
    Attribute value;
    if (cursor_.TryConsume("=")) {
      ASSIGN_OR_RETURN(value, Parse(true));
    }
    dict.entries.emplace_back(std::move(name), std::move(value));
  } while (cursor_.TryConsume(","));
  return cursor_.Expect(close);
}

Result<Attribute> AttributeParser::ParseDialect() {
  Attribute value;
  RETURN_IF_ERROR(cursor_.Expect("#"));
  ASSIGN_OR_RETURN(const std::string_view name, cursor_.Identifier("an attribute's name"));
  value.kind = Kind::kOther;
  if (!cursor_.Sees("<")) return value;
  if (name == "stablehlo.conv") {
    RETURN_IF_ERROR(cursor_.Expect("<"));
    if (cursor_.TryConsume("raw")) {
      value.kind = Kind::kDict;
      RETURN_IF_ERROR(ParseEntries(">", value));
      return value;
    }
    ASSIGN_OR_RETURN(value, ParseConvolutionDimensions());
    RETURN_IF_ERROR(cursor_.Expect(">"));
    return value;
  }
  if (name == "stablehlo") {  // <precision HIGH>, <comparison_direction EQ>
    RETURN_IF_ERROR(cursor_.Expect("<"));
    RETURN_IF_ERROR(cursor_.Identifier("an attribute's name").status());
    if (cursor_.SeesIdentifier()) {
      ASSIGN_OR_RETURN(const std::string_view word, cursor_.Identifier("a keyword"));
      value.kind = Kind::kKeyword;
      value.text = word;
      RETURN_IF_ERROR(cursor_.Expect(">"));
      return value;
    }
    return cursor_.Refuse("this attribute is not supported");
  }
  if (name.starts_with("stablehlo.")) {
    RETURN_IF_ERROR(cursor_.Expect("<"));
    value.kind = Kind::kDict;
    RETURN_IF_ERROR(ParseEntries(">", value));
    return value;
  }
  RETURN_IF_ERROR(cursor_.SkipBalanced());
  return value;
}

Result<Attribute> AttributeParser::ParseWord(bool typed) {
  Attribute value;
  ASSIGN_OR_RETURN(const std::string_view word, cursor_.Identifier("an attribute"));
  if (word == "true" || word == "false") {
    value.kind = Kind::kBool;
    value.integer = word == "true" ? 1 : 0;
    return value;
  }
  if (word == "unit") return value;
  if (word == "array") return ParseTypedArray();
  if (word == "dense") {
    ASSIGN_OR_RETURN(value.literal, ParseDense());
    value.kind = Kind::kDense;
    return value;
  }
  if (word == "dense_resource") return cursor_.Refuse("dense_resource is not supported");
  if (cursor_.Sees("<") || cursor_.Sees("(")) {  // tensor<...>, loc(...), affine_map<...>
    RETURN_IF_ERROR(cursor_.SkipBalanced());
    if (typed && cursor_.TryConsume(":")) RETURN_IF_ERROR(cursor_.SkipType());
    value.kind = Kind::kOther;
    return value;
  }
  value.kind = Kind::kKeyword;
  value.text = word;
  return value;
}

Result<graph::Dims> AttributeParser::ParseRoles(char first, int64_t& first_at, char second,
                                                int64_t& second_at) {
  first_at = second_at = -1;
  std::vector<std::pair<int64_t, int64_t>> spatial;  // spatial number, dimension
  RETURN_IF_ERROR(cursor_.Expect("["));
  int64_t at = 0;
  do {
    if (cursor_.TryConsume(std::string_view(&first, 1))) {
      first_at = at;
    } else if (cursor_.TryConsume(std::string_view(&second, 1))) {
      second_at = at;
    } else {
      ASSIGN_OR_RETURN(const int64_t number, cursor_.Integer());
      spatial.emplace_back(number, at);
    }
    ++at;
  } while (cursor_.TryConsume(","));
  RETURN_IF_ERROR(cursor_.Expect("]"));
  std::sort(spatial.begin(), spatial.end());
  graph::Dims dims;
  for (size_t i = 0; i < spatial.size(); ++i) {
    if (spatial[i].first != static_cast<int64_t>(i)) {
      return cursor_.Error("the spatial dimensions are not numbered 0, 1, ...");
    }
    dims.push_back(spatial[i].second);
  }
  if (first_at < 0 || second_at < 0) {
    return cursor_.Error(fmt::format("the dimension numbers lack '{}' or '{}'", first, second));
  }
  return dims;
}

Result<Attribute> AttributeParser::ParseConvolutionDimensions() {
  Attribute value;
  value.kind = Kind::kDict;
  int64_t first = 0, second = 0;
  const auto store = [&](const char* prefix, const char* first_name, const char* second_name,
                         const graph::Dims& spatial) {
    value.entries.emplace_back(fmt::format("{}_{}", prefix, first_name), Integers({first}));
    value.entries.emplace_back(fmt::format("{}_{}", prefix, second_name), Integers({second}));
    value.entries.emplace_back(fmt::format("{}_spatial", prefix), Integers(spatial));
  };
  ASSIGN_OR_RETURN(const graph::Dims input, ParseRoles('b', first, 'f', second));
  store("input", "batch", "feature", input);
  RETURN_IF_ERROR(cursor_.Expect("x"));
  ASSIGN_OR_RETURN(const graph::Dims kernel, ParseRoles('i', first, 'o', second));
  store("kernel", "input_feature", "output_feature", kernel);
  RETURN_IF_ERROR(cursor_.Expect("->"));
  ASSIGN_OR_RETURN(const graph::Dims output, ParseRoles('b', first, 'f', second));
  store("output", "batch", "feature", output);
  return value;
}

}  // namespace systolith::import
