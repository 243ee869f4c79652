// The sequencer's part of an emitter: scalars, fences, loops and branches.
#include "host/compiler/codegen/emitter.h"

namespace systolith::compiler {
namespace {

// Engines whose last instructions tend to know of all others come first, so that a fence waits for
// few: what is stored has been computed, and what is computed has been loaded.
constexpr std::array<size_t, kEngines - 1> kFenceOrder = {
    static_cast<size_t>(arch::Engine::kDmaStore), static_cast<size_t>(arch::Engine::kVpu),
    static_cast<size_t>(arch::Engine::kXlu),      5, 6, 7, 8, 9, 10, 11, 12,
    static_cast<size_t>(arch::Engine::kDmaLoad)};

}  // namespace

void Emitter::AppendAwait(size_t engine, uint64_t count) {
  arch::Scalar await;
  await.target = flags_[engine];
  await.rs = ScalarOf(engine);
  await.imm = static_cast<int32_t>(count & 0xffff);
  assembler_.Append(arch::Opcode::kAwait, await).ok();
}

void Emitter::Await(size_t engine, uint64_t number) {
  Flush();
  Clock& known = known_[kSequencer][0];
  const uint64_t written = Written(engine, number);
  if (known[engine] >= written) return;
  const Moment& then = MomentOf(engine, written);
  AppendAwait(engine, then.count);
  for (size_t e = 0; e < kEngines; ++e) known[e] = std::max(known[e], then.clock[e]);
}

void Emitter::Await(const AccessLog& log) {
  for (size_t engine = 1; engine < kEngines; ++engine) Await(engine, log.write[engine]);
}

void Emitter::Fence() {
  Flush();
  for (const size_t engine : kFenceOrder) Await(engine, issued_[engine]);
  fenced_ = issued_;
  for (auto& streams : known_) streams.fill(issued_);
  for (std::vector<Moment>& moments : history_) moments.clear();
  written_loads_.clear();
}

void Emitter::ContinueFrom(const std::array<uint64_t, kEngines>& to) {
  for (size_t e = 1; e < kEngines; ++e) {
    if (counts_[e] == to[e]) continue;
    arch::Scalar add;
    add.rd = add.rs = ScalarOf(e);
    add.imm = static_cast<int32_t>(static_cast<uint32_t>(counts_[e] - to[e]));
    assembler_.Append(arch::Opcode::kAdd, add).ok();
  }
  counts_ = to;
}

uint32_t Emitter::AppendBranch(arch::Condition condition, uint32_t scalar, size_t number,
                               uint32_t target) {
  Flush();
  const uint32_t pc = assembler_.pc();
  arch::Scalar branch;
  branch.condition = static_cast<uint32_t>(condition);
  branch.rs = scalar;
  branch.imm = static_cast<int32_t>(number);
  branch.target = target;
  assembler_.Append(arch::Opcode::kBranch, branch).ok();
  return pc;
}

uint32_t Emitter::LoadScalarFromBuffer(int64_t address, const AccessLog& log) {
  Flush();
  Await(log);
  arch::Scalar load;
  load.rd = arch::kScalars - kLoadedScalars + next_scalar_;
  load.imm = static_cast<int32_t>(Address(address));
  next_scalar_ = (next_scalar_ + 1) % kLoadedScalars;
  assembler_.Append(arch::Opcode::kLoadScalar, load).ok();
  return load.rd;
}

void Emitter::AppendScalar(arch::Opcode opcode, uint32_t rd, uint32_t rs, int64_t imm) {
  arch::Scalar scalar;
  scalar.rd = rd;
  scalar.rs = rs;
  scalar.imm = static_cast<int32_t>(imm);
  assembler_.Append(opcode, scalar).ok();
}

Emitter::Loop Emitter::BeginLoop() {
  Loop loop;
  NextTurn(loop);
  return loop;
}

void Emitter::NextTurn(Loop& loop) {
  Fence();
  has_borders_ = true;
  Turn& turn = loop.turns.emplace_back();
  turn.head = counts_;
  turn.head_pc = assembler_.pc();
}

void Emitter::LeaveLoopIfZero(Loop& loop, uint32_t scalar) {
  Flush();
  Turn& turn = loop.turns.back();
  turn.exit = counts_;
  turn.branch_pc = AppendBranch(arch::Condition::kEq, scalar, 0, 0);
}

void Emitter::EndLoop(const Loop& loop, size_t again) {
  Fence();
  ContinueFrom(loop.turns[again].head);
  AppendBranch(arch::Condition::kAlways, 0, 0, loop.turns[again].head_pc);
  // Exits of earlier turns come to count like that of the last, one after another.
  std::vector<uint32_t> ends;
  const Turn& last = loop.turns.back();
  for (size_t t = 0; t + 1 < loop.turns.size(); ++t) {
    assembler_.SetTarget(loop.turns[t].branch_pc, assembler_.pc());
    AwaitExit(loop.turns[t]);
    counts_ = loop.turns[t].exit;
    ContinueFrom(last.exit);
    ends.push_back(AppendBranch(arch::Condition::kAlways, 0, 0, 0));
  }
  assembler_.SetTarget(last.branch_pc, assembler_.pc());
  AwaitExit(last);
  for (const uint32_t pc : ends) assembler_.SetTarget(pc, assembler_.pc());
  counts_ = last.exit;
}

// There the condition has run once more than the body.
void Emitter::AwaitExit(const Turn& turn) {
  for (size_t e = 1; e < kEngines; ++e) {
    if (turn.exit[e] != turn.head[e]) AppendAwait(e, turn.exit[e]);
  }
}

Emitter::Branches Emitter::BeginBranches(Choice choice, size_t count, uint32_t scalar) {
  Fence();
  has_borders_ = true;
  Branches branches;
  branches.start = counts_;
  for (size_t i = 0; i + 1 < count; ++i) {
    const bool is_if = choice == Choice::kIf;
    branches.branch_pcs.push_back(AppendBranch(
        is_if ? arch::Condition::kNe : arch::Condition::kEq, scalar, is_if ? 0 : i, 0));
  }
  branches.branch_pcs.push_back(AppendBranch(arch::Condition::kAlways, 0, 0, 0));
  return branches;
}

void Emitter::BeginBranch(Branches& branches) {
  if (branches.begun > 0) EndBranch(branches);
  assembler_.SetTarget(branches.branch_pcs[branches.begun], assembler_.pc());
  ++branches.begun;
}

void Emitter::EndBranch(Branches& branches) {
  Fence();
  ContinueFrom(branches.start);
  branches.end_pcs.push_back(AppendBranch(arch::Condition::kAlways, 0, 0, 0));
}

void Emitter::EndBranches(Branches& branches) {
  Fence();
  ContinueFrom(branches.start);
  for (const uint32_t pc : branches.end_pcs) assembler_.SetTarget(pc, assembler_.pc());
}

}  // namespace systolith::compiler
