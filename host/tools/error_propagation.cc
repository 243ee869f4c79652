#include "host/tools/error_propagation.h"

#include <cmath>

#include "host/base/bfloat16.h"
#include "host/graph/precision.h"

namespace systolith::tools {
namespace {

using graph::ElementType;
using graph::Literal;
using graph::Op;
using graph::Opcode;
using graph::Shape;

// Rounds once to nearest even.
double RoundedTo(ElementType type, double x) {
  switch (type) {
    case ElementType::kBF16: return FloatFromBfloat16(Bfloat16FromDouble(x));
    case ElementType::kF16: return FloatFromFloat16(Float16FromDouble(x));
    default: return static_cast<float>(x);
  }
}

double SafeBound(double bound) { return std::isnan(bound) ? kUnknownBound : bound; }

// Operations that the chip computes by a function of its library: not to the last bit.
bool IsFunction(Opcode opcode) {
  switch (opcode) {
    case Opcode::kAtan2:
    case Opcode::kPower:
    case Opcode::kPolygamma:
    case Opcode::kZeta: return true;
    case Opcode::kAbs:
    case Opcode::kCeil:
    case Opcode::kConvert:
    case Opcode::kFloor:
    case Opcode::kIsFinite:
    case Opcode::kNegate:
    case Opcode::kNot:
    case Opcode::kReducePrecision:
    case Opcode::kRoundNearestAfz:
    case Opcode::kRoundNearestEven:
    case Opcode::kSign:
    case Opcode::kSqrt: return false;
    default: return graph::IsElementwiseUnary(opcode);
  }
}

// Whether a float result may be off though all operands are exact.
bool Rounds(const Op& op) {
  switch (op.opcode) {
    case Opcode::kAdd:
    case Opcode::kConvolution:
    case Opcode::kDivide:
    case Opcode::kDotGeneral:
    case Opcode::kMultiply:
    case Opcode::kNegate:
    case Opcode::kReduce:
    case Opcode::kReduceWindow:
    case Opcode::kScatter:
    case Opcode::kSelectAndScatter:
    case Opcode::kSqrt:
    case Opcode::kSubtract: return true;
    default: return IsFunction(op.opcode);
  }
}

// What has no rule, since its steps are the compiler's choice.
bool IsWholeAlgorithm(Opcode opcode) {
  switch (opcode) {
    case Opcode::kBatchNormGrad:
    case Opcode::kBatchNormInference:
    case Opcode::kBatchNormTraining:
    case Opcode::kCholesky:
    case Opcode::kTriangularSolve: return true;
    default: return false;
  }
}

// Functions of the chip keep this (docs/functions.md has the bound of each); the reference itself
// rounds once more.
constexpr double kFunctionUlps = 4;

}  // namespace

double Spread(const std::function<double(double)>& f, double x, double e) {
  if (e == 0) return 0;
  const double at = f(x);
  return std::max(std::fabs(f(x + e) - at), std::fabs(f(x - e) - at));
}

Literal UpperLiteral(const Shape& like, const std::function<double(int64_t)>& value) {
  Literal literal(Shape{ElementType::kF32, like.dims});
  for (int64_t i = 0; i < literal.size(); ++i) literal.SetDouble(i, value(i) * (1 + 0x1p-20));
  return literal;
}

Literal Propagation::Bounds(size_t operand) const {
  return UpperLiteral(operands_[operand]->value.shape(),
                      [&](int64_t i) { return Bound(operand, i); });
}

Literal Propagation::Magnitudes(size_t operand) const {
  return UpperLiteral(operands_[operand]->value.shape(), [&](int64_t i) {
    return std::fabs(Value(operand, i)) + Bound(operand, i);
  });
}

double Propagation::RoundedBound(double x, double e) const {
  if (!graph::IsFloat(type())) return e;
  const double wide = e + UlpOf(ElementType::kF32, std::fabs(x) + e);
  if (type() == ElementType::kF32) return wide;
  return Spread([this](double value) { return RoundedTo(type(), value); }, x, wide);
}

void Propagation::Each(const std::function<double(int64_t, double)>& bound) {
  for (int64_t i = 0; i < result_.size(); ++i) {
    bounds_[static_cast<size_t>(i)] = SafeBound(bound(i, result_.GetDouble(i)));
  }
}

Result<Literal> Propagation::Evaluate(graph::Function& function, Op op,
                                      const std::vector<Literal>& operands,
                                      ElementType type) const {
  op.operands.clear();
  std::vector<const Literal*> pointers;
  for (const Literal& operand : operands) {
    op.operands.push_back(function.NewValue(operand.shape()));
    pointers.push_back(&operand);
  }
  op.results = {function.NewValue({type, function_.shape(op_.result()).dims})};
  evaluator::EvalReport report;
  ASSIGN_OR_RETURN(std::vector<Literal> results,
                   evaluator::EvaluateOp(&module_, function, op, pointers, options_, &report));
  return std::move(results.front());
}

Result<Literal> Propagation::Apply(const Op& op, const std::vector<Literal>& operands,
                                   ElementType type) const {
  graph::Function function;
  return Evaluate(function, op, operands, type);
}

// Bounds travel with their elements; what is no float (indices, predicates) must be exact.
Status Propagation::Move() {
  std::vector<Literal> bounds;
  for (const BoundedValue* operand : operands_) {
    const bool is_index = op_.opcode == Opcode::kGather || op_.opcode == Opcode::kDynamicSlice
                              ? !bounds.empty()
                              : op_.opcode == Opcode::kDynamicUpdateSlice && bounds.size() >= 2;
    if (is_index) {
      if (!operand->IsExact()) {
        bounds_.assign(bounds_.size(), kUnknownBound);
        return OkStatus();
      }
      bounds.push_back(operand->value);
    } else {
      bounds.push_back(Bounds(bounds.size()));
    }
  }
  ASSIGN_OR_RETURN(const Literal moved, Apply(op_, bounds, ElementType::kF32));
  Each([&](int64_t i, double) { return moved.GetDouble(i); });
  return OkStatus();
}

// With operands off by ea and eb, the result is off by at most |a|*eb + ea*(|b| + eb), summed.
Status Propagation::Product() {
  std::vector<double> magnitude = magnitudes_.count(op_.result().id)
                                      ? magnitudes_.at(op_.result().id)
                                      : std::vector<double>(bounds_.size());
  const graph::Precision asked =
      op_.opcode == Opcode::kDotGeneral
          ? graph::EffectivePrecision(op_.As<graph::DotGeneralAttributes>(),
                                      options_.default_precision)
          : graph::EffectivePrecision(op_.As<graph::ConvolutionAttributes>(),
                                      options_.default_precision);
  const bool rounds_operands = asked == graph::Precision::kDefault;
  const bool is_float = graph::IsFloat(type());
  std::vector<double> inherited(bounds_.size());
  if (!AllExact()) {
    std::array<Literal, 2> absolute, error;
    for (size_t k = 0; k < 2; ++k) {
      const BoundedValue& operand = *operands_[k];
      absolute[k] = UpperLiteral(operand.value.shape(),
                                 [&](int64_t i) { return std::fabs(operand.value.GetDouble(i)); });
      error[k] = UpperLiteral(operand.value.shape(), [&](int64_t i) {
        const double bound = operand.BoundAt(i);
        if (!rounds_operands || operand.value.type() != ElementType::kF32) return bound;
        // An operand that is off may round to another neighbour, or to the same.
        return Spread([](double value) { return RoundedTo(ElementType::kBF16, value); },
                      operand.value.GetDouble(i), bound);
      });
    }
    Literal upper = absolute[1];
    for (int64_t i = 0; i < upper.size(); ++i) {
      upper.SetDouble(i, upper.GetDouble(i) + error[1].GetDouble(i));
    }
    Op exact = op_;  // magnitudes must not be rounded to bf16
    const std::array<graph::Precision, 2> highest = {graph::Precision::kHighest,
                                                     graph::Precision::kHighest};
    if (op_.opcode == Opcode::kDotGeneral) {
      exact.As<graph::DotGeneralAttributes>().precision = highest;
      exact.As<graph::DotGeneralAttributes>().algorithm.reset();
    } else {
      exact.As<graph::ConvolutionAttributes>().precision = highest;
    }
    ASSIGN_OR_RETURN(const Literal left, Apply(exact, {error[0], upper}, ElementType::kF32));
    ASSIGN_OR_RETURN(const Literal right, Apply(exact, {absolute[0], error[1]}, ElementType::kF32));
    for (int64_t i = 0; i < result_.size(); ++i) {
      inherited[static_cast<size_t>(i)] =
          (left.GetDouble(i) + right.GetDouble(i)) * (1 + 0x1p-20);
    }
  }
  // What the result is before it is rounded to a type narrower than f32.
  Literal wide = result_;
  if (is_float && type() != ElementType::kF32) {
    ASSIGN_OR_RETURN(wide, Apply(op_, {operands_[0]->value, operands_[1]->value},
                                 ElementType::kF32));
  }
  const double share = asked == graph::Precision::kHigh ? 0x1p-13 : 0x1p-20;
  Each([&](int64_t i, double) {
    const size_t k = static_cast<size_t>(i);
    if (!is_float) return std::floor(inherited[k]);
    return RoundedBound(wide.GetDouble(i), inherited[k] + share * (magnitude[k] + inherited[k]));
  });
  return OkStatus();
}

// A smooth function of one or two operands: its values at the ends of their intervals.
Status Propagation::Function(double ulps) {
  const size_t corners = size_t{1} << operands_.size();
  Each([](int64_t, double) { return 0.0; });
  for (size_t corner = 0; corner < corners && !AllExact(); ++corner) {
    std::vector<Literal> ends;
    for (size_t k = 0; k < operands_.size(); ++k) {
      Literal end = operands_[k]->value;
      const double sign = (corner >> k & 1) != 0 ? 1 : -1;
      for (int64_t i = 0; i < end.size(); ++i) {
        if (Bound(k, i) == 0) continue;
        end.SetDouble(i, Value(k, i) + sign * (Bound(k, i) + UlpOf(end.type(), Value(k, i))));
      }
      ends.push_back(std::move(end));
    }
    ASSIGN_OR_RETURN(const Literal at, Apply(op_, ends, type()));
    Each([&](int64_t i, double r) {
      return std::max(bounds_[static_cast<size_t>(i)], std::fabs(at.GetDouble(i) - r));
    });
  }
  // Near their zeros these are sums that cancel.
  const bool cancels = op_.opcode == Opcode::kLgamma || op_.opcode == Opcode::kDigamma;
  const double absolute = cancels ? 0x1p-20 : 0.0;
  // What is off by some ulp of f32 is off by one of a narrower type at most.
  const bool is_wide = type() == ElementType::kF32;
  Each([&](int64_t i, double r) {
    const double off = bounds_[static_cast<size_t>(i)];
    if (!std::isfinite(r)) return 0.0;
    return off + absolute + (is_wide ? ulps : 1) * Ulp(std::fabs(r) + off);
  });
  return OkStatus();
}

void Propagation::Reduce() {
  const Literal& x = operands_[0]->value;
  const graph::Dims& dims = x.dims();
  const graph::Dims& reduced = op_.As<graph::ReduceAttributes>().dimensions;
  const bool is_sum = op_.regions[0].ops.front().opcode == Opcode::kAdd;
  const graph::Dims out_strides = graph::RowMajorStrides(result_.dims());
  graph::Dims strides(dims.size());  // of the result, by dimension of the operand
  for (size_t d = 0, next = 0; d < dims.size(); ++d) {
    const bool gone =
        std::find(reduced.begin(), reduced.end(), static_cast<int64_t>(d)) != reduced.end();
    strides[d] = gone ? 0 : out_strides[next++];
  }
  std::vector<double> magnitude(bounds_.size());
  for (int64_t i = 0; i < x.size(); ++i) {
    int64_t rest = i, to = 0;
    for (size_t d = dims.size(); d-- > 0;) {
      to += rest % dims[d] * strides[d];
      rest /= dims[d];
    }
    double& bound = bounds_[static_cast<size_t>(to)];
    bound = is_sum ? bound + Bound(0, i) : std::max(bound, Bound(0, i));
    magnitude[static_cast<size_t>(to)] += std::fabs(Value(0, i)) + Bound(0, i);
  }
  if (!is_sum || !graph::IsFloat(type())) return;
  const double count = bounds_.empty() ? 0 : static_cast<double>(x.size()) / bounds_.size();
  Each([&](int64_t i, double r) {
    const size_t k = static_cast<size_t>(i);
    return bounds_[k] + Bound(1, 0) + count * Ulp(1.0) / 2 * magnitude[k] +
           Ulp(std::fabs(r) + bounds_[k]);
  });
}

// A predicate is known where the operands' intervals don't touch.
void Propagation::Compare() {
  Each([&](int64_t i, double) {
    const double spread = Bound(0, i) + Bound(1, i);
    return spread == 0 || std::fabs(Value(0, i) - Value(1, i)) > spread ? 0.0 : kUnknownBound;
  });
}

// The operand's interval through a monotone function that both sides compute alike.
void Propagation::RoundTo(const std::function<double(double)>& f) {
  Each([&](int64_t i, double) { return Spread(f, Value(0, i), Bound(0, i)); });
}

void Propagation::Convert() {
  if (graph::IsFloat(type())) {
    RoundTo([this](double x) { return RoundedTo(type(), x); });
    return;
  }
  if (graph::IsFloat(operands_[0]->value.type())) {  // saturates
    RoundTo([](double x) { return std::trunc(x); });
    return;
  }
  // An integer that might wrap around is anything.
  const double limit = std::ldexp(1.0, graph::BitWidth(type()) - 1);
  Each([&](int64_t i, double) {
    const double e = Bound(0, i);
    return e == 0 || std::fabs(Value(0, i)) + e < limit ? e : kUnknownBound;
  });
}

// Fills bounds_; false if the operation has no rule.
Result<bool> Propagation::Rule() {
  switch (op_.opcode) {
    case Opcode::kDotGeneral:
    case Opcode::kConvolution: RETURN_IF_ERROR(Product()); return true;
    case Opcode::kReshape:
    case Opcode::kTranspose:
    case Opcode::kBroadcastInDim:
    case Opcode::kSlice:
    case Opcode::kPad:
    case Opcode::kConcatenate:
    case Opcode::kReverse:
    case Opcode::kGather:
    case Opcode::kDynamicSlice:
    case Opcode::kDynamicUpdateSlice: RETURN_IF_ERROR(Move()); return true;
    case Opcode::kAdd:
    case Opcode::kSubtract:
      Each([&](int64_t i, double) {
        const double b = op_.opcode == Opcode::kAdd ? Value(1, i) : -Value(1, i);
        return RoundedBound(Value(0, i) + b, Bound(0, i) + Bound(1, i));
      });
      return true;
    case Opcode::kMultiply:
      Each([&](int64_t i, double) {
        const double ea = Bound(0, i), eb = Bound(1, i);
        return RoundedBound(Value(0, i) * Value(1, i), std::fabs(Value(0, i)) * eb +
                                                           std::fabs(Value(1, i)) * ea + ea * eb);
      });
      return true;
    case Opcode::kDivide:
      Each([&](int64_t i, double r) {
        const double divisor = std::fabs(Value(1, i)) - Bound(1, i);
        if (divisor <= 0) return kUnknownBound;
        const double e = (Bound(0, i) + std::fabs(r) * Bound(1, i)) / divisor;
        if (!graph::IsFloat(type())) return e == 0 ? 0.0 : kUnknownBound;
        return RoundedBound(Value(0, i) / Value(1, i), e);
      });
      return true;
    case Opcode::kMaximum:
    case Opcode::kMinimum:
      Each([&](int64_t i, double) { return std::max(Bound(0, i), Bound(1, i)); });
      return true;
    case Opcode::kClamp:
      Each([&](int64_t i, double) {
        const auto limit = [&](size_t k) {
          return Bound(k, operands_[k]->value.shape().IsScalar() ? 0 : i);
        };
        return std::max({limit(0), Bound(1, i), limit(2)});
      });
      return true;
    case Opcode::kSelect:
      Each([&](int64_t i, double) {
        const int64_t p = operands_[0]->value.shape().IsScalar() ? 0 : i;
        const bool known = Bound(0, p) == 0;
        if (known) return Bound(operands_[0]->value.GetInt(p) != 0 ? 1 : 2, i);
        return std::fabs(Value(1, i) - Value(2, i)) + std::max(Bound(1, i), Bound(2, i));
      });
      return true;
    case Opcode::kNegate:  // the chip multiplies by -1, which makes a subnormal zero
      Each([&](int64_t i, double r) {
        const bool flushed = graph::IsFloat(type()) && std::fabs(r) < kSmallestNormal;
        return Bound(0, i) + (flushed ? std::fabs(r) : 0.0);
      });
      return true;
    case Opcode::kAbs: Each([&](int64_t i, double) { return Bound(0, i); }); return true;
    case Opcode::kFloor: RoundTo([](double x) { return std::floor(x); }); return true;
    case Opcode::kCeil: RoundTo([](double x) { return std::ceil(x); }); return true;
    case Opcode::kRoundNearestEven:
      RoundTo([](double x) { return std::nearbyint(x); });
      return true;
    case Opcode::kRoundNearestAfz: RoundTo([](double x) { return std::round(x); }); return true;
    case Opcode::kSign:
      Each([&](int64_t i, double) {
        return Bound(0, i) == 0 || std::fabs(Value(0, i)) > Bound(0, i) ? 0.0 : 2.0;
      });
      return true;
    case Opcode::kSqrt: RETURN_IF_ERROR(Function(1)); return true;
    case Opcode::kReducePrecision: RETURN_IF_ERROR(Function(0)); return true;
    case Opcode::kConvert: Convert(); return true;
    case Opcode::kCompare: Compare(); return true;
    case Opcode::kReduce: {
      const bool is_simple = op_.operands.size() == 2 && op_.regions[0].ops.size() == 2;
      if (!is_simple) return false;
      const Opcode joined = op_.regions[0].ops.front().opcode;
      if (joined != Opcode::kAdd && joined != Opcode::kMaximum && joined != Opcode::kMinimum) {
        return false;
      }
      Reduce();
      return true;
    }
    case Opcode::kReduceWindow: return Window();
    case Opcode::kSelectAndScatter: return SelectAndScatter();
    case Opcode::kScatter: return Scatter();
    case Opcode::kSort: Sort(); return true;
    default:
      if (!IsFunction(op_.opcode) || !graph::IsFloat(type())) return false;
      RETURN_IF_ERROR(Function(kFunctionUlps));
      return true;
  }
}

Result<std::vector<BoundedValue>> Propagation::Run(bool* has_rule) {
  std::vector<const Literal*> values;
  for (const BoundedValue* operand : operands_) values.push_back(&operand->value);
  evaluator::EvalReport report;
  ASSIGN_OR_RETURN(std::vector<Literal> results,
                   evaluator::EvaluateOp(&module_, function_, op_, values, options_, &report));
  magnitudes_ = std::move(report.magnitudes);
  std::vector<BoundedValue> bounded;
  for (Literal& result : results) bounded.push_back({std::move(result), {}});
  *has_rule = AllExact();
  if (op_.opcode == Opcode::kOptimizationBarrier) {
    for (size_t i = 0; i < bounded.size(); ++i) bounded[i].bound = operands_[i]->bound;
    *has_rule = true;
    return bounded;
  }
  if (bounded.size() != 1) {
    // Sums of floats round; nothing else that has several results is known.
    *has_rule = *has_rule && !(Rounds(op_) || IsWholeAlgorithm(op_.opcode));
    for (BoundedValue& value : bounded) {
      if (*has_rule) continue;
      value.bound.assign(static_cast<size_t>(value.value.size()), kUnknownBound);
    }
    return bounded;
  }
  const bool is_float = graph::IsFloat(bounded[0].value.type());
  const bool is_algorithm = is_float && IsWholeAlgorithm(op_.opcode);
  if (*has_rule && !is_algorithm && !(Rounds(op_) && is_float)) return bounded;
  result_ = std::move(bounded[0].value);
  bounds_.assign(static_cast<size_t>(result_.size()), 0.0);
  ASSIGN_OR_RETURN(*has_rule, Rule());
  if (!*has_rule) bounds_.assign(bounds_.size(), kUnknownBound);
  bounded[0] = {std::move(result_), std::move(bounds_)};
  return bounded;
}

}  // namespace systolith::tools
