#include <algorithm>
#include <map>
#include <set>

#include "host/kernel/normalise.h"

namespace systolith::kernel {
namespace {

using Kind = Value::Kind;

bool IsCopy(const Instruction& instruction) {
  return !instruction.is_lane && instruction.code == static_cast<uint32_t>(arch::AluOp::kCopy);
}

// What all assignments and reads of a region say about its variables.
class Variables {
 public:
  explicit Variables(const Region& region)
      : region_(&region), blocks_(BlockOfInstructions(region)) {
    for (size_t i = 0; i < region.instructions.size(); ++i) {
      const Instruction& instruction = region.instructions[i];
      ++writes_[Key(instruction.target)];
      AddReader(i);
    }
  }

  // Whether the value is the same wherever it is known: a number, or written at one place only.
  bool IsStable(const Value& value) const {
    if (value.kind == Kind::kVariable) return Writes(value) == 1;
    if (value.kind == Kind::kShared) return Writes(value) == 0;
    return !value.is_stream();
  }
  size_t Writes(const Value& value) const {
    const auto found = writes_.find(Key(value));
    return found == writes_.end() ? 0 : found->second;
  }
  const std::set<size_t>& Readers(uint32_t variable) { return readers_[variable]; }
  // Instruction `i` reads what its operands say now.
  void AddReader(size_t i) {
    for (const Value& operand : region_->instructions[i].operands) {
      if (operand.kind == Kind::kVariable) readers_[operand.index].insert(i);
    }
  }
  // Nobody reads the variable any more.
  void DropReaders(uint32_t variable) { readers_[variable].clear(); }
  bool SameBlock(size_t a, size_t b) const { return blocks_[a] == blocks_[b]; }

  // Whether an instruction strictly between two places of one block writes `value`.
  bool WrittenBetween(const Value& value, size_t a, size_t b) const {
    return AnyBetween(a, b, [&](const Instruction& i) { return Key(i.target) == Key(value); });
  }
  // Whether all these readers find in `value` what the instruction at `i` finds there.
  bool KeepsUntil(const Value& value, size_t i, const std::set<size_t>& readers) const {
    return std::all_of(readers.begin(), readers.end(), [&](size_t reader) {
      return i < reader && SameBlock(i, reader) && !WrittenBetween(value, i, reader);
    });
  }
  bool StoredBetween(size_t a, size_t b) const {
    return AnyBetween(a, b,
                      [](const Instruction& i) { return i.target.kind == Kind::kOutput; });
  }

 private:
  static std::pair<Kind, uint32_t> Key(const Value& value) { return {value.kind, value.index}; }

  template <typename Predicate>
  bool AnyBetween(size_t a, size_t b, Predicate predicate) const {
    const auto begin = region_->instructions.begin();
    return a + 1 < b && std::any_of(begin + static_cast<ptrdiff_t>(a + 1),
                                    begin + static_cast<ptrdiff_t>(b), predicate);
  }

  const Region* region_;
  std::vector<size_t> blocks_;
  std::map<std::pair<Kind, uint32_t>, size_t> writes_;
  std::map<uint32_t, std::set<size_t>> readers_;
};

// Whether an ALU operation may name `stream` beside the streams that it names already.
bool MayName(const Instruction& instruction, const Value& stream) {
  const auto fits = [&](const Value& v) { return !v.is_stream() || v.step == stream.step; };
  return !instruction.is_lane && fits(instruction.target) &&
         std::all_of(instruction.operands.begin(), instruction.operands.end(), fits);
}

bool ReadsStream(const Instruction& instruction) {
  return std::any_of(instruction.operands.begin(), instruction.operands.end(),
                     [](const Value& operand) { return operand.kind == Kind::kInput; });
}

// Readers of copied values read the source itself.
void FoldSources(Region& region) {
  Variables variables(region);
  std::vector<Instruction>& code = region.instructions;
  for (size_t i = 0; i < code.size(); ++i) {
    if (!IsCopy(code[i]) || code[i].target.kind != Kind::kVariable) continue;
    if (variables.Writes(code[i].target) != 1) continue;
    const Value target = code[i].target;
    const Value source = code[i].operands[0];
    const std::set<size_t> readers = variables.Readers(target.index);
    const bool is_load = source.kind == Kind::kInput;
    if (is_load) {
      const bool once = readers.size() == 1 && variables.SameBlock(i, *readers.begin()) &&
                        !variables.StoredBetween(i, *readers.begin());
      if (!once || !MayName(code[*readers.begin()], source)) continue;
    } else if (!variables.IsStable(source) && !variables.KeepsUntil(source, i, readers)) {
      continue;
    }
    const bool is_register = source.kind == Kind::kVariable || source.kind == Kind::kShared;
    for (const size_t reader : readers) {
      for (Value& operand : code[reader].operands) {
        if (operand == target && (is_register || !code[reader].is_lane)) operand = source;
      }
    }
    if (!is_register && !is_load) continue;
    variables.DropReaders(target.index);
    for (const size_t reader : readers) variables.AddReader(reader);
  }
}

// Operations write at once where a copy of their result goes.
void FoldTargets(Region& region) {
  std::vector<Instruction>& code = region.instructions;
  Variables variables(region);
  for (size_t i = 0; i < code.size(); ++i) {
    if (!IsCopy(code[i]) || code[i].operands[0].kind != Kind::kVariable) continue;
    const Value result = code[i].operands[0];
    if (variables.Writes(result) != 1 || variables.Readers(result.index).size() != 1) continue;
    size_t definition = i;
    while (definition > 0 && code[definition].target != result) --definition;
    Instruction& source = code[definition];
    if (source.target != result || !variables.SameBlock(definition, i)) continue;
    const Value target = code[i].target;
    if (target.kind == Kind::kOutput && !MayName(source, target)) continue;
    // The operation moves down to the copy: it must find there what it finds here.
    const bool stays =
        std::all_of(source.operands.begin(), source.operands.end(), [&](const Value& operand) {
          return operand.is_stream() || !variables.WrittenBetween(operand, definition, i);
        });
    if (!stays || (ReadsStream(source) && variables.StoredBetween(definition, i))) continue;
    code[i] = source;
    code[i].target = target;
    // What is left behind writes a variable that nobody reads.
    variables.DropReaders(result.index);
    variables.AddReader(i);
  }
}

}  // namespace

void FoldCopies(Region& region) {
  FoldSources(region);
  DropUnused(region);
  FoldTargets(region);
}

}  // namespace systolith::kernel
