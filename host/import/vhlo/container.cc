#include "host/import/vhlo/container.h"

#include <fmt/format.h>

#include <array>
#include <bit>
#include <optional>

#include "host/import/vhlo/vhlo.h"

namespace systolith::import::vhlo {
namespace {

constexpr uint64_t kBytecodeVersion = 6;  // which every StableHLO since 0.15 writes

constexpr int kStringSection = 0, kDialectSection = 1, kAttrTypeSection = 2,
              kAttrTypeOffsetSection = 3, kDialectVersionsSection = 7, kPropertiesSection = 8;
constexpr int kSectionCount = 9;

using Sections = std::array<std::optional<Bytes>, kSectionCount>;

Result<Bytes> Required(const Source& source, Sections& sections, int id, const char* what) {
  if (!sections[static_cast<size_t>(id)]) {
    return source.ErrorAt(0, fmt::format("the file has no section of {}", what));
  }
  return *sections[static_cast<size_t>(id)];
}

// The lengths come in reverse order, then all texts, each with a zero behind it.
Status ReadStrings(Bytes bytes, Container& container) {
  const size_t count = bytes.Count();
  std::vector<uint64_t> sizes(count);
  for (size_t i = count; i-- > 0;) sizes[i] = bytes.VarInt();
  for (const uint64_t size : sizes) {
    const size_t begin = bytes.offset();
    const Bytes text = bytes.Take(size);
    if (size == 0 || (text.left() == size && text.Data().back() != std::byte{0})) {
      bytes.Fail(begin, "a string without its zero");
    }
    if (!bytes.status().ok()) break;
    container.strings.emplace_back(reinterpret_cast<const char*>(text.Data().data()), size - 1);
  }
  return bytes.Finish("the strings");
}

Status ReadDialects(Bytes bytes, Container& container) {
  const auto text = [&](uint64_t index, size_t offset) -> std::string_view {
    if (index < container.strings.size()) return container.strings[index];
    bytes.Fail(offset, fmt::format("string {} of {}", index, container.strings.size()));
    return {};
  };
  const size_t count = bytes.Count();
  for (size_t i = 0; i < count; ++i) {
    const size_t offset = bytes.offset();
    const auto [index, versioned] = bytes.FlaggedVarInt();
    container.dialects.push_back(text(index, offset));
    if (!versioned) continue;
    const size_t section_offset = bytes.offset();
    if (ReadSection(bytes).id != kDialectVersionsSection) {
      bytes.Fail(section_offset, "a dialect's version is expected here");
    }
  }
  const size_t total = bytes.Count();
  while (bytes.left() > 0) {
    const size_t dialect = bytes.Index(container.dialects.size(), "dialect");
    const size_t names = bytes.Count();
    for (size_t i = 0; i < names; ++i) {
      const size_t offset = bytes.offset();
      const auto [index, registered] = bytes.FlaggedVarInt();
      const std::string_view name = text(index, offset);
      if (!bytes.status().ok()) return bytes.status();
      container.op_names.push_back({container.dialects[dialect], name});
    }
  }
  if (container.op_names.size() != total) {
    bytes.Fail(bytes.offset(), fmt::format("{} operations are named, not {}",
                                           container.op_names.size(), total));
  }
  return bytes.status();
}

// The sizes of all attributes, then of all types, in groups of one dialect.
Status ReadAttributesAndTypes(Bytes sizes, Bytes data, Container& container) {
  const size_t attributes = sizes.Count(), types = sizes.Count();
  const auto read = [&](size_t count, std::vector<Encoded>& table) {
    while (table.size() < count && sizes.status().ok()) {
      const size_t dialect = sizes.Index(container.dialects.size(), "dialect");
      const size_t offset = sizes.offset();
      const size_t group = sizes.Count();
      if (group > count - table.size()) sizes.Fail(offset, "more entries than announced");
      for (size_t i = 0; i < group && sizes.status().ok(); ++i) {
        const auto [size, custom] = sizes.FlaggedVarInt();
        table.push_back({dialect, custom, data.Take(size)});
      }
    }
  };
  read(attributes, container.attributes);
  read(types, container.types);
  RETURN_IF_ERROR(sizes.Finish("the sizes of attributes and types"));
  return data.Finish("the attributes and types");
}

Status ReadProperties(Bytes bytes, Container& container) {
  const size_t count = bytes.Count();
  for (size_t i = 0; i < count; ++i) {
    const uint64_t size = bytes.VarInt();
    container.properties.push_back(bytes.Take(size));
  }
  return bytes.Finish("the properties");
}

}  // namespace

Section ReadSection(Bytes& from) {
  const uint8_t head = from.Byte();
  const uint64_t size = from.VarInt();
  if ((head & 0x80) != 0) {  // aligned: padding stands in front of the contents
    const size_t offset = from.offset();
    const uint64_t alignment = from.VarInt();
    if (!std::has_single_bit(alignment)) from.Fail(offset, "the alignment is no power of two");
    while (from.status().ok() && from.offset() % alignment != 0) from.Byte();
  }
  return {head & 0x7f, from.Take(size)};
}

namespace {

// A name from the file for a message: a damaged file may have anything there.
std::string Printable(std::string_view text) {
  constexpr size_t kLongest = 40;
  std::string printable;
  for (const char c : text.substr(0, kLongest)) printable += c >= ' ' && c <= '~' ? c : '?';
  return text.size() > kLongest ? printable + "..." : printable;
}

}  // namespace

Result<Container> ReadContainer(const Source& source, std::span<const std::byte> file) {
  Bytes bytes(source, file, 0);
  Container container;
  if (!LooksLikeBytecode(file)) return source.ErrorAt(0, "this is no MLIR bytecode");
  bytes.Take(kMagicBytes);
  const size_t version_offset = bytes.offset();
  const uint64_t version = bytes.VarInt();
  container.producer = Printable(bytes.NullTerminated());
  RETURN_IF_ERROR(bytes.status());
  if (version != kBytecodeVersion) {
    return source.RefuseAt(version_offset,
                           fmt::format("MLIR bytecode of version {} (from {}); only version {} is "
                                       "supported", version, container.producer, kBytecodeVersion));
  }
  Sections sections;
  while (bytes.left() > 0) {
    const size_t offset = bytes.offset();
    const Section section = ReadSection(bytes);
    RETURN_IF_ERROR(bytes.status());
    if (section.id >= kSectionCount) {
      return source.ErrorAt(offset, fmt::format("there is no section {}", section.id));
    }
    std::optional<Bytes>& place = sections[static_cast<size_t>(section.id)];
    if (place) return source.ErrorAt(offset, fmt::format("section {} comes twice", section.id));
    place = section.bytes;
  }
  ASSIGN_OR_RETURN(const Bytes strings, Required(source, sections, kStringSection, "strings"));
  RETURN_IF_ERROR(ReadStrings(strings, container));
  ASSIGN_OR_RETURN(const Bytes dialects, Required(source, sections, kDialectSection, "dialects"));
  RETURN_IF_ERROR(ReadDialects(dialects, container));
  ASSIGN_OR_RETURN(const Bytes sizes, Required(source, sections, kAttrTypeOffsetSection,
                                               "the sizes of attributes and types"));
  ASSIGN_OR_RETURN(const Bytes data,
                   Required(source, sections, kAttrTypeSection, "attributes and types"));
  RETURN_IF_ERROR(ReadAttributesAndTypes(sizes, data, container));
  if (sections[kPropertiesSection]) {
    RETURN_IF_ERROR(ReadProperties(*sections[kPropertiesSection], container));
  }
  ASSIGN_OR_RETURN(const Bytes ir, Required(source, sections, kIrSection, "operations"));
  container.ir = {ir};
  return container;
}

}  // namespace systolith::import::vhlo
