#ifndef SYSTOLITH_HOST_IMPORT_VHLO_VHLO_H_
#define SYSTOLITH_HOST_IMPORT_VHLO_VHLO_H_

#include <cstddef>
#include <span>
#include <string>

#include "host/base/status.h"
#include "host/graph/graph.h"

namespace systolith::import::vhlo {

inline constexpr size_t kMagicBytes = 4;

// Whether the bytes begin as MLIR bytecode does: "ML\xefR".
bool LooksLikeBytecode(std::span<const std::byte> bytes);

// Reads a portable artifact of StableHLO as `jax.export` and PJRT deliver it: VHLO in MLIR
// bytecode. The module is not verified. A corrupt file is InvalidArgument with the position of the
// byte; an operation, attribute, type or version that this project does not have is Unsupported.
// `file_name` is for messages only.
Result<graph::Module> ReadModule(std::span<const std::byte> bytes, const std::string& file_name);

}  // namespace systolith::import::vhlo

#endif  // SYSTOLITH_HOST_IMPORT_VHLO_VHLO_H_
