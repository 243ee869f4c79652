// The .npz part of npy.h: a zip archive of .npy members.
#include <fmt/format.h>
#include <zlib.h>

#include <algorithm>
#include <cstring>
#include <string_view>

#include "host/base/file.h"
#include "host/base/npy.h"

namespace systolith {
namespace {

constexpr uint32_t kLocalSignature = 0x04034b50;
constexpr uint32_t kCentralSignature = 0x02014b50;
constexpr uint32_t kEndSignature = 0x06054b50;
constexpr size_t kLocalSize = 30, kCentralSize = 46, kEndSize = 22;
constexpr uint16_t kStored = 0, kDeflated = 8;
constexpr uint32_t kMaxDeflateRatio = 1040;  // deflate reaches at most 1032 : 1

Status NpzError(const std::string& name, size_t offset, const std::string& reason) {
  return InvalidArgument(
      fmt::format("{}: not a readable .npz at byte {}: {}", name, offset, reason));
}

uint32_t Load(std::span<const std::byte> bytes, size_t offset, int count) {
  uint32_t value = 0;
  for (int i = 0; i < count; ++i) {
    value |= static_cast<uint32_t>(bytes[offset + static_cast<size_t>(i)]) << (8 * i);
  }
  return value;
}

void Store(std::vector<std::byte>& bytes, uint32_t value, int count) {
  for (int i = 0; i < count; ++i) bytes.push_back(static_cast<std::byte>(value >> (8 * i)));
}

uint32_t Crc(std::span<const std::byte> bytes) {
  return static_cast<uint32_t>(
      crc32_z(0, reinterpret_cast<const Bytef*>(bytes.data()), bytes.size()));
}

// Inflates raw deflate data that must give exactly `size` bytes.
bool Inflate(std::span<const std::byte> data, std::vector<std::byte>& result, size_t size) {
  result.resize(size);
  z_stream stream{};
  if (inflateInit2(&stream, -MAX_WBITS) != Z_OK) return false;
  std::byte nothing{};  // zlib wants a place to write even when there is nothing to write
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<std::byte*>(data.data()));
  stream.avail_in = static_cast<uInt>(data.size());
  stream.next_out = reinterpret_cast<Bytef*>(size == 0 ? &nothing : result.data());
  stream.avail_out = static_cast<uInt>(size);
  const bool complete = inflate(&stream, Z_FINISH) == Z_STREAM_END && stream.total_out == size;
  inflateEnd(&stream);
  return complete;
}

std::vector<std::byte> Deflate(std::span<const std::byte> data) {
  z_stream stream{};
  deflateInit2(&stream, Z_DEFAULT_COMPRESSION, Z_DEFLATED, -MAX_WBITS, 8, Z_DEFAULT_STRATEGY);
  std::vector<std::byte> result(deflateBound(&stream, data.size()));
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<std::byte*>(data.data()));
  stream.avail_in = static_cast<uInt>(data.size());
  stream.next_out = reinterpret_cast<Bytef*>(result.data());
  stream.avail_out = static_cast<uInt>(result.size());
  deflate(&stream, Z_FINISH);
  result.resize(stream.total_out);
  deflateEnd(&stream);
  return result;
}

// The end-of-directory record, searched from the back because a comment may follow it.
bool FindEnd(std::span<const std::byte> bytes, size_t& end) {
  if (bytes.size() < kEndSize) return false;
  const size_t lowest = bytes.size() - std::min<size_t>(bytes.size(), kEndSize + 0xffff);
  for (end = bytes.size() - kEndSize;; --end) {
    if (Load(bytes, end, 4) == kEndSignature) return true;
    if (end == lowest) return false;
  }
}

struct Member {
  std::string name;
  uint16_t method = kStored;
  uint32_t crc = 0, packed_size = 0, size = 0, local_offset = 0;
};

Result<NpyArray> ReadMember(std::span<const std::byte> bytes, const std::string& name,
                            const Member& member) {
  const std::string full_name = fmt::format("{}({})", name, member.name);
  const size_t local = member.local_offset;
  if (local > bytes.size() || bytes.size() - local < kLocalSize ||
      Load(bytes, local, 4) != kLocalSignature) {
    return NpzError(name, local, fmt::format("no member {} there", member.name));
  }
  const size_t start = local + kLocalSize + Load(bytes, local + 26, 2) + Load(bytes, local + 28, 2);
  if (start > bytes.size() || bytes.size() - start < member.packed_size) {
    return NpzError(name, start, fmt::format("the file ends in member {}", member.name));
  }
  const auto packed = bytes.subspan(start, member.packed_size);
  std::vector<std::byte> unpacked;
  if (member.method == kStored) {
    if (member.size != member.packed_size) {
      return NpzError(name, start, fmt::format("member {} has two sizes", member.name));
    }
    unpacked.assign(packed.begin(), packed.end());
  } else if (member.method == kDeflated) {
    if (member.size / kMaxDeflateRatio > member.packed_size ||
        !Inflate(packed, unpacked, member.size)) {
      return NpzError(name, start, fmt::format("member {} does not inflate", member.name));
    }
  } else {
    return NpzError(name, local, fmt::format("member {} is packed by method {}; only stored and "
                                             "deflated ones are read", member.name, member.method));
  }
  if (Crc(unpacked) != member.crc) {
    return NpzError(name, start, fmt::format("member {} has a wrong checksum", member.name));
  }
  return ParseNpy(unpacked, full_name);
}

}  // namespace

Result<NamedArrays> ParseNpz(std::span<const std::byte> bytes, const std::string& name) {
  size_t end = 0;
  if (!FindEnd(bytes, end)) {
    return NpzError(name, bytes.size(), "no zip directory; the file is truncated or no zip file");
  }
  const uint32_t count = Load(bytes, end + 10, 2);
  size_t at = Load(bytes, end + 16, 4);
  if (count == 0xffff || at == 0xffffffff) {
    return NpzError(name, end, "zip64 archives are not read; keep the file below 4 GiB");
  }
  NamedArrays arrays;
  for (uint32_t i = 0; i < count; ++i) {
    if (at > end || end - at < kCentralSize || Load(bytes, at, 4) != kCentralSignature) {
      return NpzError(name, at, fmt::format("no directory entry {} there", i));
    }
    const size_t name_size = Load(bytes, at + 28, 2);
    const size_t entry_size =
        kCentralSize + name_size + Load(bytes, at + 30, 2) + Load(bytes, at + 32, 2);
    if (entry_size > end - at) return NpzError(name, at, "the directory is truncated");
    Member member;
    member.name.assign(reinterpret_cast<const char*>(bytes.data()) + at + kCentralSize, name_size);
    member.method = static_cast<uint16_t>(Load(bytes, at + 10, 2));
    member.crc = Load(bytes, at + 16, 4);
    member.packed_size = Load(bytes, at + 20, 4);
    member.size = Load(bytes, at + 24, 4);
    member.local_offset = Load(bytes, at + 42, 4);
    ASSIGN_OR_RETURN(NpyArray array, ReadMember(bytes, name, member));
    std::string key = member.name;
    if (key.ends_with(".npy")) key.resize(key.size() - 4);
    arrays.emplace_back(std::move(key), std::move(array));
    at += entry_size;
  }
  return arrays;
}

std::vector<std::byte> FormatNpz(const NamedArrays& arrays) {
  std::vector<std::byte> file, directory;
  for (const auto& [key, array] : arrays) {
    const std::vector<std::byte> content = FormatNpy(array);
    const std::vector<std::byte> packed = Deflate(content);
    const std::string name = key + ".npy";
    const auto name_bytes = std::as_bytes(std::span(name));
    const uint32_t offset = static_cast<uint32_t>(file.size());
    std::vector<std::byte> common;  // the fields that local header and directory share
    Store(common, 20, 2);           // version needed
    Store(common, 0, 2);            // flags
    Store(common, kDeflated, 2);
    Store(common, 0, 2);            // time
    Store(common, 0x21, 2);         // date: 1980-01-01, so that equal arrays give equal files
    Store(common, Crc(content), 4);
    Store(common, static_cast<uint32_t>(packed.size()), 4);
    Store(common, static_cast<uint32_t>(content.size()), 4);
    Store(common, static_cast<uint32_t>(name.size()), 2);
    Store(common, 0, 2);            // no extra field

    Store(file, kLocalSignature, 4);
    file.insert(file.end(), common.begin(), common.end());
    file.insert(file.end(), name_bytes.begin(), name_bytes.end());
    file.insert(file.end(), packed.begin(), packed.end());

    Store(directory, kCentralSignature, 4);
    Store(directory, 20, 2);  // version made by
    directory.insert(directory.end(), common.begin(), common.end());
    Store(directory, 0, 2);  // no comment
    Store(directory, 0, 2);  // disk
    Store(directory, 0, 2);  // internal attributes
    Store(directory, 0, 4);  // external attributes
    Store(directory, offset, 4);
    directory.insert(directory.end(), name_bytes.begin(), name_bytes.end());
  }
  const uint32_t directory_offset = static_cast<uint32_t>(file.size());
  file.insert(file.end(), directory.begin(), directory.end());
  Store(file, kEndSignature, 4);
  Store(file, 0, 4);  // disks
  Store(file, static_cast<uint32_t>(arrays.size()), 2);
  Store(file, static_cast<uint32_t>(arrays.size()), 2);
  Store(file, static_cast<uint32_t>(directory.size()), 4);
  Store(file, directory_offset, 4);
  Store(file, 0, 2);  // no comment
  return file;
}

Result<NamedArrays> ReadNpz(const std::string& path) {
  ASSIGN_OR_RETURN(const std::vector<std::byte> bytes, ReadFile(path));
  return ParseNpz(bytes, path);
}

Status WriteNpz(const std::string& path, const NamedArrays& arrays) {
  return WriteFile(path, FormatNpz(arrays));
}

}  // namespace systolith
