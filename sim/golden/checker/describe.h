#ifndef SYSTOLITH_SIM_GOLDEN_CHECKER_DESCRIBE_H_
#define SYSTOLITH_SIM_GOLDEN_CHECKER_DESCRIBE_H_

#include <fmt/format.h>

#include <string>
#include <string_view>

#include "host/arch/isa.h"
#include "sim/golden/checker/access_history.h"

namespace systolith::golden {

inline std::string_view EngineName(Agent agent) {
  const int engine =
      agent >= kFirstWeightsAgent ? agent - kFirstWeightsAgent + kFirstMxuAgent : agent;
  return arch::Name(static_cast<arch::Engine>(engine));
}

// "store at pc 0x140 (dma_store)".
inline std::string Describe(const Access& access) {
  const arch::InstructionInfo* info = arch::FindInstruction(access.opcode);
  return fmt::format("{} at pc {:#x} ({}{})", info == nullptr ? "?" : info->name, access.pc,
                     EngineName(access.agent),
                     access.agent >= kFirstWeightsAgent ? ", weight stream" : "");
}

}  // namespace systolith::golden

#endif  // SYSTOLITH_SIM_GOLDEN_CHECKER_DESCRIBE_H_
