#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <nlohmann/json.hpp>
#include <thread>

#include "host/base/file.h"
#include "host/tools/commands.h"
#include "host/tools/conformance/outcome.h"
#include "host/tools/conformance/scoreboard.h"
#include "host/tools/conformance/worker_pool.h"

namespace systolith::tools {
namespace {

using Clock = std::chrono::steady_clock;
using Json = nlohmann::json;

std::string AnswerText(const Outcome& outcome) {
  const Json json = {{"standing", static_cast<int>(outcome.standing)},
                     {"reasons", outcome.reasons},
                     {"seconds", outcome.seconds}};
  return json.dump(-1, ' ', true, Json::error_handler_t::replace);
}

Outcome OutcomeOf(const Answer& answer) {
  Outcome outcome;
  if (!answer.ok) {
    outcome.reasons = {answer.text};
    return outcome;
  }
  const Json json = Json::parse(answer.text);
  outcome.standing = static_cast<Standing>(json["standing"].get<int>());
  outcome.reasons = json["reasons"].get<std::vector<std::string>>();
  outcome.seconds = json["seconds"];
  return outcome;
}

// A line now and then on stderr.
class Counter {
 public:
  Counter(size_t total, bool quiet) : total_(total), quiet_(quiet) {}
  ~Counter() {
    if (shown_ && terminal_) fmt::print(stderr, "\r\033[K");
  }

  void Add(bool wrong) {
    ++done_;
    wrong_ += wrong ? 1 : 0;
    const Clock::time_point now = Clock::now();
    if (quiet_ || now < next_) return;
    shown_ = true;
    fmt::print(stderr, "{}systolith: {} of {} programs, {} wrong{}", terminal_ ? "\r\033[K" : "",
               done_, total_, wrong_, terminal_ ? "" : "\n");
    std::fflush(stderr);
    next_ = now + (terminal_ ? std::chrono::milliseconds(200) : std::chrono::milliseconds(10000));
  }

 private:
  const size_t total_;
  const bool quiet_;
  const bool terminal_ = isatty(STDERR_FILENO) != 0;
  size_t done_ = 0, wrong_ = 0;
  bool shown_ = false;
  Clock::time_point next_ = Clock::now() + std::chrono::milliseconds(700);
};

Result<std::vector<Score>> RunAll(const std::vector<Program>& programs,
                                  const arch::ChipConfig& chip, const Options& options) {
  std::vector<Score> scores(programs.size());
  PoolOptions pool;
  pool.seconds = options.seconds;
  pool.jobs = options.jobs > 0
                  ? options.jobs
                  : static_cast<int>(std::max(1u, std::thread::hardware_concurrency()));
  const auto start = [&]() -> Result<Work> {
    ASSIGN_OR_RETURN(const std::shared_ptr<runtime::Device> device,
                     runtime::Device::Open(options.target, chip));
    return Work([&, device](size_t piece) {
      return AnswerText(RunProgram(programs[piece], device, options.no_fold));
    });
  };
  Counter counter(programs.size(), options.quiet);
  RETURN_IF_ERROR(DoInChildren(programs.size(), pool, start,
                               [&](size_t piece, const Answer& answer) {
                                 scores[piece] = {&programs[piece], OutcomeOf(answer)};
                                 counter.Add(scores[piece].outcome.standing == Standing::kWrong);
                               }));
  return scores;
}

}  // namespace

Status ConformanceCommand(const Options& options) {
  ASSIGN_OR_RETURN(std::vector<Program> programs, FindPrograms(options.paths));
  std::map<std::string, int> sizes;
  for (const Program& program : programs) ++sizes[program.collection];
  std::erase_if(programs, [&](const Program& program) {
    return program.name.find(options.filter) == std::string::npos;
  });
  if (options.every > 1) {
    std::vector<Program> sample;
    for (size_t i = 0; i < programs.size(); i += static_cast<size_t>(options.every)) {
      sample.push_back(std::move(programs[i]));
    }
    programs = std::move(sample);
  }
  if (programs.empty()) return InvalidArgument("no program checks itself or passes the filter");
  std::optional<Baseline> baseline;
  if (!options.baseline_path.empty()) {
    ASSIGN_OR_RETURN(baseline, Baseline::Read(options.baseline_path));
  }
  ASSIGN_OR_RETURN(const arch::ChipConfig chip,
                   arch::LoadChipConfig(options.chip.empty() ? kDefaultChip : options.chip));
  const Clock::time_point start = Clock::now();
  ASSIGN_OR_RETURN(const std::vector<Score> scores, RunAll(programs, chip, options));
  const std::chrono::duration<double> seconds = Clock::now() - start;

  if (!options.quiet) fmt::print("{}\n", ScoreboardText(scores));
  fmt::print("{} programs on '{}' ({}{}), {:.1f} s\n", scores.size(), chip.name, options.target,
             options.no_fold ? ", nothing folded" : "", seconds.count());
  if (!options.report_path.empty()) {
    RETURN_IF_ERROR(WriteTextFile(options.report_path, ScoreboardJson(scores)));
  }
  if (!options.write_baseline_path.empty()) {
    RETURN_IF_ERROR(WriteTextFile(options.write_baseline_path, Baseline::Text(scores, sizes)));
  }
  std::vector<std::string> faults;
  if (baseline) faults = baseline->Regressions(scores, sizes);
  for (const Score& score : scores) {
    const std::string& name = score.program->name;
    if (score.outcome.standing != Standing::kWrong) continue;
    if (!baseline) {
      faults.push_back(name + ": wrong: " + score.outcome.reasons.at(0));
    } else if (baseline->IsKnownWrong(name)) {
      fmt::print("known to be wrong: {}: {}\n", name, score.outcome.reasons.at(0));
    }
  }
  for (const std::string& fault : faults) fmt::print("{}\n", fault);
  if (faults.empty()) return OkStatus();
  return WrongResult(fmt::format("{} programs are wrong or stand worse than in the baseline",
                                 faults.size()));
}

}  // namespace systolith::tools
