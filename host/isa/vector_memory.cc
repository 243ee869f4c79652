#include "host/isa/vector_memory.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace systolith::isa {
namespace {

// The words that hold a vector's kernel_level, prologue_level, body, kernel_base, constant_base.
constexpr std::array<uint32_t, 2> kPlaceWords = {18, 19};

bool IsPlacePatched(const arch::Vector& v) {
  const std::array<std::array<uint32_t, 2>, 4> patches = {{{v.patch0_word, v.patch0_reg},
                                                          {v.patch1_word, v.patch1_reg},
                                                          {v.patch2_word, v.patch2_reg},
                                                          {v.patch3_word, v.patch3_reg}}};
  return std::any_of(patches.begin(), patches.end(), [](const auto& patch) {
    return patch[1] != 0 &&
           std::find(kPlaceWords.begin(), kPlaceWords.end(), patch[0]) != kPlaceWords.end();
  });
}

bool HasPrologue(const arch::Vector& vector) {
  return vector.prologue_level != static_cast<uint32_t>(arch::kNoLevel);
}

// Streams that the operations of a bundle name; bit q.
uint32_t StreamsOf(const arch::Bundle& bundle) {
  uint32_t streams = 0;
  const auto add = [&](uint32_t op, uint32_t target, std::array<uint32_t, 3> operands) {
    const auto info = std::find_if(arch::kAluOps.begin(), arch::kAluOps.end(),
                                   [&](const auto& i) { return i.code == op; });
    if (info == arch::kAluOps.end()) return;
    for (uint32_t i = 0; i < info->sources; ++i) {
      const uint32_t stream = operands[i] - arch::kOperandInput;
      if (stream < arch::kInputStreams) streams |= 1u << stream;
    }
    const uint32_t output = target - arch::kOperandOutput;
    if (output < arch::kOutputStreams) streams |= 1u << (arch::kInputStreams + output);
  };
  add(bundle.a_op, bundle.a_dst, {bundle.a_x, bundle.a_y, bundle.a_z});
  add(bundle.b_op, bundle.b_dst, {bundle.b_x, bundle.b_y, bundle.b_z});
  return streams;
}

}  // namespace

void VectorMemory::Apply(const Instruction& instruction) {
  if (instruction.info->opcode == arch::Opcode::kStream) {
    streams_ |= 1u << arch::DecodeStream(instruction.words).index;
  }
  if (instruction.info->opcode != arch::Opcode::kLoadKernel) return;
  const arch::LoadKernel load = arch::DecodeLoadKernel(instruction.words);
  const bool is_constants = load.part == static_cast<uint32_t>(arch::KernelPart::kConstants);
  const uint32_t width = is_constants ? 1 : arch::kBundleWords;
  for (uint32_t i = 0; i < load.count && (i + 1) * width <= load.data.size(); ++i) {
    const uint32_t* words = load.data.data() + i * width;
    if (is_constants) {
      constants_[load.first + i] = *words;
    } else {
      std::copy_n(words, width, bundles_[load.first + i].begin());
    }
  }
}

std::optional<KernelView> VectorMemory::KernelOf(const arch::Vector& vector) const {
  if (IsPlacePatched(vector)) return std::nullopt;
  KernelView kernel;
  kernel.body = vector.body;
  kernel.has_prologue = HasPrologue(vector);
  bool is_needed = kernel.has_prologue;
  for (uint32_t n = 0;; ++n) {
    is_needed |= n == vector.body;
    // A kernel that goes on where the memory ends faults there.
    if (vector.kernel_base + n >= arch::kKernelBundles) break;
    const auto found = bundles_.find(vector.kernel_base + n);
    if (found == bundles_.end() && is_needed) return std::nullopt;
    kernel.bundles.push_back(found == bundles_.end() ? BundleWords{} : found->second);
    if (arch::DecodeBundle(kernel.bundles.back()).exit == 0) continue;
    if (n >= vector.body) break;
    is_needed = false;  // until the body begins
  }
  for (uint32_t k = 0; k < arch::kConstantWindow + arch::kLookupEntries; ++k) {
    const auto found = constants_.find((vector.constant_base + k) % arch::kKernelConstants);
    if (found == constants_.end()) break;
    kernel.constants.push_back(found->second);
  }
  return kernel;
}

Status VectorMemory::Check(const arch::Vector& vector, uint32_t pc) const {
  if (IsPlacePatched(vector)) return OkStatus();
  const std::optional<KernelView> kernel = KernelOf(vector);
  if (!kernel) {
    return InvalidArgument(fmt::format(
        "pc {:#x}: vector runs a kernel at bundle {} that no load_kernel before it has written up "
        "to its exit", pc, vector.kernel_base));
  }
  uint32_t streams = 0;
  for (size_t n = kernel->has_prologue ? 0 : kernel->body; n < kernel->bundles.size(); ++n) {
    streams |= StreamsOf(arch::DecodeBundle(kernel->bundles[n]));
  }
  for (uint32_t stream = 0; stream < arch::kInputStreams + arch::kOutputStreams; ++stream) {
    if ((streams & ~streams_) >> stream & 1) {
      return InvalidArgument(fmt::format(
          "pc {:#x}: the kernel names {}{}, which no stream instruction before it describes", pc,
          stream < arch::kInputStreams ? "in" : "out", stream % arch::kInputStreams));
    }
  }
  return OkStatus();
}

VectorMemory MemoryBefore(std::span<const uint32_t> program, uint32_t pc) {
  VectorMemory memory;
  for (uint32_t at = 0; at < pc;) {
    const Result<Instruction> instruction = Instruction::Decode(program, at);
    if (!instruction.ok()) break;
    memory.Apply(*instruction);
    at += instruction->info->words * 4;
  }
  return memory;
}

}  // namespace systolith::isa
