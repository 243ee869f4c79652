#include "sim/golden/float/lane_operations.h"

#include <algorithm>
#include <array>
#include <utility>

#include "sim/golden/float/lane_arithmetic.h"

namespace systolith::golden {
namespace {

using arch::AluOp;
using arch::LaneOp;

// The operation of the ALU that a reduction repeats; none: it is no reduction.
AluOp Reduces(LaneOp op) {
  switch (op) {
    case LaneOp::kReduceAddF32: return AluOp::kAddF32;
    case LaneOp::kReduceMaximumF32: return AluOp::kMaximumF32;
    case LaneOp::kReduceMinimumF32: return AluOp::kMinimumF32;
    case LaneOp::kReduceAddS32: return AluOp::kAddS32;
    case LaneOp::kReduceMaximumS32: return AluOp::kMaximumS32;
    case LaneOp::kReduceMinimumS32: return AluOp::kMinimumS32;
    case LaneOp::kReduceAnd: return AluOp::kAnd;
    case LaneOp::kReduceOr: return AluOp::kOr;
    default: return AluOp::kNone;
  }
}

uint32_t Reduce(AluOp op, std::span<const uint32_t> segment) {
  std::array<uint32_t, arch::kSegmentLanes> partial;
  std::copy(segment.begin(), segment.end(), partial.begin());
  for (size_t distance = segment.size() / 2; distance > 0; distance /= 2) {
    for (size_t i = 0; i < distance; ++i) {
      partial[i] = EvaluateAlu(op, partial[i], partial[i + distance], 0);
    }
  }
  return partial[0];
}

// Index in the segment of its extreme; `sign` is 1 for the largest, -1 for the smallest.
uint32_t Extreme(std::span<const uint32_t> segment, int64_t sign) {
  uint32_t best = 0;
  for (uint32_t i = 0; i < segment.size(); ++i) {
    if (lane::IsNan(segment[i])) return i;
    if (sign * lane::Order(segment[i]) > sign * lane::Order(segment[best])) best = i;
  }
  return best;
}

using AluLoop = void (*)(const uint32_t*, const uint32_t*, const uint32_t*, uint32_t*, size_t);

// One loop per operation, with the choice of the operation outside of it.
template <arch::AluOp op, uint32_t sources>
void AluLoopOf(const uint32_t* x, const uint32_t* y, const uint32_t* z, uint32_t* result,
               size_t count) {
  for (size_t i = 0; i < count; ++i) {
    result[i] = EvaluateAlu(op, sources > 0 ? x[i] : 0, sources > 1 ? y[i] : 0,
                            sources > 2 ? z[i] : 0);
  }
}

template <size_t... i>
constexpr std::array<AluLoop, 256> AluLoops(std::index_sequence<i...>) {
  std::array<AluLoop, 256> loops{};
  ((loops[arch::kAluOps[i].code] =
        AluLoopOf<static_cast<AluOp>(arch::kAluOps[i].code), arch::kAluOps[i].sources>),
   ...);
  return loops;
}

}  // namespace

void EvaluateAluOnLanes(AluOp op, const uint32_t* x, const uint32_t* y, const uint32_t* z,
                        uint32_t* result, size_t count) {
  static constexpr auto kLoops = AluLoops(std::make_index_sequence<arch::kAluOps.size()>());
  kLoops[static_cast<size_t>(op)](x, y, z, result, count);
}

void EvaluateLaneOp(LaneOp op, std::span<const uint32_t> x, std::span<const uint32_t> y,
                    uint32_t amount, uint32_t lanes, uint32_t sublanes,
                    std::span<uint32_t> result) {
  const uint32_t size = lanes * sublanes;
  const uint32_t segment_lanes = std::min<uint32_t>(lanes, arch::kSegmentLanes);
  const uint32_t shift = std::min(amount, size);
  for (uint32_t first = 0; first < size; first += segment_lanes) {
    const std::span<const uint32_t> segment = x.empty() ? x : x.subspan(first, segment_lanes);
    const std::span<uint32_t> out = result.subspan(first, segment_lanes);
    const uint32_t row = first / lanes, first_lane = first % lanes;
    switch (op) {
      case LaneOp::kArgMaximumF32:
        std::fill(out.begin(), out.end(), first_lane + Extreme(segment, 1));
        break;
      case LaneOp::kArgMinimumF32:
        std::fill(out.begin(), out.end(), first_lane + Extreme(segment, -1));
        break;
      case LaneOp::kBroadcastLane:
        std::fill(out.begin(), out.end(), segment[amount % segment_lanes]);
        break;
      case LaneOp::kRotateLanes:
        for (uint32_t i = 0; i < segment_lanes; ++i) {
          out[i] = x[row * lanes + (first_lane + i + amount) % lanes];
        }
        break;
      case LaneOp::kBroadcastRow:
        for (uint32_t i = 0; i < segment_lanes; ++i) {
          out[i] = x[amount % sublanes * lanes + first_lane + i];
        }
        break;
      case LaneOp::kSlide:
        for (uint32_t i = 0; i < segment_lanes; ++i) {
          const uint32_t from = first + i + shift;
          out[i] = from < size ? x[from] : y[from - size];
        }
        break;
      case LaneOp::kLaneIndex:
        for (uint32_t i = 0; i < segment_lanes; ++i) out[i] = first_lane + i;
        break;
      case LaneOp::kRowIndex: std::fill(out.begin(), out.end(), row); break;
      default: {
        const AluOp reduces = Reduces(op);
        std::fill(out.begin(), out.end(), reduces == AluOp::kNone ? 0 : Reduce(reduces, segment));
      }
    }
  }
}

}  // namespace systolith::golden
