#include "host/compiler/codegen/vector_unit.h"

namespace systolith::compiler {

void VectorUnit::Emit(const RowJob& job, const Touches& touches) {
  if (Status status = TryEmit(job, touches); !status.ok()) emitter_.Fail(std::move(status));
}

void VectorUnit::Emit(const TreeJob& job, const Touches& touches) {
  if (Status status = TryEmit(job, touches); !status.ok()) emitter_.Fail(std::move(status));
}

Status VectorUnit::TryEmit(const RowJob& job, const Touches& touches) {
  ASSIGN_OR_RETURN(const LoweredJob lowered, LowerRowJob(job, chip_));
  auto found = chains_.find(lowered.kernel);
  if (found == chains_.end()) {
    ASSIGN_OR_RETURN(kernel::Kernel built, BuildChainKernel(lowered.kernel));
    found = chains_.emplace(lowered.kernel, std::move(built)).first;
  }
  return Run(found->second, lowered.streams, lowered.vector, touches);
}

Status VectorUnit::TryEmit(const TreeJob& job, const Touches& touches) {
  ASSIGN_OR_RETURN(const LoweredTree lowered, LowerTreeJob(job, chip_));
  auto found = trees_.find(lowered.kernel);
  if (found == trees_.end()) {
    ASSIGN_OR_RETURN(kernel::Kernel built, BuildTreeKernel(lowered.kernel));
    found = trees_.emplace(lowered.kernel, std::move(built)).first;
  }
  return Run(found->second, lowered.streams, lowered.vector, touches);
}

Status VectorUnit::Run(const kernel::Kernel& code, const std::vector<arch::Stream>& streams,
                       arch::Vector vector, const Touches& touches) {
  ASSIGN_OR_RETURN(const kernel::KernelMemory::Place place, memory_.Use(code));
  if (place.load) {
    for (const arch::LoadKernel& load :
         kernel::LoadInstructions(code, place.kernel_base, place.constant_base)) {
      emitter_.LoadKernel(load);
    }
  }
  for (const arch::Stream& stream : streams) {
    std::optional<arch::Stream>& resident = streams_[stream.index];
    if (resident == stream) continue;
    resident = stream;
    emitter_.Stream(stream);
  }
  vector.kernel_base = place.kernel_base;
  vector.constant_base = place.constant_base;
  vector.body = code.body;
  emitter_.SetKernel(code.name);
  emitter_.Vector(vector, touches);
  return OkStatus();
}

}  // namespace systolith::compiler
