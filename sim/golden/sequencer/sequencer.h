#ifndef SYSTOLITH_SIM_GOLDEN_SEQUENCER_SEQUENCER_H_
#define SYSTOLITH_SIM_GOLDEN_SEQUENCER_SEQUENCER_H_

#include <array>
#include <cstdint>
#include <memory>
#include <vector>

#include "sim/golden/prim/engine.h"

namespace systolith::golden {

// Fetches the program, executes the sequencer's own instructions and issues all others to the
// engines' queues.
class Sequencer {
 public:
  enum class Outcome {
    kWorking,  // executed or issued one instruction
    kBlocked,  // waits for a flag, for space in a queue, or (halt) for the engines
    kHalted,   // the program has ended and all engines are idle
    kFault,
  };

  // `engines` are indexed by number; those that the chip lacks (and number 0) are null.
  Sequencer(ChipState& state, const std::vector<std::unique_ptr<Engine>>& engines);

  void Start(uint64_t program_base, uint32_t program_bytes);
  Outcome Step(uint32_t queue_depth);

  uint32_t pc() const { return pc_; }
  // The flag that an `await` waits for, or kNoFlag.
  uint32_t blocked_flag() const { return blocked_flag_; }
  const FaultRecord& fault() const { return fault_; }

 private:
  Outcome Fail(arch::Fault cause, uint64_t address, uint32_t engine = 0);
  // Whether the words lie in the program; reads them if so.
  bool Fetch(uint32_t offset, std::span<uint32_t> words);
  bool LegalHeader(const arch::Header& header, const arch::InstructionInfo* info) const;

  Outcome ExecuteScalar(const arch::Scalar& scalar);
  Outcome ExecuteBranch(const arch::Scalar& scalar);
  Outcome ExecuteLoadScalar(const arch::Scalar& scalar);
  Outcome ExecuteAwait(const arch::Scalar& scalar);
  bool AllIdle() const;

  Outcome Issue(Instruction& instruction, Engine& engine);
  void AddRegisters(Instruction& instruction, const arch::Prefix& prefix) const;
  // Decodes waits and signals; false if a field of them is illegal.
  bool DecodeSync(Instruction& instruction, const arch::Prefix& prefix) const;
  // Counts what the instruction will raise, for the rules of flags.
  void AccountSignals(const Instruction& instruction);

  void SetScalar(uint32_t number, uint32_t value) {
    if (number != 0) scalars_[number] = value;
  }
  Access OwnAccess(arch::Opcode opcode) const;
  Outcome Advance() {
    pc_ += 16;
    return Outcome::kWorking;
  }

  ChipState& state_;
  const std::vector<std::unique_ptr<Engine>>& engines_;
  uint64_t program_base_ = 0;
  uint32_t program_bytes_ = 0;
  uint32_t pc_ = 0;
  uint32_t serial_ = 0;
  std::array<uint32_t, arch::kScalars> scalars_{};
  std::array<uint64_t, arch::kFlags> issued_raises_{};
  std::array<int, arch::kFlags> producers_{};  // engine that raises a flag; -1: none yet
  uint32_t blocked_flag_ = kNoFlag;
  FaultRecord fault_;
};

}  // namespace systolith::golden

#endif  // SYSTOLITH_SIM_GOLDEN_SEQUENCER_SEQUENCER_H_
