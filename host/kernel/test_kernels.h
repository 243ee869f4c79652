#ifndef SYSTOLITH_HOST_KERNEL_TEST_KERNELS_H_
#define SYSTOLITH_HOST_KERNEL_TEST_KERNELS_H_

#include <array>
#include <cstdint>
#include <map>
#include <random>
#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "host/kernel/builder.h"

// Kernels at random, and two machines that run them: one as they were written, one as bundles. An
// operation computes a hash of its code and operands, so that every mix-up shows; lanes do not
// matter.
namespace systolith::kernel::testing {

using Counts = std::array<uint32_t, arch::kLoops>;

// A group of an output: stream, step, and the loop indices when it was written.
using OutputPlace = std::tuple<uint32_t, uint32_t, Counts>;
using Outputs = std::map<OutputPlace, uint32_t>;

// A kernel as it was written: what the builder was told.
struct Recording {
  struct Event {
    enum class Kind { kOperation, kBeginLoop, kEndLoop } kind = Kind::kOperation;
    Instruction instruction = {};
    int loop = 0;
  };
  bool has_prologue = false;
  std::vector<Event> prologue, body;
  std::vector<std::vector<uint32_t>> tables;
};

// Builds a kernel of random operations, loops and streams, and records it.
class RandomKernel {
 public:
  explicit RandomKernel(uint32_t seed) : rng_(seed) {}
  // `variables` mutable variables live through the whole body.
  void Write(Builder& builder, int operations, int variables);
  const Recording& recording() const { return recording_; }

 private:
  uint32_t Pick(uint32_t count) { return rng_() % count; }
  Value AnyOf(const std::vector<Value>& values) {
    return values[Pick(static_cast<uint32_t>(values.size()))];
  }
  Value Operand();
  void Part(Builder& builder, std::vector<Recording::Event>& events, int operations, int variables,
            bool is_prologue);
  void Operation(Builder& builder, std::vector<Recording::Event>& events, bool is_prologue);

  std::mt19937 rng_;
  Recording recording_;
  std::vector<Value> known_;   // variables with a value
  std::vector<Value> shared_, tables_;
  // Per open loop, and outside of loops: the places of outputs that are written already.
  std::vector<std::set<std::pair<uint32_t, uint32_t>>> written_;
};

Outputs RunRecording(const Recording& recording, const Counts& counts);
Outputs RunBundles(const Kernel& kernel, const Counts& counts);

}  // namespace systolith::kernel::testing

#endif  // SYSTOLITH_HOST_KERNEL_TEST_KERNELS_H_
