#include "host/import/vhlo/attributes.h"

#include <fmt/format.h>

#include <utility>

#include "host/import/dense.h"
#include "host/import/vhlo/codes.h"

namespace systolith::import::vhlo {
namespace {

using Kind = Attribute::Kind;

constexpr int kMaxDepth = 100;  // no real attribute nests deeper; protects the stack

// Attributes to be copied, per file and per byte of it: real files need a tenth.
constexpr size_t kBaseBudget = size_t{1} << 20, kBudgetPerByte = 64;
constexpr size_t kTextBytesPerAttribute = 64;  // what a long text costs

size_t FileBytes(const Container& container) {
  size_t bytes = 0;
  for (const Encoded& encoded : container.attributes) bytes += encoded.bytes.left();
  for (const Bytes& properties : container.properties) bytes += properties.left();
  return bytes + container.ir.front().left();
}

bool IsDialect(const Container& container, const Encoded& encoded, std::string_view name) {
  return encoded.custom && container.dialects[encoded.dialect] == name;
}

// The value of a float of that many bits, widened; nullopt for a type that literals do not have.
std::optional<double> FloatOf(std::string_view type, uint64_t bits) {
  const auto element = graph::ElementTypeFromName(type);
  if (!element || !graph::IsFloat(*element)) return std::nullopt;
  graph::Literal literal(graph::Shape{*element, {}});
  for (std::byte& byte : literal.bytes()) {
    byte = static_cast<std::byte>(bits);
    bits >>= 8;
  }
  return literal.GetDouble(0);
}

int WidthOfFloat(std::string_view type) {
  if (type == "f64") return 64;
  if (type == "f32") return 32;
  if (type == "tf32") return 19;
  if (type == "bf16" || type == "f16") return 16;
  return 8;
}

}  // namespace

AttributeTable::AttributeTable(const Source& source, const Container& container)
    : source_(source), container_(container), attributes_(container.attributes.size()),
      types_(container.types.size()), open_attributes_(container.attributes.size()),
      open_types_(container.types.size()),
      budget_(kBaseBudget + kBudgetPerByte * FileBytes(container)) {}

Result<std::optional<Attribute>> AttributeTable::Get(size_t index) {
  ASSIGN_OR_RETURN(const Decoded* decoded, Decode(index));
  if (decoded->unset) return std::optional<Attribute>();
  RETURN_IF_ERROR(Pay(decoded->cost, decoded->value.offset));
  return std::optional<Attribute>(decoded->value);
}

Result<graph::Location> AttributeTable::GetLocation(size_t index) {
  ASSIGN_OR_RETURN(const Decoded* decoded, Decode(index));
  return decoded->location;
}

Status AttributeTable::DecodeAll() {
  for (size_t i = 0; i < attributes_.size(); ++i) RETURN_IF_ERROR(Decode(i).status());
  for (size_t i = 0; i < types_.size(); ++i) RETURN_IF_ERROR(DecodeType(i).status());
  return OkStatus();
}

Status AttributeTable::Pay(size_t cost, size_t offset) {
  if (cost > budget_) return source_.RefuseAt(offset, "the attributes multiply beyond all measure");
  budget_ -= cost;
  return OkStatus();
}

Result<const AttributeTable::Decoded*> AttributeTable::Decode(size_t index) {
  if (attributes_[index]) return attributes_[index].get();
  const Encoded& encoded = container_.attributes[index];
  Bytes bytes = encoded.bytes;
  if (open_attributes_[index]) {
    return source_.ErrorAt(bytes.offset(), "the attribute contains itself");
  }
  if (depth_ >= kMaxDepth) return source_.ErrorAt(bytes.offset(), "attributes nest too deeply");
  auto decoded = std::make_unique<Decoded>();
  decoded->value.kind = Kind::kOther;
  decoded->value.offset = bytes.offset();
  ++depth_;
  open_attributes_[index] = true;
  Status status;
  if (IsDialect(container_, encoded, "vhlo")) {
    status = DecodeVhlo(bytes, *decoded);
  } else if (IsDialect(container_, encoded, "builtin")) {
    status = DecodeBuiltin(bytes, *decoded);
  } else {
    bytes.Take(bytes.left());  // text, or a dialect whose attributes carry nothing for one chip
  }
  open_attributes_[index] = false;
  --depth_;
  RETURN_IF_ERROR(status);
  RETURN_IF_ERROR(bytes.Finish("an attribute"));
  decoded->cost += decoded->value.text.size() / kTextBytesPerAttribute;
  attributes_[index] = std::move(decoded);
  return attributes_[index].get();
}

// Puts a copy of attribute `index` into `to`, a part of `owner`.
Status AttributeTable::CopyInto(size_t index, size_t offset, Attribute& to, Decoded& owner) {
  ASSIGN_OR_RETURN(const Decoded* part, Decode(index));
  RETURN_IF_ERROR(Pay(part->cost, offset));
  owner.cost += part->cost;
  to = part->value;
  return OkStatus();
}

Status AttributeTable::DecodeVhlo(Bytes& bytes, Decoded& into) {
  const size_t begin = bytes.offset();
  const uint64_t code = bytes.VarInt();
  Attribute& value = into.value;
  switch (static_cast<VhloAttribute>(code)) {
    case VhloAttribute::kArray: return DecodeArray(bytes, into);
    case VhloAttribute::kDictionary: return DecodeDictionary(bytes, into);
    case VhloAttribute::kTensor: return DecodeTensor(bytes, into);
    case VhloAttribute::kType: return DecodeType(bytes, into);
    case VhloAttribute::kInteger:
    case VhloAttribute::kFloat: {
      value.kind = static_cast<VhloAttribute>(code) == VhloAttribute::kFloat ? Kind::kFloat
                                                                             : Kind::kInteger;
      return DecodeNumber(bytes, into);
    }
    case VhloAttribute::kBoolean:
      value.kind = Kind::kBool;
      value.integer = bytes.VarInt() != 0 ? 1 : 0;
      return bytes.status();
    case VhloAttribute::kString:
      value.kind = Kind::kString;
      if (container_.strings.empty()) return source_.ErrorAt(begin, "the file has no strings");
      value.text = container_.strings[bytes.Index(container_.strings.size(), "string")];
      return bytes.status();
    case VhloAttribute::kComparisonDirection:
    case VhloAttribute::kComparisonType:
    case VhloAttribute::kCustomCallApiVersion:
    case VhloAttribute::kFftType:
    case VhloAttribute::kPrecision:
    case VhloAttribute::kRngAlgorithm:
    case VhloAttribute::kRngDistribution:
    case VhloAttribute::kTranspose:
    case VhloAttribute::kResultAccuracyMode: {
      const uint64_t number = bytes.VarInt();
      value.kind = Kind::kKeyword;
      value.text = EnumerationWord(static_cast<VhloAttribute>(code), number);
      if (value.text.empty()) {
        bytes.Fail(begin, fmt::format("value {} of VHLO's enumeration {}", number, code));
      }
      return bytes.status();
    }
    default: break;
  }
  // Nothing of these is needed: aliases, bounds of dynamic shapes, accuracies, groups of chips.
  bytes.Take(bytes.left());
  return bytes.status();
}

Status AttributeTable::DecodeBuiltin(Bytes& bytes, Decoded& into) {
  const size_t begin = bytes.offset();
  const uint64_t code = bytes.VarInt();
  Attribute& value = into.value;
  switch (static_cast<BuiltinAttribute>(code)) {
    case BuiltinAttribute::kArray: return DecodeArray(bytes, into);
    case BuiltinAttribute::kDictionary: return DecodeDictionary(bytes, into);
    case BuiltinAttribute::kString:
    case BuiltinAttribute::kStringWithType:
      value.kind = Kind::kString;
      if (container_.strings.empty()) return source_.ErrorAt(begin, "the file has no strings");
      value.text = container_.strings[bytes.Index(container_.strings.size(), "string")];
      bytes.Take(bytes.left());  // the type
      return bytes.status();
    case BuiltinAttribute::kUnit: value.kind = Kind::kUnit; return bytes.status();
    case BuiltinAttribute::kInteger: value.kind = Kind::kInteger; return DecodeNumber(bytes, into);
    case BuiltinAttribute::kType: return DecodeType(bytes, into);
    case BuiltinAttribute::kCallSiteLocation:
    case BuiltinAttribute::kFileLineColumnLocation:
    case BuiltinAttribute::kFusedLocation:
    case BuiltinAttribute::kFusedLocationWithMetadata:
    case BuiltinAttribute::kNameLocation:
    case BuiltinAttribute::kFileLineColumnRange: return DecodeLocation(code, bytes, into);
    default: break;
  }
  bytes.Take(bytes.left());
  return bytes.status();
}

Status AttributeTable::DecodeArray(Bytes& bytes, Decoded& into) {
  into.value.kind = Kind::kArray;
  const size_t count = bytes.Count();
  for (size_t i = 0; i < count; ++i) {
    const size_t offset = bytes.offset();
    const size_t index = bytes.Index(attributes_.size(), "attribute");
    RETURN_IF_ERROR(bytes.status());
    RETURN_IF_ERROR(CopyInto(index, offset, into.value.items.emplace_back(), into));
  }
  return bytes.status();
}

// A name is an attribute of its own in either dialect, a string.
Status AttributeTable::DecodeDictionary(Bytes& bytes, Decoded& into) {
  into.value.kind = Kind::kDict;
  const size_t count = bytes.Count(2);
  for (size_t i = 0; i < count; ++i) {
    const size_t offset = bytes.offset();
    const size_t name = bytes.Index(attributes_.size(), "attribute");
    const size_t index = bytes.Index(attributes_.size(), "attribute");
    RETURN_IF_ERROR(bytes.status());
    Attribute::Entry& entry = into.value.entries.emplace_back();
    ASSIGN_OR_RETURN(const Decoded* text, Decode(name));
    RETURN_IF_ERROR(Pay(text->cost, offset));
    into.cost += text->cost;
    entry.first = text->value.text;
    RETURN_IF_ERROR(CopyInto(index, offset, entry.second, into));
  }
  return bytes.status();
}

// A type and a number of its width: up to 8 bits as a byte, else zig-zag.
Status AttributeTable::DecodeNumber(Bytes& bytes, Decoded& into) {
  const size_t begin = bytes.offset();
  if (types_.empty()) return source_.ErrorAt(begin, "the file has no types");
  const size_t index = bytes.Index(types_.size(), "type");
  RETURN_IF_ERROR(bytes.status());
  ASSIGN_OR_RETURN(const DecodedType* type, DecodeType(index));
  if (type->kind != DecodedType::Kind::kElement) {
    return source_.ErrorAt(begin, "a number of a type that is none of numbers");
  }
  const std::string& name = type->name;
  Attribute& value = into.value;
  if (value.kind == Kind::kFloat) {
    const int width = WidthOfFloat(name);
    const uint64_t bits = width <= 8 ? bytes.Byte() : static_cast<uint64_t>(bytes.SignedVarInt());
    const std::optional<double> real = FloatOf(name, bits);
    if (real) {
      value.real = *real;
    } else {
      value.kind = Kind::kOther;
    }
    return bytes.status();
  }
  const auto element = graph::ElementTypeFromName(name);
  const int width = element ? graph::BitWidth(*element) : 64;  // 64: index
  if (width <= 8) {
    value.integer = bytes.Byte();
    if (element && graph::IsSigned(*element)) {
      const int spare = 64 - width;
      value.integer = static_cast<int64_t>(static_cast<uint64_t>(value.integer) << spare) >> spare;
    }
  } else {
    value.integer = bytes.SignedVarInt();
  }
  value.real = static_cast<double>(value.integer);
  return bytes.status();
}

Status AttributeTable::DecodeTensor(Bytes& bytes, Decoded& into) {
  const size_t begin = bytes.offset();
  if (types_.empty()) return source_.ErrorAt(begin, "the file has no types");
  const size_t index = bytes.Index(types_.size(), "type");
  const uint64_t size = bytes.VarInt();
  const Bytes blob = bytes.Take(size);
  RETURN_IF_ERROR(bytes.status());
  ASSIGN_OR_RETURN(const DecodedType* type, DecodeType(index));
  const bool is_tensor = type->kind == DecodedType::Kind::kValue &&
                         type->type.kind == Type::Kind::kTensor;
  if (!is_tensor) return OkStatus();  // kOther: refused where it is used
  ASSIGN_OR_RETURN(graph::Literal literal,
                   LiteralFromBlob(source_, begin, type->type.shape, blob.Data(), splat_bytes_));
  into.value.kind = Kind::kDense;
  into.value.literal = std::make_shared<const graph::Literal>(std::move(literal));
  return OkStatus();
}

// A type as an attribute is a word; none is how VHLO says that an attribute is not set.
Status AttributeTable::DecodeType(Bytes& bytes, Decoded& into) {
  if (types_.empty()) return source_.ErrorAt(bytes.offset(), "the file has no types");
  const size_t index = bytes.Index(types_.size(), "type");
  RETURN_IF_ERROR(bytes.status());
  ASSIGN_OR_RETURN(const DecodedType* type, DecodeType(index));
  into.unset = type->kind == DecodedType::Kind::kNone;
  if (type->kind == DecodedType::Kind::kElement) {
    into.value.kind = Kind::kKeyword;
    into.value.text = type->name;
  }
  into.value.integer = static_cast<int64_t>(index);
  return OkStatus();
}

}  // namespace systolith::import::vhlo
