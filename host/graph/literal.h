#ifndef SYSTOLITH_HOST_GRAPH_LITERAL_H_
#define SYSTOLITH_HOST_GRAPH_LITERAL_H_

#include <cassert>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "host/graph/shape.h"

namespace systolith::graph {

// A dense tensor on the host: little-endian elements in row-major order. i1 and the types narrower
// than 8 bits take a byte each. Only supported element types (IsSupported) may be held.
class Literal {
 public:
  Literal() : Literal(Shape{}) {}
  explicit Literal(Shape shape);                        // all elements zero
  Literal(Shape shape, std::vector<std::byte> bytes);  // bytes.size() == shape.ByteCount()

  // From values of the host's own type; T is as wide as the element (uint16_t for bf16 and f16).
  template <typename T>
  static Literal Of(Shape shape, std::span<const T> values) {
    Literal literal(std::move(shape));
    std::span<T> elements = literal.As<T>();
    assert(elements.size() == values.size());
    std::copy(values.begin(), values.end(), elements.begin());
    return literal;
  }
  // Every element is `value`, rounded to the type as SetDouble does.
  static Literal Full(Shape shape, double value);
  static Literal Scalar(ElementType type, double value) { return Full(Shape{type, {}}, value); }

  const Shape& shape() const { return shape_; }
  ElementType type() const { return shape_.type; }
  const Dims& dims() const { return shape_.dims; }
  int64_t size() const { return static_cast<int64_t>(bytes_.size()) / ByteWidth(shape_.type); }
  std::span<const std::byte> bytes() const { return bytes_; }
  std::span<std::byte> bytes() { return bytes_; }

  template <typename T>
  std::span<const T> As() const {
    assert(sizeof(T) == static_cast<size_t>(ByteWidth(shape_.type)));
    return {reinterpret_cast<const T*>(bytes_.data()), bytes_.size() / sizeof(T)};
  }
  template <typename T>
  std::span<T> As() {
    assert(sizeof(T) == static_cast<size_t>(ByteWidth(shape_.type)));
    return {reinterpret_cast<T*>(bytes_.data()), bytes_.size() / sizeof(T)};
  }

  // Element `i` in row-major order, widened. GetInt of a u64 above 2^63 keeps the bits.
  double GetDouble(int64_t i) const;
  int64_t GetInt(int64_t i) const;

  // SetDouble rounds to nearest even once (floats) or truncates toward zero and saturates
  // (integers; NaN becomes 0). SetInt wraps modulo 2^width (integers) or rounds (floats). For i1
  // both store value != 0.
  void SetDouble(int64_t i, double value);
  void SetInt(int64_t i, int64_t value);

  // The same bytes under other dimensions with the same number of elements.
  Literal Reshaped(Dims dims) const&;
  Literal Reshaped(Dims dims) &&;

  // Element `i` for messages: "1.5", "-3", "true", "nan".
  std::string ElementToString(int64_t i) const;

  bool operator==(const Literal&) const = default;  // same shape, same bytes

 private:
  Shape shape_;
  std::vector<std::byte> bytes_;
};

}  // namespace systolith::graph

#endif  // SYSTOLITH_HOST_GRAPH_LITERAL_H_
