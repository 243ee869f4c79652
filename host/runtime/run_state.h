#ifndef SYSTOLITH_HOST_RUNTIME_RUN_STATE_H_
#define SYSTOLITH_HOST_RUNTIME_RUN_STATE_H_

#include <algorithm>
#include <memory>
#include <mutex>
#include <vector>

#include "host/graph/graph.h"
#include "host/runtime/executable.h"
#include "host/runtime/memory_allocator.h"

namespace systolith::runtime {

// The modules of an executable's host steps, parsed. Internal to the runtime.
struct LoadedExecutable::HostModules {
  std::vector<std::unique_ptr<graph::Module>> by_step;  // null for chip steps
};

// What a run's steps share. Holds no reference to the device: the device's queue holds this.
struct Run::State {
  std::shared_ptr<const isa::Executable> executable;
  std::vector<std::shared_ptr<Allocation>> arguments, results;
  std::shared_ptr<Allocation> constants, scratch;
  std::weak_ptr<Device> device;  // for ReadResult

  std::vector<Event> events;  // by step

  std::mutex mutex;
  std::vector<evaluator::CheckResult> checks;
  double host_step_seconds = 0;

  const std::shared_ptr<Allocation>& AllocationOf(isa::Home home, uint32_t index) const {
    switch (home) {
      case isa::Home::kArgument: return arguments.at(index);
      case isa::Home::kResult: return results.at(index);
      case isa::Home::kConstants: return constants;
      case isa::Home::kScratch: break;
    }
    return scratch;
  }
  hal::DeviceAddress AddressOf(const isa::Tensor& tensor) const {
    return AllocationOf(tensor.home, tensor.index)->address() + tensor.offset;
  }
};

}  // namespace systolith::runtime

#endif  // SYSTOLITH_HOST_RUNTIME_RUN_STATE_H_
