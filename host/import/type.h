#ifndef SYSTOLITH_HOST_IMPORT_TYPE_H_
#define SYSTOLITH_HOST_IMPORT_TYPE_H_

#include <cstdint>
#include <utility>
#include <vector>

#include "host/graph/graph.h"

// The types of a program before its tuples and tokens are gone: the graph knows tensors only. A
// tuple becomes its elements, nested ones too; a token, which only orders effects, becomes nothing.
namespace systolith::import {

struct Type {
  enum class Kind : uint8_t { kTensor, kTuple, kToken };

  Kind kind = Kind::kTensor;
  graph::Shape shape;          // of a tensor
  std::vector<Type> elements;  // of a tuple

  static Type Tensor(graph::Shape shape) { return {Kind::kTensor, std::move(shape), {}}; }
};

// The shapes of the values that a value of that type, or values of those types, become.
void AppendShapes(const Type& type, std::vector<graph::Shape>& shapes);
std::vector<graph::Shape> ShapesOf(const std::vector<Type>& types);

// A value of the program and what became of it.
struct TypedValue {
  Type type;
  std::vector<graph::Value> values;
};

// Shares `values` out to values of the types, in order; there are as many as ShapesOf gives.
std::vector<TypedValue> Group(const std::vector<Type>& types,
                              const std::vector<graph::Value>& values);

// The element of a tuple; `index` is in range.
TypedValue Element(const TypedValue& tuple, size_t index);

}  // namespace systolith::import

#endif  // SYSTOLITH_HOST_IMPORT_TYPE_H_
