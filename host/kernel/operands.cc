#include <fmt/format.h>

#include "host/base/nearest_name.h"
#include "host/kernel/builtin_names.h"
#include "host/kernel/interpreter.h"

// What the names in operands and targets stand for.
namespace systolith::kernel {
Result<Number> Interpreter::NumberOf(const Expression& expression) const {
  return Evaluate(expression, [this](const Token& name) -> Result<Number> {
    const auto found = scope_.numbers.find(name.text);
    if (found != scope_.numbers.end()) return found->second;
    // C++ code that calls a function gives it bits without a type.
    const auto value = scope_.values.find(name.text);
    if (value != scope_.values.end() && value->second.kind == Value::Kind::kConstant) {
      return Number(int64_t{static_cast<int32_t>(value->second.index)});
    }
    std::vector<std::string> names;
    for (const auto& [other, number] : scope_.numbers) names.push_back(other);
    return SyntaxError(
        name.location,
        value != scope_.values.end()
            ? fmt::format("'{}' is not known at compile time", name.text)
            : fmt::format("no compile-time number is called '{}'; did you mean '{}'?", name.text,
                          NearestName(name.text, names)));
  });
}

Result<int64_t> Interpreter::IntegerOf(const Expression& expression) const {
  ASSIGN_OR_RETURN(const Number number, NumberOf(expression));
  return Integer(number, expression.token.location);
}

Result<std::string> Interpreter::KeyOf(const Operand& operand) const {
  if (operand.index.empty()) return operand.name;
  ASSIGN_OR_RETURN(const int64_t index, IntegerOf(operand.index[0]));
  if (index < 0) {
    return SyntaxError(operand.location, fmt::format("{}[{}]: an index is 0 or more", operand.name,
                                                     index));
  }
  return fmt::format("{}[{}]", operand.name, index);
}

Result<Value> Interpreter::Builtin(const Operand& operand) const {
  const auto builtin = FindNumberedName(operand.name);
  if (!builtin) return Value{};
  if (builtin->number >= builtin->count) {
    return SyntaxError(operand.location,
                       fmt::format("{0} does not exist; there are {1}0 to {1}{2}", operand.name,
                                   builtin->prefix, builtin->count - 1));
  }
  int64_t step = 0;
  if (!operand.index.empty()) {
    if (!builtin->has_step) {
      return SyntaxError(operand.location,
                         fmt::format("{} has no steps; leave the index out", operand.name));
    }
    ASSIGN_OR_RETURN(step, IntegerOf(operand.index[0]));
    if (step < 0 || step > 31) {
      return SyntaxError(operand.location,
                         fmt::format("{}[{}]: steps are 0 to 31; use a hardware loop for more",
                                     operand.name, step));
    }
  }
  return Value{builtin->kind, builtin->number, static_cast<uint32_t>(step)};
}

Result<std::optional<Number>> Interpreter::KnownNumber(const Operand& operand) const {
  if (operand.name.empty()) {
    ASSIGN_OR_RETURN(const Number number, NumberOf(operand.value[0]));
    return std::optional(number);
  }
  const auto found = scope_.numbers.find(operand.name);
  if (!operand.index.empty() || found == scope_.numbers.end()) return std::optional<Number>();
  return std::optional(found->second);
}

Status Interpreter::CheckNewName(const std::string& name, const Location& location,
                                 Value::Kind kind) const {
  const auto value = scope_.values.find(name);
  const bool is_other_value = value != scope_.values.end() && value->second.kind != kind;
  const bool is_number = kind != Value::Kind::kConstant && scope_.numbers.contains(name);
  if (!is_other_value && !is_number) return OkStatus();
  return SyntaxError(location, fmt::format("{} is the name of something else here; take another "
                                           "one", name));
}

Result<Value> Interpreter::Read(const Operand& operand) const {
  if (operand.name.empty()) {
    ASSIGN_OR_RETURN(const Number number, NumberOf(operand.value[0]));
    ASSIGN_OR_RETURN(const uint32_t bits, LaneBits(number, operand.location));
    return Value::Bits(bits);
  }
  ASSIGN_OR_RETURN(const Value builtin, Builtin(operand));
  if (builtin.kind == Value::Kind::kOutput) {
    return SyntaxError(operand.location, fmt::format("{} can't be read; keep the value in a "
                                                     "variable", operand.name));
  }
  if (builtin.kind != Value::Kind::kNone) return builtin;
  ASSIGN_OR_RETURN(const std::string key, KeyOf(operand));
  const auto found = scope_.values.find(key);
  if (found != scope_.values.end()) return found->second;
  const auto number = scope_.numbers.find(key);
  if (number != scope_.numbers.end()) {
    ASSIGN_OR_RETURN(const uint32_t bits, LaneBits(number->second, operand.location));
    return Value::Bits(bits);
  }
  return UnknownName(operand, key);
}

Status Interpreter::UnknownName(const Operand& operand, const std::string& key) const {
  std::vector<std::string> names;
  for (const auto& [other, value] : scope_.values) names.push_back(other);
  const std::string nearest = NearestName(key, names);
  return SyntaxError(operand.location,
                     fmt::format("{} has no value here; assign it first{}", key,
                                 nearest.empty() ? "" : ", or did you mean '" + nearest + "'?"));
}

Result<Value> Interpreter::Target(const Operand& operand) {
  ASSIGN_OR_RETURN(const Value builtin, Builtin(operand));
  if (builtin.kind == Value::Kind::kOutput) return builtin;
  if (builtin.kind != Value::Kind::kNone) {
    return SyntaxError(operand.location, fmt::format("{} can't be written; results go to "
                                                     "variables, out0 and out1", operand.name));
  }
  ASSIGN_OR_RETURN(const std::string key, KeyOf(operand));
  if (scope_.numbers.contains(key)) {
    return SyntaxError(operand.location,
                       fmt::format("{} is a compile-time number; take another name", key));
  }
  Value& value = scope_.values[key];
  switch (value.kind) {
    case Value::Kind::kNone: value = builder_.Variable(key); break;
    case Value::Kind::kVariable:
    case Value::Kind::kShared: break;
    default:
      return SyntaxError(operand.location,
                         fmt::format("{} is a number, scalar word or table; take another name",
                                     key));
  }
  return value;
}

}  // namespace systolith::kernel
