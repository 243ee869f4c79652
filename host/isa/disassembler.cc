#include "host/isa/disassembler.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <vector>

#include "host/isa/instruction.h"

namespace systolith::isa {
namespace {

bool InPrefix(std::string_view field) {
  for (const arch::FieldInfo& info : arch::kPrefixFields) {
    if (info.name == field) return true;
  }
  return false;
}

// Fields whose numbers have names.
std::string FieldValue(std::string_view field, uint32_t value, bool is_signed) {
  if (field == "a_type" || field == "w_type") {
    return std::string(Name(static_cast<arch::OperandType>(value)));
  }
  if (field == "type") return std::string(Name(static_cast<arch::LaneType>(value)));
  if (field == "source") return std::string(Name(static_cast<arch::StreamSource>(value)));
  if (field == "spread") return std::string(Name(static_cast<arch::Spread>(value)));
  if (field == "part") return std::string(Name(static_cast<arch::KernelPart>(value)));
  if (field == "condition") return std::string(Name(static_cast<arch::Condition>(value)));
  if (field == "fill" || field == "a_fill") return fmt::format("{:#010x}", value);
  if (is_signed) return fmt::format("{}", static_cast<int32_t>(value));
  return fmt::format("{}", value);
}

// A list without the ends that say nothing: trailing ones of counts, trailing zeros of strides.
std::string List(std::span<const uint32_t> words, const arch::FieldInfo& field) {
  std::vector<std::string> values;
  size_t used = 0;
  const uint32_t neutral = field.name == "counts" ? 1 : 0;
  for (uint32_t i = 0; i < field.count; ++i) {
    const uint32_t value = GetField(words, field, i);
    if (value != neutral) used = i + 1;
    values.push_back(FieldValue(field.name, value, field.is_signed));
  }
  values.resize(used);
  if (values.empty()) return "";
  return fmt::format(" {}=[{}]", field.name, fmt::join(values, ","));
}

std::string Fields(const Instruction& instruction) {
  std::string text;
  for (const arch::FieldInfo& field : instruction.info->fields) {
    if (InPrefix(field.name) || field.name == "data") continue;
    if (field.count > 1) {
      text += List(instruction.words, field);
      continue;
    }
    const uint32_t value = GetField(instruction.words, field);
    const bool is_name = field.name.ends_with("type") || field.name == "part";
    if (value == 0 && !is_name) continue;
    text += fmt::format(" {}={}", field.name, FieldValue(field.name, value, field.is_signed));
  }
  return text;
}

}  // namespace

std::string DisassembleInstruction(std::span<const uint32_t> program, uint32_t pc) {
  Result<Instruction> decoded = Instruction::Decode(program, pc);
  if (!decoded.ok()) return fmt::format("<{}>", decoded.status().message());
  const Instruction& instruction = *decoded;
  std::string text =
      fmt::format("{:<9} {}", EngineName(instruction.engine), instruction.info->name);
  for (const Instruction::Wait& wait : instruction.waits) {
    text += fmt::format(" wait f{}>={}@{}", wait.flag, wait.target, wait.level);
    if (wait.step != 0) text += fmt::format("+{}", wait.step);
    if (wait.reg != 0) text += fmt::format("+r{}", wait.reg);
    if (wait.weights != 0) text += "w";
  }
  if (instruction.info->words >= arch::kPrefixWords) {
    const arch::Prefix p = arch::DecodePrefix(instruction.words);
    const uint32_t patches[4][2] = {{p.patch0_word, p.patch0_reg}, {p.patch1_word, p.patch1_reg},
                                    {p.patch2_word, p.patch2_reg}, {p.patch3_word, p.patch3_reg}};
    for (const auto& patch : patches) {
      if (patch[1] != 0) text += fmt::format(" patch w{}+r{}", patch[0], patch[1]);
    }
  }
  text += Fields(instruction);
  for (const Instruction::Signal& signal : instruction.signals) {
    text += fmt::format(" signal f{}@{}", signal.flag, signal.level);
  }
  return text;
}

std::string Disassemble(const Program& program) {
  std::string text;
  const LineEntry* current = nullptr;
  for (uint32_t pc = 0; pc < program.bytes();) {
    const LineEntry* entry = program.LineOf(pc);
    if (entry != nullptr && entry != current) {
      text += fmt::format("; {} at line {}\n", entry->operation, entry->line);
      current = entry;
    }
    text += fmt::format("{:#08x}  {}\n", pc, DisassembleInstruction(program.words, pc));
    Result<Instruction> decoded = Instruction::Decode(program.words, pc);
    if (!decoded.ok()) break;
    pc += decoded->info->words * 4;
  }
  return text;
}

}  // namespace systolith::isa
