#ifndef SYSTOLITH_HOST_TOOLS_PROGRAM_INPUT_H_
#define SYSTOLITH_HOST_TOOLS_PROGRAM_INPUT_H_

#include <optional>
#include <string>

#include "host/arch/chip_config.h"
#include "host/base/status.h"
#include "host/compiler/compile.h"
#include "host/graph/graph.h"
#include "host/isa/executable.h"
#include "host/tools/options.h"

namespace systolith::tools {

// What a PROGRAM on the command line stands for.
struct ProgramInput {
  std::optional<graph::Module> module;        // of StableHLO text
  std::optional<isa::Executable> executable;  // of a .sysx file
};
Result<ProgramInput> ReadProgram(const std::string& path);

// The chip that the options name, else the one that the program was compiled for, else the default.
Result<arch::ChipConfig> ChooseChip(const Options& options, const ProgramInput& program);

// The executable of the file, or the compiled module. Takes the module's precision from the
// options.
Result<isa::Executable> MakeExecutable(const ProgramInput& program, const arch::ChipConfig& chip,
                                       const Options& options);

// What DEFAULT means for f32 products of that program.
graph::Precision PrecisionOf(const ProgramInput& program, const Options& options);

}  // namespace systolith::tools

#endif  // SYSTOLITH_HOST_TOOLS_PROGRAM_INPUT_H_
