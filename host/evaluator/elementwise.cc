#include <cmath>

#include "host/base/bfloat16.h"
#include "host/evaluator/kernels.h"
#include "host/evaluator/scalar.h"

namespace systolith::evaluator {
namespace {

using graph::CompareDirection;
using graph::ElementType;
using graph::Opcode;

uint16_t Narrow(ElementType type, float value) {
  return type == ElementType::kBF16 ? Bfloat16FromFloat(value) : Float16FromFloat(value);
}

float Widen(ElementType type, uint16_t bits) {
  return type == ElementType::kBF16 ? FloatFromBfloat16(bits) : FloatFromFloat16(bits);
}

// Applies f32 and f64 versions of a function to all elements of a float tensor.
template <typename F32, typename F64>
Literal MapFloat(const Literal& a, F32 f32, F64 f64) {
  Literal result(a.shape());
  switch (a.type()) {
    case ElementType::kF32:
      for (size_t i = 0; i < a.As<float>().size(); ++i) {
        result.As<float>()[i] = f32(a.As<float>()[i]);
      }
      break;
    case ElementType::kF64:
      for (size_t i = 0; i < a.As<double>().size(); ++i) {
        result.As<double>()[i] = f64(a.As<double>()[i]);
      }
      break;
    default:
      for (size_t i = 0; i < a.As<uint16_t>().size(); ++i) {
        result.As<uint16_t>()[i] = Narrow(a.type(), f32(Widen(a.type(), a.As<uint16_t>()[i])));
      }
      break;
  }
  return result;
}

Literal Convert(const Literal& a, const Shape& shape) {
  Literal result(shape);
  const bool to_float = graph::IsFloat(shape.type);
  for (int64_t i = 0; i < a.size(); ++i) {
    if (graph::IsFloat(a.type())) {
      result.SetDouble(i, a.GetDouble(i));
    } else if (to_float && a.type() == ElementType::kU64 && a.GetInt(i) < 0) {
      // Halved with a sticky bit, so that the one rounding sees what is lost; then doubled exactly.
      const auto bits = static_cast<uint64_t>(a.GetInt(i));
      result.SetInt(i, static_cast<int64_t>(bits >> 1 | (bits & 1)));
      result.SetDouble(i, 2 * result.GetDouble(i));
    } else {
      result.SetInt(i, a.GetInt(i));
    }
  }
  return result;
}

// Negation and magnitude only touch the sign bit, NaN or not.
Literal ChangeSign16(Opcode opcode, const Literal& a) {
  Literal result(a.shape());
  for (size_t i = 0; i < a.As<uint16_t>().size(); ++i) {
    const uint16_t bits = a.As<uint16_t>()[i];
    result.As<uint16_t>()[i] =
        static_cast<uint16_t>(opcode == Opcode::kAbs ? bits & 0x7fff : bits ^ 0x8000);
  }
  return result;
}

// Bits of a float as an integer that orders like TOTALORDER.
int64_t TotalOrderKey(const Literal& a, int64_t i) {
  int64_t bits = 0;
  const size_t at = static_cast<size_t>(i);
  switch (graph::ByteWidth(a.type())) {
    case 2: bits = static_cast<int16_t>(a.As<uint16_t>()[at]); break;
    case 4: bits = a.As<int32_t>()[at]; break;
    default: bits = a.As<int64_t>()[at]; break;
  }
  return bits < 0 ? bits ^ INT64_MAX : bits;
}

template <typename T>
bool Holds(CompareDirection direction, T a, T b) {
  switch (direction) {
    case CompareDirection::kEq: return a == b;
    case CompareDirection::kNe: return a != b;
    case CompareDirection::kGe: return a >= b;
    case CompareDirection::kGt: return a > b;
    case CompareDirection::kLe: return a <= b;
    case CompareDirection::kLt: return a < b;
  }
  return false;
}

}  // namespace

Literal EvalUnary(const Op& op, const Literal& a, const Shape& shape) {
  if (op.opcode == Opcode::kConvert) return Convert(a, shape);
  if (op.opcode == Opcode::kIsFinite) {
    Literal result(shape);
    for (int64_t i = 0; i < a.size(); ++i) result.SetInt(i, std::isfinite(a.GetDouble(i)));
    return result;
  }
  if (op.opcode == Opcode::kReducePrecision) {
    const auto& format = op.As<graph::ReducePrecisionAttributes>();
    Literal result(shape);
    for (int64_t i = 0; i < a.size(); ++i) {
      result.SetDouble(i, ReducePrecision(a.GetDouble(i), format.exponent_bits,
                                          format.mantissa_bits));
    }
    return result;
  }
  if (!graph::IsFloat(a.type())) {
    Literal result(shape);
    for (int64_t i = 0; i < a.size(); ++i) {
      result.SetInt(i, UnaryInteger(op.opcode, a.GetInt(i), a.type()));
    }
    return result;
  }
  const bool changes_sign = op.opcode == Opcode::kAbs || op.opcode == Opcode::kNegate;
  if (changes_sign && graph::ByteWidth(a.type()) == 2) return ChangeSign16(op.opcode, a);
  return MapFloat(
      a, [&](float x) { return UnaryF32(op.opcode, x); },
      [&](double x) { return UnaryF64(op.opcode, x); });
}

Literal EvalBinary(Opcode opcode, const Literal& a, const Literal& b) {
  Literal result(a.shape());
  const ElementType type = a.type();
  const size_t size = static_cast<size_t>(a.size());
  if (type == ElementType::kF32) {
    const auto x = a.As<float>(), y = b.As<float>();
    const auto z = result.As<float>();
    for (size_t i = 0; i < size; ++i) z[i] = BinaryF32(opcode, x[i], y[i]);
  } else if (type == ElementType::kF64) {
    const auto x = a.As<double>(), y = b.As<double>();
    const auto z = result.As<double>();
    for (size_t i = 0; i < size; ++i) z[i] = BinaryF64(opcode, x[i], y[i]);
  } else if (graph::IsFloat(type)) {
    const auto x = a.As<uint16_t>(), y = b.As<uint16_t>();
    const auto z = result.As<uint16_t>();
    for (size_t i = 0; i < size; ++i) {
      z[i] = opcode == Opcode::kNextAfter
                 ? NextAfter16(x[i], y[i], type)
                 : Narrow(type, BinaryF32(opcode, Widen(type, x[i]), Widen(type, y[i])));
    }
  } else {
    for (int64_t i = 0; i < a.size(); ++i) {
      result.SetInt(i, BinaryInteger(opcode, a.GetInt(i), b.GetInt(i), type));
    }
  }
  return result;
}

Literal EvalCompare(const Op& op, const Literal& a, const Literal& b) {
  const auto& compare = op.As<graph::CompareAttributes>();
  Literal result(Shape{ElementType::kI1, a.dims()});
  for (int64_t i = 0; i < a.size(); ++i) {
    bool holds = false;
    if (!graph::IsFloat(a.type())) {
      holds = graph::IsUnsigned(a.type())
                  ? Holds(compare.direction, static_cast<uint64_t>(a.GetInt(i)),
                          static_cast<uint64_t>(b.GetInt(i)))
                  : Holds(compare.direction, a.GetInt(i), b.GetInt(i));
    } else if (compare.total_order) {
      holds = Holds(compare.direction, TotalOrderKey(a, i), TotalOrderKey(b, i));
    } else {
      holds = Holds(compare.direction, a.GetDouble(i), b.GetDouble(i));
    }
    result.SetInt(i, holds);
  }
  return result;
}

Literal EvalSelect(const Literal& predicate, const Literal& a, const Literal& b) {
  if (predicate.shape().IsScalar()) return predicate.GetInt(0) != 0 ? a : b;
  Literal result(a.shape());
  for (int64_t i = 0; i < a.size(); ++i) {
    CopyElement(predicate.GetInt(i) != 0 ? a : b, i, result, i);
  }
  return result;
}

Literal EvalClamp(const Literal& low, const Literal& a, const Literal& high) {
  const auto spread = [&](const Literal& bound) {
    if (bound.shape() == a.shape()) return bound;
    Literal result(a.shape());
    for (int64_t i = 0; i < a.size(); ++i) CopyElement(bound, 0, result, i);
    return result;
  };
  return EvalBinary(Opcode::kMinimum, EvalBinary(Opcode::kMaximum, a, spread(low)), spread(high));
}

}  // namespace systolith::evaluator
