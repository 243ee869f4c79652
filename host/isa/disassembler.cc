#include "host/isa/disassembler.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <map>
#include <set>
#include <vector>

#include "host/isa/instruction.h"
#include "host/isa/kernel_text.h"
#include "host/isa/vector_memory.h"

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
    if (field.name == "target" && instruction.info->opcode == arch::Opcode::kBranch) {
      text += fmt::format(" target={:#08x}", value);
      continue;
    }
    const bool is_name = field.name.ends_with("type") || field.name == "part";
    if (value == 0 && !is_name) continue;
    text += fmt::format(" {}={}", field.name, FieldValue(field.name, value, field.is_signed));
  }
  return text;
}

std::set<uint32_t> BranchTargets(const Program& program) {
  std::set<uint32_t> targets;
  for (uint32_t pc = 0; pc < program.bytes();) {
    const Result<Instruction> instruction = Instruction::Decode(program.words, pc);
    if (!instruction.ok()) break;
    if (instruction->info->opcode == arch::Opcode::kBranch) {
      targets.insert(arch::DecodeScalar(instruction->words).target);
    }
    pc += instruction->info->words * 4;
  }
  return targets;
}

// What a listing says about kernels below their instructions.
class Kernels {
 public:
  explicit Kernels(const Program& program) : program_(program) {}

  // The bundles that a load_kernel writes; the kernel that a `vector` runs, unless it was shown.
  std::string Text(const Instruction& instruction) {
    memory_.Apply(instruction);
    if (instruction.info->opcode == arch::Opcode::kLoadKernel) return LoadText(instruction);
    if (instruction.info->opcode != arch::Opcode::kVector) return "";
    const std::string name = program_.KernelAt(instruction.pc);
    const auto kernel = memory_.KernelOf(arch::DecodeVector(instruction.words));
    std::string text = fmt::format("; runs kernel {}", name.empty() ? "without a name" : name);
    if (!kernel) return text + ", which is not known here\n";
    const std::string listing = KernelListing(*kernel);
    const auto [shown, is_new] = shown_.try_emplace(listing, instruction.pc);
    if (!is_new) return text + fmt::format(", shown at {:#x}\n", shown->second);
    text += "\n";
    for (size_t begin = 0; begin < listing.size();) {
      const size_t end = listing.find('\n', begin);
      text += ";   " + listing.substr(begin, end + 1 - begin);
      begin = end + 1;
    }
    return text;
  }

 private:
  static std::string LoadText(const Instruction& instruction) {
    const arch::LoadKernel load = arch::DecodeLoadKernel(instruction.words);
    std::string text;
    if (load.part == static_cast<uint32_t>(arch::KernelPart::kConstants)) {
      std::vector<std::string> words;
      for (uint32_t i = 0; i < load.count && i < load.data.size(); ++i) {
        words.push_back(fmt::format("{:#x}", load.data[i]));
      }
      return fmt::format(";   {}\n", fmt::join(words, " "));
    }
    for (uint32_t i = 0; i < load.count && (i + 1) * arch::kBundleWords <= load.data.size(); ++i) {
      const std::span<const uint32_t> words(load.data.data() + i * arch::kBundleWords,
                                            arch::kBundleWords);
      text += fmt::format(";   {:3}  {}\n", load.first + i,
                          BundleText(arch::DecodeBundle(words), {}));
    }
    return text;
  }

  const Program& program_;
  VectorMemory memory_;
  std::map<std::string, uint32_t> shown_;  // listing -> pc
};

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
  const std::set<uint32_t> targets = BranchTargets(program);
  const LineEntry* current = nullptr;
  Kernels kernels(program);
  for (uint32_t pc = 0; pc < program.bytes();) {
    const LineEntry* entry = program.LineOf(pc);
    if (entry != nullptr && entry != current) {
      text += fmt::format("; {} at line {}\n", entry->operation, entry->line);
      current = entry;
    }
    if (targets.contains(pc)) text += fmt::format("; {:#08x}: branches come here\n", pc);
    text += fmt::format("{:#08x}  {}\n", pc, DisassembleInstruction(program.words, pc));
    Result<Instruction> decoded = Instruction::Decode(program.words, pc);
    if (!decoded.ok()) break;
    text += kernels.Text(*decoded);
    pc += decoded->info->words * 4;
  }
  return text;
}

}  // namespace systolith::isa
