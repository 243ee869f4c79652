#ifndef SYSTOLITH_HOST_COMPILER_CODEGEN_EMITTER_H_
#define SYSTOLITH_HOST_COMPILER_CODEGEN_EMITTER_H_

#include <algorithm>
#include <array>
#include <cstdint>
#include <string_view>
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

// The places that an instruction touches.
struct Touches {
  std::vector<AccessLog*> reads;
  std::vector<AccessLog*> weight_reads;  // matmul: read by the weight stream, which runs ahead
  std::vector<AccessLog*> writes;
};

// Appends instructions and adds the flags that order them. Every engine has one flag, which each of
// its instructions raises once at its end; so "instruction n of that engine is done" is "flag >=
// n". An instruction waits for the last conflicting instruction of every other engine (writes
// before its reads, reads and writes before its writes), unless that is known already: each engine
// remembers what the instructions that it waited for knew. Waits only ever point backwards.
//
// Errors (a stride that does not fit 32 bits, say) are kept until Finish().
class Emitter {
 public:
  explicit Emitter(const arch::ChipConfig& chip);

  void SetLine(std::string_view operation, int line) { assembler_.SetLine(operation, line); }
  // Which kernel the next vector instruction runs, for listings.
  void SetKernel(std::string_view name) { assembler_.SetKernel(name); }

  void Load(arch::Dma instruction, const Touches& touches);
  void Store(arch::Dma instruction, const Touches& touches);
  void Matmul(arch::Engine engine, arch::Matmul instruction, const Touches& touches);
  void Vector(arch::Vector instruction, const Touches& touches);
  // These only concern instructions behind them in the vector unit's own queue.
  void LoadKernel(arch::LoadKernel instruction);
  void Stream(arch::Stream instruction);

  // Narrows a stride or address; an error is kept if it does not fit.
  int32_t Stride(int64_t value);
  uint32_t Address(int64_t value);
  void Fail(Status status);

  Result<isa::Program> Finish();

 private:
  static constexpr size_t kStreams = 2;  // 0: the instruction; 1: the weight stream of a matmul
  using Clock = std::array<uint64_t, kEngines>;

  struct Need {
    size_t engine;
    uint64_t number;
    bool weights;
  };

  template <typename T>
  void Append(arch::Opcode opcode, arch::Engine engine, T instruction, const Touches& touches);
  void CollectNeeds(size_t engine, bool weights, const std::vector<AccessLog*>& reads,
                    const std::vector<AccessLog*>& writes, std::vector<Need>& needs) const;

  isa::Assembler assembler_;
  Status error_;
  std::array<uint32_t, kEngines> flags_{};
  std::array<uint64_t, kEngines> issued_{};                 // instructions of each engine
  std::array<std::array<Clock, kStreams>, kEngines> known_{};
  std::array<std::vector<Clock>, kEngines> history_;        // what instruction n knew at its end
};

}  // namespace systolith::compiler

#endif  // SYSTOLITH_HOST_COMPILER_CODEGEN_EMITTER_H_
