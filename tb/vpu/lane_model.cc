#include "tb/vpu/lane_model.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdlib>

namespace systolith::tb {
namespace {

using arch::AluOp;
using arch::LaneOp;

constexpr uint32_t kNan = 0x7fc00000;
constexpr double kSmallestNormal = 0x1p-126;

float Float(uint32_t bits) { return std::bit_cast<float>(bits); }
uint32_t Bits(float value) { return std::bit_cast<uint32_t>(value); }
int32_t Signed(uint32_t bits) { return static_cast<int32_t>(bits); }
uint32_t Truth(bool value) { return value ? 0xffffffff : 0; }

// Subnormal operands count as zero of their sign.
float Operand(uint32_t bits) {
  const float value = Float(bits);
  return std::fpclassify(value) == FP_SUBNORMAL ? std::copysign(0.0f, value) : value;
}

// A result that the host rounded; `tiny`: the exact one is below 2^-126.
uint32_t Result(float rounded, bool tiny) {
  if (std::isnan(rounded)) return kNan;
  return Bits(tiny ? std::copysign(0.0f, rounded) : rounded);
}

// Rounds a value that a double holds exactly.
uint32_t Rounded(double exact) {
  return Result(static_cast<float>(exact), std::fabs(exact) < kSmallestNormal);
}

// The exact sum is the double `sum` and the double `error`; it decides what the host's rounding
// hides: whether a result of 2^-126 was smaller before it.
uint32_t MultiplyAdd(uint32_t x, uint32_t y, uint32_t z) {
  const float a = Operand(x), b = Operand(y), c = Operand(z);
  const double product = static_cast<double>(a) * b;
  const double sum = product + c;
  const double part = sum - product;
  const double error = (product - (sum - part)) + (c - part);
  const bool tiny = std::fabs(sum) < kSmallestNormal ||
                    (std::fabs(sum) == kSmallestNormal && error * sum < 0);
  return Result(std::fma(a, b, c), tiny);
}

// A sum of two floats that is tiny is exact.
uint32_t Add(uint32_t x, uint32_t y) {
  const float sum = Operand(x) + Operand(y);
  return Result(sum, std::fabs(sum) < kSmallestNormal);
}

uint32_t Divide(uint32_t x, uint32_t y) {
  const float a = Operand(x), b = Operand(y);
  const bool tiny = std::isfinite(b) && std::fabs(double{a}) < std::fabs(b) * kSmallestNormal;
  return Result(a / b, tiny);
}

uint32_t Extreme(uint32_t x, uint32_t y, bool maximum) {
  const float a = Float(x), b = Float(y);
  if (std::isnan(a) || std::isnan(b)) return kNan;
  const bool a_is_less = a == b ? std::signbit(a) && !std::signbit(b) : a < b;
  return a_is_less == maximum ? y : x;
}

uint32_t Scale(uint32_t x, uint32_t count) {
  return Rounded(std::ldexp(double{Operand(x)}, std::clamp(Signed(count), -500, 500)));
}

uint32_t ToInteger(uint32_t x, double low, double high) {
  const double value = Float(x);
  if (std::isnan(value)) return 0;
  return static_cast<uint32_t>(static_cast<int64_t>(std::trunc(std::clamp(value, low, high))));
}

// To nearest: the candidate below (in magnitude) or the one above, the even one in the middle.
uint32_t RoundBf16(uint32_t x) {
  if (std::isnan(Float(x))) return kNan;
  const uint32_t below = x >> 16;
  const uint32_t rest = x & 0xffff;
  return (rest > 0x8000 || (rest == 0x8000 && below % 2 == 1) ? below + 1 : below) << 16;
}

uint32_t RoundF16(uint32_t x) {
  const double value = Float(x);
  if (std::isnan(value)) return kNan;
  if (std::isinf(value) || value == 0) return x;
  const double grid = std::ldexp(1.0, std::max(std::ilogb(value), -14) - 10);
  const double rounded = std::nearbyint(value / grid) * grid;
  return Bits(static_cast<float>(std::fabs(rounded) > 65504 ? value * INFINITY : rounded));
}

// The contract's words: a shift to the left, a rounding product, a rounding shift to the right.
uint32_t RequantizeDouble(uint32_t x, uint32_t y, uint32_t z) {
  const int shift = std::clamp(Signed(z), -31, 30);
  const int64_t a = Signed(static_cast<uint32_t>(x * (uint64_t{1} << std::max(shift, 0))));
  const int64_t m = Signed(y);
  const int64_t product = a * m;
  int64_t h = (product + (product >= 0 ? int64_t{1} << 30 : 1 - (int64_t{1} << 30))) /
              (int64_t{1} << 31);
  if (a == INT32_MIN && m == INT32_MIN) h = INT32_MAX;
  const int r = std::max(-shift, 0);
  const int64_t mask = (int64_t{1} << r) - 1;
  return static_cast<uint32_t>((h >> r) + ((h & mask) > (mask >> 1) + (h < 0) ? 1 : 0));
}

uint32_t RequantizeSingle(uint32_t x, uint32_t y, uint32_t z) {
  const int shift = std::clamp(Signed(z), -31, 30);
  const __int128 product = static_cast<__int128>(Signed(x)) * Signed(y);
  const __int128 rounded = (product + (__int128{1} << (30 - shift))) >> (31 - shift);
  const __int128 low = INT32_MIN, high = INT32_MAX;
  return static_cast<uint32_t>(static_cast<int32_t>(std::clamp(rounded, low, high)));
}

uint32_t Folded(LaneOp op, uint32_t a, uint32_t b) {
  switch (op) {
    case LaneOp::kReduceAddF32: return Add(a, b);
    case LaneOp::kReduceMaximumF32: return Extreme(a, b, true);
    case LaneOp::kReduceMinimumF32: return Extreme(a, b, false);
    case LaneOp::kReduceAddS32: return a + b;
    case LaneOp::kReduceMaximumS32: return Signed(a) > Signed(b) ? a : b;
    case LaneOp::kReduceMinimumS32: return Signed(a) < Signed(b) ? a : b;
    case LaneOp::kReduceAnd: return a & b;
    case LaneOp::kReduceOr: return a | b;
    default: std::abort();
  }
}

uint32_t Reduced(LaneOp op, Group segment) {
  for (size_t d = segment.size() / 2; d > 0; d /= 2) {
    for (size_t i = 0; i < d; ++i) segment[i] = Folded(op, segment[i], segment[i + d]);
  }
  return segment[0];
}

uint32_t ArgExtreme(const Group& segment, bool maximum) {
  uint32_t best = 0;
  for (uint32_t i = 0; i < segment.size(); ++i) {
    if (std::isnan(Float(segment[i]))) return i;
    const float value = Float(segment[i]), held = Float(segment[best]);
    const bool less = value == held ? std::signbit(value) && !std::signbit(held) : value < held;
    const bool same = segment[i] == segment[best];
    if (!same && less != maximum) best = i;
  }
  return best;
}

}  // namespace

uint32_t AluResult(AluOp op, uint32_t x, uint32_t y, uint32_t z) {
  switch (op) {
    case AluOp::kAddF32: return Add(x, y);
    case AluOp::kSubtractF32: return Add(x, y ^ 0x80000000);
    case AluOp::kMultiplyF32: return Rounded(double{Operand(x)} * Operand(y));
    case AluOp::kMultiplyAddF32: return MultiplyAdd(x, y, z);
    case AluOp::kMultiplySubtractF32: return MultiplyAdd(x ^ 0x80000000, y, z);
    case AluOp::kMaximumF32: return Extreme(x, y, true);
    case AluOp::kMinimumF32: return Extreme(x, y, false);
    case AluOp::kDivideF32: return Divide(x, y);
    case AluOp::kSquareRootF32: return Result(std::sqrt(Operand(x)), false);
    case AluOp::kScaleF32: return Scale(x, y);
    case AluOp::kRoundEvenF32: return Result(std::nearbyint(Operand(x)), false);
    case AluOp::kRoundAwayF32: return Result(std::round(Operand(x)), false);
    case AluOp::kFloorF32: return Result(std::floor(Float(x)), false);
    case AluOp::kCeilingF32: return Result(std::ceil(Float(x)), false);
    case AluOp::kEqualF32: return Truth(Float(x) == Float(y));
    case AluOp::kLessF32: return Truth(Float(x) < Float(y));
    case AluOp::kLessEqualF32: return Truth(Float(x) <= Float(y));
    case AluOp::kAddS32: return x + y;
    case AluOp::kSubtractS32: return x - y;
    case AluOp::kMultiplyS32: return x * y;
    case AluOp::kMultiplyHighS32:
      return static_cast<uint32_t>((int64_t{Signed(x)} * Signed(y)) >> 32);
    case AluOp::kMultiplyHighU32: return static_cast<uint32_t>((uint64_t{x} * y) >> 32);
    case AluOp::kMaximumS32: return Signed(x) > Signed(y) ? x : y;
    case AluOp::kMinimumS32: return Signed(x) < Signed(y) ? x : y;
    case AluOp::kMaximumU32: return std::max(x, y);
    case AluOp::kMinimumU32: return std::min(x, y);
    case AluOp::kAnd: return x & y;
    case AluOp::kOr: return x | y;
    case AluOp::kXor: return x ^ y;
    case AluOp::kAndNot: return x & ~y;
    case AluOp::kShiftLeft: return y > 31 ? 0 : x << y;
    case AluOp::kShiftRightLogical: return y > 31 ? 0 : x >> y;
    case AluOp::kShiftRightArithmetic:
      return static_cast<uint32_t>(Signed(x) >> std::min(y, 31u));
    case AluOp::kRotateLeft: return std::rotl(x, static_cast<int>(y % 32));
    case AluOp::kEqualS32: return Truth(x == y);
    case AluOp::kLessS32: return Truth(Signed(x) < Signed(y));
    case AluOp::kLessU32: return Truth(x < y);
    case AluOp::kSelect: return x != 0 ? y : z;
    case AluOp::kPopulationCount: return static_cast<uint32_t>(std::popcount(x));
    case AluOp::kCountLeadingZeros: return static_cast<uint32_t>(std::countl_zero(x));
    case AluOp::kS32ToF32: return Bits(static_cast<float>(Signed(x)));
    case AluOp::kU32ToF32: return Bits(static_cast<float>(x));
    case AluOp::kF32ToS32: return ToInteger(x, INT32_MIN, INT32_MAX);
    case AluOp::kF32ToU32: return ToInteger(x, 0, UINT32_MAX);
    case AluOp::kRoundBf16: return RoundBf16(x);
    case AluOp::kRoundF16: return RoundF16(x);
    case AluOp::kExponentF32: return (x >> 23 & 0xff) - 127;
    case AluOp::kRequantizeDouble: return RequantizeDouble(x, y, z);
    case AluOp::kRequantizeSingle: return RequantizeSingle(x, y, z);
    case AluOp::kCopy: return x;
    case AluOp::kNone:
    case AluOp::kLookup: break;
  }
  std::abort();
}

Group LaneResult(LaneOp op, GroupShape shape, const Group& x, const Group& y, uint32_t amount) {
  const int lanes = shape.lanes, count = shape.Count();
  const int length = std::min(lanes, arch::kSegmentLanes);
  Group both = x;
  both.insert(both.end(), y.begin(), y.end());
  const auto slid = std::min(amount, static_cast<uint32_t>(count));
  Group result(count);
  for (int e = 0; e < count; ++e) {
    const int row = e / lanes, lane = e % lanes, first = e - e % length;
    const Group segment(x.begin() + first, x.begin() + first + length);
    switch (op) {
      case LaneOp::kArgMaximumF32:
      case LaneOp::kArgMinimumF32:
        result[e] = first % lanes + ArgExtreme(segment, op == LaneOp::kArgMaximumF32);
        break;
      case LaneOp::kBroadcastLane: result[e] = segment[amount % length]; break;
      case LaneOp::kRotateLanes:
        result[e] = x[row * lanes + (lane + uint64_t{amount}) % lanes];
        break;
      case LaneOp::kBroadcastRow: result[e] = x[amount % shape.sublanes * lanes + lane]; break;
      case LaneOp::kSlide: result[e] = both[e + slid]; break;
      case LaneOp::kLaneIndex: result[e] = lane; break;
      case LaneOp::kRowIndex: result[e] = row; break;
      default: result[e] = e == first ? Reduced(op, segment) : result[e - 1]; break;
    }
  }
  return result;
}

}  // namespace systolith::tb
