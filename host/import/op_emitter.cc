#include "host/import/op_emitter.h"

#include <fmt/format.h>

#include <array>
#include <string_view>

#include "host/import/op_attributes.h"

namespace systolith::import {

using graph::Opcode;
using graph::Region;
using graph::Shape;
using graph::Value;

namespace {

struct NamedOpcode {
  std::string_view name;
  Opcode opcode;
};

// Operations that the graph has under another name, or that become others (op_expansions.cc,
// op_static.cc).
constexpr std::array kOtherNames = {
    NamedOpcode{"return", Opcode::kReturn},
    NamedOpcode{"func.return", Opcode::kReturn},
    NamedOpcode{"call", Opcode::kCall},
    NamedOpcode{"func.call", Opcode::kCall},
    NamedOpcode{"stablehlo.dot", Opcode::kDotGeneral},
    NamedOpcode{"chlo.tan", Opcode::kTan},
    NamedOpcode{"chlo.square", Opcode::kMultiply},
    NamedOpcode{"chlo.top_k", Opcode::kSort},
    NamedOpcode{"chlo.conj", Opcode::kReshape},
    NamedOpcode{"chlo.constant", Opcode::kConstant},
    NamedOpcode{"chlo.is_inf", Opcode::kCompare},
    NamedOpcode{"chlo.is_pos_inf", Opcode::kCompare},
    NamedOpcode{"chlo.is_neg_inf", Opcode::kCompare},
    NamedOpcode{"chlo.mulhi", Opcode::kMultiply},
    NamedOpcode{"check.expect_eq", Opcode::kCustomCall},
    NamedOpcode{"check.expect_eq_const", Opcode::kCustomCall},
    NamedOpcode{"check.expect_almost_eq", Opcode::kCustomCall},
    NamedOpcode{"check.expect_almost_eq_const", Opcode::kCustomCall},
    NamedOpcode{"check.expect_close", Opcode::kCustomCall},
    NamedOpcode{"check.expect_serialized_eq", Opcode::kCustomCall},
    NamedOpcode{"interpreter.probe", Opcode::kReshape},
    NamedOpcode{"stablehlo.after_all", Opcode::kOptimizationBarrier},
    NamedOpcode{"stablehlo.create_token", Opcode::kOptimizationBarrier},
    NamedOpcode{"stablehlo.tuple", Opcode::kOptimizationBarrier},
    NamedOpcode{"stablehlo.get_tuple_element", Opcode::kOptimizationBarrier},
    NamedOpcode{"stablehlo.broadcast", Opcode::kBroadcastInDim},
    NamedOpcode{"stablehlo.real", Opcode::kReshape},
    NamedOpcode{"stablehlo.imag", Opcode::kConstant},
    NamedOpcode{"stablehlo.partition_id", Opcode::kConstant},
    NamedOpcode{"stablehlo.replica_id", Opcode::kConstant},
    NamedOpcode{"stablehlo.get_dimension_size", Opcode::kConstant},
    NamedOpcode{"stablehlo.set_dimension_size", Opcode::kReshape},
    NamedOpcode{"stablehlo.dynamic_broadcast_in_dim", Opcode::kBroadcastInDim},
    NamedOpcode{"stablehlo.dynamic_conv", Opcode::kConvolution},
    NamedOpcode{"stablehlo.dynamic_gather", Opcode::kGather},
    NamedOpcode{"stablehlo.dynamic_iota", Opcode::kIota},
    NamedOpcode{"stablehlo.dynamic_pad", Opcode::kPad},
    NamedOpcode{"stablehlo.dynamic_reshape", Opcode::kReshape},
    NamedOpcode{"stablehlo.real_dynamic_slice", Opcode::kSlice},
    NamedOpcode{"builtin.unrealized_conversion_cast", Opcode::kReshape},
    NamedOpcode{"sdy.reshard", Opcode::kReshape},
    NamedOpcode{"sdy.sharding_constraint", Opcode::kReshape},
};

struct NamedReason {
  std::string_view name, reason;
};

constexpr std::string_view kSeveralChips = "it needs several chips";
constexpr std::string_view kComplexNumbers = "it works on complex numbers";
constexpr std::string_view kHostTraffic = "it talks to the host while the program runs";
constexpr std::string_view kQuantized = "it works on quantized types";
constexpr std::string_view kTestHarness = "it belongs to the reference interpreter's own tests";

// Why some of StableHLO's operations are refused.
constexpr std::array kReasons = {
    NamedReason{"stablehlo.all_gather", kSeveralChips},
    NamedReason{"stablehlo.all_reduce", kSeveralChips},
    NamedReason{"stablehlo.all_to_all", kSeveralChips},
    NamedReason{"stablehlo.collective_broadcast", kSeveralChips},
    NamedReason{"stablehlo.collective_permute", kSeveralChips},
    NamedReason{"stablehlo.cross-replica-sum", kSeveralChips},
    NamedReason{"stablehlo.reduce_scatter", kSeveralChips},
    NamedReason{"sdy.manual_computation", kSeveralChips},
    NamedReason{"interpreter.run_parallel", kSeveralChips},
    NamedReason{"stablehlo.complex", kComplexNumbers},
    NamedReason{"stablehlo.fft", kComplexNumbers},
    NamedReason{"stablehlo.infeed", kHostTraffic},
    NamedReason{"stablehlo.outfeed", kHostTraffic},
    NamedReason{"stablehlo.recv", kHostTraffic},
    NamedReason{"stablehlo.send", kHostTraffic},
    NamedReason{"stablehlo.uniform_dequantize", kQuantized},
    NamedReason{"stablehlo.uniform_quantize", kQuantized},
    NamedReason{"stablehlo.rng", "the specification leaves its values open"},
    NamedReason{"interpreter.print", kTestHarness},
};

}  // namespace

Result<Opcode> ChooseOpcode(const Source& source, const std::string& name, size_t offset) {
  for (const NamedOpcode& other : kOtherNames) {
    if (other.name == name) return other.opcode;
  }
  const size_t dot = name.find('.');
  if (dot == std::string::npos) {
    return source.ErrorAt(offset, fmt::format("expected an operation but found '{}'", name));
  }
  const std::string_view dialect = std::string_view(name).substr(0, dot);
  const auto opcode = graph::OpcodeFromName(std::string_view(name).substr(dot + 1));
  if (opcode && graph::OpcodeDialect(*opcode) == dialect) return *opcode;
  for (const NamedReason& reason : kReasons) {
    if (reason.name != name) continue;
    return source.RefuseAt(offset, fmt::format("operation {} is not supported: {}", name,
                                               reason.reason));
  }
  return source.RefuseAt(offset, fmt::format("operation {} is not supported", name));
}

Result<std::vector<Value>> OpEmitter::Emit(ImportedOp& op, Region& region) {
  const std::vector<Shape> operands = ShapesOf(op.operands);
  if (op.inputs.size() > operands.size()) {
    return source_.ErrorAt(op.dict.offset,
                           fmt::format("{} has fewer operands than types", op.name));
  }
  for (size_t i = 0; i < op.inputs.size(); ++i) {
    if (op.inputs[i] != operands[i]) {
      return source_.ErrorAt(op.dict.offset,
                             fmt::format("operand {} of {} is {} but its type says {}", i, op.name,
                                         operands[i].ToString(), op.inputs[i].ToString()));
    }
  }
  const std::vector<Shape> outputs = op.outputs;
  ASSIGN_OR_RETURN(Values results, EmitByName(op, region));
  for (size_t i = 0; i < outputs.size(); ++i) {
    if (i < results.size() && function_.shape(results[i]) == outputs[i]) continue;
    return source_.ErrorAt(op.dict.offset,
                           fmt::format("{} can't have a result of {}", op.name,
                                       outputs[i].ToString()));
  }
  return results;
}

std::vector<Shape> OpEmitter::ShapesOf(const Values& values) const {
  std::vector<Shape> shapes;
  for (const Value value : values) shapes.push_back(function_.shape(value));
  return shapes;
}

void OpEmitter::Promote(ImportedOp& op, Region& region) {
  const bool is_scatter = op.opcode == Opcode::kScatter;
  const size_t inputs = op.regions.empty() ? 0 : op.regions.back().arguments.size() / 2;
  if (op.operands.size() != 2 * inputs + (is_scatter ? 1 : 0)) return;  // the verifier says so
  for (size_t i = 0; i < inputs; ++i) {
    const graph::ElementType type = function_.shape(op.regions.back().arguments[i]).type;
    for (const size_t at : {i, inputs + i + (is_scatter ? 1 : 0)}) {
      Shape shape = function_.shape(op.operands[at]);
      const bool is_wider =
          graph::BitWidth(shape.type) < graph::BitWidth(type) &&
          ((graph::IsFloat(shape.type) && graph::IsFloat(type)) ||
           (graph::IsSigned(shape.type) && graph::IsSigned(type)) ||
           (graph::IsUnsigned(shape.type) && graph::IsUnsigned(type)));
      if (!is_wider) continue;
      shape.type = type;
      op.operands[at] =
          AppendOp(op, Opcode::kConvert, {op.operands[at]}, {}, std::move(shape), region);
    }
  }
}

Result<std::vector<Value>> OpEmitter::EmitPlain(ImportedOp& op, Region& region) {
  if (op.opcode == Opcode::kReduce || op.opcode == Opcode::kReduceWindow ||
      op.opcode == Opcode::kScatter) {
    Promote(op, region);
  }
  ASSIGN_OR_RETURN(graph::Attributes attributes,
                   BuildAttributes(source_, op.opcode, op.dict, ShapesOf(op.operands)));
  if (op.opcode == Opcode::kConstant && op.outputs.empty()) {
    op.outputs = {std::get<graph::ConstantAttributes>(attributes).value->shape()};
  }
  return Append(op, std::move(attributes), region);
}

std::vector<Value> OpEmitter::Append(ImportedOp& op, graph::Attributes attributes, Region& region) {
  graph::Op appended;
  appended.opcode = op.opcode;
  appended.operands = std::move(op.operands);
  appended.attributes = std::move(attributes);
  appended.regions = std::move(op.regions);
  appended.location = source_.LocationOf(op.offset);
  for (Shape& shape : op.outputs) appended.results.push_back(function_.NewValue(std::move(shape)));
  std::vector<Value> results = appended.results;
  region.ops.push_back(std::move(appended));
  return results;
}

}  // namespace systolith::import
