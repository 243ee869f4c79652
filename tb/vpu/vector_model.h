#ifndef SYSTOLITH_TB_VPU_VECTOR_MODEL_H_
#define SYSTOLITH_TB_VPU_VECTOR_MODEL_H_

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "host/arch/isa.h"

// What the vector unit must do at its pins, written from rtl/arch/README.md: the instruction
// executed in program order, every read, write and signal in the order in which it may appear.
namespace systolith::tb {

struct VectorSizes {
  int lanes = 0;
  int cols = 0;
  int mxus = 0;
  int accumulator_rows = 0;  // of both halves
  uint32_t buffer_bytes = 0;
};

// A flag must have reached a value (16-bit serial comparison).
struct FlagNeed {
  uint32_t flag = 0;
  uint16_t target = 0;
};

// A row read from the buffer, or accumulator row `row` of unit `unit`.
struct RowRead {
  uint32_t address = 0;
  uint32_t bytes = 0;
  uint32_t unit = 0;
  uint32_t row = 0;
  std::vector<FlagNeed> needs;  // of the iteration that reads
  size_t writes_before = 0;     // writes that must be visible: those of earlier instructions
};

struct RowWrite {
  uint32_t address = 0;
  std::vector<uint8_t> bytes;  // empty: an iteration without elements
};

struct Signal {
  std::array<std::optional<uint32_t>, 2> flags;  // raised in one cycle
  size_t writes_before = 0;                      // that must be visible
};

struct VectorFault {
  arch::Fault cause = arch::Fault::kNone;
  uint64_t address = 0;
};

class VectorModel {
 public:
  explicit VectorModel(const VectorSizes& sizes);

  // Executes one instruction, or its iterations up to the first fault, which is returned.
  std::optional<VectorFault> Run(const arch::Vector& instruction);

  // The state before and after: what the test bench starts its own memory from.
  std::vector<uint8_t> memory;
  std::vector<std::vector<std::vector<uint32_t>>> accumulators;  // [unit][row][column]

  // What must be seen at the pins, over all instructions.
  std::array<std::vector<RowRead>, 3> windows;  // x, y, z
  std::vector<RowRead> drains;
  std::vector<RowWrite> writes;
  std::vector<Signal> signals;

 private:
  std::optional<VectorFault> Iterate(const arch::Vector& v, const std::array<uint32_t, 6>& index,
                                     const std::vector<FlagNeed>& needs, size_t writes_before);
  std::optional<VectorFault> CheckRow(uint32_t address, arch::LaneType type, int64_t count) const;

  VectorSizes sizes_;
};

}  // namespace systolith::tb

#endif  // SYSTOLITH_TB_VPU_VECTOR_MODEL_H_
