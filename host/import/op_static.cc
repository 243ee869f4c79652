// Dynamic operations whose shapes are known after all: the result type says them, or constants do.
#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "host/import/op_emitter.h"

namespace systolith::import {

using graph::Dims;
using graph::Opcode;
using graph::Region;
using graph::Value;

namespace {

constexpr int kMaxDepth = 16;  // operations between a constant and its use

Attribute IntegerList(const Dims& values) {
  Attribute list;
  list.kind = Attribute::Kind::kArray;
  for (const int64_t value : values) {
    Attribute& item = list.items.emplace_back();
    item.kind = Attribute::Kind::kInteger;
    item.integer = value;
  }
  return list;
}

// The integers that `value` always has, if the region says so.
std::optional<Dims> ConstantIntegers(const Region& region, Value value, int depth) {
  const auto defines = [value](const graph::Op& op) {
    return std::find(op.results.begin(), op.results.end(), value) != op.results.end();
  };
  const auto op = std::find_if(region.ops.rbegin(), region.ops.rend(), defines);
  if (op == region.ops.rend() || depth > kMaxDepth) return std::nullopt;
  switch (op->opcode) {
    case Opcode::kConstant: {
      const graph::Literal& literal = *op->As<graph::ConstantAttributes>().value;
      if (!graph::IsInteger(literal.type())) return std::nullopt;
      Dims integers;
      for (int64_t i = 0; i < literal.size(); ++i) integers.push_back(literal.GetInt(i));
      return integers;
    }
    case Opcode::kConvert:
    case Opcode::kReshape:
      return ConstantIntegers(region, op->operands.at(0), depth + 1);
    case Opcode::kConcatenate: {
      Dims integers;
      for (const Value operand : op->operands) {
        const auto part = ConstantIntegers(region, operand, depth + 1);
        if (!part) return std::nullopt;
        integers.insert(integers.end(), part->begin(), part->end());
      }
      return integers;
    }
    default: return std::nullopt;
  }
}

}  // namespace

Result<Dims> OpEmitter::ConstantOperand(const ImportedOp& op, size_t operand,
                                        const Region& region) const {
  const auto integers = ConstantIntegers(region, op.operands[operand], 0);
  if (integers) return *integers;
  return source_.RefuseAt(op.dict.offset,
                          fmt::format("{}: operand {} is no constant, so the shape is not known",
                                      op.name, operand));
}

// The last operand repeats what the result type says.
Result<std::vector<Value>> OpEmitter::EmitWithoutShape(ImportedOp& op, Region& region) {
  RETURN_IF_ERROR(CheckCounts(op, op.opcode == Opcode::kIota ? 1 : 2, 1));
  op.operands.pop_back();
  return EmitPlain(op, region);
}

Result<std::vector<Value>> OpEmitter::EmitStaticGather(ImportedOp& op, Region& region) {
  RETURN_IF_ERROR(CheckCounts(op, 3, 1));
  ASSIGN_OR_RETURN(const Dims sizes, ConstantOperand(op, 2, region));
  op.operands.pop_back();
  op.SetEntry("slice_sizes", IntegerList(sizes));
  return EmitPlain(op, region);
}

Result<std::vector<Value>> OpEmitter::EmitStaticPad(ImportedOp& op, Region& region) {
  RETURN_IF_ERROR(CheckCounts(op, 5, 1));
  graph::PadAttributes pad;
  ASSIGN_OR_RETURN(pad.low, ConstantOperand(op, 2, region));
  ASSIGN_OR_RETURN(pad.high, ConstantOperand(op, 3, region));
  ASSIGN_OR_RETURN(pad.interior, ConstantOperand(op, 4, region));
  op.operands.resize(2);
  return Append(op, std::move(pad), region);
}

Result<std::vector<Value>> OpEmitter::EmitStaticSlice(ImportedOp& op, Region& region) {
  RETURN_IF_ERROR(CheckCounts(op, 4, 1));
  graph::SliceAttributes slice;
  ASSIGN_OR_RETURN(slice.start, ConstantOperand(op, 1, region));
  ASSIGN_OR_RETURN(slice.limit, ConstantOperand(op, 2, region));
  ASSIGN_OR_RETURN(slice.stride, ConstantOperand(op, 3, region));
  op.operands.resize(1);
  return Append(op, std::move(slice), region);
}

Result<std::vector<Value>> OpEmitter::EmitStaticConvolution(ImportedOp& op, Region& region) {
  RETURN_IF_ERROR(CheckCounts(op, 3, 1));
  ASSIGN_OR_RETURN(const Dims padding, ConstantOperand(op, 2, region));
  op.operands.pop_back();
  Attribute pairs;
  pairs.kind = Attribute::Kind::kArray;
  for (size_t i = 0; i + 1 < padding.size(); i += 2) {
    pairs.items.push_back(IntegerList({padding[i], padding[i + 1]}));
  }
  op.SetEntry("padding", std::move(pairs));
  return EmitPlain(op, region);
}

}  // namespace systolith::import
