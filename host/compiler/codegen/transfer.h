#ifndef SYSTOLITH_HOST_COMPILER_CODEGEN_TRANSFER_H_
#define SYSTOLITH_HOST_COMPILER_CODEGEN_TRANSFER_H_

#include <cstdint>
#include <optional>
#include <vector>

#include "host/compiler/codegen/emitter.h"

namespace systolith::compiler {

// One dimension of a box that moves between HBM and the unified buffer.
struct TransferDimension {
  int64_t size = 1;
  int64_t hbm_stride = 0;     // bytes
  int64_t buffer_stride = 0;  // bytes
};

// Loads: one more dimension whose steps in HBM come from s32 numbers in the buffer.
struct TransferGather {
  int64_t indices = 0;        // byte address of the numbers, a multiple of 4
  int64_t count = 1;
  int64_t limit = 1;          // they are in [0, limit)
  int64_t hbm_stride = 0;     // bytes per unit of a number
  int64_t buffer_stride = 0;  // bytes
};

// A box of elements between a segment and the buffer. Dimensions may stand in any order; a stride
// of 0 on the HBM side of a load repeats.
struct Transfer {
  uint32_t segment = 0;
  int64_t offset = 0;  // bytes in the segment
  uint32_t shift = 0;  // scalar register that is added to the low 32 bits of the offset; 0: none
  int64_t buffer = 0;  // byte address
  int64_t element_bytes = 1;
  std::vector<TransferDimension> dimensions;
  std::optional<TransferGather> gather;
  // Loads: a run along the dimension that is dense on both sides is filled with `fill` up to a
  // multiple of so many bytes; 1: no fill. Without such a dimension every element is a run, and
  // what lies behind the elements keeps its contents.
  int64_t pad_bytes = 1;
  uint32_t fill = 0;
};

// Whether a load of this box leaves nothing behind its runs unwritten.
bool FillsPadding(const Transfer& transfer);

// Emits the fewest instructions that move the box: dimensions that continue each other are joined,
// the dense ones become the run, and what six loops can't hold becomes several instructions.
void EmitLoad(Emitter& emitter, const Transfer& transfer, const Touches& touches);
void EmitStore(Emitter& emitter, const Transfer& transfer, const Touches& touches);

}  // namespace systolith::compiler

#endif  // SYSTOLITH_HOST_COMPILER_CODEGEN_TRANSFER_H_
