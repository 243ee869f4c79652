#include "host/tools/report.h"

#include <fmt/format.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "host/tools/version.h"

namespace systolith::tools {
namespace {

using Json = nlohmann::ordered_json;

const char* OutcomeName(const RunRecord& record) {
  if (record.interrupted) return "interrupted";
  switch (record.status.code()) {
    case StatusCode::kOk: return "passed";
    case StatusCode::kWrongResult: return "wrong result";
    case StatusCode::kInvalidArgument: return "bad input";
    case StatusCode::kUnsupported: return "unsupported";
    default: return "error";
  }
}

Json ChipJson(const arch::ChipConfig& chip) {
  return {{"name", chip.name},
          {"program_hash", fmt::format("{:016x}", chip.ProgramHash())},
          {"build_hash", fmt::format("{:016x}", chip.BuildHash())},
          {"clock_mhz", chip.clock_mhz},
          {"toml", chip.ToToml()}};
}

Json EnginesJson(const runtime::Counters& counters) {
  Json engines = Json::object();
  for (const runtime::EngineCycles& engine : counters.engines) {
    engines[engine.engine] = {{"busy", engine.busy},
                              {"stall", engine.stall},
                              {"idle", engine.idle},
                              {"conflicts", engine.conflicts}};
  }
  return engines;
}

Json FallbackJson(const isa::Executable& executable) {
  Json operations = Json::array();
  for (const isa::OperationReport& operation : executable.operations) {
    if (operation.on_chip) continue;
    operations.push_back({{"operation", operation.operation},
                          {"line", operation.line},
                          {"bytes", operation.bytes},
                          {"reason", operation.reason}});
  }
  return {{"share", executable.FallbackShare()},
          {"byte_share", executable.FallbackByteShare()},
          {"operations", std::move(operations)}};
}

Json ChecksJson(const std::vector<Check>& checks) {
  Json list = Json::array();
  for (const Check& check : checks) {
    Json entry = {{"name", check.name}, {"passed", check.passed}, {"message", check.message}};
    if (check.name.starts_with("evaluator")) {
      entry["max_error"] = check.max_error;
      entry["max_error_of_bound"] = check.max_error_of_bound;
      entry["unchecked_elements"] = check.unchecked;
    }
    list.push_back(std::move(entry));
  }
  return list;
}

// "12,345,678".
std::string Grouped(uint64_t value) {
  const std::string digits = std::to_string(value);
  std::string grouped;
  for (size_t i = 0; i < digits.size(); ++i) {
    if (i > 0 && (digits.size() - i) % 3 == 0) grouped += ',';
    grouped += digits[i];
  }
  return grouped;
}

}  // namespace

double RunRecord::MxuUtilization() const {
  if (!chip || counters.cycles == 0 || !IsCycleAccurate()) return 0;
  const double capacity = static_cast<double>(counters.cycles) *
                          static_cast<double>(chip->mxu_rows * chip->mxu_cols * chip->mxu_count);
  return static_cast<double>(Macs()) / capacity;
}

double RunRecord::SimCyclesPerSecond() const {
  const double seconds = host_seconds - host_step_seconds;
  return seconds > 0 && IsCycleAccurate() ? static_cast<double>(counters.cycles) / seconds : 0;
}

double RunRecord::SimMacsPerSecond() const {
  const double seconds = host_seconds - host_step_seconds;
  return seconds > 0 && IsCycleAccurate() ? static_cast<double>(Macs()) / seconds : 0;
}

std::string ReportJson(const RunRecord& record) {
  const Options& options = record.options;
  Json report;
  report["tool"] = "systolith";
  report["tool_version"] = kVersion;
  report["outcome"] = OutcomeName(record);
  report["exit_code"] = record.interrupted ? 4 : record.status.ExitCode();
  report["error"] = record.status.ok() ? Json(nullptr) : Json(record.status.message());
  report["interrupted"] = record.interrupted;
  report["program"] = options.program;
  report["target"] = options.target;
  report["chip"] = record.chip ? ChipJson(*record.chip) : Json(nullptr);
  report["seed"] = record.seed ? Json(*record.seed) : Json(nullptr);
  report["cycles"] = record.counters.cycles;
  report["cycle_accurate"] = record.IsCycleAccurate();
  report["simulated_cycles"] = record.cycles_so_far;
  report["macs"] = record.Macs();
  report["mxu_utilization"] = record.MxuUtilization();
  report["hbm_bytes_read"] = record.counters.hbm_bytes_read;
  report["hbm_bytes_written"] = record.counters.hbm_bytes_written;
  report["instructions"] = record.counters.instructions;
  report["engines"] = EnginesJson(record.counters);
  report["host_seconds"] = record.host_seconds;
  report["host_step_seconds"] = record.host_step_seconds;
  report["compile_seconds"] = record.compile_seconds;
  report["open_seconds"] = record.open_seconds;
  report["check_seconds"] = record.check_seconds;
  report["sim_cycles_per_second"] = record.SimCyclesPerSecond();
  report["sim_macs_per_second"] = record.SimMacsPerSecond();
  if (record.chip) {
    report["chip_seconds"] = static_cast<double>(record.counters.cycles) /
                             (1e6 * static_cast<double>(record.chip->clock_mhz));
  }
  if (record.executable) {
    report["fallback"] = FallbackJson(*record.executable);
    report["notes"] = record.executable->notes;
  }
  report["checks"] = ChecksJson(record.checks);
  if (record.accuracy) {
    report["accuracy"] = {{"correct", record.accuracy->correct}, {"total", record.accuracy->total}};
  }
  return report.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

std::string SummaryText(const RunRecord& record) {
  std::string text;
  const auto line = [&text](const std::string& name, const std::string& value) {
    text += fmt::format("  {:<16}{}\n", name, value);
  };
  text += fmt::format("{} on {} ({}): {}\n", record.options.program,
                      record.chip ? record.chip->name : "?", record.options.target,
                      record.status.ok() ? "PASS" : "FAIL");
  if (record.IsCycleAccurate()) {
    line("cycles", Grouped(record.counters.cycles));
    line("MXU utilisation", fmt::format("{:.1f} % ({} multiply-accumulates)",
                                        100 * record.MxuUtilization(), Grouped(record.Macs())));
    line("HBM bytes", fmt::format("{} read, {} written", Grouped(record.counters.hbm_bytes_read),
                                  Grouped(record.counters.hbm_bytes_written)));
    line("simulation", fmt::format("{:.3g} cycles/s, {:.3g} MAC/s, {:.2f} s",
                                   record.SimCyclesPerSecond(), record.SimMacsPerSecond(),
                                   record.host_seconds));
  } else {
    line("time", fmt::format("{:.2f} s", record.host_seconds));
  }
  if (record.seed) line("seed", std::to_string(*record.seed));
  if (record.executable) {
    for (const std::string& note : record.executable->notes) line("note", note);
    for (const isa::OperationReport& operation : record.executable->operations) {
      if (operation.on_chip) continue;
      line("on the host", fmt::format("{} at line {}: {}", operation.operation, operation.line,
                                      operation.reason));
    }
  }
  if (record.accuracy) {
    const double share = record.accuracy->total == 0
                             ? 0
                             : 100.0 * static_cast<double>(record.accuracy->correct) /
                                   static_cast<double>(record.accuracy->total);
    line("accuracy", fmt::format("{} of {} ({:.2f} %)", record.accuracy->correct,
                                 record.accuracy->total, share));
  }
  for (const Check& check : record.checks) {
    line(check.passed ? "PASS" : "FAIL", check.name + ": " + check.message);
  }
  return text;
}

}  // namespace systolith::tools
