// Operations that become others: the expansions of op_emitter.h.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <limits>
#include <memory>
#include <string_view>
#include <utility>

#include "host/graph/composite.h"
#include "host/import/op_attributes.h"
#include "host/import/op_emitter.h"

namespace systolith::import {

using graph::Dims;
using graph::ElementType;
using graph::Literal;
using graph::Opcode;
using graph::Region;
using graph::Shape;
using graph::Value;

namespace {

// Custom calls that say where a value lives, which one chip needs no word about.
constexpr std::array<std::string_view, 8> kPlacements = {
    "Sharding", "SPMDFullToShardShape", "SPMDShardToFullShape", "LayoutConstraint",
    "annotate_device_placement", "xla.sdy.FuncResultSharding", "xla.sdy.GlobalToLocalShape",
    "xla.sdy.LocalToGlobalShape"};

bool IsPlacement(std::string_view target) {
  for (const std::string_view placement : kPlacements) {
    if (target == placement) return true;
  }
  return false;
}

}  // namespace

Status OpEmitter::CheckCounts(const ImportedOp& op, size_t operands, size_t results) const {
  if (op.operands.size() == operands && op.outputs.size() == results) return OkStatus();
  return source_.ErrorAt(op.dict.offset,
                         fmt::format("{} takes {} operands and gives {} results, not {} and {}",
                                     op.name, operands, results, op.operands.size(),
                                     op.outputs.size()));
}

Value OpEmitter::AppendOp(const ImportedOp& op, Opcode opcode, Values operands,
                          graph::Attributes attributes, Shape result, Region& region) {
  graph::Op appended;
  appended.opcode = opcode;
  appended.operands = std::move(operands);
  appended.attributes = std::move(attributes);
  appended.location = source_.LocationOf(op.offset);
  appended.results = {function_.NewValue(std::move(result))};
  region.ops.push_back(std::move(appended));
  return region.ops.back().result();
}

Value OpEmitter::AppendConstant(const ImportedOp& op, Literal value, Region& region) {
  const Shape shape = value.shape();
  graph::ConstantAttributes constant{std::make_shared<const Literal>(std::move(value))};
  return AppendOp(op, Opcode::kConstant, {}, std::move(constant), shape, region);
}

Value OpEmitter::AppendSplat(const ImportedOp& op, Shape shape, double value, Region& region) {
  const Value scalar = AppendConstant(op, Literal::Scalar(shape.type, value), region);
  return AppendOp(op, Opcode::kBroadcastInDim, {scalar}, graph::DimensionsAttributes{},
                  std::move(shape), region);
}

Result<std::vector<Value>> OpEmitter::EmitByName(ImportedOp& op, Region& region) {
  const std::string& name = op.name;
  if (name.starts_with("check.")) return EmitCheck(op, region);
  if (name == "stablehlo.custom_call") return EmitCustomCall(op, region);
  if (name == "stablehlo.tuple") return op.operands;
  if (name == "stablehlo.get_tuple_element") return EmitTupleElement(op);
  if (name == "stablehlo.after_all" || name == "stablehlo.create_token" ||
      (name == "stablehlo.optimization_barrier" && op.operands.empty())) {
    return Values();
  }
  if (name == "sdy.sharding_constraint" || name == "sdy.reshard" ||
      name == "builtin.unrealized_conversion_cast" ||
      name == "stablehlo.set_dimension_size" || name == "stablehlo.real" ||
      name == "chlo.conj" || name == "interpreter.probe") {
    return EmitIdentity(op);
  }
  if (name == "stablehlo.imag") {
    RETURN_IF_ERROR(CheckCounts(op, 1, 1));
    return Values{AppendSplat(op, function_.shape(op.operands[0]), 0, region)};
  }
  if (name == "stablehlo.partition_id" || name == "stablehlo.replica_id") {
    RETURN_IF_ERROR(CheckCounts(op, 0, 1));
    return Values{AppendConstant(op, Literal(Shape{ElementType::kU32, {}}), region)};
  }
  if (name == "stablehlo.get_dimension_size") return EmitDimensionSize(op, region);
  if (name == "stablehlo.dot") return EmitDot(op, region);
  if (name == "stablehlo.broadcast") {
    RETURN_IF_ERROR(CheckCounts(op, 1, 1));
    const int rank = function_.shape(op.operands[0]).rank();
    graph::DimensionsAttributes broadcast;
    for (int i = 0; i < rank; ++i) {
      broadcast.dimensions.push_back(op.outputs[0].rank() - rank + i);
    }
    return Append(op, std::move(broadcast), region);
  }
  if (name == "chlo.top_k") return EmitTopK(op, region);
  if (name == "chlo.is_inf" || name == "chlo.is_pos_inf" || name == "chlo.is_neg_inf") {
    return EmitIsInfinite(op, region);
  }
  if (name == "chlo.mulhi") return EmitMultiplyHigh(op, region);
  if (name == "chlo.square") {
    RETURN_IF_ERROR(CheckCounts(op, 1, 1));
    op.operands.push_back(op.operands[0]);
    return Append(op, {}, region);
  }
  if (name == "stablehlo.dynamic_broadcast_in_dim" || name == "stablehlo.dynamic_iota" ||
      name == "stablehlo.dynamic_reshape") {
    return EmitWithoutShape(op, region);
  }
  if (name == "stablehlo.dynamic_gather") return EmitStaticGather(op, region);
  if (name == "stablehlo.dynamic_pad") return EmitStaticPad(op, region);
  if (name == "stablehlo.real_dynamic_slice") return EmitStaticSlice(op, region);
  if (name == "stablehlo.dynamic_conv") return EmitStaticConvolution(op, region);
  return EmitPlain(op, region);
}

// The operand, under its own name or under that of the result.
Result<std::vector<Value>> OpEmitter::EmitIdentity(const ImportedOp& op) {
  const size_t operands = op.name == "stablehlo.set_dimension_size" ? 2 : 1;
  RETURN_IF_ERROR(CheckCounts(op, operands, 1));
  return Values{op.operands[0]};
}

// CHLO's operations travel as custom calls under the name of MHLO.
Result<std::vector<Value>> OpEmitter::EmitCustomCall(ImportedOp& op, Region& region) {
  constexpr std::string_view kPrefix = "mhlo.";
  const Attribute* found = op.dict.Find({"call_target_name"});
  const std::string target = found != nullptr ? found->text : "";
  if (IsPlacement(target)) {
    RETURN_IF_ERROR(CheckCounts(op, 1, 1));
    return Values{op.operands[0]};
  }
  if (target.starts_with("check.")) return EmitPlain(op, region);
  const std::string chlo = "chlo." + target.substr(std::min(target.size(), kPrefix.size()));
  const auto opcode = ChooseOpcode(source_, chlo == "chlo.topk" ? "chlo.top_k" : chlo, 0);
  if (!target.starts_with(kPrefix) || !opcode.ok()) {
    return source_.RefuseAt(op.dict.offset,
                            fmt::format("custom call @{} is not supported", target));
  }
  op.name = chlo == "chlo.topk" ? "chlo.top_k" : chlo;
  op.opcode = *opcode;
  if (const Attribute* attributes = op.dict.Find({"mhlo.attributes"})) {
    const Attribute copy = *attributes;
    op.dict.entries.insert(op.dict.entries.end(), copy.entries.begin(), copy.entries.end());
  }
  return EmitByName(op, region);
}

Result<std::vector<Value>> OpEmitter::EmitTupleElement(const ImportedOp& op) {
  const Attribute* index = op.dict.Find({"index"});
  if (index == nullptr || op.operand_types.size() != 1 ||
      op.operand_types[0].kind != Type::Kind::kTuple) {
    return source_.ErrorAt(op.dict.offset, "get_tuple_element takes one tuple and an index");
  }
  const Type& tuple = op.operand_types[0];
  if (index->integer < 0 || index->integer >= static_cast<int64_t>(tuple.elements.size())) {
    return source_.ErrorAt(op.dict.offset, fmt::format("a tuple of {} has no element {}",
                                                       tuple.elements.size(), index->integer));
  }
  return Element({tuple, op.operands}, static_cast<size_t>(index->integer)).values;
}

Result<std::vector<Value>> OpEmitter::EmitDimensionSize(const ImportedOp& op, Region& region) {
  RETURN_IF_ERROR(CheckCounts(op, 1, 1));
  const Shape& shape = function_.shape(op.operands[0]);
  const Attribute* dimension = op.dict.Find({"dim", "dimension"});
  if (dimension == nullptr || dimension->integer < 0 || dimension->integer >= shape.rank()) {
    return source_.ErrorAt(op.dict.offset, "get_dimension_size needs a dimension of its operand");
  }
  const int64_t size = shape.dims[static_cast<size_t>(dimension->integer)];
  if (size > std::numeric_limits<int32_t>::max()) {
    return source_.RefuseAt(op.dict.offset, fmt::format("a size of {} does not fit s32", size));
  }
  Literal value(Shape{ElementType::kS32, {}});
  value.SetInt(0, size);
  return Values{AppendConstant(op, std::move(value), region)};
}

Result<std::vector<Value>> OpEmitter::EmitIsInfinite(ImportedOp& op, Region& region) {
  RETURN_IF_ERROR(CheckCounts(op, 1, 1));
  const Shape shape = function_.shape(op.operands[0]);
  if (!graph::IsFloat(shape.type)) {
    return source_.ErrorAt(op.dict.offset, fmt::format("{} takes floats", op.name));
  }
  Value operand = op.operands[0];
  if (op.name == "chlo.is_inf") {
    operand = AppendOp(op, Opcode::kAbs, {operand}, {}, shape, region);
  }
  const double infinity = std::numeric_limits<double>::infinity();
  const Value bound =
      AppendSplat(op, shape, op.name == "chlo.is_neg_inf" ? -infinity : infinity, region);
  return Values{AppendOp(op, Opcode::kCompare, {operand, bound},
                         graph::CompareAttributes{graph::CompareDirection::kEq, false},
                         Shape{ElementType::kI1, shape.dims}, region)};
}

// The upper half of a product of twice the width.
Result<std::vector<Value>> OpEmitter::EmitMultiplyHigh(ImportedOp& op, Region& region) {
  RETURN_IF_ERROR(CheckCounts(op, 2, 1));
  const Shape shape = function_.shape(op.operands[0]);
  const int bits = graph::BitWidth(shape.type);
  if (!graph::IsInteger(shape.type) || bits > 32) {
    return source_.RefuseAt(op.dict.offset, fmt::format("chlo.mulhi of {} is not supported",
                                                        graph::ElementTypeName(shape.type)));
  }
  const bool is_signed = graph::IsSigned(shape.type);
  const Shape wide{is_signed ? ElementType::kS64 : ElementType::kU64, shape.dims};
  Values factors;
  for (const Value operand : op.operands) {
    factors.push_back(AppendOp(op, Opcode::kConvert, {operand}, {}, wide, region));
  }
  const Value product = AppendOp(op, Opcode::kMultiply, factors, {}, wide, region);
  const Value distance = AppendSplat(op, wide, bits, region);
  const Value upper =
      AppendOp(op, is_signed ? Opcode::kShiftRightArithmetic : Opcode::kShiftRightLogical,
               {product, distance}, {}, wide, region);
  return Values{AppendOp(op, Opcode::kConvert, {upper}, {}, shape, region)};
}

// dot joins the last dimension of the left operand with the first of the right.
Result<std::vector<Value>> OpEmitter::EmitDot(ImportedOp& op, Region& region) {
  RETURN_IF_ERROR(CheckCounts(op, 2, 1));
  ASSIGN_OR_RETURN(graph::Attributes attributes,
                   BuildAttributes(source_, op.opcode, op.dict, {}));
  auto& dot = std::get<graph::DotGeneralAttributes>(attributes);
  dot.lhs_contracting = {std::max(function_.shape(op.operands[0]).rank() - 1, 0)};
  dot.rhs_contracting = {0};
  return Append(op, std::move(attributes), region);
}

// check.* becomes a custom call; an expected constant becomes its second operand.
Result<std::vector<Value>> OpEmitter::EmitCheck(ImportedOp& op, Region& region) {
  Attribute target;
  target.kind = Attribute::Kind::kSymbol;
  target.text = op.name;
  op.SetEntry("call_target_name", std::move(target));
  ASSIGN_OR_RETURN(graph::Attributes call, BuildAttributes(source_, op.opcode, op.dict, {}));
  std::get<graph::CustomCallAttributes>(call).has_side_effect = true;
  if (const Attribute* value = op.dict.Find({"value"})) {
    if (value->literal == nullptr) {
      return source_.ErrorAt(value->offset, "expected dense<...>");
    }
    op.operands.push_back(AppendOp(op, Opcode::kConstant, {},
                                   graph::ConstantAttributes{value->literal},
                                   value->literal->shape(), region));
  }
  return Append(op, std::move(call), region);
}

// The k largest elements of each row, in falling order, with their positions: a stable sort.
Result<std::vector<Value>> OpEmitter::EmitTopK(ImportedOp& op, Region& region) {
  const Attribute* k = op.dict.Find({"k"});
  RETURN_IF_ERROR(CheckCounts(op, 1, 2));
  if (k == nullptr) return source_.ErrorAt(op.dict.offset, "the attribute k is missing");
  const Shape shape = function_.shape(op.operands[0]);
  if (shape.rank() < 1 || k->integer < 0 || k->integer > shape.dims.back()) {
    return source_.ErrorAt(op.dict.offset, fmt::format("k = {} does not fit {}", k->integer,
                                                       shape.ToString()));
  }
  graph::Builder builder(function_, region.ops);
  builder.SetLocation(source_.LocationOf(op.offset));
  return graph::AppendTopK(builder, op.operands[0], k->integer);
}

}  // namespace systolith::import
