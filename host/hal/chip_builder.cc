#include "host/hal/chip_builder.h"

#include <fmt/format.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <mutex>

#include "host/base/resources.h"

namespace systolith::hal {
namespace {

namespace fs = std::filesystem;

std::string Quoted(const std::string& text) {
  std::string quoted = "'";
  for (const char c : text) quoted += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return quoted + "'";
}

// The file through which the configuration reaches the script; removed on scope exit.
class TemporaryFile {
 public:
  explicit TemporaryFile(const std::string& text) {
    std::string pattern = (fs::temp_directory_path() / "systolith-XXXXXX").string();
    const int descriptor = mkstemp(pattern.data());
    if (descriptor >= 0) {
      close(descriptor);
      path_ = pattern;
      std::ofstream(path_) << text;
    }
  }
  ~TemporaryFile() {
    if (!path_.empty()) unlink(path_.c_str());
  }
  TemporaryFile(const TemporaryFile&) = delete;
  TemporaryFile& operator=(const TemporaryFile&) = delete;
  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

}  // namespace

Result<std::string> BuildChip(const arch::ChipConfig& config) {
  // A process that opens many chips of one size asks the script once; RTL and tools are taken not
  // to change meanwhile.
  static std::mutex mutex;
  static std::map<std::string, std::string> built;
  const std::lock_guard lock(mutex);
  // One "Name=Value" per line: what the script binds, and nothing that needs no rebuild.
  std::string description =
      fmt::format("name={}\nbuild_hash={:016x}\n", config.name, config.BuildHash());
  for (const auto& [name, value] : config.RtlParameters()) {
    description += fmt::format("parameter {}={}\n", name, value);
  }
  if (const auto known = built.find(description); known != built.end()) return known->second;
  const TemporaryFile file(description);
  if (file.path().empty()) return Internal("can't write a file in the temporary directory");
  const std::string script = ResourceRoot() + "/scripts/build_chip";
  if (!fs::exists(script)) {
    return InvalidArgument(fmt::format("{}: not found; set SYSTOLITH_ROOT to the source or "
                                       "share/systolith directory",
                                       script));
  }
  FILE* pipe = popen((Quoted(script) + " " + Quoted(file.path())).c_str(), "r");
  if (pipe == nullptr) return Internal(fmt::format("{}: can't be started", script));
  std::string output;
  std::array<char, 512> chunk;
  for (size_t n; (n = fread(chunk.data(), 1, chunk.size(), pipe)) > 0;) {
    output.append(chunk.data(), n);
  }
  const int status = pclose(pipe);
  if (!WIFEXITED(status) || WEXITSTATUS(status) != 0) {
    return InvalidArgument(fmt::format(
        "building the verilated chip '{}' failed (its messages are above); is everything of "
        "scripts/setup installed?",
        config.name));
  }
  while (!output.empty() && output.back() == '\n') output.pop_back();
  return built[description] = output.substr(output.rfind('\n') + 1);
}

}  // namespace systolith::hal
