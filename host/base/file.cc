#include "host/base/file.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <memory>
#include <system_error>

namespace systolith {
namespace {

using File = std::unique_ptr<std::FILE, int (*)(std::FILE*)>;

Status FileError(const char* what, const std::string& path, const char* reason) {
  return InvalidArgument(fmt::format("cannot {} {}: {}", what, path, reason));
}

// Writes to `target`; messages speak of `path`.
Status WriteTo(const std::string& target, const std::string& path,
               std::span<const std::byte> bytes) {
  File file(std::fopen(target.c_str(), "wb"), std::fclose);
  if (!file) return FileError("write", path, std::strerror(errno));
  if (std::fwrite(bytes.data(), 1, bytes.size(), file.get()) != bytes.size() ||
      std::fflush(file.get()) != 0) {
    return FileError("write", path, std::strerror(errno));
  }
  return OkStatus();
}

}  // namespace

Result<std::vector<std::byte>> ReadFile(const std::string& path) {
  std::error_code error;
  if (std::filesystem::is_directory(path, error)) {
    return FileError("read", path, "it is a directory");
  }
  File file(std::fopen(path.c_str(), "rb"), std::fclose);
  if (!file) return FileError("read", path, std::strerror(errno));
  std::vector<std::byte> bytes;
  std::byte chunk[65536];
  while (const size_t count = std::fread(chunk, 1, sizeof chunk, file.get())) {
    bytes.insert(bytes.end(), chunk, chunk + count);
  }
  if (std::ferror(file.get()) != 0) return FileError("read", path, std::strerror(errno));
  return bytes;
}

Result<std::string> ReadTextFile(const std::string& path) {
  ASSIGN_OR_RETURN(const std::vector<std::byte> bytes, ReadFile(path));
  return std::string(reinterpret_cast<const char*>(bytes.data()), bytes.size());
}

Status WriteFile(const std::string& path, std::span<const std::byte> bytes) {
  // A pipe or a device is written as it is; only a regular file can be replaced.
  std::error_code error;
  const auto kind = std::filesystem::status(path, error).type();
  if (kind != std::filesystem::file_type::not_found &&
      kind != std::filesystem::file_type::regular) {
    return WriteTo(path, path, bytes);
  }
  const std::string temporary = fmt::format("{}.{}.tmp", path, getpid());
  if (Status status = WriteTo(temporary, path, bytes); !status.ok()) {
    std::remove(temporary.c_str());
    return status;
  }
  if (std::rename(temporary.c_str(), path.c_str()) != 0) {
    const Status status = FileError("write", path, std::strerror(errno));
    std::remove(temporary.c_str());
    return status;
  }
  return OkStatus();
}

Status WriteTextFile(const std::string& path, const std::string& text) {
  return WriteFile(path, std::as_bytes(std::span(text)));
}

}  // namespace systolith
