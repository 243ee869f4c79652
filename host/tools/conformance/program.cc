#include "host/tools/conformance/program.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <map>
#include <set>
#include <string_view>

#include "host/base/file.h"
#include "host/import/import.h"

namespace systolith::tools {
namespace {

namespace fs = std::filesystem;

// What does nothing of its own.
const std::set<std::string_view> kNoWork = {"constant", "return", "call", "custom_call"};

// What needs another chip, or a host that feeds it.
const std::set<std::string_view> kSeveralChips = {
    "all_gather",   "all_reduce", "all_to_all", "collective_broadcast", "collective_permute",
    "infeed",       "outfeed",    "partition_id", "recv",               "reduce_scatter",
    "replica_id",   "send"};

const std::set<std::string_view> kTypes = {"f32", "bf16", "f16",  "i8",   "ui8", "i16", "ui16",
                                           "i32", "ui32", "i64", "ui64", "i1"};

bool IsWord(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }

std::string_view WordAt(std::string_view text, size_t begin) {
  size_t end = begin;
  while (end < text.size() && IsWord(text[end])) ++end;
  return text.substr(begin, end - begin);
}

std::string WithoutComments(std::string_view text) {
  std::string code;
  for (size_t begin = 0; begin < text.size();) {
    const size_t end = std::min(text.find('\n', begin), text.size());
    const std::string_view line = text.substr(begin, end - begin);
    code += line.substr(0, line.find("//"));
    code += '\n';
    begin = end + 1;
  }
  return code;
}

std::set<std::string> OperationsOf(std::string_view code) {
  std::set<std::string> operations;
  for (const std::string_view dialect : {"stablehlo.", "chlo."}) {
    for (size_t at = code.find(dialect); at != std::string_view::npos;
         at = code.find(dialect, at + 1)) {
      // "#stablehlo.scatter" is an attribute, "!stablehlo.token" a type.
      if (at > 0 && (IsWord(code[at - 1]) || code[at - 1] == '#' || code[at - 1] == '!')) continue;
      const std::string_view name = WordAt(code, at + dialect.size());
      if (!name.empty() && !kNoWork.contains(name)) operations.insert(std::string(name));
    }
  }
  return operations;
}

// Why a tensor of this type ("2x3xf32" and whatever follows) is not to be expected to run.
std::string WhyNotType(std::string_view type) {
  size_t at = 0;
  while (at < type.size()) {  // dimensions
    size_t end = at;
    while (end < type.size() && (std::isdigit(static_cast<unsigned char>(type[end])) != 0 ||
                                 type[end] == '?' || type[end] == '*')) {
      if (type[end] == '?' || type[end] == '*') return "shapes that are not static";
      ++end;
    }
    if (end == at || end >= type.size() || type[end] != 'x') break;
    at = end + 1;
  }
  if (type.substr(at).starts_with("complex")) return "complex numbers";
  if (type.substr(at).starts_with("!")) return "quantized types";
  const std::string name(WordAt(type, at));
  return kTypes.contains(name) ? "" : "type " + name;
}

// `text` with its comments, `code` of the function without.
std::string WhyOutside(std::string_view text, std::string_view code,
                       const std::set<std::string>& operations) {
  if (text.starts_with("// RUN-DISABLED")) return "switched off where it comes from";
  for (const std::string& operation : operations) {
    if (kSeveralChips.contains(operation)) return "several chips";
  }
  if (code.find("run_parallel") != std::string_view::npos) return "several chips";
  constexpr std::string_view kTensor = "tensor<";
  for (size_t at = code.find(kTensor); at != std::string_view::npos;
       at = code.find(kTensor, at + 1)) {
    std::string why = WhyNotType(code.substr(at + kTensor.size(), 200));
    if (!why.empty()) return why;
  }
  return "";
}

struct FunctionText {
  std::string name;
  std::string_view code;  // from its "func.func" on
  bool takes_arguments = false;
};

std::vector<FunctionText> FunctionsOf(std::string_view code) {
  constexpr std::string_view kFunction = "func.func";
  std::vector<FunctionText> functions;
  for (size_t at = code.find(kFunction); at != std::string_view::npos;) {
    const size_t next = code.find(kFunction, at + kFunction.size());
    FunctionText function;
    function.code = code.substr(at, next == std::string_view::npos ? next : next - at);
    const size_t name = function.code.find('@');
    const size_t open = function.code.find('(');
    if (name != std::string_view::npos && open != std::string_view::npos && name < open) {
      function.name = function.code.substr(name + 1, open - name - 1);
      const size_t first = function.code.find_first_not_of(" \n\t", open + 1);
      function.takes_arguments = first != std::string_view::npos && function.code[first] == '%';
      functions.push_back(std::move(function));
    }
    at = next;
  }
  return functions;
}

// The function's code and that of the functions that it names, directly or not.
std::string CodeWithCallees(const std::vector<FunctionText>& functions, size_t start) {
  std::vector<bool> taken(functions.size(), false);
  std::vector<size_t> pending = {start};
  std::string code;
  while (!pending.empty()) {
    const size_t index = pending.back();
    pending.pop_back();
    if (taken[index]) continue;
    taken[index] = true;
    code += functions[index].code;
    for (size_t i = 0; i < functions.size(); ++i) {
      const std::string called = "@" + functions[i].name;
      const std::string_view caller = functions[index].code;
      for (size_t at = caller.find(called); at != std::string_view::npos;
           at = caller.find(called, at + 1)) {
        const size_t end = at + called.size();
        if (end == caller.size() || (!IsWord(caller[end]) && caller[end] != '.')) {
          pending.push_back(i);
          break;
        }
      }
    }
  }
  return code;
}

}  // namespace

std::vector<Program> ProgramsOf(const std::string& text, const std::string& file) {
  const fs::path path(file);
  const std::string collection = fs::absolute(path).parent_path().filename().string();
  const std::string base = collection + "/" + path.filename().string();
  std::vector<Program> programs;
  std::map<std::string, int> times;
  for (const import::Piece& piece : import::SplitInput(text)) {
    const std::string code = WithoutComments(piece.text);
    const std::vector<FunctionText> functions = FunctionsOf(code);
    for (size_t i = 0; i < functions.size(); ++i) {
      const FunctionText& function = functions[i];
      if (function.takes_arguments || (function.code.find("check.") == std::string_view::npos)) {
        continue;
      }
      Program program;
      program.collection = collection;
      program.file = file;
      program.text = std::string(piece.text);
      program.first_line = piece.first_line;
      program.function = function.name;
      const std::string all = CodeWithCallees(functions, i);
      const std::set<std::string> operations = OperationsOf(all);
      program.operations.assign(operations.begin(), operations.end());
      program.outside = WhyOutside(piece.text, all, operations);
      // Generated files hold one program, whose name says nothing.
      program.name = function.name == "main" ? base : base + ":" + function.name;
      if (const int n = ++times[program.name]; n > 1) program.name += fmt::format("#{}", n);
      programs.push_back(std::move(program));
    }
  }
  return programs;
}

Result<std::vector<Program>> FindPrograms(const std::vector<std::string>& paths) {
  std::vector<std::string> files;
  for (const std::string& path : paths) {
    std::error_code error;
    if (!fs::is_directory(path, error)) {
      files.push_back(path);
      continue;
    }
    std::vector<std::string> found;
    for (const fs::directory_entry& entry : fs::directory_iterator(path, error)) {
      if (entry.path().extension() == ".mlir") found.push_back(entry.path().string());
    }
    if (error) return InvalidArgument(fmt::format("{}: {}", path, error.message()));
    if (found.empty()) return InvalidArgument(path + ": holds no .mlir file");
    std::sort(found.begin(), found.end());
    files.insert(files.end(), found.begin(), found.end());
  }
  std::vector<Program> programs;
  for (const std::string& file : files) {
    ASSIGN_OR_RETURN(const std::string text, ReadTextFile(file));
    for (Program& program : ProgramsOf(text, file)) programs.push_back(std::move(program));
  }
  return programs;
}

}  // namespace systolith::tools
