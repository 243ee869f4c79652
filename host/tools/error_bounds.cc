#include "host/tools/error_bounds.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <map>

#include "host/base/bfloat16.h"
#include "host/evaluator/evaluator.h"
#include "host/graph/rewrite.h"

namespace systolith::tools {
namespace {

using graph::ElementType;
using graph::Literal;
using graph::Op;
using graph::Opcode;
using graph::Shape;

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kSmallestNormal = 0x1p-126;  // what the chip flushes below it is less than this

using Bounds = std::vector<double>;
using Operands = std::vector<const BoundedValue*>;

// Rounds once to nearest even.
double RoundedTo(ElementType type, double x) {
  switch (type) {
    case ElementType::kBF16: return FloatFromBfloat16(Bfloat16FromDouble(x));
    case ElementType::kF16: return FloatFromFloat16(Float16FromDouble(x));
    default: return static_cast<float>(x);
  }
}

// How far a monotone f may move when x moves by up to e.
double Spread(const std::function<double(double)>& f, double x, double e) {
  if (e == 0) return 0;
  const double at = f(x);
  return std::max(std::fabs(f(x + e) - at), std::fabs(f(x - e) - at));
}

double SafeBound(double bound) { return std::isnan(bound) ? kInfinity : bound; }

// One operation under evaluation: operands with bounds, and the reference result.
class Propagation {
 public:
  Propagation(const graph::Module& module, const graph::Function& function, const Op& op,
              Operands operands, graph::Precision precision)
      : module_(module), function_(function), op_(op), operands_(std::move(operands)) {
    options_.default_precision = precision;
    options_.keep_magnitudes = true;
  }

  Result<std::vector<BoundedValue>> Run(bool* has_rule);

 private:
  bool AllExact() const {
    return std::all_of(operands_.begin(), operands_.end(),
                       [](const BoundedValue* operand) { return operand->IsExact(); });
  }
  bool IsFloatProduct() const {
    return (op_.opcode == Opcode::kDotGeneral || op_.opcode == Opcode::kConvolution) &&
           graph::IsFloat(type());
  }
  ElementType type() const { return function_.shape(op_.result()).type; }
  double Value(size_t operand, int64_t i) const { return operands_[operand]->value.GetDouble(i); }
  double Bound(size_t operand, int64_t i) const { return operands_[operand]->BoundAt(i); }
  double Ulp(double x) const { return graph::IsFloat(type()) ? UlpOf(type(), x) : 0.0; }

  // The bound of a result whose exact value is `x` and which the chip computes as f32 within `e`
  // and an ulp of that before it rounds to the result's type.
  double RoundedBound(double x, double e) const {
    if (!graph::IsFloat(type())) return e;
    const double wide = e + UlpOf(ElementType::kF32, std::fabs(x) + e);
    if (type() == ElementType::kF32) return wide;
    return Spread([this](double value) { return RoundedTo(type(), value); }, x, wide);
  }

  // Fills bounds_ by a function of the element's number and its reference value.
  void Each(const std::function<double(int64_t, double)>& bound) {
    for (int64_t i = 0; i < result_.size(); ++i) {
      bounds_[static_cast<size_t>(i)] = SafeBound(bound(i, result_.GetDouble(i)));
    }
  }

  Result<Literal> Apply(const Op& op, const std::vector<Literal>& operands, ElementType type,
                        std::vector<double>* magnitudes = nullptr) const;
  Status Move();
  Status Product();
  Status Monotone();
  void Reduce();
  void Compare();
  void Convert();
  void RoundTo(const std::function<double(double)>& f);
  Result<bool> Rule();

  const graph::Module& module_;
  const graph::Function& function_;
  const Op& op_;
  const Operands operands_;
  evaluator::EvalOptions options_;
  std::map<int32_t, std::vector<double>> magnitudes_;
  Literal result_;
  Bounds bounds_;
};

// `op` on operands of other element types than its own; the result's is `type`.
Result<Literal> Propagation::Apply(const Op& op, const std::vector<Literal>& operands,
                                   ElementType type, std::vector<double>* magnitudes) const {
  graph::Function function;
  Op copy = op;
  copy.operands.clear();
  std::vector<const Literal*> pointers;
  for (const Literal& operand : operands) {
    copy.operands.push_back(function.NewValue(operand.shape()));
    pointers.push_back(&operand);
  }
  Shape shape = function_.shape(op.result());
  shape.type = type;
  copy.results = {function.NewValue(shape)};
  evaluator::EvalOptions options = options_;
  evaluator::EvalReport report;
  ASSIGN_OR_RETURN(std::vector<Literal> results,
                   evaluator::EvaluateOp(&module_, function, copy, pointers, options, &report));
  if (magnitudes != nullptr && !report.magnitudes.empty()) {
    *magnitudes = std::move(report.magnitudes.begin()->second);
  }
  return std::move(results.front());
}

// Bounds or magnitudes as an f32 tensor, rounded up.
Literal UpperLiteral(const Shape& like, const std::function<double(int64_t)>& value) {
  Literal literal(Shape{ElementType::kF32, like.dims});
  for (int64_t i = 0; i < literal.size(); ++i) literal.SetDouble(i, value(i) * (1 + 0x1p-20));
  return literal;
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
        bounds_.assign(bounds_.size(), kInfinity);
        return OkStatus();
      }
      bounds.push_back(operand->value);
    } else {
      bounds.push_back(
          UpperLiteral(operand->value.shape(), [&](int64_t i) { return operand->BoundAt(i); }));
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
  const auto precision = op_.opcode == Opcode::kDotGeneral
                             ? op_.As<graph::DotGeneralAttributes>().precision
                             : op_.As<graph::ConvolutionAttributes>().precision;
  const graph::Precision asked =
      std::max({options_.default_precision, precision[0], precision[1]});
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

// Of a monotone function: its values at both ends of the operand's interval.
Status Propagation::Monotone() {
  const Literal& x = operands_[0]->value;
  std::array<Literal, 2> ends = {x, x};
  for (int64_t i = 0; i < x.size(); ++i) {
    const double spread = Bound(0, i) + UlpOf(x.type(), Value(0, i));
    ends[0].SetDouble(i, Value(0, i) - spread);
    ends[1].SetDouble(i, Value(0, i) + spread);
  }
  ASSIGN_OR_RETURN(const Literal low, Apply(op_, {ends[0]}, type()));
  ASSIGN_OR_RETURN(const Literal high, Apply(op_, {ends[1]}, type()));
  Each([&](int64_t i, double r) {
    if (Bound(0, i) == 0) return 0.0;
    const double off =
        std::max(std::fabs(low.GetDouble(i) - r), std::fabs(high.GetDouble(i) - r));
    return off + 2 * Ulp(std::fabs(r) + off);
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
  Bounds magnitude(bounds_.size());
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
    return spread == 0 || std::fabs(Value(0, i) - Value(1, i)) > spread ? 0.0 : kInfinity;
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
    return e == 0 || std::fabs(Value(0, i)) + e < limit ? e : kInfinity;
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
        if (divisor <= 0) return kInfinity;
        const double e = (Bound(0, i) + std::fabs(r) * Bound(1, i)) / divisor;
        return e + 2 * Ulp(std::fabs(r) + e);
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
    case Opcode::kSine:
    case Opcode::kCosine:
      Each([&](int64_t i, double r) { return Bound(0, i) == 0 ? 0.0 : Bound(0, i) + 2 * Ulp(r); });
      return true;
    case Opcode::kFloor: RoundTo([](double x) { return std::floor(x); }); return true;
    case Opcode::kCeil: RoundTo([](double x) { return std::ceil(x); }); return true;
    case Opcode::kRoundNearestEven:
      RoundTo([](double x) { return std::nearbyint(x); });
      return true;
    case Opcode::kRoundNearestAfz: RoundTo([](double x) { return std::round(x); }); return true;
    case Opcode::kExponential:
    case Opcode::kExponentialMinusOne:
    case Opcode::kLog:
    case Opcode::kLogPlusOne:
    case Opcode::kLogistic:
    case Opcode::kTanh:
    case Opcode::kSqrt:
    case Opcode::kRsqrt:
    case Opcode::kCbrt:
    case Opcode::kErf: RETURN_IF_ERROR(Monotone()); return true;
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
    default: return false;
  }
}

Result<std::vector<BoundedValue>> Propagation::Run(bool* has_rule) {
  std::vector<const Literal*> values;
  for (const BoundedValue* operand : operands_) values.push_back(&operand->value);
  evaluator::EvalReport report;
  ASSIGN_OR_RETURN(std::vector<Literal> results,
                   evaluator::EvaluateOp(&module_, function_, op_, values, options_, &report));
  magnitudes_ = std::move(report.magnitudes);
  *has_rule = true;
  std::vector<BoundedValue> bounded;
  for (Literal& result : results) bounded.push_back({std::move(result), {}});
  if (bounded.size() != 1) {
    *has_rule = AllExact();
    for (BoundedValue& value : bounded) {
      if (!*has_rule) value.bound.assign(static_cast<size_t>(value.value.size()), kInfinity);
    }
    return bounded;
  }
  const bool is_arithmetic = IsFloatProduct() || op_.opcode == Opcode::kAdd ||
                             op_.opcode == Opcode::kSubtract || op_.opcode == Opcode::kMultiply ||
                             op_.opcode == Opcode::kReduce || op_.opcode == Opcode::kNegate;
  if (AllExact() && !(is_arithmetic && graph::IsFloat(bounded[0].value.type()))) return bounded;
  result_ = std::move(bounded[0].value);
  bounds_.assign(static_cast<size_t>(result_.size()), 0.0);
  ASSIGN_OR_RETURN(*has_rule, Rule());
  if (!*has_rule) {
    *has_rule = AllExact();
    if (!*has_rule) bounds_.assign(bounds_.size(), kInfinity);
  }
  bounded[0] = {std::move(result_), std::move(bounds_)};
  return bounded;
}

}  // namespace

double UlpOf(ElementType type, double x) {
  int fraction_bits = 23;
  if (type == ElementType::kBF16) fraction_bits = 7;
  if (type == ElementType::kF16) fraction_bits = 10;
  const double smallest = type == ElementType::kF16 ? 0x1p-14 : kSmallestNormal;
  if (!std::isfinite(x)) return kInfinity;
  return std::ldexp(1.0, std::ilogb(std::max(std::fabs(x), smallest)) - fraction_bits) +
         kSmallestNormal;
}

bool BoundedValue::IsExact() const {
  return std::all_of(bound.begin(), bound.end(), [](double b) { return b == 0; });
}

Result<std::vector<BoundedValue>> EvaluateWithBounds(const graph::Module& module,
                                                     std::span<const Literal> arguments,
                                                     graph::Precision default_precision,
                                                     std::vector<std::string>* notes) {
  graph::Module flat = module;
  RETURN_IF_ERROR(graph::InlineCalls(flat));
  const graph::Function& function = *flat.Entry();
  std::map<int32_t, BoundedValue> values;
  for (size_t i = 0; i < arguments.size(); ++i) {
    values[function.arguments()[i].id] = {arguments[i], {}};
  }
  for (const Op& op : function.body.ops) {
    if (op.opcode == Opcode::kReturn || graph::IsCheck(op)) continue;
    for (const graph::Region& region : op.regions) {
      if (!graph::Captures(region).empty()) {
        return Unsupported(graph::Describe(op) + " uses values from outside of its region");
      }
    }
    Operands operands;
    for (const graph::Value operand : op.operands) operands.push_back(&values.at(operand.id));
    bool has_rule = true;
    ASSIGN_OR_RETURN(
        std::vector<BoundedValue> results,
        Propagation(flat, function, op, std::move(operands), default_precision).Run(&has_rule));
    if (!has_rule) {
      notes->push_back(fmt::format("no error bound behind {}", graph::Describe(op)));
    }
    for (size_t i = 0; i < results.size(); ++i) values[op.results[i].id] = std::move(results[i]);
  }
  std::vector<BoundedValue> results;
  for (const graph::Value value : function.results()) results.push_back(values.at(value.id));
  return results;
}

}  // namespace systolith::tools
