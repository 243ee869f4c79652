#ifndef SYSTOLITH_HOST_IMPORT_OP_EMITTER_H_
#define SYSTOLITH_HOST_IMPORT_OP_EMITTER_H_

#include <string>
#include <vector>

#include "host/base/status.h"
#include "host/graph/graph.h"
#include "host/import/attribute.h"
#include "host/import/source.h"
#include "host/import/type.h"

namespace systolith::import {

// An operation as it was read from text or bytecode, under the names of StableHLO's text, before it
// becomes a graph::Op.
struct ImportedOp {
  std::string name;  // "stablehlo.add"
  graph::Opcode opcode = graph::Opcode::kReturn;
  size_t offset = 0;
  std::vector<graph::Value> operands;  // without tuples and tokens, as type.h says
  std::vector<Type> operand_types;     // as they were; needed where operands are tuples
  Attribute dict;
  std::vector<graph::Region> regions;
  std::vector<graph::Shape> inputs;   // operand types, where they are given
  std::vector<graph::Shape> outputs;  // result types

  void AddOperand(const TypedValue& operand) {
    operands.insert(operands.end(), operand.values.begin(), operand.values.end());
    operand_types.push_back(operand.type);
  }
  void SetEntry(const char* entry, Attribute value) {
    dict.entries.emplace_back(entry, std::move(value));
  }
};

// The opcode of an operation of that name, or one of those that it becomes; Unsupported, with name
// and reason, if there is none.
Result<graph::Opcode> ChooseOpcode(const Source& source, const std::string& name, size_t offset);

// Appends operations to the graph. What both readers know of an operation's meaning is here.
class OpEmitter {
 public:
  OpEmitter(const Source& source, graph::Function& function)
      : source_(source), function_(function) {}

  // Appends the operation, or those that it stands for, and returns its results.
  Result<std::vector<graph::Value>> Emit(ImportedOp& op, graph::Region& region);

 private:
  using Values = std::vector<graph::Value>;

  Values Append(ImportedOp& op, graph::Attributes attributes, graph::Region& region);
  // The operation as it is.
  Result<Values> EmitPlain(ImportedOp& op, graph::Region& region);
  // Where a reduction computes in a wider type than that of its inputs, they are converted first.
  void Promote(ImportedOp& op, graph::Region& region);
  std::vector<graph::Shape> ShapesOf(const Values& values) const;

  // op_expansions.cc: operations that become others, and a choice among all.
  Result<Values> EmitByName(ImportedOp& op, graph::Region& region);
  Status CheckCounts(const ImportedOp& op, size_t operands, size_t results) const;
  Result<Values> EmitCheck(ImportedOp& op, graph::Region& region);
  Result<Values> EmitTopK(ImportedOp& op, graph::Region& region);
  Result<Values> EmitTupleElement(const ImportedOp& op);
  Result<Values> EmitDimensionSize(const ImportedOp& op, graph::Region& region);
  Result<Values> EmitIsInfinite(ImportedOp& op, graph::Region& region);
  Result<Values> EmitMultiplyHigh(ImportedOp& op, graph::Region& region);
  Result<Values> EmitIdentity(const ImportedOp& op);
  Result<Values> EmitDot(ImportedOp& op, graph::Region& region);
  Result<Values> EmitCustomCall(ImportedOp& op, graph::Region& region);
  graph::Value AppendOp(const ImportedOp& op, graph::Opcode opcode, Values operands,
                        graph::Attributes attributes, graph::Shape result, graph::Region& region);
  graph::Value AppendConstant(const ImportedOp& op, graph::Literal value, graph::Region& region);
  // A tensor of one value, whatever its size, from a scalar.
  graph::Value AppendSplat(const ImportedOp& op, graph::Shape shape, double value,
                           graph::Region& region);

  // op_static.cc: dynamic operations whose shapes are known.
  Result<Values> EmitStaticPad(ImportedOp& op, graph::Region& region);
  Result<Values> EmitStaticSlice(ImportedOp& op, graph::Region& region);
  Result<Values> EmitStaticConvolution(ImportedOp& op, graph::Region& region);
  Result<Values> EmitStaticGather(ImportedOp& op, graph::Region& region);
  Result<Values> EmitWithoutShape(ImportedOp& op, graph::Region& region);
  Result<graph::Dims> ConstantOperand(const ImportedOp& op, size_t operand,
                                      const graph::Region& region) const;

  const Source& source_;
  graph::Function& function_;
};

}  // namespace systolith::import

#endif  // SYSTOLITH_HOST_IMPORT_OP_EMITTER_H_
