// Tests rtl/sequencer/sequencer.sv at its pins against an interpreter written from the contract.
#include <gtest/gtest.h>

#include <array>
#include <cstring>
#include <deque>
#include <map>
#include <memory>
#include <vector>

#include "Vsequencer.h"
#include "host/arch/isa.h"
#include "tb/common/dut.h"
#include "tb/common/random.h"
#include "tb/common/stream.h"

namespace systolith::tb {
namespace {

using arch::Opcode;

constexpr int kEngines = 6;
constexpr uint32_t kLineBytes = 64;
constexpr uint32_t kBufferBytes = 4096;
constexpr uint32_t kWordBytes = 16;

struct Issue {
  uint32_t engine = 0;
  uint32_t pc = 0;
  std::array<uint32_t, 64> words{};
  bool operator==(const Issue&) const = default;
};

struct Outcome {
  std::vector<Issue> issues;
  uint32_t instructions = 0;
  arch::Fault fault = arch::Fault::kNone;
  uint32_t fault_pc = 0;
  uint32_t fault_engine = 0;
};

uint32_t QuadsOf(Opcode opcode) {
  return arch::FindInstruction(static_cast<uint32_t>(opcode))->words / 4;
}

bool Executes(uint32_t engine, const arch::InstructionInfo& info) {
  if (info.format == "scalar") return engine == 0;
  switch (info.opcode) {
    case Opcode::kLoad: return engine == 1;
    case Opcode::kStore: return engine == 2;
    case Opcode::kVector:
    case Opcode::kLoadKernel:
    case Opcode::kStream: return engine == 3;
    case Opcode::kTranspose: return engine == 4;
    case Opcode::kMatmul: return engine >= 5;
    default: return engine != 0;
  }
}

bool HasLoops(Opcode opcode) {
  return opcode != Opcode::kSync && opcode != Opcode::kLoadKernel && opcode != Opcode::kStream;
}

// An engine instruction and an engine that executes it.
constexpr std::pair<Opcode, uint32_t> kEngineInstructions[] = {
    {Opcode::kSync, 1},       {Opcode::kSync, 2},   {Opcode::kSync, 3},   {Opcode::kSync, 4},
    {Opcode::kSync, 5},       {Opcode::kLoad, 1},   {Opcode::kStore, 2},  {Opcode::kVector, 3},
    {Opcode::kLoadKernel, 3}, {Opcode::kStream, 3}, {Opcode::kMatmul, 5}, {Opcode::kTranspose, 4}};

// What a program does, by rtl/arch/README.md: the reference of these tests.
Outcome Interpret(const std::vector<uint32_t>& program, const std::vector<uint32_t>& buffer) {
  Outcome outcome;
  std::array<uint32_t, 32> scalars{};
  uint32_t pc = 0;
  const auto fault = [&](arch::Fault cause) {
    outcome.fault = cause;
    outcome.fault_pc = pc;
    return outcome;
  };
  while (true) {
    if (pc + 16 > program.size() * 4) return fault(arch::Fault::kProgramBounds);
    const uint32_t* words = &program[pc / 4];
    const arch::InstructionInfo* info = arch::FindInstruction(words[0] & 0xff);
    const uint32_t engine = words[0] >> 8 & 15;
    if (info == nullptr || (words[0] >> 16 & 63) != info->words / 4 || engine >= kEngines) {
      return fault(arch::Fault::kIllegalOpcode);
    }
    if (!Executes(engine, *info)) return fault(arch::Fault::kIllegalOpcode);
    if (pc + info->words * 4 > program.size() * 4) return fault(arch::Fault::kProgramBounds);
    if (info->format == "scalar") {
      const arch::Scalar s = arch::DecodeScalar(std::span(words, 4));
      const uint32_t rs = scalars[s.rs];
      const uint32_t right = scalars[s.rt] + static_cast<uint32_t>(s.imm);
      const auto left_signed = static_cast<int32_t>(rs);
      const auto right_signed = static_cast<int32_t>(right);
      uint32_t next = pc + 16;
      switch (info->opcode) {
        case Opcode::kHalt: ++outcome.instructions; return outcome;
        case Opcode::kAdd: scalars[s.rd] = rs + right; break;
        case Opcode::kBranch: {
          const bool taken[] = {true, rs == right, rs != right, left_signed < right_signed,
                                left_signed >= right_signed};
          if (taken[s.condition]) next = s.target;
          break;
        }
        case Opcode::kLoadScalar: {
          const uint32_t address = rs + static_cast<uint32_t>(s.imm);
          if (address % 4 != 0) return fault(arch::Fault::kMisaligned);
          if (address >= kBufferBytes) return fault(arch::Fault::kBufferRange);
          scalars[s.rd] = buffer[address / 4];
          break;
        }
        default: break;  // await: the tests raise the flag sooner or later
      }
      ++outcome.instructions;
      scalars[0] = 0;
      pc = next;
      continue;
    }
    Issue issue{engine, pc, {}};
    std::copy_n(words, info->words, issue.words.begin());
    for (int i = 0; i < 4; ++i) {
      const uint32_t patch = words[1 + i / 2] >> (16 * (i % 2));
      if ((patch >> 8 & 31) != 0 && (patch & 63) >= 12) {
        issue.words[patch & 63] += scalars[patch >> 8 & 31];
      }
      uint32_t& target = issue.words[5 + 2 * i];
      const uint32_t sum = target + scalars[words[4 + 2 * i] >> 16 & 31];
      target = (target & 0xffff0000) | (sum & 0xffff);
    }
    bool legal = true;
    for (int i = 0; i < 2; ++i) {
      const uint32_t signal = words[3] >> (16 * i);
      if (signal >> 15 & 1) legal &= (signal & 255) < 48 && (signal >> 8 & 7) <= 6;
    }
    for (int i = 0; i < 4; ++i) {
      const uint32_t wait = words[4 + 2 * i];
      if (wait >> 31) legal &= (wait & 255) < 64 && (wait >> 8 & 7) <= 6;
    }
    for (int l = 0; l < 6 && HasLoops(info->opcode); ++l) legal &= issue.words[12 + l] != 0;
    if (!legal) {
      outcome.fault_engine = engine;
      return fault(arch::Fault::kIllegalField);
    }
    outcome.issues.push_back(issue);
    ++outcome.instructions;
    pc += info->words * 4;
  }
}

class ProgramText {
 public:
  uint32_t pc() const { return static_cast<uint32_t>(words_.size() * 4); }
  std::vector<uint32_t>& words() { return words_; }

  void Add(Opcode opcode, arch::Scalar scalar) {
    scalar.opcode = static_cast<uint32_t>(opcode);
    scalar.quads = 1;
    std::array<uint32_t, 4> words;
    arch::Encode(scalar, words);
    words_.insert(words_.end(), words.begin(), words.end());
  }
  // An engine instruction with random contents behind a legal header and prefix.
  void AddEngine(Rng& rng, Opcode opcode, uint32_t engine) {
    const uint32_t count = QuadsOf(opcode) * 4;
    std::vector<uint32_t> words(count);
    for (uint32_t& word : words) word = rng.U32();
    words[0] = static_cast<uint32_t>(opcode) | engine << 8 | count / 4 << 16;
    const uint32_t last = count - 1;
    for (int w = 1; w <= 2; ++w) {
      words[w] = 0;
      for (int half = 0; half < 2 && count > 12; ++half) {
        if (rng.Chance(0.5)) continue;
        const uint32_t patched = static_cast<uint32_t>(rng.Range(0, last));
        words[w] |= (patched | static_cast<uint32_t>(rng.Below(32)) << 8) << (16 * half);
      }
    }
    words[3] = Half(rng, 48) | Half(rng, 48) << 16;
    for (int i = 0; i < 4; ++i) {
      const uint32_t wait = Half(rng, 64);
      words[4 + 2 * i] = (wait & 0x7ff) | static_cast<uint32_t>(rng.Below(32)) << 16 |
                         (wait >> 15 & 1) << 31;
    }
    for (int l = 12; l < 18 && HasLoops(opcode); ++l) words[l] |= 1;
    words_.insert(words_.end(), words.begin(), words.end());
  }

 private:
  static uint32_t Half(Rng& rng, uint32_t flags) {
    return static_cast<uint32_t>(rng.Below(flags)) | static_cast<uint32_t>(rng.Below(7)) << 8 |
           static_cast<uint32_t>(rng.Below(2)) << 15;
  }
  std::vector<uint32_t> words_;
};

class SequencerTest : public RandomTestWithParam<double> {
 protected:
  SequencerTest() : buffer_(kBufferBytes / 4) {
    for (uint32_t& word : buffer_) word = rng_.U32();
    dut_.start_i = dut_.abort_i = 0;
    Idle();
    Reset(dut_);
  }

  void Idle() {
    dut_.mem_req_ready_i = dut_.mem_rsp_valid_i = 0;
    dut_.buffer_ready_i = dut_.buffer_data_valid_i = 0;
    dut_.instr_ready_i = 0;
    dut_.engines_idle_i = 1;
  }

  // Runs until done or a fault; gives up after `limit` cycles.
  Outcome Run(const std::vector<uint32_t>& program, uint64_t base, uint64_t limit = 400000) {
    Outcome outcome;
    Stalls memory_stalls(rng_, GetParam()), answer_stalls(rng_, GetParam());
    Stalls engine_stalls(rng_, GetParam()), buffer_stalls(rng_, GetParam());
    std::vector<std::pair<uint64_t, uint32_t>> pending;  // address, tag
    int engines_busy = 0;
    bool buffer_answers = false;
    uint32_t buffer_word = 0;
    dut_.program_base_i = base;
    dut_.program_bytes_i = static_cast<uint32_t>(program.size() * 4);
    dut_.start_i = 1;
    Cycle(dut_);
    dut_.start_i = 0;
    for (uint64_t cycle = 0; cycle < limit; ++cycle) {
      dut_.mem_req_ready_i = memory_stalls.Go();
      dut_.mem_rsp_valid_i = 0;
      if (!pending.empty() && answer_stalls.Go()) {  // any order
        const size_t which = rng_.Below(pending.size());
        Answer(program, base, pending[which]);
        pending.erase(pending.begin() + static_cast<long>(which));
      }
      dut_.instr_ready_i = engine_stalls.Go() ? 0x3f : 0;
      dut_.engines_idle_i = engines_busy == 0;
      dut_.buffer_ready_i = buffer_stalls.Go();
      dut_.buffer_data_valid_i = buffer_answers;
      if (buffer_answers) {
        for (uint32_t w = 0; w < 4; ++w) {
          SetBits(dut_.buffer_data_i, w * 32, 32, buffer_[buffer_word * 4 + w]);
        }
      }
      dut_.eval();
      if (dut_.mem_req_valid_o && dut_.mem_req_ready_i) {
        pending.emplace_back(dut_.mem_req_addr_o, dut_.mem_req_tag_o);
        ++lines_fetched_;
      }
      if (engines_busy > 0) --engines_busy;
      if ((dut_.instr_valid_o & dut_.instr_ready_i) != 0) {
        Issue issue;
        issue.engine = static_cast<uint32_t>(__builtin_ctz(dut_.instr_valid_o));
        issue.pc = dut_.instr_pc_o;
        for (uint32_t w = 0; w < 64; ++w) {
          issue.words[w] = static_cast<uint32_t>(GetBits(dut_.instr_o, w * 32, 32));
        }
        outcome.issues.push_back(issue);
        engines_busy = 100;
      }
      buffer_answers = dut_.buffer_valid_o && dut_.buffer_ready_i;
      buffer_word = dut_.buffer_addr_o;
      EXPECT_FALSE(dut_.busy_o && dut_.stall_o);
      Cycle(dut_);
      outcome.instructions += dut_.issued_o;
      if (dut_.fault_valid_o) {
        outcome.fault = static_cast<arch::Fault>(dut_.fault_cause_o);
        outcome.fault_pc = dut_.fault_pc_o;
        outcome.fault_engine = dut_.fault_engine_o;
        Drain(program, base, pending);
        return outcome;
      }
      if (dut_.done_o) {
        EXPECT_TRUE(pending.empty());
        EXPECT_EQ(engines_busy, 0);
        return outcome;
      }
    }
    ADD_FAILURE() << "no end after " << limit << " cycles at pc " << dut_.pc_o;
    return outcome;
  }

  void Drain(const std::vector<uint32_t>& program, uint64_t base,
             std::vector<std::pair<uint64_t, uint32_t>>& pending) {
    Idle();
    dut_.abort_i = 1;
    for (int cycle = 0; cycle < 300; ++cycle) {
      dut_.mem_req_ready_i = 1;
      dut_.mem_rsp_valid_i = 0;
      if (!pending.empty() && cycle % 3 == 0) {
        Answer(program, base, pending.back());
        pending.pop_back();
      }
      dut_.eval();
      if (dut_.mem_req_valid_o) pending.emplace_back(dut_.mem_req_addr_o, dut_.mem_req_tag_o);
      Cycle(dut_);
    }
    EXPECT_TRUE(pending.empty());
    EXPECT_TRUE(dut_.idle_o);
    dut_.abort_i = 0;
    Idle();
  }

  void Answer(const std::vector<uint32_t>& program, uint64_t base,
              const std::pair<uint64_t, uint32_t>& request) {
    dut_.mem_rsp_valid_i = 1;
    dut_.mem_rsp_tag_i = static_cast<uint8_t>(request.second);
    EXPECT_EQ(request.first % kLineBytes, 0u);
    for (uint32_t w = 0; w < kLineBytes / 4; ++w) {
      const uint64_t at = (request.first - base) / 4 + w;
      const uint32_t word = at < program.size() ? program[at] : 0xdeadbeef;
      SetBits(dut_.mem_rsp_data_i, w * 32, 32, word);
    }
  }

  void ExpectEqual(const Outcome& actual, const Outcome& expected) {
    EXPECT_EQ(actual.fault, expected.fault);
    EXPECT_EQ(actual.fault_pc, expected.fault_pc);
    EXPECT_EQ(actual.fault_engine, expected.fault_engine);
    EXPECT_EQ(actual.instructions, expected.instructions);
    ASSERT_EQ(actual.issues.size(), expected.issues.size());
    for (size_t i = 0; i < actual.issues.size(); ++i) {
      ASSERT_EQ(actual.issues[i].engine, expected.issues[i].engine) << i;
      ASSERT_EQ(actual.issues[i].pc, expected.issues[i].pc) << i;
      ASSERT_EQ(actual.issues[i].words, expected.issues[i].words) << i;
    }
  }

  // Straight pieces of scalar and engine instructions, counted loops around some, forward jumps.
  ProgramText RandomProgram(int pieces) {
    ProgramText program;
    for (int piece = 0; piece < pieces; ++piece) {
      const uint32_t counter = 31;
      const bool loop = rng_.Chance(0.4);
      program.Add(Opcode::kAdd, {.rd = counter, .imm = 0});
      const uint32_t start = program.pc();
      const int length = static_cast<int>(rng_.Range(1, 12));
      for (int i = 0; i < length; ++i) AddRandomInstruction(program);
      if (loop) {
        program.Add(Opcode::kAdd, {.rd = counter, .rs = counter, .imm = 1});
        program.Add(Opcode::kBranch, {.rs = counter,
                                      .condition = static_cast<uint32_t>(arch::Condition::kLt),
                                      .imm = static_cast<int32_t>(rng_.Range(2, 4)),
                                      .target = start});
      }
    }
    program.Add(Opcode::kHalt, {});
    return program;
  }

  std::pair<Opcode, uint32_t> RandomEngineInstruction() {
    return kEngineInstructions[rng_.Below(std::size(kEngineInstructions))];
  }

  void AddRandomInstruction(ProgramText& program) {
    const auto reg = [&](uint32_t limit) { return static_cast<uint32_t>(rng_.Below(limit)); };
    switch (rng_.Below(9)) {
      case 0:
        program.Add(Opcode::kAdd, {.rd = reg(30), .rs = reg(32), .rt = reg(32),
                                   .imm = static_cast<int32_t>(rng_.U32())});
        break;
      case 1:
        program.Add(Opcode::kLoadScalar,
                    {.rd = reg(30), .imm = static_cast<int32_t>(rng_.Below(kBufferBytes / 4) * 4)});
        break;
      case 2: {  // over a few scalar instructions or an engine instruction
        const uint32_t at = program.pc();
        program.Add(Opcode::kBranch, {.rs = reg(30), .rt = reg(30), .condition = reg(5)});
        if (rng_.Chance(0.5)) program.AddEngine(rng_, Opcode::kVector, 3);
        program.Add(Opcode::kAdd, {.rd = reg(30), .imm = 7});
        program.words()[at / 4 + 3] = program.pc();
        break;
      }
      case 3:
        program.Add(Opcode::kAwait, {.target = reg(64)});  // reached at once: flags are 0
        break;
      default: {
        const auto [opcode, engine] = RandomEngineInstruction();
        program.AddEngine(rng_, opcode, engine);
      }
    }
  }

  std::vector<uint32_t> buffer_;
  uint64_t lines_fetched_ = 0;
  Vsequencer dut_;
};

TEST_P(SequencerTest, RandomProgramsIssueWhatTheContractSays) {
  for (int trial = 0; trial < 30; ++trial) {
    ProgramText program = RandomProgram(static_cast<int>(rng_.Range(1, 20)));
    const uint64_t base = 64 * (1 + rng_.Below(1000));
    ExpectEqual(Run(program.words(), base), Interpret(program.words(), buffer_));
    if (HasFailure()) return;
  }
}

TEST_P(SequencerTest, DamagedProgramsFaultWhereTheContractSays) {
  int faults = 0;
  for (int trial = 0; trial < 200; ++trial) {
    ProgramText program;
    std::vector<uint32_t> starts;
    for (int i = 0; i < 6; ++i) {
      const auto [opcode, engine] = RandomEngineInstruction();
      starts.push_back(program.pc() / 4);
      program.AddEngine(rng_, opcode, engine);
      const uint64_t address = rng_.Chance(0.05) ? rng_.U32() : rng_.Below(1024) * 4;
      program.Add(Opcode::kLoadScalar, {.rd = 3, .imm = static_cast<int32_t>(address)});
    }
    program.Add(Opcode::kHalt, {});
    uint32_t* words = &program.words()[starts[rng_.Below(starts.size())]];
    switch (rng_.Below(6)) {
      case 0: words[0] ^= 1u << rng_.Below(22); break;
      case 1: words[12 + rng_.Below(6)] = 0; words[1] = words[2] = 0; break;
      case 2: words[3] ^= 0x80u << (16 * rng_.Below(2)); break;
      case 3: words[4 + 2 * rng_.Below(4)] ^= 1u << (6 + rng_.Below(5)); break;
      case 4: program.words().resize(rng_.Below(program.words().size() / 4) * 4); break;
      default: words[3] |= 0x700u << (16 * rng_.Below(2)); break;
    }
    const Outcome expected = Interpret(program.words(), buffer_);
    faults += expected.fault != arch::Fault::kNone;
    ExpectEqual(Run(program.words(), 4096), expected);
    if (HasFailure()) return;
  }
  EXPECT_GT(faults, 20);
}

TEST_P(SequencerTest, ALoopThatFitsIsFetchedOnce) {
  ProgramText program;
  program.AddEngine(rng_, Opcode::kVector, 3);
  program.AddEngine(rng_, Opcode::kVector, 3);
  program.Add(Opcode::kAdd, {.rd = 1, .rs = 1, .imm = 1});
  program.Add(Opcode::kBranch, {.rs = 1, .condition = static_cast<uint32_t>(arch::Condition::kLt),
                                .imm = 50, .target = 0});
  program.Add(Opcode::kHalt, {});
  // No patch of a register that loops: the words stay legal.
  for (auto at : {0u, arch::kVectorWords}) {
    program.words()[at + 1] = program.words()[at + 2] = 0;
  }
  const Outcome outcome = Run(program.words(), 64);
  EXPECT_EQ(outcome.issues.size(), 100u);
  EXPECT_EQ(lines_fetched_, (program.pc() + kLineBytes - 1) / kLineBytes);
}

TEST_P(SequencerTest, AwaitHoldsUntilTheFlagIsReachedAcrossTheWrap) {
  ProgramText program;
  program.Add(Opcode::kAwait, {.imm = 0x0003, .target = 57});
  program.Add(Opcode::kHalt, {});
  SetBits(dut_.flags_i, 57 * 16, 16, 0xfffe);
  dut_.program_base_i = 0;
  dut_.program_bytes_i = program.pc();
  dut_.start_i = 1;
  Cycle(dut_);
  dut_.start_i = 0;
  for (int cycle = 0; cycle < 60; ++cycle) {
    dut_.mem_req_ready_i = 1;
    dut_.mem_rsp_valid_i = 0;
    dut_.eval();
    const bool taken = dut_.mem_req_valid_o;
    const std::pair<uint64_t, uint32_t> request{dut_.mem_req_addr_o, dut_.mem_req_tag_o};
    Cycle(dut_);
    if (taken) {
      dut_.mem_req_ready_i = 0;
      Answer(program.words(), 0, request);
      Cycle(dut_);
    }
    if (cycle == 40) {
      EXPECT_TRUE(dut_.waiting_o);
      EXPECT_TRUE(dut_.stall_o);
      EXPECT_EQ(dut_.wait_flag_o, 57);
      SetBits(dut_.flags_i, 57 * 16, 16, 0x0003);
    }
    if (dut_.done_o) {
      EXPECT_GT(cycle, 40);
      return;
    }
  }
  ADD_FAILURE() << "never done";
}

INSTANTIATE_TEST_SUITE_P(Stalls, SequencerTest, testing::Values(0.0, 0.3, 0.8));

}  // namespace
}  // namespace systolith::tb
