// The types and locations of attributes.h.
#include <fmt/format.h>

#include <algorithm>

#include "host/import/vhlo/attributes.h"
#include "host/import/vhlo/codes.h"

namespace systolith::import::vhlo {
namespace {

constexpr size_t kMaxRank = 64;
constexpr int kMaxDepth = 100;
constexpr int64_t kMaxLine = 1'000'000'000;

}  // namespace

Result<DecodedType> AttributeTable::GetType(size_t index) {
  ASSIGN_OR_RETURN(const DecodedType* type, DecodeType(index));
  return *type;
}

Result<Type> AttributeTable::GetValueType(size_t index, size_t offset) {
  ASSIGN_OR_RETURN(const DecodedType* type, DecodeType(index));
  if (type->kind == DecodedType::Kind::kRefused) return source_.RefuseAt(offset, type->name);
  if (type->kind != DecodedType::Kind::kValue) {
    return source_.ErrorAt(offset, "the type is none that a value can have");
  }
  RETURN_IF_ERROR(Pay(type->cost, offset));
  return type->type;
}

Result<const DecodedType*> AttributeTable::DecodeType(size_t index) {
  if (types_[index]) return types_[index].get();
  const Encoded& encoded = container_.types[index];
  Bytes bytes = encoded.bytes;
  if (open_types_[index]) return source_.ErrorAt(bytes.offset(), "the type contains itself");
  if (depth_ >= kMaxDepth) return source_.ErrorAt(bytes.offset(), "types nest too deeply");
  auto type = std::make_unique<DecodedType>();
  ++depth_;
  open_types_[index] = true;
  Status status;
  const std::string_view dialect = container_.dialects[encoded.dialect];
  if (encoded.custom && dialect == "vhlo") {
    status = DecodeVhloType(bytes, *type);
  } else if (encoded.custom && dialect == "builtin") {
    status = DecodeBuiltinType(bytes, *type);
  } else {
    type->name = fmt::format("a type of dialect '{}' is not supported", dialect);
    bytes.Take(bytes.left());
  }
  open_types_[index] = false;
  --depth_;
  RETURN_IF_ERROR(status);
  RETURN_IF_ERROR(bytes.Finish("a type"));
  types_[index] = std::move(type);
  return types_[index].get();
}

Status AttributeTable::DecodeVhloType(Bytes& bytes, DecodedType& type) {
  const size_t begin = bytes.offset();
  const uint64_t code = bytes.VarInt();
  RETURN_IF_ERROR(bytes.status());
  const auto refuse = [&](const char* name) {
    type.name = fmt::format("type {} is not supported; only static tensors are", name);
    bytes.Take(bytes.left());
    return bytes.status();
  };
  if (const std::string_view name = ElementTypeOfCode(code); !name.empty()) {
    type.kind = DecodedType::Kind::kElement;
    type.name = name;
    return OkStatus();
  }
  switch (static_cast<VhloType>(code)) {
    case VhloType::kRankedTensor: return DecodeTensorType(bytes, false, type);
    case VhloType::kRankedTensorWithEncoding: return DecodeTensorType(bytes, true, type);
    case VhloType::kFunction: return DecodeFunctionType(bytes, type);
    case VhloType::kNone: type.kind = DecodedType::Kind::kNone; return OkStatus();
    case VhloType::kComplex: {
      const size_t element = bytes.Index(types_.size(), "type");
      RETURN_IF_ERROR(bytes.status());
      ASSIGN_OR_RETURN(const DecodedType* part, DecodeType(element));
      type.kind = DecodedType::Kind::kElement;
      type.name = fmt::format("complex<{}>", part->name);
      return OkStatus();
    }
    case VhloType::kUniformQuantized:
    case VhloType::kUniformQuantizedPerAxis:
      type.kind = DecodedType::Kind::kElement;
      type.name = "!quant.uniform";
      bytes.Take(bytes.left());
      return bytes.status();
    case VhloType::kToken:
      type.kind = DecodedType::Kind::kValue;
      type.type.kind = Type::Kind::kToken;
      return OkStatus();
    case VhloType::kTuple: return DecodeTupleType(bytes, type);
    case VhloType::kUnrankedTensor: return refuse("tensor<*>");
    case VhloType::kWitness: return refuse("!shape.witness");
    case VhloType::kRankedBuffer: return refuse("memref");
    case VhloType::kFuture: return refuse("!stablehlo.future");
    default: break;
  }
  return source_.RefuseAt(begin, fmt::format("VHLO type of code {} is not known", code));
}

// MLIR's own types occur in attributes of the module and around operations of other dialects.
Status AttributeTable::DecodeBuiltinType(Bytes& bytes, DecodedType& type) {
  const uint64_t code = bytes.VarInt();
  switch (static_cast<BuiltinType>(code)) {
    case BuiltinType::kInteger: {
      const uint64_t encoded = bytes.VarInt();
      type.kind = DecodedType::Kind::kElement;
      type.name = fmt::format("{}{}", (encoded & 3) == 2 ? "ui" : "i", encoded >> 2);
      return bytes.status();
    }
    case BuiltinType::kIndex:
    case BuiltinType::kBF16:
    case BuiltinType::kF16:
    case BuiltinType::kF32:
    case BuiltinType::kF64: {
      constexpr std::string_view kNames[] = {"", "index", "", "bf16", "f16", "f32", "f64"};
      type.kind = DecodedType::Kind::kElement;
      type.name = kNames[code];
      return bytes.status();
    }
    case BuiltinType::kRankedTensor: return DecodeTensorType(bytes, false, type);
    case BuiltinType::kFunction: return DecodeFunctionType(bytes, type);
    case BuiltinType::kNone: type.kind = DecodedType::Kind::kNone; return bytes.status();
    default: break;
  }
  type.name = "a type of dialect 'builtin' is not supported";
  bytes.Take(bytes.left());
  return bytes.status();
}

Status AttributeTable::DecodeFunctionType(Bytes& bytes, DecodedType& type) {
  type.kind = DecodedType::Kind::kFunction;
  for (std::vector<size_t>* list : {&type.inputs, &type.outputs}) {
    const size_t count = bytes.Count();
    for (size_t i = 0; i < count; ++i) list->push_back(bytes.Index(types_.size(), "type"));
  }
  return bytes.status();
}

Status AttributeTable::DecodeTupleType(Bytes& bytes, DecodedType& type) {
  const size_t begin = bytes.offset();
  const size_t count = bytes.Count();
  type.kind = DecodedType::Kind::kValue;
  type.type.kind = Type::Kind::kTuple;
  for (size_t i = 0; i < count; ++i) {
    const size_t index = bytes.Index(types_.size(), "type");
    RETURN_IF_ERROR(bytes.status());
    ASSIGN_OR_RETURN(const DecodedType* part, DecodeType(index));
    if (part->kind != DecodedType::Kind::kValue) {
      type.kind = DecodedType::Kind::kRefused;
      type.name = part->kind == DecodedType::Kind::kRefused
                      ? part->name
                      : "a tuple of what is no value is not supported";
      continue;
    }
    RETURN_IF_ERROR(Pay(part->cost, begin));
    type.cost += part->cost;
    type.type.elements.push_back(part->type);
  }
  return bytes.status();
}

Status AttributeTable::DecodeTensorType(Bytes& bytes, bool encoding, DecodedType& type) {
  const size_t begin = bytes.offset();
  if (encoding) bytes.VarInt();
  const size_t rank = bytes.Count();
  graph::Dims dims;
  bool dynamic = false, too_large = rank > kMaxRank;
  int64_t elements = 1;
  for (size_t i = 0; i < rank; ++i) {
    const int64_t dim = bytes.SignedVarInt();
    dynamic |= dim < 0;
    const int64_t factor = std::max<int64_t>(dim, 1);
    too_large |= factor > graph::kMaxElements || elements > graph::kMaxElements / factor;
    if (!too_large) elements *= factor;
    dims.push_back(dim);
  }
  const size_t element = bytes.Index(types_.size(), "type");
  RETURN_IF_ERROR(bytes.status());
  ASSIGN_OR_RETURN(const DecodedType* part, DecodeType(element));
  const auto known = graph::ElementTypeFromName(part->name);
  if (too_large) return source_.ErrorAt(begin, "the tensor is too large");
  if (dynamic) {
    type.name = "a dynamic dimension '?' is not supported";
  } else if (encoding) {
    type.name = "a tensor's encoding is not supported";
  } else if (part->kind != DecodedType::Kind::kElement || !known || !graph::IsSupported(*known)) {
    type.name = fmt::format("element type {} is not supported", part->name);
  } else {
    type.kind = DecodedType::Kind::kValue;
    type.type = Type::Tensor({*known, std::move(dims)});
  }
  return OkStatus();
}

// The innermost place: of a call the callee, of several the first; else the name that is given.
Status AttributeTable::DecodeLocation(uint64_t code, Bytes& bytes, Decoded& into) {
  const auto part = [&]() -> Result<const Decoded*> {
    const size_t index = bytes.Index(attributes_.size(), "attribute");
    RETURN_IF_ERROR(bytes.status());
    return Decode(index);
  };
  const auto name_place = [&](std::string place) {
    into.location.place = std::make_shared<const std::string>(std::move(place));
  };
  switch (static_cast<BuiltinAttribute>(code)) {
    case BuiltinAttribute::kFileLineColumnLocation:
    case BuiltinAttribute::kFileLineColumnRange: {
      ASSIGN_OR_RETURN(const Decoded* file, part());
      const bool range = static_cast<BuiltinAttribute>(code) ==
                         BuiltinAttribute::kFileLineColumnRange;
      const size_t count = range ? bytes.Count() : 2;  // line, column, and where the range ends
      int64_t numbers[2] = {0, 0};
      for (size_t i = 0; i < count; ++i) {
        const uint64_t number = bytes.VarInt();
        if (i < 2) numbers[i] = static_cast<int64_t>(std::min<uint64_t>(number, kMaxLine));
      }
      into.location.line = static_cast<int>(numbers[0]);
      into.location.column = static_cast<int>(numbers[1]);
      name_place(fmt::format("{}:{}", file->value.text, numbers[0]));
      return bytes.status();
    }
    case BuiltinAttribute::kCallSiteLocation: {
      ASSIGN_OR_RETURN(const Decoded* callee, part());
      bytes.VarInt();  // the caller
      into.location = callee->location;
      return bytes.status();
    }
    case BuiltinAttribute::kNameLocation: {
      ASSIGN_OR_RETURN(const Decoded* name, part());
      ASSIGN_OR_RETURN(const Decoded* child, part());
      into.location = child->location;
      if (!into.location.place) name_place(fmt::format("\"{}\"", name->value.text));
      return bytes.status();
    }
    default: {  // fused
      const size_t count = bytes.Count();
      for (size_t i = 0; i < count; ++i) {
        ASSIGN_OR_RETURN(const Decoded* one, part());
        if (!into.location.place) into.location = one->location;
      }
      if (static_cast<BuiltinAttribute>(code) == BuiltinAttribute::kFusedLocationWithMetadata) {
        bytes.VarInt();
      }
      return bytes.status();
    }
  }
}

}  // namespace systolith::import::vhlo
