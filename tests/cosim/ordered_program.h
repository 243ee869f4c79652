#ifndef SYSTOLITH_TESTS_COSIM_ORDERED_PROGRAM_H_
#define SYSTOLITH_TESTS_COSIM_ORDERED_PROGRAM_H_

#include <array>
#include <cstdint>
#include <vector>

#include "host/arch/isa.h"
#include "sim/golden/testing/job.h"

namespace systolith::cosim {

// Something that an instruction touches: bytes of buffer or HBM, or accumulator rows of a unit.
struct Extent {
  enum class Space : uint8_t { kBuffer, kHbm, kAccumulators };

  Space space = Space::kBuffer;
  uint32_t unit = 0;  // kAccumulators: the MXU
  int64_t begin = 0, end = 0;
  bool write = false;
  bool weights = false;  // read by a weight stream

  bool ConflictsWith(const Extent& other) const {
    return space == other.space && unit == other.unit && begin < other.end && other.begin < end &&
           (write || other.write);
  }
};

// Writes a program whose accesses are ordered by as few waits as the rules allow.
//
// Every instruction signals the flag that has its engine's number, once. A new instruction waits
// for the last instruction of each other engine with which it conflicts, and for nothing else, so
// that engines run side by side wherever they may.
class OrderedProgram {
 public:
  template <typename T>
  void Append(arch::Opcode opcode, T instruction, const std::vector<Extent>& extents) {
    Order(instruction, NeedsOf(instruction.engine, extents, -1), 4);
    AddSignal(instruction);
    writer_.Append(opcode, instruction);
    Record(instruction.engine, extents);
  }

  // Like Append, but not ordered after the last instruction of `producer`, which the caller lets
  // this one chase by a wait of its own in wait3.
  template <typename T>
  void AppendChasing(arch::Opcode opcode, T instruction, const std::vector<Extent>& extents,
                     uint32_t producer) {
    Order(instruction, NeedsOf(instruction.engine, extents, static_cast<int>(producer)), 3);
    AddSignal(instruction);
    writer_.Append(opcode, instruction);
    Record(instruction.engine, extents);
  }

  // For what is written by hand: waits and signals of an instruction that is executed several
  // times are the caller's, Record() says what it touched over all executions.
  // OrderAll() lets the engine wait for all that the extents need, by instructions of its own.
  void OrderAll(uint32_t engine, const std::vector<Extent>& extents);
  template <typename T>
  static void AddSignal(T& instruction) {
    instruction.signal0_valid = 1;
    instruction.signal0_flag = instruction.engine;
    instruction.signal0_level = 0;
  }
  void Record(uint32_t engine, const std::vector<Extent>& extents, uint32_t executions = 1);

  // Instructions that the engine has executed up to here.
  uint32_t Executed(uint32_t engine) const { return executed_[engine]; }

  golden::ProgramWriter& writer() { return writer_; }

 private:
  struct Need {
    uint32_t flag, target;
    bool weights;
  };
  struct Past {
    Extent extent;
    uint32_t executed;  // by the engine when it had ended
  };

  std::vector<Need> NeedsOf(uint32_t engine, const std::vector<Extent>& extents,
                            int chased_engine) const;

  // As many waits as the instruction has room for; syncs take the others.
  template <typename T>
  void Order(T& instruction, std::vector<Need> needs, size_t room) {
    AppendSyncs(instruction.engine, needs, room);
    uint32_t next = 0;
    for (const Need& need : needs) SetWait(instruction, next++, need);
  }
  // Leaves at most `room` needs.
  void AppendSyncs(uint32_t engine, std::vector<Need>& needs, size_t room);

  template <typename T>
  static void SetWait(T& instruction, uint32_t slot, const Need& need) {
    const auto set = [&](uint32_t& valid, uint32_t& flag, uint32_t& target, uint32_t& weights) {
      valid = 1;
      flag = need.flag;
      target = need.target & 0xffff;
      weights = need.weights;
    };
    auto& i = instruction;
    switch (slot) {
      case 0: set(i.wait0_valid, i.wait0_flag, i.wait0_target, i.wait0_weights); break;
      case 1: set(i.wait1_valid, i.wait1_flag, i.wait1_target, i.wait1_weights); break;
      case 2: set(i.wait2_valid, i.wait2_flag, i.wait2_target, i.wait2_weights); break;
      default: set(i.wait3_valid, i.wait3_flag, i.wait3_target, i.wait3_weights); break;
    }
  }

  static constexpr uint32_t kEngines = 13;
  golden::ProgramWriter writer_;
  std::array<uint32_t, kEngines> executed_{};
  std::array<std::vector<Past>, kEngines> past_;
};

}  // namespace systolith::cosim

#endif  // SYSTOLITH_TESTS_COSIM_ORDERED_PROGRAM_H_
