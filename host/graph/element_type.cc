#include "host/graph/element_type.h"

#include <array>

namespace systolith::graph {
namespace {

struct TypeInfo {
  ElementType type;
  std::string_view name;
  int bits;
  int bytes;
};

constexpr std::array kTypes = {
    TypeInfo{ElementType::kI1, "i1", 1, 1},
    TypeInfo{ElementType::kS2, "i2", 2, 1},
    TypeInfo{ElementType::kS4, "i4", 4, 1},
    TypeInfo{ElementType::kS8, "i8", 8, 1},
    TypeInfo{ElementType::kS16, "i16", 16, 2},
    TypeInfo{ElementType::kS32, "i32", 32, 4},
    TypeInfo{ElementType::kS64, "i64", 64, 8},
    TypeInfo{ElementType::kU2, "ui2", 2, 1},
    TypeInfo{ElementType::kU4, "ui4", 4, 1},
    TypeInfo{ElementType::kU8, "ui8", 8, 1},
    TypeInfo{ElementType::kU16, "ui16", 16, 2},
    TypeInfo{ElementType::kU32, "ui32", 32, 4},
    TypeInfo{ElementType::kU64, "ui64", 64, 8},
    TypeInfo{ElementType::kBF16, "bf16", 16, 2},
    TypeInfo{ElementType::kF16, "f16", 16, 2},
    TypeInfo{ElementType::kF32, "f32", 32, 4},
    TypeInfo{ElementType::kF64, "f64", 64, 8},
    TypeInfo{ElementType::kComplex64, "complex<f32>", 64, 8},
    TypeInfo{ElementType::kComplex128, "complex<f64>", 128, 16},
    TypeInfo{ElementType::kF8, "f8", 8, 1},
    TypeInfo{ElementType::kToken, "token", 0, 0},
};

const TypeInfo& Info(ElementType type) { return kTypes[static_cast<size_t>(type)]; }

}  // namespace

std::string_view ElementTypeName(ElementType type) { return Info(type).name; }

std::optional<ElementType> ElementTypeFromName(std::string_view name) {
  for (const TypeInfo& info : kTypes) {
    if (info.name == name) return info.type;
  }
  if (name.starts_with("f8E") || name.starts_with("f6E") || name.starts_with("f4E")) {
    return ElementType::kF8;
  }
  return std::nullopt;
}

int BitWidth(ElementType type) { return Info(type).bits; }
int ByteWidth(ElementType type) { return Info(type).bytes; }

bool IsSigned(ElementType type) { return type >= ElementType::kS2 && type <= ElementType::kS64; }
bool IsUnsigned(ElementType type) { return type >= ElementType::kU2 && type <= ElementType::kU64; }
bool IsInteger(ElementType type) { return type >= ElementType::kS2 && type <= ElementType::kU64; }
bool IsFloat(ElementType type) { return type >= ElementType::kBF16 && type <= ElementType::kF64; }
bool IsComplex(ElementType type) {
  return type == ElementType::kComplex64 || type == ElementType::kComplex128;
}
bool IsSupported(ElementType type) { return type <= ElementType::kF64; }

}  // namespace systolith::graph
