#include "host/kernel/expression.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <compare>
#include <map>
#include <vector>

#include "host/base/nearest_name.h"

namespace systolith::kernel {
namespace {

using Function = Number (*)(const std::vector<Number>&);

double Real(const Number& number) {
  return std::visit([](auto value) { return static_cast<double>(value); }, number);
}
bool IsInteger(const Number& number) { return std::holds_alternative<int64_t>(number); }

// Integers are compared as such: a double has 53 bits only.
std::partial_ordering Compare(const Number& x, const Number& y) {
  if (IsInteger(x) && IsInteger(y)) return std::get<int64_t>(x) <=> std::get<int64_t>(y);
  return Real(x) <=> Real(y);
}

// Toward zero; what has no place in 62 bits becomes the nearest that has, and NaN 0.
int64_t ToInteger(double value) {
  constexpr double kLimit = 0x1p62;
  return std::isnan(value) ? 0 : static_cast<int64_t>(std::clamp(value, -kLimit, kLimit));
}

struct FunctionInfo {
  size_t arguments;
  Function compute;
};

const std::map<std::string, FunctionInfo>& Functions() {
  using N = std::vector<Number>;
  static const std::map<std::string, FunctionInfo> functions = {
      {"min", {2, [](const N& n) { return Compare(n[1], n[0]) < 0 ? n[1] : n[0]; }}},
      {"max", {2, [](const N& n) { return Compare(n[1], n[0]) > 0 ? n[1] : n[0]; }}},
      {"sqrt", {1, [](const N& n) { return Number(std::sqrt(Real(n[0]))); }}},
      {"exp", {1, [](const N& n) { return Number(std::exp(Real(n[0]))); }}},
      {"log", {1, [](const N& n) { return Number(std::log(Real(n[0]))); }}},
      {"pow", {2, [](const N& n) { return Number(std::pow(Real(n[0]), Real(n[1]))); }}},
      {"float", {1, [](const N& n) { return Number(Real(n[0])); }}},
      {"int", {1, [](const N& n) { return Number(ToInteger(Real(n[0]))); }}},
      {"bits", {1, [](const N& n) {
         return Number(int64_t{std::bit_cast<uint32_t>(static_cast<float>(Real(n[0])))});
       }}},
  };
  return functions;
}

bool IsTrue(const Number& number) { return Real(number) != 0; }

// Integers wrap modulo 2^64.
Result<Number> IntegerOperation(const Token& token, int64_t x, int64_t y) {
  const std::string& op = token.text;
  const auto a = static_cast<uint64_t>(x);
  const auto b = static_cast<uint64_t>(y);
  if (op == "+") return Number(static_cast<int64_t>(a + b));
  if (op == "-") return Number(static_cast<int64_t>(a - b));
  if (op == "*") return Number(static_cast<int64_t>(a * b));
  if (op == "/" || op == "%") {
    if (y == 0) {
      return SyntaxError(token.location,
                         "division by zero; exclude it, as in `d == 0 ? 0 : n / d`");
    }
    if (y == -1) return Number(op == "/" ? static_cast<int64_t>(0 - a) : int64_t{0});
    return Number(op == "/" ? x / y : x % y);
  }
  if (op == "&") return Number(x & y);
  if (op == "|") return Number(x | y);
  if (op == "^") return Number(x ^ y);
  if (y < 0 || y > 63) {
    return SyntaxError(token.location, fmt::format("shift by {}; 0 to 63 is possible", y));
  }
  return Number(op == "<<" ? static_cast<int64_t>(a << y) : x >> y);
}

Result<Number> Binary(const Token& token, const Number& x, const Number& y) {
  const std::string& op = token.text;
  if (op == "==") return Number(int64_t{(Compare(x, y) == 0)});
  if (op == "!=") return Number(int64_t{(Compare(x, y) != 0)});
  if (op == "<") return Number(int64_t{(Compare(x, y) < 0)});
  if (op == "<=") return Number(int64_t{(Compare(x, y) <= 0)});
  if (op == ">") return Number(int64_t{(Compare(x, y) > 0)});
  if (op == ">=") return Number(int64_t{(Compare(x, y) >= 0)});
  if (IsInteger(x) && IsInteger(y)) {
    return IntegerOperation(token, std::get<int64_t>(x), std::get<int64_t>(y));
  }
  if (op == "+") return Number(Real(x) + Real(y));
  if (op == "-") return Number(Real(x) - Real(y));
  if (op == "*") return Number(Real(x) * Real(y));
  if (op == "/") return Number(Real(x) / Real(y));
  return SyntaxError(token.location, fmt::format("'{}' takes integers", op));
}

Result<Number> Unary(const Token& token, const Number& x) {
  if (token.text == "!") return Number(int64_t{!IsTrue(x)});
  if (token.text == "-") {
    if (!IsInteger(x)) return Number(-Real(x));
    return Number(static_cast<int64_t>(0 - static_cast<uint64_t>(std::get<int64_t>(x))));
  }
  if (!IsInteger(x)) return SyntaxError(token.location, "'~' takes an integer");
  return Number(~std::get<int64_t>(x));
}

}  // namespace

Result<Expression> CheckFunction(const Expression& call) {
  const auto found = Functions().find(call.token.text);
  if (found == Functions().end()) {
    std::vector<std::string> names;
    for (const auto& [name, info] : Functions()) names.push_back(name);
    return SyntaxError(call.token.location,
                       fmt::format("no compile-time function is called '{}'; did you mean '{}'?",
                                   call.token.text, NearestName(call.token.text, names)));
  }
  if (found->second.arguments != call.arguments.size()) {
    return SyntaxError(call.token.location,
                       fmt::format("{} takes {} arguments, not {}", call.token.text,
                                   found->second.arguments, call.arguments.size()));
  }
  return call;
}

Result<Number> Evaluate(const Expression& expression, const NameLookup& lookup) {
  const Token& token = expression.token;
  switch (expression.kind) {
    case Expression::Kind::kLiteral:
      if (token.kind == Token::Kind::kFloat) return Number(token.real);
      return Number(token.integer);
    case Expression::Kind::kName: return lookup(token);
    case Expression::Kind::kCall: break;
  }
  ASSIGN_OR_RETURN(const Number first, Evaluate(expression.arguments[0], lookup));
  // What the condition excludes is not looked at.
  if (token.text == "?") return Evaluate(expression.arguments[IsTrue(first) ? 1 : 2], lookup);
  if (token.text == "&&" && !IsTrue(first)) return Number(int64_t{0});
  if (token.text == "||" && IsTrue(first)) return Number(int64_t{1});
  std::vector<Number> values = {first};
  for (size_t i = 1; i < expression.arguments.size(); ++i) {
    ASSIGN_OR_RETURN(const Number value, Evaluate(expression.arguments[i], lookup));
    values.push_back(value);
  }
  if (token.kind == Token::Kind::kName) return Functions().at(token.text).compute(values);
  if (values.size() == 1) return Unary(token, values[0]);
  if (token.text == "&&" || token.text == "||") return Number(int64_t{IsTrue(values[1])});
  return Binary(token, values[0], values[1]);
}

Result<uint32_t> LaneBits(const Number& number, const Location& location) {
  if (!IsInteger(number)) {
    const double value = Real(number);
    if (std::isnan(value)) return uint32_t{0x7fc00000};
    return std::bit_cast<uint32_t>(static_cast<float>(value));
  }
  const int64_t value = std::get<int64_t>(number);
  if (value < INT32_MIN || value > UINT32_MAX) {
    return SyntaxError(location, fmt::format("{} does not fit into 32 bits", value));
  }
  return static_cast<uint32_t>(value);
}

Result<int64_t> Integer(const Number& number, const Location& location) {
  if (IsInteger(number)) return std::get<int64_t>(number);
  return SyntaxError(location, fmt::format("{} where an integer is wanted; int(x) makes one",
                                           Real(number)));
}

}  // namespace systolith::kernel
