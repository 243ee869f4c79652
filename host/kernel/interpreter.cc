#include "host/kernel/interpreter.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>
#include <set>

#include "host/base/nearest_name.h"
#include "host/kernel/builtin_names.h"

namespace systolith::kernel {
namespace {

constexpr int kMaxDepth = 32;
constexpr size_t kMaxSteps = 200000;  // far more than fills kernel memory

template <typename T>
std::optional<T> FindOperation(const auto& table, const std::string& name) {
  for (const arch::OperationInfo& info : table) {
    if (info.name == name) return static_cast<T>(info.code);
  }
  return std::nullopt;
}

// Whether statements assign the variable of this name.
bool Assigns(const std::vector<Statement>& statements, const std::string& name) {
  return std::any_of(statements.begin(), statements.end(), [&](const Statement& statement) {
    return std::any_of(statement.targets.begin(), statement.targets.end(),
                       [&](const Operand& target) { return target.name == name; }) ||
           Assigns(statement.children, name) || Assigns(statement.others, name);
  });
}

}  // namespace

std::map<std::string, Number> Interpreter::ChipNumbers() const {
  return {{std::string(kLanesName), Number(chip_.Lanes())},
          {std::string(kSublanesName), Number(chip_.vpu_sublanes)},
          {std::string(kSegmentName),
           Number(std::min<int64_t>(chip_.Lanes(), arch::kSegmentLanes))}};
}

Result<const Definition*> Interpreter::FindFunction(const std::string& name,
                                                    const Location& location) const {
  std::vector<std::string> names;
  for (const Module* module : modules_) {
    const auto found = module->functions.find(name);
    if (found != module->functions.end()) return &found->second;
    for (const auto& [other, definition] : module->functions) names.push_back(other);
  }
  const std::string nearest = NearestName(name, names);
  return SyntaxError(location,
                     fmt::format("no function is called '{}'{}", name,
                                 nearest.empty() ? "" : "; did you mean '" + nearest + "'?"));
}

Status Interpreter::RunKernel(const Definition& kernel, const Parameters& parameters) {
  scope_.numbers = ChipNumbers();
  for (const std::string& parameter : kernel.parameters) {
    const auto found = parameters.find(parameter);
    if (found == parameters.end()) {
      return SyntaxError(kernel.location, fmt::format("kernel {} needs a number for parameter {}",
                                                      kernel.name, parameter));
    }
    scope_.numbers[parameter] = found->second;
  }
  for (const auto& [name, value] : parameters) {
    if (std::find(kernel.parameters.begin(), kernel.parameters.end(), name) !=
        kernel.parameters.end()) {
      continue;
    }
    const std::string nearest = NearestName(name, kernel.parameters);
    return SyntaxError(kernel.location,
                       fmt::format("kernel {} has no parameter {}{}", kernel.name, name,
                                   nearest.empty() ? "" : "; did you mean '" + nearest + "'?"));
  }
  const auto bodies = std::count_if(
      kernel.statements.begin(), kernel.statements.end(),
      [](const Statement& statement) { return statement.kind == Statement::Kind::kBody; });
  if (bodies != 1) {
    return SyntaxError(kernel.location, fmt::format("kernel {} has {} bodies; write one `body` ... "
                                                    "`end`", kernel.name, bodies));
  }
  return Run(kernel.statements);
}

Result<std::vector<Value>> Interpreter::RunFunction(
    const Definition& function, const std::vector<Value>& arguments,
    const std::vector<std::optional<Number>>& numbers) {
  if (depth_ == kMaxDepth) {
    return SyntaxError(function.location,
                       fmt::format("calls nest {} deep; a function must not call itself",
                                   kMaxDepth));
  }
  Scope caller = std::move(scope_);
  const bool was_in_part = std::exchange(in_part_, true);
  scope_ = {};
  scope_.numbers = ChipNumbers();
  for (size_t i = 0; i < arguments.size(); ++i) {
    const std::string& name = function.parameters[i];
    const Value& argument = arguments[i];
    const bool is_fixed = argument.kind == Value::Kind::kConstant ||
                          argument.kind == Value::Kind::kScalar ||
                          argument.kind == Value::Kind::kTable;
    const bool is_result = std::find(function.results.begin(), function.results.end(), name) !=
                           function.results.end();
    if (is_fixed && !is_result && !Assigns(function.statements, name)) {
      if (i < numbers.size() && numbers[i]) {
        scope_.numbers[name] = *numbers[i];
      } else {
        scope_.values[name] = argument;
      }
      continue;
    }
    // A stream is read once, and the caller's variable stays what it is.
    const Value parameter = builder_.Variable(name);
    builder_.Assign(parameter, argument);
    scope_.values[name] = parameter;
  }
  ++depth_;
  Status status = Run(function.statements);
  --depth_;
  std::vector<Value> results;
  for (const std::string& name : function.results) {
    const auto found = scope_.values.find(name);
    if (found == scope_.values.end() && status.ok()) {
      status = SyntaxError(function.location,
                           fmt::format("function {} never assigns its result {}", function.name,
                                       name));
    }
    if (status.ok()) results.push_back(found->second);
  }
  in_part_ = was_in_part;
  scope_ = std::move(caller);
  if (!status.ok()) return status;
  return results;
}

Status Interpreter::Run(const std::vector<Statement>& statements) {
  for (const Statement& statement : statements) {
    RETURN_IF_ERROR(Run(statement));
    RETURN_IF_ERROR(builder_.status());
  }
  return OkStatus();
}

Status Interpreter::RunBlock(const std::vector<Statement>& statements) {
  const std::map<std::string, Number> outside = scope_.numbers;
  const Status status = Run(statements);
  scope_.numbers = outside;
  return status;
}

Status Interpreter::Run(const Statement& statement) {
  if (++steps_ > kMaxSteps) {
    return SyntaxError(statement.location,
                       fmt::format("more than {} statements after unrolling; use a hardware loop",
                                   kMaxSteps));
  }
  builder_.SetLocation(statement.location);
  switch (statement.kind) {
    case Statement::Kind::kAssign: return RunAssignment(statement);
    case Statement::Kind::kCall: return RunCall(statement);
    case Statement::Kind::kLet: {
      RETURN_IF_ERROR(CheckNewName(statement.name, statement.location, Value::Kind::kConstant));
      ASSIGN_OR_RETURN(scope_.numbers[statement.name], NumberOf(statement.first));
      return OkStatus();
    }
    case Statement::Kind::kFor: return RunFor(statement);
    case Statement::Kind::kIf: {
      ASSIGN_OR_RETURN(const Number condition, NumberOf(statement.first));
      const bool holds = std::visit([](auto value) { return value != 0; }, condition);
      return RunBlock(holds ? statement.children : statement.others);
    }
    case Statement::Kind::kLoop: return RunLoop(statement);
    case Statement::Kind::kTable: return RunTable(statement);
    case Statement::Kind::kScalar: return RunScalar(statement);
    case Statement::Kind::kShared: return RunShared(statement);
    case Statement::Kind::kPrologue:
    case Statement::Kind::kBody: return RunPart(statement);
  }
  return OkStatus();
}

Status Interpreter::RunFor(const Statement& statement) {
  RETURN_IF_ERROR(CheckNewName(statement.name, statement.location, Value::Kind::kConstant));
  ASSIGN_OR_RETURN(const int64_t begin, IntegerOf(statement.first));
  ASSIGN_OR_RETURN(const int64_t end, IntegerOf(statement.second));
  for (int64_t i = begin; i < end; ++i) {
    const std::map<std::string, Number> outside = scope_.numbers;
    scope_.numbers[statement.name] = i;
    if (++steps_ > kMaxSteps) {
      return SyntaxError(statement.location, fmt::format("more than {} iterations; "
                                                         "use a hardware loop", kMaxSteps));
    }
    const Status status = Run(statement.children);
    scope_.numbers = outside;
    RETURN_IF_ERROR(status);
  }
  return OkStatus();
}

Status Interpreter::RunLoop(const Statement& statement) {
  if (!in_part_) {
    return SyntaxError(statement.location, "a hardware loop stands in the prologue or the body");
  }
  ASSIGN_OR_RETURN(const int64_t loop, IntegerOf(statement.first));
  if (loop < 0 || loop >= arch::kLoops) {
    return SyntaxError(statement.location, fmt::format("loop {} does not exist; loops are 0 to {}",
                                                       loop, arch::kLoops - 1));
  }
  builder_.BeginLoop(static_cast<int>(loop));
  const Status status = RunBlock(statement.children);
  builder_.SetLocation(statement.location);
  builder_.EndLoop();
  return status;
}

Status Interpreter::RunPart(const Statement& statement) {
  const bool is_body = statement.kind == Statement::Kind::kBody;
  if (in_part_) {
    return SyntaxError(statement.location,
                       fmt::format("`{}` stands at the top of a kernel", is_body ? "body"
                                                                                 : "prologue"));
  }
  in_part_ = true;
  if (!is_body) builder_.BeginPrologue();
  const std::map<std::string, Value> outside = scope_.values;
  const Status status = RunBlock(statement.children);
  scope_.values = outside;
  if (!is_body) builder_.EndPrologue();
  in_part_ = false;
  return status;
}

Status Interpreter::RunTable(const Statement& statement) {
  RETURN_IF_ERROR(CheckNewName(statement.name, statement.location, Value::Kind::kTable));
  std::vector<uint32_t> entries;
  for (const Operand& operand : statement.operands) {
    ASSIGN_OR_RETURN(const Value entry, Read(operand));
    if (entry.kind != Value::Kind::kConstant) {
      return SyntaxError(operand.location, "an entry of a table must be a number");
    }
    entries.push_back(entry.index);
  }
  if (entries.size() > arch::kLookupEntries) {
    return SyntaxError(statement.location, fmt::format("a table of {} entries; {} fit",
                                                       entries.size(), arch::kLookupEntries));
  }
  scope_.values[statement.name] = builder_.Table(entries);
  return OkStatus();
}

Status Interpreter::RunScalar(const Statement& statement) {
  RETURN_IF_ERROR(CheckNewName(statement.name, statement.location, Value::Kind::kScalar));
  ASSIGN_OR_RETURN(const Value word, Builtin(statement.operands[0]));
  if (word.kind != Value::Kind::kScalar) {
    return SyntaxError(statement.operands[0].location,
                       fmt::format("'{}' where one of s0 to s15 is wanted",
                                   statement.operands[0].name));
  }
  scope_.values[statement.name] = word;
  return OkStatus();
}

Status Interpreter::RunShared(const Statement& statement) {
  if (in_part_) {
    return SyntaxError(statement.location,
                       "`shared` stands at the top of a kernel, before prologue and body");
  }
  for (const Operand& target : statement.targets) {
    RETURN_IF_ERROR(CheckNewName(target.name, target.location, Value::Kind::kShared));
    if (target.index.empty()) {
      scope_.values[target.name] = builder_.Shared(target.name);
      continue;
    }
    ASSIGN_OR_RETURN(const int64_t count, IntegerOf(target.index[0]));
    if (count < 0 || count > arch::kSharedRegisters) {
      return SyntaxError(target.location, fmt::format("{} shared registers; {} exist", count,
                                                      arch::kSharedRegisters));
    }
    for (int64_t i = 0; i < count; ++i) {
      const std::string name = fmt::format("{}[{}]", target.name, i);
      scope_.values[name] = builder_.Shared(name);
    }
  }
  return OkStatus();
}

Status Interpreter::RunAssignment(const Statement& statement) {
  if (!in_part_) {
    return SyntaxError(statement.location, "an operation stands in the prologue or the body");
  }
  std::vector<Value> operands;
  for (const Operand& operand : statement.operands) {
    ASSIGN_OR_RETURN(const Value value, Read(operand));
    operands.push_back(value);
  }
  ASSIGN_OR_RETURN(const Value target, Target(statement.targets[0]));
  const std::string& name = statement.operation;
  if (const auto op = FindOperation<arch::AluOp>(arch::kAluOps, name)) {
    builder_.Assign(target, *op, operands);
    return OkStatus();
  }
  if (const auto op = FindOperation<arch::LaneOp>(arch::kLaneOps, name)) {
    if (Info(*op).amount && !operands.empty()) {
      const Operand& amount = statement.operands.back();
      ASSIGN_OR_RETURN(const auto number, KnownNumber(amount));
      if (number) RETURN_IF_ERROR(Integer(*number, amount.location).status());
    }
    builder_.Assign(target, *op, operands);
    return OkStatus();
  }
  for (const Module* module : modules_) {
    if (!module->functions.contains(name)) continue;
    return SyntaxError(statement.operation_location,
                       fmt::format("{0} is a function: write `call {0}`", name));
  }
  std::vector<std::string> names;
  for (const auto& info : arch::kAluOps) names.emplace_back(info.name);
  for (const auto& info : arch::kLaneOps) names.emplace_back(info.name);
  return SyntaxError(statement.operation_location,
                     fmt::format("no operation is called '{}'; did you mean '{}'?", name,
                                 NearestName(name, names)));
}

Status Interpreter::RunCall(const Statement& statement) {
  if (!in_part_) {
    return SyntaxError(statement.location, "a call stands in the prologue or the body");
  }
  ASSIGN_OR_RETURN(const Definition* function,
                   FindFunction(statement.operation, statement.operation_location));
  std::vector<Value> arguments;
  std::vector<std::optional<Number>> numbers;
  for (const Operand& operand : statement.operands) {
    ASSIGN_OR_RETURN(const Value value, Read(operand));
    arguments.push_back(value);
    ASSIGN_OR_RETURN(const auto number, KnownNumber(operand));
    numbers.push_back(number);
  }
  if (arguments.size() != function->parameters.size() ||
      statement.targets.size() != function->results.size()) {
    return SyntaxError(statement.operation_location,
                       fmt::format("{} takes {} arguments and has {} results; here are {} and {}",
                                   function->name, function->parameters.size(),
                                   function->results.size(), arguments.size(),
                                   statement.targets.size()));
  }
  ASSIGN_OR_RETURN(const std::vector<Value> results, RunFunction(*function, arguments, numbers));
  builder_.SetLocation(statement.location);
  // All results are there before the first target changes: `a, b = call swap b, a`.
  for (size_t i = 0; i < results.size(); ++i) {
    ASSIGN_OR_RETURN(const Value target, Target(statement.targets[i]));
    builder_.Assign(target, results[i]);
  }
  return OkStatus();
}

}  // namespace systolith::kernel
