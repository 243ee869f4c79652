#include "host/import/type.h"

namespace systolith::import {

using graph::Shape;

void AppendShapes(const Type& type, std::vector<Shape>& shapes) {
  if (type.kind == Type::Kind::kTensor) shapes.push_back(type.shape);
  for (const Type& element : type.elements) AppendShapes(element, shapes);
}

std::vector<Shape> ShapesOf(const std::vector<Type>& types) {
  std::vector<Shape> shapes;
  for (const Type& type : types) AppendShapes(type, shapes);
  return shapes;
}

std::vector<TypedValue> Group(const std::vector<Type>& types,
                              const std::vector<graph::Value>& values) {
  std::vector<TypedValue> groups;
  auto next = values.begin();
  for (const Type& type : types) {
    const auto count = static_cast<int64_t>(ShapesOf({type}).size());
    groups.push_back({type, {next, next + count}});
    next += count;
  }
  return groups;
}

TypedValue Element(const TypedValue& tuple, size_t index) {
  return Group(tuple.type.elements, tuple.values)[index];
}

}  // namespace systolith::import
