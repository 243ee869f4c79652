#ifndef SYSTOLITH_SIM_GOLDEN_CHECKER_VECTOR_CLOCK_H_
#define SYSTOLITH_SIM_GOLDEN_CHECKER_VECTOR_CLOCK_H_

#include <algorithm>
#include <array>
#include <cstdint>

namespace systolith::golden {

// What runs concurrently with everything else unless a flag orders it: an engine, but that the two
// streams of an MXU count as two. An engine's number is that of its agent.
using Agent = uint8_t;
inline constexpr Agent kSequencerAgent = 0;
inline constexpr Agent kFirstMxuAgent = 5;       // activations and accumulators
inline constexpr Agent kFirstWeightsAgent = 13;  // weight streams
inline constexpr int kAgents = 21;

// For each agent, up to which of its moments everything is known to have happened.
struct VectorClock {
  std::array<uint32_t, kAgents> moments{};

  void Join(const VectorClock& other) {
    for (int a = 0; a < kAgents; ++a) moments[a] = std::max(moments[a], other.moments[a]);
  }
};

}  // namespace systolith::golden

#endif  // SYSTOLITH_SIM_GOLDEN_CHECKER_VECTOR_CLOCK_H_
