#ifndef SYSTOLITH_HOST_KERNEL_LEXER_H_
#define SYSTOLITH_HOST_KERNEL_LEXER_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "host/base/status.h"
#include "host/kernel/kernel.h"

namespace systolith::kernel {

struct Token {
  enum class Kind : uint8_t {
    kName,
    kInteger,  // 12
    kBits,     // 0x3f800000
    kFloat,    // 1.5, 1e-3, inf, nan
    kSymbol,   // one of the operators and brackets
    kEnd,      // of the line
  };
  Kind kind = Kind::kEnd;
  std::string text;
  int64_t integer = 0;  // kInteger, kBits
  double real = 0;      // kFloat
  Location location;
};

// The lines of a source that say something, each with a kEnd token last. A line that ends with a
// comma goes on in the next one.
Result<std::vector<std::vector<Token>>> Lex(std::string_view source, const std::string& file);

// "FILE:LINE:COLUMN: MESSAGE".
Status SyntaxError(const Location& location, const std::string& message);

}  // namespace systolith::kernel

#endif  // SYSTOLITH_HOST_KERNEL_LEXER_H_
