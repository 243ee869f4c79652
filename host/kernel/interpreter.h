#ifndef SYSTOLITH_HOST_KERNEL_INTERPRETER_H_
#define SYSTOLITH_HOST_KERNEL_INTERPRETER_H_

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "host/arch/chip_config.h"
#include "host/base/status.h"
#include "host/kernel/assemble.h"
#include "host/kernel/builder.h"
#include "host/kernel/expression.h"
#include "host/kernel/syntax.h"

namespace systolith::kernel {

// Runs the statements of a kernel or a function at compile time: loops of the source unroll, calls
// are inlined, and operations go to the builder.
class Interpreter {
 public:
  // Definitions of earlier modules hide those of later ones. All references must stay valid.
  Interpreter(std::vector<const Module*> modules, const arch::ChipConfig& chip, Builder& builder)
      : modules_(std::move(modules)), chip_(chip), builder_(builder) {}

  Status RunKernel(const Definition& kernel, const Parameters& parameters);
  // `numbers` has the compile-time numbers among the arguments; it may be shorter than those.
  // Constants that have none there are integers to expressions.
  Result<std::vector<Value>> RunFunction(const Definition& function,
                                         const std::vector<Value>& arguments,
                                         const std::vector<std::optional<Number>>& numbers = {});

  // By name; an error at `location` with the nearest name.
  Result<const Definition*> FindFunction(const std::string& name, const Location& location) const;

 private:
  // What the names of one kernel or of one call of a function stand for.
  struct Scope {
    std::map<std::string, Number> numbers;  // let, for, parameters that are numbers
    std::map<std::string, Value> values;    // variables by "v" or "v[3]", tables, scalars, shared
  };

  Status Run(const std::vector<Statement>& statements);
  Status Run(const Statement& statement);
  Status RunBlock(const std::vector<Statement>& statements);  // its lets end with it
  Status RunFor(const Statement& statement);
  Status RunLoop(const Statement& statement);
  Status RunPart(const Statement& statement);
  Status RunTable(const Statement& statement);
  Status RunScalar(const Statement& statement);
  Status RunShared(const Statement& statement);
  Status RunAssignment(const Statement& statement);
  Status RunCall(const Statement& statement);

  Result<Number> NumberOf(const Expression& expression) const;
  Result<int64_t> IntegerOf(const Expression& expression) const;
  // The name with its index: "v[3]".
  Result<std::string> KeyOf(const Operand& operand) const;
  // in<n>, out<n> or s<n>; kNone if the name is none of these.
  Result<Value> Builtin(const Operand& operand) const;
  Result<Value> Read(const Operand& operand) const;
  // What the operand is at compile time, if it is a number then.
  Result<std::optional<Number>> KnownNumber(const Operand& operand) const;
  // Whether the name may stand for something of this kind; kConstant: a compile-time number.
  Status CheckNewName(const std::string& name, const Location& location, Value::Kind kind) const;
  Result<Value> Target(const Operand& operand);
  Status UnknownName(const Operand& operand, const std::string& key) const;
  std::map<std::string, Number> ChipNumbers() const;

  std::vector<const Module*> modules_;
  const arch::ChipConfig& chip_;
  Builder& builder_;
  Scope scope_;
  int depth_ = 0;        // of calls
  bool in_part_ = false; // inside prologue, body or a function
  size_t steps_ = 0;     // statements run
};

}  // namespace systolith::kernel

#endif  // SYSTOLITH_HOST_KERNEL_INTERPRETER_H_
