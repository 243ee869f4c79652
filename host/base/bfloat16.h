#ifndef SYSTOLITH_HOST_BASE_BFLOAT16_H_
#define SYSTOLITH_HOST_BASE_BFLOAT16_H_

#include <bit>
#include <cmath>
#include <cstdint>

// The 16-bit floats, held as their bits in uint16_t. Every conversion rounds to nearest even once
// and keeps subnormals.
namespace systolith {

inline float FloatFromBfloat16(uint16_t bits) {
  return std::bit_cast<float>(static_cast<uint32_t>(bits) << 16);
}

// Every NaN becomes 0x7fc0.
inline uint16_t Bfloat16FromFloat(float value) {
  if (std::isnan(value)) return 0x7fc0;
  const uint32_t bits = std::bit_cast<uint32_t>(value);
  return static_cast<uint16_t>((bits + 0x7fff + ((bits >> 16) & 1)) >> 16);
}

// The float toward zero with its last bit set where that is inexact: rounding it once more to a
// narrower type gives what one rounding of `value` would have given.
inline float FloatRoundedToOdd(double value) {
  const float nearest = static_cast<float>(value);
  if (std::isnan(value) || static_cast<double>(nearest) == value) return nearest;
  uint32_t bits = std::bit_cast<uint32_t>(nearest);
  if (std::fabs(static_cast<double>(nearest)) > std::fabs(value)) bits -= 1;
  return std::bit_cast<float>(bits | 1);
}

inline uint16_t Bfloat16FromDouble(double value) {
  return Bfloat16FromFloat(FloatRoundedToOdd(value));
}

inline float FloatFromFloat16(uint16_t bits) {
  const uint32_t sign = static_cast<uint32_t>(bits & 0x8000) << 16;
  const uint32_t exponent = (bits >> 10) & 0x1f;
  const uint32_t mantissa = bits & 0x3ff;
  if (exponent == 0) {
    const float magnitude = std::ldexp(static_cast<float>(mantissa), -24);
    return sign != 0 ? -magnitude : magnitude;
  }
  const uint32_t wide_exponent = exponent == 0x1f ? 0xff : exponent + 112;
  return std::bit_cast<float>(sign | (wide_exponent << 23) | (mantissa << 13));
}

// Every NaN becomes 0x7e00.
inline uint16_t Float16FromFloat(float value) {
  if (std::isnan(value)) return 0x7e00;
  const uint32_t bits = std::bit_cast<uint32_t>(value);
  const uint16_t sign = static_cast<uint16_t>((bits >> 16) & 0x8000);
  const uint32_t magnitude = bits & 0x7fffffff;
  if (magnitude >= 0x47800000) return sign | 0x7c00;  // 2^16 and above
  if (magnitude < 0x38800000) {                       // below 2^-14: a multiple of 2^-24
    const float steps = std::nearbyint(std::ldexp(std::bit_cast<float>(magnitude), 24));
    return static_cast<uint16_t>(sign | static_cast<uint16_t>(steps));
  }
  const uint32_t rebased = magnitude - (112u << 23);
  return static_cast<uint16_t>(sign | ((rebased + 0xfff + ((rebased >> 13) & 1)) >> 13));
}

inline uint16_t Float16FromDouble(double value) {
  return Float16FromFloat(FloatRoundedToOdd(value));
}

}  // namespace systolith

#endif  // SYSTOLITH_HOST_BASE_BFLOAT16_H_
