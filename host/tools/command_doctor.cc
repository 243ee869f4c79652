#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <filesystem>

#include "host/arch/chip_config.h"
#include "host/base/resources.h"
#include "host/runtime/device.h"
#include "host/runtime/memory_allocator.h"
#include "host/tools/commands.h"
#include "host/tools/version.h"

namespace systolith::tools {
namespace {

namespace fs = std::filesystem;

// Free space that building and keeping a large verilated chip takes.
constexpr uint64_t kCacheBytes = uint64_t{2} << 30;

// The first line that a command prints; empty if it can't be run.
std::string FirstLine(const std::string& command) {
  FILE* pipe = popen((command + " 2>/dev/null").c_str(), "r");
  if (pipe == nullptr) return "";
  std::string output;
  std::array<char, 256> chunk;
  while (fgets(chunk.data(), chunk.size(), pipe) != nullptr) output += chunk.data();
  if (pclose(pipe) != 0) return "";
  return output.substr(0, output.find('\n'));
}

class Doctor {
 public:
  void Good(const std::string& what, const std::string& detail) {
    fmt::print("ok       {:<16}{}\n", what, detail);
  }
  void Bad(const std::string& what, const std::string& detail, const std::string& remedy) {
    fmt::print("MISSING  {:<16}{}\n         {:<16}remedy: {}\n", what, detail, "", remedy);
    ++missing_;
  }
  void Tool(const std::string& name, const std::string& package) {
    const std::string version = FirstLine(name + " --version");
    if (version.empty()) {
      Bad(name, "can't be run", "scripts/setup, or: apt-get install " + package);
    } else {
      Good(name, version);
    }
  }
  int missing() const { return missing_; }

 private:
  int missing_ = 0;
};

// What the harness of a verilated chip includes.
void CheckHeader(Doctor& doctor, const std::string& header, const std::string& package) {
  const std::string found = FirstLine("echo '#include <" + header +
                                      ">' | g++ -std=c++20 -x c++ -fsyntax-only - && echo yes");
  if (found == "yes") {
    doctor.Good(header, "found");
  } else {
    doctor.Bad(header, "not found", "scripts/setup, or: apt-get install " + package);
  }
}

fs::path CacheDirectory() {
  if (const char* cache = std::getenv("SYSTOLITH_CACHE"); cache != nullptr && *cache != '\0') {
    return cache;
  }
  if (const char* base = std::getenv("XDG_CACHE_HOME"); base != nullptr && *base != '\0') {
    return fs::path(base) / "systolith";
  }
  const char* home = std::getenv("HOME");
  return fs::path(home == nullptr ? "/tmp" : home) / ".cache" / "systolith";
}

void CheckCache(Doctor& doctor) {
  const fs::path cache = CacheDirectory();
  fs::path existing = cache;
  std::error_code error;
  while (!existing.empty() && !fs::exists(existing, error) && existing.has_relative_path()) {
    existing = existing.parent_path();
  }
  if (access(existing.c_str(), W_OK) != 0) {
    doctor.Bad("cache", fmt::format("{} can't be written", cache.string()),
               "set SYSTOLITH_CACHE to a directory of your own");
    return;
  }
  const uint64_t available = fs::space(existing, error).available;
  if (available < kCacheBytes) {
    doctor.Bad("cache",
               fmt::format("{}: {} free", cache.string(), runtime::FormatBytes(available)),
               "free some space, or set SYSTOLITH_CACHE to another disk");
    return;
  }
  doctor.Good("cache",
              fmt::format("{}, {} free", cache.string(), runtime::FormatBytes(available)));
}

void CheckResources(Doctor& doctor) {
  const fs::path root = ResourceRoot();
  const std::string remedy = "set SYSTOLITH_ROOT to the source or share/systolith directory";
  if (fs::exists(root / "scripts" / "build_chip") && fs::exists(root / "rtl" / "chip")) {
    doctor.Good("chip sources", root.string());
  } else {
    doctor.Bad("chip sources", root.string() + " lacks rtl/chip or scripts/build_chip", remedy);
  }
  const std::vector<std::string> names = arch::ChipConfigNames();
  if (names.empty()) {
    doctor.Bad("configurations", "none in " + arch::ConfigDirectory(), remedy);
  }
  for (const std::string& name : names) {
    const auto config = arch::LoadChipConfig(name);
    if (!config.ok()) doctor.Bad("configuration", config.status().message(), "correct the file");
  }
}

void CheckGolden(Doctor& doctor) {
  Result<arch::ChipConfig> config = arch::LoadChipConfig("tiny");
  if (!config.ok()) return;
  const auto device = runtime::Device::Open("golden", *config);
  if (device.ok()) {
    doctor.Good("golden model", "opens");
  } else {
    doctor.Bad("golden model", device.status().message(),
               "cmake --build DIR --target systolith_golden");
  }
}

}  // namespace

Status DoctorCommand(const Options&) {
  Doctor doctor;
  doctor.Good("systolith", kVersion);
  doctor.Tool("verilator", "verilator");
  doctor.Tool("g++", "g++");
  doctor.Tool("ar", "binutils");
  doctor.Tool("flock", "util-linux");
  CheckHeader(doctor, "fmt/format.h", "libfmt-dev");
  CheckHeader(doctor, "zlib.h", "zlib1g-dev");
  CheckResources(doctor);
  CheckGolden(doctor);
  CheckCache(doctor);
  if (doctor.missing() > 0) {
    return InvalidArgument(fmt::format("{} of these need attention", doctor.missing()));
  }
  return OkStatus();
}

}  // namespace systolith::tools
