#ifndef SYSTOLITH_HOST_IMPORT_VHLO_CONTAINER_H_
#define SYSTOLITH_HOST_IMPORT_VHLO_CONTAINER_H_

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "host/base/status.h"
#include "host/import/source.h"
#include "host/import/vhlo/bytes.h"

// MLIR bytecode, version 6: a header and sections. What is an index in the file is an index here.
namespace systolith::import::vhlo {

// The encoding of an attribute or type, to be decoded when it is needed.
struct Encoded {
  size_t dialect = 0;   // index of its name
  bool custom = false;  // in its dialect's own encoding; else as text
  Bytes bytes;
};

struct OpName {
  std::string_view dialect, name;  // "vhlo", "add_v1"
};

// Views point into the file.
struct Container {
  std::string producer;  // "StableHLO_v1.15.0"; printable
  std::vector<std::string_view> strings;
  std::vector<std::string_view> dialects;
  std::vector<OpName> op_names;
  std::vector<Encoded> attributes;
  std::vector<Encoded> types;
  std::vector<Bytes> properties;
  std::vector<Bytes> ir;  // one; a vector, since Bytes is never without a source
};

Result<Container> ReadContainer(const Source& source, std::span<const std::byte> file);

// The next section of `from`: its number and its contents.
struct Section {
  int id;
  Bytes bytes;
};
Section ReadSection(Bytes& from);

inline constexpr int kIrSection = 4;

}  // namespace systolith::import::vhlo

#endif  // SYSTOLITH_HOST_IMPORT_VHLO_CONTAINER_H_
