#include <fmt/format.h>

#include <cstdio>
#include <new>

#include "host/tools/commands.h"
#include "host/tools/progress.h"

// The command `systolith`.
int main(int argc, char** argv) {
  using namespace systolith;
  std::string text;
  const Result<tools::Options> options = tools::ParseCommandLine(argc, argv, &text);
  if (!options.ok()) {
    fmt::print(stderr, "systolith: {}\n{}", options.status().message(),
               text.empty() ? "" : "\n" + text);
    return options.status().ExitCode();
  }
  if (!text.empty()) {
    fmt::print("{}", text);
    return 0;
  }
  tools::CatchInterrupts();
  Status status;
  const std::string& command = options->subcommand;
  try {
    if (command == "run") status = tools::RunCommand(*options);
    if (command == "compile") status = tools::CompileCommand(*options);
    if (command == "conformance") status = tools::ConformanceCommand(*options);
    if (command == "disasm") status = tools::DisasmCommand(*options);
    if (command == "info") status = tools::InfoCommand(*options);
    if (command == "kernel") status = tools::KernelCommand(*options);
    if (command == "doctor") status = tools::DoctorCommand(*options);
  } catch (const std::bad_alloc&) {
    status = Unsupported("out of host memory: the program is too large for this machine");
  }
  if (std::fflush(stdout) != 0) {
    status = InvalidArgument("standard output can't be written: is the disk full?");
  }
  if (!status.ok()) fmt::print(stderr, "systolith: {}\n", status.message());
  return status.ExitCode();
}
