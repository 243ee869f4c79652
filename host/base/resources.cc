#include "host/base/resources.h"

#include <cstdlib>
#include <filesystem>

namespace systolith {

namespace fs = std::filesystem;

std::string ProgramDirectory() {
  std::error_code ignored;
  return fs::read_symlink("/proc/self/exe", ignored).parent_path().string();
}

std::string ResourceRoot() {
  if (const char* root = std::getenv("SYSTOLITH_ROOT"); root != nullptr && *root != '\0') {
    return root;
  }
  const fs::path installed = fs::path(ProgramDirectory()).parent_path() / "share" / "systolith";
  std::error_code ignored;
  if (fs::is_directory(installed / "rtl", ignored)) return installed.string();
  return SYSTOLITH_SOURCE_DIR;
}

}  // namespace systolith
