#include "host/compiler/codegen/vector_unit.h"

#include "host/compiler/codegen/chain_kernel.h"

namespace systolith::compiler {

void VectorUnit::Emit(const RowJob& job, const Touches& touches) {
  if (Status status = TryEmit(job, touches); !status.ok()) emitter_.Fail(std::move(status));
}

Status VectorUnit::TryEmit(const RowJob& job, const Touches& touches) {
  ASSIGN_OR_RETURN(LoweredJob lowered, LowerRowJob(job, chip_));
  auto found = kernels_.find(lowered.kernel);
  if (found == kernels_.end()) {
    ASSIGN_OR_RETURN(kernel::Kernel built, BuildChainKernel(lowered.kernel));
    found = kernels_.emplace(lowered.kernel, std::move(built)).first;
  }
  const kernel::Kernel& code = found->second;
  ASSIGN_OR_RETURN(const kernel::KernelMemory::Place place, memory_.Use(code));
  if (place.load) {
    for (const arch::LoadKernel& load :
         kernel::LoadInstructions(code, place.kernel_base, place.constant_base)) {
      emitter_.LoadKernel(load);
    }
  }
  for (const arch::Stream& stream : lowered.streams) {
    std::optional<arch::Stream>& resident = streams_[stream.index];
    if (resident == stream) continue;
    resident = stream;
    emitter_.Stream(stream);
  }
  lowered.vector.kernel_base = place.kernel_base;
  lowered.vector.constant_base = place.constant_base;
  lowered.vector.body = code.body;
  emitter_.Vector(lowered.vector, touches);
  return OkStatus();
}

}  // namespace systolith::compiler
