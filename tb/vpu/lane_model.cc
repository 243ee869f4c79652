#include "tb/vpu/lane_model.h"

#include <bit>
#include <cmath>
#include <cstdlib>

namespace systolith::tb {
namespace {

using arch::LaneType;
using arch::VectorOp;

constexpr uint32_t kNan = 0x7fc00000;

float Float(uint32_t bits) { return std::bit_cast<float>(bits); }
int32_t Signed(uint32_t bits) { return static_cast<int32_t>(bits); }

// Subnormal operands count as zero of their sign.
float Operand(uint32_t bits) {
  const float value = Float(bits);
  return std::fpclassify(value) == FP_SUBNORMAL ? std::copysign(0.0f, value) : value;
}

// Rounds a value that a double holds exactly. Tiny before rounding: zero of its sign.
uint32_t Rounded(double exact) {
  if (std::isnan(exact)) return kNan;
  if (std::fabs(exact) < 0x1p-126) {
    return std::bit_cast<uint32_t>(std::copysign(0.0f, static_cast<float>(exact)));
  }
  return std::bit_cast<uint32_t>(static_cast<float>(exact));
}

// The sum of two floats that is tiny is exact, so the host's rounding decides nothing there.
uint32_t Add(float a, float b) {
  const float sum = a + b;
  if (std::isnan(sum)) return kNan;
  if (sum != 0 && std::fabs(sum) < 0x1p-126f) {
    return std::bit_cast<uint32_t>(std::copysign(0.0f, sum));
  }
  return std::bit_cast<uint32_t>(sum);
}

uint32_t Multiply(uint32_t a, uint32_t b) {
  return Rounded(static_cast<double>(Operand(a)) * static_cast<double>(Operand(b)));
}

uint32_t Extreme(uint32_t x, uint32_t y, bool maximum) {
  const float a = Float(x), b = Float(y);
  if (std::isnan(a) || std::isnan(b)) return kNan;
  const bool a_is_less = a == b ? std::signbit(a) && !std::signbit(b) : a < b;
  return a_is_less == maximum ? y : x;
}

uint32_t RoundEven(uint32_t x) {
  if (std::isnan(Float(x))) return kNan;
  return std::bit_cast<uint32_t>(std::nearbyint(Operand(x)));
}

uint32_t FromS32(uint32_t x) { return std::bit_cast<uint32_t>(static_cast<float>(Signed(x))); }

uint32_t ToS32(uint32_t x) {
  const double value = Operand(x);
  if (std::isnan(value)) return 0;
  if (value >= 0x1p31) return 0x7fffffff;
  if (value <= -0x1p31) return 0x80000000;
  return static_cast<uint32_t>(static_cast<int32_t>(value));
}

uint32_t Bf16(uint32_t x) {
  if (std::isnan(Float(x))) return 0x7fc0;
  // To nearest: the candidate below (in magnitude) or the one above, the even one in the middle.
  const uint32_t below = x >> 16;
  const uint32_t rest = x & 0xffff;
  return rest > 0x8000 || (rest == 0x8000 && below % 2 == 1) ? below + 1 : below;
}

uint32_t Requantize(uint32_t x, uint32_t scale) {
  const float value = Float(RoundEven(Multiply(FromS32(x), scale)));
  if (std::isnan(value)) return 0;
  return static_cast<uint32_t>(static_cast<int32_t>(std::fmin(std::fmax(value, -128.0f), 127.0f)));
}

}  // namespace

uint32_t LaneStep(VectorOp op, uint32_t x, uint32_t y) {
  switch (op) {
    case VectorOp::kCopy: return y;
    case VectorOp::kAddF32: return Add(Operand(x), Operand(y));
    case VectorOp::kSubtractF32: return Add(Operand(x), -Operand(y));
    case VectorOp::kReverseSubtractF32: return Add(Operand(y), -Operand(x));
    case VectorOp::kMultiplyF32: return Multiply(x, y);
    case VectorOp::kMaximumF32: return Extreme(x, y, true);
    case VectorOp::kMinimumF32: return Extreme(x, y, false);
    case VectorOp::kRoundEvenF32: return RoundEven(x);
    case VectorOp::kAddS32: return x + y;
    case VectorOp::kSubtractS32: return x - y;
    case VectorOp::kReverseSubtractS32: return y - x;
    case VectorOp::kMultiplyS32: return x * y;
    case VectorOp::kMaximumS32: return Signed(x) > Signed(y) ? x : y;
    case VectorOp::kMinimumS32: return Signed(x) < Signed(y) ? x : y;
    case VectorOp::kS32ToF32: return FromS32(x);
    case VectorOp::kF32ToS32: return ToS32(x);
    case VectorOp::kRoundBf16: return Bf16(x) << 16;
    case VectorOp::kRequantize: return Requantize(x, y);
  }
  std::abort();
}

int ElementBytes(LaneType type) {
  return type == LaneType::kS8 ? 1 : type == LaneType::kBf16 ? 2 : 4;
}

uint32_t LaneFromElement(LaneType type, uint32_t element) {
  if (type == LaneType::kBf16) return element << 16;
  if (type == LaneType::kS8) return static_cast<uint32_t>(static_cast<int8_t>(element));
  return element;
}

uint32_t ElementFromLane(LaneType type, uint32_t lane) {
  if (type == LaneType::kBf16) return Bf16(lane);
  if (type == LaneType::kS8) return lane & 0xff;
  return lane;
}

}  // namespace systolith::tb
