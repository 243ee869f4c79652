#ifndef SYSTOLITH_SIM_GOLDEN_FLOAT_OPERAND_H_
#define SYSTOLITH_SIM_GOLDEN_FLOAT_OPERAND_H_

#include <cstdint>

namespace systolith::golden {

enum class OperandKind : uint8_t { kAbsent, kZero, kFinite, kInf, kNan };

// One operand of the MXU as rtl/float/README.md decodes it. A finite one has the value
// significand * 2^(exponent - 7). All others carry kFarBelow as exponent, so that a maximum over
// exponents of products never picks them; the significand of an Inf is its sign, of the rest 0.
struct Operand {
  static constexpr int16_t kFarBelow = -8192;

  int16_t significand = 0;  // signed, magnitude at most 255
  int16_t exponent = kFarBelow;
  OperandKind kind = OperandKind::kAbsent;

  bool IsSpecial() const { return kind == OperandKind::kInf || kind == OperandKind::kNan; }
};

Operand DecodeBf16(uint16_t bits);

// fp32 rounded to bf16, nearest even; a subnormal is zero before it is rounded.
Operand DecodeF32Rounded(uint32_t bits);

// Byte `slice` (0, 1, 2; 0 leads) of the significand. Inf and NaN act as such in the `leading`
// pass (byte 0 by byte 0) and are absent in all others.
Operand DecodeF32Slice(uint32_t bits, int slice, bool leading);

}  // namespace systolith::golden

#endif  // SYSTOLITH_SIM_GOLDEN_FLOAT_OPERAND_H_
