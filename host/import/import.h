#ifndef SYSTOLITH_HOST_IMPORT_IMPORT_H_
#define SYSTOLITH_HOST_IMPORT_IMPORT_H_

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "host/base/status.h"
#include "host/graph/graph.h"

namespace systolith::import {

// Reads StableHLO text as `jax.jit(f).lower(x).as_text()` prints it, and the generic form. The
// module is verified. Malformed text is InvalidArgument ("file.mlir:7:12: ..."); an operation,
// attribute or type that this project does not have is Unsupported and named with line and reason.
// `file_name` is for messages only; the text's first line counts as `first_line`.
Result<graph::Module> ImportText(std::string_view text, const std::string& file_name,
                                 int first_line = 1);

// Reads a program of either form: bytecode (a VHLO portable artifact, which begins with "ML\xefR")
// as `jax.export` and PJRT deliver it, else text. Errors in bytecode name the byte and, where it is
// known, the place that the operation came from.
Result<graph::Module> Import(std::span<const std::byte> bytes, const std::string& file_name);
Result<graph::Module> ImportFile(const std::string& path);

// A part of a text with several programs, and the line of the whole at which it starts.
struct Piece {
  std::string_view text;
  int first_line = 1;
};

// The pieces between lines of "// -----".
std::vector<Piece> SplitInput(std::string_view text);

}  // namespace systolith::import

#endif  // SYSTOLITH_HOST_IMPORT_IMPORT_H_
