#include "host/kernel/test_kernels.h"

#include <gtest/gtest.h>

namespace systolith::kernel::testing {
namespace {

using Kind = Value::Kind;

uint32_t Mix(std::initializer_list<uint32_t> words) {
  uint32_t hash = 2166136261u;
  for (const uint32_t word : words) hash = (hash ^ word) * 16777619u + (hash >> 15);
  return hash;
}

uint32_t InputGroup(uint32_t stream, uint32_t step, const Counts& indices) {
  return Mix({77, stream, step, indices[0], indices[1], indices[2], indices[3], indices[4],
              indices[5]});
}
uint32_t ScalarWord(uint32_t word) { return Mix({99, word}); }

uint32_t Compute(bool is_lane, uint32_t code, std::array<uint32_t, 3> x) {
  if (!is_lane && code == static_cast<uint32_t>(arch::AluOp::kCopy)) return x[0];
  const arch::OperationInfo& info = is_lane ? Info(static_cast<arch::LaneOp>(code))
                                            : Info(static_cast<arch::AluOp>(code));
  return Mix({is_lane ? 1u : 0u, code, info.sources > 0 ? x[0] : 0, info.sources > 1 ? x[1] : 0,
              info.sources > 2 || info.amount ? x[2] : 0});
}

// Runs a recorded kernel in the order in which it was written.
class RecordingMachine {
 public:
  RecordingMachine(const Recording& recording, const Counts& counts)
      : recording_(recording), counts_(counts) {}

  Outputs Run() {
    if (recording_.has_prologue) Run(recording_.prologue, 0, recording_.prologue.size());
    variables_.clear();
    Run(recording_.body, 0, recording_.body.size());
    return std::move(outputs_);
  }

 private:
  void Run(const std::vector<Recording::Event>& events, size_t begin, size_t end) {
    for (size_t i = begin; i < end; ++i) {
      if (events[i].kind == Recording::Event::Kind::kOperation) {
        Execute(events[i].instruction);
        continue;
      }
      size_t close = i;
      for (int depth = 1; depth > 0;) {
        ++close;
        if (events[close].kind == Recording::Event::Kind::kBeginLoop) ++depth;
        if (events[close].kind == Recording::Event::Kind::kEndLoop) --depth;
      }
      const auto loop = static_cast<size_t>(events[i].loop);
      for (indices_[loop] = 0; indices_[loop] < counts_[loop]; ++indices_[loop]) {
        Run(events, i + 1, close);
      }
      indices_[loop] = 0;
      i = close;
    }
  }

  uint32_t Read(const Value& value) {
    switch (value.kind) {
      case Kind::kVariable: return variables_.at(value.index);
      case Kind::kShared: return shared_.at(value.index);
      case Kind::kInput: return InputGroup(value.index, value.step, indices_);
      case Kind::kScalar: return ScalarWord(value.index);
      default: return value.index;
    }
  }

  void Execute(const Instruction& instruction) {
    uint32_t result;
    if (!instruction.is_lane &&
        instruction.code == static_cast<uint32_t>(arch::AluOp::kLookup)) {
      const std::vector<uint32_t>& table = recording_.tables[instruction.operands[1].index];
      const uint32_t entry = Read(instruction.operands[0]) % arch::kLookupEntries;
      result = entry < table.size() ? table[entry] : 0;
    } else {
      std::array<uint32_t, 3> x{};
      for (size_t i = 0; i < 3; ++i) x[i] = Read(instruction.operands[i]);
      result = Compute(instruction.is_lane, instruction.code, x);
    }
    const Value& target = instruction.target;
    if (target.kind == Kind::kVariable) variables_[target.index] = result;
    if (target.kind == Kind::kShared) shared_[target.index] = result;
    if (target.kind == Kind::kOutput) outputs_[{target.index, target.step, indices_}] = result;
  }

  const Recording& recording_;
  const Counts& counts_;
  Counts indices_{};
  std::map<uint32_t, uint32_t> variables_, shared_;
  Outputs outputs_;
};

// Runs bundles by the rules of rtl/arch/README.md, and refuses what these forbid.
class BundleMachine {
 public:
  BundleMachine(const Kernel& kernel, const Counts& counts) : kernel_(kernel), counts_(counts) {}

  Outputs Run() {
    if (kernel_.has_prologue) Run(0, true);
    registers_ = shared_;  // w registers outlive the prologue's instance
    Run(kernel_.body, false);
    return std::move(outputs_);
  }

 private:
  void Run(uint32_t number, bool is_prologue) {
    Counts indices{}, starts{};
    uint32_t active = 0;
    while (true) {
      ASSERT_LT(number, kernel_.bundles.size());
      const arch::Bundle bundle = arch::DecodeBundle(kernel_.bundles[number]);
      for (uint32_t l = 0; l < arch::kLoops; ++l) {
        if ((bundle.loop_start >> l & 1) == 0 || (active >> l & 1) != 0) continue;
        active |= 1u << l;
        indices[l] = 0;
        starts[l] = number;
      }
      Execute(bundle, indices, is_prologue);
      bool jumps = false;
      for (uint32_t l = arch::kLoops; l-- > 0 && !jumps;) {
        if ((bundle.loop_end >> l & 1) == 0) continue;
        ASSERT_TRUE(active >> l & 1);
        if (indices[l] + 1 < counts_[l]) {
          ++indices[l];
          number = starts[l];
          jumps = true;
        } else {
          indices[l] = 0;
          active &= ~(1u << l);
        }
      }
      if (jumps) continue;
      if (bundle.exit != 0) {
        ASSERT_EQ(active, 0u);
        return;
      }
      ++number;
    }
  }

  uint32_t Read(uint32_t code, uint32_t step, const Counts& indices,
                std::map<uint32_t, uint32_t>& steps) {
    if (code >= arch::kOperandConstant) return kernel_.constants.at(code - arch::kOperandConstant);
    if (code >= arch::kOperandScalar) return ScalarWord(code - arch::kOperandScalar);
    if (code >= arch::kOperandInput) {
      EXPECT_EQ(steps.try_emplace(code, step).first->second, step) << "one stream at two steps";
      return InputGroup(code - arch::kOperandInput, step, indices);
    }
    const auto found = registers_.find(code);
    EXPECT_NE(found, registers_.end()) << "register " << code << " was not written";
    return found == registers_.end() ? 0 : found->second;
  }

  void Execute(const arch::Bundle& bundle, const Counts& indices, bool is_prologue) {
    struct Slot {
      bool is_lane;
      uint32_t code, target, step;
      std::array<uint32_t, 3> operands;
    };
    const Slot slots[] = {
        {false, bundle.a_op, bundle.a_dst, bundle.a_step, {bundle.a_x, bundle.a_y, bundle.a_z}},
        {false, bundle.b_op, bundle.b_dst, bundle.b_step, {bundle.b_x, bundle.b_y, bundle.b_z}},
        {true, bundle.lane_op, bundle.lane_dst, 0, {bundle.lane_x, bundle.lane_y, bundle.lane_z}}};
    EXPECT_TRUE(bundle.b_op == 0 || Info(static_cast<arch::AluOp>(bundle.b_op)).slot_b);
    std::map<uint32_t, uint32_t> steps;
    std::map<uint32_t, std::pair<uint32_t, uint32_t>> writes;  // target -> step, value
    for (const Slot& slot : slots) {
      if (slot.code == 0) continue;
      const arch::OperationInfo& info = slot.is_lane ? Info(static_cast<arch::LaneOp>(slot.code))
                                                     : Info(static_cast<arch::AluOp>(slot.code));
      uint32_t result;
      if (!slot.is_lane && slot.code == static_cast<uint32_t>(arch::AluOp::kLookup)) {
        const uint32_t index = Read(slot.operands[0], slot.step, indices, steps);
        const uint32_t table = slot.operands[1] - arch::kOperandConstant;
        result = kernel_.constants.at(table + index % arch::kLookupEntries);
      } else {
        std::array<uint32_t, 3> x{};
        for (uint32_t i = 0; i < 3; ++i) {
          if (i >= info.sources && !(i == 2 && info.amount)) continue;
          EXPECT_TRUE(!slot.is_lane || i == 2 || slot.operands[i] < arch::kOperandInput);
          x[i] = Read(slot.operands[i], slot.step, indices, steps);
        }
        result = Compute(slot.is_lane, slot.code, x);
      }
      EXPECT_TRUE(writes.try_emplace(slot.target, slot.step, result).second)
          << "two slots with one destination";
    }
    for (const auto& [target, write] : writes) {
      if (target >= arch::kOperandOutput) {
        outputs_[{target - arch::kOperandOutput, write.first, indices}] = write.second;
      } else {
        EXPECT_TRUE(is_prologue || target < arch::kOperandShared);
        registers_[target] = write.second;
        if (target >= arch::kOperandShared) shared_[target] = write.second;
      }
    }
  }

  const Kernel& kernel_;
  const Counts& counts_;
  std::map<uint32_t, uint32_t> registers_, shared_;
  Outputs outputs_;
};

}  // namespace

Outputs RunRecording(const Recording& recording, const Counts& counts) {
  return RecordingMachine(recording, counts).Run();
}

Outputs RunBundles(const Kernel& kernel, const Counts& counts) {
  return BundleMachine(kernel, counts).Run();
}

Value RandomKernel::Operand() {
  switch (Pick(8)) {
    case 0: return Value::Input(static_cast<int>(Pick(4)), static_cast<int>(Pick(3)));
    case 1: return Value::Bits(Pick(5));
    case 2: return Value::Scalar(static_cast<int>(Pick(16)));
    case 3: return shared_.empty() ? AnyOf(known_) : AnyOf(shared_);
    default: return AnyOf(known_);
  }
}

void RandomKernel::Operation(Builder& builder, std::vector<Recording::Event>& events,
                             bool is_prologue) {
  Instruction instruction;
  const uint32_t kind = Pick(8);
  const Value output = Value::Output(static_cast<int>(Pick(2)), static_cast<int>(Pick(4)));
  if (kind == 0 && written_.back().insert({output.index, output.step}).second) {
    instruction.target = output;
  } else if (kind == 1 && is_prologue) {
    instruction.target = AnyOf(shared_);
  } else {
    instruction.target = kind < 5 ? AnyOf(known_) : builder.Variable();
  }
  const uint32_t choice = Pick(10);
  instruction.is_lane = choice < 2;
  const arch::OperationInfo& info =
      instruction.is_lane ? arch::kLaneOps[Pick(arch::kLaneOps.size())]
      : choice < 4        ? Info(arch::AluOp::kCopy)
                          : arch::kAluOps[Pick(arch::kAluOps.size())];
  instruction.code = info.code;
  std::vector<Value> operands;
  for (uint32_t i = 0; i < info.sources; ++i) operands.push_back(Operand());
  if (info.amount) operands.push_back(Pick(2) == 0 ? Value::Scalar(3) : Value::Bits(7));
  const bool is_lookup = !instruction.is_lane && info.name == "lookup";
  if (is_lookup) operands[1] = AnyOf(tables_);
  if (instruction.is_lane) {
    builder.Assign(instruction.target, static_cast<arch::LaneOp>(info.code), operands);
  } else {
    builder.Assign(instruction.target, static_cast<arch::AluOp>(info.code), operands);
  }
  for (uint32_t i = 0; i < info.sources; ++i) instruction.operands[i] = operands[i];
  if (info.amount) instruction.operands[2] = operands.back();
  if (instruction.target.kind == Kind::kVariable && known_.size() < 24) {
    known_.push_back(instruction.target);
  }
  events.push_back({Recording::Event::Kind::kOperation, instruction, 0});
}

void RandomKernel::Part(Builder& builder, std::vector<Recording::Event>& events, int operations,
                        int variables, bool is_prologue) {
  known_.clear();
  written_.assign(1, {});
  const auto assign = [&](Value target, Value source) {
    builder.Assign(target, source);
    Instruction instruction;
    instruction.code = static_cast<uint32_t>(arch::AluOp::kCopy);
    instruction.target = target;
    instruction.operands[0] = source;
    events.push_back({Recording::Event::Kind::kOperation, instruction, 0});
  };
  for (int i = 0; i < variables; ++i) {
    known_.push_back(builder.Variable());
    assign(known_.back(), Value::Input(i % 4, i % 5));
  }
  std::vector<int> open;
  for (int i = 0; i < operations; ++i) {
    const int next = open.empty() ? 2 : open.back() + 1;
    if (Pick(12) == 0 && next < arch::kLoops) {
      open.push_back(next + static_cast<int>(Pick(static_cast<uint32_t>(arch::kLoops - next))));
      builder.BeginLoop(open.back());
      written_.emplace_back();
      events.push_back({Recording::Event::Kind::kBeginLoop, {}, open.back()});
    } else if (Pick(10) == 0 && !open.empty()) {
      builder.EndLoop();
      written_.pop_back();
      events.push_back({Recording::Event::Kind::kEndLoop, {}, open.back()});
      open.pop_back();
    } else {
      Operation(builder, events, is_prologue);
    }
  }
  while (!open.empty()) {
    builder.EndLoop();
    events.push_back({Recording::Event::Kind::kEndLoop, {}, open.back()});
    open.pop_back();
  }
  for (int i = 0; i < variables; ++i) {
    assign(Value::Output(i % 2, 8 + i), known_[static_cast<size_t>(i)]);
  }
}

void RandomKernel::Write(Builder& builder, int operations, int variables) {
  for (uint32_t size : {3u, 32u}) {
    std::vector<uint32_t> table(size);
    for (uint32_t& entry : table) entry = rng_();
    tables_.push_back(builder.Table(table));
    recording_.tables.push_back(table);
  }
  if (Pick(2) == 0) {
    recording_.has_prologue = true;
    builder.BeginPrologue();
    for (int i = 0; i < 3; ++i) {
      shared_.push_back(builder.Shared());
      builder.Assign(shared_.back(), Value::Input(i, i));
      Instruction instruction;
      instruction.code = static_cast<uint32_t>(arch::AluOp::kCopy);
      instruction.target = shared_.back();
      instruction.operands[0] = Value::Input(i, i);
      recording_.prologue.push_back({Recording::Event::Kind::kOperation, instruction, 0});
    }
    Part(builder, recording_.prologue, operations / 4, 2, true);
    builder.EndPrologue();
  }
  Part(builder, recording_.body, operations, variables, false);
}

}  // namespace systolith::kernel::testing
