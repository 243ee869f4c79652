#ifndef SYSTOLITH_HOST_IMPORT_ATTRIBUTE_H_
#define SYSTOLITH_HOST_IMPORT_ATTRIBUTE_H_

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "host/base/status.h"
#include "host/graph/graph.h"
#include "host/import/cursor.h"

namespace systolith::import {

// An attribute as it stands in the text, before an operation makes sense of it.
struct Attribute {
  enum class Kind {
    kUnit,
    kBool,     // integer
    kInteger,  // integer
    kFloat,    // real
    kString,   // text
    kSymbol,   // text
    kKeyword,  // text: DEFAULT, e8m7, or the word in #stablehlo<precision HIGH>
    kArray,    // items
    kDict,     // entries; also #stablehlo.gather<...> and the like
    kDense,    // literal
    kOther,    // skipped: types, locations, attributes of other dialects
  };
  using Entry = std::pair<std::string, Attribute>;

  Kind kind = Kind::kUnit;
  int64_t integer = 0;
  double real = 0;
  std::string text;
  std::vector<Attribute> items;
  std::vector<Entry> entries;
  std::shared_ptr<const graph::Literal> literal;
  size_t offset = 0;  // in the text, for messages

  // The entry of a dictionary under any of the names; null if there is none.
  const Attribute* Find(std::initializer_list<std::string_view> names) const;
};

// Reads attributes. Constants count against one budget, so that a few characters of text cannot
// ask for all memory.
class AttributeParser {
 public:
  explicit AttributeParser(Cursor& cursor) : cursor_(cursor) {}

  // `value` or, with `typed`, `value : type`.
  Result<Attribute> Parse(bool typed);
  // { name = value, flag, ... }
  Result<Attribute> ParseDict();
  // name = value, ... up to `close`, which is consumed.
  Status ParseEntries(std::string_view close, Attribute& dict);
  // [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f]
  Result<Attribute> ParseConvolutionDimensions();
  // dense<...> : tensor<...>
  Result<std::shared_ptr<const graph::Literal>> ParseDense();

 private:
  Result<Attribute> ParseValue(bool typed);
  Result<Attribute> ParseNumber(bool typed);
  Result<Attribute> ParseArray();
  Result<Attribute> ParseTypedArray();  // array<i64: 1, 2>
  Result<Attribute> ParseDialect();     // #stablehlo...
  Result<Attribute> ParseWord(bool typed);
  Result<graph::Dims> ParseRoles(char first, int64_t& first_at, char second, int64_t& second_at);

  Cursor& cursor_;
  int depth_ = 0;
  int64_t splat_bytes_ = 0;
};

}  // namespace systolith::import

#endif  // SYSTOLITH_HOST_IMPORT_ATTRIBUTE_H_
