#include "host/graph/verify.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "host/graph/infer.h"

namespace systolith::graph {
namespace {

// Deeper nesting is no program anybody wrote, and would overflow the stack of recursive walks.
constexpr int kMaxDepth = 200;
constexpr int kMaxCallDepth = 1000;

// How many regions an opcode has; -1 for any number but 0.
int RegionCount(Opcode opcode) {
  switch (opcode) {
    case Opcode::kMap:
    case Opcode::kReduce:
    case Opcode::kReduceWindow:
    case Opcode::kScatter:
    case Opcode::kSort: return 1;
    case Opcode::kIf:
    case Opcode::kSelectAndScatter:
    case Opcode::kWhile: return 2;
    case Opcode::kCase: return -1;
    default: return 0;
  }
}

// The shapes that a region takes and must return.
struct Signature {
  std::vector<Shape> arguments, results;
};

Shape ScalarOf(const Shape& shape) { return Shape{shape.type, {}}; }

class Verifier {
 public:
  Verifier(const Module& module, const Function& function)
      : module_(module), function_(function), visible_(function.value_shapes.size(), false) {}

  Status Run() {
    std::vector<bool> defined(function_.value_shapes.size(), false);
    defined_ = &defined;
    for (const Shape& shape : function_.value_shapes) {
      if (!IsSupported(shape.type)) {
        return Unsupported(fmt::format("@{}: element type {} is not supported", function_.name,
                                       ElementTypeName(shape.type)));
      }
    }
    return CheckRegion(function_.body, 0);
  }

 private:
  Status Fail(const Op& op, const std::string& reason) const {
    return InvalidArgument(fmt::format("{}: {}", Describe(op), reason));
  }

  std::vector<Shape> ShapesOf(const std::vector<Value>& values) const {
    std::vector<Shape> shapes;
    for (const Value value : values) shapes.push_back(function_.shape(value));
    return shapes;
  }

  Status Define(Value value, const std::string& where) {
    const auto id = static_cast<size_t>(value.id);
    if (!value.valid() || id >= visible_.size()) {
      return Internal(fmt::format("{}: value {} does not exist", where, value.id));
    }
    if ((*defined_)[id]) {
      return Internal(fmt::format("{}: value {} is defined twice", where, value.id));
    }
    (*defined_)[id] = true;
    visible_[id] = true;
    return OkStatus();
  }

  Status CheckRegion(const Region& region, int depth) {
    if (depth > kMaxDepth) {
      return InvalidArgument(fmt::format("@{}: regions nest too deeply", function_.name));
    }
    for (const Value argument : region.arguments) {
      RETURN_IF_ERROR(Define(argument, "a region of @" + function_.name));
    }
    if (region.ops.empty() || region.ops.back().opcode != Opcode::kReturn) {
      return InvalidArgument(fmt::format("@{}: a region does not end in a return", function_.name));
    }
    for (size_t i = 0; i < region.ops.size(); ++i) {
      const Op& op = region.ops[i];
      if (op.opcode == Opcode::kReturn && i + 1 < region.ops.size()) {
        return Fail(op, "operations follow the return");
      }
      RETURN_IF_ERROR(CheckOp(op, depth));
    }
    // What the region defined can't be seen behind its end.
    for (const Value argument : region.arguments)
      visible_[static_cast<size_t>(argument.id)] = false;
    for (const Op& op : region.ops) {
      for (const Value result : op.results) visible_[static_cast<size_t>(result.id)] = false;
    }
    return OkStatus();
  }

  Status CheckOp(const Op& op, int depth) {
    for (const Value operand : op.operands) {
      const auto id = static_cast<size_t>(operand.id);
      if (!operand.valid() || id >= visible_.size() || !visible_[id]) {
        return Fail(op, fmt::format("operand {} is used before its definition", operand.id));
      }
    }
    for (const Value result : op.results) {
      if (!result.valid() || static_cast<size_t>(result.id) >= visible_.size()) {
        return Internal(fmt::format("{}: value {} does not exist", Describe(op), result.id));
      }
    }
    const std::vector<Shape> operands = ShapesOf(op.operands);
    const std::vector<Shape> declared = ShapesOf(op.results);
    const auto inferred = InferShapes(op, operands, declared);
    if (!inferred.ok()) return inferred.status().WithContext(Describe(op));
    if (inferred->size() != declared.size()) {
      return Fail(op, fmt::format("it has {} results instead of {}", declared.size(),
                                  inferred->size()));
    }
    for (size_t i = 0; i < declared.size(); ++i) {
      if (declared[i] != (*inferred)[i]) {
        return Fail(op, fmt::format("result {} is {} where the operands give {}", i,
                                    declared[i].ToString(), (*inferred)[i].ToString()));
      }
    }
    if (Callee(op) != nullptr) RETURN_IF_ERROR(CheckCall(op, operands, declared));
    if (IsCheck(op) && (operands.size() != 2 || operands[0] != operands[1])) {
      return Fail(op, "it compares two tensors of one shape");
    }
    RETURN_IF_ERROR(CheckRegions(op, operands, declared, depth));
    for (const Value result : op.results) RETURN_IF_ERROR(Define(result, Describe(op)));
    return OkStatus();
  }

  Status CheckCall(const Op& op, const std::vector<Shape>& operands,
                   const std::vector<Shape>& results) const {
    const std::string& name = *Callee(op);
    const Function* callee = module_.Find(name);
    if (callee == nullptr) return Fail(op, fmt::format("there is no function @{}", name));
    if (callee->body.ops.empty()) return Fail(op, fmt::format("@{} has no body", name));
    const auto matches = [&](const std::vector<Value>& values, const std::vector<Shape>& shapes) {
      return std::equal(values.begin(), values.end(), shapes.begin(), shapes.end(),
                        [&](Value v, const Shape& shape) { return callee->shape(v) == shape; });
    };
    if (!matches(callee->arguments(), operands)) {
      return Fail(op, fmt::format("the arguments do not fit @{}", name));
    }
    if (!matches(callee->results(), results)) {
      return Fail(op, fmt::format("the results do not fit @{}", name));
    }
    return OkStatus();
  }

  Signature SignatureOf(const Op& op, size_t region, const std::vector<Shape>& operands,
                        const std::vector<Shape>& results) const {
    Signature signature;
    const auto scalars = [](const std::vector<Shape>& shapes, size_t count) {
      std::vector<Shape> list;
      for (size_t i = 0; i < count; ++i) list.push_back(ScalarOf(shapes[i]));
      return list;
    };
    const auto twice = [](std::vector<Shape> list) {
      const std::vector<Shape> copy = list;
      list.insert(list.end(), copy.begin(), copy.end());
      return list;
    };
    const std::vector<Shape> predicate = {Shape{ElementType::kI1, {}}};
    switch (op.opcode) {
      case Opcode::kMap:
        return {scalars(operands, operands.size()), scalars(results, 1)};
      case Opcode::kReduce:
      case Opcode::kReduceWindow:
      case Opcode::kScatter:
        signature.results = scalars(results, results.size());
        signature.arguments = twice(signature.results);
        return signature;
      case Opcode::kSort:
        for (const Shape& operand : operands) {
          signature.arguments.push_back(ScalarOf(operand));
          signature.arguments.push_back(ScalarOf(operand));
        }
        signature.results = predicate;
        return signature;
      case Opcode::kSelectAndScatter:
        signature.arguments = twice(scalars(operands, 1));
        signature.results = region == 0 ? predicate : scalars(operands, 1);
        return signature;
      case Opcode::kWhile:
        return {operands, region == 0 ? predicate : operands};
      default:
        return {{}, results};  // if and case
    }
  }

  Status CheckRegions(const Op& op, const std::vector<Shape>& operands,
                      const std::vector<Shape>& results, int depth) {
    const int count = RegionCount(op.opcode);
    const bool fits = count < 0 ? !op.regions.empty()
                                : op.regions.size() == static_cast<size_t>(count);
    if (!fits) return Fail(op, fmt::format("it can't have {} regions", op.regions.size()));
    for (size_t i = 0; i < op.regions.size(); ++i) {
      const Region& region = op.regions[i];
      RETURN_IF_ERROR(CheckRegion(region, depth + 1).WithContext("in " + Describe(op)));
      const Signature signature = SignatureOf(op, i, operands, results);
      if (ShapesOf(region.arguments) != signature.arguments) {
        return Fail(op, fmt::format("the arguments of region {} do not fit its operands", i));
      }
      if (ShapesOf(region.ops.back().operands) != signature.results) {
        return Fail(op, fmt::format("region {} returns values of other shapes", i));
      }
    }
    return OkStatus();
  }

  const Module& module_;
  const Function& function_;
  std::vector<bool> visible_;             // by value id: defined, and in scope here
  std::vector<bool>* defined_ = nullptr;  // by value id: defined anywhere so far
};

// Whether calls starting at `name` lead back to it. `state`: 1 while it is open, 2 when done.
Status CheckRecursion(const std::map<std::string, std::vector<std::string>>& calls,
                      const std::string& name, int depth, std::map<std::string, int>& state) {
  if (depth > kMaxCallDepth) return Unsupported(fmt::format("@{}: calls nest too deeply", name));
  state[name] = 1;
  const auto found = calls.find(name);
  for (const std::string& callee : found->second) {
    if (state[callee] == 1) return InvalidArgument(fmt::format("@{} calls itself", callee));
    if (state[callee] == 0) RETURN_IF_ERROR(CheckRecursion(calls, callee, depth + 1, state));
  }
  state[name] = 2;
  return OkStatus();
}

void CollectCalls(const Region& region, std::vector<std::string>& callees) {
  for (const Op& op : region.ops) {
    if (const std::string* callee = Callee(op)) callees.push_back(*callee);
    for (const Region& nested : op.regions) CollectCalls(nested, callees);
  }
}

}  // namespace

Status Verify(const Module& module, const Function& function) {
  return Verifier(module, function).Run();
}

Status Verify(const Module& module) {
  if (module.functions.empty()) return InvalidArgument("the module has no function");
  std::map<std::string, std::vector<std::string>> calls;
  for (const Function& function : module.functions) {
    if (calls.contains(function.name)) {
      return InvalidArgument(fmt::format("function @{} is defined twice", function.name));
    }
    RETURN_IF_ERROR(Verify(module, function));
    CollectCalls(function.body, calls[function.name]);
  }
  std::map<std::string, int> state;
  for (const auto& [name, callees] : calls) {
    if (state[name] == 0) RETURN_IF_ERROR(CheckRecursion(calls, name, 0, state));
  }
  return OkStatus();
}

}  // namespace systolith::graph
