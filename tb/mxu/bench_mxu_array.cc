// Prints how many multiply-accumulates per host second (and, for a busy host, per second of CPU
// time) each array simulates, one thread, a row in every cycle and a new weight tile every `Rows`
// rows.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <ctime>
#include <memory>

#include "arrays_under_test.h"
#include "tb/common/dut.h"
#include "tb/common/random.h"

namespace systolith::tb {
namespace {

// Random bytes; bf16 exponents are kept near those of ordinary data.
template <typename Port>
void Randomize(Rng& rng, Port& port, bool bf16) {
  for (size_t i = 0; i < sizeof(port) / 4; i++) {
    const uint32_t bits = rng.U32();
    port[i] = bf16 ? (bits & 0x83ff83ff) | 0x3c003c00 : bits;
  }
}

template <typename Dut>
void Run(const char* name, int rows, int cols) {
  auto dut = std::make_unique<Dut>();
  Rng rng(1);
  constexpr bool kBf16 = requires { dut->row_format_i; };
  if constexpr (kBf16) dut->row_format_i = dut->weight_format_i = 1;
  dut->enable_i = 1;
  Reset(*dut);
  Randomize(rng, dut->weight_even_i, kBf16);
  Randomize(rng, dut->weight_odd_i, kBf16);
  for (int n = 0; n < std::max(rows, cols); n++) {
    SetBits(dut->weight_even_present_i, n, 1, 1);
    SetBits(dut->weight_odd_present_i, n, 1, 1);
  }
  for (int pair = 0; pair < rows / 2; pair++) {
    dut->weight_valid_i = 1;
    dut->weight_pair_i = pair;
    Cycle(*dut);
  }
  const int cycles = static_cast<int>(8e9 / (rows * cols) / 4);
  dut->row_valid_i = 1;
  const auto start = std::chrono::steady_clock::now();
  const std::clock_t cpu_start = std::clock();
  for (int i = 0; i < cycles; i++) {
    dut->row_swap_i = i % rows == 0;
    const int since_swap = i % rows - cols / 8;
    dut->weight_valid_i = since_swap >= 0 && since_swap < rows / 2;
    dut->weight_pair_i = since_swap;
    if (i % 16 == 0) Randomize(rng, dut->row_i, kBf16);
    Cycle(*dut);
  }
  const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - start;
  const double cpu_seconds = static_cast<double>(std::clock() - cpu_start) / CLOCKS_PER_SEC;
  const double million = 1e-6 * cycles * rows * cols;
  std::printf("%-14s %8.0f million MAC per second, %8.0f per second of CPU time\n", name,
              million / seconds.count(), million / cpu_seconds);
}

}  // namespace
}  // namespace systolith::tb

int main() {
  using namespace systolith::tb;
  Run<Array_bf16_64x64_t64_p0>("bf16 64x64", 64, 64);
  Run<Array_bf16_128x128_t128_p0>("bf16 128x128", 128, 128);
  Run<Array_int8_64x64_t64_p0>("int8 64x64", 64, 64);
  Run<Array_int8_128x128_t128_p0>("int8 128x128", 128, 128);
  return 0;
}
