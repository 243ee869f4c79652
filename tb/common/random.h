#ifndef SYSTOLITH_TB_COMMON_RANDOM_H_
#define SYSTOLITH_TB_COMMON_RANDOM_H_

#include <gtest/gtest.h>

#include <cstdint>
#include <cstdlib>
#include <iostream>
#include <random>

namespace systolith::tb {

// The random numbers of one test. Everything random in a test comes from one of these, so that
// its seed alone repeats the run.
class Rng {
 public:
  explicit Rng(uint64_t seed) : engine_(seed) {}

  uint32_t U32() { return static_cast<uint32_t>(engine_() >> 32); }
  uint64_t U64() { return engine_(); }
  // 0 <= result < `limit`, which is at least 1.
  uint64_t Below(uint64_t limit) { return engine_() % limit; }
  // `low` <= result <= `high`.
  int64_t Range(int64_t low, int64_t high) {
    return low + static_cast<int64_t>(Below(static_cast<uint64_t>(high - low) + 1));
  }
  bool Chance(double probability) {
    return static_cast<double>(engine_() >> 11) * 0x1p-53 < probability;
  }

 private:
  std::mt19937_64 engine_;
};

// SYSTOLITH_SEED where it is set, so that a failure can be repeated; otherwise a new one.
inline uint64_t SeedOfThisRun() {
  if (const char* text = std::getenv("SYSTOLITH_SEED")) return std::strtoull(text, nullptr, 0);
  return std::random_device()();
}

// Fixture of every randomised test: `rng_`, and the seed on the screen when the test fails.
template <typename Base>
class RandomTestOf : public Base {
 protected:
  void TearDown() override {
    if (Base::HasFailure()) std::cerr << "repeat with SYSTOLITH_SEED=" << seed_ << "\n";
  }

  const uint64_t seed_ = SeedOfThisRun();
  Rng rng_{seed_};
};
using RandomTest = RandomTestOf<testing::Test>;
template <typename Parameter>
using RandomTestWithParam = RandomTestOf<testing::TestWithParam<Parameter>>;

}  // namespace systolith::tb

#endif  // SYSTOLITH_TB_COMMON_RANDOM_H_
