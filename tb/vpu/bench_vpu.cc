// Prints what the vector unit at the size of v2 costs the simulation while it has nothing to do.
#include <cstdio>
#include <ctime>
#include <memory>

#include "Vpu_v2.h"
#include "tb/common/dut.h"

int main() {
  using namespace systolith::tb;
  const auto dut = std::make_unique<Vpu_v2>();
  Reset(*dut);
  constexpr int kCycles = 2'000'000;
  const std::clock_t start = std::clock();
  for (int i = 0; i < kCycles; ++i) Cycle(*dut);
  const double seconds = static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC;
  std::printf("vector unit of v2, idle: %.3f us of CPU time per cycle\n", 1e6 * seconds / kCycles);
  return 0;
}
