#ifndef SYSTOLITH_HOST_KERNEL_IR_H_
#define SYSTOLITH_HOST_KERNEL_IR_H_

#include <array>
#include <bit>
#include <cstdint>
#include <string>
#include <vector>

#include "host/arch/isa.h"
#include "host/kernel/kernel.h"

namespace systolith::kernel {

// What an operation reads or writes: a variable, a register, a stream at a step, a number. Small,
// copied freely.
struct Value {
  enum class Kind : uint8_t {
    kNone,
    kVariable,  // index: variable
    kShared,    // index: w register
    kInput,     // index: stream, step
    kOutput,    // index: stream 0 or 1, step; destination only
    kScalar,    // index: s0..s15
    kConstant,  // index: the 32 bits
    kTable,     // index: table; operand y of lookup only
  };
  Kind kind = Kind::kNone;
  uint32_t index = 0;
  uint32_t step = 0;

  static Value Input(int stream, int step = 0) {
    return {Kind::kInput, static_cast<uint32_t>(stream), static_cast<uint32_t>(step)};
  }
  static Value Output(int stream, int step = 0) {
    return {Kind::kOutput, static_cast<uint32_t>(stream), static_cast<uint32_t>(step)};
  }
  static Value Scalar(int word) { return {Kind::kScalar, static_cast<uint32_t>(word), 0}; }
  static Value Bits(uint32_t bits) { return {Kind::kConstant, bits, 0}; }
  static Value S32(int32_t number) { return Bits(static_cast<uint32_t>(number)); }
  static Value F32(float number) { return Bits(std::bit_cast<uint32_t>(number)); }

  bool is_stream() const { return kind == Kind::kInput || kind == Kind::kOutput; }
  bool operator==(const Value&) const = default;
};

// One operation of a region.
struct Instruction {
  bool is_lane = false;
  uint32_t code = 0;  // arch::AluOp or arch::LaneOp
  Value target;
  std::array<Value, 3> operands;  // x, y, z; a lane operation's amount is z
  Location location;

  const arch::OperationInfo& info() const;
  bool operator==(const Instruction&) const = default;
};

// The prologue or the body: operations in program order, and loops over parts of them. There are
// no branches and loops run at least once, so program order is also the order of execution.
struct Region {
  struct Loop {
    uint32_t number;   // hardware loop
    size_t begin, end; // instructions [begin, end)
  };
  std::vector<Instruction> instructions;
  std::vector<Loop> loops;  // in the order of their begins; outer before inner

  bool operator==(const Region&) const = default;
};

inline bool operator==(const Region::Loop& a, const Region::Loop& b) {
  return a.number == b.number && a.begin == b.begin && a.end == b.end;
}

// Names and tables that a region's values point into.
struct Symbols {
  std::vector<std::string> variables;              // name or ""
  std::vector<std::string> shared;                 // name or ""
  std::vector<std::vector<uint32_t>> tables;

  uint32_t AddVariable(std::string name = "") {
    variables.push_back(std::move(name));
    return static_cast<uint32_t>(variables.size() - 1);
  }
};

// Where basic blocks begin and end, rising; the first is 0, the last the number of instructions.
std::vector<size_t> BlockBoundaries(const Region& region);

// The block of every instruction.
std::vector<size_t> BlockOfInstructions(const Region& region);

// "FILE:12:3" or "kernel NAME" for messages.
std::string Where(const std::string& kernel, const Location& location);

}  // namespace systolith::kernel

#endif  // SYSTOLITH_HOST_KERNEL_IR_H_
