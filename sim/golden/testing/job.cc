#include "sim/golden/testing/job.h"

namespace systolith::golden {
namespace {

using arch::Csr;

constexpr uint32_t kLaunchMagic = 0x48435453;

std::vector<uint32_t> Descriptor(const arch::ChipConfig& config, uint32_t program_bytes,
                                 const JobOptions& options) {
  const size_t count = options.segments.size();
  std::vector<uint32_t> words(arch::kLaunchWords + count * arch::kSegmentWords);
  const uint64_t hash = config.ProgramHash() + options.wrong_hash;
  arch::Launch launch;
  launch.magic = kLaunchMagic;
  launch.version = arch::kIsaVersion;
  launch.program_hash_lo = static_cast<uint32_t>(hash);
  launch.program_hash_hi = static_cast<uint32_t>(hash >> 32);
  launch.program_base_lo = kProgramAddress;
  launch.program_bytes = program_bytes;
  launch.segment_count = static_cast<uint32_t>(count);
  launch.owner = options.owner;
  arch::Encode(launch, words);
  for (size_t i = 0; i < count; ++i) {
    const JobSegment& from = options.segments[i];
    arch::Segment segment;
    segment.base_lo = static_cast<uint32_t>(from.base);
    segment.base_hi = static_cast<uint32_t>(from.base >> 32);
    segment.bytes_lo = static_cast<uint32_t>(from.bytes);
    segment.bytes_hi = static_cast<uint32_t>(from.bytes >> 32);
    segment.readable = from.readable;
    segment.writable = from.writable;
    segment.owner = from.owner;
    segment.chip = from.chip;
    arch::Encode(segment,
                 std::span(words).subspan(arch::kLaunchWords + i * arch::kSegmentWords));
  }
  return words;
}

Status ReadResult(hal::Transport& chip, const JobOptions& options, JobResult& result) {
  RETURN_IF_ERROR(chip.WaitForInterrupt(options.max_cycles));
  ASSIGN_OR_RETURN(const uint32_t reasons, chip.ReadCsr(Csr::kInterruptStatus));
  ASSIGN_OR_RETURN(const uint32_t cause, chip.ReadCsr(Csr::kFaultCause));
  ASSIGN_OR_RETURN(result.engine, chip.ReadCsr(Csr::kFaultEngine));
  ASSIGN_OR_RETURN(result.pc, chip.ReadCsr(Csr::kFaultPc));
  ASSIGN_OR_RETURN(result.flag, chip.ReadCsr(Csr::kFaultFlag));
  ASSIGN_OR_RETURN(const uint64_t low, chip.ReadCsr(Csr::kFaultAddressLo));
  ASSIGN_OR_RETURN(const uint64_t high, chip.ReadCsr(Csr::kFaultAddressHi));
  result.fault = static_cast<arch::Fault>(cause);
  result.address = high << 32 | low;
  result.completed = (reasons >> arch::kInterruptStatusCompletionLsb & 1) != 0;
  RETURN_IF_ERROR(chip.WriteCsr(Csr::kInterruptStatus, reasons));
  if (result.fault == arch::Fault::kNone) return OkStatus();
  return chip.WriteCsr(Csr::kControl, 1u << arch::kControlResetLsb);
}

}  // namespace

std::ostream& operator<<(std::ostream& out, const JobResult& result) {
  return out << result.status.message() << " fault " << arch::Name(result.fault) << " engine "
             << result.engine << " pc 0x" << std::hex << result.pc << " flag 0x" << result.flag
             << " address 0x" << result.address << std::dec << " completed " << result.completed;
}

Status StartJob(hal::Transport& chip, const arch::ChipConfig& config,
                std::span<const uint32_t> program, const JobOptions& options) {
  const std::vector<uint32_t> descriptor =
      Descriptor(config, static_cast<uint32_t>(program.size_bytes()), options);
  RETURN_IF_ERROR(chip.WriteMemory(kDescriptorAddress, std::as_bytes(std::span(descriptor))));
  RETURN_IF_ERROR(chip.WriteMemory(kProgramAddress, std::as_bytes(program)));
  RETURN_IF_ERROR(chip.WriteCsr(Csr::kInterruptEnable, 3));
  RETURN_IF_ERROR(chip.WriteCsr(Csr::kDoorbellHi, 0));
  return chip.WriteCsr(Csr::kDoorbellLo, kDescriptorAddress);
}

JobResult FinishJob(hal::Transport& chip, const JobOptions& options) {
  JobResult result;
  result.status = ReadResult(chip, options, result);
  return result;
}

JobResult RunJob(hal::Transport& chip, const arch::ChipConfig& config,
                 std::span<const uint32_t> program, const JobOptions& options) {
  JobResult result;
  result.status = StartJob(chip, config, program, options);
  return result.status.ok() ? FinishJob(chip, options) : result;
}

}  // namespace systolith::golden
