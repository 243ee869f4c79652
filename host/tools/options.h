#ifndef SYSTOLITH_HOST_TOOLS_OPTIONS_H_
#define SYSTOLITH_HOST_TOOLS_OPTIONS_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "host/base/status.h"
#include "host/graph/attributes.h"

namespace systolith::tools {

// The chip on which a program runs when the user names none: the one that is verilated fastest. A
// .sysx runs on the one that it was compiled for.
inline constexpr char kDefaultChip[] = "tiny";

// What the command line says, one struct for all subcommands: each uses its part.
struct Options {
  std::string subcommand;
  std::string program;               // .mlir, .sysx or .kernel; empty: none
  std::string chip;                  // name or file; empty: the default
  std::optional<graph::Precision> precision;

  // run
  std::string target = "rtl";
  std::string inputs_path;           // .npz
  std::vector<std::string> inputs;   // argN=FILE.npy
  std::optional<uint64_t> seed;
  std::string output_path;           // .npz
  std::string labels_path;           // .npy
  bool check = false;
  bool no_fallback = false;
  bool no_fold = false;
  std::string report_path;
  std::string trace_path;
  uint64_t trace_start_cycle = 0;
  uint64_t trace_end_cycle = UINT64_MAX;
  uint64_t timeout_cycles = 0;
  bool load_by_bus = false;
  bool quiet = false;

  // compile
  std::string executable_path;
  std::string dump_after;

  // conformance
  std::vector<std::string> paths;
  std::string filter;
  std::string baseline_path, write_baseline_path;
  int jobs = 0;         // child processes; 0: one per core
  int every = 1;        // a sample: each n-th program
  double seconds = 60;  // that a program may take

  // kernel
  std::string kernel;                  // empty: the only one of the file
  std::vector<std::string> parameters; // NAME=NUMBER
};

// Parses the command line. Errors name the nearest valid flag, subcommand or value.
// `text` is set instead when the user asked for help or the version: print it and exit with 0.
Result<Options> ParseCommandLine(int argc, const char* const* argv, std::string* text);

}  // namespace systolith::tools

#endif  // SYSTOLITH_HOST_TOOLS_OPTIONS_H_
