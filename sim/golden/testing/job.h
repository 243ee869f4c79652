#ifndef SYSTOLITH_SIM_GOLDEN_TESTING_JOB_H_
#define SYSTOLITH_SIM_GOLDEN_TESTING_JOB_H_

#include <cstddef>
#include <cstdint>
#include <ostream>
#include <span>
#include <vector>

#include "host/arch/isa.h"
#include "host/hal/transport.h"

namespace systolith::golden {

// Encodes a program as it is told, with faults if so told: nothing is checked.
class ProgramWriter {
 public:
  template <typename T>
  void Append(arch::Opcode opcode, T instruction) {
    const arch::InstructionInfo* info = arch::FindInstruction(static_cast<uint32_t>(opcode));
    instruction.opcode = static_cast<uint32_t>(opcode);
    instruction.quads = info->words / 4;
    const size_t at = words_.size();
    words_.resize(at + info->words);
    arch::Encode(instruction, std::span(words_).subspan(at));
  }
  void Halt() { Append(arch::Opcode::kHalt, arch::Scalar{}); }

  uint32_t pc() const { return static_cast<uint32_t>(words_.size() * 4); }
  std::vector<uint32_t>& words() { return words_; }
  const std::vector<uint32_t>& words() const { return words_; }

 private:
  std::vector<uint32_t> words_;
};

struct JobSegment {
  uint64_t base = 0, bytes = 0;
  bool readable = true, writable = true;
  uint32_t owner = 0, chip = 0;
};

// Where RunJob puts what; tests keep their data above kDataAddress.
inline constexpr uint64_t kDescriptorAddress = 0x1000;
inline constexpr uint64_t kProgramAddress = 0x10000;
inline constexpr uint64_t kDataAddress = 0x200000;

struct JobOptions {
  std::vector<JobSegment> segments = {{kDataAddress, 1 << 20}};
  uint32_t owner = 0;
  uint64_t max_cycles = 50'000'000;
  uint32_t wrong_hash = 0;  // added to the hash
};

// How a job ended, from the registers.
struct JobResult {
  Status status;  // of the calls; a job that stopped at a fault is Ok
  arch::Fault fault = arch::Fault::kNone;
  uint32_t engine = 0, pc = 0, flag = 0;
  uint64_t address = 0;
  bool completed = false;
};
std::ostream& operator<<(std::ostream& out, const JobResult& result);

// Writes descriptor and program, rings the doorbell with interrupts enabled. Does not wait.
Status StartJob(hal::Transport& chip, const arch::ChipConfig& config,
                std::span<const uint32_t> program, const JobOptions& options = {});
// Waits, reads the registers, acknowledges the interrupt and, after a fault, resets the chip.
JobResult FinishJob(hal::Transport& chip, const JobOptions& options = {});
JobResult RunJob(hal::Transport& chip, const arch::ChipConfig& config,
                 std::span<const uint32_t> program, const JobOptions& options = {});

}  // namespace systolith::golden

#endif  // SYSTOLITH_SIM_GOLDEN_TESTING_JOB_H_
