#ifndef SYSTOLITH_HOST_EVALUATOR_TEST_UTIL_H_
#define SYSTOLITH_HOST_EVALUATOR_TEST_UTIL_H_

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "host/evaluator/evaluator.h"
#include "host/import/import.h"

namespace systolith::evaluator {

using graph::Dims;
using graph::ElementType;
using graph::Literal;
using graph::Shape;

// Reads and runs a program; a test failure and an empty list if that does not work.
inline std::vector<Literal> RunProgram(const std::string& text,
                                       const std::vector<Literal>& arguments,
                                       const EvalOptions& options = {},
                                       EvalReport* report = nullptr) {
  const auto module = import::ImportText(text, "test.mlir");
  EXPECT_TRUE(module.ok()) << module.status().message();
  if (!module.ok()) return {};
  auto results = Evaluate(*module, arguments, options, report);
  EXPECT_TRUE(results.ok()) << results.status().message();
  return results.ok() ? std::move(results).value() : std::vector<Literal>();
}

// A function of the given argument and result types whose body is one operation on %arg0, %arg1 ...
inline std::string Program(const std::vector<std::string>& arguments, const std::string& result,
                           const std::string& operation) {
  std::string text = "func.func public @main(";
  for (size_t i = 0; i < arguments.size(); ++i) {
    text += (i > 0 ? ", %arg" : "%arg") + std::to_string(i) + ": " + arguments[i];
  }
  return text + ") -> " + result + " {\n  %0 = " + operation + "\n  return %0 : " + result +
         "\n}\n";
}

inline Literal Tensor(ElementType type, Dims dims, const std::vector<double>& values) {
  Literal literal(Shape{type, std::move(dims)});
  EXPECT_EQ(static_cast<size_t>(literal.size()), values.size());
  for (size_t i = 0; i < values.size(); ++i) literal.SetDouble(static_cast<int64_t>(i), values[i]);
  return literal;
}

inline std::vector<double> Values(const Literal& literal) {
  std::vector<double> values;
  for (int64_t i = 0; i < literal.size(); ++i) values.push_back(literal.GetDouble(i));
  return values;
}

}  // namespace systolith::evaluator

#endif  // SYSTOLITH_HOST_EVALUATOR_TEST_UTIL_H_
