#ifndef SYSTOLITH_HOST_BASE_FILE_H_
#define SYSTOLITH_HOST_BASE_FILE_H_

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "host/base/status.h"

namespace systolith {

// The whole file; InvalidArgument with the path and the system's reason if it can't be read.
Result<std::vector<std::byte>> ReadFile(const std::string& path);
Result<std::string> ReadTextFile(const std::string& path);

// Replaces the file at once: a reader sees the old content or the new, never a part.
Status WriteFile(const std::string& path, std::span<const std::byte> bytes);
Status WriteTextFile(const std::string& path, const std::string& text);

}  // namespace systolith

#endif  // SYSTOLITH_HOST_BASE_FILE_H_
