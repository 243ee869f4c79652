#include "host/base/npy.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cstring>
#include <optional>
#include <string_view>

#include "host/base/file.h"

namespace systolith {
namespace {

constexpr std::string_view kMagic = "\x93NUMPY";
constexpr int64_t kMaxElements = int64_t{1} << 40;

Status NpyError(const std::string& name, size_t offset, const std::string& reason) {
  return InvalidArgument(
      fmt::format("{}: not a readable .npy at byte {}: {}", name, offset, reason));
}

// What stands behind `'key':` in the header's Python dictionary, up to the comma that ends it.
std::optional<std::string> HeaderField(std::string_view header, std::string_view key) {
  for (const char quote : {'\'', '"'}) {
    const std::string quoted = fmt::format("{0}{1}{0}", quote, key);
    const size_t at = header.find(quoted);
    if (at == std::string_view::npos) continue;
    const size_t colon = header.find(':', at + quoted.size());
    if (colon == std::string_view::npos) return std::nullopt;
    int depth = 0;
    std::string field;
    for (size_t i = colon + 1; i < header.size(); ++i) {
      const char c = header[i];
      if (c == '(') ++depth;
      if (c == ')') --depth;
      if (depth < 0 || (depth == 0 && (c == ',' || c == '}'))) break;
      if (std::isspace(static_cast<unsigned char>(c)) == 0) field += c;
    }
    return field;
  }
  return std::nullopt;
}

// "(3,4)" or "(3,)" or "()".
std::optional<std::vector<int64_t>> ParseDims(std::string_view text) {
  if (text.size() < 2 || text.front() != '(' || text.back() != ')') return std::nullopt;
  std::vector<int64_t> dims;
  int64_t elements = 1;
  for (size_t i = 1; i + 1 < text.size();) {
    if (std::isdigit(static_cast<unsigned char>(text[i])) == 0) return std::nullopt;
    int64_t dim = 0;
    while (std::isdigit(static_cast<unsigned char>(text[i])) != 0) {
      dim = dim * 10 + (text[i++] - '0');
      if (dim > kMaxElements) return std::nullopt;
    }
    if (text[i] == ',') {
      ++i;
    } else if (i + 1 != text.size()) {
      return std::nullopt;
    }
    dims.push_back(dim);
    elements *= std::max<int64_t>(dim, 1);
    if (elements > kMaxElements || dims.size() > 64) return std::nullopt;
  }
  return dims;
}

// Elements stored with the first index fastest, brought into C order.
std::vector<std::byte> FromFortranOrder(std::span<const std::byte> data,
                                        const std::vector<int64_t>& dims, size_t item_size) {
  std::vector<std::byte> result(data.size());
  std::vector<int64_t> index(dims.size(), 0);
  for (size_t element = 0; element * item_size < data.size(); ++element) {
    int64_t target = 0;
    for (size_t d = 0; d < dims.size(); ++d) target = target * dims[d] + index[d];
    std::memcpy(result.data() + static_cast<size_t>(target) * item_size,
                data.data() + element * item_size, item_size);
    for (size_t d = 0; d < dims.size() && ++index[d] == dims[d]; ++d) index[d] = 0;
  }
  return result;
}

}  // namespace

int NpyItemSize(const std::string& dtype) {
  for (const char* known :
       {"f4", "f8", "f2", "i1", "u1", "i2", "u2", "i4", "u4", "i8", "u8", "b1", "V2"}) {
    if (dtype == known) return dtype[1] - '0';
  }
  return 0;
}

Result<NpyArray> ParseNpy(std::span<const std::byte> bytes, const std::string& name) {
  const std::string_view text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  if (!text.starts_with(kMagic)) return NpyError(name, 0, "the magic \\x93NUMPY is missing");
  if (text.size() < 12) return NpyError(name, text.size(), "the file ends in the header");
  const auto byte = [&](size_t i) { return static_cast<size_t>(static_cast<uint8_t>(text[i])); };
  const size_t major = byte(6);
  if (major < 1 || major > 3) {
    return NpyError(name, 6, fmt::format("format version {} is none of 1, 2, 3", major));
  }
  const size_t start = major == 1 ? 10 : 12;
  const size_t length = major == 1
                            ? byte(8) | byte(9) << 8
                            : byte(8) | byte(9) << 8 | byte(10) << 16 | byte(11) << 24;
  if (length > text.size() - start)
    return NpyError(name, text.size(), "the file ends in the header");
  const std::string_view header = text.substr(start, length);

  const auto descr = HeaderField(header, "descr");
  const auto order = HeaderField(header, "fortran_order");
  const auto shape = HeaderField(header, "shape");
  if (!descr || !order || !shape) {
    return NpyError(name, start, "the header lacks descr, fortran_order or shape");
  }
  NpyArray array;
  std::string dtype = *descr;
  std::erase_if(dtype, [](char c) { return c == '\'' || c == '"'; });
  if (dtype.starts_with('>')) {
    return NpyError(name, start,
                    fmt::format("dtype {} is big-endian; save it little-endian", dtype));
  }
  if (!dtype.empty() && std::strchr("<|=", dtype[0]) != nullptr) dtype.erase(0, 1);
  const int item_size = NpyItemSize(dtype);
  if (item_size == 0) {
    return NpyError(
        name, start,
        fmt::format("dtype {} is none of f2 f4 f8 i1 i2 i4 i8 u1 u2 u4 u8 b1 V2", *descr));
  }
  if (*order != "True" && *order != "False") {
    return NpyError(name, start, fmt::format("fortran_order is {}", *order));
  }
  const auto dims = ParseDims(*shape);
  if (!dims) return NpyError(name, start, fmt::format("shape is {}", *shape));
  array.dtype = dtype;
  array.dims = *dims;

  int64_t elements = 1;
  for (const int64_t dim : array.dims) elements *= dim;
  const size_t expected = static_cast<size_t>(elements) * static_cast<size_t>(item_size);
  const std::span<const std::byte> data = bytes.subspan(start + length);
  if (data.size() != expected) {
    return NpyError(name, start + length,
                    fmt::format("{} bytes of data where shape and dtype ask for {}", data.size(),
                                expected));
  }
  if (*order == "True" && array.dims.size() > 1) {
    array.data = FromFortranOrder(data, array.dims, static_cast<size_t>(item_size));
  } else {
    array.data.assign(data.begin(), data.end());
  }
  return array;
}

std::vector<std::byte> FormatNpy(const NpyArray& array) {
  std::string dims;
  for (const int64_t dim : array.dims) dims += fmt::format("{}, ", dim);
  if (array.dims.size() > 1) dims.resize(dims.size() - 2);
  if (array.dims.size() == 1) dims.resize(dims.size() - 1);  // "(3,)"
  const bool is_byte = NpyItemSize(array.dtype) == 1 || array.dtype == "V2";
  std::string header = fmt::format("{{'descr': '{}{}', 'fortran_order': False, 'shape': ({}), }}",
                                   is_byte ? '|' : '<', array.dtype, dims);
  // The data starts at a multiple of 64, as NumPy does for memory mapping.
  const size_t unpadded = kMagic.size() + 4 + header.size() + 1;
  header.append((64 - unpadded % 64) % 64, ' ');
  header += '\n';
  std::string file(kMagic);
  file += '\x01';
  file += '\0';
  file += static_cast<char>(header.size() & 0xff);
  file += static_cast<char>(header.size() >> 8);
  file += header;
  const auto* begin = reinterpret_cast<const std::byte*>(file.data());
  std::vector<std::byte> bytes(begin, begin + file.size());
  bytes.insert(bytes.end(), array.data.begin(), array.data.end());
  return bytes;
}

Result<NpyArray> ReadNpy(const std::string& path) {
  ASSIGN_OR_RETURN(const std::vector<std::byte> bytes, ReadFile(path));
  return ParseNpy(bytes, path);
}

Status WriteNpy(const std::string& path, const NpyArray& array) {
  return WriteFile(path, FormatNpy(array));
}

}  // namespace systolith
