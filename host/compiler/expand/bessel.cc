// bessel_i1e: polynomials in f32, right to 6e-7 of the value.
#include <span>

#include "host/compiler/expand/expansion.h"

namespace systolith::compiler {
namespace {

// Where one polynomial gives way to the other.
constexpr double kMiddle = 8;
// exp(-a) I1(a) / a for a in [0, 8], in t = a / 4 - 1.
constexpr double kNear[] = {0.0446877102,    -0.0611243072,   0.0680575434,    -0.0684840732,
                            0.0637688955,    -0.0552597528,   0.0446594371,    -0.0337968025,
                            0.023762642,     -0.0151625689,   0.00936740037,   -0.00628160566,
                            0.00336142036,   -0.000778703494, 0.000411442204,  -0.000728278487,
                            0.000307414214};
// exp(-a) I1(a) sqrt(a) for a above 8, in u = 16 / a - 1.
constexpr double kFar[] = {0.389398455,    -0.00974958137, -0.000219168089,
                           -1.50039655e-05, -2.00978899e-06, -4.21035014e-07};

Value Polynomial(std::span<const double> coefficients, Value x, Expansion& to) {
  const auto number = [&](size_t i) { return to.Number(ElementType::kF32, coefficients[i]); };
  Value sum = number(coefficients.size() - 1);
  for (size_t i = coefficients.size() - 1; i-- > 0;) {
    sum = to.Binary(Opcode::kAdd, to.Binary(Opcode::kMultiply, x, sum), number(i));
  }
  return sum;
}

}  // namespace

std::optional<Values> ExpandBesselI1e(const Op& op, Expansion& to) {
  const ElementType type = to.type(op.operands[0]);
  const Value x = to.Convert(op.operands[0], ElementType::kF32);
  const auto number = [&](double value) { return to.Number(ElementType::kF32, value); };
  const Value a = to.Unary(Opcode::kAbs, x), one = number(1);
  const Value t =
      to.Binary(Opcode::kSubtract, to.Binary(Opcode::kMultiply, a, number(2 / kMiddle)), one);
  const Value near = to.Binary(Opcode::kMultiply, Polynomial(kNear, t, to), x);
  const Value u =
      to.Binary(Opcode::kSubtract, to.Binary(Opcode::kDivide, number(2 * kMiddle), a), one);
  const Value far =
      to.Binary(Opcode::kDivide, Polynomial(kFar, u, to), to.Unary(Opcode::kSqrt, a));
  const Value is_negative = to.Compare(graph::CompareDirection::kLt, x, number(0));
  const Value odd = to.Select(is_negative, to.Unary(Opcode::kNegate, far), far);
  const Value is_near = to.Compare(graph::CompareDirection::kLe, a, number(kMiddle));
  return Values{to.Convert(to.Select(is_near, near, odd), type)};
}

}  // namespace systolith::compiler
