// Runs a compiled program on a chip and prints its first result:  driver PROGRAM.sysx [golden|rtl]
#include <cstdio>

#include "host/runtime/executable.h"

using namespace systolith;

Status RunProgram(const std::string& path, const std::string& target) {
  ASSIGN_OR_RETURN(const isa::Executable executable, isa::ReadExecutable(path));
  ASSIGN_OR_RETURN(const arch::ChipConfig chip, arch::LoadChipConfig(executable.chip_name));
  ASSIGN_OR_RETURN(const auto device, runtime::Device::Open(target, chip));
  ASSIGN_OR_RETURN(const auto program, runtime::LoadedExecutable::Load(device, executable));

  std::vector<runtime::Buffer> arguments;
  for (size_t i = 0; i < executable.arguments.size(); ++i) {
    ASSIGN_OR_RETURN(runtime::Buffer buffer, program->AllocateArgument(i));
    RETURN_IF_ERROR(buffer.Write(std::vector<std::byte>(buffer.bytes(), std::byte{1})));
    arguments.push_back(buffer);
  }

  ASSIGN_OR_RETURN(const runtime::Run run, program->Start(arguments));  // returns at once
  RETURN_IF_ERROR(run.Wait());
  ASSIGN_OR_RETURN(const graph::Literal result, run.ReadResult(0));
  std::printf("%s, first element %s, %llu instructions\n", result.shape().ToString().c_str(),
              result.ElementToString(0).c_str(),
              static_cast<unsigned long long>(run.counters().instructions));
  return OkStatus();
}

int main(int argc, char** argv) {
  const Status status = argc < 2 ? InvalidArgument("usage: driver PROGRAM.sysx [golden|rtl]")
                                 : RunProgram(argv[1], argc > 2 ? argv[2] : "golden");
  if (!status.ok()) std::fprintf(stderr, "driver: %s\n", status.message().c_str());
  return status.ExitCode();
}
