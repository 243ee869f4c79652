#ifndef SYSTOLITH_HOST_COMPILER_KERNEL_H_
#define SYSTOLITH_HOST_COMPILER_KERNEL_H_

#include <array>
#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "host/arch/isa.h"
#include "host/compiler/view.h"
#include "host/graph/graph.h"

// What one piece of chip code computes: operands from HBM, result to HBM, and in between what was
// fused into one pass through the vector unit.
namespace systolith::compiler {

// Streams beside what the body gives.
inline constexpr size_t kMaxStreams = arch::kInputStreams - 1;

// Operand of a step of the vector unit. kLane is what the body gives; kStep the result of an
// earlier step.
struct StepOperand {
  enum class Kind : uint8_t { kNone, kLane, kStep, kImmediate, kStream };
  Kind kind = Kind::kNone;
  uint32_t bits = 0;  // kImmediate: the lane's value. kStep, kStream: number of the step, stream

  auto operator<=>(const StepOperand&) const = default;
};

// One operation, or one call of a function of the kernel library, on every lane. The result of the
// last step is what the kernel stores.
struct VectorStep {
  arch::AluOp op = arch::AluOp::kCopy;
  std::array<StepOperand, 3> operands{StepOperand{StepOperand::Kind::kLane, 0}};  // x, y, z
  std::string_view function = {};  // instead of `op`, unless empty; text that lives for ever

  auto operator<=>(const VectorStep&) const = default;
};

// Steps by which a tensor is walked along one canonical dimension of a contraction.
struct OuterLoop {
  int64_t count = 1;
  int64_t lhs = 0, rhs = 0, out = 0;  // elements per step
  std::array<int64_t, kMaxStreams> streams{};
};

// out[n, oy, ox, o] = sum over kh, kw, c of lhs[n, y, x, c] * rhs[kh, kw, c, o], where
// y = oy * stride_y + kh * window_dilation_y - pad_y in the lhs dilated by base_dilation; in this
// order of terms. A matrix product is the case kh = kw = 1, one image of `oy` rows of one pixel.
struct Contraction {
  View lhs, rhs;  // base, type and offset; dimensions are those below
  Axis n, h, w, c;                       // of lhs
  Axis kh, kw, rhs_c, o;                 // of rhs
  Axis out_n, out_y, out_x, out_o;       // of the result
  std::array<std::array<int64_t, 4>, kMaxStreams> stream_strides{};  // per stream: n, oy, ox, o
  int64_t stride_y = 1, stride_x = 1, pad_y = 0, pad_x = 0;
  int64_t base_dilation_y = 1, base_dilation_x = 1;
  int64_t window_dilation_y = 1, window_dilation_x = 1;
  std::vector<OuterLoop> outer;  // batch dimensions, feature groups

  arch::OperandType lhs_type = arch::OperandType::kBf16;
  arch::OperandType rhs_type = arch::OperandType::kBf16;
  std::vector<std::pair<uint32_t, uint32_t>> passes;  // slices of lhs and rhs, smallest first

  // Which dimensions of the result each canonical dimension is made of; used to view streams.
  std::vector<graph::Dims> outer_result_dims;
  std::array<graph::Dims, 4> result_dims;  // n, oy, ox, o
  int64_t fold = 1;  // results along x in a row's columns (codegen/column_folding.h)
  int64_t feature_groups = 1;              // the last outer loop splits o's dimension
  bool on_vector_unit = false;             // depthwise: one feature per group
};

struct Elementwise {
  View x;
};

// A copy: the view becomes dense.
struct Copy {
  View x;
};

// x[r, s] folded over r: element i joins partial i mod 128 in rising i, then a tree over the
// partials, then `init`.
struct Reduction {
  View x;  // base, type and offset
  Axis reduced, kept;
  arch::AluOp combine = arch::AluOp::kAddF32;
  StepOperand init;  // kStream: streams[0]
};

// The windows of the operand that begin at indices[i] * unit.
struct Gather {
  View x;        // the window at index 0
  View indices;  // dense, s32
  int64_t unit = 1;   // elements
  int64_t limit = 1;  // the indices are in [0, limit)
};

// The operand with updates, one after another: update u joins the window at offsets[u].
struct Scatter {
  View operand;
  View updates;  // [u, dimensions of the window]
  View offsets;  // [u], s32: bytes in a tile of the operand; negative: skipped
  graph::Dims window;        // the operand's dimensions along which the window extends, from 0 on
  graph::Dims box, strides;  // tile, per dimension of the operand: elements
  std::vector<VectorStep> combine;  // the lane is the operand's element, stream 0 the update's
  std::optional<uint32_t> fill;     // all of the operand, as the lane's bits
};

struct Kernel {
  std::variant<Contraction, Elementwise, Copy, Reduction, Gather, Scatter> body;
  std::vector<VectorStep> steps;  // on every element of the body's result
  std::vector<View> streams;      // with the result's dimensions
  // Where the result goes: the stored tensor `out.base`, or a part of it. Kernels that write parts
  // of one tensor do so in the order of their positions.
  View out;
  graph::Location location;
  std::string operation;  // name for listings: of the operation that leads it
  double predicted_cycles = 0.0;  // by the cost model; 0: not yet
  int64_t position = 0;   // kernels run in rising order

  // What the kernel computes, whatever `out` is a part of.
  graph::Shape shape() const { return out.shape(); }
  // Where the kernel reads; views of no value stand for constant lanes.
  std::vector<const View*> Reads() const;
  // Every value that the kernel reads.
  std::vector<graph::Value> Operands() const;
  // Reads another value instead, of the same shape.
  void ReplaceOperand(graph::Value from, graph::Value to);
};

std::string ToString(const Kernel& kernel);

}  // namespace systolith::compiler

#endif  // SYSTOLITH_HOST_COMPILER_KERNEL_H_
