#include "host/compiler/codegen/emitter.h"

#include <fmt/format.h>

#include <limits>

#include "host/compiler/schedule/hoist_loads.h"

namespace systolith::compiler {
namespace {

constexpr size_t kMaxWaits = 4;
constexpr size_t kMaxPatches = 4;
constexpr size_t kMostPending = 4096;

// Flags have 16 bits: a wait holds for 2^15 signals behind the one that it is for. Half of that is
// left for what is issued while a wait stands in a queue.
constexpr uint64_t kMostBetweenFences = 1 << 14;

// Scalar registers 1..12 belong to the engines' flags.
constexpr uint32_t kFirstLoadedScalar = arch::kScalars - Emitter::kLoadedScalars;
// Those between are VectorForEach's: the byte of the next word, what is counted, the word.
constexpr uint32_t kNextWord = kEngines, kCounter = kEngines + 1, kWord = kEngines + 2;
static_assert(kFirstLoadedScalar > kWord);

constexpr size_t kLoads = static_cast<size_t>(arch::Engine::kDmaLoad);

size_t Index(arch::Engine engine) { return static_cast<size_t>(engine); }

struct Wait {
  uint32_t flag;
  uint64_t target;
  uint32_t scalar;  // added to the target
  bool weights;
};

template <typename T>
void SetWait(T& i, size_t slot, const Wait& wait) {
  const auto set = [&](uint32_t& flag, uint32_t& weights, uint32_t& target, uint32_t& reg,
                       uint32_t& valid) {
    flag = wait.flag;
    weights = wait.weights ? 1 : 0;
    target = static_cast<uint32_t>(wait.target & 0xffff);
    reg = wait.scalar;
    valid = 1;
  };
  switch (slot) {
    case 0: set(i.wait0_flag, i.wait0_weights, i.wait0_target, i.wait0_reg, i.wait0_valid); break;
    case 1: set(i.wait1_flag, i.wait1_weights, i.wait1_target, i.wait1_reg, i.wait1_valid); break;
    case 2: set(i.wait2_flag, i.wait2_weights, i.wait2_target, i.wait2_reg, i.wait2_valid); break;
    default: set(i.wait3_flag, i.wait3_weights, i.wait3_target, i.wait3_reg, i.wait3_valid); break;
  }
}

template <typename T>
void SetPatch(T& i, size_t slot, const RegisterPatch& patch) {
  const auto set = [&](uint32_t& word, uint32_t& reg) {
    word = patch.word;
    reg = patch.scalar;
  };
  switch (slot) {
    case 0: set(i.patch0_word, i.patch0_reg); break;
    case 1: set(i.patch1_word, i.patch1_reg); break;
    case 2: set(i.patch2_word, i.patch2_reg); break;
    default: set(i.patch3_word, i.patch3_reg); break;
  }
}

template <typename Clock>
void Join(Clock& clock, const Clock& other) {
  for (size_t e = 0; e < clock.size(); ++e) clock[e] = std::max(clock[e], other[e]);
}

}  // namespace

Emitter::Emitter(const arch::ChipConfig& chip) {
  const auto first_mxu = Index(arch::Engine::kMxu0);
  for (size_t e = 1; e < first_mxu + static_cast<size_t>(chip.mxu_count) && e < kEngines; ++e) {
    flags_[e] = *assembler_.AllocateFlag();
  }
}

void Emitter::CollectNeeds(size_t engine, bool weights, const std::vector<AccessLog*>& reads,
                           const std::vector<AccessLog*>& writes,
                           std::vector<Need>& needs) const {
  for (size_t other = 1; other < kEngines; ++other) {
    if (other == engine) continue;  // an engine keeps its own order
    uint64_t number = 0;
    for (const AccessLog* log : reads) number = std::max(number, log->write[other]);
    for (const AccessLog* log : writes) {
      number = std::max({number, log->write[other], log->read[other]});
    }
    if (number > fenced_[other]) needs.push_back({other, number, weights});
  }
}

Emitter::Pending& Emitter::Add(arch::Opcode opcode, const Instruction& instruction) {
  Pending& pending = pending_.emplace_back();
  pending.opcode = opcode;
  pending.instruction = instruction;
  pending.operation = operation_;
  pending.line = line_;
  pending.kernel = kernel_;
  return pending;
}

void Emitter::Append(arch::Opcode opcode, arch::Engine engine, const Instruction& instruction,
                     const Touches& touches) {
  const size_t self = Index(engine);
  if (issued_[self] - fenced_[self] >= kMostBetweenFences) Fence();
  if (pending_.size() >= kMostPending) Flush();
  Pending& pending = Add(opcode, instruction);
  pending.engine = self;
  CollectNeeds(self, false, touches.reads, touches.writes, pending.needs);
  CollectNeeds(self, true, touches.weight_reads, {}, pending.needs);
  for (const AccessLog* log : touches.reads) {
    pending.after_load = std::max(pending.after_load, log->write[self]);
  }
  for (const AccessLog* log : touches.writes) {
    pending.after_load = std::max({pending.after_load, log->write[self], log->read[self]});
  }
  if (touches.patches.size() > kMaxPatches) Fail(Internal("more than four register patches"));
  pending.patches = touches.patches;
  pending.number = ++issued_[self];
  for (AccessLog* log : touches.reads) log->read[self] = pending.number;
  for (AccessLog* log : touches.weight_reads) log->read[self] = pending.number;
  for (AccessLog* log : touches.writes) log->write[self] = pending.number;
}

std::vector<size_t> Emitter::OrderOfPending() const {
  std::array<std::vector<size_t>, kEngines> positions;  // of numbers, counted from the last one
  for (size_t i = 0; i < pending_.size(); ++i) {
    if (pending_[i].number > 0) positions[pending_[i].engine].push_back(i);
  }
  const auto position = [&](size_t engine, uint64_t number) {
    const uint64_t back = issued_[engine] - number;  // 0: the last
    const std::vector<size_t>& list = positions[engine];
    return back < list.size() ? static_cast<int64_t>(list[list.size() - 1 - back]) : int64_t{-1};
  };
  std::vector<Dependence> dependences;
  for (const Pending& pending : pending_) {
    Dependence d;
    d.is_load = pending.engine == kLoads;
    if (d.is_load) {
      for (const Need& need : pending.needs) {
        d.after = std::max(d.after, position(need.engine, need.number));
      }
      d.after_load = position(kLoads, pending.after_load);
    }
    dependences.push_back(d);
  }
  return HoistLoads(dependences);
}

void Emitter::NumberLoads(const std::vector<size_t>& order) {
  uint64_t written = fenced_[kLoads] + written_loads_.size();
  written_loads_.resize(issued_[kLoads] - fenced_[kLoads]);
  for (const size_t i : order) {
    if (pending_[i].engine == kLoads) {
      written_loads_[pending_[i].number - fenced_[kLoads] - 1] = ++written;
    }
  }
  for (size_t i = 1; i < written_loads_.size(); ++i) {
    written_loads_[i] = std::max(written_loads_[i], written_loads_[i - 1]);
  }
}

uint64_t Emitter::Written(size_t engine, uint64_t number) const {
  if (engine != kLoads || number <= fenced_[kLoads]) return number;
  return written_loads_[number - fenced_[kLoads] - 1];
}

void Emitter::Flush() {
  if (!pending_.empty()) {
    const std::vector<size_t> order = OrderOfPending();
    NumberLoads(order);
    for (const size_t i : order) Write(pending_[i]);
    pending_.clear();
  }
  assembler_.SetLine(operation_, line_);
}

void Emitter::Write(Pending& pending) {
  assembler_.SetLine(pending.operation, pending.line);
  assembler_.SetKernel(pending.kernel);
  std::visit(
      [&](auto& instruction) {
        if (pending.number > 0) {
          Write(pending, instruction);
        } else {
          assembler_.Append(pending.opcode, instruction).ok();
        }
      },
      pending.instruction);
}

template <typename T>
void Emitter::Write(const Pending& pending, T& instruction) {
  const size_t self = pending.engine;
  for (Clock& known : known_[self]) Join(known, known_[kSequencer][0]);
  // A wait may make another one superfluous: later knowledge first, then only what is missing.
  std::vector<Wait> waits;
  for (const Need& need : pending.needs) {
    Clock& known = known_[self][need.weights ? 1 : 0];
    const uint64_t written = Written(need.engine, need.number);
    if (known[need.engine] >= written) continue;
    const Moment& then = MomentOf(need.engine, written);
    waits.push_back({flags_[need.engine], then.count, ScalarOf(need.engine), need.weights});
    Join(known, then.clock);
  }
  size_t first = 0;
  for (; waits.size() - first > kMaxWaits; first += kMaxWaits) {
    arch::Sync sync;
    sync.engine = static_cast<uint32_t>(self);
    for (size_t i = 0; i < kMaxWaits; ++i) {
      Wait wait = waits[first + i];
      wait.weights = false;
      SetWait(sync, i, wait);
    }
    assembler_.Append(arch::Opcode::kSync, sync).ok();  // errors come back from Finish
  }
  for (size_t i = first; i < waits.size(); ++i) SetWait(instruction, i - first, waits[i]);
  for (size_t i = 0; i < std::min(pending.patches.size(), kMaxPatches); ++i) {
    SetPatch(instruction, i, pending.patches[i]);
  }
  instruction.engine = static_cast<uint32_t>(self);
  instruction.signal0_flag = flags_[self];
  instruction.signal0_level = 0;
  instruction.signal0_valid = 1;
  assembler_.Append(pending.opcode, instruction).ok();

  // The end of a matmul is the end of both of its streams; neither stream knows that of itself.
  Clock clock = known_[self][0];
  Join(clock, known_[self][1]);
  clock[self] = fenced_[self] + history_[self].size() + 1;
  history_[self].push_back({clock, ++counts_[self]});
}

void Emitter::Load(arch::Dma instruction, const Touches& touches) {
  Append(arch::Opcode::kLoad, arch::Engine::kDmaLoad, instruction, touches);
}
void Emitter::Store(arch::Dma instruction, const Touches& touches) {
  Append(arch::Opcode::kStore, arch::Engine::kDmaStore, instruction, touches);
}
void Emitter::Matmul(arch::Engine engine, arch::Matmul instruction, const Touches& touches) {
  Append(arch::Opcode::kMatmul, engine, instruction, touches);
}
void Emitter::Vector(arch::Vector instruction, const Touches& touches) {
  Append(arch::Opcode::kVector, arch::Engine::kVpu, instruction, touches);
}
void Emitter::Transpose(arch::Transpose instruction, const Touches& touches) {
  Append(arch::Opcode::kTranspose, arch::Engine::kXlu, instruction, touches);
}
void Emitter::VectorForEach(arch::Vector instruction, const WordLoop& loop,
                            const AccessLog& table_log, const Touches& touches) {
  constexpr int64_t kWordBytes = 4;
  // The instructions themselves keep the vector unit's order; these stand for them.
  Append(arch::Opcode::kSync, arch::Engine::kVpu, arch::Sync{}, touches);
  Flush();
  Await(table_log);
  AppendScalar(arch::Opcode::kAdd, kNextWord, 0, 0);
  AppendScalar(arch::Opcode::kAdd, kCounter, 0, 0);
  const uint32_t head = assembler_.pc();
  AppendScalar(arch::Opcode::kLoadScalar, kWord, kNextWord, Address(loop.table));
  const uint32_t skip = AppendBranch(arch::Condition::kLt, kWord, 0, 0);
  instruction.engine = static_cast<uint32_t>(arch::Engine::kVpu);
  SetPatch(instruction, 0, {loop.counter_place, kCounter});
  for (size_t i = 0; i < loop.places.size(); ++i) {
    SetPatch(instruction, i + 1, {loop.places[i], kWord});
  }
  assembler_.SetKernel(kernel_);
  assembler_.Append(arch::Opcode::kVector, instruction).ok();
  assembler_.SetTarget(skip, assembler_.pc());
  AppendScalar(arch::Opcode::kAdd, kNextWord, kNextWord, kWordBytes);
  AppendScalar(arch::Opcode::kAdd, kCounter, kCounter, loop.step);
  AppendBranch(arch::Condition::kLt, kNextWord, static_cast<size_t>(kWordBytes * loop.count), head);
  Append(arch::Opcode::kSync, arch::Engine::kVpu, arch::Sync{}, touches);
}

void Emitter::LoadKernel(arch::LoadKernel instruction) {
  instruction.engine = static_cast<uint32_t>(arch::Engine::kVpu);
  Add(arch::Opcode::kLoadKernel, instruction);
}
void Emitter::Stream(arch::Stream instruction) {
  instruction.engine = static_cast<uint32_t>(arch::Engine::kVpu);
  Add(arch::Opcode::kStream, instruction);
}

int32_t Emitter::Stride(int64_t value) {
  if (value < std::numeric_limits<int32_t>::min() || value > std::numeric_limits<int32_t>::max()) {
    Fail(Unsupported(fmt::format("a stride of {} bytes does not fit an instruction", value)));
    return 0;
  }
  return static_cast<int32_t>(value);
}

uint32_t Emitter::Address(int64_t value) {
  if (value < 0 || value > std::numeric_limits<uint32_t>::max()) {
    Fail(Internal(fmt::format("{} does not fit an instruction", value)));
    return 0;
  }
  return static_cast<uint32_t>(value);
}

void Emitter::Fail(Status status) {
  if (error_.ok()) error_ = std::move(status);
}

Result<isa::Program> Emitter::Finish() {
  Flush();
  RETURN_IF_ERROR(error_);
  return assembler_.Finish();
}

}  // namespace systolith::compiler
