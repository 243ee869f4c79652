#include "host/isa/check.h"

#include <fmt/format.h>

#include <array>
#include <set>
#include <vector>

#include "host/arch/isa.h"
#include "host/isa/instruction.h"
#include "host/isa/vector_memory.h"

namespace systolith::isa {
namespace {

constexpr auto kRemoteFlagBase = static_cast<uint32_t>(arch::kRemoteFlagBase);
constexpr auto kFlags = static_cast<uint32_t>(arch::kFlags);

bool Runs(uint32_t engine, arch::Opcode opcode) {
  switch (opcode) {
    case arch::Opcode::kSync: return engine != 0;
    case arch::Opcode::kLoad: return engine == static_cast<uint32_t>(arch::Engine::kDmaLoad);
    case arch::Opcode::kStore: return engine == static_cast<uint32_t>(arch::Engine::kDmaStore);
    case arch::Opcode::kVector:
    case arch::Opcode::kLoadKernel:
    case arch::Opcode::kStream: return engine == static_cast<uint32_t>(arch::Engine::kVpu);
    case arch::Opcode::kTranspose: return engine == static_cast<uint32_t>(arch::Engine::kXlu);
    case arch::Opcode::kMatmul: return engine >= static_cast<uint32_t>(arch::Engine::kMxu0);
    default: return engine == 0;
  }
}

// Follows the flags through a program in program order.
class WaitRule {
 public:
  explicit WaitRule(bool has_branches) : has_branches_(has_branches) { owner_.fill(-1); }

  Status Visit(const Instruction& instruction) {
    for (const Instruction::Wait& wait : instruction.waits) {
      RETURN_IF_ERROR(CheckWait(instruction, wait));
    }
    for (const Instruction::Signal& signal : instruction.signals) {
      if (signal.flag >= kRemoteFlagBase) {
        return InvalidArgument(fmt::format("pc {:#x}: signal on flag {}, which belongs to the host "
                                           "or another chip", instruction.pc, signal.flag));
      }
      if (owner_[signal.flag] >= 0 &&
          owner_[signal.flag] != static_cast<int>(instruction.engine)) {
        return InvalidArgument(fmt::format("pc {:#x}: flag {} is raised by two engines",
                                           instruction.pc, signal.flag));
      }
      owner_[signal.flag] = static_cast<int>(instruction.engine);
      raised_[signal.flag] += instruction.Iterations(signal.level);
    }
    return OkStatus();
  }

 private:
  Status CheckWait(const Instruction& instruction, const Instruction::Wait& wait) {
    if (wait.flag >= kFlags) {
      return InvalidArgument(fmt::format("pc {:#x}: flag {} does not exist", instruction.pc,
                                         wait.flag));
    }
    if (wait.flag >= kRemoteFlagBase || has_branches_ || wait.reg != 0) return OkStatus();
    // The last of the wait's targets is the hardest one; all of them must lie behind the count.
    const uint64_t iterations = instruction.Iterations(wait.level);
    const auto last =
        static_cast<uint16_t>(wait.target + (iterations - 1) * static_cast<uint64_t>(wait.step));
    const auto raised = static_cast<uint16_t>(raised_[wait.flag]);
    if (static_cast<int16_t>(static_cast<uint16_t>(raised - last)) < 0) {
      return InvalidArgument(
          fmt::format("pc {:#x}: {} on {} waits until flag {} reaches {}, but the instructions "
                      "before it raise it to {} only",
                      instruction.pc, instruction.info->name, EngineName(instruction.engine),
                      wait.flag, last, raised));
    }
    return OkStatus();
  }

  bool has_branches_;
  std::array<int, arch::kFlags> owner_;
  std::array<uint64_t, arch::kFlags> raised_{};
};

Status CheckLevels(const Instruction& instruction) {
  for (const uint32_t count : instruction.counts) {
    if (count == 0) {
      return InvalidArgument(fmt::format("pc {:#x}: a loop count is 0", instruction.pc));
    }
  }
  uint32_t deepest = instruction.counts.empty() ? 0 : arch::kLoops;
  if (instruction.info->opcode == arch::Opcode::kVector) {
    deepest = arch::DecodeVector(instruction.words).kernel_level;
  }
  for (const Instruction::Wait& wait : instruction.waits) {
    if (wait.level > deepest) {
      return InvalidArgument(fmt::format("pc {:#x}: wait of level {}", instruction.pc, wait.level));
    }
  }
  for (const Instruction::Signal& signal : instruction.signals) {
    if (signal.level > deepest) {
      return InvalidArgument(
          fmt::format("pc {:#x}: signal of level {}", instruction.pc, signal.level));
    }
  }
  return OkStatus();
}

// Every `vector` finds its kernel and its streams. Where branches may go back, something that is
// written behind it counts, too.
Status CheckKernels(const std::vector<Instruction>& instructions, bool has_branches) {
  VectorMemory memory;
  if (has_branches) {
    for (const Instruction& instruction : instructions) memory.Apply(instruction);
  }
  for (const Instruction& instruction : instructions) {
    memory.Apply(instruction);
    if (instruction.info->opcode != arch::Opcode::kVector) continue;
    RETURN_IF_ERROR(memory.Check(arch::DecodeVector(instruction.words), instruction.pc));
  }
  return OkStatus();
}

}  // namespace

Status CheckProgram(std::span<const uint32_t> words) {
  std::vector<Instruction> instructions;
  std::set<uint32_t> starts;
  bool has_branches = false;
  for (uint32_t word = 0; word < words.size();) {
    ASSIGN_OR_RETURN(Instruction instruction, Instruction::Decode(words, word * 4));
    if (!Runs(instruction.engine, instruction.info->opcode)) {
      return InvalidArgument(fmt::format("pc {:#x}: engine {} does not execute {}", instruction.pc,
                                         EngineName(instruction.engine), instruction.info->name));
    }
    RETURN_IF_ERROR(CheckLevels(instruction));
    has_branches |= instruction.info->opcode == arch::Opcode::kBranch;
    starts.insert(instruction.pc);
    word += instruction.info->words;
    instructions.push_back(std::move(instruction));
  }
  RETURN_IF_ERROR(CheckKernels(instructions, has_branches));
  WaitRule rule(has_branches);
  std::set<uint32_t> signalled;
  for (const Instruction& instruction : instructions) {
    for (const Instruction::Signal& signal : instruction.signals) signalled.insert(signal.flag);
  }
  for (const Instruction& instruction : instructions) {
    if (instruction.info->opcode == arch::Opcode::kBranch &&
        !starts.contains(arch::DecodeScalar(instruction.words).target)) {
      return InvalidArgument(fmt::format("pc {:#x}: branch into the middle of an instruction",
                                         instruction.pc));
    }
    for (const Instruction::Wait& wait : instruction.waits) {
      if (wait.flag < kRemoteFlagBase && !signalled.contains(wait.flag) && wait.target != 0) {
        return InvalidArgument(fmt::format("pc {:#x}: waits for flag {}, which nothing raises",
                                           instruction.pc, wait.flag));
      }
    }
    RETURN_IF_ERROR(rule.Visit(instruction));
  }
  if (instructions.empty() || instructions.back().info->opcode != arch::Opcode::kHalt) {
    return InvalidArgument("the program does not end with halt");
  }
  return OkStatus();
}

}  // namespace systolith::isa
