#include "host/isa/assembler.h"

#include <fmt/format.h>

#include <bit>
#include <utility>

#include "host/isa/check.h"

namespace systolith::isa {
namespace {

// The instruction structs are nothing but 32-bit members in the order of their field table.
template <typename T>
using Members = std::array<uint32_t, sizeof(T) / 4>;

Status CheckWidths(std::string_view name, std::span<const uint32_t> members,
                   std::span<const arch::FieldInfo> fields) {
  size_t member = 0;
  for (const arch::FieldInfo& field : fields) {
    for (uint32_t i = 0; i < field.count; ++i, ++member) {
      const uint32_t value = members[member];
      if (field.width < 32 && value >> field.width != 0) {
        return InvalidArgument(fmt::format("{}: field {} has {} bits, {} does not fit", name,
                                           field.name, field.width, value));
      }
    }
  }
  return OkStatus();
}

}  // namespace

template <typename T, size_t kCount>
Status Assembler::AppendFields(arch::Opcode opcode, T& instruction,
                               const std::array<arch::FieldInfo, kCount>& fields,
                               uint32_t word_count) {
  if (!status_.ok()) return status_;
  const arch::InstructionInfo* info = arch::FindInstruction(static_cast<uint32_t>(opcode));
  if (info == nullptr || info->words != word_count) {
    status_ = Internal(fmt::format("opcode {} has another format", static_cast<uint32_t>(opcode)));
    return status_;
  }
  instruction.opcode = static_cast<uint32_t>(opcode);
  instruction.quads = word_count / 4;
  const auto members = std::bit_cast<Members<T>>(instruction);
  status_ = CheckWidths(info->name, members, fields);
  if (!status_.ok()) return status_;

  if (program_.lines.empty() || program_.lines.back().operation != operation_ ||
      program_.lines.back().line != line_) {
    program_.lines.push_back({pc(), operation_, line_});
  }
  const size_t start = program_.words.size();
  program_.words.resize(start + word_count);
  Encode(instruction, std::span<uint32_t>(program_.words).subspan(start));
  return OkStatus();
}

void Assembler::SetLine(std::string_view operation, int line) {
  operation_ = operation;
  line_ = line;
}

Status Assembler::Append(arch::Opcode opcode, arch::Scalar instruction) {
  return AppendFields(opcode, instruction, arch::kScalarFields, arch::kScalarWords);
}
Status Assembler::Append(arch::Opcode opcode, arch::Sync instruction) {
  return AppendFields(opcode, instruction, arch::kSyncFields, arch::kSyncWords);
}
Status Assembler::Append(arch::Opcode opcode, arch::Dma instruction) {
  return AppendFields(opcode, instruction, arch::kDmaFields, arch::kDmaWords);
}
Status Assembler::Append(arch::Opcode opcode, arch::Matmul instruction) {
  return AppendFields(opcode, instruction, arch::kMatmulFields, arch::kMatmulWords);
}
Status Assembler::Append(arch::Opcode opcode, arch::LoadKernel instruction) {
  return AppendFields(opcode, instruction, arch::kLoadKernelFields, arch::kLoadKernelWords);
}
Status Assembler::Append(arch::Opcode opcode, arch::Stream instruction) {
  return AppendFields(opcode, instruction, arch::kStreamFields, arch::kStreamWords);
}
Status Assembler::Append(arch::Opcode opcode, arch::Vector instruction) {
  if (!kernel_.empty()) program_.kernels.push_back({pc(), std::exchange(kernel_, {})});
  return AppendFields(opcode, instruction, arch::kVectorFields, arch::kVectorWords);
}
Status Assembler::Append(arch::Opcode opcode, arch::Transpose instruction) {
  return AppendFields(opcode, instruction, arch::kTransposeFields, arch::kTransposeWords);
}

void Assembler::SetTarget(uint32_t branch_pc, uint32_t target) {
  if (!status_.ok()) return;  // the branch may not be there
  const auto words = std::span(program_.words).subspan(branch_pc / 4, arch::kScalarWords);
  arch::Scalar branch = arch::DecodeScalar(words);
  branch.target = target;
  Encode(branch, words);
}

Result<uint32_t> Assembler::AllocateFlag() {
  if (next_flag_ >= static_cast<uint32_t>(arch::kRemoteFlagBase)) {
    return InvalidArgument(fmt::format("all {} program flags are in use", arch::kRemoteFlagBase));
  }
  return next_flag_++;
}

Result<Program> Assembler::Finish() {
  RETURN_IF_ERROR(Append(arch::Opcode::kHalt, arch::Scalar{}));
  RETURN_IF_ERROR(CheckProgram(program_.words));
  return std::move(program_);
}

}  // namespace systolith::isa
