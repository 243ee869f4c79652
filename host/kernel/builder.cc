#include "host/kernel/builder.h"

#include <fmt/format.h>

#include <algorithm>

#include "host/kernel/allocate.h"
#include "host/kernel/encode.h"
#include "host/kernel/normalise.h"
#include "host/kernel/schedule.h"

namespace systolith::kernel {
namespace {

constexpr uint32_t kMaxStep = 31;

// Scheduling takes long for what fits by no means: a bundle has two ALU slots and a lane slot.
Status CheckSize(const std::string& kernel, const Location& location,
                 const std::vector<Region>& regions) {
  constexpr size_t kMaxLane = arch::kKernelBundles, kMaxAlu = 2 * kMaxLane;
  size_t alu = 0, lane = 0;
  for (const Region& region : regions) {
    for (const Instruction& instruction : region.instructions) {
      ++(instruction.is_lane ? lane : alu);
    }
  }
  if (alu <= kMaxAlu && lane <= kMaxLane) return OkStatus();
  return Unsupported(fmt::format(
      "{}: the kernel has {} operations and {} lane operations; {} and {} fit at best: unroll "
      "less, use a hardware loop, or split the kernel", Where(kernel, location), alu, lane,
      kMaxAlu, kMaxLane));
}

// What is wrong with an operand of an operation; empty: nothing.
std::string OperandFault(const Instruction& instruction, uint32_t position) {
  const Value& value = instruction.operands[position];
  const bool is_lookup_table =
      !instruction.is_lane && position == 1 &&
      instruction.code == static_cast<uint32_t>(arch::AluOp::kLookup);
  if (is_lookup_table != (value.kind == Value::Kind::kTable)) {
    return is_lookup_table ? "lookup takes a table as its second operand"
                           : "a table is an operand of lookup only";
  }
  const bool is_amount = instruction.is_lane && position == 2;
  if (is_amount && value.kind != Value::Kind::kScalar && value.kind != Value::Kind::kConstant) {
    return "the amount must be a scalar word of the instruction or a number";
  }
  if (value.kind == Value::Kind::kNone) return "an operand has no value";
  if (value.kind == Value::Kind::kOutput) return "outputs can't be read";
  if (value.kind == Value::Kind::kInput && value.index >= arch::kInputStreams) {
    return fmt::format("in{} does not exist; streams are in0 to in3", value.index);
  }
  if (value.kind == Value::Kind::kScalar && value.index >= arch::kVectorScalars) {
    return fmt::format("s{} does not exist; scalar words are s0 to s15", value.index);
  }
  if (value.step > kMaxStep) {
    return fmt::format("step {} of a stream; steps are 0 to {}", value.step, kMaxStep);
  }
  return "";
}

}  // namespace

void Builder::Fail(const std::string& message) {
  if (!status_.ok()) return;
  status_ = InvalidArgument(fmt::format("{}: {}", Where(name_, location_), message));
}

void Builder::BeginPrologue() {
  if (has_prologue_) Fail("a kernel has one prologue");
  in_prologue_ = has_prologue_ = true;
}

void Builder::EndPrologue() {
  if (!open_loops_.empty()) Fail("the prologue ends inside a loop");
  in_prologue_ = false;
}

Value Builder::Shared(std::string name) {
  if (symbols_.shared.size() == arch::kSharedRegisters) {
    Fail(fmt::format("more than {} shared registers", arch::kSharedRegisters));
    return {Value::Kind::kShared, 0, 0};
  }
  symbols_.shared.push_back(std::move(name));
  return {Value::Kind::kShared, static_cast<uint32_t>(symbols_.shared.size() - 1), 0};
}

Value Builder::Variable(std::string name) {
  return {Value::Kind::kVariable, symbols_.AddVariable(std::move(name)), 0};
}

Value Builder::Table(std::span<const uint32_t> entries) {
  if (entries.empty() || entries.size() > arch::kLookupEntries) {
    Fail(fmt::format("a table of {} entries; 1 to {} fit", entries.size(), arch::kLookupEntries));
    return {Value::Kind::kTable, 0, 0};
  }
  std::vector<uint32_t> table(entries.begin(), entries.end());
  const auto found = std::find(symbols_.tables.begin(), symbols_.tables.end(), table);
  const auto index = static_cast<uint32_t>(found - symbols_.tables.begin());
  if (found == symbols_.tables.end()) symbols_.tables.push_back(std::move(table));
  return {Value::Kind::kTable, index, 0};
}

Value Builder::Op(arch::AluOp op, std::initializer_list<Value> operands) {
  const Value result = Variable();
  Assign(result, op, std::span(operands.begin(), operands.size()));
  return result;
}

Value Builder::Op(arch::LaneOp op, std::initializer_list<Value> operands) {
  const Value result = Variable();
  Assign(result, op, std::span(operands.begin(), operands.size()));
  return result;
}

Value Builder::Load(int stream, int step) {
  const Value result = Variable();
  Assign(result, Value::Input(stream, step));
  return result;
}

void Builder::Store(int stream, int step, Value value) {
  Assign(Value::Output(stream, step), value);
}

void Builder::Assign(Value target, Value value) {
  Assign(target, arch::AluOp::kCopy, std::span(&value, 1));
}

void Builder::Assign(Value target, arch::AluOp op, std::span<const Value> operands) {
  const arch::OperationInfo& info = Info(op);
  if (operands.size() != info.sources) {
    Fail(fmt::format("{} takes {} operands, not {}", info.name, info.sources, operands.size()));
    return;
  }
  Instruction instruction;
  instruction.code = info.code;
  instruction.target = target;
  std::copy(operands.begin(), operands.end(), instruction.operands.begin());
  Append(std::move(instruction));
}

void Builder::Assign(Value target, arch::LaneOp op, std::span<const Value> operands) {
  const arch::OperationInfo& info = Info(op);
  if (operands.size() != info.sources + (info.amount ? 1 : 0)) {
    Fail(fmt::format("{} takes {} operands, not {}", info.name,
                     info.sources + (info.amount ? 1 : 0), operands.size()));
    return;
  }
  Instruction instruction;
  instruction.is_lane = true;
  instruction.code = info.code;
  instruction.target = target;
  std::copy_n(operands.begin(), info.sources, instruction.operands.begin());
  if (info.amount) instruction.operands[2] = operands.back();
  Append(std::move(instruction));
}

void Builder::Append(Instruction instruction) {
  const arch::OperationInfo& info = instruction.info();
  for (uint32_t position = 0; position < 3; ++position) {
    if (position >= info.sources && !(position == 2 && info.amount)) continue;
    const std::string fault = OperandFault(instruction, position);
    if (!fault.empty()) Fail(fmt::format("{}: {}", info.name, fault));
  }
  const Value& target = instruction.target;
  switch (target.kind) {
    case Value::Kind::kVariable: break;
    case Value::Kind::kShared:
      if (!in_prologue_) Fail("shared registers are written in the prologue only");
      break;
    case Value::Kind::kOutput:
      if (target.index >= arch::kOutputStreams || target.step > kMaxStep) {
        Fail(fmt::format("out{}[{}] does not exist; outputs are out0 and out1, steps 0 to {}",
                         target.index, target.step, kMaxStep));
      }
      NoteStore(target);
      break;
    default: Fail(fmt::format("{} writes something that can't be written", info.name));
  }
  instruction.location = location_;
  region().instructions.push_back(std::move(instruction));
}

void Builder::NoteStore(const Value& target) {
  const int loop = open_loops_.empty() ? -1 : open_loops_.back();
  const auto [found, is_first] =
      stores_.try_emplace({in_prologue_, loop, target.index, target.step}, location_);
  if (is_first) return;
  const Location& first = found->second;
  Fail(fmt::format("out{}[{}] is written twice in one iteration{}; write it once, or take another "
                   "step", target.index, target.step,
                   first.line == 0 ? "" : fmt::format(", first in line {}", first.line)));
}

void Builder::BeginLoop(int loop) {
  if (loop < 0 || loop >= arch::kLoops) Fail(fmt::format("loop {} does not exist", loop));
  Region& r = region();
  if (!open_loops_.empty() &&
      r.loops[static_cast<size_t>(open_loops_.back())].number >= static_cast<uint32_t>(loop)) {
    Fail(fmt::format("loop {} inside of loop {}: inner loops have higher numbers", loop,
                     r.loops[static_cast<size_t>(open_loops_.back())].number));
  }
  open_loops_.push_back(static_cast<int>(r.loops.size()));
  r.loops.push_back({static_cast<uint32_t>(loop), r.instructions.size(), r.instructions.size()});
}

void Builder::EndLoop() {
  if (open_loops_.empty()) {
    Fail("the end of a loop that was not begun");
    return;
  }
  region().loops[static_cast<size_t>(open_loops_.back())].end = region().instructions.size();
  open_loops_.pop_back();
}

Result<Kernel> Builder::Finish() {
  if (!open_loops_.empty()) Fail("a loop is not ended");
  if (!status_.ok()) return status_;
  std::vector<Region> regions;
  if (has_prologue_) regions.push_back(std::move(prologue_));
  regions.push_back(std::move(body_));
  std::vector<Schedule> schedules;
  for (Region& region : regions) {
    RETURN_IF_ERROR(Normalise(name_, region, symbols_));
  }
  RETURN_IF_ERROR(CheckSize(name_, kernel_location_, regions));
  for (const Region& region : regions) {
    ASSIGN_OR_RETURN(Schedule schedule, ScheduleAndAllocate(name_, region, symbols_));
    schedules.push_back(std::move(schedule));
  }
  return EncodeKernel(name_, kernel_location_, regions, schedules, symbols_);
}

}  // namespace systolith::kernel
