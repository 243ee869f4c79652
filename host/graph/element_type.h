#ifndef SYSTOLITH_HOST_GRAPH_ELEMENT_TYPE_H_
#define SYSTOLITH_HOST_GRAPH_ELEMENT_TYPE_H_

#include <cstdint>
#include <optional>
#include <string_view>

namespace systolith::graph {

// What one element of a tensor is. The types behind kF64 are known by name only, so that a program
// that uses them is refused with that name; no literal holds them.
enum class ElementType : uint8_t {
  kI1,
  kS2, kS4, kS8, kS16, kS32, kS64,
  kU2, kU4, kU8, kU16, kU32, kU64,
  kBF16, kF16, kF32, kF64,
  kComplex64, kComplex128,
  kF8, kToken,
};

// The name in StableHLO text: "i1", "i8", "ui8", "bf16", "complex<f32>" ...
std::string_view ElementTypeName(ElementType type);

// The type of that name; every float of 4, 6 or 8 bits is kF8. nullopt for an unknown name.
std::optional<ElementType> ElementTypeFromName(std::string_view name);

// Width in bits as the type's name says: 1 for i1, 4 for s4, 16 for bf16.
int BitWidth(ElementType type);

// Bytes that an element takes in a Literal: types narrower than 8 bits take one byte each, a
// signed one sign-extended. 0 for a token.
int ByteWidth(ElementType type);

bool IsSigned(ElementType type);    // s2 ... s64
bool IsUnsigned(ElementType type);  // u2 ... u64
bool IsInteger(ElementType type);   // signed or unsigned; i1 is none
bool IsFloat(ElementType type);     // bf16, f16, f32, f64
bool IsComplex(ElementType type);

// Whether literals can hold it and the evaluator can compute with it.
bool IsSupported(ElementType type);

}  // namespace systolith::graph

#endif  // SYSTOLITH_HOST_GRAPH_ELEMENT_TYPE_H_
