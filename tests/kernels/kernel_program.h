#ifndef SYSTOLITH_TESTS_KERNELS_KERNEL_PROGRAM_H_
#define SYSTOLITH_TESTS_KERNELS_KERNEL_PROGRAM_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "host/arch/chip_config.h"
#include "host/arch/isa.h"
#include "host/hal/transport.h"
#include "host/kernel/assemble.h"
#include "host/kernel/kernel.h"
#include "sim/golden/testing/job.h"

namespace systolith::kernels {

enum StreamIndex : uint32_t { kIn0, kIn1, kIn2, kIn3, kOut0, kOut1 };

// A stream that reads or writes a dense or strided array of rows: `rows` rows of `columns`
// elements, `pitch` elements apart. Sublanes are rows; `row_loop` steps by Sublanes rows; the
// bundle's step moves along the row by `SegmentLanes(chip)` elements; on chips of more than 128
// lanes, where a row of lanes holds two segments, only rows of one segment can be described so.
struct RowStream {
  StreamIndex index;
  arch::LaneType type;
  int64_t rows, columns, pitch;  // elements
  int row_loop = 0;
  uint32_t fill = 0;
};
arch::Stream Describe(const RowStream& stream, const arch::ChipConfig& chip);

// A stream over `elements` consecutive elements: `loop` steps by whole groups.
struct FlatStream {
  StreamIndex index;
  arch::LaneType type;
  int64_t elements;
  int loop = 0;
  uint32_t fill = 0;
};
arch::Stream Describe(const FlatStream& stream, const arch::ChipConfig& chip);

// Bytes of an element in the buffer.
int64_t BytesOf(arch::LaneType type);
// Elements of a row that one step of a row stream covers: lanes that reduce together.
int64_t SegmentLanes(const arch::ChipConfig& chip);
int64_t GroupLanes(const arch::ChipConfig& chip);
uint32_t Bits(float value);

// A kernel of the library; an error fails the test and gives an empty kernel.
kernel::Kernel FromLibrary(const std::string& name, const kernel::Parameters& parameters,
                           const arch::ChipConfig& chip);

// A program that loads tensors into the unified buffer, runs kernels over them, and stores tensors.
// Everything runs in order.
class KernelProgram {
 public:
  explicit KernelProgram(const arch::ChipConfig& chip);

  // Space in the buffer, aligned to bank words; its address. 0 bytes take none.
  int64_t Allocate(int64_t bytes);
  // Loads `data` into new space.
  int64_t Input(std::span<const std::byte> data);
  template <typename T>
  int64_t Input(const std::vector<T>& data) {
    return Input(std::as_bytes(std::span(data)));
  }

  // One run of `kernel` with these streams. counts, kernel_level, scalars and bases come from
  // `vector`; the kernel is loaded first unless it was the last one.
  void Run(const kernel::Kernel& kernel, const std::vector<arch::Stream>& streams,
           arch::Vector vector);
  // Writes `kernel` to the beginning of kernel memory.
  void Load(const kernel::Kernel& kernel);
  // Any other instruction, after all before it.
  template <typename T>
  void Append(arch::Opcode opcode, arch::Engine engine, T instruction);
  // The engines go on only when everything before is done; then instructions with waits and signals
  // of their own (flags from 16 on) may follow.
  void Barrier(const std::vector<arch::Engine>& engines);
  template <typename T>
  void Raw(arch::Opcode opcode, const T& instruction) {
    program_.Append(opcode, instruction);
  }

  // Runs the program; then `bytes` at buffer address `address` are in Output().
  void Store(int64_t address, int64_t bytes);
  golden::JobResult Execute(hal::Transport& transport);
  // Result of the n-th Store.
  template <typename T>
  std::vector<T> Output(size_t n) const {
    const std::vector<std::byte>& bytes = outputs_.at(n);
    std::vector<T> values(bytes.size() / sizeof(T));
    std::copy(bytes.begin(), bytes.end(), reinterpret_cast<std::byte*>(values.data()));
    return values;
  }

  const arch::ChipConfig& chip() const { return chip_; }

 private:
  // Every instruction waits for the one before and raises its engine's flag.
  template <typename T>
  T InOrder(arch::Engine engine, T instruction);

  const arch::ChipConfig& chip_;
  golden::ProgramWriter program_;
  std::vector<std::byte> memory_;  // inputs, as they lie in HBM
  struct Result {
    int64_t hbm, bytes;
  };
  std::vector<Result> results_;
  std::vector<std::vector<std::byte>> outputs_;
  int64_t next_ = 0;  // free buffer byte
  int64_t next_hbm_ = 0;
  std::array<uint16_t, 16> raised_{};  // by engine
  uint32_t last_engine_ = 0;           // 0: none
  kernel::Kernel loaded_;              // at the beginning of kernel memory
};

template <typename T>
T KernelProgram::InOrder(arch::Engine engine, T instruction) {
  const auto number = static_cast<uint32_t>(engine);
  instruction.engine = number;
  if (last_engine_ != 0 && last_engine_ != number) {
    instruction.wait0_valid = 1;
    instruction.wait0_flag = last_engine_;
    instruction.wait0_target = raised_[last_engine_];
  }
  instruction.signal0_valid = 1;
  instruction.signal0_flag = number;
  ++raised_[number];
  last_engine_ = number;
  return instruction;
}

template <typename T>
void KernelProgram::Append(arch::Opcode opcode, arch::Engine engine, T instruction) {
  program_.Append(opcode, InOrder(engine, instruction));
}

}  // namespace systolith::kernels

#endif  // SYSTOLITH_TESTS_KERNELS_KERNEL_PROGRAM_H_
