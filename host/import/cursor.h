#ifndef SYSTOLITH_HOST_IMPORT_CURSOR_H_
#define SYSTOLITH_HOST_IMPORT_CURSOR_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "host/base/status.h"
#include "host/graph/graph.h"
#include "host/import/source.h"

namespace systolith::import {

// A place in the text being read, and the small pieces that MLIR text is made of. Everything first
// skips white space and comments. Errors carry file, line and column.
class Cursor : public Source {
 public:
  Cursor(std::string_view text, std::string file_name, int first_line);

  bool AtEnd();
  char Peek();                  // the next character; '\0' at the end
  size_t offset() const { return offset_; }
  std::string_view TextFrom(size_t begin) const { return text_.substr(begin, offset_ - begin); }

  // Whether `token` comes next; a word only if it ends there.
  bool Sees(std::string_view token);
  bool TryConsume(std::string_view token);
  Status Expect(std::string_view token);

  // [A-Za-z_$][A-Za-z0-9_$.-]*, without a trailing dash.
  Result<std::string_view> Identifier(const char* what);
  bool SeesIdentifier();

  Result<int64_t> Integer();
  Result<std::string> String();           // in double quotes, with escapes
  Result<std::string_view> ValueName();   // "%x" or "%x#1"
  Result<std::string> Symbol();           // "@x" or @"x y", without the @

  // The text of a number: digits, sign, point, exponent or hex.
  Result<std::string_view> Number();

  // tensor<4x3xbf16>; a type that this project lacks is Unsupported. Lists of numbers in attributes
  // may be of type index, which counts as i64 there.
  Result<graph::Shape> TensorType(bool index_as_s64 = false);

  // A type of any kind that is only skipped.
  Status SkipType();

  // From an opening bracket to its partner; strings and "->" are respected.
  Status SkipBalanced();

  graph::Location LocationOf(size_t offset) const override;
  Status Error(const std::string& reason);
  Status Refuse(const std::string& reason);  // Unsupported
  Status ErrorAt(size_t offset, const std::string& reason) const override;
  Status RefuseAt(size_t offset, const std::string& reason) const override;

 private:
  void SkipSpace();

  std::string_view text_;
  std::string file_name_;
  int first_line_;
  size_t offset_ = 0;
  std::vector<size_t> line_starts_;
};

}  // namespace systolith::import

#endif  // SYSTOLITH_HOST_IMPORT_CURSOR_H_
