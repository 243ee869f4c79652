#ifndef SYSTOLITH_TB_XLU_TRANSPOSE_MODEL_H_
#define SYSTOLITH_TB_XLU_TRANSPOSE_MODEL_H_

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "host/arch/isa.h"

// What the cross-lane unit must do at its pins, written from rtl/arch/README.md: the instruction
// executed in program order, every read, write and signal in the order in which it may appear.
namespace systolith::tb {

// A flag must have reached a value (16-bit serial comparison).
struct FlagNeed {
  uint32_t flag = 0;
  uint16_t target = 0;
};

struct RowRead {
  uint32_t address = 0;
  uint32_t bytes = 0;
  std::vector<FlagNeed> needs;  // of the iteration that reads
  size_t writes_before = 0;     // writes that must be visible: those of earlier instructions
};

struct RowWrite {
  uint32_t address = 0;
  std::vector<uint8_t> bytes;
};

struct Signal {
  std::array<std::optional<uint32_t>, 2> flags;  // raised in one cycle
  std::vector<FlagNeed> needs;                   // of the iteration that ends
  size_t writes_before = 0;                      // that must be visible
};

struct TransposeFault {
  arch::Fault cause = arch::Fault::kNone;
  uint64_t address = 0;
};

class TransposeModel {
 public:
  TransposeModel(uint32_t lanes, uint32_t buffer_bytes) : memory(buffer_bytes), lanes_(lanes) {}

  // Executes one instruction, or its iterations up to the first fault, which is returned.
  std::optional<TransposeFault> Run(const arch::Transpose& instruction);

  // The state before and after: what the test bench starts its own memory from.
  std::vector<uint8_t> memory;

  // What must be seen at the pins, over all instructions.
  std::vector<RowRead> reads;
  std::vector<RowWrite> writes;
  std::vector<Signal> signals;

 private:
  std::optional<TransposeFault> Tile(const arch::Transpose& t, const std::array<uint32_t, 6>& index,
                                     const std::vector<FlagNeed>& needs, size_t writes_before);
  std::optional<TransposeFault> CheckRow(uint32_t address, uint32_t size, uint32_t bytes) const;

  uint32_t lanes_;
};

}  // namespace systolith::tb

#endif  // SYSTOLITH_TB_XLU_TRANSPOSE_MODEL_H_
