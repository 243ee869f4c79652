#include "host/isa/executable.h"

#include <fmt/format.h>

#include <algorithm>

#include "host/base/file.h"
#include "host/isa/check.h"
#include "host/isa/executable_json.h"

namespace systolith::isa {
namespace {

constexpr std::string_view kMagic = "SYSX";
constexpr uint32_t kVersion = 2;
constexpr size_t kHeaderBytes = 20;  // magic, version, body length (8 bytes), CRC-32 of the body

uint32_t Crc32(std::span<const std::byte> bytes) {
  uint32_t crc = ~0u;
  for (const std::byte byte : bytes) {
    crc ^= static_cast<uint32_t>(byte);
    for (int bit = 0; bit < 8; ++bit) crc = crc >> 1 ^ (crc & 1 ? 0xedb88320u : 0u);
  }
  return ~crc;
}

void PutNumber(std::vector<std::byte>& out, uint64_t value, int byte_count) {
  for (int i = 0; i < byte_count; ++i) out.push_back(static_cast<std::byte>(value >> (8 * i)));
}

uint64_t GetNumber(std::span<const std::byte> bytes) {
  uint64_t value = 0;
  for (size_t i = 0; i < bytes.size(); ++i) value |= static_cast<uint64_t>(bytes[i]) << (8 * i);
  return value;
}

Status CheckConsistent(const Executable& executable) {
  const auto known = [&](const std::vector<uint32_t>& tensors) {
    return std::all_of(tensors.begin(), tensors.end(),
                       [&](uint32_t tensor) { return tensor < executable.tensors.size(); });
  };
  if (!known(executable.arguments) || !known(executable.results)) {
    return InvalidArgument("the argument table names a tensor that does not exist");
  }
  for (const Tensor& tensor : executable.tensors) {
    const uint64_t end = tensor.offset + tensor.bytes;
    if ((tensor.home == Home::kScratch && end > executable.scratch_bytes) ||
        (tensor.home == Home::kConstants && end > executable.constants.size())) {
      return InvalidArgument("a tensor lies outside of its allocation");
    }
  }
  for (size_t i = 0; i < executable.steps.size(); ++i) {
    if (const auto* chip = std::get_if<ChipStep>(&executable.steps[i])) {
      if (Status status = CheckProgram(chip->program.words); !status.ok()) {
        return status.WithContext(fmt::format("step {}", i));
      }
      continue;
    }
    const auto& host = std::get<HostStep>(executable.steps[i]);
    if (!known(host.inputs) || !known(host.outputs)) {
      return InvalidArgument(fmt::format("step {} names a tensor that does not exist", i));
    }
  }
  return OkStatus();
}

}  // namespace

uint64_t Executable::Macs() const {
  uint64_t macs = 0;
  for (const OperationReport& operation : operations) {
    if (operation.on_chip) macs += operation.macs;
  }
  return macs;
}

double Executable::FallbackShare() const {
  if (operations.empty()) return 0.0;
  const auto count = std::count_if(operations.begin(), operations.end(),
                                   [](const OperationReport& o) { return !o.on_chip; });
  return static_cast<double>(count) / static_cast<double>(operations.size());
}

double Executable::FallbackByteShare() const {
  double all = 0, on_host = 0;
  for (const OperationReport& operation : operations) {
    all += static_cast<double>(operation.bytes);
    if (!operation.on_chip) on_host += static_cast<double>(operation.bytes);
  }
  return all == 0 ? 0.0 : on_host / all;
}

uint64_t Executable::AllocationBytes(Home home, uint32_t index) const {
  if (home == Home::kScratch) return scratch_bytes;
  if (home == Home::kConstants) return constants.size();
  for (const Tensor& tensor : tensors) {
    if (tensor.home == home && tensor.index == index) return tensor.bytes;
  }
  return 0;
}

std::vector<std::byte> Serialize(const Executable& executable) {
  const std::vector<std::byte> body = EncodeBody(executable);
  std::vector<std::byte> bytes;
  bytes.reserve(kHeaderBytes + body.size());
  for (const char c : kMagic) bytes.push_back(static_cast<std::byte>(c));
  PutNumber(bytes, kVersion, 4);
  PutNumber(bytes, body.size(), 8);
  PutNumber(bytes, Crc32(body), 4);
  bytes.insert(bytes.end(), body.begin(), body.end());
  return bytes;
}

bool LooksLikeExecutable(std::span<const std::byte> bytes) {
  return bytes.size() >= kMagic.size() &&
         std::equal(kMagic.begin(), kMagic.end(), bytes.begin(),
                    [](char c, std::byte b) { return static_cast<std::byte>(c) == b; });
}

Result<Executable> Deserialize(std::span<const std::byte> bytes, const std::string& name) {
  if (!LooksLikeExecutable(bytes)) {
    return InvalidArgument(name + ": not a .sysx file (it does not begin with SYSX)");
  }
  if (bytes.size() < kHeaderBytes) {
    return InvalidArgument(fmt::format("{}: truncated: {} bytes, the header alone has {}", name,
                                       bytes.size(), kHeaderBytes));
  }
  const uint64_t version = GetNumber(bytes.subspan(4, 4));
  if (version != kVersion) {
    return InvalidArgument(fmt::format("{}: format version {}, this program reads version {}; "
                                       "compile the source again", name, version, kVersion));
  }
  const uint64_t body_bytes = GetNumber(bytes.subspan(8, 8));
  if (body_bytes != bytes.size() - kHeaderBytes) {
    return InvalidArgument(fmt::format("{}: truncated: {} bytes behind the header instead of {}",
                                       name, bytes.size() - kHeaderBytes, body_bytes));
  }
  const std::span<const std::byte> body = bytes.subspan(kHeaderBytes);
  if (Crc32(body) != GetNumber(bytes.subspan(16, 4))) {
    return InvalidArgument(name + ": corrupt: the checksum does not fit the contents");
  }
  Result<Executable> executable = DecodeBody(body);
  if (!executable.ok()) return executable.status().WithContext(name);
  if (Status status = CheckConsistent(*executable); !status.ok()) return status.WithContext(name);
  return executable;
}

Status WriteExecutable(const std::string& path, const Executable& executable) {
  return WriteFile(path, Serialize(executable));
}

Result<Executable> ReadExecutable(const std::string& path) {
  ASSIGN_OR_RETURN(const std::vector<std::byte> bytes, ReadFile(path));
  return Deserialize(bytes, path);
}

}  // namespace systolith::isa
