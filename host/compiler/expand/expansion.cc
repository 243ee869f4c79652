#include "host/compiler/expand/expansion.h"

#include <algorithm>
#include <bit>
#include <functional>

namespace systolith::compiler {

Value Expansion::Number(ElementType type, double value) {
  Value& number = numbers_[{type, std::bit_cast<uint64_t>(value)}];
  if (!number.valid()) number = builder_.Constant(graph::Literal::Scalar(type, value));
  return number;
}

Value Expansion::Append(Op op, std::vector<Shape> shapes) {
  return builder_.Append(std::move(op), std::move(shapes)).result();
}

void Expansion::Match(Values& operands) {
  Dims common;
  for (const Value operand : operands) {
    if (!dims(operand).empty()) common = dims(operand);
  }
  for (Value& operand : operands) operand = Broadcast(operand, common);
}

Value Expansion::Unary(Opcode opcode, Value x) {
  Op op;
  op.opcode = opcode;
  op.operands = {x};
  return Append(std::move(op));
}

Value Expansion::Binary(Opcode opcode, Value x, Value y) {
  Op op;
  op.opcode = opcode;
  op.operands = {x, y};
  Match(op.operands);
  return Append(std::move(op));
}

Value Expansion::Compare(graph::CompareDirection direction, Value x, Value y, bool total_order) {
  Op op;
  op.opcode = Opcode::kCompare;
  op.operands = {x, y};
  op.attributes = graph::CompareAttributes{direction, total_order};
  Match(op.operands);
  return Append(std::move(op));
}

Value Expansion::Select(Value predicate, Value x, Value y) {
  Op op;
  op.opcode = Opcode::kSelect;
  op.operands = {predicate, x, y};
  Match(op.operands);
  return Append(std::move(op));
}

Value Expansion::Convert(Value x, ElementType to) {
  return type(x) == to ? x : builder_.Convert(x, to);
}

Value Expansion::Broadcast(Value scalar, const Dims& to) {
  return dims(scalar) == to ? scalar : builder_.BroadcastInDim(scalar, to, {});
}

Value Expansion::BroadcastInDim(Value x, Dims to, Dims broadcast_dimensions) {
  if (dims(x) == to && std::is_sorted(broadcast_dimensions.begin(), broadcast_dimensions.end())) {
    return x;
  }
  return builder_.BroadcastInDim(x, std::move(to), std::move(broadcast_dimensions));
}

Value Expansion::Reshape(Value x, Dims to) {
  if (dims(x) == to) return x;
  Op op;
  op.opcode = Opcode::kReshape;
  op.operands = {x};
  return Append(std::move(op), {Shape{type(x), std::move(to)}});
}

Value Expansion::Transpose(Value x, Dims permutation) {
  if (std::is_sorted(permutation.begin(), permutation.end())) return x;
  return builder_.Transpose(x, std::move(permutation));
}

Value Expansion::Slice(Value x, size_t dimension, int64_t start, int64_t limit, int64_t stride) {
  if (start == 0 && limit == size(x, dimension) && stride == 1) return x;
  Dims starts(dims(x).size(), 0), limits = dims(x), strides(dims(x).size(), 1);
  starts[dimension] = start;
  limits[dimension] = limit;
  strides[dimension] = stride;
  return builder_.Slice(x, std::move(starts), std::move(limits), std::move(strides));
}

Value Expansion::Pad(Value x, Value fill, Dims low, Dims high, Dims interior) {
  const auto is_zero = [](const Dims& list) {
    return std::all_of(list.begin(), list.end(), [](int64_t n) { return n == 0; });
  };
  if (is_zero(low) && is_zero(high) && is_zero(interior)) return x;
  return builder_.Pad(x, fill, std::move(low), std::move(high), std::move(interior));
}

Value Expansion::Concatenate(Values parts, size_t dimension) {
  if (parts.size() == 1) return parts[0];
  return builder_.Concatenate(std::move(parts), static_cast<int64_t>(dimension));
}

std::optional<Values> Expansion::Apply(const Region& body, const Values& arguments) {
  Environment environment;
  for (size_t i = 0; i < arguments.size(); ++i) {
    environment[body.arguments.at(i)] = arguments[i];
  }
  return ApplyIn(body, environment, arguments.empty() ? Dims{} : dims(arguments[0]));
}

std::optional<Values> Expansion::ApplyIn(const Region& body, Environment& environment,
                                         const Dims& common) {
  for (const Op& op : body.ops) {
    std::optional<Values> values = ApplyOp(op, environment, common);
    if (!values) return std::nullopt;
    if (op.opcode == Opcode::kReturn) {
      for (Value& value : *values) value = Broadcast(value, common);
      return values;
    }
    for (size_t i = 0; i < values->size(); ++i) environment[op.results[i]] = (*values)[i];
  }
  return std::nullopt;
}

namespace {

bool IsElementwise(const Op& op) {
  return graph::IsElementwiseUnary(op.opcode) || graph::IsElementwiseBinary(op.opcode) ||
         op.opcode == Opcode::kCompare || op.opcode == Opcode::kSelect ||
         op.opcode == Opcode::kClamp || op.opcode == Opcode::kBitcastConvert ||
         op.opcode == Opcode::kConstant;
}

// Of a scalar they are the scalar.
bool IsMovement(Opcode opcode) {
  return opcode == Opcode::kBroadcastInDim || opcode == Opcode::kReshape ||
         opcode == Opcode::kOptimizationBarrier;
}

}  // namespace

std::optional<Values> Expansion::ApplyOp(const Op& op, Environment& environment,
                                         const Dims& common) {
  Values operands;
  bool is_uniform = true;  // it depends on nothing but constants and values from outside
  for (const Value operand : op.operands) {
    if (!shape(operand).IsScalar()) return std::nullopt;
    if (const auto found = environment.find(operand); found != environment.end()) {
      operands.push_back(found->second);
      is_uniform = false;
    } else {
      const auto uniform = uniform_.find(operand);
      operands.push_back(uniform == uniform_.end() ? operand : uniform->second);
    }
  }
  for (const Value result : op.results) {
    if (!shape(result).IsScalar()) return std::nullopt;
  }
  if (op.opcode == Opcode::kReturn || IsMovement(op.opcode)) return operands;
  if (op.opcode == Opcode::kIf) {
    std::optional<Values> yes = ApplyIn(op.regions[0], environment, common);
    std::optional<Values> no = ApplyIn(op.regions[1], environment, common);
    if (!yes || !no) return std::nullopt;
    for (size_t i = 0; i < yes->size(); ++i) {
      (*yes)[i] = Select(operands[0], (*yes)[i], (*no)[i]);
    }
    return yes;
  }
  if (!IsElementwise(op)) return std::nullopt;
  if (is_uniform) {
    if (uniform_.contains(op.result())) return Values{uniform_.at(op.result())};
  } else {
    for (Value& operand : operands) operand = Broadcast(operand, common);
  }
  Op applied;
  applied.opcode = op.opcode;
  applied.attributes = op.attributes;
  applied.operands = std::move(operands);
  const Value value =
      Append(std::move(applied), {{type(op.result()), is_uniform ? Dims{} : common}});
  if (is_uniform) uniform_[op.result()] = value;
  return Values{value};
}

Region Expansion::Clone(const Region& region) {
  Region copy = region;
  Environment renamed;
  const auto define = [&](Value& value) {
    const Value name = function_.NewValue(shape(value));
    renamed[value] = name;
    value = name;
  };
  const std::function<void(Region&)> rename = [&](Region& nested) {
    for (Value& argument : nested.arguments) define(argument);
    for (Op& op : nested.ops) {
      for (Value& operand : op.operands) {
        if (const auto found = renamed.find(operand); found != renamed.end()) {
          operand = found->second;
        }
      }
      for (Region& inner : op.regions) rename(inner);
      for (Value& result : op.results) define(result);
    }
  };
  rename(copy);
  return copy;
}

Values Expansion::Reduce(const Region& body, const Values& operands, const Values& inits,
                         Dims dimensions) {
  Op op;
  op.opcode = Opcode::kReduce;
  op.operands = operands;
  op.operands.insert(op.operands.end(), inits.begin(), inits.end());
  op.attributes = graph::ReduceAttributes{std::move(dimensions)};
  op.regions.push_back(Clone(body));
  return builder_.Append(std::move(op)).results;
}

Values Expansion::Repeat(int64_t count, const Values& state, const Round& body) {
  Op loop;
  loop.opcode = Opcode::kWhile;
  loop.operands = {Number(ElementType::kS32, 0)};
  loop.operands.insert(loop.operands.end(), state.begin(), state.end());
  loop.regions.resize(2);
  for (Region& region : loop.regions) {
    for (const Value operand : loop.operands) {
      region.arguments.push_back(function_.NewValue(shape(operand)));
    }
  }
  Expansion condition = Nested(loop.regions[0].ops);
  const Value limit = condition.Number(ElementType::kS32, static_cast<double>(count));
  condition.builder_.Return({condition.Compare(graph::CompareDirection::kLt,
                                               loop.regions[0].arguments[0], limit)});
  Expansion round = Nested(loop.regions[1].ops);
  const Values& arguments = loop.regions[1].arguments;
  Values next = body(round, arguments[0], Values(arguments.begin() + 1, arguments.end()));
  next.insert(next.begin(), round.Binary(Opcode::kAdd, arguments[0],
                                         round.Number(ElementType::kS32, 1)));
  round.builder_.Return(next);
  const Values results = builder_.Append(std::move(loop)).results;
  return {results.begin() + 1, results.end()};
}

}  // namespace systolith::compiler
