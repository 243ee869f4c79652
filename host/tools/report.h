#ifndef SYSTOLITH_HOST_TOOLS_REPORT_H_
#define SYSTOLITH_HOST_TOOLS_REPORT_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "host/arch/chip_config.h"
#include "host/base/status.h"
#include "host/isa/executable.h"
#include "host/runtime/counters.h"
#include "host/tools/options.h"
#include "host/tools/result_checks.h"
#include "host/tools/tensor_files.h"

namespace systolith::tools {

// What is known of a run, at whatever point it ended; unknown parts are empty or zero.
struct RunRecord {
  Options options;
  std::optional<arch::ChipConfig> chip;
  std::optional<isa::Executable> executable;
  std::optional<uint64_t> seed;
  runtime::Counters counters;
  uint64_t cycles_so_far = 0;  // of the simulation; tells how far an interrupted run came
  double compile_seconds = 0, open_seconds = 0, check_seconds = 0;
  double host_seconds = 0;       // the run itself: chip steps and host steps
  double host_step_seconds = 0;  // the part of it in the evaluator
  std::vector<Check> checks;
  std::optional<Accuracy> accuracy;
  bool interrupted = false;
  Status status;  // the outcome

  // Whether the chip has a clock; the golden model's counters are estimates.
  bool IsCycleAccurate() const { return cycles_so_far > 0; }
  uint64_t Macs() const { return executable ? executable->Macs() : 0; }
  // Share of the chip's multiply-accumulate capacity that the operations as written use; 0 without
  // cycles.
  double MxuUtilization() const;
  // Simulated per second of wall time spent on the chip; 0 without cycles.
  double SimCyclesPerSecond() const;
  double SimMacsPerSecond() const;
};

// All of it as JSON; docs/debugging.md shows how to read it.
std::string ReportJson(const RunRecord& record);

// The same for people, a few lines.
std::string SummaryText(const RunRecord& record);

}  // namespace systolith::tools

#endif  // SYSTOLITH_HOST_TOOLS_REPORT_H_
