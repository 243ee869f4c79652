#include "host/isa/instruction.h"

#include <fmt/format.h>

namespace systolith::isa {

std::string EngineName(uint32_t engine) {
  const std::string_view name = Name(static_cast<arch::Engine>(engine));
  return name == "?" ? fmt::format("engine{}", engine) : std::string(name);
}

uint64_t Instruction::Iterations(uint32_t level) const {
  uint64_t iterations = 1;
  for (uint32_t loop = 0; loop < level && loop < counts.size(); ++loop) iterations *= counts[loop];
  return iterations;
}

Result<Instruction> Instruction::Decode(std::span<const uint32_t> program, uint32_t pc) {
  if (pc % 16 != 0 || pc / 4 >= program.size()) {
    return InvalidArgument(fmt::format("pc {:#x}: outside of the program of {} bytes", pc,
                                       program.size() * 4));
  }
  const std::span<const uint32_t> rest = program.subspan(pc / 4);
  const arch::Header header = arch::DecodeHeader(rest);
  Instruction result;
  result.pc = pc;
  result.engine = header.engine;
  result.info = arch::FindInstruction(header.opcode);
  if (result.info == nullptr) {
    return InvalidArgument(fmt::format("pc {:#x}: unknown opcode {}", pc, header.opcode));
  }
  if (header.quads * 4 != result.info->words) {
    return InvalidArgument(fmt::format("pc {:#x}: {} is {} quads long, not {}", pc,
                                       result.info->name, result.info->words / 4, header.quads));
  }
  if (result.info->words > rest.size()) {
    return InvalidArgument(fmt::format("pc {:#x}: {} reaches beyond the program", pc,
                                       result.info->name));
  }
  result.words = rest.first(result.info->words);
  if (result.info->words < arch::kPrefixWords) return result;

  const arch::Prefix p = arch::DecodePrefix(result.words);
  const auto add_wait = [&](uint32_t valid, const Wait& wait) {
    if (valid != 0) result.waits.push_back(wait);
  };
  add_wait(p.wait0_valid, {p.wait0_flag, p.wait0_level, p.wait0_weights, p.wait0_reg,
                           p.wait0_target, p.wait0_step});
  add_wait(p.wait1_valid, {p.wait1_flag, p.wait1_level, p.wait1_weights, p.wait1_reg,
                           p.wait1_target, p.wait1_step});
  add_wait(p.wait2_valid, {p.wait2_flag, p.wait2_level, p.wait2_weights, p.wait2_reg,
                           p.wait2_target, p.wait2_step});
  add_wait(p.wait3_valid, {p.wait3_flag, p.wait3_level, p.wait3_weights, p.wait3_reg,
                           p.wait3_target, p.wait3_step});
  if (p.signal0_valid != 0) result.signals.push_back({p.signal0_flag, p.signal0_level});
  if (p.signal1_valid != 0) result.signals.push_back({p.signal1_flag, p.signal1_level});
  for (const arch::FieldInfo& field : result.info->fields) {
    if (field.name != "counts") continue;
    for (uint32_t loop = 0; loop < field.count; ++loop) {
      result.counts.push_back(GetField(result.words, field, loop));
    }
  }
  return result;
}

}  // namespace systolith::isa
