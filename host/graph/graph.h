#ifndef SYSTOLITH_HOST_GRAPH_GRAPH_H_
#define SYSTOLITH_HOST_GRAPH_GRAPH_H_

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "host/graph/attributes.h"
#include "host/graph/opcode.h"
#include "host/graph/shape.h"

// The graph: modules of functions of operations in SSA form, with StableHLO's semantics and static
// shapes. Everything is plain data with value semantics; passes rewrite it with builder.h and
// rewrite.h and check it with verify.h.
namespace systolith::graph {

// Names a value of one function: an argument, a region argument or a result. Ids index
// Function::value_shapes and are never reused within a function.
struct Value {
  int32_t id = -1;

  bool valid() const { return id >= 0; }
  auto operator<=>(const Value&) const = default;
};

// Where an operation stands in the program's text, counted from 1; 0 when it came from elsewhere.
// A program without text, bytecode, says where each operation came from: `place` is how messages
// name that, "model.py:31" or "operation 12", and line and column are those of the other file.
struct Location {
  int line = 0;
  int column = 0;
  std::shared_ptr<const std::string> place = nullptr;
};

struct Region;

struct Op {
  Opcode opcode = Opcode::kReturn;
  std::vector<Value> operands;
  std::vector<Value> results;
  Attributes attributes;
  std::vector<Region> regions;
  Location location;

  // The attributes; asking for another kind than the opcode's is a fault of the caller.
  template <typename T>
  const T& As() const { return std::get<T>(attributes); }
  template <typename T>
  T& As() { return std::get<T>(attributes); }

  Value result() const { return results.at(0); }
};

// One block. Its operations stand in an order in which every value is defined before it is used;
// the last one is kReturn, whose operands are what the region yields. A region may use values of
// the regions around it.
struct Region {
  std::vector<Value> arguments;
  std::vector<Op> ops;
};

struct Function {
  std::string name;
  bool is_private = false;
  std::vector<Shape> value_shapes;  // by Value::id, nested regions included
  Region body;

  Value NewValue(Shape shape) {
    value_shapes.push_back(std::move(shape));
    return Value{static_cast<int32_t>(value_shapes.size()) - 1};
  }
  const Shape& shape(Value value) const { return value_shapes.at(static_cast<size_t>(value.id)); }

  const std::vector<Value>& arguments() const { return body.arguments; }
  // The values that the function returns.
  const std::vector<Value>& results() const { return body.ops.back().operands; }
};

struct Module {
  std::string name;
  std::string file_name;  // for messages; may be empty
  std::vector<Function> functions;

  const Function* Find(std::string_view function) const;
  Function* Find(std::string_view function);

  // The function that runs: "main", else the first public one, else the first; null if none.
  const Function* Entry() const;
  Function* Entry();
};

// The function that a call or composite runs; null for any other operation.
const std::string* Callee(const Op& op);

// "stablehlo.add at line 7": how messages name an operation.
std::string Describe(const Op& op);

// Whether the module compares its own results ("check.*" custom calls).
bool HasChecks(const Module& module);
bool IsCheck(const Op& op);

}  // namespace systolith::graph

#endif  // SYSTOLITH_HOST_GRAPH_GRAPH_H_
