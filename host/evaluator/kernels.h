#ifndef SYSTOLITH_HOST_EVALUATOR_KERNELS_H_
#define SYSTOLITH_HOST_EVALUATOR_KERNELS_H_

#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "host/base/status.h"
#include "host/evaluator/evaluator.h"
#include "host/graph/graph.h"

// The operations on whole tensors, one file per family. Operands have passed the verifier;
// `shape` is the result's.
namespace systolith::evaluator {

using graph::Dims;
using graph::Literal;
using graph::Op;
using graph::Shape;
using Operands = std::span<const Literal* const>;

// Runs a region on scalars: what a reduction, a sort or a scatter does per element.
using ScalarBody = std::function<Result<std::vector<Literal>>(std::span<const Literal> arguments)>;

// The opcode if the region's only operation joins its two scalar arguments in order, or in any
// order where that makes no difference; nullopt otherwise.
std::optional<graph::Opcode> SingleBinary(const graph::Region& region);

// Whether the operation with `init` first gives its other operand, whatever that is.
bool IsIdentity(graph::Opcode opcode, const Literal& init);

// elementwise.cc
Literal EvalUnary(const Op& op, const Literal& a, const Shape& shape);
Literal EvalBinary(graph::Opcode opcode, const Literal& a, const Literal& b);
Literal EvalCompare(const Op& op, const Literal& a, const Literal& b);
Literal EvalSelect(const Literal& predicate, const Literal& a, const Literal& b);
Literal EvalClamp(const Literal& low, const Literal& a, const Literal& high);

// movement.cc
Literal EvalMovement(const Op& op, Operands operands, const Shape& shape);

// contraction.cc; `magnitudes` may be null.
Literal EvalDotGeneral(const Op& op, Operands operands, const Shape& shape,
                       const EvalOptions& options, std::vector<double>* magnitudes);
// convolution.cc
Literal EvalConvolution(const Op& op, Operands operands, const Shape& shape,
                        const EvalOptions& options, std::vector<double>* magnitudes);

// reduce.cc
Result<std::vector<Literal>> EvalReduce(const Op& op, Operands operands,
                                        const std::vector<Shape>& shapes, const ScalarBody& body);
// window.cc
Result<std::vector<Literal>> EvalReduceWindow(const Op& op, Operands operands,
                                              const std::vector<Shape>& shapes,
                                              const ScalarBody& body);
Result<std::vector<Literal>> EvalSelectAndScatter(Operands operands, const Op& op,
                                                  const ScalarBody& select,
                                                  const ScalarBody& scatter);

// gather.cc
Literal EvalGather(const Op& op, Operands operands, const Shape& shape);
Result<std::vector<Literal>> EvalScatter(const Op& op, Operands operands, const ScalarBody& body);
Literal EvalDynamicSlice(const Op& op, Operands operands, const Shape& shape);
Literal EvalDynamicUpdateSlice(Operands operands);

// sort.cc
Result<std::vector<Literal>> EvalMap(Operands operands, const Shape& shape, const ScalarBody& body);
Result<std::vector<Literal>> EvalSort(const Op& op, Operands operands, const ScalarBody& body);

// batch_norm.cc
std::vector<Literal> EvalBatchNorm(const Op& op, Operands operands);
// random_bits.cc: the new state and the bits, of `shape`.
std::vector<Literal> EvalRngBitGenerator(const Op& op, const Literal& state, const Shape& shape);
// linear_algebra.cc
Literal EvalTriangularSolve(const Op& op, const Literal& a, const Literal& b);
Literal EvalCholesky(const Op& op, const Literal& a);

// check.cc
CheckResult EvalCheck(const Op& op, const Literal& actual, const Literal& expected);

// Steps `index` through `dims` in row-major order; false after the last. All dims are positive.
bool NextIndex(Dims& index, const Dims& dims);

// Copies element `from` of `source` to element `to` of `target`; both have one element type.
void CopyElement(const Literal& source, int64_t from, Literal& target, int64_t to);

// The element as a rank-0 tensor.
Literal ScalarAt(const Literal& source, int64_t i);

}  // namespace systolith::evaluator

#endif  // SYSTOLITH_HOST_EVALUATOR_KERNELS_H_
