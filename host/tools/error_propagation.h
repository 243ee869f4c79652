#ifndef SYSTOLITH_HOST_TOOLS_ERROR_PROPAGATION_H_
#define SYSTOLITH_HOST_TOOLS_ERROR_PROPAGATION_H_

#include <algorithm>
#include <functional>
#include <limits>
#include <map>
#include <vector>

#include "host/base/status.h"
#include "host/evaluator/evaluator.h"
#include "host/graph/graph.h"
#include "host/tools/error_bounds.h"

namespace systolith::tools {

// What the chip flushes is below this.
inline constexpr double kSmallestNormal = 0x1p-126;
inline constexpr double kUnknownBound = std::numeric_limits<double>::infinity();

// How far a monotone f may move when x moves by up to e.
double Spread(const std::function<double(double)>& f, double x, double e);

// Bounds or magnitudes as an f32 tensor, rounded up.
graph::Literal UpperLiteral(const graph::Shape& like,
                            const std::function<double(int64_t)>& value);

// One operation under evaluation: operands with bounds (behind them what its regions use from
// outside), and the reference result. Not for while, if and case.
class Propagation {
 public:
  Propagation(const graph::Module& module, const graph::Function& function, const graph::Op& op,
              std::vector<const BoundedValue*> operands, graph::Precision precision)
      : module_(module), function_(function), op_(op), operands_(std::move(operands)) {
    options_.default_precision = precision;
    options_.keep_magnitudes = true;
  }

  // has_rule: whether every bound is known.
  Result<std::vector<BoundedValue>> Run(bool* has_rule);

 private:
  bool AllExact() const {
    return std::all_of(operands_.begin(), operands_.end(),
                       [](const BoundedValue* operand) { return operand->IsExact(); });
  }
  graph::ElementType type() const { return function_.shape(op_.result()).type; }
  double Value(size_t operand, int64_t i) const { return operands_[operand]->value.GetDouble(i); }
  double Bound(size_t operand, int64_t i) const { return operands_[operand]->BoundAt(i); }
  double Ulp(double x) const { return graph::IsFloat(type()) ? UlpOf(type(), x) : 0.0; }
  graph::Literal Bounds(size_t operand) const;      // as f32
  graph::Literal Magnitudes(size_t operand) const;  // of values and bounds together, as f32

  // The bound of a result whose exact value is `x` and which the chip computes as f32 within `e`
  // and an ulp of that before it rounds to the result's type.
  double RoundedBound(double x, double e) const;

  // Fills bounds_ by a function of the element's number and its reference value.
  void Each(const std::function<double(int64_t, double)>& bound);

  // `op` of `function`, on these operands; the result's element type is `type`.
  Result<graph::Literal> Evaluate(graph::Function& function, graph::Op op,
                                  const std::vector<graph::Literal>& operands,
                                  graph::ElementType type) const;
  // `op` on operands of other element types than its own.
  Result<graph::Literal> Apply(const graph::Op& op, const std::vector<graph::Literal>& operands,
                               graph::ElementType type) const;
  // The same for an operation with a region, all of whose floats become f32 and whose only
  // operation becomes `joins`.
  Result<graph::Literal> ApplyJoining(size_t region, graph::Opcode joins,
                                      const std::vector<graph::Literal>& operands) const;
  // The only operation of a region; kReturn if there are others.
  graph::Opcode Joins(size_t region) const;

  Status Move();
  Status Product();
  Status Function(double ulps);
  void Reduce();
  void Compare();
  void Convert();
  void RoundTo(const std::function<double(double)>& f);
  // Sums of at most `count` elements, from sums of their bounds and magnitudes.
  void Sums(const graph::Literal& bounds, const graph::Literal& magnitudes, double count);
  // Operations with regions; false if there is no rule.
  Result<bool> Window();
  Result<bool> SelectAndScatter();
  Result<bool> Scatter();
  void Sort();
  Result<bool> Rule();

  const graph::Module& module_;
  const graph::Function& function_;
  const graph::Op& op_;
  const std::vector<const BoundedValue*> operands_;
  evaluator::EvalOptions options_;
  std::map<int32_t, std::vector<double>> magnitudes_;
  graph::Literal result_;
  std::vector<double> bounds_;
};

}  // namespace systolith::tools

#endif  // SYSTOLITH_HOST_TOOLS_ERROR_PROPAGATION_H_
