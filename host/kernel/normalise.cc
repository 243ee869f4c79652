#include "host/kernel/normalise.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <numeric>
#include <optional>

namespace systolith::kernel {
namespace {

using Kind = Value::Kind;

bool WritesVariable(const Instruction& instruction) {
  return instruction.target.kind == Kind::kVariable;
}

// Replaces the region's instructions by `instructions`, of which those made from old instruction i
// begin at starts[i]; starts has an entry for the end, too.
void Replace(Region& region, std::vector<Instruction> instructions,
             const std::vector<size_t>& starts) {
  region.instructions = std::move(instructions);
  for (Region::Loop& loop : region.loops) {
    loop.begin = starts[loop.begin];
    loop.end = starts[loop.end];
  }
  std::erase_if(region.loops, [](const Region::Loop& loop) { return loop.begin == loop.end; });
}

// Sets of assignments, joined as operations turn out to read several of them.
class Webs {
 public:
  explicit Webs(size_t count) : parent_(count) { std::iota(parent_.begin(), parent_.end(), 0); }
  size_t Root(size_t i) {
    while (parent_[i] != i) i = parent_[i] = parent_[parent_[i]];
    return i;
  }
  void Join(size_t a, size_t b) { parent_[Root(b)] = Root(a); }

 private:
  std::vector<size_t> parent_;
};

}  // namespace

Status SplitVariables(const std::string& kernel, Region& region, Symbols& symbols) {
  std::vector<Instruction>& code = region.instructions;
  std::map<uint32_t, std::vector<size_t>> assignments;  // per variable, in program order
  for (size_t i = 0; i < code.size(); ++i) {
    if (WritesVariable(code[i])) assignments[code[i].target.index].push_back(i);
  }
  Webs webs(code.size());
  std::vector<std::array<size_t, 3>> reads(code.size());
  for (size_t i = 0; i < code.size(); ++i) {
    for (size_t position = 0; position < 3; ++position) {
      const Value& operand = code[i].operands[position];
      if (operand.kind != Kind::kVariable) continue;
      const std::vector<size_t>& all = assignments[operand.index];
      const auto next = std::lower_bound(all.begin(), all.end(), i);
      if (next == all.begin()) {
        const std::string& name = symbols.variables[operand.index];
        return InvalidArgument(fmt::format(
            "{}: variable{} is read before it was written; assign it first (a prologue's variables "
            "are unknown in the body: use a shared register)",
            Where(kernel, code[i].location), name.empty() ? "" : " " + name));
      }
      const size_t before = *(next - 1);
      reads[i][position] = before;
      // Around each loop that does not assign the variable before this place, the last assignment
      // of the previous iteration arrives, too.
      for (const Region::Loop& loop : region.loops) {
        if (i < loop.begin || i >= loop.end || before >= loop.begin) continue;
        const auto last = std::lower_bound(all.begin(), all.end(), loop.end);
        if (last != all.begin() && *(last - 1) >= loop.begin) webs.Join(before, *(last - 1));
      }
    }
  }
  std::map<size_t, uint32_t> names;
  const auto variable_of = [&](size_t assignment) {
    const size_t root = webs.Root(assignment);
    const auto found = names.find(root);
    if (found != names.end()) return found->second;
    const std::string name = symbols.variables[code[assignment].target.index];
    return names[root] = symbols.AddVariable(name);
  };
  std::vector<Instruction> renamed = code;
  for (size_t i = 0; i < code.size(); ++i) {
    for (size_t position = 0; position < 3; ++position) {
      if (code[i].operands[position].kind != Kind::kVariable) continue;
      renamed[i].operands[position].index = variable_of(reads[i][position]);
    }
    if (WritesVariable(code[i])) renamed[i].target.index = variable_of(i);
  }
  code = std::move(renamed);
  return OkStatus();
}

void DropUnused(Region& region) {
  std::vector<Instruction>& code = region.instructions;
  std::map<uint32_t, size_t> uses;
  for (const Instruction& instruction : code) {
    for (const Value& operand : instruction.operands) {
      if (operand.kind == Kind::kVariable) ++uses[operand.index];
    }
  }
  std::vector<bool> dropped(code.size(), false);
  for (bool changed = true; changed;) {
    changed = false;
    for (size_t i = code.size(); i-- > 0;) {
      if (dropped[i] || !WritesVariable(code[i]) || uses[code[i].target.index] > 0) continue;
      dropped[i] = changed = true;
      for (const Value& operand : code[i].operands) {
        if (operand.kind == Kind::kVariable) --uses[operand.index];
      }
    }
  }
  std::vector<Instruction> kept;
  std::vector<size_t> starts;
  for (size_t i = 0; i < code.size(); ++i) {
    starts.push_back(kept.size());
    if (!dropped[i]) kept.push_back(std::move(code[i]));
  }
  starts.push_back(kept.size());
  Replace(region, std::move(kept), starts);
}

void InsertCopies(Region& region, Symbols& symbols) {
  std::vector<Instruction> code;
  std::vector<size_t> starts;
  const auto copy = [&](Value target, Value source, const Location& location) {
    Instruction instruction;
    instruction.code = static_cast<uint32_t>(arch::AluOp::kCopy);
    instruction.target = target;
    instruction.operands[0] = source;
    instruction.location = location;
    code.push_back(std::move(instruction));
  };
  for (Instruction& instruction : region.instructions) {
    starts.push_back(code.size());
    const auto in_variable = [&](Value& value) {
      const Value variable = {Kind::kVariable, symbols.AddVariable(), 0};
      copy(variable, value, instruction.location);
      value = variable;
    };
    if (instruction.is_lane) {
      for (size_t position = 0; position < 2; ++position) {
        Value& operand = instruction.operands[position];
        const bool in_place = operand.kind == Kind::kVariable || operand.kind == Kind::kShared;
        if (!in_place && operand.kind != Kind::kNone) in_variable(operand);
      }
      if (instruction.target.kind == Kind::kOutput) {
        const Value output = instruction.target;
        instruction.target = {Kind::kVariable, symbols.AddVariable(), 0};
        const Value result = instruction.target;
        const Location location = instruction.location;
        code.push_back(std::move(instruction));
        copy(output, result, location);
        continue;
      }
    } else {
      std::optional<uint32_t> step;
      if (instruction.target.kind == Kind::kOutput) step = instruction.target.step;
      for (Value& operand : instruction.operands) {
        if (!operand.is_stream()) continue;
        if (!step) step = operand.step;
        if (operand.step != *step) in_variable(operand);
      }
    }
    code.push_back(std::move(instruction));
  }
  starts.push_back(code.size());
  Replace(region, std::move(code), starts);
}

Status Normalise(const std::string& kernel, Region& region, Symbols& symbols) {
  RETURN_IF_ERROR(SplitVariables(kernel, region, symbols));
  DropUnused(region);
  FoldCopies(region);
  DropUnused(region);
  InsertCopies(region, symbols);
  return OkStatus();
}

}  // namespace systolith::kernel
