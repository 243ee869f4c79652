#include <fmt/format.h>
#include <signal.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <filesystem>

#include "host/base/file.h"
#include "host/runtime/device.h"
#include "host/runtime/executable.h"
#include "host/tools/commands.h"
#include "host/tools/program_input.h"
#include "host/tools/progress.h"
#include "host/tools/report.h"
#include "host/tools/result_checks.h"
#include "host/tools/tensor_files.h"

namespace systolith::tools {
namespace {

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;

double SecondsSince(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

// Found now rather than after minutes of simulation.
Status CheckWritable(const std::string& path) {
  if (path.empty()) return OkStatus();
  const fs::path parent = fs::absolute(path).parent_path();
  std::error_code error;
  if (!fs::is_directory(parent, error)) {
    return InvalidArgument(fmt::format("cannot write {}: there is no directory {}", path,
                                       parent.string()));
  }
  if (fs::is_directory(path, error)) {
    return InvalidArgument(fmt::format("cannot write {}: it is a directory", path));
  }
  if (access(parent.c_str(), W_OK) != 0) {
    return InvalidArgument(fmt::format("cannot write {}: no permission in {}", path,
                                       parent.string()));
  }
  return OkStatus();
}

// The waveform's writer makes its file anew and maps it into memory: the path must be a plain file's,
// with room behind it (a full disk would end the process on a fault in the mapping).
Status CheckTracePath(const std::string& path) {
  if (path.empty()) return OkStatus();
  std::error_code error;
  if (fs::is_symlink(path, error) || (fs::exists(path, error) && !fs::is_regular_file(path, error))) {
    return InvalidArgument(fmt::format("cannot write the waveform {}: it is not a plain file", path));
  }
  constexpr uintmax_t kFreeBytes = 64 << 20;
  const fs::space_info space = fs::space(fs::absolute(path).parent_path(), error);
  if (!error && space.available < kFreeBytes) {
    return InvalidArgument(fmt::format(
        "cannot write the waveform {}: {} bytes are free there, at least {} must be", path,
        space.available, kFreeBytes));
  }
  return OkStatus();
}

// Two files of one run, or a file and the program that it would replace, may not coincide.
Status CheckDistinct(const Options& options) {
  const std::vector<std::pair<std::string, std::string>> files = {
      {"PROGRAM", options.program},         {"--inputs", options.inputs_path},
      {"--labels", options.labels_path},    {"--output", options.output_path},
      {"--report", options.report_path},    {"--trace", options.trace_path}};
  for (size_t i = 3; i < files.size(); ++i) {
    if (files[i].second.empty()) continue;
    for (size_t j = 0; j < i; ++j) {
      std::error_code error;
      if (files[j].second.empty() || fs::weakly_canonical(files[i].second, error) !=
                                         fs::weakly_canonical(files[j].second, error)) {
        continue;
      }
      if (fs::is_character_file(files[i].second, error)) continue;  // /dev/null keeps nothing
      return InvalidArgument(fmt::format("{} and {} name the same file: {}", files[j].first,
                                         files[i].first, files[i].second));
    }
  }
  return OkStatus();
}

// Ends the process at once, and what it started to build a chip.
[[noreturn]] void Leave() {
  std::fflush(nullptr);
  if (getpgrp() == getpid()) {
    signal(SIGTERM, SIG_IGN);
    kill(0, SIGTERM);
  }
  std::_Exit(Cancelled("").ExitCode());
}

// One `systolith run`, step by step; `record_` holds what is known at any time.
class Session {
 public:
  explicit Session(const Options& options) : progress_(options.quiet) { record_.options = options; }

  Status Run() {
    RETURN_IF_ERROR(CheckDistinct(options()));  // before the report is written in any case
    Status status = Steps();
    if (Interrupted()) status = Cancelled("interrupted");
    return Finish(std::move(status));
  }

 private:
  const Options& options() const { return record_.options; }

  Status Steps() {
    for (const std::string& path :
         {options().report_path, options().output_path, options().trace_path}) {
      RETURN_IF_ERROR(CheckWritable(path));
    }
    RETURN_IF_ERROR(CheckTracePath(options().trace_path));
    ASSIGN_OR_RETURN(program_, ReadProgram(options().program));
    ASSIGN_OR_RETURN(record_.chip, ChooseChip(options(), program_));
    evaluation_.default_precision = PrecisionOf(program_, options());
    RETURN_IF_ERROR(Compile());
    RETURN_IF_ERROR(ReadInputs());
    RETURN_IF_ERROR(Open());
    const Status run = RunOnDevice();
    const Status closed = device_->Close();  // the waveform is complete from here on
    RETURN_IF_ERROR(run);
    RETURN_IF_ERROR(closed);
    if (!options().output_path.empty()) {
      RETURN_IF_ERROR(WriteResults(options().output_path, results_));
    }
    return CheckResults();
  }

  // Work that can't be stopped: an interrupt ends the process.
  void DoOrLeave(const std::string& what, std::function<void()> work) {
    if (progress_.Do(what, nullptr, std::move(work))) return;
    (void)Finish(Cancelled("interrupted while " + what));
    fmt::print(stderr, "systolith: interrupted while {}\n", what);
    Leave();
  }

  Status Compile() {
    const Clock::time_point start = Clock::now();
    Result<isa::Executable> compiled = Internal("not compiled");
    DoOrLeave("compiling",
              [&] { compiled = MakeExecutable(program_, *record_.chip, options()); });
    if (!compiled.ok()) return compiled.status();
    record_.executable = std::move(*compiled);
    record_.compile_seconds = SecondsSince(start);
    return OkStatus();
  }

  Status ReadInputs() {
    const isa::Executable& executable = *record_.executable;
    std::vector<graph::Shape> shapes;
    for (const uint32_t number : executable.arguments) {
      ASSIGN_OR_RETURN(graph::Shape shape, runtime::ShapeOf(executable.tensors[number]));
      shapes.push_back(std::move(shape));
    }
    Result<Arguments> arguments = Internal("not read");
    DoOrLeave("reading the arguments", [&] { arguments = ReadArguments(shapes, options()); });
    if (!arguments.ok()) return arguments.status();
    arguments_ = std::move(arguments->values);
    record_.seed = arguments->seed;
    return OkStatus();
  }

  Status Open() {
    const Clock::time_point start = Clock::now();
    hal::TransportOptions transport;
    transport.trace_path = options().trace_path;
    transport.trace_start_cycle = options().trace_start_cycle;
    transport.trace_end_cycle = options().trace_end_cycle;
    transport.load_by_bus = options().load_by_bus;
    Result<std::shared_ptr<runtime::Device>> device = Internal("not opened");
    DoOrLeave(fmt::format("opening chip '{}' ({}; a new size is verilated first)",
                          record_.chip->name, options().target),
              [&] {
                device = runtime::Device::Open(options().target, *record_.chip, transport);
              });
    if (!device.ok()) return device.status();
    device_ = std::move(*device);
    record_.open_seconds = SecondsSince(start);
    return OkStatus();
  }

  // Everything that uses the device runs in the background, so that progress is shown and an
  // interrupt stops it.
  Status RunOnDevice() {
    Status status;
    const Clock::time_point start = Clock::now();
    const bool ended = progress_.Do(
        fmt::format("running on '{}' ({})", record_.chip->name, options().target),
        [&] { return CyclesText(SecondsSince(start)); }, [&] { status = LoadAndRun(); },
        [&] { device_->RequestStop(); });
    record_.cycles_so_far = device_->Cycle();
    if (ended) return status;
    (void)Finish(Cancelled("interrupted; the chip did not stop in time"));
    Leave();
  }

  std::string CyclesText(double seconds) const {
    const uint64_t cycles = device_->Cycle();
    if (cycles == 0) return "";
    return fmt::format("cycle {}, {:.3g} cycles/s", cycles,
                       static_cast<double>(cycles) / seconds);
  }

  Status LoadAndRun() {
    ASSIGN_OR_RETURN(const auto loaded,
                     runtime::LoadedExecutable::Load(device_, *record_.executable));
    std::vector<runtime::Buffer> buffers;
    for (size_t i = 0; i < arguments_.size(); ++i) {
      ASSIGN_OR_RETURN(runtime::Buffer buffer, loaded->AllocateArgument(i));
      RETURN_IF_ERROR(buffer.Write(arguments_[i].bytes()));
      buffers.push_back(std::move(buffer));
    }
    const Clock::time_point start = Clock::now();
    ASSIGN_OR_RETURN(const runtime::Run run,
                     loaded->Start(buffers, {.timeout_cycles = options().timeout_cycles,
                                             .evaluation = evaluation_}));
    const Status status = run.Wait();
    record_.host_seconds = SecondsSince(start);
    record_.host_step_seconds = run.host_step_seconds();
    record_.counters = run.counters();
    RETURN_IF_ERROR(status);
    for (const evaluator::CheckResult& check : run.checks()) {
      // The evaluator's message begins with what the name says already.
      const std::string prefix = fmt::format("line {}: {}: ", check.line, check.target);
      const bool repeats = check.message.starts_with(prefix);
      record_.checks.push_back(
          {.name = fmt::format("{} at line {}", check.target, check.line),
           .passed = check.passed,
           .message = check.passed ? "holds" : check.message.substr(repeats ? prefix.size() : 0)});
    }
    for (size_t i = 0; i < record_.executable->results.size(); ++i) {
      ASSIGN_OR_RETURN(graph::Literal result, run.ReadResult(i));
      results_.push_back(std::move(result));
    }
    return OkStatus();
  }

  Status CheckResults() {
    const Clock::time_point start = Clock::now();
    if (!options().labels_path.empty()) {
      if (results_.empty()) return InvalidArgument("--labels: the program has no result");
      ASSIGN_OR_RETURN(record_.accuracy, CompareWithLabels(results_[0], options().labels_path));
    }
    if (options().check) {
      if (options().target != "golden") {
        RETURN_IF_ERROR(AddChecks("comparing with the golden model", [this] {
          return CheckAgainstGolden(*record_.executable, *record_.chip, arguments_, evaluation_,
                                    results_);
        }));
      }
      if (program_.module) {
        RETURN_IF_ERROR(AddChecks("comparing with the evaluator", [this] {
          return CheckAgainstEvaluator(*program_.module, evaluation_.default_precision, arguments_,
                                       results_);
        }));
      } else if (!options().quiet) {
        fmt::print(stderr, "systolith: a .sysx file does not hold its source: compared with the "
                           "golden model only\n");
      }
      record_.check_seconds = SecondsSince(start);
    }
    for (const Check& check : record_.checks) {
      if (!check.passed) return WrongResult(check.name + ": " + check.message);
    }
    return OkStatus();
  }

  Status AddChecks(const std::string& what,
                   const std::function<Result<std::vector<Check>>()>& make) {
    Result<std::vector<Check>> checks = Internal("not checked");
    DoOrLeave(what, [&] { checks = make(); });
    if (!checks.ok()) return checks.status().WithContext(what);
    record_.checks.insert(record_.checks.end(), checks->begin(), checks->end());
    return OkStatus();
  }

  // Writes the report, whatever happened, and shows the summary of a run that came to its end.
  Status Finish(Status status) {
    record_.interrupted = Interrupted();
    record_.status = status;
    if (!options().quiet && (status.ok() || status.code() == StatusCode::kWrongResult)) {
      fmt::print("{}", SummaryText(record_));
    }
    if (!options().report_path.empty()) {
      const Status written = WriteTextFile(options().report_path, ReportJson(record_));
      if (status.ok()) return written;
      if (!written.ok()) fmt::print(stderr, "systolith: {}\n", written.message());
    }
    return status;
  }

  RunRecord record_;
  Progress progress_;
  ProgramInput program_;
  evaluator::EvalOptions evaluation_;
  std::vector<graph::Literal> arguments_, results_;
  std::shared_ptr<runtime::Device> device_;
};

}  // namespace

Status RunCommand(const Options& options) { return Session(options).Run(); }

}  // namespace systolith::tools
