#include "host/import/cursor.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <charconv>
#include <utility>

namespace systolith::import {
namespace {

constexpr size_t kMaxRank = 64;

bool IsWordStart(char c) {
  return std::isalpha(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '$';
}
bool IsWord(char c) {
  return IsWordStart(c) || std::isdigit(static_cast<unsigned char>(c)) != 0 || c == '.';
}
bool IsDigit(char c) { return c >= '0' && c <= '9'; }

// Whether MLIR has an element type of that name that the graph does not know.
bool IsForeignType(std::string_view name) {
  if (name.starts_with('!') || name == "index" || name == "f80" || name == "f128" ||
      name == "tf32") {
    return true;
  }
  const size_t digits = name.find_first_of("0123456789");
  if (digits == std::string_view::npos) return false;
  const std::string_view prefix = name.substr(0, digits);
  return (prefix == "i" || prefix == "si" || prefix == "ui") &&
         std::all_of(name.begin() + static_cast<int64_t>(digits), name.end(), IsDigit);
}

}  // namespace

Cursor::Cursor(std::string_view text, std::string file_name, int first_line)
    : text_(text), file_name_(std::move(file_name)), first_line_(first_line), line_starts_{0} {
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '\n') line_starts_.push_back(i + 1);
  }
}

void Cursor::SkipSpace() {
  while (offset_ < text_.size()) {
    if (std::isspace(static_cast<unsigned char>(text_[offset_])) != 0) {
      ++offset_;
    } else if (text_.substr(offset_, 2) == "//") {
      offset_ = std::min(text_.find('\n', offset_), text_.size());
    } else {
      return;
    }
  }
}

bool Cursor::AtEnd() {
  SkipSpace();
  return offset_ >= text_.size();
}

char Cursor::Peek() { return AtEnd() ? '\0' : text_[offset_]; }

bool Cursor::Sees(std::string_view token) {
  SkipSpace();
  if (text_.substr(offset_, token.size()) != token) return false;
  const size_t end = offset_ + token.size();
  return !IsWord(token.back()) || end >= text_.size() || !IsWord(text_[end]);
}

bool Cursor::TryConsume(std::string_view token) {
  if (!Sees(token)) return false;
  offset_ += token.size();
  return true;
}

Status Cursor::Expect(std::string_view token) {
  if (TryConsume(token)) return OkStatus();
  if (AtEnd()) return Error(fmt::format("expected '{}' but the text ends", token));
  return Error(fmt::format("expected '{}' but found '{}'", token, text_[offset_]));
}

bool Cursor::SeesIdentifier() { return IsWordStart(Peek()); }

Result<std::string_view> Cursor::Identifier(const char* what) {
  if (!SeesIdentifier()) return Error(fmt::format("expected {}", what));
  const size_t begin = offset_;
  while (offset_ < text_.size() && IsWord(text_[offset_])) ++offset_;
  return text_.substr(begin, offset_ - begin);
}

Result<int64_t> Cursor::Integer() {
  SkipSpace();
  int64_t value = 0;
  const char* begin = text_.data() + offset_;
  const auto [end, error] = std::from_chars(begin, text_.data() + text_.size(), value);
  if (error == std::errc::result_out_of_range) return Error("the integer does not fit 64 bits");
  if (error != std::errc()) return Error("expected an integer");
  offset_ += static_cast<size_t>(end - begin);
  return value;
}

Result<std::string> Cursor::String() {
  RETURN_IF_ERROR(Expect("\""));
  const size_t begin = offset_;
  std::string value;
  while (offset_ < text_.size() && text_[offset_] != '"' && text_[offset_] != '\n') {
    const char c = text_[offset_++];
    if (c != '\\') {
      value += c;
      continue;
    }
    const std::string_view escape = text_.substr(offset_, 2);
    unsigned code = 0;
    if (!escape.empty() && (escape[0] == '"' || escape[0] == '\\')) {
      value += escape[0];
      offset_ += 1;
    } else if (!escape.empty() && escape[0] == 'n') {
      value += '\n';
      offset_ += 1;
    } else if (!escape.empty() && escape[0] == 't') {
      value += '\t';
      offset_ += 1;
    } else if (std::from_chars(escape.data(), escape.data() + escape.size(), code, 16).ptr ==
                   escape.data() + 2 && escape.size() == 2) {
      value += static_cast<char>(code);
      offset_ += 2;
    } else {
      return Error("an unknown escape in the string");
    }
  }
  if (offset_ >= text_.size() || text_[offset_] != '"') {
    return ErrorAt(begin - 1, "the string does not end on its line");
  }
  ++offset_;
  return value;
}

Result<std::string_view> Cursor::ValueName() {
  if (Peek() != '%') return Error("expected a value such as %0");
  const size_t begin = offset_++;
  while (offset_ < text_.size() && (IsWord(text_[offset_]) || text_[offset_] == '-')) ++offset_;
  if (offset_ < text_.size() && text_[offset_] == '#') {
    ++offset_;
    while (offset_ < text_.size() && IsDigit(text_[offset_])) ++offset_;
  }
  if (offset_ == begin + 1) return Error("expected a value's name behind '%'");
  return text_.substr(begin, offset_ - begin);
}

Result<std::string> Cursor::Symbol() {
  RETURN_IF_ERROR(Expect("@"));
  if (offset_ < text_.size() && text_[offset_] == '"') return String();
  const size_t begin = offset_;
  while (offset_ < text_.size() && (IsWord(text_[offset_]) || text_[offset_] == '-')) ++offset_;
  if (offset_ == begin) return Error("expected a name behind '@'");
  return std::string(text_.substr(begin, offset_ - begin));
}

Result<std::string_view> Cursor::Number() {
  SkipSpace();
  const size_t begin = offset_;
  if (offset_ < text_.size() && (text_[offset_] == '-' || text_[offset_] == '+')) ++offset_;
  const size_t digits = offset_;
  while (offset_ < text_.size()) {
    const char c = text_[offset_];
    const bool is_exponent_sign = (c == '+' || c == '-') && offset_ > digits &&
                                  (text_[offset_ - 1] == 'e' || text_[offset_ - 1] == 'E') &&
                                  text_.substr(digits, 2) != "0x";
    if (std::isalnum(static_cast<unsigned char>(c)) == 0 && c != '.' && !is_exponent_sign) break;
    ++offset_;
  }
  if (offset_ == digits || !IsDigit(text_[digits])) {
    offset_ = begin;
    return Error("expected a number");
  }
  return text_.substr(begin, offset_ - begin);
}

Result<graph::Shape> Cursor::TensorType(bool index_as_s64) {
  SkipSpace();
  const size_t begin = offset_;
  if (!TryConsume("tensor")) {
    if (Peek() == '!' || SeesIdentifier()) {
      RETURN_IF_ERROR(SkipType());
      return RefuseAt(begin, fmt::format("type {} is not supported; only static tensors are",
                                         text_.substr(begin, offset_ - begin)));
    }
    return Error("expected a type such as tensor<4xf32>");
  }
  RETURN_IF_ERROR(Expect("<"));
  graph::Shape shape;
  int64_t elements = 1;
  while (IsDigit(Peek()) || Peek() == '?') {
    if (Peek() == '?') return Refuse("a dynamic dimension '?' is not supported");
    ASSIGN_OR_RETURN(const int64_t dim, Integer());
    if (offset_ >= text_.size() || text_[offset_] != 'x') return Error("expected 'x'");
    ++offset_;
    shape.dims.push_back(dim);
    if (dim > graph::kMaxElements || shape.dims.size() > kMaxRank) {
      return ErrorAt(begin, "the tensor is too large");
    }
    if (elements > graph::kMaxElements / std::max<int64_t>(dim, 1)) {
      return ErrorAt(begin, "the tensor is too large");
    }
    elements *= std::max<int64_t>(dim, 1);
  }
  SkipSpace();
  const size_t name_begin = offset_;
  RETURN_IF_ERROR(SkipType());
  const std::string_view name = text_.substr(name_begin, offset_ - name_begin);
  auto type = graph::ElementTypeFromName(name);
  if (index_as_s64 && name == "index") type = graph::ElementType::kS64;
  if (!type && !IsForeignType(name)) {
    return ErrorAt(name_begin, fmt::format("there is no element type '{}'", name));
  }
  if (!type || !graph::IsSupported(*type)) {
    return RefuseAt(begin, fmt::format("element type {} is not supported", name));
  }
  if (Peek() == ',') return RefuseAt(begin, "a tensor's encoding is not supported");
  RETURN_IF_ERROR(Expect(">"));
  shape.type = *type;
  return shape;
}

Status Cursor::SkipType() {
  if (Peek() == '(') {
    RETURN_IF_ERROR(SkipBalanced());
    RETURN_IF_ERROR(Expect("->"));
    return Peek() == '(' ? SkipBalanced() : SkipType();
  }
  TryConsume("!");
  RETURN_IF_ERROR(Identifier("a type").status());
  if (offset_ < text_.size() && text_[offset_] == '<') return SkipBalanced();
  return OkStatus();
}

Status Cursor::SkipBalanced() {
  SkipSpace();
  const size_t begin = offset_;
  std::string closers;
  do {
    const char c = Peek();
    if (c == '\0') return ErrorAt(begin, "the bracket is never closed");
    if (c == '"') {
      RETURN_IF_ERROR(String().status());
      continue;
    }
    if (TryConsume("->")) continue;
    ++offset_;
    constexpr std::string_view kOpeners = "([{<", kClosers = ")]}>";
    if (const size_t kind = kOpeners.find(c); kind != std::string_view::npos) {
      closers += kClosers[kind];
    } else if (kClosers.find(c) != std::string_view::npos) {
      if (closers.empty() || closers.back() != c) {
        return ErrorAt(offset_ - 1, fmt::format("'{}' closes nothing", c));
      }
      closers.pop_back();
    }
  } while (!closers.empty());
  return OkStatus();
}

graph::Location Cursor::LocationOf(size_t offset) const {
  const auto next = std::upper_bound(line_starts_.begin(), line_starts_.end(), offset);
  return {first_line_ + static_cast<int>(next - line_starts_.begin()) - 1,
          static_cast<int>(offset - *(next - 1)) + 1};
}

Status Cursor::ErrorAt(size_t offset, const std::string& reason) const {
  const graph::Location at = LocationOf(offset);
  return InvalidArgument(fmt::format("{}:{}:{}: {}", file_name_, at.line, at.column, reason));
}

Status Cursor::RefuseAt(size_t offset, const std::string& reason) const {
  const graph::Location at = LocationOf(offset);
  return Unsupported(fmt::format("{}:{}:{}: {}", file_name_, at.line, at.column, reason));
}

Status Cursor::Error(const std::string& reason) {
  SkipSpace();
  return ErrorAt(offset_, reason);
}

Status Cursor::Refuse(const std::string& reason) {
  SkipSpace();
  return RefuseAt(offset_, reason);
}

}  // namespace systolith::import
