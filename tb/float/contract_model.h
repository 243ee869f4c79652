#ifndef SYSTOLITH_TB_FLOAT_CONTRACT_MODEL_H_
#define SYSTOLITH_TB_FLOAT_CONTRACT_MODEL_H_

#include <cmath>
#include <cstdint>
#include <cstring>
#include <span>

namespace systolith::tb {

// The numeric contract (rtl/float/README.md) as plain arithmetic: exact integers and ldexp on
// doubles. It shares no method with the RTL and no code with sim/golden.

// The order of float_operand_pkg::format_t.
enum class Format {
  kInt8,
  kBf16,
  kFp32Rounded,
  kFp32Leading,
  kFp32Byte0,
  kFp32Byte1,
  kFp32Byte2,
};

inline float ToFloat(uint32_t bits) {
  float value;
  std::memcpy(&value, &bits, 4);
  return value;
}
inline uint32_t ToBits(float value) {
  uint32_t bits;
  std::memcpy(&bits, &value, 4);
  return bits;
}

// A multiplicand: significand * 2^(exponent - 7), or one of the kinds that have no such value.
struct Operand {
  enum Kind { kAbsent, kZero, kFinite, kInf, kNan } kind = kAbsent;
  bool negative = false;
  int exponent = 0;
  int significand = 0;
};

inline Operand ReadOperand(uint32_t raw, Format format) {
  const uint32_t bits = format == Format::kBf16 ? raw << 16 : raw;
  const float value = ToFloat(bits);
  Operand operand;
  operand.negative = bits >> 31;
  const bool passes_specials =
      format != Format::kFp32Byte0 && format != Format::kFp32Byte1 && format != Format::kFp32Byte2;
  if (!std::isfinite(value)) {
    if (passes_specials) operand.kind = std::isnan(value) ? Operand::kNan : Operand::kInf;
    return operand;
  }
  operand.kind = Operand::kZero;
  if (std::fabs(value) < 0x1p-126f) return operand;
  int exponent;
  // In [2^23, 2^24): the 24-bit significand.
  double significand = std::ldexp(std::frexp(std::fabs(double{value}), &exponent), 24);
  exponent -= 1;
  int byte = 0;
  if (format == Format::kFp32Rounded) {
    significand = std::nearbyint(significand * 0x1p-16);
    if (significand == 256) significand = 128, exponent++;
    if (exponent > 127) {
      operand.kind = Operand::kInf;
      return operand;
    }
    operand.significand = static_cast<int>(significand);
  } else {
    byte = format == Format::kFp32Byte1 ? 1 : format == Format::kFp32Byte2 ? 2 : 0;
    operand.significand = static_cast<int>(significand) >> (16 - 8 * byte) & 255;
  }
  operand.exponent = exponent - 8 * byte;
  if (operand.significand != 0) operand.kind = Operand::kFinite;
  return operand;
}

// Eight terms or fewer; the missing ones are absent.
inline uint32_t Fused8(uint32_t c, std::span<const Operand> a, std::span<const Operand> w) {
  constexpr uint32_t kNan = 0x7fc00000;
  const float partial = ToFloat(c);
  bool nan = std::isnan(partial), plus = c == 0x7f800000, minus = c == 0xff800000;
  const bool partial_is_zero = std::fabs(partial) < 0x1p-126f;
  int top = -127;
  if (!partial_is_zero && std::isfinite(partial)) top = std::ilogb(partial);
  for (size_t i = 0; i < a.size(); i++) {
    const Operand &x = a[i], &y = w[i];
    if (x.kind == Operand::kAbsent || y.kind == Operand::kAbsent) continue;
    const bool infinite = x.kind == Operand::kInf || y.kind == Operand::kInf;
    const bool zero = x.kind == Operand::kZero || y.kind == Operand::kZero;
    if (x.kind == Operand::kNan || y.kind == Operand::kNan || (infinite && zero))
      nan = true;
    else if (infinite)
      (x.negative != y.negative ? minus : plus) = true;
    else if (!zero && x.exponent + y.exponent > top)
      top = x.exponent + y.exponent;
  }
  if (nan || (plus && minus)) return kNan;
  if (plus || minus) return plus ? 0x7f800000 : 0xff800000;

  // Grid steps of 2^(top - 25) in each magnitude, cut toward zero.
  double steps = 0;  // integers below 2^53 are exact
  if (!partial_is_zero) {
    steps = std::trunc(std::ldexp(double{partial}, 25 - top));
  }
  for (size_t i = 0; i < a.size(); i++) {
    if (a[i].kind != Operand::kFinite || w[i].kind != Operand::kFinite) continue;
    const double magnitude = std::floor(std::ldexp(double(a[i].significand * w[i].significand),
                                                   a[i].exponent + w[i].exponent - 14 + 25 - top));
    steps += a[i].negative != w[i].negative ? -magnitude : magnitude;
  }
  const double sum = std::ldexp(steps, top - 25);
  if (std::fabs(sum) < 0x1p-126) return 0;
  return ToBits(static_cast<float>(sum));
}

// A whole dot product from `c`: groups of eight in order.
inline uint32_t Fold(uint32_t c, std::span<const Operand> a, std::span<const Operand> w) {
  for (size_t k = 0; k < a.size(); k += 8) {
    const size_t count = a.size() - k < 8 ? a.size() - k : 8;
    c = Fused8(c, a.subspan(k, count), w.subspan(k, count));
  }
  return c;
}

}  // namespace systolith::tb

#endif  // SYSTOLITH_TB_FLOAT_CONTRACT_MODEL_H_
