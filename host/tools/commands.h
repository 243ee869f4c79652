#ifndef SYSTOLITH_HOST_TOOLS_COMMANDS_H_
#define SYSTOLITH_HOST_TOOLS_COMMANDS_H_

#include "host/base/status.h"
#include "host/tools/options.h"

// The subcommands of `systolith`. Each prints its output and returns what it could not do.
namespace systolith::tools {

// Prints its own summary, writes its report in every case, and leaves the process with exit code 4
// itself when the user interrupts it in work that can't be stopped.
Status RunCommand(const Options& options);
Status CompileCommand(const Options& options);
Status ConformanceCommand(const Options& options);
Status DisasmCommand(const Options& options);
Status InfoCommand(const Options& options);
Status KernelCommand(const Options& options);
Status DoctorCommand(const Options& options);

}  // namespace systolith::tools

#endif  // SYSTOLITH_HOST_TOOLS_COMMANDS_H_
