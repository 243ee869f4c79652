#include <dlfcn.h>
#include <fmt/format.h>

#include <filesystem>

#include "host/base/nearest_name.h"
#include "host/base/resources.h"
#include "host/hal/chip_builder.h"
#include "host/hal/transport.h"

namespace systolith::hal {
namespace {

namespace fs = std::filesystem;

// Directories in which the libraries of this software lie: beside the program, in an install
// tree's lib directory, in the build tree.
Result<std::string> FindLibrary(const std::string& name) {
  std::vector<std::string> tried;
  const fs::path program = ProgramDirectory();
  for (const fs::path& directory :
       {fs::path(std::getenv("SYSTOLITH_LIBRARY_DIR") ? std::getenv("SYSTOLITH_LIBRARY_DIR") : ""),
        program, program.parent_path() / "lib" / "systolith", fs::path(SYSTOLITH_LIBRARY_DIR),
        fs::path(SYSTOLITH_INSTALLED_LIBRARY_DIR)}) {
    if (directory.empty()) continue;
    const fs::path path = directory / name;
    if (fs::exists(path)) return path.string();
    tried.push_back(directory.string());
  }
  return InvalidArgument(fmt::format("backend library {} was not found in {}; build it, or set "
                                     "SYSTOLITH_LIBRARY_DIR",
                                     name, fmt::join(tried, ", ")));
}

Result<std::string> LibraryOfTarget(const std::string& target, const arch::ChipConfig& config) {
  if (target == "golden") return FindLibrary("libsystolith_golden.so");
  if (target == "rtl") return BuildChip(config);
  if (target.ends_with(".so") && fs::exists(target)) return fs::absolute(target).string();
  const std::vector<std::string> known = {"golden", "rtl"};
  return InvalidArgument(fmt::format("unknown target '{}': must be golden, rtl or a backend's .so; "
                                     "did you mean '{}'?",
                                     target, NearestName(target, known)));
}

}  // namespace

Result<std::unique_ptr<Transport>> OpenTransport(const std::string& target,
                                                 const arch::ChipConfig& config,
                                                 const TransportOptions& options) {
  ASSIGN_OR_RETURN(const std::string path, LibraryOfTarget(target, config));
  // Never unloaded: a verilated model's code must outlive every transport and its exit handlers.
  void* library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) {
    return Internal(fmt::format("{}: can't be loaded: {}", path, dlerror()));
  }
  const auto open = reinterpret_cast<OpenFunction>(dlsym(library, kOpenSymbol));
  if (open == nullptr) {
    return InvalidArgument(fmt::format("{}: is not a backend: no symbol {}", path, kOpenSymbol));
  }
  std::string error;
  std::unique_ptr<Transport> transport(open(config, options, &error));
  if (transport == nullptr) return InvalidArgument(fmt::format("{}: {}", path, error));
  return transport;
}

}  // namespace systolith::hal
