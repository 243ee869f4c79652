#ifndef SYSTOLITH_HOST_IMPORT_PARSER_H_
#define SYSTOLITH_HOST_IMPORT_PARSER_H_

#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "host/base/status.h"
#include "host/graph/graph.h"
#include "host/import/attribute.h"
#include "host/import/cursor.h"

namespace systolith::import {

// An operation as it stands in the text, before it becomes a graph::Op.
struct OpText {
  std::string name;  // "stablehlo.add"
  graph::Opcode opcode = graph::Opcode::kReturn;
  size_t offset = 0;
  std::vector<std::pair<std::string_view, int64_t>> results;  // name, how many values it stands for
  std::vector<graph::Value> operands;
  Attribute dict;
  std::vector<graph::Region> regions;
  std::vector<graph::Shape> inputs;   // operand types, where the text gives them
  std::vector<graph::Shape> outputs;  // result types
};

// Reads a module. One object reads one text.
class Parser {
 public:
  Parser(std::string_view text, const std::string& file_name, int first_line);

  Result<graph::Module> ParseModule();

 private:
  // parser.cc: modules, functions, regions, names.
  Status ParseTopLevel();
  Status ParseFunction();
  Result<graph::Value> ParseArgument(bool attributes);
  Status ParseFunctionType(std::vector<graph::Shape>& results);
  Status ParseOps(graph::Region& region);
  Result<graph::Region> ParseRegion();
  // A region in braces whose arguments are named outside of them.
  Result<graph::Region> ParseRegionOf(const std::vector<std::string_view>& names,
                                      const std::vector<graph::Shape>& shapes);
  Status Define(std::string_view name, std::vector<graph::Value> values, size_t offset);
  Result<graph::Value> ParseOperand();
  Status SkipLocation();

  // parser_op.cc: operations.
  Status ParseOp(graph::Region& region);
  Status ParseResultNames(OpText& op);
  Status ChooseOpcode(OpText& op);
  Status ParseGeneric(OpText& op);
  Status ParsePretty(OpText& op);
  Status ParsePrettyWord(OpText& op);
  Status ParseSliceRanges(OpText& op);
  Status ParseOperandList(OpText& op);
  Status ParseTypes(OpText& op);
  Result<std::vector<graph::Shape>> ParseTypeList();
  Status Emit(OpText& op, graph::Region& region);
  Status Append(OpText& op, graph::Opcode opcode, graph::Attributes attributes,
                graph::Region& region);
  bool IsCheckOp(const OpText& op) const { return op.name.starts_with("check."); }

  // parser_special.cc: operations with a form of their own, and those that become others.
  Status ParseWhile(OpText& op);
  Status ParseReduce(OpText& op);
  Status ParseReducer(OpText& op, size_t inputs);
  Status BuildAppliedRegion(OpText& op, std::string_view applied);
  Status EmitCheck(OpText& op, graph::Region& region);
  Status EmitTopK(OpText& op, graph::Region& region);

  void SetEntry(OpText& op, const char* name, Attribute value) {
    op.dict.entries.emplace_back(name, std::move(value));
  }

  Cursor cursor_;
  AttributeParser attributes_;
  graph::Module module_;
  graph::Function* function_ = nullptr;  // the one being read
  std::vector<std::map<std::string_view, std::vector<graph::Value>>> scopes_;
};

}  // namespace systolith::import

#endif  // SYSTOLITH_HOST_IMPORT_PARSER_H_
