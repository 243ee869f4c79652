#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
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

// The long campaign: random inputs of every function and rounding operation, on all processors.
// Prints the worst input of each and exits with 1 if one breaks its bound or has a wrong bit.
namespace systolith::testing {
namespace {

constexpr size_t kChunk = 1 << 16;

struct Campaign {
  uint64_t inputs = 100'000'000;
  uint64_t seed = 1;
  std::vector<std::string> names;  // empty: all
};

// Random inputs of a function with a bound; false if it breaks the bound.
bool Measure(const Function& function, FunctionKernel& kernel, const Campaign& campaign,
             std::string& report) {
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
    kernel.Run(inputs, results);
    meter.Add(arguments[0], count > 1 ? arguments[1] : std::vector<uint32_t>{}, results, true);
  }
  report = meter.Summary();
  return meter.worst() <= 1;
}

// Random inputs of a function of which every bit is prescribed; false at the first that differs.
bool Compare(const Function& function, FunctionKernel& kernel, const Campaign& campaign,
             std::string& report) {
  std::mt19937_64 rng(campaign.seed);
  RandomOperands random(rng);
  const auto count = static_cast<size_t>(function.arguments);
  std::vector<std::vector<uint32_t>> arguments(count, std::vector<uint32_t>(kChunk));
  std::vector<std::array<uint32_t, 3>> operands(kChunk);
  std::vector<uint32_t> results(kChunk);
  for (uint64_t done = 0; done < campaign.inputs; done += kChunk) {
    for (size_t i = 0; i < kChunk; ++i) {
      random.Draw(std::span(operands[i]).first(count));
      for (size_t k = 0; k < count; ++k) arguments[k][i] = operands[i][k];
    }
    const std::vector<std::span<const uint32_t>> inputs(arguments.begin(), arguments.end());
    kernel.Run(inputs, results);
    for (size_t i = 0; i < kChunk; ++i) {
      const auto& [x, y, z] = operands[i];
      const uint32_t expected = function.bits(x, y, z);
      if (results[i] == expected) continue;
      report = fmt::format("{} of 0x{:08x}, 0x{:08x}, 0x{:08x}: 0x{:08x}, expected 0x{:08x}",
                           function.name, x, y, z, results[i], expected);
      return false;
    }
  }
  report = fmt::format("{}: {} inputs, every bit right", function.name, campaign.inputs);
  return true;
}

bool RunFunction(const Function& function, const Campaign& campaign, std::string& report) {
  Result<FunctionKernel> kernel = FunctionKernel::Make(Invocation(function), function.arguments);
  if (!kernel.ok()) {
    report = std::string(kernel.status().message());
    return false;
  }
  return function.bits == nullptr ? Measure(function, kernel.value(), campaign, report)
                                  : Compare(function, kernel.value(), campaign, report);
}

int Run(const Campaign& campaign) {
  std::vector<const Function*> functions;
  for (const Function& function : Functions()) {
    const bool is_named = campaign.names.empty() ||
                          std::find(campaign.names.begin(), campaign.names.end(),
                                    function.name) != campaign.names.end();
    if (is_named) functions.push_back(&function);
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
