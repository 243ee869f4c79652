#include "host/import/import.h"

#include <algorithm>


#include "host/base/file.h"
#include "host/graph/verify.h"
#include "host/import/parser.h"

namespace systolith::import {

Result<graph::Module> ImportText(std::string_view text, const std::string& file_name,
                                 int first_line) {
  ASSIGN_OR_RETURN(graph::Module module, Parser(text, file_name, first_line).ParseModule());
  RETURN_IF_ERROR(graph::Verify(module).WithContext(file_name));
  return module;
}

Result<graph::Module> ImportFile(const std::string& path) {
  ASSIGN_OR_RETURN(const std::string text, ReadTextFile(path));
  return ImportText(text, path);
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
