#ifndef SYSTOLITH_TESTS_KERNELS_FUNCTIONS_INPUTS_H_
#define SYSTOLITH_TESTS_KERNELS_FUNCTIONS_INPUTS_H_

#include <cmath>
#include <cstdint>
#include <random>
#include <span>
#include <vector>

#include "sim/golden/float/lane_arithmetic.h"

// Inputs of the function tests, as bits.
namespace systolith::testing {

// Half of them any bits, half of magnitudes from 2^-24 to 2^8, where functions bend.
inline uint32_t RandomInput(std::mt19937_64& rng) {
  const uint64_t bits = rng();
  const auto low = static_cast<uint32_t>(bits);
  if ((bits >> 32 & 1) != 0) return low;
  return (low & 0x807fffff) | (103 + static_cast<uint32_t>(bits >> 33) % 32) << 23;
}

// A second operand for `x`: as RandomInput, or so that x^y is anywhere in the range of f32.
inline uint32_t RandomSecondInput(std::mt19937_64& rng, uint32_t x) {
  const uint32_t any = RandomInput(rng);
  const double log = std::log2(std::fabs(double{golden::lane::Float(x)}));
  if (rng() % 2 == 0 || !std::isfinite(log) || log == 0) return any;
  const double exponent = std::ldexp(static_cast<double>(rng() >> 11), -53) * 300 - 150;
  return golden::lane::Bits(static_cast<float>(exponent / log));
}

// Any bits, few bits, numbers around powers of two, small numbers.
inline uint32_t RandomInteger(std::mt19937_64& rng) {
  const uint64_t bits = rng();
  const auto low = static_cast<uint32_t>(bits);
  const auto shift = static_cast<uint32_t>(bits >> 32) % 32;
  switch (bits >> 40 & 3) {
    case 0: return low;
    case 1: return low >> shift;
    case 2: return (uint32_t{1} << shift) + low % 5 - 2;
    default: return 0 - (low >> shift);
  }
}

// A third operand: any, or so that x * y + z cancels to its last bits.
inline uint32_t RandomThirdInput(std::mt19937_64& rng, uint32_t x, uint32_t y) {
  const uint32_t any = RandomInput(rng);
  if (rng() % 2 == 0) return any;
  const float product = -golden::lane::Float(x) * golden::lane::Float(y);
  return golden::lane::Bits(product) + static_cast<uint32_t>(rng() % 3) - 1;
}

// Zeros, subnormals, infinities, NaNs, the ends of the range.
inline std::vector<uint32_t> SpecialInputs() {
  std::vector<uint32_t> inputs;
  for (const uint32_t bits :
       {0x00000000u, 0x00000001u, 0x007fffffu, 0x00800000u, 0x00800001u, 0x00ffffffu, 0x01000000u,
        0x7f7fffffu, 0x7f800000u, 0x7f800001u, 0x7fc00000u, 0x7fffffffu}) {
    inputs.push_back(bits);
    inputs.push_back(bits | 0x80000000);
  }
  return inputs;
}

// The special inputs and the neighbourhoods of what some function may find remarkable: powers of
// two, halves, multiples of pi / 4 and of log 2 / 2.
inline std::vector<uint32_t> RemarkableInputs() {
  std::vector<uint32_t> inputs = SpecialInputs();
  const auto add = [&inputs](double value) {
    const uint32_t bits = golden::lane::Bits(static_cast<float>(value));
    for (uint32_t near = bits - 2; near != bits + 3; ++near) {
      inputs.push_back(near);
      inputs.push_back(near | 0x80000000);
    }
  };
  for (int exponent = -126; exponent < 128; ++exponent) add(std::ldexp(1.0, exponent));
  for (int i = 1; i <= 512; ++i) {
    add(i / 2.0);
    add(i * M_PI_4);
    add(i * M_LN2 / 2);
  }
  return inputs;
}

// Operands of a function of which every bit counts, floating-point or not, one after another.
class RandomOperands {
 public:
  explicit RandomOperands(std::mt19937_64& rng) : rng_(rng), special_(SpecialInputs()) {
    for (uint32_t i = 0; i < 10; ++i) {
      for (const uint32_t bits : {i, 0 - i, 0x80000000 + i, 0x7fffffff - i}) {
        special_.push_back(bits);
      }
    }
  }
  void Draw(std::span<uint32_t> operands) {
    for (uint32_t& operand : operands) {
      const uint64_t choice = rng_();
      operand = choice % 4 == 0   ? special_[choice / 4 % special_.size()]
                : choice % 4 == 1 ? RandomInteger(rng_)
                                  : RandomInput(rng_);
    }
    if (operands.size() == 3 && rng_() % 2 == 0) {
      operands[2] = RandomThirdInput(rng_, operands[0], operands[1]);
    }
  }

 private:
  std::mt19937_64& rng_;
  std::vector<uint32_t> special_;
};

}  // namespace systolith::testing

#endif  // SYSTOLITH_TESTS_KERNELS_FUNCTIONS_INPUTS_H_
