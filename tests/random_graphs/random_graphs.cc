// Random programs on the evaluator, the golden model and, if asked for, the RTL. What differs is
// minimised and printed with the command that repeats it.
//
// usage: random_graphs [--seed FIRST] [--count N] [--target golden|rtl] [--operations N]
//                      [--elements N] [--jobs N] [--keep DIRECTORY]
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <map>
#include <thread>

#include "host/base/file.h"
#include "host/graph/print.h"
#include "host/tools/conformance/worker_pool.h"
#include "tests/random_graphs/graph_generator.h"
#include "tests/random_graphs/trial.h"

namespace {

using namespace systolith;
using namespace systolith::testing;

Trial TrialOf(uint32_t seed, const std::string& target) {
  Trial trial;
  trial.input_seed = seed;
  trial.target = target;
  const std::vector<std::string> chips = {"tiny", "tiny", "gemm16", "edge"};
  if (target == "golden") trial.chip = chips[seed % chips.size()];
  trial.precision = static_cast<graph::Precision>(seed / 4 % 3);
  trial.no_fold = seed / 12 % 2 == 0;
  return trial;
}

}  // namespace

int main(int argc, char** argv) {
  uint32_t first = 1;
  uint32_t count = 100;
  int jobs = static_cast<int>(std::max(1u, std::thread::hardware_concurrency()));
  std::string target = "golden", keep;
  GraphSize size;
  CLI::App app{"Compares random programs on evaluator, golden model and RTL."};
  app.add_option("--seed", first, "the first seed");
  app.add_option("--count", count, "how many seeds");
  app.add_option("--target", target, "golden, or rtl: both");
  app.add_option("--operations", size.operations, "of a program");
  app.add_option("--elements", size.elements, "of a tensor, at most");
  app.add_option("--jobs", jobs, "processes at once");
  app.add_option("--keep", keep, "writes failing programs to this directory");
  CLI11_PARSE(app, argc, argv);

  std::map<uint32_t, std::string> failures;
  const auto start = [&]() -> Result<tools::Work> {
    return tools::Work([&](size_t piece) {
      const uint32_t seed = first + static_cast<uint32_t>(piece);
      return Compare(RandomGraph(seed, size), TrialOf(seed, target));
    });
  };
  const Status status = tools::DoInChildren(
      count, {.jobs = jobs, .seconds = 60}, start, [&](size_t piece, const tools::Answer& answer) {
        const std::string failure = answer.ok ? answer.text : "crash: " + answer.text;
        if (failure.empty()) return;
        const uint32_t seed = first + static_cast<uint32_t>(piece);
        failures[seed] = failure;
        fmt::print(stderr, "seed {}: {}\n", seed, failure);
      });
  if (!status.ok()) {
    fmt::print("{}\n", status.message());
    return 1;
  }
  for (const auto& [seed, failure] : failures) {
    const Trial trial = TrialOf(seed, target);
    const graph::Module smallest = Minimise(RandomGraph(seed, size), trial, failure);
    const std::string file = fmt::format("{}/random_{}.mlir", keep.empty() ? "." : keep, seed);
    fmt::print("seed {}: {}\n  now: {}\n  {}\n{}\n", seed, failure,
               CompareInChild(smallest, trial), CommandFor(trial, file), graph::Print(smallest));
    if (!keep.empty()) {
      if (Status written = WriteTextFile(file, graph::Print(smallest)); !written.ok()) {
        fmt::print("{}\n", written.message());
      }
    }
    std::fflush(stdout);
  }
  fmt::print("{} programs from seed {} on {}: {} differ\n", count, first, target, failures.size());
  return failures.empty() ? 0 : 1;
}
