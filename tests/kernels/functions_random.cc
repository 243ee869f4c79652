#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <atomic>
#include <chrono>
#include <iostream>
#include <mutex>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include "tests/kernels/functions_error.h"
#include "tests/kernels/functions_inputs.h"
#include "tests/kernels/functions_interpreter.h"
#include "tests/kernels/functions_table.h"

// The long campaign: random f32 inputs of every function that has a bound, on all processors.
// Prints the worst input of each and exits with 1 if one breaks its bound.
namespace systolith::testing {
namespace {

constexpr size_t kChunk = 1 << 16;

struct Campaign {
  uint64_t inputs = 100'000'000;
  uint64_t seed = 1;
  std::vector<std::string> names;  // empty: all
};

// Random inputs of one function; false if it breaks its bound.
bool RunFunction(const Function& function, const Campaign& campaign, std::string& report) {
  Result<FunctionKernel> kernel = FunctionKernel::Make(Invocation(function), function.arguments);
  if (!kernel.ok()) {
    report = std::string(kernel.status().message());
    return false;
  }
  std::mt19937_64 rng(campaign.seed);
  ErrorMeter meter(function);
  const auto count = static_cast<size_t>(function.arguments);
  std::vector<std::vector<uint32_t>> arguments(count, std::vector<uint32_t>(kChunk));
  std::vector<uint32_t> results(kChunk);
  while (meter.count() < campaign.inputs) {
    for (size_t i = 0; i < kChunk; ++i) {
      arguments[0][i] = RandomInput(rng);
      if (count > 1) arguments[1][i] = RandomSecondInput(rng, arguments[0][i]);
    }
    const std::vector<std::span<const uint32_t>> inputs(arguments.begin(), arguments.end());
    kernel.value().Run(inputs, results);
    meter.Add(arguments[0], count > 1 ? arguments[1] : std::vector<uint32_t>{}, results, true);
  }
  report = meter.Summary();
  return meter.worst() <= 1;
}

int Run(const Campaign& campaign) {
  std::vector<const Function*> functions;
  for (const Function& function : Functions()) {
    const bool is_named = campaign.names.empty() ||
                          std::find(campaign.names.begin(), campaign.names.end(),
                                    function.name) != campaign.names.end();
    if (function.exact != nullptr && is_named) functions.push_back(&function);
  }
  std::atomic<size_t> next = 0;
  std::atomic<bool> all_within = true;
  std::mutex output;
  const auto work = [&] {
    for (size_t i = next++; i < functions.size(); i = next++) {
      const auto start = std::chrono::steady_clock::now();
      std::string report;
      const bool within = RunFunction(*functions[i], campaign, report);
      const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - start;
      if (!within) all_within = false;
      const std::lock_guard lock(output);
      std::cout << fmt::format("{}{} [{:.0f} s]", within ? "" : "BROKEN: ", report, seconds.count())
                << std::endl;
    }
  };
  std::vector<std::thread> threads;
  for (unsigned i = 0; i < std::max(1u, std::thread::hardware_concurrency()); ++i) {
    threads.emplace_back(work);
  }
  for (std::thread& thread : threads) thread.join();
  return all_within ? 0 : 1;
}

}  // namespace
}  // namespace systolith::testing

int main(int argc, char** argv) {
  systolith::testing::Campaign campaign;
  CLI::App app{"Random inputs of the function library against MPFR"};
  app.add_option("--inputs", campaign.inputs, "Inputs per function");
  app.add_option("--seed", campaign.seed, "Seed of the inputs");
  app.add_option("functions", campaign.names, "Only these functions");
  CLI11_PARSE(app, argc, argv);
  std::cout << "seed " << campaign.seed << std::endl;
  return systolith::testing::Run(campaign);
}
