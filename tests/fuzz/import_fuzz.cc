// Feeds damaged programs to the importers. Each must become a module, or an error that names a
// place: a crash, a hang, a fault of our own or a hunger for memory ends the run with exit code 1
// and leaves the input in a file.
//
// usage: import_fuzz [--seconds=N] [--seed=N] [--first=N] FOLDER_OR_FILE...
//
// The samples to be damaged are the files .mlir, .mlirbc and .bc; text and bytecode together show
// that either importer survives the other's. Inputs run in batches in a process of their own.
#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <thread>
#include <vector>

#include "host/base/file.h"
#include "host/graph/print.h"
#include "host/import/import.h"
#include "tests/fuzz/mutate.h"

namespace systolith::fuzz {
namespace {

using Clock = std::chrono::steady_clock;

constexpr uint64_t kBatch = 2000;
constexpr auto kLongest = std::chrono::seconds(20);  // that one input may take, on a busy machine
constexpr long kMaxResidentKiB = 4L << 20;
constexpr size_t kMaxSampleBytes = 100'000;

struct Options {
  int seconds = 5;
  uint64_t seed = 1, first = 0;
  std::vector<std::string> samples;
};

// What the running process tells the one that watches it.
struct Progress {
  volatile uint64_t number;
  volatile uint64_t imported;
};

bool IsSample(const std::filesystem::path& path) {
  const std::string extension = path.extension();
  return extension == ".mlir" || extension == ".mlirbc" || extension == ".bc";
}

void AddSamples(const std::string& path, Options& options) {
  std::vector<std::filesystem::path> files;
  if (std::filesystem::is_directory(path)) {
    for (const auto& entry : std::filesystem::recursive_directory_iterator(path)) {
      if (IsSample(entry.path())) files.push_back(entry.path());
    }
  } else {
    files.emplace_back(path);
  }
  std::sort(files.begin(), files.end());  // the series must not depend on the file system
  for (const auto& file : files) {
    std::string sample = ReadTextFile(file).value();
    if (sample.size() <= kMaxSampleBytes) options.samples.push_back(std::move(sample));
  }
}

// The reason why the importer's answer is wrong; empty if it is right.
std::string Try(const std::string& input, Progress& progress) {
  const std::span bytes(reinterpret_cast<const std::byte*>(input.data()), input.size());
  const auto module = import::Import(bytes, "fuzz");
  if (module.ok()) {
    progress.imported = progress.imported + 1;
    const std::string printed = graph::Print(*module);
    const auto again = import::ImportText(printed, "printed");
    if (!again.ok()) return "its print is no program: " + again.status().message();
    if (graph::Print(*again) != printed) return "its print is another program";
    return "";
  }
  const Status& status = module.status();
  const bool expected = status.code() == StatusCode::kInvalidArgument ||
                        status.code() == StatusCode::kUnsupported;
  if (!expected || !status.message().starts_with("fuzz:")) return status.message();
  return "";
}

[[noreturn]] void RunBatch(const Options& options, uint64_t first, Progress& progress) {
  for (uint64_t number = first; number < first + kBatch; ++number) {
    progress.number = number;
    const std::string reason = Try(Mutate(options.samples, options.seed, number), progress);
    if (!reason.empty()) {
      fmt::print(stderr, "wrong answer: {}\n", reason);
      std::_Exit(1);
    }
  }
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  if (usage.ru_maxrss > kMaxResidentKiB) {
    fmt::print(stderr, "the batch took {} KiB of memory\n", usage.ru_maxrss);
    std::_Exit(1);
  }
  std::_Exit(0);
}

// Whether the process ended well.
bool Watch(pid_t process, const Progress& progress) {
  uint64_t seen = ~uint64_t{0};
  Clock::time_point since = Clock::now();
  int status = 0;
  while (waitpid(process, &status, WNOHANG) == 0) {
    if (progress.number != seen) {
      seen = progress.number;
      since = Clock::now();
    } else if (Clock::now() - since > kLongest) {
      fmt::print(stderr, "the input takes too long\n");
      kill(process, SIGKILL);
      waitpid(process, &status, 0);
      return false;
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

int Run(const Options& options) {
  void* memory = mmap(nullptr, sizeof(Progress), PROT_READ | PROT_WRITE,
                      MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) return 2;
  auto& progress = *static_cast<Progress*>(memory);
  const Clock::time_point end = Clock::now() + std::chrono::seconds(options.seconds);
  uint64_t first = options.first;
  for (; Clock::now() < end; first += kBatch) {
    progress.number = first;
    std::fflush(nullptr);
    const pid_t process = fork();
    if (process == 0) RunBatch(options, first, progress);
    if (Watch(process, progress)) continue;
    const std::string file = fmt::format("fuzz_{}_{}", options.seed, progress.number);
    const Status saved =
        WriteTextFile(file, Mutate(options.samples, options.seed, progress.number));
    fmt::print(stderr, "seed {}, input {}: left in {}\n", options.seed, progress.number,
               saved.ok() ? file : saved.message());
    return 1;
  }
  fmt::print("seed {}: {} inputs of {} samples, {} of them programs\n", options.seed,
             first - options.first, options.samples.size(), progress.imported);
  return 0;
}

int Main(int argc, char** argv) {
  Options options;
  for (int i = 1; i < argc; ++i) {
    const std::string argument = argv[i];
    const size_t equals = argument.find('=');
    const std::string name = argument.substr(0, equals);
    if (!name.starts_with("--")) {
      AddSamples(argument, options);
      continue;
    }
    const uint64_t value = std::strtoull(argument.c_str() + name.size() + 1, nullptr, 10);
    if (name == "--seconds") {
      options.seconds = static_cast<int>(value);
    } else if (name == "--seed") {
      options.seed = value;
    } else if (name == "--first") {
      options.first = value;
    } else {
      fmt::print(stderr, "unknown option {}\n", argument);
      return 2;
    }
  }
  if (options.samples.empty()) {
    fmt::print(stderr, "no samples to damage: name files or folders\n");
    return 2;
  }
  return Run(options);
}

}  // namespace
}  // namespace systolith::fuzz

int main(int argc, char** argv) { return systolith::fuzz::Main(argc, argv); }
