#ifndef SYSTOLITH_HOST_ISA_EXECUTABLE_H_
#define SYSTOLITH_HOST_ISA_EXECUTABLE_H_

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "host/base/status.h"
#include "host/isa/program.h"

// A compiled program as the compiler writes it and the runtime runs it; .sysx is its file.
namespace systolith::isa {

// Which allocation in HBM a tensor lives in. Arguments and results have one each (their `index`);
// all scratch tensors share one, and so do all constants.
enum class Home : uint8_t { kArgument, kResult, kScratch, kConstants };

// A tensor in HBM, dense and row-major.
struct Tensor {
  std::string element;  // StableHLO's name: "f32", "bf16", "i8", "i32" ...
  std::vector<int64_t> dims;
  Home home = Home::kScratch;
  uint32_t index = 0;    // which argument or result
  uint64_t offset = 0;   // in its allocation; 0 for arguments and results
  uint64_t bytes = 0;

  bool operator==(const Tensor&) const = default;
};

// One entry of a launch's segment table: the whole allocation.
struct SegmentBinding {
  Home home = Home::kScratch;
  uint32_t index = 0;
  bool readable = true;
  bool writable = false;

  bool operator==(const SegmentBinding&) const = default;
};

// Runs on the chip: one launch.
struct ChipStep {
  Program program;
  std::vector<SegmentBinding> segments;  // at most 64; segment number = position

  bool operator==(const ChipStep&) const = default;
};

// Runs in the evaluator: a module whose entry function takes `inputs` and returns `outputs`
// (numbers of tensors). A check compares and returns nothing.
struct HostStep {
  std::string module_text;  // StableHLO
  std::vector<uint32_t> inputs, outputs;
  bool is_check = false;
  // Line in the source text of each operation of the entry function, the return included; for
  // messages. Empty: unknown.
  std::vector<int> lines = {};

  bool operator==(const HostStep&) const = default;
};

using Step = std::variant<ChipStep, HostStep>;

// One operation of the source and where it runs.
struct OperationReport {
  std::string operation;  // "dot_general"
  int line = 0;
  bool on_chip = true;
  std::string reason;  // why it is not on the chip
  uint64_t macs = 0;   // of the operation as written: M*N*K, padding taps counted
  uint64_t flops = 0;
  uint64_t bytes = 0;  // operands and results

  bool operator==(const OperationReport&) const = default;
};

struct Executable {
  std::string name;         // of the source module
  std::string source_file;
  std::string chip_name;    // the configuration that it was compiled for
  uint64_t program_hash = 0;

  std::vector<Tensor> tensors;
  std::vector<uint32_t> arguments;  // tensor of each argument
  std::vector<uint32_t> results;    // tensor of each result; may be an argument or a constant
  std::vector<std::pair<uint32_t, uint32_t>> aliases;  // (argument, result) that share memory
  std::vector<std::byte> constants;                    // contents of that allocation
  uint64_t scratch_bytes = 0;
  std::vector<Step> steps;

  std::vector<std::string> notes;  // what the user should know about the translation
  std::vector<OperationReport> operations;

  uint64_t Macs() const;  // on the chip
  // Share of the operations (checks and constants apart) that run in the evaluator.
  double FallbackShare() const;
  // The same, of the bytes that they take and give.
  double FallbackByteShare() const;

  // The allocation behind a binding, in bytes.
  uint64_t AllocationBytes(Home home, uint32_t index) const;

  bool operator==(const Executable&) const = default;
};

// The bytes of a .sysx file: magic, version, length, CRC-32, CBOR.
std::vector<std::byte> Serialize(const Executable& executable);

// A file that is no .sysx, of another version, truncated, corrupt or inconsistent is
// InvalidArgument that says which of these and names `name`.
Result<Executable> Deserialize(std::span<const std::byte> bytes, const std::string& name);

Status WriteExecutable(const std::string& path, const Executable& executable);
Result<Executable> ReadExecutable(const std::string& path);

// Whether the bytes begin like a .sysx file.
bool LooksLikeExecutable(std::span<const std::byte> bytes);

}  // namespace systolith::isa

#endif  // SYSTOLITH_HOST_ISA_EXECUTABLE_H_
