#include "host/import/import.h"

#include <fmt/format.h>

#include <algorithm>

#include "host/base/file.h"
#include "host/graph/verify.h"
#include "host/import/parser.h"
#include "host/import/vhlo/vhlo.h"

namespace systolith::import {

Result<graph::Module> ImportText(std::string_view text, const std::string& file_name,
                                 int first_line) {
  ASSIGN_OR_RETURN(graph::Module module, Parser(text, file_name, first_line).ParseModule());
  RETURN_IF_ERROR(graph::Verify(module).WithContext(file_name));
  return module;
}

Result<graph::Module> Import(std::span<const std::byte> bytes, const std::string& file_name) {
  if (vhlo::LooksLikeBytecode(bytes)) {
    ASSIGN_OR_RETURN(graph::Module module, vhlo::ReadModule(bytes, file_name));
    RETURN_IF_ERROR(graph::Verify(module).WithContext(file_name));
    return module;
  }
  const std::string_view text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  if (text.find('\0') != std::string_view::npos) {
    return InvalidArgument(fmt::format("{}: is neither StableHLO text nor MLIR bytecode (it holds "
                                       "binary data)", file_name));
  }
  return ImportText(text, file_name);
}

Result<graph::Module> ImportFile(const std::string& path) {
  ASSIGN_OR_RETURN(const std::vector<std::byte> bytes, ReadFile(path));
  return Import(bytes, path);
}

std::vector<Piece> SplitInput(std::string_view text) {
  std::vector<Piece> pieces;
  size_t piece_begin = 0;
  int piece_line = 1, line_number = 1;
  for (size_t begin = 0; begin < text.size(); ++line_number) {
    const size_t end = std::min(text.find('\n', begin), text.size());
    if (text.substr(begin, end - begin).starts_with("// -----")) {
      pieces.push_back({text.substr(piece_begin, begin - piece_begin), piece_line});
      piece_begin = std::min(end + 1, text.size());
      piece_line = line_number + 1;
    }
    begin = end + 1;
  }
  pieces.push_back({text.substr(piece_begin), piece_line});
  return pieces;
}

}  // namespace systolith::import
