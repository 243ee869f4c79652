#include "host/isa/kernel_text.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <set>

namespace systolith::isa {
namespace {

constexpr auto kLookup = static_cast<uint32_t>(arch::AluOp::kLookup);

struct Slot {
  bool is_lane;
  uint32_t code, target, step;
  std::array<uint32_t, 3> operands;
};

std::array<Slot, 3> Slots(const arch::Bundle& b) {
  return {{{false, b.a_op, b.a_dst, b.a_step, {b.a_x, b.a_y, b.a_z}},
           {false, b.b_op, b.b_dst, b.b_step, {b.b_x, b.b_y, b.b_z}},
           {true, b.lane_op, b.lane_dst, 0, {b.lane_x, b.lane_y, b.lane_z}}}};
}

const arch::OperationInfo* FindOperation(const Slot& slot) {
  const auto find = [&](const auto& table) -> const arch::OperationInfo* {
    const auto found = std::find_if(table.begin(), table.end(),
                                    [&](const auto& info) { return info.code == slot.code; });
    return found == table.end() ? nullptr : &*found;
  };
  return slot.is_lane ? find(arch::kLaneOps) : find(arch::kAluOps);
}

// Whether the number is more likely an f32 than an integer.
bool LooksLikeF32(uint32_t bits) {
  const uint32_t exponent = bits >> 23 & 0xff;
  return exponent > 64 && exponent < 192;  // about 1e-19 to 1e19
}

// Whether an operand of the operation is an f32; where it may be anything, its looks decide.
bool IsF32(std::string_view operation, uint32_t position, uint32_t bits) {
  if (operation == "scale_f32") return position == 0;
  if (operation.ends_with("_s32") || operation.ends_with("_u32")) {
    return operation.starts_with("f32_to_");
  }
  if (operation == "s32_to_f32" || operation == "u32_to_f32") return false;
  if (operation.ends_with("_f32") || operation.starts_with("round_")) return true;
  if (operation == "copy" || (operation == "select" && position > 0)) {
    return LooksLikeF32(bits) || bits == 0x7f800000 || bits == 0xff800000 || bits == 0x7fc00000;
  }
  return false;
}

std::string StreamText(std::string_view kind, uint32_t number, uint32_t step) {
  return step == 0 ? fmt::format("{}{}", kind, number)
                   : fmt::format("{}{}[{}]", kind, number, step);
}

std::string OperandText(const arch::OperationInfo& info, const Slot& slot, uint32_t position,
                        std::span<const uint32_t> constants) {
  const uint32_t code = slot.operands[position];
  if (code < arch::kOperandShared) return fmt::format("v{}", code);
  if (code < arch::kOperandInput) return fmt::format("w{}", code - arch::kOperandShared);
  if (code < arch::kOperandInput + arch::kInputStreams) {
    return StreamText("in", code - arch::kOperandInput, slot.step);
  }
  if (code >= arch::kOperandConstant) {
    const uint32_t k = code - arch::kOperandConstant;
    const bool is_table = !slot.is_lane && slot.code == kLookup && position == 1;
    if (is_table || k >= constants.size()) return fmt::format("c{}", k);
    const bool is_amount = slot.is_lane && position == 2;
    return LaneText(constants[k], !is_amount && IsF32(info.name, position, constants[k]));
  }
  if (code >= arch::kOperandScalar && code < arch::kOperandScalar + arch::kVectorScalars) {
    return fmt::format("s{}", code - arch::kOperandScalar);
  }
  return fmt::format("?{}", code);
}

std::string TargetText(const Slot& slot) {
  const uint32_t code = slot.target;
  if (code < arch::kOperandShared) return fmt::format("v{}", code);
  if (code < arch::kOperandInput) return fmt::format("w{}", code - arch::kOperandShared);
  if (code >= arch::kOperandOutput && code < arch::kOperandOutput + arch::kOutputStreams) {
    return StreamText("out", code - arch::kOperandOutput, slot.step);
  }
  return fmt::format("?{}", code);
}

std::vector<uint32_t> Loops(uint32_t mask) {
  std::vector<uint32_t> loops;
  for (uint32_t loop = 0; loop < arch::kLoops; ++loop) {
    if ((mask >> loop & 1) != 0) loops.push_back(loop);
  }
  return loops;
}

// Where the tables begin that the kernel looks up in.
std::set<uint32_t> Tables(const KernelView& kernel) {
  std::set<uint32_t> tables;
  for (const BundleWords& words : kernel.bundles) {
    for (const Slot& slot : Slots(arch::DecodeBundle(words))) {
      if (slot.is_lane || slot.code != kLookup) continue;
      if (slot.operands[1] >= arch::kOperandConstant) {
        tables.insert(slot.operands[1] - arch::kOperandConstant);
      }
    }
  }
  return tables;
}

std::string TableText(uint32_t first, std::span<const uint32_t> constants) {
  std::span<const uint32_t> rest = constants.subspan(std::min<size_t>(first, constants.size()));
  rest = rest.first(std::min<size_t>(rest.size(), arch::kLookupEntries));
  while (!rest.empty() && rest.back() == 0) rest = rest.first(rest.size() - 1);
  std::string text = fmt::format("table c{} =", first);
  for (size_t i = 0; i < rest.size(); ++i) {
    text += i % 8 == 0 && i > 0 ? "\n  " : " ";
    text += LaneText(rest[i], LooksLikeF32(rest[i])) + (i + 1 < rest.size() ? "," : "");
  }
  return text + (rest.empty() ? " 0\n" : "\n");
}

}  // namespace

std::string LaneText(uint32_t bits, bool is_f32) {
  const auto number = static_cast<int32_t>(bits);
  if (!is_f32) {
    constexpr int32_t kShort = 1 << 20;
    if (number > -kShort && number < kShort) return fmt::format("{}", number);
    return fmt::format("{:#010x}", bits);
  }
  const float value = std::bit_cast<float>(bits);
  if (std::isnan(value)) return bits == 0x7fc00000 ? "nan" : fmt::format("{:#010x}", bits);
  std::string text = fmt::format("{}", value);
  if (std::isfinite(value) && text.find_first_of(".e") == std::string::npos) text += ".0";
  return text;
}

std::vector<std::string> BundleOperations(const arch::Bundle& bundle,
                                          std::span<const uint32_t> constants) {
  std::vector<std::string> operations;
  for (const Slot& slot : Slots(bundle)) {
    if (slot.code == 0) continue;
    const arch::OperationInfo* info = FindOperation(slot);
    if (info == nullptr) {
      operations.push_back(fmt::format("{} = {} operation {}", TargetText(slot),
                                       slot.is_lane ? "unknown lane" : "unknown", slot.code));
      continue;
    }
    std::vector<std::string> operands;
    for (uint32_t position = 0; position < 3; ++position) {
      if (position >= info->sources && !(position == 2 && info->amount)) continue;
      operands.push_back(OperandText(*info, slot, position, constants));
    }
    operations.push_back(fmt::format("{} = {}{}{}", TargetText(slot), info->name,
                                     operands.empty() ? "" : " ", fmt::join(operands, ", ")));
  }
  return operations;
}

std::string BundleText(const arch::Bundle& bundle, std::span<const uint32_t> constants) {
  std::string text;
  for (const uint32_t loop : Loops(bundle.loop_start)) text += fmt::format("loop {} | ", loop);
  const std::vector<std::string> operations = BundleOperations(bundle, constants);
  text += operations.empty() ? "nothing" : fmt::format("{}", fmt::join(operations, " | "));
  for (const uint32_t loop : Loops(bundle.loop_end)) text += fmt::format(" | end of loop {}", loop);
  if (bundle.exit != 0) text += " | exit";
  return text;
}

std::string KernelListing(const KernelView& kernel, std::span<const std::string> notes) {
  std::vector<arch::Bundle> bundles;
  std::vector<std::vector<std::string>> operations;
  std::vector<size_t> widths;
  for (const BundleWords& words : kernel.bundles) {
    bundles.push_back(arch::DecodeBundle(words));
    operations.push_back(BundleOperations(bundles.back(), kernel.constants));
    widths.resize(std::max(widths.size(), operations.back().size()));
    for (size_t i = 0; i < operations.back().size(); ++i) {
      widths[i] = std::max(widths[i], operations.back()[i].size());
    }
  }
  std::string text;
  std::set<uint32_t> active;
  const auto indent = [&] { return std::string(2 * active.size() + 2, ' '); };
  for (size_t n = 0; n < bundles.size(); ++n) {
    if (n == 0 && kernel.has_prologue) text += "prologue\n";
    if (n == kernel.body) text += "body\n";
    for (const uint32_t loop : Loops(bundles[n].loop_start)) {
      if (active.contains(loop)) continue;
      text += fmt::format("{}loop {}\n", indent(), loop);
      active.insert(loop);
    }
    std::string line = fmt::format("{}{:3}  ", indent(), n);
    for (size_t i = 0; i < widths.size(); ++i) {
      const std::string& operation = i < operations[n].size() ? operations[n][i] : "";
      line += fmt::format("{:<{}}{}", operation, widths[i], i + 1 < widths.size() ? " | " : "");
    }
    if (n < notes.size() && !notes[n].empty()) line += "  # " + notes[n];
    line.resize(line.find_last_not_of(" |") + 1);
    text += line + "\n";
    const std::vector<uint32_t> ends = Loops(bundles[n].loop_end);
    for (auto loop = ends.rbegin(); loop != ends.rend(); ++loop) {
      active.erase(*loop);
      text += fmt::format("{}end\n", indent());
    }
    if (bundles[n].exit != 0) text += "end\n";
  }
  for (const uint32_t table : Tables(kernel)) text += TableText(table, kernel.constants);
  return text;
}

}  // namespace systolith::isa
