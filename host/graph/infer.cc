#include "host/graph/infer.h"

#include <algorithm>

#include "host/graph/infer_internal.h"

namespace systolith::graph {

Status CheckDimensions(const Dims& dimensions, int64_t rank, const char* what) {
  std::vector<bool> seen(static_cast<size_t>(rank), false);
  for (const int64_t d : dimensions) {
    INFER_CHECK(d >= 0 && d < rank, "{} {} name dimension {} of a tensor of rank {}", what,
                DimsToString(dimensions), d, rank);
    INFER_CHECK(!seen[static_cast<size_t>(d)], "{} {} name dimension {} twice", what,
                DimsToString(dimensions), d);
    seen[static_cast<size_t>(d)] = true;
  }
  return OkStatus();
}

Status CheckList(const Dims& dims, size_t count, int64_t minimum, const char* what) {
  INFER_CHECK(dims.size() == count, "{} {} has {} entries instead of {}", what, DimsToString(dims),
              dims.size(), count);
  for (const int64_t value : dims) {
    INFER_CHECK(value >= minimum, "{} {} has an entry below {}", what, DimsToString(dims), minimum);
  }
  return OkStatus();
}

Result<Shapes> ReductionResults(const Shapes& operands, const Dims& dims) {
  const size_t inputs = operands.size() / 2;
  Shapes results;
  for (size_t i = 0; i < inputs; ++i) {
    INFER_CHECK(operands[i].dims == operands[0].dims, "inputs differ in shape");
    INFER_CHECK(operands[inputs + i] == (Shape{operands[i].type, {}}),
                "initial value {} is {} instead of a scalar of the input's type", i,
                operands[inputs + i].ToString());
    results.push_back(Shape{operands[i].type, dims});
  }
  return results;
}

namespace {

Status CheckCount(const Shapes& operands, size_t count) {
  INFER_CHECK(operands.size() == count, "it takes {} operand{}, not {}", count,
              count == 1 ? "" : "s", operands.size());
  return OkStatus();
}

Status CheckEqual(const Shape& a, const Shape& b) {
  INFER_CHECK(a == b, "operands differ in shape: {} and {}", a.ToString(), b.ToString());
  return OkStatus();
}

bool IsIntegral(ElementType type) { return IsInteger(type) || type == ElementType::kI1; }

bool UnaryAccepts(Opcode opcode, ElementType type) {
  switch (opcode) {
    case Opcode::kConvert: return true;
    case Opcode::kAbs:
    case Opcode::kSign: return IsSigned(type) || IsFloat(type);
    case Opcode::kNegate: return IsInteger(type) || IsFloat(type);
    case Opcode::kNot: return IsIntegral(type);
    case Opcode::kCountLeadingZeros:
    case Opcode::kPopcnt: return IsInteger(type);
    default: return IsFloat(type);
  }
}

bool BinaryAccepts(Opcode opcode, ElementType type) {
  switch (opcode) {
    case Opcode::kAnd:
    case Opcode::kOr:
    case Opcode::kXor: return IsIntegral(type);
    case Opcode::kShiftLeft:
    case Opcode::kShiftRightArithmetic:
    case Opcode::kShiftRightLogical: return IsInteger(type);
    case Opcode::kAtan2:
    case Opcode::kNextAfter:
    case Opcode::kPolygamma:
    case Opcode::kZeta: return IsFloat(type);
    case Opcode::kAdd:
    case Opcode::kMultiply:
    case Opcode::kMaximum:
    case Opcode::kMinimum: return true;
    default: return IsInteger(type) || IsFloat(type);
  }
}

Result<Shapes> InferUnary(const Op& op, const Shapes& operands, const Shapes& declared) {
  RETURN_IF_ERROR(CheckCount(operands, 1));
  INFER_CHECK(UnaryAccepts(op.opcode, operands[0].type), "it does not take {}",
              ElementTypeName(operands[0].type));
  Shape result = operands[0];
  if (op.opcode == Opcode::kIsFinite) result.type = ElementType::kI1;
  if (op.opcode == Opcode::kConvert) {
    INFER_CHECK(!declared.empty(), "the result type is missing");
    result.type = declared[0].type;
  }
  return Shapes{result};
}

Result<Shapes> InferClamp(const Shapes& operands) {
  RETURN_IF_ERROR(CheckCount(operands, 3));
  for (const size_t bound : {0, 2}) {
    INFER_CHECK(operands[bound].type == operands[1].type &&
                    (operands[bound].IsScalar() || operands[bound] == operands[1]),
                "the bound {} fits {} neither as scalar nor in shape",
                operands[bound].ToString(), operands[1].ToString());
  }
  return Shapes{operands[1]};
}

Result<Shapes> InferSelect(const Shapes& operands) {
  RETURN_IF_ERROR(CheckCount(operands, 3));
  RETURN_IF_ERROR(CheckEqual(operands[1], operands[2]));
  INFER_CHECK(operands[0].type == ElementType::kI1 &&
                  (operands[0].IsScalar() || operands[0].dims == operands[1].dims),
              "the predicate {} does not fit {}", operands[0].ToString(), operands[1].ToString());
  return Shapes{operands[1]};
}

Result<Shapes> InferBroadcastInDim(const Op& op, const Shapes& operands, const Shapes& declared) {
  RETURN_IF_ERROR(CheckCount(operands, 1));
  INFER_CHECK(!declared.empty(), "the result shape is missing");
  const Dims& map = op.As<DimensionsAttributes>().dimensions;
  const Shape& operand = operands[0];
  INFER_CHECK(map.size() == operand.dims.size(), "{} dimensions listed for an operand of rank {}",
              map.size(), operand.rank());
  RETURN_IF_ERROR(CheckDimensions(map, declared[0].rank(), "dims"));
  for (size_t d = 0; d < map.size(); ++d) {
    const int64_t target = declared[0].dims[static_cast<size_t>(map[d])];
    INFER_CHECK(operand.dims[d] == 1 || operand.dims[d] == target,
                "operand dimension {} of size {} can't become size {}", d, operand.dims[d], target);
  }
  return Shapes{Shape{operand.type, declared[0].dims}};
}

Result<Shapes> InferConcatenate(const Op& op, const Shapes& operands) {
  INFER_CHECK(!operands.empty(), "it needs an operand");
  const int64_t dimension = op.As<DimensionAttributes>().dimension;
  RETURN_IF_ERROR(CheckDimensions({dimension}, operands[0].rank(), "dim"));
  const size_t at = static_cast<size_t>(dimension);
  Shape result = operands[0];
  result.dims[at] = 0;
  for (const Shape& operand : operands) {
    INFER_CHECK(operand.rank() == result.rank(), "operands differ in rank");
    result.dims[at] += operand.dims[at];
    Shape others = operand;
    others.dims[at] = operands[0].dims[at];
    RETURN_IF_ERROR(CheckEqual(operands[0], others));
  }
  return Shapes{result};
}

Result<Shapes> InferSlice(const Op& op, const Shapes& operands) {
  RETURN_IF_ERROR(CheckCount(operands, 1));
  const auto& slice = op.As<SliceAttributes>();
  const size_t rank = operands[0].dims.size();
  RETURN_IF_ERROR(CheckList(slice.start, rank, 0, "start_indices"));
  RETURN_IF_ERROR(CheckList(slice.limit, rank, 0, "limit_indices"));
  RETURN_IF_ERROR(CheckList(slice.stride, rank, 1, "strides"));
  Shape result = operands[0];
  for (size_t d = 0; d < rank; ++d) {
    INFER_CHECK(slice.start[d] <= slice.limit[d] && slice.limit[d] <= operands[0].dims[d],
                "[{}:{}] leaves dimension {} of size {}", slice.start[d], slice.limit[d], d,
                operands[0].dims[d]);
    const int64_t extent = slice.limit[d] - slice.start[d];
    result.dims[d] = extent == 0 ? 0 : (extent - 1) / slice.stride[d] + 1;
  }
  return Shapes{result};
}

Result<Shapes> InferPad(const Op& op, const Shapes& operands) {
  RETURN_IF_ERROR(CheckCount(operands, 2));
  const auto& pad = op.As<PadAttributes>();
  const size_t rank = operands[0].dims.size();
  RETURN_IF_ERROR(CheckList(pad.low, rank, -kMaxElements, "low"));
  RETURN_IF_ERROR(CheckList(pad.high, rank, -kMaxElements, "high"));
  RETURN_IF_ERROR(CheckList(pad.interior, rank, 0, "interior"));
  INFER_CHECK(operands[1] == (Shape{operands[0].type, {}}),
              "the padding value is {} instead of a scalar of the operand's type",
              operands[1].ToString());
  Shape result = operands[0];
  for (size_t d = 0; d < rank; ++d) {
    INFER_CHECK(pad.interior[d] <= kMaxElements, "interior {} is out of range", pad.interior[d]);
    const __int128 gaps = std::max<int64_t>(operands[0].dims[d] - 1, 0);
    const __int128 size = gaps * pad.interior[d] + operands[0].dims[d] + pad.low[d] + pad.high[d];
    INFER_CHECK(size >= 0 && size <= kMaxElements, "dimension {} of the result is out of range", d);
    result.dims[d] = static_cast<int64_t>(size);
  }
  return Shapes{result};
}

Result<Shapes> InferTranspose(const Op& op, const Shapes& operands) {
  RETURN_IF_ERROR(CheckCount(operands, 1));
  const Dims& permutation = op.As<DimensionsAttributes>().dimensions;
  INFER_CHECK(permutation.size() == operands[0].dims.size(), "{} dimensions listed for rank {}",
              permutation.size(), operands[0].rank());
  RETURN_IF_ERROR(CheckDimensions(permutation, operands[0].rank(), "dims"));
  Shape result{operands[0].type, {}};
  for (const int64_t d : permutation) {
    result.dims.push_back(operands[0].dims[static_cast<size_t>(d)]);
  }
  return Shapes{result};
}

Result<Shapes> InferBitcastConvert(const Shapes& operands, const Shapes& declared) {
  RETURN_IF_ERROR(CheckCount(operands, 1));
  INFER_CHECK(!declared.empty(), "the result shape is missing");
  const Shape& from = operands[0];
  const Shape& to = declared[0];
  const int from_bits = BitWidth(from.type);
  const int to_bits = BitWidth(to.type);
  Dims expected = from.dims;
  if (from_bits > to_bits) expected.push_back(from_bits / to_bits);
  if (from_bits < to_bits) {
    INFER_CHECK(!expected.empty() && expected.back() == to_bits / from_bits,
                "the last dimension of {} does not hold one {}", from.ToString(),
                ElementTypeName(to.type));
    expected.pop_back();
  }
  INFER_CHECK((from.type == ElementType::kI1) == (to.type == ElementType::kI1),
              "i1 has no defined bits");
  return Shapes{Shape{to.type, expected}};
}

Result<Shapes> InferDynamicSlice(const Op& op, const Shapes& operands) {
  INFER_CHECK(!operands.empty(), "it needs an operand");
  const Shape& operand = operands[0];
  RETURN_IF_ERROR(CheckCount(operands, operand.dims.size() + 1));
  const Dims& sizes = op.As<DynamicSliceAttributes>().sizes;
  RETURN_IF_ERROR(CheckList(sizes, operand.dims.size(), 0, "sizes"));
  for (size_t d = 0; d < sizes.size(); ++d) {
    INFER_CHECK(sizes[d] <= operand.dims[d], "size {} of dimension {} exceeds {}", sizes[d], d,
                operand.dims[d]);
    INFER_CHECK(operands[d + 1].IsScalar() && IsInteger(operands[d + 1].type),
                "start index {} is {}", d, operands[d + 1].ToString());
  }
  return Shapes{Shape{operand.type, sizes}};
}

Result<Shapes> InferDynamicUpdateSlice(const Shapes& operands) {
  INFER_CHECK(operands.size() >= 2, "it needs an operand and an update");
  const Shape& operand = operands[0];
  RETURN_IF_ERROR(CheckCount(operands, operand.dims.size() + 2));
  INFER_CHECK(operands[1].type == operand.type && operands[1].rank() == operand.rank(),
              "the update {} does not fit {}", operands[1].ToString(), operand.ToString());
  for (size_t d = 0; d < operand.dims.size(); ++d) {
    INFER_CHECK(operands[1].dims[d] <= operand.dims[d], "the update {} is larger than {}",
                operands[1].ToString(), operand.ToString());
    INFER_CHECK(operands[d + 2].IsScalar() && IsInteger(operands[d + 2].type),
                "start index {} is {}", d, operands[d + 2].ToString());
  }
  return Shapes{operand};
}

Result<Shapes> InferReduce(const Op& op, const Shapes& operands) {
  const size_t inputs = operands.size() / 2;
  INFER_CHECK(inputs >= 1 && operands.size() == 2 * inputs,
              "it needs as many initial values as inputs");
  const Dims& reduced = op.As<ReduceAttributes>().dimensions;
  RETURN_IF_ERROR(CheckDimensions(reduced, operands[0].rank(), "dimensions"));
  Dims dims;
  for (int64_t d = 0; d < operands[0].rank(); ++d) {
    if (std::find(reduced.begin(), reduced.end(), d) == reduced.end()) {
      dims.push_back(operands[0].dims[static_cast<size_t>(d)]);
    }
  }
  return ReductionResults(operands, dims);
}

Result<Shapes> InferMap(const Op& op, const Shapes& operands, const Shapes& declared) {
  INFER_CHECK(!operands.empty() && !declared.empty(), "it needs an operand and a result type");
  for (const Shape& operand : operands) {
    INFER_CHECK(operand.dims == operands[0].dims, "operands differ in shape");
  }
  INFER_CHECK(op.As<DimensionsAttributes>().dimensions.size() == operands[0].dims.size(),
              "it must map over all dimensions");
  return Shapes{Shape{declared[0].type, operands[0].dims}};
}

Result<Shapes> InferSort(const Op& op, const Shapes& operands) {
  INFER_CHECK(!operands.empty(), "it needs an operand");
  RETURN_IF_ERROR(
      CheckDimensions({op.As<SortAttributes>().dimension}, operands[0].rank(), "dimension"));
  for (const Shape& operand : operands) {
    INFER_CHECK(operand.dims == operands[0].dims, "operands differ in shape");
  }
  return operands;
}

Result<Shapes> InferByOpcode(const Op& op, const Shapes& operands, const Shapes& declared) {
  if (IsElementwiseUnary(op.opcode)) return InferUnary(op, operands, declared);
  if (IsElementwiseBinary(op.opcode) || op.opcode == Opcode::kCompare) {
    RETURN_IF_ERROR(CheckCount(operands, 2));
    RETURN_IF_ERROR(CheckEqual(operands[0], operands[1]));
    if (op.opcode == Opcode::kCompare) return Shapes{Shape{ElementType::kI1, operands[0].dims}};
    INFER_CHECK(BinaryAccepts(op.opcode, operands[0].type), "it does not take {}",
                ElementTypeName(operands[0].type));
    return Shapes{operands[0]};
  }
  switch (op.opcode) {
    case Opcode::kClamp: return InferClamp(operands);
    case Opcode::kSelect: return InferSelect(operands);
    case Opcode::kBitcastConvert: return InferBitcastConvert(operands, declared);
    case Opcode::kBroadcastInDim: return InferBroadcastInDim(op, operands, declared);
    case Opcode::kConcatenate: return InferConcatenate(op, operands);
    case Opcode::kConstant:
      RETURN_IF_ERROR(CheckCount(operands, 0));
      return Shapes{op.As<ConstantAttributes>().value->shape()};
    case Opcode::kDynamicSlice: return InferDynamicSlice(op, operands);
    case Opcode::kDynamicUpdateSlice: return InferDynamicUpdateSlice(operands);
    case Opcode::kGather: return InferGather(op, operands);
    case Opcode::kIota:
      RETURN_IF_ERROR(CheckCount(operands, 0));
      INFER_CHECK(!declared.empty(), "the result shape is missing");
      RETURN_IF_ERROR(
          CheckDimensions({op.As<DimensionAttributes>().dimension}, declared[0].rank(), "dim"));
      INFER_CHECK(declared[0].type != ElementType::kI1, "it does not give i1");
      return Shapes{declared[0]};
    case Opcode::kPad: return InferPad(op, operands);
    case Opcode::kReshape:
      RETURN_IF_ERROR(CheckCount(operands, 1));
      INFER_CHECK(!declared.empty(), "the result shape is missing");
      INFER_CHECK(operands[0].ElementCount() == declared[0].ElementCount(),
                  "{} and {} differ in the number of elements", operands[0].ToString(),
                  declared[0].ToString());
      return Shapes{Shape{operands[0].type, declared[0].dims}};
    case Opcode::kReverse:
      RETURN_IF_ERROR(CheckCount(operands, 1));
      RETURN_IF_ERROR(CheckDimensions(op.As<DimensionsAttributes>().dimensions, operands[0].rank(),
                                      "dims"));
      return operands;
    case Opcode::kSlice: return InferSlice(op, operands);
    case Opcode::kTranspose: return InferTranspose(op, operands);
    case Opcode::kConvolution:
    case Opcode::kDotGeneral:
      RETURN_IF_ERROR(CheckCount(operands, 2));
      INFER_CHECK(IsIntegral(operands[0].type) == IsIntegral(operands[1].type),
                  "{} and {} can't be multiplied", ElementTypeName(operands[0].type),
                  ElementTypeName(operands[1].type));
      return op.opcode == Opcode::kDotGeneral ? InferDotGeneral(op, operands, declared)
                                              : InferConvolution(op, operands, declared);
    case Opcode::kMap: return InferMap(op, operands, declared);
    case Opcode::kReduce: return InferReduce(op, operands);
    case Opcode::kReduceWindow: return InferReduceWindow(op, operands);
    case Opcode::kScatter: return InferScatter(op, operands);
    case Opcode::kSelectAndScatter: return InferSelectAndScatter(op, operands);
    case Opcode::kSort: return InferSort(op, operands);
    case Opcode::kWhile:
    case Opcode::kOptimizationBarrier: return operands;
    case Opcode::kIf:
      RETURN_IF_ERROR(CheckCount(operands, 1));
      INFER_CHECK(operands[0] == (Shape{ElementType::kI1, {}}), "the predicate is {}",
                  operands[0].ToString());
      return declared;
    case Opcode::kCase:
      RETURN_IF_ERROR(CheckCount(operands, 1));
      INFER_CHECK(operands[0] == (Shape{ElementType::kS32, {}}), "the index is {}",
                  operands[0].ToString());
      return declared;
    case Opcode::kBatchNormGrad:
    case Opcode::kBatchNormInference:
    case Opcode::kBatchNormTraining: return InferBatchNorm(op, operands);
    case Opcode::kCholesky: return InferCholesky(operands);
    case Opcode::kRngBitGenerator: return InferRngBitGenerator(op, operands, declared);
    case Opcode::kTriangularSolve: return InferTriangularSolve(op, operands);
    case Opcode::kReturn: return Shapes{};
    default: return declared;  // call, composite and custom_call
  }
}

}  // namespace

Result<std::vector<Shape>> InferShapes(const Op& op, const std::vector<Shape>& operands,
                                       const std::vector<Shape>& declared) {
  ASSIGN_OR_RETURN(Shapes results, InferByOpcode(op, operands, declared));
  for (const Shape& shape : results) {
    int64_t elements = 1;
    for (const int64_t dim : shape.dims) {
      INFER_CHECK(elements <= kMaxElements / std::max<int64_t>(dim, 1),
                  "the result {} is too large", shape.ToString());
      elements *= std::max<int64_t>(dim, 1);
    }
  }
  return results;
}

}  // namespace systolith::graph
