#include "host/graph/literal.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <utility>

#include "host/base/bfloat16.h"

namespace systolith::graph {
namespace {

template <typename T>
T Load(const std::byte* bytes, int64_t i) {
  T value;
  std::memcpy(&value, bytes + i * static_cast<int64_t>(sizeof(T)), sizeof(T));
  return value;
}

template <typename T>
void Store(std::byte* bytes, int64_t i, T value) {
  std::memcpy(bytes + i * static_cast<int64_t>(sizeof(T)), &value, sizeof(T));
}

// Keeps the low `bits` bits of `value`, sign-extended if the type is signed.
int64_t Wrap(int64_t value, ElementType type) {
  const int shift = 64 - BitWidth(type);
  const uint64_t raised = static_cast<uint64_t>(value) << shift;
  return IsSigned(type) ? static_cast<int64_t>(raised) >> shift
                        : static_cast<int64_t>(raised >> shift);
}

void StoreInt(std::byte* bytes, int64_t i, int64_t value, ElementType type) {
  switch (ByteWidth(type)) {
    case 1: Store(bytes, i, static_cast<int8_t>(value)); break;
    case 2: Store(bytes, i, static_cast<int16_t>(value)); break;
    case 4: Store(bytes, i, static_cast<int32_t>(value)); break;
    default: Store(bytes, i, value); break;
  }
}

// Truncates toward zero and saturates; NaN becomes 0.
int64_t Saturate(double value, ElementType type) {
  if (std::isnan(value)) return 0;
  const int bits = BitWidth(type);
  const double low = IsSigned(type) ? -std::ldexp(1.0, bits - 1) : 0.0;
  const double end = std::ldexp(1.0, IsSigned(type) ? bits - 1 : bits);  // one above the highest
  if (value <= low) return IsSigned(type) ? std::numeric_limits<int64_t>::min() >> (64 - bits) : 0;
  if (value >= end) {
    const uint64_t ones = ~uint64_t{0} >> (64 - bits);
    return static_cast<int64_t>(IsSigned(type) ? ones >> 1 : ones);
  }
  return value >= 0x1p63 ? static_cast<int64_t>(static_cast<uint64_t>(value))
                         : static_cast<int64_t>(value);
}

}  // namespace

Literal::Literal(Shape shape)
    : shape_(std::move(shape)), bytes_(static_cast<size_t>(shape_.ByteCount())) {
  assert(IsSupported(shape_.type));
}

Literal::Literal(Shape shape, std::vector<std::byte> bytes)
    : shape_(std::move(shape)), bytes_(std::move(bytes)) {
  assert(IsSupported(shape_.type));
  assert(static_cast<int64_t>(bytes_.size()) == shape_.ByteCount());
}

Literal Literal::Full(Shape shape, double value) {
  Literal literal(std::move(shape));
  for (int64_t i = 0; i < literal.size(); ++i) literal.SetDouble(i, value);
  return literal;
}

double Literal::GetDouble(int64_t i) const {
  const std::byte* bytes = bytes_.data();
  switch (shape_.type) {
    case ElementType::kF32: return Load<float>(bytes, i);
    case ElementType::kF64: return Load<double>(bytes, i);
    case ElementType::kBF16: return FloatFromBfloat16(Load<uint16_t>(bytes, i));
    case ElementType::kF16: return FloatFromFloat16(Load<uint16_t>(bytes, i));
    case ElementType::kU64: return static_cast<double>(Load<uint64_t>(bytes, i));
    default: return static_cast<double>(GetInt(i));
  }
}

int64_t Literal::GetInt(int64_t i) const {
  const std::byte* bytes = bytes_.data();
  switch (shape_.type) {
    case ElementType::kS2:
    case ElementType::kS4:
    case ElementType::kS8: return Load<int8_t>(bytes, i);
    case ElementType::kS16: return Load<int16_t>(bytes, i);
    case ElementType::kS32: return Load<int32_t>(bytes, i);
    case ElementType::kS64:
    case ElementType::kU64: return Load<int64_t>(bytes, i);
    case ElementType::kI1:
    case ElementType::kU2:
    case ElementType::kU4:
    case ElementType::kU8: return Load<uint8_t>(bytes, i);
    case ElementType::kU16: return Load<uint16_t>(bytes, i);
    case ElementType::kU32: return Load<uint32_t>(bytes, i);
    default: return Saturate(GetDouble(i), ElementType::kS64);
  }
}

void Literal::SetDouble(int64_t i, double value) {
  std::byte* bytes = bytes_.data();
  switch (shape_.type) {
    case ElementType::kF32: Store(bytes, i, static_cast<float>(value)); break;
    case ElementType::kF64: Store(bytes, i, value); break;
    case ElementType::kBF16: Store(bytes, i, Bfloat16FromDouble(value)); break;
    case ElementType::kF16: Store(bytes, i, Float16FromDouble(value)); break;
    case ElementType::kI1: Store(bytes, i, static_cast<uint8_t>(value != 0)); break;
    default: StoreInt(bytes, i, Saturate(value, shape_.type), shape_.type); break;
  }
}

void Literal::SetInt(int64_t i, int64_t value) {
  std::byte* bytes = bytes_.data();
  switch (shape_.type) {
    case ElementType::kF32: Store(bytes, i, static_cast<float>(value)); break;
    case ElementType::kF64: Store(bytes, i, static_cast<double>(value)); break;
    case ElementType::kBF16:
    case ElementType::kF16: {
      // What a double cannot hold shrinks to one sticky bit far below the mantissa.
      constexpr int64_t kExact = int64_t{1} << 53;
      const bool sticky = (value > kExact || value < -kExact) && (value & 0xfff) != 0;
      SetDouble(i, static_cast<double>(sticky ? (value & ~int64_t{0xfff}) | 0x1000 : value));
      break;
    }
    case ElementType::kI1: Store(bytes, i, static_cast<uint8_t>(value != 0)); break;
    default: StoreInt(bytes, i, Wrap(value, shape_.type), shape_.type); break;
  }
}

Literal Literal::Reshaped(Dims dims) const& { return Literal(*this).Reshaped(std::move(dims)); }

Literal Literal::Reshaped(Dims dims) && {
  return Literal(Shape{shape_.type, std::move(dims)}, std::move(bytes_));
}

std::string Literal::ElementToString(int64_t i) const {
  if (shape_.type == ElementType::kI1) return GetInt(i) != 0 ? "true" : "false";
  if (shape_.type == ElementType::kU64) return fmt::format("{}", static_cast<uint64_t>(GetInt(i)));
  if (IsInteger(shape_.type)) return fmt::format("{}", GetInt(i));
  if (shape_.type == ElementType::kF64) return fmt::format("{}", GetDouble(i));
  return fmt::format("{}", static_cast<float>(GetDouble(i)));
}

}  // namespace systolith::graph
