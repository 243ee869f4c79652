#ifndef SYSTOLITH_HOST_COMPILER_CODEGEN_EMITTER_H_
#define SYSTOLITH_HOST_COMPILER_CODEGEN_EMITTER_H_

#include <algorithm>
#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "host/arch/chip_config.h"
#include "host/arch/isa.h"
#include "host/base/status.h"
#include "host/isa/assembler.h"
#include "host/isa/program.h"

namespace systolith::compiler {

inline constexpr size_t kEngines = 13;

// For each engine, the number of its last instruction that wrote a place, and of the last that
// read it; 0: none. A place is whatever the code generator tells apart: a tile in the unified
// buffer, half of an accumulator, a tensor in HBM.
struct AccessLog {
  std::array<uint64_t, kEngines> write{};
  std::array<uint64_t, kEngines> read{};

  void Join(const AccessLog& other) {
    for (size_t e = 0; e < kEngines; ++e) {
      write[e] = std::max(write[e], other.write[e]);
      read[e] = std::max(read[e], other.read[e]);
    }
  }
};

// A scalar register of the sequencer that is added to a word of an instruction when it is issued.
struct RegisterPatch {
  uint32_t word = 0;  // from 12 up
  uint32_t scalar = 0;
};

// The places that an instruction touches, and what is added to it at run time.
struct Touches {
  std::vector<AccessLog*> reads;
  std::vector<AccessLog*> weight_reads;  // matmul: read by the weight stream, which runs ahead
  std::vector<AccessLog*> writes;
  std::vector<RegisterPatch> patches = {};  // at most 4
};

// Appends instructions and adds the flags that order them. Every engine has one flag, which each of
// its instructions raises once at its end; so "instruction n of that engine is done" is "flag >=
// its count behind n". An instruction waits for the last conflicting instruction of every other
// engine (writes before its reads, reads and writes before its writes), unless that is known
// already: each engine remembers what the instructions that it waited for knew. Waits only ever
// point backwards.
//
// Instructions are collected and then written, loads in an order of their own (hoist_loads.h).
// Logs and needs go by the numbers that instructions have when they come; what waits for load n
// waits for all loads up to n.
//
// Control flow is the sequencer's. Where paths meet it lets all engines finish (a fence), so that
// nothing in front of a border need be waited for behind it; and since the number of instructions
// on a path is known only at run time, scalar register e holds what the flag of engine e counts
// beyond what the program text says.
//
// Errors (a stride that does not fit 32 bits, say) are kept until Finish().
class Emitter {
 public:
  explicit Emitter(const arch::ChipConfig& chip);

  void SetLine(std::string_view operation, int line) {
    operation_ = operation;
    line_ = line;
  }
  // Which kernel the next vector instruction runs, for listings.
  void SetKernel(std::string_view name) { kernel_ = name; }

  void Load(arch::Dma instruction, const Touches& touches);
  void Store(arch::Dma instruction, const Touches& touches);
  void Matmul(arch::Engine engine, arch::Matmul instruction, const Touches& touches);
  void Vector(arch::Vector instruction, const Touches& touches);
  void Transpose(arch::Transpose instruction, const Touches& touches);
  // These only concern instructions behind them in the vector unit's own queue.
  void LoadKernel(arch::LoadKernel instruction);
  void Stream(arch::Stream instruction);

  // The 32-bit word at a byte address of the unified buffer (a multiple of 4) in a scalar register:
  // the sequencer waits until what the log says to have been written is there. Registers go round:
  // one keeps its value while the next kLoadedScalars - 1 are loaded. Instructions take it as a
  // patch.
  static constexpr uint32_t kLoadedScalars = 16;
  uint32_t LoadScalarFromBuffer(int64_t address, const AccessLog& log);

  // For each of `count` words of the buffer from `table` on (a multiple of 4), in order, runs the
  // instruction with the word added to some of its words and, for word n, n * step to another.
  // Negative words are skipped. The vector unit must hold kernel and streams; `table_log`: of the
  // table.
  struct WordLoop {
    int64_t table = 0, count = 0;
    std::vector<uint32_t> places;  // words of the instruction
    uint32_t counter_place = 0;
    int64_t step = 0;
  };
  void VectorForEach(arch::Vector instruction, const WordLoop& loop, const AccessLog& table_log,
                     const Touches& touches);

  // while: BeginLoop, the condition, LeaveLoopIfZero of its result, the body, EndLoop. Several turns may
  // be written: before each but the first stands NextTurn. After the last it goes on with turn
  // `again`.
  struct Turn {
    uint32_t head_pc = 0, branch_pc = 0;
    std::array<uint64_t, kEngines> head{}, exit{};  // what the flags count there
  };
  struct Loop {
    std::vector<Turn> turns;
  };
  Loop BeginLoop();
  void LeaveLoopIfZero(Loop& loop, uint32_t scalar);
  void NextTurn(Loop& loop);
  void EndLoop(const Loop& loop, size_t again);

  // if and case: BeginBranches, each branch in order with BeginBranch in front, EndBranches. An if
  // takes branch 0 unless the scalar is 0; a case whose scalar is no branch's number the last.
  enum class Choice : uint8_t { kIf, kCase };
  struct Branches {
    std::vector<uint32_t> branch_pcs;  // the instruction that goes to each branch
    std::vector<uint32_t> end_pcs;     // the one that leaves it
    std::array<uint64_t, kEngines> start{};
    size_t begun = 0;
  };
  Branches BeginBranches(Choice choice, size_t count, uint32_t scalar);
  void BeginBranch(Branches& branches);
  void EndBranches(Branches& branches);

  // Narrows a stride or address; an error is kept if it does not fit.
  int32_t Stride(int64_t value);
  uint32_t Address(int64_t value);
  void Fail(Status status);

  Result<isa::Program> Finish();

 private:
  static constexpr size_t kStreams = 2;  // 0: the instruction; 1: the weight stream of a matmul
  static constexpr size_t kSequencer = 0;
  using Clock = std::array<uint64_t, kEngines>;

  struct Need {
    size_t engine;
    uint64_t number;
    bool weights;
  };
  using Instruction =
      std::variant<arch::Dma, arch::Matmul, arch::Vector, arch::Transpose, arch::LoadKernel,
                   arch::Stream, arch::Sync>;
  struct Pending {
    arch::Opcode opcode = arch::Opcode::kSync;
    size_t engine = kSequencer;
    Instruction instruction;
    uint64_t number = 0;         // of its engine; 0: it raises no flag
    std::vector<Need> needs;
    uint64_t after_load = 0;     // loads: the last that wrote or read what it writes
    std::vector<RegisterPatch> patches;
    std::string operation, kernel;
    int line = 0;
  };
  // An instruction, once it is done.
  struct Moment {
    Clock clock;         // what its engine knew
    uint64_t count = 0;  // of its engine's flag, less the engine's register
  };

  Pending& Add(arch::Opcode opcode, const Instruction& instruction);
  void Append(arch::Opcode opcode, arch::Engine engine, const Instruction& instruction,
              const Touches& touches);
  void CollectNeeds(size_t engine, bool weights, const std::vector<AccessLog*>& reads,
                    const std::vector<AccessLog*>& writes, std::vector<Need>& needs) const;
  // Writes what has been collected.
  void Flush();
  std::vector<size_t> OrderOfPending() const;
  // Numbers of instructions as they are written.
  void NumberLoads(const std::vector<size_t>& order);
  uint64_t Written(size_t engine, uint64_t number) const;
  void Write(Pending& pending);
  template <typename T>
  void Write(const Pending& pending, T& instruction);
  const Moment& MomentOf(size_t engine, uint64_t written) const {
    return history_[engine][written - fenced_[engine] - 1];
  }

  // The register that is added to counts of the engine's flag; 0: none yet.
  uint32_t ScalarOf(size_t engine) const {
    return has_borders_ ? static_cast<uint32_t>(engine) : 0;
  }

  // The sequencer waits for an instruction, unless it knows that it is done.
  void Await(size_t engine, uint64_t number);
  // For all that wrote a place.
  void Await(const AccessLog& log);
  // The sequencer waits for everything.
  void Fence();
  // The flags' registers take up the difference between two counts, and counting goes on from
  // `to`.
  void ContinueFrom(const std::array<uint64_t, kEngines>& to);
  void AppendScalar(arch::Opcode opcode, uint32_t rd, uint32_t rs, int64_t imm);
  void AppendAwait(size_t engine, uint64_t count);
  void AwaitExit(const Turn& turn);
  // Returns the branch's place.
  uint32_t AppendBranch(arch::Condition condition, uint32_t scalar, size_t number,
                        uint32_t target);
  void EndBranch(Branches& branches);

  isa::Assembler assembler_;
  Status error_;
  std::array<uint32_t, kEngines> flags_{};
  bool has_borders_ = false;           // registers of flags may differ from 0
  uint32_t next_scalar_ = 0;
  std::array<uint64_t, kEngines> issued_{};  // instructions of each engine; they are numbered
  std::array<uint64_t, kEngines> counts_{};  // of the flags, less their registers
  std::array<uint64_t, kEngines> fenced_{};  // all of these are known to be done
  std::array<std::array<Clock, kStreams>, kEngines> known_{};  // by written number
  std::array<std::vector<Moment>, kEngines> history_;  // since the fence, as written
  std::vector<uint64_t> written_loads_;  // since the fence: the last written up to each number

  std::string operation_, kernel_;
  int line_ = 0;
  std::vector<Pending> pending_;
};

}  // namespace systolith::compiler

#endif  // SYSTOLITH_HOST_COMPILER_CODEGEN_EMITTER_H_
