#ifndef SYSTOLITH_HOST_IMPORT_OP_EMITTER_H_
#define SYSTOLITH_HOST_IMPORT_OP_EMITTER_H_

#include <string>
#include <vector>

#include "host/base/status.h"
#include "host/graph/graph.h"
#include "host/import/attribute.h"
#include "host/import/source.h"

namespace systolith::import {

// An operation as it was read from text or bytecode, under the names of StableHLO's text, before it
// becomes a graph::Op.
struct ImportedOp {
  std::string name;  // "stablehlo.add"
  graph::Opcode opcode = graph::Opcode::kReturn;
  size_t offset = 0;
  std::vector<graph::Value> operands;
  Attribute dict;
  std::vector<graph::Region> regions;
  std::vector<graph::Shape> inputs;   // operand types, where they are given
  std::vector<graph::Shape> outputs;  // result types

  void SetEntry(const char* entry, Attribute value) {
    dict.entries.emplace_back(entry, std::move(value));
  }
};

// The opcode that an operation of that name becomes; Unsupported, with the name, if there is none.
Result<graph::Opcode> ChooseOpcode(const Source& source, const std::string& name, size_t offset);

// Appends operations to the graph. What both readers know of an operation's meaning is here.
class OpEmitter {
 public:
  OpEmitter(const Source& source, graph::Function& function)
      : source_(source), function_(function) {}

  // Appends the operation, or those that it stands for, and returns its results.
  Result<std::vector<graph::Value>> Emit(ImportedOp& op, graph::Region& region);

 private:
  std::vector<graph::Value> Append(ImportedOp& op, graph::Attributes attributes,
                                   graph::Region& region);
  Result<std::vector<graph::Value>> EmitCheck(ImportedOp& op, graph::Region& region);
  Result<std::vector<graph::Value>> EmitTopK(ImportedOp& op, graph::Region& region);

  const Source& source_;
  graph::Function& function_;
};

}  // namespace systolith::import

#endif  // SYSTOLITH_HOST_IMPORT_OP_EMITTER_H_
