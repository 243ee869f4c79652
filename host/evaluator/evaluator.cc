#include "host/evaluator/evaluator.h"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <utility>

#include "host/evaluator/kernels.h"
#include "host/graph/composite.h"
#include "host/graph/rewrite.h"

namespace systolith::evaluator {
namespace {

using graph::Function;
using graph::Module;
using graph::Opcode;
using graph::Region;
using graph::Value;

// A value larger than this is more likely a mistake than a wish, and would end the process.
constexpr int64_t kMaxValueBytes = int64_t{1} << 33;

// Runs the regions of one function. Values live in one table, which nested regions share.
class Interpreter {
 public:
  Interpreter(const Module* module, const Function& function, const EvalOptions& options,
              EvalReport* report, bool is_entry)
      : module_(module), function_(function), options_(options), report_(report),
        is_entry_(is_entry), values_(function.value_shapes.size()) {}

  void Set(Value value, Literal literal) {
    values_[static_cast<size_t>(value.id)] = std::make_unique<Literal>(std::move(literal));
  }

  Result<std::vector<Literal>> RunRegion(const Region& region, std::vector<Literal> arguments) {
    for (size_t i = 0; i < arguments.size(); ++i) {
      Set(region.arguments[i], std::move(arguments[i]));
    }
    for (const Op& op : region.ops) {
      std::vector<const Literal*> operands;
      for (const Value operand : op.operands) operands.push_back(Get(operand));
      if (op.opcode == Opcode::kReturn) {
        std::vector<Literal> results;
        for (const Literal* operand : operands) results.push_back(*operand);
        return results;
      }
      ASSIGN_OR_RETURN(std::vector<Literal> results, RunOp(op, operands));
      for (size_t i = 0; i < results.size(); ++i) Set(op.results[i], std::move(results[i]));
    }
    return Internal("a region without a return");
  }

  Result<std::vector<Literal>> RunOp(const Op& op, Operands operands) {
    std::vector<Shape> shapes;
    for (const Value result : op.results) {
      shapes.push_back(function_.shape(result));
      if (shapes.back().ByteCount() > kMaxValueBytes) {
        return Unsupported(fmt::format("{}: its result needs {} bytes; the evaluator stops at {}",
                                       graph::Describe(op), shapes.back().ByteCount(),
                                       kMaxValueBytes));
      }
    }
    if (graph::IsElementwiseUnary(op.opcode)) return Just(EvalUnary(op, *operands[0], shapes[0]));
    if (graph::IsElementwiseBinary(op.opcode)) {
      return Just(EvalBinary(op.opcode, *operands[0], *operands[1]));
    }
    switch (op.opcode) {
      case Opcode::kCompare: return Just(EvalCompare(op, *operands[0], *operands[1]));
      case Opcode::kSelect: return Just(EvalSelect(*operands[0], *operands[1], *operands[2]));
      case Opcode::kClamp: return Just(EvalClamp(*operands[0], *operands[1], *operands[2]));
      case Opcode::kConstant: return Just(*op.As<graph::ConstantAttributes>().value);
      case Opcode::kBitcastConvert:
      case Opcode::kBroadcastInDim:
      case Opcode::kConcatenate:
      case Opcode::kIota:
      case Opcode::kPad:
      case Opcode::kReshape:
      case Opcode::kReverse:
      case Opcode::kSlice:
      case Opcode::kTranspose: return Just(EvalMovement(op, operands, shapes[0]));
      case Opcode::kDynamicSlice: return Just(EvalDynamicSlice(op, operands, shapes[0]));
      case Opcode::kDynamicUpdateSlice: return Just(EvalDynamicUpdateSlice(operands));
      case Opcode::kGather: return Just(EvalGather(op, operands, shapes[0]));
      case Opcode::kDotGeneral:
        return Just(EvalDotGeneral(op, operands, shapes[0], options_, Magnitudes(op, operands)));
      case Opcode::kConvolution:
        return Just(EvalConvolution(op, operands, shapes[0], options_, Magnitudes(op, operands)));
      case Opcode::kMap: return EvalMap(operands, shapes[0], Body(op.regions[0]));
      case Opcode::kReduce: return EvalReduce(op, operands, shapes, Body(op.regions[0]));
      case Opcode::kReduceWindow:
        return EvalReduceWindow(op, operands, shapes, Body(op.regions[0]));
      case Opcode::kSelectAndScatter:
        return EvalSelectAndScatter(operands, op, Body(op.regions[0]), Body(op.regions[1]));
      case Opcode::kScatter: return EvalScatter(op, operands, Body(op.regions[0]));
      case Opcode::kSort: return EvalSort(op, operands, Body(op.regions[0]));
      case Opcode::kIf: return RunRegion(op.regions[operands[0]->GetInt(0) != 0 ? 0 : 1], {});
      case Opcode::kCase: {
        const int64_t index = operands[0]->GetInt(0);
        const auto count = static_cast<int64_t>(op.regions.size());
        const int64_t chosen = index >= 0 && index < count ? index : count - 1;
        return RunRegion(op.regions[static_cast<size_t>(chosen)], {});
      }
      case Opcode::kBatchNormGrad:
      case Opcode::kBatchNormInference:
      case Opcode::kBatchNormTraining: return EvalBatchNorm(op, operands);
      case Opcode::kCholesky: return Just(EvalCholesky(op, *operands[0]));
      case Opcode::kRngBitGenerator: return EvalRngBitGenerator(op, *operands[0], shapes[1]);
      case Opcode::kTriangularSolve:
        return Just(EvalTriangularSolve(op, *operands[0], *operands[1]));
      case Opcode::kWhile: return RunWhile(op, operands);
      case Opcode::kCall: return RunCall(op, operands);
      case Opcode::kComposite: return RunComposite(op, operands, shapes);
      case Opcode::kOptimizationBarrier: return Copies(operands);
      case Opcode::kCustomCall: return RunCustomCall(op, operands);
      default: return Unsupported(graph::Describe(op) + ": the evaluator does not know it");
    }
  }

 private:
  static std::vector<Literal> Just(Literal literal) {
    std::vector<Literal> list;
    list.push_back(std::move(literal));
    return list;
  }

  static std::vector<Literal> Copies(Operands operands) {
    std::vector<Literal> copies;
    for (const Literal* operand : operands) copies.push_back(*operand);
    return copies;
  }

  const Literal* Get(Value value) const { return values_[static_cast<size_t>(value.id)].get(); }

  ScalarBody Body(const Region& region) {
    return [this, &region](std::span<const Literal> arguments) {
      return RunRegion(region, {arguments.begin(), arguments.end()});
    };
  }

  // Where the sums of magnitudes of a float product go; null if nobody wants them.
  std::vector<double>* Magnitudes(const Op& op, Operands operands) const {
    const bool wanted = report_ != nullptr && options_.keep_magnitudes && is_entry_ &&
                        graph::IsFloat(operands[0]->type());
    return wanted ? &report_->magnitudes[op.result().id] : nullptr;
  }

  Result<std::vector<Literal>> RunWhile(const Op& op, Operands operands) {
    std::vector<Literal> state = Copies(operands);
    for (int64_t iteration = 0;; ++iteration) {
      ASSIGN_OR_RETURN(const std::vector<Literal> go_on, RunRegion(op.regions[0], state));
      if (go_on[0].GetInt(0) == 0) return state;
      if (iteration >= options_.max_loop_iterations) {
        return Timeout(fmt::format("{}: more than {} iterations", graph::Describe(op),
                                   options_.max_loop_iterations));
      }
      ASSIGN_OR_RETURN(state, RunRegion(op.regions[1], std::move(state)));
    }
  }

  Result<std::vector<Literal>> RunCall(const Op& op, Operands operands) const {
    const std::string& name = *graph::Callee(op);
    const Function* callee = module_ == nullptr ? nullptr : module_->Find(name);
    if (callee == nullptr) {
      return InvalidArgument(fmt::format("{}: there is no function @{}", graph::Describe(op),
                                         name));
    }
    Interpreter interpreter(module_, *callee, options_, report_, false);
    return interpreter.RunRegion(callee->body, Copies(operands));
  }

  // As InlineCalls would leave it.
  Result<std::vector<Literal>> RunComposite(const Op& op, Operands operands,
                                            const std::vector<Shape>& shapes) const {
    Function scratch;
    Op composite = op;
    for (size_t i = 0; i < operands.size(); ++i) {
      composite.operands[i] = scratch.NewValue(operands[i]->shape());
    }
    for (size_t i = 0; i < shapes.size(); ++i) composite.results[i] = scratch.NewValue(shapes[i]);
    std::vector<Op>& ops = scratch.body.ops;
    const auto results = graph::AppendKnownComposite(scratch, composite, ops);
    if (!results) return RunCall(op, operands);
    scratch.body.arguments = composite.operands;
    ops.emplace_back().operands = *results;
    return Interpreter(module_, scratch, options_, report_, false)
        .RunRegion(scratch.body, Copies(operands));
  }

  Result<std::vector<Literal>> RunCustomCall(const Op& op, Operands operands) const {
    if (!graph::IsCheck(op)) {
      return Unsupported(graph::Describe(op) + ": the evaluator does not know this custom call");
    }
    const std::string& target = op.As<graph::CustomCallAttributes>().target;
    const bool known = target.starts_with("check.expect_eq") ||
                       target.starts_with("check.expect_almost_eq") ||
                       target == "check.expect_close";
    if (!known) return Unsupported(graph::Describe(op) + ": there is no such check");
    if (report_ != nullptr) report_->checks.push_back(EvalCheck(op, *operands[0], *operands[1]));
    return std::vector<Literal>();
  }

  const Module* module_;
  const Function& function_;
  const EvalOptions& options_;
  EvalReport* report_;
  const bool is_entry_;
  std::vector<std::unique_ptr<Literal>> values_;
};

}  // namespace

bool EvalReport::AllChecksPassed() const {
  return std::all_of(checks.begin(), checks.end(),
                     [](const CheckResult& check) { return check.passed; });
}

Result<std::vector<Literal>> Evaluate(const Module& module, std::span<const Literal> arguments,
                                      const EvalOptions& options, EvalReport* report) {
  const Function* entry = module.Entry();
  if (entry == nullptr) return InvalidArgument("the module has no function");
  if (arguments.size() != entry->arguments().size()) {
    return InvalidArgument(fmt::format("@{} takes {} arguments, not {}", entry->name,
                                       entry->arguments().size(), arguments.size()));
  }
  for (size_t i = 0; i < arguments.size(); ++i) {
    const Shape& shape = entry->shape(entry->arguments()[i]);
    if (arguments[i].shape() != shape) {
      return InvalidArgument(fmt::format("argument {} of @{} is {}, not {}", i, entry->name,
                                         shape.ToString(), arguments[i].shape().ToString()));
    }
  }
  Interpreter interpreter(&module, *entry, options, report, true);
  return interpreter.RunRegion(entry->body, {arguments.begin(), arguments.end()});
}

Result<std::vector<Literal>> EvaluateOp(const Module* module, const Function& function,
                                        const Op& op, std::span<const Literal* const> operands,
                                        const EvalOptions& options, EvalReport* report) {
  const std::vector<Value> captures = graph::Captures(op);
  const size_t count = op.operands.size();
  if (operands.size() != count + captures.size()) {
    return Internal(fmt::format("{}: {} values for {} operands and {} values from outside",
                                graph::Describe(op), operands.size(), count, captures.size()));
  }
  Interpreter interpreter(module, function, options, report, true);
  for (size_t i = 0; i < captures.size(); ++i) interpreter.Set(captures[i], *operands[count + i]);
  return interpreter.RunOp(op, operands.first(count));
}

}  // namespace systolith::evaluator
