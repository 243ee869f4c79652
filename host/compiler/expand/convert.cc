// convert between integers of 64 bits and narrower ones: their words are moved.
#include "host/compiler/expand/expansion.h"

namespace systolith::compiler {
namespace {

bool IsWide(ElementType type) { return type == ElementType::kS64 || type == ElementType::kU64; }

bool IsNarrow(ElementType type) {
  return type == ElementType::kI1 || (graph::IsInteger(type) && graph::BitWidth(type) <= 32);
}

Dims Append(Dims dims, int64_t dim) {
  dims.push_back(dim);
  return dims;
}

// The low words.
Value Narrow(Value x, ElementType type, Expansion& to) {
  const Dims dims = to.dims(x);
  const Value words = to.builder().BitcastConvert(x, {ElementType::kS32, Append(dims, 2)});
  const Value low = to.Reshape(to.Slice(words, dims.size(), 0, 1), dims);
  return to.Convert(low, type);
}

// Low words, and high words of their signs or zeros.
Value Widen(Value x, ElementType type, Expansion& to) {
  const Dims dims = to.dims(x);
  const bool has_sign = graph::IsSigned(to.type(x));
  const Value low = to.Convert(x, has_sign ? ElementType::kS32 : ElementType::kU32);
  const Value number = to.Number(to.type(low), has_sign ? 31 : 0);
  const Value high =
      has_sign ? to.Binary(Opcode::kShiftRightArithmetic, low, number) : to.Broadcast(number, dims);
  const Value words = to.Concatenate(
      {to.Reshape(low, Append(dims, 1)), to.Reshape(high, Append(dims, 1))}, dims.size());
  return to.builder().BitcastConvert(words, {type, dims});
}

}  // namespace

std::optional<Values> ExpandConvert(const Op& op, Expansion& to) {
  const ElementType from = to.type(op.operands[0]);
  const ElementType type = to.type(op.result());
  const bool narrows = IsWide(from) && IsNarrow(type) && type != ElementType::kI1;
  if (narrows) return Values{Narrow(op.operands[0], type, to)};
  if (IsNarrow(from) && IsWide(type)) return Values{Widen(op.operands[0], type, to)};
  return std::nullopt;
}

}  // namespace systolith::compiler
