#ifndef SYSTOLITH_SIM_GOLDEN_FLOAT_LANE_ARITHMETIC_H_
#define SYSTOLITH_SIM_GOLDEN_FLOAT_LANE_ARITHMETIC_H_

#include <cstdint>

namespace systolith::golden {

// The arithmetic of one vector lane (rtl/arch/README.md, "Steps"). Lanes are 32 bits; f32 values
// are passed as bits. Subnormal inputs count as zero of their sign, results whose magnitude is
// below 2^-126 before rounding are zero of their sign, every NaN is 0x7fc00000.
uint32_t AddF32(uint32_t x, uint32_t y);
uint32_t SubtractF32(uint32_t x, uint32_t y);
uint32_t MultiplyF32(uint32_t x, uint32_t y);

// NaN if either is; +0 is above -0; else the bits of the chosen operand, subnormals kept.
uint32_t MaximumF32(uint32_t x, uint32_t y);
uint32_t MinimumF32(uint32_t x, uint32_t y);

// To an integral value, ties to even; the sign of a zero is kept.
uint32_t RoundEvenF32(uint32_t x);

// Nearest even.
uint32_t S32ToF32(uint32_t x);
// Toward zero, saturating; NaN gives 0.
uint32_t F32ToS32(uint32_t x);

// Nearest even; NaN gives 0x7fc0, subnormals are kept.
uint16_t F32ToBf16(uint32_t x);
inline uint32_t Bf16ToF32(uint16_t x) { return static_cast<uint32_t>(x) << 16; }

// s32 -> f32, times `scale`, to the nearest even integer, clamped to [-128, 127]; NaN gives 0.
uint32_t Requantize(uint32_t x, uint32_t scale);

}  // namespace systolith::golden

#endif  // SYSTOLITH_SIM_GOLDEN_FLOAT_LANE_ARITHMETIC_H_
