// Operations that only move elements.
#include <algorithm>
#include <cstring>

#include "host/evaluator/kernels.h"

namespace systolith::evaluator {
namespace {

using graph::Opcode;
using graph::RowMajorStrides;

// Element `index` of the result is element base + index * strides of the source.
Literal Strided(const Literal& source, const Shape& shape, int64_t base, const Dims& strides) {
  Literal result(shape);
  if (result.size() == 0) return result;
  Dims index(shape.dims.size(), 0);
  int64_t from = base;
  for (int64_t to = 0;; ++to) {
    CopyElement(source, from, result, to);
    // Like NextIndex, with the source position carried along.
    size_t d = index.size();
    while (d-- > 0) {
      from += strides[d];
      if (++index[d] < shape.dims[d]) break;
      from -= strides[d] * shape.dims[d];
      index[d] = 0;
      if (d == 0) return result;
    }
    if (index.empty()) return result;
  }
}

Literal BroadcastInDim(const Op& op, const Literal& a, const Shape& shape) {
  const Dims& map = op.As<graph::DimensionsAttributes>().dimensions;
  const Dims source_strides = RowMajorStrides(a.dims());
  Dims strides(shape.dims.size(), 0);
  for (size_t d = 0; d < map.size(); ++d) {
    if (a.dims()[d] != 1) strides[static_cast<size_t>(map[d])] = source_strides[d];
  }
  return Strided(a, shape, 0, strides);
}

Literal Transpose(const Op& op, const Literal& a, const Shape& shape) {
  const Dims source_strides = RowMajorStrides(a.dims());
  Dims strides;
  for (const int64_t d : op.As<graph::DimensionsAttributes>().dimensions) {
    strides.push_back(source_strides[static_cast<size_t>(d)]);
  }
  return Strided(a, shape, 0, strides);
}

Literal Reverse(const Op& op, const Literal& a, const Shape& shape) {
  Dims strides = RowMajorStrides(a.dims());
  int64_t base = 0;
  for (const int64_t dimension : op.As<graph::DimensionsAttributes>().dimensions) {
    const size_t d = static_cast<size_t>(dimension);
    base += (a.dims()[d] - 1) * strides[d];
    strides[d] = -strides[d];
  }
  return Strided(a, shape, base, strides);
}

Literal Slice(const Op& op, const Literal& a, const Shape& shape) {
  const auto& slice = op.As<graph::SliceAttributes>();
  Dims strides = RowMajorStrides(a.dims());
  int64_t base = 0;
  for (size_t d = 0; d < strides.size(); ++d) {
    base += slice.start[d] * strides[d];
    strides[d] *= slice.stride[d];
  }
  return Strided(a, shape, base, strides);
}

Literal Pad(const Op& op, const Literal& a, const Literal& fill, const Shape& shape) {
  const auto& pad = op.As<graph::PadAttributes>();
  Literal result(shape);
  for (int64_t i = 0; i < result.size(); ++i) CopyElement(fill, 0, result, i);
  if (a.size() == 0) return result;
  const Dims strides = RowMajorStrides(shape.dims);
  Dims index(a.dims().size(), 0);
  int64_t from = 0;
  do {
    int64_t to = 0;
    bool inside = true;
    for (size_t d = 0; d < index.size(); ++d) {
      const int64_t at = pad.low[d] + index[d] * (pad.interior[d] + 1);
      inside = inside && at >= 0 && at < shape.dims[d];
      if (inside) to += at * strides[d];
    }
    if (inside) CopyElement(a, from, result, to);
    ++from;
  } while (NextIndex(index, a.dims()));
  return result;
}

Literal Concatenate(const Op& op, Operands operands, const Shape& shape) {
  const size_t dimension = static_cast<size_t>(op.As<graph::DimensionAttributes>().dimension);
  Literal result(shape);
  int64_t outer = 1, inner = graph::ByteWidth(shape.type);
  for (size_t d = 0; d < shape.dims.size(); ++d) {
    if (d < dimension) outer *= shape.dims[d];
    if (d > dimension) inner *= shape.dims[d];
  }
  auto* to = result.bytes().data();
  for (int64_t block = 0; block < outer; ++block) {
    for (const Literal* operand : operands) {
      const int64_t bytes = operand->dims()[dimension] * inner;
      if (bytes == 0) continue;
      std::memcpy(to, operand->bytes().data() + block * bytes, static_cast<size_t>(bytes));
      to += bytes;
    }
  }
  return result;
}

Literal Iota(const Op& op, const Shape& shape) {
  const size_t dimension = static_cast<size_t>(op.As<graph::DimensionAttributes>().dimension);
  Literal result(shape);
  const int64_t stride = RowMajorStrides(shape.dims)[dimension];
  for (int64_t i = 0; i < result.size(); ++i) {
    result.SetInt(i, i / stride % shape.dims[dimension]);
  }
  return result;
}

// Types of 8 bits and more keep their bytes. The narrower ones take a byte each, so their bits are
// strung together and cut anew.
Literal BitcastConvert(const Literal& a, const Shape& shape) {
  const int from_bits = graph::BitWidth(a.type());
  const int to_bits = graph::BitWidth(shape.type);
  if (from_bits == to_bits) {
    Literal result(shape);
    for (int64_t i = 0; i < a.size() && from_bits < 8; ++i) result.SetInt(i, a.GetInt(i));
    if (from_bits >= 8) return Literal(shape, {a.bytes().begin(), a.bytes().end()});
    return result;
  }
  if (from_bits >= 8 && to_bits >= 8) return Literal(shape, {a.bytes().begin(), a.bytes().end()});
  // One side is narrow and the other at most 64 bits wide; work in steps of the narrow width.
  const int step = std::min(from_bits, to_bits);
  Literal result(shape);
  const int64_t from_steps = from_bits / step, to_steps = to_bits / step;
  const auto load = [&](int64_t unit) {
    const int64_t i = unit / from_steps;
    uint64_t bits = 0;
    std::memcpy(&bits, a.bytes().data() + i * graph::ByteWidth(a.type()),
                static_cast<size_t>(graph::ByteWidth(a.type())));
    return bits >> (unit % from_steps * step) & ((uint64_t{1} << step) - 1);
  };
  for (int64_t i = 0; i < result.size(); ++i) {
    uint64_t bits = 0;
    for (int64_t s = 0; s < to_steps; ++s) bits |= load(i * to_steps + s) << (s * step);
    if (to_bits < 8) {
      result.SetInt(i, static_cast<int64_t>(bits));
    } else {
      std::memcpy(result.bytes().data() + i * graph::ByteWidth(shape.type), &bits,
                  static_cast<size_t>(graph::ByteWidth(shape.type)));
    }
  }
  return result;
}

}  // namespace

bool NextIndex(Dims& index, const Dims& dims) {
  for (size_t d = dims.size(); d-- > 0;) {
    if (++index[d] < dims[d]) return true;
    index[d] = 0;
  }
  return false;
}

void CopyElement(const Literal& source, int64_t from, Literal& target, int64_t to) {
  const int64_t width = graph::ByteWidth(source.type());
  const std::byte* in = source.bytes().data() + from * width;
  std::byte* out = target.bytes().data() + to * width;
  switch (width) {  // constant sizes become single moves
    case 1: *out = *in; break;
    case 2: std::memcpy(out, in, 2); break;
    case 4: std::memcpy(out, in, 4); break;
    default: std::memcpy(out, in, 8); break;
  }
}

Literal ScalarAt(const Literal& source, int64_t i) {
  Literal result(Shape{source.type(), {}});
  CopyElement(source, i, result, 0);
  return result;
}

Literal EvalMovement(const Op& op, Operands operands, const Shape& shape) {
  switch (op.opcode) {
    case Opcode::kBroadcastInDim: return BroadcastInDim(op, *operands[0], shape);
    case Opcode::kTranspose: return Transpose(op, *operands[0], shape);
    case Opcode::kReverse: return Reverse(op, *operands[0], shape);
    case Opcode::kSlice: return Slice(op, *operands[0], shape);
    case Opcode::kPad: return Pad(op, *operands[0], *operands[1], shape);
    case Opcode::kConcatenate: return Concatenate(op, operands, shape);
    case Opcode::kIota: return Iota(op, shape);
    case Opcode::kBitcastConvert: return BitcastConvert(*operands[0], shape);
    default: return operands[0]->Reshaped(shape.dims);  // reshape
  }
}

}  // namespace systolith::evaluator
