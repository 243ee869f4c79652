#ifndef SYSTOLITH_HOST_KERNEL_SYNTAX_H_
#define SYSTOLITH_HOST_KERNEL_SYNTAX_H_

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "host/base/status.h"
#include "host/kernel/lexer.h"

// What the parser makes of a source text: plain values, shared by all kernels assembled from it.
namespace systolith::kernel {

// A compile-time expression.
struct Expression {
  // A literal; a name; an operator ("+", "?" ...) or a function ("min") with its arguments.
  enum class Kind : uint8_t { kLiteral, kName, kCall };
  Kind kind = Kind::kLiteral;
  Token token;
  std::vector<Expression> arguments;
};

// A name with an index, or an expression: `v[i]`, `out0`, `in1[2 * k]`, `-1.5`, `(n * 2)`.
struct Operand {
  std::string name;               // empty: an expression
  std::vector<Expression> index;  // none or one
  std::vector<Expression> value;  // one if name is empty
  Location location;
};

struct Statement {
  enum class Kind : uint8_t {
    kAssign,    // targets = operation operands
    kCall,      // targets = call operation operands
    kLet,       // name = first
    kFor,       // name in first..second: children
    kIf,        // first: children, else others
    kLoop,      // first: children
    kTable,     // name = operands
    kScalar,    // name = operands[0]
    kShared,    // targets
    kPrologue,  // children
    kBody,      // children
  };
  Kind kind = Kind::kAssign;
  Location location;
  std::string name;
  std::string operation;
  Location operation_location;
  std::vector<Operand> targets, operands;
  Expression first, second;
  std::vector<Statement> children, others;
};

// A function or a kernel.
struct Definition {
  std::string name;
  Location location;
  bool is_kernel = false;
  std::vector<std::string> parameters;
  std::vector<std::string> results;  // of a function
  std::vector<Statement> statements;
};

struct Module {
  std::map<std::string, Definition, std::less<>> functions, kernels;
};

Result<Module> Parse(std::string_view source, const std::string& file);

}  // namespace systolith::kernel

#endif  // SYSTOLITH_HOST_KERNEL_SYNTAX_H_
