#ifndef SYSTOLITH_HOST_RUNTIME_DEVICE_WORK_H_
#define SYSTOLITH_HOST_RUNTIME_DEVICE_WORK_H_

#include <cstdint>
#include <memory>
#include <optional>

#include "host/runtime/device.h"
#include "host/runtime/event_state.h"
#include "host/runtime/launch.h"

namespace systolith::runtime {

// How far the chip runs before the worker looks around for the first time; later slices are fitted
// to the chip's speed.
inline constexpr uint64_t kFirstSliceCycles = 1000;

// One entry of a device's queue: a launch or a function on the host. Internal to the runtime.
struct Device::Work {
  std::shared_ptr<EventState> event = std::make_shared<EventState>();
  WorkGroup group;  // may be null
  HostWork host;
  std::optional<Launch> launch;
  bool urgent = false;

  // Of a launch on the chip.
  std::shared_ptr<Allocation> descriptor;
  std::optional<uint64_t> start_cycle;  // since when the chip has worked on it
};

}  // namespace systolith::runtime

#endif  // SYSTOLITH_HOST_RUNTIME_DEVICE_WORK_H_
