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
#include "host/import/op_emitter.h"

namespace systolith::import {

// An operation as it stands in the text.
struct OpText : ImportedOp {
  std::vector<std::pair<std::string_view, int64_t>> results;  // name, how many values it stands for
  std::vector<Type> input_types, output_types;                // where the text gives them
};

// Reads a module. One object reads one text.
class Parser {
 public:
  Parser(std::string_view text, const std::string& file_name, int first_line);

  Result<graph::Module> ParseModule();

 private:
  // parser_module.cc: modules and functions.
  Status ParseTopLevel();
  Status ParseModuleBody();
  Status ParseGenericHead(Attribute& dict);
  Status ParseGenericTail(Attribute& dict);
  Status ParseSymbol();
  Status ParseFunction();
  Status ParseGenericFunction();
  Status CheckReturns(size_t body);

  // parser.cc: arguments, regions, names.
  Status ParseArgument(bool attributes, graph::Region& region);
  Status ParseFunctionType(std::vector<Type>& results);
  Status ParseOps(graph::Region& region);
  Result<graph::Region> ParseRegion();
  // A region in braces whose arguments are named outside of them.
  Result<graph::Region> ParseRegionOf(const std::vector<std::string_view>& names,
                                      const std::vector<Type>& types);
  // A value of that type and name as an argument of the region.
  Status DefineArgument(std::string_view name, const Type& type, size_t offset,
                        graph::Region& region);
  Status Define(std::string_view name, std::vector<TypedValue> values, size_t offset);
  Result<TypedValue> ParseOperand();
  Status SkipLocation();

  // parser_op.cc: operations.
  Status ParseOp(graph::Region& region);
  Status ParseResultNames(OpText& op);
  Status ParseGeneric(OpText& op);
  Status ParsePretty(OpText& op);
  Status ParsePrettyWord(OpText& op);
  Status ParseBrackets(OpText& op);
  Status ParseOperandList(OpText& op);
  Status Emit(OpText& op, graph::Region& region);

  // parser_type.cc: types.
  Result<Type> ParseType();
  Result<std::vector<Type>> ParseTypeList();
  Status ParseTypes(OpText& op);

  // parser_special.cc: operations with a form of their own.
  Status ParseWhile(OpText& op);
  Status ParseReduce(OpText& op);
  Status ParseReducer(OpText& op, size_t inputs);
  Status BuildAppliedRegion(OpText& op, std::string_view applied);
  Status ResolveProbe(OpText& op);

  Cursor cursor_;
  AttributeParser attributes_;
  graph::Module module_;
  graph::Function* function_ = nullptr;  // the one being read
  std::vector<std::map<std::string_view, std::vector<TypedValue>>> scopes_;
  struct Probe {
    TypedValue value;
    size_t depth = 0;  // of the scope
  };
  std::map<std::string, Probe> probes_;  // by the name that the program gives them
  int type_depth_ = 0;
};

}  // namespace systolith::import

#endif  // SYSTOLITH_HOST_IMPORT_PARSER_H_
