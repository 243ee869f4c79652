#include "sim/golden/float/operand.h"

namespace systolith::golden {
namespace {

constexpr int kBias = 127;

Operand Zero() { return {0, Operand::kFarBelow, OperandKind::kZero}; }

Operand Finite(bool negative, int significand, int exponent) {
  return {static_cast<int16_t>(negative ? -significand : significand),
          static_cast<int16_t>(exponent), OperandKind::kFinite};
}

Operand Special(bool negative, bool is_nan) {
  if (is_nan) return {0, Operand::kFarBelow, OperandKind::kNan};
  return {static_cast<int16_t>(negative ? -1 : 1), Operand::kFarBelow, OperandKind::kInf};
}

}  // namespace

Operand DecodeBf16(uint16_t bits) {
  const bool negative = bits >> 15;
  const int exponent = bits >> 7 & 0xff;
  const int fraction = bits & 0x7f;
  if (exponent == 0) return Zero();
  if (exponent == 0xff) return Special(negative, fraction != 0);
  return Finite(negative, 0x80 | fraction, exponent - kBias);
}

Operand DecodeF32Rounded(uint32_t bits) {
  const bool negative = bits >> 31;
  const uint32_t magnitude = bits & 0x7fffffff;
  if (magnitude < 0x00800000) return Zero();
  if (magnitude > 0x7f800000) return Special(negative, true);
  uint32_t upper = magnitude >> 16;
  const uint32_t lower = magnitude & 0xffff;
  const bool up = lower > 0x8000 || (lower == 0x8000 && (upper & 1) != 0);
  if (up) ++upper;
  return DecodeBf16(static_cast<uint16_t>(upper | (negative ? 0x8000 : 0)));
}

Operand DecodeF32Slice(uint32_t bits, int slice, bool leading) {
  const bool negative = bits >> 31;
  const int exponent = static_cast<int>(bits >> 23 & 0xff);
  const uint32_t fraction = bits & 0x7fffff;
  if (exponent == 0xff) return leading ? Special(negative, fraction != 0) : Operand{};
  if (exponent == 0) return Zero();
  const int byte = static_cast<int>((0x800000 | fraction) >> (8 * (2 - slice)) & 0xff);
  if (byte == 0) return Zero();
  return Finite(negative, byte, exponent - kBias - 8 * slice);
}

}  // namespace systolith::golden
