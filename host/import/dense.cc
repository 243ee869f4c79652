// Constants: dense<...> : tensor<...>.
#include <fmt/format.h>

#include <cctype>
#include <charconv>
#include <optional>

#include "host/import/attribute.h"
#include "host/import/dense.h"

namespace systolith::import {
namespace {

using graph::ElementType;
using graph::Literal;
using graph::Shape;

constexpr size_t kMaxRank = 64;

// The elements in the text, before their type is known.
struct Elements {
  std::vector<std::string_view> tokens;
  std::vector<size_t> offsets;  // where each token stands
  graph::Dims dims;             // of the nested lists; empty for a splat
};

Status ParseList(Cursor& cursor, size_t depth, Elements& elements) {
  if (cursor.TryConsume("[")) {
    if (depth >= kMaxRank) return cursor.Error("the lists nest too deeply");
    const size_t begin = cursor.offset() - 1;
    const bool known = elements.dims.size() > depth;
    if (!known && !elements.tokens.empty()) return cursor.ErrorAt(begin, "the lists are ragged");
    if (!known) elements.dims.push_back(-1);
    int64_t count = 0;
    if (!cursor.Sees("]")) {
      do {
        RETURN_IF_ERROR(ParseList(cursor, depth + 1, elements));
        ++count;
      } while (cursor.TryConsume(","));
    }
    RETURN_IF_ERROR(cursor.Expect("]"));
    if (elements.dims[depth] < 0) elements.dims[depth] = count;
    if (elements.dims[depth] != count) return cursor.ErrorAt(begin, "the lists are ragged");
    return OkStatus();
  }
  if (depth != elements.dims.size()) return cursor.Error("the lists are ragged");
  cursor.Peek();
  const size_t begin = cursor.offset();
  elements.offsets.push_back(begin);
  if (cursor.Peek() == '(') {  // a complex number; its type will be refused
    RETURN_IF_ERROR(cursor.SkipBalanced());
  } else if (cursor.SeesIdentifier()) {
    RETURN_IF_ERROR(cursor.Identifier("an element").status());
  } else {
    RETURN_IF_ERROR(cursor.Number().status());
  }
  elements.tokens.push_back(cursor.TextFrom(begin));
  return OkStatus();
}

// Stores an integer of the element's width, checking its range.
bool SetInteger(Literal& literal, int64_t i, std::string_view token) {
  const ElementType type = literal.type();
  if (type == ElementType::kI1) {
    if (token != "true" && token != "false" && token != "0" && token != "1" && token != "-1") {
      return false;
    }
    literal.SetInt(i, token == "true" || token == "1" || token == "-1");
    return true;
  }
  const bool negative = token.starts_with('-');
  if (negative || token.starts_with('+')) token.remove_prefix(1);
  const int base = token.starts_with("0x") ? 16 : 10;
  if (base == 16) token.remove_prefix(2);
  uint64_t magnitude = 0;
  const auto parsed = std::from_chars(token.data(), token.data() + token.size(), magnitude, base);
  if (parsed.ec != std::errc() || parsed.ptr != token.data() + token.size()) return false;
  const uint64_t ones = ~uint64_t{0} >> (64 - graph::BitWidth(type));
  // Hex spells bits; a decimal number must be in the type's range.
  const uint64_t limit = base == 16 || graph::IsUnsigned(type) ? ones
                                                               : (ones >> 1) + (negative ? 1 : 0);
  if (magnitude > limit || (negative && magnitude != 0 && graph::IsUnsigned(type))) return false;
  literal.SetInt(i, static_cast<int64_t>(negative ? 0 - magnitude : magnitude));
  return true;
}

// Stores a decimal number, or the bits that a hex number spells.
bool SetFloat(Literal& literal, int64_t i, std::string_view token) {
  if (std::isalpha(static_cast<unsigned char>(token[0])) != 0) return false;  // "true", "nan"
  const size_t at = static_cast<size_t>(i);
  if (token.starts_with("0x")) {
    uint64_t bits = 0;
    const char* end = token.data() + token.size();
    const auto parsed = std::from_chars(token.data() + 2, end, bits, 16);
    if (parsed.ec != std::errc() || parsed.ptr != end) return false;
    const int width = graph::BitWidth(literal.type());
    if (bits > ~uint64_t{0} >> (64 - width)) return false;
    switch (width) {
      case 16: literal.As<uint16_t>()[at] = static_cast<uint16_t>(bits); break;
      case 32: literal.As<uint32_t>()[at] = static_cast<uint32_t>(bits); break;
      default: literal.As<uint64_t>()[at] = bits; break;
    }
    return true;
  }
  const bool plus = token.starts_with('+');
  if (plus) token.remove_prefix(1);
  const char* end = token.data() + token.size();
  if (literal.type() == ElementType::kF32) {
    float value = 0;
    const auto parsed = std::from_chars(token.data(), end, value);
    if (parsed.ptr == end && parsed.ec == std::errc()) {
      literal.As<float>()[at] = value;
      return true;
    }
    if (parsed.ptr != end) return false;  // else out of range: the double below decides
  }
  double value = 0;
  const auto parsed = std::from_chars(token.data(), end, value);
  if (parsed.ptr != end || parsed.ec != std::errc()) return false;
  literal.SetDouble(i, value);
  return true;
}

bool SetElement(Literal& literal, int64_t i, std::string_view token) {
  return graph::IsFloat(literal.type()) ? SetFloat(literal, i, token)
                                        : SetInteger(literal, i, token);
}

// "0x0123..." as bytes.
std::optional<std::vector<std::byte>> HexBytes(std::string_view hex) {
  if (!hex.starts_with("0x") || hex.size() % 2 != 0) return std::nullopt;
  const auto digit = [](char c) {
    if (c >= '0' && c <= '9') return c - '0';
    if (c >= 'a' && c <= 'f') return c - 'a' + 10;
    if (c >= 'A' && c <= 'F') return c - 'A' + 10;
    return -1;
  };
  std::vector<std::byte> bytes;
  bytes.reserve(hex.size() / 2);
  for (size_t i = 2; i < hex.size(); i += 2) {
    const int high = digit(hex[i]), low = digit(hex[i + 1]);
    if (high < 0 || low < 0) return std::nullopt;
    bytes.push_back(static_cast<std::byte>(high * 16 + low));
  }
  return bytes;
}

// Copies element 0 to all others.
void Spread(Literal& literal) {
  const auto bytes = literal.bytes();
  const size_t width = static_cast<size_t>(graph::ByteWidth(literal.type()));
  for (size_t i = width; i < bytes.size(); ++i) bytes[i] = bytes[i - width];
}

// The narrow types keep what a blob may have set beyond their width out of the literal.
void Normalize(Literal& literal) {
  if (graph::BitWidth(literal.type()) >= 8) return;
  for (int64_t i = 0; i < literal.size(); ++i) literal.SetInt(i, literal.GetInt(i));
}

// Counts a constant of one repeated element against what one program may ask for.
Status PaySplat(const Source& source, size_t offset, const Shape& shape, int64_t& splat_bytes) {
  splat_bytes += shape.ByteCount();
  if (splat_bytes <= kMaxSplatBytes) return OkStatus();
  return source.RefuseAt(offset, fmt::format("constants of one repeated element above {} bytes are "
                                             "not supported", kMaxSplatBytes));
}

}  // namespace

Result<Literal> LiteralFromBlob(const Source& source, size_t offset, const Shape& shape,
                                std::span<const std::byte> blob, int64_t& splat_bytes) {
  const int64_t count = shape.ElementCount(), size = static_cast<int64_t>(blob.size());
  const int64_t width = graph::ByteWidth(shape.type);
  if (shape.type == ElementType::kI1 && size != count && size == (count + 7) / 8) {
    Literal literal(shape);
    for (int64_t i = 0; i < count; ++i) {
      literal.SetInt(i, static_cast<int>(blob[static_cast<size_t>(i / 8)]) >> (i % 8) & 1);
    }
    return literal;
  }
  const bool splat = count > 1 && size == width;
  if (splat) {
    RETURN_IF_ERROR(PaySplat(source, offset, shape, splat_bytes));
  } else if (size != count * width && !(count == 0 && size == width)) {
    return source.ErrorAt(offset, fmt::format("the constant does not fit {}: it has {} bytes",
                                              shape.ToString(), size));
  }
  Literal literal(shape);
  if (count > 0) std::copy(blob.begin(), blob.end(), literal.bytes().begin());
  if (splat) Spread(literal);
  Normalize(literal);
  return literal;
}

Result<std::shared_ptr<const Literal>> AttributeParser::ParseDense() {
  RETURN_IF_ERROR(cursor_.Expect("<"));
  const size_t begin = cursor_.offset();
  Elements elements;
  std::optional<std::vector<std::byte>> blob;
  bool empty = false;
  if (cursor_.Peek() == '"') {
    const Result<std::string> text = cursor_.String();
    if (!text.ok()) return text.status();
    blob = HexBytes(*text);
    if (!blob) return cursor_.ErrorAt(begin, "the string is not of the form \"0x0123...\"");
  } else if (cursor_.Sees(">")) {
    empty = true;
  } else {
    RETURN_IF_ERROR(ParseList(cursor_, 0, elements));
  }
  RETURN_IF_ERROR(cursor_.Expect(">"));
  RETURN_IF_ERROR(cursor_.Expect(":"));
  ASSIGN_OR_RETURN(const Shape shape, cursor_.TensorType(true));
  if (blob) {
    ASSIGN_OR_RETURN(Literal literal,
                     LiteralFromBlob(cursor_, begin, shape, *blob, splat_bytes_));
    return std::make_shared<const Literal>(std::move(literal));
  }
  const int64_t count = shape.ElementCount();
  const auto fail = [&](const std::string& reason) {
    return cursor_.ErrorAt(begin, fmt::format("the constant does not fit {}: {}", shape.ToString(),
                                              reason));
  };
  const bool splat = !empty && count != 1 && elements.dims.empty();
  if (splat) {
    RETURN_IF_ERROR(PaySplat(cursor_, begin, shape, splat_bytes_));
  } else if (empty && count != 0) {
    return fail("it is empty");
  } else if (!empty && elements.dims != shape.dims && !elements.dims.empty()) {
    return fail(fmt::format("its lists are {}", graph::DimsToString(elements.dims)));
  }

  Literal literal(shape);
  for (size_t i = 0; i < elements.tokens.size() && static_cast<int64_t>(i) < count; ++i) {
    if (!SetElement(literal, static_cast<int64_t>(i), elements.tokens[i])) {
      return cursor_.ErrorAt(elements.offsets[i],
                             fmt::format("'{}' is no {}", elements.tokens[i].substr(0, 40),
                                         graph::ElementTypeName(shape.type)));
    }
  }
  if (splat) Spread(literal);
  return std::make_shared<const Literal>(std::move(literal));
}

}  // namespace systolith::import
